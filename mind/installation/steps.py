"""A plan: files before and after, to be shown or written."""

import difflib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from mind import files
from mind import project as projects
from mind.clients import record
from mind.errors import FileError, MindError
from mind.files.faults import translating
from mind.home import home
from mind.sharing.changes import Change


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
    """

    path: Path
    before: bytes | None
    after: bytes | None
    mode: int | None = None
    folders: tuple[Path, ...] | None = None
    derived: bool = False

    @property
    def action(self) -> str:
        """What applying it does: "create", "change", "delete" or "keep"."""
        if self.before == self.after:
            return "keep"
        if self.before is None:
            return "create"
        return "delete" if self.after is None else "change"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What would be written; ``apply`` does it.

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
    """Write what ``planned`` says, and put the project on, or take it off, the user's list."""
    if planned.apart:
        home().mkdir(mode=0o700, parents=True, exist_ok=True)
    for step in planned.changes:
        if step.after is None:
            _delete(step, planned.root)
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
    if planned.forgotten or planned.leaves:
        record.drop(planned.forgotten, planned.leaves)


def _delete(step: Step, root: Path) -> None:
    with translating(step.path):
        step.path.unlink(missing_ok=True)
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
            raise FileError(
                f"{step.path.name} changed while the plan was shown",
                remedy="Run the command again.",
            )
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
    bom = b"\xef\xbb\xbf" if (before or b"").startswith(b"\xef\xbb\xbf") else b""
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
