"""Report of an examination: frozen values, for people and for programs."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date as Date  # noqa: N812 - `date` is the name of a field here
from datetime import datetime
from typing import Generic, TypeVar

from mind.domain.entry import Entry
from mind.ranking import heat
from mind.sources.staleness import EntryWarning

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """Thresholds for findings to be reported.

    Attributes:
        found: Minimum number of searches that found an unused entry, for dead weight.
        first: Number of top hits that count as found; an agent reads past these.
        applied: Minimum number of applications of a heavily used entry.
        shown: Maximum number of items per list.
    """

    found: int = 5
    first: int = 5
    applied: int = 3
    shown: int = 10


@dataclass(frozen=True, slots=True)
class TopList(Generic[T]):
    """The first items of a list, and its length."""

    total: int = 0
    shown: tuple[T, ...] = ()

    @classmethod
    def of(cls, items: Sequence[T], most: int) -> "TopList[T]":
        """Return at most ``most`` of ``items``, with their total."""
        return cls(len(items), tuple(items[:most]))


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryRef:
    """Short form of an entry; ``protected`` if nothing automatic may remove it."""

    id: str
    kind: str
    date: Date | None
    title: str
    where: str
    protected: bool

    @classmethod
    def of(cls, entry: Entry) -> "EntryRef":
        """Return the short form of an entry."""
        return cls(
            id=entry.id,
            kind=entry.kind.value,
            date=entry.date,
            title=entry.title,
            where=entry.where,
            protected=heat.is_protected(entry),
        )


@dataclass(frozen=True, slots=True)
class EntryCount:
    """An entry and a count."""

    entry: EntryRef
    times: int


@dataclass(frozen=True, slots=True)
class EventCount:
    """An action on an entry with its count: an event's name, or the outcome of a use."""

    at: datetime
    what: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A contradicted entry, and all actions on it, oldest first."""

    entry: EntryRef
    since: datetime
    timeline: tuple[EventCount, ...]


@dataclass(frozen=True, slots=True)
class Superseded:
    """An entry that a later one supersedes, with the reason as text."""

    entry: EntryRef
    by: str
    told: str


@dataclass(frozen=True, slots=True)
class Cluster:
    """Similar entries of a kind, newest first."""

    entries: tuple[EntryRef, ...]


@dataclass(frozen=True, slots=True)
class Typo:
    """A rare tag that may be a misspelt common one, with the number of entries of each."""

    tag: str
    entries: int
    common: str
    common_entries: int


@dataclass(frozen=True, slots=True)
class Drifted:
    """An entry whose cited paths are gone or have changed since."""

    entry: EntryRef
    told: tuple[EntryWarning, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """Counts of lasting entries never verified, verified too long ago, and recently.

    ``recent`` counts the never verified ones that need no check yet: too young, or without a
    date. ``most_used`` are entries without a recent verification, most used first.
    """

    never: int = 0
    recent: int = 0
    stale: int = 0
    fresh: int = 0
    most_used: TopList[EntryCount] = TopList()

    @property
    def total(self) -> int:
        """Return the number of entries that state how things are."""
        return self.never + self.stale + self.fresh


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """State of the paths that entries cite.

    Attributes:
        citing: Number of entries that cite a path.
        gone: Number of those that cite a missing path.
        changed: Number of the rest that cite a path with later commits.
        entries: Both of these, the worst first.
    """

    citing: int = 0
    gone: int = 0
    changed: int = 0
    entries: TopList[Drifted] = TopList()


@dataclass(frozen=True, slots=True, kw_only=True)
class Markers:
    """Short-lived statements, refused or kept despite the warning.

    Attributes:
        logged: Number of recorded entries.
        overridden: Number of those recorded despite a warning.
        phrases: Overridden phrases with counts, most frequent first.
        refused: Number of statements not recorded because of a warning.
        refusals: Phrases that caused refusals with counts, most frequent first.
    """

    logged: int = 0
    overridden: int = 0
    phrases: tuple[tuple[str, int], ...] = ()
    refused: int = 0
    refusals: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Warnings:
    """Warnings by rejections and gotchas, counted once per session.

    Attributes:
        shown: Number of warnings.
        overridden: Number of warnings that were ignored.
        entries: Entries with the number of times ignored, most frequent first.
    """

    shown: int = 0
    overridden: int = 0
    entries: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """Size of a memory.

    Attributes:
        entries: Entries in memory, from all sources.
        kept: Entries in Mind's own files; heat and age count these.
        by_kind: Entries by kind, by layer and by origin, largest first.
        bands: Numbers of hot, warm, cold and frozen entries.
        expired: Number of expired entries.
        archived: Number of texts in the archive.
        memory_bytes: Size of MEMORY.md.
        block_tokens: Approximate size of the context block.
    """

    entries: int
    kept: int
    by_kind: dict[str, int]
    by_layer: dict[str, int]
    by_source: dict[str, int]
    bands: dict[str, int]
    expired: int
    archived: int
    memory_bytes: int
    block_tokens: int


@dataclass(frozen=True, slots=True)
class Advice:
    """A recommended action, its command, and the reason."""

    text: str
    command: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """The health of a memory.

    Attributes:
        project: The folder's name.
        day: Day of the examination.
        days: Length of the window for counting use, in days.
        limits: Thresholds for findings.
        searches: Number of searches in the window.
        applied: Number of explicitly reported uses in the window.
        size: Size of the memory.
        dead_weight: Entries found in the window but never used, with the number of finds.
        never_found: Cold entries not found in the window, with the number of idle days.
        heavily_used: Most applied entries of the window.
        verdicts: Entries by the state of their verdict, the worst first.
        contradictions: Contradicted entries not verified since.
        superseded: Superseded entries.
        alike: Similar entries.
        missing: Why similar entries are not listed, with the remedy; "" if they are.
        typos: Tags that may be misspelt.
        verification: State of verifications.
        drift: State of cited paths.
        markers: Warnings about short-lived statements in the window.
        warnings: Warnings by rejections and gotchas in the window, and their outcome.
        advice: Recommended actions, most important first.
        problems: Unreadable sources, each with its remedy.
    """

    project: str
    day: Date
    days: int
    limits: Thresholds
    searches: int
    applied: int
    size: Size
    dead_weight: TopList[EntryCount]
    never_found: TopList[EntryCount]
    heavily_used: TopList[EntryCount]
    verdicts: dict[str, int]
    contradictions: TopList[Contradiction]
    superseded: TopList[Superseded]
    alike: TopList[Cluster]
    missing: str
    typos: TopList[Typo]
    verification: Verification
    drift: Drift
    markers: Markers
    warnings: Warnings
    advice: tuple[Advice, ...] = ()
    problems: tuple[str, ...] = ()
