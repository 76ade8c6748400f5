"""History of a memory in git: versions of entries, and differences between revisions."""

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from mind.documents import archive, parser
from mind.documents.archive import Archived
from mind.documents.merge.pairing import Pairing, sections
from mind.documents.merge.units import BOM, Unit, UnitText, cut
from mind.documents.secret_entries import hider
from mind.domain.entry import Entry
from mind.domain.errors import InputError, NotFound
from mind.memory import curation, sync
from mind.memory.workspace import Workspace
from mind.search.query import as_id
from mind.sources.git.revisions import Commit, Revisions
from mind.storage import files
from mind.storage.index import Index
from mind.storage.project import Project
from mind.text import secrets

_AHEAD = 64
"""Commits of which git is asked at once."""
_FILES = ("MEMORY.md", "REMINDERS.md", "ARCHIVE.md", "config.json")


@contextmanager
def at(project: Project, revision: str) -> Iterator[Project]:
    """Yield the memory at ``revision``, in a temporary folder.

    Raises:
        NotFound: The revision does not exist, or has no memory.
        ProjectError: There is no repository, or git is missing.
    """
    revisions = Revisions(project.root)
    commit = revisions.commit(revision)
    folder = Path(tempfile.mkdtemp(prefix="mind-at-"))
    try:
        copy = Project(folder / (project.root.name or "project"))
        copy.folder.mkdir(parents=True)
        there = set(revisions.names(commit, project.relative(project.folder)))
        if project.relative(project.memory) not in there:
            raise no_memory(project, revision)
        for name in _FILES:
            path = project.relative(project.folder / name)
            if path in there:
                (copy.folder / name).write_bytes(revisions.read([commit], path)[0])
        yield copy
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def no_memory(project: Project, revision: str) -> NotFound:
    """Return the error for a revision without a memory."""
    path = project.relative(project.memory)
    return NotFound(
        f"{path} does not exist at {secrets.mask(revision)!r}",
        remedy=f"List the commits that changed it with `git log --oneline -- {path}`.",
    )


