"""Credentials in a text: what kind, and where; never what they are.

What has the shape of a credential counts as one, examples from manuals too: a shape that some
values are excepted from is one that a real key can hide behind. What obviously stands for one
(``<token>``, ``xxxx``, ``YOUR_API_KEY``, ``${TOKEN}``) does not.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from mind.secrets.context import told
from mind.secrets.joined import Joined, join
from mind.secrets.shapes import Found, shaped

__all__ = ["Secret", "find", "mask"]


@dataclass(frozen=True, slots=True)
class Secret:
    """A credential in a text, without its value.

    Attributes:
        name: Its kind, as in "GitHub personal access token".
        start: Its first character.
        end: Behind its last one.
    """

    name: str
    start: int
    end: int


def find(text: str) -> list[Secret]:
    """The credentials in ``text``, in its order, none within another.

    Those that Markdown marks or a line end divide are found too; their span holds the marks.
    Takes time in proportion to the length of the text, whatever is in it.
    """
    whole = [*shaped(text), *told(text)]
    joined = join(text)
    if joined:
        whole = [*_divided(text, joined, whole), *whole]
    return [Secret(one.name, one.start, one.end) for one in _apart(whole)]


def mask(text: str) -> str:
    """``text`` with ``[KIND removed]`` in place of every credential."""
    parts, last = [], 0
    for one in find(text):
        parts += [text[last : one.start], f"[{one.name} removed]"]
        last = one.end
    return "".join((*parts, text[last:]))


def _divided(text: str, joined: Joined, whole: list[Found]) -> Iterator[Found]:
    """What is found only without marks; of a token that a line ends with, the next is no part."""
    known = {(one.name, one.start): one.end for one in whole}
    for one in shaped(joined.text):
        start, end = joined.origin(one.start), joined.origin(one.end - 1) + 1
        sure = known.get((one.name, start))
        if sure is None or (sure < end and _goes_on(text[sure:end])):
            yield Found(start, end, one.name)


def _goes_on(tail: str) -> bool:
    """Whether what follows a mark or line end looks made by chance rather than a next word."""
    word = tail.strip("*`~\\ \t\r\n>")
    return any(map(str.isdigit, word)) or any(map(str.isupper, word[1:]))


def _apart(found: list[Found]) -> Iterator[Found]:
    """Overlapping ones as one, under the name of the longest; of equal ones, a shape's."""
    rank = {id(one): at for at, one in enumerate(found)}
    ordered = sorted(found, key=lambda one: (one.start, -one.end))
    group: list[Found] = []
    end = -1
    for one in ordered:
        if group and one.start >= end:
            yield _merged(group, rank, end)
            group = []
        group.append(one)
        end = max(end, one.end) if len(group) > 1 else one.end
    if group:
        yield _merged(group, rank, end)


def _merged(group: list[Found], rank: dict[int, int], end: int) -> Found:
    best = min(group, key=lambda one: (one.start - one.end, rank[id(one)]))
    return Found(group[0].start, end, best.name)
