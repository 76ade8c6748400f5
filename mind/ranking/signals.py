"""The signals: a number for each candidate, between 0 and 1."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import Enum
from functools import cache, cached_property
from itertools import pairwise
from math import exp
from typing import Literal

from mind.text.terms import STOP_WORDS, query_terms, telling, terms

_SPEAKER = re.compile(r"(?:\[[^\]]*\]\s*)?([^\W\d_][\w.-]*(?: [^\W\d_][\w.-]*)?):\s")


@dataclass(frozen=True, slots=True)
class VectorSimilarities:
    """Cosines of the query and each candidate, in their order; None where there is no vector.

    Attributes:
        own: Of the entry itself.
        around: In a conversation, of the entry with three before it and two after it.
    """

    own: Sequence[float | None]
    around: Sequence[float | None]


@dataclass(frozen=True, slots=True)
class Corpus:
    """Figures of the index about all entries.

    Attributes:
        documents: How many there are.
        length: Mean number of terms of one.
        frequency: Term of the query → how many entries have it.
    """

    documents: int
    length: float
    frequency: Mapping[str, int]


class EntryText:
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
    own: EntryText
    before: Sequence[EntryText] = ()
    after: Sequence[EntryText] = ()
    day: str = ""

    @property
    def is_talk(self) -> bool:
        """Return whether it is said in a conversation: it and a neighbour begin with a name."""
        return self.own.speaker is not None and any(
            one.speaker for one in (*self.before[-1:], *self.after[:1])
        )


@dataclass(frozen=True, slots=True)
class Shortlist:
    """The candidates for a query, and what the signals know of them beside their text.

    Attributes:
        candidates: Entries that may answer.
        corpus: Figures of all entries.
        nearness: If there is a model.
        named: Share of the query's things that each candidate names, rarer ones counting more, 0–1;
            None if the query names nothing that is known.
        standing: More signals, each for all candidates: how they are used, and what they say of
            themselves.
    """

    candidates: Sequence[Candidate]
    corpus: Corpus
    nearness: VectorSimilarities | None = None
    named: Sequence[float] | None = None
    standing: Mapping[str, Sequence[float]] = field(default_factory=dict)


def pairs_of(of: Sequence[str]) -> set[tuple[str, str]]:
    """Neighbours once stop words are left out."""
    kept = [term for term in of if term not in STOP_WORDS]
    return set(pairwise(kept))


_WHEN = re.compile(
    r"\W*(?:when|wann|quand|cu[aá]ndo|quando|когда|什么时候|いつ)\b"
    r"|(?s:.*)\b(?:what|which) (?:year|month|week|day|date)\b",
    re.IGNORECASE,
)
_PIECE = re.compile(r"--?[A-Za-z][\w-]*|\.?\w+(?:[._/:-]\w+)*")
_SHAPED = re.compile(r"-|\.|.+[._/:-]|_|[A-Z]{2}|\w*[a-z\d][A-Z]|\d+[A-Za-z]|[A-Za-z]\w*\d")
_LONGEST_NAME = 100
_GRAM = 4
_MOST_GRAMS = 120
_MOST_CODES = 32
_MOST_READ = 4_000
_BEGINNING = 600
"""Characters in which a query asks when, if it does."""


class Query:
    """A query as the signals need it.

    Args:
        text: As asked; nothing in it is syntax.
        period: Days that it speaks of, the first and the last.
        about: The text without the words for them, if that says anything.
    """

    def __init__(
        self, text: str, period: tuple[date | None, date | None] | None = None, about: str = ""
    ) -> None:
        self.text = text
        self.period = period
        self.terms = query_terms(text)
        self.about = query_terms(about) if about else self.terms

    def means(self, day: str) -> bool:
        """Return whether ``day``, ISO, is one of those that it speaks of; "" is none."""
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
        return pairs_of(terms(" ".join(self.words)))

    @cached_property
    def codes(self) -> list[str]:
        """List what looks like code, folded: options, paths, calls, `quoted`, camelCase."""
        found = (piece for word in self.text[:_MOST_READ].split() for piece in _codes(word))
        return list(dict.fromkeys(found))[:_MOST_CODES]

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
        """Return whether the answer is a time."""
        return _WHEN.match(self.text[:_BEGINNING]) is not None


def _codes(word: str) -> Iterator[str]:
    """Those in a word as it stands between spaces, so that the order of the words is nothing."""
    for piece in _PIECE.finditer(word[:_LONGEST_NAME]):
        name = piece[0].casefold()
        if len(name) > 1 and name not in STOP_WORDS and _is_code(piece, word):
            yield name


def _is_code(piece: re.Match[str], word: str) -> bool:
    called = word[piece.end() : piece.end() + 1] in {"=", "("}
    return called or "`" in word or _SHAPED.match(piece[0]) is not None


class Intent(Enum):
    """A thing done, and the words that say so."""

    ADD = "add introduce include create implement new support allow expose provide enable accept"
    MEND = "fix bug crash resolve handle correct error"
    DROP = "drop remove deprecate delete longer"
    RENAME = "rename"
    IMPROVE = "speed faster performance improve optimise optimize"
    DOCUMENT = "docs documentation readme typo changelog docstring clarify"
    TEST = "test coverage ci lint mypy flake8 travis"
    RELEASE = "release version bump"


BESIDE = frozenset({Intent.DOCUMENT, Intent.TEST, Intent.RELEASE})
"""What is done about a change rather than the change itself."""


def deeds(of: Iterable[str]) -> list[Intent]:
    """Those that the terms speak of, in their order, repeats included."""
    known = _known()
    return [known[term] for term in of if term in known]


@cache
def _known() -> dict[str, Intent]:
    return {term: deed for deed in Intent for term in terms(deed.value)}


_K1 = 1.2
_TIME = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|last|next|week(?:end)?|month|year|ago|since|recently|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july|august|"
    r"september|october|november|december|(?:19|20)\d\d)\b",
    re.IGNORECASE,
)
_READ = 600
"""Characters of an entry that are compared as they stand; the rest rarely decides."""


def signals_of(query: Query, shortlist: Shortlist) -> dict[str, list[float]]:
    """Every signal that something is known for, by name, in the order of the candidates."""
    found = _of_words(query, shortlist.candidates, shortlist.corpus)
    if shortlist.nearness is not None:
        found |= _of_meaning(shortlist.nearness, shortlist.candidates)
    if shortlist.named is not None:
        found["names"] = list(shortlist.named)
    return found | {name: list(values) for name, values in shortlist.standing.items()}


def _of_words(
    query: Query, candidates: Sequence[Candidate], corpus: Corpus
) -> dict[str, list[float]]:
    bm25 = _Strength(query.terms, corpus)
    talk = [one.is_talk for one in candidates]
    own = [one.own for one in candidates]
    around = _relative([bm25((*one.before, one.own, *one.after)) for one in candidates])
    lately = [
        bm25((*one.before, one.own)) if said else 0.0
        for one, said in zip(candidates, talk, strict=True)
    ]
    words = _relative([bm25((one,), b=0.3) for one in own])
    folded = [f" {one.text[:_READ].casefold()} " for one in own]
    found = {
        "words": [0.0 if said else value for value, said in zip(words, talk, strict=True)],
        "talk_words": [value if said else 0.0 for value, said in zip(words, talk, strict=True)],
        "around": [0.0 if said else value for value, said in zip(around, talk, strict=True)],
        "talk_before": _relative(lately),
        "talk_around": [value if said else 0.0 for value, said in zip(around, talk, strict=True)],
        "title": [bm25.covered(one) for one in own],
        "characters": _characters(query.grams, folded),
        "pairs": [_share(query.pairs, one) for one in own],
        "speaker": [
            float(said and _speaks(one, query.names)) for one, said in zip(own, talk, strict=True)
        ],
        "asking": [-float(_asks(one)) for one in own],
        "answers": _relative(
            [
                bm25(one.before[-1:], b=0.3) if said and any(map(_asks, one.before[-1:])) else 0.0
                for one, said in zip(candidates, talk, strict=True)
            ]
        ),
        **_of_deeds(query, own, talk),
    }
    if query.codes:
        found["written"] = _written(query.codes, folded)
    if query.asks_when:
        found["time"] = [float(_says_when(one)) for one in own]
    if query.period:
        found["then"] = [float(query.means(one.day)) for one in candidates]
    return found


def _of_deeds(
    query: Query, own: Sequence[EntryText], talk: Sequence[bool]
) -> dict[str, list[float]]:
    asked = frozenset(deeds(query.terms))
    of = [
        [] if said else deeds(one.terms[: one.title]) for one, said in zip(own, talk, strict=True)
    ]
    return {
        "beside": [-float(bool(done) and done[0] in BESIDE - asked) for done in of],
        "otherwise": [-float(_are_at_odds(asked - BESIDE, done)) for done in of],
    }


def _are_at_odds(asked: frozenset[Intent], done: Sequence[Intent]) -> bool:
    return bool(asked) and not BESIDE.issuperset(done) and asked.isdisjoint(done)


def _of_meaning(
    nearness: VectorSimilarities, candidates: Sequence[Candidate]
) -> dict[str, list[float]]:
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
        self._rarity = {term: idf(corpus, term) for term in wanted}
        self._middle = sum(self._rarity.values()) / (len(wanted) or 1)
        self._length = corpus.length or 1.0

    def __call__(self, passages: Sequence[EntryText], b: float = 0.75) -> float:
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

    def covered(self, one: EntryText) -> float:
        """Share of the title's terms that the query has, by rarity; others count as average."""
        if not one.found:
            return 0.0
        title = set(one.terms[: one.title]) - STOP_WORDS
        held = [self._rarity[term] for term in title if term in one.found]
        return sum(held) / (sum(held) + (len(title) - len(held)) * self._middle) if held else 0.0


