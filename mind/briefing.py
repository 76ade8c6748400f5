"""What the context block says: gathered from the index, rendered once per change and day."""

import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from pathlib import Path

from mind import context, files, gitindex, parser
from mind.entry import Entry, Kind, Status
from mind.errors import LeadsOutside, MindError
from mind.index import Filter, Index
from mind.project import Project
from mind.reminders import Reminder
from mind.sources.repository import ask
from mind.terms import query_terms

SHARED = ("memory", "comments", "commits")
"""Families of entries that are not one machine's, as those of SESSION.md are."""

TRACKED = ("memory",)
"""The family that a block in a tracked file is made from: the others differ by branch and clone."""

_LOOPS = (Kind.PROBLEM, Kind.BLOCKER, Kind.TODO)
_FIXES = (Kind.PROGRESS, Kind.LEARNING, Kind.DECISION)
_MOST = 25
_CANDIDATES = 40
_POSTINGS = 200
"""A fix is looked for by those of a problem's words that few entries have."""
_STATE_SECTION = "project state"


def block(  # noqa: PLR0913 - what the block is made from
    project: Project,
    index: Index,
    today: date,
    due: Sequence[Reminder],
    problems: Sequence[str],
    *,
    muted: tuple[str, ...] = (),
) -> str:
    """The body of the context block for the memory as indexed, on the day ``today``.

    One without ``muted`` tags is for a session alone; what stands in files holds everything.
    """
    settings = project.settings
    budget = settings.context_budget_tokens
    if muted:
        return context.render(_material(index, due, problems, muted), budget)
    said = hashlib.blake2b(repr(([one.told for one in due], *problems)).encode()).hexdigest()[:16]
    key = "|".join((index.meta("generation"), today.isoformat(), str(budget), said))
    return _kept(index, "block", key, lambda: _material(index, due, problems), budget)


def tracked_block(project: Project, index: Index) -> str:
    """The body of the block in a file that git tracks: a function of tracked memory alone.

    What changes with the day, the session or the clone is left to :func:`block`.
    """
    budget = project.settings.context_budget_tokens
    key = "|".join((index.meta("generation"), str(budget)))
    return _kept(
        index, "tracked-block", key, lambda: _lasting(index, Filter(families=TRACKED)), budget
    )


def _kept(
    index: Index, name: str, key: str, made: Callable[[], context.Material], budget: int
) -> str:
    """A body that was rendered for ``key`` before, or is now."""
    if index.meta(f"{name}-key") == key:
        return index.meta(name)
    body = context.render(made(), budget)
    with index.writing():
        index.note(f"{name}-key", key)
        index.note(name, body)
    return body


def _material(
    index: Index, due: Sequence[Reminder], problems: Sequence[str], muted: tuple[str, ...] = ()
) -> context.Material:
    shared = Filter(families=SHARED, muted=muted)
    first, last = index.days(SHARED)
    counts = index.counts("family")
    return replace(
        _lasting(index, shared),
        entries=sum(counts.get(family, 0) for family in SHARED),
        first=first.isoformat() if first else "",
        last=last.isoformat() if last else "",
        due=[one.told for one in due],
        recent=_recent(index, shared, last),
        warnings=[f"! {problem}" for problem in problems],
    )


def _lasting(index: Index, which: Filter) -> context.Material:
    """The entries of the block, which change only when memory does."""
    return context.Material(
        state=_state(index, replace(which, families=("memory",))),
        decisions=_newest(index, which, Kind.DECISION),
        loops=open_loops(index, which),
        gotchas=_newest(index, which, Kind.GOTCHA),
        latest=next(iter(_newest(index, which, Kind.PROGRESS, Kind.TODO, limit=1)), None),
    )


def _newest(index: Index, which: Filter, *kinds: Kind, limit: int = _MOST) -> list[Entry]:
    return index.entries(replace(which, kinds=kinds), newest_first=True, limit=limit)


