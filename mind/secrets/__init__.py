"""Credentials in a text: what kind, and where; never what they are.

What has the shape of a credential counts as one, examples from manuals too: a shape that some
values are excepted from is one that a real key can hide behind. What obviously stands for one
(``<token>``, ``xxxx``, ``YOUR_API_KEY``, ``${TOKEN}``) does not.
"""

import re
from dataclasses import dataclass

__all__ = ["Secret", "find", "mask"]

_FEW_WORDS = re.compile(
    r"(?!.*(?i:pass|pwd|secret|key|token|login|credential|pin\b))"
    r"[^\W\d_][a-z]*(?: [^\W\d_][a-z]*){0,9}"
)
"""Ordinary words that speak of no credential, fewer than a recovery phrase has."""


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
    if _FEW_WORDS.fullmatch(text):
        return []
    from mind.secrets.finding import find as found  # noqa: PLC0415 - 15 ms, not for a few words

    return [Secret(one.name, one.start, one.end) for one in found(text)]


def mask(text: str) -> str:
    """``text`` with ``[KIND removed]`` in place of every credential."""
    parts, last = [], 0
    for one in find(text):
        parts += [text[last : one.start], f"[{one.name} removed]"]
        last = one.end
    return "".join((*parts, text[last:]))
