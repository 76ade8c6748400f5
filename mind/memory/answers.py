"""Answers of `Memory`: frozen values that the command line and the server render."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date as Date  # noqa: N812 - `date` is the name of a field here
from datetime import datetime
from typing import TYPE_CHECKING

from mind.documents.reminders import Reminder
from mind.domain.entry import Entry
from mind.search.results import SearchResult
from mind.storage.index import Step
from mind.text.relations import Relation
from mind.text.similarity import Severity

if TYPE_CHECKING:
    from mind.documents.archive import Archived
    from mind.documents.parser.statements import LeftOut
    from mind.memory.gotchas import Edge, Gotcha
    from mind.storage.pending import Pending


@dataclass(frozen=True, slots=True, kw_only=True)
class Promoted:
    """The outcome for one item of a finished session.

    Attributes:
        outcome: "added", "known" (already in memory), "linked", "superseded" or "left" (not kept).
        entry: The session's item.
        other: The entry of memory that it resembles, if any.
    """

    outcome: str
    entry: Entry
    other: Entry | None = None


def left_out(promoted: Sequence[Promoted]) -> str:
    """Return how many notes of finished sessions are not in memory, and where; "" if all are."""
    count = sum(one.outcome == "left" for one in promoted)
    notes = "1 note was" if count == 1 else f"{count} notes were"
    return f"{notes} not added to memory; SESSION.last.md keeps all for 30 days." if count else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionView:
    """The running session.

    Attributes:
        started: When it began.
        entries: What its buffer holds, oldest first.
        reminders: Those that are due.
        ended: The file that keeps the notes of ended sessions; "" if there are none.
    """

    started: datetime | None
    entries: tuple[Entry, ...]
    reminders: tuple[Reminder, ...] = ()
    ended: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """The context at the start of work.

    Attributes:
        context: The body of the context block, Markdown, without its markers; "" if it is left to
            the files in ``read_in``.
        read_in: Files that held the block before this call, if it was not asked for.
        omitted: Entries that the block has no room for, nearest to current work first.
        despite: The rejections that decisions among them go against, in words, by their ids.
        new_session: A new session began with this call.
        promoted: What the session that ended left behind.
        session: The running session.
        due: Reminders due now.
        global_gotchas: Cross-project gotchas for this project's stacks (not in the block).
        written: Files that this call changed, relative to the project.
        problems: What could not be read or written, each with its remedy; memory still answers.
    """

    context: str
    read_in: tuple[str, ...] = ()
    omitted: tuple[Entry, ...] = ()
    despite: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
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
        subject: What was turned down.
        alternative: What is done instead; "" if the entry does not say.
        matched: The words of it that were met.
    """

    severity: Severity
    score: float
    earlier: Entry
    way_out: str
    subject: str = ""
    alternative: str = ""
    matched: str = ""


@dataclass(frozen=True, slots=True)
class Parsed:
    """A Markdown file as it is understood.

    Attributes:
        entries: What it states.
        left_out: Lines that are no entry, each with the reason.
    """

    entries: tuple[Entry, ...]
    left_out: tuple["LeftOut", ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Logged:
    """One entry that was to be written.

    Attributes:
        entry: It; the one that says the same already, if ``known``.
        file: Where it stands; "" while it is pending.
        known: Memory says the same already, and nothing was written.
        pending: It is a claim about the person, and waits to be confirmed.
        contradicts: Entries that it replaces by the evidence in its text, each with the value that
            no longer holds and the one that does, where they can be told.
        related: These and other similar entries, which it may put right.
        replaced: What it took the place of, and what went to the archive with that.
        replaced_too: The same of further entries.
        overridden: Phrases that will not be true for long and were acknowledged.
        loops: What was turned down before and this does, proposes or turns down again.
        perhaps: Rejections and gotchas that may concern it, for the caller to judge.
    """

    entry: Entry
    file: str
    known: bool = False
    pending: "Pending | None" = None
    contradicts: tuple[tuple[Entry, str, str], ...] = ()
    related: tuple[Entry, ...] = ()
    replaced: "Curated | None" = None
    replaced_too: "tuple[Curated, ...]" = ()
    overridden: tuple[str, ...] = ()
    loops: tuple[Loop, ...] = ()
    perhaps: tuple[Entry, ...] = ()
    reminders: tuple[Reminder, ...] = ()
    promoted: tuple[Promoted, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocked:
    """A blocker that was written, and what memory knows about it."""

    logged: Logged
    found: SearchResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """Gotchas and rejected approaches that an intent or a piece of code meets.

    ``perhaps`` are entries that may concern it, for the caller to judge; ``problems`` names what
    was not compared, as a pattern that took too long.
    """

    edges: "tuple[Edge, ...]"
    loops: tuple[Loop, ...]
    stacks: tuple[str, ...]
    perhaps: tuple[Entry, ...] = ()
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
    """The changes from bringing the derived index up to date.

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
    """The changes from bringing the index up to date.

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
    """Entries taken out of memory, the latest first; ``total`` counts those not shown too."""

    blocks: "tuple[Archived, ...]"
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Used:
    """The outcome for entries whose use was noted.

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
