"""What is read out of transcripts, beside labels: `python -m tests.bench.transcripts [-v] [SET …]`.

Precision and recall by kind, for the sessions that the rules were tuned on and for the others
(tests/transcript_cases/README.md tells how they were labelled). ``-v`` lists what is wrong.
"""

import sys
import tempfile
from pathlib import Path

from mind.entry import Kind
from mind.sources.transcripts import remembered
from tests.transcript_sessions import ROOT, Score, cases, transcript

SETS = ("tuned", "held")


def score(name: str) -> Score:
    """Read the sessions of a set, each as a transcript of its own."""
    done = Score()
    with tempfile.TemporaryDirectory() as folder:
        for case in cases(name):
            path = transcript(case).write(Path(folder))
            done.add(case, remembered([path], Path(ROOT), home=Path("/home/dev")))
    return done


def show(name: str, done: Score) -> None:
    """Print a table."""
    print(f"\n{name}: {len(cases(name))} sessions")
    print(f"{'kind':10} {'right':>5} {'wrong':>5} {'missed':>6} {'precision':>9} {'recall':>6}")
    kinds: list[Kind | None] = [
        Kind.REJECTED,
        Kind.PROBLEM,
        Kind.DECISION,
        Kind.GOTCHA,
        Kind.LEARNING,
    ]
    for kind in [*kinds, None]:
        right = sum(kind in {None, one.kind} for _, one in done.right)
        wrong = sum(kind in {None, one.kind} for _, one in done.wrong)
        missed = sum(kind in {None, label.kinds[0]} for _, label in done.missed)
        precision = f"{right / (right + wrong):.2f}" if right + wrong else "-"
        recall = f"{right / (right + missed):.2f}" if right + missed else "-"
        print(f"{kind or 'all':10} {right:5} {wrong:5} {missed:6} {precision:>9} {recall:>6}")
    print(f"neither right nor wrong: {done.neither}")


def main(arguments: list[str]) -> None:
    """Print the tables."""
    verbose = "-v" in arguments
    for name in [one for one in arguments if one != "-v"] or SETS:
        done = score(name)
        show(name, done)
        if verbose:
            for mark, rows in (("+", done.right), ("WRONG", done.wrong)):
                for case, one in rows:
                    print(f"{mark} [{case}] {one.kind}: {one.text}")
            for case, label in done.missed:
                print(f"MISSED [{case}] {label}")


if __name__ == "__main__":
    main(sys.argv[1:])
