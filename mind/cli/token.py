"""`mind token`: keys to the HTTP service."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mind.cli.output import AsJson, note, say, show_json, table
from mind.cli.summaries import Summaries
from mind.memory.plain import plain
from mind.storage import tokens

if TYPE_CHECKING:
    from mind.storage.tokens import Token

token = typer.Typer(
    cls=Summaries,
    help="Make, list and revoke tokens for `mind serve`.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


def register(app: typer.Typer) -> None:
    """Add the group of commands."""
    app.add_typer(token, name="token")


@token.command()
def add(
    name: Annotated[str, typer.Argument(help="By which it is listed and revoked.")],
    scope: Annotated[str, typer.Option(help="read, write or admin.")] = "read",
    expires: Annotated[
        str, typer.Option(help="How long it is valid: 12h, 30d, 8w; for ever if left out.")
    ] = "",
    project: Annotated[
        list[str] | None,
        typer.Option(help="Name or id of a project it opens; may be repeated. All if left out."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Make a token. It is shown once: only a hash of it is kept."""
    secret, made = tokens.add(
        name, scope, datetime.now(UTC), expires=expires, projects=project or []
    )
    if as_json:
        show_json({**_json(made), "token": secret})
        return
    say(secret)
    end = f", until {made.expires:%Y-%m-%d %H:%M} UTC" if made.expires else ""
    note(f"Token {made.name} allows {made.scope.value}{end}. It is not shown again.")


@token.command("list")
def list_(as_json: AsJson = False) -> None:
    """List tokens; nothing of their secrets."""
    known = tokens.listed()
    if as_json:
        show_json([_json(one) for one in known])
        return
    if not known:
        note("No tokens. `mind token add NAME` makes one.")
        return
    now = datetime.now(UTC)
    rows = [
        (
            one.name,
            one.scope.value,
            one.created.isoformat(),
            _end(one, now),
            one.used.isoformat() if one.used else "never",
            ", ".join(one.projects) or "all",
        )
        for one in known
    ]
    table(("name", "scope", "made", "expires", "last used", "projects"), rows)


@token.command()
def revoke(
    name: Annotated[str, typer.Argument(help="As `mind token list` shows it.")],
    as_json: AsJson = False,
) -> None:
    """Take a token away; a running service refuses it from now on."""
    gone = tokens.revoke(name)
    if as_json:
        show_json(_json(gone))
        return
    say(f"Revoked {gone.name}.")


def _json(one: "Token") -> dict[str, Any]:
    shown: dict[str, Any] = plain(one)
    del shown["digest"]
    return shown


def _end(one: "Token", now: datetime) -> str:
    if one.expires is None:
        return "never"
    return "expired" if one.is_expired(now) else one.expires.date().isoformat()
