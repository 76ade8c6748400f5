"""Measuring search quality on a memory without labels: known-item search.

Queries are built from the words of one entry, which the search should return (Azzopardi, de Rijke
and Balog, "Building simulated queries for known-item topics", SIGIR 2007). They share words with
their target, which real queries often do not: use the figures to compare search methods and states
of a memory, not as absolute quality.
"""

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import ceil, inf
from pathlib import Path

from mind.domain.entry import Entry, normalise
from mind.domain.errors import NotFound, check_range
from mind.memory import search, sync
from mind.memory.workspace import Workspace
from mind.search import query as parsing
from mind.search.engine import Page
from mind.search.semantic import UNMADE, ProjectVectors
from mind.storage.boundary import home
from mind.storage.index import EVERY
from mind.text.terms import STOP_WORDS, query_terms, telling, terms

KINDS = ("keywords", "beginning", "rest")
_KEYWORDS = 3
_ENOUGH = 3
"""Minimum number of words of an entry's rest, and of its beginning before words are dropped."""
_REST = 8
"""Maximum number of words in a query from the rest of an entry."""


def spread(count: int, most: int, seed: int) -> list[int]:
    """Return up to ``most`` numbers below ``count``, one chosen at random from each equal part."""
    from random import Random  # noqa: PLC0415 - only needed here

    if count <= most:
        return list(range(count))
    chance = Random(seed)  # noqa: S311 - sampling, not security
    return [chance.randrange(at * count // most, (at + 1) * count // most) for at in range(most)]


def queries_of(entry: Entry, frequency: Mapping[str, int], seed: int) -> dict[str, str]:
    """Build queries that ``entry`` should answer, by kind; a kind is omitted if words are too few.

    "keywords": its three rarest words, shuffled. "beginning": content words of its first sentence
    without every second one. "rest": content words that are not in its title.

    Args:
        entry: The entry to find.
        frequency: Number of entries by term.
        seed: Seed, combined with the text, for shuffling.
    """
    from random import Random  # noqa: PLC0415 - only needed here

    every, title = words_of(entry.text), words_of(entry.title)
    made: dict[str, Sequence[str]] = {}
    if len(every) >= _KEYWORDS:
        rarest = sorted(every, key=lambda held: min(frequency.get(one, inf) for one in held))
        keywords = [every[held] for held in rarest[:_KEYWORDS]]
        salt = f"{seed} {entry.text}".encode("utf-8", "surrogatepass")
        Random(salt).shuffle(keywords)  # noqa: S311 - shuffling, not security
        made["keywords"] = keywords
    if len(title) >= _ENOUGH:
        made["beginning"] = list(title.values())[::2]
    in_title = {term for held in title for term in held}
    rest = [word for held, word in every.items() if in_title.isdisjoint(held)]
    if len(rest) >= _ENOUGH:
        made["rest"] = rest[:_REST]
    return {kind: " ".join(words) for kind, words in made.items()}


def words_of(text: str) -> dict[tuple[str, ...], str]:
    """Map the terms of each content word to the word as written; each once, in order.

    In scripts without spaces (Chinese, Japanese), the words are pairs of characters.
    """
    found: dict[tuple[str, ...], str] = {}
    for word in telling(text):
        held = tuple(terms(word))
        if len(held) > 1 and max(map(len, held)) <= 2:
            for pair in held:
                found.setdefault((pair,), pair)
        elif held and word.casefold() not in STOP_WORDS:
            found.setdefault(held, word)
    return found


METHOD = "known-item search"
BM25, LEXICAL, VECTORS = "plain BM25", "lexical only", "with vectors"
_MOST = 10_000
_PAGE = Page(10)
_FIRST = 3
"""Number of words of the first query."""

Progress = Callable[[str, int, int], None]
"""Callback with the current step, the number done and the total."""
Way = Callable[[str], Sequence[Entry]]
"""A search method: returns entries for a query, best first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quality:
    """Quality of one search method for one kind of query; shares are between 0 and 1.

    Attributes:
        kind: "keywords", "beginning" or "rest" (see :mod:`mind.memory.benchmark`).
        way: "plain BM25", "lexical only" or "with vectors".
        queries: Number of queries.
        success_at_1: Share of queries whose entry is ranked first.
        success_at_5: Share of queries whose entry is in the top five.
        mrr_at_10: Mean reciprocal rank, 0 beyond the top ten.
    """

    kind: str
    way: str
    queries: int
    success_at_1: float
    success_at_5: float
    mrr_at_10: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """CPU time of a search in milliseconds, summed over all threads.

    Attributes:
        way: "lexical only" or "with vectors".
        searches: Number of measured searches, without the first.
        first: The first search of the process; with vectors it loads the model and computes the
            few missing vectors.
        p50: Median of the others.
        p95: 95th percentile.
        p99: 99th percentile.
    """

    way: str
    searches: int
    first: float
    p50: float
    p95: float
    p99: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Benchmark:
    """Results of a measurement.

    Attributes:
        method: "known-item search".
        seed: The same seed and memory give the same queries.
        entries: Number of entries.
        asked: Number of entries used to build queries.
        quality: By kind of query and search method.
        cpu_milliseconds: By search method.
        index_bytes: Size of the index on disk; 0 if it could not be written.
        vectors: Number of texts with a vector.
        profile: The embedding model; "" without one.
        peak_bytes: Peak memory of the process; None if the system does not report it.
        lexical_only: Reason why vectors were not used; "" if they were.
        problems: Reasons for incomplete results.
    """

    method: str
    seed: int
    entries: int
    asked: int
    quality: tuple[Quality, ...]
    cpu_milliseconds: tuple[Cost, ...]
    index_bytes: int
    vectors: int
    profile: str
    peak_bytes: int | None
    lexical_only: str
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class KnownQuery:
    """A query, and the normalised text of the entry it was built from."""

    kind: str
    query: str
    answer: str


def measure(
    at: Workspace,
    *,
    entries: int = 200,
    seed: int = 0,
    progress: Progress = lambda _what, _done, _total: None,
) -> Benchmark:
    """Build queries, run each with every search method, and record the rank of its entry.

    Like any search, this may write the index and its few missing vectors; it starts no session.

    Args:
        at: The workspace.
        entries: Number of entries to build queries from, spread over the memory, 1–10,000.
        seed: Seed of the selection.
        progress: Called after each search.

    Raises:
        InputError: ``entries`` is out of range.
        NotFound: The memory is empty, or its entries are too short for queries.
    """
    check_range("queries", entries, 1, _MOST)
    reader = ReadOnlyProject(at)
    first = _first(reader)
    firsts = {LEXICAL: _timed(reader.lexical, first)[1], VECTORS: _timed(reader.meant, first)[1]}
    reason = _lacking(reader)
    profile = "" if reason else at.meaning.profile
    asked, known = at.index.sure(partial(_known, reader, entries, seed))
    if not known:
        raise NotFound(
            "no entry has the three words needed for a query",
            remedy="Record more entries, then measure again.",
        )
    ways: dict[str, Way] = {BM25: reader.plain, LEXICAL: reader.lexical}
    if not reason:
        ways[VECTORS] = reader.meant
    quality, costs = list[Quality](), list[Cost]()
    for name, way in ways.items():
        places, spent = list[int](), list[float]()
        for done, one in enumerate(known, 1):
            found, took = _timed(way, one.query)
            places.append(place(one.answer, found))
            spent.append(took)
            progress(name, done, len(known))
        quality += _qualities(name, known, places)
        costs += [_cost(name, firsts[name], spent)] if name in firsts else []
    return Benchmark(
        method=METHOD,
        seed=seed,
        entries=at.index.count(),
        asked=asked,
        quality=tuple(sorted(quality, key=lambda one: KINDS.index(one.kind))),
        cpu_milliseconds=tuple(costs),
        index_bytes=_size(at.project.cache / "index.db"),
        vectors=at.index.count_vectors(profile)[0],
        profile=profile,
        peak_bytes=peak(),
        lexical_only=reason,
        problems=(*reader.problems, *reader.lacking),
    )


@dataclass(slots=True)
class ReadOnlyProject:
    """Search access to a project without starting a session.

    Attributes:
        at: The workspace.
        problems: Problems reported by searches, deduplicated, in order.
        lacking: Reasons for searching without vectors although requested.
    """

    at: Workspace
    problems: dict[str, None] = field(default_factory=dict)
    lacking: dict[str, None] = field(default_factory=dict)
    _off: ProjectVectors = field(init=False)

    def __post_init__(self) -> None:
        off = replace(self.at.project.settings, embedding_backend="off")
        self._off = ProjectVectors(off, home())

    def refresh(self) -> None:
        """Update the index from the Markdown files, as every search does."""
        report = sync.refresh(self.at.project, self.at.index, sources=False)
        self.problems |= dict.fromkeys(report.problems)

    def plain(self, query: str) -> list[Entry]:
        """Search by SQLite's BM25 over each entry's own words, as a baseline."""
        self.refresh()
        best = self.at.index.match(query_terms(query), limit=_PAGE.limit)
        return [entry for entry, _ in best]

    def lexical(self, query: str) -> list[Entry]:
        """Search without a model."""
        return self._found(query, self._off)

    def meant(self, query: str) -> list[Entry]:
        """Search with the model, if there is one."""
        return self._found(query, self.at.meaning)

    def _found(self, query: str, meaning: ProjectVectors) -> list[Entry]:
        asked = parsing.parse(query, self.at.now(), self.at.releases)
        found = search.find(self.at.project, self.at.index, meaning, asked, _PAGE)
        self.problems |= dict.fromkeys(found.problems)
        if meaning is self.at.meaning and found.lexical_only:
            self.lacking[found.lexical_only] = None
        return [hit.entry for hit in found.hits]


def _first(reader: ReadOnlyProject) -> str:
    """Return a query for the first search; building it warms no cache of the search."""
    reader.refresh()
    found = reader.at.index.page(EVERY, "newest", 1)
    if not found:
        raise NotFound(
            "the memory is empty",
            remedy="Record entries with `mind log`, or read the repository's comments and commits "
            "with `mind sync`, then measure again.",
        )
    return " ".join(telling(found[0].text)[:_FIRST])


def _lacking(reader: ReadOnlyProject) -> str:
    """Return the reason not to measure with vectors; "" if there is none.

    While vectors are missing, each search computes some, which would distort the figures.
    """
    reason = next(iter(reader.lacking), "") or reader.at.meaning.lacking(reader.at.index)
    if not reason and not reader.at.index.has_all_vectors(reader.at.meaning.profile):
        reason = UNMADE
    reader.lacking.clear()
    return reason


def _known(reader: ReadOnlyProject, entries: int, seed: int) -> tuple[int, list[KnownQuery]]:
    """Return the number of entries used, and the queries."""
    reader.refresh()
    index = reader.at.index
    rows = index.different()
    found: list[KnownQuery] = []
    asked = 0
    for entry in index.numbered([rows[at] for at in spread(len(rows), entries, seed)]):
        words = [term for held in words_of(entry.text) for term in held]
        made = queries_of(entry, index.frequency(words), seed)
        answer = normalise(entry.text)
        found += [KnownQuery(kind, query, answer) for kind, query in made.items()]
        asked += bool(made)
    return asked, found


def place(answer: str, found: Sequence[Entry]) -> int:
    """Return the 1-based rank of the text; 0 if it is missing."""
    return next((at for at, one in enumerate(found, 1) if normalise(one.text) == answer), 0)


def _qualities(way: str, known: Sequence[KnownQuery], places: Sequence[int]) -> list[Quality]:
    found = []
    for kind in KINDS:
        of = [at for one, at in zip(known, places, strict=True) if one.kind == kind]
        if of:
            found.append(
                Quality(
                    kind=kind,
                    way=way,
                    queries=len(of),
                    success_at_1=round(sum(at == 1 for at in of) / len(of), 4),
                    success_at_5=round(sum(1 <= at <= 5 for at in of) / len(of), 4),
                    mrr_at_10=round(sum(1 / at for at in of if at) / len(of), 4),
                )
            )
    return found


def _timed(way: Way, query: str) -> tuple[Sequence[Entry], float]:
    began = time.process_time()
    found = way(query)
    return found, (time.process_time() - began) * 1000


def _cost(way: str, first: float, spent: Sequence[float]) -> Cost:
    p50, p95, p99 = (round(percentile(spent, rank), 2) for rank in (50, 95, 99))
    return Cost(way=way, searches=len(spent), first=round(first, 2), p50=p50, p95=p95, p99=p99)


def percentile(values: Sequence[float], rank: int) -> float:
    """Return the nearest-rank percentile: the smallest value that ``rank`` % do not exceed."""
    return sorted(values)[ceil(len(values) * rank / 100) - 1]


def _size(path: Path) -> int:
    """Return the size in bytes of the index and its SQLite side files."""
    files = (path, path.with_name(path.name + "-wal"))
    return sum(one.stat().st_size for one in files if one.exists())


def peak() -> int | None:
    """Return the process's peak memory in bytes; None if the system does not report it."""
    if sys.platform == "win32":
        return None
    import resource  # noqa: PLC0415 - not on every system

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
