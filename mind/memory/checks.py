"""Checks of an intent or code against gotchas and rejected approaches."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from mind.documents.reminders import Reminder
from mind.domain.entry import Entry, Kind, normalise
from mind.memory import agenda, briefing, gotchas, loops
from mind.memory.answers import Checked
from mind.memory.gotchas import Edge, Gotcha
from mind.search.semantic import Meaning
from mind.storage import files
from mind.storage.home import home
from mind.storage.index import Filter, Index
from mind.storage.project import Project
from mind.text.matching import acts
from mind.text.sourcetext.limited import Limits
from mind.text.terms import query_terms

_MOST_SKIPPED = 5


def check(  # noqa: PLR0913, PLR0917 - what is asked, and where
    project: Project,
    index: Index,
    meaning: Meaning,
    intent: str,
    code: str = "",
    stack: Sequence[str] = (),
    *,
    now: datetime,
) -> Checked:
    """Return gotchas and rejected approaches that match; ``index`` must be up to date.

    ``code`` may be a diff; removed lines are not checked.
    """
    stacks = gotchas.named_stacks(stack, project.root)
    known = _of_project(index, f"{intent} {code}") + _global()
    if project.settings.gotchas_builtin:
        known += gotchas.load_builtin()
    limits = Limits(gotchas.SECONDS)
    found = gotchas.check(intent, code, stacks, known, limits)
    done = [*([acts.of_prose(intent)] if intent.strip() else []), *loops.of_code(code)]
    sense = meaning.at_hand(intent, index) if done and not done[0].is_silent else None
    back = loops.find(index, done, project.settings, intent, sense)
    there = {edge.gotcha.description for edge in found}
    met = [_trap(*one) for one in back.traps if one[0].text not in there]
    return Checked(
        edges=tuple(gotchas.in_order([*found, *met])),
        loops=back.loops,
        perhaps=tuple(one for one in back.related if one.text not in there),
        stacks=tuple(stacks),
        reminders=agenda.triggered(project, f"{intent} {code}", now),
        problems=(*_unknown(stack), *_skipped(limits, known)),
    )


def _unknown(stack: Sequence[str]) -> list[str]:
    return [
        f"unknown stack {name}: the gotchas of the project's detected stacks apply"
        for name in gotchas.unknown_stacks(stack)
    ]


def _trap(entry: Entry, score: float, words: str) -> Edge:
    return Edge(gotcha=gotchas.from_entry(entry), reason=f"matched words: {words}", score=score)


def _skipped(limits: Limits, known: Sequence[Gotcha]) -> tuple[str, ...]:
    """Return messages about gotchas whose pattern took too long."""
    met = [one.title for one in known if not set(limits.slow).isdisjoint(one.patterns)]
    told = [
        f"a pattern of the gotcha {title!r} took too long and was skipped: check a smaller part of "
        "the code, or simplify the pattern"
        for title in dict.fromkeys(met)
    ]
    more = len(told) - _MOST_SKIPPED
    return (*told[:_MOST_SKIPPED], *([f"{more} more took too long"] if more > 0 else []))


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """All entries that may warn or remind, for callers that prepare them in advance.

    Attributes:
        entries: Entries of the project that may say what not to do.
        gotchas: Gotchas of the user and built-in ones.
        stacks: Detected stacks of the project.
        pending: Pending reminders.
        targets: Files that contain the context block.
        stamps: Path of each read file → its stamp and settings.
        commented: Files that may contain MEMORY comments.
        memory_hash: Digest of MEMORY.md.
    """

    entries: tuple[Entry, ...]
    gotchas: tuple[Gotcha, ...]
    stacks: tuple[str, ...]
    pending: tuple[Reminder, ...]
    targets: tuple[Path, ...]
    stamps: Mapping[str, str]
    commented: tuple[str, ...]
    memory_hash: str


def prepared(project: Project, index: Index, now: datetime) -> Prepared:
    """Return everything that :func:`check` compares with; ``index`` must be up to date."""
    known = _global()
    if project.settings.gotchas_builtin:
        known += gotchas.load_builtin()
    return Prepared(
        entries=tuple(loops.turning_down(index)),
        gotchas=tuple(known),
        stacks=tuple(gotchas.detect_stacks(project.root)),
        pending=tuple(agenda.pending(project, now)),
        targets=tuple(briefing.targets(project)),
        stamps=index.stamps(),
        commented=tuple(index.paths("comments")),
        memory_hash=index.meta("memory_hash"),
    )


def stacks(root: Path) -> list[str]:
    """Return the detected stacks of a folder, with or without a memory."""
    return gotchas.detect_stacks(root)


def of_code(code: str, stack: Sequence[str]) -> Checked:
    """Check code against built-in and global gotchas, without any project's memory."""
    known = [*_global(), *gotchas.load_builtin()]
    limits = Limits(gotchas.SECONDS)
    found = tuple(gotchas.check("", code, stack, known, limits)) if code else ()
    return Checked(edges=found, loops=(), stacks=tuple(stack), problems=_skipped(limits, known))


def of_every_project(project: Project) -> tuple[Gotcha, ...]:
    """Return the user's global gotchas for the stacks of ``project``."""
    stacks = set(gotchas.detect_stacks(project.root))
    return tuple(one for one in _global() if not one.stacks or stacks & set(one.stacks))


def add_global(added: Gotcha) -> None:
    """Store a gotcha for all projects of this user; it replaces one with the same title."""
    path = home() / "global_edges.json"
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with files.lock(path.with_name("lock")):
        known = gotchas.load_global(files.read_json(path))
        others = [one for one in known if normalise(one.title) != normalise(added.title)]
        files.write_json(path, gotchas.dump_global([*others, added]))


def _of_project(index: Index, text: str) -> list[Gotcha]:
    which = Filter(kinds=(Kind.GOTCHA,))
    found = index.match(query_terms(text), which, limit=40, postings=3_000)
    return [gotchas.from_entry(entry) for entry, _ in found]


def _global() -> list[Gotcha]:
    return gotchas.load_global(files.read_json(home() / "global_edges.json"))
