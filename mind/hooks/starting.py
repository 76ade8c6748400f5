"""SessionStart, fast path: start the session when nothing changed and nothing is due."""

import os
import time

from mind.hooks import capturing, data, recent, wording
from mind.hooks.cache import GIT
from mind.hooks.place import locked, mode_of, put
from mind.storage.gitindex import read

TYPE_CHECKING = False  # typing takes milliseconds
if TYPE_CHECKING:
    from typing import Any

    from mind.hooks.cache import HookCache
    from mind.hooks.events import Event

_BEGINNING = ("startup", "clear", "fork")
_CONTINUING = ("compact", "resume")
_TOUCH_MILLISECONDS = 60_000
_MOST_IDS = 16
_ALONE = frozenset({"muted", "others", "part"})
"""Keys of a state that needs the slow path: muted tags or parallel sessions."""
_SCHEMA_VERSION = 1


def quickly(event: "Event", known: "HookCache") -> str | None:
    """Return the answer, and write the state as a recall would; None if a recall is needed.

    A recall is needed if a file, the day or the due reminders changed since the block was built,
    if a reminder is due, or if the ending session has notes to promote.
    """
    if known.setting("recall"):
        now = time.time()
        if _is_due(known, now) or not _begin(event, known, now):
            return None
    return wording.answer("SessionStart", snapshot(event, known), aside=aside(event, known))


def aside(event: "Event", known: "HookCache") -> str:
    """Suggest sentences worth keeping, from before a compaction or from the last session."""
    if not capturing.is_on(known):
        return ""
    if event.text("source") in _CONTINUING:
        return capturing.offer(event, known)
    capturing.begin(event)
    return capturing.offer_what_was_left(event, known)


def snapshot(event: "Event", known: "HookCache") -> list[str]:
    """Return the snapshot of the work before a compaction; none at other starts."""
    if event.text("source") != "compact" or not known.setting("snapshot"):
        return []
    kept = recent.load(event.place, event.session).get("snapshot", [])
    return [line for line in kept if isinstance(line, str)]


def _is_due(known: "HookCache", now: float) -> bool:
    """Return whether a reminder may be due; a recall must then mark it as shown."""
    return any(
        one["next"] or (one["due"] is not None and one["due"] <= now)
        for one in known.data["reminders"]
    )


def _is_settled(event: "Event", known: "HookCache", now: float) -> bool:
    settled = known.data.get("settled")
    if not settled or not settled["fine"] or not settled["day"][0] <= now < settled["day"][1]:
        return False
    groups = ("settings", "entries", "reminders", "stacks", "targets", "commented", GIT)
    return (
        not settled["due"]
        and known.is_fresh("reminders")
        and not os.path.exists(event.place.touched)
        and known.is_settled(*groups)
    )


def _begin(event: "Event", known: "HookCache", now: float) -> bool:
    """Write the state of a session that starts or continues; False if it needs a recall.

    The files are compared under the lock that writers hold, so that notes written just before
    are seen and promoted by a recall.
    """
    path = event.place.of("state.json")

    def work() -> bool:
        if not _is_settled(event, known, now):
            return False
        before = read(path)
        after = state_after(event, known, before, int(now * 1000))
        if after is None:
            return False
        if after != before:
            put(path, after, mode=mode_of(path), sync=True)
        return True

    return locked(event.place.of(os.path.join("cache", "lock")), work)


def state_after(event: "Event", known: "HookCache", before: bytes, now: int) -> bytes | None:
    """Return the content of ``state.json`` after a recall that finds no change.

    Args:
        event: The SessionStart event.
        known: The prepared data.
        before: The current content.
        now: Milliseconds since the epoch.

    Returns:
        The same bytes if nothing changes; None if the ending session needs a recall.
    """
    state = _state_in(before)
    if state is None or not _ALONE.isdisjoint(state):
        return None
    if _begins_anew(state, event, now, known.data["settings"]["gap_minutes"]):
        if not known.data["settled"]["blank"]:
            return None
        ids = [event.session] if event.session else []
        begun = {"last_activity": now, "session_started": now, "session_ids": ids}
        return _stored({**state, **begun})
    ids = state["session_ids"]
    if event.session and event.session not in ids:
        ids = [*ids, event.session][-_MOST_IDS:]
    idle = now - state["last_activity"]
    if idle < _TOUCH_MILLISECONDS and ids == state["session_ids"]:
        return before
    return _stored({**state, "last_activity": now, "session_ids": ids})


def _state_in(source: bytes) -> "dict[str, Any] | None":
    """Parse a state; None if Mind did not write it."""
    try:
        state: dict[str, Any] = data.loads(source)
        fits = state["schema_version"] == _SCHEMA_VERSION and state["last_activity"] > 0
        fits = fits and _stored(state) == source
        fits = fits and isinstance(state["session_ids"], list)
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return state if fits else None


def _begins_anew(state: "dict[str, Any]", event: "Event", now: int, gap: int) -> bool:
    """Return whether a new session starts, as :func:`mind.memory.session.begins_anew` does."""
    source, ids = event.text("source"), state["session_ids"]
    if source in _BEGINNING or (event.session and ids):
        return event.session not in ids
    if source in _CONTINUING:
        return False
    return bool(now - state["last_activity"] > gap * 60_000)


def _stored(state: "dict[str, Any]") -> bytes:
    return data.indented(state).encode("utf-8", "replace") + b"\n"
