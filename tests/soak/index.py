"""Processes that index are killed again and again; then the index is damaged, at random, in use.

First 10,000 entries are read by calls that are killed after two seconds of processor time each.

Usage: python -m tests.soak.index [DEATHS] [DAMAGES] [SEED]
"""

import os
import random
import resource
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from mind.search.embedding import models
from mind.setup import install
from mind.storage.project import Project
from tests import tiny_bert
from tests.index_stories import differences, edit, start, write
from tests.test_index_crash import deaths
from tests.test_index_damage import DAMAGES, damage, damage_in_use, in_use, overwrite

PAGE = 4096


def project(folder: Path) -> Project:
    """A project with an empty memory."""
    folder.mkdir()
    install.apply(install.plan(folder))
    return Project(folder)


def random_damage(held: Project, pick: random.Random) -> str:
    """Pages of garbage or zeros anywhere in the file, or an end anywhere in it or in its log.

    What is changed within a page, SQLite cannot notice: it keeps no sums of its pages.
    """
    path = held.cache / f"index.db{pick.choice(('', '', '-wal'))}"
    size = path.stat().st_size if path.exists() else 0
    if not size:
        return "nothing to damage"
    if path.name.endswith("wal") or pick.random() < 0.3:
        at = pick.randrange(size)
        os.truncate(path, at)
        return f"{path.name} ends at {at} of {size}"
    at, length = pick.randrange(0, size, PAGE), pick.choice((1, 2, 8)) * PAGE
    data = pick.choice((bytes(length), pick.randbytes(length)))
    overwrite(path, at, data)
    return f"{path.name} of {size}: {length} bytes at {at}, zeros: {not any(data)}"


def kill(folder: Path, count: int, seed: int) -> int:
    """Deaths without vectors and with; how many left something wrong."""
    seen = Counter[str]()
    bad = 0
    for name, days, each in (("nobody", 40, 40), ("user", 6, 6)):
        os.environ["MIND_HOME"] = str(folder / name)
        dead = 0
        for said in deaths(project(folder / f"killed-{name}"), 10 * count, seed, days, each):
            known = said in {"killed", "ended"}
            bad += not known
            dead += said != "ended"
            seen[f"{name} {said if known else 'BAD'}"] += 1
            if not known:
                print("BAD", name, said, flush=True)  # noqa: T201 - it reports
            if dead >= count // 2:
                break
        print(dict(seen), flush=True)  # noqa: T201 - as above
    return bad


def limit(folder: Path, seed: int, *, seconds: int = 2, days: int = 250) -> int:
    """Calls that are killed after so many seconds read 10,000 entries; whether they never did.

    The seconds are the processor's: on a busy machine, even a start takes longer than two others.
    """
    os.environ["MIND_HOME"] = str(folder / "nobody")
    held = project(folder / "limited")
    write(held, random.Random(seed), days, 40)  # noqa: S311 - what it says, no secret
    for call in range(1, 101):
        process = start("make", held.root, "", 0)
        resource.prlimit(process.pid, resource.RLIMIT_CPU, (seconds, seconds))
        process.communicate()
        if process.returncode >= 0:
            wrong = differences(held, sound=True)
            print(f"complete after {call} calls of {seconds} s", *wrong, flush=True)  # noqa: T201 - it reports
            return len(wrong)
    print("BAD never complete", flush=True)  # noqa: T201 - as above
    return 1


def harm(folder: Path, count: int, seed: int) -> int:
    """Damage of every kind and at random places, while another process has the index open."""
    pick = random.Random(seed)  # noqa: S311 - where it is damaged, no secret
    seen = Counter[str]()
    for name in ("nobody", "user"):
        os.environ["MIND_HOME"] = str(folder / name)
        held = project(folder / f"damaged-{name}")
        for number in range(count // 2):
            write(held, pick, 6, 20 if name == "nobody" else 4)
            with in_use(held) as other:
                other.search("cachea")
                edit(held, pick)
                other.search("logina")
                done = pick.choice([*DAMAGES, *["random"] * len(DAMAGES)])
                if done == "random":
                    done = random_damage(held, pick)
                    wrong = differences(held)
                elif name == "nobody":
                    wrong = damage_in_use(held, pick, done, other)
                else:
                    damage(held, done)
                    wrong = differences(held)
                other.search("deployc")
                wrong += differences(held)
            seen[f"{name} {'BAD' if wrong else 'ok'}"] += 1
            if wrong:
                print("BAD", name, number, done, wrong, flush=True)  # noqa: T201 - it reports
        print(dict(seen), flush=True)  # noqa: T201 - as above
    return sum(found for name, found in seen.items() if name.endswith("BAD"))


def main(count: int, damages: int, seed: int) -> int:
    """Print what happened; how often an answer was wrong afterwards."""
    print("seed", seed, flush=True)  # noqa: T201 - it reports
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = tiny_bert.write(folder / "files" / "tiny", limit=12)
        models.add(folder / "user", str(files))
        bad = limit(folder, seed)
        return bad + kill(folder, count, seed) + harm(folder, damages, seed)


if __name__ == "__main__":
    numbers = [int(one) for one in sys.argv[1:]]
    sys.exit(main(*numbers, *(200, 100, time.time_ns())[len(numbers) :]))
