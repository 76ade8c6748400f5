"""Time expressions in queries, relative to today and looking back: "last week", "in March".

:func:`parse_period` reads a whole phrase and is lenient; :func:`time_asked` finds only unambiguous
time expressions in a query: not "march through the list", "may fail" or "the last migration".

A week, month, quarter or year is a calendar one ("last week" is Monday to Sunday); "the last week",
"past week" and "the last 10 days" are counted back from today. A month, day or weekday without a
year or week is the most recent one.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal, NamedTuple

from mind.domain.errors import DateNotUnderstood
from mind.text import lazy_pattern
from mind.text.dates.lexicon import EASTERN, DateText, DateToken, tokens
from mind.text.dates.periods import Period, relative, weekday_name
from mind.text.dates.points import SOFT
from mind.text.dates.ranges import FoundPeriod, span

Relation = Literal["before", "after", "in", "since", "between"]

_RELATIONS: dict[str, Relation] = {
    "before": "before", "prior to": "before", "until": "before", "up to": "before",
    "antes de": "before", "antes del": "before", "vor": "before", "avant": "before",
    "до": "before", "перед": "before", "after": "after", "después de": "after",
    "nach": "after", "après": "after", "depois de": "after", "после": "after",
    "since": "since", "desde": "since", "seit": "since", "depuis": "since", "с": "since",
    "in": "in", "during": "in", "between": "between", "entre": "between", "zwischen": "between",
}  # fmt: skip
_BEHIND: dict[str, Relation] = {
    "之前": "before", "以前": "before", "前": "before", "より前": "before", "之后": "after",
    "以后": "after", "后": "after", "後": "after", "以降": "since", "以来": "since",
}  # fmt: skip
_ARTICLE = "the|la|el|der|dem|die|das|le|o|a"
_LABEL = "release|version|tag|versión|versão|версии|релиза"
_NUMBERS = r"\d{1,6}(?:\.\d{1,6}){0,3}(?:[-.]?(?:alpha|beta|rc|a|b|dev|pre)[-.]?\d{0,4})?"
_NAME = (
    rf"(?:(?:last|latest|previous) (?:release|version|tag)"
    rf"|(?:@?[a-z][\w/-]{{0,60}}[@/_-])?v?{_NUMBERS})"
)
_NO_MORE = r"(?![\w@%°]|\.\w|-\d| ?[%°])"
_WEST = lazy_pattern(
    rf"(?<![\w.-])(?P<relation>{'|'.join(sorted(_RELATIONS, key=len, reverse=True))})"
    rf"(?: (?:{_ARTICLE}))?(?: (?P<label>{_LABEL}))? (?P<name>{_NAME}){_NO_MORE}"
    rf"(?P<behind> (?:{_LABEL})\b)?"
    rf"(?P<both> (?:and|y|et|und|e)(?: (?:{_ARTICLE}))? (?P<other>{_NAME}){_NO_MORE}"
    rf"(?: (?:{_LABEL})\b)?)?",
    re.IGNORECASE,
)
_EAST = lazy_pattern(
    rf"(?<![\w.-])(?P<name>v?{_NUMBERS}) ?(?P<label>版本|版|リリース|バージョン)?の?"
    rf"(?P<relation>{'|'.join(sorted(_BEHIND, key=len, reverse=True))})[的の]?",
    re.IGNORECASE,
)
_IS_NUMBER = re.compile(r"\d+(?:-|$)")
_IS_DATE = re.compile(r"\d{1,2}\.\d{1,2}\.\d{4}|\d{4}\.\d{2}\.\d{2}")
_MEASURE = lazy_pattern(
    r" ?(?:ms|s|sec|seconds?|min|minutes?|h|hours?|days?|weeks?|months?|years?|px|em|rem|percent|"
    r"times|x|[kmgt]i?b|k|bytes?|points?|million|billion|fps|hz|volts?|seg|segundos?|"
    r"sekunden?|secondes?|секунд\w*)(?!\w)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference to a release, and its relation to the time asked for.

    Attributes:
        relation: Before, after or since it; in it; or between it and another.
        name: As written: "v1.2", "0.3", "last release".
        other: The second one of "between v1 and v2"; else "".
        start: Offset of the first character.
        end: Offset after the last character.
    """

    relation: Relation
    name: str
    other: str = ""
    start: int = 0
    end: int = 0


def references_in(text: str) -> Iterator[Reference]:
    """Yield the references to releases in a text.

    A number counts only with a dot, after "v" or next to "release", and not as a measure:
    "after 3 retries" and "in 1.5 seconds" do not. The releases need not exist.
    """
    for found in _WEST.finditer(text):
        relation = _RELATIONS[found["relation"].lower()]
        both = relation == "between"
        end = found.end() if both or not found["both"] else found.start("both")
        labelled = found["label"] or found["behind"]
        names = [found["name"], found["other"]] if both else [found["name"]]
        if all(_is_release(name, labelled) for name in names) and not _MEASURE.match(text, end):
            yield Reference(relation, names[0], "".join(names[1:]), found.start(), end)
    for found in _EAST.finditer(text):
        if _is_release(found["name"], found["label"]):
            relation = _BEHIND[found["relation"]]
            yield Reference(relation, found["name"], "", found.start(), found.end())


