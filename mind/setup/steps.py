"""Plans of file changes, which can be shown as a diff or applied."""

import difflib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from mind.domain.errors import FileError, MindError
from mind.setup.clients import record
from mind.storage import files
from mind.storage import project as projects
from mind.storage.boundary import home
from mind.storage.files.content import BOM, translating


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallStep:
    """One file before and after a change; None where it does not exist.

    Attributes:
        path: The file.
        before: Its content now.
        after: Its content after the step.
        mode: Permissions of a new file; by default set by the umask.
        folders: Folders to delete with the file if they are then empty, the innermost first; None
            for all empty ones, up to the project's.
        derived: True if it can be rebuilt, so that a diff only names it.
        hollow: Note for the record about a file that Mind did not create, see
            :data:`mind.setup.clients.record.Hollow`; {} for none.
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
        """The effect of the step: "create", "change", "delete" or "keep"."""
        if self.before == self.after:
            return "keep"
        if self.before is None:
            return "create"
        return "delete" if self.after is None else "change"


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallPlan:
    """A planned change, which :func:`apply` carries out.

    Attributes:
        root: The project's folder.
        steps: Steps in the order in which they are applied.
        registers: True to add the project to the user's list, False to remove it; None for a memory
            outside a project, which is never listed.
        apart: The folder of such a memory.
        noted: Registrations to add to this machine's record.
        forgotten: Registrations to remove from the record, by client and file.
        leaves: The project that no longer uses the remaining user-level registrations.
        notes: Choices made, and tasks left to the user; a sentence each.
    """

    root: Path
    steps: tuple[InstallStep, ...]
    registers: bool | None
    apart: Path | None = None
    noted: tuple[record.RegistrationRow, ...] = ()
    forgotten: tuple[tuple[str, Path], ...] = ()
    leaves: Path | None = None
    notes: tuple[str, ...] = ()

    @property
    def changes(self) -> tuple[InstallStep, ...]:
        """The steps that change something."""
        return tuple(step for step in self.steps if step.action != "keep")

    def diff(self) -> str:
        """The changes as a unified diff."""
        return "".join(_diff(step, self.name(step)) for step in self.changes)

    def name(self, step: InstallStep) -> str:
        """The path of ``step`` for display: relative to the root, or to the home folder."""
        return shown(step.path, self.root)


def shown(path: Path, root: Path | None = None) -> str:
    """``path`` for display: relative to ``root``, or to the home folder as ``~/…``."""
    if root and path.is_relative_to(root):
        return path.relative_to(root).as_posix()
    own = Path.home()
    return f"~/{path.relative_to(own).as_posix()}" if path.is_relative_to(own) else str(path)


def apply(planned: InstallPlan) -> None:
    """Apply a plan, and add the project to the user's list or remove it.

    Raises:
        LeadsOutside: A file leads out of the repository; nothing was written.
        FileError: A file changed since the plan was made; it was left unchanged. If it was to be
            deleted, all other steps were still applied.
    """
    _check(planned)
    stay: list[str] = []
    if planned.apart:
        home().mkdir(mode=0o700, parents=True, exist_ok=True)
    record.note({step.path.resolve(): step.hollow for step in planned.changes if step.hollow})
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
        one.path.resolve() for one in planned.steps if b"mind" not in (one.after or b"").lower()
    ]
    record.drop(planned.forgotten, planned.leaves, cleared=cleared)
    if stay:
        raise _changed(", ".join(stay))


def _check(planned: InstallPlan) -> None:
    for step in planned.changes:
        if step.after is not None:
            files.check(step.path)


def hollow_of(path: Path) -> record.Hollow | None:
    """Return the record's note about ``path``.

    None if Mind created it, or nothing in it was empty.
    """
    return record.hollows().get(path.resolve())


def first(step: InstallStep, *nothing: bytes) -> InstallStep:
    """``step``, with a note of its file's content if that was blank or one of ``nothing``."""
    before = (step.before or b"").removeprefix(BOM)
    if step.action != "change" or before.strip() not in (b"", *nothing):
        return step
    return replace(step, hollow={"": before.decode()})


def kept(step: InstallStep) -> InstallStep:
    """``step``, but a file that Mind did not create gets its old content instead of deletion."""
    if step.after is not None or step.before is None or step.derived:
        return step
    was = hollow_of(step.path)
    if was is None or "" not in was:
        return step
    bom = BOM if step.before.startswith(BOM) else b""
    return replace(step, after=bom + was[""].encode())


def _changed(names: str) -> FileError:
    return FileError(f"{names} changed while the plan was shown", remedy="Run the command again.")


def _delete(step: InstallStep, root: Path) -> bool:
    """Delete a file if it is unchanged since the plan; return True if it is gone.

    Derived files are deleted in any case, as they change with every search. Of a link, the link
    itself is deleted.
    """
    with translating(step.path):
        is_link = step.path.is_symlink()
        there = step.path.exists() and not is_link
        if there and not step.derived and files.read(step.path) != step.before:
            return False
        step.path.unlink(missing_ok=True)
    _delete_folders(step, root)
    return True


def _delete_folders(step: InstallStep, root: Path) -> None:
    """Delete empty folders; without a list of them none outside ``root``, such as of git's hooks.

    The path may lead out of ``root`` with ``..``.
    """
    folder, root = step.path.parent.resolve(), root.resolve()
    inside = [one for one in (folder, *folder.parents) if root in one.parents]
    for one in inside if step.folders is None else step.folders:
        if not one.is_dir() or any(one.iterdir()):
            break
        one.rmdir()


def _replacement(step: InstallStep) -> Callable[[bytes], bytes]:
    def change(source: bytes) -> bytes:
        if source != step.before:
            raise _changed(step.path.name)
        return step.after or b""

    return change


def edited(path: Path, change: Callable[[str], str | None]) -> InstallStep:
    """The step that applies ``change`` to the text of ``path``; None or "" deletes the file.

    Raises:
        FileError: ``change`` raised an error; the message also names the file.
    """
    before = files.read(path) if path.exists() else None
    try:
        text = change(files.decode(before or b"", path))
    except MindError as error:
        raise FileError(f"{path.name}: {error.message}", remedy=error.remedy) from error
    return InstallStep(path=path, before=before, after=encoded(path, before, text))


def encoded(path: Path, before: bytes | None, text: str | None) -> bytes | None:
    """The bytes of ``text`` for a file that contained ``before``; None for no file."""
    if before is not None and text == files.decode(before, path):
        return before
    bom = BOM if (before or b"").startswith(BOM) else b""
    return bom + text.encode() if text else None


def _diff(step: InstallStep, name: str) -> str:
    if step.derived:
        return f"Derived file a/{name} is deleted\n"  # binary content is of no use in a diff
    before, after = (
        (text or b"").decode("utf-8", "replace").splitlines(keepends=True)
        for text in (step.before, step.after)
    )
    old = "/dev/null" if step.before is None else f"a/{name}"
    new = "/dev/null" if step.after is None else f"b/{name}"
    lines = difflib.unified_diff(before, after, old, new)
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)
