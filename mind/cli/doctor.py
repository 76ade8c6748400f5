"""`mind doctor`, `health`, `scan`, `verify`, `parse`: diagnosis of an installation and memory."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mind.cli.output import (
    AsJson,
    DryRun,
    is_terminal,
    note,
    present,
    program,
    progress,
    say,
    table,
)
from mind.memory.answers import Parsed
from mind.memory.as_json import entry_json
from mind.memory.health import Health
from mind.memory.health.figures import Debt
from mind.memory.health.wording import sections, write
from mind.memory.memory import Memory

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mind.setup.doctor import Check
    from mind.sources.exposed import Exposed


_CODES = {"fine": 0, "warning": 1, "broken": 2}


def doctor(
    fix: Annotated[
        bool, typer.Option("--fix", help="Fix what can be fixed safely, then check again.")
    ] = False,
    dry_run: DryRun = False,
    quick: Annotated[
        bool,
        typer.Option(
            "--quick", help="Skip checks that run a server, hook or git, or re-read models."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check the installation, files, index, server and hooks, and suggest fixes.

    Registered commands that are not Mind's own are shown, and never run.

    Exit code: 0 no problems, 1 only warnings, 2 something is broken.
    """
    from mind.setup.doctor import examine  # noqa: PLC0415 - only for this command

    checks = examine(quick=quick, fix=fix and not dry_run)
    present(checks, partial(_show, would=dry_run), as_json=as_json)
    code = max(_CODES[check.verdict.value] for check in checks)
    if code:
        raise typer.Exit(code)


def _show(checks: "Sequence[Check]", *, would: bool) -> None:
    for check in checks:
        say(f"{check.verdict.value:>7}  {check.name}: {check.detail}")
        if check.mended:
            say(f"         ✓ fixed: {check.mending}")
        if check.remedy:
            say(f"         → {check.remedy}")
        if would and check.mending:
            say(f"         → --fix would {check.mending}")
    waiting = sum(bool(check.mending) and not check.mended for check in checks)
    if waiting and not would:
        say(f"Run `mind doctor --fix` to fix {waiting} of these.")


