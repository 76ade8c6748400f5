"""What agents see: the context block, and how they start the server and the hooks."""

import json
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import monotonic

from mind import __version__, briefing, context, files, installation
from mind.clients import claude_code
from mind.doctor import rehearsal
from mind.doctor.finding import Finding, Mending, broken, fine, several, warning
from mind.doctor.site import Site
from mind.errors import FileError, MarkersDamaged
from mind.index import Index
from mind.installation import Plan
from mind.project import Project

_SECONDS = 30


@dataclass(frozen=True, slots=True)
class _Client:
    """A file that may name Mind's server, and how it is read and corrected."""

    file: str
    registered: Callable[[str], list[str] | None]
    repointed: Callable[[str], str]


_CLIENTS = (_Client(claude_code.FILE, claude_code.registered, claude_code.repointed),)


def block(site: Site) -> Finding:
    """Whether every file that carries the context block has exactly one."""
    targets = briefing.targets(site.project)
    root = site.project.root.resolve()
    outside = [str(path) for path in targets if not path.resolve().is_relative_to(root)]
    if outside:
        return broken(
            f"context.targets names {several(outside)}, outside of the project",
            "Run `mind config context.targets '[\"CLAUDE.md\"]'`.",
        )
    without: list[Path] = []
    faults: list[FileError] = []
    for path in targets:
        try:
            without += [] if _has_block(path, site.name(path)) else [path]
        except FileError as error:
            faults.append(error)
    if faults:
        return broken("; ".join(error.message for error in faults), faults[0].remedy)
    if without:
        lacking = several([site.name(path) for path in without])
        return warning(
            f"{lacking} has none",
            "Run `mind init` to add it.",
            Mending(f"add it to {lacking}", partial(_placed, site.project, without)),
        )
    return fine(several([site.name(path) for path in targets]))


def _has_block(path: Path, name: str) -> bool:
    source = files.read(path)
    files.decode(source, path)
    try:
        return context.block_span(source) is not None
    except MarkersDamaged as error:
        lines = ",".join(str(line) for line in error.data["lines"])
        raise MarkersDamaged(f"{name}:{lines}: {error.message}") from error


def _placed(project: Project, paths: Sequence[Path]) -> None:
    """Put into ``paths`` an empty block, and then what the block said the last time."""
    wanted = installation.plan(project.root)
    steps = tuple(step for step in wanted.steps if step.path in paths)
    installation.apply(Plan(root=project.root, steps=steps, registers=True))
    kept = Index(project.cache / "index.db")
    try:
        body = kept.sure(lambda: kept.meta("block"))
    finally:
        kept.close()
    if body:
        briefing.refresh_targets(project, body)


def _commands(site: Site) -> list[tuple[_Client, list[str]]]:
    """The clients that know Mind, each with how it starts it."""
    found = []
    for client in _CLIENTS:
        path = site.project.root / client.file
        command = client.registered(files.decode(files.read(path), path))
        if command is not None:
            found.append((client, command))
    return found


def registration(site: Site) -> Finding:
    """Whether a client knows Mind, by a program that is there."""
    known = _commands(site)
    if not known:
        return warning(
            f"{several([one.file for one in _CLIENTS])} does not name Mind", "Run `mind init`."
        )
    for client, command in known:
        if not _is_there(command[0], site.project.root):
            new = " ".join(claude_code.command())
            return broken(
                f"{client.file} names `{' '.join(command)}`, and there is no {command[0]}",
                "Run `mind doctor --fix`, or install Mind where the agent finds it (`pipx install "
                "mind-lens`).",
                Mending(f"name `{new}` in {client.file}", partial(_repointed, site, client)),
            )
    return fine("; ".join(f"{client.file}: {' '.join(command)}" for client, command in known))


def _is_there(program: str, root: Path) -> bool:
    return shutil.which(program) is not None or shutil.which(root / program) is not None


def _repointed(site: Site, client: _Client) -> None:
    path = site.project.root / client.file
    files.edit(path, lambda source: _recoded(source, path, client.repointed))


def _recoded(source: bytes, path: Path, change: Callable[[str], str]) -> bytes:
    mark = b"\xef\xbb\xbf" if source.startswith(b"\xef\xbb\xbf") else b""
    return mark + change(files.decode(source, path)).encode()


_HANDSHAKE = (
    b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",'
    b'"capabilities":{},"clientInfo":{"name":"mind doctor","version":"0"}}}\n'
)


def server(site: Site) -> Finding:
    """Start the server as each client would, and wait for its answer to the handshake."""
    commands = [command for _, command in _commands(site)] or [claude_code.command()]
    told = []
    for command in commands:
        found = _started(command, site.project.root)
        if found.remedy:
            return found
        told.append(found.detail)
    return fine("; ".join(told))


def _started(command: list[str], root: Path) -> Finding:
    shown = " ".join(command)
    began = monotonic()
    try:
        done = subprocess.run(  # noqa: S603 - the command that the user registered
            command,
            input=_HANDSHAKE,
            capture_output=True,
            cwd=root,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return broken(
            f"`{shown}` does not start: {error}",
            "Install Mind where the agent finds it (`pipx install mind-lens`), or correct the "
            f"command in {claude_code.FILE}.",
        )
    version = _version(done.stdout)
    if version is None:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        return broken(
            f"`{shown}` gave no answer: {said[-1] if said else 'silence'}",
            f"Run `{shown}` by hand to see what it says.",
        )
    if version != __version__:
        return warning(
            f"`{shown}` is Mind {version}, and this is {__version__}",
            "Update the older one, as with `pipx upgrade mind-lens`.",
        )
    return fine(f"answers after {monotonic() - began:.2f} s")


def _version(output: bytes) -> str | None:
    """The server's version in its answer to the handshake; None if it gave none."""
    for line in output.splitlines():
        try:
            answer = json.loads(line)
            return str(answer["result"]["serverInfo"]["version"])
        except (ValueError, KeyError, TypeError):  # what else it says is no answer
            continue
    return None


def hooks(site: Site) -> Finding:
    """Whether Claude Code's hooks are there, and do what they are for."""
    known = rehearsal.registered(site.project.root)
    if not known:
        return fine("not installed")
    if site.quick:
        return fine(several([f"{one.event}: {one.command}" for one in known]))
    told = []
    for one in known:
        result = rehearsal.run(one, site.project.root)
        if result.fault:
            return broken(
                f"{one.file}, {one.event}: `{one.command}` {result.fault}",
                f"Correct the command in {one.file}; here it is `{rehearsal.program()}`.",
            )
        told.append(f"{one.event} runs in {result.seconds:.2f} s")
    return fine("; ".join(told))
