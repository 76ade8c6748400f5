"""Decisions that name a rejected thing: which of them Mind marks as against the rejection.

Usage: python -m tests.bench.direction [FILE]

The file holds pairs of a rejection and a later decision, and whether the decision follows it. The
pairs beside this program were written by someone who had not seen the rules.
"""

import json
import sys
import tempfile
from collections import Counter
from pathlib import Path

from mind.memory.memory import Memory
from mind.setup import install
from mind.storage.project import Project

PAIRS = Path(__file__).with_name("decisions_about_rejections.json")


def main(file: Path = PAIRS) -> None:
    """Print how many decisions of each kind are marked, by language."""
    every: Counter[tuple[str, bool]] = Counter()
    marked: Counter[tuple[str, bool]] = Counter()
    for pair in json.loads(file.read_text(encoding="utf-8")):
        with tempfile.TemporaryDirectory() as name:
            install.apply(install.plan(Path(name)))
            memory = Memory(Project(Path(name)))
            memory.log(pair["rejected"], "rejected", acknowledge=True)
            done = memory.log(pair["decision"], "decision", acknowledge=True)
            is_marked = bool(memory.get([done.entry.id]).entries[0].despite)
            memory.close()
        key = (pair["lang"], pair["follows"])
        every[key] += 1
        marked[key] += is_marked
    for language in sorted({one for one, _ in every}):
        told = [f"{marked[language, kind]} of {every[language, kind]}" for kind in (False, True)]
        sys.stdout.write(
            f"{language}  against it, marked: {told[0]}  following it, marked: {told[1]}\n"
        )


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
