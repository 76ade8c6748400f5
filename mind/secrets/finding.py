"""Finding credentials: by their shapes, by what stands around them, and through marks."""

from collections.abc import Iterator

from mind.secrets.context import told
from mind.secrets.joined import Joined, join
from mind.secrets.shapes import Found, shaped

_FULL_LINE = 20


def find(text: str) -> Iterator[Found]:
    """The credentials in ``text`` (see :func:`mind.secrets.find`)."""
    shapes = list(shaped(text))
    joined = join(text)
    if joined:
        shapes += _divided(text, joined, shapes)
    return _apart(shapes, list(told(text)))


def _divided(text: str, joined: Joined, shapes: list[Found]) -> list[Found]:
    """What is found only without marks; of a token that a line ends with, the next is no part."""
    known = {(one.name, one.start): one.end for one in shapes}
    found = []
    for one in shaped(joined.text):
        start, end = joined.origin(one.start), joined.origin(one.end - 1) + 1
        sure = known.get((one.name, start))
        if _goes_on(text[sure:end]) if sure else _is_wrapped(text[start:end]):
            found.append(Found(start, end, one.name))
    return found


def _is_wrapped(value: str) -> bool:
    """Whether what stands between its line ends fills a line; a list of words does not."""
    return all(len(line) >= _FULL_LINE for line in value.split("\n")[1:-1])


def _goes_on(tail: str) -> bool:
    """Whether what follows a mark or line end looks made by chance rather than a next word."""
    word = tail.strip("*`~\\ \t\r\n>")
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
