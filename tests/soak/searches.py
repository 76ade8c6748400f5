"""Random and mutated queries against a memory with vectors and one without, for minutes.

Usage: python -m tests.soak.searches [MINUTES] [SEED]
"""

import itertools
import os
import random
import sys
import tempfile
import time
import unicodedata
from collections import Counter
from contextlib import closing
from pathlib import Path

from mind.domain.errors import InputError
from mind.memory.memory import Memory
from mind.search.embedding import models
from mind.server.mcp.app import answer
from mind.server.mcp.tools import chosen
from mind.setup import install
from mind.storage.project import Project
from tests import hostile, tiny_bert
from tests.test_hostile_queries import RAW, is_answer

SEEDS = [query for query in hostile.queries() if len(query) <= 2_000]
SIGNS = [
    char
    for char in map(chr, range(0x3000))
    if not any(one.isalnum() or one == "_" for one in unicodedata.normalize("NFKC", char))
]
TOOL = next(tool for tool in chosen("core") if tool.name == "mind_search")
SEARCH = "mind_search"


class Fuzz:
    """One memory and what is thrown at it."""

    def __init__(self, project: Project, seed: int) -> None:
        self.project = project
        self.memory = Memory(project)
        self.pick = random.Random(seed)  # noqa: S311 - makes queries, no secrets
        self.done = Counter[str]()
        self.wrong: list[str] = []

    def step(self) -> None:
        """One query, in one of the ways it can come in."""
        query = self.query()
        how = self.pick.choices(("search", "tool", "around", "write"), (70, 15, 13, 2))[0]
        self.done[how] += 1
        try:
            getattr(self, how)(query)
        except InputError:
            if query.strip():
                self.wrong.append(f"{how} {query!r} was refused")
        except Exception as error:  # noqa: BLE001 - whatever it is, the run goes on and tells it
            self.wrong.append(f"{how} {query!r}: {type(error).__name__}: {error}")

    def search(self, query: str) -> None:
        """Through `Memory`: hits in order, no more than asked for, nothing of SQLite."""
        limit = self.pick.choice((1, 10, 100))
        kinds = self.pick.choice(((), (), ("decision",), ("learning", "gotcha")))
        found = self.memory.search(query, kinds=kinds, limit=limit)
        newer = {hit.verdict.by for hit in found.hits}  # each precedes what it superseded
        scores = [
            hit.score for hit in found.hits if hit.verdict.is_current and hit.entry.id not in newer
        ]
        if scores != sorted(scores, reverse=True) or len(found.hits) > limit:
            self.wrong.append(f"{query!r}: scores {scores}")
        wanted = set(kinds)
        if "kind:" in query.lower():  # kinds in the query count instead of those beside it
            wanted = {one.value for one in found.parsed.which.kinds}
        if wanted and {hit.entry.kind.value for hit in found.hits} - wanted:
            self.wrong.append(f"{query!r}: other kinds than {wanted}")
        self.see(query, " ".join((*found.problems, found.lexical_only)))

    def tool(self, query: str) -> None:
        """Through the server's tool."""
        text, failed = answer(TOOL, SEARCH, {"query": query}, lambda: Memory(self.project))
        if failed != (not query.strip()) or not (failed or is_answer(text)):
            self.wrong.append(f"tool {query!r}: {text[:300]}")

    def around(self, _query: str) -> None:
        """A word among random signs: the same best hit as the word alone.

        To a model the signs are text too: there the hit stays among the best.
        """
        word = self.pick.choice(hostile.WORDS)
        signs = ["".join(self.pick.choices(SIGNS, k=self.pick.randrange(20))) for _ in "12"]
        query = f"{signs[0]} {word} {signs[1]}"
        found = self.memory.search(query)
        among = [hit.entry.id for hit in found.hits][: 1 if found.lexical_only else None]
        plain = self.memory.search(word).hits[0].entry.id
        if plain not in among:
            self.wrong.append(f"{query!r} finds {among}, {word!r} finds {plain}")

    def write(self, query: str) -> None:
        """The query becomes an entry, as somebody would write it."""
        with self.project.memory.open("ab") as file:
            file.write(b"- learned: " + query[:500].encode("utf-8", "surrogatepass") + b"\n")
        self.memory.search(query or "x")

    def see(self, query: str, said: str) -> None:
        """Note what only SQLite says."""
        if RAW.search(said):
            self.wrong.append(f"{query!r}: {said}")

    def query(self) -> str:
        """Random characters, random bytes, or a hostile query changed at random."""
        kind = self.pick.randrange(4)
        if kind == 0:
            top = self.pick.choice((0x80, 0x250, 0x3100, 0x110000))
            return "".join(chr(self.pick.randrange(top)) for _ in range(self.length()))
        if kind == 1:
            return self.pick.randbytes(self.length()).decode("utf-8", "surrogateescape")
        query = self.pick.choice(SEEDS)
        for _ in range(self.pick.randrange(1, 6)):
            query = self.changed(query)
        return query

    def changed(self, query: str) -> str:
        """``query`` with one change."""
        at, to = sorted(self.pick.randrange(len(query) + 1) for _ in "12")
        other = self.pick.choice(SEEDS)
        return self.pick.choice(
            (
                query[:at] + query[to:],
                query[:at] + other + query[at:],
                query[:at] + query[at:to] * 3 + query[to:],
                query[:at] + chr(self.pick.randrange(0x110000)) + query[to:],
                query[at:] + query[:at],
                query[:at] + self.pick.choice('"*^:()-+{}\0\\%\n') + query[at:],
            )
        )[:5_000]

    def length(self) -> int:
        """Mostly short."""
        return self.pick.choice((0, 1, 2, 5, 10, 30, 100, 1_000))


