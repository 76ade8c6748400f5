"""Bringing the index up to date with the files, the comments and the commits.

A source is read only when its stamp changed, and parsed only where its pieces did: work grows
with the change, not with the memory.
"""

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from mind import files, secrets, usage
from mind.config import Settings
from mind.entry import Entry
from mind.errors import FileError
from mind.index import Change, Index, Piece
from mind.pieces import Tail, cut, digest_of
from mind.project import Project

RANKS = {"memory": 0, "session": 1, "comments": 2, "commits": 3}
COMMITS = "//commits"
"""The key of commit messages: no file can have it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a refresh did; ``memory_hash`` is the digest of MEMORY.md."""

    change: Change
    problems: tuple[str, ...] = ()
    memory_hash: str = ""


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
    for path, family in ((project.memory, "memory"), (project.session, "session")):
        change += _refresh_file(project, index, path, family, problems, enough)
    if sources and not project.is_own:
        change += _refresh_comments(project, index, problems)
        change += _refresh_commits(project, index, problems)
    usage.refresh(project, index)  # last: what was edited was just noted in the log
    told = tuple(dict.fromkeys(problems))  # git may answer neither question
    return Report(change=change, problems=told, memory_hash=index.meta("memory_hash"))


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
    if index.stamps().get(name) != _key(project, path):
        with index.writing():
            try:
                change = Change() if enough() else _read(project, index, path, family)
            except FileError as error:
                problems.append(str(error))
                return Change()
    problem = index.meta(f"problem:{name}")
    problems += [problem] if problem else []
    return change


def _key(project: Project, path: Path) -> str:
    return f"{_stamp(path)}|{_settings_digest(project.settings)}"


def _read(project: Project, index: Index, path: Path, family: str) -> Change:
    """Read a file into the index, whose writer the caller is.

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
    made = cut(source, name, project.settings, told)
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
        files.check(project.memory)
        with project.memory.open("rb") as file:
            size = file.seek(0, 2)
            if told is None or not 0 <= size - told.size <= _LITTLE:
                return None
            file.seek(told.size)
            return file.read(_LITTLE)
    except OSError:
        return None


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


def _settings_digest(settings: Settings) -> str:
    relevant = (settings.parser_languages, settings.parser_keywords, settings.parser_min_confidence)
    return hashlib.blake2b(repr(relevant).encode(), digest_size=4).hexdigest()


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
    changes: list[Change] = []
    with index.writing():
        for path, one in changed.items():
            piece = _whole(repr((path, one.entries)), one.entries)
            put = index.replace(
                path, family="comments", rank=RANKS["comments"], stamp=one.stamp, pieces=[piece]
            )
            changes.append(put)
        usage.note_edits(project, index, *changes)
        return _noted(index, sum(changes, _dropped(index, gone)))


def _refresh_commits(project: Project, index: Index, problems: list[str]) -> Change:
    from mind.sources import commits  # noqa: PLC0415 - only when captured

    seen = index.stamps().get(COMMITS)
    if not project.settings.capture_commits:
        with index.writing():
            return _noted(index, _dropped(index, [COMMITS] if seen else []))
    head = commits.head(project.root)
    if head == seen:
        return Change()
    if head is None:
        with index.writing():
            return _noted(index, _dropped(index, [COMMITS] if seen else []))
    found = commits.scan(project.root, project.settings, seen, project.settings.capture_max_commits)
    problems += [found.problem] if found.problem else []
    if found.problem:
        return Change()
    put = index.replace if found.rewritten or not seen else index.extend
    with index.writing():
        if index.stamps().get(COMMITS) != seen:  # another process was first
            return Change()
        change = put(
            COMMITS,
            family="commits",
            rank=RANKS["commits"],
            stamp=found.head,
            pieces=_by_commit(found.entries),
        )
        return _noted(index, change)


def _by_commit(entries: Sequence[Entry]) -> list[Piece]:
    grouped: dict[str, list[Entry]] = {}
    for entry in entries:
        grouped.setdefault(entry.commit, []).append(entry)
    return [_whole(commit, group) for commit, group in grouped.items()]


def _whole(digest: str, entries: Sequence[Entry]) -> Piece:
    return Piece(
        digest=hashlib.blake2b(digest.encode("utf-8", "surrogateescape"), digest_size=16).digest(),
        line=0,
        offset=0,
        parse=lambda: list(entries),
    )


def _dropped(index: Index, paths: Sequence[str]) -> Change:
    change = Change()
    for path in paths:
        change += index.drop(path)
    return change
