"""Calibrates and measures the warnings: `python -m tests.bench.rejections FILE [--fit]`.

FILE holds projects, each with a memory and probes (an intent, an entry to be logged, a command, an
edit or a line of a manifest) and the entries that each probe should bring up. The features are
weighed by a logistic regression for each channel; figures are of projects left out of the fit, and
``--fit`` writes ``mind/matching/weights.toml`` from all of them.
"""

import json
import statistics
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from mind.text.matching import acts, candidates, score

CHANNELS = ("prose", "command", "code", "install")
STRENGTH = 1.0
INTERRUPTING, RELATED = 0.02, 0.92
"""Share of harmless probes that may be warned of, and of the others that are to be shown one."""

Probe = Mapping[str, Any]


def act_of(probe: Probe) -> acts.Act:
    """What a probe does."""
    if "command" in probe:
        return acts.of_command(probe["command"])
    if "edit" in probe:
        edit = probe["edit"]
        return acts.of_edit(edit["path"], edit["new"], edit.get("old", ""))
    return acts.of_prose(probe["text"], repeats=probe["via"] == "log-rejected")


class Case:
    """A probe and the rejections that it shares anything with."""

    def __init__(self, project: str, at: int, probe: Probe, rows: Sequence[candidates.Row]) -> None:
        self.project, self.at, self.probe = project, at, probe
        self.act = act_of(probe)
        found = [] if self.act.is_silent else [score.compare(self.act, row) for row in rows]
        self.met = [one for one in found if one is not None]
        self.candidates = len(rows)


Named = tuple[str, str, str]


def cases(data: Mapping[str, Any], further: Sequence[Named] = ()) -> list[Case]:
    """All probes of a file, with ``further`` entries of other projects in each memory."""
    found = []
    for project in data["projects"]:
        entries = [(one["id"], one["kind"], one["text"]) for one in project["memory"]]
        own = {text for _, _, text in entries}
        entries += [(f"+{name}", kind, text) for name, kind, text in further if text not in own]
        rarity = candidates.Rarity(text for _, _, text in entries)
        rows = candidates.rows_of(entries, rarity)
        found += [Case(project["id"], at, one, rows) for at, one in enumerate(project["probes"])]
    return found


def fit(known: Iterable[Case]) -> dict[str, Any]:
    """What each feature is worth, and a base for each channel."""
    values, right = [], []
    for case in known:
        if case.probe["severity"] != "must":
            continue
        for one in case.met:
            values.append(_vector(one, case.act.channel))
            right.append(one.row["id"] in case.probe["expect"])
            if case.act.channel == "install":  # what is installed is imported next
                values.append(_vector(_imported(one), "code"))
                right.append(one.row["id"] in case.probe["expect"])
    model = LogisticRegression(C=STRENGTH, max_iter=2000, fit_intercept=False)
    model.fit(np.array(values), np.array(right))
    size, named = len(score.FEATURES), [round(float(one), 3) for one in model.coef_[0]]
    table: dict[str, Any] = {"size": SIZE, "worth": dict(zip(score.FEATURES, named, strict=False))}
    bases = named[size : size + len(CHANNELS)]
    table["base"] = dict(zip(CHANNELS, [5 * one for one in bases], strict=True))
    for at, channel in enumerate(CHANNELS):
        begin = size + len(CHANNELS) + at * size
        own = [round(OWN * one, 3) for one in named[begin : begin + size]]
        table[channel] = dict(zip(score.FEATURES, own, strict=False))
    return table


FURTHER = Path(__file__).with_name("rejections_further.json")
WEIGHTS = Path(score.__file__).with_name("weights.toml")
SIZE = 0.1
"""How much the odds fall, by the logarithm of how many times ten candidates there are."""
OWN = 0.5
"""How freely the worth of a feature differs between channels."""


def _imported(one: score.Met) -> score.Met:
    """The same where code imports the package: its words are there too."""
    package = one.values["package"]
    said = {"best": max(one.values["best"], 1.0 if package else 0.0)}
    return score.Met(one.row, one.why, one.values | said)


def _vector(one: score.Met, channel: str) -> list[float]:
    shared = [one.values[name] for name in score.FEATURES]
    base = [5.0 * (channel == name) for name in CHANNELS]
    own = [OWN * value * (channel == name) for name in CHANNELS for value in shared]
    return [*shared, *base, *own]


def judged(case: Case, table: Mapping[str, Any]) -> list[score.Met]:
    """The rejections of a case by the weights of a table, surest first."""
    fresh = [score.Met(one.row, one.why, one.values) for one in case.met]
    if fresh:
        score.judge(fresh, case.act.channel, dict(table), case.candidates)
    best = {one.row["id"]: one for one in sorted(fresh, key=lambda one: one.score)}
    return sorted(best.values(), key=lambda one: -one.score)


def thresholds(known: Iterable[Case], table: Mapping[str, Any]) -> tuple[float, float]:
    """The least scores of what interrupts, and of what is shown to who asked."""
    harmless, repeated = [], []
    for case in known:
        if case.probe["severity"] == "must":
            met = judged(case, table)
            if case.probe["expect"]:
                right = (one.score for one in met if one.row["id"] in case.probe["expect"])
                repeated.append(max(right, default=0.0))
            else:
                harmless.append(met[0].score if met else 0.0)
    harmless.sort(reverse=True)
    repeated.sort(reverse=True)
    least = harmless[int(INTERRUPTING * len(harmless))] + 0.001
    return least, repeated[int(RELATED * len(repeated))]


