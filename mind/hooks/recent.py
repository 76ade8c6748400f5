"""Recent activity of one client session, in a small file of its own.

It serves only the running session; it may be deleted with the cache.
"""

import os
import time
from contextlib import contextmanager
from zlib import crc32

from mind.hooks import data as values
from mind.hooks.place import acquired, put
from mind.storage.gitindex import read

TYPE_CHECKING = False  # typing takes milliseconds
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from mind.hooks.events import Event
    from mind.hooks.place import HookProject

_MOST_EDITS, _MOST_SHOWN, _MOST_WARNED = 12, 500, 20
_MOST_FILES, _MOST_LEFT = 40, 6
_LONGEST_NAME = 80
_TRIES = 5


def path_of(place: "HookProject", session: str) -> str:
    """Return the file of a session; ids that cannot be file names share one."""
    plain = session.replace("-", "").replace("_", "")
    named = plain.isascii() and plain.isalnum() and len(session) <= _LONGEST_NAME
    name = session if named else "unnamed"
    return os.path.join(place.hooks, f"session-{name}.json")


def load(place: "HookProject", session: str) -> "dict[str, Any]":
    """Read the state of a session: ``prompt``, ``edits``, ``failed``, ``shown``, ``warned``."""
    try:
        data = values.loads(read(path_of(place, session)) or b"{}")
    except (ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def others(
    place: "HookProject", session: str, idle: float
) -> "Iterator[tuple[str, dict[str, Any]]]":
    """Yield other sessions that ended, or did nothing for ``idle`` seconds; the latest first."""
    own = path_of(place, session)
    for file in _files(place)[:_MOST_LEFT]:
        if file.path != own:
            name = file.name.removeprefix("session-").removesuffix(".json")
            data = load(place, name)
            if data.get("ended") or time.time() - file.stat().st_mtime > idle:
                yield name, data


def _files(place: "HookProject") -> "list[os.DirEntry[str]]":
    """Return the files of all sessions, the latest first."""
    try:
        files = [one for one in os.scandir(place.hooks) if one.name.startswith("session-")]
        return sorted(files, key=lambda one: -one.stat().st_mtime_ns)
    except OSError:
        return []


@contextmanager
def changing(place: "HookProject", session: str) -> "Iterator[dict[str, Any]]":
    """Change the state of a session, one process at a time: parallel tools run parallel hooks."""
    os.makedirs(place.hooks, mode=0o700, exist_ok=True)
    lock = _lock(place)
    try:
        data = load(place, session)
        yield data
        path = path_of(place, session)
        for old in () if os.path.exists(path) else _files(place)[_MOST_FILES - 1 :]:
            os.unlink(old.path)
        put(path, values.line(data).encode("utf-8", "replace"))
    finally:
        if lock is not None:
            os.close(lock)


def _lock(place: "HookProject") -> int | None:
    """Return the lock, or None: a lost note is better than a hook that waits."""
    for attempt in range(_TRIES):
        lock = acquired(os.path.join(place.hooks, "lock"))
        if lock is not None:
            return lock
        time.sleep(0.002 * (attempt + 1))
    return None


def note_edit(data: "dict[str, Any]", path: str, tool: str) -> None:
    """Add an edit; each file is listed once, latest last."""
    others = [one for one in data.get("edits", []) if one[0] != path]
    data["edits"] = [*others, [path, tool]][-_MOST_EDITS:]


def key_of(event: "Event") -> str:
    """Return a key that identifies a tool call before and after it runs."""
    return event.text("tool_use_id")[:_LONGEST_NAME] or str(
        crc32(values.line(event.given.get("tool_input")).encode("utf-8", "replace"))
    )


def note_warned(data: "dict[str, Any]", key: str, ids: list[str]) -> None:
    """Keep which entries warned of a tool call; an empty list removes the record."""
    others = {one: listed for one, listed in data.get("warned", {}).items() if one != key}
    kept = [*others.items(), *([(key, ids)] if ids else [])]
    data["warned"] = dict(kept[-_MOST_WARNED:])


def note_shown(data: "dict[str, Any]", names: list[str]) -> list[str]:
    """Add shown items; return those not shown before."""
    before = data.get("shown", [])
    new = [name for name in names if name not in before]
    data["shown"] = [*before, *new][-_MOST_SHOWN:]
    return new
