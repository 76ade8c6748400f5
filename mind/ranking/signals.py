"""Ranking signals: one number per candidate, between 0 and 1."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import Enum
from functools import cache, cached_property
from math import exp
from typing import Literal, NamedTuple

from mind.text import lazy_pattern
from mind.text.terms import STOP_WORDS, joined_terms, query_terms, telling, terms

_SPEAKER = lazy_pattern(r"(?:\[[^\]]*\]\s*)?([^\W\d_][\w.-]*(?: [^\W\d_][\w.-]*)?):\s")


class VectorSimilarities(NamedTuple):
    """Cosines of the query with each candidate, in candidate order; None without a vector.

    Attributes:
        own: With the entry itself.
        around: In a conversation, with the mean of the three before it, it and the two after it.
    """

    own: Sequence[float | None]
    around: Sequence[float | None]


class Corpus(NamedTuple):
    """Index-wide statistics.

    Attributes:
        documents: Number of entries.
        length: Mean number of terms per entry.
        frequency: Query term → number of entries that contain it.
    """

    documents: int
    length: float
    frequency: Mapping[str, int]


class EntryText:
    """An entry's text as the signals read it.

    Args:
        text: The text.
        terms: Its terms, in order.
        title: Number of terms in its first sentence.
        wanted: Query terms.
        content: Hash of the text.

    Attributes:
        speaker: The speaker's name at the start of the text, as in "Anna: …".
    """

    __slots__ = ("content", "found", "speaker", "terms", "text", "title")

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
        self.speaker = _SPEAKER.match(text)


class Candidate(NamedTuple):
    """An entry that may answer the query.

    Attributes:
        row: Row number in the index.
        own: The entry's own text.
        before: Up to three entries before it in its section, nearest last.
        after: Up to two entries after it, nearest first.
        day: ISO date; "" if undated.
    """

    row: int
    own: EntryText
    before: Sequence[EntryText] = ()
    after: Sequence[EntryText] = ()
    day: str = ""

    @property
    def is_talk(self) -> bool:
        """Return whether it is part of a conversation: it and a neighbour begin with a name."""
        return self.own.speaker is not None and any(
            one.speaker for one in (*self.before[-1:], *self.after[:1])
        )


@dataclass(frozen=True, slots=True)
class Shortlist:
    """Candidates for a query, with the signal inputs that do not come from their text.

    Attributes:
        candidates: Entries that may answer the query.
        corpus: Index-wide statistics.
        nearness: Vector similarities, if there is a model.
        named: Share of the query's named things that each candidate names, weighted by rarity,
            0–1; None if the query names nothing known.
        synonyms: Rarity, 0–1, of the names in each candidate that mean what the query names; None
            if no entry has one.
        standing: Additional signals, one value per candidate: usage and the entries' own fields.
    """

    candidates: Sequence[Candidate]
    corpus: Corpus
    nearness: VectorSimilarities | None = None
    named: Sequence[float] | None = None
    synonyms: Sequence[float] | None = None
    standing: Mapping[str, Sequence[float]] = field(default_factory=dict)


_WHEN = lazy_pattern(
    r"\W*(?:when|wann|quand|cu[aá]ndo|quando|когда|什么时候|いつ)\b"
    r"|(?s:.*)\b(?:what|which) (?:year|month|week|day|date)\b",
    re.IGNORECASE,
)
_PIECE = lazy_pattern(r"--?[A-Za-z][\w-]*|\.?\w+(?:[._/:-]\w+)*")
_SHAPED = lazy_pattern(r"-|\.|.+[._/:-]|_|[A-Z]{2}|\w*[a-z\d][A-Z]|\d+[A-Za-z]|[A-Za-z]\w*\d")
_LONGEST_NAME = 100
_GRAM = 4
_MOST_GRAMS = 120
_MOST_CODES = 32
_MOST_READ = 4_000
_BEGINNING = 600
"""Characters of a query that are checked for "when"."""


class Query:
    """A query prepared for the signals.

    Args:
        text: The text as given, without any syntax.
        period: First and last day of the time it names.
        about: The text without its date expressions, if anything remains.
    """

    def __init__(
        self, text: str, period: tuple[date | None, date | None] | None = None, about: str = ""
    ) -> None:
        self.text = text
        self.period = period
        self.terms = query_terms(text)
        self.about = query_terms(about) if about else self.terms

    def means(self, day: str) -> bool:
        """Return whether ``day`` (ISO) is in the query's period; "" is not."""
        if self.period is None or not day:
            return False
        start, end = self.period
        return (not start or day >= start.isoformat()) and (not end or day <= end.isoformat())

    @cached_property
    def words(self) -> list[str]:
        """Content words, as written."""
        return telling(self.text)

    @cached_property
    def are_keywords(self) -> bool:
        """True if at least half of the words are content words."""
        return len(self.words) * 2 >= len(self.text.split())

    @cached_property
    def joined(self) -> dict[str, tuple[str, ...]]:
        """Hyphenated words as one term, with the terms of their parts."""
        return joined_terms(self.text)

    @cached_property
    def codes(self) -> list[str]:
        """List what looks like code, folded: options, paths, calls, `quoted`, camelCase."""
        found = (piece for word in self.text[:_MOST_READ].split() for piece in _codes(word))
        return list(dict.fromkeys(found))[:_MOST_CODES]

    @cached_property
    def grams(self) -> list[str]:
        """Character 4-grams, without repeats."""
        text = " ".join(word.casefold() for word in self.words).replace("-", " ")
        found = (text[at : at + _GRAM] for at in range(len(text) - _GRAM + 1))
        return list(dict.fromkeys(found))[:_MOST_GRAMS]

    @cached_property
    def names(self) -> set[str]:
        """Capitalised words, folded."""
        return {word.casefold() for word in self.words if word[:1].isupper()}

    @cached_property
    def asks_when(self) -> bool:
        """Return whether the query asks for a time."""
        return _WHEN.match(self.text[:_BEGINNING]) is not None


