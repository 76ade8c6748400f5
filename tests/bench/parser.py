"""Precision, recall and kinds of the parser, and the table of what it misses.

``python tests/bench/parser.py``      on the project's own cases
``python tests/bench/parser.py DIR``  on a folder with ``GOLD.json`` and its Markdown files
"""

import json
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from mind.documents import parser
from mind.domain.settings import Settings

CASES = Path(__file__).parent / "parser_cases"
_LABEL = re.compile(r"\s*⟦(\w+)⟧$")


@dataclass
class Labelled:
    """A file with what a reader found in it.

    Attributes:
        wanted: (first line, last line, kind, accepted kinds) of each entry.
        ignored: (first line, last line) of what readers may differ about.
        scope: (first line, last line) of the parts that were labelled.
    """

    name: str
    text: str
    wanted: list[tuple[int, int, str, frozenset[str]]]
    ignored: list[tuple[int, int]] = field(default_factory=list)
    scope: list[tuple[int, int]] = field(default_factory=lambda: [(1, 10**9)])


@dataclass
class Score:
    """Counts over one or more files."""

    wanted: int = 0
    found: int = 0
    kind: int = 0
    false: int = 0
    missed: list[str] = field(default_factory=list)

    def add(self, other: "Score") -> None:
        """Count ``other`` too."""
        self.wanted += other.wanted
        self.found += other.found
        self.kind += other.kind
        self.false += other.false
        self.missed += other.missed

    @property
    def f1(self) -> float:
        """Harmonic mean of entry precision and recall."""
        return 2 * self.found / max(1, self.found + self.false + self.wanted)

    def __str__(self) -> str:
        precision = self.found / max(1, self.found + self.false)
        recall = self.found / max(1, self.wanted)
        return (
            f"precision {precision:.3f}  recall {recall:.3f}  F1 {self.f1:.3f}  "
            f"kind {self.kind / max(1, self.found):.3f}  of {self.wanted} entries"
        )


def own_cases() -> Iterator[Labelled]:
    """The project's cases: ``⟦kind⟧`` ends the first line of each entry."""
    for path in sorted(CASES.glob("*.md")):
        lines, wanted = [], []
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
            label = _LABEL.search(line)
            lines.append(line[: label.start()] if label else line)
            if label:
                wanted.append((number, number, label.group(1), frozenset[str]()))
        yield Labelled(path.name, "\n".join(lines), wanted)


def gold(folder: Path) -> Iterator[Labelled]:
    """The files of ``folder`` that its ``GOLD.json`` labels."""
    files = json.loads((folder / "GOLD.json").read_text(encoding="utf-8"))["files"]
    for name, one in files.items():
        sure = [entry for entry in one["entries"] if entry["confidence"] != "low"]
        unsure = [entry for entry in one["entries"] if entry["confidence"] == "low"]
        yield Labelled(
            name,
            (folder / name).read_text(encoding="utf-8"),
            [(e["line"], e["end"], e["kind"], frozenset(e["also"])) for e in sure],
            [(e["line"], e["end"]) for e in unsure],
            [tuple(part) for part in one["scope"]],
        )


def score(case: Labelled) -> Score:
    """Compare what the parser finds in ``case`` with its labels."""
    found = parser.parse(case.text.encode(), case.name.split("__")[-1], Settings())
    at = [(entry.line, entry.kind.value, entry.text) for entry in found]
    result = Score(wanted=len(case.wanted))
    used: set[int] = set()
    for first, last, kind, accepted in case.wanted:
        hits = [(line, own) for line, own, _ in at if first <= line <= last]
        used |= {line for line, _ in hits}
        if not hits:
            result.missed.append(f"{case.name}:{first} missed {kind}")
            continue
        result.found += 1
        if any(own == kind for _, own in hits):
            result.kind += 1
        else:
            note = " (accepted)" if any(own in accepted for _, own in hits) else ""
            result.missed.append(f"{case.name}:{first} {kind} read as {hits[0][1]}{note}")
    for line, kind, text in at:
        if kind == "note":
            continue  # claims no kind: it says only that something is stated
        if line not in used and _within(line, case.scope) and not _within(line, case.ignored):
            result.false += 1
            result.missed.append(f"{case.name}:{line} false {kind}: {text[:60]}")
    return result


def _within(line: int, parts: Iterable[tuple[int, int]]) -> bool:
    return any(first <= line <= last for first, last in parts)


def main(arguments: list[str]) -> None:
    """Print a line for each file, the total and what was missed."""
    cases = gold(Path(arguments[0])) if arguments else own_cases()
    total = Score()
    for case in cases:
        one = score(case)
        print(f"{case.name[:48]:48} {one}")
        total.add(one)
    print(f"{'total':48} {total}")
    print("\n".join(total.missed) or "nothing missed")


if __name__ == "__main__":
    main(sys.argv[1:])
