"""Which of the candidates for a query answer it best; pure.

Each signal is a number for each candidate, between 0 and 1: strengths are relative to the best
candidate. The score is their weighted sum, so that what every candidate has tells nothing. The
defaults were fitted on conversations and commit logs together; ``docs/benchmarks`` says how.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from mind.ranking.signals import (
    Candidate,
    Corpus,
    Nearness,
    Passage,
    Query,
    Shortlist,
    idf,
    likelihood,
    signals_of,
)
from mind.ranking.weights import AGAINST, SIGNALS, Weights

__all__ = [
    "SIGNALS",
    "Candidate",
    "Corpus",
    "Nearness",
    "Passage",
    "Query",
    "Ranked",
    "Shortlist",
    "Weights",
    "rank",
    "unweighed",
]

_IN_TALK = ("talk_words", "talk_before", "talk_around", "talk_meaning", "speaker", "answers")
_OUT_OF_TALK = ("words", "around", "meaning")


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its score.

    Attributes:
        row: Its number in the index.
        score: 0–1, comparable among the candidates of a query.
        likelihood: That it answers the query, 0–1, comparable among queries.
        signals: What each signal added to the score.
        matched: Terms of the query that it has.
    """

    row: int
    score: float
    likelihood: float
    signals: Mapping[str, float]
    matched: tuple[str, ...]


def rank(query: Query, shortlist: Shortlist, weights: Weights) -> Iterator[Ranked]:
    """The candidates, best first; of equals the newer, then as they are given.

    Signals that nothing is known for are left out, and the others count alone.
    """
    candidates = shortlist.candidates
    values_of = signals_of(query, shortlist)
    parts = {name: getattr(weights, name) for name in values_of}
    most = _most(parts)
    signals = {
        name: [parts[name] / most * value for value in values]
        for name, values in values_of.items()
        if parts[name]
    }
    scores = [sum([values[at] for values in signals.values()]) for at in range(len(candidates))]
    order = sorted(range(len(scores)), key=lambda at: candidates[at].day, reverse=True)
    order.sort(key=lambda at: -scores[at])
    covered = _coverage(query, shortlist.corpus)
    for at in order:
        matched = tuple(term for term in query.terms if term in candidates[at].own.found)
        yield Ranked(
            row=candidates[at].row,
            score=round(scores[at], 4),
            likelihood=likelihood(
                scores[at],
                covered(matched),
                shortlist.nearness.own[at] if shortlist.nearness else None,
            ),
            signals={name: round(of[at], 4) for name, of in signals.items() if of[at]},
            matched=matched,
        )


def unweighed(
    query: Query, corpus: Corpus, held: Mapping[int, tuple[str, ...]]
) -> Iterator[Ranked]:
    """Matches that were not weighed, without a score.

    Args:
        query: The query.
        corpus: Of all entries.
        held: Row → terms of the query that it has.
    """
    covered = _coverage(query, corpus)
    for row, matched in held.items():
        yield Ranked(row, 0.0, likelihood(0.0, covered(matched), None), {}, matched)


def _coverage(query: Query, corpus: Corpus) -> Callable[[Iterable[str]], float]:
    """Share of what the query is about, rarer terms counting more."""
    rarity = {term: idf(corpus, term) for term in query.about}
    whole = sum(rarity.values()) or 1.0
    return lambda matched: sum(rarity.get(term, 0.0) for term in matched) / whole


def _most(parts: Mapping[str, float]) -> float:
    """The highest score there can be: an entry is said in a conversation, or it is not."""
    return (
        max(
            sum(part for name, part in parts.items() if name not in AGAINST.union(others))
            for others in (_IN_TALK, _OUT_OF_TALK)
        )
        or 1.0
    )
