"""Calibrates and measures the warnings: `python -m tests.bench.rejections [FILE …] [options]`.

A file holds projects, each with a memory and probes (an intent, an entry to be logged, a command,
an edit or a line of a manifest) and the entries that each probe should bring up. The features are
weighed by a logistic regression, and the thresholds are those of projects left out of the fit.
Where somebody who had not seen the probes gave the entries keywords, in
rejections_keywords.json, each probe is judged without and with them.

    --held=FILE     score a file that nobody has read: by interface and by kind, no text
    --among=FILE    the same with the entries of other projects in each memory
    --model=FOLDER  the same with the embedding model of a folder of models
    --fit           write mind/data/matching/weights.toml from all files but the held ones (with
                    --model, which the weight of meaning needs)
    --detail        print each probe that went wrong
"""

import json
import math
import statistics
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

import mind
from mind.domain.settings import Settings
from mind.search.embedding import open_embedder
from mind.text.matching import acts, candidates, score
from tests import catalogue

FEATURES = (
    "package", "part", "exact", "best", "head", "all", "mass", "several", "condition", "remedy",
    "concept", "share", "gotcha", "tests", "rather", "keyword", "listed",
)  # fmt: skip
"""Names of the values of a match (:func:`score.compare`), in the order in which they are fitted."""
CHANNELS = ("prose", "repeat", "command", "code", "install")
STRENGTH = 1.0
INTERRUPTING = {"prose": 0.07, "repeat": 0.2, "command": 0.04, "code": 0.07, "install": 0.04}
"""Share of harmless probes of projects left out that may be warned of; with less than twenty, one
is a larger share."""
RELATED = 0.14
"""Share of unrelated probes at which something may be shown as perhaps related."""
MEANT = 0.1
"""The same of prose, with an embedding model."""
LEAST = 0.7
"""The score that interrupts: the base of each channel is set so that it does."""

KEYWORDS: dict[str, dict[str, str]] = json.loads(
    Path(__file__).with_name("rejections_keywords.json").read_text("utf-8")
)
"""Keywords by project and entry, separated by commas."""

DATA = [str(Path(__file__).with_name(f"rejections_{one}.json")) for one in ("further", "unseen")]
"""The files used where none is given."""

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

    def __init__(
        self,
        project: str,
        at: int,
        probe: Probe,
        rows: Sequence[candidates.Row],
        *,
        has_keywords: bool = False,
    ) -> None:
        self.project, self.at, self.probe = project, at, probe
        self.has_keywords = has_keywords
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
        named = KEYWORDS.get(project["id"], {})
        given = {identifier: said.split(", ") for identifier, said in named.items()}
        for keywords in ({}, given) if given else ({},):
            rows = catalogue.rows(entries, keywords=keywords)
            found += [
                Case(project["id"], at, one, rows, has_keywords=bool(keywords))
                for at, one in enumerate(project["probes"])
            ]
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
    size, named = len(FEATURES), [round(float(one), 3) for one in model.coef_[0]]
    table: dict[str, Any] = {
        "size": SIZE,
        "crowd": CROWD,
        "worth": dict(zip(FEATURES, named, strict=False)),
    }
    bases = named[size : size + len(CHANNELS)]
    table["base"] = dict(zip(CHANNELS, [5 * one for one in bases], strict=True))
    for at, channel in enumerate(CHANNELS):
        begin = size + len(CHANNELS) + at * size
        own = [round(OWN * one, 3) for one in named[begin : begin + size]]
        table[channel] = dict(zip(FEATURES, own, strict=False))
    return table


WEIGHTS = Path(mind.__file__).parent / "data" / "matching" / "weights.toml"
SIZE, CROWD = 0.15, 0.4
"""How much the odds fall, by the logarithm of how many times ten candidates there are; and how
much more they are to be for what may be related."""
OWN = 0.5
"""How freely the worth of a feature differs between channels."""


def _imported(one: score.Met) -> score.Met:
    """The same where code imports the package: its words are there too."""
    package = one.values["package"]
    said = {"best": max(one.values["best"], 1.0 if package else 0.0)}
    return score.Met(one.row, one.why, one.values | said)


