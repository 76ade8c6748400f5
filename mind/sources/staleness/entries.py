"""What speaks against entries of a project, all of one answer at a time."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path

from mind.domain.entry import Entry
from mind.sources.staleness.citing import Needle, commands_in, paths_in, symbols_in
from mind.sources.staleness.judging import Flag, flags, known_on
from mind.sources.staleness.looking import Looking, looking


def of_entries(root: Path, entries: Sequence[Entry], today: date) -> list[tuple[Flag, ...]]:
    """What speaks against each of ``entries`` of the project at ``root`` (see :func:`flags`).

    Git is asked at most once for the same thing, and for nothing that it said since the last
    commit.
    """
    at = root.as_posix()
    paths = [paths_in(entry.text, at) for entry in entries]
    commands = [commands_in(entry.text) for entry in entries]
    look = looking(root) if any(paths) or any(commands) else None
    if look is None:
        return [flags(entry, {}, today) for entry in entries]
    known = [known_on(entry) for entry in entries]
    wanted = {(path, day) for cited, day in zip(paths, known, strict=True) for path in cited}
    states = look.at(wanted)
    needles = [
        _symbols(look, entry.text, at, cited) + ran
        for entry, cited, ran in zip(entries, paths, commands, strict=True)
    ]
    lost = look.lost([(one, day) for own, day in zip(needles, known, strict=True) for one in own])
    return [
        flags(
            entry,
            {path: states[path, day] for path in cited if (path, day) in states},
            today,
            tuple(dict.fromkeys(_told(one) for one in own if (one, day) in lost)),
        )
        for entry, cited, own, day in zip(entries, paths, needles, known, strict=True)
    ]


def _symbols(look: Looking, text: str, root: str, cited: Sequence[str]) -> list[Needle]:
    there = [path for path in cited if look.is_file(path)]
    if not there:
        return []
    found = symbols_in(text, root, there[0] if len(there) == 1 else "")
    return [one for one in found if one.path in there]


def _told(one: Needle) -> str:
    return f"{one.name} is gone from {one.path}"
