"""``MEMORY:`` comments, read where they stand."""

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from mind import files, parser
from mind.config import Settings
from mind.entry import Entry, Kind, Span, content_id
from mind.errors import FileError
from mind.sources import syntax
from mind.sources.repository import folder_of, grep

MARK = b"MEMORY:"
_LARGEST = 1_000_000
_MOST_LINES = 30
_VENDORED = frozenset(
    """.git .mind .hg .svn node_modules bower_components vendor third_party third-party dist build
    out target .venv venv env site-packages __pycache__ .tox .nox .next .nuxt .cache coverage
    htmlcov .gradle .idea .terraform Pods DerivedData""".split()
)
_GENERATED = re.compile(
    r"(?:\.min\.(?:js|css)|\.map|[-.]lock(?:\.json)?|package-lock\.json|_pb2\.py|\.pb\.go|"
    r"\.generated\.\w+)$"
)
_MENTION = re.compile(r"(?<!\w)MEMORY:\s*(?=\S)")


@dataclass(frozen=True, slots=True)
class Commented:
    """The entries of one file, and what tells whether it changed."""

    stamp: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Comments:
    """Files with entries, by path relative to the root; ``problem`` says what was not read."""

    files: Mapping[str, Commented] = field(default_factory=dict)
    problem: str = ""


def scan(root: Path, settings: Settings, known: Mapping[str, str]) -> Comments:
    """Find every ``MEMORY:`` comment below ``root``.

    Args:
        root: The project; in a git repository tracked files and untracked ones that are not
            ignored are searched, elsewhere all but vendored folders.
        settings: For the parser.
        known: Path → stamp of files whose entries the caller holds; where the stamp is the same,
            the file is not read and its entries are left out.
    """
    found: dict[str, Commented] = {}
    for path in sorted(_candidates(root)):
        if not _is_source(path):
            continue
        stamp = _stamp(root / path, settings)
        if not stamp:
            continue
        if known.get(path) == stamp:
            found[path] = Commented(stamp, ())
            continue
        try:
            entries = tuple(entries_in(files.read(root / path), path, settings))
        except FileError:  # went away, or is not for us to read
            continue
        if entries:
            found[path] = Commented(stamp, entries)
    return Comments(found)


def _stamp(path: Path, settings: Settings) -> str:
    try:
        status = path.lstat()
    except OSError:
        return ""
    if path.is_symlink() or not path.is_file() or status.st_size > _LARGEST:
        return ""
    language = repr((settings.parser_languages, settings.parser_keywords))
    digest = hashlib.blake2b(language.encode(), digest_size=4).hexdigest()
    return f"{status.st_size}:{status.st_mtime_ns}:{digest}"


