"""A plan: files before and after, to be shown or written."""

import difflib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from mind.domain.errors import FileError, MindError
from mind.setup.clients import record
from mind.setup.git.installing import Change
from mind.storage import files
from mind.storage import project as projects
from mind.storage.files.content import BOM, translating
from mind.storage.home import home


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One file before and after; None where it does not exist.

    Attributes:
        path: The file.
        before: Its bytes.
        after: Its bytes when the step is done.
        mode: Permissions of a new file; by default what the umask leaves.
        folders: Folders to delete with the file, if they are empty then, the innermost first; None
            for all that are empty, up to the project's.
        derived: Whether it can be made anew, so that a diff only names it.
        hollow: What the record is to know of a file that Mind did not make, see
            :data:`mind.setup.clients.record.Hollow`; {} for nothing.
    """

    path: Path
    before: bytes | None
    after: bytes | None
    mode: int | None = None
    folders: tuple[Path, ...] | None = None
    derived: bool = False
    hollow: record.Hollow = field(default_factory=dict)

    @property
    def action(self) -> str:
        """Return what applying it does: "create", "change", "delete" or "keep"."""
        if self.before == self.after:
            return "keep"
        if self.before is None:
            return "create"
        return "delete" if self.after is None else "change"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A planned change; ``apply`` makes it.

    Attributes:
        root: The project's folder.
        steps: Files in the order in which they are written.
        registers: Whether the project goes on the user's list (True) or off it (False); None for a
            memory that stands apart from a project, which is never on it.
        apart: The folder of such a memory.
        noted: Registrations to note in the record of this machine.
        forgotten: Registrations that the record forgets, by client and file.
        leaves: The project that no longer uses those of the others that are the user's.
        notes: What was chosen, and what is left to the user; a sentence each.
    """

    root: Path
    steps: tuple[Step, ...]
    registers: bool | None
    apart: Path | None = None
    noted: tuple[record.Row, ...] = ()
    forgotten: tuple[tuple[str, Path], ...] = ()
    leaves: Path | None = None
    notes: tuple[str, ...] = ()

    @property
    def changes(self) -> tuple[Step, ...]:
        """The steps that change something."""
        return tuple(step for step in self.steps if step.action != "keep")

    def diff(self) -> str:
        """The changes as a unified diff."""
        return "".join(_diff(step, self.name(step)) for step in self.changes)

    def name(self, step: Step) -> str:
        """The file of ``step`` as people write it: from the root, or from the user's folder."""
        return shown(step.path, self.root)


def shown(path: Path, root: Path | None = None) -> str:
    """``path`` as people write it: from ``root``, or from the user's folder, as ``~/…``."""
    if root and path.is_relative_to(root):
        return path.relative_to(root).as_posix()
    own = Path.home()
    return f"~/{path.relative_to(own).as_posix()}" if path.is_relative_to(own) else str(path)


def apply(planned: Plan) -> None:
    """Write what ``planned`` says, and put the project on, or take it off, the user's list.

    Raises:
        LeadsOutside: A file leads out of the repository; nothing was written.
        FileError: A file changed since; it is as somebody left it. One that was to be deleted
            hinders nothing else.
    """
    _check(planned)
    stay: list[str] = []
    if planned.apart:
        home().mkdir(mode=0o700, parents=True, exist_ok=True)
    record.note({_real(step.path): step.hollow for step in planned.changes if step.hollow})
    for step in planned.changes:
        if step.after is None:
            stay += [] if _delete(step, planned.root) else [planned.name(step)]
        elif step.before is None:
            step.path.parent.mkdir(parents=True, exist_ok=True)
            files.write(step.path, step.after, mode=step.mode)
        else:
            files.edit(step.path, _replacement(step))
    if planned.registers:
        projects.register(planned.root)
    elif planned.registers is False:
        projects.unregister(planned.root)
    record.add(planned.noted)
    cleared = [
        _real(one.path) for one in planned.steps if b"mind" not in (one.after or b"").lower()
    ]
    record.drop(planned.forgotten, planned.leaves, cleared=cleared)
    if stay:
        raise _changed(", ".join(stay))


