"""Comparing the mirror with the files, and its answers with those of the local index."""

import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime

from mind.domain.errors import MirrorError
from mind.memory import search, sync
from mind.memory.mirror.opening import home_of, opened
from mind.memory.mirror.searching import find
from mind.search import query as asking
from mind.search.engine import Page
from mind.search.semantic import Meaning
from mind.storage.index import Index
from mind.storage.mirror import publishing
from mind.storage.mirror.address import address
from mind.storage.project import Project

_BEST = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """The files and the mirror, compared.

    Attributes:
        entries: In the files.
        missing: Ids that the mirror lacks.
        extra: Ids that only the mirror has.
        different: Ids whose content is another one there.
        vectors: Entries with a vector of this model, there.
    """

    entries: int
    missing: tuple[str, ...]
    extra: tuple[str, ...]
    different: tuple[str, ...]
    vectors: int = 0

    @property
    def is_exact(self) -> bool:
        """Whether the mirror equals the files."""
        return not (self.missing or self.extra or self.different)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parity:
    """The answers of the mirror beside those of the local index.

    Attributes:
        jaccard: Mean share of the best five hits that both have, of all that either has; None if
            no query was answered by both.
        queries: How many were.
        fallbacks: Why others were not.
    """

    jaccard: float | None
    queries: int
    fallbacks: tuple[str, ...] = ()


def verify(project: Project, meaning: Meaning) -> Verified:
    """Compare the mirror with the files: both are read anew, and every entry compared."""
    from mind.storage.mirror import comparing  # noqa: PLC0415 - with psycopg

    where = address(project.settings)
    with closing(Index(None)) as fresh:
        sync.refresh(project, fresh)
        fresh.outbox.collect(time.time())
        expected = fresh.outbox.expected()
    with opened(project, where, making=False) as (connection, team):
        home = home_of(connection, project, team)
        if home is None:
            raise MirrorError(
                "this project is not in the mirror yet", remedy="Run `mind mirror sync`."
            )
        there = comparing.hashes(connection, home)
        table = publishing.found_table(connection, meaning.profile) if meaning.profile else ""
        vectors = sum(has for _, has in publishing.holdings(connection, home, table).values())
    return Verified(
        entries=len(expected),
        missing=tuple(sorted(expected.keys() - there.keys())),
        extra=tuple(sorted(there.keys() - expected.keys())),
        different=tuple(
            sorted(one for one, digest in expected.items() if there.get(one, digest) != digest)
        ),
        vectors=vectors,
    )


def parity(
    project: Project, index: Index, meaning: Meaning, queries: Sequence[str], now: datetime
) -> Parity:
    """Search for each of ``queries`` here and in the mirror, and compare the best five hits."""
    shares: list[float] = []
    reasons: list[str] = []
    page = Page(_BEST)
    for query in queries:
        asked = asking.understand(query, now, lambda _one: None)
        there = find(project, index, meaning, asked, page)
        if there.fallback:
            reasons.append(there.fallback)
            continue
        here = search.find(project, index, meaning, asked, page)
        one, other = ({hit.entry.id for hit in found.hits} for found in (here, there))
        shares.append(len(one & other) / len(one | other) if one or other else 1.0)
    mean = sum(shares) / len(shares) if shares else None
    return Parity(jaccard=mean, queries=len(shares), fallbacks=tuple(dict.fromkeys(reasons)))
