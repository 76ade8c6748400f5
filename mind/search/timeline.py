"""Follow-up reads of a search: the context of a hit, entries in full, and entries near a day."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

from mind.domain.entry import Entry
from mind.domain.errors import InputError, check_range
from mind.search.query import as_id
from mind.search.results import Details, NearbyEntries, Timeline
from mind.storage.index import Filter, Index
from mind.text import lazy_pattern, secrets
from mind.text.dates.days import day_from, days_in, fold, months
from mind.text.terms import query_terms

_MOST = 50
"""Most entries of an answer, and most ids per request."""
_MOST_DAYS = 3_660
_LONGEST_NAMED = 31
_DAY_AND_MONTH = lazy_pattern(
    r"\b(?:(?P<d>\d{1,2})\.?(?:st|nd|rd|th)? (?:of |de )?(?P<m>[^\W\d_]{3,})"
    r"|(?P<m2>[^\W\d_]{3,}) (?P<d2>\d{1,2})(?:st|nd|rd|th)?)(?! ?,? ?\d{4})\b"
)


def details(index: Index, ids: Sequence[str]) -> Details:
    """The entries with these ids, in the given order, in full.

    Raises:
        InputError: No ids, or too many.
    """
    wanted = list(dict.fromkeys(plain for one in ids if (plain := as_id(one))))
    if not 1 <= len(wanted) <= _MOST:
        raise InputError(f"{len(wanted)} ids", remedy=f"Give 1 to {_MOST}, as a search lists them.")
    found = {one.id: one for one in index.entries(Filter(ids=tuple(wanted)))}
    known = ((one, index.get(one)) for one in wanted if one not in found)
    edited = {old: one for old, one in known if one}
    entries = {one.id: one for old in wanted if (one := found.get(old) or edited.get(old))}
    return Details(
        entries=tuple(entries.values()),
        missing=tuple(
            secrets.mask(one) for one in wanted if one not in found and one not in edited
        ),
        edited={old: one.id for old, one in edited.items()},
    )


def timeline(index: Index, anchor: Entry, before: int, after: int) -> Timeline:
    """Entries recorded just before and just after ``anchor``.

    Raises:
        InputError: A number is out of range.
    """
    check_range("before", before, 0, _MOST)
    check_range("after", after, 0, _MOST)
    earlier, later = index.beside(anchor, before, after)
    return Timeline(anchor=anchor, before=tuple(earlier), after=tuple(later))


def occurring(index: Index, first: date, last: date, which: Filter) -> list[Entry]:
    """Entries whose text mentions a day of a period of at most a month, whenever recorded."""
    if not 0 <= (last - first).days <= _LONGEST_NAMED:
        return []
    days = {first + timedelta(days=count) for count in range((last - first).days + 1)}
    names = [name for name, number in months().items() if number in {one.month for one in days}]
    named = " ".join((*names, *(one.isoformat() for one in days)))
    found = index.match(query_terms(named), which, limit=_MOST * 2)
    return [one for one, _ in found if days & _named_in(one)]


def _named_in(entry: Entry) -> set[date]:
    """Days mentioned in a text; one without a year is the nearest to the entry's own day."""
    folded = fold(entry.text)
    found = {day for _, _, day in days_in(folded)}
    noted = entry.date
    for one in _DAY_AND_MONTH.finditer(folded) if noted else ():
        number, month = one["d"] or one["d2"], one["m"] or one["m2"]
        years = range(noted.year - 1, noted.year + 2) if noted else ()
        near = [
            (abs(day - noted), day)
            for year in years
            if noted and (day := day_from(year, month, number))
        ]
        found |= {min(near)[1]} if near else set()
    return found


def around(  # noqa: PLR0913, PLR0917 - every caller gives them all
    index: Index, day: date, days: int, which: Filter, limit: int, today: date | None = None
) -> NearbyEntries:
    """Entries up to ``days`` from ``day``, nearest first, after entries that mention ``day``.

    Notes of running sessions are of today.

    Raises:
        InputError: A number is out of range.
    """
    check_range("days", days, 0, _MOST_DAYS)
    check_range("limit", limit, 1, _MOST)
    first, last = (_shifted(day, days * sign) for sign in (-1, 1))
    within = which.within(first, last, today)
    notes = index.noted(within) if within.running else []
    dated = replace(within, running=False)
    earlier = index.page(replace(dated, until=day), "newest", limit)
    later = []
    if day < last:
        later = index.page(replace(dated, since=_shifted(day, 1)), "oldest", limit)
    nearest = sorted(
        [*notes, *earlier, *later], key=lambda one: abs(((one.date or today or day) - day).days)
    )
    total = max(len(nearest), index.count(within) if len(nearest) >= limit else 0)
    there = {one.id for one in nearest}
    named = [one for one in occurring(index, day, day, which) if one.id not in there]
    nearest = [*named, *nearest]
    total += sum(not (one.date and first <= one.date <= last) for one in named)
    return NearbyEntries(day=day, days=days, entries=tuple(nearest[:limit]), total=total)


def _shifted(day: date, by: int) -> date:
    return date.fromordinal(min(max(day.toordinal() + by, 1), date.max.toordinal()))
