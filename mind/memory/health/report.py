"""The report of an examination: frozen values, for people and for programs."""

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
    """From where on something is worth telling.

    Attributes:
        found: Searches that found an entry nobody used, for it to be dead weight.
        first: Hits of a search that count as found, then: what an agent has to read past.
        applied: Times that an entry was applied, for it to be heavily used.
        typo: Letters that may be added, dropped or changed between a rare and a common tag.
        rare: Entries that a rare tag has at most.
        common: Entries that a common tag has at least.
        shown: Items of each list, at most.
    """

    found: int = 5
    first: int = 5
    applied: int = 3
    typo: int = 2
    rare: int = 2
    common: int = 4
    shown: int = 10


@dataclass(frozen=True, slots=True)
class TopList(Generic[T]):
    """The first of a list, and how many it has."""

    total: int = 0
    shown: tuple[T, ...] = ()

    @classmethod
    def of(cls, items: Sequence[T], most: int) -> "TopList[T]":
        """At most ``most`` of ``items``."""
        return cls(len(items), tuple(items[:most]))


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryRef:
    """An entry, in short; ``protected`` if nothing automatic may remove it."""

    id: str
    kind: str
    date: Date | None
    title: str
    where: str
    protected: bool

    @classmethod
    def of(cls, entry: Entry) -> "EntryRef":
        """The same of an entry."""
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
    """An entry, and how often."""

    entry: EntryRef
    times: int


@dataclass(frozen=True, slots=True)
class EventCount:
    """One thing that was done with an entry: an event's name, or the outcome of a use."""

    at: datetime
    what: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """An entry that was found to be wrong, and all that was done with it, oldest first."""

    entry: EntryRef
    since: datetime
    timeline: tuple[EventCount, ...]


@dataclass(frozen=True, slots=True)
class Superseded:
    """An entry that a later one replaces; why, in words."""

    entry: EntryRef
    by: str
    told: str


@dataclass(frozen=True, slots=True)
class Cluster:
    """Entries of a kind that say nearly the same, the newest first."""

    entries: tuple[EntryRef, ...]


@dataclass(frozen=True, slots=True)
class Typo:
    """A rare tag that may be a common one misspelt, and how many entries have each."""

    tag: str
    entries: int
    common: str
    common_entries: int


@dataclass(frozen=True, slots=True)
class Drifted:
    """An entry whose cited paths are gone or were changed since."""

    entry: EntryRef
    told: tuple[EntryWarning, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """Counts of the lasting entries never checked, checked too long ago, and lately.

    ``recent`` of those that were never checked need no check yet: they are not that old, or have
    no day. ``most_used`` are those that were not checked lately, the most used first.
    """

    never: int = 0
    recent: int = 0
    stale: int = 0
    fresh: int = 0
    most_used: TopList[EntryCount] = TopList()

    @property
    def total(self) -> int:
        """Entries that say how things are."""
        return self.never + self.stale + self.fresh


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """The state of the paths that entries cite.

    Attributes:
        citing: Entries that cite a path.
        gone: Those of them that cite one that is not there any more.
        changed: Those of the rest that cite one with commits since.
        entries: Both, the worst first.
    """

    citing: int = 0
    gone: int = 0
    changed: int = 0
    entries: TopList[Drifted] = TopList()


@dataclass(frozen=True, slots=True)
class MissedSearch:
    """A search that was asked again at once, in other words that found something else."""

    at: datetime
    query: str
    then: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Markers:
    """Statements that will not be true for long: refused, or to stay all the same.

    Attributes:
        logged: Entries that were recorded.
        overridden: Those of them where a warning was overridden.
        phrases: How often each phrase was, the most frequent first.
        refused: Statements that were not written because of a warning.
        refusals: How often each phrase was the cause, the most frequent first.
    """

    logged: int = 0
    overridden: int = 0
    phrases: tuple[tuple[str, int], ...] = ()
    refused: int = 0
    refusals: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Warnings:
    """Rejections and gotchas that warned of something, each once a session.

    Attributes:
        shown: How many did.
        overridden: How many of these were followed by what they warned of.
        entries: How often each entry was overridden, the most frequent first.
    """

    shown: int = 0
    overridden: int = 0
    entries: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Week:
    """Entries of a week that begins on a Monday, and of all weeks up to it."""

    start: Date
    added: int
    total: int


@dataclass(frozen=True, slots=True)
class Growth:
    """Growth of a memory: entries older than the first week, those without a day, and the weeks."""

    earlier: int = 0
    undated: int = 0
    weeks: tuple[Week, ...] = ()


@dataclass(frozen=True, slots=True)
class Activity:
    """The activity of a week: searches, uses (implicit ones too), and entries recorded."""

    start: Date
    searches: int
    uses: int
    recorded: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """Counts of all there is.

    Attributes:
        entries: In memory, from every source.
        kept: Those in Mind's own files; heat and age count these.
        by_kind: Entries by kind, by layer and by origin, the most first.
        bands: Entries that are hot, warm, cold and frozen.
        expired: Entries whose time is over.
        archived: Texts in the archive.
        memory_bytes: Of MEMORY.md.
        block_tokens: Of the context block, about.
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
    """A thing to do, the command that does it or shows more, and the reason."""

    text: str
    command: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """The health of a memory.

    Attributes:
        project: The folder's name.
        day: On which it was examined.
        days: The window that use is counted in.
        limits: From where on something is told.
        searches: In the window.
        applied: Uses in the window that somebody told of.
        quoted: Entries in the window that were found and then quoted: used, by implication.
        size: How much there is.
        growth: Since when.
        activity: What was done, by week; the last 26.
        dead_weight: Found by searches in the window, and never used; how often they were found.
        never_found: Cold, and found by no search in the window; how many days they lie idle.
        heavily_used: The most applied in the window.
        verdicts: Entries by the state of their verdict, the worst first.
        contradictions: That nobody has looked into since.
        superseded: Entries that later ones replace.
        alike: Entries that say nearly the same.
        missing: Why those are not listed, with the remedy; "" if they are.
        typos: Tags that may be misspelt.
        verification: What was checked.
        drift: What became of cited paths.
        orphans: Ids that were used and that neither memory nor the archive has.
        missed: Searches of the window that did not find what was meant, the latest first.
        markers: Warnings of the window that were overridden.
        warnings: What rejections and gotchas warned of in the window, and what followed.
        advice: What to do first.
        problems: What could not be read, each with its remedy.
    """

    project: str
    day: Date
    days: int
    limits: Thresholds
    searches: int
    applied: int
    quoted: int
    size: Size
    growth: Growth
    activity: tuple[Activity, ...]
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
    orphans: TopList[str]
    missed: TopList[MissedSearch]
    markers: Markers
    warnings: Warnings
    advice: tuple[Advice, ...] = ()
    problems: tuple[str, ...] = ()
