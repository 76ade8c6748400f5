"""How much each signal counts."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Self

from mind.domain.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each signal counts; "neighbours" are the entries around one in its section.

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
