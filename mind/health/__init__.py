"""The state of a memory, and how well it is: what is used, what is stale, what to do about it."""

from mind.health.examination import examine
from mind.health.report import Health, Limits
from mind.health.status import status

__all__ = ["Health", "Limits", "examine", "status"]