def _vector(one: score.Met, channel: str) -> list[float]:
    shared = [one.values[name] for name in FEATURES]
    base = [5.0 * (channel == name) for name in CHANNELS]
    own = [OWN * value * (channel == name) for name in CHANNELS for value in shared]
    return [*shared, *base, *own]


def judged(case: Case, table: Mapping[str, Any]) -> list[score.Met]:
    """The rejections of a case by the weights of a table, surest first."""
    fresh = [score.Met(one.row, one.why, one.values) for one in case.met]
    for one, before in zip(fresh, case.met, strict=True):
        one.is_beside = before.is_beside
    if fresh:
        score.judge(fresh, case.act.channel, dict(table), case.candidates)
    best = {one.row["id"]: one for one in sorted(fresh, key=lambda one: one.score)}
    return sorted(best.values(), key=lambda one: -one.score)


Fold = tuple[Case, list[score.Met], dict[str, Any]]


def calibrated(told: Sequence[Fold], table: dict[str, Any]) -> dict[str, Any]:
    """A table whose bases let ``LEAST`` interrupt as rarely as is wanted, by projects left out.

    Entries with keywords have a base of their own: the worth of "listed" in each channel.
    """
    shifts = _shifts([(case, met) for case, met, _ in told if not case.has_keywords])
    base = {name: round(value + shifts.get(name, 0.0), 3) for name, value in table["base"].items()}
    shifted = table | {"base": base, "least": LEAST}
    named = [
        (case, judged(case, each | {"base": _moved(each["base"], shifts)}))
        for case, _, each in told
        if case.has_keywords
    ]
    for channel, shift in _shifts(named).items():
        listed = round(table[channel]["listed"] + shift, 3)
        shifted[channel] = table[channel] | {"listed": listed}
    unrelated = sorted(
        (
            max((one.score for one in judged(case, shifted)), default=0.0)
            for case, _, _ in told
            if case.probe["tag"] == "unrel" and not case.has_keywords
        ),
        reverse=True,
    )
    at = math.floor(RELATED * len(unrelated))
    return shifted | {"related": round(max(unrelated[at], 0.03) + 0.001, 3)}


def _moved(base: Mapping[str, float], shifts: Mapping[str, float]) -> dict[str, float]:
    return {name: value + shifts.get(name, 0.0) for name, value in base.items()}


def _shifts(told: Iterable[tuple[Case, Sequence[score.Met]]]) -> dict[str, float]:
    """What each channel adds to its base so that ``LEAST`` interrupts as rarely as is wanted."""
    harmless: dict[str, list[float]] = defaultdict(list)
    for case, met in told:
        if case.probe["severity"] == "must" and not case.probe["expect"]:
            harmless[case.act.channel].append(met[0].score if met else 0.0)
    found = {}
    for channel, scores in harmless.items():
        scores.sort(reverse=True)
        least = scores[math.floor(INTERRUPTING[channel] * len(scores))] + 0.001
        found[channel] = _odds(LEAST) - _odds(min(0.97, max(0.4, least)))
    return found


def _odds(share: float) -> float:
    return math.log(share / (1 - share))


Leads = Mapping[tuple[str, int], Mapping[str, float]]


def leads(files: Iterable[Mapping[str, Any]], folder: Path) -> Leads:
    """The leads of the entries in meaning (see `score.weigh_meaning`), by prose probe."""
    model = open_embedder(Settings(), folder)
    assert model is not None, f"no model in {folder}"
    found = {}
    for project in (one for data in files for one in data["projects"]):
        ids = [one["id"] for one in project["memory"]]
        texts = _embedded(model, [one["text"] for one in project["memory"]])
        said = [(at, one["text"]) for at, one in enumerate(project["probes"]) if "text" in one]
        cosines = texts @ _embedded(model, [text for _, text in said]).T
        for (at, _), near in zip(said, cosines.T, strict=True):
            best = near.max()
            second = np.partition(near, -2)[-2]
            found[project["id"], at] = {
                one: float(near[row] - (second if near[row] == best else best))
                for row, one in enumerate(ids)
            }
    return found


def _embedded(model: Any, texts: Sequence[str]) -> Any:
    made = np.vstack([model.embed([one]) for one in texts])
    return made / np.linalg.norm(made, axis=1, keepdims=True)


