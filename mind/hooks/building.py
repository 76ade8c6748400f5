"""Builder of the data that hooks answer from, run when the memory changed."""

import contextlib
import hashlib
import os
import re
from collections.abc import Sequence
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import Any

from mind import __version__
from mind.documents.reminders import Reminder
from mind.documents.reminders.triggers import beginnings
from mind.domain.entry import Entry
from mind.hooks import known, matching, noticing, rows
from mind.hooks.known import GIT, Known
from mind.hooks.place import Place, put, stamp
from mind.hooks.plain import redacted_path
from mind.hooks.wording import clean, short
from mind.memory.checks import Prepared
from mind.memory.memory import Memory
from mind.sources.transcripts.speech import keeping
from mind.storage import files
from mind.storage.boundary import user_folder
from mind.storage.files.beside import discard, orphans
from mind.storage.project import Project

_STATE = re.compile(r"state\.json")
_KEPT = re.compile(r"(?:known|session-[\w-]+)\.json|notes\.jsonl|entries\.txt")
_SECONDS = 2.0
"""Time limit for updating the index in one event; the next events continue."""
_GROUPS = ("settings", "reminders", "stacks")


def opened(place: Place, session: str = "") -> Memory:
    """Open the memory at ``place`` for the client's session."""
    root, folder = Path(place.root), Path(place.folder)
    project = Project(root) if folder == root / ".mind" else Project(root, folder)
    return Memory(project, session_id=session or None, seconds=_SECONDS)


class Before:
    """Stamps of the files a recall reads, taken before it."""

    def __init__(self, place: Place) -> None:
        self.paths = {"stacks": [os.path.join(place.root, name) for name in known.MANIFESTS]}
        self.stamps = known.stamps(place, _GROUPS, {"paths": self.paths})
        self.edges = stamp(os.path.join(user_folder(), "global_edges.json"))
        self.git = known.git_paths(place.root)
        self.heads = [stamp(path) for path in self.git]


def build(  # noqa: PLR0913 - independent options, by name only
    memory: Memory, place: Place, before: Before, *, due: Sequence[Reminder] | None = None,
    problems: Sequence[str] = (), prompts: bool = True,
) -> Known:  # fmt: skip
    """Build the data that hooks answer from, and store it.

    Args:
        memory: The open memory.
        place: Its location.
        before: Stamps taken before anything was read.
        due: The reminders in the block, if comments, commits and the block were updated since
            ``before``; None if not.
        problems: Problems of that update; with any, the next session takes the slow path again.
        prompts: Also build the entries to match prompts against, which takes longest.
    """
    _sweep(place)
    if due is not None:  # they were noted as shown
        before.stamps |= known.stamps(place, ("reminders",), {})
    made = memory.prepared()
    data: dict[str, Any] = {
        "format": known.FORMAT,
        "version": __version__,
        "root": place.root,
        "home": user_folder(),
        "settings": rows.settings_of(memory.project.settings),
        "paths": before.paths,
        "stamps": before.stamps | {"entries": _entries(memory, made, before)},
        "reminders": [_reminder(one) for one in made.pending],
        "keep": keeping(),
        "partial": memory.index.partial,
    }
    data["notes"] = _notes(memory, place, made, before)
    last = known.load(place)
    data["prompts"] = last.data["prompts"] if last else {}
    if prompts:
        made_from = {"entries": data["stamps"]["entries"], "settings": data["stamps"]["settings"]}
        data["prompts"] = made_from | {"generation": _prompts(memory, place)}
    if due is None:
        data["settled"] = last.data.get("settled") if last else None
    else:
        settled = _settled(memory, place, made, before, data, due)
        data["settled"] = {**settled, "fine": not problems}
    known.save(place, data)
    return Known(place, data)


def _sweep(place: Place) -> None:
    """Delete what hooks that were killed left of files that only Mind writes."""
    for folder, names in ((place.folder, _STATE), (place.hooks, _KEPT)):
        with contextlib.suppress(OSError):
            for left in orphans(Path(folder), names, own=True):
                discard(left)


def _entries(memory: Memory, made: Prepared, before: Before) -> list[str]:
    """Return the stamps of the files as read, in the order of :func:`known.stamps`."""
    project = memory.project
    names = [project.relative(path) for path in (project.memory, project.session)]
    return [*(made.stamps.get(name, "").partition("|")[0] for name in names), before.edges]


