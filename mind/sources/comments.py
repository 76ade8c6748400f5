"""``MEMORY:`` comments, read where they stand."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

from mind.config import Settings
from mind.entry import Entry, Kind, Span, content_id
from mind.sources import MARK, tree

Stamp = str

_NOTHING: Mapping[str, Stamp] = MappingProxyType({})
_CONFIDENCE = 0.7


@dataclass(frozen=True, slots=True)
class Commented:
    """One file that mentions ``MEMORY:``.

    Attributes:
        stamp: Differs when the file or the settings that matter changed.
        entries: What it holds; empty when the caller knows the stamp already.
    """

    stamp: Stamp
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Comments:
    """Every file that mentions ``MEMORY:``, by path relative to the root.

    A file that is no longer here has no entries any more. ``problem`` says what was not read and
    what to do about it; "" if nothing.
    """

    files: Mapping[str, Commented] = field(default_factory=dict)
    problem: str = ""


def scan(root: Path, settings: Settings, known: Mapping[str, Stamp] = _NOTHING) -> Comments:
    """Find every ``MEMORY:`` comment below ``root``.

    Args:
        root: The project.
        settings: For the parser.
        known: Path → stamp of files whose entries the caller holds; those are opened only if
            their stamp has changed.
    """
    paths, problem = tree.candidates(root)
    words = repr((settings.parser_languages, settings.parser_keywords))
    digest = hashlib.blake2b(words.encode(), digest_size=4).hexdigest()
    found: dict[str, Commented] = {}
    for path in paths:
        stamp = tree.stamp(root / path)
        if stamp is not None and known.get(path) == f"{stamp}:{digest}":
            found[path] = Commented(known[path], ())
            continue
        source = tree.read(root / path)
        if stamp is not None and source is not None:
            entries = tuple(entries_in(source, path, settings))
            found[path] = Commented(f"{stamp}:{digest}", entries)
    return Comments(found, problem)


def entries_in(source: bytes, path: str, settings: Settings) -> list[Entry]:
    """The entries of the ``MEMORY:`` comments in ``source``, the content of the file ``path``."""
    from mind.sources.languages import syntax_of  # noqa: PLC0415 - only a changed file needs it
    from mind.sources.notes import notes  # noqa: PLC0415 - the same

    text, encoding = _decoded(source)
    syntax = syntax_of(path, text.partition("\n")[0][:200])
    if syntax is None or MARK not in text:
        return []
    shift = len(source) - len(text.encode(encoding))
    found = []
    for note in notes(text, syntax):
        entry = _entry(note.text, settings)
        if entry is not None:
            start = shift + len(text[: note.start].encode(encoding))
            length = len(text[note.start : note.stop].encode(encoding))
            span = Span(start, start + length)
            found.append(replace(entry, source=path, line=note.line, end=note.end, span=span))
    return found


def _decoded(source: bytes) -> tuple[str, str]:
    """The text, without a byte order mark, and the encoding that gives its bytes back."""
    try:
        return source.decode("utf-8-sig"), "utf-8"
    except UnicodeDecodeError:
        return source.decode("latin-1"), "latin-1"


def _entry(text: str, settings: Settings) -> Entry | None:
    """What a note says; who writes ``MEMORY:`` wants it kept, whatever it is."""
    from mind import parser  # noqa: PLC0415 - only a changed file needs it

    parsed = parser.parse_line(text, settings)
    if parsed is not None:
        return replace(parsed, confidence=max(parsed.confidence, _CONFIDENCE))
    if not any(character.isalnum() for character in text):
        return None
    why = f"{MARK} comment"
    return Entry(id=content_id(text), kind=Kind.NOTE, text=text, confidence=_CONFIDENCE, why=why)
