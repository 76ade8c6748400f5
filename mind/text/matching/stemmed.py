"""Texts as stems without accents, as everything here is compared.

Hooks import this module, so it imports little.
"""

import re

from mind.text.similarity.words import words

_HIRAGANA = r"[\u3040-\u309f]+"
_NON_ASCII = r"[^\x00-\x7f]+"


def fold(text: str) -> str:
    """``text`` with the accents of Latin letters taken off."""
    return text if text.isascii() else re.sub(_NON_ASCII, _plain, text)


def _plain(found: "re.Match[str]") -> str:
    import unicodedata  # noqa: PLC0415 - where a text is not ASCII

    taken = []
    for character in found.group():
        base = unicodedata.normalize("NFKD", character)
        taken.append(base[0] if base[0].isascii() and base[0].isalpha() else character)
    return "".join(taken).replace("ß", "ss")


def stems(text: str) -> tuple[str, ...]:
    """The content words of ``text`` as stems, without accents."""
    found = words(fold(text))
    return (
        found if text.isascii() else tuple(one for one in found if not re.fullmatch(_HIRAGANA, one))
    )
