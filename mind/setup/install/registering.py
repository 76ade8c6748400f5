"""Registering with clients: files for the context block, server entries, hooks and skills.

Everything that is written can be taken back.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from mind.documents import context_block
from mind.domain.errors import FileError, NotFound
from mind.memory import context
from mind.setup.clients import claude_hooks, reading, record, registering, skill_text
from mind.setup.clients import command as commands
from mind.setup.clients.known import CLIENTS, DETECTED, Client, Format, client
from mind.setup.clients.registrations import (
    is_installed,
    located,
    project_file,
    read,
    this_machine,
    user_files,
)
from mind.setup.steps import InstallStep, edited, encoded, hollow_of, kept, shown
from mind.storage import files
from mind.storage.files.content import BOM
from mind.storage.project import Project


def carriers(project: Project, clients: Sequence[Client]) -> tuple[list[str], list[str]]:
    """Files for the context block, and notes on the choice.

    These are the files that already have the block, and the file that each client reads. No files
    are returned if the project's default ones are enough.

    Raises:
        MarkersDamaged: A file has a damaged block.
    """
    wanted = reading.targets(
        [one.name for one in clients], lambda name: (project.root / name).is_file()
    )
    usual = [project.relative(path) for path in context.targets(project)]
    kept = [name for name in usual if _carries(project, name)]
    names = list(dict.fromkeys((*kept, *wanted.values())))
    notes = [f"{client} reads the memory from {name}." for client, name in wanted.items()]
    agents, claude = project.root / reading.AGENTS, project.root / "CLAUDE.md"
    if reading.AGENTS in names and not agents.is_file() and claude.is_file():
        notes.append(
            "This creates AGENTS.md, which opencode, Amp and Zed read instead of CLAUDE.md. To "
            "share instructions, move them to AGENTS.md and begin CLAUDE.md with `@AGENTS.md`."
        )
    return ([] if names == usual or not wanted else names), notes


def _carries(project: Project, name: str) -> bool:
    path = project.root / name
    return path.is_file() and context_block.block_span(files.read(path)) is not None


def hooked(root: Path, *, private: bool) -> InstallStep:
    """The step that adds Mind's hooks to the settings; with ``private``, to this machine's only."""
    name = claude_hooks.OWN if private else claude_hooks.SHARED
    program = claude_hooks.program(root)
    step = edited(root / name, lambda text: claude_hooks.add(text, program, shared=not private))
    if step.before is None or step.action == "keep":
        return step
    text = files.decode(step.before, step.path)
    return step if claude_hooks.present(text) else replace(step, hollow=claude_hooks.hollow(text))


def unhooked(root: Path) -> list[InstallStep]:
    """The steps that remove Mind's hooks from the settings, and the skills that Mind installed."""
    settings = (root / claude_hooks.SHARED, root / claude_hooks.OWN)
    steps = [
        kept(edited(path, partial(claude_hooks.remove, was=hollow_of(path))))
        for path in settings
        if path.exists()
    ]
    for name in dict.fromkeys(skill_text.FOLDERS.values()):
        path = root / name / skill_text.NAME / skill_text.FILE
        before = files.read(path) if path.exists() else None
        if before and skill_text.is_own(before.decode("utf-8", "replace")):
            steps.append(InstallStep(path=path, before=before, after=None))
    return steps


_TELLING = re.compile(rb"(?i)token|secret|key|passw|authorization|bearer|credential")
_BACKUP = ".mind-backup"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientFile:
    """A client's file in which Mind is or will be registered.

    Attributes:
        client: The client.
        path: The file.
        root: The project; for a user-level file, the folder from which commands are looked up.
        user: True for a user-level file.
    """

    client: Client
    path: Path
    root: Path
    user: bool

    @property
    def name(self) -> str:
        """The file's path for display."""
        return shown(self.path, None if self.user else self.root)

    @property
    def command(self) -> list[str]:
        """The command that starts the server from there."""
        program, *rest = commands.command(self.root, here=self.user)
        return [program, *rest[:-1], "--global", "mcp"] if self.client.own else [program, *rest]


@dataclass(frozen=True, slots=True, kw_only=True)
class Registering:
    """Steps for clients' files, and the changes to the record of registrations."""

    steps: tuple[InstallStep, ...] = ()
    noted: tuple[record.RegistrationRow, ...] = ()
    forgotten: tuple[tuple[str, Path], ...] = ()


def chosen(names: Sequence[str]) -> list[Client]:
    """The clients ``names``, each once; "detected" means all that are found on this machine.

    Raises:
        NotFound: A client is unknown, or none is found on this machine.
    """
    machine = this_machine()
    found: dict[str, Client] = {}
    for name in names:
        if name == DETECTED:
            found |= {one.name: one for one in CLIENTS if is_installed(one, machine)}
        else:
            found[name] = client(name)
    if names and not found:
        raise NotFound(
            "no client was found on this machine",
            remedy="Name one, such as `mind init --client cursor`; `mind clients --all` lists all.",
        )
    return list(found.values())


def usual(root: Path) -> list[Client]:
    """The clients to register in ``root`` when none is named.

    These are the clients whose file there mentions Mind; an unreadable file counts as not
    mentioning it. If no client is registered for ``root`` yet, also not in the user's files, it is
    Claude Code.
    """
    found = [one for one in CLIENTS if one.project and _names_mind(one, root)]
    elsewhere = (
        root in row.projects and not row.file.is_relative_to(root) for row in record.rows()
    )
    return found if found or any(elsewhere) else [client("claude-code")]


