"""Decide which entries of a memory a prompt is about: fit the weights, and measure them.

    python -m tests.bench.prompts PROMPTS.json MEMORIES.json FOREIGN.json

PROMPTS and MEMORIES are projects with prompts and the entries that should be shown with each;
FOREIGN holds other texts, of which 1,000 are added to each memory for the second half of the
table. Every figure of a project comes from weights and a threshold that were fitted without it,
and that of ``prompt_cases.toml``, which no fit ever saw, is told apart.
"""

import json
import random
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mind.domain.entry import Entry, Kind, parse_kind
from mind.hooks import matching

OWN = Path(__file__).with_name("prompt_cases.toml")
FOREIGN = 1_000
MOST = 3
PRECISION, ALARMS = 0.85, 0.06
"""Demanded of the projects that a threshold is chosen on, stricter than what is to be reached."""
KINDS = (Kind.DECISION, Kind.GOTCHA, Kind.REJECTED, Kind.LEARNING, Kind.PROGRESS, Kind.NOTE)
_WORDS = {"décision": "decision", "rechazado": "rejected", "decidido": "decision",
          "aprendido": "learning", "nota": "note"}  # fmt: skip

Signals = tuple[float, ...]


@dataclass(frozen=True)
class Case:
    """A prompt with its candidates: the signals of each, and whether it may be shown."""

    project: str
    kind: str
    wanted: frozenset[str]
    right: frozenset[str]
    candidates: Sequence[tuple[Signals, str]]


@dataclass(frozen=True)
class Project:
    """A memory and its prompts."""

    name: str
    memory: Sequence[Entry]
    prompts: Sequence[dict[str, Any]]

    def cases(self, foreign: Sequence[Entry] = ()) -> list[Case]:
        entries = [*self.memory, *foreign]
        matcher = matching.Matcher(matching.stored(entries, [""] * len(entries), ""))
        return [
            Case(
                self.name,
                one["kind"],
                frozenset(one["relevant"]),
                frozenset([*one["relevant"], *one["also"]]),
                [(signals, row["id"]) for signals, row in matcher.candidates(one["text"])],
            )
            for one in self.prompts
        ]


def developed(prompts: Path, memories: Path) -> list[Project]:
    """The projects of the evaluation data."""
    known = {one["id"]: one for one in json.loads(memories.read_text("utf-8"))["projects"]}
    return [
        Project(
            one["id"],
            [
                Entry(id=entry["id"], kind=Kind(entry["kind"]), text=entry["text"])
                for entry in known[one["id"]]["memory"]
            ],
            one["prompts"],
        )
        for one in json.loads(prompts.read_text("utf-8"))["projects"]
    ]


def own() -> list[Project]:
    """The projects beside this file; the last two prompts of each are generic."""
    return [
        Project(one["id"], list(_entries(one["memory"])), list(_prompts(one["prompts"])))
        for one in tomllib.loads(OWN.read_text("utf-8"))["project"]
    ]


def _entries(lines: Sequence[str]) -> Iterator[Entry]:
    for number, line in enumerate(lines, 1):
        kind, _, text = line.partition(": ")
        yield Entry(id=str(number), kind=parse_kind(_WORDS.get(kind, kind)), text=text)


