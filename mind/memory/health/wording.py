"""The health report as lines of text, for a terminal and for an agent, and as an HTML page."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from mind.domain.entry import counted, title_of
from mind.domain.errors import InputError
from mind.memory.health.report import Advice, Contradiction, EntryCount, EntryRef, Health, TopList
from mind.storage import files, templates
from mind.text.visible import visible

GENERATOR = "mind health"
"""The generator name that marks a file as a report of Mind."""


class Section(NamedTuple):
    """A title and its lines; a continuation of the line above begins with two spaces."""

    title: str
    lines: Sequence[str]


def sections(found: Health) -> list[Section]:
    """Return the sections of the report, advice first; sections without lines are left out."""
    told = [
        Section("To do", list(_advice(found))),
        Section("Memory", _memory(found)),
        Section(f"Use in {found.days} days", _use(found)),
        Section(
            _counted("Contradicted and not reviewed since", found.contradictions),
            [line for one in found.contradictions.shown for line in _contradiction(one)],
        ),
        Section(
            _counted("Superseded by newer entries", found.superseded),
            [f"{line_of(one.entry)} ({one.told})" for one in found.superseded.shown],
        ),
        Section(
            _counted("Often found, never used", found.dead_weight),
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
            _counted("Similar entries", found.alike),
            [
                *(
                    f"{', '.join(named.id for named in one.entries)}: {one.entries[0].title}"
                    for one in found.alike.shown
                ),
                *([found.missing] if found.missing else []),
            ],
        ),
        Section(
            _counted("Tags that may be misspelled", found.typos),
            [
                f"#{one.tag} ({one.entries}); did you mean #{one.common} ({one.common_entries})?"
                for one in found.typos.shown
            ],
        ),
        Section(
            _counted("Cited paths that were deleted or changed", found.drift.entries),
            [
                line
                for one in found.drift.entries.shown
                for line in (line_of(one.entry), f"  {'; '.join(one.told)}")
            ],
        ),
        Section("Problems", list(found.problems)),
    ]
    return [one for one in told if one.lines]


def html(found: Health) -> str:
    """Return the report as one HTML page, without scripts or external resources."""
    title = _cleaned(f"Memory of {found.project}: health")
    parts = [f"<header><h1>{title}</h1><p>As of {found.day}.</p></header>", '<main id="main">']
    parts += [] if found.advice else ["<p>No problems found.</p>"]
    for section in sections(found):
        lines = "\n".join(map(_line, section.lines))
        parts.append(f'<h2>{_cleaned(section.title)}</h2><div class="card">{lines}</div>')
    body = "\n".join([*parts, "</main>"])
    return templates.text("report.html", generator=GENERATOR, title=title, body=body)


def write(found: Health, path: Path) -> None:
    """Write a health report as an HTML page, readable by all users of the machine.

    Raises:
        InputError: ``path`` exists and is not such a page; it is not changed.
        FileError: The page cannot be written.
    """
    known = files.read(path)
    if known and GENERATOR.encode() not in known[:2_000]:
        raise InputError(
            f"{path} exists and is not a health page", remedy="Use a path that does not exist yet."
        )
    files.write(path, html(found).encode(), mode=0o644)


def _line(text: str) -> str:
    """Return a line of the report as HTML, with the Markdown of the entry that it quotes."""
    if text.startswith("  "):  # a command or an explanation
        return f"<p class=muted>{_cleaned(text)}</p>"
    from mind.documents.html import rendered  # noqa: PLC0415 - a library, only for the page

    return rendered(visible(text)).replace("{", "&#123;")


def _cleaned(text: str) -> str:
    """Return ``text`` escaped for HTML and for a template."""
    return escape(visible(text)).replace("{", "&#123;")


def _counted(title: str, listed: TopList[Any]) -> str:
    shown = len(listed.shown)
    return f"{title} ({shown} of {listed.total:,})" if listed.total > shown else title


def _advice(found: Health) -> Iterable[str]:
    for at, one in enumerate(found.advice, 1):
        yield f"{at}. {one.reason}"
        yield f"  {one.text}"
        yield f"  $ {one.command}"


def _memory(found: Health) -> list[str]:
    size, debt, drift = found.size, found.verification, found.drift
    kinds = ", ".join(counted(many, kind) for kind, many in size.by_kind.items()) or "none"
    return [
        f"entries: {size.entries:,} ({kinds})",
        f"layers: {_told(size.by_layer)}",
        f"sources: {_told(size.by_source)}",
        f"heat: {_told(size.bands)}",
        f"expired: {size.expired:,} of {size.kept:,}; archived: {size.archived:,}",
        f"verdicts: {_told(found.verdicts)}",
        f"verified: {debt.fresh:,} recently, {debt.stale:,} long ago, {debt.never:,} never",
        (
            f"entries that cite paths: {drift.citing:,}; {drift.gone:,} deleted, "
            f"{drift.changed:,} changed since"
        ),
        f"size: {size.memory_bytes / 1000:,.1f} kB; context block: ~{size.block_tokens:,} tokens",
    ]


def _use(found: Health) -> list[str]:
    told, warned = found.markers, found.warnings
    lines = [
        f"searches: {found.searches:,}; entries applied: {found.applied:,}",
        (
            f"recorded: {told.logged:,}, {told.overridden:,} of them despite a warning; "
            f"rejected with a warning: {told.refused:,}"
        ),
        (
            f"warnings about rejections and gotchas: {warned.shown:,}, "
            f"{warned.shown - warned.overridden:,} heeded, {warned.overridden:,} overridden"
        ),
    ]
    if warned.entries:
        often = ", ".join(f"{identifier} {times}" for identifier, times in warned.entries[:5])
        lines.append(f"most overridden: {often}")
    for what, phrases in (("overridden", told.phrases), ("rejected", told.refusals)):
        if phrases:
            often = ", ".join(f'"{phrase}" {times}' for phrase, times in phrases[:5])
            lines.append(f"{what}: {often}")
    return lines


def _told(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in counts.items()) or "none"


def line_of(entry: EntryRef) -> str:
    """An entry's id, date, kind and title."""
    day = entry.date.isoformat() if entry.date else "undated"
    return f"{entry.id} · {day} · {entry.kind} · {entry.title}"