def report(told: Sequence[tuple[Case, Sequence[score.Met]]], title: str) -> None:
    """Recall and false alarms, in all and by interface."""
    rows: dict[str, Counter[str]] = defaultdict(Counter)
    for case, warned in told:
        if case.probe["severity"] != "must":
            continue
        expected = set(case.probe["expect"])
        ids = {one.row["id"].partition("#")[0] for one in warned}
        for key in ("all", case.probe["via"]):
            rows[key]["pos" if expected else "neg"] += 1
            if expected:
                rows[key]["hit"] += bool(ids & expected)
                rows[key]["wrong"] += bool(ids and not ids & expected)
            else:
                rows[key]["alarm"] += bool(ids)
            rows[key]["ids"] += len(ids)
    print(f"\n{title}")
    for key, one in rows.items():
        recall = one["hit"] / one["pos"] if one["pos"] else 0
        alarms = one["alarm"] / one["neg"] if one["neg"] else 0
        hits, harmless = f"{one['hit']:3}/{one['pos']:<3}", f"{one['alarm']:2}/{one['neg']:<3}"
        print(f"  {key:14} {hits} recall {recall:.2f}  alarms {harmless} {alarms:.3f}")


Fold = tuple[Case, list[score.Met], tuple[float, float], dict[str, Any]]


def left_out(known: Sequence[Case]) -> list[Fold]:
    """Each case judged by what the other projects tell, with their threshold and weights."""
    told: list[Fold] = []
    for project in dict.fromkeys(case.project for case in known):
        others = [case for case in known if case.project != project]
        table = fit(others)
        least = thresholds(others, table)
        own = (case for case in known if case.project == project)
        told += [(case, judged(case, table), least, table) for case in own]
    return told


def named(paths: Iterable[str]) -> list[Named]:
    """The entries of all projects in files; of a plain list of kinds and texts, too."""
    found = []
    for path in paths:
        data = json.loads(Path(path).read_text("utf-8"))
        projects = data["projects"] if isinstance(data, dict) else [{"id": path, "memory": data}]
        for project in projects:
            found += [(f"{project['id']}/{at}", one["kind"], one["text"])
                      for at, one in enumerate(project["memory"])]  # fmt: skip
    return found


def shown(met: Iterable[score.Met], least: float) -> list[score.Met]:
    """Those of a score, two at most."""
    return [one for one in met if one.score >= least][:2]


def crowded(data: Mapping[str, Any], folds: Sequence[Fold], among: Sequence[str]) -> None:
    """Print the figures where other projects' entries are in each memory."""
    crowd = {(one.project, one.at): one for one in cases(data, named(among))}
    size = statistics.median(one.candidates for one in crowd.values())
    for at, title in enumerate(("interrupting", "with perhaps related")):
        told = []
        for case, _, least, table in folds:
            one = crowd[case.project, case.at]
            told.append((one, shown(judged(one, table), least[at])))
        report(told, f"{title}, among {size:.0f} rejections")


def measure(path: Path, among: Sequence[str] = ()) -> list[Case]:
    """Print the figures of a file, its projects left out one by one, and give its cases."""
    data = json.loads(path.read_text("utf-8"))
    known = cases(data)
    folds = left_out(known)
    for at, title in enumerate(("interrupting", "with perhaps related")):
        report([(case, shown(met, least[at])) for case, met, least, _ in folds], title)
    if among:
        crowded(data, folds, among)
    if "--detail" in sys.argv:
        detail([(case, shown(met, least[0])) for case, met, least, _ in folds])
    return known


def main() -> None:
    """Print the figures of a file and of others; write the weights with ``--fit``."""
    among = [one.partition("=")[2] for one in sys.argv if one.startswith("--among=")]
    path, *others = [one for one in sys.argv[1:] if not one.startswith("--")]
    known = measure(Path(path), among)
    table = fit(known)
    least = thresholds(known, table)
    for other in others:
        more = cases(json.loads(Path(other).read_text("utf-8")))
        for at, title in enumerate(("interrupting", "with perhaps related")):
            seen = [(case, shown(judged(case, table), least[at])) for case in more]
            report(seen, f"{other}, {title}")
        known += more
    if "--fit" in sys.argv:
        table = fit(known)
        write(table, thresholds(known, table))


def write(table: Mapping[str, Any], least: tuple[float, float]) -> None:
    """Write the weights that ship."""
    lines = [
        "# Written by tests/bench/rejections.py from probes of sixteen projects.",
        f"least = {least[0]:.3f}",
        f"related = {least[1]:.3f}",
        f"size = {table['size']}",
    ]
    for name, values in table.items():
        if isinstance(values, dict):
            lines += ["", f"[{name}]", *(f"{key} = {value:.3f}" for key, value in values.items())]
    WEIGHTS.write_text("\n".join(lines) + "\n", "utf-8")


def detail(told: Sequence[tuple[Case, Sequence[score.Met]]]) -> None:
    """Print each probe that went wrong."""
    score_table = candidates.weights()
    for case, warned in told:
        expected = set(case.probe["expect"])
        ids = {one.row["id"] for one in warned}
        if case.probe["severity"] != "must" or (ids & expected if expected else not ids):
            continue
        body = case.probe.get("text") or case.probe.get("command") or case.probe["edit"]
        print(f"{case.project} {case.at} {case.probe['via']} {case.probe['tag']} {expected} {body}")
        for one in judged(case, score_table)[:3]:
            print(f"     {one.row['id']} {one.score:.2f} {one.why} "
                  f"{ {k: round(v, 2) for k, v in one.values.items() if v} }")  # fmt: skip


if __name__ == "__main__":
    main()
