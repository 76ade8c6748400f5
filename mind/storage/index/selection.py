"""Selecting entries by SQL: rows and the entries they stand for, filters, order, counts."""

import json
import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from json import dumps
from typing import Literal, NamedTuple

from mind.domain.entry import Entry, Kind, Span, Status
from mind.storage.index.connection import IndexPart, sure

PLACE = "JOIN chunk p ON p.id = e.chunk JOIN source s ON s.path = p.path"
IN_TIME = "e.date, s.rank, p.path, p.ordinal, e.position"
COLUMNS = "e.id, e.kind, e.date, e.status, e.text, e.payload, p.line, p.offset"
FORWARD = "s.rank, p.path, p.ordinal, e.position"
NEWEST = "e.date DESC, s.rank, p.path, p.ordinal DESC, e.position DESC"


def payload(entry: Entry, line: int, offset: int) -> str:
    """Everything without a column of its own, as JSON; places are relative to the chunk."""
    rest = {
        "text": entry.text if storable(entry.text) != entry.text else "",
        "confidence": entry.confidence,
        "why": entry.why,
        "section": entry.section,
        "source": entry.source,
        "at": (
            entry.line - line,
            entry.end - line,
            entry.span.start - offset,
            entry.span.end - offset,
        ),
        "reasoning": entry.reasoning,
        "alternatives": entry.alternatives,
        "workaround": entry.workaround,
        "tags": entry.tags,
        "links": entry.links,
        "fields": dict(entry.fields),
        "commit": entry.commit,
        "masked": entry.masked,
        "beside": entry.beside,
    }
    return json.dumps({key: value for key, value in rest.items() if value}, ensure_ascii=True)


def entry_of(row: Sequence[object]) -> Entry:
    """The entry that a row of ``COLUMNS`` stands for."""
    identifier, kind, day, status, text, rest_of, line, offset = row
    rest = json.loads(str(rest_of))
    at = rest.pop("at", (0, 0, 0, 0))
    base, start = int(str(line)), int(str(offset))
    for key in ("section", "alternatives", "tags", "links"):
        if key in rest:
            rest[key] = tuple(rest[key])
    rest.setdefault("text", str(text))
    return Entry(
        id=str(identifier),
        kind=Kind(str(kind)),
        date=date.fromisoformat(str(day)) if day else None,
        status=Status(str(status)) if status else None,
        line=base + at[0],
        end=base + at[1],
        span=Span(start + at[2], start + at[3]),
        **rest,
    )


