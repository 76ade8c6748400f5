"""An examination as a page: one HTML file with charts, without scripts, that loads nothing."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from mind.documents.html import inline
from mind.memory.health import charts
from mind.memory.health.charts import Part, Series, escape
from mind.memory.health.report import Contradiction, Counted, Health, Listed, Named
from mind.ranking.heat import Band
from mind.storage import templates

GENERATOR = "mind health"
"""The name by which a page of Mind's own is told from any other file."""

Cell = tuple[str, str]
"""The class of a cell, and what stands in it, as HTML."""

_TONES = {Band.HOT: "tone-bad", Band.WARM: "tone-warn", Band.COLD: "tone-main"}


def html(found: Health) -> str:
    """The page."""
    title = escape(f"Memory of {found.project}: health")
    made = f"Made by <code>mind health --days {found.days} --html FILE</code>."
    parts = (
        _head(found, title),
        '<main id="main">',
        *_todo(found),
        *_charts(found),
        *_lists(found),
        *_problems(found),
        "</main>",
        f"<footer><p>{made} The page loads nothing and sends nothing.</p></footer>",
    )
    body = "\n".join(parts)
    return templates.text("report.html", generator=GENERATOR, title=title, body=body)


def _head(found: Health, title: str) -> str:
    size, debt, drift = found.size, found.verification, found.drift
    tiles = (
        (f"{size.entries:,}", "entries"),
        (_percent(debt.fresh, debt.total), "of lasting entries checked within 90 days"),
        (f"{drift.gone + drift.changed:,}", f"of {drift.citing:,} that cite paths have drifted"),
        (f"{found.searches:,}", f"searches in {found.days} days"),
        (f"{found.applied + found.quoted:,}", f"uses in {found.days} days"),
        (f"{size.block_tokens:,}", "tokens of context block, about"),
    )
    shown = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for value, name in tiles)
    return (
        f"<header><h1>{title}</h1><p class=muted>On {found.day}; use is counted over "
        f'{found.days} days.</p><dl class="tiles">{shown}</dl></header>'
    )


def _percent(part: int, total: int) -> str:
    return f"{part / total:.0%}" if total else "–"


def _todo(found: Health) -> Iterator[str]:
    yield "<h2>What to do first</h2>"
    if not found.advice:
        yield "<p>Nothing: this memory is well.</p>"
        return
    items = "".join(
        f"<li><p><strong>{escape(one.reason)}</strong></p><p>{escape(one.text)}</p>"
        f"<code>{escape(one.command)}</code></li>"
        for one in found.advice
    )
    yield f'<ol class="todo">{items}</ol>'


def _charts(found: Health) -> Iterator[str]:
    size, growth, debt, drift = found.size, found.growth, found.verification, found.drift
    yield '<h2>Figures</h2><div class="charts two">'
    starts = [week.start for week in growth.weeks]
    totals = Series("entries", [week.total for week in growth.weeks], "tone-main")
    without = f"; {growth.undated:,} more have no day" if growth.undated else ""
    yield _figure(
        "Growth over time",
        f"Entries by the day they carry{without}",
        charts.line("growth", "Growth over time", starts, totals),
        ("week", "added", "entries"),
        [(str(one.start), f"{one.added:,}", f"{one.total:,}") for one in growth.weeks],
    )
    weeks = [one.start for one in found.activity]
    done = (
        Series("searches", [one.searches for one in found.activity], "tone-main"),
        Series("uses", [one.uses for one in found.activity], "tone-good"),
        Series("recorded", [one.recorded for one in found.activity], "tone-warn"),
    )
    yield _figure(
        "Use by week",
        "The last 26 weeks, from the usage log of this machine",
        charts.columns("use", "Use by week", weeks, done),
        ("week", "searches", "uses", "recorded"),
        [
            (str(one.start), f"{one.searches:,}", f"{one.uses:,}", f"{one.recorded:,}")
            for one in found.activity
        ],
    )
    yield '</div><div class="charts">'
    yield _counts("Kinds", "What the entries record", "kinds", size.by_kind, tall=True)
    yield _counts("Layers", "How the entries age", "layers", size.by_layer)
    heat = [
        Part(name, count, _TONES.get(Band(name), "tone-none")) for name, count in size.bands.items()
    ]
    yield _parts("Heat", "How much entries are in use", "heat", heat)
    checked = [
        Part("fresh", debt.fresh, "tone-good"),
        Part("stale", debt.stale, "tone-warn"),
        Part("never checked", debt.never, "tone-none"),
    ]
    yield _parts("Verification", "Entries that say how things are", "checks", checked)
    cited = [
        Part("as they were", drift.citing - drift.gone - drift.changed, "tone-good"),
        Part("changed since", drift.changed, "tone-warn"),
        Part("gone", drift.gone, "tone-bad"),
    ]
    yield _parts("Drift", "Entries that cite paths of the project", "drift", cited)
    yield "</div>"


def _counts(
    title: str, told: str, key: str, counts: Mapping[str, int], *, tall: bool = False
) -> str:
    rows = [(name, f"{count:,}") for name, count in counts.items()]
    drawn = charts.bars(key, title, counts)
    return _figure(title, told, drawn, (key, "entries"), rows, tall=tall)


def _parts(title: str, told: str, key: str, parts: Sequence[Part]) -> str:
    rows = [(part.name, f"{part.value:,}") for part in parts]
    return _figure(title, told, charts.shares(key, title, parts), (key, "entries"), rows)


