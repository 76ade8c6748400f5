"""Which of the candidates for a query answer it best; pure.

Each signal is a number for each candidate, between 0 and 1: strengths are relative to the best
candidate. The score is their weighted sum, so that what every candidate has tells nothing. The
defaults were fitted on conversations and commit logs together; ``docs/benchmarks`` says how.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date
from functools import cached_property
from itertools import pairwise
from typing import Self

from mind.errors import ConfigError
from mind.terms import STOP_WORDS, query_terms, telling, terms

_K1 = 1.2
_SPEAKER = re.compile(r"(?:\[[^\]]*\]\s*)?([^\W\d_][\w.-]*(?: [^\W\d_][\w.-]*)?):\s")
_WHEN = re.compile(
    r"\s*(?:when|wann|quand|cu[aá]ndo|quando|когда|什么时候|いつ)\b"
    r"|.*\b(?:what|which) (?:year|month|week|day|date)\b",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|last|next|week(?:end)?|month|year|ago|since|recently|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july|august|"
    r"september|october|november|december|(?:19|20)\d\d)\b",
    re.IGNORECASE,
)
_GRAM = 4
_MOST_GRAMS = 120
_READ = 600
"""Characters of an entry that are compared by fours; the rest rarely decides."""


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each signal counts; "neighbours" are the entries around one in its section.

    Attributes:
        words: BM25 of the entry itself.
        before: BM25 of the entry together with the one before it.
        around: BM25 of the entry with three before and two after it.
        talk_before: As ``before``, with three before it, in a conversation.
        talk_around: As ``around``, in a conversation, where an answer rarely repeats the question.
        title: How much of the entry's first sentence the query covers.
        characters: Fours of characters that both have: misspellings, compounds, other endings.
        pairs: Neighbouring words of the query that are neighbours in the entry.
        speaker: The query names who speaks.
        asking: The entry is a question itself (counts against it).
        time: The query asks when, and the entry says when.
        then: The query speaks of a time ("last week"), and the entry is of then.
        meaning: Cosine of the vectors of the query and the entry, if there is a model.
        talk_meaning: In a conversation instead: the same with three before it and two after it.
    """

    words: float = 0.9
    before: float = 2.1
    around: float = 2.0
    talk_before: float = 1.6
    talk_around: float = 3.2
    title: float = 2.8
    characters: float = 1.0
    pairs: float = 1.1
    speaker: float = 2.7
    asking: float = 0.7
    time: float = 2.6
    then: float = 3.0
    meaning: float = 3.6
    talk_meaning: float = 3.3

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


_IN_TALK = ("talk_before", "talk_around", "talk_meaning", "speaker")
_OUT_OF_TALK = ("before", "around", "meaning")


@dataclass(frozen=True, slots=True)
class Nearness:
    """Cosines of the query and each candidate, in their order; None where there is no vector.

    Attributes:
        own: Of the entry itself.
        around: In a conversation, of the entry with three before it and two after it.
    """

    own: Sequence[float | None]
    around: Sequence[float | None]


@dataclass(frozen=True, slots=True)
class Corpus:
    """What the index knows of all entries.

    Attributes:
        documents: How many there are.
        length: Mean number of terms of one.
        frequency: Term of the query → how many entries have it.
    """

    documents: int
    length: float
    frequency: Mapping[str, int]


class Passage:
    """An entry's text as the signals read it.

    Args:
        text: Its text.
        terms: Of the text, in order.
        title: How many of them belong to its first sentence.
        wanted: Terms of the query.
        content: A hash of the text.
    """

    __slots__ = ("_speaker", "content", "found", "terms", "text", "title")

    def __init__(
        self,
        text: str,
        terms: Sequence[str],
        title: int,
        wanted: frozenset[str],
        content: int = 0,
    ) -> None:
        self.content = content
        self.text = text
        self.terms = terms
        self.title = title
        self.found = {term: terms.count(term) for term in wanted.intersection(terms)}
        self._speaker: re.Match[str] | bool | None = False

    @property
    def speaker(self) -> re.Match[str] | None:
        """The name it begins with, as in "Anna: …"."""
        if isinstance(self._speaker, bool):
            self._speaker = _SPEAKER.match(self.text)
        return self._speaker


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entry that may answer.

    Attributes:
        row: Its number in the index.
        own: Itself.
        before: Up to three entries before it in its section, nearest last.
        after: Up to two after it, nearest first.
        day: Its date, ISO; "" when it has none.
    """

    row: int
    own: Passage
    before: Sequence[Passage] = ()
    after: Sequence[Passage] = ()
    day: str = ""

    @property
    def is_talk(self) -> bool:
        """Whether it is said in a conversation: it and a neighbour begin with a name."""
        return self.own.speaker is not None and any(
            one.speaker for one in (*self.before[-1:], *self.after[:1])
        )


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its score, 0–1, and what each signal added to it."""

    row: int
    score: float
    signals: Mapping[str, float]
    matched: tuple[str, ...]


