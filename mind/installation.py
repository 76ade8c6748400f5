"""Setting Mind up in a repository, and taking it away again, as a plan that can be shown first."""

import difflib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from mind import briefing, context, files
from mind import project as projects
from mind.clients import claude_code, jsontext
from mind.config import parse_value
from mind.errors import FileError, MindError, PathOutside, ProjectError
from mind.home import home
from mind.project import Project
from mind.templates import text as template

PRIVATE_IGNORE = "# Mind's memory of this machine only.\n*\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One file before and after; None where it does not exist."""

    path: Path
    before: bytes | None
    after: bytes | None

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
    """

    root: Path
    steps: tuple[Step, ...]
    registers: bool | None
    apart: Path | None = None

    @property
    def changes(self) -> tuple[Step, ...]:
        """The steps that change something."""
        return tuple(step for step in self.steps if step.action != "keep")

    def diff(self) -> str:
        """The changes as a unified diff."""
        return "".join(_diff(step, self.root) for step in self.changes)


def plan(root: Path | None = None, *, private: bool = False, targets: Sequence[str] = ()) -> Plan:
    """What ``mind init`` would do.

    A memory that stands apart (see :func:`mind.project.named_memory`) gets its files alone.

    Args:
        root: An existing folder; by default the memory that ``MIND_DIR`` names, or else the working
            folder.
        private: Keep all of ``.mind/`` out of git.
        targets: Files for the context block; chosen by what the repository has if empty.

    Raises:
        ProjectError: ``root`` is no folder, or is the user's home.
        PathOutside: A target leaves ``root``.
        MindError: A file that must be edited cannot be (not UTF-8, damaged markers, no JSON).
    """
    project = _meant(root)
    root = project.root
    _check(project)
    ignore = PRIVATE_IGNORE if private else template("mind.gitignore")
    named = _confined(root, targets)
    steps = _files(project, ignore, named, private=private)
    if project.apart:
        steps += [_block(root / name) for name in named]
        return Plan(root=root, steps=tuple(steps), registers=None, apart=project.apart)
    paths = [root / name for name in named] or briefing.targets(project)
    steps += [_block(path) for path in paths]
    steps.append(_edited(root / claude_code.FILE, claude_code.register))
    return Plan(root=root, steps=tuple(steps), registers=True)


def _check(project: Project) -> None:
    """Whether a memory may be there."""
    if project.is_own:
        return
    if not project.root.is_dir():
        raise ProjectError(f"{project.root} is not a folder", remedy="Create it, or name another.")
    if project.root == Path.home() and not project.apart:
        raise ProjectError(
            "the home folder is not a project", remedy="Run `mind init` inside a repository."
        )


def _meant(root: Path | None) -> Project:
    named = None if root else projects.named_memory()
    return named or Project((root or Path.cwd()).absolute())


def _files(
    project: Project, ignore: str, targets: Sequence[str], *, private: bool = False
) -> list[Step]:
    """The files of a memory that are not there yet."""
    steps = [
        _new(project.memory, template("MEMORY.md", name=project.name)),
        _new(project.session, template("SESSION.md")),
        _new(project.reminders, template("REMINDERS.md")),
        _config(project, targets),
    ]
    if not project.is_own:
        steps.append(_ignored(project.folder / ".gitignore", ignore, private=private))
    return steps


def plan_removal(root: Path | None = None, *, purge: bool = False) -> Plan:
    """What ``mind uninstall`` would do: take back the block and the registration.

    The memory itself stays, unless ``purge``; what is derived goes either way.
    """
    project = _meant(root)
    root = project.root
    steps = [_unblock(path) for path in briefing.targets(project)]
    if not project.apart:
        steps.append(_edited(root / claude_code.FILE, claude_code.unregister))
    folder = project.folder
    doomed = sorted(folder.rglob("*")) if purge else sorted(project.cache.rglob("*"))
    steps += [
        Step(path=path, before=files.read(path), after=None) for path in doomed if path.is_file()
    ]
    registers = None if project.apart else False
    return Plan(root=root, steps=tuple(steps), registers=registers, apart=project.apart)


def apply(planned: Plan) -> None:
    """Write what ``planned`` says, and put the project on, or take it off, the user's list."""
    if planned.apart:
        home().mkdir(mode=0o700, parents=True, exist_ok=True)
    for step in planned.changes:
        if step.after is None:
            step.path.unlink(missing_ok=True)
            _prune(step.path.parent, planned.root)
        elif step.before is None:
            step.path.parent.mkdir(parents=True, exist_ok=True)
            files.write(step.path, step.after)
        else:
            files.edit(step.path, _replacement(step))
    if planned.registers:
        projects.register(planned.root)
    elif planned.registers is False:
        projects.unregister(planned.root)


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
    while folder not in (root, folder.parent) and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent


