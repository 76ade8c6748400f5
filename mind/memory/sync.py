"""Updating the index from files, comments and commits.

A source is read only if its stamp changed, and only its changed chunks are parsed: the cost depends
on the change, not on the size of the memory.
"""

import contextlib
import hashlib
import json
import os
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Self

from mind.documents import markdown, memory_file
from mind.domain.entry import Entry
from mind.domain.errors import FileError, IndexIncomplete
from mind.domain.settings import Settings
from mind.memory import verdicts
from mind.storage import files, gitindex
from mind.storage.files.content import held, opened, part
from mind.storage.index import Chunk, Index, RefreshedEntries
from mind.storage.project import Project
from mind.text import lazy_pattern, secrets

if TYPE_CHECKING:
    from mind.documents.parser.place import Headings
    from mind.sources.commits import Message


_LONG = 200
_LEAST, _MOST, _ONE_IN = 25, 200, 25
"""Minimum and maximum lines of a group; between them, one line in N may start a new group."""
_IS_DAY = lazy_pattern(rb"#{1,3} \d{4}-\d\d-\d\d[ \t]*\r?\n")


@dataclass(frozen=True, slots=True)
class LastChunk:
    """The start of a file's last chunk, if appended lines may simply extend it.

    Parsing a file of 50,000 entries for one appended line takes a fifth of a second.

    Attributes:
        size: Size of the file, bytes.
        digest: Digest of those bytes, hexadecimal.
        offset: First byte of the chunk.
        line: Its first line, 1-based.
        ordinal: Its position among the chunks.
        headings: The headings above it.
        divided: True if its section is divided; else it is the whole section.
    """

    size: int
    digest: str
    offset: int
    line: int
    ordinal: int
    headings: "Headings"
    divided: bool

    def to_json(self) -> str:
        """Return the JSON stored in the index."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Self | None:
        """Parse the stored value; None if there is none."""
        if not text:
            return None
        kept = json.loads(text)
        return cls(**kept | {"headings": tuple((one[0], one[1]) for one in kept["headings"])})


@dataclass(frozen=True, slots=True)
class ChangedChunks:
    """The chunks of a file from position ``first`` on; earlier ones are unchanged."""

    chunks: list[Chunk]
    first: int
    digest: str
    tail: LastChunk | None


def cut(
    source: bytes, name: str, settings: Settings, known: LastChunk | None = None
) -> ChangedChunks:
    """Cut a file into chunks.

    A chunk is a section with the headings above it. A long section of only Mind's own lines (a
    busy day) is divided further, so that an appended line does not reparse the whole day.

    Args:
        source: Content of the file.
        name: Its path, as in entries.
        settings: Settings for parsing.
        known: Tail of the previous read; if only Mind's own lines were appended since, only the
            chunks from the last one on are returned.
    """
    if known and known.size <= len(source):
        whole = hashlib.sha256(memoryview(source)[: known.size])
        if _short(whole) == known.digest and _is_plain(source[known.size :], source, known):
            whole.update(memoryview(source)[known.size :])
            begin = replace(known, size=len(source), digest=_short(whole))
            chunks, tail = _chunks(source[known.offset :], name, settings, begin)
            return ChangedChunks(chunks, known.ordinal, begin.digest, tail)
    return _cut(source, name, settings, digest_of(source))


def entries(project: Project, index: Index, source: bytes) -> list[Entry]:
    """Return the entries of a version of MEMORY.md, not numbered.

    Only chunks that the index does not have are parsed.
    """
    name = project.relative(project.memory)
    return index.parsed(name, cut(source, name, project.settings).chunks)


def digest_of(source: bytes) -> str:
    """Return the :attr:`LastChunk.digest` of a file."""
    return _short(hashlib.sha256(source))


def _short(digest: "hashlib._Hash") -> str:
    """Return 64 bits of SHA-256, which is hardware-accelerated: twice as fast as others."""
    return digest.hexdigest()[:16]


def _is_plain(added: bytes, source: bytes, known: LastChunk) -> bool:
    """Return True if only lines in Mind's own format follow the known part."""
    follows_line = source[known.size - 1 : known.size] == b"\n"
    return follows_line and all(memory_file.is_plain(line) for line in added.splitlines())