def fit_meaning(told: Sequence[tuple[Case, list[score.Met]]], near: Leads) -> dict[str, float]:
    """What a lead in meaning is worth beside a score."""
    values, right = [], []
    for case, met in told:
        for one in met if (case.project, case.at) in near else ():
            values.append([_odds(one.score), near[case.project, case.at][one.row["id"]]])
            right.append(one.row["id"] in case.probe["expect"])
    model = LogisticRegression(C=100.0, max_iter=2000).fit(np.array(values), np.array(right))
    (by_score, by_lead), base = model.coef_[0], model.intercept_[0]
    return {"base": float(base), "score": float(by_score), "lead": float(by_lead)}


def meant(
    told: Sequence[tuple[Case, list[score.Met]]], near: Leads, table: Mapping[str, Any]
) -> list[tuple[Case, list[score.Met]]]:
    """The cases with the scores that an embedding model corrects."""
    found = []
    for case, met in told:
        fresh = [score.Met(one.row, one.why, one.values) for one in met]
        for one, before in zip(fresh, met, strict=True):
            one.score = before.score
        score.weigh_meaning(fresh, dict(near.get((case.project, case.at), {})), dict(table))
        found.append((case, sorted(fresh, key=lambda one: -one.score)))
    return found


def with_meaning(
    own: Sequence[tuple[Case, list[score.Met]]], near: Leads
) -> tuple[dict[str, float], list[tuple[Case, list[score.Met]]]]:
    """The weights of meaning, and each case by those of the other projects."""
    told = []
    for project in dict.fromkeys(case.project for case, _ in own):
        others = fit_meaning([one for one in own if one[0].project != project], near)
        mine = [one for one in own if one[0].project == project]
        told += meant(mine, near, {"meaning": others, "least": LEAST})
    harmless = sorted(
        (
            met[0].score if met else 0.0
            for case, met in told
            if (case.project, case.at) in near
            and case.probe["severity"] == "must"
            and not case.probe["expect"]
        ),
        reverse=True,
    )
    least = harmless[math.floor(MEANT * len(harmless))] + 0.001
    shift = _odds(LEAST) - _odds(min(0.97, max(0.4, least)))
    for case, met in told:
        for one in met if (case.project, case.at) in near else ():
            one.score = 1 / (1 + math.exp(-_odds(one.score) - shift))
    table = fit_meaning(own, near)
    return table | {"base": table["base"] + shift}, told


def report(told: Sequence[tuple[Case, Sequence[score.Met]]], title: str) -> None:
    """Print recall and false alarms, in all, by interface and by kind of probe."""
    rows: dict[str, Counter[str]] = defaultdict(Counter)
    for case, warned in told:
        if case.probe["severity"] != "must":
            continue
        expected = set(case.probe["expect"])
        ids = {one.row["id"] for one in warned}
        for key in ("all", f"via {case.probe['via']}", f"tag {case.probe['tag']}"):
            rows[key]["pos" if expected else "neg"] += 1
            if expected:
                rows[key]["hit"] += bool(ids & expected)
            else:
                rows[key]["alarm"] += bool(ids)
    print(f"\n{title}")
    for key, one in sorted(rows.items()):
        recall = one["hit"] / one["pos"] if one["pos"] else 0
        alarms = one["alarm"] / one["neg"] if one["neg"] else 0
        hits, harmless = f"{one['hit']:3}/{one['pos']:<3}", f"{one['alarm']:2}/{one['neg']:<3}"
        print(f"  {key:20} {hits} recall {recall:.2f}  alarms {harmless} {alarms:.3f}")


def left_out(known: Sequence[Case]) -> list[Fold]:
    """Each case judged by what the other projects tell, with their weights."""
    told: list[Fold] = []
    for project in dict.fromkeys(case.project for case in known):
        table = fit(case for case in known if case.project != project)
        own = (case for case in known if case.project == project)
        told += [(case, judged(case, table), table) for case in own]
    return told


def named(paths: Iterable[str]) -> list[Named]:
    """The entries of all projects in files."""
    found = []
    for path in paths:
        for project in json.loads(Path(path).read_text("utf-8"))["projects"]:
            found += [(f"{project['id']}/{at}", one["kind"], one["text"])
                      for at, one in enumerate(project["memory"])]  # fmt: skip
    return found


def shown(met: Iterable[score.Met], least: float) -> list[score.Met]:
    """Those of a score, two at most."""
    return [one for one in met if one.score >= least][:2]


