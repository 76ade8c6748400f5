"""The list of commands in a help text."""

from typing import Any

import typer
from typer.core import TyperGroup


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
