"""Find secrets by format and by context, also when split by markup."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

from mind.text import lazy_pattern
from mind.text.secrets import INVISIBLE, Secret
from mind.text.secrets.context import told
from mind.text.secrets.shapes import is_name, long_words, shaped

_WIDE = "\uff01-\uff5e"
"""Fullwidth forms of ASCII characters."""
_SIGN = r"(?:\+|\.\.?|&|\|\||~)"
"""Operators that concatenate strings in programming languages."""
_GAP = r"[ \t]{0,40}(?:\\?\r?\n[ \t]{0,40})?"
_SUM = rf"(?<=[\"'`]){_GAP}{_SIGN}{_GAP}[fFrRbBuU]{{0,2}}[\"'`]"
"""Separator of ``"one" + "string"``, from the first closing quote."""
_ADJACENT = r"(?<=[\"'])(?:[ \t]{1,40}|[ \t]{0,40}\\?\r?\n[ \t]{0,40})[fFrRbBuU]{0,2}[\"']"
"""Separator of ``"one" "string"``."""
MARGIN = r"[ \t>]{0,40}(?:(?:#{1,6}|/{2,3}|--|[-+*;%])[ \t]{1,8})?"
"""Line prefixes in quotes, lists and comments."""
_LINE_END = rf"(?<=\n)(?:[ \t>]{{0,40}}\r?\n){{0,2}}{MARGIN}(?=[^\s#>|])"

_NUMBERED = (
    r"(?i:(?:(?<=&)#x|(?<=%)|(?<=\\)(?:u00|x))(?P<code>[2-7][0-9a-f]);?"
    rf"|(?<=&)#(?P<decimal>\d{{2,3}});)|(?<=(?P<wide>[{_WIDE}]))"
)
"""An encoded character (``&#95;``, ``%5F``, ``\u005f``), or a fullwidth one."""
_UNSEEN = (
    rf"(?<=[{INVISIBLE}])[{INVISIBLE}]*|(?<=~)~|(?<=\\)(?=[!-/:-@\[-`{{-~])"
    r"|(?i:(?<=<)(?:/?wbr[ ]?/?|!--[^\n<>]{0,80}--)>)"
)
"""Markup invisible in the rendered page: the backslash of an escape, a comment."""
_BREAK = r"(?i:(?<=<)br[ ]?/?>)"

# Each pattern begins with a character class so that few positions need a closer check.
_MARK = lazy_pattern(
    rf"[\n*`~\\\"'<&%{_WIDE}{INVISIBLE}](?:{_SUM}|{_ADJACENT}|{_LINE_END}|{_BREAK}"
    rf"|(?<=[*`])[*`{INVISIBLE}]*|{_UNSEEN}|{_NUMBERED})"
)
_WITHIN = lazy_pattern(
    rf"[*`~\\\"'<&%{_WIDE}{INVISIBLE}](?:{_SUM}|{_UNSEEN}|{_NUMBERED}"
    r"|(?<=[\w!#$%&+/=?@^~-][*`])[*`]{0,2}(?=[A-Za-z0-9])"
    r"|(?<=\\)\r?\n[ \t]{0,40}(?=[A-Za-z0-9]))"
)
_BEFORE_END = " \t\r*`\\"
_MOST_BEFORE = 6
"""Maximum characters before a line end that splits a word: symbols of a wrapped line."""


class CleanText(NamedTuple):
    """A text without markup, and the origin of its parts.

    Attributes:
        text: The text without markup.
        starts: Offset of each part in ``text``.
        spans: Span of the same part in the original.
    """

    text: str
    starts: tuple[int, ...]
    spans: tuple[tuple[int, int], ...]

    def original(self, one: Secret) -> Secret:
        """Map a match in ``text`` to its position in the original."""
        first = bisect_right(self.starts, one.start) - 1
        last = bisect_right(self.starts, one.end - 1) - 1
        start = self.spans[first][0] + one.start - self.starts[first]
        if one.end == (*self.starts[last + 1 : last + 2], len(self.text))[0]:
            return Secret(one.name, start, self.spans[last][1])
        return Secret(one.name, start, self.spans[last][0] + one.end - self.starts[last])


def join(text: str) -> CleanText | None:
    """``text`` without markup and line ends; None if it has none."""
    return _without(text, _marks(text))


def unmarked(text: str) -> CleanText | None:
    """``text`` without markup within words, keeping lines; None if it has none."""
    return _without(text, ((*found.span(), _meant(found)) for found in _WITHIN.finditer(text)))


def _marks(text: str) -> Iterator[tuple[int, int, str]]:
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
        yield start, end, _meant(found)


def _meant(mark: re.Match[str]) -> str:
    """Return the character that markup stands for; usually none."""
    decimal, code, wide = mark.group("decimal", "code", "wide")
    if wide:
        return chr(ord(wide) - ord("！") + ord("!"))
    return chr(int(decimal or code, 10 if decimal else 16)) if decimal or code else ""


def _without(text: str, marks: Iterator[tuple[int, int, str]]) -> CleanText | None:
    parts: list[str] = []
    spans: list[tuple[int, int]] = []
    last = 0
    for start, end, meant in marks:
        for part, span in ((text[last:start], (last, start)), (meant, (start, end))):
            if part:
                parts.append(part)
                spans.append(span)
        last = end
    if not last:
        return None
    parts.append(text[last:])
    spans.append((last, len(text)))
    return CleanText("".join(parts), (0, *accumulate(map(len, parts[:-1]))), tuple(spans))


_FULL_LINE = 20
_LONG = 10
"""Minimum characters of a value that a line end may split."""
_NEXT_LINE = lazy_pattern(
    rf"[*`\\]{{0,3}}[ \t]{{0,2}}\r?\n{MARGIN}(?P<rest>[A-Za-z0-9+/=_-]{{4,300}})(?!\w)"
)
_BLANK_LINE = lazy_pattern(r"\n[ \t>]*\r?\n")


def find(text: str) -> Iterator[Secret]:
    """Yield the secrets in ``text`` (see :func:`mind.text.secrets.find`)."""
    words = long_words(text)
    shapes = list(shaped(text, words))
    others = list(told(text, words=words))
    plain = unmarked(text)
    if plain:
        within = long_words(plain.text)
        shapes += _divided(text, plain, within, shapes)
        others += [plain.original(one) for one in told(plain.text, words=within)]
    joined = join(text)
    if joined:
        shapes += _divided(text, joined, long_words(joined.text), shapes)
    return _apart(shapes, [_continued(text, one) for one in others])


def _continued(text: str, one: Secret) -> Secret:
    """Extend a long value to the next line if that also looks random."""
    if one.end - one.start < _LONG or " " in text[one.start : one.end]:
        return one
    following = _NEXT_LINE.match(text, one.end)
    if following is None or is_name(following["rest"]) or not _goes_on(following["rest"]):
        return one
    return Secret(one.name, one.start, following.end())


def _divided(text: str, joined: CleanText, words: str, shapes: list[Secret]) -> list[Secret]:
    """Return the secrets found only after removing markup.

    The line after a complete token is not part of it.
    """
    known = {(one.name, one.start): one.end for one in shapes}
    found = []
    for one in map(joined.original, shaped(joined.text, words, frozenset(joined.starts))):
        sure = known.get((one.name, one.start))
        whole = text[one.start : one.end]
        if _goes_on(text[sure : one.end]) if sure else _is_wrapped(whole):
            found.append(one)
    return found


def _is_wrapped(value: str) -> bool:
    """Return whether a value's lines are full, as wrapped text, unlike a list of words."""
    within = value.split("\n")[1:-1]
    return all(len(line) >= _FULL_LINE for line in within if line.strip())


def _goes_on(tail: str) -> bool:
    """Return whether the text after markup or a line end looks random, not a next word."""
    if _BLANK_LINE.search(tail):
        return False
    word = tail.strip("*`~\\ \t\r\n>#/;%-\"'+.&|")
    return any(map(str.isdigit, word)) or any(map(str.isupper, word[1:]))


def _apart(shapes: list[Secret], others: list[Secret]) -> Iterator[Secret]:
    """Merge overlapping matches, named after the longest known format, else the longest match."""
    ranked = [(0, one) for one in shapes] + [(1, one) for one in others]
    ranked.sort(key=lambda row: row[1].start)
    first = 0
    while first < len(ranked):
        start, end = ranked[first][1].start, ranked[first][1].end
        last = first + 1
        while last < len(ranked) and ranked[last][1].start < end:
            end = max(end, ranked[last][1].end)
            last += 1
        best = min(ranked[first:last], key=lambda row: (row[0], row[1].start - row[1].end))
        yield Secret(best[1].name, start, end)
        first = last
