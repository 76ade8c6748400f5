"""Bringing the index up to date with the files, the comments and the commits.

A source is read only when its stamp changed, and parsed only where its pieces did: work grows
with the change, not with the memory.
"""

import hashlib
import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from mind.domain.entry import Entry
from mind.domain.errors import FileError, IndexIncomplete
from mind.memory import usage
from mind.memory.pieces import Cut, Tail, cut, digest_of
from mind.storage import files
from mind.storage.files.content import opened
from mind.storage.index import Change, Index, Piece
from mind.storage.project import Project
from mind.text import secrets

RANKS = {"memory": 0, "session": 1, "comments": 2, "commits": 3}
COMMITS, COMMENTS = "//commits", "//comments"
"""The keys of commit messages, and of comments that are being read: no file can have them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a refresh did.

    Attributes:
        change: Of the entries.
        problems: Each with its remedy.
        memory_hash: The digest of MEMORY.md, as it was read.
        is_complete: All of it is in the index; else the time was over, and answers are of the
            last state that was complete.
    """

    change: Change
    problems: tuple[str, ...] = ()
    memory_hash: str = ""
    is_complete: bool = True


def refresh(
    project: Project,
    index: Index,
    *,
    sources: bool = True,
    enough: Callable[[], bool] = lambda: False,
) -> Report:
    """Make ``index`` answer for the files as they are now.

    Args:
        project: Whose files.
        index: Its index.
        sources: Look at comments and commits too, which the user's own memory has none of;
            without, only at the Markdown files.
        enough: Asked when it is this process's turn to write, which others may have kept it
            waiting for: what they read may do.
    """
    problems = list(project.problems)
    change = Change()
    index.partial = ""
    try:
        for path, family in ((project.memory, "memory"), (project.session, "session")):
            change += _refresh_file(project, index, path, family, problems, enough)
        if sources and not project.is_own:
            change += _refresh_comments(project, index, problems)
            change += _refresh_commits(project, index, problems)
    except IndexIncomplete as late:
        index.partial = str(late)
        problems.append(index.partial)
    usage.refresh(project, index)  # last: what was edited was just noted in the log
    return Report(
        change=change,
        problems=tuple(dict.fromkeys(problems)),  # git may answer neither question
        memory_hash=index.meta("memory_hash"),
        is_complete=not index.partial,
    )


def refresh_whole(project: Project, index: Index, *, sources: bool = True) -> None:
    """Make ``index`` answer for the files as they are now, for what is written by its answers.

    Raises:
        IndexIncomplete: The time for it is over.
    """
    report = refresh(project, index, sources=sources)
    if not report.is_complete:
        raise IndexIncomplete("The index is not complete")


def _prepare(index: Index, path: str, pieces: Sequence[Piece]) -> None:
    """Parse what is new of ``pieces``, if that is much, before anything is written.

    Raises:
        IndexIncomplete: The time for it is over; what was parsed is kept.
    """
    done = index.prepare(path, pieces)
    if done < 1:
        raise IndexIncomplete(
            f"The index is {int(done * 100)} % complete; answers are from its last complete state"
        )


def _stamp(path: Path) -> str:
    try:
        status = path.stat()
    except OSError:
        return ""
    return f"{status.st_size}:{status.st_mtime_ns}:{status.st_ino}"


def _refresh_file(  # noqa: PLR0913, PLR0917 - one step of the one above
    project: Project,
    index: Index,
    path: Path,
    family: str,
    problems: list[str],
    enough: Callable[[], bool],
) -> Change:
    name = project.relative(path)
    change = Change()
    ahead: list[Cut] = []
    while index.stamps().get(name) != _key(project, path):
        before = len(ahead)
        with index.writing():
            try:
                change = Change() if enough() else _read(project, index, path, family, ahead)
            except FileError as error:
                problems.append(str(error))
                return Change()
        if len(ahead) == before:
            break
        _prepare(index, name, ahead[-1].pieces)
    problem = index.meta(f"problem:{name}")
    problems += [problem] if problem else []
    return change


def _key(project: Project, path: Path) -> str:
    return f"{_stamp(path)}|{project.settings.reading}"


def _read(project: Project, index: Index, path: Path, family: str, ahead: list[Cut]) -> Change:
    """Read a file into the index, whose writer the caller is.

    If much of it is new, nothing is changed, and what it is cut into is added to ``ahead``.

    It may have waited for its turn: what the file held before that could be older than what is in
    the index, and others who waited for the same may have read all there is.

    Raises:
        FileError: It cannot be read.
    """
    name = project.relative(path)
    known, key = index.stamps().get(name), _key(project, path)
    if known == key:
        return Change()
    source = files.read(path)
    told = Tail.from_json(index.meta(f"tail:{name}")) if _is_as_before(known, key) else None
    made = ahead[-1] if ahead else None
    if made is None or made.first or made.digest != digest_of(source):
        made = cut(source, name, project.settings, told)
    if index.is_much(name, made.pieces):
        ahead.append(made)
        return Change()
    before = index.meta(f"{family}_hash")
    index.note(f"{family}_hash", _kept_digest(source, made.digest, family))
    index.note(f"problem:{name}", _problem(source, name))
    index.note(f"tail:{name}", made.tail.to_json() if made.tail else "")
    put = index.replace(
        name,
        family=family,
        rank=RANKS[family],
        stamp=key,
        pieces=made.pieces,
        first=made.first,
    )
    if put.gone and not (family == "session" and _has_ended(project, before)):
        usage.note_edits(project, index, put)
    return _noted(index, put)