@dataclass(frozen=True, slots=True)
class EntryChange:
    """An entry before and after a change."""

    before: Entry
    after: Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Changes of a memory between two revisions; ``new`` is "" for the current files."""

    old: str
    new: str
    added: tuple[Entry, ...] = ()
    changed: tuple[EntryChange, ...] = ()
    archived: tuple[Archived, ...] = ()
    removed: tuple[Entry, ...] = ()


def difference(at: Workspace, revisions: str) -> Difference:
    """Return the changes between ``OLD..NEW``; without NEW, up to the current files.

    With three dots, as in git, NEW is compared with the last commit that it shares with OLD.

    Raises:
        NotFound: A revision does not exist, or has no memory; or they have no commit in common.
        ProjectError: There is no repository, or git is missing.
    """
    project, git = at.project, Revisions(at.project.root)
    old, dots, new = revisions.partition("..")
    first = git.commit(old or "HEAD")
    second = git.commit(new.removeprefix(".") or "HEAD") if dots else ""
    if new.startswith("."):
        first = git.merge_base(first, second)

    def read(path: Path, commit: str) -> bytes:
        if not commit:
            return files.read(path)
        return git.read([commit], project.relative(path))[0]

    before, after = read(project.memory, first), read(project.memory, second)
    if not before and not after:
        raise no_memory(project, revisions)
    sync.refresh(project, at.index, sources=False)
    return _compared(
        Difference(old=first, new=second),
        (sync.entries(project, at.index, before), sync.entries(project, at.index, after)),
        (read(project.archive, first), read(project.archive, second)),
    )


def _compared(
    made: Difference,
    memories: tuple[Sequence[Entry], Sequence[Entry]],
    archives: tuple[bytes, bytes],
) -> Difference:
    old, new = ({one.id: one for one in parser.number_and_resolve(found)} for found in memories)
    pairs = [(one, one) for one in new if one in old and _differs(old[one], new[one])]
    known = {(one.id, one.text) for one in archive.blocks(archives[0])}
    archived = [
        one for one in archive.blocks(archives[1])
        if (one.id, one.text) not in known and one.id not in new and one.reason != "corrected"
    ]  # fmt: skip
    kept = {one.id for one in archived}
    gone = {key: one for key, one in old.items() if key not in new and key not in kept}
    came = {key: one for key, one in new.items() if key not in old}
    from mind.documents import rename_detection  # noqa: PLC0415 - recall does not compare

    edited = rename_detection.pairs(list(gone.values()), list(came.values()))
    changed = [EntryChange(old[before], new[after]) for before, after in (*pairs, *edited)]
    for before, after in edited:
        del gone[before], came[after]
    return replace(
        made,
        added=tuple(came.values()),
        changed=tuple(sorted(changed, key=lambda one: one.after.line)),
        archived=tuple(archived),
        removed=tuple(gone.values()),
    )


def _differs(old: Entry, new: Entry) -> bool:
    told = [(one.text, one.kind, one.status, one.fields, one.section) for one in (old, new)]
    return told[0] != told[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryVersion:
    """A version of an entry, and its commit.

    Attributes:
        what: "written", "changed", "archived" or "restored".
        commit: None if not committed yet.
        text: The entry's text in its file after the change, without credentials.
        reason: Reason for archiving.
    """

    what: str
    commit: Commit | None
    text: str
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryHistory:
    """Versions of an entry, latest first.

    Attributes:
        id: ID of the entry.
        where: File and line, or the archive.
        versions: At least one.
        cut: True for a shallow clone: the first version may be older than shown.
    """

    id: str
    where: str
    versions: tuple[EntryVersion, ...]
    cut: bool = False

    @property
    def wrote(self) -> EntryVersion:
        """Return the first version."""
        return self.versions[-1]

    @property
    def changed(self) -> EntryVersion:
        """Return the latest version."""
        return self.versions[0]


@dataclass(frozen=True, slots=True)
class _State:
    """A memory's two files at a commit (None: current), and the entry's position in them."""

    commit: Commit | None
    memory: bytes
    archive: bytes


def life(at: Workspace, identifier: str) -> EntryHistory:
    """Return all versions of an entry in git, across edits, archiving and restoring.

    Raises:
        NotFound: No entry has this ID, in memory or in the archive.
        InputError: The entry's file is not tracked by git.
        ProjectError: There is no repository, or git is missing.
    """
    project, index = at.project, at.refreshed()
    revisions = Revisions(project.root)
    names = (project.relative(project.memory), project.relative(project.archive))
    now = _State(None, files.read(project.memory), files.read(project.archive))
    body, is_kept, where = _standing(project, index, identifier, now)
    head = revisions.head()
    commits = revisions.history(head, names) if head else []
    found = tuple(_versions(revisions, commits, names, now, body, is_kept=is_kept))
    return EntryHistory(
        id=identifier.lstrip("^"), where=where, versions=found, cut=revisions.is_shallow
    )


def _standing(
    project: Project, index: Index, identifier: str, now: _State
) -> tuple[bytes, bool, str]:
    """Return the entry's bytes, True if it is archived, and its location for display."""
    entry = index.get(as_id(identifier))
    if entry is None:
        kept = next(
            (one for one in curation.archived(project) if one.id == identifier.lstrip("^")), None
        )
        if kept is None:
            raise NotFound.entry(identifier)
        return (
            kept.text.strip(b"\r\n"),
            True,
            f"{project.relative(project.archive)} since {kept.day}",
        )
    if entry.source != project.relative(project.memory):
        raise InputError(
            f"{entry.id} is at {entry.where}, which is not a memory file tracked by git",
            remedy=f"See it with `git show {entry.commit[:12]}`."
            if entry.commit
            else f"Try `git blame -L {entry.line},{entry.end} -- {entry.source}`.",
        )
    return _unit_at(cut(now.memory, "MEMORY.md"), entry.span.start).body, False, entry.where


def _unit_at(text: UnitText, offset: int) -> Unit:
    """Return the unit of a file at byte ``offset``."""
    at = len(BOM) * text.bom + len(text.lead)
    for one in text.units:
        at += len(one.body) + len(one.end) + len(one.gap)
        if at > offset:
            return one
    return text.units[-1]


