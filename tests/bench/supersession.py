"""Is the fact that holds told from the one it replaced? `python -m tests.bench.supersession`.

Facts that were replaced once or more, and pairs of notes of which both hold. The first note of
every topic is logged, then every second one, weeks apart (or all in one session); then each query
is asked for five hits. `FILE.json` holds ``chains`` (``versions``, or ``first`` and ``later``) and
``additions`` (``notes``, or ``first`` and ``second``); without one the topics of
``tests.bench.corrections_data`` are taken, `--set a` and `--set b` those fitted on nothing.

With `--answering`, whoever logs a later version gives ``replaces`` if the answer to the first
attempt named the earlier one. With `--model`, the embedding model of the user's folder is used.
"""

import argparse
import json
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from mind.domain.entry import normalise
from mind.memory.memory import Memory
from mind.search.results import Hit
from mind.search.semantic import ProjectVectors
from mind.setup import install
from mind.storage.boundary import home
from mind.storage.project import Project
from tests.bench import corrections_data
from tests.bench.corrections_data import Noted
from tests.bench.retrieval import own_home

SERVED = 5
START = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
APART = timedelta(days=32)
MOMENT = timedelta(minutes=1)
CHAINS = ("current first", "stale unmarked", "stale first unmarked", "current marked", "named")
ADDITIONS = ("marked", "first note served", "both served")


@dataclass(frozen=True)
class Topic:
    """What is noted of something, one note after the other, and asked.

    Attributes:
        name: Of it.
        sort: How it changes, or what is added.
        notes: Oldest first; of a chain the last one holds, of an addition both.
        queries: As asked.
        is_chain: The later note replaces the earlier one.
    """

    name: str
    sort: str
    notes: tuple[Noted, ...]
    queries: tuple[str, ...]
    is_chain: bool


def topics(path: Path) -> Iterator[Topic]:
    """The topics of a file."""
    data = json.loads(path.read_text(encoding="utf-8"))
    for key, is_chain in (("chains", True), ("additions", False)):
        for at, one in enumerate(data[key]):
            said = one.get("versions") or one.get("notes")
            said = said or [one["first"], one.get("later") or one.get("second")]
            yield Topic(
                one.get("id", f"{key}-{at}"),
                one.get("sort") or one.get("group") or "added",
                tuple(Noted(each["kind"], each["text"]) for each in said),
                (one["query"],),
                is_chain,
            )


def made(name: str = "") -> list[Topic]:
    """The made-up topics, or those of a set that nothing was fitted on."""
    chains, controls = (
        corrections_data.others(name)
        if name
        else (corrections_data.chains(), corrections_data.controls())
    )
    return [
        Topic(one.name, one.group, one.versions, one.queries, one.group != "control")
        for one in (*chains, *controls)
    ]