def _cut(source: bytes, name: str, settings: Settings, digest: str) -> ChangedChunks:
    from mind.documents import parser  # noqa: PLC0415 - only a changed file needs it

    chunks: list[Chunk] = []
    tail = None
    for section in parser.chunks(source, name, settings):
        text = source[section.span.start : section.span.end]
        begin = LastChunk(
            size=len(source),
            digest=digest,
            offset=section.span.start,
            line=section.line,
            ordinal=len(chunks),
            headings=section.headings,
            divided=False,
        )
        made, last = _chunks(text, name, settings, begin)
        chunks += made
        if section.span.end == len(source) and _IS_DAY.match(text) and _is_simple(text):
            tail = last
    return ChangedChunks(chunks, 0, digest, tail)


def _chunks(
    text: bytes, name: str, settings: Settings, begin: LastChunk
) -> tuple[list[Chunk], LastChunk]:
    """Return the chunks of a section, and the last of them.

    Args:
        text: The section, or the rest of it.
        name: Path of the file.
        settings: Settings for parsing.
        begin: A chunk that begins where ``text`` does.
    """
    above = repr((name, begin.headings, settings.reading)).encode()
    is_long = begin.divided or (text.count(b"\n") >= _LONG and _is_simple(text))
    parts = list(_groups(text)) if is_long else [(0, 0, text)]
    chunks = [
        Chunk(
            digest=hashlib.blake2b(above + b"\0" + part, digest_size=16).digest(),
            line=begin.line + line,
            offset=begin.offset + start,
            parse=partial(
                _parsed,
                part,
                name,
                settings,
                (begin.headings, begin.line + line, begin.offset + start),
            ),
        )
        for line, start, part in parts
    ]
    last = replace(
        begin,
        offset=chunks[-1].offset,
        line=chunks[-1].line,
        ordinal=begin.ordinal + len(parts) - 1,
        divided=begin.divided or len(parts) > 1,
    )
    return chunks, last


def _parsed(
    part: bytes, name: str, settings: Settings, begin: "tuple[Headings, int, int]"
) -> list[Entry]:
    from mind.documents import parser  # noqa: PLC0415 - only a changed file needs it

    return parser.parse(part, name, settings, parser.ChunkStart(*begin))


def _is_simple(text: bytes) -> bool:
    return all(memory_file.is_plain(line) for line in text.splitlines()[1:])


