"""SessionStart where nothing is new and nothing is due: the session begins."""

import os
import time

from mind.hooks import capturing, data, recent, wording
from mind.hooks.known import GIT
from mind.hooks.place import locked, mode_of, put, read

TYPE_CHECKING = False  # typing takes milliseconds
if TYPE_CHECKING:
    from typing import Any

    from mind.hooks.events import Event
    from mind.hooks.known import Known

_BEGINNING = ("startup", "clear", "fork")
_CONTINUING = ("compact", "resume")
_TOUCH_MILLISECONDS = 60_000
_MOST_IDS = 16
_ALONE = frozenset({"muted", "others", "part"})
"""What a state has where more is to be decided than when one session follows another."""
_SCHEMA_VERSION = 1


def quickly(event: "Event", known: "Known") -> str | None:
    """The answer, with the state written as a recall would; None if that takes a recall.

    That is where a file, the day, or what is due is not what the block was made from, a reminder
    is due, or the session that ends has something to promote.
    """
    if known.setting("recall"):
        now = time.time()
        if _is_due(known, now) or not _begin(event, known, now):
            return None
    return wording.answer("SessionStart", snapshot(event, known), aside=aside(event, known))


def aside(event: "Event", known: "Known") -> str:
    """Offer what may be worth keeping: said before a compaction, or in the session before."""
    if not capturing.is_on(known):
        return ""
    if event.text("source") in _CONTINUING:
        return capturing.offer(event, known)
    capturing.begin(event)
    return capturing.offer_what_was_left(event, known)


def snapshot(event: "Event", known: "Known") -> list[str]:
    """After a compaction, what was being worked on before."""
    if event.text("source") != "compact" or not known.setting("snapshot"):
        return []
    kept = recent.load(event.place, event.session).get("snapshot", [])
    return [line for line in kept if isinstance(line, str)]


def _is_due(known: "Known", now: float) -> bool:
    """Return whether a reminder may have to be shown, which is noted by a recall."""
    return any(
        one["next"] or (one["due"] is not None and one["due"] <= now)
        for one in known.data["reminders"]
    )


def _is_settled(event: "Event", known: "Known", now: float) -> bool:
    settled = known.data.get("settled")
    if not settled or not settled["fine"] or not settled["day"][0] <= now < settled["day"][1]:
        return False
    if settled["due"] or not known.is_fresh("reminders"):
        return False
    if os.path.exists(os.path.join(event.place.hooks, "touched")):
        return False
    return known.is_settled(
        "settings", "entries", "reminders", "stacks", "targets", "commented", GIT
    )


def _begin(event: "Event", known: "Known", now: float) -> bool:
    """Write the state of a session that begins or goes on; False if it cannot be done here.

    The files are compared under the lock, under which others write: what they noted just before
    is promoted by a recall.
    """
    path = event.place.of("state.json")
    written = False

    def work() -> None:
        nonlocal written
        if not _is_settled(event, known, now):
            return
        before = read(path)
        after = state_after(event, known, before, int(now * 1000))
        if after is None:
            return
        if after != before:
            put(path, after, mode=mode_of(path), sync=True)
        written = True

    return locked(event.place.of(os.path.join("cache", "lock")), work) and written


def state_after(event: "Event", known: "Known", before: bytes, now: int) -> bytes | None:
    """Return what ``state.json`` holds after a recall that finds nothing new.

    Args:
        event: The start.
        known: For the digest of the memory, and for the settings.
        before: What it holds.
        now: Milliseconds since the epoch.

    Returns:
        The same bytes if nothing changes; None if the session that ends needs a recall.
    """
    state = _state_in(before)
    if state is None or not _ALONE.isdisjoint(state):
        return None
    settled = known.data["settled"]
    if _begins_anew(state, event, now, known.data["settings"]["gap_minutes"]):
        if not settled["blank"]:
            return None
        ids = [event.session] if event.session else []
        state = {**state, "last_activity": now, "session_started": now, "session_ids": ids}
        return _stored({**state, "memory_hash": settled["hash"]})
    ids = state["session_ids"]
    if event.session and event.session not in ids:
        ids = [*ids, event.session][-_MOST_IDS:]
    idle = now - state["last_activity"]
    touches = idle >= _TOUCH_MILLISECONDS or ids != state["session_ids"]
    if not touches and state["memory_hash"] == settled["hash"]:
        return before
    state = {**state, "last_activity": now, "session_ids": ids}
    return _stored({**state, "memory_hash": settled["hash"]})


def _state_in(source: bytes) -> "dict[str, Any] | None":
    """The state, if it is one that Mind wrote."""
    try:
        state: dict[str, Any] = data.loads(source)
        fits = state["schema_version"] == _SCHEMA_VERSION and state["last_activity"] > 0
        fits = fits and _stored(state) == source
        fits = fits and isinstance(state["session_ids"], list)
        return state if fits and isinstance(state["memory_hash"], str) else None
    except (ValueError, TypeError, KeyError, RecursionError):
        return None


def _begins_anew(state: "dict[str, Any]", event: "Event", now: int, gap: int) -> bool:
    """As :func:`mind.memory.session.begins_anew` has it."""
    source, ids = event.text("source"), state["session_ids"]
    if source in _BEGINNING or (event.session and ids):
        return event.session not in ids
    if source in _CONTINUING:
        return False
    return bool(now - state["last_activity"] > gap * 60_000)


def _stored(state: "dict[str, Any]") -> bytes:
    return data.indented(state).encode("utf-8", "replace") + b"\n"
