"""Checks of the client setup: the context block, hooks and the MCP server.

Hooks run as Claude Code runs them, but on a temporary project: in the real one, a hook that begins
a session would end the running one. Only Mind's own program, located by Mind itself, is run: any
other command may come from the repository's authors.
"""

import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import monotonic

from mind import __version__
from mind.documents import context_block, jsontext
from mind.domain.errors import FileError, MarkersDamaged
from mind.memory import context
from mind.setup import install
from mind.setup.clients import claude_hooks
from mind.setup.clients import command as commands
from mind.setup.clients.known import client
from mind.setup.clients.registrations import Registration, registrations
from mind.setup.doctor.finding import (
    CheckOutcome,
    ExaminedProject,
    Finding,
    Mending,
    broken,
    fine,
    several,
    warning,
)
from mind.setup.install import InstallPlan, registering
from mind.storage import files, process
from mind.storage.index import Index
from mind.storage.project import Project

_OURS = re.compile(r"(?<![\w-])mind(?:-hook(?![\w-])|\.hooks\b)")
_HOOK_SECONDS = 30
_REMINDER = "mind doctor was here"


@dataclass(frozen=True, slots=True)
class Hook:
    """A configured hook whose command mentions Mind.

    Attributes:
        event: The event that runs it.
        line: The command with its arguments.
        path: The settings file that contains it.
    """

    event: str
    line: str
    path: Path


def registered(root: Path) -> list[Hook]:
    """Mind's hooks in the project's and the user's Claude Code settings.

    Raises:
        FileError: The settings cannot be read, or are not a JSON object.
    """
    found: dict[Hook, None] = {}
    for path in claude_hooks.settings_files(root):
        text = files.decode(files.read(path), path)
        hooks = jsontext.value_at(text, ("hooks",))
        for where, handler in claude_hooks.handlers(hooks):
            command, given = handler.get("command"), handler.get("args")
            if isinstance(command, str):
                rest = given if isinstance(given, list) else ()
                found[Hook(where[1], " ".join((command, *map(str, rest))), path)] = None
    return [one for one in found if _OURS.search(one.line)]


def run(event: str, command: list[str], root: Path) -> str:
    """Run a hook with its event, and return what is wrong with its exit code or output; "" if fine.

    A SessionStart hook must print reminders that are due, so the temporary project has one.

    Args:
        event: The name of the event.
        command: The command to run.
        root: The value of CLAUDE_PROJECT_DIR.
    """
    with tempfile.TemporaryDirectory(prefix="mind-doctor-", ignore_cleanup_errors=True) as name:
        stage = Path(name)
        (stage / ".mind").mkdir()
        text = f"- [ ] {_REMINDER} | due: 2000-01-01\n"
        (stage / ".mind" / "REMINDERS.md").write_text(text, encoding="utf-8")
        given = {"hook_event_name": event, "session_id": "mind-doctor", "cwd": name}
        feed = json.dumps({**given, "source": "startup"}).encode()
        env = {**os.environ, "CLAUDE_PROJECT_DIR": str(root)}
        try:
            done = process.run(
                command, cwd=process.OUTSIDE, env=env, feed=feed, seconds=_HOOK_SECONDS
            )
        except OSError as error:
            return f"cannot be run: {error.strerror}"
        except process.Unanswered as error:
            return f"gives {error}"
    if done.returncode:
        return f"exits with {done.returncode}: {_last_line(done.stderr)}"
    if event == "SessionStart" and _REMINDER.encode() not in done.stdout:
        return "does not print a reminder that is due"
    return ""


def _last_line(errors: bytes) -> str:
    said = errors.decode("utf-8", "replace").strip().splitlines()
    return said[-1] if said else "no output"


def _worst(found: Iterable[Finding]) -> Finding:
    """The worst of ``found``; if all are fine, one with all details."""
    listed = list(found)
    worst = max(listed, key=lambda one: tuple(CheckOutcome).index(one.verdict))
    return worst if worst.remedy else fine("; ".join(one.detail for one in listed))


