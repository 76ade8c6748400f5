"""A period of whole days."""

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True)
class Period:
    """Days from one to another.

    Attributes:
        start: The first day; None if it has no beginning.
        end: The last day, which belongs to it; None if it has no end.
    """

    start: date | None
    end: date | None
