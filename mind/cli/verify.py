"""`mind verify`: check entries off, by id or one after the other."""

import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer

from mind.cli.output import AsJson, is_terminal, note, say, show_json, table
from mind.domain.errors import InputError, MindError, Protected
from mind.memory.debt import Debt, Owed
from mind.memory.memory import Memory
from mind.memory.plain import entry_json

_KEYS = "[v]erified, [e]dit, [f]orget, [s]kip, [q]uit"
_WHY = {
    "drifted": "what they cite is gone or was changed",
    "stale": "checked long ago",
    "never": "old, and never checked",
}


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(verify)


def verify(
    identifiers: Annotated[
        list[str] | None, typer.Argument(help="Ids of entries that still hold.", metavar="[ID]...")
    ] = None,
    how: Annotated[str, typer.Option("--note", help="How it was checked.", metavar="TEXT")] = "",
    limit: Annotated[int, typer.Option("--limit", "-n", help="Most entries to walk through.")] = 20,
    as_json: AsJson = False,
) -> None:
    """Note that entries were checked today and still hold.

    Without an id, a person is led through the entries that most need it: what they cite is gone or
    was changed, the last check is old, or there was none in 90 days. In a pipe they are listed.
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
        show_json([_json(one) for one in found.owed])
    elif not found.owed:
        note("Nothing needs a check.")
    elif is_terminal() and sys.stdin.isatty():
        walk(memory, found, how, _ask)
    else:
        _list(found)


def _json(one: Owed) -> dict[str, Any]:
    return entry_json(one.entry) | {"needs": one.why, "stale": list(one.stale), "uses": one.uses}


def _list(found: Debt) -> None:
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
        _show(memory, one, f"{number}/{len(found.owed)}")
        took = _decided(memory, one, how, ask)
        if took is None:
            break
        done += took
    say(f"{done} of {len(found.owed)} done.")


def _show(memory: Memory, one: Owed, place: str) -> None:
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
