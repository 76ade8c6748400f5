"""Keeping a memory small: what lived its time, what says the same twice, what one entry can sum up.

Only a person or an agent writes a summary; Mind lists which notes one could replace.
Nothing is deleted: entries move to the archive, and each can be restored. Goals, lessons and pinned
entries stay, whatever happens. By itself, tidying touches only lines that Mind wrote; what people
wrote by hand is moved when somebody runs ``mind tidy``.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from mind.documents import notebook
from mind.domain.entry import ORIGIN, Entry, Kind, content_id
from mind.domain.errors import DependencyMissing, InputError
from mind.memory import curation, session
from mind.memory.clusters import clusters
from mind.memory.curation import Leaving
from mind.ranking import heat
from mind.ranking.heat import Fate, Uses
from mind.sources import staleness
from mind.storage import files
from mind.storage.index import Filter, Index
from mind.storage.pending import Pending
from mind.storage.project import Project
from mind.text.similarity import says_the_same, weight, words

CAP = 200
"""Entries that one sweep moves at most."""
_WINDOW = timedelta(days=90)
_COMPARED = 100
"""Entries with the same rarest words, the newest, that are compared with each other."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step of tidying.

    Attributes:
        what: "expired", "superseded" or "consolidated".
        entries: That leave.
        reason: Why, as the archive tells it.
        replacement: Id of what takes their place; "" if nothing does.
        line: What is written for it; "" if it is there already.
    """

    what: str
    entries: tuple[Entry, ...]
    reason: str
    replacement: str = ""
    line: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """The steps to take now, or those that were taken.

    Attributes:
        steps: Each with the entries that leave, and why.
        groups: Entries that say nearly the same, which a summary could replace; listed only where
            somebody asked.
        missing: Why groups are not listed, with the remedy; "" if they are.
        left: Entries that are left for the next time: one sweep moves so many at most.
        done: Whether it was done.
        pending: The summary is a claim about the person, and waits to be confirmed.
        protected: Ids of protected entries that left all the same, as the caller acknowledged.
    """

    steps: tuple[Step, ...]
    groups: tuple[tuple[Entry, ...], ...] = ()
    missing: str = ""
    left: int = 0
    done: bool = False
    pending: Pending | None = None
    protected: tuple[str, ...] = ()


def plan(project: Project, index: Index, today: date, *, by_hand: bool) -> Plan:
    """Return what tidying would do to a memory as the index knows it.

    Args:
        project: Whose.
        index: Up to date.
        today: The day.
        by_hand: Somebody asked for it: what people wrote is looked at too, and groups are listed.
    """
    everything = [one for one in index.entries(Filter(families=("memory",))) if one.source]
    known = everything if by_hand else _own(project, everything)
    used = index.usage.days()
    free = [one for one in known if not heat.is_protected(one)]
    uses = {one.id: Uses.of(used.get(one.id, ()), today) for one in free}
    taken: set[str] = set()
    steps: list[Step] = []
    for step in (*_expired(free, uses, today), *_superseded(free, today)):
        if taken.isdisjoint(one.id for one in step.entries) and step.replacement not in taken:
            steps.append(step)
            taken |= {one.id for one in step.entries}
    left = [one for one in free if one.id not in taken]
    made = _whole(_capped(steps), everything)
    if not by_hand:
        return made
    try:
        return replace(made, groups=tuple(clusters(left)))
    except DependencyMissing as error:
        return replace(made, missing=f"{error.message}. {error.remedy}")


def _capped(steps: Sequence[Step]) -> Plan:
    kept: list[Step] = []
    room = CAP
    for step in steps:
        if len(step.entries) <= room:
            kept.append(step)
            room -= len(step.entries)
    return Plan(tuple(kept), left=sum(len(step.entries) for step in steps) - (CAP - room))


def _whole(plan: Plan, entries: Sequence[Entry]) -> Plan:
    """``plan`` without what would take along an entry that stands within it and is to stay."""
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
    """Ids of entries with those of the entries that stand within them, as in a nested list."""
    found: list[tuple[str, str]] = []
    around: list[Entry] = []
    for one in sorted(entries, key=lambda one: (one.source, one.span.start, -one.span.end)):
        while around and (around[-1].source, around[-1].span.end) <= (one.source, one.span.start):
            around.pop()
        found += [(outer.id, one.id) for outer in around if outer.source == one.source]
        around.append(one)
    return found


def _own(project: Project, entries: Sequence[Entry]) -> list[Entry]:
    """Those that stand in lines as Mind writes them, under the heading of a day.

    What was imported came with the day on which it was noted elsewhere: it had no time here to be
    used, and leaves only when somebody asks for it.
    """
    source = files.read(project.memory)
    return [
        one
        for one in entries
        if one.date
        and ORIGIN not in one.fields
        and one.section[-1:] == (one.date.isoformat(),)
        and all(map(notebook.is_plain, source[one.span.start : one.span.end].splitlines()))
    ]


def _expired(entries: Iterable[Entry], uses: Mapping[str, Uses], today: date) -> Iterator[Step]:
    for one in entries:
        if heat.is_expired(one, today, staleness.verified(one)) and (
            "expires" in one.fields or _fate(one, uses, today) is Fate.ARCHIVE
        ):
            day = heat.expires(one, staleness.verified(one))
            yield Step("expired", (one,), f"expired on {day}, {one.layer.value} that nobody used")


def _fate(entry: Entry, uses: Mapping[str, Uses], today: date) -> Fate:
    checked = staleness.verified(entry)
    known = uses[entry.id]
    if checked and (known.last is None or checked > known.last):
        known = Uses.of((*([known.last] if known.last else []), checked), today)
    return heat.fate(heat.risk(known, entry, today))


def _superseded(entries: Sequence[Entry], today: date) -> Iterator[Step]:
    """Those that a later one says again in nearly the same words."""
    recent = [one for one in entries if one.date and today - one.date <= _WINDOW]
    groups: dict[tuple[Kind, frozenset[str]], list[Entry]] = defaultdict(list)
    for one in recent:
        groups[one.kind, _rarest(one.text)].append(one)
    for group in groups.values():
        group.sort(key=_age, reverse=True)
        for at, older in enumerate(group[:_COMPARED]):
            newer = next((one for one in group[:at] if _repeats(one, older)), None)
            if newer is not None:
                yield Step("superseded", (older,), "superseded by a later entry", newer.id)


def _rarest(text: str) -> frozenset[str]:
    """Its three rarest words: texts that say the same in nearly the same words share them."""
    return frozenset(sorted(set(words(text)), key=lambda word: (-weight(word), word))[:3])


def _age(entry: Entry) -> tuple[date, int]:
    return entry.date or date.min, entry.line


def _repeats(newer: Entry, older: Entry) -> bool:
    if newer.date is None or older.date is None or newer.date - older.date > _WINDOW:
        return False
    return says_the_same(newer.text, older.text)


def consolidation(entries: Sequence[Entry], summary: str) -> Step:
    """One learning in the place of several entries, which it names.

    Raises:
        InputError: They are fewer than two, or there is no summary.
    """
    if len({one.id for one in entries}) < 2:
        raise InputError("there is nothing to put together", remedy="Give two ids or more.")
    ids = ", ".join(one.id for one in entries)
    told = " ".join(notebook.unlabelled(Kind.LEARNING, summary).split())
    if not told:
        raise InputError("the summary is missing", remedy="Sum the entries up in your own words.")
    message = f"{told} [consolidates:: {ids}]"
    line = notebook.line_for(Kind.LEARNING, message)
    return Step(
        what="consolidated",
        entries=tuple(entries),
        reason="consolidated into one entry",
        replacement=content_id(told),
        line=line,
    )


def is_due(project: Project, now: datetime) -> bool:
    """Return whether the last sweep by itself was long enough ago; if so, this one counts from now.

    Of several processes only one is told so.
    """
    stamp = project.cache / "tidied"
    wait = timedelta(hours=project.settings.tidy_interval_hours)

    def ago() -> bool:
        try:
            last = datetime.fromisoformat(files.read(stamp).decode())
            return not timedelta(0) <= now - last < wait
        except (OSError, ValueError, TypeError):  # a time without an offset is none of Mind's
            return True

    if not ago():
        return False
    with files.lock(project.lock):
        if not ago():
            return False
        files.write(stamp, now.isoformat().encode(), sync=False)
        return True


def carry_out(
    project: Project, steps: Sequence[Step], today: date, *, acknowledge: bool = False
) -> None:
    """Do what a plan says: what replaces is written first, then what it replaces is archived.

    Raises:
        Protected: An entry is protected, and that is not overridden; nothing was changed.
    """
    leaving = [one for step in steps for one in step.entries]
    curation.check_leaving(project, leaving, acknowledge=acknowledge)
    for step in steps:
        if step.line:
            session.append(project, step.line, today)
    by_file: dict[str, list[Leaving]] = defaultdict(list)
    for step in steps:
        for one in step.entries:
            by_file[one.source].append(Leaving(one, step.reason, step.replacement))
    for group in by_file.values():
        curation.forget_all(project, group, today, acknowledge=acknowledge)
