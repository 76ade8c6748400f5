"""`mind status` and `mind sync`: what memory holds, and bringing it up to date."""

import typer

from mind.cli.output import AsJson, problems, say, show_json, table
from mind.domain.entry import counted
from mind.memory.answers import Status
from mind.memory.memory import Memory


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(status)
    app.command()(sync)
    app.command("checkpoint", hidden=True)(sync)


def status(as_json: AsJson = False) -> None:
    """Show what this memory holds and what is wrong with it."""
    found = Memory.open().status()
    if as_json:
        show_json(found)
        return
    kinds = ", ".join(counted(count, kind) for kind, count in found.by_kind.items()) or "none"
    sources = ", ".join(f"{count} from {name}" for name, count in found.by_source.items())
    rows = [
        ("project", f"{found.project} ({found.root})"),
        ("entries", f"{found.entries}: {kinds}"),
        ("sources", sources or "none"),
        ("days", f"{found.first} to {found.last}" if found.first else "none"),
        ("session", f"{found.session_entries} notes"),
        ("reminders", f"{found.reminders_pending} pending, {found.reminders_due} due"),
        ("stacks", ", ".join(found.stacks) or "none detected"),
        ("block", f"{', '.join(found.targets) or 'none'}, about {found.block_tokens} tokens"),
        ("search", _searching(found)),
        ("index", f"{found.index_bytes / 1e6:,.1f} MB"),
        ("version", found.version),
    ]
    table(("", ""), rows)
    problems(found.problems)


def _searching(found: Status) -> str:
    if found.lexical_only:
        return f"lexical only: {found.lexical_only}"
    made, texts = found.vectors
    return f"by words and by meaning; vectors of {made:,} of {texts:,} texts"


def sync(as_json: AsJson = False) -> None:
    """Read what changed in memory files, MEMORY: comments and commits; refresh the block."""
    done = Memory.open().checkpoint()
    if as_json:
        show_json(done)
        return
    sources = ", ".join(f"{count} from {name}" for name, count in done.by_source.items())
    say(f"{done.entries} entries ({sources or 'none yet'}); {done.added} new, {done.removed} gone")
    for name in done.written:
        say(f"Updated {name}.")
    problems(done.problems)
