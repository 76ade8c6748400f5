"""The context block: selected from the index, rendered once per change of memory."""

import contextlib
import hashlib
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mind.documents import context_block
from mind.documents.context_block import ContextBlock, Material
from mind.documents.reminders import Reminder
from mind.domain.entry import (
    Entry,
    Kind,
    Status,
    importance,
    is_pinned,
    unnumbered,
)
from mind.domain.errors import FileError, LeadsOutside, MindError
from mind.memory import verdicts
from mind.search import supersession
from mind.sources.git.repository import ask
from mind.storage import events, files, gitindex
from mind.storage.index import Filter, Index
from mind.storage.project import Project
from mind.text import lazy_pattern, secrets
from mind.text.terms import query_terms, terms

if TYPE_CHECKING:
    from mind.memory.workspace import Workspace

SHARED = ("memory", "comments", "commits")
"""Families of shared entries, unlike those of SESSION.md, which belong to one machine."""

TRACKED = ("memory",)
"""Families in the block of a tracked file; the others differ by branch and clone."""

KNOWLEDGE = {one.title: one.kind for one in context_block.SECTIONS if one.kind}
"""Sections that list all entries of a kind if the budget allows, in their order."""

_LOOPS = tuple(kind for kind in Kind if kind.traits.has_status)
_WARNING = (Kind.REJECTED, Kind.GOTCHA)
_UNLISTED = (Kind.NOTE, Kind.EXPERIENCE, Kind.ASSUMPTION)
"""Kinds without a section; pinned entries of them are listed with what was learned."""
_MOST = 25
_MOST_KNOWN = 300
"""Lines of one section that exceed any usual budget."""
_CANDIDATES = 40
_MOST_OMITTED = 40
_AT_ONCE, _MOST_COMPARED = 8, 1_000
"""Entries that are checked before it is known whether more are needed; of all, at most."""
_LATELY = timedelta(days=2)
_STATE_SECTION = "project state"
_WEIGHTY = ("pinned", "importance")
_NEXT = lazy_pattern(r"\W*next(?: steps?| up)?\W*:", re.IGNORECASE)
_SAID = 0.7
"""Minimum confidence of explicit progress; the kind of plain bullets is guessed."""
_ROUTINE = frozenset(
    terms(
        "bump update upgrade refresh pin dependency dependencies deps package packages version "
        "versions lock lockfile format reformat lint linter typo typos whitespace merge branch "
        "release rebase clean cleanup up tidy readme changelog ci minor misc bumped updated "
        "upgraded formatted linted fixed merged released cleaned"
    )
)
"""Maintenance terms: progress with no other terms says nothing about the state of work."""


class Selected(NamedTuple):
    """Content of a block.

    Attributes:
        material: The entries and lines to choose from.
        unread: Titles of sections that have further entries.
        of: What the block lists, if it lists all of them; "" if the material is not all.
    """

    material: Material
    unread: frozenset[str]
    of: str


def block(
    project: Project,
    index: Index,
    due: Sequence[Reminder],
    problems: Sequence[str],
    *,
    muted: tuple[str, ...] = (),
) -> ContextBlock:
    """Return the context block of the indexed memory.

    A block with ``muted`` tags left out is only for one session; blocks in files contain all.
    """
    budget = project.settings.context_budget_tokens

    def own() -> Selected:
        which = Filter(families=SHARED, muted=muted)
        material, unread = _lasting(index, which, contradicted=True)
        of = "" if problems or muted else context_block.OF_ALL
        found = {
            **material,
            context_block.WARNINGS: problems,
            context_block.REMINDERS: [f"{one.told} ({one.id})" for one in due],
            context_block.SESSION: [
                one
                for one in index.entries(Filter(families=("session",)))
                if one.status is not Status.RESOLVED
            ],
        }
        return Selected(found, unread, of)

    if muted:
        return _rendered(index, own(), budget)
    said = repr(([(one.told, one.id) for one in due], *problems))
    digest = hashlib.blake2b(said.encode("utf-8", "replace")).hexdigest()[:16]
    key = "|".join((index.meta("generation"), index.meta("events"), str(budget), digest))
    return _kept(index, "block", key, own, budget)


