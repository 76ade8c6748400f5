"""PreCompact: a snapshot of the current work, shown after the compaction.

It is a copy for the running session. Everything that must last is in SESSION.md, so nothing is
lost with the cache.
"""

import time

from mind.hooks import data as values
from mind.hooks import recent, wording
from mind.hooks.cache import git_paths
from mind.hooks.place import is_plain, redacted
from mind.storage.gitindex import read

TYPE_CHECKING = False  # typing takes milliseconds
if TYPE_CHECKING:
    from typing import Any

    from mind.hooks.events import Event

_MOST_BYTES = 2_000
_MOST_STATED, _MOST_COMMITS, _MOST_LOGGED = 5, 5, 200


def take(event: "Event") -> None:
    """Keep a snapshot of the current work."""
    with recent.changing(event.place, event.session) as data:
        data["snapshot"] = _lines(event, data)


def _lines(event: "Event", data: "dict[str, Any]") -> list[str]:
    """Return at most 2,000 bytes: the task and its state, then the latest notes."""
    moment = time.strftime("%Y-%m-%d %H:%M", time.localtime())
    lines = [f"Before the compaction at {moment}:"]
    first = data.get("first_prompt", "")
    if first and first != data.get("prompt"):
        lines.append(f"- First request: {wording.short(first, 200)}")
    if data.get("prompt"):
        lines.append(f"- Last request: {wording.short(data['prompt'], 200)}")
    lines += [f"- The user said: {wording.short(one, 200)}" for one in _stated(data)]
    lines += [f"- Committed: {wording.short(one, 100)}" for one in _commits(event)]
    if data.get("failed"):
        command, error = data["failed"]
        lines.append(f"- Last failed command: `{command}`" + (f" - {error}" if error else ""))
    if data.get("edits"):
        names = ", ".join(wording.short(path, 80) for path, _ in reversed(data["edits"]))
        lines.append(f"- Edited files, latest first: {wording.short(names, 500)}")
    noted = [f"- Session note: {wording.short(note, 300)}" for note in reversed(notes(event))]
    room = _MOST_BYTES
    kept: list[str] = []
    for line in (*lines, *noted):
        room -= len(line.encode()) + 1
        if room < 0:
            break
        kept.append(line)
    own = len(lines)
    return [*kept[:own], *reversed(kept[own:])] if len(kept) > 1 else []


def _stated(data: "dict[str, Any]") -> list[str]:
    """Return the user's rules and corrections, without those suggested after the compaction."""
    talk = data.get("talk", {})
    waiting = "\n".join(one["text"] for one in talk.get("waiting", []))
    return [one for one in talk.get("stated", []) if one not in waiting][-_MOST_STATED:]


def _commits(event: "Event") -> list[str]:
    """Return the subjects of this session's commits, from git's log of HEAD."""
    try:
        began = values.loads(read(event.place.of("state.json")))["session_started"] // 1000
    except (ValueError, KeyError, TypeError, RecursionError):
        return []
    paths = git_paths(event.place.root)
    log = read(paths[1]).decode("utf-8", "replace") if paths else ""
    found = []
    for line in log.splitlines()[-_MOST_LOGGED:]:
        who, _, what = line.partition("\t")
        moment = who.split()[-2:-1]
        if what.startswith("commit") and moment and moment[0].isdigit() and int(moment[0]) >= began:
            found.append(redacted(what.partition(": ")[2]))
    return found[-_MOST_COMMITS:]


def notes(event: "Event") -> list[str]:
    """Return the lines of SESSION.md without headings, comments and credentials."""
    text = read(event.place.of("SESSION.md")).decode("utf-8", "replace")
    while "<!--" in text:
        before, _, comment = text.partition("<!--")
        text = before + comment.partition("-->")[2]
    lines = [line.strip() for line in text.splitlines()]
    lines = [line.removeprefix("- ") for line in lines if line and not line.startswith("#")]
    if all(map(is_plain, lines)):
        return lines
    return redacted("\n".join(lines)).splitlines()  # a credential may span lines