def _reminder(one: Reminder) -> dict[str, object]:
    return {
        "id": one.id,
        "text": short(one.text),
        "due": one.due.timestamp() if one.due and not one.is_over else None,
        "next": not one.is_over and (one.next_session or bool(one.unclear)),
        "trigger": _ways(one),
    }


def _ways(one: Reminder) -> list[list[str]]:
    """Return substrings of an ASCII prompt that triggers the reminder.

    A trigger without any gets an alternative that never matches an ASCII prompt.
    """
    ways = [way for phrase in one.trigger for way in beginnings(phrase)]
    return ways or ([["\0"]] if one.trigger else [])


def _notes(memory: Memory, place: Place, made: Prepared, before: Before) -> str:
    """Write the entries that warn, unless stored already; return their generation, "" for none."""
    settings = memory.project.settings
    if not (settings.hooks_enabled and settings.hooks_warnings):
        return ""
    told = [
        (
            one.id,
            one.kind,
            one.text,
            one.workaround,
            one.where,
            one.date,
            sorted(one.fields.items()),
        )
        for one in made.entries
    ]  # the inputs of rows: most new entries change none of them
    said = (__version__, known.FORMAT, told, made.stacks, before.edges, before.stamps["settings"])
    generation = hashlib.blake2b(repr(said).encode("utf-8", "replace"), digest_size=8).hexdigest()
    if noticing.load(place, generation) is None:
        found = [*rows.of_entries(made.entries), *rows.of_others(made.gotchas, made.stacks)]
        os.makedirs(place.hooks, mode=0o700, exist_ok=True)
        put(os.path.join(place.hooks, "notes.jsonl"), rows.stored(found, generation))
    return generation


def _prompts(memory: Memory, place: Place) -> str:
    """Write the entries to match prompts against, unless stored; return their generation."""
    settings = memory.project.settings
    entries = memory.current() if settings.hooks_enabled and settings.hooks_titles else []
    if not entries:
        return ""
    told = [(one.id, one.kind, one.text, one.where, one.date) for one in entries]
    said = repr((__version__, known.FORMAT, told)).encode("utf-8", "replace")
    generation = hashlib.blake2b(said, digest_size=8).hexdigest()
    if matching.load(place, generation) is None:
        lines = [_line(one) for one in entries]
        os.makedirs(place.hooks, mode=0o700, exist_ok=True)
        put(matching.path_of(place), matching.stored(entries, lines, generation))
    return generation


def _line(entry: Entry) -> str:
    day = f" ({entry.date})" if entry.date and str(entry.date.year) not in entry.text else ""
    return f"- {entry.kind.value}: {short(entry.text)}{day} ({entry.id}, {clean(entry.where)})"


def _settled(  # noqa: PLR0913, PLR0917 - needs all of them
    memory: Memory, place: Place, made: Prepared, before: Before, data: dict[str, Any],
    due: Sequence[Reminder],
) -> dict[str, Any]:  # fmt: skip
    """Return the state of files, day and reminders that block and index were last built from."""
    now = memory.now()
    day = datetime.combine(now.date(), time(), tzinfo=now.tzinfo)
    project = memory.project
    commented = [os.path.join(place.root, path) for path in made.commented]
    stamps = [made.stamps[path].rpartition(":")[0] for path in made.commented]
    targets, marks = _without_secrets([str(path) for path in made.targets])
    git, heads = _without_secrets(before.git, before.heads)
    return {
        "day": [day.timestamp(), (day + timedelta(days=1)).timestamp()],
        "due": sorted(one.id for one in due),
        "hash": made.memory_hash,
        "blank": project.session.exists() and _is_blank(project),
        "paths": {**before.paths, GIT: git, "commented": commented, "targets": targets},
        "stamps": {
            **data["stamps"],
            GIT: heads,
            "commented": stamps,
            "targets": marks,
        },
    }


def _without_secrets(
    paths: Sequence[str], stamps: Sequence[str] | None = None
) -> tuple[list[str], list[str]]:
    """Return ``paths`` with credentials masked (branch names may have some), and their stamps.

    A masked path never compares as unchanged, so the next session takes the slow path.
    """
    shown = [redacted_path(path) for path in paths]
    known = [stamp(path) for path in paths] if stamps is None else stamps
    same = [one == path for one, path in zip(shown, paths, strict=True)]
    return shown, [mark if is_same else "?" for mark, is_same in zip(known, same, strict=True)]


def _is_blank(project: Project) -> bool:
    from mind.storage.templates import text  # noqa: PLC0415 - beside the others

    return files.read(project.session) == text("SESSION.md").encode()
