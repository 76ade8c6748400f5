"""Detection of Mind's plugin for Claude Code, which provides the server, hooks and skill."""

import os
from collections.abc import Iterator
from pathlib import Path

from mind.documents import jsontext
from mind.domain.errors import FileError
from mind.storage import files

SERVER = ["mind", "mcp"]
"""The command of its server; Claude Code drops it if the project registers the same command."""


def enabled(root: Path) -> str:
    """The plugin that is enabled in ``root``, as ``mind@marketplace``; "" if none is.

    As in Claude Code, the project's local settings take precedence over its shared ones, and those
    over the user's. Unreadable files are ignored.
    """
    said: dict[str, bool] = {}
    for path in _settings(root):
        for name, value in _named(path):
            said.setdefault(name, value)
    return next((name for name, value in said.items() if value), "")


def _settings(root: Path) -> tuple[Path, ...]:
    user = Path(os.environ.get("CLAUDE_CONFIG_DIR") or Path.home() / ".claude")
    own = root / ".claude"
    return own / "settings.local.json", own / "settings.json", user / "settings.json"


def _named(path: Path) -> Iterator[tuple[str, bool]]:
    try:
        plugins = jsontext.value_at(files.decode(files.read(path), path), ("enabledPlugins",))
    except FileError:
        return
    for name, value in plugins.items() if isinstance(plugins, dict) else ():
        if name.startswith("mind@"):
            yield name, value is not False
