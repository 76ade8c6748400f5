"""The time that a reminder's own text begins or ends with: "call the bank tomorrow at 5pm"."""

import re
from collections.abc import Iterator
from datetime import datetime
from functools import cache

from mind.documents.reminders.reading import NEXT_SESSION
from mind.documents.reminders.triggers import trigger_in
from mind.domain.errors import DateNotUnderstood
from mind.text import dates
from mind.text.dates.days import MONTHS, fold
from mind.text.dates.durations import duration
from mind.text.dates.words import in_english, numbers

_EAST = "\u3040-\u30ff\u3400-\u9fff"
_PIECE = re.compile(rf"[{_EAST}]|[^\s{_EAST}]+")
_LONGEST = 16
"""Pieces of a time: words, or characters where there are no spaces."""
_AROUND = " \t\r\n,;:.!、，。"
_REMEDY = (
    'Say when with --when (the parameter `when`), such as "tomorrow 9am"; "next session" if the '
    "text names no time for the reminder."
)


def divided(message: str, now: datetime) -> tuple[str, str]:
    """(text, time) of a reminder that was given no time of its own; "next session" for none.

    Raises:
        DateNotUnderstood: Something in the text may be a time, and it is not clear which.
    """
    for text, when in _divisions(message):
        if not (text and when) or trigger_in(when):
            continue
        if NEXT_SESSION.fullmatch(when) or (_is_sure(when) and _is_time(when, now)):
            if not _may_name_a_time(text) and not _is_bound(text):
                return text, when
            break
    if _may_name_a_time(message) or any(trigger_in(when) for _, when in _divisions(message)):
        raise DateNotUnderstood(
            "the text seems to say when, in a way that is not clear", remedy=_REMEDY, value=message
        )
    return message, "next session"


def _divisions(message: str) -> Iterator[tuple[str, str]]:
    """Each way to take the end or the beginning off as a time, the longest first."""
    pieces = [found.span() for found in _PIECE.finditer(message)]
    for size in range(min(_LONGEST, len(pieces) - 1), 0, -1):
        at = pieces[-size][0]
        yield message[:at].rstrip(_AROUND), message[at:].strip(_AROUND)
        at = pieces[size - 1][1]
        yield message[at:].lstrip(_AROUND), message[:at].strip(_AROUND)


def _is_time(when: str, now: datetime) -> bool:
    return dates.rhythm(when) is not None or dates.moment(when, now) is not None


@cache
def _timely() -> "re.Pattern[str]":
    months = "|".join(sorted((re.escape(name) for name in MONTHS), key=len, reverse=True))
    counts = "|".join(sorted(map(re.escape, numbers()), key=len, reverse=True))
    return re.compile(
        r"(?<!\w)(?:today|tomorrow|tonight|yesterday|(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
        r"|(?:next|this|last|every) (?:week|month|quarter|year|weekend)|end of (?:the )?\w+"
        r"|eo[wmqyd]"
        r"|daily|weekly|monthly|(?:this )?(?:morning|afternoon|evening|night|noon|midnight)|weekend"
        rf"|(?:in |after |within )?(?:\d+|{counts}) ?(?:minute|hour|day|week|month|year)s?"
        r"|\d{1,2}(?::\d\d)? ?[ap]m|\d{1,2}:\d\d|at \d{1,2}|\d{4}-\d\d-\d\d|\d{1,2}\.\d{1,2}\."
        r"|\d{1,2}/\d{1,2}/\d{2,4}"
        rf"|(?:{months})\.? \d|\d{{1,2}}(?:st|nd|rd|th|\.)? (?:of |de )?(?:{months}))(?![^\W\d])"
    )


def _may_name_a_time(text: str) -> bool:
    return bool(_timely().search(in_english(" ".join(fold(text).split()))))


_BINDING = frozenset(
    "before after until till since from between around about or and not except by antes despues "
    "hasta desde hacia o y ni vor nach bis ab seit oder und nicht gegen avant apres depuis vers ou "
    "et pas depois ate e nao до после с около или и не к".split()
)
"""Words that make another time of what they stand beside: "the day before friday"."""


def _is_bound(text: str) -> bool:
    """Whether what is left of a text begins or ends with words that belong to the time."""
    words = fold(text).split()
    return bool(words) and not _BINDING.isdisjoint((words[0], words[-1]))


def _is_sure(when: str) -> bool:
    """Whether it is a time and nothing else: not "3 days", "the 5th" or "sat"."""
    english = in_english(" ".join(fold(when).split()))
    bare = duration(english) is not None and english[:1].isdigit()
    return not bare and bool(_timely().search(english))
