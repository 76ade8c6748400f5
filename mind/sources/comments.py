"""``MEMORY:`` notes in source comments, read in place, including their continuation lines."""

import re
from bisect import bisect_right
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from mind.documents.secret_entries import covered
from mind.domain.entry import Entry, Kind, Span, content_id, number_repeats
from mind.domain.settings import Settings
from mind.sources import MARK
from mind.sources.git import repository
from mind.text import lazy_pattern, secrets

if TYPE_CHECKING:
    from mind.sources.languages import SourceComment, Syntax

_MOST_LINES = 30
_MENTION = lazy_pattern(r"(?:[-*•]\s+)?(?:\*\*)?MEMORY:(?:\*\*)?\s*")
_DECORATION = lazy_pattern(r"[ \t\r]*+(?:[*|!#+~-]+(?=[ \t\r]|$))?[ \t\r]*+")
_OTHER = lazy_pattern(
    r"(?:TODO|FIXME|XXX|HACK|BUG|NOTE|SAFETY|OPTIMIZE)\b\s*[:(]|:(?:param|returns?|raises)\b|"
    r"[@\\](?:param|returns?|throws|exception|see|since|deprecated|type|typedef|template|example|"
    r"author|brief|note|todo|property|override|internal|default|ts-)\b|"
    r"(?:noqa|type:|fmt:|pylint:|mypy:|ruff:|pragma:|nolint|eslint-|prettier-|tslint:|region\b|"
    r"endregion\b|spell-?checker:|cspell:|istanbul |c8 |v8 |shellcheck |rubocop:)"
)


class CommentNote(NamedTuple):
    """A ``MEMORY:`` note in a comment.

    Attributes:
        text: Joined to one line, without ``MEMORY:``.
        said: The same with line breaks kept.
        line: First line, 1-based.
        end: Last line, inclusive.
        start: Offset of ``MEMORY:`` in the text.
        stop: Offset after the last word.
    """

    text: str
    said: str
    line: int
    end: int
    start: int
    stop: int


class _Line(NamedTuple):
    """One line of a comment; lines continue one another only if their ``style`` is equal."""

    number: int
    start: int
    stop: int
    style: tuple[str, int]
    alone: bool


def notes(text: str, syntax: "Syntax") -> Iterator[CommentNote]:
    """Yield the notes of a text in order of position."""
    gathered: list[_Line] = []
    first = 0
    for line in _lines(text, syntax):
        said = text[line.start : line.stop]
        mention = _MENTION.match(said)
        if gathered and (mention or not _goes_on(gathered, line, said)):
            yield _note(text, gathered, first)
            gathered = []
        if mention:
            first = line.start + mention.end()
        if mention or gathered:
            gathered.append(line)
    if gathered:
        yield _note(text, gathered, first)


def _goes_on(gathered: list[_Line], line: _Line, said: str) -> bool:
    last = gathered[-1]
    adjoins = line.style == last.style and line.number == last.number + 1 and line.alone
    says = re.search(r"\w", said) is not None and not _OTHER.match(said)
    return adjoins and says and len(gathered) < _MOST_LINES


def _note(text: str, lines: list[_Line], first: int) -> CommentNote:
    parts = [text[first : lines[0].stop], *(text[line.start : line.stop] for line in lines[1:])]
    return CommentNote(
        text=" ".join(" ".join(parts).split()),
        said="\n".join(parts),
        line=lines[0].number,
        end=lines[-1].number,
        start=lines[0].start,
        stop=lines[-1].stop,
    )


def _lines(text: str, syntax: "Syntax") -> Iterator[_Line]:
    from mind.sources.languages import remarks  # noqa: PLC0415 - only a changed file needs it

    starts = [0, *(found.end() for found in re.finditer("\n", text))]
    for number, remark in enumerate(remarks(text, syntax)):
        if remark.mark or MARK in text[remark.first : remark.end]:
            yield from _lines_of(text, remark, starts, -number - 1)


def _lines_of(text: str, remark: "SourceComment", starts: list[int], block: int) -> Iterator[_Line]:
    row = bisect_right(starts, remark.start) - 1
    column = remark.start - starts[row]
    alone = not text[starts[row] : remark.start].strip()
    style = (remark.mark, column if remark.mark else block)
    at = remark.first
    row = bisect_right(starts, remark.first) - 1
    while at <= remark.end:
        stop = text.find("\n", at, remark.end)
        stop = remark.end if stop < 0 else stop
        yield _line(text, at, stop, _Line(row + 1, 0, 0, style, alone or not remark.mark))
        at = stop + 1
        row += 1