def _groups(text: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Yield (line, offset, bytes) of groups of about 50 lines that split no entry.

    The content of a line decides whether it starts a group. With a line count, deleting one line
    would shift all later groups, and all would be parsed again.
    """
    lines = text.splitlines(keepends=True)
    first = at = 0
    for number in range(_LEAST, len(lines)):
        if _is_border(lines[number], number - first) and memory_file.begins_entry(lines[number]):
            part = b"".join(lines[first:number])
            yield first, at, part
            first, at = number, at + len(part)
    yield first, at, b"".join(lines[first:])


def _is_border(line: bytes, size: int) -> bool:
    return size >= _MOST or (size >= _LEAST and not zlib.crc32(line) % _ONE_IN)


RANKS = {"memory": 0, "session": 1, "comments": 2, "commits": 3, "documents": 4}
COMMITS = "//commits"
"""Key of commit messages, which cannot be a file name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The outcome of a refresh.

    Attributes:
        change: Change of the entries.
        problems: Problems, each with its remedy.
        is_complete: False if time ran out; answers are then from the last complete state.
    """

    change: RefreshedEntries
    problems: tuple[str, ...] = ()
    is_complete: bool = True


def refresh(
    project: Project,
    index: Index,
    *,
    sources: bool = True,
    enough: Callable[[bytes | None], bool] | None = None,
) -> Report:
    """Update ``index`` from the current files.

    Args:
        project: The project.
        index: Its index.
        sources: Also read comments and commits, which the user's own memory does not have; else
            only the Markdown files.
        enough: Called once this process may write, maybe after waiting for others; returns True if
            the part that is still :func:`unread` may stay unread.
    """

    def read() -> Report:
        problems = list(project.problems)
        change = RefreshedEntries()
        index.partial = ""
        try:
            for path, family in ((project.memory, "memory"), (project.session, "session")):
                change += _refresh_file(project, index, path, family, problems, enough)
                change += _drop_renamed(index, family, project.relative(path))
            if sources and not project.is_own:
                change += _refresh_comments(project, index, problems)
                change += refresh_commits(
                    project, index, problems, lambda one: one.entries(), "commits"
                )
        except IndexIncomplete as late:
            index.partial = str(late)
            problems.append(index.partial)
        verdicts.refresh(project, index)  # last: edits have just been logged
        return Report(
            change=change,
            problems=tuple(dict.fromkeys(problems)),  # git may fail both queries
            is_complete=not index.partial,
        )

    return index.fill(read)


def refresh_whole(project: Project, index: Index, *, sources: bool = True) -> None:
    """Update ``index`` completely, for writes that depend on its answers.

    Raises:
        IndexIncomplete: Time ran out.
    """
    report = refresh(project, index, sources=sources)
    if not report.is_complete:
        raise IndexIncomplete("The index is not complete")


def _prepare(index: Index, path: str, chunks: Sequence[Chunk]) -> None:
    """Parse the new ``chunks`` before writing anything, if there are many.

    Raises:
        IndexIncomplete: Time ran out; the parsed chunks are kept.
    """
    done = index.prepare(path, chunks)
    if done < 1:
        raise IndexIncomplete(
            f"The index is {int(done * 100)} % complete; answers are from its last complete state"
        )


def _refresh_file(  # noqa: PLR0913, PLR0917 - one step of the one above
    project: Project,
    index: Index,
    path: Path,
    family: str,
    problems: list[str],
    enough: Callable[[bytes | None], bool] | None,
) -> RefreshedEntries:
    name = project.relative(path)
    change = RefreshedEntries()
    ahead: list[ChangedChunks] = []
    while index.stamps().get(name) != _key(project, path):
        before = len(ahead)
        with index.writing():
            try:
                if enough and enough(unread(project, index.meta(tail_key(project)))):
                    return RefreshedEntries()
                change = _read(project, index, path, family, ahead)
            except FileError as error:
                problems.append(str(error))
                return RefreshedEntries()
        if len(ahead) == before:
            break
        _prepare(index, name, ahead[-1].chunks)
    problem = index.meta(f"problem:{name}")
    problems += [problem] if problem else []
    return change


def _drop_renamed(index: Index, family: str, name: str) -> RefreshedEntries:
    """Drop the file by the names it had before its folder was renamed, together with the index."""
    if name not in (known := index.paths(family)) or len(known) == 1:
        return RefreshedEntries()
    with index.writing():
        return _dropped(index, [one for one in index.paths(family) if one != name])


def _key(project: Project, path: Path) -> str:
    return f"{gitindex.stamp(path)}|{project.settings.reading}"


def _read(
    project: Project, index: Index, path: Path, family: str, ahead: list[ChangedChunks]
) -> RefreshedEntries:
    """Read a file into the index, as its writer.

    If much of it is new, nothing is changed, and its chunks are appended to ``ahead``.

    The file is read only now: while waiting for the lock, other processes may have indexed newer
    content.

    Raises:
        FileError: The file cannot be read.
    """
    name = project.relative(path)
    known, key = index.stamps().get(name), _key(project, path)
    if known == key:
        return RefreshedEntries()
    source = files.read(path)
    is_read_alike = (known or "").partition("|")[2] == key.partition("|")[2]  # same settings
    told = LastChunk.from_json(index.meta(f"tail:{name}")) if is_read_alike else None
    made = ahead[-1] if ahead else None
    if made is None or made.first or made.digest != digest_of(source):
        made = cut(source, name, project.settings, told)
    if index.is_much(name, made.chunks):
        ahead.append(made)
        return RefreshedEntries()
    before = index.meta(f"{family}_hash")
    index.note(f"{family}_hash", _kept_digest(source, made.digest, family))
    index.note(f"problem:{name}", _problem(source, name, is_ended=made.tail is not None))
    index.note(f"tail:{name}", made.tail.to_json() if made.tail else "")
    put = index.replace(
        name,
        family=family,
        rank=RANKS[family],
        stamp=key,
        chunks=made.chunks,
        first=made.first,
    )
    if put.gone and not (family == "session" and _has_ended(project, before)):
        verdicts.note_edits(project, index, put)
    return _noted(index, put)


def _kept_digest(source: bytes, digest: str, family: str) -> str:
    """Return a file's digest; for a session's buffer, that of the masked copy kept at its end."""
    kept = secrets.mask_bytes(source) if family == "session" else source
    return digest if kept is source else digest_of(kept)


def _has_ended(project: Project, digest: str) -> bool:
    """Return True if the session's buffer, as read, was archived: new lines are the next session's.

    True too if the archived buffer cannot be read.
    """
    try:
        return digest == digest_of(memory_file.last_ended(files.read(project.last_session)))
    except FileError:
        return True


def tail_key(project: Project) -> str:
    """Return the key of the note in the index about the last chunk of MEMORY.md."""
    return f"tail:{project.relative(project.memory)}"


def unread(project: Project, tail: str) -> bytes | None:
    """Return text appended to MEMORY.md since the last read, if it is short and the only change.

    A check for an existing line then need not wait until all is read.

    Args:
        project: The project.
        tail: The note in the index about the last chunk.
    """
    told = LastChunk.from_json(tail)
    with (
        contextlib.suppress(OSError, FileError),
        held(opened(project.memory, os.O_RDONLY)) as memory,
    ):
        if told and 0 <= os.fstat(memory).st_size - told.size <= _LITTLE:
            return part(memory, told.size, _LITTLE)
    return None


_LITTLE = 4096
"""Maximum number of unread bytes, about 25 entries."""


def _noted(index: Index, change: RefreshedEntries) -> RefreshedEntries:
    """Notify derived data of changed entries, in the same transaction."""
    if change != RefreshedEntries():
        index.note("generation", str(int(index.meta("generation") or 0) + 1))
    return change


_CONFLICT = tuple(
    lazy_pattern(mark, re.MULTILINE) for mark in (rb"^<{7} ", rb"^={7}\r?$", rb"^>{7} ")
)
"""The lines of a merge conflict, in order. One expression for all of them takes cubic time."""


def _problem(source: bytes, name: str, *, is_ended: bool) -> str:
    """Return a recoverable fault in a memory file; "" if none.

    A file that ``is_ended`` leaves no block of code or comment open at its end.
    """
    try:
        source.decode("utf-8")
    except UnicodeDecodeError as error:
        line = source.count(b"\n", 0, error.start) + 1
        return f"{name}:{line} is not UTF-8. Save the file as UTF-8; the other lines are read."
    conflict = _conflict(source) if b"<<<<<<< " in source else None
    if conflict is not None:
        line = source.count(b"\n", 0, conflict) + 1
        return f"{name}:{line} has a merge conflict. Resolve it; both sides are read until then."
    line, end = (0, "") if is_ended else left_open(source)
    return f"{name}:{line} {OPEN}. Add a line {end} where it ends." if line else ""


OPEN = "opens a block of code or a comment that is not closed: what follows is not read"


def left_open(source: bytes) -> tuple[int, str]:
    """Return the line of the fence or comment that is not closed, and what closes it; 0 if none."""
    found = markdown.unended(source)
    if found is None:
        return 0, ""
    return source.count(b"\n", 0, found.start) + 1, found.end.decode()


def _conflict(source: bytes) -> int | None:
    """Return the offset of the first line of a merge conflict; None if there is none."""
    starts, at = list[int](), 0
    for mark in _CONFLICT:
        found = mark.search(source, at)
        if found is None:
            return None
        starts.append(found.start())
        at = found.end()
    return starts[0]


def _refresh_comments(project: Project, index: Index, problems: list[str]) -> RefreshedEntries:
    known = {path: index.stamps()[path] for path in index.paths("comments")}
    if not project.settings.capture_comments:
        return refresh_files(project, index, known, {}, "comments")
    from mind.sources import comments  # noqa: PLC0415 - only when captured

    found = comments.scan(project.root, project.settings, known)
    problems += [found.problem] if found.problem else []
    return refresh_files(project, index, known, found.files, "comments")


def refresh_files(
    project: Project,
    index: Index,
    known: Mapping[str, str],
    files: Mapping[str, tuple[str, Callable[[], Iterable[Entry]]]],
    family: str,
) -> RefreshedEntries:
    """Update ``index`` from ``files`` of a family: stamp and reader by path.

    ``known`` are the stamps in the index.
    """
    changed = {path: one for path, one in files.items() if known.get(path) != one[0]}
    gone = [path for path in known if path not in files]
    if not changed and not gone:
        return RefreshedEntries()
    chunks = {path: whole(repr((path, stamp)), read) for path, (stamp, read) in changed.items()}
    _prepare(index, f"//{family}", list(chunks.values()))
    changes: list[RefreshedEntries] = []
    with index.writing():
        for path, chunk in chunks.items():
            rows = index.rows(f"//{family}", chunk)
            put = index.replace(
                path,
                family=family,
                rank=RANKS[family],
                stamp=changed[path][0],
                chunks=[Chunk(digest=rows.digest, line=0, offset=0, rows=rows)],
            )
            changes.append(put)
        index.drop_prepared(f"//{family}")
        if family == "comments":
            verdicts.note_edits(project, index, *changes)
        return _noted(index, sum(changes, _dropped(index, gone)))


def refresh_commits(
    project: Project,
    index: Index,
    problems: list[str],
    read: "Callable[[Message], Iterable[Entry]]",
    family: str,
) -> RefreshedEntries:
    """Update ``index`` from new commit messages, each read by ``read``."""
    from mind.sources.git import repository  # noqa: PLC0415 - only when captured

    stamp = index.stamps().get(COMMITS)
    settings = project.settings
    head = repository.head(project.root) if settings.capture_commits else None
    if head is None:
        with index.writing():
            return _noted(index, _dropped(index, [COMMITS] if stamp else []))
    how = f"{settings.reading}:{settings.capture_max_commits}"
    seen, _, read_as = (stamp or "").partition("|")
    if (head, how) == (seen, read_as):
        return RefreshedEntries()
    from mind.sources import commits  # noqa: PLC0415 - only new commits are read

    since = seen if read_as == how else None
    found = commits.scan(project.root, settings, since, settings.capture_max_commits)
    problems += [found.problem] if found.problem else []
    if found.problem:
        return RefreshedEntries()
    chunks = [whole(f"{one.commit} {how}", partial(read, one)) for one in found.messages]
    _prepare(index, COMMITS, chunks)
    put = index.extend if since and not found.rewritten else index.replace
    with index.writing():
        if index.stamps().get(COMMITS) != stamp:  # another process was faster
            return RefreshedEntries()
        change = put(
            COMMITS, family=family, rank=RANKS[family], stamp=f"{found.head}|{how}", chunks=chunks
        )
        change += index.trim(COMMITS, settings.capture_max_commits)
        return _noted(index, change)


def whole(digest: str, parse: Callable[[], Iterable[Entry]]) -> Chunk:
    """Return a source as a single chunk, identified by everything its entries depend on."""
    digested = hashlib.blake2b(digest.encode("utf-8", "surrogateescape"), digest_size=16).digest()
    return Chunk(digest=digested, line=0, offset=0, parse=parse)


def _dropped(index: Index, paths: Sequence[str]) -> RefreshedEntries:
    return sum(map(index.drop, paths), RefreshedEntries())
