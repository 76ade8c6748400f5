"""`mind doctor`, `health`, `scan`, `verify`, `parse`: what is wrong, and how a file is read."""

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
from mind.memory.debt import Debt, Owed
from mind.memory.memory import Memory
from mind.memory.plain import entry_json

if TYPE_CHECKING:
    from mind.memory.health import Health
    from mind.setup.doctor import Check
    from mind.sources.exposed import Exposed


_CODES = {"fine": 0, "warning": 1, "broken": 2}


def doctor(
    fix: Annotated[
        bool, typer.Option("--fix", help="Mend what can be mended safely, and look again.")
    ] = False,
    dry_run: DryRun = False,
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
    present(checks, partial(_show, would=dry_run), as_json=as_json)
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
    present(found, _show_exposed, as_json=as_json)
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
    present(Memory.parse(file), _show_parsed, as_json=as_json)


def _show_parsed(parsed: Parsed) -> None:
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
            str(one.date or "-"),
            one.title,
            one.why,
        )
        for one in entries
    ]
    table(("line", "type", "sure", "date", "title", "why"), rows)


def _lines(first: int, last: int) -> str:
    return f"{first}-{last}" if first != last else str(first)


_KEYS = "[v]erified, [e]dit, [f]orget, [s]kip, [q]uit"
_WHY = {
    "contradicted": "recorded as contradicted",
    "superseded": "replaced by a later entry",
    "drifted": "what they cite is gone or was changed",
    "stale": "checked long ago",
    "never": "old, and never checked",
}


def verify(
    identifiers: Annotated[
        list[str] | None, typer.Argument(help="Ids of entries that still hold.", metavar="[ID]...")
    ] = None,
    how: Annotated[str, typer.Option("--note", help="How it was checked.", metavar="TEXT")] = "",
    limit: Annotated[int, typer.Option("--limit", "-n", help="Most entries to walk through.")] = 20,
    as_json: AsJson = False,
) -> None:
    """Note that entries were checked today and still hold.

    Without an id, a person is led through the entries that most need it: they are contradicted or
    superseded, what they cite is gone or was changed, the last check is old, or there was none in
    90 days. In a pipe they are listed.
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
        note("Nothing needs a check.")
    elif is_terminal() and sys.stdin.isatty():
        walk(memory, found, how, _ask)
    else:
        _list_owed(found)


def _owed_json(one: Owed) -> dict[str, Any]:
    return entry_json(one.entry) | {"needs": one.why, "stale": list(one.stale), "uses": one.uses}


def _list_owed(found: Debt) -> None:
    table(
        ("id", "needs a check", "type", "title", "where", "stale"),
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
        note(f"{rest} more; see --limit.")


def _ask(question: str) -> str:
    """The person's answer; "q" at the end of the input."""
    try:
        answer: str = typer.prompt(question, default="", show_default=False)
    except typer.Abort:
        say()
        return "q"
    return answer.strip()


def walk(memory: Memory, found: Debt, how: str, ask: Callable[[str], str]) -> None:
    """Lead a person through what needs a check, one entry after the other.

    Args:
        memory: Whose entries.
        found: Those that need it.
        how: A note for each check.
        ask: Asks a question.
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


def _show_owed(memory: Memory, one: Owed, place: str) -> None:
    entry = one.entry
    day = f" of {entry.date.isoformat()}" if entry.date else ""
    say(f"\n{place}  {entry.kind.value}{day} {entry.id} [{entry.where}]")
    say(f"  {entry.text}")
    for flag in one.stale:
        say(f"  ! {flag}")
    for change in memory.changes(entry.id):
        say(f"    {change}")


def _decided(memory: Memory, one: Owed, how: str, ask: Callable[[str], str]) -> bool | None:
    """True if the entry is done with; None to quit. What goes wrong is told, and asked again."""
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


def _verified(memory: Memory, one: Owed, how: str, ask: Callable[[str], str]) -> bool:
    del ask
    memory.verify(one.entry.id, how)
    return True


def _edited(memory: Memory, one: Owed, how: str, ask: Callable[[str], str]) -> bool:
    """New words were just checked."""
    text = ask("The whole new text")
    if not text:
        return False
    memory.verify(memory.update(one.entry.id, text).entry.id, how)
    return True


def _forgotten(memory: Memory, one: Owed, how: str, ask: Callable[[str], str]) -> bool:
    del how
    reason = ask("Why")
    if not reason:
        raise InputError("there is no reason", remedy="Say why, or skip.")
    try:
        memory.forget(one.entry.id, reason)
    except Protected as error:
        if ask(f"{error.message}. Archive it all the same? [y/N]")[:1].lower() != "y":
            return False
        memory.forget(one.entry.id, reason, acknowledge=True)
    return True


_DEEDS = {"v": _verified, "e": _edited, "f": _forgotten}