def _prompts(prompts: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for at, one in enumerate(prompts):
        kind = "generic" if at >= len(prompts) - 2 else "unanswered"
        yield {
            "text": one["text"],
            "kind": "answered" if one["shown"] else kind,
            "relevant": [str(number) for number in one["shown"]],
            "also": [str(number) for number in one.get("also", ())],
        }


def foreign(project: Project, others: Sequence[Project], texts: Sequence[str]) -> list[Entry]:
    """1,000 entries of other memories: those of the other projects, and texts of any kind."""
    chance = random.Random(project.name)
    found = [
        Entry(id=f"{one.name}/{entry.id}", kind=entry.kind, text=entry.text)
        for one in others
        if one is not project
        for entry in one.memory
    ]
    more = chance.sample(list(texts), FOREIGN - len(found))
    return found + [
        Entry(id=f"foreign/{at}", kind=chance.choice(KINDS), text=text[:400])
        for at, text in enumerate(more)
    ]


def fitted(cases: Sequence[Case]) -> np.ndarray:
    """The weights of the signals, that of the first one 1."""
    from sklearn.linear_model import LogisticRegression

    rows = [(signals, name in one.right) for one in cases for signals, name in one.candidates]
    table = np.array([signals for signals, _ in rows])
    spread = table.std(axis=0)
    model = LogisticRegression(C=0.3).fit(table / spread, [right for _, right in rows])
    weights: np.ndarray = model.coef_[0] / spread
    weights /= weights[0]
    return weights


def shown(case: Case, weights: np.ndarray, threshold: float) -> list[str]:
    scored = sorted(((float(weights @ signals), name) for signals, name in case.candidates))
    return [name for score, name in reversed(scored) if score >= threshold][:MOST]


def counted(cases: Sequence[Case], weights: np.ndarray, threshold: float) -> Counter[str]:
    """What becomes of prompts: how many of each kind, entries shown, right ones, alarms."""
    counts: Counter[str] = Counter()
    for case in cases:
        names = shown(case, weights, threshold)
        counts[case.kind] += 1
        counts["shown"] += len(names)
        counts["right"] += len(case.right.intersection(names))
        counts["covered"] += bool(case.wanted.intersection(names))
        counts[f"{case.kind} shown"] += bool(names)
    return counts


def rates(counts: Counter[str]) -> tuple[float, float, float, float]:
    """Precision, answered prompts covered, unanswered and generic prompts with an entry."""
    return (
        counts["right"] / max(1, counts["shown"]),
        counts["covered"] / counts["answered"],
        counts["unanswered shown"] / counts["unanswered"],
        counts["generic shown"] / counts["generic"],
    )


def threshold_of(alone: Sequence[Case], among: Sequence[Case], weights: np.ndarray) -> float:
    """The lowest threshold that is precise enough on both."""
    for value in np.arange(10.0, 40.0, 0.25):
        found = [rates(counted(cases, weights, value)) for cases in (alone, among)]
        if all(one[0] >= PRECISION and one[2] <= ALARMS and not one[3] for one in found):
            return float(value)
    return 40.0


def main(prompts: Path, memories: Path, texts: Path) -> None:
    """Print the table, and the weights that all projects together give."""
    projects, mine = developed(prompts, memories), own()
    corpora = json.loads(texts.read_text("utf-8"))["corpora"]
    listed = [one["text"] for corpus in corpora for one in corpus["docs"]]
    alone = [case for one in projects for case in one.cases()]
    among = [case for one in projects for case in one.cases(foreign(one, projects, listed))]
    held: dict[str, list[Counter[str]]] = {"alone": [], "among 1,000": []}
    for project in projects:
        rest = [one for one in alone if one.project != project.name]
        more = [one for one in among if one.project != project.name]
        weights = fitted(rest + more)
        threshold = threshold_of(rest, more, weights)
        for name, some in zip(held, (alone, among), strict=True):
            left = [one for one in some if one.project == project.name]
            held[name].append(counted(left, weights, threshold))
    print(f"{'':28}precision  covered  unanswered  generic")
    for name, counts in held.items():
        _row(f"left out, {name}", sum(counts, Counter()))
    shipped = np.array(matching.WEIGHTS)
    for name, some in (("alone", alone), ("among 1,000", among)):
        _row(f"as shipped, {name}", counted(some, shipped, matching.THRESHOLD))
    for name, added in (("alone", False), ("among 1,000", True)):
        cases = [
            c for one in mine for c in one.cases(foreign(one, projects, listed) if added else ())
        ]
        _row(f"own, {name}", counted(cases, shipped, matching.THRESHOLD))
    weights = fitted(alone + among)
    print("weights", weights.round(2), "threshold", threshold_of(alone, among, weights))


def _row(name: str, counts: Counter[str]) -> None:
    precision, covered, unanswered, generic = rates(counts)
    right = f"{precision:.2f} ({counts['right']}/{counts['shown']})"
    print(f"{name:26}{right:>12}{covered:9.2f}{unanswered:12.3f}{generic:9.3f}")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:4]))
