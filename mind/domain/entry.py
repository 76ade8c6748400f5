"""Entries and their parts: frozen values that every other module uses."""

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date as Date  # noqa: N812 - `date` is the name of a field here
from enum import StrEnum
from typing import NamedTuple

from mind.domain.errors import InputError


class Kind(StrEnum):
    """The sort of thing that an entry records."""

    DECISION = "decision"
    PROBLEM = "problem"
    LEARNING = "learning"
    PROGRESS = "progress"
    REJECTED = "rejected"
    BLOCKER = "blocker"
    ASSUMPTION = "assumption"
    EXPERIENCE = "experience"
    GOTCHA = "gotcha"
    GOAL = "goal"
    TODO = "todo"
    RELATION = "relation"
    NOTE = "note"


_KIND_ALIASES = {
    "decided": Kind.DECISION,
    "learned": Kind.LEARNING,
    "issue": Kind.PROBLEM,
    "bug": Kind.PROBLEM,
    "fixed": Kind.PROGRESS,
    "done": Kind.PROGRESS,
    "blocked": Kind.BLOCKER,
    "tried": Kind.REJECTED,
    "warning": Kind.GOTCHA,
}


def parse_kind(name: str) -> Kind:
    """The kind that a person or an agent means by ``name``.

    Raises:
        InputError: It is none; the remedy lists them.
    """
    folded = name.strip().lower()
    try:
        return _KIND_ALIASES.get(folded) or Kind(folded)
    except ValueError:
        accepted = ", ".join(kind.value for kind in Kind)
        raise InputError(f"unknown type {name!r}", remedy=f"Use one of: {accepted}.") from None


def counted(number: int, kind: str) -> str:
    """So many entries of a kind: "1 decision", "2 decisions", "2 rejected"."""
    is_many = number != 1 and kind not in (Kind.PROGRESS, Kind.REJECTED)
    return f"{number:,} {kind}{'s' * is_many}"


class Status(StrEnum):
    """The state of a problem, blocker or todo."""

    OPEN = "open"
    RESOLVED = "resolved"
    BLOCKED = "blocked"


class Layer(StrEnum):
    """The way a memory ages."""

    GOAL = "goal"
    CONTEXT = "context"
    EMOTION = "emotion"
    IMPLEMENTATION = "implementation"
    REALIZE = "realize"
    LEARNING = "learning"


LAYER_OF: Mapping[Kind, Layer] = {
    Kind.GOAL: Layer.GOAL,
    Kind.EXPERIENCE: Layer.CONTEXT,
    Kind.ASSUMPTION: Layer.CONTEXT,
    Kind.NOTE: Layer.CONTEXT,
    Kind.RELATION: Layer.CONTEXT,
    Kind.PROGRESS: Layer.IMPLEMENTATION,
    Kind.TODO: Layer.IMPLEMENTATION,
    Kind.PROBLEM: Layer.REALIZE,
    Kind.GOTCHA: Layer.REALIZE,
    Kind.REJECTED: Layer.REALIZE,
    Kind.BLOCKER: Layer.REALIZE,
    Kind.DECISION: Layer.LEARNING,
    Kind.LEARNING: Layer.LEARNING,
}
_LAYERS: Mapping[str, Layer] = {
    **{layer.value: layer for layer in Layer},
    **dict.fromkeys(("decisions", "insights", "learned"), Layer.LEARNING),
    **dict.fromkeys(("warnings", "pitfalls", "rule"), Layer.REALIZE),
    **dict.fromkeys(("why", "goals"), Layer.GOAL),
    **dict.fromkeys(("how", "tried"), Layer.IMPLEMENTATION),
}


ORIGIN = "from"
"""The field that says where an entry was imported from: ``[from:: claude-mem:obs-12]``."""