def _is_release(name: str | None, labelled: str | None) -> bool:
    if not name or _IS_DATE.fullmatch(name):
        return False
    return bool(labelled) or not _IS_NUMBER.match(name)


_LONGEST_QUERY = 4_000
_LONGEST_PHRASE = 120
_SURE = 2
_END = ("!", "?", ".", ",", ";")
_BEFORE_REST = " \t\r\n,;:?!、，。？"
_EMPTY = re.compile(r" ?\( \)")
"""Leftover when a time in brackets is removed."""
_QUOTES = "\"'“”„«»「」"

_AFTER_MAY = frozenset(
    "about after and at because before but did for from how i in is of on or our that the they to "
    "until was we were what when where which who why with you".split()
)
"""Words that may follow the month: "in may we", but not "the value passed in may overflow"."""
_COUNTED = re.compile(r"(?!(?:was|this|has|does|always|its)$)[a-z]{3,}s|ms|px|k?b")
_RELEASED = ("release", "version", "tag", "commit", "deploy", "deployment", "merge", "one")
_HABIT = frozenset("every each never always only any avoid don not no cron weekly schedule".split())
_NEGATIONS = frozenset(
    "not except excluding no excepto salvo nicht ausser sauf hormis nao exceto не кроме".split()
)
"""Words that negate a time, which a single range of days cannot express."""
_GLUED_BEFORE = frozenset("-_./\\@#$:`=+%&")
_GLUED_BEHIND = frozenset("-_/\\@`=(+%&")


class RequestedDays(NamedTuple):
    """The range of days that a query asks for.

    Attributes:
        start: The first day; None if unbounded.
        end: The last day, inclusive; None if unbounded.
        rest: The query without the time expression; "" if nothing else remains.
    """

    start: date | None
    end: date | None
    rest: str


class _Found(NamedTuple):
    period: Period
    start: int
    end: int


def parse_period(text: str, today: date) -> Period | None:
    """Parse all of ``text`` as a period; None if it is not one, or ambiguous.

    Args:
        text: In one of the nine languages in ``mind/data/dates``.
        today: The reference day.
    """
    phrase = " ".join(text[: 2 * _LONGEST_PHRASE].split())
    if len(phrase) > _LONGEST_PHRASE:
        return None
    read = tokens(phrase)
    while read and read[-1].text in _END and not read[-1].means:
        read.pop()
    found = span(DateText(read, today), 0, alone=True) if read else None
    return found.period if found and found.next == len(read) else None


def time_asked(
    query: str,
    now: datetime,
    released: Callable[[Reference], Period | None] = lambda _reference: None,
) -> RequestedDays | None:
    """Find the time that a query asks for; None if it has no unambiguous one.

    Several times are intersected ("after March before June"). If they have no common days, the
    query is ambiguous and keeps all its words. So does one about the future, of which there is no
    memory: "plan for next week". Only the first 4,000 characters are read.

    Args:
        query: The typed text, in one of the languages of :func:`parse_period`.
        now: Aware; days begin and end in its zone.
        released: Returns the days that a release reference stands for, or None if there is no such
            release, whose words then stay; called only if the query has a reference.
    """
    head = query[:_LONGEST_QUERY]
    named = [
        _Found(period, one.start, one.end)
        for one in references_in(head)
        if (period := released(one))
    ]
    found = [
        one
        for one in _periods(head, now.date())
        if not any(one.start < other.end and other.start < one.end for other in named)
        and not (one.period.start and one.period.start > now.date())
    ]
    every = sorted([*named, *found], key=lambda one: one.start)
    start = max((one.period.start for one in every if one.period.start), default=None)
    end = min((one.period.end for one in every if one.period.end), default=None)
    if not every or (start and end and start > end):
        return None
    return RequestedDays(start, end, _without(query, every))


def _without(query: str, found: list[_Found]) -> str:
    ends = [0, *(one.end for one in found)]
    starts = [*(one.start for one in found), len(query)]
    pieces = [
        query[end:start].lstrip(_BEFORE_REST).rstrip(_BEFORE_REST + ".")
        for end, start in zip(ends, starts, strict=True)
    ]
    return _EMPTY.sub("", " ".join(piece for piece in pieces if piece)).strip()


def _periods(query: str, today: date) -> Iterator[_Found]:
    text = DateText(tokens(query), today)
    at = 0
    while at < len(text.tokens):
        token = text.tokens[at]
        speaks = token.means or token.shape not in ("word", "junk")
        found = span(text, at, alone=False) if speaks else None
        if found and _is_meant(query, text, at, found):
            at = _behind(text, found.next)
            yield _Found(found.period, token.start, text.tokens[at - 1].end)
        else:
            at += 1


