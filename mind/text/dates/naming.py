"""Times that a text names somewhere, understood or not.

What names a time is told by the meanings of words: a reminder whose time is not understood is
refused, not put off to the next session.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import date
from functools import reduce
from operator import or_

from mind.text.dates.days import fold
from mind.text.dates.lexicon import EASTERN, ENGLISH, EVERY, LANGUAGES, Text, Token, tokens
from mind.text.dates.moments import (
    common,
    folded_with_clocks,
    has_a_clock,
    has_an_idiom,
    in_digits,
    is_link,
    languages_of,
)
from mind.text.dates.points import duration, unit_name


def names_a_time(text: str) -> bool:
    """Return whether something in ``text`` may be a time, clear or not."""
    plain = folded_with_clocks(text) or fold(text)
    if has_an_idiom(plain):
        return True
    read = Text(tokens(plain), date.min)
    return _has_a_time(plain, read) or any(_hints_at_one(read, at) for at in _places(read))


def is_sure(text: str) -> bool:
    """Return whether ``text`` is a time and nothing else: not "3 days", "the 5th" or "sat"."""
    plain = folded_with_clocks(text)
    read = tokens(plain)
    if not read:  # an idiom that is not understood, or too long
        return False
    counted = "ahead" in read[0].means or "hence" in read[-1].means
    return (counted or duration(read) is None) and _has_a_time(plain, Text(read, date.min))


def is_joined(text: str, when: str, at: int) -> bool:
    """Return whether the word of ``text`` beside a time belongs to that: "every second" friday.

    Args:
        text: What is left without the time.
        when: The time.
        at: 0 for its first word, -1 for its last.
    """
    plain = folded_with_clocks(text) or fold(text)
    read, langs = tokens(plain), common(tokens(fold(when)))  # the clocks of all are English
    langs |= EASTERN if langs & EASTERN else 0  # they share words
    if not read:
        return False
    if at == 0:
        whole = Text(tokens(f"{when} {text}"), date.min)
        if any(_describes(whole, place) for place in _places(whole)):
            return True
    token = read[at]
    beside = plain[token.end :][:1] if at == 0 else plain[: token.start][-1:]
    if beside and beside in "-/#@":  # 3rd-party, #17
        return False
    if token.number is not None:
        return token.nth or (at == 0 and token.number <= _LAST_DAY)
    said = {kind: one.value for kind, one in token.means.items() if one.langs & langs}
    if said and not languages_of(token) & ~EASTERN:
        return not said.keys() <= {"in", "onwards"} and said.get("number") != 1
    return bool(said) and (_follows if at == 0 else _leads)(said, read, when)


def _follows(said: Mapping[str, object], read: Sequence[Token], when: str) -> bool:
    """Return whether a word behind a time belongs to it: from monday "on", tomorrow "at" 3."""
    first = tokens(folded_with_clocks(when))[0]
    if "onwards" in said and first.means.keys() & {"from", "since"}:
        return True
    if said.get("number") == 1:
        return False
    text = Text(read, date.min)
    at = text.skip(1, "the")
    counted = text.first(at, "number", "nth", "fraction", "half", "few")
    is_counted = text.number(at) is not None or (counted is not None and counted.value != 1)
    return is_counted or not said.keys() & _LOOSE


def _leads(said: Mapping[str, object], read: Sequence[Token], _when: str) -> bool:
    """Return whether a word before a time belongs to it; English texts can end in "log in"."""
    return not (said.keys() & _PARTICLES and languages_of(read[-1]) & ENGLISH)


def takes_along(when: str, at: int) -> bool:
    """Return whether a time taken off a text has a word that is the text's: "tomorrow the".

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


def _is_preposition(token: Token) -> bool:
    return is_link(token) and "the" not in token.means and token.text != ","


_LAST_DAY = 31
_SLASHED = 3
"""Tokens of 03/04."""
_LOOSE = {"in", "the", "of", "to", "for", "onwards"}
"""Words that stand beside a time without a part in it: "tomorrow in the office"."""
_PARTICLES = {"in", "to", "onwards"}
"""Those that can end a text in English."""


def _places(text: Text) -> range:
    return range(len(text.tokens))