def _confined(root: Path, targets: Sequence[str]) -> list[str]:
    names = []
    for name in targets:
        path = (root / name).resolve()
        if not path.is_relative_to(root.resolve()) or path.is_dir():
            raise PathOutside(f"{name} is not a file inside {root}", path=name)
        names.append(Path(name).as_posix())
    return names


def _new(path: Path, text: str) -> Step:
    before = files.read(path) if path.exists() else None
    return Step(path=path, before=before, after=text.encode() if before is None else before)


def _config(project: Project, targets: Sequence[str]) -> Step:
    path = project.config
    if not targets:
        return _new(path, "{}\n")
    return _edited(path, lambda text: jsontext.put(text, ("context", "targets"), list(targets)))


def _ignored(path: Path, text: str, *, private: bool) -> Step:
    step = _new(path, text)
    if private and step.before is not None and step.before != text.encode():
        return Step(path=path, before=step.before, after=text.encode())
    return step


def _edited(path: Path, change: Callable[[str], str]) -> Step:
    before = files.read(path) if path.exists() else None
    try:
        text = change(files.decode(before or b"", path))
    except MindError as error:
        raise FileError(f"{path.name}: {error.message}", remedy=error.remedy) from error
    bom = b"\xef\xbb\xbf" if (before or b"").startswith(b"\xef\xbb\xbf") else b""
    after = bom + text.encode() if text else None
    if before is not None and text == files.decode(before, path):
        after = before
    return Step(path=path, before=before, after=after)


def _block(path: Path) -> Step:
    before = files.read(path) if path.exists() else None
    files.decode(before or b"", path)
    if before is not None and context.block_span(before) is not None:
        return Step(path=path, before=before, after=before)
    body = context.render(context.Material(), 400)
    return Step(path=path, before=before, after=context.place(before or _front(path), body))


def _front(path: Path) -> bytes:
    """Cursor applies a rule file to every request only when its front matter says so."""
    return b"---\nalwaysApply: true\n---\n" if path.suffix == ".mdc" else b""


def _unblock(path: Path) -> Step:
    before = files.read(path) if path.exists() else None
    after = context.remove(before) if before is not None else None
    if after is not None and after.strip() in (b"", _front(path).strip()):
        after = None
    return Step(path=path, before=before, after=after)


def _diff(step: Step, root: Path) -> str:
    name = step.path.relative_to(root).as_posix()
    before, after = (
        (text or b"").decode("utf-8", "replace").splitlines(keepends=True)
        for text in (step.before, step.after)
    )
    old = "/dev/null" if step.before is None else f"a/{name}"
    new = "/dev/null" if step.after is None else f"b/{name}"
    lines = difflib.unified_diff(before, after, old, new)
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def configure(path: Path, key: str, value: str | None) -> None:
    """Set one key in a settings file (JSON, or TOML for the user's own), or remove it with None.

    Raises:
        ConfigError: The key is unknown or the value does not fit; nothing is written.
    """
    section, _, name = key.partition(".")
    wanted = parse_value(key, value) if value is not None else None
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".toml":
        _configure_toml(path, section, name, wanted)
        return

    def change(source: bytes) -> bytes:
        text = files.decode(source, path)
        if wanted is None:
            return jsontext.take(text, (section, name)).encode()
        return jsontext.put(text, (section, name), wanted).encode()

    files.edit(path, change, create=True)


def _configure_toml(path: Path, section: str, name: str, wanted: object) -> None:
    import tomllib  # noqa: PLC0415 - only the user's settings are TOML

    import tomli_w  # noqa: PLC0415 - the same

    def change(source: bytes) -> bytes:
        data = tomllib.loads(files.decode(source, path))
        table = data.setdefault(section, {})
        table.pop(name, None)
        if wanted is not None:
            table[name] = wanted
        return tomli_w.dumps({key: inner for key, inner in data.items() if inner != {}}).encode()

    files.edit(path, change, create=True)
