"""Trying a new pattern on texts that are known to take bad ones long."""

from collections.abc import Iterator
from re import _constants as sre  # type: ignore[attr-defined]
from typing import TYPE_CHECKING

from mind.text.sourcetext.grammar import inner, parsed, required
from mind.text.sourcetext.limited import Limits

if TYPE_CHECKING:
    from mind.text.sourcetext.grammar import Parts

_LENGTH, _SECONDS = 1_000, 0.1
"""What takes longer on so few characters grows with a power of them that no file allows; what grows
with their square passes, as ``\\s+$`` does."""
_MOST_LETTERS = 8
_ORDINARY = {"letters": "a", "digits": "1", "spaces": " ", "empty lines": "\n"}


def slow_text(pattern: str) -> str:
    """What a text consists of that takes ``pattern`` too long, in words; "" if none is known.

    Raises:
        Unusable: It is no regular expression, or too large.
    """
    literals = "".join(dict.fromkeys(_literals(parsed(pattern))))
    units: dict[str, str] = _ORDINARY | {
        f"many {one!r}": one for one in (*literals[:_MOST_LETTERS], literals)
    }
    begins = "".join(required(pattern))
    for name, unit in units.items():
        limits = Limits(_SECONDS)
        text = begins + (unit * _LENGTH)[:_LENGTH]
        for end in ("", "\0", f"\0{literals}"):
            limits.search([pattern], text + end)
        if limits.slow:
            return name
    return ""


def _literals(parts: "Parts") -> Iterator[str]:
    for operator, argument in parts:
        if operator is sre.LITERAL:
            yield chr(argument)
        for one in inner(operator, argument):
            yield from _literals(one)
