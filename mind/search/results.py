"""Results of a search: frozen values that adapters render."""

from dataclasses import dataclass, field
from datetime import date as Date  # noqa: N812 - `date` is the name of a field here

from mind.documents.reminders import Reminder
from mind.domain.entry import Entry
from mind.search.query import ParsedQuery


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The verdict on whether an entry still holds, as every interface shows it.

    Attributes:
        state: "contradicted" (recorded so), "superseded", "stale" (something that it cites is gone
            or was changed, or its last check is old), "unchecked" or "checked", the worst of them.
        reasons: In words, the worst first; none of what is unchecked or checked.
        by: Id of the entry that superseded it.
        old: The value that no longer holds, where one can be told.
        new: The value that holds now.
        despite: The rejections that a decision goes against, in words: id, day, text and reason.
    """

    state: str = "unchecked"
    reasons: tuple[str, ...] = ()
    by: str = ""
    old: str = ""
    new: str = ""
    despite: tuple[str, ...] = ()

    @property
    def told(self) -> tuple[str, ...]:
        """All that is to be known of the entry besides its text, in words."""
        return (*self.reasons, *(f"despite {one}" for one in self.despite))

    @property
    def is_current(self) -> bool:
        """Nothing says that it no longer holds; what is stale may."""
        return self.state not in ("contradicted", "superseded")


UNCHECKED = Verdict()


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
        verdict: Whether it still holds.
    """

    entry: Entry
    score: float
    relevance: str
    likelihood: float = 0.0
    matched: tuple[str, ...] = ()
    project: str = ""
    places: dict[str, int] = field(default_factory=dict)
    signals: dict[str, float] = field(default_factory=dict)
    verdict: Verdict = UNCHECKED

    @property
    def stale(self) -> tuple[str, ...]:
        """Return what speaks against it, in words, the worst first."""
        return self.verdict.reasons


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """The answer to a search.

    Attributes:
        query: As asked.
        hits: The best entries, best first.
        total: How many were weighed, or how many pass the filters if there are no words; more than
            the offset and the hits together just if there are more hits.
        parsed: The query, parsed.
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
    parsed: ParsedQuery = field(default_factory=lambda: ParsedQuery(text=""))
    offset: int = 0
    lexical_only: str = ""
    candidates: dict[str, int] = field(default_factory=dict)
    reminders: tuple[Reminder, ...] = ()
    problems: tuple[str, ...] = ()
    mirrored: bool = False
    fallback: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """Entries noted around an entry, oldest first.

    ``verdicts`` are by the ids of the entries.
    """

    anchor: Entry
    before: tuple[Entry, ...]
    after: tuple[Entry, ...]
    verdicts: dict[str, Verdict] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Details:
    """Entries in full; ``verdicts`` as in :class:`Timeline`.

    Attributes:
        missing: Ids that no entry has.
        edited: Ids that entries had before they were edited by hand, with those they have now.
    """

    entries: tuple[Entry, ...]
    missing: tuple[str, ...] = ()
    edited: dict[str, str] = field(default_factory=dict)
    verdicts: dict[str, Verdict] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class NearbyEntries:
    """Entries near a day, nearest first; ``total`` counts those that are not shown too.

    ``verdicts`` as in :class:`Timeline`.
    """

    day: Date
    days: int
    entries: tuple[Entry, ...]
    total: int
    verdicts: dict[str, Verdict] = field(default_factory=dict)
