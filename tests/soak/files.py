"""The stories of test_files_concurrency.py, many times, with many seeds.

Usage: python -m tests.soak.files [ROUNDS]
"""

import sys
import tempfile
from pathlib import Path

from tests.test_files_concurrency import CLEAN, story

STORIES = (
    ("append", 8, 100, 0.004, 4),
    ("append", 8, 100, 0.05, 4),
    ("edit", 4, 50, 0.02, 2),
    ("edit", 8, 50, 0.1, 4),
)


def main(rounds: int) -> int:
    """Print one line a story; the number of those that lost, doubled or damaged something."""
    bad = 0
    for seed in range(rounds):
        for how, writers, count, cycle, deaths in STORIES:
            with tempfile.TemporaryDirectory() as folder:
                found = story(
                    Path(folder),
                    how,
                    writers=writers,
                    count=count,
                    cycle=cycle,
                    deaths=deaths,
                    seed=seed,
                )
            clean = found | CLEAN == found
            bad += not clean
            print("ok " if clean else "BAD", seed, how, cycle, found, flush=True)  # noqa: T201 - it reports
    return bad


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10))
