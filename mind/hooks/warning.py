"""PreToolUse and PostToolUse: warnings before an edit or command, and a log of what followed.

Each warning is shown once per session. Edits, and actions done despite a warning, go to the usage
log.
"""

import os
import time
from functools import cache

from mind.hooks import data as values
from mind.hooks import noticing, recent, tool_call, wording
from mind.hooks.place import complain, locked
from mind.storage.gitindex import read

TYPE_CHECKING = False  # typing takes milliseconds

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from mind.hooks.cache import HookCache
    from mind.hooks.events import Event
    from mind.hooks.noticing import MatchedNote
    from mind.hooks.tool_call import ToolCall

_MARK = "MEMORY:"


def note(event: "Event", known: "HookCache") -> None:
    """Note an edit, or the outcome of a command."""
    tool, given = event.text("tool_name"), event.given.get("tool_input")
    if not isinstance(given, dict):
        return
    if event.name == "PostToolUse":
        _note_overridden(event, known)
    if tool in tool_call.COMMANDS:
        if known.setting("snapshot") and not event.is_inner:
            _note_command(event, given)
    elif tool in tool_call.EDITS and event.name == "PostToolUse":
        path = tool_call.relative(event.place, tool_call.edited(tool, given))
        if path:
            _note_edit(event, known, path, tool)


