"""Find secrets in a text: location and type, never the value.

Anything shaped like a secret counts, also examples from manuals: an exception for some values would
let a real key pass. Obvious placeholders (``<token>``, ``xxxx``, ``YOUR_API_KEY``, ``${TOKEN}``) do
not count.
"""

import re
from dataclasses import dataclass

from mind.domain import caching
from mind.text import lazy_pattern

__all__ = ["Secret", "find", "mask", "mask_bytes", "masks_in", "placeholder"]

INVISIBLE = (
    "\u00ad\u034f\u061c\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
    "\U000e0000-\U000e0fff"
)
"""Invisible characters (Unicode's Default_Ignorable_Code_Point), for a class of ``re``."""
_ANNOUNCING = lazy_pattern(
    r"login|phrase|seed|mnemonic|recovery|backup|\d\d[ -]words|\d[!?]", re.IGNORECASE
)
"""Words that may announce a secret made of ordinary words."""
_PLAIN = lazy_pattern(
    r"(?:[(\"'*_]{0,3}+(?:#?\d{1,5}+(?:[-:./]\d++){0,5}+|[A-Z]{2,5}+"
    r"|[^\W\d_][a-z]{0,15}+(?:[A-Z][a-z]{2,12}+)?(?:[-'./_][a-z]{1,9}+){0,6}+)"
    r"[.,;:!?)\"'*_]{0,3}+(?:\s++|\Z))*+"
)
"""Ordinary words, small numbers and names made of them, which cannot be secrets."""


@dataclass(frozen=True, slots=True)
class Secret:
    """A secret in a text, without its value.

    Attributes:
        name: Its type, such as "GitHub personal access token".
        start: Its first character.
        end: After its last one.
    """

    name: str
    start: int
    end: int


def find(text: str) -> list[Secret]:
    """The secrets in ``text``, in order, not nested.

    Includes those split by Markdown marks or a line end; their span includes the marks. Takes
    time linear in the length of any text.
    """
    if _PLAIN.fullmatch(text) and not _ANNOUNCING.search(text):
        return []
    return list(_found(text))


@caching.of_files
def _found(text: str) -> tuple[Secret, ...]:
    from mind.text.secrets.finding import find as found  # noqa: PLC0415 - 15 ms, rarely needed

    return tuple(found(text))


def mask(text: str) -> str:
    """``text`` with ``[KIND removed]`` in place of every secret."""
    parts, last = [], 0
    for one in find(text):
        parts += [text[last : one.start], placeholder(one.name)]
        last = one.end
    return "".join((*parts, text[last:]))


_MASK = lazy_pattern(r"\[([^\[\]\n]{1,60}) removed\]")


def placeholder(name: str) -> str:
    """Return the mask for a secret of this type."""
    return f"[{name} removed]"


def masks_in(text: str) -> list[str]:
    """The types of the masked secrets in a text."""
    return _MASK.findall(text)


def mask_bytes(source: bytes) -> bytes:
    """Mask the content of a file, text or binary; other bytes are unchanged."""
    text = source.decode("utf-8", "surrogateescape")
    hidden = mask(text)
    return source if hidden == text else hidden.encode("utf-8", "surrogateescape")