def idf(corpus: Corpus, term: str) -> float:
    """Return how rare a term is (Robertson & Zaragoza 2009, never below 0)."""
    count = corpus.frequency.get(term, 0)
    return math.log(1 + (max(0, corpus.documents - count) + 0.5) / (count + 0.5))


def _relative(values: list[float]) -> list[float]:
    most = max(values, default=0.0)
    return [value / most for value in values] if most > 0 else values


def _asks(one: EntryText) -> bool:
    return one.text.rstrip().endswith(("?", "？"))


def _says_when(one: EntryText) -> bool:
    return _TIME.search(one.text, one.speaker.end() if one.speaker else 0) is not None


def _speaks(one: EntryText, names: set[str]) -> bool:
    return one.speaker is not None and not names.isdisjoint(one.speaker[1].casefold().split())


def _share(pairs: set[tuple[str, str]], one: EntryText) -> float:
    if not pairs or len(one.found) < 2:
        return 0.0
    return len(pairs & pairs_of(one.terms)) / len(pairs)


def _written(codes: Sequence[str], texts: Sequence[str]) -> list[float]:
    """Weight of the query's names of code that stand in each text just as the query has them."""
    held = [[code for code in codes if _stands(code, text)] for text in texts]
    weight = _rarity(held)
    return _relative([sum([weight[code] for code in of]) for of in held])


