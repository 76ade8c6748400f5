"""Known names in a text that spells them without capitals."""

import re
from collections.abc import Container, Iterator

from mind.text.entities.scanning import key_of

_WORD = re.compile(r"[^\s,;:!?\"'()\[\]{}<>=|*`“”‘’«»„]+")
_LONGEST = 4
"""Words in a name."""


def windows(text: str) -> Iterator[list[tuple[str, int, int]]]:
    """At each word: (key, start, end) of what may be a name there, the longest first."""
    words = [one.span() for one in _WORD.finditer(text)]
    for at, (start, _) in enumerate(words):
        ends = [end for _, end in words[at : at + _LONGEST]]
        yield [_window(text, start, end) for end in reversed(ends)]


def _window(text: str, start: int, end: int) -> tuple[str, int, int]:
    name = text[start:end].rstrip(".")
    return key_of(name), start, start + len(name)


def phrases(text: str, keys: Container[str]) -> Iterator[tuple[str, int, int]]:
    """(key, start, end) of names of ``keys``, none within another."""
    last = 0
    for window in windows(text):
        for key, start, end in window:
            if start >= last and key in keys:
                yield key, start, end
                last = end
                break
