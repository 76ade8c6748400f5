"""Parse dates as people write them: days in headings, and times of reminders."""

from typing import TYPE_CHECKING, Any

from mind.text.dates.days import day_from, heading_date, is_zone, leading_day, only_day, zone

if TYPE_CHECKING:
    from mind.text.dates.moments import FORMS, ambiguity, in_further_languages, moment
    from mind.text.dates.repeats import rhythm

__all__ = [
    "FORMS",
    "ambiguity",
    "day_from",
    "heading_date",
    "in_further_languages",
    "is_zone",
    "leading_day",
    "moment",
    "only_day",
    "rhythm",
    "zone",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module attribute of any type
    """Import the grammar of moments on first use: headings do not need it."""
    if name in ("FORMS", "ambiguity", "in_further_languages", "moment", "rhythm"):
        from mind.text.dates import moments, repeats  # noqa: PLC0415 - see above

        return getattr(repeats if name == "rhythm" else moments, name)
    raise AttributeError(name)
