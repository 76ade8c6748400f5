"""Tidying: archive expired and duplicate entries, and list similar ones that could be merged.

Summaries are written only by a person or an agent; Mind lists the entries one could replace.
Nothing is deleted: entries move to the archive, and each can be restored. Goals, lessons and pinned
entries always stay. Automatic tidying touches only lines that Mind wrote; entries written by hand
are moved only by ``mind tidy``.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from mind.documents import memory_file
from mind.domain.entry import ORIGIN, Entry, Kind, content_id
from mind.domain.errors import DependencyMissing, InputError
from mind.memory import curation, new_text, read, session, validation
from mind.memory.curation import Leaving
from mind.memory.duplicates import clusters
from mind.memory.session import Visit
from mind.memory.workspace import Workspace
from mind.ranking import heat
from mind.ranking.heat import Uses
from mind.sources import staleness
from mind.storage import files
from mind.storage.index import Filter, Index
from mind.storage.pending import Pending
from mind.storage.project import Project
from mind.text.similarity import said

CAP = 200
"""Maximum entries moved in one run, unless a caller gives another number."""
_WINDOW = timedelta(days=90)


@dataclass(frozen=True, slots=True)
class TidyStep:
    """A step of tidying.

    Attributes:
        what: "expired", "superseded" or "consolidated".
        entries: The entries to archive.
        reason: The reason, as stored in the archive.
        replacement: Id of their replacement; "" if none.
        line: The line written for the replacement; "" if it exists already.
    """

    what: str
    entries: tuple[Entry, ...]
    reason: str
    replacement: str = ""
    line: str = ""


@dataclass(frozen=True, slots=True)
class TidyPlan:
    """The steps of tidying, planned or done.

    Attributes:
        steps: The steps.
        groups: Groups of similar entries that a summary could replace; only if a caller asked.
        missing: Reason why groups are not listed, with the remedy; "" if they are.
        left: Number of entries left for the next run, as one run moves a limited number.
        done: True if the steps were carried out.
        pending: The pending claim, if the summary is a claim about the user.
        protected: Ids of protected entries archived because the caller acknowledged it.
    """

    steps: tuple[TidyStep, ...]
    groups: tuple[tuple[Entry, ...], ...] = ()
    missing: str = ""
    left: int = 0
    done: bool = False
    pending: Pending | None = None
    protected: tuple[str, ...] = ()


def plan(
    project: Project, index: Index, today: date, *, by_hand: bool, limit: int = CAP
) -> TidyPlan:
    """Plan the tidying of an indexed memory.

    Args:
        project: The project.
        index: The index, up to date.
        today: The current day.
        by_hand: True if a caller asked for it: hand-written entries are considered too, and groups
            are listed.
        limit: Maximum entries to archive.
    """
    everything = [one for one in index.entries(Filter(families=("memory",))) if one.source]
    known = everything if by_hand else _own(project, everything)
    used = index.usage.days()
    free = [one for one in known if not heat.is_protected(one)]
    uses = {one.id: Uses.of(used.get(one.id, ()), today) for one in free}
    taken: set[str] = set()
    steps: list[TidyStep] = []
    for step in (*_expired(free, uses, today), *_superseded(free, today)):
        if taken.isdisjoint(one.id for one in step.entries) and step.replacement not in taken:
            steps.append(step)
            taken |= {one.id for one in step.entries}
    left = [one for one in free if one.id not in taken]
    made = _whole(_capped(steps, limit), everything)
    if not by_hand:
        return made
    try:
        return replace(made, groups=tuple(clusters(left)))
    except DependencyMissing as error:
        return replace(made, missing=f"{error.message}. {error.remedy}")


def _capped(steps: Sequence[TidyStep], limit: int) -> TidyPlan:
    kept: list[TidyStep] = []
    room = limit
    for step in steps:
        if len(step.entries) <= room:
            kept.append(step)
            room -= len(step.entries)
    return TidyPlan(tuple(kept), left=sum(len(step.entries) for step in steps) - (limit - room))


def _whole(plan: TidyPlan, entries: Sequence[Entry]) -> TidyPlan:
    """Return ``plan`` without entries that contain a nested entry that must stay."""
    within = _within(entries)
    steps = plan.steps
    while True:
        leaving = {one.id for step in steps for one in step.entries}
        stay = {outer for outer, inner in within if inner not in leaving}
        kept = tuple(step for step in steps if stay.isdisjoint(one.id for one in step.entries))
        if len(kept) == len(steps):
            return replace(plan, steps=kept)
        steps = kept


def _within(entries: Iterable[Entry]) -> list[tuple[str, str]]:
    """Return pairs of ids: an entry, and one nested in it."""
    found: list[tuple[str, str]] = []
    around: list[Entry] = []
    for one in sorted(entries, key=lambda one: (one.source, one.span.start, -one.span.end)):
        while around and (around[-1].source, around[-1].span.end) <= (one.source, one.span.start):
            around.pop()
        found += [(outer.id, one.id) for outer in around if outer.source == one.source]
        around.append(one)
    return found


def _own(project: Project, entries: Sequence[Entry]) -> list[Entry]:
    """Return the entries in lines as Mind writes them, under the heading of a day.

    Imported entries are archived only on request.
    """
    source = files.read(project.memory)
    return [
        one
        for one in entries
        if one.date
        and ORIGIN not in one.fields
        and one.section[-1:] == (one.date.isoformat(),)
        and all(map(memory_file.is_plain, source[one.span.start : one.span.end].splitlines()))
    ]


def _expired(entries: Iterable[Entry], uses: Mapping[str, Uses], today: date) -> Iterator[TidyStep]:
    for one in entries:
        if heat.is_expired(one, today, staleness.verified(one)) and (
            "expires" in one.fields or _risk(one, uses, today) >= heat.ARCHIVE_FROM
        ):
            day = heat.expires(one, staleness.verified(one))
            yield TidyStep("expired", (one,), f"expired on {day} ({one.layer.value})")


def _risk(entry: Entry, uses: Mapping[str, Uses], today: date) -> float:
    checked = staleness.verified(entry)
    known = uses[entry.id]
    if checked and (known.last is None or checked > known.last):
        known = Uses.of((*([known.last] if known.last else []), checked), today)
    return heat.risk(known, entry, today)


def _superseded(entries: Sequence[Entry], today: date) -> Iterator[TidyStep]:
    """Yield entries that a later one repeats in the same words and with the same code."""
    recent = [one for one in entries if one.date and today - one.date <= _WINDOW]
    groups: dict[tuple[Kind, tuple[str, ...], tuple[str, ...]], list[Entry]] = defaultdict(list)
    for one in sorted(recent, key=lambda one: (one.date or today, one.line), reverse=True):
        groups[one.kind, said(one.text) or (one.text,), tuple(one.code)].append(one)
    for newest, *others in groups.values():
        for older in others:
            yield TidyStep("superseded", (older,), "superseded by a later entry", newest.id)


def consolidation(entries: Sequence[Entry], summary: str) -> TidyStep:
    """Return the step that replaces several entries by one learning, which names them.

    Raises:
        InputError: There are fewer than two entries, or no summary.
    """
    if len({one.id for one in entries}) < 2:
        raise InputError("there is nothing to consolidate", remedy="Give two or more ids.")
    ids = ", ".join(one.id for one in entries)
    told = " ".join(memory_file.unlabelled(Kind.LEARNING, summary).split())
    if not told:
        raise InputError("the summary is missing", remedy="Sum up the entries in your own words.")
    message = f"{told} [consolidates:: {ids}]"
    line = memory_file.line_for(Kind.LEARNING, message)
    return TidyStep(
        what="consolidated",
        entries=tuple(entries),
        reason="consolidated into one entry",
        replacement=content_id(told),
        line=line,
    )


def consolidate(
    at: Workspace, ids: Sequence[str], summary: str, *, acknowledge: bool = False
) -> TidyPlan:
    """Replace several entries by one learning, and archive them.

    A claim about the user waits for confirmation.

    Args:
        at: The workspace.
        ids: Ids of two or more entries.
        summary: Text of the learning.
        acknowledge: As for :func:`mind.memory.amend.update`; also archive protected entries.

    Raises:
        NotFound: No entry has one of the ids.
        Protected: An entry is a goal, a lesson or pinned.
        InputError: The summary cannot be recorded, or an entry is not in a file of the memory; or
            one of the errors of :mod:`mind.memory.validation`. Nothing was changed.
    """
    validation.refuse_secrets(summary)
    visit = at.visit()
    step = consolidation([read.entry(at, one) for one in dict.fromkeys(ids)], summary)
    curation.check_leaving(at.project, step.entries, acknowledge=acknowledge)
    new = new_text.read(at, summary, Kind.LEARNING.value)
    new.corrects = tuple(one.id for one in step.entries)
    new.examine(at, acknowledge=acknowledge)
    if waits := new.admit(at, visit, acknowledge=acknowledge):
        return TidyPlan((), pending=waits)
    return consolidated(at, visit, ids, new.text, new.overridden, acknowledge=acknowledge)


def consolidated(  # noqa: PLR0913 - results of the checks
    at: Workspace,
    visit: Visit,
    ids: Sequence[str],
    summary: str,
    overridden: Sequence[str] = (),
    *,
    acknowledge: bool,
) -> TidyPlan:
    """Write a checked summary, and archive the entries."""
    with at.alone():
        step = consolidation([read.entry(at, one) for one in dict.fromkeys(ids)], summary)
        carry_out(at.project, [step], visit.now.date(), acknowledge=acknowledge)
    protected = curation.refuse_protected(step.entries, acknowledge=True)
    at.note(
        visit,
        "consolidate",
        [one.id for one in step.entries],
        overridden=list(overridden) or None,
        protected=list(protected) or None,
    )
    return TidyPlan((step,), done=True, protected=protected)


def takes_turn(project: Project, now: datetime) -> bool:
    """Return whether this process is to tidy now, and record that it does.

    True once the interval since the last run is over, for one of several concurrent processes.
    """
    stamp = project.cache / "tidied"
    wait = timedelta(hours=project.settings.tidy_interval_hours)

    def is_due() -> bool:
        try:
            last = datetime.fromisoformat(files.read(stamp).decode())
            return not timedelta(0) <= now - last < wait
        except (OSError, ValueError, TypeError):  # Mind only writes times with an offset
            return True

    if not is_due():
        return False
    with files.lock(project.lock):
        if not is_due():
            return False
        files.write(stamp, now.isoformat().encode(), sync=False)
        return True


def carry_out(
    project: Project, steps: Sequence[TidyStep], today: date, *, acknowledge: bool = False
) -> None:
    """Carry out steps: write each replacement first, then archive what it replaces.

    Raises:
        Protected: An entry is protected, and this is not acknowledged; nothing was changed.
    """
    leaving = [one for step in steps for one in step.entries]
    curation.check_leaving(project, leaving, acknowledge=acknowledge)
    for step in steps:
        if step.line:
            files.append(project.memory, session.of_day(project, step.line, today))
    by_file: dict[str, list[Leaving]] = defaultdict(list)
    for step in steps:
        for one in step.entries:
            by_file[one.source].append(Leaving(one, step.reason, step.replacement))
    for group in by_file.values():
        curation.forget_all(project, group, today, acknowledge=acknowledge)


def run(
    at: Workspace, *, dry_run: bool = False, by_hand: bool = True, limit: int = CAP
) -> TidyPlan:
    """Archive expired and duplicate entries; list similar ones that could be merged.

    Args:
        at: The workspace.
        dry_run: Only report what would be done.
        by_hand: True if a caller asked for it; else only entries that Mind wrote are considered.
        limit: Maximum entries to archive.
    """
    visit = at.visit()
    today = visit.now.date()
    # of two concurrent runs, the second finds nothing to do
    with nullcontext() if dry_run else at.alone():
        planned = plan(at.project, at.refreshed(), today, by_hand=by_hand, limit=limit)
        if planned.steps and not dry_run:
            carry_out(at.project, planned.steps, today)
    if planned.steps and not dry_run:
        at.note(visit, "tidy", [one.id for step in planned.steps for one in step.entries])
    return replace(planned, done=not dry_run)


def run_if_due(at: Workspace) -> TidyPlan | None:
    """Tidy if it is enabled and the interval since the last run has passed."""
    if not at.project.settings.tidy_automatic or not takes_turn(at.project, at.now()):
        return None
    return run(at, by_hand=False)
