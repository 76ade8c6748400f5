"""A Markdown file in pieces that are parsed and remembered one by one."""

import hashlib
import json
import re
import zlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Self

from mind.documents import notebook
from mind.domain.entry import Entry
from mind.domain.settings import Settings
from mind.storage.index import Piece

if TYPE_CHECKING:
    from mind.documents.parser.place import Headings

_LONG = 200
_LEAST, _MOST, _ONE_IN = 25, 200, 25
"""Lines of a group, and of those that may begin another one, how many do."""
_IS_DAY = re.compile(rb"#{1,3} \d{4}-\d\d-\d\d[ \t]*\r?\n")


@dataclass(frozen=True, slots=True)
class Tail:
    """Where the last piece of a file begins, if Mind's own lines may follow it without more ado.

    Reading a file of 50,000 entries anew for one that was appended takes a fifth of a second.

    Attributes:
        size: Bytes of the file.
        digest: Of those bytes, in hexadecimal.
        offset: First byte of the piece.
        line: Its first line, 1-based.
        ordinal: Its position among the pieces.
        headings: Above it.
        divided: Its section is divided; else it is the whole of its section.
    """

    size: int
    digest: str
    offset: int
    line: int
    ordinal: int
    headings: "Headings"
    divided: bool

    def to_json(self) -> str:
        """As kept in the index."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Self | None:
        """What was kept; None if nothing was."""
        if not text:
            return None
        kept = json.loads(text)
        return cls(**kept | {"headings": tuple((one[0], one[1]) for one in kept["headings"])})


@dataclass(frozen=True, slots=True)
class Cut:
    """The pieces of a file from position ``first`` on; those before are as they were."""

    pieces: list[Piece]
    first: int
    digest: str
    tail: Tail | None


def cut(source: bytes, name: str, settings: Settings, known: Tail | None = None) -> Cut:
    """Cut a file into pieces.

    A piece is a section with the headings above it. A long section of nothing but Mind's own
    lines (a busy day) is divided further, so that one more line does not parse the whole day.

    Args:
        source: The file.
        name: Its path as entries name it.
        settings: How it is parsed.
        known: From the last time: where only Mind's own lines were appended since, the pieces
            from the last one on are given.
    """
    if known and known.size <= len(source):
        whole = hashlib.sha256(memoryview(source)[: known.size])
        if _short(whole) == known.digest and _is_plain(source[known.size :], source, known):
            whole.update(memoryview(source)[known.size :])
            return _appended(source, name, settings, known, _short(whole))
    return _cut(source, name, settings, digest_of(source))


def digest_of(source: bytes) -> str:
    """What :attr:`Cut.digest` is of a file."""
    return _short(hashlib.sha256(source))


def _short(digest: "hashlib._Hash") -> str:
    """64 bits of SHA-256, which processors compute by themselves: twice as fast as others."""
    return digest.hexdigest()[:16]


def _is_plain(added: bytes, source: bytes, known: Tail) -> bool:
    """Whether what follows the known part is nothing but lines as Mind writes them."""
    follows_line = source[known.size - 1 : known.size] == b"\n"
    return follows_line and all(notebook.is_plain(line) for line in added.splitlines())


def _appended(source: bytes, name: str, settings: Settings, known: Tail, digest: str) -> Cut:
    text = source[known.offset :]
    parts = list(_groups(text) if known.divided else _divided(text))
    made = _Maker(name, settings, known.headings, known.line, known.offset)
    divided = known.divided or len(parts) > 1
    line, start, _ = parts[-1]
    tail = replace(
        known,
        size=len(source),
        digest=digest,
        offset=known.offset + start,
        line=known.line + line,
        ordinal=known.ordinal + len(parts) - 1,
        divided=divided,
    )
    return Cut([made.piece(*part) for part in parts], known.ordinal, digest, tail)


def _cut(source: bytes, name: str, settings: Settings, digest: str) -> Cut:
    from mind.documents import parser  # noqa: PLC0415 - only a changed file needs it

    pieces: list[Piece] = []
    tail = None
    for section in parser.pieces(source, name, settings):
        text = source[section.span.start : section.span.end]
        made = _Maker(name, settings, section.headings, section.line, section.span.start)
        parts = list(_divided(text))
        pieces += [made.piece(*part) for part in parts]
        if section.span.end == len(source) and _IS_DAY.match(text) and _is_simple(text):
            line, start, _ = parts[-1]
            tail = Tail(
                size=len(source),
                digest=digest,
                offset=section.span.start + start,
                line=section.line + line,
                ordinal=len(pieces) - 1,
                headings=section.headings,
                divided=len(parts) > 1,
            )
    return Cut(pieces, 0, digest, tail)


@dataclass(frozen=True, slots=True)
class _Maker:
    """Makes pieces of one section."""

    name: str
    settings: Settings
    headings: "Headings"
    line: int
    offset: int

    def piece(self, line: int, start: int, part: bytes) -> Piece:
        above = repr((self.name, self.headings, self.settings.reading)).encode()
        begin = (self.headings, self.line + line, self.offset + start)
        return Piece(
            digest=hashlib.blake2b(above + b"\0" + part, digest_size=16).digest(),
            line=begin[1],
            offset=begin[2],
            parse=partial(_parsed, part, self.name, self.settings, begin),
        )


def _parsed(
    part: bytes, name: str, settings: Settings, begin: "tuple[Headings, int, int]"
) -> list[Entry]:
    from mind.documents import parser  # noqa: PLC0415 - only a changed file needs it

    return parser.parse(part, name, settings, parser.Start(*begin))


def _is_simple(text: bytes) -> bool:
    return all(notebook.is_plain(line) for line in text.splitlines()[1:])


def _divided(text: bytes) -> Iterator[tuple[int, int, bytes]]:
    """(line, offset, bytes) of the parts of a section, relative to it."""
    if text.count(b"\n") < _LONG or not _is_simple(text):
        yield 0, 0, text
    else:
        yield from _groups(text)


def _groups(text: bytes) -> Iterator[tuple[int, int, bytes]]:
    """(line, offset, bytes) of groups of some 50 lines, none within an entry.

    Which line begins one is told by the line itself: were they counted, one line less in the
    morning of a busy day would make all groups behind it others, to be parsed anew.
    """
    lines = text.splitlines(keepends=True)
    first = at = 0
    for number in range(_LEAST, len(lines)):
        if _is_border(lines[number], number - first) and notebook.begins_entry(lines[number]):
            part = b"".join(lines[first:number])
            yield first, at, part
            first, at = number, at + len(part)
    yield first, at, b"".join(lines[first:])


def _is_border(line: bytes, size: int) -> bool:
    return size >= _MOST or (size >= _LEAST and not zlib.crc32(line) % _ONE_IN)