def project(folder: Path) -> Project:
    """A project whose memory holds hostile strings."""
    folder.mkdir()
    install.apply(install.plan(folder))
    made = Project(folder)
    made.memory.write_bytes(hostile.memory())
    return made


def main(minutes: float, seed: int) -> int:
    """Print one line a minute; how many things went wrong."""
    print("seed", seed)  # noqa: T201 - it reports
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        homes = {False: folder / "nobody", True: folder / "user"}
        files = tiny_bert.write(folder / "files" / "tiny", limit=12)
        models.add(homes[True], str(files))
        runs = {}
        for by_meaning, home in homes.items():
            os.environ["MIND_HOME"] = str(home)
            runs[by_meaning] = Fuzz(project(folder / f"project-{by_meaning}"), seed)
            runs[by_meaning].memory.build_index()
        start = told = time.monotonic()
        for by_meaning in itertools.cycle(homes):
            os.environ["MIND_HOME"] = str(homes[by_meaning])
            for _ in range(50):
                runs[by_meaning].step()
            now = time.monotonic()
            if now - told >= 60 or now - start >= minutes * 60:
                told = now
                report(now - start, runs)
            if now - start >= minutes * 60:
                break
        for run in runs.values():
            with closing(run.memory):
                pass
        return sum(len(run.wrong) for run in runs.values())


def report(seconds: float, runs: dict[bool, Fuzz]) -> None:
    """Say how far it is, and what went wrong first."""
    for by_meaning, run in runs.items():
        how = "by meaning" if by_meaning else "by words"
        entries = sum(run.memory.index.counts("family").values())
        print(  # noqa: T201 - it reports
            f"{seconds:.0f} s {how}: {run.done.total()} queries {dict(run.done)}, "
            f"{entries} entries, {len(run.wrong)} wrong {run.wrong[:5]}",
            flush=True,
        )


if __name__ == "__main__":
    sys.exit(
        main(
            float(sys.argv[1]) if len(sys.argv) > 1 else 10,
            int(sys.argv[2]) if len(sys.argv) > 2 else time.time_ns(),
        )
    )
