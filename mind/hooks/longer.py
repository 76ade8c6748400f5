"""Slow path: open the memory, query it, and prepare what the next events need."""

import contextlib
import os
from typing import TYPE_CHECKING

from mind.documents.context_block import SECTIONS, SESSION, block_span
from mind.domain.entry import Kind
from mind.domain.errors import MindError
from mind.hooks import building, wording
from mind.hooks.place import complain
from mind.memory.answers import Recall, left_out
from mind.memory.context import targets
from mind.storage import events as usage
from mind.storage import files
from mind.text.visible import inert

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mind.hooks.cache import HookCache
    from mind.hooks.events import Event
    from mind.hooks.place import HookProject
    from mind.memory.memory import Memory
    from mind.sources.transcripts.nominating import Nomination

_NEWS = "Added to the memory block after your client read it:"
_TOLD = tuple(f"## {one.title}" for one in SECTIONS if one.tracked)
"""Sections whose additions are reported; reminders and problems always are."""
_NOTED = f"## {SESSION}"
"""Heading of the notes of running sessions, which a block in a tracked file lacks."""
_FOR_OTHERS = tuple(f"- [{one}]" for one in Kind if one.traits.noted and one is not Kind.EXPERIENCE)
"""Beginnings of notes that concern other sessions."""


def refusal(link: str, target: str) -> str:
    """Return the message about a link that leaves the repository; "" if the user allowed it."""
    try:
        files.allow(link, target)
    except MindError as error:
        return f"Memory problem: {wording.short(str(error))}"
    return ""


def prepared(place: "HookProject", *, prompts: bool = False) -> "HookCache":
    """Rebuild what hooks know; with ``prompts``, also the entries to match prompts against."""
    before = building.Stamps(place)
    with contextlib.closing(building.opened(place)) as memory:
        return building.build(memory, place, before, prompts=prompts)


def start(event: "Event") -> str:
    """Recall, when a session starts or continues."""
    from mind.hooks import starting  # noqa: PLC0415 - beside the others

    before = building.Stamps(event.place)
    with contextlib.closing(building.opened(event.place, event.session)) as memory:
        settings = memory.project.settings
        if not (settings.hooks_enabled and settings.hooks_recall):
            known = building.build(memory, event.place, before)
            lines: list[str] = []
        else:
            _forget_touched(event.place)
            shown = _shown(memory)
            answer = memory.recall(
                session_id=event.session or None, event=event.text("source"), omitted=False
            )
            for problem in answer.problems:
                complain(event.place, problem)
            known = building.build(
                memory, event.place, before, due=answer.due, problems=answer.problems
            )
            lines = [*_facts(answer, memory), *_news(answer, shown)]
    said = [*lines, *starting.snapshot(event, known)]
    return wording.answer("SessionStart", said, aside=starting.aside(event, known))


def _shown(memory: "Memory") -> list[str]:
    """Return the lines of the context block as the client read it; none if there is no block."""
    for path in targets(memory.project):
        with contextlib.suppress(OSError, MindError):
            source = files.read(path)
            span = block_span(source)
            if span is not None:
                return source[span.start : span.end].decode("utf-8", "replace").splitlines()
    return []


def _news(answer: Recall, shown: list[str]) -> list[str]:
    """Return what the block that the client read lacks: clients read files before hooks run."""
    new: list[str] = []
    noted: list[str] = []
    heading = ""
    for line in answer.context.splitlines():
        if line.startswith("## "):
            heading = line
        elif line.strip() and line not in shown:
            if heading == _NOTED and answer.new_session and line.startswith(_FOR_OTHERS):
                noted.append(line)
            elif answer.written and heading.startswith(_TOLD):
                new += [line] if heading in new else [heading, line]
    noted = [_NOTED, *noted] if noted else []
    return [*([_NEWS] if new else []), *map(inert, (*new, *noted))]


def _facts(answer: Recall, memory: "Memory") -> list[str]:
    """Return what the block in CLAUDE.md lacks because the client read it before this call."""
    kept = [one for one in answer.promoted if one.outcome not in ("known", "left")]
    lines = [wording.reminder(one.told, f"due ({one.id})") for one in answer.due]
    lines += [wording.DONE] if lines else []
    if kept:
        name = memory.project.relative(memory.project.memory)
        lines.append(f"Notes of the last session promoted to {name}: {len(kept)}.")
    if left := left_out(answer.promoted):
        lines.append(left)
    return [*lines, *(f"Memory problem: {wording.short(one)}" for one in answer.problems)]


def harvest(event: "Event", session: str) -> None:
    """Read new commits, comments and files.

    Args:
        event: The end of a turn or of a session.
        session: The client's session id, or "" if recall is off.
    """
    before = building.Stamps(event.place)
    _forget_touched(event.place)
    with contextlib.closing(building.opened(event.place, session)) as memory:
        done = memory.checkpoint()
        for problem in done.problems:
            complain(event.place, problem)
        building.build(memory, event.place, before, due=memory.due(), problems=done.problems)


def record_said(event: "Event", said: "Sequence[Nomination]") -> None:
    """Record what the user asked to remember, with its source."""
    from mind.sources.transcripts.reading import noted  # noqa: PLC0415 - only with capture = auto

    with contextlib.closing(building.opened(event.place, event.session)) as memory:
        try:
            notes = noted(said, memory.project.root, event.session)
            memory.import_from("claude-code", memories=notes)
        except MindError as error:
            complain(event.place, str(error))


def end(event: "Event") -> None:
    """End the session that the client ended, and promote its notes."""
    with contextlib.closing(building.opened(event.place, event.session)) as memory:
        for problem in memory.end_session(event.session).problems:
            complain(event.place, problem)


def _forget_touched(place: "HookProject") -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(place.touched)


def record(event: "Event", session: str, name: str, ids: list[str], data: dict[str, str]) -> None:
    """Write an event to the usage log, which is rotated when full."""
    with contextlib.closing(building.opened(event.place, event.session)) as memory:
        told = usage.Event(at=memory.now(), session=session, name=name, ids=tuple(ids), data=data)
        trouble = usage.record(memory.project.events, told, memory.project.settings)
    if trouble:
        complain(event.place, trouble)