def block(site: ExaminedProject) -> Finding:
    """Check that every context file contains exactly one context block."""
    targets = context.targets(site.project)
    outside = [str(path) for path in context.named_targets(site.project) if path not in targets]
    if outside:
        return broken(
            f"{several(outside)} leads outside the repository",
            "Run `mind config context.targets '[\"CLAUDE.md\"]'`, or see the `links` check.",
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
            f"{lacking} has no context block",
            "Run `mind init` to add it.",
            Mending(f"add it to {lacking}", partial(_placed, site.project, without)),
        )
    return fine(several([site.name(path) for path in targets]))


def _has_block(path: Path, name: str) -> bool:
    source = files.read(path)
    files.decode(source, path)
    try:
        return context_block.block_span(source) is not None
    except MarkersDamaged as error:
        lines = ",".join(str(line) for line in error.data["lines"])
        raise MarkersDamaged(f"{name}:{lines}: {error.message}") from error


def _initialised(project: Project, paths: Sequence[Path]) -> None:
    """Do what ``mind init`` would do to ``paths``."""
    wanted = install.plan(project.root)
    steps = tuple(step for step in wanted.steps if step.path in paths)
    install.apply(InstallPlan(root=project.root, steps=steps, registers=True))


def _registered(root: Path, one: Registration) -> None:
    """Register Mind's server where ``one`` names a program that is gone."""
    where = registering.ClientFile(client=client(one.client), path=one.path, root=root, user=False)
    install.apply(InstallPlan(root=root, steps=registering.register([where]).steps, registers=None))


def _placed(project: Project, paths: Sequence[Path]) -> None:
    """Add an empty block to ``paths``, then fill it with the last known content."""
    _initialised(project, paths)
    with closing(Index(project.cache / "index.db")) as kept:
        bodies = context.last(kept)
    if bodies.own.body:
        context.refresh_targets(project, bodies)


def hooks(site: ExaminedProject) -> Finding:
    """Check that Claude Code's hooks for Mind work, by running them."""
    known = registered(site.project.root)
    if not known:
        plugin = claude_hooks.enabled(site.project.root)
        return fine(f"provided by the plugin {plugin}" if plugin else "not installed")
    if site.quick:
        return fine(several([f"{one.event}: {one.line}" for one in known]))
    return _worst(_ran(site, one) for one in known)


def _ran(site: ExaminedProject, hook: Hook) -> Finding:
    root = site.project.root
    place = f"{site.name(hook.path)}, {hook.event}"
    remedy = f"Change the command in {hook.path} to `{claude_hooks.program(root)}`."
    own = claude_hooks.own(hook.line, root)
    if own is None and hook.line == "mind-hook":
        return broken(f"{place}: PATH finds no `mind-hook` outside the repository", remedy)
    if own is None:
        return warning(f"{place}: `{hook.line}` is not Mind's own command; it was not run", remedy)
    began = monotonic()
    fault = run(hook.event, [own], root)
    if fault:
        return broken(f"{place}: `{hook.line}` {fault}", remedy)
    return fine(f"{hook.event} runs in {monotonic() - began:.2f} s")


_SERVER_SECONDS = 30


def _registrations(site: ExaminedProject) -> list[Registration]:
    """Registrations of Mind, and damaged files of the project or that mention Mind."""
    return [
        one
        for one in registrations(site.project.root)
        if one.command
        or (one.problem and (one.scope == "project" or b"mind" in files.read(one.path)))
    ]


def registration(site: ExaminedProject) -> Finding:
    """Check that Mind is registered with a client, and that each registered program exists."""
    known = _registrations(site)
    plugin = claude_hooks.enabled(site.project.root)
    if not known:
        if plugin:
            return fine(f"provided by the Claude Code plugin {plugin}")
        return warning("Mind is not registered in .mcp.json", "Run `mind init`.")
    faults = (_fault(site, one, plugin) for one in known)
    found = next((one for one in faults if one), None)
    return found or fine("; ".join(f"{site.name(one.path)}: {_shown(one)}" for one in known))


def _fault(site: ExaminedProject, one: Registration, plugin: str) -> Finding | None:
    if one.problem:
        return broken(one.problem, one.remedy)
    if not one.there:
        return _gone(site, one)
    if plugin and one.client == "claude-code" and one.command != tuple(claude_hooks.SERVER):
        return warning(
            f"{site.name(one.path)} and the plugin {plugin} each start a server, so Claude Code "
            "has every tool twice",
            f"Remove `mind` from {one.path}, or disable the plugin.",
        )
    return _foreign(site, one)


