"""Search results: frozen values that adapters render."""

from dataclasses import dataclass, field
from datetime import date as Date  # noqa: N812 - `date` is the name of a field here

from mind.documents.reminders import Reminder
from mind.domain.entry import DOCUMENT, Entry, sentences
from mind.search.query import ParsedQuery


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Validity of an entry, as every interface shows it.

    Attributes:
        state: The worst of "contradicted" (recorded as such), "superseded", "stale" (a cited item
            changed or is gone, or the last check is old), "unchecked" and "checked".
        reasons: Explanations, worst first; empty if unchecked or checked.
        by: Id of the entry that superseded it.
        old: The outdated value, if it can be identified.
        new: The current value.
        despite: Rejections that a decision overrides, as text: id, day, text and reason.
    """

    state: str = "unchecked"
    reasons: tuple[str, ...] = ()
    by: str = ""
    old: str = ""
    new: str = ""
    despite: tuple[str, ...] = ()

    @property
    def told(self) -> tuple[str, ...]:
        """All remarks on the entry, as text."""
        return (*self.reasons, *(f"despite {one}" for one in self.despite))

    @property
    def is_current(self) -> bool:
        """True unless the entry is known to be invalid; a stale entry may be current."""
        return self.state not in ("contradicted", "superseded")


UNCHECKED = Verdict()


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One search result.

    Attributes:
        entry: The entry; ``entry.where`` is its provenance.
        score: 0–1, comparable within one answer.
        likelihood: Probability that it answers the query, 0–1, comparable among queries.
        relevance: "high", "medium" or "low", by the likelihood; "listed" if the query had no words.
        matched: Query terms found, as written in the query.
        project: Name of the project, when several were searched.
        places: Rank, from 1, in each branch that found it: "words", "meaning", "names",
            "synonyms", "graph", "time". Empty if it is only a neighbour of a match.
        signals: Contribution of each signal to the score (see :class:`mind.ranking.Weights`).
        verdict: Its validity.
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
        """Warnings about the entry, worst first."""
        return self.verdict.reasons

    @property
    def text(self) -> str:
        """The entry as told; of a document's passage, from the sentence on that matches best."""
        from mind.text.terms import terms  # noqa: PLC0415 - only where hits are shown

        if self.entry.why != DOCUMENT:
            return self.entry.text if self.entry.lead else self.entry.told
        told, wanted = sentences(self.entry.text), set(terms(" ".join(self.matched)))
        found = [len(wanted.intersection(terms(one))) for one in told]
        best = found.index(max(found))
        return f"… {''.join(told[best:]).strip()}" if best else self.entry.text


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """The answer to a search.

    Attributes:
        query: The query as given.
        hits: The best entries, best first.
        total: Number of ranked entries, or of matching entries if the query has no words; greater
            than offset plus hits exactly if there are more hits.
        parsed: The query, parsed.
        offset: Number of leading hits skipped.
        lexical_only: Why only words were compared, not vectors; "" if both were.
        candidates: Branch name → number of entries it found.
        reminders: Reminders triggered by the query.
        problems: Unreadable sources, each with its remedy.
        mirrored: The mirror answered; if it was queried without success, ``fallback`` says why.
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

    ``verdicts`` are keyed by entry id.
    """

    anchor: Entry
    before: tuple[Entry, ...]
    after: tuple[Entry, ...]
    verdicts: dict[str, Verdict] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Details:
    """Entries in full; ``verdicts`` as in :class:`Timeline`.

    Attributes:
        missing: Ids without an entry.
        edited: Old ids of entries that were edited by hand → their current ids.
    """

    entries: tuple[Entry, ...]
    missing: tuple[str, ...] = ()
    edited: dict[str, str] = field(default_factory=dict)
    verdicts: dict[str, Verdict] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class NearbyEntries:
    """Entries near a day, nearest first; ``total`` also counts those not shown.

    ``verdicts`` as in :class:`Timeline`.
    """

    day: Date
    days: int
    entries: tuple[Entry, ...]
    total: int
    verdicts: dict[str, Verdict] = field(default_factory=dict)