def _check(planned: Plan) -> None:
    for step in planned.changes:
        if step.after is not None:
            files.check(step.path)


def _real(path: Path) -> Path:
    return path.resolve()


def hollow_of(path: Path) -> record.Hollow | None:
    """Return what the record knows of ``path``.

    None if Mind made it, or nothing was empty in it.
    """
    return record.hollows().get(_real(path))


def first(step: Step, *nothing: bytes) -> Step:
    """``step``, with a note of what its file held if that was one of ``nothing``, or blank."""
    before = (step.before or b"").removeprefix(BOM)
    if step.action != "change" or before.strip() not in (b"", *nothing):
        return step
    return replace(step, hollow={"": before.decode()})


def kept(step: Step) -> Step:
    """``step``, but a file that Mind did not make stays: it holds again what it held."""
    if step.after is not None or step.before is None or step.derived:
        return step
    was = hollow_of(step.path)
    if was is None or "" not in was:
        return step
    bom = BOM if step.before.startswith(BOM) else b""
    return replace(step, after=bom + was[""].encode())


def _changed(names: str) -> FileError:
    return FileError(f"{names} changed while the plan was shown", remedy="Run the command again.")


def _delete(step: Step, root: Path) -> bool:
    """Delete a file if it holds what the plan saw; whether it is gone.

    What is derived goes in any case: it changes with every search. Of a link the link itself goes.
    """
    with translating(step.path):
        is_link = step.path.is_symlink()
        there = step.path.exists() and not is_link
        if there and not step.derived and files.read(step.path) != step.before:
            return False
        step.path.unlink(missing_ok=True)
    _delete_folders(step, root)
    return True


def _delete_folders(step: Step, root: Path) -> None:
    if step.folders is None:
        _prune(step.path.parent, root)
        return
    for folder in step.folders:
        if not folder.is_dir() or any(folder.iterdir()):
            break
        folder.rmdir()


def _replacement(step: Step) -> Callable[[bytes], bytes]:
    def change(source: bytes) -> bytes:
        if source != step.before:
            raise _changed(step.path.name)
        return step.after or b""

    return change


def _prune(folder: Path, root: Path) -> None:
    """Delete folders that are empty: those outside of the project, as of git's hooks, are not its.

    ``folder`` may lead out of ``root`` by ``..``.
    """
    folder, root = folder.resolve(), root.resolve()
    while folder != root and folder.is_relative_to(root) and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent


def edited(path: Path, change: Callable[[str], str | None]) -> Step:
    """``path`` with its text changed; None, or "", for no file at all.

    Raises:
        FileError: ``change`` raised one; it names the file now.
    """
    before = files.read(path) if path.exists() else None
    try:
        text = change(files.decode(before or b"", path))
    except MindError as error:
        raise FileError(f"{path.name}: {error.message}", remedy=error.remedy) from error
    return Step(path=path, before=before, after=encoded(path, before, text))


def encoded(path: Path, before: bytes | None, text: str | None) -> bytes | None:
    """The bytes of ``text`` in a file that held ``before``; None for no file."""
    if before is not None and text == files.decode(before, path):
        return before
    bom = BOM if (before or b"").startswith(BOM) else b""
    return bom + text.encode() if text else None


def shared(changes: Iterable[Change]) -> list[Step]:
    """Changes that let git share a memory, as steps of a plan."""
    return [
        Step(path=one.path, before=one.before, after=one.after, mode=one.mode) for one in changes
    ]


def _diff(step: Step, name: str) -> str:
    if step.derived:
        return f"Derived file a/{name} is deleted\n"  # nobody reads an index in a diff
    before, after = (
        (text or b"").decode("utf-8", "replace").splitlines(keepends=True)
        for text in (step.before, step.after)
    )
    old = "/dev/null" if step.before is None else f"a/{name}"
    new = "/dev/null" if step.after is None else f"b/{name}"
    lines = difflib.unified_diff(before, after, old, new)
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)
