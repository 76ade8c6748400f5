"""Eight writers, and a mirror that is stopped, killed, emptied, cut off and full.

By turns with them eight others write a memory without a mirror, half as long: a write must not take
longer because a mirror is in trouble.

Usage: python -m tests.soak.mirror [MINUTES] [SEED]
"""

import os
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from mind.setup import install
from tests.mirror_story import TROUBLES, Told, story
from tests.postgres import database, served
from tests.proxy import proxied

MEGABYTES = 700
"""Of the disk that the server fills; it lies in memory."""


def main(minutes: float, seed: int) -> int:
    """Print what happened; 1 if a write failed or the mirror does not equal the files."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["MIND_HOME"] = str(Path(folder) / "home")
        roots = [Path(folder) / name for name in ("mirrored", "beside")]
        for root in roots:
            root.mkdir()
            install.apply(install.plan(root))
        with (
            served(Path(folder) / "postgres", megabytes=MEGABYTES) as server,
            database(server) as one,
            proxied(server.port) as wire,
        ):
            os.environ["MIND_MIRROR_DSN"] = one.dsn()
            told = story(roots[0], one, wire, 8, minutes * 60, seed, beside=roots[1])
            small = server.is_on_small_disk
    _tell(told, small=small)
    return int(bool(told.failed) or not told.is_exact)


def _tell(told: Told, *, small: bool) -> None:
    print("| mirror | writes | p50 | p99 | longest |\n| --- | --: | --: | --: | --: |")  # noqa: T201 - it reports
    _row("none", [one.seconds for one in told.beside])
    _row("in trouble", [one.seconds for one in told.writes])
    for name in TROUBLES:
        count = sum(name == one for one, _, _ in told.troubles)
        _row(f"{name}, {count} times", told.during(name))
    how = f"said {told.full} times by the server" if small else "by a limit of its files"
    print(  # noqa: T201 - as above
        f"no space left: {how}; {len(told.failed)} writes failed; the mirror equals the files: "
        f"{told.is_exact}, {told.recovered:.1f} s after the end"
    )
    for problem in told.failed[:10]:
        print(problem)  # noqa: T201 - as above


def _row(name: str, seconds: Sequence[float]) -> None:
    if len(seconds) < 2:
        return
    cuts = statistics.quantiles(seconds, n=100, method="inclusive")
    print(  # noqa: T201 - as above
        f"| {name} | {len(seconds):,} | {cuts[49] * 1e3:.0f} ms | {cuts[98] * 1e3:.0f} ms "
        f"| {max(seconds) * 1e3:.0f} ms |"
    )


if __name__ == "__main__":
    given = sys.argv[1:]
    sys.exit(main(float(given[0]) if given else 10.0, int(given[1]) if len(given) > 1 else 1))
