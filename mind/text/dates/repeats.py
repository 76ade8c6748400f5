"""Recurring times ("every monday", "every day at 9"), and times in the text of a reminder.

Recurring times fall on certain days, or are counted from the day they were set. Word meanings show
whether a text may contain a time: a reminder with a time that Mind cannot parse is refused rather
than deferred to the next session.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import reduce
from operator import or_

from mind.text import lazy_pattern
from mind.text.dates.days import fold
from mind.text.dates.lexicon import (
    EASTERN,
    ENGLISH,
    EVERY,
    LANGUAGES,
    DateText,
    DateToken,
    Unclear,
    tokens,
)
from mind.text.dates.moments import (
    END_OF_DAY,
    LATE,
    MORNING,
    Clock,
    bare,
    common,
    folded_with_clocks,
    has_a_clock,
    has_an_idiom,
    in_digits,
    is_link,
    languages_of,
    months_of,
    wall,
    without_clock,
)
from mind.text.dates.periods import months_later
from mind.text.dates.points import count, duration, unit_name
from mind.text.dates.ranges import dated, whole_of_edge

_FILE_OR_HOST = re.compile(
    r"(?<![\w./@-])(?:[\w/@-]++\.)+"
    r"(?:com|org|net|io|dev|app|ai|md|txt|csv|json|log|py|js|ts|ya?ml|toml|html|pdf|sh|sql)"
    r"(?!\w)(?:/[\w./-]*+)?",
    re.ASCII,
)
"""A name such as monday.com or march.csv, whose parts are no times."""


def names_a_time(text: str) -> bool:
    """Return whether ``text`` may contain a time, ambiguous or not."""
    text = _FILE_OR_HOST.sub("-", text)
    plain = folded_with_clocks(text) or fold(text)
    if has_an_idiom(plain):
        return True
    read = DateText(tokens(plain), date.min, ahead=True)
    return _has_a_time(plain, read) or any(_hints_at_one(read, at) for at in _places(read))


def is_sure(text: str) -> bool:
    """Return whether ``text`` is certainly a time: not "3 days", "the 5th" or "sat"."""
    plain = folded_with_clocks(text)
    read = tokens(plain)
    if not read:  # an unsupported idiom, or too long
        return False
    counted = "ahead" in read[0].means or "hence" in read[-1].means
    return (counted or duration(read) is None) and _has_a_time(
        plain, DateText(read, date.min, ahead=True)
    )


def is_joined(text: str, when: str, at: int) -> bool:
    """Return whether the word next to a time belongs to it: "every second" friday.

    So does a word of another clause that refers to the time: "on friday it expires, by then renew
    it".

    Args:
        text: The text without the time.
        when: The time.
        at: 0 for its first word, -1 for its last.
    """
    plain = folded_with_clocks(text) or fold(text)
    read, langs = tokens(plain), common(tokens(fold(when)))  # the clocks of all are English
    langs |= EASTERN if langs & EASTERN else 0  # they share words
    is_particle = at == 0 and _CASE_PARTICLE.match(text)
    is_cut = _is_cut(*((when, text) if at == 0 else (text, when)))
    if not read or is_particle or is_cut or _refers_back(plain, read):
        return bool(read)
    is_closed = at == 0 and "then_in" in tokens(fold(when))[-1].means  # 金曜日に
    if at == 0 and not is_closed:
        whole = DateText(tokens(f"{when} {text}"), date.min)
        if any(_describes(whole, place) for place in _places(whole)):
            return True
    token = read[at]
    beside = plain[token.end :][:1] if at == 0 else plain[: token.start][-1:]
    if is_closed or (beside and beside in "-/#@"):  # 3rd-party, #17
        return False
    if token.number is not None:
        is_year = _YEARS[0] <= token.number < _YEARS[1]
        return token.nth or (at == 0 and (token.number <= _LAST_DAY or is_year))
    known = {kind: one for kind, one in token.means.items() if kind != "refers"}
    said = {kind: one.value for kind, one in known.items() if one.langs & langs}
    if said and not languages_of(token) & ~EASTERN:
        return not said.keys() <= {"in", "onwards"} and said.get("number") != 1
    return bool(said) and (_follows if at == 0 else _leads)(said, read, when)


def _is_cut(first: str, second: str) -> bool:
    """Return whether a word or phrase is cut in two: 来週|末, "fino | a lunedì"."""
    end = len(fold(first))
    joint = "" if _UNSPACED.search(first[-1:] + second[:1]) else " "
    whole = tokens(fold(f"{first}{joint}{second}"))
    return any(one.start < end < one.end for one in whole)


def _refers_back(plain: str, read: Sequence[DateToken]) -> bool:
    """Return whether a clause after the first refers to a time named before: ", by then …"."""
    clause = _CLAUSE.search(plain)
    start = clause.end() if clause else len(plain)
    return any("refers" in one.means and one.start >= start for one in read)


def _follows(said: Mapping[str, object], read: Sequence[DateToken], when: str) -> bool:
    """Return whether a word after a time belongs to it: from monday "on", tomorrow "at" 3."""
    first = tokens(folded_with_clocks(when))[0]
    if "onwards" in said and first.means.keys() & {"from", "since"}:
        return True
    if said.get("number") == 1:
        return False
    text = DateText(read, date.min)
    at = text.skip(1, "the")
    counted = text.first(at, "number", "nth", "fraction", "half", "few")
    is_counted = text.number(at) is not None or (counted is not None and counted.value != 1)
    return is_counted or not said.keys() & _LOOSE


def _leads(said: Mapping[str, object], read: Sequence[DateToken], _when: str) -> bool:
    """Return whether a word before a time belongs to it; an English text can end in "log in"."""
    can_end = said.keys() & _PARTICLES and "until" not in said
    return not (can_end and languages_of(read[-1]) & ENGLISH)


def takes_along(when: str, at: int) -> bool:
    """Return whether the removed time includes a word of the text: "tomorrow the".

    Args:
        when: The time.
        at: 0 if it was the beginning of the text, -1 if it was the end.
    """
    read = tokens(folded_with_clocks(when))
    if not read:
        return False
    if at == 0:
        return is_link(read[-1])
    if "of" in read[0].means or len(read) == 1 or not _is_preposition(read[0]):
        return "of" in read[0].means
    behind = tokens(read[1].text.split()[0])[0]  # on "at noon"
    today = "in" in read[0].means and bool(read[1].means.keys() & {"day", "weak"})
    return today or _is_preposition(behind) or "at" in behind.means


def _is_preposition(token: DateToken) -> bool:
    return is_link(token) and "the" not in token.means and token.text != ","


_CLAUSE = re.compile("[,;，、；]")
_UNSPACED = lazy_pattern(r"[\u3040-\u30ff\u3400-\u9fff]")
_CASE_PARTICLE = re.compile(r"[がをへとでも](?![ぁ-ん])")
"""A Japanese particle, which belongs to the word before it; in もう it is part of a word."""
_LAST_DAY = 31
_YEARS = 1900, 2200
"""A number between them behind a time may be its year: "29 February 2027"."""
_SLASHED = 3
"""Tokens of 03/04."""
_LOOSE = {"in", "the", "of", "to", "for", "onwards", "limits"}
"""Words next to a time that are not part of it: "tomorrow in the office"."""
_PARTICLES = {"in", "to", "onwards"}
"""Words that can end an English text."""


def _places(text: DateText) -> range:
    return range(len(text.tokens))


def _has_a_time(plain: str, read: DateText) -> bool:
    if has_a_clock(plain):
        return True
    return any(_begins_a_time(read, at) for at in _places(read))


def _begins_a_time(text: DateText, at: int) -> bool:
    if _is_day(text, at) or _is_date(text, at):
        return True
    if _leads_to_a_unit(text, at):
        return not _describes(text, at)
    return text.says(at, "unit") is not None and text.says(at + 1, "rel", ~ENGLISH) is not None


def _is_day(text: DateText, at: int) -> bool:
    token, weak = text.tokens[at], text.says(at, "weak")
    if token.means.keys() & {"part", "weekday"}:
        return not _describes(text, at)
    if (weak and weak.value == 1) or text.says(at, "weak_weekday", ~ENGLISH):
        return True
    return token.shape == "day" or "day" in token.means or in_digits(text, at) is not None


def _is_date(text: DateText, at: int) -> bool:
    """A month with a number, "next" or "in", or a number with a day suffix."""
    number = text.number(at) is not None
    behind = text.skip(at + 1 + text.is_sign(at + 1, ".", "-"), "of", "the")
    counted = number or text.first(at, "number", "fraction", "edge", "nth")
    if counted and text.first(behind, "month", "short_month"):
        return True
    month = text.says(at + 1, "month")
    if month and (text.says(at, "in_month", month.langs) or text.says(at, "rel")):
        return True
    if number and text.says(at + 1, "day_sign", ~EASTERN):
        return True
    return bool(text.first(at, "month", "short_month") and text.number(at + 1))


def _describes(text: DateText, at: int) -> bool:
    """Return whether a time modifies the following noun: "the friday report"."""
    near = range(max(at - 2, 0), min(at + 3, len(text.tokens)))
    same = [place for place in near if text.tokens[place].start == text.tokens[at].start]
    named = any(text.first(place, "part", "weekday", "every") for place in same)
    if not named or same[0] == 0 or not text.says(same[0] - 1, "the", ENGLISH):
        return False
    before = text.tokens[max(same[0] - 2, 0) : same[0] - 1]
    behind = text.tokens[same[-1] + 1 : same[-1] + 2]
    return not any(languages_of(one) & ENGLISH for one in before) and any(
        one.text.isalpha() and not languages_of(one) & ENGLISH for one in behind
    )


_COUNTING = {"number", "fraction", "plus_half", "few", "half", "nth", "other"}
_RELATING = {"rel", "past", "every", "edge"}


def _leads_to_a_unit(text: DateText, at: int) -> bool:
    """Return whether counting or relative words precede a unit: "every other day"."""
    end, langs, related = at, EVERY, False
    for token in text.tokens[at:]:
        passed = {"of", "the"} if related else set()
        said = [token.means[kind] for kind in token.means.keys() & (_COUNTING | _RELATING | passed)]
        if not said and "ahead" in token.means and "in" not in token.means:  # через час
            said = [token.means["ahead"]]
        if not said and token.number is None and token.shape != "junk":
            break
        langs &= reduce(or_, (one.langs for one in said)) if said else EVERY
        related = related or bool(token.means.keys() & _RELATING)
        end += 1
    if end == at or not langs:
        return False
    if text.says(end, "unit", langs):
        return related or unit_name(text, end, langs) is not None
    counted = text.tokens[end - 1].number is not None
    return unit_name(text, end, langs) is not None and (counted or not text.says(end, "short_unit"))


def _hints_at_one(text: DateText, at: int) -> bool:
    """Return whether words at ``at`` may be part of a time that cannot be parsed."""
    if text.says(at, "unit"):  # the week after next
        return text.first(at + 1, "after", "before", "hence") is not None
    rules = (
        _is_day_number, _is_day_and_month, _is_signed_date, _is_hour, _is_short_clock, _is_related,
        _is_and_a_half, _is_event,
    )  # fmt: skip
    return any(rule(text, at) for rule in rules)


def _is_day_and_month(text: DateText, at: int) -> bool:
    """On 03/04, am 3.12; without a preposition, only at the start or end of a text."""
    written = _glued(text, at)
    article = text.first(at - 1, "the") if at else None
    lead = at - 2 if article and at > 1 else at - 1
    before = text.first(lead, "in", "by", "since", "until", "before", "after") if at else None
    if before and not before.langs & ENGLISH and before.langs & LANGUAGES["de"]:
        written = written.replace(".", "/")
    named = article is not None and bool(article.langs & ~ENGLISH)
    placed = before or named or at == 0 or at + _SLASHED == len(text.tokens)
    shape = r"\d\d?/\d\d?|\d\d-\d\d" if before else r"\d\d?/\d\d?"
    return bool(placed) and re.fullmatch(shape, written) is not None


def _is_signed_date(text: DateText, at: int) -> bool:
    """十二月三号: the sign of a month and, one or two numbers later, that of a day."""
    is_month = text.says(at, "month_sign") is not None
    return is_month and any(text.says(place, "day_sign") for place in (at + 2, at + 3))


def _glued(text: DateText, at: int) -> str:
    """A token with the text attached after it; "" if text is attached before it."""
    if at and text.tokens[at - 1].end == text.tokens[at].start:
        return ""
    end = at + 1
    while end < len(text.tokens) and text.tokens[end - 1].end == text.tokens[end].start:
        end += 1
    return "".join(token.text for token in text.tokens[at:end]).rstrip(".,:!?")


def _is_event(text: DateText, at: int) -> bool:
    """After lunch, at the next deploy: an event without a date at the start of a text."""
    if at or not text.tokens:
        return False
    later = (text.says(behind, "rel") for behind in (1, 2))
    comes = text.first(0, "in", "by", "at") and any(one and one.value == 1 for one in later)
    return bool(comes) or text.first(0, "before", "after") is not None


def _is_and_a_half(text: DateText, at: int) -> bool:
    """One and a half, un mois et demi."""
    counted = at and (text.number(at - 1) is not None or text.first(at - 1, "number", "unit"))
    return bool(counted) and text.says(at, "plus_half") is not None


def _is_day_number(text: DateText, at: int) -> bool:
    """On the 5th, am 22."""
    behind = text.skip(at + 1, "the")
    number = text.number(behind)
    if not text.says(at, "in") or number is None or number > _LAST_DAY:
        return False
    german = text.says(at, "in", LANGUAGES["de"]) and text.is_sign(behind + 1, ".")
    return text.tokens[behind].nth or behind + 1 == len(text.tokens) or german is True


def _is_hour(text: DateText, at: int) -> bool:
    """At five, unless a countable noun follows."""
    clock, hour = text.says(at, "at"), text.number(at + 1)
    if clock is None or at + 1 == len(text.tokens):
        return False
    said = text.says(at + 1, "number", clock.langs)
    hour = int(said.value) if said else hour
    if at + 2 == len(text.tokens) or text.tokens[at + 1].shape == "junk":
        return hour is not None or text.tokens[at + 1].shape == "junk"
    behind = text.tokens[at + 2]
    ends = at == 0 or bool(behind.means) or not behind.text.isalpha()
    return said is not None and hour != 1 and ends


def _is_short_clock(text: DateText, at: int) -> bool:
    """Around 16h, las 9h30, or 14h at an end; not "to 12h", which is a duration."""
    if re.fullmatch(r"(?:1?\d|2[0-3])h(?:[0-5]\d)?", _glued(text, at)) is None:
        return False
    before = text.tokens[at - 1].means.keys() if at else set()
    if before & {"alters", "at", "the"}:
        return True
    is_last = text.tokens[at].end + 1 >= text.tokens[-1].end
    return (at == 0 or is_last) and not before & {"to", "from", "for", "of"}


_TIMELY = ("every", "edge", "ahead", "before", "after", "until", "since", "by")
_NEAR = 4
"""Words allowed between a relation and its unit, plus one other."""


def _is_related(text: DateText, at: int) -> bool:
    """Every tenth day, before the month ends, in three quarters of an hour."""
    found = text.first(at, *_TIMELY)
    plain = text.says(at, "in") is not None  # "in days" is often not a time
    if found is None or (plain and text.says(at + 1, "number", found.langs) is None):
        return False
    if _describes(text, at):
        return False
    return any(text.says(at + away, "unit", found.langs) for away in range(1, _NEAR + 2))


_DAY = timedelta(days=1)
_EIGHT_YEARS = 9 * 366
"""Days within which everything recurs, also 29 February."""


@dataclass(frozen=True, slots=True)
class Rhythm:
    """A recurrence rule.

    Attributes:
        clock: The time of day.
        on: Whether it falls on a day (the first argument), if it was set on another (the second).
    """

    clock: Clock
    on: Callable[[date, date], bool]

    def next(self, start: datetime, since: datetime) -> datetime:
        """The first occurrence after ``since``; ``start`` is the time it was set.

        Raises:
            Unclear: There is none, as for 30 February.
        """
        for days in range(_EIGHT_YEARS):
            day = since.date() + timedelta(days=days)
            if self.on(day, start.date()) and (found := wall(day, self.clock, since)) > since:
                return found
        raise Unclear

    def latest(self, start: datetime, now: datetime) -> datetime | None:
        """The last occurrence up to ``now``; None before the first one after ``start``."""
        for days in range(min((now - start).days + 2, _EIGHT_YEARS)):
            day = now.date() - timedelta(days=days)
            found = wall(day, self.clock, now) if self.on(day, start.date()) else start
            if start < found <= now:
                return found
        return None


def rhythm(text: str) -> Rhythm | None:
    """Parse "every …"; None if ``text`` is not a recurring time, or ambiguous."""
    plain = folded_with_clocks(text)
    try:
        return _rhythm(*without_clock(plain)) if plain else None
    except (ValueError, OverflowError):
        return None


def upcoming(text: str, now: datetime) -> datetime | None:
    """Return the next time of "every …", if set now; None if ``text`` is no such time."""
    rule = rhythm(text)
    try:
        return rule.next(now, now) if rule else None
    except (ValueError, OverflowError):
        return None


def _rhythm(read: list[DateToken], clock: Clock) -> Rhythm | None:
    at = next((at for at, one in enumerate(read) if "every" in one.means), None)
    if at is None:
        return None
    words = bare([one for one in read[at + 1 :] if "every" not in one.means])
    on: _Recurring = None
    if not words and not at and clock.at:  # every morning
        on = lambda _day, _start: True  # noqa: E731 - as the rules below
    elif words:
        on = _counted(words) if not at else None
        on = on or _recurring(bare(read[:at]), words)
    is_end = any("edge" in one.means or "rel" in one.means for one in words)
    default = END_OF_DAY if is_end else MORNING
    return Rhythm(Clock(clock.at or default, clock.zone), on) if on else None


_Recurring = Callable[[date, date], bool] | None
"""Predicate of a day and the day on which it was set; None if no rhythm is named."""
_DAYS = {"day": 1, "week": 7, "fortnight": 14}
_MONTHS = {"month": 1, "year": 12}


def _counted(words: list[DateToken]) -> _Recurring:
    """Each week, every two months: counted from the day it was set."""
    text = DateText(words, date.min)
    other = text.says(0, "other") is not None and len(words) > 1
    pieces = duration(words[1:] if other else words)
    if pieces is None and (unit := unit_name(text, int(other))) and len(words) == 1 + other:
        pieces = [(1, unit)]
    if pieces is None:
        return None
    (number, unit), *more = pieces
    count = int(number) * (1 + other)
    if unit == "workday" and count == 1:
        return lambda day, _start: day.weekday() < 5
    if more or number != count / (1 + other) or not count or unit not in _DAYS | _MONTHS:
        raise Unclear
    if unit in _DAYS:
        every = count * _DAYS[unit]
        return lambda day, start: (every == 1 or day > start) and (day - start).days % every == 0
    return lambda day, start: _is_months_later(day, start, count * _MONTHS[unit])


def _is_months_later(day: date, start: date, count: int) -> bool:
    away = (day.year - start.year) * 12 + day.month - start.month
    return away > 0 and away % count == 0 and months_later(start, away) == day


_LEAP_YEAR = date(2024, 1, 1)


def _recurring(before: list[DateToken], words: list[DateToken]) -> _Recurring:
    """Return the recurrence given by the words before "every" and after it."""
    text = DateText(words, _LEAP_YEAR, ahead=True)
    unit, behind = text.says(0, "unit"), before or bare(words[1:])
    if before and (len(words) != 1 or not unit or unit.value != "month"):
        return None
    if unit and behind and unit.value in _WITHIN:
        # every week on monday, the 1st of every month
        return _WITHIN[str(unit.value)](DateText(behind, _LEAP_YEAR, ahead=True), True)
    rules = (_weekly, _yearly, _end_of, _monthly)
    return next((found for rule in rules if (found := rule(text, False))), None)


def _weekly(text: DateText, _whole: bool) -> _Recurring:
    unit = text.says(0, "unit")
    if len(text.tokens) == 1 and unit and unit.value == "weekend":
        return lambda day, _start: day.weekday() == 5
    named = [text.first(at, "weekday", "weak_weekday") for at in range(0, len(text.tokens), 2)]
    apart = range(1, len(text.tokens), 2)
    if not all(named) or not all(text.is_sign(at, ",") or text.says(at, "and") for at in apart):
        return None
    numbers = {one.value for one in named if one}  # every monday, wednesday and friday
    if not numbers or len(apart) >= len(named):
        return None
    return lambda day, _start: day.weekday() in numbers


def _end_of(text: DateText, _whole: bool) -> _Recurring:
    """The end of the month, quarter or year."""
    end = len(text.tokens)
    edge = whole_of_edge(text, 0)
    if not edge or edge[0] != LATE or edge[1].next != end or not text.says(end - 1, "unit"):
        return None
    size = months_of(edge[1])
    if (edge[1].end - edge[1].start).days < 27:  # a week has no last day of a month
        return None
    return lambda day, _start: (day + _DAY).day == 1 and day.month % size == 0


def _monthly(text: DateText, whole: bool) -> _Recurring:
    """The 5th, or the first or last day of the month."""
    first, last, unit = text.says(0, "nth"), text.says(0, "rel"), text.says(1, "unit")
    sign = text.says(1, "day_sign") is not None
    at = 1 + (sign or (unit is not None and unit.value == "day"))
    behind = text.skip(at, "of", "in", "the")
    month = text.says(behind, "unit")
    if month and month.value == "month" and behind > 1:
        at, whole = behind + 1, True
    if at != len(text.tokens):
        return None
    if whole and last and last.value == -1:
        return lambda day, _start: (day + _DAY).day == 1
    number = count(text, 0) if sign or text.tokens[0].nth else None
    number = 1 if whole and first and first.value == 1 else number
    return None if number not in range(1, 32) else lambda day, _start: day.day == number


def _yearly(text: DateText, _whole: bool) -> _Recurring:
    day = dated(text, 0)
    if day is None or not day.yearless or day.next != len(text.tokens):
        return None
    named = day.start.month, day.start.day
    return lambda day, _start: (day.month, day.day) == named


_WITHIN = {"day": _monthly, "week": _weekly, "month": _monthly, "year": _yearly}
