"""What `Memory` answers: frozen values that the command line and the server render."""

from dataclasses import dataclass, field
from datetime import date as Date  # noqa: N812 - `date` is the name of a field here
from datetime import datetime
from typing import TYPE_CHECKING

from mind.asking import Asked
from mind.entry import Entry
from mind.index import Step
from mind.relations import Relation
from mind.reminders import Reminder
from mind.similarity import Severity

if TYPE_CHECKING:
    from mind.archive import Archived
    from mind.gotchas import Edge, Gotcha
    from mind.pending import Pending


@dataclass(frozen=True, slots=True, kw_only=True)
class Promoted:
    """What became of one item of a finished session.

    Attributes:
        outcome: "added", "known" (already in memory), "linked", "superseded" or "left" (not kept).
        entry: The session's item.
        other: The entry of memory that it resembles, if any.
    """

    outcome: str
    entry: Entry
    other: Entry | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionView:
    """The running session: when it began and what its buffer holds, oldest first."""

    started: datetime | None
    entries: tuple[Entry, ...]
    reminders: tuple[Reminder, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """The context at the start of work.

    Attributes:
        context: The body of the context block, Markdown, without its markers.
        new_session: A new session began with this call.
        promoted: What the session that ended left behind.
        session: The running session.
        due: Reminders due now.
        global_gotchas: Cross-project gotchas for this project's stacks (not in the block).
        written: Files that this call changed, relative to the project.
        problems: What could not be read or written, each with its remedy; memory still answers.
    """

    context: str
    new_session: bool
    promoted: tuple[Promoted, ...]
    session: SessionView
    due: tuple[Reminder, ...]
    global_gotchas: "tuple[Gotcha, ...]"
    written: tuple[str, ...]
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """A rejected approach that comes back.

    Attributes:
        severity: moderate, high or critical.
        score: Similarity, 0–1.
        earlier: The earlier rejection, with its date and reason.
        way_out: What to do instead of trying it again.
    """

    severity: Severity
    score: float
    earlier: Entry
    way_out: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Logged:
    """One entry that was to be written.

    Attributes:
        entry: It; the one that says the same already, if ``known``.
        file: Where it stands; "" while it is pending.
        known: Memory says the same already, and nothing was written.
        pending: It is a claim about the person, and waits to be confirmed.
        related: Entries near to it, which it may put right.
        replaced: What it took the place of, and what went to the archive with that.
        overridden: Phrases that will not be true for long and were acknowledged.
    """

    entry: Entry
    file: str
    known: bool = False
    pending: "Pending | None" = None
    related: tuple[Entry, ...] = ()
    replaced: "Curated | None" = None
    overridden: tuple[str, ...] = ()
    loops: tuple[Loop, ...] = ()
    reminders: tuple[Reminder, ...] = ()
    promoted: tuple[Promoted, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One search result.

    Attributes:
        entry: The entry; ``entry.where`` is its provenance.
        score: 0–1, comparable within one answer.
        likelihood: That it answers the query, 0–1, comparable among queries.
        relevance: "high", "medium" or "low", by the likelihood; "listed" if there were no words
            to compare.
        matched: Query terms found, as written in the query.
        project: Name of the project, when several were searched.
        places: Its place, from 1, in each branch that found it: "words", "meaning", "names",
            "graph", "time". None has it if it only stands beside an entry that was found.
        signals: What each signal added to the score (see :class:`mind.ranking.Weights`).
        stale: What speaks against it, the worst first (see :mod:`mind.staleness`).
    """

    entry: Entry
    score: float
    relevance: str
    likelihood: float = 0.0
    matched: tuple[str, ...] = ()
    project: str = ""
    places: dict[str, int] = field(default_factory=dict)
    signals: dict[str, float] = field(default_factory=dict)
    stale: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The answer to a search.

    Attributes:
        query: As asked.
        hits: The best entries, best first.
        total: How many were weighed, or how many pass the filters if there are no words; more than
            the offset and the hits together just if there are more hits.
        asked: How the query was understood.
        offset: How many of the first are not shown.
        lexical_only: Why words alone were compared and not what they mean; "" if both were.
        candidates: Name of a branch → how many entries it found.
        reminders: That the query mentions.
        problems: What could not be read, each with its remedy.
        mirrored: The mirror answered; where it was asked and did not, ``fallback`` says why.
    """

    query: str
    hits: tuple[Hit, ...]
    total: int
    asked: Asked = field(default_factory=lambda: Asked(text=""))
    offset: int = 0
    lexical_only: str = ""
    candidates: dict[str, int] = field(default_factory=dict)
    reminders: tuple[Reminder, ...] = ()
    problems: tuple[str, ...] = ()
    mirrored: bool = False
    fallback: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """What was noted around an entry, oldest first.

    ``stale`` holds what speaks against an entry, by its id (see :class:`Hit`).
    """

    anchor: Entry
    before: tuple[Entry, ...]
    after: tuple[Entry, ...]
    stale: dict[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Details:
    """Entries in full; ``stale`` as in :class:`Timeline`.

    Attributes:
        missing: Ids that no entry has.
        edited: Ids that entries had before they were edited by hand, with those they have now.
    """

    entries: tuple[Entry, ...]
    missing: tuple[str, ...] = ()
    edited: dict[str, str] = field(default_factory=dict)
    stale: dict[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """Entries near a day, nearest first; ``total`` counts those that are not shown too."""

    day: Date
    days: int
    entries: tuple[Entry, ...]
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocked:
    """A blocker that was written, and what memory knows about it."""

    logged: Logged
    found: Found


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """Gotchas and rejected approaches that an intent or a piece of code meets.

    ``problems`` names what was not compared, as a pattern that took too long.
    """

    edges: "tuple[Edge, ...]"
    loops: tuple[Loop, ...]
    stacks: tuple[str, ...]
    reminders: tuple[Reminder, ...] = ()
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Related:
    """A relation between two things.

    Attributes:
        relation: As it is written.
        file: Where.
        known: It stood there before, and nothing was written.
    """

    relation: Relation
    file: str
    known: bool
    promoted: tuple[Promoted, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """Relations around a thing.

    Attributes:
        start: Its name, as asked for.
        aliases: Its other names.
        steps: Relations, nearest first, each with the entry that states it.
        entries: Those that name it, the newest first, without its relations.
        problems: What could not be read, each with its remedy.
    """

    start: str
    aliases: tuple[str, ...]
    steps: tuple[Step, ...]
    entries: tuple[Entry, ...]
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Synced:
    """What bringing the derived index up to date changed.

    Attributes:
        entries: Entries in memory now.
        added: Entries that are new or were edited.
        removed: Entries that are gone.
        by_source: Entries by origin: "memory", "session", "comments", "commits".
        written: Files that were changed, relative to the project.
        problems: What could not be read, each with its remedy.
    """

    entries: int
    added: int
    removed: int
    by_source: dict[str, int] = field(default_factory=dict)
    written: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    promoted: tuple[Promoted, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexed:
    """What bringing the index up to date changed.

    Attributes:
        entries: Entries in it now.
        added: Entries that are new or were edited.
        removed: Entries that are gone.
        profile: The embedding model and what runs it; "" without one.
        vectors: Different texts that have a vector.
        made: Vectors that are new.
        lexical_only: Why searches compare words alone; "" if they do not.
        problems: What could not be read, each with its remedy.
    """

    entries: int
    added: int
    removed: int
    profile: str = ""
    vectors: int = 0
    made: int = 0
    lexical_only: str = ""
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """The state of a project's memory.

    Attributes:
        project: The folder's name.
        root: The folder.
        version: Of Mind.
        entries: In memory, from every source.
        by_kind: Entries by kind.
        by_source: Entries by origin.
        first: The first day that an entry has.
        last: The last one.
        session_started: When the running session began.
        session_entries: What it has noted.
        reminders_pending: Still to come.
        reminders_due: Due now.
        stacks: What the project is made with.
        targets: Files that carry the block.
        block_tokens: Size of the block, about.
        index_bytes: Size of the derived index with its log; 0 if it lives in memory alone.
        vectors: Different texts that have a vector of the model in use, and how many there are.
        lexical_only: Why searches compare words alone; "" if they do not.
        problems: What could not be read, each with its remedy.
    """

    project: str
    root: str
    version: str
    entries: int
    by_kind: dict[str, int]
    by_source: dict[str, int]
    first: Date | None
    last: Date | None
    session_started: datetime | None
    session_entries: int
    reminders_pending: int
    reminders_due: int
    stacks: tuple[str, ...]
    targets: tuple[str, ...]
    block_tokens: int
    index_bytes: int
    vectors: tuple[int, int]
    lexical_only: str
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Curated:
    """An entry that was changed, taken out or put back.

    Attributes:
        entry: As it is now; one that was taken out as it was.
        file: Where it stands, or stood.
        archived: What went to the archive, or came from it.
        pending: The new words are a claim about the person, and wait to be confirmed.
        along: Entries that stood within it and went, or came back, with it.
        protected: Ids of protected entries that left all the same, as the caller acknowledged.
    """

    entry: Entry
    file: str
    archived: "Archived | None" = None
    pending: "Pending | None" = None
    along: tuple[Entry, ...] = ()
    protected: tuple[str, ...] = ()
    promoted: tuple[Promoted, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Archive:
    """What was taken out of memory, the latest first; ``total`` counts what is not shown too."""

    blocks: "tuple[Archived, ...]"
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Used:
    """What became of entries, as it was noted.

    Attributes:
        entries: That were used.
        outcome: "applied", "ignored", "contradicted" or "corrected".
        missing: Ids that no entry has.
        problem: Why it was not noted, with its remedy; "" if it was.
    """

    entries: tuple[Entry, ...]
    outcome: str
    missing: tuple[str, ...] = ()
    problem: str = ""
