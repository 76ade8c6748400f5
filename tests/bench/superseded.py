"""Facts that a later note replaced, asked of real servers: `python -m tests.bench.superseded`.

`FILE.json` holds topics as bettermemory's integrity benchmark publishes them (in its repository,
``bench/integrity``): first statements, then updates, additions about the same subject, reversions,
and a query each. Without a file the 60 made-up facts of ``tests.bench.corrections`` are taken.

Everything is written through the server's own tool on one day, in as many sessions as there are
rounds (first statements, updates, …), and nobody answers what a write says. Then five hits are
asked for. A hit is *current* if it holds the value that is true now, *stale* if it holds another.
What is served stale is *unsignalled* unless every stale hit says that something newer is there and
some current hit does not; so a sign that all hits bear counts for nothing. *Wronged*: a hit says
so although nothing has changed. The peers below
`--peers` are those that ``tests.bench.peers`` installs. With a model, if the user's folder has one.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from mind.domain.entry import normalise
from mind.storage.home import home
from tests.bench.corrections_data import chains
from tests.bench.servers import Server
from tests.bench.speed import BIN

SERVED = 5
_ROUNDS = ("f1", "f2", "d", "f3", "f4")
_LAX = re.compile(r"[\s\-_.`'\"]+")
_HIT = re.compile(r"^- (?P<hit>.+?)(?:\n {2}\S|\Z)", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Topic:
    """What is said of something, and asked.

    Attributes:
        kind: "supersession", "distractor" (something is added, nothing changes) or "reversion".
        said: Round and text, in order.
        current: What is in the text of a hit that is true now, as compared (see :func:`lax`).
        stale: What is in the text of one that no longer is.
        queries: As asked.
    """

    kind: str
    said: tuple[tuple[str, str], ...]
    current: str
    stale: tuple[str, ...]
    queries: tuple[str, ...]

    def judge(self, text: str) -> str:
        """Of a hit: "current", "stale" or "other"."""
        if self.current in lax(text):
            return "current"
        return "stale" if any(one in lax(text) for one in self.stale) else "other"


def lax(text: str) -> str:
    """A text as values are looked for in it."""
    return _LAX.sub("", text.lower())


def published(path: Path) -> list[Topic]:
    """The topics of a file."""
    found = []
    for one in json.loads(path.read_text(encoding="utf-8"))["topics"]:
        values = {key: lax(value) for key, value in one["values"].items()}
        current = values.pop(one["current"])
        said = tuple((each["role"], each["text"]) for each in one["statements"])
        found.append(Topic(one["kind"], said, current, tuple(values.values()), (one["query"],)))
    return found


def made() -> list[Topic]:
    """60 facts, corrected once to three times; a version is known by its whole text."""
    rounds = ("f1", "f2", "f3", "f4")
    return [
        Topic(
            "supersession",
            tuple((role, one.text) for role, one in zip(rounds, chain.versions, strict=False)),
            lax(normalise(chain.versions[-1].text)),
            tuple(lax(normalise(one.text)) for one in chain.versions[:-1]),
            chain.queries,
        )
        for chain in chains()
    ]


class Store(Protocol):
    """A memory behind its server."""

    def session(self, name: str) -> None:
        """A session begins."""

    def write(self, text: str) -> bool:
        """Whether it was taken."""

    def ask(self, query: str) -> list[tuple[str, bool]]:
        """The text of each hit, and whether it says that something newer is there."""

    def close(self) -> None:
        """The server ends."""


def _called(server: Server, name: str, **arguments: Any) -> list[str]:
    result = server.ask("tools/call", name=name, arguments=arguments)["result"]
    return [] if result.get("isError") else [one["text"] for one in result["content"]]


class Mind:
    """Mind in a new repository, with what the user's folder holds."""

    def __init__(self, folder: Path, models: Path) -> None:
        self._project = folder / "project"
        self._project.mkdir()
        self._env = {"HOME": str(folder), "MIND_HOME": str(folder / "home")}
        (folder / "home").mkdir()
        if (models / "models").is_dir():
            (folder / "home" / "models").symlink_to(models / "models")
        self._run("git", "init", "--quiet")
        self._run(str(BIN / "mind"), "init")
        self._server = Server([str(BIN / "mind"), "mcp"], self._env, self._project)
        self._with_model = (models / "models").is_dir()

    def _run(self, *command: str) -> None:
        subprocess.run(
            command,
            cwd=self._project,
            env={**os.environ, **self._env},
            check=True,
            capture_output=True,
        )

    def session(self, name: str) -> None:
        """As the hook of a client tells it."""
        self._run(str(BIN / "mind"), "recall", "--session-id", name)

    def write(self, text: str) -> bool:
        """With the tool, as a learning."""
        (answer,) = _called(self._server, "mind_log", message=text, type="learning") or [""]
        return answer.startswith("Recorded")

    def ask(self, query: str) -> list[tuple[str, bool]]:
        """With the tool; the first time not before the model is loaded."""
        while True:
            (answer,) = _called(self._server, "mind_search", query=query, limit=SERVED)
            if not self._with_model or "lexical only" not in answer.partition("\n")[0]:
                break
            time.sleep(1)
        self._with_model = False
        return [(one["hit"], "newer: " in one["hit"]) for one in _HIT.finditer(answer)]

    def close(self) -> None:
        """The server ends."""
        self._server.close()