def _kept_digest(source: bytes, digest: str, family: str) -> str:
    """The digest of a file, or of the copy that is kept of a session's buffer when it ends."""
    kept = secrets.mask_bytes(source) if family == "session" else source
    return digest if kept is source else digest_of(kept)


def _has_ended(project: Project, digest: str) -> bool:
    """Whether a session's buffer, as it was read, was put away: what is new is of the next one.

    Nobody knows if what was put away cannot be read.
    """
    try:
        return digest == digest_of(files.read(project.last_session))
    except FileError:
        return True


def unread(project: Project, index: Index) -> bytes | None:
    """What was appended to MEMORY.md since it was read, if that is all and it is little.

    Who only wants to know whether a line stands there already need not wait until all is read.
    """
    told = Tail.from_json(index.meta(f"tail:{project.relative(project.memory)}"))
    try:
        descriptor = opened(project.memory, os.O_RDONLY)
    except (OSError, FileError):
        return None
    with os.fdopen(descriptor, "rb") as file:
        size = file.seek(0, 2)
        if told is None or not 0 <= size - told.size <= _LITTLE:
            return None
        file.seek(told.size)
        return file.read(_LITTLE)


_LITTLE = 4096
"""Bytes: some 25 entries."""


def _noted(index: Index, change: Change) -> Change:
    """Tell what is derived from the entries that they changed, in the transaction that does it."""
    if change != Change():
        index.note("generation", str(int(index.meta("generation") or 0) + 1))
    return change


def _is_as_before(known: str | None, key: str) -> bool:
    """Whether the file was read with the same settings the last time."""
    return known is not None and known.partition("|")[2] == key.partition("|")[2]


_CONFLICT = re.compile(rb"^<{7} .*?^={7}\r?$.*?^>{7} ", re.DOTALL | re.MULTILINE)


def _problem(source: bytes, name: str) -> str:
    """What is wrong with a memory file that can still be read around it; "" if nothing."""
    try:
        source.decode("utf-8")
    except UnicodeDecodeError as error:
        line = source.count(b"\n", 0, error.start) + 1
        return f"{name}:{line} is not UTF-8. Save the file as UTF-8; the rest of it is read."
    may_conflict = source.startswith(b"<<<<<<< ") or b"\n<<<<<<< " in source
    conflict = _CONFLICT.search(source) if may_conflict else None
    if conflict:
        line = source.count(b"\n", 0, conflict.start()) + 1
        return f"{name}:{line} holds a merge conflict. Resolve it; both sides are read until then."
    return ""


def _refresh_comments(project: Project, index: Index, problems: list[str]) -> Change:
    known = {path: index.stamps()[path] for path in index.paths("comments")}
    if not project.settings.capture_comments:
        with index.writing():
            return _noted(index, _dropped(index, list(known)))
    from mind.sources import comments  # noqa: PLC0415 - only when captured

    found = comments.scan(project.root, project.settings, known)
    problems += [found.problem] if found.problem else []
    changed = {path: one for path, one in found.files.items() if known.get(path) != one.stamp}
    gone = [path for path in known if path not in found.files]
    if not changed and not gone:
        return Change()
    pieces = {path: whole(repr((path, one.stamp)), one.read) for path, one in changed.items()}
    _prepare(index, COMMENTS, list(pieces.values()))
    changes: list[Change] = []
    with index.writing():
        for path, piece in pieces.items():
            rows = index.rows(COMMENTS, piece)
            put = index.replace(
                path,
                family="comments",
                rank=RANKS["comments"],
                stamp=changed[path].stamp,
                pieces=[Piece(digest=rows.digest, line=0, offset=0, rows=rows)],
            )
            changes.append(put)
        index.drop_prepared(COMMENTS)
        usage.note_edits(project, index, *changes)
        return _noted(index, sum(changes, _dropped(index, gone)))


def _refresh_commits(project: Project, index: Index, problems: list[str]) -> Change:
    from mind.sources import commits  # noqa: PLC0415 - only when captured

    stamp = index.stamps().get(COMMITS)
    settings = project.settings
    head = commits.head(project.root) if settings.capture_commits else None
    if head is None:
        with index.writing():
            return _noted(index, _dropped(index, [COMMITS] if stamp else []))
    how = f"{settings.reading}:{settings.capture_max_commits}"
    seen, _, read_as = (stamp or "").partition("|")
    if (head, how) == (seen, read_as):
        return Change()
    since = seen if read_as == how else None
    found = commits.scan(project.root, settings, since, settings.capture_max_commits)
    problems += [found.problem] if found.problem else []
    if found.problem:
        return Change()
    pieces = [whole(f"{one.key} {how}", partial(list, one)) for one in found.messages]
    _prepare(index, COMMITS, pieces)
    put = index.extend if since and not found.rewritten else index.replace
    with index.writing():
        if index.stamps().get(COMMITS) != stamp:  # another process was first
            return Change()
        change = put(
            COMMITS,
            family="commits",
            rank=RANKS["commits"],
            stamp=f"{found.head}|{how}",
            pieces=pieces,
        )
        change += index.trim(COMMITS, settings.capture_max_commits)
        return _noted(index, change)


def whole(digest: str, parse: Callable[[], Iterable[Entry]]) -> Piece:
    """A source that is parsed as one, known by what its entries depend on."""
    digested = hashlib.blake2b(digest.encode("utf-8", "surrogateescape"), digest_size=16).digest()
    return Piece(digest=digested, line=0, offset=0, parse=parse)


def _dropped(index: Index, paths: Sequence[str]) -> Change:
    change = Change()
    for path in paths:
        change += index.drop(path)
    return change
