"""The layers behind a search: what happened around a hit, all that was noted of it, the latest."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from mind.domain.entry import Entry
from mind.domain.errors import InputError, NotFound
from mind.search.query import as_id
from mind.search.results import Around, Details, Timeline
from mind.storage.index import Filter, Index
from mind.text import secrets

_MOST = 50
"""Most entries of an answer, and most ids that are asked for at once."""
_MOST_DAYS = 3_660


def details(index: Index, ids: Sequence[str]) -> Details:
    """The entries with these ids, in their order, whole.

    Raises:
        InputError: There are no ids, or too many.
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
    """What was noted just before ``anchor`` and just after it.

    Raises:
        InputError: A number is out of range.
    """
    for name, number in (("before", before), ("after", after)):
        if not 0 <= number <= _MOST:
            raise InputError(f"{name} is {number}", remedy=f"Use a number from 0 to {_MOST}.")
    earlier, later = index.beside(anchor, before, after)
    return Timeline(anchor=anchor, before=tuple(earlier), after=tuple(later))


def around(index: Index, day: date, days: int, which: Filter, limit: int) -> Around:
    """Entries of up to ``days`` before or after ``day``, nearest first.

    Raises:
        InputError: A number is out of range.
    """
    if not 0 <= days <= _MOST_DAYS:
        raise InputError(f"days is {days}", remedy=f"Use a number from 0 to {_MOST_DAYS}.")
    if not 1 <= limit <= _MOST:
        raise InputError(f"limit is {limit}", remedy=f"Use a limit from 1 to {_MOST}.")
    first, last = (_shifted(day, days * sign) for sign in (-1, 1))
    within = replace(which, since=first, until=last)
    earlier = index.page(replace(within, until=day), "newest", limit)
    later = []
    if day < last:
        later = index.page(replace(within, since=_shifted(day, 1)), "oldest", limit)
    nearest = sorted(
        [*earlier, *later], key=lambda one: abs((one.date - day).days) if one.date else 0
    )
    total = index.count(within) if len(nearest) >= limit else len(nearest)
    return Around(day=day, days=days, entries=tuple(nearest[:limit]), total=total)


def by_id(index: Index, identifier: str) -> Entry:
    """The entry with this id.

    Raises:
        NotFound: There is none.
    """
    found = index.get(as_id(identifier))
    if found is None:
        raise NotFound(f"there is no entry {identifier!r}", remedy="Use an id that a search lists.")
    return found


def _shifted(day: date, by: int) -> date:
    return date.fromordinal(min(max(day.toordinal() + by, 1), date.max.toordinal()))