def tracked_block(project: Project, index: Index) -> ContextBlock:
    """Return the block for files that git tracks: a function of tracked memory alone.

    Parts that depend on the day, the session or the clone are only in :func:`block`.
    """
    budget = project.settings.context_budget_tokens
    key = "|".join((index.meta("generation"), str(budget)))
    which = Filter(families=TRACKED)

    def own() -> Selected:
        return Selected(*_lasting(index, which), context_block.OF_FILE)

    return _kept(index, "tracked-block", key, own, budget, TRACKED)


def last(index: Index) -> "Bodies":
    """Return the last rendered blocks; empty if none was rendered."""
    tracked, own = (
        ContextBlock(index.meta(name), frozenset()) for name in ("tracked-block", "block")
    )
    return Bodies(tracked, own)


def _kept(  # noqa: PLR0913, PLR0917 - what it is called, and what it is made from
    index: Index,
    name: str,
    key: str,
    made: Callable[[], Selected],
    budget: int,
    families: tuple[str, ...] = (),
) -> ContextBlock:
    """Return the block cached for ``key``, else render it."""
    if index.meta(f"{name}-key") == key:
        return ContextBlock(index.meta(name), frozenset(json.loads(index.meta(f"{name}-shown"))))
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
    index: Index, made: Selected, budget: int, families: tuple[str, ...] = ()
) -> ContextBlock:
    """Return the block, with the rejections of ``families`` that decisions contradict."""

    def despite(decision: Entry) -> Sequence[Entry]:
        return verdicts.despite(index, [decision], families).get(decision.id, ())

    return context_block.render(made.material, budget, despite, unread=made.unread, of=made.of)


def _lasting(
    index: Index, which: Filter, *, contradicted: bool = False
) -> tuple[Material, frozenset[str]]:
    """Return the block's entries that change only when memory does, and unread sections.

    Args:
        index: The index, up to date.
        which: Filter of entries to choose from.
        contradicted: Leave out entries contradicted in this machine's usage log.
    """
    known = {title: list(_weighed(index, which, kind)) for title, kind in KNOWLEDGE.items()}
    unread = frozenset(title for title, found in known.items() if len(found) >= _MOST_KNOWN)
    pinned = [one for one in _weighty(index, which, *_UNLISTED) if is_pinned(one.fields)]
    known[context_block.LEARNED] = [*pinned, *known[context_block.LEARNED]]
    tracked = replace(which, families=TRACKED)
    sections = {
        context_block.STATE: _state(index, tracked), **known,
        context_block.LOOPS: open_loops(index, which),
        context_block.CONTINUE: _continue_from(index, tracked),
    }  # fmt: skip
    outdated = _check(index, which.families, contradicted=contradicted)
    copies = _copies(chain.from_iterable(sections.values()))
    material: dict[str, Iterator[Entry]] = {}
    waiting = {*copies}
    for title, entries in sections.items():  # each entry, or copy of it, in the first of them
        new = [one for one in _copies(entries) if one in waiting]
        waiting.difference_update(new)
        material[title] = _current(new, copies, outdated)
    return material, unread


def _check(
    index: Index, families: tuple[str, ...], *, contradicted: bool = True
) -> Callable[[Sequence[Entry]], dict[str, date | None]]:
    """Return :func:`verdicts.outdated` for several calls on the same index."""
    return partial(
        verdicts.outdated,
        index,
        families=families,
        contradicted=contradicted,
        linked=supersession.links(index, families),
    )


def _copies(entries: Iterable[Entry]) -> dict[str, list[Entry]]:
    """Return the entries by what their copies share, without those struck through."""
    found: dict[str, list[Entry]] = {}
    for one in entries:
        if not one.is_struck:
            found.setdefault(_shared(one), []).append(one)
    return found


def _current(
    ids: Iterable[str],
    copies: Mapping[str, Sequence[Entry]],
    outdated: Callable[[Sequence[Entry]], Mapping[str, date | None]],
) -> Iterator[Entry]:
    """Yield the first copy of each entry that is not outdated.

    Each check takes a millisecond or more, and a large memory has thousands of entries. Copies
    are checked together: a link names only one of them.
    """
    rest = iter(ids)
    while some := [copies[one] for one in islice(rest, _AT_ONCE)]:
        replaced = outdated([*chain.from_iterable(some)])
        yield from (group[0] for group in some if not _is_replaced(group, replaced))


