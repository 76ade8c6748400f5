"""Selection of entries by SQL: row conversion, filters, order, counts."""

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from json import dumps
from typing import Literal

from mind.domain.entry import Entry, Kind, Span, Status
from mind.storage.index.connection import Connected, IndexPart, sure

PLACE = "JOIN chunk p ON p.id = e.chunk JOIN source s ON s.path = p.path"
IN_TIME = "e.date, s.rank, p.path, p.ordinal, e.position"
COLUMNS = "e.id, e.kind, e.date, e.status, e.text, e.payload, p.line, p.offset"
FORWARD = "s.rank, p.path, p.ordinal, e.position"
_FALLING = ", ".join(f"{column} DESC" for column in IN_TIME.split(", "))
NEWEST = "e.date DESC, s.rank, p.path, p.ordinal DESC, e.position DESC"


def payload(entry: Entry, line: int, offset: int) -> str:
    """All properties without their own column, as JSON; positions are relative to the chunk."""
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
        "code": entry.code,
        "lead": entry.lead,
    }
    return json.dumps({key: value for key, value in rest.items() if value}, ensure_ascii=True)


def entry_of(row: Sequence[object]) -> Entry:
    """Entry from a row of ``COLUMNS``."""
    identifier, kind, day, status, text, rest_of, line, offset = row
    rest = json.loads(str(rest_of))
    at = rest.pop("at", (0, 0, 0, 0))
    base, start = int(str(line)), int(str(offset))
    for key in ("section", "alternatives", "tags", "links", "code"):
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
    """``text`` without NUL and lone surrogates, which SQLite rejects."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


THERE = "SELECT 1 FROM entry t WHERE t.shown AND t.id ="
"""Start of a subquery that checks whether an entry has an id, which then is no alias."""
BECAME = (
    "(WITH RECURSIVE became (id) AS (SELECT value FROM json_each(?) "
    "UNION SELECT a.new FROM became b JOIN alias a ON a.old = b.id "
    f"WHERE NOT EXISTS ({THERE} b.id)) SELECT id FROM became)"
)
"""Subquery of the ids in a JSON parameter and their later ids, up to an existing entry."""
GONE = (
    "WITH RECURSIVE became (old, id) AS ("
    f"SELECT old, new FROM alias WHERE NOT EXISTS ({THERE} old) "
    "UNION SELECT b.old, a.new FROM became b JOIN alias a ON a.old = b.id "
    f"WHERE NOT EXISTS ({THERE} b.id))"
)
"""CTE of all ids that no entry has any more, and their later ids."""


WITH_FIELDS = "e.rowid IN (SELECT rowid FROM entry WHERE shown AND instr(payload, '\"fields\":'))"
"""Condition for entries with inline fields, which are few; a partial index lists them."""


@sure
class Aliases(IndexPart):
    """Current ids of edited entries; follows chains of edits to an existing entry."""

    def add(self, pairs: Mapping[str, str]) -> None:
        """Record new ids, old → new; replaces earlier records."""
        self.db.executemany("INSERT OR REPLACE INTO alias VALUES (?, ?)", list(pairs.items()))

    def clear(self) -> None:
        """Delete all aliases."""
        self.db.execute("DELETE FROM alias")

    def named(self, old: str) -> str:
        """Id after one edit of ``old``; "" if unknown."""
        row = self.db.execute("SELECT new FROM alias WHERE old = ?", (old,)).fetchone()
        return str(row[0]) if row else ""

    def followed(self, old: str) -> str:
        """Id of the entry that ``old`` became; "" if there is none."""
        row = self.db.execute(
            f"SELECT b.id FROM {BECAME} b WHERE b.id <> ? AND EXISTS ({THERE} b.id)",
            (dumps([old]), old),
        ).fetchone()
        return str(row[0]) if row else ""

    def gone(self) -> dict[str, str]:
        """Former ids → current entry id."""
        rows = self.db.execute(f"{GONE} SELECT old, id FROM became WHERE EXISTS ({THERE} id)")
        return dict(rows.fetchall())


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Conditions on entries; omitted ones match all entries.

    Attributes:
        kinds: Has one of these kinds.
        families: Comes from one of these families of sources.
        since: Dated on or after this day; undated entries do not pass.
        until: Dated on or before this day; undated entries do not pass.
        running: The days include today: undated notes of running sessions pass them.
        status: Has this status.
        tags: Has one of these tags, ignoring case.
        section: Is in or below a section with this heading, ignoring case.
        ids: Has one of these ids, or had it before edits and no other entry has it now.
        muted: Has none of these tags, ignoring case.
        languages: Is in one of these languages (:data:`mind.text.LANGUAGES`).
    """

    kinds: tuple[Kind, ...] = ()
    families: tuple[str, ...] = ()
    since: date | None = None
    until: date | None = None
    running: bool = field(default=False, compare=False)  # depends on the day, not on the request
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

    def within(self, since: date | None, until: date | None, today: date | None) -> "Filter":
        """This filter limited to some days; the notes of running sessions are of today."""
        is_today = today is not None and (since or today) <= today <= (until or today)
        return replace(self, since=since, until=until, running=is_today)

    def clauses(self) -> tuple[list[str], list[object]]:
        """SQL conditions on ``entry e`` for visible entries that pass, and their parameters."""
        where, values = ["e.shown"], list[object]()
        # of one kind there is an index on dates; several are no reason to leave that of all dates
        kind = "e.kind = json_extract(?, '$[0]')" if len(self.kinds) == 1 else f"+e.kind {_AMONG}"
        for clause, wanted in (
            (kind, self.kinds),
            (f"e.language {_AMONG}", self.languages),
            (_OF_FAMILIES, self.families),
            (f"e.id IN {BECAME}", self.ids),
            (_held("tags"), _folded(self.tags)),
            (f"NOT ({_held('tags')})", _folded(self.muted)),
            (_held("section"), _folded((self.section,) if self.section else ())),
        ):
            if wanted:
                where.append(clause)
                values.append(dumps([storable(one) for one in wanted]))
        noted = f" OR {NOTED}" if self.running else ""
        for clause, value in (
            (f"(e.date >= ?{noted})", day_of(self.since)),
            (f"(e.date BETWEEN '0' AND ?{noted})", day_of(self.until)),
            ("e.status = ?", self.status.value if self.status else ""),
        ):
            if value:
                where.append(clause)
                values.append(value)
        return where, values


