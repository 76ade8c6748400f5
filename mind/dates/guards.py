"""Whether words in a query that look like a time are meant as one."""

import re

from mind.dates.points import SOFT, Text

_WESTERN = 31
_BEHIND_MAY = frozenset(
    "a also affect all always and apply be become break cause change contain crash depend differ "
    "do even exceed fail get give go happen have hold include it lead leak lose mean need never "
    "no not occur only or produce require return see seem still take the throw use want work you "
    "through on into over forward toward towards along across".split()
)
_COUNTED = re.compile(r"[a-z]{3,}s")
_NOT_COUNTED = frozenset(("was", "this", "has", "does", "always", "its", "less"))
_HABIT = frozenset("every each never always only any avoid don not no cron weekly schedule".split())
_GLUED_BEFORE = frozenset("-_./\\@#$:`=+%&")
_GLUED_BEHIND = frozenset("-_/\\@`=(+%&")


def is_apart(whole: str, start: int, end: int) -> bool:
    """Whether what stands from ``start`` to ``end`` is no part of a path, a name or code."""
    if start and whole[start - 1] in _GLUED_BEFORE:
        return False
    behind = whole[end : end + 2]
    return not (behind[:1] in _GLUED_BEHIND and behind) and not re.match(r"[.:]\w", behind)


def is_meant(text: Text, begin: int, end: int) -> bool:
    """Whether the tokens from ``begin`` to ``end`` are a time, by what stands around them."""
    last = text.tokens[end - 1]
    follows = text.tokens[end].text if end < len(text.tokens) else ""
    if last.text in SOFT and follows in _BEHIND_MAY:
        return False
    if "weekday" in last.means and end - begin <= 2 and text.words & _HABIT:
        return False
    if _is_counted(last.shape == "number", follows):
        return False
    return not ("unit" in last.means and text.says(end, "of", _WESTERN))


def _is_counted(number: bool, follows: str) -> bool:
    """In "in 2000 requests" the number is no year."""
    return number and bool(_COUNTED.fullmatch(follows)) and follows not in _NOT_COUNTED