def _is_replaced(copies: Sequence[Entry], replaced: Mapping[str, date | None]) -> bool:
    """Return whether copies of an entry are outdated: unless it was said again after that."""
    days = [replaced[one.id] for one in copies if one.id in replaced]
    latest = max((one.date for one in copies if one.date and one.id not in replaced), default=None)
    return bool(days) and not (latest and all(day and day < latest for day in days))


def _shared(entry: Entry) -> str:
    """Return what an entry shares with its copies: those that say the same of the same thing.

    To reject something is the opposite of all else that the same words may say of it.
    """
    stance = Kind.REJECTED.value if entry.kind is Kind.REJECTED else ""
    return f"{stance} {unnumbered(entry.id)}"


def _weighed(index: Index, which: Filter, kind: Kind) -> list[Entry]:
    """Return entries of a kind: pinned ones first, then by importance, then newest first."""
    newest = _newest(index, which, kind, limit=_MOST_KNOWN)
    ids = {one.id for one in newest}
    older = [one for one in _weighty(index, which, kind) if one.id not in ids]
    return sorted([*newest, *older], key=_lightness)


def _weighty(index: Index, which: Filter, *kinds: Kind) -> list[Entry]:
    return sorted(index.saying(replace(which, kinds=kinds), *_WEIGHTY), key=_lightness)


def _lightness(entry: Entry) -> tuple[bool, float]:
    """Return a sort key: pinned first, then by importance."""
    return not is_pinned(entry.fields), -importance(entry.fields)


def _newest(index: Index, which: Filter, *kinds: Kind, limit: int = _MOST) -> list[Entry]:
    return index.entries(replace(which, kinds=kinds), newest_first=True, limit=limit)


def current(at: "Workspace") -> list[Entry]:
    """Return all entries that are not superseded, contradicted or struck, with those of sessions.

    Each comparison of texts takes a millisecond or two, and hooks wait for all of them: in a large
    memory only links tell what is superseded.
    """
    index, families = at.refreshed(), (*SHARED, "session")
    entries = index.entries(Filter(families=families))
    if len(entries) <= _MOST_COMPARED:
        gone = set(verdicts.outdated(index, entries, families))
    else:
        gone = {*supersession.links(index, families), *verdicts.disputes(index, entries)}
    return [one for one in entries if one.id not in gone and not one.is_struck]


def omitted(
    index: Index, shown: ContextBlock, work: str, *, muted: tuple[str, ...] = ()
) -> tuple[list[Entry], bool]:
    """Return entries the block has no room for: closest to ``work`` first, then the most used.

    The second value is True if these and the block have all entries of the kinds in KNOWLEDGE.

    Args:
        index: The index, up to date.
        shown: The block that the agent has.
        work: Texts about the current work; "" if none.
        muted: Tags muted in the session.
    """
    which = Filter(families=SHARED, muted=muted)
    kinds = tuple(KNOWLEDGE.values())
    near = _near(index, query_terms(work), replace(which, kinds=kinds))
    uses = index.usage.days()
    known = [one for kind in kinds for one in _weighed(index, which, kind)]
    known.sort(key=lambda one: (*_lightness(one), -len(uses.get(one.id, ()))))
    found = [*near, *known, *open_loops(index, which)]
    listed = index.entries(Filter(ids=tuple(shown.shown))) if shown.shown else []
    said = {_shared(one) for one in listed}
    copies = _copies(one for one in found if _shared(one) not in said)
    left = list(islice(_current(copies, copies, _check(index, SHARED)), _MOST_OMITTED + 1))
    return left[:_MOST_OMITTED], len(left) <= _MOST_OMITTED and len(known) < _MOST_KNOWN