class Query:
    """A query as the signals need it.

    Args:
        text: As asked; nothing in it is syntax.
        period: Days that it speaks of, the first and the last.
    """

    def __init__(self, text: str, period: tuple[date | None, date | None] | None = None) -> None:
        self.text = text
        self.period = period
        self.terms = query_terms(text)

    def means(self, day: str) -> bool:
        """Whether ``day``, ISO, is one of those that it speaks of; "" is none."""
        if self.period is None or not day:
            return False
        start, end = self.period
        return (not start or day >= start.isoformat()) and (not end or day <= end.isoformat())

    @cached_property
    def words(self) -> list[str]:
        """Those that tell something, as written."""
        return telling(self.text)

    @cached_property
    def pairs(self) -> set[tuple[str, str]]:
        """Terms that stand side by side once stop words are left out."""
        return _pairs(terms(" ".join(self.words)))

    @cached_property
    def grams(self) -> list[str]:
        """Fours of characters, each once."""
        text = " ".join(word.casefold() for word in self.words)
        found = (text[at : at + _GRAM] for at in range(len(text) - _GRAM + 1))
        return list(dict.fromkeys(found))[:_MOST_GRAMS]

    @cached_property
    def names(self) -> set[str]:
        """Words with a capital, folded."""
        return {word.casefold() for word in self.words if word[:1].isupper()}

    @cached_property
    def asks_when(self) -> bool:
        """Whether the answer is a time."""
        return _WHEN.match(self.text[:_READ]) is not None


def rank(
    query: Query,
    candidates: Sequence[Candidate],
    corpus: Corpus,
    weights: Weights,
    nearness: Nearness | None = None,
) -> Iterator[Ranked]:
    """The candidates, best first; equals in the order of their rows.

    Without ``nearness`` the signals of meaning are left out, and the others count alone.
    """
    values_of = _signals(query, candidates, corpus)
    if nearness is not None:
        values_of |= _meaning(nearness, candidates)
    parts = {name: getattr(weights, name) for name in values_of}
    most = _most(parts)
    signals = {
        name: [parts[name] / most * value for value in values]
        for name, values in values_of.items()
        if parts[name]
    }
    scores = [sum(values) for values in zip(*signals.values(), strict=True)]
    order = sorted(range(len(scores)), key=lambda at: (-scores[at], candidates[at].row))
    return (
        Ranked(
            row=candidates[at].row,
            score=round(scores[at], 4),
            signals={name: round(of[at], 4) for name, of in signals.items() if of[at]},
            matched=tuple(term for term in query.terms if term in candidates[at].own.found),
        )
        for at in order
    )


def _most(parts: Mapping[str, float]) -> float:
    """The highest score there can be: an entry is said in a conversation, or it is not."""
    return (
        max(
            sum(part for name, part in parts.items() if name not in {"asking", *others})
            for others in (_IN_TALK, _OUT_OF_TALK)
        )
        or 1.0
    )


def _signals(
    query: Query, candidates: Sequence[Candidate], corpus: Corpus
) -> dict[str, list[float]]:
    bm25 = _Strength(query.terms, corpus)
    talk = [one.is_talk for one in candidates]
    own = [one.own for one in candidates]
    before = _relative([bm25((*one.before[-1:], one.own)) for one in candidates])
    around = _relative([bm25((*one.before, one.own, *one.after)) for one in candidates])
    lately = [
        bm25((*one.before, one.own)) if said else 0.0
        for one, said in zip(candidates, talk, strict=True)
    ]
    found = {
        "words": _relative([bm25((one,), b=0.3) for one in own]),
        "before": [0.0 if said else value for value, said in zip(before, talk, strict=True)],
        "around": [0.0 if said else value for value, said in zip(around, talk, strict=True)],
        "talk_before": _relative(lately),
        "talk_around": [value if said else 0.0 for value, said in zip(around, talk, strict=True)],
        "title": [bm25.covered(one) for one in own],
        "characters": _characters(query.grams, [one.text for one in own]),
        "pairs": [_share(query.pairs, one) for one in own],
        "speaker": [
            float(said and _speaks(one, query.names)) for one, said in zip(own, talk, strict=True)
        ],
        "asking": [-float(one.text.rstrip().endswith(("?", "？"))) for one in own],
    }
    if query.asks_when:
        found["time"] = [float(_says_when(one)) for one in own]
    if query.period:
        found["then"] = [float(query.means(one.day)) for one in candidates]
    return found


