"""The parsed query: words, filters written among them, and the time they speak of.

``kind:decision since:"last week"`` are filters. Whatever looks like one and is none stays what it
is, words: nothing in a query can be wrong.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING

from mind.domain.entry import Kind, Status, parse_kind
from mind.domain.errors import InputError
from mind.storage.index import EVERY, Filter
from mind.text.dates.lexicon import may_name_a_time
from mind.text.dates.periods import Period
from mind.text.language import LANGUAGES
from mind.text.terms import telling

if TYPE_CHECKING:
    from mind.text.dates.asked import Reference

Released = Callable[["Reference"], Period | None]
"""The days that are meant by a release; None if there is none of that name."""

ORDERS = ("relevance", "newest", "oldest")
_WHEN = 'Use a date or a period: "2026-03-01", "last week", "in March", a release such as "v1.2".'
_FORMS = {
    "since": _WHEN,
    "until": _WHEN,
    "tag": "Use the tag without its hash.",
    "status": f"Use one of: {', '.join(Status)}.",
    "order": f"Use one of: {', '.join(ORDERS)}.",
    "project": "Use a project's name or git remote, as `mind projects` lists them.",
    "lang": f"Use one or more of: {', '.join(LANGUAGES)}.",
}
"""Filters that may be given beside a query → what they look like."""
_LONGEST = 100_000
"""Characters that are read of a query."""
_MOST = 50
"""Filters of a query that are read, and values of one."""
_OPTION = re.compile(
    r"(?<!\S)(kind|type|since|after|until|before|on|tag|status|section|order|id|language|lang|project):"
    r'("[^"\n]*"(?!\S)|“[^”\n]*”(?!\S)|\'[^\'\n]*\'(?!\S)|\S+)',
    re.IGNORECASE,
)
_SAME = {"type": "kind", "language": "lang"}
"""Another name of a filter → its name."""
_QUOTES = "\"“”'"
_NEXT_WORD = re.compile(r"[ \t]+(?![a-zA-Z]+:)(\S+)")
_MOST_WORDS = 4
"""Of a time that stands without quotes, as a shell leaves it: since:last week."""
_ID = re.compile(r"[\w-]+")
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}")
_ASKING = frozenset(
    """anything change changed changes decide decided did discuss discussed do done entries
    everything go happen happened happening happens learn learned learnt logged made make new news
    note noted noted notes record recorded remember said say something stuff things went work worked
    working write written wrote
    aprendimos decidimos hicimos hizo pasó qué ha haben hast wir was wurde getan gemacht entschieden
    passiert gelernt avons nous fait décidé passé appris qu quoi""".split()
)
"""Words that ask what there is of a time, and tell nothing that an entry could have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedQuery:
    """A query, parsed into words and filters.

    Attributes:
        text: What is left to compare: "" if it consists of filters.
        about: That without the words for a time, where there are some.
        which: Only these entries.
        order: "relevance", "newest" or "oldest".
        period: The time that the words speak of ("last week"); entries of then are preferred.
        projects: Names of the memories to search; this one, if there are none.
        ignored: What looks like a filter and is none, and was compared as words.
        today: The day on which it is asked, which tells what is stale; None tells nothing.
    """

    text: str
    about: str = ""
    which: Filter = EVERY
    order: str = "relevance"
    period: Period | None = None
    projects: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    today: date | None = field(default=None, compare=False)

    @property
    def narrowed(self) -> str:
        """The filters that hold, as they stand in a query; "" if there are none."""
        return " ".join(f"{name}:{value}" for name, value in self.filters.items())

    @property
    def filters(self) -> dict[str, str]:
        """The filters that hold, by name, as they stand in a query; and the tags that are muted."""
        of, period = self.which, self.period or Period(None, None)
        held = (
            ("kind", ",".join(of.kinds)),
            ("since", of.since or period.start),
            ("until", of.until or period.end),
            ("tag", ",".join(of.tags)),
            ("status", of.status),
            ("section", of.section),
            ("id", ",".join(of.ids)),
            ("muted", ",".join(of.muted)),
            ("lang", ",".join(of.languages)),
            ("project", ",".join(self.projects)),
        )
        return {name: str(value) for name, value in held if value}


def parse(
    query: str,
    now: datetime,
    released: Released,
    which: Filter = EVERY,
    given: Mapping[str, str] = MappingProxyType({}),
) -> ParsedQuery:
    """Read a query.

    Args:
        query: As written; what is past 100,000 characters is not read.
        now: For words such as "last week".
        released: For words such as "before 0.3"; asked only for them.
        which: Filters that are given beside it. Days in the query narrow them; kinds, tags,
            ids and languages in the query count instead of them.
        given: More of them, by the names that they have in a query.

    Raises:
        InputError: A value in ``given`` is not understood. In the query that is no error.
    """
    options = _Options(which, now.date(), released)
    for name, value in given.items():
        if not options.takes(name, value):
            raise InputError(f"{name} is {value!r}", remedy=_FORMS[name])
    text, about, period = options.cut(query[:_LONGEST]), "", None
    dated = options.which.since is not None or options.which.until is not None
    if not dated and may_name_a_time(text):
        from mind.text.dates.asked import time_asked  # noqa: PLC0415 - words of nine languages

        found = time_asked(text, now, released)
        if found is not None:
            period, about = Period(found.start, found.end), found.rest
            if all(word.casefold() in _ASKING for word in telling(about)):
                text = about = ""
    return ParsedQuery(
        text=text if text.strip() else "",
        about=about,
        which=options.which,
        order=options.order,
        period=period,
        projects=tuple(dict.fromkeys(options.projects)),
        ignored=tuple(options.ignored),
        today=now.date(),
    )


