"""Charts as SVG, for a page that asks for nothing from anywhere; pure.

They take their colours from classes of the page. What a chart shows is said in its description
too, and the page has its numbers in a table.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from html import escape as _escape
from typing import NamedTuple

_WIDTH, _NARROW = 480, 380
"""Of what goes over time, and of the rest, in units of the picture."""
_ROW = 27
_LABEL, _NUMBER = 128, 52
_BAR = 30
_TOP, _PLOT, _BOTTOM, _LEFT = 14, 150, 26, 46
_RIGHT = 8


class Part(NamedTuple):
    """One part of a whole: its name, how many, and the class that colours it."""

    name: str
    value: int
    tone: str


class Series(NamedTuple):
    """Numbers over time: what they count, the numbers, and the class that colours them."""

    name: str
    values: Sequence[int]
    tone: str


def escape(text: str) -> str:
    """``text`` as it can stand in HTML, and in a template."""
    return cleaned(_escape(text))


def cleaned(html: str) -> str:
    """``html`` as it can stand in a template: without signs that nobody sees."""
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
    """A bar for each count, one below the other."""
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


def shares(key: str, title: str, parts: Sequence[Part]) -> str:
    """A bar cut into parts, and under it a line for each."""
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
    """What adds up over weeks, as an area."""
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
    """Numbers of weeks as columns, one series on the other, with a legend."""
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
        return "Nothing yet."
    told = "; ".join(
        f"{one.name}: {one.values[0]:,} in the first week, {one.values[-1]:,} in the last, "
        f"at most {max(one.values):,}"
        for one in series
    )
    return f"Weeks from {starts[0]} to {starts[-1]}. {told}."
