"""A text as it is read: without marks within words, and with wrapped or joined parts whole."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from mind.text.secrets import INVISIBLE

_SIGN = r"(?:\+|\.\.?|&|\|\||~)"
"""What joins two strings in a programming language."""
_GAP = r"[ \t]{0,40}(?:\\?\r?\n[ \t]{0,40})?"
_SUM = rf"(?<=[\"'`]){_GAP}{_SIGN}{_GAP}[fFrRbBuU]{{0,2}}[\"'`]"
"""Between the parts of ``"one" + "string"``, behind the first quote."""
_ADJACENT = r"(?<=[\"'])(?:[ \t]{1,40}|[ \t]{0,40}\\?\r?\n[ \t]{0,40})[fFrRbBuU]{0,2}[\"']"
"""The same of ``"one" "string"``."""
MARGIN = r"[ \t>]{0,40}(?:(?:#{1,6}|/{2,3}|--|[-+*;%])[ \t]{1,8})?"
"""What a line begins with before its words, in quotes, lists and comments."""
_LINE_END = rf"(?<=\n)(?:[ \t>]{{0,40}}\r?\n){{0,2}}{MARGIN}(?=[^\s#>|])"

# Each pattern begins with a class of characters: only those are looked at more closely.
_MARK = re.compile(
    rf"[\n*`~\\\"'{INVISIBLE}](?:{_SUM}|{_ADJACENT}|{_LINE_END}"
    rf"|(?<=[*`{INVISIBLE}])[*`{INVISIBLE}]*|(?<=~)~|(?<=\\)(?=[!-/:-@\[-`{{-~]))"
)
_WITHIN = re.compile(
    rf"[*`~\\\"'{INVISIBLE}](?:{_SUM}|(?<=[{INVISIBLE}])[{INVISIBLE}]*"
    r"|(?<=[\w!#$%&+/=?@^~-][*`])[*`]{0,2}(?=[A-Za-z0-9])|(?<=~)~(?=[A-Za-z0-9])"
    r"|(?<=\\)\r?\n[ \t]{0,40}(?=[A-Za-z0-9]))"
)
_BEFORE_END = " \t\r*`\\"
_MOST_BEFORE = 6
"""What may stand before a line end that divides a word: signs of a wrapped line."""


@dataclass(frozen=True, slots=True)
class Joined:
    """A text without marks, and where its parts come from.

    Attributes:
        text: Without them.
        starts: Where each part begins in ``text``.
        origins: Where the same part begins in the original.
    """

    text: str
    starts: tuple[int, ...]
    origins: tuple[int, ...]

    def origin(self, at: int) -> int:
        """Where the character at ``at`` stands in the original."""
        part = bisect_right(self.starts, at) - 1
        return self.origins[part] + at - self.starts[part]


def join(text: str) -> Joined | None:
    """``text`` without marks and line ends; None if there are none."""
    return _without(text, _marks(text))


def unmarked(text: str) -> Joined | None:
    """``text`` without the marks within its words, its lines apart; None if there are none."""
    return _without(text, (found.span() for found in _WITHIN.finditer(text)))


def _marks(text: str) -> Iterator[tuple[int, int]]:
    last = 0
    for found in _MARK.finditer(text):
        start, end = found.span()
        if text[start] == "\n":
            least = max(last, start - _MOST_BEFORE)
            while start > least and text[start - 1] in _BEFORE_END:
                start -= 1
            if start == 0 or text[start - 1].isspace():
                continue
        last = end
        yield start, end


def _without(text: str, marks: Iterator[tuple[int, int]]) -> Joined | None:
    parts: list[str] = []
    starts: list[int] = []
    origins: list[int] = []
    last = length = 0
    for start, end in marks:
        if start > last:
            parts.append(text[last:start])
            starts.append(length)
            origins.append(last)
            length += start - last
        last = end
    if not last:
        return None
    parts.append(text[last:])
    starts.append(length)
    origins.append(last)
    return Joined("".join(parts), tuple(starts), tuple(origins))
