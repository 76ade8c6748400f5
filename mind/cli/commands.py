"""The table of commands: a module is imported when one of its commands is asked for."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

import typer
from typer.main import get_group

from mind.cli.summaries import Summaries

_ROWS = (
    ("init", "init"),
    ("recall", "recall session"),
    ("log", "log blocker"),
    ("search", "search"),
    ("history", "timeline show around recent"),
    ("versions", "blame log-history diff merge-file"),
    ("file_history", "history"),
    ("edges", "edges add-global-edge"),
    ("verify", "verify"),
    ("curate", "update forget restore confirm use tidy"),
    ("reminders", "reminders remind done"),
    ("status", "status sync checkpoint"),
    ("index", "index"),
    ("bench", "bench"),
    ("parse", "parse"),
    ("when", "when"),
    ("settings", "config"),
    ("projects", "projects"),
    ("clients", "clients"),
    ("doctor", "doctor"),
    ("health", "health"),
    ("scan", "scan"),
    ("move", "export import"),
    ("uninstall", "uninstall"),
    ("mcp", "mcp"),
    ("serve", "serve"),
    ("ui", "ui"),
    ("graph", "graph"),
    ("curate", "archive"),
    ("scopes", "scopes"),
    ("models", "models"),
    ("skills", "skills"),
    ("mirror", "mirror"),
    ("token", "token"),
)
"""Modules of this package and their commands, in the order of the help."""
MODULES = {name: module for module, names in _ROWS for name in names.split()}
"""Of each command."""


class _Commands(Mapping[str, Any]):
    """Every command by its name, made when it is asked for."""

    def __init__(self) -> None:
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 - the framework exports its class under no name
        if name not in self._made:
            self._made |= registered(MODULES[name])
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(MODULES)

    def __len__(self) -> int:
        return len(MODULES)


def registered(module: str) -> dict[str, Any]:
    """Commands of a module of this package, by their names."""
    within = typer.Typer(pretty_exceptions_enable=False, rich_markup_mode=None)
    import_module(f"mind.cli.{module}").register(within)
    return dict(get_group(within).commands)


class Commands(Summaries):
    """The group of all commands."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401 - those of the framework
        super().__init__(**options)
        self.commands = _Commands()  # type: ignore[assignment] # it is only read

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override] # the same
        """Names, for which no module is imported."""
        del ctx
        return list(self.commands)
