"""What the context block says: gathered from the index, rendered once per change and day."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

from mind import context, files, parser
from mind.entry import Entry, Kind, Status
from mind.errors import MindError
from mind.index import Filter, Index
from mind.project import Project
from mind.reminders import Reminder
from mind.terms import query_terms

SHARED = ("memory", "comments", "commits")
"""Families the block is made from: SESSION.md is one machine's, the block is everyone's."""

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
    key = "|".join((
        index.meta("generation"),
        today.isoformat(),
        str(budget),
        hashlib.blake2b(repr(([one.text for one in due], *problems)).encode()).hexdigest()[:16],
    ))  # fmt: skip
    if index.meta("block-key") == key:
        return index.meta("block")
    body = context.render(_material(index, due, problems), budget)
    with index.writing():
        index.note("block-key", key)
        index.note("block", body)
    return body


def _material(
    index: Index, due: Sequence[Reminder], problems: Sequence[str], muted: tuple[str, ...] = ()
) -> context.Material:
    shared = Filter(families=SHARED, muted=muted)
    first, last = index.days(SHARED)
    counts = index.counts("family")
    return context.Material(
        entries=sum(counts.get(family, 0) for family in SHARED),
        first=first.isoformat() if first else "",
        last=last.isoformat() if last else "",
        due=[one.text for one in due],
        recent=_recent(index, shared, last),
        state=_state(index, replace(shared, families=("memory",))),
        decisions=_newest(index, shared, Kind.DECISION),
        loops=open_loops(index, shared),
        gotchas=_newest(index, shared, Kind.GOTCHA),
        latest=next(iter(_newest(index, shared, Kind.PROGRESS, Kind.TODO, limit=1)), None),
        warnings=[f"! {problem}" for problem in problems],
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
        if entry.status is not Status.RESOLVED and not is_resolved(index, entry)
    ]
    return waiting[:_MOST]


def is_resolved(index: Index, problem: Entry) -> bool:
    """Whether a later entry of memory says that ``problem`` is fixed."""
    terms = query_terms(problem.text)
    fixes = index.match(terms, Filter(kinds=_FIXES, families=SHARED), limit=12, postings=_POSTINGS)
    return any(_is_later(fix, problem) and parser.resolves(fix, problem) for fix, _ in fixes)


def _is_later(fix: Entry, problem: Entry) -> bool:
    if fix.source == problem.source and fix.line and problem.line:
        return fix.line > problem.line
    return bool(fix.date and problem.date and fix.date >= problem.date)


def targets(project: Project) -> list[Path]:
    """Files that carry the block: those of the settings, else the one an agent would read.

    CLAUDE.md, unless only AGENTS.md exists: a new CLAUDE.md would switch AGENTS.md off in Claude
    Code. The user's own memory has none.
    """
    if project.is_own:
        return []
    named = project.settings.context_targets
    if named:
        return [project.root / name for name in named]
    claude, agents = project.root / "CLAUDE.md", project.root / "AGENTS.md"
    return [agents if agents.is_file() and not claude.is_file() else claude]


def refresh_targets(project: Project, body: str) -> tuple[list[str], list[str]]:
    """Put ``body`` into the block of every target that has one.

    A target without a block is left alone: ``mind init`` adds it, and whoever removed it meant it.

    Returns:
        Files changed, and problems with their remedies.
    """
    changed: list[str] = []
    problems: list[str] = []
    for path in targets(project):
        name = path.name if path.parent == project.root else project.relative(path)
        try:
            source = files.read(path)
            if context.block_span(source) is None:
                continue
            files.decode(source, path)
            if files.edit(path, lambda now_there: context.place(now_there, body)):
                changed.append(name)
        except MindError as error:
            problems.append(f"{name}: {error}")
    return changed, problems
