"""One event of the client, answered from prepared data, or from the memory if that is stale."""

import os

from mind.hooks import cache as knowing
from mind.hooks import data, wording
from mind.hooks import place as places
from mind.hooks.place import complain

TYPE_CHECKING = False  # typing takes milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from mind.hooks.cache import HookCache
    from mind.hooks.place import HookProject


_OF_GEMINI = {"BeforeAgent": "UserPromptSubmit", "AfterAgent": "Stop", "AfterTool": "PostToolUse",
              "PreCompress": "PreCompact"}  # fmt: skip
_TOOLS_OF_GEMINI = {"run_shell_command": "Bash", "write_file": "Write", "replace": "Edit"}
"""Names of other clients for events and tools with the same fields."""
_OF_CURSOR = {"sessionStart": "SessionStart", "beforeShellExecution": "PreToolUse",
              "sessionEnd": "SessionEnd"}  # fmt: skip
"""Events of Cursor, whose fields and answers have other names, too."""
_HEX = frozenset("0123456789abcdef-")
_LONGEST_NAME, _SHORTEST_SECRET = 36, 9
"""Characters of a UUID, and of the shortest credential recognised without context."""


class Event:
    """An event as the client sends it.

    Attributes:
        name: Name of the event.
        session: The client's session id, credentials redacted.
        given: The whole event.
        place: The memory it concerns.
    """

    __slots__ = ("given", "name", "place", "session")

    def __init__(self, given: "dict[str, Any]", place: "HookProject") -> None:
        self.given = given
        self.name = self.text("hook_event_name")
        self.session = self.name_of("session_id")
        self.place = place

    def text(self, key: str) -> str:
        """Return a text field; "" if it is missing or not text."""
        value = self.given.get(key)
        return value if isinstance(value, str) else ""

    def name_of(self, key: str) -> str:
        """Return a field that names a session or an agent, credentials redacted."""
        name = self.text(key)
        if len(name) < _SHORTEST_SECRET or (len(name) <= _LONGEST_NAME and _HEX.issuperset(name)):
            return name
        from mind.hooks.place import redacted  # noqa: PLC0415 - only for unusual names

        return redacted(name)

    @property
    def is_inner(self) -> bool:
        """Return whether a subagent caused it; subagents start and end no session."""
        return bool(self.given.get("agent_id"))


def answer(text: bytes) -> str:
    """Return the answer to an event; "" for none."""
    given = _parsed(text)
    cwd = given.get("cwd")
    place = places.find(cwd if isinstance(cwd, str) else "") if given else None
    if place is None:
        return ""
    event = Event(given, place)
    handle = _HANDLERS.get(event.name)
    try:
        refused = _refused(place)
        if refused:
            is_told = event.name == "SessionStart" and not event.is_inner
            said = wording.answer("SessionStart", [refused]) if is_told else ""
        else:
            said = handle(event) if handle else ""
        return _as_sent(said, event) if said else ""
    except Exception as error:  # noqa: BLE001 - a hook must not stop the client
        complain(place, f"{event.name}: {type(error).__name__}: {error}")
        return ""


def _parsed(text: bytes) -> "dict[str, Any]":
    """Return an event with the names that Claude Code uses, and its own name as ``sent_as``."""
    try:
        given = data.loads(text)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(given, dict):
        return {}
    given["sent_as"] = named = str(given.get("hook_event_name"))
    if named in _OF_GEMINI:
        tool = str(given.get("tool_name"))
        return {**given, "hook_event_name": _OF_GEMINI[named],
                "tool_name": _TOOLS_OF_GEMINI.get(tool, tool)}  # fmt: skip
    if named not in _OF_CURSOR:
        return given
    roots = given.get("workspace_roots")
    return {
        "sent_as": named,
        "hook_event_name": _OF_CURSOR[named],
        "session_id": given.get("conversation_id"),
        "cwd": given.get("cwd") or (roots[0] if isinstance(roots, list) and roots else ""),
        "tool_name": "Bash",
        "tool_input": {"command": given.get("command")},
    }


def _as_sent(said: str, event: Event) -> str:
    """Return an answer with the client's own names.

    Before a command, Cursor accepts notes only together with a question.
    """
    named = event.text("sent_as")
    if named not in _OF_CURSOR:
        return said.replace(f'"hookEventName":"{event.name}"', f'"hookEventName":"{named}"', 1)
    output = data.loads(said.encode())["hookSpecificOutput"]
    notes = output["additionalContext"]
    if event.name == "SessionStart":
        return data.ascii_line({"additional_context": notes})
    if "permissionDecision" not in output:
        return ""
    return data.ascii_line({
        "permission": output["permissionDecision"],
        "user_message": output["permissionDecisionReason"],
        "agent_message": notes,
    })  # fmt: skip


def _refused(place: "HookProject") -> str:
    """Return why this memory is not used: a link in it leaves the repository; "" if it is."""
    crossing = place.crossing()
    if crossing is None:
        return ""
    from mind.hooks import longer  # noqa: PLC0415 - the user may have allowed it

    return longer.refusal(*crossing)