_AMONG = "IN (SELECT value FROM json_each(?))"
_OF_FAMILIES = (  # via the chunks of the sources, far fewer than the entries
    "e.chunk IN (SELECT chunk.id FROM source JOIN chunk ON chunk.path = source.path "
    f"WHERE source.family {_AMONG})"
)


def _folded(texts: Sequence[str]) -> list[str]:
    return [one.casefold() for one in texts]


def _held(key: str) -> str:
    """SQL condition for entries with one of the texts in the list ``key``, ignoring case.

    Most entries lack the list, so that its texts are rarely folded.
    """
    return (
        f"instr(e.payload, '\"{key}\"') AND EXISTS ("
        f"SELECT 1 FROM json_each(e.payload, '$.{key}') AS held "
        f"WHERE fold(held.value) {_AMONG})"
    )


EVERY = Filter()
NOTED = (
    "+e.date = '' AND e.chunk IN (SELECT chunk.id FROM source JOIN chunk "
    "ON chunk.path = source.path WHERE source.family = 'session')"
)
"""SQL condition for undated notes of running sessions.

The plus keeps SQLite from reading all undated entries: there are few notes."""


def affordable(order: Iterable[str], counts: Mapping[str, int], most: int) -> list[str]:
    """The first keys of ``order``, at least one, that have at most ``most`` entries together."""
    taken: list[str] = []
    spent = 0
    for key in order:
        spent += counts[key]
        if taken and spent > most:
            break
        taken.append(key)
    return taken


def marks(values: Sequence[object]) -> str:
    """Question marks, one per value."""
    return ", ".join("?" * len(values))


def day_of(day: date | None) -> str:
    """Stored form of a day: ISO, or ""."""
    return day.isoformat() if day else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets:
    """Counts of matching entries by property, largest first.

    Attributes:
        counted: Number of counted entries.
        complete: True if all matches were counted; else only the best 100.
        kinds: Counts by kind.
        tags: Counts of the 50 most common tags.
        years: Counts by year, latest first; "" for entries without a date.
        statuses: Counts by status; "" for entries without one.
        languages: Counts by language (ISO 639-1); "" if uncertain.
    """

    counted: int
    complete: bool
    kinds: dict[str, int]
    tags: dict[str, int]
    years: dict[str, int]
    statuses: dict[str, int]
    languages: dict[str, int]