def storable(text: str) -> str:
    """``text`` without NUL and lone surrogates, which SQLite does not take."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


THERE = "SELECT 1 FROM entry t WHERE t.shown AND t.id ="
"""Begins a query for whether an entry has an id: then that id is its own, and no alias."""
BECAME = (
    "(WITH RECURSIVE became (id) AS (SELECT value FROM json_each(?) "
    "UNION SELECT a.new FROM became b JOIN alias a ON a.old = b.id "
    f"WHERE NOT EXISTS ({THERE} b.id)) SELECT id FROM became)"
)
"""The ids of a list that is bound as JSON, and what they became up to where an entry is there."""


@sure
class Aliases(IndexPart):
    """New ids of edited entries. A chain of edits is followed until an entry is there."""

    def add(self, pairs: Mapping[str, str]) -> None:
        """Note what ids became, old → new; what was noted of an old one before is over."""
        self.db.executemany("INSERT OR REPLACE INTO alias VALUES (?, ?)", list(pairs.items()))

    def clear(self) -> None:
        """Forget all."""
        self.db.execute("DELETE FROM alias")

    def named(self, old: str) -> str:
        """The id that ``old`` became in one step; "" if that is not known."""
        row = self.db.execute("SELECT new FROM alias WHERE old = ?", (old,)).fetchone()
        return str(row[0]) if row else ""

    def followed(self, old: str) -> str:
        """The id of the entry that ``old`` became; "" if there is none."""
        seen = {old}
        at = self.named(old)
        while at and at not in seen:
            if self.db.execute(f"{THERE} ?", (at,)).fetchone():
                return at
            seen.add(at)
            at = self.named(at)
        return ""

    def gone(self) -> dict[str, str]:
        """Every id that no entry has any more and became another, with that of an entry."""
        rows = self.db.execute(f"SELECT old FROM alias WHERE NOT EXISTS ({THERE} old)").fetchall()
        found = {old: self.followed(old) for (old,) in rows}
        return {old: new for old, new in found.items() if new}


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Conditions on entries; one that is left out lets every entry through.

    Attributes:
        kinds: Of one of these kinds.
        families: From one of these families of sources.
        since: Not before this day; entries without a date do not pass.
        until: Not after this day; the same.
        status: With this status.
        tags: With one of these tags, whatever their case.
        section: In a section with this heading, or in one below it, whatever its case.
        ids: With one of these ids, or made by edits of what had it, where no other has it now.
        muted: With none of these tags, whatever their case.
        languages: In one of these languages (:data:`mind.text.language.LANGUAGES`).
    """

    kinds: tuple[Kind, ...] = ()
    families: tuple[str, ...] = ()
    since: date | None = None
    until: date | None = None
    status: Status | None = None
    tags: tuple[str, ...] = ()
    section: str = ""
    ids: tuple[str, ...] = ()
    muted: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()

    @property
    def is_open(self) -> bool:
        """True if every entry passes."""
        return self == Filter()

    def clauses(self) -> tuple[list[str], list[object]]:
        """Clauses on ``entry e`` for those that are shown and pass, and their values."""
        where, values = _among(("kind", self.kinds), ("language", self.languages))
        if self.families:  # by the chunks of the sources, which are few beside the entries
            where.append(
                "e.chunk IN (SELECT chunk.id FROM source JOIN chunk ON chunk.path = source.path "
                f"WHERE source.family IN ({marks(self.families)}))"
            )
            values += self.families
        if self.ids:
            where.append(f"e.id IN {BECAME}")
            values.append(dumps([storable(one) for one in self.ids]))
        for form, key, wanted in (
            ("{}", "tags", self.tags),
            ("NOT ({})", "tags", self.muted),
            ("{}", "section", (self.section,) if self.section else ()),
        ):
            if wanted:
                where.append(form.format(_held(key, wanted)))
                values.append(dumps([storable(one).casefold() for one in wanted]))
        for clause, value in (
            ("e.date >= ?", day_of(self.since)),
            ("e.date BETWEEN '0' AND ?", day_of(self.until)),
            ("e.status = ?", self.status.value if self.status else ""),
        ):
            if value:
                where.append(clause)
                values.append(value)
        return where, [storable(one) if isinstance(one, str) else one for one in values]


def _among(*wanted: tuple[str, Sequence[str]]) -> tuple[list[str], list[object]]:
    """Clauses for those shown that have one of the values in each column, if any are given."""
    given = [(column, values) for column, values in wanted if values]
    where = [f"e.{column} IN ({marks(values)})" for column, values in given]
    return ["e.shown", *where], [str(value) for _, values in given for value in values]


def _held(key: str, wanted: Sequence[str]) -> str:
    """A clause for those that have one of the texts in the list ``key``, whatever its case.

    SQLite folds only ASCII; what it would leave as it is, a function of
    :mod:`mind.storage.index.connection`
    folds, which is slower. Most entries do not even have the list. A query may name more texts
    than a statement takes variables, so they are one.
    """
    fold = "lower" if all(map(str.isascii, wanted)) else "fold"
    return (
        f"instr(e.payload, '\"{key}\"') AND EXISTS ("
        f"SELECT 1 FROM json_each(e.payload, '$.{key}') AS held "
        f"WHERE {fold}(held.value) IN (SELECT value FROM json_each(?)))"
    )


EVERY = Filter()


def marks(values: Sequence[object]) -> str:
    """As many question marks as there are values."""
    return ", ".join("?" * len(values))


def day_of(day: date | None) -> str:
    """A day as it is stored: ISO, or nothing."""
    return day.isoformat() if day else ""


class Counts(NamedTuple):
    """Numbers of entries by their properties."""

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


Order = Literal["files", "newest", "oldest"]
_DATED, _UNDATED = "e.date > ''", "e.date = ''"
_RUNS = {
    "newest": (("e.date >= ''", NEWEST),),
    "oldest": ((_DATED, IN_TIME), (_UNDATED, FORWARD)),
}
"""Order → parts of it that SQLite can walk through without sorting every entry."""


