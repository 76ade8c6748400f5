"""Checks of planned work: rejected approaches that are proposed again, and gotchas."""

import contextlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache, partial
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

from mind.documents.reminders import Reminder
from mind.domain.entry import Entry, Kind, normalise
from mind.domain.errors import MindError
from mind.domain.settings import Settings
from mind.memory import context, gotchas, reminders
from mind.memory.answers import CheckResult, Loop
from mind.memory.gotchas import Gotcha, MatchedGotcha
from mind.memory.search import SearchedMemory
from mind.search.semantic import ProjectVectors
from mind.sources.git.repository import spread
from mind.storage import files
from mind.storage.boundary import home
from mind.storage.index import Filter, Index, QueryVector, Rejections
from mind.storage.project import Project
from mind.text.matching import acts
from mind.text.matching.candidates import Row, weights
from mind.text.matching.score import (
    Met,
    affirm,
    doubt,
    least_related,
    likeness,
    matches,
    weigh_meaning,
    words_met,
)
from mind.text.similarity import severity
from mind.text.sourcetext.limited import MatchLimits
from mind.text.terms import query_terms

if TYPE_CHECKING:
    from mind.memory.workspace import Workspace

_MOST, _MOST_RELATED = 3, 2
_SAME, _MEANT, _NEAREST = 1.0, 0.3, 12
"""Score of identical words; minimum cosine of a semantic match, and number of such candidates."""
_WAY_OUT = (
    "Stop and say what is different this time. If nothing is, take another approach, or log the "
    "blocker with mind_blocker."
)
REPEATING = frozenset({Kind.DECISION, Kind.REJECTED, Kind.PROGRESS, Kind.BLOCKER})
"""Kinds of notes that may repeat a rejected approach."""


@dataclass(frozen=True, slots=True)
class Objections:
    """Entries that object to an act.

    Attributes:
        loops: Repeated rejections, best match first, at most three.
        traps: Matching gotchas of the project, with score and matched words.
        related: Entries that may apply, at most two.
    """

    loops: tuple[Loop, ...] = ()
    traps: tuple[tuple[Entry, float, str], ...] = ()
    related: tuple[Entry, ...] = ()


class Plan:
    """Acts about to be done in a project.

    Attributes:
        acts: The acts.
        is_ahead: False for what is done or decided already.
        spread: Returns the number of files of code that have a word, without those that change.

    Args:
        root: Root of the project.
        planned: The acts.
        is_ahead: See above.
    """

    def __init__(self, root: Path, planned: Sequence[acts.Act], *, is_ahead: bool = True) -> None:
        self.acts = planned
        self.is_ahead = is_ahead
        edited = [act.path for act in planned]
        self.spread = cache(lambda word: spread(root, word, edited))


def find(
    project: Project,
    index: Index,
    plan: Plan,
    text: str = "",
    sense: QueryVector | None = None,
) -> Objections:
    """Return earlier rejections that acts repeat.

    Args:
        project: The memory's project, whose settings have the thresholds.
        index: Its index, up to date.
        plan: The acts about to be done, or just rejected.
        text: The text about them; an entry with the same words is a match.
        sense: Embedding of the text, if a model is available.
    """
    # of one index: one that replaces it has no rows before it was asked to prepare them
    return index.sure(partial(_found, project, index, plan, text, sense))


def _found(
    project: Project, index: Index, plan: Plan, text: str, sense: QueryVector | None
) -> Objections:
    known = index.rejections
    known.refresh(project.name)
    best: dict[str, Met] = {}
    near = index.nearest(sense, Filter(), _NEAREST) if sense else []
    candidates = len(known)
    for act in plan.acts:
        met = matches(act, known.compared(act), weights(), candidates)
        doubt(act, met, weights(), plan.spread)
        if near and act.channel in ("prose", "repeat"):
            weigh_meaning(met, _leads(near, met), weights())
        if plan.is_ahead:
            affirm(met, weights(), plan.spread)
        for one in met:
            earlier = best.get(one.row["id"])
            if earlier is None or earlier.score < one.score:
                best[one.row["id"]] = one
    same = known.saying(text) if text else ""
    for row in known.of(same) if same else ():
        best[same] = Met(row, [row["subject"]], {})
        best[same].score = _SAME
    met = sorted(best.values(), key=lambda one: -one.score)
    found = _graded(met, index, project.settings, same, text)
    return replace(found, related=_with_meant(found, known, near))


