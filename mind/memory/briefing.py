"""The context block: chosen from the index, rendered once per change of memory."""

import contextlib
import hashlib
import json
import os
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

from mind.documents import context_block, parser
from mind.documents.context_block import Block, Material
from mind.documents.reminders import Reminder
from mind.domain.entry import Entry, Kind, Status, unnumbered
from mind.domain.errors import FileError, LeadsOutside, MindError
from mind.memory import verdicts
from mind.ranking import heat
from mind.sources.git.repository import ask
from mind.storage import files, gitindex, journal
from mind.storage.index import Filter, Index
from mind.storage.project import Project
from mind.text import secrets
from mind.text.terms import query_terms, terms

SHARED = ("memory", "comments", "commits")
"""Families of entries that are not one machine's, as those of SESSION.md are."""

TRACKED = ("memory",)
"""The family that a block in a tracked file is made from: the others differ by branch and clone."""

KNOWLEDGE = {
    context_block.REJECTED: Kind.REJECTED,
    context_block.DECISIONS: Kind.DECISION,
    context_block.LEARNED: Kind.LEARNING,
    context_block.GOTCHAS: Kind.GOTCHA,
}
"""Sections that are complete wherever they fit the budget."""

_LOOPS = (Kind.PROBLEM, Kind.BLOCKER, Kind.TODO)
_FIXES = (Kind.PROGRESS, Kind.LEARNING, Kind.DECISION)
_PASSING = (Kind.NOTE, Kind.EXPERIENCE, Kind.ASSUMPTION)
_MOST = 25
_MOST_KNOWN = 300
"""More lines of one section than any budget has room for."""
_CANDIDATES = 40
_MOST_OMITTED = 40
_POSTINGS = 200
"""A fix is looked for by those of a problem's words that few entries have."""
_LATELY = timedelta(days=2)
_STATE_SECTION = "project state"
_WEIGHTY = ("pinned", "importance")
_NEXT = re.compile(r"\W*next(?: steps?| up)?\W*:", re.IGNORECASE)
_SAID = 0.7
"""Confidence from which the file itself says that an entry is progress; bullets are guessed."""
_ROUTINE = frozenset(
    terms(
        "bump update upgrade refresh pin dependency dependencies deps package packages version "
        "versions lock lockfile format reformat lint linter typo typos whitespace merge branch "
        "release rebase clean cleanup up tidy readme changelog ci minor misc bumped updated "
        "upgraded formatted linted fixed merged released cleaned"
    )
)
"""Terms of maintenance: progress that has no others says nothing of where work stands."""


def block(
    project: Project,
    index: Index,
    due: Sequence[Reminder],
    problems: Sequence[str],
    *,
    muted: tuple[str, ...] = (),
) -> Block:
    """The context block for the memory as indexed.

    One without ``muted`` tags is for a session alone; what stands in files holds everything.
    """
    budget = project.settings.context_budget_tokens

    def own() -> Material:
        material = _lasting(index, Filter(families=SHARED, muted=muted), contradicted=True)
        return {
            **material,
            context_block.WARNINGS: problems,
            context_block.REMINDERS: [f"{one.told} ({one.id})" for one in due],
            context_block.SESSION: index.entries(Filter(families=("session",))),
        }

    if muted:
        return _rendered(index, own(), budget)
    said = repr(([(one.told, one.id) for one in due], *problems))
    digest = hashlib.blake2b(said.encode("utf-8", "replace")).hexdigest()[:16]
    key = "|".join((index.meta("generation"), index.meta("events"), str(budget), digest))
    return _kept(index, "block", key, own, budget)


def tracked_block(project: Project, index: Index) -> Block:
    """The block in a file that git tracks: a function of tracked memory alone.

    What changes with the day, the session or the clone is left to :func:`block`.
    """
    budget = project.settings.context_budget_tokens
    key = "|".join((index.meta("generation"), str(budget)))
    which = Filter(families=TRACKED)
    return _kept(index, "tracked-block", key, lambda: _lasting(index, which), budget, TRACKED)


def last(index: Index) -> "Bodies":
    """The blocks as they were rendered last; empty if none was."""
    tracked, own = (Block(index.meta(name), frozenset()) for name in ("tracked-block", "block"))
    return Bodies(tracked, own)


