"""`mind doctor`, `health`, `scan`, `verify`, `parse`: diagnosis of an installation and memory."""

import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mind.cli.output import AsJson, DryRun, is_terminal, note, present, say, show_json, table
from mind.domain.entry import Entry
from mind.domain.errors import InputError, MindError, Protected
from mind.memory import curate
from mind.memory.answers import Parsed
from mind.memory.as_json import entry_json
from mind.memory.health.figures import Debt, DueCheck
from mind.memory.memory import Memory

if TYPE_CHECKING:
    from mind.memory.health import Health
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
        typer.Option(
            "--html", help="Write an HTML report with charts to this file.", metavar="FILE"
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Report used, stale, wrong and duplicate entries, and what to do about them.

    The HTML report is a single file without scripts or external resources.
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
    if parsed.entries:
        _show_entries(parsed.entries)
    else:
        say("No entries. An entry looks like `decided: SQLite over Postgres - one file`.")
    if parsed.left_out:
        say("Left out:")
        table(("line", "reason"), [(_lines(one.line, one.end), one.why) for one in parsed.left_out])


def _show_entries(entries: Sequence[Entry]) -> None:
    rows = [
        (
            _lines(one.line, one.end),
            one.kind.value + (f" ({one.status.value})" if one.status else ""),
            f"{one.confidence:.2f}",
            str(one.date or "-"),
            one.title,
            one.why,
        )
        for one in entries
    ]
    table(("line", "type", "confidence", "date", "title", "reason"), rows)


def _lines(first: int, last: int) -> str:
    return f"{first}-{last}" if first != last else str(first)


_KEYS = "[v]erified, [e]dit, [f]orget, [s]kip, [q]uit"
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
        int, typer.Option("--limit", "-n", help="Maximum number of entries to review.")
    ] = 20,
    as_json: AsJson = False,
) -> None:
    """Mark entries as verified today.

    Without an id, review the entries that most need it: contradicted or superseded, citing paths
    that were deleted or changed, verified too long ago, or never and over 90 days old. The review
    is interactive on a terminal; in a pipe, the entries are listed.
    """
    memory = Memory.open()
    if identifiers:
        done = [memory.verify(one, how) for one in identifiers]
        if as_json:
            show_json([entry_json(one.entry) for one in done])
            return
        for one in done:
            say(f"Verified {one.entry.id}: {one.entry.title} [{one.entry.where}]")
        return
    found = memory.debt(limit)
    if as_json:
        show_json([_owed_json(one) for one in found.owed])
    elif not found.owed:
        note("No entries need verification.")
    elif is_terminal() and sys.stdin.isatty():
        walk(memory, found, how, _ask)
    else:
        _list_owed(found)


def _owed_json(one: DueCheck) -> dict[str, Any]:
    return entry_json(one.entry) | {"needs": one.why, "stale": list(one.stale), "uses": one.uses}


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
    )
    rest = sum(found.counts.values()) - len(found.owed)
    if rest:
        note(f"{rest} more; raise --limit to see them.")


def _ask(question: str) -> str:
    """The user's answer; "q" at the end of input."""
    try:
        answer: str = typer.prompt(question, default="", show_default=False)
    except typer.Abort:
        say()
        return "q"
    return answer.strip()


def walk(memory: Memory, found: Debt, how: str, ask: Callable[[str], str]) -> None:
    """Let the user review the entries that need verification, one at a time.

    Args:
        memory: The memory of the entries.
        found: The entries that need verification.
        how: The note to record with each verification.
        ask: Asks a question and returns the answer.
    """
    done = 0
    for why, count in found.counts.items():
        say(f"{count} {_WHY[why]}")
    for number, one in enumerate(found.owed, 1):
        _show_owed(memory, one, f"{number}/{len(found.owed)}")
        took = _decided(memory, one, how, ask)
        if took is None:
            break
        done += took
    say(f"{done} of {len(found.owed)} done.")


def _show_owed(memory: Memory, one: DueCheck, place: str) -> None:
    entry = one.entry
    day = f" of {entry.date.isoformat()}" if entry.date else ""
    say(f"\n{place}  {entry.kind.value}{day} {entry.id} [{entry.where}]")
    say(f"  {entry.text}")
    for flag in one.stale:
        say(f"  ! {flag}")
    for change in memory.changes(entry.id):
        say(f"    {change}")


def _decided(memory: Memory, one: DueCheck, how: str, ask: Callable[[str], str]) -> bool | None:
    """Ask what to do with an entry, again after an error: True if done, False if skipped.

    None means quit.
    """
    while True:
        answer = ask(_KEYS)[:1].lower()
        if answer == "q":
            return None
        if answer == "s":
            return False
        try:
            if answer in _DEEDS and _DEEDS[answer](memory, one, how, ask):
                return True
        except MindError as error:
            say(f"  {error}")


def _verified(memory: Memory, one: DueCheck, how: str, ask: Callable[[str], str]) -> bool:
    del ask
    memory.verify(one.entry.id, how)
    return True


def _edited(memory: Memory, one: DueCheck, how: str, ask: Callable[[str], str]) -> bool:
    """Replace the text, which also counts as verified."""
    text = ask("New text")
    if not text:
        return False
    memory.verify(memory.update(one.entry.id, text).entry.id, how)
    return True


def _forgotten(memory: Memory, one: DueCheck, how: str, ask: Callable[[str], str]) -> bool:
    del how
    reason = ask("Reason")
    if not reason:
        raise InputError("the reason is empty", remedy="Enter a reason, or skip the entry.")
    try:
        memory.forget(one.entry.id, reason)
    except Protected as error:
        if ask(f"{error.message}. Archive it anyway? [y/N]")[:1].lower() != "y":
            return False
        memory.forget(one.entry.id, reason, acknowledge=True)
    return True


_DEEDS = {"v": _verified, "e": _edited, "f": _forgotten}
