"""Credentials in a text: what kind, and where; never what they are.

What has the shape of a credential counts as one, examples from manuals too: a shape that some
values are excepted from is one that a real key can hide behind. What obviously stands for one
(``<token>``, ``xxxx``, ``YOUR_API_KEY``, ``${TOKEN}``) does not.
"""

import re
from dataclasses import dataclass

__all__ = ["Secret", "find", "mask", "mask_bytes", "masks_in", "placeholder"]

INVISIBLE = (
    "\u00ad\u034f\u061c\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
    "\U000e0000-\U000e0fff"
)
"""Characters that take no room (Unicode's Default_Ignorable_Code_Point), for a class of ``re``."""
_ANNOUNCING = re.compile("login|phrase|seed|mnemonic|recovery|backup", re.IGNORECASE)
"""What may announce a credential that is made of ordinary words."""
_PLAIN = re.compile(
    r"(?:[(\"'*_]{0,3}+(?:#?\d++(?:[-:./]\d++){0,5}+|[A-Z]{2,5}+"
    r"|[^\W\d_][a-z]{0,15}+(?:[A-Z][a-z]{2,12}+)?(?:[-'./_][a-z]{1,9}+){0,6}+)"
    r"[.,;:!?)\"'*_]{0,3}+(?:\s++|\Z))*+"
)
"""Ordinary words, small numbers and names made of them, in which nothing can hide."""


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
    if _PLAIN.fullmatch(text) and not _ANNOUNCING.search(text):
        return []
    from mind.text.secrets.finding import find as found  # noqa: PLC0415 - 15 ms, not for plain words

    return [Secret(one.name, one.start, one.end) for one in found(text)]


def mask(text: str) -> str:
    """``text`` with ``[KIND removed]`` in place of every credential."""
    parts, last = [], 0
    for one in find(text):
        parts += [text[last : one.start], placeholder(one.name)]
        last = one.end
    return "".join((*parts, text[last:]))


_MASK = re.compile(r"\[([^\[\]\n]{1,60}) removed\]")


def placeholder(name: str) -> str:
    """Return what stands in place of a credential of this kind."""
    return f"[{name} removed]"


def masks_in(text: str) -> list[str]:
    """The kinds of the credentials that a text has masks for."""
    return _MASK.findall(text)


def mask_bytes(source: bytes) -> bytes:
    """The same of the content of a file, whose other bytes stay, text or not."""
    text = source.decode("utf-8", "surrogateescape")
    hidden = mask(text)
    return source if hidden == text else hidden.encode("utf-8", "surrogateescape")
