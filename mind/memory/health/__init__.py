"""Health of a memory: used and stale entries, and recommended actions."""

from mind.memory.health.examination import examine
from mind.memory.health.figures import owed
from mind.memory.health.report import Health, Thresholds

__all__ = ["Health", "Thresholds", "examine", "owed"]
