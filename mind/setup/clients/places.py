"""Places of clients' files on each platform; pure."""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath


@dataclass(frozen=True)
class Machine:
    """Facts about a machine on which the places of a user's files depend.

    Attributes:
        platform: As ``sys.platform``: "linux", "darwin" or "win32".
        env: The environment.
        home: The user's folder.
    """

    platform: str
    env: Mapping[str, str]
    home: str

    def path(self, template: str) -> PurePath:
        """The place that ``template`` names, as in ``{config}/zed/settings.json``.

        ``{home}`` is the user's folder; ``{config}`` is where programs of that platform keep their
        settings; ``{xdg}`` is ``~/.config`` wherever it is. Others are a variable of the
        environment and what it is without: ``{CODEX_HOME|{home}/.codex}``.
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
    """The one that this runs on."""
    return Machine(sys.platform, os.environ, str(Path.home()))