def _versions(  # noqa: PLR0913 - where to look, and for what
    revisions: Revisions,
    commits: Sequence[Commit],
    names: tuple[str, str],
    state: _State,
    body: bytes,
    *,
    is_kept: bool,
) -> Iterator[EntryVersion]:
    """Yield the versions of the entry with these bytes in ``state``, latest first.

    Args:
        revisions: Git's versions of the two files.
        commits: The commits that changed them, latest first.
        names: Paths of the two files.
        state: The current files.
        body: Bytes of the entry.
        is_kept: True if it is in the archive.
    """
    place = {one.id: at for at, one in enumerate(commits)}

    def at(commit: str) -> _State:
        first = place[commit]
        ahead = [one.id for one in commits[first : first + _AHEAD]]
        memory, kept = (revisions.read(ahead, name)[0] for name in names)
        return _State(commits[first], memory, kept)

    parents = tuple(one.id for one in commits[:1])
    while step := _step(state, [at(one) for one in parents if one in place], body, is_kept=is_kept):
        what, older, was, was_kept, reason = step
        if what:
            yield _version(what, state, body, reason)
        state, body, is_kept = older, was, was_kept
        parents = state.commit.parents if state.commit else ()
    yield _version("written", state, body)


def _version(what: str, state: _State, body: bytes, reason: str = "") -> EntryVersion:
    text, *around = (one.decode("utf-8", "replace") for one in (body, state.memory, state.archive))
    hide = hider(text, *around)
    return EntryVersion(
        what=what, commit=state.commit, text=hide(text) if hide else text, reason=reason
    )


def _step(
    state: _State, olders: Sequence[_State], body: bytes, *, is_kept: bool
) -> tuple[str, _State, bytes, bool, str] | None:
    """Return the step from a parent with the entry: (what, parent, bytes, archived, reason)."""
    for older in olders:
        if _holds(older.archive if is_kept else older.memory, body):
            return "", older, body, is_kept, ""
    for older in olders:
        found = _left(state, older, body) if is_kept else _was(state, older, body)
        if found is not None:
            what, was, was_kept, reason = found
            return what, older, was, was_kept, reason
    return None


def _holds(source: bytes, body: bytes) -> bool:
    """Return True if ``source`` contains ``body`` as whole lines."""
    at = source.find(body)
    while at >= 0:
        end = at + len(body)
        begins = at in (0, len(BOM)) or source[at - 1 : at] in (b"\n", b"\r")
        if begins and source[end : end + 1] in (b"", b"\n", b"\r"):
            return True
        at = source.find(body, at + 1)
    return False


def _was(state: _State, older: _State, body: bytes) -> tuple[str, bytes, bool, str] | None:
    """Find an entry of memory in the previous commit."""
    kept = [one for one in archive.blocks(older.archive) if one.text.strip(b"\r\n") == body]
    if kept:
        return "restored", body, True, kept[-1].reason
    new, old = cut(state.memory, "MEMORY.md"), cut(older.memory, "MEMORY.md")
    pairing = _paired(old, new)
    pairing.alike()
    at = next((at for at, one in enumerate(new.units) if one.body == body), None)
    there = None if at is None else pairing.found.get(at)
    return None if there is None else ("changed", old.units[there].body, False, "")


def _left(state: _State, older: _State, body: bytes) -> tuple[str, bytes, bool, str] | None:
    """Find an archived entry in the previous commit: in memory, with equal or similar text."""
    kept = [one for one in archive.blocks(state.archive) if one.text.strip(b"\r\n") == body]
    reason = kept[-1].reason if kept else ""
    if _holds(older.memory, body):
        return "archived", body, False, reason
    old = cut(older.memory, "MEMORY.md")
    new = cut(state.memory.rstrip(b"\r\n") + b"\n" + body + b"\n", "MEMORY.md")
    there = _paired(old, new).found.get(len(new.units) - 1)
    return None if there is None else ("archived", old.units[there].body, False, reason)


def _paired(old: UnitText, new: UnitText) -> Pairing:
    """Return the pairs of units with the same bytes, id or words."""
    pairing = Pairing(old, new, sections(old, new), reminder=False)
    pairing.same()
    pairing.named()
    pairing.worded(anywhere=True)
    return pairing
