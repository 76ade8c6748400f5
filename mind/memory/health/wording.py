"""An examination in lines of text, for a terminal and for an agent; pure."""

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from mind.domain.entry import counted, title_of
from mind.memory.health.report import Advice, Contradiction, Counted, Health, Listed, Named


class Section(NamedTuple):
    """A title and its lines; lines that belong to the one above begin with two spaces."""

    title: str
    lines: Sequence[str]


def sections(found: Health) -> list[Section]:
    """Return what there is to tell, what to do first; nothing is told of what is well."""
    told = [
        Section("To do", list(_advice(found))),
        Section("Memory", _memory(found)),
        Section(f"Use in {found.days} days", _use(found)),
        Section(
            _counted("Contradicted, not reviewed since", found.contradictions),
            [line for one in found.contradictions.shown for line in _contradiction(one)],
        ),
        Section(
            _counted("Superseded by later entries", found.superseded),
            [f"{line_of(one.entry)} ({one.told})" for one in found.superseded.shown],
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
        f"verdicts: {_told(found.verdicts)}",
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


_OWED = 0.5
_EXPIRED = 0.1
_OVERRIDDEN = 0.25
_ENOUGH = 10
"""Of something that a share is told of."""
_TITLE = 70
_FEW = 3
"""Entries that one command names."""


def advise(found: Health) -> tuple[Advice, ...]:
    """At most one advice of each sort."""
    return tuple(
        one
        for source in (
            _contradicted,
            _superseded,
            _gone,
            _dead,
            _repeated,
            _misspelt,
            _changed,
            _unchecked,
            _missed,
            _expired,
            _overridden,
        )
        for one in source(found)
    )


def _contradicted(found: Health) -> Iterator[Advice]:
    for one in found.contradictions.shown[:1]:
        more = _more(found.contradictions.total)
        yield Advice(
            f"Settle what was contradicted: correct it, verify it or forget it{more}.",
            f'mind update {one.entry.id} "what is true now"',
            f"{_said(one.entry)} was contradicted on {one.since.date()}, and nobody looked since.",
        )


def _superseded(found: Health) -> Iterator[Advice]:
    for one in found.superseded.shown[:1]:
        more = _more(found.superseded.total)
        yield Advice(
            f"Forget what no longer holds, or verify it{more}.",
            f'mind forget {one.entry.id} --reason "no longer holds" --replaced-by {one.by}',
            f"{_said(one.entry)} is {one.told}.",
        )


def _gone(found: Health) -> Iterator[Advice]:
    if found.drift.gone:
        first = found.drift.entries.shown[0]
        more = _more(found.drift.gone)
        yield Advice(
            f"Say where it is now, or forget it{more}.",
            f"mind show {first.entry.id}",
            f"{_said(first.entry)} sends readers to what is not there: {first.told[0]}.",
        )


def _dead(found: Health) -> Iterator[Advice]:
    free = [one for one in found.dead_weight.shown if not one.entry.protected]
    for one in free[:1]:
        more = _more(found.dead_weight.total)
        yield Advice(
            f"Forget what only takes up room, or say it so that it helps{more}.",
            f'mind forget {one.entry.id} --reason "found, never of use"',
            f"{_said(one.entry)} was found {one.times} times in {found.days} days and never used.",
        )


def _repeated(found: Health) -> Iterator[Advice]:
    for one in found.alike.shown[:1]:
        more = _more(found.alike.total)
        yield Advice(
            f"Sum up entries that say nearly the same in one{more}.",
            f'mind tidy {" ".join(named.id for named in one.entries)} --summary "what they say"',
            f"{_said(one.entries[0])} and {_said(one.entries[1])} say nearly the same.",
        )


def _misspelt(found: Health) -> Iterator[Advice]:
    for one in found.typos.shown[:1]:
        more = _more(found.typos.total)
        yield Advice(
            f"Write #{one.common} where #{one.tag} stands, if it is meant{more}.",
            f"mind search tag:{one.tag}",
            f"#{one.tag} has {_entries(one.entries)}, #{one.common} {one.common_entries}: "
            "a filter for one misses the other.",
        )


def _changed(found: Health) -> Iterator[Advice]:
    changed = [one for one in found.drift.entries.shown if not one.told[0].endswith(" is gone")]
    if changed:
        ids = " ".join(one.entry.id for one in changed[:_FEW])
        yield Advice(
            "Look whether these still hold after what was changed since.",
            f"mind show {ids}",
            f"{found.drift.changed:,} of {found.drift.citing:,} entries that cite paths saw them "
            f"change; {_said(changed[0].entry)}: {changed[0].told[0]}.",
        )


def _unchecked(found: Health) -> Iterator[Advice]:
    debt = found.verification
    due = debt.total - debt.recent
    owed = due - debt.fresh
    if due >= _ENOUGH and owed / due >= _OWED:
        yield Advice(
            "Check those that most need it: a person is led through them, an agent notes each "
            "with mind_verify.",
            "mind verify",
            f"{owed:,} of {due:,} lasting entries of over 90 days were not checked in 90 days.",
        )


def _missed(found: Health) -> Iterator[Advice]:
    if found.missed.total >= _FEW:
        one = found.missed.shown[0]
        yield Advice(
            "Use the words that people search with in the entries that they mean.",
            f"mind search {shlex.quote(one.then)}",
            f"{found.missed.total} searches were asked again at once in other words, such as "
            f'"{one.query}", then "{one.then}".',
        )


def _expired(found: Health) -> Iterator[Advice]:
    size = found.size
    if size.kept >= _ENOUGH and size.expired / size.kept >= _EXPIRED:
        yield Advice(
            "See what a sweep would move to the archive.",
            "mind tidy --dry-run",
            f"{size.expired:,} of {size.kept:,} entries have outlived their time.",
        )


def _overridden(found: Health) -> Iterator[Advice]:
    told = found.markers
    if told.logged >= _ENOUGH and told.overridden / told.logged >= _OVERRIDDEN:
        yield Advice(
            "Record what stays true, and log the rest as progress.",
            "mind log --type progress …",
            f"{told.overridden} of {told.logged} entries were recorded over a warning that they "
            "will not be true for long.",
        )


def _said(entry: Named) -> str:
    return f"“{title_of(entry.title, _TITLE)}”"


def _entries(count: int) -> str:
    return "1 entry" if count == 1 else f"{count:,} entries"


def _more(total: int) -> str:
    return f" ({total - 1:,} more)" if total > 1 else ""
