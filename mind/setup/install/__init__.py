"""Installation and removal of Mind in a repository, as plans that can be previewed."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from mind.documents import context_block, jsontext
from mind.domain.errors import PathOutside, ProjectError
from mind.memory import context
from mind.setup.clients import claude_hooks, reading
from mind.setup.clients.registering import snippet
from mind.setup.clients.registrations import Registration
from mind.setup.clients.registrations import registrations as clients_told
from mind.setup.git import installing
from mind.setup.install import made, registering
from mind.setup.steps import (
    InstallPlan,
    InstallStep,
    apply,
    edited,
    first,
    kept,
    shown,
)
from mind.storage import files
from mind.storage import project as projects
from mind.storage.boundary import absolute
from mind.storage.project import Project
from mind.storage.templates import text as template

__all__ = [
    "InstallPlan",
    "InstallStep",
    "apply",
    "plan",
    "plan_removal",
    "registrations",
    "shown",
    "snippets",
]

_PRIVATE_IGNORE = "# Mind's memory of this machine only.\n*\n"


def plan(  # noqa: PLR0913 - independent options, by name only
    root: Path | None = None,
    *,
    private: bool = False,
    targets: Sequence[str] = (),
    clients: Sequence[str] = (),
    user: bool = False,
    hooks: bool = False,
    git_hooks: bool = False,
    pre_commit: bool = False,
) -> InstallPlan:
    """Return the plan of ``mind init``.

    For a memory outside a repository (see :func:`mind.storage.project.named_memory`), only its own
    files are created, and only named clients are registered, in the user's files.

    Args:
        root: An existing folder. Default: the memory that ``MIND_DIR`` names, else the current
            folder.
        private: Keep all of ``.mind/`` out of git, and the hooks in this machine's settings.
        targets: Files for the context block. If empty, they are chosen by the files that the
            repository has and that ``clients`` read.
        clients: Names of the clients to register. Default: those whose files here mention Mind,
            else Claude Code, unless others were registered in the user's files.
        user: Register them in the user's files, for all projects.
        hooks: Add hooks to the settings of Claude Code, unless its plugin provides them.
        git_hooks: Install git hooks that update the index after a commit and a merge.
        pre_commit: Install a git hook that blocks commits of rejected approaches.

    Raises:
        ProjectError: ``root`` is not a folder, or is the user's home.
        PathOutside: A target is outside ``root``.
        NotFound: A client is unknown.
        MindError: A file cannot be edited (not UTF-8, damaged markers, invalid JSON).
    """
    project = _meant(root)
    root = project.root
    _check(project)
    named = _confined(root, targets)
    asked = registering.chosen(clients)
    told = asked
    notes: list[str] = []
    if not project.apart:
        plugin = claude_hooks.enabled(root)  # it provides the server and the hooks
        told = asked or [
            one for one in registering.usual(root) if not plugin or one.name != "claude-code"
        ]
        if asked and not named:
            named, notes = registering.carriers(project, asked)
    steps = _files(project, named, private=private)
    if project.apart:
        steps += [_block(root, root / name) for name in named]
    else:
        paths = [root / name for name in named] or context.named_targets(project)
        for path in paths:
            files.check(path, project.boundary)
        steps += [_block(root, path) for path in paths]
        steps += [registering.hooked(root, private=private)] if hooks and not plugin else []
    carry = [root / name for name in named] or context.targets(project)
    gits = [
        *(installing.UPDATING if git_hooks else ()),
        *(installing.CHECKING if pre_commit else ()),
    ]
    changes = installing.changes(project, carry, private=private, hooks=gits)
    steps += [first(step, installing.SHELL) for step in changes]
    places = registering.places(told, project.apart or root, user=user or project.apart is not None)
    registered = registering.register([one for one in places if not one.client.by_hand])
    notes += [
        f"{one.client.name}: add this to {one.name}:\n{snippet(one.client, one.command)}"
        for one in places
        if one.client.by_hand
    ]
    return InstallPlan(
        root=root,
        steps=(*steps, *registered.steps),
        registers=None if project.apart else True,
        apart=project.apart,
        noted=registered.noted,
        notes=(*notes, *(f"{one.name}: {one.note}" for one in asked if one.note)),
    )


def snippets(
    root: Path | None = None, *, clients: Sequence[str] = (), user: bool = False
) -> list[tuple[str, str, str]]:
    """Return the output of ``mind init --print``: each client's name, file and snippet."""
    project = _meant(root)
    asked = registering.chosen(clients or ["claude-code"])
    places = registering.places(asked, project.root, user=user)
    return [(one.client.name, one.name, snippet(one.client, one.command)) for one in places]


def _check(project: Project) -> None:
    """Raise a ProjectError if a memory may not be there."""
    if project.is_own:
        return
    if not project.root.is_dir():
        raise ProjectError(
            f"{project.root} is not a folder", remedy="Create it, or pass another folder."
        )
    if project.root == Path.home() and not project.apart:
        raise ProjectError(
            "the home folder cannot be a project", remedy="Run `mind init` inside a repository."
        )


def _meant(root: Path | None) -> Project:
    named = None if root else projects.named_memory()
    return (
        named or Project(Path(absolute(root or os.environ.get("MIND_PROJECT") or Path.cwd())))
    ).readable()