def _codes(word: str) -> Iterator[str]:
    """Code names in one whitespace-delimited word, so that word order does not matter."""
    for piece in _PIECE.finditer(word[:_LONGEST_NAME]):
        name = piece[0].casefold()
        if len(name) > 1 and name not in STOP_WORDS and _is_code(piece, word):
            yield name


def _is_code(piece: re.Match[str], word: str) -> bool:
    called = word[piece.end() : piece.end() + 1] in {"=", "("}
    return called or "`" in word or _SHAPED.match(piece[0]) is not None


class Intent(Enum):
    """An intent, and the words that express it."""

    ADD = "add introduce include create implement new support allow expose provide enable accept"
    MEND = "fix bug crash resolve handle correct error"
    DROP = "drop remove deprecate delete longer"
    RENAME = "rename"
    IMPROVE = "speed faster performance improve optimise optimize"
    DOCUMENT = "docs documentation readme typo changelog docstring clarify"
    TEST = "test coverage ci lint mypy flake8 travis"
    RELEASE = "release version bump"


BESIDE = frozenset({Intent.DOCUMENT, Intent.TEST, Intent.RELEASE})
"""Intents that accompany a change rather than being one."""


def intents(of: Iterable[str]) -> list[Intent]:
    """Intents that the terms express, in order, with repeats."""
    known = _known()
    return [known[term] for term in of if term in known]


@cache
def _known() -> dict[str, Intent]:
    return {term: intent for intent in Intent for term in terms(intent.value)}


_K1 = 1.2
_TIME = lazy_pattern(
    r"\b(?:yesterday|today|tonight|tomorrow|last|next|week(?:end)?|month|year|ago|since|recently|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july|august|"
    r"september|october|november|december|(?:19|20)\d\d)\b",
    re.IGNORECASE,
)
_READ = 600
"""Characters of an entry that are compared literally; the rest rarely matters."""


def signals_of(query: Query, shortlist: Shortlist) -> dict[str, list[float]]:
    """All signals with data, by name; values in candidate order."""
    found = _of_words(query, shortlist.candidates, shortlist.corpus)
    if shortlist.nearness is not None:
        found |= _of_meaning(shortlist.nearness, shortlist.candidates)
    if shortlist.named is not None:
        found["names"] = list(shortlist.named)
    if shortlist.synonyms is not None:
        found["synonyms"] = list(shortlist.synonyms)
    return found | {name: list(values) for name, values in shortlist.standing.items()}