def _leads(near: Sequence[tuple[Entry, float]], met: Iterable[Met]) -> dict[str, float]:
    """The cosine of each match, less the highest of all other entries."""
    cosines = {entry.id: cosine for entry, cosine in reversed(near)}
    first, second = (*(cosine for _, cosine in near[:2]), 0.0)[:2]
    nearest, farthest = near[0][0].id, near[-1][1]
    return {
        one.row["id"]: cosines.get(one.row["id"], farthest)
        - (second if one.row["id"] == nearest else first)
        for one in met
    }


def _with_meant(
    found: Objections, known: Rejections, near: Sequence[tuple[Entry, float]]
) -> tuple[Entry, ...]:
    """Return at most two related entries, by words, then by meaning.

    By meaning, only entries more similar than every entry that rejects nothing.
    """
    named = {loop.earlier.id for loop in found.loops} | {one.id for one, _, _ in found.traps}
    advising = known.among([entry.id for entry, _ in near])
    first = takewhile(lambda one: one[0].id in advising and one[1] >= _MEANT, near)
    meant = [one for one, _ in first if one.id not in named]
    return tuple({one.id: one for one in (*found.related, *meant)}.values())[:_MOST_RELATED]


def of_note(
    project: Project, index: Index, message: str, kind: Kind, sense: QueryVector | None = None
) -> Objections:
    """Return earlier rejections that a note repeats."""
    if kind not in REPEATING:
        return Objections()
    if kind is not Kind.REJECTED:
        noted = Plan(project.root, [acts.of_prose(message)], is_ahead=False)
        return find(project, index, noted, "", sense)
    plan = Plan(project.root, [acts.of_prose(message, repeats=True)], is_ahead=False)
    found = find(project, index, plan, message, sense)
    same = tuple(one for one in found.loops if one.earlier.kind is kind)  # others agree with it
    return replace(found, loops=same)


def _graded(met: list[Met], index: Index, settings: Settings, same: str, said: str) -> Objections:
    loops: list[Loop] = []
    traps: list[tuple[Entry, float, str]] = []
    related: list[Entry] = []
    table = weights()
    least = least_related(table, len(index.rejections))
    for one in met:
        score = _SAME if one.row["id"] == same else round(likeness(one.score, table), 3)
        level = severity(score, settings)
        earlier = index.get(one.row["id"]) if level or one.score >= least else None
        if earlier is None:
            continue
        words = ", ".join(words_met(one.why, earlier.text, said))
        if level is None:
            related.append(earlier)
        elif one.row["sort"] == "gotcha":
            traps.append((earlier, score, words))
        else:
            loops.append(
                Loop(severity=level, score=score, earlier=earlier, way_out=_WAY_OUT,
                     subject=one.row["subject"], alternative=one.row["instead"], matched=words)
            )  # fmt: skip
    return Objections(tuple(loops[:_MOST]), tuple(traps), tuple(related[:_MOST_RELATED]))


def acts_of_code(code: str) -> list[acts.Act]:
    """Return the acts of code about to be written; for a diff, one per file."""
    if "\n+++ " in code or code.startswith("+++ "):
        return list(acts.of_diff(code))
    return [acts.of_edit("", code)] if code.strip() else []


_DIFF = re.compile(r"^--- [^\n]*\n\+\+\+ [^\n]*\n@@", re.MULTILINE)


def without_memory(project: Project, code: str) -> str:
    """Return a diff without the files of the memory, and those that contain its block."""
    if not _DIFF.search(code):
        return code
    own = project.relative(project.folder)
    blocks = {project.relative(path) for path in context.targets(project)}
    return "".join(
        f"--- a/{path}\n+++ b/{path}{changed}"
        for path, changed in acts.files_of(code)
        if path not in blocks and not path.startswith(f"{own}/")
    )


_MOST_SKIPPED = 5


def check(  # noqa: PLR0913, PLR0917 - the request and its context
    project: Project,
    index: Index,
    meaning: ProjectVectors,
    intent: str,
    code: str = "",
    stack: Sequence[str] = (),
    *,
    now: datetime,
) -> CheckResult:
    """Return gotchas and rejected approaches that match; ``index`` must be up to date.

    ``code`` may be a diff; removed lines are not checked.
    """
    stacks = gotchas.named_stacks(stack, project.root)
    known = _of_project(index, f"{intent} {code}") + gotchas.of_user()
    if project.settings.gotchas_builtin:
        known += gotchas.load_builtin(frozenset(stacks))
    limits = MatchLimits(gotchas.SECONDS)
    found = gotchas.check(intent, code, stacks, known, limits)
    plan = _plan(project, intent, code)
    first = plan.acts[0] if plan.acts else None
    sense = meaning.at_hand(intent, index) if first and not first.is_silent else None
    back = find(project, index, plan, intent, sense)
    there = {edge.gotcha.description for edge in found}
    met = [_trap(*one) for one in back.traps if one[0].told not in there]
    unknown = [
        f"unknown stack {name}: the gotchas of the project's detected stacks apply"
        for name in gotchas.unknown_stacks(stack)
    ]
    return CheckResult(
        edges=tuple(gotchas.in_order([*found, *met])),
        loops=back.loops,
        perhaps=tuple(one for one in back.related if one.told not in there),
        stacks=tuple(stacks),
        reminders=reminders.triggered(project, f"{intent} {code}", now),
        problems=(*unknown, *_skipped(limits, known)),
    )


