"""The state of a memory, and how well it is: what is used, what is stale, what to do about it."""

from mind.memory.health.examination import examine, status
from mind.memory.health.report import Health, Thresholds

__all__ = ["Health", "Thresholds", "examine", "status"]