def _of_words(
    query: Query, candidates: Sequence[Candidate], corpus: Corpus
) -> dict[str, list[float]]:
    bm25 = _Strength(query.terms, corpus)
    talk = [one.is_talk for one in candidates]
    own = [one.own for one in candidates]
    around = _relative([bm25((*one.before, one.own, *one.after)) for one in candidates])
    words = _relative([bm25((one,), b=0.3) for one in own])
    folded = [f" {one.text[:_READ].casefold()} " for one in own]
    found = {
        "words": [0.0 if said else value for value, said in zip(words, talk, strict=True)],
        "talk_words": [value if said else 0.0 for value, said in zip(words, talk, strict=True)],
        "around": [0.0 if said else value for value, said in zip(around, talk, strict=True)],
        "talk_around": [value if said else 0.0 for value, said in zip(around, talk, strict=True)],
        "title": [bm25.covered(one) for one in own],
        "characters": _characters(query.grams, folded),
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
        **_of_intents(query, own, talk),
    }
    if query.codes:
        found["written"] = _written(query.codes, folded)
    if query.asks_when:
        found["time"] = [float(_says_when(one)) for one in own]
    if query.period:
        found["then"] = [float(query.means(one.day)) for one in candidates]
    return found


def _of_intents(
    query: Query, own: Sequence[EntryText], talk: Sequence[bool]
) -> dict[str, list[float]]:
    asked = frozenset(intents(query.terms))
    of = [
        [] if said else intents(one.terms[: one.title]) for one, said in zip(own, talk, strict=True)
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
    """Cosines clipped at 0; a missing vector gets their mean."""
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
        """BM25 of several passages treated as one text."""
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
        """Share of the title's terms found in the query, by rarity; others have average weight."""
        if not one.found:
            return 0.0
        title = set(one.terms[: one.title]) - STOP_WORDS
        held = [self._rarity[term] for term in title if term in one.found]
        return sum(held) / (sum(held) + (len(title) - len(held)) * self._middle) if held else 0.0


def idf(corpus: Corpus, term: str) -> float:
    """Inverse document frequency of a term (Robertson & Zaragoza 2009, never below 0)."""
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


def _written(codes: Sequence[str], texts: Sequence[str]) -> list[float]:
    """Weight of the query's code names that each text contains verbatim."""
    held = [[code for code in codes if _stands(code, text)] for text in texts]
    weight = _rarity(held)
    return _relative([sum([weight[code] for code in of]) for of in held])


def _stands(code: str, text: str) -> bool:
    """Return whether ``code`` is in ``text`` as a whole word."""
    at = text.find(code)
    while at >= 0:
        before, after = text[at - 1], text[at + len(code)]
        if not (before.isalnum() or before == "_" or after.isalnum() or after == "_"):
            return True
        at = text.find(code, at + 1)
    return False


def _characters(grams: Sequence[str], texts: Sequence[str]) -> list[float]:
    """Weight of the query's 4-grams in each text, normalised by its length."""
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
    """Weight of each feature: the fewer candidates have it, the higher."""
    counts = Counter(one for of in held for one in of)
    return {one: math.log(1 + len(held) / count) for one, count in counts.items()}


Relevance = Literal["high", "medium", "low"]

_HIGH, _MEDIUM = 0.5, 0.15
_ALL = 0.999


def likelihood(score: float, covered: float, cosine: float | None, *, keywords: bool) -> float:
    """Probability that an entry answers the query.

    Args:
        score: Its score, 0–1.
        covered: Share of the query's terms it contains, weighted by rarity.
        cosine: Cosine of its vector with the query's, if both are known.
        keywords: Whether the query is a few keywords, not a sentence.
    """
    if cosine is None:
        fitted = _logistic(11.6 * score + 1.3 * covered - 8.6)
    else:
        fitted = _logistic(11.2 * score + 0.4 * covered + 4.8 * cosine - 10.9)
    # the model was fitted on full sentences; for a few keywords, an entry with all of them matches
    return max(fitted, _HIGH) if keywords and covered > _ALL else fitted


def label(probability: float) -> Relevance:
    """High from 0.5, medium from 0.15."""
    return "high" if probability >= _HIGH else "medium" if probability >= _MEDIUM else "low"


def _logistic(value: float) -> float:
    return 1 / (1 + exp(-value))
