"""``MEMORY:`` comments, read where they stand."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType

from mind.documents.secret_entries import covered
from mind.domain.entry import Entry, Kind, Span, content_id, number_repeats
from mind.domain.settings import Settings
from mind.sources import MARK
from mind.sources.git import tree
from mind.text import secrets

Stamp = str

_NOTHING: Mapping[str, Stamp] = MappingProxyType({})
_CONFIDENCE = 0.7


@dataclass(frozen=True, slots=True)
class Commented:
    """One file that mentions ``MEMORY:``.

    Attributes:
        stamp: Differs when the file or the settings that matter changed.
        read: Gives what it holds; nothing when the caller knows the stamp already.
    """

    stamp: Stamp
    read: Callable[[], tuple[Entry, ...]] = tuple

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Return what it holds."""
        return self.read()


@dataclass(frozen=True, slots=True)
class Comments:
    """Every file that mentions ``MEMORY:``, by path relative to the root, without credentials.

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
    if paths is None:  # what is known of them stays
        return Comments({path: Commented(one) for path, one in known.items()}, problem)
    digest = settings.reading
    found: dict[str, Commented] = {}
    for path, name in zip(paths, told(paths), strict=True):
        stamp = tree.stamp(root / path)
        if stamp is not None and known.get(name) == f"{stamp}:{digest}":
            found[name] = Commented(known[name])
            continue
        source = tree.read(root / path)
        if stamp is not None and source is not None:
            read = partial(_entries_of, source, path, name, settings)
            found[name] = Commented(f"{stamp}:{digest}", read)
    return Comments(found, problem)


def _entries_of(source: bytes, path: str, name: str, settings: Settings) -> tuple[Entry, ...]:
    return tuple(entries_in(source, path, settings, name=name))


def told(paths: Sequence[str]) -> list[str]:
    """``paths`` without credentials, each another name still."""
    if not secrets.find("\n".join(paths)):
        return list(paths)
    return number_repeats(map(secrets.mask, paths))


def entries_in(
    source: bytes, path: str, settings: Settings, *, name: str | None = None
) -> list[Entry]:
    """The entries of the ``MEMORY:`` comments in a file, without credentials.

    Args:
        source: Its content.
        path: Of it.
        settings: For the parser.
        name: What entries name it; ``path`` by default.
    """
    from mind.sources.languages import syntax_of  # noqa: PLC0415 - only a changed file needs it
    from mind.sources.notes import notes  # noqa: PLC0415 - the same

    text, encoding = _decoded(source)
    syntax = syntax_of(path, text.partition("\n")[0][:200])
    if syntax is None or MARK not in text:
        return []
    shift = len(source) - len(text.encode(encoding))
    found = []
    for note in notes(text, syntax):
        for entry in covered(_entries(note.text, settings), note.said):
            start = shift + len(text[: note.start].encode(encoding))
            length = len(text[note.start : note.stop].encode(encoding))
            span = Span(start, start + length)
            made = replace(entry, source=name or path, line=note.line, end=note.end, span=span)
            found.append(made)
    return found


def _decoded(source: bytes) -> tuple[str, str]:
    """The text, without a byte order mark, and the encoding that gives its bytes back."""
    try:
        return source.decode("utf-8-sig"), "utf-8"
    except UnicodeDecodeError:
        return source.decode("latin-1"), "latin-1"


def _entries(text: str, settings: Settings) -> Iterator[Entry]:
    """Yield what a note says; who writes ``MEMORY:`` wants it kept, whatever it is."""
    from mind.documents import parser  # noqa: PLC0415 - only a changed file needs it

    parsed = parser.parse_line(text, settings)
    if parsed is not None:
        yield replace(parsed, confidence=max(parsed.confidence, _CONFIDENCE))
    elif any(character.isalnum() for character in text):
        why = f"{MARK} comment"
        yield Entry(id=content_id(text), kind=Kind.NOTE, text=text, confidence=_CONFIDENCE, why=why)