def both(told: Sequence[tuple[Case, list[score.Met]]], table: Mapping[str, Any], name: str) -> None:
    """Print what interrupts, and what is shown where somebody asked."""
    named = [one for one in told if one[0].has_keywords]
    if named and len(named) < len(told):
        both([one for one in told if not one[0].has_keywords], table, name)
        both(named, table, f"{name}, with keywords")
        return
    least = table["least"]
    report([(case, shown(met, least)) for case, met in told], f"{name}, interrupting")
    related = [
        (case, shown(met, score.least_related(dict(table), case.candidates))) for case, met in told
    ]
    report(related, f"{name}, with perhaps related")


def main(given: Sequence[str]) -> None:
    """Print the figures of the files, and of the others; write the weights with ``--fit``."""
    options = [one.partition("=")[::2] for one in given if one.startswith("--")]
    paths = [one for one in given if not one.startswith("--")] or DATA
    data = {path: json.loads(Path(path).read_text("utf-8")) for path in paths}
    known = [case for one in data.values() for case in cases(one)]
    told = left_out(known)
    table = calibrated(told, fit(known))
    before = fit(known)
    shift = {one: table["base"][one] - before["base"][one] for one in CHANNELS}
    listed = {one: table[one]["listed"] - before[one]["listed"] for one in CHANNELS}
    own = [(case, judged(case, _calibrated_as(each, shift, listed))) for case, _, each in told]
    both(own, table, "left out")
    models = [Path(path) for option, path in options if option == "--model"]
    for model in models:
        table["meaning"], own_meant = with_meaning(own, leads(data.values(), model))
        both(own_meant, table, "left out, with the model")
    crowd = named([path for option, path in options if option == "--among"])
    if crowd:
        crowded = [case for one in data.values() for case in cases(one, crowd)]
        size = statistics.median(one.candidates for one in crowded)
        both([(case, judged(case, table)) for case in crowded], table, f"fitted, among {size:.0f}")
    for path in (path for option, path in options if option == "--held"):
        more = json.loads(Path(path).read_text("utf-8"))
        held = [(case, judged(case, table)) for case in cases(more)]
        both(held, table, "held out")
        for model in models:
            both(meant(held, leads([more], model), table), table, "held out, with the model")
    if "--detail" in given:
        detail([(case, shown(met, table["least"])) for case, met in own])
    if "--fit" in given:
        if not models:
            sys.exit("--fit needs --model=FOLDER, a folder of models as ~/.mind")
        write(table)


def _calibrated_as(
    table: Mapping[str, Any], shift: Mapping[str, float], listed: Mapping[str, float]
) -> dict[str, Any]:
    """The table of the other projects with the bases that the calibration gave."""
    own = {one: table[one] | {"listed": table[one]["listed"] + listed[one]} for one in CHANNELS}
    return dict(table) | own | {"base": _moved(table["base"], shift)}


def write(table: Mapping[str, Any]) -> None:
    """Write the weights that ship."""
    lines = ["# Written by tests/bench/rejections.py."]
    lines += [f"{key} = {table[key]}" for key in ("least", "related", "size", "crowd")]
    for name, values in table.items():
        if isinstance(values, dict):
            lines += ["", f"[{name}]", *(f"{key} = {value:.3f}" for key, value in values.items())]
    WEIGHTS.write_text("\n".join(lines) + "\n", "utf-8")


def detail(told: Sequence[tuple[Case, Sequence[score.Met]]]) -> None:
    """Print each probe that went wrong."""
    for case, warned in told:
        expected = set(case.probe["expect"])
        ids = {one.row["id"] for one in warned}
        if case.probe["severity"] != "must" or (ids & expected if expected else not ids):
            continue
        body = case.probe.get("text") or case.probe.get("command") or case.probe["edit"]
        print(f"{case.project} {case.at} {case.probe['via']} {case.probe['tag']} {expected} {body}")
        for one in judged(case, candidates.weights())[:3]:
            print(f"     {one.row['id']} {one.score:.2f} {one.why} "
                  f"{ {k: round(v, 2) for k, v in one.values.items() if v} }")  # fmt: skip


if __name__ == "__main__":
    print(__doc__) if "--help" in sys.argv else main(sys.argv[1:])
