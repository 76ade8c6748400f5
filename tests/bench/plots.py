"""Plots of what was measured, as PNG and SVG."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

_STYLE: dict[Any, Any] = {
    "svg.hashsalt": "mind",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
}
"""The salt makes the same figures the same bytes."""


def ablations(found: Mapping[str, Mapping[str, float]], folder: Path) -> None:
    """What MRR@10 loses when something is left out, as bars for each set."""
    base = found["everything"]
    rows = [row for row in found if row.startswith("without")]
    figure, axes = _figure(7, 0.42 * len(rows) + 1)
    height = 0.8 / len(base)
    for at, name in enumerate(base):
        places = [number + at * height for number in range(len(rows))]
        axes.barh(places, [found[row][name] - base[name] for row in rows], height, label=name)
    axes.set_yticks([number + 0.4 - height / 2 for number in range(len(rows))], rows)
    axes.invert_yaxis()
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set_xlabel("change of MRR@10")
    axes.legend(frameon=False)
    _save(figure, folder / "ablations")


def sweep(
    found: Mapping[str, Mapping[str, Sequence[float]]], factors: Sequence[float], folder: Path
) -> None:
    """MRR@10 over each weight, a line for each set."""
    columns = 4
    figure, grid = _figure(9, 2 * -(-len(found) // columns), -(-len(found) // columns), columns)
    for axes in grid.flat[len(found) :]:
        axes.set_visible(False)
    for axes, (signal, of) in zip(grid.flat, found.items(), strict=False):
        for name, values in of.items():
            axes.plot(factors, values, marker=".", label=name)
        axes.set_xscale("log", base=2)
        axes.set_xticks(factors, [f"{factor:g}" for factor in factors])
        axes.set_title(signal)
    handles, labels = grid.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower right", frameon=False)
    figure.supxlabel("the default weight, times")
    figure.supylabel("MRR@10")
    _save(figure, folder / "sweep")


def scaling(found: Mapping[str, Mapping[int, float]], folder: Path) -> None:
    """CPU milliseconds of a search over the size of a memory, a line for each program."""
    figure, axes = _figure(6, 4)
    for name, of in found.items():
        axes.plot(list(of), list(of.values()), marker="o", label=name)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("entries")
    axes.set_ylabel("CPU ms a search")
    axes.legend(frameon=False)
    _save(figure, folder / "scaling")


def _figure(width: float, height: float, rows: int = 1, columns: int = 1) -> tuple[Any, Any]:
    import matplotlib as mpl

    mpl.use("Agg")
    mpl.rcParams.update(_STYLE)
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(rows, columns, figsize=(width, height), layout="constrained")
    return figure, axes


def _save(figure: Any, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    for suffix in ("png", "svg"):
        metadata = {"Date": None} if suffix == "svg" else {"Software": None}
        figure.savefig(path.with_suffix(f".{suffix}"), dpi=110, metadata=metadata)