def _stands(code: str, text: str) -> bool:
    """Return whether ``code`` is in ``text`` and is no part of a longer word there."""
    at = text.find(code)
    while at >= 0:
        before, after = text[at - 1], text[at + len(code)]
        if not (before.isalnum() or before == "_" or after.isalnum() or after == "_"):
            return True
        at = text.find(code, at + 1)
    return False


def _characters(grams: Sequence[str], texts: Sequence[str]) -> list[float]:
    """Weight of the query's fours in each text, against its length."""
    held = [[gram for gram in grams if gram in text] for text in texts]
    weight = _rarity(held)
    mean = sum(map(len, texts)) / (len(texts) or 1)
    return _relative(
        [
            sum([weight[gram] for gram in of]) / (0.4 + 0.6 * len(text) / mean)
            for of, text in zip(held, texts, strict=True)
        ]
    )


def _rarity(held: Sequence[Sequence[str]]) -> dict[str, float]:
    """The fewer candidates hold something, the more it weighs."""
    counts = Counter(one for of in held for one in of)
    return {one: math.log(1 + len(held) / count) for one, count in counts.items()}


Relevance = Literal["high", "medium", "low"]

_HIGH, _MEDIUM = 0.5, 0.15
_ALL = 0.999


def likelihood(score: float, covered: float, cosine: float | None) -> float:
    """The probability that an entry answers.

    Args:
        score: Its score, 0–1.
        covered: Share of the query's terms that it has, rarer ones counting more.
        cosine: Of its vector and the query's, if both are known.
    """
    if cosine is None:
        fitted = _logistic(12.1 * score + 1.3 * covered - 8.6)
    else:
        fitted = _logistic(11.7 * score + 0.4 * covered + 4.8 * cosine - 10.9)
    # queries of those sets are sentences; an entry with all of a few words is what they asked for
    return max(fitted, _HIGH) if covered > _ALL else fitted


def label(probability: float) -> Relevance:
    """High from one half, medium from .15."""
    return "high" if probability >= _HIGH else "medium" if probability >= _MEDIUM else "low"


def _logistic(value: float) -> float:
    return 1 / (1 + exp(-value))
