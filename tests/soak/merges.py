"""Two clones that work apart, merged by git: nothing lost, nothing doubled, no needless conflict.

Usage: python -m tests.soak.merges [ROUNDS [OPERATIONS [SEEDS]]]
"""

import os
import sys
import tempfile
from pathlib import Path

from tests.merge_story import environment, story


def main(rounds: int, operations: int, seeds: int) -> int:
    """Print what each run came to; the number of those in which something went wrong."""
    bad = 0
    for seed in range(seeds):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            os.environ.update(environment(folder))
            told = story(folder, rounds=rounds, operations=operations, seed=seed)
        bad += not told.clean
        print("ok " if told.clean else "BAD", seed, told, flush=True)  # noqa: T201 - it reports
    return bad


if __name__ == "__main__":
    numbers = [int(one) for one in sys.argv[1:]]
    sys.exit(main(*(*numbers, *(50, 10, 1)[len(numbers) :])))
