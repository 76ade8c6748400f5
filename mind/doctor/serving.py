"""How clients start the server, and whether it comes."""

import json
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import monotonic

from mind import __version__, files
from mind.clients import claude_code
from mind.doctor.finding import Finding, Mending, broken, fine, warning
from mind.doctor.site import Site

_SECONDS = 30


@dataclass(frozen=True, slots=True)
class _Registration:
    """Where a client is told how to start the server, and the command.

    Attributes:
        path: The client's file.
        own: Whether it is the project's; else it is the client's own, which is only read.
        command: The program and its arguments.
    """

    path: Path
    own: bool
    command: list[str]


def _registrations(site: Site) -> list[_Registration]:
    places = ((site.project.root / claude_code.FILE, True), (Path.home() / ".claude.json", False))
    found = []
    for path, own in places:
        command = claude_code.registered(files.decode(files.read(path), path))
        if command is not None:
            found.append(_Registration(path, own, command))
    return found


def registration(site: Site) -> Finding:
    """Whether a client knows Mind, by a program that is there."""
    known = _registrations(site)
    if not known:
        return warning(f"{claude_code.FILE} does not name Mind", "Run `mind init`.")
    for one in known:
        if not _is_there(one.command[0], site.project.root):
            return _gone(site, one)
    return fine("; ".join(f"{site.name(one.path)}: {' '.join(one.command)}" for one in known))


def _is_there(program: str, root: Path) -> bool:
    return shutil.which(program) is not None or shutil.which(root / program) is not None


def _gone(site: Site, one: _Registration) -> Finding:
    name, new = site.name(one.path), " ".join(claude_code.command())
    detail = f"{name} names `{' '.join(one.command)}`, and there is no {one.command[0]}"
    if one.own:
        change = partial(_changed, one.path, claude_code.repointed)
        return broken(
            detail, "Run `mind doctor --fix`.", Mending(f"name `{new}` in {name}", change)
        )
    return broken(
        detail,
        f"Run `claude mcp remove --scope user mind; claude mcp add --scope user mind {new}`.",
    )


def _changed(path: Path, change: Callable[[str], str]) -> None:
    def edited(source: bytes) -> bytes:
        mark = b"\xef\xbb\xbf" if source.startswith(b"\xef\xbb\xbf") else b""
        return mark + change(files.decode(source, path)).encode()

    files.edit(path, edited)


_GREETING = (
    b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",'
    b'"capabilities":{},"clientInfo":{"name":"mind doctor","version":"0"}}}\n'
    b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
    b'{"jsonrpc":"2.0","id":2,"method":"ping"}\n'
)
"""The server may answer the handshake from memory; for a ping it has to load all it needs."""


def server(site: Site) -> Finding:
    """Start the server as each client would, and wait for its answers."""
    commands = [one.command for one in _registrations(site)] or [claude_code.command()]
    told = []
    for at, command in enumerate(commands):
        if command not in commands[:at]:
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
            input=_GREETING,
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
    answers = _answers(done.stdout)
    if 1 not in answers or 2 not in answers:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        return broken(
            f"`{shown}` gave no answer: {said[-1] if said else 'silence'}",
            f"Run `{shown}` by hand to see what it says.",
        )
    about = answers[1].get("serverInfo")
    version = about.get("version") if isinstance(about, dict) else "of another kind"
    if version != __version__:
        return warning(
            f"`{shown}` is Mind {version}, and this is {__version__}",
            "Update the older one, as with `pipx upgrade mind-lens`.",
        )
    return fine(f"answers after {monotonic() - began:.2f} s")


def _answers(output: bytes) -> dict[object, dict[str, object]]:
    """What the server answered to each request; what else it says is no answer."""
    found = {}
    for line in output.splitlines():
        try:
            answer = json.loads(line)
            found[answer["id"]] = dict(answer["result"])
        except (ValueError, KeyError, TypeError):
            continue
    return found
