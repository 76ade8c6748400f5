"""How clients start the server, and whether it comes."""

import json
import subprocess
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from os import environ
from pathlib import Path
from time import monotonic

from mind import __version__, files
from mind.clients import claude_plugin
from mind.clients import command as commands
from mind.clients.known import client
from mind.clients.registering import repoint
from mind.clients.registrations import Registration, registrations
from mind.doctor.finding import Finding, Mending, broken, fine, warning
from mind.doctor.site import Site

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
    for one in known:
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
    return fine("; ".join(f"{_name(site, one)}: {_shown(one)}" for one in known))


def _name(site: Site, one: Registration) -> str:
    return site.name(one.path)


def _shown(one: Registration) -> str:
    return " ".join(one.command or ())


def _gone(site: Site, one: Registration) -> Finding:
    name, known = _name(site, one), one.command or ("",)
    new = commands.repointed(known, here=one.scope == "user")
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
    """Start the server as each client would, and wait for its answers."""
    told: dict[tuple[tuple[str, ...], tuple[tuple[str, str], ...]], str] = {}
    for one in _registrations(site):
        way = (one.command or (), tuple(one.env.items()))
        if one.command and way not in told:
            found = _started(site, list(one.command), one.env, _name(site, one))
            if found.remedy:
                return found
            told[way] = f"{found.detail} ({one.client})"
    return fine("; ".join(told.values())) if told else _started(site, commands.command(), {}, "")


def _started(site: Site, command: list[str], env: Mapping[str, str], name: str) -> Finding:
    shown = " ".join(command)
    began = monotonic()
    try:
        done = subprocess.run(  # noqa: S603 - the command that the user registered
            command,
            input=_GREETING,
            capture_output=True,
            cwd=site.project.root,
            env={**environ, **env},
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return broken(
            f"`{shown}` does not start: {error}",
            "Install Mind where the agent finds it (`pipx install mind-lens`), or correct the "
            f"command in {name or '.mcp.json'}.",
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