def _behind(text: DateText, at: int) -> int:
    """The position after a suffix of the words before it: last week's, 先週の."""
    if text.is_sign(at, "'") and text.is_sign(at + 1, "s"):
        return at + 2
    return at + text.is_sign(at, "の", "に", "的")


def _is_meant(query: str, text: DateText, at: int, found: FoundPeriod) -> bool:
    """Return whether the context confirms that it is a time."""
    last = text.tokens[found.next - 1]
    return (
        found.sure >= _SURE
        and not _is_denied(text, at)
        and _is_apart(query, text.tokens[at].start, last.end)
        and _is_alone(query, text, at, found.next)
    )


def _is_denied(text: DateText, at: int) -> bool:
    at -= at > 0 and text.says(at - 1, "the") is not None
    return at > 0 and text.tokens[at - 1].text in _NEGATIONS


def _is_apart(whole: str, start: int, end: int) -> bool:
    """Return whether ``start`` to ``end`` is not within a path, a name or code."""
    if start and whole[start - 1] in _GLUED_BEFORE:
        return False
    behind = whole[end : end + 2]
    if start and behind and whole[start - 1] in _QUOTES and behind[0] in _QUOTES:
        return False  # in quotes
    return behind[:1] not in _GLUED_BEHIND and not re.match(r"[.:]\w", behind)


def _is_alone(query: str, text: DateText, begin: int, end: int) -> bool:
    """Return whether no word next to the tokens from ``begin`` to ``end`` changes their meaning."""
    last = text.tokens[end - 1]
    follows = text.tokens[end].text if end < len(text.tokens) else ""
    before = text.number(begin - 1) if begin else None
    if "month" in text.tokens[begin].means and 0 < (before or 0) < 32:
        return False  # a day that does not exist: 30 February
    if last.text in SOFT and follows.isalpha() and follows not in _AFTER_MAY:
        return query[last.start].isupper()
    if last.text.endswith("last") and follows in _RELEASED:
        return False  # "the week before last release"
    if "weekday" in last.means and end - begin <= 2 and text.words & _HABIT:
        return False
    if last.shape == "number" and _COUNTED.fullmatch(follows):
        return _is_dated(query, text.tokens[max(begin, end - 2)], last)
    return not ("unit" in last.means and text.says(end, "of", ~EASTERN))


def _is_dated(query: str, before: DateToken, number: DateToken) -> bool:
    """Return whether the word before a number makes it a date, though a unit may follow.

    True for "Q1 2026 goals" and "November 3 notes", not for "in 2010 requests" or "may 2 workers".
    """
    if "month" in before.means or "short_month" in before.means:
        sure = "month" in before.means and before.text not in SOFT
        return sure or len(number.text) == 4 or query[before.start].isupper()
    return bool(before.means.keys() & {"quarter", "halves", "season", "weak_season", "unit"})


@dataclass(frozen=True, slots=True)
class RequestedTime:
    """The parsed time expression of a text.

    Attributes:
        text: As given.
        now: The reference time.
        period: The days, as a search reads it, possibly unbounded; None if there are none.
        moment: The moment, as a reminder reads it; None if there is none.
        recurs: The time recurs, and ``moment`` is the next one.
        day: Of the moment, or else the period's first or only known day.
        weekday: Of that day, in English.
        relative: Of the moment, or else of that day.
    """

    text: str
    now: datetime
    period: Period | None
    moment: datetime | None
    recurs: bool
    day: date
    weekday: str
    relative: str


def understand(
    text: str,
    now: datetime,
    released: Callable[[Reference], Period | None] = lambda _reference: None,
) -> RequestedTime:
    """Parse the time expression ``text``, relative to ``now``.

    "Friday" is the last one in a search and the next one for a reminder; both are returned. The
    moment of a recurring time is the next one.

    Args:
        text: In one of the supported languages.
        now: Aware; days begin and end in its zone.
        released: As for :func:`time_asked`.

    Raises:
        DateNotUnderstood: It is not a time Mind understands.
    """
    from mind.text.dates import moments  # noqa: PLC0415 - only needed here
    from mind.text.dates.repeats import upcoming  # noqa: PLC0415 - likewise

    period = parse_period(text, now.date())
    if period is None:
        asked = time_asked(text, now, released)
        period = Period(asked.start, asked.end) if asked and not asked.rest else None
    once = moments.moment(text, now)
    found = once or upcoming(text, now)
    if not (found or period):
        found = once = moments.in_further_languages(text, now)
    day = found or (period.start or period.end if period else None)
    if day is None:
        shown = text if len(text) <= 80 else f"{text[:80]}…"
        both = moments.ambiguity(text, now)
        raise DateNotUnderstood(
            f"{shown!r} {f'may mean {both}' if both else 'names no time that is understood'}",
            remedy=f'{DateNotUnderstood.default_remedy} Or "last week", "since Monday", "Q1 2026".',
        )
    return RequestedTime(
        text=text,
        now=now,
        period=period,
        moment=found,
        recurs=found is not once,
        day=found.date() if found else day,
        weekday=weekday_name(day),
        relative=relative(day, now),
    )
