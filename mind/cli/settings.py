"""`mind config`: show and change settings."""

from typing import Annotated

import typer

from mind.cli.output import AsJson, say, show_json, table
from mind.domain.settings import known
from mind.memory.memory import Memory


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("config")(config)


def config(
    key: Annotated[str | None, typer.Argument(help="A key such as session.gap_minutes.")] = None,
    value: Annotated[str | None, typer.Argument(help="Its new value; JSON for lists.")] = None,
    user: Annotated[
        bool, typer.Option("--user", help="Change your own settings, for all projects.")
    ] = False,
    unset: Annotated[bool, typer.Option("--unset", help="Return KEY to its default.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show every setting, one of them, or change one.

    Project settings are in .mind/config.json, yours in ~/.mind/config.toml.
    """
    memory = Memory.open()
    if key and (value is not None or unset):
        memory.configure(key, None if unset else value, user=user)
    if key:
        known(key)
    rows = [row for row in memory.project.settings.describe() if key in (None, row[0])]
    if as_json:
        show_json({name: now for name, _, now, _ in rows})
    elif key:
        say("\n".join(f"{now}" for _, _, now, _ in rows))
    else:
        table(
            ("key", "type", "value", "meaning"),
            [(name, kind, str(now), doc) for name, kind, now, doc in rows],
        )
