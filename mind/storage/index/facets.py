"""Counting entries by what they are: kinds, tags, years, statuses and languages."""

import sqlite3
from collections import Counter
from typing import NamedTuple

from mind.storage.index.filters import Filter


class Counts(NamedTuple):
    """How many entries there are, by what they are."""

    kinds: dict[str, int]
    tags: dict[str, int]
    years: dict[str, int]
    statuses: dict[str, int]
    languages: dict[str, int]


def facets(db: sqlite3.Connection, which: Filter, most: int) -> Counts:
    """Entries that pass, by what they are; "" counts those that have no day, status or language.

    Args:
        db: The index.
        which: Only these.
        most: Tags that are counted, the most common first.
    """
    clauses, values = which.clauses()
    where = " AND ".join(clauses)
    counted = [Counter[str]() for _ in range(4)]
    rows = db.execute(  # one walk over the entries, and not one for each
        "SELECT e.kind, substr(e.date, 1, 4), e.status, e.language, count(*) FROM entry e "
        f"WHERE {where} GROUP BY 1, 2, 3, 4",
        values,
    )
    for *names, number in rows:
        for counts, name in zip(counted, names, strict=True):
            counts[name] += number
    tags = Counter[str]()
    for tag, number in db.execute(
        "SELECT held.value, count(*) FROM entry e, json_each(e.payload, '$.tags') AS held "
        f"WHERE {where} AND instr(e.payload, '\"tags\"') GROUP BY 1",
        values,
    ):
        tags[tag.casefold()] += number
    kinds, years, statuses, languages = counted
    return Counts(
        kinds=_most(kinds),
        tags=dict([*_most(tags).items()][:most]),
        years=dict(sorted(years.items(), reverse=True)),
        statuses=_most(statuses),
        languages=_most(languages),
    )


def _most(counted: Counter[str]) -> dict[str, int]:
    """The most first, and of as many in the order of their names."""
    return dict(sorted(counted.items(), key=lambda one: (-one[1], one[0])))
