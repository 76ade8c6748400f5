"""A text as it is read: without marks of Markdown within words, and with wrapped lines whole."""

import re
from bisect import bisect_right
from dataclasses import dataclass

_MARK = re.compile(
    r"(?:[*`\u200b-\u200d\u2060\ufeff\u00ad]|~~)+"
    r"|\\(?=[!-/:-@\[-`{-~])"
    r"|(?<=[^\s])[ \t]{0,2}[*`\\]{0,3}\r?\n[ \t>]{0,40}(?=[^\s#>|])"
)

_ANY = re.compile("[*`~\\\\\n\u200b-\u200d\u2060\ufeff\u00ad]")


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
    """``text`` without marks; None if there are none."""
    if not _ANY.search(text):
        return None
    parts: list[str] = []
    starts: list[int] = []
    origins: list[int] = []
    last = length = 0
    for mark in _MARK.finditer(text):
        if mark.start() > last:
            parts.append(text[last : mark.start()])
            starts.append(length)
            origins.append(last)
            length += mark.start() - last
        last = mark.end()
    if not last:
        return None
    parts.append(text[last:])
    starts.append(length)
    origins.append(last)
    return Joined("".join(parts), tuple(starts), tuple(origins))
