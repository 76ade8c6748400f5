"""Ranking of the candidates for a query; pure.

Each signal is a number for each candidate, between 0 and 1: strengths are relative to the best
candidate. The score is their weighted sum, so that what every candidate has tells nothing. The
defaults were fitted on conversations and commit logs together; ``docs/benchmarks`` says how.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Self

from mind.domain.errors import ConfigError
from mind.ranking.signals import (
    Candidate,
    Corpus,
    EntryText,
    Query,
    Shortlist,
    VectorSimilarities,
    idf,
    likelihood,
    signals_of,
)

__all__ = [
    "SIGNALS",
    "Candidate",
    "Corpus",
    "EntryText",
    "Query",
    "Ranked",
    "Shortlist",
    "VectorSimilarities",
    "Weights",
    "rank",
    "unweighed",
]

_IN_TALK = ("talk_words", "talk_before", "talk_around", "talk_meaning", "speaker", "answers")
_OUT_OF_TALK = ("words", "around", "meaning")


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights of the signals; "neighbours" are the entries around one in its section.

    Attributes:
        words: BM25 of the entry itself.
        talk_words: The same in a conversation.
        around: BM25 of the entry with three before and two after it.
        talk_before: In a conversation, BM25 of the entry together with three before it.
        talk_around: As ``around``, in a conversation, where an answer rarely repeats the question.
        title: How much of the entry's first sentence the query covers.
        written: Names of code (options, paths, calls, `quoted` words, camelCase) stand in the entry
            just as the query has them.
        characters: Fours of characters that both have: misspellings, compounds, other endings.
        pairs: Neighbouring words of the query that are neighbours in the entry.
        speaker: The query names who speaks.
        answers: In a conversation, BM25 of the question that it follows.
        asking: The entry is a question itself (counts against it).
        beside: It is about documentation, tests or a release, and the query is not (against it).
        otherwise: It adds, mends, drops, renames or improves, and the query asks for another of
            these (against it).
        time: The query asks when, and the entry says when.
        then: The query speaks of a time ("last week"), and the entry is of then.
        heat: It was used, often and lately.
        momentum: What it names is in use: other entries that name it were, in the last 30 days.
        importance: It says how important it is, or that it is pinned (below 0.5 against it).
        expired: It says that it is over by now (against it).
        names: It names the things that the query names: files, functions, people, issues.
        meaning: Cosine of the vectors of the query and the entry, if there is a model.
        talk_meaning: In a conversation instead: the same with three before it and two after it.
    """

    words: float = 2.4
    talk_words: float = 0.3
    around: float = 1.5
    talk_before: float = 1.4
    talk_around: float = 3.4
    title: float = 3.0
    written: float = 1.4
    characters: float = 1.8
    pairs: float = 0.7
    speaker: float = 2.3
    answers: float = 1.2
    asking: float = 0.6
    beside: float = 1.0
    otherwise: float = 0.8
    time: float = 2.5
    then: float = 6.0
    heat: float = 0.2
    momentum: float = 0.1
    importance: float = 0.4
    expired: float = 1.5
    names: float = 0.3
    meaning: float = 1.6
    talk_meaning: float = 1.6

    @classmethod
    def of(cls, changed: Mapping[str, float]) -> Self:
        """The defaults with some of them changed.

        Raises:
            ConfigError: A name is of no signal.
        """
        for name in changed:
            if name not in SIGNALS:
                raise ConfigError(
                    f"search.weights: there is no signal {name!r}",
                    remedy=f"Signals: {', '.join(SIGNALS)}.",
                    key="search.weights",
                )
        return cls(**changed)


SIGNALS = tuple(one.name for one in fields(Weights))
AGAINST = frozenset({"asking", "beside", "otherwise", "expired"})
"""Signals that are below 0."""


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
