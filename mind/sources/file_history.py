"""The history of a file: its edits, its commits, and what memory says of it."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, tzinfo
from pathlib import Path

from mind.domain.entry import Entry
from mind.domain.errors import InputError, NotFound, PathOutside
from mind.sources.staleness import paths_in
from mind.storage import events as journal
from mind.storage.events import Event
from mind.storage.index import Index
from mind.storage.project import Project
from mind.text import secrets

_MOST = 100
"""Changes of one answer."""
_LONGEST = 300
"""Characters of an intent or a subject."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryRequest:
    """A part of a history.

    Attributes:
        path: Of the file, from the project's root or absolute; it may be gone, or renamed.
        limit: Most changes, 1-100.
        offset: How many of the newest to leave out.
    """

    path: str
    limit: int = 20
    offset: int = 0

    def check(self) -> "HistoryRequest":
        """It, if its numbers are in range.

        Raises:
            InputError: One is not.
        """
        if not 1 <= self.limit <= _MOST:
            raise InputError(f"limit is {self.limit}", remedy=f"Use a limit from 1 to {_MOST}.")
        if self.offset < 0:
            raise InputError(f"offset is {self.offset}", remedy="Use 0 or more.")
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """Something that was done to a file, or noted of it.

    Attributes:
        day: In the project's time zone; None if nothing tells.
        at: The moment; None for what has only a day.
        what: "edit", "commit", or the kind of an entry.
        id: A commit's short hash, an entry's id; "" for an edit.
        title: Intent, subject, or title.
        tool: What an edit was made with.
        times: How many edits in a row had this intent.
        name: The file's name then.
    """

    day: date | None
    at: datetime | None
    what: str
    title: str
    id: str = ""
    tool: str = ""
    times: int = 1
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileHistory:
    """A page of a file's history.

    Attributes:
        path: The file's name now, from the project's root.
        names: Those that it had before, latest first.
        changes: Newest first.
        total: How many there are.
        offset: How many newer ones were left out.
        problems: What could not be read.
    """

    path: str
    names: tuple[str, ...]
    changes: tuple[FileChange, ...]
    total: int
    offset: int
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Name:
    """A name of the file, and from when to when it had it; None: from ever, or still."""

    name: str
    since: datetime | None = None
    until: datetime | None = None

    def covers(self, at: datetime) -> bool:
        since, until = self.since or at, self.until or at
        return since <= at <= until


def of_file(
    project: Project, index: Index, asked: HistoryRequest, zone: tzinfo | None
) -> FileHistory:
    """Known changes to a file, newest first.

    Args:
        project: Whose file.
        index: Brought up to date.
        asked: Of which file, and how much.
        zone: That days are told in.

    Raises:
        InputError: It is no path or a folder, or a number is out of range.
        PathOutside: It leads out of the project.
        NotFound: There is no such file, and nothing is known of one.
    """
    wanted = relative(asked.check().path, project.root)
    names, commits, problem = _in_git(project.root, wanted, zone)
    log = journal.read(project.events)
    found = [
        *commits,
        *_edits(log.events, names, zone),
        *_entries(index.entries(), {one.name for one in names}, project.root.as_posix()),
    ]
    if not found and not (project.root / wanted).exists():
        remedy = "Paths begin in the project's folder; look what is there."
        raise NotFound(f"nothing is known of a file {_told(asked.path)}", remedy=remedy)
    found.sort(key=_moment, reverse=True)
    earlier = dict.fromkeys(one.name for one in names[1:])
    page = found[asked.offset : asked.offset + asked.limit]
    known = {*(name.name for name in names), *(change.name for change in page)}
    told = {name: secrets.mask(name) for name in known}
    return FileHistory(
        path=told[names[0].name],
        names=tuple(told[name] for name in earlier if name != names[0].name),
        changes=tuple(replace(one, name=told[one.name]) for one in page),
        total=len(found),
        offset=asked.offset,
        problems=(problem,) if problem else (),
    )


