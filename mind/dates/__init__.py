"""Dates as people write them: days in headings, and moments to be reminded at."""

from mind.dates.days import heading_date, zone
from mind.dates.moments import parse_when

__all__ = ["heading_date", "parse_when", "zone"]