class Clock:
    """Time that moves when told."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now


@dataclass
class Run:
    """What one memory answered: hits by topic and query, and which changes its answers named."""

    hits: dict[tuple[str, str], list[tuple[str, bool]]]
    named: dict[str, list[bool]]


def run(of: Sequence[Topic], models: Path, *, apart: bool = True, answering: bool = False) -> Run:
    """Log everything, then ask everything, in one memory."""
    with tempfile.TemporaryDirectory() as folder, own_home(Path(folder) / "home"):
        root = Path(folder) / "project"
        root.mkdir()
        install.apply(install.plan(root))
        project, clock = Project(root), Clock()
        meaning = ProjectVectors(project.settings, models)
        memory = Memory(project, clock=clock, meaning=lambda _project: meaning)
        done = Run({}, {})
        for at in range(max(len(one.notes) for one in of)):
            clock.now += APART if apart else MOMENT
            for one in of:
                if at < len(one.notes):
                    clock.now += MOMENT
                    _log(memory, one, at, done, answering=answering)
            memory.build_index()
        clock.now += APART if apart else MOMENT
        for one in of:
            for query in one.queries:
                found = memory.search(query, limit=SERVED).hits
                done.hits[one.name, query] = [(hit.entry.text, is_marked(hit)) for hit in found]
        memory.close()
    return done


def _log(memory: Memory, topic: Topic, at: int, done: Run, *, answering: bool) -> None:
    note = topic.notes[at]
    logged = memory.log(note.text, note.kind, acknowledge=True)
    if not at:
        return
    earlier = {normalise(one.text) for one in topic.notes[:at]}
    named = [one for one in logged.related if normalise(one.text) in earlier]
    done.named.setdefault(topic.name, []).append(bool(named))
    if answering and topic.is_chain:
        for old in named:
            memory.log(note.text, note.kind, acknowledge=True, replaces=old.id)


def is_marked(hit: Hit) -> bool:
    """Whether the hit is shown as replaced."""
    return hit.verdict.state == "superseded"


def judged(topic: Topic, hits: Sequence[tuple[str, bool]]) -> dict[str, bool]:
    """What the answer to one query is worth."""
    texts = [normalise(one.text) for one in topic.notes]
    shown = [
        (texts.index(normalise(text)), marked) for text, marked in hits if normalise(text) in texts
    ]
    if not topic.is_chain:
        return {
            "marked": any(marked for _, marked in shown),
            "first note served": any(at == 0 for at, _ in shown),
            "both served": len({at for at, _ in shown}) == len(texts),
        }
    last = len(texts) - 1
    first = normalise(hits[0][0]) if hits else ""
    return {
        "current first": first == texts[last],
        "stale unmarked": any(at != last and not marked for at, marked in shown),
        "stale first unmarked": first in texts[:last] and not hits[0][1],
        "current marked": any(at == last and marked for at, marked in shown),
    }


def table(of: Sequence[Topic], done: Run) -> Iterator[str]:
    """The figures as lines: counts of queries, by sort."""
    for is_chain, columns in ((True, CHAINS), (False, ADDITIONS)):
        rows: dict[str, list[dict[str, bool]]] = {}
        for one in of:
            if one.is_chain is not is_chain:
                continue
            for query in one.queries:
                row = judged(one, done.hits[one.name, query])
                row["named"] = all(done.named.get(one.name, ()))
                rows.setdefault(one.sort, []).append(row)
                rows.setdefault("all", []).append(row)
        if not rows:
            continue
        rows["all"] = rows.pop("all")
        yield f"{'chains' if is_chain else 'additions':28}{'n':>5}" + "".join(
            f"{name:>22}" for name in columns
        )
        for name, found in rows.items():
            cells = "".join(f"{sum(one[column] for one in found):22}" for column in columns)
            yield f"{name:28}{len(found):5}{cells}"
        shares = "".join(
            f"{sum(one[column] for one in rows['all']) / len(rows['all']):22.3f}"
            for column in columns
        )
        yield f"{'share':33}{shares}"


def results(of: Sequence[Topic], done: Run) -> dict[str, Any]:
    """Hits of the first query by the topic's name, for other scorers."""
    return {
        one.name: {
            "hits": [
                {"text": text, "marked": marked}
                for text, marked in done.hits[one.name, one.queries[0]]
            ]
        }
        for one in of
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", nargs="?", type=Path, metavar="FILE.json", help="topics")
    parser.add_argument("--set", choices=corrections_data.OTHERS, default="", help="made-up set")
    parser.add_argument("--model", action="store_true", help="with the user's embedding model")
    parser.add_argument("--one-session", action="store_true", help="all within one session")
    parser.add_argument("--answering", action="store_true", help="what is named is replaced")
    parser.add_argument("--results", type=Path, metavar="OUT.json", help="write the hits")
    parser.add_argument("--verbose", action="store_true", help="show what went wrong")
    given = parser.parse_args(arguments)
    of = list(topics(given.file)) if given.file else made(given.set)
    with tempfile.TemporaryDirectory() as empty:
        models = home() if given.model else Path(empty)
        done = run(of, models, apart=not given.one_session, answering=given.answering)
    if given.results:
        text = json.dumps(results(of, done), indent=1, ensure_ascii=False)
        given.results.write_text(text, encoding="utf-8")
    if given.verbose:
        for one in of:
            for query in one.queries:
                row = judged(one, done.hits[one.name, query])
                if (
                    row.get("marked")
                    or (one.is_chain and not row["current first"])
                    or row.get("stale unmarked")
                ):
                    print(f"\n{one.name} ({one.sort}): {query}  {row}")
                    for text, marked in done.hits[one.name, query]:
                        print(f"   {'[old] ' if marked else ''}{text}")
    print("\n".join(table(of, done)))


if __name__ == "__main__":
    main()