def _near(index: Index, terms: Sequence[str], which: Filter) -> Iterator[Entry]:
    """Yield the entries closest to the work: two that warn for each of any kind.

    What must not be done cannot be seen in the code, and nobody searches for it.
    """
    every, warning = (
        (one for one, _ in index.match(terms, replace(which, kinds=kinds), limit=_MOST_OMITTED))
        for kinds in (which.kinds, _WARNING)
    )
    for one in every:
        yield one
        yield from islice(warning, 2)
    yield from warning


def work(project: Project, noted: Sequence[Entry], now: datetime) -> str:
    """Return texts about the current work: the session's notes and the last edited files."""
    edits = list[str]()
    with contextlib.suppress(FileError):
        happened = events.latest(project.events, "edit", now - _LATELY)
        edits = [str(one.data.get("path", "")) for one in happened]
    lately = dict.fromkeys(edits[::-1])
    return "\n".join([*(one.text for one in noted), *list(lately)[:_MOST]])


def _state(index: Index, which: Filter) -> list[Entry]:
    """Return the goals, wherever they are, then the rest of the section Project State."""
    stated = index.entries(replace(which, section=_STATE_SECTION), limit=_MOST)
    goals = _newest(index, which, Kind.GOAL, limit=3)
    found = [*stated, *(goal for goal in goals if goal not in stated)]
    return sorted(found, key=lambda one: one.kind is not Kind.GOAL)


def _continue_from(index: Index, which: Filter) -> list[Entry]:
    """Return the newest ``Next:`` entry, else progress beyond maintenance."""
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
    """Return whether a text is only about maintenance: "Bumped dependencies"."""
    told = query_terms(text)
    return all(one in _ROUTINE or one.isdigit() for one in told)


def open_loops(index: Index, which: Filter) -> list[Entry]:
    """Return problems, blockers and todos that no later entry resolves: first the blocked ones."""
    candidates = _newest(index, which, *_LOOPS, limit=_CANDIDATES)
    waiting = [
        entry
        for entry in candidates
        if entry.status is not Status.RESOLVED
        and not verdicts.is_resolved(index, entry, which.families)
    ]
    return sorted(waiting, key=lambda one: one.status is not Status.BLOCKED)[:_MOST]


def targets(project: Project) -> list[Path]:
    """Return the files that contain the block: those in the settings, else the agent's file.

    The default is CLAUDE.md, unless only AGENTS.md exists: a new CLAUDE.md would make Claude Code
    ignore AGENTS.md. The user's own memory has none. Links out of the repository are left out.
    """
    return [path for path in named_targets(project) if files.is_inside(path, project.boundary)]


def named_targets(project: Project) -> list[Path]:
    """Return :func:`targets`, including links out of the repository."""
    if project.is_own:
        return []
    named = project.settings.context_targets
    if named:
        return [project.root / name for name in named]
    claude, agents = project.root / "CLAUDE.md", project.root / "AGENTS.md"
    return [agents if agents.is_file() and not claude.is_file() else claude]


def refused_targets(project: Project) -> list[str]:
    """Return problems of target files that are links out of the repository."""
    refused: list[str] = []
    for path in named_targets(project):
        try:
            files.check(path, project.boundary)
        except LeadsOutside as error:
            refused.append(secrets.mask(str(error)))
    return refused


@dataclass(frozen=True, slots=True)
class Bodies:
    """Texts of the block: for files that git tracks, and for other files and answers."""

    tracked: ContextBlock
    own: ContextBlock


@dataclass(frozen=True, slots=True)
class Placed:
    """The result of updating the target files.

    Attributes:
        changed: Files that were changed.
        same: Files that already contained the same block.
        problems: Problems with their remedies.
    """

    changed: tuple[str, ...] = ()
    same: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


def is_tracked(project: Project, path: Path) -> bool:
    """Return whether git tracks a target file, or would after ``git add``."""
    real = os.path.realpath(path)
    folder, name = os.path.split(real)
    if not gitindex.worktree(folder)[0]:
        return False
    if gitindex.tracked(folder, (name,)):
        return True
    return ask(project.root, "check-ignore", "-q", "--", real).status != 0


def refresh_targets(project: Project, bodies: Bodies) -> Placed:
    """Update the block in every target file that has one.

    A file without a block is not changed: ``mind init`` adds it, and it may have been removed on
    purpose.
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
