"""An examination in lines of text, for a terminal and for an agent; pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from mind.domain.entry import counted
from mind.memory.health.report import Contradiction, Counted, Health, Listed, Named


class Section(NamedTuple):
    """A title and its lines; lines that belong to the one above begin with two spaces."""

    title: str
    lines: Sequence[str]


def sections(found: Health) -> list[Section]:
    """What there is to tell, what to do first; nothing is told of what is well."""
    told = [
        Section("To do", list(_advice(found))),
        Section("Memory", _memory(found)),
        Section(f"Use in {found.days} days", _use(found)),
        Section(
            _counted("Contradicted, and nobody has looked since", found.contradictions),
            [line for one in found.contradictions.shown for line in _contradiction(one)],
        ),
        Section(
            _counted("Dead weight: found, never used", found.dead_weight),
            _times(found.dead_weight, "found {} times"),
        ),
        Section(
            _counted("Cold and never found", found.never_found),
            _times(found.never_found, "idle for {} days"),
        ),
        Section(
            _counted("Heavily used", found.heavily_used),
            _times(found.heavily_used, "applied {} times"),
        ),
        Section(
            _counted("Nearly the same", found.alike),
            [
                *(
                    f"{', '.join(named.id for named in one.entries)}: {one.entries[0].title}"
                    for one in found.alike.shown
                ),
                *([found.missing] if found.missing else []),
            ],
        ),
        Section(
            _counted("Tags that may be misspelt", found.typos),
            [
                f"#{one.tag} ({one.entries}) for #{one.common} ({one.common_entries})"
                for one in found.typos.shown
            ],
        ),
        Section(
            _counted("Cited paths that changed", found.drift.entries),
            [f"{line_of(one.entry)}: {'; '.join(one.told)}" for one in found.drift.entries.shown],
        ),
        Section(
            _counted("Searches that were asked again", found.missed),
            [f'{one.at.date()} "{one.query}", then "{one.then}"' for one in found.missed.shown],
        ),
        Section(_counted("Used, and gone without a trace", found.orphans), _orphans(found)),
        Section("Problems", list(found.problems)),
    ]
    return [one for one in told if one.lines]


def _counted(title: str, listed: Listed[Any]) -> str:
    shown = len(listed.shown)
    return f"{title} ({shown} of {listed.total:,})" if listed.total > shown else title


def _advice(found: Health) -> Iterable[str]:
    for at, one in enumerate(found.advice, 1):
        yield f"{at}. {one.reason}"
        yield f"  {one.text}"
        yield f"  $ {one.command}"


def _memory(found: Health) -> list[str]:
    size, growth, debt, drift = found.size, found.growth, found.verification, found.drift
    lately = sum(week.added for week in growth.weeks[-4:])
    kinds = ", ".join(counted(many, kind) for kind, many in size.by_kind.items()) or "none"
    return [
        f"entries: {size.entries:,} ({kinds})",
        f"layers: {_told(size.by_layer)}",
        f"sources: {_told(size.by_source)}",
        f"heat: {_told(size.bands)}",
        f"growth: {lately:,} in the last 4 weeks, {growth.undated:,} without a day",
        f"over: {size.expired:,} of {size.kept:,}; archived: {size.archived:,}",
        f"checked: {debt.fresh:,} fresh, {debt.stale:,} stale, {debt.never:,} never",
        f"paths: {drift.citing:,} cite one; {drift.gone:,} gone, {drift.changed:,} changed since",
        f"size: {size.memory_bytes / 1000:,.1f} kB, block of about {size.block_tokens:,} tokens",
    ]


def _use(found: Health) -> list[str]:
    told, warned = found.markers, found.warnings
    lines = [
        f"searches: {found.searches:,}; asked again in other words: {found.missed.total:,}",
        f"applied: {found.applied:,}; quoted in what was recorded: {found.quoted:,}",
        f"recorded: {told.logged:,}; over a warning: {told.overridden:,}",
        f"refused with a warning: {told.refused:,}",
        (
            f"warnings of rejections and gotchas: {warned.shown:,}; "
            f"heeded: {warned.shown - warned.overridden:,}; overridden: {warned.overridden:,}"
        ),
    ]
    if warned.entries:
        often = ", ".join(f"{identifier} {times}" for identifier, times in warned.entries[:5])
        lines.append(f"most overridden: {often}")
    for what, phrases in (("overridden", told.phrases), ("refused", told.refusals)):
        if phrases:
            often = ", ".join(f'"{phrase}" {times}' for phrase, times in phrases[:5])
            lines.append(f"{what}: {often}")
    return lines


def _told(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in counts.items()) or "none"


def line_of(entry: Named) -> str:
    """An entry's id, day, kind and how it begins."""
    day = entry.date.isoformat() if entry.date else "undated"
    return f"{entry.id} · {day} · {entry.kind} · {entry.title}"


def _times(listed: Listed[Counted], how: str) -> list[str]:
    return [f"{line_of(one.entry)} ({how.format(one.times)})" for one in listed.shown]


def _contradiction(one: Contradiction) -> list[str]:
    told = [line_of(one.entry)]
    for happened in one.timeline:
        note = f": {happened.note}" if happened.note else ""
        told.append(f"  {happened.at:%Y-%m-%d %H:%M} {happened.what}{note}")
    return told


def _orphans(found: Health) -> list[str]:
    return [", ".join(found.orphans.shown)] if found.orphans.shown else []