def _has_a_time(plain: str, read: Text) -> bool:
    if has_a_clock(plain):
        return True
    return any(_begins_a_time(read, at) for at in _places(read))


def _begins_a_time(text: Text, at: int) -> bool:
    if _is_day(text, at) or _is_date(text, at):
        return True
    if _leads_to_a_unit(text, at):
        return not _describes(text, at)
    return text.says(at, "unit") is not None and text.says(at + 1, "rel", ~ENGLISH) is not None


def _is_day(text: Text, at: int) -> bool:
    token, weak = text.tokens[at], text.says(at, "weak")
    if token.means.keys() & {"part", "weekday"}:
        return not _describes(text, at)
    if (weak and weak.value == 1) or text.says(at, "weak_weekday", ~ENGLISH):
        return True
    return token.shape == "day" or "day" in token.means or in_digits(text, at) is not None


def _is_date(text: Text, at: int) -> bool:
    """A month with a number, "next" or "in", or a number with a sign of days."""
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


def _describes(text: Text, at: int) -> bool:
    """Return whether a time stands before what it belongs to: "the friday report"."""
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
_RELATING = {"rel", "every", "edge"}


def _leads_to_a_unit(text: Text, at: int) -> bool:
    """Return whether words that count or relate stand before a unit: "every other day"."""
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


def _hints_at_one(text: Text, at: int) -> bool:
    """Return whether words there may belong to a time that is not understood."""
    if text.says(at, "unit"):  # the week after next
        return text.first(at + 1, "after", "before", "hence") is not None
    rules = (
        _is_day_number, _is_day_and_month, _is_hour, _is_related, _is_and_a_half, _is_event,
    )  # fmt: skip
    return any(rule(text, at) for rule in rules)


def _is_day_and_month(text: Text, at: int) -> bool:
    """On 03/04, am 3.12; without a preposition at the beginning or end of a text."""
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


def _glued(text: Text, at: int) -> str:
    """A token with what is written behind it without a space; "" if something is before it."""
    if at and text.tokens[at - 1].end == text.tokens[at].start:
        return ""
    end = at + 1
    while end < len(text.tokens) and text.tokens[end - 1].end == text.tokens[end].start:
        end += 1
    return "".join(token.text for token in text.tokens[at:end]).rstrip(".,:!?")


def _is_event(text: Text, at: int) -> bool:
    """After lunch, at the next deploy: where a text begins with what has no date."""
    if at or not text.tokens:
        return False
    later = (text.says(behind, "rel") for behind in (1, 2))
    comes = text.first(0, "in", "by", "at") and any(one and one.value == 1 for one in later)
    return bool(comes) or text.first(0, "before", "after") is not None


def _is_and_a_half(text: Text, at: int) -> bool:
    """One and a half, un mois et demi."""
    counted = at and (text.number(at - 1) is not None or text.first(at - 1, "number", "unit"))
    return bool(counted) and text.says(at, "plus_half") is not None


def _is_day_number(text: Text, at: int) -> bool:
    """On the 5th, am 22."""
    behind = text.skip(at + 1, "the")
    number = text.number(behind)
    if not text.says(at, "in") or number is None or number > _LAST_DAY:
        return False
    german = text.says(at, "in", LANGUAGES["de"]) and text.is_sign(behind + 1, ".")
    return text.tokens[behind].nth or behind + 1 == len(text.tokens) or german is True


def _is_hour(text: Text, at: int) -> bool:
    """At five, where nothing stands behind that there may be five of."""
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


_TIMELY = ("every", "edge", "ahead", "before", "after", "until", "since", "by")
_NEAR = 4
"""Words that a relation and its unit can have between them, and one."""


def _is_related(text: Text, at: int) -> bool:
    """Every tenth day, before the month ends, in three quarters of an hour."""
    found = text.first(at, *_TIMELY)
    plain = text.says(at, "in") is not None  # "in days" is often none
    if found is None or (plain and text.says(at + 1, "number", found.langs) is None):
        return False
    if _describes(text, at):
        return False
    return any(text.says(at + away, "unit", found.langs) for away in range(1, _NEAR + 2))