DESPITE = "despite"
"""The field of a decision with the ids of the rejections that it goes against."""


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range of byte offsets, ``start <= offset < end``."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One remembered item and where it stands.

    Attributes:
        id: Block id, else the content id; see :func:`content_id`.
        kind: What it records.
        text: The whole item on one line: keyword prefix, list marker, emphasis of the keyword,
            block id and inline fields removed; newlines folded to single spaces.
        date: Day of the nearest dated heading (or the item's own date), if any.
        status: For problems, blockers and todos.
        confidence: 0–1; how sure the parser is that this is an entry of this kind.
        why: How it was recognised, for a person (``keyword "decided:"``, ``section "Gotchas"``).
        reasoning: The part after "because", "so that", a Why line or a dash; "" if none.
        alternatives: What was considered instead (the Y of "X over Y").
        workaround: What to do about a problem or gotcha (the part after ``->``, ``→``, Fix: …).
        tags: ``#tags`` without the hash, in order of appearance.
        links: Targets of ``[[wikilinks]]``.
        fields: Inline fields ``[key:: value]``.
        section: Texts of the headings it stands under, outermost first.
        source: Where it stands: a path relative to the project with ``/``, or ``git`` for a commit.
        line: First line, 1-based; 0 for a commit.
        end: Last line, inclusive.
        span: Bytes of the whole item in its file.
        commit: Full hash, when the source is a commit.
        masked: How many credentials its source has where masks stand here.
        beside: What is searched with it and no part of its text: code below it, the heading above.
    """

    id: str
    kind: Kind
    text: str
    date: Date | None = None
    status: Status | None = None
    confidence: float = 1.0
    why: str = ""
    reasoning: str = ""
    alternatives: tuple[str, ...] = ()
    workaround: str = ""
    tags: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    fields: Mapping[str, str] = field(default_factory=dict)
    section: tuple[str, ...] = ()
    source: str = ""
    line: int = 0
    end: int = 0
    span: Span = Span(0, 0)
    commit: str = ""
    masked: int = 0
    beside: str = ""

    @property
    def layer(self) -> Layer:
        """The layer: ``[layer:: …]`` if that names one, else by kind."""
        named = self.fields.get("layer") if self.fields else None
        return (_LAYERS.get(named.lower()) if named else None) or LAYER_OF[self.kind]

    @property
    def despite(self) -> tuple[str, ...]:
        """Ids of the rejections that it goes against."""
        return tuple(self.fields.get(DESPITE, "").replace(",", " ").split())

    @property
    def title(self) -> str:
        """The first sentence or clause, at most 100 characters, cut between words."""
        return title_of(self.text)

    @property
    def where(self) -> str:
        """Provenance as ``file:line``, or ``commit abc1234``."""
        return f"commit {self.commit[:7]}" if self.commit else f"{self.source}:{self.line}"


_CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz"
_EMPHASIS = re.compile(r"(\*\*|__|~~|`|(?<!\w)[*_]|[*_](?!\w))")
_SENTENCE_END = re.compile(r"[.!?](?=\s+[^\sa-z])|[。！？]|\s[-–—*•]\s")


def normalise(text: str) -> str:
    """Fold what does not change the meaning: Unicode form, case, emphasis, white space."""
    plain = _EMPHASIS.sub("", unicodedata.normalize("NFKC", text))
    return " ".join(plain.casefold().split())


def content_id(text: str) -> str:
    """Eight characters of Crockford base32 over BLAKE2b of the normalised text."""
    number = int.from_bytes(
        hashlib.blake2b(normalise(text).encode("utf-8", "replace"), digest_size=5).digest()
    )
    return "".join(_CROCKFORD[number >> shift & 31] for shift in range(35, -1, -5))


def number_repeats(ids: Iterable[str]) -> list[str]:
    """Make ids unique in order: the second ``x`` becomes ``x-2``, the third ``x-3``."""
    seen: dict[str, int] = {}
    unique = []
    for identifier in ids:
        count = seen[identifier] = seen.get(identifier, 0) + 1
        unique.append(identifier if count == 1 else f"{identifier}-{count}")
    return unique


_REPEAT = re.compile(r"([0-9a-hjkmnp-tv-z]{8})-[1-9]\d{0,6}")


def unnumbered(identifier: str) -> str:
    """The id that :func:`number_repeats` was given."""
    repeat = _REPEAT.fullmatch(identifier)
    return repeat[1] if repeat else identifier


def title_of(text: str, limit: int = 100) -> str:
    """The first sentence of ``text``, at most ``limit`` characters, cut between words.

    A full stop ends a sentence only before white space and a capital or a non-letter, so that
    ``server.py crashes`` stays whole.
    """
    end = _SENTENCE_END.search(text, 10)
    first = text[: end.start()] if end else text
    if len(first) <= limit:
        return first.strip()
    cut = first[:limit].rsplit(" ", 1)[0]
    return cut.rstrip(" ,;:-") + "…"


class Noted(NamedTuple):
    """The time at which an entry got its words.

    Attributes:
        at: Seconds since 1970.
        day: Of whoever noted it.
        session: The session's name.
        corrected: In its place, where it keeps the day of its first words.
    """

    at: float
    day: Date
    session: str
    corrected: bool


DEFAULT_IMPORTANCE = 0.5
"""Of an entry that says nothing."""
PINNED_FROM = 0.9
"""An importance that pins."""
_YES = frozenset({"yes", "true", "on", "1"})


def importance(fields: Mapping[str, str]) -> float:
    """The importance that fields give, 0–1: ``[importance:: 0.9]``, else 0.5.

    A value that is no number, or not within 0–1, is as if it had not been written.
    """
    said = fields.get("importance")
    if not said:  # as of nearly every entry: an error that is caught takes a microsecond
        return DEFAULT_IMPORTANCE
    try:
        value = float(said)
    except ValueError:
        return DEFAULT_IMPORTANCE
    return value if 0 <= value <= 1 else DEFAULT_IMPORTANCE


def is_pinned(fields: Mapping[str, str]) -> bool:
    """True if somebody wants it kept: ``[pinned:: yes]``, or an importance of 0.9 or more."""
    return fields.get("pinned", "").lower() in _YES or importance(fields) >= PINNED_FROM