def _meaning(nearness: Nearness, candidates: Sequence[Candidate]) -> dict[str, list[float]]:
    talk = [one.is_talk for one in candidates]
    own, around = (_relative(_filled(values)) for values in (nearness.own, nearness.around))
    return {
        "meaning": [0.0 if said else value for value, said in zip(own, talk, strict=True)],
        "talk_meaning": [value if said else 0.0 for value, said in zip(around, talk, strict=True)],
    }


def _filled(values: Sequence[float | None]) -> list[float]:
    """Cosines from 0 up; one whose vector is still to be made is neither near nor far."""
    known = [max(0.0, value) for value in values if value is not None]
    mean = sum(known) / len(known) if known else 0.0
    return [mean if value is None else max(0.0, value) for value in values]


class _Strength:
    """BM25 of the query's terms in passages (Robertson & Zaragoza 2009, k1 = 1.2)."""

    def __init__(self, wanted: Sequence[str], corpus: Corpus) -> None:
        self._rarity = {term: _idf(corpus, term) for term in wanted}
        self._middle = sum(self._rarity.values()) / (len(wanted) or 1)
        self._length = corpus.length or 1.0

    def __call__(self, passages: Sequence[Passage], b: float = 0.75) -> float:
        """Of several taken as one text."""
        counts: dict[str, int] = {}
        size = 0
        for one in passages:
            size += len(one.terms)
            for term, count in one.found.items():
                counts[term] = counts.get(term, 0) + count
        damping = _K1 * (1 - b + b * size / (self._length * len(passages)))
        rarity = self._rarity
        return sum(
            [rarity[term] * count * (_K1 + 1) / (count + damping) for term, count in counts.items()]
        )

    def covered(self, one: Passage) -> float:
        """Share of the title's terms that the query has, by rarity; others count as average."""
        if not one.found:
            return 0.0
        title = set(one.terms[: one.title]) - STOP_WORDS
        held = [self._rarity[term] for term in title if term in one.found]
        return sum(held) / (sum(held) + (len(title) - len(held)) * self._middle) if held else 0.0


def _idf(corpus: Corpus, term: str) -> float:
    count = corpus.frequency.get(term, 0)
    return math.log(1 + (max(0, corpus.documents - count) + 0.5) / (count + 0.5))


def _relative(values: list[float]) -> list[float]:
    most = max(values, default=0.0)
    return [value / most for value in values] if most > 0 else values


def _says_when(one: Passage) -> bool:
    return _TIME.search(one.text, one.speaker.end() if one.speaker else 0) is not None


def _speaks(one: Passage, names: set[str]) -> bool:
    return one.speaker is not None and not names.isdisjoint(one.speaker[1].casefold().split())


def _pairs(of: Sequence[str]) -> set[tuple[str, str]]:
    kept = [term for term in of if term not in STOP_WORDS]
    return set(pairwise(kept))


def _share(pairs: set[tuple[str, str]], one: Passage) -> float:
    if not pairs or len(one.found) < 2:
        return 0.0
    return len(pairs & _pairs(one.terms)) / len(pairs)


def _characters(grams: Sequence[str], texts: Sequence[str]) -> list[float]:
    """Weight of the query's fours in each text, rarer ones among the candidates counting more."""
    folded = [f" {text[:_READ].casefold()} " for text in texts]
    held = [[gram for gram in grams if gram in text] for text in folded]
    counts = Counter(gram for of in held for gram in of)
    weight = {gram: math.log(1 + len(folded) / count) for gram, count in counts.items()}
    mean = sum(map(len, folded)) / (len(folded) or 1)
    return _relative(
        [
            sum([weight[gram] for gram in of]) / (0.4 + 0.6 * len(text) / mean)
            for of, text in zip(held, folded, strict=True)
        ]
    )