def _names_mind(one: Client, root: Path) -> bool:
    try:
        return bool(read(one, project_file(one, root)))
    except FileError:
        return False


def places(clients: Sequence[Client], root: Path, *, user: bool) -> list[ClientFile]:
    """List the files to register ``clients`` in: in the project, or for ``user`` the user's."""
    machine = this_machine()
    found: list[ClientFile] = []
    for one in clients:
        is_user = user or not one.project
        paths = user_files(one, machine) if is_user else [project_file(one, root)]
        found += [ClientFile(client=one, path=path, root=root, user=is_user) for path in paths]
    return found


def register(told: Sequence[ClientFile]) -> Registering:
    """Return the changes that register Mind at ``told``; existing registrations are kept.

    A registration whose program no longer exists is changed to this installation's.

    Raises:
        FileError: A file is damaged; the message names it and the line.
    """
    known = {(one.client, one.file) for one in record.rows()}
    steps: list[InstallStep] = []
    noted: list[record.RegistrationRow] = []
    for one in told:
        before = files.read(one.path) if one.path.exists() else None
        text = files.decode(before or b"", one.path)
        try:
            there = registering.registered(one.client, text)
            after = _registered(one, text, there)
            was = registering.was(one.client, text) if before is not None else None
        except FileError as error:
            raise located(error, one.name) from error
        steps += _changed(one, before, encoded(one.path, before, after))
        if there is None or (one.client.name, one.path) in known:
            noted.append(
                record.RegistrationRow(
                    client=one.client.name,
                    file=one.path,
                    projects=(one.root,),
                    was=was,
                    created=before is None,
                    folders=tuple(_missing(one.path.parent)),
                )
            )
    return Registering(steps=tuple(steps), noted=tuple(noted))


def _registered(one: ClientFile, text: str, there: list[str] | None) -> str:
    if there is None:
        return registering.register(one.client, text, one.command)
    if commands.is_gone(there, one.root, here=one.user):
        new = commands.repointed(there, one.root, here=one.user)
        return registering.repoint(one.client, text, new)
    return text


def _changed(one: ClientFile, before: bytes | None, after: bytes | None) -> Iterator[InstallStep]:
    """The change of a file, preceded by a backup if it is the user's and has none yet."""
    aside = backup(one.path)
    if one.user and before is not None and before != after and not aside.exists():
        mode = one.path.stat().st_mode & (0o600 if _TELLING.search(before) else 0o777)
        yield InstallStep(path=aside, before=None, after=before, mode=mode)
    yield InstallStep(path=one.path, before=before, after=after)


def backup(path: Path) -> Path:
    """The path of the backup of a user's file."""
    return path.with_name(path.name + _BACKUP)


def _missing(folder: Path) -> Iterator[Path]:
    while not folder.exists():
        yield folder
        folder = folder.parent


def unregister(root: Path, clients: Sequence[Client]) -> Registering:
    """Return the changes that remove Mind's registrations.

    Args:
        root: The project.
        clients: The clients to unregister, in the project and in the user's files. If empty, all in
            the project, and those in the user's files that were registered only for it.

    Raises:
        FileError: A file that names Mind is damaged; the message names it and the line.
    """
    rows = {(one.client, one.file): one for one in record.rows()}
    steps: list[InstallStep] = []
    forgotten: list[tuple[str, Path]] = []
    for one in _registered_places(root, clients, rows.values()):
        row = rows.get((one.client.name, one.path))
        steps += _taken(one, row)
        if row:
            forgotten.append((row.client, row.file))
    return Registering(steps=tuple(steps), forgotten=tuple(forgotten))


def _registered_places(
    root: Path, clients: Sequence[Client], rows: Iterable[record.RegistrationRow]
) -> Iterator[ClientFile]:
    named = {one.name for one in clients}
    for one in clients or CLIENTS:
        for name in one.project:
            yield ClientFile(client=one, path=root / name, root=root, user=False)
    machine = this_machine()
    alone = [
        (row.client, row.file)
        for row in rows
        if not row.file.is_relative_to(root)
        and (row.client in named or (not named and row.projects == (root,)))
    ]
    alone += [
        (one.name, path) for one in clients if not one.by_hand for path in user_files(one, machine)
    ]
    for name, path in dict.fromkeys(alone):
        yield ClientFile(client=client(name), path=path, root=root, user=True)


def _first(one: ClientFile, row: record.RegistrationRow | None) -> registering.Was | None:
    """Return what to restore: the recorded text, else an empty file if Mind did not create it."""
    if row and not (row.created or row.was):
        return -1, "{}\n" if one.client.format in {Format.JSON, Format.JSONC} else ""
    return row.was if row else None


def _taken(one: ClientFile, row: record.RegistrationRow | None) -> Iterator[InstallStep]:
    if not one.path.exists():
        return
    before = files.read(one.path)
    if b"mind" not in before:  # other faults of the file do not matter here
        return
    text = files.decode(before, one.path)
    try:
        left = registering.unregister(one.client, text, _first(one, row))
    except FileError as error:
        raise located(error, one.name) from error
    bom = BOM if before.startswith(BOM) else b""
    after = None if left is None else encoded(one.path, before, left) or bom
    folders = (row.folders if row else ()) if one.user else None
    yield InstallStep(path=one.path, before=before, after=after, folders=folders)
    aside = backup(one.path)
    if one.user and after != before and aside.exists():
        yield InstallStep(path=aside, before=files.read(aside), after=None, folders=folders or ())