def known_of(event: Event, *groups: str) -> "HookCache":
    """Return the prepared data, rebuilt if a file of these groups changed."""
    known = knowing.load(event.place)
    if known is not None and known.is_fresh("settings", *groups):
        return known
    from mind.hooks import longer  # noqa: PLC0415 - opens the memory

    return longer.prepared(event.place)


def _start(event: Event) -> str:
    if event.is_inner:
        return ""
    _forget_what_was_read(event)
    from mind.hooks import starting  # noqa: PLC0415 - for this event alone

    known = knowing.load(event.place)
    if known is not None and known.is_fresh("settings"):
        if not known.setting("enabled"):
            return ""
        said = starting.quickly(event, known)
        if said is not None:
            return said
    from mind.hooks import longer  # noqa: PLC0415 - opens the memory

    return longer.start(event)


def _forget_what_was_read(event: Event) -> None:
    """Forget what was shown and read: after a compaction or clear the agent no longer has it."""
    cache = event.place.of("cache")
    gone = event.text("source") in {"compact", "clear"}
    if gone:
        from mind.hooks import recent  # noqa: PLC0415 - for this event alone

        if "shown" in recent.load(event.place, event.session):
            with recent.changing(event.place, event.session) as data:
                data.pop("shown", None)
    if gone and os.path.isdir(os.path.join(cache, "reads")):
        from mind.memory.file_reads.forgetting import forget_session  # noqa: PLC0415 - as above

        forget_session(cache, event.session)


def _of_main_agent(
    handle: "Callable[[Event, HookCache], str]", *groups: str
) -> "Callable[[Event], str]":
    """Return a handler that ignores subagents, and is given prepared data if hooks are enabled."""

    def handler(event: Event) -> str:
        known = None if event.is_inner else known_of(event, *groups)
        return handle(event, known) if known and known.setting("enabled") else ""

    return handler


def _prompt(event: Event, known: "HookCache") -> str:
    from mind.hooks import capturing  # noqa: PLC0415 - for this event alone

    return capturing.answer(event, known)


def _before(event: Event) -> str:
    tool, given = event.text("tool_name"), event.given.get("tool_input")
    from mind.hooks import tool_call  # noqa: PLC0415 - for this event alone

    call = tool_call.of_event(event.place, tool, given) if isinstance(given, dict) else None
    if call is None or not call.text.strip():
        return ""
    known = known_of(event, "entries", "stacks")
    if not (known.setting("enabled") and known.setting("warnings")):
        return ""
    from mind.hooks import warning  # noqa: PLC0415 - the same

    return warning.answer(event, known, call)


def _after(event: Event) -> str:
    known = known_of(event)
    if known.setting("enabled"):
        from mind.hooks import warning  # noqa: PLC0415 - for this event alone

        warning.note(event, known)
    return ""


def _compact(event: Event, known: "HookCache") -> str:
    from mind.hooks import capturing, snapshot  # noqa: PLC0415 - for this event alone

    try:
        if capturing.is_on(known):
            capturing.collect(event, known)
    finally:
        if known.setting("snapshot"):
            snapshot.take(event)
    return ""


def _stop(event: Event, known: "HookCache") -> str:
    if event.given.get("stop_hook_active"):
        return ""
    if known.setting("harvest") and not _is_harvested(known):
        from mind.hooks import longer  # noqa: PLC0415 - opens the memory

        longer.harvest(event, event.session if known.setting("recall") else "")
    said = _heard(event, known)
    if event.name == "SessionEnd" and event.session and known.setting("recall"):
        _end(event)
    return said


def _heard(event: Event, known: "HookCache") -> str:
    """Read the turn; return the suggestion for the agent."""
    from mind.hooks import capturing  # noqa: PLC0415 - for these events alone

    if not capturing.is_on(known):
        return ""
    said = capturing.stop(event, known)
    if event.name == "SessionEnd":
        capturing.leave(event)
    return said


def _end(event: Event) -> None:
    """End the session, unless SESSION.md has no notes."""
    from mind.hooks import snapshot  # noqa: PLC0415 - for this event alone

    if snapshot.notes(event):
        from mind.hooks import longer  # noqa: PLC0415 - opens the memory

        longer.end(event)


def _is_harvested(known: "HookCache") -> bool:
    touched = os.path.exists(known.place.touched)
    return not touched and known.is_settled("settings", "entries", "commented", knowing.GIT)


_HANDLERS: "dict[str, Callable[[Event], str]]" = {
    "SessionStart": _start,
    "UserPromptSubmit": _of_main_agent(_prompt, "reminders", "entries"),
    "PreToolUse": _before,
    "PostToolUse": _after,
    "PostToolUseFailure": _after,
    "PreCompact": _of_main_agent(_compact),
    "Stop": _of_main_agent(_stop),
    "SessionEnd": _of_main_agent(_stop),
}
