"""Does memory tell the present from the past? `python -m tests.bench.corrections`.

The chains, the control pairs and 300 unrelated notes are logged as over months: each version and
each control fact in a session of its own, days after the one before it. Then every query is asked
for ten hits. With the model that is installed in the user's folder, if one is; `--lexical` without.
What search looks at was fitted on these chains; `--others a` and `--others b` ask about other ones.

Nobody answers what `mind_log` asks, unless `--answering` is given: then whoever notes a fact says
so if the answer names a version of it that no longer holds, as it asks to (``replaces``).

An outdated version counts as marked if something in ``stale`` of its hit begins with "newer", or
if it is no longer in memory. The last ten chains are also asked right after each correction.
"""

import argparse
import inspect
import json
import random
import re
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

from mind.domain.entry import normalise
from mind.memory.answers import Logged
from mind.memory.memory import Memory
from mind.search.results import Hit
from mind.search.semantic import Meaning
from mind.setup import install
from mind.storage.home import home
from mind.storage.project import Project
from tests.bench.corrections_data import OTHERS, Chain, Noted, chains, controls, others
from tests.bench.retrieval import own_home

NOISE = 300
AT_ONCE = 10
"""Chains that are asked after each of their corrections."""
SEED = 4
START = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
APART = timedelta(hours=17)
"""Between two sessions."""
GAPS = (4, 40)
"""Sessions between two versions: three days to four weeks."""
_MODULES = """argparse asyncio base64 bisect calendar collections concurrent.futures configparser
contextlib copy csv datetime decimal difflib email.message enum fractions ftplib functools glob
gzip hashlib heapq hmac http.client imaplib inspect io ipaddress itertools json logging mailbox math
mimetypes os pathlib pickle poplib pprint queue random re sched secrets selectors shelve shutil
smtplib socket sqlite3 ssl statistics string struct subprocess tarfile tempfile textwrap threading
time timeit tokenize tracemalloc types unittest urllib.parse urllib.request uuid wave weakref
xml.dom.minidom zipfile""".split()
_NOISE_KINDS = ("learned", "decided", "gotcha", "note", "progress")


@dataclass(frozen=True)
class Asked:
    """What one query of a chain brought.

    Attributes:
        chain: Which.
        query: As asked.
        first: The version that holds is the first of its chain.
        top: It is the first hit.
        any_top: Some version is: search has found the subject, whatever it says of it.
        marked: Outdated versions among the hits that are marked.
        archived: Outdated versions that have left memory.
        unmarked: Outdated versions among the hits without a mark.
        wronged: The version that holds is marked, or gone.
        others: Notes among the hits that nothing corrected, and that are marked.
        hits: Texts of the first three.
    """

    chain: Chain
    query: str
    first: bool
    top: bool
    any_top: bool
    marked: int
    archived: int
    unmarked: int
    wronged: bool
    others: int
    hits: tuple[str, ...]


@dataclass
class Outcome:
    """All that was asked: of every chain at the end, of ten at once, and of the control pairs."""

    model: str
    end: list[Asked] = field(default_factory=list)
    at_once: list[Asked] = field(default_factory=list)
    pairs: list[tuple[Chain, tuple[str, ...]]] = field(default_factory=list)
    """With the facts of a pair that are marked or gone."""
    named: list[bool] = field(default_factory=list)
    """Of each correction, whether the answer to its note names what it corrects."""
    near: list[int] = field(default_factory=list)
    """Of each unrelated note, how many entries are named."""


def noise() -> list[Noted]:
    """300 notes about the standard library: first sentences of its documentation."""
    found: dict[str, Noted] = {}
    for name in _MODULES:
        for text in _documented(name):
            kind = _NOISE_KINDS[len(found) % len(_NOISE_KINDS)]
            found.setdefault(normalise(text), Noted(kind, text))
    return random.Random(SEED).sample(list(found.values()), NOISE)


def _documented(name: str) -> Iterator[str]:
    module = import_module(name)
    for attribute, thing in sorted(vars(module).items()):
        if attribute.startswith("_") or getattr(thing, "__module__", "") != name:
            continue
        sentence = re.split(r"(?<=[.])\s|\n\n", inspect.getdoc(thing) or "", maxsplit=1)[0]
        sentence = " ".join(sentence.split())
        if 30 <= len(sentence) <= 150 and sentence.isascii() and "(" not in sentence:
            yield f"{name}.{attribute}: {sentence}"


def schedule(of: Sequence[Chain]) -> list[tuple[int, int]]:
    """In which order versions are noted, as (number of the chain, of the version)."""
    chance = random.Random(SEED)
    count = sum(len(one.versions) for one in of)
    slots: list[tuple[float, int, int]] = []
    for number, one in enumerate(of):
        gaps = [0, *(chance.randint(*GAPS) for _ in one.versions[1:])]
        start = chance.uniform(0, count - sum(gaps))
        slots += [(start + sum(gaps[: at + 1]), number, at) for at in range(len(gaps))]
    return [(number, at) for _, number, at in sorted(slots)]