def _recent(index: Index, which: Filter, last: date | None) -> list[tuple[str, int]]:
    if last is None:
        return []
    counts: dict[str, int] = {}
    for entry in index.entries(replace(which, since=last)):
        counts[entry.kind.value] = counts.get(entry.kind.value, 0) + 1
    return sorted(counts.items(), key=lambda row: (-row[1], row[0]))


def _state(index: Index, which: Filter) -> list[Entry]:
    stated = index.entries(replace(which, section=_STATE_SECTION), limit=_MOST)
    goals = _newest(index, which, Kind.GOAL, limit=3)
    return [*stated, *(goal for goal in goals if goal not in stated)]


def open_loops(index: Index, which: Filter) -> list[Entry]:
    """Problems, blockers and todos that nothing later resolves, newest first."""
    candidates = _newest(index, which, *_LOOPS, limit=_CANDIDATES)
    waiting = [
        entry
        for entry in candidates
        if entry.status is not Status.RESOLVED and not is_resolved(index, entry, which.families)
    ]
    return waiting[:_MOST]


def is_resolved(index: Index, problem: Entry, families: tuple[str, ...] = SHARED) -> bool:
    """Whether a later entry of ``families`` says that ``problem`` is fixed."""
    terms = query_terms(problem.text)
    which = Filter(kinds=_FIXES, families=families)
    fixes = index.match(terms, which, limit=12, postings=_POSTINGS)
    return any(_is_later(fix, problem) and parser.resolves(fix, problem) for fix, _ in fixes)


def _is_later(fix: Entry, problem: Entry) -> bool:
    if fix.source == problem.source and fix.line and problem.line:
        return fix.line > problem.line
    return bool(fix.date and problem.date and fix.date >= problem.date)


def targets(project: Project) -> list[Path]:
    """Files that carry the block: those of the settings, else the one an agent would read.

    CLAUDE.md, unless only AGENTS.md exists: a new CLAUDE.md would switch AGENTS.md off in Claude
    Code. The user's own memory has none. One that leads out of the repository is left out.
    """
    return [path for path in named_targets(project) if files.is_inside(path, project.boundary)]


def named_targets(project: Project) -> list[Path]:
    """As :func:`targets`, with those that lead out of the repository."""
    if project.is_own:
        return []
    named = project.settings.context_targets
    if named:
        return [project.root / name for name in named]
    claude, agents = project.root / "CLAUDE.md", project.root / "AGENTS.md"
    return [agents if agents.is_file() and not claude.is_file() else claude]


def refused_targets(project: Project) -> list[str]:
    """Problems with files that would carry the block, but lead out of the repository."""
    refused: list[str] = []
    for path in named_targets(project):
        try:
            files.check(path, project.boundary)
        except LeadsOutside as error:
            refused.append(str(error))
    return refused


@dataclass(frozen=True, slots=True)
class Bodies:
    """What the block says: in files that git tracks, and in others and answers."""

    tracked: str
    own: str


def is_tracked(project: Project, path: Path) -> bool:
    """Whether git tracks a target, or would with the next ``git add``."""
    real = os.path.realpath(path)
    folder, name = os.path.split(real)
    if not gitindex.worktree(folder)[0]:
        return False
    if gitindex.tracked(folder, (name,)):
        return True
    return ask(project.root, "check-ignore", "-q", "--", real).status != 0


def refresh_targets(project: Project, bodies: Bodies) -> tuple[list[str], list[str]]:
    """Put what the block says into every target that has one.

    A target without a block is left alone: ``mind init`` adds it, and whoever removed it meant it.

    Returns:
        Files changed, and problems with their remedies.
    """
    changed: list[str] = []
    problems = refused_targets(project)
    for path in targets(project):
        name = path.name if path.parent == project.root else project.relative(path)
        try:
            source = files.read(path)
            if context.block_span(source) is None:
                continue
            files.decode(source, path)
            body = bodies.tracked if is_tracked(project, path) else bodies.own
            if files.edit(path, partial(context.place, body=body)):
                changed.append(name)
        except MindError as error:
            problems.append(f"{name}: {error}")
    return changed, problems
