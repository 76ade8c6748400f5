"""What `mind init` finds in a repository, shown before it is recorded."""

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import typer

from mind.cli.output import is_terminal, note, say
from mind.domain.entry import counted
from mind.domain.errors import MindError
from mind.memory.adopting import Adopted
from mind.memory.memory import Memory
from mind.sources import offering, project_docs, transcripts
from mind.storage.project import Project

_SHOWN = 12
"""Offers of one source that are shown; the others are counted."""
_WIDTH = 110
_FIRST = 5
_AGENTS = re.compile(r"(?:^|/)(?:readme|agents|claude|gemini|contributing)\b", re.IGNORECASE)


def proposed(memory: Memory) -> list[Adopted]:
    """What the importers of the repository would add, a report each."""
    found: list[Adopted] = []
    for name in dict.fromkeys(
        one.name for one, _ in offering.here(memory.project) if one.is_shared
    ):
        try:
            done = memory.import_from(name, dry_run=True)
        except MindError as error:
            note(f"{name}: {error}")
            continue
        found += [done] if done.new else []
    return found


def show(memory: Memory, offered: Sequence[Adopted]) -> None:
    """Print what would be recorded, by source and kind, and what is searched in place."""
    for one in offered:
        kinds = Counter(row.kind for row in one.new)
        say(f"{one.source}: {', '.join(counted(count, kind) for kind, count in kinds.items())}")
        for row in one.new[:_SHOWN]:
            text = " ".join(row.text.split())
            short = text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1].rstrip()}…"
            say(f"  {row.kind:<9} {short}  ({row.place})")
        if len(one.new) > _SHOWN:
            say(f"  … and {len(one.new) - _SHOWN} more: mind import {one.source} --dry-run")
    root = memory.project.root
    names = project_docs.paths(root) if memory.project.settings.capture_documents else []
    names.sort(key=lambda name: _AGENTS.search(name) is None)
    first = [name for name in names[: 2 * _FIRST] if project_docs.entries(root, name)][:_FIRST]
    if first:
        more = f" and {len(names) - len(first)} more" if len(names) > 2 * _FIRST else ""
        say(f"Searched in place, never copied: {', '.join(first)}{more}.")


def show_raw(root: Path) -> None:
    """Print what is there before Mind is set up, with nothing left out."""
    project = Project(root)
    for one, place in offering.here(project):
        if one.is_shared:
            count = len(list(one.read(place, offering.reading_of(project, Memory(project).now()))))
            say(f"{one.name}: {count} to be offered, from {one.about}.")


def record(memory: Memory, offered: Sequence[Adopted], *, yes: bool) -> None:
    """Record what is offered, if that is agreed to."""
    count = sum(len(one.new) for one in offered)
    if not count:
        return
    if not yes and not is_terminal():
        say("None of this is recorded yet: `mind init --yes` does it, or `mind import SOURCE`.")
    elif yes or typer.confirm(f"Record these {count} in .mind/MEMORY.md?", default=True):
        say(f"Recorded {taken_in(memory, offered)} in .mind/MEMORY.md.")


def taken_in(memory: Memory, offered: Sequence[Adopted]) -> int:
    """Record what is offered; how much was."""
    return sum(memory.import_from(one.source).count("added") for one in offered)


def name_others(memory: Memory) -> None:
    """Ask whether the memories of each tool of the person are wanted, or name the tool."""
    others = dict.fromkeys(
        (one.name, one.about) for one, _ in offering.here(memory.project) if not one.is_shared
    )
    for name, about in others:
        if name == transcripts.SOURCE or not is_terminal():
            say(f"Also on this machine: {about}. `mind import {name} --dry-run` shows them.")
        elif typer.confirm(f"Also here: {about}. Import what is about this project?"):
            say(f"Added {memory.import_from(name).count('added')} from {name}.")