def _files(project: Project, targets: Sequence[str], *, private: bool) -> list[InstallStep]:
    """The steps that create the files of a memory, where they do not exist."""
    steps = [
        _new(project.memory, template("MEMORY.md", name=project.name)),
        _new(project.session, template("SESSION.md")),
        _new(project.reminders, template("REMINDERS.md")),
        _config(project, targets),
    ]
    if not project.is_own:
        steps.append(_ignored(project.folder / ".gitignore", private=private))
    return steps


def registrations() -> list[Registration]:
    """Every file in which a client looks for Mind: the user's, and those of a project here."""
    try:
        project = projects.find()
    except ProjectError:
        return clients_told(None)
    return clients_told(None if project.apart else project.root)


def plan_removal(
    root: Path | None = None, *, purge: bool = False, clients: Sequence[str] = ()
) -> InstallPlan:
    """Return the plan of ``mind uninstall``: remove the context block and the registrations.

    The memory itself stays, unless ``purge``; derived files are always deleted. With ``clients``,
    only their setup is removed, in the project and in the user's files.
    """
    project = _meant(root)
    root = project.root
    if clients:
        return _removal_of(project, clients)
    steps = [_unblock(root, path) for path in context.targets(project)]
    taken = registering.unregister(project.apart or root, ())
    steps += [] if project.apart else registering.unhooked(root)
    steps += [kept(step) for step in installing.removals(project)]
    steps += taken.steps
    steps += _deletions(project, purge=purge)
    return InstallPlan(
        root=root,
        steps=tuple(steps),
        registers=None if project.apart else False,
        apart=project.apart,
        forgotten=taken.forgotten,
        leaves=project.apart or root,
        notes=tuple(context.refused_targets(project)),
    )


def _deletions(project: Project, *, purge: bool) -> Iterator[InstallStep]:
    """Steps that delete Mind's files: derived ones and, with ``purge``, the memory.

    This includes state kept in another folder because git tracks it here.
    """
    for folder in dict.fromkeys((project.folder, project.machine)):
        above = None if folder == project.folder else folder.parent
        for path in made.own(folder) if purge else ():
            yield _deletion(path, above)
        for path in made.derived(folder / "cache"):
            yield replace(_deletion(path, above), derived=True)


def _deletion(path: Path, above: Path | None) -> InstallStep:
    """A step that deletes a file, and its empty folders up to ``above``; None: the project's."""
    emptied = tuple(one for one in path.parents if one.is_relative_to(above)) if above else None
    content = os.fsencode(path.readlink()) if path.is_symlink() else files.read(path)
    return InstallStep(path=path, before=content, after=None, folders=emptied)


def _removal_of(project: Project, names: Sequence[str]) -> InstallPlan:
    """Return the plan that removes the setup of the clients ``names``."""
    root, clients = project.root, registering.chosen(names)
    taken = registering.unregister(root, clients)
    steps = list(taken.steps)
    carried = project.settings.context_targets
    own = [name for name in carried if name in {reading.own_file(one.name) for one in clients}]
    steps += [_unblock(root, root / name) for name in own]
    left = [name for name in carried if name not in own]
    if own:
        key = ("context", "targets")
        steps.append(
            edited(
                project.config,
                lambda text: jsontext.put(text, key, left) if left else jsontext.take(text, key),
            )
        )
    return InstallPlan(root=root, steps=tuple(steps), registers=None, forgotten=taken.forgotten)


def _confined(root: Path, targets: Sequence[str]) -> list[str]:
    names = []
    for name in targets:
        path = (root / name).resolve()
        if not path.is_relative_to(root.resolve()) or path.is_dir():
            raise PathOutside(f"{name} is not a file inside {root}", path=name)
        names.append(Path(name).as_posix())
    return names


def _new(path: Path, text: str) -> InstallStep:
    before = files.read(path) if path.exists() else None
    return InstallStep(path=path, before=before, after=text.encode() if before is None else before)


def _config(project: Project, targets: Sequence[str]) -> InstallStep:
    path = project.config
    if not targets:
        return _new(path, "{}\n")
    return edited(path, lambda text: jsontext.put(text, ("context", "targets"), list(targets)))


def _ignored(path: Path, *, private: bool) -> InstallStep:
    step = _new(path, _PRIVATE_IGNORE if private else template("mind.gitignore"))
    return replace(step, after=_PRIVATE_IGNORE.encode()) if private else step


def _block(root: Path, path: Path) -> InstallStep:
    before = files.read(path) if path.exists() else None
    files.decode(before or b"", path)
    if before is not None and context_block.block_span(before) is not None:
        return InstallStep(path=path, before=before, after=before)
    front = _front(root, path)
    after = context_block.place(before or front, context_block.render({}, 400).body)
    return first(InstallStep(path=path, before=before, after=after), front.strip())


def _front(root: Path, path: Path) -> bytes:
    """The front matter with which a client applies a rule file to every request; else empty."""
    return reading.front(path.relative_to(root).as_posix()).encode()


def _unblock(root: Path, path: Path) -> InstallStep:
    before = files.read(path) if path.exists() else None
    after = context_block.remove(before) if before is not None else None
    if after is not None and after.strip() in (b"", _front(root, path).strip()):
        after = None
    return kept(InstallStep(path=path, before=before, after=after))
