"""Registrations of Mind's server with clients on this machine, and the paths of their files."""

import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath

from mind.domain.errors import FileError, MindError
from mind.setup.clients import command as commands
from mind.setup.clients.known import CLIENTS, Client
from mind.setup.clients.registering import environment, registered
from mind.storage import files


@dataclass(frozen=True)
class Machine:
    """The properties of a machine that determine the paths of a user's files.

    Attributes:
        platform: As ``sys.platform``: "linux", "darwin" or "win32".
        env: The environment.
        home: The user's folder.
    """

    platform: str
    env: Mapping[str, str]
    home: str

    def path(self, template: str) -> PurePath:
        """The path for ``template``, such as ``{config}/zed/settings.json``.

        ``{home}`` is the user's home folder, ``{config}`` the platform's folder for settings, and
        ``{xdg}`` is ``XDG_CONFIG_HOME`` or ``~/.config``. ``{NAME|DEFAULT}`` is an environment
        variable with a default: ``{CODEX_HOME|{home}/.codex}``.
        """
        kind = PureWindowsPath if self.platform == "win32" else PurePosixPath
        return kind(self._filled(template))

    def _filled(self, template: str) -> str:
        if template.startswith("{") and "|" in template:
            name, _, rest = template[1:].partition("|")
            default, _, tail = rest.rpartition("}")
            return (self.env.get(name) or self._filled(default)) + tail
        known = {"home": self.home, "xdg": self._xdg, "config": self._config}
        return template.format_map(known)

    @property
    def _xdg(self) -> str:
        named = self.env.get("XDG_CONFIG_HOME", "") if self.platform != "win32" else ""
        return named or f"{self.home}/.config"

    @property
    def _config(self) -> str:
        if self.platform == "win32":
            return self.env.get("APPDATA") or f"{self.home}/AppData/Roaming"
        if self.platform == "darwin":
            return f"{self.home}/Library/Application Support"
        return self._xdg


def this_machine() -> Machine:
    """The machine that this process runs on."""
    return Machine(sys.platform, os.environ, str(Path.home()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Registration:
    """One file in which a client looks for servers.

    Attributes:
        client: The client's name.
        scope: "project" or "user".
        path: The file.
        installed: True if the client was found on this machine.
        command: The command registered for Mind's server; None if it is not registered.
        env: Environment variables set for it.
        there: True if its program exists.
        problem: The reason why the file cannot be read; "" if it can.
        remedy: What to do about the problem.
    """

    client: str
    scope: str
    path: Path
    installed: bool
    command: tuple[str, ...] | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    there: bool = False
    problem: str = ""
    remedy: str = ""


def registrations(root: Path | None) -> list[Registration]:
    """Every file in which a client looks for Mind, in ``root`` and in the user's folder."""
    machine = this_machine()
    return [
        _seen(client, scope, path, root or Path(machine.home), installed)
        for client in CLIENTS
        for installed in [is_installed(client, machine)]
        for scope, path in _files(client, root, machine)
    ]


def _files(client: Client, root: Path | None, machine: Machine) -> Iterator[tuple[str, Path]]:
    if root and client.project:
        yield "project", project_file(client, root)
    for path in user_files(client, machine):
        yield "user", path


def project_file(client: Client, root: Path) -> Path:
    """The file of ``client`` in ``root``; the client must have one."""
    paths = [root / name for name in client.project]
    return next((path for path in paths if path.exists()), paths[-1])


def user_files(client: Client, machine: Machine) -> list[Path]:
    """The user's file of ``client``: the first that exists, or else one whose folder exists.

    For a client that may read several, all whose folder exists.
    """
    paths = [Path(machine.path(one)) for one in client.user_files(machine.platform)]
    there = [path for path in paths if path.exists()]
    near = [path for path in paths if path.parent.is_dir()]
    if client.every:
        return near or paths[-1:]
    return (there or near[-1:] or paths[-1:])[:1]


def is_installed(client: Client, machine: Machine) -> bool:
    """True if a program or a folder shows that ``client`` is on this machine."""
    return any(shutil.which(one) for one in client.programs) or any(
        Path(machine.path(one)).is_dir() for one in client.signs
    )


def _seen(client: Client, scope: str, path: Path, root: Path, installed: bool) -> Registration:
    seen = Registration(client=client.name, scope=scope, path=path, installed=installed)
    if client.by_hand:
        return seen
    try:
        known, env = _read(client, path)
    except MindError as error:
        return replace(seen, problem=error.message, remedy=error.remedy)
    there = known is not None and commands.is_there(known[0], root)
    return replace(seen, command=tuple(known) if known else None, env=env, there=there)


def read(client: Client, path: Path) -> list[str] | None:
    """The command that ``path`` registers for Mind's server; None if there is none.

    Raises:
        FileError: The file cannot be read; the message names it and the line.
    """
    return _read(client, path)[0]


def _read(client: Client, path: Path) -> tuple[list[str] | None, dict[str, str]]:
    if not path.exists():
        return None, {}
    try:
        text = files.decode(files.read(path), path)
        return registered(client, text), environment(client, text)
    except FileError as error:
        raise located(error, path) from error


def located(error: FileError, path: Path | str) -> FileError:
    """``error`` with its file and line at the start of the message."""
    line = error.data.get("line")
    place = f"{path}:{line}" if line else f"{path}"
    if error.message.startswith(Path(path).name):
        return error
    return FileError(f"{place}: {error.message}", remedy=error.remedy, path=str(path), line=line)