def without(asked: ParsedQuery, muted: Sequence[str]) -> ParsedQuery:
    """``asked`` without the entries of muted tags, but for those of tags that it names."""
    if not muted or asked.which.ids:
        return asked
    named = {tag.casefold() for tag in asked.which.tags}
    left = tuple(tag for tag in muted if tag not in named)
    return replace(asked, which=replace(asked.which, muted=left))


def as_id(text: str) -> str:
    """The id in ``text``, as it stands in a file: ^id or [[id]]."""
    return text.strip("^[] \t\r\n")


def as_tag(text: str) -> str:
    """A tag without its hash."""
    return text.strip().lstrip("#")


@dataclass(slots=True)
class _Options:
    """Filters, as they are found in a query."""

    which: Filter
    today: date
    released: Released
    order: str = "relevance"
    taken: list[str] = field(default_factory=list)
    projects: list[str] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)

    def cut(self, query: str) -> str:
        """Take the filters out of ``query``; what is none stays."""
        kept, at = [], 0
        for found in islice(_OPTION.finditer(query), _MOST):
            name = _SAME.get(found[1].lower(), found[1].lower())
            end = next((end for end in _ends(query, found) if self._is(name, found, end)), None)
            if end is None:
                self.ignored.append(found[0])
            else:
                kept.append(query[at : found.start()])
                at = end
                self.taken.append(name)
        return "".join((*kept, query[at:])).strip() if self.taken else query

    def _is(self, name: str, found: re.Match[str], end: int) -> bool:
        value = found.string[found.start(2) : end].strip(_QUOTES)
        return self.takes(name, value.strip())

    def takes(self, name: str, value: str) -> bool:
        """Return whether ``value`` is one for the filter ``name``, which then holds."""
        if not value:
            return False
        if name in _DAYS:
            return self._take_days(name, value)
        try:
            return self._take_word(name, value)
        except (InputError, ValueError):
            return False

    def _take_days(self, name: str, value: str) -> bool:
        day = day_named(value)
        period = Period(day, day) if day else self._release(name, value)
        if period is None:
            from mind.text.dates.asked import parse_period  # noqa: PLC0415 - the same

            period = parse_period(value, self.today)
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
        phrase = f"{relation} {value}"
        from mind.text.dates.asked import references_in  # noqa: PLC0415 - the same

        for reference in references_in(phrase):
            return self.released(reference) if reference.end == len(phrase) else None
        return None

    def _take_word(self, name: str, value: str) -> bool:
        match name:
            case "status":
                self.which = replace(self.which, status=Status(value.lower()))
            case "section":
                self.which = replace(self.which, section=value)
            case "order":
                if value.lower() not in ORDERS:
                    return False
                self.order = value.lower()
            case "project":
                self.projects += [one.strip() for one in value.split(",") if one.strip()]
            case _:
                return self._take_several(name, value)
        return True

    def _take_several(self, name: str, value: str) -> bool:
        """One of several kinds, tags and so on is enough, in one filter or in several."""
        values = value.split(",")
        if len(values) > _MOST:
            return False
        so_far = self.which if name in self.taken else EVERY
        if name == "kind":
            kinds = (*so_far.kinds, *map(_kind, values))
            self.which = replace(self.which, kinds=tuple(dict.fromkeys(kinds)))
            return True
        if name == "lang":
            return self._take_languages(so_far, values)
        found = [as_tag(one) if name == "tag" else as_id(one) for one in values]
        if not all(found if name == "tag" else map(_ID.fullmatch, found)):
            return False
        if name == "tag":
            self.which = replace(self.which, tags=(*so_far.tags, *found))
        else:
            self.which = replace(self.which, ids=(*so_far.ids, *found))
        return True

    def _take_languages(self, so_far: Filter, values: list[str]) -> bool:
        found = [one.strip().lower() for one in values]
        if not set(found) <= set(LANGUAGES):
            return False
        languages = (*so_far.languages, *found)
        self.which = replace(self.which, languages=tuple(dict.fromkeys(languages)))
        return True


def _kind(name: str) -> Kind:
    try:
        return parse_kind(name)
    except InputError:
        return parse_kind(name.strip().lower().removesuffix("s"))


def day_named(text: str) -> date | None:
    """Any day of the calendar, in ISO form; None if it is none."""
    try:
        return date.fromisoformat(text) if _ISO.fullmatch(text) else None
    except ValueError:
        return None


def _ends(query: str, found: re.Match[str]) -> Iterator[int]:
    """Return where the value of a filter may end, furthest first."""
    ends = [found.end()]
    if found[1].lower() in _DAYS and found[2][-1] not in _QUOTES:
        while len(ends) < _MOST_WORDS and (word := _NEXT_WORD.match(query, ends[-1])):
            ends.append(word.end())
    return reversed(ends)


def _before(period: Period) -> tuple[date | None, date | None]:
    """Before its first day; of what has none, as "before 0.3" has, up to its last."""
    first = period.start
    return None, first - timedelta(days=1) if first and first > date.min else period.end


def _after(period: Period) -> tuple[date | None, date | None]:
    """After its last day; of what has none, as "since 0.3" has, from its first."""
    last = period.end
    return last + timedelta(days=1) if last and last < date.max else period.start, None


_DAYS: dict[str, Callable[[Period], tuple[date | None, date | None]]] = {
    "since": lambda period: (period.start, None),
    "after": _after,
    "until": lambda period: (None, period.end),
    "before": _before,
    "on": lambda period: (period.start, period.end),
}
"""Name of a filter → the days from and to which entries pass."""