def relative(path: str, root: Path) -> str:
    """``path`` from the project's root, with ``/``; the file need not be there.

    Raises:
        InputError: There is no path, or it is a folder.
        PathOutside: It leads out of the project.
    """
    if not path.strip() or "\0" in path:
        raise InputError("there is no path", remedy="Name a file, from the project's folder.")
    absolute = Path(os.path.normpath(root / path))
    real = Path(os.path.realpath(root))
    inside = next((one for one in (root, real) if absolute.is_relative_to(one)), None)
    if inside is None:
        raise PathOutside(f"{_told(path)} is outside the project", path=path)
    if absolute.is_dir():
        raise InputError(f"{_told(path)} is a folder", remedy="Name a file in it.")
    return absolute.relative_to(inside).as_posix()


def _moment(change: FileChange) -> tuple[date, bool, datetime]:
    """The sort key: a change without a time comes above the rest of its day."""
    at = change.at or datetime.max.replace(tzinfo=UTC)
    return (change.day or date.min, change.at is None, at)


def _in_git(
    root: Path, wanted: str, zone: tzinfo | None
) -> tuple[list[_Name], list[FileChange], str]:
    """The names of the file, latest first, its commits, and what git could not tell."""
    from mind.sources.git.log import lineage  # noqa: PLC0415 - only where git serves the project
    from mind.sources.git.repository import head, is_top  # noqa: PLC0415 - the same

    newest = head(root)
    if newest is None:
        return [_Name(wanted)], [], ""
    absolute = root.absolute()
    top = next((one for one in (absolute, *absolute.parents) if is_top(one)), absolute)
    prefix = "".join(f"{part}/" for part in absolute.relative_to(top).parts)
    found = lineage(top, newest, prefix + wanted)

    def local(name: str) -> str:
        return name.removeprefix(prefix) if name.startswith(prefix) else f"../{name}"

    names = [_Name(found.name)]
    commits = []
    for at, one in enumerate(found.revisions):
        if one.name != names[-1].name:  # renamed since the last commit
            names = _renamed(names, one.name, one.at, None)
        commits.append(
            FileChange(
                day=one.at.astimezone(zone).date(),
                at=one.at,
                what="commit",
                id=one.commit,
                title=_told(one.subject),
                name=local(one.name),
            )
        )
        if one.before:
            older = found.revisions[at + 1 : at + 2]
            names = _renamed(names, one.before, older[0].at if older else one.at, one.at)
    return [replace(one, name=local(one.name)) for one in names], commits, found.problem


def _renamed(
    names: list[_Name], before: str, since: datetime, until: datetime | None
) -> list[_Name]:
    """``names`` and the one before them.

    A file is edited under its new name before the commit that renames it; never before the last
    one under the old name.
    """
    return [*names[:-1], replace(names[-1], since=since), _Name(before, until=until)]


def _edits(
    events: Iterable[Event], names: Sequence[_Name], zone: tzinfo | None
) -> list[FileChange]:
    """Edits of the file; those that follow each other with one intent are one."""
    found: list[FileChange] = []
    last = ""
    for event in events:
        path, tool, intent = (event.data.get(name) for name in ("path", "tool", "intent"))
        if event.name != "edit" or not _is_of(names, path, event.at):
            continue
        change = FileChange(
            day=event.at.astimezone(zone).date(),
            at=event.at,
            what="edit",
            title=_told(str(intent or "")),
            tool=str(tool or ""),
            name=str(path),
        )
        same = found and last == event.session and _alike(found[-1], change)
        last = event.session
        if same:
            change = replace(change, times=found.pop().times + 1)
        found.append(change)
    return found


def _is_of(names: Sequence[_Name], path: object, at: datetime) -> bool:
    return any(one.name == path and one.covers(at) for one in names)


def _alike(one: FileChange, other: FileChange) -> bool:
    return (one.day, one.title, one.tool, one.name) == (
        other.day, other.title, other.tool, other.name,
    )  # fmt: skip


def _entries(entries: Iterable[Entry], names: set[str], root: str) -> Iterator[FileChange]:
    """Entries that cite the file, or stand in it."""
    ends = tuple(name.rpartition("/")[2] for name in names)
    for entry in entries:
        cited = any(end in entry.text for end in ends) and not names.isdisjoint(
            paths_in(entry.text, root)
        )
        if cited or entry.source in names:
            yield FileChange(
                day=entry.date,
                at=None,
                what=entry.kind.value,
                id=entry.id,
                title=_told(entry.title),
            )


def _told(text: str) -> str:
    """One line of it, without credentials."""
    plain = " ".join(secrets.mask(text).split())
    return plain if len(plain) <= _LONGEST else f"{plain[:_LONGEST]}…"
