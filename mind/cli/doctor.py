"""`mind doctor`, `health`, `scan` and `parse`: what is wrong, and how a file is read."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mind.cli.output import AsJson, note, say, show_json, table
from mind.domain.entry import Entry
from mind.memory import curate
from mind.memory.memory import Memory

if TYPE_CHECKING:
    from mind.memory.health import Health
    from mind.setup.doctor import Check
    from mind.sources.exposed import Exposed


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(doctor)
    app.command()(health)
    app.command()(scan)
    app.command()(parse)


_CODES = {"fine": 0, "warning": 1, "broken": 2}


def doctor(
    fix: Annotated[
        bool, typer.Option("--fix", help="Mend what can be mended safely, and look again.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what --fix would do.")
    ] = False,
    quick: Annotated[
        bool,
        typer.Option("--quick", help="Start no process (server, hooks, git), read no model again."),
    ] = False,
    start: Annotated[
        bool,
        typer.Option(
            "--start",
            help="Ask for each registered command that is not Mind's own whether to start it.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check installation, files, index, block, server and hooks; say how to mend each.

    Exit code: 0 all well, 1 only warnings, 2 something is broken.
    """
    from mind.setup.doctor import examine  # noqa: PLC0415 - for this command alone

    checks = examine(
        quick=quick, fix=fix and not dry_run, confirm=_confirmed if start else _refused
    )
    if as_json:
        show_json(checks)
    else:
        _show(checks, would=dry_run)
    code = max(_CODES[check.verdict.value] for check in checks)
    if code:
        raise typer.Exit(code)


def _refused(_place: str, _command: str) -> bool:
    """Start nothing but Mind's own commands."""
    return False


def _confirmed(place: str, command: str) -> bool:
    """Ask whether to start ``command``, which is shown in full."""
    if not sys.stdin.isatty():
        note(f"{place}: not started, as there is no terminal to confirm it: {command}")
        return False
    note(f"{place} starts a command that is not Mind's own, with your rights:\n\n    {command}\n")
    return typer.confirm("Start it?", default=False, err=True)


def _show(checks: "Sequence[Check]", *, would: bool) -> None:
    for check in checks:
        say(f"{check.verdict.value:>7}  {check.name}: {check.detail}")
        if check.mended:
            say(f"         ✓ mended: {check.mending}")
        if check.remedy:
            say(f"         → {check.remedy}")
        if would and check.mending:
            say(f"         → --fix would {check.mending}")
    waiting = sum(bool(check.mending) and not check.mended for check in checks)
    if waiting and not would:
        say(f"`mind doctor --fix` mends {waiting} of these.")


def health(
    days: Annotated[int, typer.Option("--days", "-d", help="Use is counted in, 1-3660.")] = 30,
    html: Annotated[
        Path | None,
        typer.Option("--html", help="Write a page with charts instead.", metavar="FILE"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show what is used, stale, wrong or there twice, and what to do about it.

    The page is one file without scripts; it asks for nothing from anywhere.
    """
    memory = Memory.open()
    found = memory.health(days)
    if html is not None:
        curate.write_health(found, html)
        if not as_json:
            say(f"Wrote {html}.")
    if as_json:
        show_json(found)
    elif html is None:
        _show_health(found)


def _show_health(found: "Health") -> None:
    from mind.memory.health.wording import sections  # noqa: PLC0415 - only for this command

    say(f"{found.project} on {found.day}")
    for title, lines in sections(found):
        say()
        say(f"{title}:")
        for line in lines:
            say(f"  {line}")


_ROTATE = (
    "First revoke each at its issuer and make a new one: whoever could read the file may have it. "
    "Then take it out of the line."
)
_REWRITE = (
    "A commit keeps it: after revoking, rewrite the history with `git filter-repo --replace-text` "
    "(a file of `VALUE==>removed` lines outside of the repository), force-push every branch and "
    "tag, and have every clone made anew."
)


def scan(
    history: Annotated[
        bool, typer.Option("--history", help="Also look through the git history of the files.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Look for credentials in the files, comments and commits that memory reads.

    Reports location and kind, never the value. In the index, answers and exports, each is masked.

    Exit code: 0 nothing found, 1 something found.
    """
    found = Memory.open().scan(history=history)
    if as_json:
        show_json(found)
    else:
        _show_exposed(found)
    if found:
        raise typer.Exit(1)


def _show_exposed(found: "Sequence[Exposed]") -> None:
    for one in found:
        commit = f"  in commit {one.commit[:12]}" if one.path and one.commit else ""
        say(f"{one.where}  {one.name}{commit}")
    if not found:
        say("No credentials found.")
        return
    note(_ROTATE)
    if any(one.commit for one in found):
        note(_REWRITE)


def parse(
    file: Annotated[
        Path | None, typer.Argument(help="A Markdown file; the project's MEMORY.md by default.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the entries of a Markdown file with their reasons, and what was left out, and why."""
    parsed = Memory.parse(file)
    if as_json:
        show_json(parsed)
        return
    if parsed.entries:
        _show_entries(parsed.entries)
    else:
        say("No entries. A line such as `decided: SQLite over Postgres - one file` is one.")
    if parsed.left_out:
        say("Left out:")
        table(("line", "why"), [(_lines(one.line, one.end), one.why) for one in parsed.left_out])


def _show_entries(entries: Sequence[Entry]) -> None:
    rows = [
        (
            _lines(one.line, one.end),
            one.kind.value + (f" ({one.status.value})" if one.status else ""),
            f"{one.confidence:.2f}",
            one.date.isoformat() if one.date else "-",
            one.title,
            one.why,
        )
        for one in entries
    ]
    table(("line", "type", "sure", "date", "title", "why"), rows)


def _lines(first: int, last: int) -> str:
    return f"{first}-{last}" if first != last else str(first)