def page(
    db: sqlite3.Connection, which: Filter, order: Order, limit: int = -1, offset: int = 0
) -> list[Entry]:
    """Entries that pass; those without a date come last in an order of time.

    Args:
        db: The index.
        which: Only these.
        order: Of the files, or of time.
        limit: Most entries; -1 for all.
        offset: How many of the first to leave out.
    """
    clauses, values = which.clauses()
    where = " AND ".join(clauses)
    if order != "files" and len(which.kinds) > 1 and limit >= 0:
        where, values = _first_of_each_kind(which, order, limit + offset)
    if order == "files":
        return select(db, where, values, FORWARD, limit, offset)
    if order == "newest":  # every date is at least '', which makes SQLite walk along the dates
        return select(db, f"{where} AND e.date >= ''", values, NEWEST, limit, offset)
    has_date = f"{where} AND {_DATED}"
    dated = select(db, has_date, values, IN_TIME, limit, offset)
    left = limit - len(dated) if limit >= 0 else -1
    if not left or which.since or which.until:
        return dated
    passed = 0 if dated else offset - _count(db, has_date, values)
    return dated + select(db, f"{where} AND {_UNDATED}", values, FORWARD, left, max(0, passed))


def _first_of_each_kind(which: Filter, order: Order, most: int) -> tuple[str, list[object]]:
    """A clause for the first of each kind, with its values.

    Along the dates of one kind there is an index; several kinds at once would all be sorted.
    """
    parts: list[str] = []
    values: list[object] = []
    for kind in which.kinds:
        clauses, of_kind = replace(which, kinds=(kind,)).clauses()
        where = " AND ".join(clauses)
        for dated, falling in _RUNS[order]:
            parts.append(
                f"SELECT * FROM (SELECT e.rowid FROM entry e {PLACE} WHERE {where} AND {dated} "
                f"ORDER BY {falling} LIMIT ?)"
            )
            values += [*of_kind, most]
    return f"e.rowid IN ({' UNION ALL '.join(parts)})", values


def count(db: sqlite3.Connection, which: Filter) -> int:
    """The number of entries that pass."""
    clauses, values = which.clauses()
    return _count(db, " AND ".join(clauses), values)


def beside(
    db: sqlite3.Connection, entry: Entry, before: int, after: int
) -> tuple[list[Entry], list[Entry]]:
    """Entries noted just before an entry and just after it, each oldest first.

    What has no date has the lines around it instead.
    """
    place = db.execute(
        f"SELECT {IN_TIME} FROM entry e {PLACE} WHERE e.shown AND e.id = ?", (storable(entry.id),)
    ).fetchone()
    if place is None:
        return [], []
    if not place[0]:
        return _lines_beside(db, place, before, after)
    falling = ", ".join(f"{column} DESC" for column in IN_TIME.split(", "))
    here = f"({IN_TIME}) {{}} ({marks(place)})"
    values = [place[0], *place]
    earlier = f"e.shown AND e.date > '' AND e.date <= ? AND {here.format('<')}"
    later = f"e.shown AND e.date >= ? AND {here.format('>')}"
    return (
        select(db, earlier, values, falling, before)[::-1],
        select(db, later, values, IN_TIME, after),
    )


def _lines_beside(
    db: sqlite3.Connection, place: Sequence[object], before: int, after: int
) -> tuple[list[Entry], list[Entry]]:
    values = [place[2], place[3], place[4]]
    here = "e.shown AND p.path = ? AND (p.ordinal, e.position) {} (?, ?)"
    falling = "p.ordinal DESC, e.position DESC"
    return (
        select(db, here.format("<"), values, falling, before)[::-1],
        select(db, here.format(">"), values, "p.ordinal, e.position", after),
    )


def select(  # noqa: PLR0913, PLR0917 - the parts of one statement
    db: sqlite3.Connection,
    where: str,
    values: Sequence[object],
    order: str,
    limit: int,
    offset: int = 0,
) -> list[Entry]:
    """The entries of a statement."""
    rows = db.execute(
        f"SELECT {COLUMNS} FROM entry e {PLACE} WHERE {where} ORDER BY {order} LIMIT ? OFFSET ?",
        [*values, limit, offset],
    )
    return [entry_of(row) for row in rows]


def _count(db: sqlite3.Connection, where: str, values: Sequence[object]) -> int:
    found: int = db.execute(f"SELECT count(*) FROM entry e WHERE {where}", values).fetchone()[0]
    return found
