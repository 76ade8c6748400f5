"""Which entries count: clauses for SQL, every value bound."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from json import dumps

from mind.domain.entry import Kind, Status
from mind.storage.index.aliases import BECAME
from mind.storage.index.rows import storable


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """What an entry has to be; what is left out lets every entry through.

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
        """Whether every entry passes."""
        return self == Filter()

    def clauses(self) -> tuple[list[str], list[object]]:
        """Clauses on ``entry e`` for those that are shown and pass, and their values."""
        where, values = _among(("kind", self.kinds), ("language", self.languages))
        if self.families:  # by the pieces of the sources, which are few beside the entries
            where.append(
                "e.piece IN (SELECT piece.id FROM source JOIN piece ON piece.path = source.path "
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
    :mod:`mind.storage.index.schema`
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
