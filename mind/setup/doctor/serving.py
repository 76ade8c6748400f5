"""How clients start the server, and whether it comes."""

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from os import environ
from pathlib import Path
from time import monotonic

from mind import __version__
from mind.setup.clients import claude_plugin
from mind.setup.clients import command as commands
from mind.setup.clients.known import client
from mind.setup.clients.registering import repoint
from mind.setup.clients.registrations import Registration, registrations
from mind.setup.doctor.finding import Finding, Mending, Verdict, broken, fine, several, warning
from mind.setup.doctor.site import Site
from mind.storage import files, process

_SECONDS = 30


def _registrations(site: Site) -> list[Registration]:
    """Where clients find Mind, or would if their file were not damaged."""
    return [
        one
        for one in registrations(site.project.root)
        if one.command or (one.problem and _concerns(one))
    ]


def _concerns(one: Registration) -> bool:
    """Whether a file that cannot be read is the project's, or speaks of Mind."""
    return one.scope == "project" or b"mind" in files.read(one.path)


def registration(site: Site) -> Finding:
    """Whether a client knows Mind, by a program that is there."""
    known = _registrations(site)
    plugin = claude_plugin.enabled(site.project.root)
    if not known:
        if plugin:
            return fine(f"Claude Code's plugin {plugin}")
        return warning(".mcp.json does not name Mind", "Run `mind init`.")
    faults = (_fault(site, one, plugin) for one in known)
    found = next((one for one in faults if one), None)
    return found or fine("; ".join(f"{_name(site, one)}: {_shown(one)}" for one in known))


def _fault(site: Site, one: Registration, plugin: str) -> Finding | None:
    if one.problem:
        return broken(one.problem, one.remedy)
    if not one.there:
        return _gone(site, one)
    if plugin and one.client == "claude-code" and one.command != tuple(claude_plugin.SERVER):
        return warning(
            f"{_name(site, one)} and the plugin {plugin} start a server each, and Claude "
            "Code has every tool twice",
            f"Take `mind` out of {one.path}, or disable the plugin.",
        )
    return _foreign(site, one)


def _name(site: Site, one: Registration) -> str:
    return site.name(one.path)


def _shown(one: Registration) -> str:
    return " ".join(one.command or ())


def _foreign(site: Site, one: Registration) -> Finding | None:
    """What ``mind init`` would not have written; in the user's own files variables may be set."""
    name, own = _name(site, one), _own(site, one)
    usual = " ".join(commands.command(site.project.root, here=one.scope == "user"))
    remedy = f"Unless you wrote that, delete the entry and run `mind init` (`{usual}`)."
    if own is None:
        return warning(f"{name} starts `{_shown(one)}`, which is not Mind's own command", remedy)
    if one.env and one.scope == "project":
        return warning(f"{name} sets {several(list(one.env))} for the server", remedy)
    return None


def _gone(site: Site, one: Registration) -> Finding:
    name, known = _name(site, one), one.command or ("",)
    new = commands.repointed(known, site.project.root, here=one.scope == "user")
    detail = f"{name} names `{_shown(one)}`, and there is no {known[0]}"
    if one.scope == "project":
        change = partial(_changed, one.path, partial(_repointed, one.client, new))
        mending = Mending(f"name `{' '.join(new)}` in {name}", change)
        return broken(detail, "Run `mind doctor --fix`.", mending)
    return broken(detail, f"Run `mind init --client {one.client} --user`.")


def _repointed(name: str, command: Sequence[str], text: str) -> str:
    return repoint(client(name), text, command)


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
    """Start Mind's server as clients do that know it, and wait for its answers.

    A command that ``mind init`` would not write is started only if the user says so: whoever made
    the repository wrote it. So is what it adds to the environment.
    """
    found: dict[tuple[str, ...], Finding] = {}
    for one in _registrations(site):
        if one.command:
            key = tuple(_own(site, one) or one.command)
            found[key] = _joined(found.get(key) or _seen(site, one), one)
    if not found:
        return _started(commands.command(site.project.root, here=True), site, "")
    worst = max(found.values(), key=lambda one: tuple(Verdict).index(one.verdict))
    return worst if worst.remedy else fine("; ".join(one.detail for one in found.values()))


def _joined(found: Finding, one: Registration) -> Finding:
    return found if found.remedy else replace(found, detail=f"{found.detail} ({one.client})")


def _own(site: Site, one: Registration) -> list[str] | None:
    """How to start what ``one`` registers, if it is Mind's own command; else None."""
    return commands.own_server(one.command or ("",), site.project.root)


def _seen(site: Site, one: Registration) -> Finding:
    name, own = _name(site, one), _own(site, one)
    if own:
        return _started(own, site, name)
    if not one.there:
        return broken(f"`{_shown(one)}` does not start: there is no such program", _install(name))
    if not site.confirm(name, " ".join((*_set(one), _shown(one)))):
        return warning(
            f"`{_shown(one)}` in {name} is not Mind's own command; it was not started",
            "Run `mind doctor --start` to see it and start it.",
        )
    root = site.project.root
    return _tried(list(one.command or ()), {**environ, **one.env}, root, name)


def _set(one: Registration) -> list[str]:
    return [f"{name}={value}" for name, value in one.env.items()]


def _started(command: list[str], site: Site, name: str) -> Finding:
    """Start a command of Mind's own, where nothing of the repository can take its place."""
    env = {**environ, "MIND_PROJECT": str(site.project.root)}
    return _tried(command, env, process.OUTSIDE, name)


def _install(name: str) -> str:
    return (
        "Install Mind where the agent finds it (`pipx install mind-lens`), or correct the command "
        f"in {name or '.mcp.json'}."
    )


def _tried(command: list[str], env: Mapping[str, str], folder: Path | str, name: str) -> Finding:
    shown = " ".join(command)
    began = monotonic()
    program = shutil.which(command[0], path=env.get("PATH")) or str(Path(folder, command[0]))
    try:
        done = process.run(
            [program, *command[1:]], cwd=folder, env=env, feed=_GREETING, seconds=_SECONDS
        )
    except OSError as error:
        return broken(f"`{shown}` does not start: {error.strerror}", _install(name))
    except process.Unanswered as error:
        return broken(f"`{shown}` gave {error}", _install(name))
    answers = _answers(done.output)
    if 1 not in answers or 2 not in answers:
        said = done.said.decode("utf-8", "replace").strip().splitlines()
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