def _line(text: str, at: int, stop: int, line: _Line) -> _Line:
    """Narrow ``line`` to its text, without comment decoration."""
    decoration = _DECORATION.match(text, at, stop)
    start = decoration.end() if decoration else at
    end = start + len(_without_tail(text[start:stop]))
    return _Line(line.number, start, max(start, end), line.style, line.alone)


def _without_tail(text: str) -> str:
    """``text`` without stars, or a rule apart from it, at its end."""
    bare = text.rstrip()
    marked = bare.rstrip("*~-")
    return marked[:-1] if bare != marked and marked[-1:].isspace() else bare.rstrip("*")


Stamp = str

_NOTHING: Mapping[str, Stamp] = MappingProxyType({})
_CONFIDENCE = 0.7


class Commented(NamedTuple):
    """A file that contains ``MEMORY:``.

    Attributes:
        stamp: Changes when the file or a relevant setting changes.
        read: Returns the file's entries; nothing if the caller knows the stamp.
    """

    stamp: Stamp
    read: Callable[[], tuple[Entry, ...]] = tuple

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Return the file's entries."""
        return self.read()


@dataclass(frozen=True, slots=True)
class Comments:
    """Files that contain ``MEMORY:``, by path relative to the root, without credentials.

    Files that no longer exist have no entries. ``problem`` describes what could not be read and
    the remedy; "" if nothing.
    """

    files: Mapping[str, Commented] = field(default_factory=dict)
    problem: str = ""


def scan(root: Path, settings: Settings, known: Mapping[str, Stamp] = _NOTHING) -> Comments:
    """Find every ``MEMORY:`` comment below ``root``.

    Args:
        root: The project.
        settings: For the parser.
        known: Stamps by path of files whose entries the caller has; such a file is opened only
            if its stamp changed.
    """
    paths, problem = repository.candidates(root)
    if paths is None:  # keep the known entries
        return Comments({path: Commented(one) for path, one in known.items()}, problem)
    digest = settings.reading
    found: dict[str, Commented] = {}
    for path, name in zip(paths, told(paths, known), strict=True):
        stamp = repository.stamp(root / path)
        if stamp is not None and known.get(name) == f"{stamp}:{digest}":
            found[name] = Commented(known[name])
            continue
        source = repository.read(root / path)
        if stamp is not None and source is not None:
            read = partial(_entries_of, source, path, name, settings)
            found[name] = Commented(f"{stamp}:{digest}", read)
    return Comments(found, problem)


def _entries_of(source: bytes, path: str, name: str, settings: Settings) -> tuple[Entry, ...]:
    return tuple(entries_in(source, path, settings, name=name))


def told(paths: Sequence[str], known: Container[str] = ()) -> list[str]:
    """Mask credentials in ``paths``, keeping the names distinct; ``known`` names have none."""
    if not secrets.find("\n".join(path for path in paths if path not in known)):
        return list(paths)
    return number_repeats(map(secrets.mask, paths))


def entries_in(
    source: bytes, path: str, settings: Settings, *, name: str | None = None
) -> list[Entry]:
    """Return the entries of a file's ``MEMORY:`` comments, without credentials.

    Args:
        source: Content of the file.
        path: Path of the file.
        settings: For the parser.
        name: Path to use in the entries; ``path`` by default.
    """
    from mind.sources.languages import syntax_of  # noqa: PLC0415 - only a changed file needs it

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
    """Return the text without byte order mark, and the encoding to convert it back."""
    try:
        return source.decode("utf-8-sig"), "utf-8"
    except UnicodeDecodeError:
        return source.decode("latin-1"), "latin-1"


def _entries(text: str, settings: Settings) -> Iterator[Entry]:
    """Yield the entries of a note; ``MEMORY:`` is an explicit request, so nothing is filtered."""
    from mind.documents import parser  # noqa: PLC0415 - only a changed file needs it

    parsed = parser.parse_line(text, settings)
    if parsed is not None:
        yield replace(parsed, confidence=max(parsed.confidence, _CONFIDENCE))
    elif any(character.isalnum() for character in text):
        why = f"{MARK} comment"
        yield Entry(id=content_id(text), kind=Kind.NOTE, text=text, confidence=_CONFIDENCE, why=why)
