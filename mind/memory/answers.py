"""Answers of `Memory`: frozen values that the command line and the servers render."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date as Date  # noqa: N812 - `date` is the name of a field here
from datetime import datetime
from typing import TYPE_CHECKING

from mind.documents.reminders import Reminder
from mind.domain.entry import Entry, Kind, judgement, resolves
from mind.memory.session import Promoted
from mind.ranking.heat import is_protected
from mind.search.results import SearchResult
from mind.storage.index import GraphStep
from mind.text.relations import Relation
from mind.text.similarity import Severity

if TYPE_CHECKING:
    from mind.documents.archive import Archived
    from mind.documents.parser.statements import LeftOut
    from mind.memory.gotchas import Gotcha, MatchedGotcha
    from mind.storage.pending import Pending


def left_out(promoted: Sequence[Promoted]) -> str:
    """Return how many notes of ended sessions were not promoted; "" if all were."""
    count = sum(one.outcome == "left" for one in promoted)
    notes = "1 note was" if count == 1 else f"{count} notes were"
    return f"{notes} not promoted; SESSION.last.md keeps all notes for 30 days." if count else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionView:
    """The running session.

    Attributes:
        started: Time of its start.
        entries: Its notes, oldest first.
        reminders: Due reminders.
        ended: File with the notes of ended sessions; "" if there are none.
        waiting: Number of notes of other sessions, which are promoted when those end.
    """

    started: datetime | None
    entries: tuple[Entry, ...]
    reminders: tuple[Reminder, ...] = ()
    ended: str = ""
    waiting: int = 0

    @property
    def elsewhere(self) -> str:
        """The number of waiting notes in words; "" if there are none."""
        if self.waiting == 1:
            return "1 note of another session waits in .mind/SESSION.md"
        notes = f"{self.waiting} notes of other sessions wait in .mind/SESSION.md"
        return notes if self.waiting else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """The context at the start of work.

    Attributes:
        context: Body of the context block, Markdown, without markers; "" if the files in
            ``read_in`` already contain it.
        read_in: Files that already contained the block; empty if the block was requested.
        omitted: Entries that the block has no room for, closest to the task first, or if none was
            given to the current work.
        task: What is about to be done, if that was given.
        is_all: The block and these have all current rejected approaches, decisions, learnings and
            gotchas of the project, except notes of other running sessions; never with muted tags.
        despite: By id of a decision among them: the rejections it contradicts, as text.
        new_session: True if this call started a new session.
        promoted: Outcomes for the notes of the ended session.
        session: The running session.
        due: Due reminders.
        global_gotchas: Cross-project gotchas for this project's stacks (not in the block).
        written: Files changed by this call, relative to the project.
        problems: Read and write problems, each with its remedy.
    """

    context: str
    read_in: tuple[str, ...] = ()
    omitted: tuple[Entry, ...] = ()
    task: str = ""
    is_all: bool = False
    despite: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    new_session: bool
    promoted: tuple[Promoted, ...]
    session: SessionView
    due: tuple[Reminder, ...]
    global_gotchas: "tuple[Gotcha, ...]"
    written: tuple[str, ...]
    problems: tuple[str, ...]

    @property
    def completeness(self) -> str:
        """A sentence that spares an agent further searches; "" if there may be more entries."""
        if not self.is_all:
            return ""
        have = "The block and the list below have" if self.omitted else "The block has"
        kinds = "rejected approaches, decisions, learnings and gotchas"
        return f"{have} all current {kinds} of this memory."


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """A rejected approach that is proposed again.

    Attributes:
        severity: moderate, high or critical.
        score: Similarity, 0–1.
        earlier: The earlier rejection, with its date and reason.
        way_out: Advice on what to do instead.
        subject: The rejected thing.
        alternative: The alternative; "" if the entry names none.
        matched: The matched words.
    """

    severity: Severity
    score: float
    earlier: Entry
    way_out: str
    subject: str = ""
    alternative: str = ""
    matched: str = ""

    @property
    def judgement(self) -> str:
        """Relation of the earlier entry to the approach, as a clause."""
        return judgement(self.earlier.kind)


@dataclass(frozen=True, slots=True)
class Parsed:
    """A parsed Markdown file.

    Attributes:
        entries: Its entries.
        left_out: Lines that are not entries, each with the reason.
    """

    entries: tuple[Entry, ...]
    left_out: tuple["LeftOut", ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Logged:
    """The result of recording one entry.

    Attributes:
        entry: The entry; the existing duplicate, if ``known``.
        file: Its file; "" while it is pending.
        known: True if it is a duplicate; nothing was written.
        pending: The pending claim, if it is a claim about the user.
        contradicts: Entries that its text contradicts, each with the old and the new value ("" if
            unknown).
        related: These and other similar entries, which it may supersede.
        replaced: The first entry it replaced, with what was archived along.
        replaced_too: The same for further replaced entries.
        closed: Problems, blockers and to-dos that it resolves.
        overridden: Acknowledged short-lived phrases.
        loops: Earlier rejections that it repeats or contradicts.
        perhaps: Rejections and gotchas that may apply, for the caller to judge.
        reminders: Reminders that its text triggers.
        promoted: Outcomes for the notes of a session that this call ended.
        is_passing: True if the note is dropped when its session ends.
    """

    entry: Entry
    file: str
    known: bool = False
    pending: "Pending | None" = None
    contradicts: tuple[tuple[Entry, str, str], ...] = ()
    related: tuple[Entry, ...] = ()
    replaced: "Curated | None" = None
    replaced_too: "tuple[Curated, ...]" = ()
    closed: tuple[Entry, ...] = ()
    overridden: tuple[str, ...] = ()
    loops: tuple[Loop, ...] = ()
    perhaps: tuple[Entry, ...] = ()
    reminders: tuple[Reminder, ...] = ()
    promoted: tuple[Promoted, ...] = ()
    is_passing: bool = False

    @property
    def overruled(self) -> tuple[str, ...]:
        """Ids of the rejections that a decision or progress contradicts."""
        is_rejection = self.entry.kind is Kind.REJECTED
        return () if is_rejection else tuple(loop.earlier.id for loop in self.loops)

    def question(self, call: str) -> str:
        """Ask whether it closes or replaces related entries; "" if it can do neither.

        Args:
            call: The call to make if it does.
        """
        closes = [one.id for one in self.related if resolves(self.entry.kind, one.kind)]
        others = [one for one in self.related if one.id not in closes]
        asked = [f"Does it close {' or '.join(closes)}?"] if closes else []
        if not all(map(is_protected, others)):
            asked.append("Does it replace one of these?")
        return f"{' '.join(asked)} If so: {call}. If not, do nothing." if asked else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockerLogged:
    """A logged blocker and related entries."""

    logged: Logged
    found: SearchResult


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """Gotchas and rejected approaches that match an intent or code.

    ``perhaps`` are entries that may apply, for the caller to judge; ``problems`` names skipped
    checks, such as a pattern that took too long.
    """

    edges: "tuple[MatchedGotcha, ...]"
    loops: tuple[Loop, ...]
    stacks: tuple[str, ...]
    perhaps: tuple[Entry, ...] = ()
    reminders: tuple[Reminder, ...] = ()
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Related:
    """A relation between two things.

    Attributes:
        relation: The relation as recorded.
        file: Its file.
        known: True if it was recorded before; nothing was written.
    """

    relation: Relation
    file: str
    known: bool
    promoted: tuple[Promoted, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationWalk:
    """Relations around a thing.

    Attributes:
        start: Its name, as given.
        aliases: Its other names.
        steps: Relations, nearest first, each with the entry that states it.
        entries: Entries that name it, newest first, without its relations.
        problems: Read problems, each with its remedy.
    """

    start: str
    aliases: tuple[str, ...]
    steps: tuple[GraphStep, ...]
    entries: tuple[Entry, ...]
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Synced:
    """The result of a checkpoint.

    Attributes:
        entries: Number of entries in memory.
        added: Number of new or edited entries.
        removed: Number of removed entries.
        by_source: Entries by origin: "memory", "session", "comments", "commits".
        written: Changed files, relative to the project.
        problems: Read problems, each with its remedy.
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
    """The result of updating the index.

    Attributes:
        entries: Number of entries in the index.
        added: Number of new or edited entries.
        removed: Number of removed entries.
        profile: Embedding model and runtime; "" without a model.
        vectors: Number of distinct texts with a vector.
        made: Number of new vectors.
        lexical_only: Reason why searches are lexical only; "" if they are not.
        problems: Read problems, each with its remedy.
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
class MemoryStatus:
    """The state of a project's memory.

    Attributes:
        project: Name of the folder.
        root: Path of the folder.
        version: Version of Mind.
        entries: Number of entries from all sources.
        by_kind: Entries by kind.
        by_source: Entries by origin.
        first: Earliest date of an entry.
        last: Latest date of an entry.
        session_started: Start of the running session.
        session_entries: Number of its notes.
        reminders_pending: Number of pending reminders.
        reminders_due: Number of due reminders.
        stacks: Detected stacks of the project.
        targets: Files that contain the context block.
        block_tokens: Approximate size of the block.
        index_bytes: Size of the index with its log; 0 if it is in memory only.
        vectors: Number of distinct texts with a vector of the current model, and of all texts.
        lexical_only: Reason why searches are lexical only; "" if they are not.
        problems: Read problems, each with its remedy.
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

    @property
    def searching(self) -> str:
        """The kind of search in words."""
        if self.lexical_only:
            return f"lexical only: {self.lexical_only}"
        made, texts = self.vectors
        return f"lexical and by meaning; {made:,} of {texts:,} vectors built"


@dataclass(frozen=True, slots=True, kw_only=True)
class Curated:
    """An entry that was changed, archived or restored.

    Attributes:
        entry: Its current state; for an archived entry, its last.
        archived: The archived or restored block.
        pending: The pending claim, if the new text is a claim about the user.
        along: Nested entries that were archived or restored with it.
        protected: Ids of protected entries archived because the caller acknowledged it.
    """

    entry: Entry
    archived: "Archived | None" = None
    pending: "Pending | None" = None
    along: tuple[Entry, ...] = ()
    protected: tuple[str, ...] = ()
    promoted: tuple[Promoted, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivedEntries:
    """Archived entries, latest first; ``total`` includes those not shown."""

    blocks: "tuple[Archived, ...]"
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Used:
    """The result of recording the use of entries.

    Attributes:
        entries: The used entries.
        outcome: "applied", "ignored", "contradicted" or "corrected".
        missing: Ids that no entry has.
        problem: Reason why it was not recorded, with its remedy; "" if it was.
    """

    entries: tuple[Entry, ...]
    outcome: str
    missing: tuple[str, ...] = ()
    problem: str = ""
