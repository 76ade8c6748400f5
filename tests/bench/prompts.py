"""Decide which entry of a memory a prompt is about: fit the weights, and measure them.

    python -m tests.bench.prompts FOREIGN.json PROMPTS.json MEMORIES.json [PROMPTS MEMORIES]...

Each pair of PROMPTS and MEMORIES, by one author, is projects with prompts and the entries that
should be shown with each; three other authors' are in ``prompt_cases.toml`` and
``prompts_further.json``. FOREIGN holds other texts,
with which each memory is filled to 1,000 entries more for the second line of an author. The
figures of an author come from weights and a threshold that were fitted on all other authors:
people differ more in how they write prompts than their projects do.
"""

import json
import random
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mind.domain.entry import Entry, Kind, parse_kind
from mind.hooks import matching

OWN = Path(__file__).with_name("prompt_cases.toml")
FURTHER = Path(__file__).with_name("prompts_further.json")
FOREIGN = 1_000
MOST = 1
LIKELY = 0.75
"""Probability from which an entry is shown."""
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
    listed = json.loads(prompts.read_text("utf-8"))["projects"]
    return [_project(one, known[one["id"]]["memory"]) for one in listed]


def own() -> list[Project]:
    """The projects beside this file; the last two prompts of each are generic."""
    return [
        Project(one["id"], list(_entries(one["memory"])), list(_prompts(one["prompts"])))
        for one in tomllib.loads(OWN.read_text("utf-8"))["project"]
    ]


def further() -> list[list[Project]]:
    """The projects of two more authors, whose prompts nobody had read when the weights were fitted.

    Five of nine prompts without an entry share words with one, more than in the other sets.
    """
    authors = json.loads(FURTHER.read_text("utf-8"))["authors"]
    return [[_project(one, one["memory"]) for one in projects] for projects in authors]


def _project(given: Mapping[str, Any], memory: Sequence[Mapping[str, str]]) -> Project:
    entries = [Entry(id=one["id"], kind=Kind(one["kind"]), text=one["text"]) for one in memory]
    return Project(given["id"], entries, given["prompts"])


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


def fitted(authors: Sequence[Sequence[Case]]) -> tuple[np.ndarray, float]:
    """The weights of the signals and the threshold, from each prompt's strongest candidate.

    The other candidates are easy to tell; each author counts the same.
    """
    from sklearn.linear_model import LogisticRegression

    rows = [
        (signals, name in one.right, 1 / len(cases))
        for cases in authors
        for one in cases
        for signals, name in [max(one.candidates, key=_strength, default=(_NONE, ""))]
        if any(signals)
    ]
    table = np.array([signals for signals, _, _ in rows])
    spread, share = table.std(axis=0), np.array([share for _, _, share in rows])
    model = LogisticRegression(C=0.3)
    model.fit(table / spread, [right for _, right, _ in rows], share / share.mean())
    weights: np.ndarray = model.coef_[0] / spread
    return weights, float(np.log(LIKELY / (1 - LIKELY)) - model.intercept_[0])


_NONE = (0.0, 0.0, 0.0)


def _strength(candidate: tuple[Signals, str]) -> float:
    return sum(candidate[0])


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


def main(texts: Path, *pairs: Path) -> None:
    """Print the table, and the weights that all authors together give."""
    corpora = json.loads(texts.read_text("utf-8"))["corpora"]
    listed = [one["text"] for corpus in corpora for one in corpus["docs"]]
    read = [developed(*pair) for pair in zip(pairs[::2], pairs[1::2], strict=True)]
    authors = {f"author {at}": one for at, one in enumerate([*read, own(), *further()], 1)}
    known = [project for projects in authors.values() for project in projects]
    cases = {
        name: (
            [case for one in projects for case in one.cases()],
            [case for one in projects for case in one.cases(foreign(one, known, listed))],
        )
        for name, projects in authors.items()
    }
    print(f"{'':40}precision  covered  unanswered  generic")
    for name in authors:
        rest = [[*alone, *among] for other, (alone, among) in cases.items() if other != name]
        _rows(f"{name} left out", {name: cases[name]}, *fitted(rest))
    _rows("all, as shipped", cases, np.array(matching.WEIGHTS), matching.THRESHOLD)
    weights, threshold = fitted([[*alone, *among] for alone, among in cases.values()])
    print("weights", weights.round(3), "threshold", round(threshold, 2))


def _rows(
    name: str,
    cases: Mapping[str, tuple[Sequence[Case], Sequence[Case]]],
    weights: np.ndarray,
    threshold: float,
) -> None:
    for place, said in enumerate(("alone", "among 1,000")):
        some = [case for both in cases.values() for case in both[place]]
        _row(f"{name}, {said}", counted(some, weights, threshold))


def _row(name: str, counts: Counter[str]) -> None:
    precision, covered, unanswered, generic = rates(counts)
    right = f"{precision:.2f} ({counts['right']}/{counts['shown']})"
    print(f"{name:38}{right:>12}{covered:9.2f}{unanswered:12.3f}{generic:9.3f}")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
