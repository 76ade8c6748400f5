"""What a search asks for: words, filters written among them, and the time they speak of.

``kind:decision since:"last week"`` are filters. Whatever looks like one and is none stays what it
is, words: nothing in a query can be wrong.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from types import MappingProxyType

from mind.dates.asked import parse_period, time_asked
from mind.dates.periods import Period
from mind.dates.references import Reference, references_in
from mind.entry import Status, parse_kind
from mind.errors import InputError
from mind.index import EVERY, Filter

Released = Callable[[Reference], Period | None]
"""The days that are meant by a release; None if there is none of that name."""

ORDERS = ("relevance", "newest", "oldest")
_WHEN = 'Use a date or a period: "2026-03-01", "last week", "in March", a release such as "v1.2".'
_FORMS = {
    "since": _WHEN,
    "until": _WHEN,
    "tag": "Use the tag without its hash.",
    "status": f"Use one of: {', '.join(Status)}.",
    "order": f"Use one of: {', '.join(ORDERS)}.",
}
"""Filters that may be given beside a query → what they look like."""
_LONGEST = 100_000
"""Characters that are read of a query."""
_OPTION = re.compile(
    r'(?<!\S)(kind|type|since|after|until|before|on|tag|status|section|order|id):("[^"\n]*"|[^\s"]+)(?!\S)',
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A query, understood.

    Attributes:
        text: What is left to compare: "" if it consists of filters.
        which: Only these entries.
        order: "relevance", "newest" or "oldest".
        period: The time that the words speak of ("last week"); entries of then are preferred.
        ignored: What looks like a filter and is none, and was compared as words.
    """

    text: str
    which: Filter = EVERY
    order: str = "relevance"
    period: Period | None = None
    ignored: tuple[str, ...] = ()


def understand(
    query: str,
    now: datetime,
    released: Released,
    which: Filter = EVERY,
    given: Mapping[str, str] = MappingProxyType({}),
) -> Asked:
    """Read a query.

    Args:
        query: As written; what is past 100,000 characters is not read.
        now: For words such as "last week".
        released: For words such as "before 0.3"; asked only for them.
        which: Filters that are given beside it; those in the query narrow them.
        given: More of them, by the names that they have in a query.

    Raises:
        InputError: A value in ``given`` is not understood. In the query that is no error.
    """
    options = _Options(which, now.date(), released)
    for name, value in given.items():
        if not options.takes(name, value):
            raise InputError(f"{name} is {value!r}", remedy=_FORMS[name])
    text = query[:_LONGEST]
    left = _OPTION.sub(options.take, text)
    text = left.strip() if options.taken else text
    period = None
    if options.which.since is None and options.which.until is None:
        found = time_asked(text, now, released)
        if found is not None:
            period = Period(found.start, found.end)
    return Asked(
        text=text,
        which=options.which,
        order=options.order,
        period=period,
        ignored=tuple(options.ignored),
    )


@dataclass(slots=True)
class _Options:
    """Filters, as they are found in a query."""

    which: Filter
    today: date
    released: Released
    order: str = "relevance"
    taken: bool = False
    ignored: list[str] = field(default_factory=list)

    def take(self, found: re.Match[str]) -> str:
        """Take a filter; the empty string, or what was written if it is none."""
        name, value = found[1].lower(), found[2].strip('"').strip()
        known = self.takes(name, value)
        self.taken |= known
        if not known:
            self.ignored.append(found[0])
        return "" if known else found[0]

    def takes(self, name: str, value: str) -> bool:
        """Whether ``value`` is one for the filter ``name``, which then holds."""
        return self._take_days(name, value) if name in _DAYS else self._take_word(name, value)

    def _take_days(self, name: str, value: str) -> bool:
        period = parse_period(value, self.today) or self._release(name, value)
        if period is None:
            return False
        start, end = _DAYS[name](period)
        if start is None and end is None:
            return False
        latest = max((day for day in (self.which.since, start) if day), default=None)
        earliest = min((day for day in (self.which.until, end) if day), default=None)
        self.which = replace(self.which, since=latest, until=earliest)
        return True

    def _release(self, name: str, value: str) -> Period | None:
        relation = {"on": "in", "until": "before", "after": "since"}.get(name, name)
        for reference in references_in(f"{relation} {value}"):
            return self.released(reference)
        return None

    def _take_word(self, name: str, value: str) -> bool:
        try:
            match name:
                case "kind" | "type":
                    kinds = tuple(parse_kind(kind) for kind in value.split(","))
                    self.which = replace(self.which, kinds=kinds)
                case "status":
                    self.which = replace(self.which, status=Status(value.lower()))
                case "tag":
                    tags = tuple(tag.lstrip("#") for tag in value.split(",") if tag.strip("#"))
                    self.which = replace(self.which, tags=tags)
                    return bool(tags)
                case "id":
                    ids = tuple(one.strip("^[] ") for one in value.split(",") if one.strip("^[] "))
                    self.which = replace(self.which, ids=ids)
                    return bool(ids)
                case "section":
                    self.which = replace(self.which, section=value)
                case _:
                    self.order = value.lower() if value.lower() in ORDERS else self.order
                    return value.lower() in ORDERS
        except (InputError, ValueError):
            return False
        return bool(value)


def _before(period: Period) -> tuple[date | None, date | None]:
    """Before its first day; of what has none, as "before 0.3" has, up to its last."""
    first = period.start
    return None, first - timedelta(days=1) if first and first > date.min else period.end


_DAYS: dict[str, Callable[[Period], tuple[date | None, date | None]]] = {
    "since": lambda period: (period.start, None),
    "after": lambda period: (period.start, None),
    "until": lambda period: (None, period.end),
    "before": _before,
    "on": lambda period: (period.start, period.end),
}
"""Name of a filter → the days from and to which entries pass."""