def _figure(  # noqa: PLR0913 - a chart, and the same as a table
    title: str,
    told: str,
    drawn: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    tall: bool = False,
) -> str:
    cells = [[("", one[0]), *(("n", number) for number in one[1:])] for one in rows]
    table = _table(title, columns, cells)
    return (
        f"<figure{' class=tall' if tall else ''}><figcaption>{title}<span>{told}</span>"
        f"</figcaption>{drawn}<details><summary>Numbers</summary>{table}</details></figure>"
    )


def _table(caption: str, columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    lines = [list(row) for row in rows]
    kinds = [kind for kind, _ in lines[0]] if lines else [""] * len(columns)
    head = "".join(
        f"<th scope=col{_class(kind)}>{name}</th>"
        for kind, name in zip(kinds, columns, strict=True)
    )
    body = "".join(
        f"<tr>{''.join(f'<td{_class(kind)}>{cell}</td>' for kind, cell in row)}</tr>"
        for row in lines
    )
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{caption}"><table>'
        f"<caption class=hidden>{caption}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table></div>"
    )


def _class(kind: str) -> str:
    return f' class="{kind}"' if kind else ""


def _lists(found: Health) -> Iterator[str]:
    days, drift = found.days, found.drift.entries
    yield from _list(
        found.contradictions,
        "Contradicted, and nobody has looked since",
        ("entry", "what happened"),
        [
            [("wide", _entry(one.entry)), ("wide", _timeline(one))]
            for one in found.contradictions.shown
        ],
    )
    yield from _counted(
        found.dead_weight, f"Dead weight: found in {days} days, never used", "found"
    )
    yield from _counted(found.never_found, f"Cold, and never found in {days} days", "days idle")
    yield from _counted(found.heavily_used, f"Heavily used in {days} days", "applied")
    yield from _list(
        drift,
        "Cited paths that are gone or changed",
        ("entry", "what changed"),
        [
            [("wide", _entry(one.entry)), ("wide", escape("; ".join(one.told)))]
            for one in drift.shown
        ],
    )
    yield from _list(
        found.alike,
        "Entries that say nearly the same",
        ("newest", "older"),
        [
            [
                ("wide", _entry(one.entries[0])),
                ("wide", "".join(f"<p>{_entry(named)}</p>" for named in one.entries[1:])),
            ]
            for one in found.alike.shown
        ],
    )
    yield from _list(
        found.typos,
        "Tags that may be misspelt",
        ("tag", "entries", "meant", "entries"),
        [
            [
                ("", f"#{escape(one.tag)}"),
                ("n", f"{one.entries:,}"),
                ("", f"#{escape(one.common)}"),
                ("n", f"{one.common_entries:,}"),
            ]
            for one in found.typos.shown
        ],
    )
    yield from _use(found)


def _use(found: Health) -> Iterator[str]:
    yield from _list(
        found.missed,
        "Searches that were asked again at once, in other words",
        ("day", "first", "then"),
        [
            [("", str(one.at.date())), ("", escape(one.query)), ("", escape(one.then))]
            for one in found.missed.shown
        ],
    )
    phrases = Listed.of(found.markers.phrases, found.limits.shown)
    yield from _list(
        phrases,
        f"Warnings that were overridden, in {found.markers.overridden:,} of "
        f"{found.markers.logged:,} entries recorded",
        ("phrase", "times"),
        [[("", escape(phrase)), ("n", f"{times:,}")] for phrase, times in phrases.shown],
    )
    refusals = Listed.of(found.markers.refusals, found.limits.shown)
    yield from _list(
        refusals,
        f"Warnings with which {found.markers.refused:,} statements were refused",
        ("phrase", "times"),
        [[("", escape(phrase)), ("n", f"{times:,}")] for phrase, times in refusals.shown],
    )
    yield from _list(
        found.orphans,
        "Used, and gone without a trace",
        ("id",),
        [[("", f"<code>{escape(one)}</code>")] for one in found.orphans.shown],
    )


def _counted(listed: Listed[Counted], title: str, column: str) -> Iterator[str]:
    rows = [[("wide", _entry(one.entry)), ("n", f"{one.times:,}")] for one in listed.shown]
    yield from _list(listed, title, ("entry", column), rows)


def _list(
    listed: Listed[Any], title: str, columns: Sequence[str], rows: Sequence[Sequence[Cell]]
) -> Iterator[str]:
    if rows:
        count = f"<p class=muted>{len(rows):,} of {listed.total:,}</p>"
        cut = count if listed.total > len(rows) else ""
        yield f'<h2>{title}</h2><div class="card">{cut}{_table(title, columns, rows)}</div>'


def _timeline(one: Contradiction) -> str:
    lines = (
        f"<li>{happened.at:%Y-%m-%d %H:%M} {escape(happened.what)}"
        f"{f': {escape(happened.note)}' if happened.note else ''}</li>"
        for happened in one.timeline
    )
    return f"<ol>{''.join(lines)}</ol>"


def _entry(one: Named) -> str:
    day = one.date.isoformat() if one.date else "undated"
    return (
        f"{charts.cleaned(inline(one.title))}"
        f"<span class=muted><code>{escape(one.id)}</code> · {day} · {one.kind}</span>"
    )


def _problems(found: Health) -> Iterator[str]:
    if found.problems:
        items = "".join(f"<li>{escape(one)}</li>" for one in found.problems)
        yield f'<h2>Problems</h2><div class="card"><ul>{items}</ul></div>'