def _plan(project: Project, intent: str, code: str) -> Plan:
    said = acts.of_intent(intent) if intent.strip() else ()
    return Plan(project.root, [*said, *acts_of_code(code)])


def with_others(
    project: Project, found: CheckResult, others: Iterable[SearchedMemory], intent: str, code: str
) -> CheckResult:
    """Add what other memories turned down, each with the name of its memory.

    Left out: what this memory says itself or has archived, and memories that cannot be read.
    """
    plan = _plan(project, intent, code)
    loops, edges = list(found.loops), list(found.edges)
    known = {loop.earlier.text for loop in loops} | {one.gotcha.description for one in edges}
    archived = files.read(project.archive).decode("utf-8", "replace")
    for one in others:
        with contextlib.suppress(MindError), contextlib.closing(Index(one.path)) as index:
            one.refresh(index)
            back = find(one.project, index, plan, intent)
            for entry, score, words in back.traps:
                if entry.told not in known and entry.text not in archived:
                    edges.append(_trap(_from(one, entry), score, words))
                    known.add(entry.told)
            for loop in back.loops:
                if loop.earlier.text not in known and loop.earlier.text not in archived:
                    loops.append(replace(loop, earlier=_from(one, loop.earlier)))
                    known.add(loop.earlier.text)
    loops.sort(key=lambda loop: -loop.score)
    return replace(found, loops=tuple(loops[:_MOST]), edges=tuple(gotchas.in_order(edges)))


def _from(other: SearchedMemory, entry: Entry) -> Entry:
    return replace(entry, source=f"{other.name}: {entry.source}")


def _trap(entry: Entry, score: float, words: str) -> MatchedGotcha:
    return MatchedGotcha(
        gotcha=gotchas.from_entry(entry), reason=f"matched words: {words}", score=score
    )


def _skipped(limits: MatchLimits, known: Sequence[Gotcha]) -> tuple[str, ...]:
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
class PreparedChecks:
    """All entries that may warn or remind, for callers that prepare them in advance.

    Attributes:
        entries: Entries of the project that advise against something.
        subjects: What they advise against, as compared with acts, by id.
        gotchas: Gotchas of the user and built-in ones.
        stacks: Detected stacks of the project.
        pending: Pending reminders.
        targets: Files that contain the context block.
        stamps: Path of each read file → its stamp and settings.
        commented: Files that may contain MEMORY comments.
    """

    entries: tuple[Entry, ...]
    subjects: Mapping[str, list[Row]]
    gotchas: tuple[Gotcha, ...]
    stacks: tuple[str, ...]
    pending: tuple[Reminder, ...]
    targets: tuple[Path, ...]
    stamps: Mapping[str, str]
    commented: tuple[str, ...]


def prepared(at: "Workspace") -> PreparedChecks:
    """Return all that may warn or remind; starts no session."""
    project, index = at.project, at.refreshed()
    stamps = index.stamps()  # before the entries, which may only be newer
    index.rejections.refresh(project.name)
    known = gotchas.of_user()
    if project.settings.gotchas_builtin:
        known += gotchas.load_builtin()
    return PreparedChecks(
        entries=tuple(index.rejections.entries()),
        subjects=index.rejections.subjects(),
        gotchas=tuple(known),
        stacks=tuple(gotchas.detect_stacks(project.root)),
        pending=tuple(reminders.pending(project, at.now())),
        targets=tuple(context.targets(project)),
        stamps=stamps,
        commented=tuple(path for path in index.paths("comments") if path in stamps),
    )


def of_code(code: str, stack: Sequence[str]) -> CheckResult:
    """Check code against built-in and global gotchas, without any project's memory."""
    known = [*gotchas.of_user(), *gotchas.load_builtin()]
    limits = MatchLimits(gotchas.SECONDS)
    found = tuple(gotchas.check("", code, stack, known, limits)) if code else ()
    return CheckResult(edges=found, loops=(), stacks=tuple(stack), problems=_skipped(limits, known))


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
    return [gotchas.from_entry(entry) for entry, _ in found if not entry.is_struck]