class Bettermemory:
    """The peer, in a home of its own."""

    def __init__(self, folder: Path, program: Path) -> None:
        self._server = Server([str(program)], {"HOME": str(folder)}, folder)

    def session(self, name: str) -> None:
        """It is told of none."""

    def write(self, text: str) -> bool:
        """As its own benchmark does."""
        answer = _called(
            self._server,
            "memory_write",
            content=text,
            scopes=["project:bench"],
            source="explicit-statement",
        )
        return bool(answer) and json.loads(answer[0]).get("status") == "committed"

    def ask(self, query: str) -> list[tuple[str, bool]]:
        """The body of each hit; a link to what replaces it, or contradicts it, is its sign."""
        found = []
        for one in _called(self._server, "memory_search", query=query, max_results=SERVED):
            hit = json.loads(one)
            signalled = bool(hit.get("superseded_by") or hit.get("contradicts"))
            body = _called(self._server, "memory_show", ids=[hit["id"]])
            found.append((" ".join(body) or hit["snippet"], signalled))
        return found

    def close(self) -> None:
        """The server ends."""
        self._server.close()


def measured(store: Store, topics: Sequence[Topic], *, apart: bool) -> dict[str, dict[str, float]]:
    """Shares of the queries, by the kind of their topics."""
    refused = 0
    for role in _ROUNDS:
        texts = [text for topic in topics for said, text in topic.said if said == role]
        if texts and apart:
            store.session(f"round-{role}")
        refused += sum(not store.write(text) for text in texts)
    rows: dict[str, list[dict[str, bool]]] = {}
    for topic in topics:
        for query in topic.queries:
            rows.setdefault(topic.kind, []).append(_judged(topic, store.ask(query)))
    told = {
        kind: {name: statistics.fmean(one[name] for one in found) for name in found[0]}
        | {"queries": len(found)}
        for kind, found in rows.items()
    }
    return {**told, "all": {"refused": refused}}


def _judged(topic: Topic, hits: Sequence[tuple[str, bool]]) -> dict[str, bool]:
    judged = [(topic.judge(text), signalled) for text, signalled in hits]
    current = [signalled for kind, signalled in judged if kind == "current"]
    stale = [signalled for kind, signalled in judged if kind == "stale"]
    relevant = [kind for kind, _ in judged if kind != "other"]
    return {
        "current first": judged[:1] != [] and judged[0][0] == "current",
        "before stale": relevant[:1] == ["current"],
        "served": bool(current),
        "unsignalled": bool(stale) and not (all(stale) and not all(current)),
        "wronged": any(current) and not topic.stale,
    }


_COLUMNS = ("current first", "before stale", "served", "unsignalled", "wronged")


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", nargs="?", type=Path, metavar="FILE.json", help="published topics")
    parser.add_argument("--peers", type=Path, metavar="FOLDER", help="where peers are installed")
    parser.add_argument("--lexical", action="store_true", help="without an embedding model")
    parser.add_argument("--one-session", action="store_true", help="all is noted in one session")
    given = parser.parse_args(arguments)
    topics = published(given.file) if given.file else made()
    print(" " * 32 + "".join(f"{name:>18}" for name in (*_COLUMNS, "queries")))
    with tempfile.TemporaryDirectory(prefix="mind-superseded-") as name:
        folder = Path(name)
        (folder / "mind").mkdir()
        models = folder / "none" if given.lexical else home()
        stores: dict[str, Store] = {"mind": Mind(folder / "mind", models)}
        program = given.peers and given.peers / "bettermemory" / "bin" / "bettermemory"
        if program and program.exists():
            (folder / "peer").mkdir()
            stores["bettermemory"] = Bettermemory(folder / "peer", program)
        for who, store in stores.items():
            with closing(store):
                told = measured(store, topics, apart=not given.one_session)
            refused = told.pop("all")["refused"]
            for kind, row in told.items():
                cells = "".join(f"{row[column]:18.3f}" for column in _COLUMNS)
                print(f"{who + ', ' + kind:32}{cells}{row['queries']:18,.0f}")
            print(f"{who}: {refused:.0f} statements refused")


if __name__ == "__main__":
    main()
