"""Things that a text names: paths, identifiers, acronyms, issues, links, versions, names.

A thing has one key, however it is spelled: ``parse_date``, ``parseDate`` and ``ParseDate`` are one.
"""

from dataclasses import dataclass

from mind.text.entities.lowercase import phrases, windows
from mind.text.entities.scanning import Found, key_of, page_of, scan

__all__ = [
    "Found",
    "Mention",
    "entities",
    "key_of",
    "known",
    "page_of",
    "phrases",
    "scan",
    "windows",
]


@dataclass(frozen=True, slots=True)
class Mention:
    """A thing that a text names.

    Attributes:
        name: As written.
        kind: path, identifier, flag, code (in backticks), acronym, issue, link (``[[wikilink]]``),
            host, version, package or name.
        start: First character in the text.
        end: Behind the last one.
        key: Equal for other spellings of the same thing.
    """

    name: str
    kind: str
    start: int
    end: int
    key: str


def entities(text: str) -> tuple[Mention, ...]:
    """The things that ``text`` names, in its order; only within code may one contain another."""
    return tuple(
        Mention(text[one.start : one.end], one.kind, one.start, one.end, one.key)
        for one in scan(text)
        if one.kind != "start"
    )
