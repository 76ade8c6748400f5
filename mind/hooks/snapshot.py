"""PreCompact: what is being worked on, to be shown after the compaction.

It is a copy for the session that runs. What has to last stands in SESSION.md, from where it is
taken: nothing is lost with the cache.
"""

import time

from mind.hooks import recent, wording
from mind.hooks.place import read
from mind.hooks.plain import is_plain, redacted

TYPE_CHECKING = False  # typing takes milliseconds
if TYPE_CHECKING:
    from typing import Any

    from mind.hooks.events import Event

_MOST_BYTES = 2_000


def take(event: "Event") -> None:
    """Keep what is being worked on."""

    def work(data: "dict[str, Any]") -> None:
        data["snapshot"] = _lines(event, data)

    recent.change(event.place, event.session, work)


def _lines(event: "Event", data: "dict[str, Any]") -> list[str]:
    """At most 2,000 bytes: the task and its state first, then notes, the latest ones."""
    moment = time.strftime("%Y-%m-%d %H:%M", time.localtime())
    lines = [f"Before the compaction at {moment}:"]
    if data.get("prompt"):
        lines.append(f"- Last asked: {wording.short(data['prompt'], 200)}")
    if data.get("edits"):
        names = ", ".join(wording.short(path, 80) for path, _ in reversed(data["edits"]))
        lines.append(f"- Files edited, the last first: {wording.short(names, 500)}")
    if data.get("failed"):
        command, error = data["failed"]
        lines.append(f"- Failed last: `{command}`" + (f" - {error}" if error else ""))
    room = _MOST_BYTES - sum(len(line.encode()) + 1 for line in lines)
    kept: list[str] = []
    for note in reversed(notes(event)):
        line = f"- Session note: {wording.short(note, 300)}"
        room -= len(line.encode()) + 1
        if room < 0:
            break
        kept.insert(0, line)
    return [*lines, *kept] if len(lines) > 1 or kept else []


def notes(event: "Event") -> list[str]:
    """The lines of SESSION.md, without its headings, comments and credentials."""
    text = read(event.place.of("SESSION.md")).decode("utf-8", "replace")
    while "<!--" in text:
        before, _, comment = text.partition("<!--")
        text = before + comment.partition("-->")[2]
    lines = [line.strip() for line in text.splitlines()]
    lines = [line.removeprefix("- ") for line in lines if line and not line.startswith("#")]
    if all(map(is_plain, lines)):
        return lines
    return redacted("\n".join(lines)).splitlines()  # a value may go on behind a line end