def _kept(  # noqa: PLR0913, PLR0917 - what it is called, and what it is made from
    index: Index,
    name: str,
    key: str,
    made: Callable[[], Material],
    budget: int,
    families: tuple[str, ...] = (),
) -> Block:
    """A block that was rendered for ``key`` before, or is now."""
    if index.meta(f"{name}-key") == key:
        return Block(index.meta(name), frozenset(json.loads(index.meta(f"{name}-shown"))))
    block = _rendered(index, made(), budget, families)
    index.keep(
        {
            f"{name}-key": key,
            name: block.body,
            f"{name}-shown": json.dumps(sorted(block.shown)),
        }
    )
    return block


def _rendered(
    index: Index, material: Material, budget: int, families: tuple[str, ...] = ()
) -> Block:
    """The block, with the rejections of ``families`` that decisions go against."""
    decided = [one for one in material.get(context_block.DECISIONS, ()) if isinstance(one, Entry)]
    return context_block.render(material, budget, verdicts.despite(index, decided, families))


def _lasting(index: Index, which: Filter, *, contradicted: bool = False) -> Material:
    """The entries of the block that change only when memory does.

    Args:
        index: Current.
        which: From these.
        contradicted: Leave out what this machine's usage log says is wrong.
    """
    state = _state(index, replace(which, families=TRACKED))
    known = {title: _weighed(index, which, kind) for title, kind in KNOWLEDGE.items()}
    pinned = [one for one in _weighty(index, which, *_PASSING) if heat.is_pinned(one)]
    known[context_block.LEARNED] = [*pinned, *known[context_block.LEARNED]]
    latest = _continue_from(index, replace(which, families=TRACKED))
    sections = {
        context_block.STATE: state, **known, context_block.LOOPS: open_loops(index, which),
        context_block.CONTINUE: latest,
    }  # fmt: skip
    entries = [one for some in sections.values() for one in some]
    gone = verdicts.outdated(index, entries, which.families, contradicted=contradicted)
    return _each_once(sections, gone)


def _each_once(
    sections: Mapping[str, Sequence[Entry]], gone: Collection[str]
) -> dict[str, list[Entry]]:
    """The sections, an entry or a repeat of it in the first of them alone."""
    seen = set(gone)
    found: dict[str, list[Entry]] = {}
    for title, entries in sections.items():
        new: list[Entry] = []
        for one in entries:
            if one.id not in seen and unnumbered(one.id) not in seen:
                new.append(one)
                seen |= {one.id, unnumbered(one.id)}
        found[title] = new
    return found


def _weighed(index: Index, which: Filter, kind: Kind) -> list[Entry]:
    """Entries of a kind: pinned ones, then by importance, then newest first."""
    newest = _newest(index, which, kind, limit=_MOST_KNOWN)
    ids = {one.id for one in newest}
    older = [one for one in _weighty(index, which, kind) if one.id not in ids]
    return sorted([*newest, *older], key=_lightness)


def _weighty(index: Index, which: Filter, *kinds: Kind) -> list[Entry]:
    return sorted(index.saying(replace(which, kinds=kinds), *_WEIGHTY), key=_lightness)


def _lightness(entry: Entry) -> tuple[bool, float]:
    return not heat.is_pinned(entry), -heat.importance(entry)


def _newest(index: Index, which: Filter, *kinds: Kind, limit: int = _MOST) -> list[Entry]:
    return index.entries(replace(which, kinds=kinds), newest_first=True, limit=limit)


def current(index: Index) -> list[Entry]:
    """All entries but those that another one outdates or that somebody contradicted."""
    which = Filter(families=SHARED)
    entries = index.entries(which)
    gone = verdicts.outdated(index, entries, SHARED)
    return [one for one in entries if one.id not in gone]