def _is_source(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return not _VENDORED.intersection(parts[:-1]) and not _GENERATED.search(path)


def _candidates(root: Path) -> list[str]:
    """Paths of files that mention the mark."""
    listed = grep(root, MARK.decode()) if folder_of(root) else None
    return list(_walked(root)) if listed is None else listed


def _walked(root: Path) -> Iterator[str]:
    for folder, names, contents in os.walk(root):
        names[:] = sorted(name for name in names if name not in _VENDORED)
        for name in contents:
            path = Path(folder) / name
            try:
                if path.stat().st_size <= _LARGEST and _mentions(path):
                    yield path.relative_to(root).as_posix()
            except OSError:
                continue


def _mentions(path: Path) -> bool:
    data = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
    return MARK in data and b"\0" not in data[:8000]


def entries_in(source: bytes, path: str, settings: Settings) -> list[Entry]:
    """The entries of the ``MEMORY:`` comments in ``source``."""
    marks = syntax.of(path)
    if marks is None or MARK not in source or b"\0" in source[:8000]:
        return []
    found = []
    for note in _notes(source.decode("utf-8", "surrogateescape"), marks):
        entry = _entry(note, path, settings)
        if entry is not None:
            found.append(entry)
    return found


@dataclass(slots=True)
class _Note:
    text: list[str]
    line: int
    start: int
    end: int


def _notes(text: str, marks: syntax.Syntax) -> Iterator[_Note]:
    """Each mention in a comment, with the comment lines that continue it."""
    note: _Note | None = None
    closing = ""
    at = 0
    for number, raw in enumerate(text.split("\n"), 1):
        comment, closing, column = _comment(raw.rstrip("\r"), marks, closing)
        size = len(raw.encode("utf-8", "surrogateescape"))
        mention = _MENTION.match(comment) if comment is not None else None
        if note is not None and (mention or not comment or len(note.text) >= _MOST_LINES):
            yield note
            note = None
        if mention and comment is not None:
            shown = comment[mention.end() :]
            begin = at + len(raw[: column + mention.end()].encode("utf-8", "surrogateescape"))
            end = begin + len(shown.encode("utf-8", "surrogateescape"))
            note = _Note([shown], number, begin, end)
        elif note is not None and comment:
            note.text.append(comment)
            lead = raw[: column + len(comment)].encode("utf-8", "surrogateescape")
            note.end = at + len(lead)
        at += size + 1
    if note is not None:
        yield note


def _comment(line: str, marks: syntax.Syntax, closing: str) -> tuple[str | None, str, int]:
    """The comment text of a line (None: no comment), what still has to close it, its column."""
    if closing:
        return _enclosed(line, 0, closing)
    opening = _opening(line, marks)
    if opening is None:
        return None, "", 0
    mark, ending, at = opening
    at += len(mark)
    if ending:
        return _enclosed(line, at, ending)
    while line[at : at + 1] in ("/", "#", "!", ";", "-", "%", "*") and line[at : at + 1]:
        at += 1
    return _trimmed(line, at, len(line), "")


def _enclosed(line: str, at: int, ending: str) -> tuple[str | None, str, int]:
    end = line.find(ending, at)
    closes = end >= 0
    lead = re.compile(r"\s*\*(?!/)\s?").match(line, at) if ending == "*/" else None
    at = lead.end() if lead else at
    return _trimmed(line, at, max(end, at) if closes else len(line), "" if closes else ending)


def _trimmed(line: str, start: int, end: int, closing: str) -> tuple[str | None, str, int]:
    text = line[start:end]
    lead = len(text) - len(text.lstrip())
    return text.strip(), closing, start + lead


def _opening(line: str, marks: syntax.Syntax) -> tuple[str, str, int] | None:
    """(mark, what closes it, column) of the first comment mark outside a string on the line."""
    pairs = [*marks.block, *((mark, "") for mark in marks.line)]
    quote = ""
    at = 0
    while at < len(line):
        character = line[at]
        if quote:
            at += character == "\\"
            quote = "" if character == quote else quote
        else:
            for mark, ending in pairs:
                if line.startswith(mark, at) and _stands_apart(line, at, mark):
                    return mark, ending, at
            quote = character if character in "\"'`" else ""
        at += 1
    return None


def _stands_apart(line: str, at: int, mark: str) -> bool:
    """A mark made of letters, or one that code uses too, needs white space before it."""
    if mark in ("//", "/*", "<!--", '"""', "'''", "{#", "(*", "{-"):
        return mark != "//" or at == 0 or line[at - 1] != ":"
    return at == 0 or line[at - 1] in " \t"


def _entry(note: _Note, path: str, settings: Settings) -> Entry | None:
    text = " ".join(" ".join(note.text).split())
    parsed = parser.parse_line(text, settings)
    if parsed is None:
        if not re.search(r"\w", text):
            return None
        parsed = Entry(
            id=content_id(text), kind=Kind.NOTE, text=text, confidence=0.7, why="MEMORY: comment"
        )
    return replace(
        parsed,
        source=path,
        line=note.line,
        end=note.line + len(note.text) - 1,
        span=Span(note.start, note.end),
    )
