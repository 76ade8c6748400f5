"""The table of commands: a module is imported when one of its commands is asked for."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_group


class Summaries(TyperGroup):
    """A group whose help has the first sentence of each command whole, on two lines if need be."""

    def format_commands(self, ctx: typer.Context, formatter: Any) -> None:  # type: ignore[override]  # noqa: ANN401 - the framework's own, which it exports under no name
        """Write the commands; the framework itself would cut each sentence to what a line holds."""
        found = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [
            (name, one.get_short_help_str(limit=200))
            for name, one in found
            if one and not one.hidden
        ]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


_ROWS = (
    ("init", "init"),
    ("recall", "recall session"),
    ("log", "log blocker"),
    ("search", "search"),
    ("history", "timeline show around recent"),
    ("history", "blame log-history diff merge-file"),
    ("history", "history"),
    ("graph", "edges add-global-edge"),
    ("verify", "verify"),
    ("curate", "update forget restore confirm use tidy"),
    ("recall", "reminders remind done"),
    ("recall", "status sync checkpoint"),
    ("index", "index"),
    ("index", "bench"),
    ("doctor", "parse"),
    ("search", "when"),
    ("settings", "config"),
    ("settings", "projects"),
    ("settings", "clients"),
    ("doctor", "doctor"),
    ("doctor", "health"),
    ("doctor", "scan"),
    ("move", "export import"),
    ("settings", "uninstall"),
    ("serve", "mcp"),
    ("serve", "serve"),
    ("serve", "ui"),
    ("graph", "graph"),
    ("curate", "archive"),
    ("curate", "scopes"),
    ("index", "models"),
    ("skills", "skills"),
    ("mirror", "mirror"),
    ("serve", "token"),
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
