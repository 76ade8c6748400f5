"""The health report as one HTML file with SVG charts, without scripts or external resources.

Each chart has a text description, and a table with its numbers.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from html import escape as _escape
from typing import Any, NamedTuple

from mind.documents.html import inline
from mind.memory.health.report import Contradiction, EntryCount, EntryRef, Health, TopList
from mind.ranking.heat import Band
from mind.storage import templates

_WIDTH, _NARROW = 480, 380
"""Widths of charts over time and of other charts, in SVG units."""
_ROW = 27
_LABEL, _NUMBER = 128, 52
_BAR = 30
_TOP, _PLOT, _BOTTOM, _LEFT = 14, 150, 26, 46
_RIGHT = 8


class ChartPart(NamedTuple):
    """One part of a whole: its name, its count, and the CSS class of its colour."""

    name: str
    value: int
    tone: str


class Series(NamedTuple):
    """Numbers over time: their name, the values, and the CSS class of their colour."""

    name: str
    values: Sequence[int]
    tone: str


def escape(text: str) -> str:
    """``text``, escaped for HTML and for a template."""
    return cleaned(_escape(text))


def cleaned(html: str) -> str:
    """``html``, escaped for a template, with invisible characters replaced by spaces."""
    told = html.encode("utf-8", "replace").decode("utf-8")
    shown = "".join(one if one.isprintable() or one == "\n" else " " for one in told)
    return shown.replace("{", "&#123;")


def _svg(key: str, title: str, told: str, inner: Sequence[str], size: tuple[int, int]) -> str:
    return (
        f'<svg viewBox="0 0 {size[0]} {size[1]}" class="w{size[0]}" role="img" '
        f'aria-labelledby="{key}-title {key}-desc">'
        f'<title id="{key}-title">{escape(title)}</title>'
        f'<desc id="{key}-desc">{escape(told)}</desc>{"".join(inner)}</svg>'
    )


def _text(x: float, y: float, text: str, kind: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}">{escape(text)}</text>'


def _box(x: float, y: float, width: float, height: float, tone: str) -> str:
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" class="{tone}"/>'
    )


def bars(key: str, title: str, counts: Mapping[str, int]) -> str:
    """A bar chart with one horizontal bar per count."""
    most = max(counts.values(), default=0) or 1
    room = _NARROW - _LABEL - _NUMBER
    inner = []
    for at, (name, value) in enumerate(counts.items()):
        y = at * _ROW
        length = max(room * value / most, 2.0 if value else 0.0)
        inner += [
            _text(_LABEL - 10, y + 18, name, "end"),
            _box(_LABEL, y + 4, length, _ROW - 9, "tone-main"),
            _text(_LABEL + length + 7, y + 18, f"{value:,}", "number"),
        ]
    told = ", ".join(f"{name} {value:,}" for name, value in counts.items())
    return _svg(key, title, told, inner, (_NARROW, max(len(counts), 1) * _ROW))


def shares(key: str, title: str, parts: Sequence[ChartPart]) -> str:
    """A stacked bar, with a legend line for each part."""
    total = sum(part.value for part in parts)
    inner = [_box(0, 0, _NARROW, _BAR, "tone-none")]
    x = 0.0
    for at, part in enumerate(parts):
        width = _NARROW * part.value / total if total else 0.0
        y = _BAR + 16 + at * _ROW
        percent = f"{part.value / total:.0%}" if total else "–"
        inner += [
            _box(x, 0, max(width - 1.5, 0), _BAR, part.tone),
            _box(0, y + 2, 15, 15, part.tone),
            _text(25, y + 15, part.name),
            _text(_NARROW - 72, y + 15, f"{part.value:,}", "end number"),
            _text(_NARROW - 2, y + 15, percent, "end muted"),
        ]
        x += width
    told = ", ".join(f"{part.name} {part.value:,}" for part in parts)
    return _svg(key, title, told, inner, (_NARROW, _BAR + 16 + len(parts) * _ROW))


def line(key: str, title: str, starts: Sequence[date], series: Series) -> str:
    """An area chart of weekly totals."""
    most = max(series.values, default=0) or 1
    step = (_WIDTH - _LEFT - _RIGHT) / max(len(series.values) - 1, 1)
    values = [*series.values] if len(series.values) > 1 else [*series.values] * 2
    points = [
        f"{_LEFT + at * step:.1f},{_TOP + _PLOT * (1 - value / most):.1f}"
        for at, value in enumerate(values)
    ]
    ground = _TOP + _PLOT
    end = _LEFT + (len(values) - 1) * step
    around = [f"{_LEFT},{ground}", *points, f"{end:.1f},{ground}"]
    inner = [
        *_axes(most, starts),
        f'<polygon points="{" ".join(around)}" class="{series.tone} area"/>',
        f'<polyline points="{" ".join(points)}" class="{series.tone} stroke"/>',
    ]
    return _svg(key, title, _over_time(starts, [series]), inner, (_WIDTH, ground + _BOTTOM))


def columns(key: str, title: str, starts: Sequence[date], series: Sequence[Series]) -> str:
    """A stacked column chart of weekly numbers, with a legend."""
    most = max((sum(week) for week in zip(*(one.values for one in series), strict=True)), default=0)
    step = (_WIDTH - _LEFT - _RIGHT) / max(len(starts), 1)
    inner = _axes(most or 1, starts)
    for at in range(len(starts)):
        y = float(_TOP + _PLOT)
        for one in series:
            height = _PLOT * one.values[at] / (most or 1)
            y -= height
            if one.values[at]:
                inner.append(_box(_LEFT + at * step + 1, y, max(step - 2, 1), height, one.tone))
    ground = _TOP + _PLOT + _BOTTOM + 6
    for at, one in enumerate(series):
        x = _LEFT + at * (_WIDTH - _LEFT) / len(series)
        inner += [_box(x, ground, 15, 15, one.tone), _text(x + 22, ground + 13, one.name)]
    return _svg(key, title, _over_time(starts, series), inner, (_WIDTH, ground + 20))


def _axes(most: int, starts: Sequence[date]) -> list[str]:
    ground = _TOP + _PLOT
    inner = []
    for value in dict.fromkeys((0, most // 2, most)):
        y = ground - _PLOT * value / most
        inner += [
            f'<path d="M{_LEFT} {y:.1f}H{_WIDTH - _RIGHT}" class="grid"/>',
            _text(_LEFT - 8, y + 4, f"{value:,}", "end muted"),
        ]
    if starts:
        inner += [
            _text(_LEFT, ground + 20, starts[0].isoformat(), "muted"),
            _text(_WIDTH - _RIGHT, ground + 20, starts[-1].isoformat(), "end muted"),
        ]
    return inner


def _over_time(starts: Sequence[date], series: Sequence[Series]) -> str:
    if not starts:
        return "No data yet."
    told = "; ".join(
        f"{one.name}: {one.values[0]:,} in the first week, {one.values[-1]:,} in the last, "
        f"at most {max(one.values):,}"
        for one in series
    )
    return f"Weeks from {starts[0]} to {starts[-1]}. {told}."


GENERATOR = "mind health"
"""The generator name that marks a file as a report of Mind."""

Cell = tuple[str, str]
"""The CSS class of a table cell, and its content as HTML."""

_TONES = {Band.HOT: "tone-bad", Band.WARM: "tone-warn", Band.COLD: "tone-main"}


def html(found: Health) -> str:
    """The report as an HTML page."""
    title = escape(f"Memory of {found.project}: health")
    made = f"Created by <code>mind health --days {found.days} --html FILE</code>."
    parts = (
        _head(found, title),
        '<main id="main">',
        *_todo(found),
        *_charts(found),
        *_lists(found),
        *_problems(found),
        "</main>",
        f"<footer><p>{made} This page loads no external resources.</p></footer>",
    )
    body = "\n".join(parts)
    return templates.text("report.html", generator=GENERATOR, title=title, body=body)


def _head(found: Health, title: str) -> str:
    size, debt, drift = found.size, found.verification, found.drift
    tiles = (
        (f"{size.entries:,}", "entries"),
        (_percent(debt.fresh, debt.total), "of lasting entries verified within 90 days"),
        (
            f"{drift.gone + drift.changed:,}",
            f"of {drift.citing:,} entries that cite paths are out of date",
        ),
        (f"{found.searches:,}", f"searches in {found.days} days"),
        (f"{found.applied + found.quoted:,}", f"uses in {found.days} days"),
        (f"~{size.block_tokens:,}", "tokens in the context block"),
    )
    shown = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for value, name in tiles)
    return (
        f"<header><h1>{title}</h1><p class=muted>As of {found.day}; usage over the last "
        f'{found.days} days.</p><dl class="tiles">{shown}</dl></header>'
    )


def _percent(part: int, total: int) -> str:
    return f"{part / total:.0%}" if total else "–"


def _todo(found: Health) -> Iterator[str]:
    yield "<h2>Recommendations</h2>"
    if not found.advice:
        yield "<p>No problems found.</p>"
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
    without = f"; {growth.undated:,} more have no date" if growth.undated else ""
    yield _figure(
        "Growth over time",
        f"Entries by their date{without}",
        line("growth", "Growth over time", starts, totals),
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
        "Usage by week",
        "The last 26 weeks, from the usage log of this machine",
        columns("use", "Usage by week", weeks, done),
        ("week", "searches", "uses", "recorded"),
        [
            (str(one.start), f"{one.searches:,}", f"{one.uses:,}", f"{one.recorded:,}")
            for one in found.activity
        ],
    )
    yield '</div><div class="charts">'
    yield _counts("Kinds", "Entries by kind", "kinds", size.by_kind, tall=True)
    yield _counts(
        "Layers", "Entries by layer, which determines how they age", "layers", size.by_layer
    )
    heat = [
        ChartPart(name, count, _TONES.get(Band(name), "tone-none"))
        for name, count in size.bands.items()
    ]
    yield _parts("Heat", "Entries by recent use", "heat", heat)
    checked = [
        ChartPart("recently", debt.fresh, "tone-good"),
        ChartPart("long ago", debt.stale, "tone-warn"),
        ChartPart("never", debt.never, "tone-none"),
    ]
    yield _parts("Verification", "Lasting entries by last verification", "checks", checked)
    cited = [
        ChartPart("unchanged", drift.citing - drift.gone - drift.changed, "tone-good"),
        ChartPart("changed since", drift.changed, "tone-warn"),
        ChartPart("deleted", drift.gone, "tone-bad"),
    ]
    yield _parts("Drift", "Entries that cite paths in the project", "drift", cited)
    yield "</div>"


def _counts(
    title: str, told: str, key: str, counts: Mapping[str, int], *, tall: bool = False
) -> str:
    rows = [(name, f"{count:,}") for name, count in counts.items()]
    drawn = bars(key, title, counts)
    return _figure(title, told, drawn, (key, "entries"), rows, tall=tall)


def _parts(title: str, told: str, key: str, parts: Sequence[ChartPart]) -> str:
    rows = [(part.name, f"{part.value:,}") for part in parts]
    return _figure(title, told, shares(key, title, parts), (key, "entries"), rows)


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
        "Contradicted and not reviewed since",
        ("entry", "what happened"),
        [
            [("wide", _entry(one.entry)), ("wide", _timeline(one))]
            for one in found.contradictions.shown
        ],
    )
    yield from _list(
        found.superseded,
        "Superseded by newer entries",
        ("entry", "reason"),
        [
            [("wide", _entry(one.entry)), ("wide", escape(one.told))]
            for one in found.superseded.shown
        ],
    )
    yield from _counted(found.dead_weight, f"Often found in {days} days, never used", "found")
    yield from _counted(found.never_found, f"Cold and never found in {days} days", "days idle")
    yield from _counted(found.heavily_used, f"Heavily used in {days} days", "applied")
    yield from _list(
        drift,
        "Cited paths that were deleted or changed",
        ("entry", "change"),
        [
            [("wide", _entry(one.entry)), ("wide", escape("; ".join(one.told)))]
            for one in drift.shown
        ],
    )
    yield from _list(
        found.alike,
        "Similar entries",
        ("newest", "older"),
        [
            [
                ("wide", _entry(one.entries[0])),
                ("wide", "".join(f"<p>{_entry(named)}</p>" for named in one.entries[1:])),
            ]
            for one in found.alike.shown
        ],
    )
    if found.missing:
        yield f"<p class=muted>{escape(found.missing)}</p>"
    yield from _list(
        found.typos,
        "Tags that may be misspelled",
        ("tag", "entries", "did you mean", "entries"),
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
        "Searches that were immediately rephrased",
        ("date", "first", "then"),
        [
            [("", str(one.at.date())), ("", escape(one.query)), ("", escape(one.then))]
            for one in found.missed.shown
        ],
    )
    phrases = TopList.of(found.markers.phrases, found.limits.shown)
    yield from _list(
        phrases,
        f"Overridden warnings, for {found.markers.overridden:,} of {found.markers.logged:,} "
        "recorded entries",
        ("phrase", "times"),
        [[("", escape(phrase)), ("n", f"{times:,}")] for phrase, times in phrases.shown],
    )
    refusals = TopList.of(found.markers.refusals, found.limits.shown)
    yield from _list(
        refusals,
        f"Warnings that rejected {found.markers.refused:,} statements",
        ("phrase", "times"),
        [[("", escape(phrase)), ("n", f"{times:,}")] for phrase, times in refusals.shown],
    )
    yield from _list(
        found.orphans,
        "Used entries that no longer exist",
        ("id",),
        [[("", f"<code>{escape(one)}</code>")] for one in found.orphans.shown],
    )


def _counted(listed: TopList[EntryCount], title: str, column: str) -> Iterator[str]:
    rows = [[("wide", _entry(one.entry)), ("n", f"{one.times:,}")] for one in listed.shown]
    yield from _list(listed, title, ("entry", column), rows)


def _list(
    listed: TopList[Any], title: str, columns: Sequence[str], rows: Sequence[Sequence[Cell]]
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


def _entry(one: EntryRef) -> str:
    day = one.date.isoformat() if one.date else "undated"
    return (
        f"{cleaned(inline(one.title))}"
        f"<span class=muted><code>{escape(one.id)}</code> · {day} · {one.kind}</span>"
    )


def _problems(found: Health) -> Iterator[str]:
    if found.problems:
        items = "".join(f"<li>{escape(one)}</li>" for one in found.problems)
        yield f'<h2>Problems</h2><div class="card"><ul>{items}</ul></div>'