def _shown(one: Registration) -> str:
    return " ".join(one.command or ())


def _foreign(site: ExaminedProject, one: Registration) -> Finding | None:
    """A warning about a registration that ``mind init`` would not write.

    User-level files may set environment variables.
    """
    name, own = site.name(one.path), _own(site, one)
    usual = " ".join(commands.command(site.project.root, here=one.scope == "user"))
    remedy = (
        f"If you did not write this, delete the entry and run `mind init`, which writes `{usual}`."
    )
    if own is None:
        return warning(f"{name} runs `{_shown(one)}`, which is not Mind's own command", remedy)
    if one.env and one.scope == "project":
        return warning(
            f"{name} sets the environment variable {several(list(one.env))} for the server", remedy
        )
    return None


def _gone(site: ExaminedProject, one: Registration) -> Finding:
    name, known = site.name(one.path), one.command or ("",)
    new = commands.repointed(known, site.project.root, here=one.scope == "user")
    detail = f"{name} runs `{_shown(one)}`, but {known[0]} does not exist"
    if one.scope == "project":
        change = partial(_registered, site.project.root, one)
        mending = Mending(f"register `{' '.join(new)}` in {name}", change)
        return broken(detail, "Run `mind doctor --fix`.", mending)
    return broken(detail, f"Run `mind init --client {one.client} --user`.")


_GREETING = (
    b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",'
    b'"capabilities":{},"clientInfo":{"name":"mind doctor","version":"0"}}}\n'
    b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
    b'{"jsonrpc":"2.0","id":2,"method":"ping"}\n'
)
"""A handshake and a ping: the handshake may be answered from a cache, the ping cannot."""


def server(site: ExaminedProject) -> Finding:
    """Start Mind's server with each registered command that is Mind's own, and check its answers.

    Environment variables of a registration are not set.
    """
    root = site.project.root
    usual = tuple(commands.command(root, here=True))
    known = [(_own(site, one), site.name(one.path)) for one in _registrations(site)]
    if not known:
        known = [(list(usual), ".mcp.json")]
    own = {tuple(command): name for command, name in known if command}
    if not own:
        return fine("not started: no registered command is Mind's own")
    return _worst(started([*command], root, name) for command, name in own.items())


def _own(site: ExaminedProject, one: Registration) -> list[str] | None:
    """The command that ``one`` registers if it is Mind's own, else None."""
    return commands.own_server(one.command or ("",), site.project.root)


def _install(name: str) -> str:
    return (
        "Install Mind where the client finds it (`pipx install mind-lens`), or correct the command "
        f"in {name}."
    )


def started(command: list[str], root: Path, name: str) -> Finding:
    """Run a server in a folder where no file of the repository can replace it.

    Args:
        command: The command.
        root: The project that it serves.
        name: The file that registers it.
    """
    shown, began = " ".join(command), monotonic()
    env = {**os.environ, "MIND_PROJECT": str(root)}
    program = shutil.which(command[0]) or command[0]
    try:
        done = process.run(
            [program, *command[1:]],
            cwd=process.OUTSIDE,
            env=env,
            feed=_GREETING,
            seconds=_SERVER_SECONDS,
        )
    except OSError as error:
        return broken(f"`{shown}` does not start: {error.strerror}", _install(name))
    except process.Unanswered as error:
        return broken(f"`{shown}` gave {error}", _install(name))
    answers = _answers(done.stdout)
    if 1 not in answers or 2 not in answers:
        return broken(
            f"`{shown}` gave no answer: {_last_line(done.stderr)}",
            f"Run `{shown}` yourself to see its output.",
        )
    about = answers[1].get("serverInfo")
    version = about.get("version") if isinstance(about, dict) else "of unknown version"
    if version != __version__:
        return warning(
            f"`{shown}` is Mind {version}, but this is {__version__}",
            "Update the older one, for example with `pipx upgrade mind-lens`.",
        )
    return fine(f"answers in {monotonic() - began:.2f} s")


def _answers(output: bytes) -> dict[object, dict[str, object]]:
    """The server's answers by request id; other output is ignored."""
    found = {}
    for line in output.splitlines():
        try:
            answer = json.loads(line)
            found[answer["id"]] = dict(answer["result"])
        except (ValueError, KeyError, TypeError):
            continue
    return found