def _last(order: Sequence[tuple[int, int]], of: Sequence[Chain]) -> set[int]:
    """The chains whose last correction comes last."""
    ended = [
        number
        for number, at in order
        if of[number].corrections == at and of[number].group != "control"
    ]
    return set(ended[-AT_ONCE:])


class Clock:
    """Time that moves from session to session."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now


class Diary:
    """The memory that is written and asked."""

    def __init__(self, root: Path, models: Path) -> None:
        root.mkdir()
        install.apply(install.plan(root))
        project = Project(root)
        meaning = Meaning(project.settings, models)
        self.clock = Clock()
        self.memory = Memory(project, clock=self.clock, meaning=lambda _project: meaning)

    def session(self, notes: Sequence[Noted], past: AbstractSet[str] = frozenset()) -> list[Logged]:
        """Note something, after a while; the vectors are made meanwhile, as a server does.

        What is named then and is one of ``past`` no longer holds: the last note replaces it.
        """
        self.clock.now += APART
        done = [self.memory.log(one.text, one.kind, acknowledge=True) for one in notes]
        for old in done[-1].related if notes else ():
            if normalise(old.text) in past:
                last = notes[-1]
                self.memory.log(last.text, last.kind, acknowledge=True, replaces=old.id)
        self.memory.build_index()
        return done

    def there(self) -> set[str]:
        """All that is in memory."""
        return {normalise(one.text) for one in self.memory.index_entries()}

    def ask(self, chain: Chain, known: int, past: frozenset[str]) -> Iterator[Asked]:
        """What its queries bring while ``known`` versions are noted.

        ``past`` are the texts of all outdated versions of all chains.
        """
        texts = [normalise(one.text) for one in chain.versions[:known]]
        there = self.there()
        for query in chain.queries:
            hits = self.memory.search(query, limit=10).hits
            yield _judged(chain, query, hits, texts, there, past)

    def wronged(self, pair: Chain) -> tuple[str, ...]:
        """The facts of a control pair that are marked, or gone."""
        there = self.there()
        marked = {
            normalise(hit.entry.text)
            for hit in self.memory.search(pair.queries[0], limit=10).hits
            if is_marked(hit)
        }
        texts = [one.text for one in pair.versions]
        return tuple(
            text for text in texts if normalise(text) in marked or normalise(text) not in there
        )


def is_marked(hit: Hit) -> bool:
    """Whether the hit says that something newer corrects it."""
    return any(text.startswith("newer") for text in hit.stale)


def _judged(  # noqa: PLR0917 - one answer and what it is judged by
    chain: Chain,
    query: str,
    hits: Sequence[Hit],
    texts: Sequence[str],
    there: set[str],
    past: frozenset[str],
) -> Asked:
    *old, current = texts
    found = {normalise(hit.entry.text): hit for hit in hits}
    ranked = [text for text in found if text in texts]
    marked = {text for text, hit in found.items() if is_marked(hit)}
    seen = [text for text in old if text in found]
    return Asked(
        chain=chain,
        query=query,
        first=ranked[:1] == [current],
        top=list(found)[:1] == [current],
        any_top=list(found)[:1] == ranked[:1] != [],
        marked=sum(text in marked for text in seen),
        archived=sum(text not in there for text in old if text not in found),
        unmarked=sum(text not in marked for text in seen),
        wronged=current in marked or current not in there,
        others=len(marked - past - set(texts)),
        hits=tuple(f"{hit.entry.text} {list(hit.stale) or ''}" for hit in hits[:3]),
    )


def measured(
    of: Sequence[Chain],
    pairs: Sequence[Chain],
    unrelated: Sequence[Noted],
    models: Path,
    *,
    answering: bool = False,
) -> Outcome:
    """Log everything and ask everything.

    Args:
        of: The chains.
        pairs: Control pairs.
        unrelated: Notes between them.
        models: The user's folder that has the model, if any.
        answering: Whoever notes a correction says so, if what it corrects is named.
    """
    together = [*of, *pairs]
    order = schedule(together)
    watched = _last(order, together)
    past = frozenset(normalise(note.text) for one in of for note in one.versions[:-1])
    with tempfile.TemporaryDirectory() as folder, own_home(Path(folder) / "home"):
        diary = Diary(Path(folder) / "project", models)
        done = Outcome(diary.memory.meaning.profile)
        for at, (number, version) in enumerate(order):
            share = slice(
                at * len(unrelated) // len(order), (at + 1) * len(unrelated) // len(order)
            )
            noted = together[number]
            earlier = {normalise(old.text) for old in noted.versions[:version]}
            if noted.group == "control":
                earlier = set()
            *other, last = diary.session(
                [*unrelated[share], noted.versions[version]], earlier if answering else set()
            )
            done.near += [len(note.related) for note in other]
            if earlier:
                done.named.append(any(normalise(old.text) in earlier for old in last.related))
            if number in watched and version:
                done.at_once += diary.ask(together[number], version + 1, past)
        diary.session([])
        for one in of:
            done.end += diary.ask(one, len(one.versions), past)
        done.pairs = [(pair, diary.wronged(pair)) for pair in pairs]
        diary.memory.close()
    return done


def figures(rows: Sequence[Asked]) -> dict[str, float]:
    """Shares of the queries, and of the outdated versions that they met."""
    met = sum(one.marked + one.archived + one.unmarked for one in rows)
    return {
        "first": statistics.fmean(one.first for one in rows),
        "top": statistics.fmean(one.top for one in rows),
        "any top": statistics.fmean(one.any_top for one in rows),
        "unmarked": sum(one.unmarked for one in rows) / met if met else 0.0,
        "misled": statistics.fmean(one.unmarked > 0 for one in rows),
        "archived": sum(one.archived for one in rows) / met if met else 0.0,
        "met": met,
        "wronged": statistics.fmean(one.wronged for one in rows),
        "n": len(rows),
    }


def report(done: Outcome) -> dict[str, Any]:
    """All figures, by name."""
    split: dict[str, Callable[[Asked], object]] = {
        "half": lambda one: one.chain.half,
        "group": lambda one: one.chain.group,
        "corrections": lambda one: one.chain.corrections,
        "form": lambda one: "question" if one.query == one.chain.queries[0] else "keywords",
    }
    rows = {"all": figures(done.end)}
    for name, of in split.items():
        for value in dict.fromkeys(map(of, done.end)):
            rows[f"{name} {value}"] = figures([one for one in done.end if of(one) == value])
    if done.at_once:
        rows["at once, last ten chains"] = figures(done.at_once)
    wrong = [texts for _, texts in done.pairs if texts]
    return {
        "model": done.model,
        "chains": rows,
        "controls": {
            "n": len(done.pairs),
            "wronged": len(wrong) / len(done.pairs) if done.pairs else 0.0,
        },
        "others marked": sum(one.others for one in done.end),
        "named": statistics.fmean(done.named),
        "near": statistics.fmean(done.near) if done.near else 0.0,
    }


_COLUMNS = {
    "first": "first of chain",
    "top": "first of all",
    "any top": "any version",
    "unmarked": "old unmarked",
    "misled": "misled",
    "archived": "archived",
    "met": "old met",
    "wronged": "wronged",
    "n": "queries",
}


def show(told: dict[str, Any]) -> None:
    """Print the table."""
    print(f"model: {told['model'] or 'none, words alone'}\n")
    print(" " * 26 + "".join(f"{head:>15}" for head in _COLUMNS.values()))
    for name, row in told["chains"].items():
        cells = [
            f"{row[key]:15,}" if key in ("met", "n") else f"{row[key]:15.3f}" for key in _COLUMNS
        ]
        print(f"{name:26}" + "".join(cells))
    print(
        "\nfirst of chain, first of all: the version that holds, among its chain and among all"
        "\nany version: one of its chain is the first of all"
        "\nold unmarked, archived: of the outdated versions that were met, or are gone for good"
        "\nmisled: queries with an outdated hit that has no mark"
        "\nwronged: queries whose right answer is marked as outdated, or gone"
    )
    print(
        f"\ncontrol pairs wrongly marked: {told['controls']['wronged']:.3f}"
        f" of {told['controls']['n']}; other entries marked: {told['others marked']} hits"
        f"\nnamed when the correction is noted: {told['named']:.3f} of what it corrects; entries"
        f" named for an unrelated note: {told['near']:.2f}"
    )


def show_failures(done: Outcome) -> None:
    """Print what went wrong, query by query."""
    for when, rows in (("at the end", done.end), ("at once", done.at_once)):
        for one in rows:
            if one.top and not one.unmarked and not one.wronged:
                continue
            about = f"{one.chain.group}, {one.chain.corrections}, {one.chain.half}, {when}"
            print(f"\n{one.chain.name} ({about}): {one.query}")
            print(f"  {one.unmarked} unmarked" + ", the right one marked" * one.wronged)
            print("".join(f"  {at}. {text}\n" for at, text in enumerate(one.hits, 1)), end="")
    for pair, texts in done.pairs:
        print("".join(f"\ncontrol {pair.name}: {text}" for text in texts), end="")
    print()


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--others", choices=OTHERS, help="a set that nothing was fitted on")
    parser.add_argument("--lexical", action="store_true", help="without an embedding model")
    parser.add_argument(
        "--answering", action="store_true", help="what is named as corrected is replaced"
    )
    parser.add_argument("--verbose", action="store_true", help="show the queries that fail")
    parser.add_argument("--json", action="store_true", help="figures alone, as JSON")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as empty:
        models = Path(empty) if given.lexical else home()
        of, pairs = others(given.others) if given.others else (chains(), controls())
        done = measured(of, pairs, noise(), models, answering=given.answering)
    if given.json:
        json.dump(report(done), sys.stdout, indent=2)
        print()
        return
    if given.verbose:
        show_failures(done)
    show(report(done))


if __name__ == "__main__":
    main()
