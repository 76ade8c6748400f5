"""Where a block stands: what the headings above it say about it."""

import re
from dataclasses import dataclass
from datetime import date as Date  # noqa: N812 - `date` is the name of a field here
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Literal

from mind.dates import heading_date
from mind.entry import Kind
from mind.parser.lexicon import Lexicon
from mind.parser.titles import Title, title

Headings = tuple[tuple[int, str], ...]
Weight = Literal["", "title", "section"]

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|[-_.]+")
_CARRIED_BY_NAME = frozenset(
    {Kind.DECISION, Kind.LEARNING, Kind.GOTCHA, Kind.REJECTED, Kind.PROBLEM, Kind.BLOCKER}
)


@dataclass(frozen=True, slots=True)
class Place:
    """What the headings above say.

    Attributes:
        kind: The kind they announce.
        weight: Whether it comes from a section's heading or only from the file's title.
        mode: ``open`` for ordinary text, ``log`` under a day or session, ``silent`` where plans
            and descriptions stand, ``state`` for the project's state, ``relation`` for relations.
        date: Of the nearest dated heading.
        section: The headings' texts, outermost first.
        name: The heading that announced the kind.
    """

    kind: Kind | None = None
    weight: Weight = ""
    mode: Literal["open", "log", "silent", "state", "relation"] = "open"
    date: Date | None = None
    section: tuple[str, ...] = ()
    name: str = ""

    @property
    def announces(self) -> bool:
        """Whether plain items here are entries of ``kind``."""
        return self.kind is not None and (
            self.weight == "section" or self.kind in (Kind.LEARNING, Kind.GOTCHA)
        )


@lru_cache(maxsize=4096)
def place(headings: Headings, path: str, words: Lexicon) -> Place:
    """The place under ``headings`` in the file ``path``."""
    here = _file(path, words)
    for level, text in headings:
        here = _under(here, title(text, level, words), level, text)
    return here


def _file(path: str, words: Lexicon) -> Place:
    stem = PurePosixPath(path.replace("\\", "/")).stem
    named = title(_CAMEL.sub(" ", stem), 1, words).kind if stem else None
    if named not in _CARRIED_BY_NAME:
        return Place()
    return Place(kind=named, weight="title", name=stem)


def _under(above: Place, head: Title, level: int, text: str) -> Place:
    kind, weight, mode, name = above.kind, above.weight, above.mode, above.name
    if head.role == "kind" and head.kind is not None:
        kind, weight, name = head.kind, "title" if level == 1 else "section", text.strip()
        mode = "relation" if kind is Kind.RELATION else "open"
    elif level > 1 and head.role == "state":
        kind, weight, mode = None, "", "state"
    elif level > 1 and (head.role == "silent" or head.quiet):
        kind, weight, mode = None, "", "silent"
    elif head.role == "log":
        mode, weight = "log", "section" if head.dated and kind is not None else weight
    elif head.role in ("neutral", "silent", "record") and level <= 2:
        kind, weight = (kind, "title") if weight == "title" else (None, "")
        mode = "log" if head.dated else "open"
    return Place(
        kind=kind,
        weight=weight,
        mode=mode,
        date=_day(text) or above.date,
        section=(*above.section, text.strip()),
        name=name,
    )


def _day(text: str) -> Date | None:
    return heading_date(text) if any(mark.isdigit() for mark in text) else None
