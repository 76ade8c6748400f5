"""Finding credentials: by their shapes, by what stands around them, and through marks."""

import re
from collections.abc import Iterator

from mind.text.secrets.chance import is_name
from mind.text.secrets.context import told
from mind.text.secrets.joined import MARGIN, Joined, join, unmarked
from mind.text.secrets.shapes import Found, long_words, shaped

_FULL_LINE = 20
_LONG = 10
"""Characters of a value that a line end may cut."""
_NEXT_LINE = re.compile(
    rf"[*`\\]{{0,3}}[ \t]{{0,2}}\r?\n{MARGIN}(?P<rest>[A-Za-z0-9+/=_-]{{4,300}})(?!\w)"
)
_BLANK_LINE = re.compile(r"\n[ \t>]*\r?\n")


def find(text: str) -> Iterator[Found]:
    """The credentials in ``text`` (see :func:`mind.text.secrets.find`)."""
    words = long_words(text)
    shapes = list(shaped(text, words))
    joined = join(text)
    if joined:
        shapes += _divided(text, joined, shapes)
    others = list(told(text, words=words))
    plain = unmarked(text)
    if plain:
        within = long_words(plain.text)
        others += [_original(plain, one) for one in told(plain.text, words=within)]
    return _apart(shapes, [_continued(text, one) for one in others])


def _original(joined: Joined, one: Found) -> Found:
    """Where what was found without marks stands."""
    return Found(joined.origin(one.start), joined.origin(one.end - 1) + 1, one.name)


def _continued(text: str, one: Found) -> Found:
    """A long value with the rest of it on the next line, where that looks made by chance too."""
    if one.end - one.start < _LONG or " " in text[one.start : one.end]:
        return one
    following = _NEXT_LINE.match(text, one.end)
    if following is None or is_name(following["rest"]) or not _goes_on(following["rest"]):
        return one
    return Found(one.start, following.end(), one.name)


def _divided(text: str, joined: Joined, shapes: list[Found]) -> list[Found]:
    """What is found only without marks; of a token that a line ends with, the next is no part."""
    known = {(one.name, one.start): one.end for one in shapes}
    found = []
    for one in (_original(joined, one) for one in shaped(joined.text, long_words(joined.text))):
        sure = known.get((one.name, one.start))
        whole = text[one.start : one.end]
        if _goes_on(text[sure : one.end]) if sure else _is_wrapped(whole):
            found.append(one)
    return found


def _is_wrapped(value: str) -> bool:
    """Whether what stands between its line ends fills a line; a list of words does not."""
    within = value.split("\n")[1:-1]
    return all(len(line) >= _FULL_LINE for line in within if line.strip())


def _goes_on(tail: str) -> bool:
    """Whether what follows a mark or line end looks made by chance rather than a next word."""
    if _BLANK_LINE.search(tail):
        return False
    word = tail.strip("*`~\\ \t\r\n>#/;%-\"'+.&|")
    return any(map(str.isdigit, word)) or any(map(str.isupper, word[1:]))


def _apart(shapes: list[Found], others: list[Found]) -> Iterator[Found]:
    """Overlapping ones as one, under the name of the longest shape, or else of the longest."""
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
        yield Found(start, end, best[1].name)
        first = last
