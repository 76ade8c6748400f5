"""Paths of clients' files on each platform; pure."""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath


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