def health(
    days: Annotated[
        int, typer.Option("--days", "-d", help="Number of days to count usage over, 1-3660.")
    ] = 30,
    html: Annotated[
        Path | None,
        typer.Option("--html", help="Write the report to this file as HTML.", metavar="FILE"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Report used, stale, wrong and duplicate entries, and what to do about them.

    The HTML report is a single file without scripts or external resources.
    """
    memory = Memory.open()
    with progress(as_json=as_json) as told:
        told("comparing entries", 0, 0)
        found = memory.health(days)
    if html is not None:
        write(found, html)
    present(found, f"Wrote {html}." if html else _show_health, as_json=as_json)


def _show_health(found: Health) -> None:
    say(f"{found.project} on {found.day}")
    for title, lines in sections(replace(found, problems=())):  # these go to standard error
        say()
        say(f"{title}:")
        for line in lines:
            say(f"  {line}")


_ROTATE = (
    "First revoke each secret with its issuer and create a new one: anyone who could read the file "
    "may have it. Then remove it from the line."
)
_REWRITE = (
    "Secrets in commits stay in the git history. After revoking them, rewrite the history with "
    "`git filter-repo --replace-text` (a file of `VALUE==>removed` lines outside the repository), "
    "force-push every branch and tag, and replace every clone."
)


def scan(
    history: Annotated[
        bool, typer.Option("--history", help="Also scan the git history of the files.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Scan the files, comments and commits that memory reads for secrets.

    Reports location and type, never the value. The index, answers and exports contain only a mask.

    Exit code: 0 nothing found, 1 something found.
    """
    found = Memory.open().scan(history=history)
    present(found, _show_exposed, as_json=as_json)
    if found:
        raise typer.Exit(1)


def _show_exposed(found: "Sequence[Exposed]") -> None:
    for one in found:
        commit = f"  in commit {one.commit[:12]}" if one.path and one.commit else ""
        say(f"{one.where}  {one.name}{commit}")
    if not found:
        say("No secrets found.")
        return
    note(_ROTATE)
    if any(one.commit for one in found):
        note(_REWRITE)


def parse(
    file: Annotated[
        Path | None, typer.Argument(help="A Markdown file. Default: the project's MEMORY.md.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show how a Markdown file is parsed: its entries, and what was left out, with reasons."""
    present(Memory.parse(file), _show_parsed, as_json=as_json)


def _show_parsed(parsed: Parsed) -> None:
    rows = [
        (
            _lines(one.line, one.end),
            one.kind.value + (f" ({one.status.value})" if one.status else ""),
            f"{one.confidence:.2f}",
            str(one.date or "-"),
            one.title,
            one.why,
        )
        for one in parsed.entries
    ]
    table(("line", "type", "confidence", "date", "title", "reason"), rows)
    if not rows:
        say("No entries. An entry looks like `decided: SQLite over Postgres - one file`.")
    if parsed.left_out:
        say("Left out:")
        table(("line", "reason"), [(_lines(one.line, one.end), one.why) for one in parsed.left_out])


def _lines(first: int, last: int) -> str:
    return f"{first}-{last}" if first != last else str(first)


_WHY = {
    "contradicted": "recorded as contradicted",
    "superseded": "superseded by a newer entry",
    "drifted": "citing paths that were deleted or changed",
    "stale": "not verified for a long time",
    "never": "old and never verified",
}


def verify(
    identifiers: Annotated[
        list[str] | None,
        typer.Argument(help="Ids of entries that are still correct.", metavar="[ID]..."),
    ] = None,
    how: Annotated[
        str, typer.Option("--note", help="How the entries were verified.", metavar="TEXT")
    ] = "",
    limit: Annotated[
        int, typer.Option("--limit", "-n", help="Maximum number of entries to list.")
    ] = 20,
    as_json: AsJson = False,
) -> None:
    """Mark entries as verified today.

    Without an id, list the entries that most need it: contradicted or superseded, citing paths
    that were deleted or changed, verified too long ago, or never and over 90 days old. On a
    terminal, the commits to the cited paths are shown too.
    """
    memory = Memory.open()
    if identifiers:
        done = [memory.verify(one, how).entry for one in identifiers]
        lines = (f"Verified {one.id}: {one.title} [{one.where}]" for one in done)
        present(done, "\n".join(lines), as_json=as_json)
        return
    with progress(as_json=as_json) as told:
        told("comparing entries", 0, 0)
        found = memory.debt(limit)
    with_commits = is_terminal() and found.owed
    present(
        found,
        partial(show_owed, memory) if with_commits else _list_owed,
        as_json=as_json,
        form=lambda found: [
            entry_json(one.entry) | {"needs": one.why, "stale": one.stale, "uses": one.uses}
            for one in found.owed
        ],
    )


def _list_owed(found: Debt) -> None:
    table(
        ("id", "reason", "type", "title", "where", "stale"),
        [
            (
                one.entry.id,
                one.why,
                one.entry.kind.value,
                one.entry.title,
                one.entry.where,
                "; ".join(one.stale),
            )
            for one in found.owed
        ],
        none="No entries need verification.",
    )
    rest = sum(found.counts.values()) - len(found.owed)
    if rest:
        note(f"{rest} more; raise --limit to see them.")


def show_owed(memory: Memory, found: Debt) -> None:
    """Print the entries that need verification, with the reasons and the commits since."""
    for why, count in found.counts.items():
        say(f"{count} {_WHY[why]}")
    for one in found.owed:
        entry = one.entry
        day = f" of {entry.date.isoformat()}" if entry.date else ""
        say(f"\n{entry.kind.value}{day} {entry.id} [{entry.where}]")
        say(f"  {entry.text}")
        for flag in one.stale:
            say(f"  ! {flag}")
        for change in memory.changes(entry.id):
            say(f"    {change}")
    say(f"\nFor each, run `{program()} verify ID`, `update ID TEXT` or `forget ID --reason TEXT`.")