def omitted(index: Index, shown: Block, work: str, *, muted: tuple[str, ...] = ()) -> list[Entry]:
    """Return what the block has no room for: nearest to ``work`` first, then what was used most.

    Args:
        index: Current.
        shown: The block that the agent has.
        work: Texts that tell what is being worked on; "" if nothing does.
        muted: Tags that the session does not want to see.
    """
    which = Filter(families=SHARED, muted=muted)
    kinds = tuple(KNOWLEDGE.values())
    near = index.match(query_terms(work), replace(which, kinds=kinds), limit=_MOST_OMITTED)
    uses = index.usage.days()
    known = [one for kind in kinds for one in _weighed(index, which, kind)]
    known.sort(key=lambda one: (*_lightness(one), -len(uses.get(one.id, ()))))
    found = {"": [*(one for one, _ in near), *known, *open_loops(index, which)]}
    gone = verdicts.outdated(index, found[""], SHARED) | shown.shown
    return _each_once(found, gone)[""][:_MOST_OMITTED]


def work(project: Project, noted: Sequence[Entry], now: datetime) -> str:
    """Return the work under way: the notes of the session, and the files edited last."""
    edits = list[str]()
    with contextlib.suppress(FileError):
        happened = journal.latest(project.events, "edit", now - _LATELY)
        edits = [str(one.data.get("path", "")) for one in happened]
    lately = dict.fromkeys(edits[::-1])
    return "\n".join([*(one.text for one in noted), *list(lately)[:_MOST]])


def _state(index: Index, which: Filter) -> list[Entry]:
    stated = index.entries(replace(which, section=_STATE_SECTION), limit=_MOST)
    goals = _newest(index, which, Kind.GOAL, limit=3)
    return [*stated, *(goal for goal in goals if goal not in stated)]


def _continue_from(index: Index, which: Filter) -> list[Entry]:
    """The newest ``Next:``, or progress that is more than maintenance."""
    kinds = (Kind.PROGRESS, Kind.TODO, Kind.NOTE)
    found = [
        one
        for one in _newest(index, which, *kinds)
        if _NEXT.match(one.text) or (one.kind is Kind.PROGRESS and not is_routine(one.text))
    ]
    said = [one for one in found if one.confidence >= _SAID or _NEXT.match(one.text)]
    latest = [one for one in said or found if one.date == (said or found)[0].date]
    return [next((one for one in latest if _NEXT.match(one.text)), latest[0])] if latest else []


def is_routine(text: str) -> bool:
    """Return whether a text tells of maintenance alone: "Bumped dependencies"."""
    told = query_terms(text)
    return all(one in _ROUTINE or one.isdigit() for one in told)


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
    """Return whether a later entry of ``families`` says that ``problem`` is fixed."""
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
            refused.append(secrets.mask(str(error)))
    return refused


@dataclass(frozen=True, slots=True)
class Bodies:
    """Texts of the block: in files that git tracks, and in others and answers."""

    tracked: Block
    own: Block


@dataclass(frozen=True, slots=True)
class Placed:
    """The outcome for the files that carry the block.

    Attributes:
        changed: Those that a call changed.
        same: Those that held the same block already, for a client to read.
        problems: With their remedies.
    """

    changed: tuple[str, ...] = ()
    same: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


def is_tracked(project: Project, path: Path) -> bool:
    """Return whether git tracks a target, or would with the next ``git add``."""
    real = os.path.realpath(path)
    folder, name = os.path.split(real)
    if not gitindex.worktree(folder)[0]:
        return False
    if gitindex.tracked(folder, (name,)):
        return True
    return ask(project.root, "check-ignore", "-q", "--", real).status != 0


def refresh_targets(project: Project, bodies: Bodies) -> Placed:
    """Put what the block says into every target that has one.

    A target without a block is left alone: ``mind init`` adds it, and whoever removed it meant it.
    """
    changed, same = list[str](), list[str]()
    problems = refused_targets(project)
    for path in targets(project):
        name = path.name if path.parent == project.root else project.relative(path)
        try:
            source = files.read(path)
            if context_block.block_span(source) is None:
                continue
            files.decode(source, path)
            block = bodies.tracked if is_tracked(project, path) else bodies.own
            is_new = files.edit(path, partial(context_block.place, body=block.body))
            (changed if is_new else same).append(name)
        except MindError as error:
            problems.append(secrets.mask(f"{name}: {error}"))
    return Placed(tuple(changed), tuple(same), tuple(problems))