def _times(listed: TopList[EntryCount], how: str) -> list[str]:
    return [f"{line_of(one.entry)} ({how.format(one.times)})" for one in listed.shown]


def _contradiction(one: Contradiction) -> list[str]:
    told = [line_of(one.entry)]
    for happened in one.timeline:
        note = f": {happened.note}" if happened.note else ""
        told.append(f"  {happened.at:%Y-%m-%d %H:%M} {happened.what}{note}")
    return told


_OWED = 0.5
_EXPIRED = 0.1
_OVERRIDDEN = 0.25
_ENOUGH = 10
"""Minimum count from which a share is reported."""
_TITLE = 70
_FEW = 3
"""Maximum number of entries in a suggested command."""


def advise(found: Health) -> tuple[Advice, ...]:
    """The advice for a report, at most one of each kind, the most important first."""
    return (*_of_entries(found), *_of_shares(found))


def _of_entries(found: Health) -> Iterator[Advice]:
    """Yield advice on the first entry of each list, and on the tag."""
    for wrong in found.contradictions.shown[:1]:
        yield Advice(
            f"Correct, verify or forget the contradicted entry{_more(found.contradictions.total)}.",
            f'mind update {wrong.entry.id} "NEW TEXT"',
            f"{_said(wrong.entry)} was contradicted on {wrong.since.date()} and not reviewed "
            "since.",
        )
    for old in found.superseded.shown[:1]:
        yield Advice(
            f"Forget the outdated entry, or verify it{_more(found.superseded.total)}.",
            f'mind forget {old.entry.id} --reason "outdated" --replaced-by {old.by}',
            f"{_said(old.entry)} is {old.told}.",
        )
    if found.drift.gone:
        first = found.drift.entries.shown[0]
        yield Advice(
            f"Correct the path, or forget the entry{_more(found.drift.gone)}.",
            f"mind show {first.entry.id}",
            f"{_said(first.entry)} cites a path that no longer exists: {first.told[0]}.",
        )
    free = [one for one in found.dead_weight.shown if not one.entry.protected]
    for dead in free[:1]:
        yield Advice(
            "Read the entry; reword it, or forget it if it does not help"
            f"{_more(found.dead_weight.total)}.",
            f"mind show {dead.entry.id}",
            f"{_said(dead.entry)} was found {dead.times} times in {found.days} days and never "
            "used.",
        )
    for alike in found.alike.shown[:1]:
        old_ids = " ".join(f"--replaces {named.id}" for named in alike.entries)
        knowing = " --acknowledge" if any(named.protected for named in alike.entries) else ""
        yield Advice(
            f"Merge similar entries into one{_more(found.alike.total)}.",
            f'mind log --type {alike.entries[0].kind} "TEXT OF BOTH" {old_ids}{knowing}',
            f"{_said(alike.entries[0])} and {_said(alike.entries[1])} are nearly the same.",
        )
    for typo in found.typos.shown[:1]:
        yield Advice(
            f"If #{typo.tag} is a misspelling, replace it with #{typo.common}"
            f"{_more(found.typos.total)}.",
            f"mind search tag:{typo.tag}",
            f"#{typo.tag} has {counted(typo.entries, 'entry')} and #{typo.common} has "
            f"{typo.common_entries}; a filter for one misses the other.",
        )


def _of_shares(found: Health) -> Iterator[Advice]:
    """Yield advice on what many entries have in common."""
    changed = [one for one in found.drift.entries.shown if not one.told[0].endswith(" is gone")]
    if changed:
        ids = " ".join(one.entry.id for one in changed[:_FEW])
        yield Advice(
            "Check whether these entries are still correct.",
            f"mind show {ids}",
            f"{found.drift.changed:,} of {found.drift.citing:,} entries that cite paths cite one "
            f"that has changed since; {_said(changed[0].entry)}: {changed[0].told[0]}.",
        )
    debt, size, told = found.verification, found.size, found.markers
    due = debt.total - debt.recent
    owed = due - debt.fresh
    if due >= _ENOUGH and owed / due >= _OWED:
        yield Advice(
            "Verify the most urgent ones: people in a review on the terminal, agents with "
            "mind_verify.",
            "mind verify",
            f"{owed:,} of {due:,} lasting entries older than 90 days were not verified in the last "
            "90 days.",
        )
    if size.kept >= _ENOUGH and size.expired / size.kept >= _EXPIRED:
        yield Advice(
            "Preview which entries `mind tidy` would archive.",
            "mind tidy --dry-run",
            f"{size.expired:,} of {size.kept:,} entries have expired.",
        )
    if told.logged >= _ENOUGH and told.overridden / told.logged >= _OVERRIDDEN:
        yield Advice(
            "Record only lasting facts, and log the rest as progress.",
            "mind log --type progress …",
            f"{told.overridden} of {told.logged} entries were recorded despite a warning that they "
            "are short-lived.",
        )


def _said(entry: EntryRef) -> str:
    return f"“{title_of(entry.title, _TITLE)}”"


def _more(total: int) -> str:
    return f" ({total - 1:,} more)" if total > 1 else ""
