"""The signals: a number for each candidate, between 0 and 1."""

import math
import re
from collections import Counter
from collections.abc import Sequence

from mind.ranking.deeds import BESIDE, Deed, deeds
from mind.ranking.passages import Candidate, Corpus, Nearness, Passage, Shortlist, pairs_of
from mind.ranking.query import Query
from mind.text.terms import STOP_WORDS

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


def _of_deeds(query: Query, own: Sequence[Passage], talk: Sequence[bool]) -> dict[str, list[float]]:
    asked = frozenset(deeds(query.terms))
    of = [
        [] if said else deeds(one.terms[: one.title]) for one, said in zip(own, talk, strict=True)
    ]
    return {
        "beside": [-float(bool(done) and done[0] in BESIDE - asked) for done in of],
        "otherwise": [-float(_are_at_odds(asked - BESIDE, done)) for done in of],
    }


def _are_at_odds(asked: frozenset[Deed], done: Sequence[Deed]) -> bool:
    return bool(asked) and not BESIDE.issuperset(done) and asked.isdisjoint(done)


def _of_meaning(nearness: Nearness, candidates: Sequence[Candidate]) -> dict[str, list[float]]:
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


def idf(corpus: Corpus, term: str) -> float:
    """How rare a term is (Robertson & Zaragoza 2009, never below 0)."""
    count = corpus.frequency.get(term, 0)
    return math.log(1 + (max(0, corpus.documents - count) + 0.5) / (count + 0.5))


def _relative(values: list[float]) -> list[float]:
    most = max(values, default=0.0)
    return [value / most for value in values] if most > 0 else values


def _asks(one: Passage) -> bool:
    return one.text.rstrip().endswith(("?", "？"))


def _says_when(one: Passage) -> bool:
    return _TIME.search(one.text, one.speaker.end() if one.speaker else 0) is not None


def _speaks(one: Passage, names: set[str]) -> bool:
    return one.speaker is not None and not names.isdisjoint(one.speaker[1].casefold().split())


def _share(pairs: set[tuple[str, str]], one: Passage) -> float:
    if not pairs or len(one.found) < 2:
        return 0.0
    return len(pairs & pairs_of(one.terms)) / len(pairs)


def _written(codes: Sequence[str], texts: Sequence[str]) -> list[float]:
    """Weight of the query's names of code that stand in each text just as the query has them."""
    held = [[code for code in codes if _stands(code, text)] for text in texts]
    weight = _rarity(held)
    return _relative([sum([weight[code] for code in of]) for of in held])


def _stands(code: str, text: str) -> bool:
    """Whether ``code`` is in ``text`` and is no part of a longer word there."""
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
