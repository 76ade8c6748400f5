"""What to do for a memory, the most pressing first; pure."""

import shlex
from collections.abc import Iterator

from mind.domain.entry import title_of
from mind.memory.health.report import Advice, Health, Named

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
