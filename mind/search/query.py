"""Query parsing: words, filters, and the time they refer to.

``kind:decision since:"last week"`` are filters. Text that only looks like a filter is searched as
words, so a query never causes a parse error.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from mind.domain.entry import Kind, Status, iso_day, parse_kind
from mind.domain.errors import InputError
from mind.domain.settings import Settings
from mind.storage.index import EVERY, Filter
from mind.text import LANGUAGES, lazy_pattern
from mind.text.dates.lexicon import may_name_a_time
from mind.text.dates.periods import Period
from mind.text.terms import telling

if TYPE_CHECKING:
    from mind.text.dates.asked import Reference

Released = Callable[["Reference"], Period | None]
"""Period of a release; None if there is no release of that name."""

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
"""Filters allowed beside a query → their format."""
_LONGEST = 100_000
"""Characters of a query that are read."""
_MOST = 50
"""Most filters per query, and most values per filter."""
_OPTION = lazy_pattern(
    r"(?<!\S)(kind|type|since|after|until|before|on|tag|status|section|order|id|language|lang|project):"
    r'("[^"\n]*"(?!\S)|“[^”\n]*”(?!\S)|\'[^\'\n]*\'(?!\S)|\S+)',
    re.IGNORECASE,
)
_SAME = {"type": "kind", "language": "lang"}
"""Alias of a filter → its name."""
_QUOTES = "\"“”'"
_NEXT_WORD = lazy_pattern(r"[ \t]+(?![a-zA-Z]+:)(\S+)")
_MOST_WORDS = 4
"""Most words of an unquoted time, as in since:last week."""
_ID = lazy_pattern(r"[\w-]+")
_ISO = lazy_pattern(r"\d{4}-\d{2}-\d{2}")
_ASKING = frozenset(
    """anything change changed changes decide decided did discuss discussed do done entries
    everything go happen happened happening happens learn learned learnt logged made make new news
    note noted noted notes record recorded remember said say something stuff things went work worked
    working write written wrote
    aprendimos decidimos hicimos hizo pasó qué ha haben hast wir was wurde getan gemacht entschieden
    passiert gelernt avons nous fait décidé passé appris qu quoi""".split()
)
"""Words that ask about a period in general and match no entry."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedQuery:
    """A query, parsed into words and filters.

    Attributes:
        text: Text to search; "" if the query has only filters.
        about: The text without its date expressions, if it has any.
        which: Filter on the entries.
        order: "relevance", "newest" or "oldest".
        period: Period named by the words ("last week"); entries from it are preferred.
        projects: Names of the projects to search; empty: this project.
        ignored: Text that looks like a filter but is not one, searched as words.
        today: Date of the query, used to find stale entries; None skips that.
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
        """The active filters in query syntax; "" if there are none."""
        return " ".join(f"{name}:{value}" for name, value in self.filters.items())

    @property
    def filters(self) -> dict[str, str]:
        """The active filters by name, values in query syntax, including muted tags."""
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
    """Parse a query.

    Args:
        query: As written; text after 100,000 characters is ignored.
        now: Reference time for "last week" and the like.
        released: Looks up releases for "before 0.3" and the like; called only for these.
        which: Filters given separately. Days in the query narrow them; kinds, tags, ids and
            languages in the query replace them.
        given: More filters, by their names in a query.

    Raises:
        InputError: A value in ``given`` is invalid. In the query itself that is no error.
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


def of_kind(asked: ParsedQuery, settings: Settings) -> ParsedQuery:
    """``asked``; if its words only name a kind ("open problems"), the filter that they mean."""
    from mind.documents.parser import lexicon  # noqa: PLC0415 - words of nine languages

    words = " ".join(telling(asked.text))
    kind = lexicon.lexicon(settings).label(words)
    if kind is None or asked.which.kinds:
        return asked
    state = lexicon.state_of(words)
    status = Status(state) if kind.traits.has_status and state in set(Status) else None
    which = replace(asked.which, kinds=(kind,), status=asked.which.status or status)
    return replace(asked, text="", about="", which=which)


def without(asked: ParsedQuery, muted: Sequence[str]) -> ParsedQuery:
    """``asked`` without entries that have muted tags, except tags that it names."""
    if not muted or asked.which.ids:
        return asked
    named = {tag.casefold() for tag in asked.which.tags}
    left = tuple(tag for tag in muted if tag not in named)
    return replace(asked, which=replace(asked.which, muted=left))


def as_id(text: str) -> str:
    """The id in ``text``, without the syntax of a file: ^id or [[id]]."""
    return text.strip("^[] \t\r\n")


@dataclass(slots=True)
class _Options:
    """Filters found in a query."""

    which: Filter
    today: date
    released: Released
    order: str = "relevance"
    taken: list[str] = field(default_factory=list)
    projects: list[str] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)

    def cut(self, query: str) -> str:
        """Remove the filters from ``query``; text that is not a filter stays."""
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
        """Apply ``value`` to the filter ``name``; False if it is not valid for it."""
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
        self.which = self.which.within(latest, earliest, self.today)
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
        """Match any of several kinds, tags and so on, given in one filter or in several."""
        of, read = _SEVERAL[name]
        found = [read(one.strip()) for one in value.split(",")]
        if len(found) > _MOST or not all(found):
            return False
        so_far = getattr(self.which, of) if name in self.taken else ()
        changed: dict[str, Any] = {of: tuple(dict.fromkeys((*so_far, *found)))}
        self.which = replace(self.which, **changed)
        return True


def _kind(name: str) -> Kind:
    try:
        return parse_kind(name)
    except InputError:
        return parse_kind(name.lower().removesuffix("s"))


def _id(text: str) -> str:
    plain = as_id(text)
    return plain if _ID.fullmatch(plain) else ""


_SEVERAL: dict[str, tuple[str, Callable[[str], str]]] = {
    "kind": ("kinds", _kind),
    "tag": ("tags", lambda text: text.lstrip("#")),
    "id": ("ids", _id),
    "lang": ("languages", lambda text: text.lower() if text.lower() in LANGUAGES else ""),
}
"""Filter name → attribute of the filter, and how one of its values is read; "" if it is none."""


def day_named(text: str) -> date | None:
    """The day in ISO form; None if it is not a calendar day."""
    return iso_day(text) if _ISO.fullmatch(text) else None


def _ends(query: str, found: re.Match[str]) -> Iterator[int]:
    """Possible ends of a filter's value, furthest first."""
    ends = [found.end()]
    if found[1].lower() in _DAYS and found[2][-1] not in _QUOTES:
        while len(ends) < _MOST_WORDS and (word := _NEXT_WORD.match(query, ends[-1])):
            ends.append(word.end())
    return reversed(ends)


def _before(period: Period) -> tuple[date | None, date | None]:
    """Days before the period; up to its last day if it has no first, as in "before 0.3"."""
    first = period.start
    return None, first - timedelta(days=1) if first and first > date.min else period.end


def _after(period: Period) -> tuple[date | None, date | None]:
    """Days after the period; from its first day if it has no last, as in "since 0.3"."""
    last = period.end
    return last + timedelta(days=1) if last and last < date.max else period.start, None


_DAYS: dict[str, Callable[[Period], tuple[date | None, date | None]]] = {
    "since": lambda period: (period.start, None),
    "after": _after,
    "until": lambda period: (None, period.end),
    "before": _before,
    "on": lambda period: (period.start, period.end),
}
"""Filter name → first and last day of the entries that pass."""
