"""Eight writers, and a mirror that is stopped, killed, emptied, cut off and full.

Usage: python -m tests.soak.mirror [MINUTES] [SEED]
"""

import os
import statistics
import sys
import tempfile
from pathlib import Path

from mind.memory import Memory
from tests.mirror_story import story, undisturbed
from tests.postgres import database, served
from tests.proxy import proxied


def main(minutes: float, seed: int) -> int:
    """Print what happened; 1 if a write failed or the mirror does not equal the files."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["MIND_HOME"] = str(Path(folder) / "home")
        root = Path(folder) / "project"
        root.mkdir()
        Memory.apply(Memory.plan(root))
        with (
            served(Path(folder) / "postgres") as server,
            database(server) as one,
            proxied(server.port) as wire,
        ):
            alone = undisturbed(root, 8, minutes * 15)
            os.environ["MIND_MIRROR_DSN"] = one.dsn()
            told = story(root, one, wire, writers=8, seconds=minutes * 60, seed=seed)
    before = statistics.quantiles(alone, n=100)
    print(  # noqa: T201 - it reports
        f"without a mirror: {len(alone)} writes; p50 {before[49] * 1e3:.0f} ms, "
        f"p99 {before[98] * 1e3:.0f} ms, longest {max(alone) * 1e3:.0f} ms"
    )
    cuts = statistics.quantiles(told.seconds, n=100)
    print(  # noqa: T201 - it reports
        f"{told.writes} writes, {len(told.failed)} failed; p50 {cuts[49] * 1e3:.0f} ms, "
        f"p99 {cuts[98] * 1e3:.0f} ms, longest {max(told.seconds) * 1e3:.0f} ms; "
        f"{told.troubles}; exact: {told.is_exact}, {told.recovered:.1f} s after the end"
    )
    for problem in told.failed[:10]:
        print(problem)  # noqa: T201 - as above
    return int(bool(told.failed) or not told.is_exact)


if __name__ == "__main__":
    given = sys.argv[1:]
    sys.exit(main(float(given[0]) if given else 10.0, int(given[1]) if len(given) > 1 else 1))