def facets(index: Connected, which: Filter, most: int) -> Facets:
    """Entry counts by property; "" counts entries without a day, status or language.

    Args:
        index: The index.
        which: The filters.
        most: Maximum number of tags, most common first.
    """
    clauses, values = which.clauses()
    where = " AND ".join(clauses)
    counted = [Counter[str]() for _ in range(4)]
    rows = index.db.execute(  # one scan instead of one per property
        "SELECT e.kind, substr(e.date, 1, 4), e.status, e.language, count(*) FROM entry e "
        f"WHERE {where} GROUP BY 1, 2, 3, 4",
        values,
    )
    for *names, number in rows:
        for counts, name in zip(counted, names, strict=True):
            counts[name] += number
    tags = Counter[str]()
    for tag, number in index.db.execute(
        "SELECT held.value, count(*) FROM entry e, json_each(e.payload, '$.tags') AS held "
        f"WHERE {where} AND instr(e.payload, '\"tags\"') GROUP BY 1",
        values,
    ):
        tags[tag.casefold()] += number
    kinds, years, statuses, languages = counted
    return Facets(
        counted=kinds.total(),
        complete=True,
        kinds=_most(kinds),
        tags=dict([*_most(tags).items()][:most]),
        years=dict(sorted(years.items(), reverse=True)),
        statuses=_most(statuses),
        languages=_most(languages),
    )


def _most(counted: Counter[str]) -> dict[str, int]:
    """Sorted by count, descending, then by name."""
    return dict(sorted(counted.items(), key=lambda one: (-one[1], one[0])))


Order = Literal["files", "newest", "oldest"]
ORDERS: Mapping[Order, str] = {
    "files": FORWARD,
    "newest": NEWEST,
    "oldest": f"e.date = '', {IN_TIME}",
}


def beside(
    index: Connected, entry: Entry, before: int, after: int
) -> tuple[list[Entry], list[Entry]]:
    """Entries recorded just before and just after an entry, each oldest first.

    Undated notes of running sessions come after all dated entries. Another undated entry has the
    neighbours in its file instead.
    """
    db = index.db
    place = db.execute(
        f"SELECT {IN_TIME}, {NOTED} FROM entry e {PLACE} WHERE e.shown AND e.id = ?",
        (storable(entry.id),),
    ).fetchone()
    if place is None:
        return [], []
    *place, is_note = place
    if not place[0]:
        earlier, later = _lines_beside(db, place, before, after, "+e.date = ''" if is_note else "1")
        left = before - len(earlier) if is_note else 0
        return select(db, "e.shown AND e.date > ''", [], _FALLING, left)[::-1] + earlier, later
    here = f"({IN_TIME}) {{}} ({marks(place)})"
    values = [place[0], *place]
    until = f"e.shown AND e.date > '' AND e.date <= ? AND {here.format('<')}"
    since = f"e.shown AND e.date >= ? AND {here.format('>')}"
    later = select(db, since, values, IN_TIME, after)
    if left := after - len(later):
        later += select(db, f"e.shown AND {NOTED}", [], FORWARD, left)
    return select(db, until, values, _FALLING, before)[::-1], later


def _lines_beside(
    db: sqlite3.Connection, place: Sequence[object], before: int, after: int, which: str
) -> tuple[list[Entry], list[Entry]]:
    values = [place[2], place[3], place[4]]
    here = f"e.shown AND {which} AND p.path = ? AND (p.ordinal, e.position) {{}} (?, ?)"
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
    """Entries of a statement."""
    rows = db.execute(
        f"SELECT {COLUMNS} FROM entry e {PLACE} WHERE {where} ORDER BY {order} LIMIT ? OFFSET ?",
        [*values, limit, offset],
    )
    return [entry_of(row) for row in rows]


def by_row(db: sqlite3.Connection, rows: Sequence[int]) -> dict[int, Entry]:
    """Entries by their row numbers."""
    found = db.execute(
        f"SELECT e.rowid, {COLUMNS} FROM entry e {PLACE} "
        f"WHERE e.rowid IN ({', '.join(map(str, rows))})"
    )
    return {row[0]: entry_of(row[1:]) for row in found}