def _note_edit(event: "Event", known: "HookCache", path: str, tool: str) -> None:
    if _MARK in f"{event.given.get('tool_input')}{event.given.get('tool_response')}":
        os.makedirs(event.place.hooks, mode=0o700, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        os.close(os.open(event.place.touched, flags, 0o600))
    before = recent.load(event.place, event.session)
    if not any(path == one[0] for one in before.get("edits", ())):  # else it is checked already
        from mind.hooks.place import redacted_path  # noqa: PLC0415 - once for each file

        path = redacted_path(path)
    if known.setting("snapshot"):
        with recent.changing(event.place, event.session) as data:
            recent.note_edit(data, path, tool)
    if known.setting("edits") and known.setting("events"):
        prompt = before.get("prompt", "")
        intent = prompt if known.setting("queries") and isinstance(prompt, str) else ""
        said = {"path": path, "tool": tool} | ({"intent": intent} if intent else {})
        record(event, known, "edit", [], said)


def _note_overridden(event: "Event", known: "HookCache") -> None:
    """Log an action that was done despite a warning."""
    key = recent.key_of(event)
    ids = recent.load(event.place, event.session).get("warned", {}).get(key)
    if ids:
        with recent.changing(event.place, event.session) as data:
            recent.note_warned(data, key, [])
        if known.setting("events"):
            record(event, known, "overrode", ids, {})


def record(
    event: "Event", known: "HookCache", name: str, ids: "list[str]", data: "dict[str, str]"
) -> None:
    """Append an event to the usage log; a full log is left to :mod:`mind.storage.events`."""
    session = _session(event)
    line = _event_line(session, name, ids, data)
    log, most = event.place.of("events.jsonl"), int(str(known.setting("events_max")))
    lock = event.place.of(os.path.join("cache", "events.lock"))
    if not locked(lock, lambda: _append(log, line, most)):
        from mind.hooks import longer  # noqa: PLC0415 - the log is full or locked

        longer.record(event, session, name, ids, data)


def _session(event: "Event") -> str:
    """Return the name of the running session."""
    try:
        state = values.loads(read(event.place.of("state.json")))
        return str(int(state["session_started"]))
    except (ValueError, TypeError, KeyError, RecursionError):
        return "0"


def _event_line(session: str, name: str, ids: "list[str]", data: "dict[str, str]") -> bytes:
    row: dict[str, object] = {"at": _now(), "session": session, "name": name}
    row |= ({"ids": ids} if ids else {}) | ({"data": data} if data else {})
    return values.line(row).encode("utf-8", "replace") + b"\n"


def _now() -> str:
    """Return the current local time in ISO format, with its UTC offset."""
    moment = time.time()
    part = f"{int(moment % 1 * 1_000_000):06}"
    told = time.strftime(f"%Y-%m-%dT%H:%M:%S.{part}%z", time.localtime(moment))
    return f"{told[:-2]}:{told[-2:]}"


def _append(path: str, line: bytes, most: int) -> bool:
    """Append a line to the log in one write; False if the log is full or ends mid-line."""
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    with open(os.open(path, flags, 0o600), "rb+", buffering=0) as file:
        size = os.fstat(file.fileno()).st_size
        is_torn = size and os.pread(file.fileno(), 1, size - 1) != b"\n"
        if is_torn or size + len(line) > most:
            return False
        if file.write(line) < len(line):
            file.truncate(size)
            return False
    return True


def _note_command(event: "Event", given: "dict[str, Any]") -> None:
    command = given.get("command")
    if not isinstance(command, str):
        return
    failed = event.name == "PostToolUseFailure" and not event.given.get("is_interrupt")
    before = recent.load(event.place, event.session).get("failed")
    if not failed and not before:
        return
    from mind.hooks.place import redacted  # noqa: PLC0415 - only for failed commands

    said = wording.short(redacted(command[:2_000]), 160)
    error = wording.short(redacted(event.text("error")[:2_000]), 240) if failed else ""
    with recent.changing(event.place, event.session) as data:
        if failed:
            data["failed"] = [said, error]
        elif data.get("failed", [""])[0] == said:
            del data["failed"]


_MOST = 3


def answer(event: "Event", known: "HookCache", call: "ToolCall") -> str:
    """Return at most three warnings not yet shown in this session, most severe first."""
    notes = noticing.load(event.place, known.data["notes"])
    if notes is None:
        from mind.hooks import longer  # noqa: PLC0415 - opens the memory

        known = longer.prepared(event.place)
        notes = noticing.load(event.place, known.data["notes"])
    if notes is None:
        return ""
    agent = event.name_of("agent_id")
    shown = set(recent.load(event.place, event.session).get("shown", []))
    high = float(known.data["settings"]["high"])
    rows = (
        row
        for row in notes.likely(call)
        if row["severity"] == "critical" or _name(agent, str(row["id"])) not in shown
    )
    slow: list[dict[str, Any]] = []
    found = noticing.notice(call, rows, slow)
    there = {one.row["id"] for one in found}
    back = notes.returning(call, _spread(event, call))
    found += [one for one in back if one.row["id"] not in there]
    found = [one for one in found if _shown_as(agent, one, high) not in shown]
    if slow:
        _complain(event, slow)
    found, back = (_accepted(event, known, ones, high) for ones in (found, back))
    if not found and not back:
        return ""
    found.sort(key=lambda one: (not is_critical(one, high), _grade(one), -one.score))
    found = found[:_MOST]
    ids = list(dict.fromkeys(str(one.row["id"]) for one in (*found, *back)))
    with recent.changing(event.place, event.session) as data:
        new = recent.note_shown(data, [_shown_as(agent, one, high) for one in found])
        recent.note_shown(data, [_name(agent, str(one.row["id"])) for one in found])
        recent.note_warned(data, recent.key_of(event), ids)
    found = [one for one in found if _shown_as(agent, one, high) in new]
    if not found:
        return ""
    if known.setting("events"):
        record(event, known, "warned", [str(one.row["id"]) for one in found], {})
    grave = [one for one in found if is_critical(one, high)]
    asks = bool(grave) and known.setting("ask") == "critical"
    reason = f"Recorded in this project's memory: {_line(grave[0])[2:]}" if asks else ""
    return wording.answer("PreToolUse", known.labelled([_line(one) for one in found]), reason)


def _spread(event: "Event", call: "ToolCall") -> "Callable[[str], int]":
    """Return a function: the number of other files of the code that have a word."""

    @cache
    def others(word: str) -> int:
        from pathlib import Path  # noqa: PLC0415 - only for what may repeat a rejection

        from mind.sources.git.repository import spread  # noqa: PLC0415 - the same

        return spread(Path(event.place.root), word, [call.path])

    return others


def _accepted(
    event: "Event", known: "HookCache", found: "list[MatchedNote]", high: float
) -> "list[MatchedNote]":
    """Return the warnings that the client shows: Cursor only asks about critical ones."""
    if event.text("sent_as") != "beforeShellExecution":
        return found
    asks = known.setting("ask") == "critical"
    return [one for one in found if asks and is_critical(one, high)]


def _complain(event: "Event", slow: "list[dict[str, Any]]") -> None:
    """Log, once per session, which gotchas have too slow a pattern."""
    with recent.changing(event.place, event.session) as data:
        new = recent.note_shown(data, [f"slow/{row['id']}" for row in slow])
    if new:
        named = "; ".join(row["title"] for row in slow if f"slow/{row['id']}" in new)
        complain(event.place, f"skipped gotchas whose patterns take too long: {named}")


def _name(agent: str, identifier: str) -> str:
    return f"{agent}/{identifier}" if agent else identifier


def _shown_as(agent: str, one: "MatchedNote", high: float) -> str:
    """Return the name by which a warning is shown once; a hint does not replace a question."""
    asked = "ask/" if is_critical(one, high) else ""
    return _name(agent, f"{asked}{one.row['id']}")


def is_critical(one: "MatchedNote", high: float) -> bool:
    """Return whether to ask the user: the gotcha is critical, or a rejection plainly returns."""
    if one.row["kind"] == "rejected":
        return one.is_plain and one.score > high
    return bool(one.row["severity"] == "critical")


def _grade(one: "MatchedNote") -> int:
    order = ("critical", "high", "", "medium", "known", "low")
    severity = one.row["severity"]
    return order.index(severity) if severity in order else len(order)


def _line(one: "MatchedNote") -> str:
    what = one.row.get("label", "Rejected before" if one.row["kind"] == "rejected" else "Gotcha")
    subject = f"{wording.short(one.subject, 90)}, " if one.subject else ""
    instead = f". Instead: {wording.short(one.instead, 160)}" if one.instead else ""
    met = f"{subject}matched by {wording.short(one.why or one.row['title'], 90)}"
    return f"- {what}: {one.row['text']} ({one.row['where']}; {met}){instead}"
