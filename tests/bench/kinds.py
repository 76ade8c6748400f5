"""Measure the kinds of statements without a label: `python -m tests.bench.kinds [FILE …]`.

Each FILE is JSON Lines: ``text``, ``kind`` and ``also`` (kinds that a reader would accept), written
by people who had not seen the parser; without one those of ``tests/bench/kinds`` are taken. A
statement is read as an item of a list of notes, and has a kind only if a phrase in it tells one.
With `--phrases`, each phrase that several statements have is listed with its share of right kinds.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from mind.documents import parser
from mind.domain.settings import Settings

OWN = Path(__file__).with_name("kinds")
FEWEST = 5
"""Fewest statements with a phrase that is listed."""


@dataclass(frozen=True)
class Read:
    """The kind of a statement, other kinds that a reader would accept, what was told, and why."""

    kind: str
    also: frozenset[str]
    told: str
    why: str

    @property
    def is_right(self) -> bool:
        """Whether a reader would accept what was told."""
        return self.told in {self.kind, *self.also}


def read(paths: Sequence[Path]) -> Iterator[Read]:
    """Read the statements of all files as the parser does."""
    for path in paths:
        for line in path.read_text("utf-8").splitlines():
            row = json.loads(line)
            text = f"# Notes\n\n- {' '.join(row['text'].split())}\n"
            found = parser.parse(text.encode(), "notes.md", Settings())
            told, why = (found[0].kind.value, found[0].why) if found else ("note", "")
            yield Read(row["kind"], frozenset(row.get("also") or ()), told, why.lower())


def main() -> None:
    """Print a row for each kind, and for each phrase with `--phrases`."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("files", nargs="*", type=Path, metavar="FILE")
    arguments.add_argument("--phrases", action="store_true", help="List phrases.")
    asked = arguments.parse_args()
    found = list(read(asked.files or sorted(OWN.glob("*.jsonl"))))
    print(f"{'':12}{'texts':>8}{'told':>8}{'right':>8}{'found':>8}")
    for kind in sorted({one.kind for one in found}):
        told = [one for one in found if one.told == kind]
        right = sum(one.is_right for one in told) / max(1, len(told))
        having = [one for one in found if one.kind == kind]
        share = sum(one.told == kind for one in having) / len(having)
        print(f"{kind:12}{len(having):8}{len(told):8}{right:8.2f}{share:8.2f}")
    if asked.phrases:
        counts = Counter((one.told, one.why) for one in found)
        right_ones = Counter((one.told, one.why) for one in found if one.is_right)
        for (kind, why), count in counts.most_common():
            if count >= FEWEST:
                print(f"{right_ones[kind, why] / count:5.2f} of {count:4}  {kind}: {why}")


if __name__ == "__main__":
    main()
