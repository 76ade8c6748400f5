"""Ranking of the candidates for a query; pure.

Each signal is a number from 0 to 1 per candidate; strengths are relative to the best candidate.
The score is their weighted sum, so a signal that all candidates share has no effect. The defaults
were fitted jointly on conversations and commit logs; see ``docs/benchmarks``.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import NamedTuple, Self

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

_IN_TALK = ("talk_words", "talk_around", "talk_meaning", "speaker", "answers")
_OUT_OF_TALK = ("words", "around", "meaning")


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights of the signals.

    Attributes:
        words: BM25 of the entry itself.
        talk_words: The same in a conversation.
        around: BM25 of the entry with the three entries before it and the two after it.
        talk_around: ``around`` in a conversation, where an answer rarely repeats the question.
        title: Share of the entry's first sentence that the query covers.
        written: Code names (options, paths, calls, `quoted` words, camelCase) that the entry spells
            exactly as the query does.
        characters: Shared character 4-grams: misspellings, compounds, inflections.
        speaker: The query names the entry's speaker.
        answers: In a conversation, BM25 of the question before the entry.
        asking: The entry is itself a question (negative).
        beside: The entry is about documentation, tests or a release; the query is not (negative).
        otherwise: The entry adds, fixes, removes, renames or improves; the query asks for another
            of these (negative).
        time: The query asks when, and the entry gives a time.
        then: The query names a period ("last week") that includes the entry's date.
        heat: Frequent and recent use.
        momentum: Use, in the last 30 days, of other entries that name the same things.
        importance: The entry's importance or pin (negative below 0.5).
        expired: The entry's ``expires`` date has passed (negative).
        imported: The entry was imported, but not from decision records or the repository
            (negative): at about equal words, what was recorded here comes first.
        names: Things named by both query and entry: files, functions, people, issues.
        synonyms: Names that mean what the query names: other names of a thing, members of a kind,
            the kinds of a thing.
        meaning: Cosine of the vectors of the query and the entry, if there is a model.
        talk_meaning: In a conversation instead: the same with three before it and two after it.
    """

    words: float = 2.4
    talk_words: float = 0.3
    around: float = 1.5
    talk_around: float = 3.4
    title: float = 3.0
    written: float = 1.4
    characters: float = 1.8
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
    imported: float = 1.0
    names: float = 0.3
    synonyms: float = 1.0
    meaning: float = 1.6
    talk_meaning: float = 1.6

    @classmethod
    def of(cls, changed: Mapping[str, float]) -> Self:
        """The defaults with the weights in ``changed`` replaced.

        Raises:
            ConfigError: A name is not a signal's.
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
AGAINST = frozenset({"asking", "beside", "otherwise", "expired", "imported"})
"""Signals with negative weight."""


class Ranked(NamedTuple):
    """A candidate with its score.

    Attributes:
        row: Row number in the index.
        score: 0–1, comparable among the candidates of a query.
        likelihood: Probability that it answers the query, 0–1, comparable among queries.
        signals: Contribution of each signal to the score.
        matched: Query terms it contains.
    """

    row: int
    score: float
    likelihood: float
    signals: Mapping[str, float]
    matched: tuple[str, ...]


def rank(query: Query, shortlist: Shortlist, weights: Weights) -> Iterator[Ranked]:
    """The candidates, best first; ties go to the newer one, then to the given order.

    Signals without any data are omitted; the remaining ones are used alone.
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
                keywords=query.are_keywords,
            ),
            signals={name: round(of[at], 4) for name, of in signals.items() if of[at]},
            matched=matched,
        )


def unweighed(
    query: Query, corpus: Corpus, held: Mapping[int, tuple[str, ...]]
) -> Iterator[Ranked]:
    """Matches outside the ranked candidates, without a score.

    Args:
        query: The query.
        corpus: Statistics of all entries.
        held: Row → query terms it contains.
    """
    covered = _coverage(query, corpus)
    for row, matched in held.items():
        likely = likelihood(0.0, covered(matched), None, keywords=query.are_keywords)
        yield Ranked(row, 0.0, likely, {}, matched)


def _coverage(query: Query, corpus: Corpus) -> Callable[[Iterable[str]], float]:
    """Share of the query's terms that are covered, weighted by rarity.

    A hyphenated word is covered by its joined form as by its parts.
    """
    rarity = {term: idf(corpus, term) for term in query.about if term not in query.joined}
    whole = sum(rarity.values()) or 1.0

    def covered(matched: Iterable[str]) -> float:
        found = {part for term in matched for part in query.joined.get(term, (term,))}
        return sum(rarity.get(term, 0.0) for term in found) / whole

    return covered


def _most(parts: Mapping[str, float]) -> float:
    """Maximum possible score; an entry is scored either as conversation or as text."""
    return (
        max(
            sum(part for name, part in parts.items() if name not in AGAINST.union(others))
            for others in (_IN_TALK, _OUT_OF_TALK)
        )
        or 1.0
    )
