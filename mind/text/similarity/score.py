"""Similarity of two texts from 0 to 1, calibrated so that thresholds have a fixed meaning.

It averages three overlaps of TF-IDF vectors: words, characters, and the coverage of the shorter
text by the longer one. The average is then stretched so that on labelled pairs of bug titles,
changelog lines and commits, pairs above .60, .80 and .95 are true duplicates in four fifths, nine
tenths and nearly all cases.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import cache

from mind.domain import caching
from mind.domain.entry import normalise
from mind.text import INSTEAD_OF, NOR, NOT, interpolated, lazy_pattern
from mind.text.similarity.words import weight, words, words_and_names

_OPPOSITES = """
add introduce include create implement insert | remove delete drop exclude revert undo
install | uninstall
enable activate allow permit accept | disable deactivate forbid deny disallow reject block
support | drop deprecate remove
use adopt choose keep prefer switch-to | avoid abandon stop refuse without
upgrade update bump raise increase | downgrade lower decrease reduce
open start begin | close end stop
show display reveal | hide conceal
lock | unlock
encrypt | decrypt
merge join combine | split separate divide
before | after
sync synchronous | async asynchronous
always | never
first | last
on | off
eager eagerly | lazy lazily
relative | absolute
private internal | public
required mandatory | optional
parallel concurrent | sequential serial sequentially
expand | collapse
ascending | descending
attach | detach
readable read-only readonly | writable read-write
""".strip()
_UNDONE = ("un", "de", "dis")
"""Prefixes that reverse a verb, as in "unpin" and "disconnect"."""
_NEGATION = lazy_pattern(
    r"\b(?:do not|don't|dont|does not|doesn't|should not|shouldn't|must not|mustn't|never|"
    r"no longer|not|no|without|stop|avoid|against|skip)\s+(?:to\s+|using\s+|use\s+)?",
    re.IGNORECASE,
)
_NEGATED_VERB = lazy_pattern(
    r"\b(?:not|don't|dont|doesn't|shouldn't|mustn't|never|no longer|stop|stopped|without)\s+"
    r"(?:to\s+)?([a-z]+)",
    re.IGNORECASE,
)
_UNDOING = lazy_pattern(
    r"\b(?:revert(?:ed|ing|s)?|undo(?:es|ing|ne)?|undid|roll(?:ed|ing|s)?\s+back|"
    r"back(?:ed|ing)?\s+out|take\s+back)\b",
    re.IGNORECASE,
)
_END = r"(?:[.,;:]|\s+(?:for|because|in|on)\b|\s-\s|$)"
_FROM_TO = lazy_pattern(
    r"\b(?:from|(?:replac|migrat|mov|switch|convert)\w*)\s+(?:from\s+)?"
    rf"(.{{2,40}}?)\s+(?:to|with|by|into|→|->)\s+(.{{2,40}}?){_END}",
    re.IGNORECASE,
)
_TO_FROM = lazy_pattern(
    rf"\b(?:migrat|mov|switch|chang|go)\w*\s+(?:back\s+)?to\s+(.{{2,40}}?)\s+from\s+(.{{2,40}}?){_END}",
    re.IGNORECASE,
)
_OVER = lazy_pattern(
    rf"\b(.{{2,40}}?)\s(?:{INSTEAD_OF}|{NOT}|(?<=,\s){NOR})[\s'’]+(.{{2,40}}?){_END}",
    re.IGNORECASE,
)


@cache
def _sides() -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    rows = []
    for line in _OPPOSITES.splitlines():
        left, right = line.split("|")
        rows.append((frozenset(_raw(left)), frozenset(_raw(right))))
    return tuple(rows)


_WORD = lazy_pattern(r"[a-z]+")


def _raw(text: str) -> list[str]:
    """Lower-case words without inflection, synonyms kept separate."""
    return [_cut(word) for word in _WORD.findall(text.lower())]


def _cut(word: str) -> str:
    for ending in ("ing", "ed", "es", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            rest = word[: -len(ending)]
            return (
                rest[:-1] if len(rest) > 3 and rest[-1] == rest[-2] and rest[-1] in "pgtn" else rest
            )
    return word


def opposed(a: str, b: str) -> bool:
    """Return whether ``a`` and ``b`` state opposites about the same subject."""
    if set(words(a)).isdisjoint(words(b)):
        return False
    a, b = without_shared_choice(a, b)
    ways = (_undone_once, _opposite_verbs, _prefixed, _turned_round, _negated_once)
    return any(way(a, b) for way in ways)


def without_shared_choice(a: str, b: str) -> tuple[str, str]:
    """``a`` and ``b``, without "instead of" and the like if both choose the same over the same."""
    one, other = _choice(a[:400]), _choice(b[:400])
    if one is None or other is None or _crossed(one.groups(), other.groups()):
        return a, b
    sides = zip(one.groups(), other.groups(), strict=True)
    if any(set(words(x)).isdisjoint(words(y)) for x, y in sides):
        return a, b
    a, b = (f"{s[: of.end(1)]} {s[of.start(2) :]}" for s, of in ((a, one), (b, other)))
    return without_shared_choice(a, b)


@caching.of_texts
def _choice(text: str) -> re.Match[str] | None:
    return _OVER.search(text)


def _undone_once(a: str, b: str) -> bool:
    """Return whether one text reverses the action of the other."""
    undone_a, undone_b = (_UNDOING.search(text[:80]) is not None for text in (a, b))
    return undone_a != undone_b and _same_subject(a, b, frozenset(_raw("revert undo roll back")))


def _opposite_verbs(a: str, b: str) -> bool:
    a, b = a[:400], b[:400]
    ours, theirs = _stands(a), _stands(b)
    return any(
        (at, not is_left) in theirs and _same_subject(a, b, frozenset().union(*_sides()[at]))
        for at, is_left in ours
    )


def _prefixed(a: str, b: str) -> bool:
    """Return whether a verb of one text occurs in the other with a reversing prefix."""
    said_a, said_b = _verbs(a[:400])[0], _verbs(b[:400])[0]
    gone, come = said_a - said_b, said_b - said_a
    turned = {
        word
        for one, other in ((gone, come), (come, gone))
        for word in one
        if len(word) > 3 and any(prefix + word in other for prefix in _UNDONE)
    }
    both = turned | {prefix + word for word in turned for prefix in _UNDONE}
    return bool(turned) and _same_subject(a, b, frozenset(both))


@caching.of_texts
def _stands(text: str) -> frozenset[tuple[int, bool]]:
    """Return the rows of opposites of which ``text`` has one side, and whether it is the left.

    A negated verb counts for the other side.
    """
    said, negated = _verbs(text)
    found = set()
    for at, (left, right) in enumerate(_sides()):
        is_left = not (said.isdisjoint(left) and negated.isdisjoint(right))
        if is_left == (said.isdisjoint(right) and negated.isdisjoint(left)):
            found.add((at, is_left))
    return frozenset(found)


@caching.of_texts
def _verbs(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """The affirmed and the negated words of ``text``."""
    negated = frozenset(_cut(found[1].lower()) for found in _NEGATED_VERB.finditer(text))
    return frozenset(_raw(text)) - negated, negated


def _same_subject(a: str, b: str, verbs: frozenset[str]) -> bool:
    """Return whether the rest of the shorter text is mostly in the other."""
    rest_a = {word for word in words(a) if _cut(word) not in verbs}
    rest_b = {word for word in words(b) if _cut(word) not in verbs}
    smaller = min(len(rest_a), len(rest_b))
    return smaller > 0 and len(rest_a & rest_b) >= max(1, smaller * 0.5)


def _turned_round(a: str, b: str) -> bool:
    """Return whether one text has X → Y and the other Y → X."""
    ways = (_way(a[:400]), _way(b[:400]))
    return any(one and other and _crossed(one, other) for one, other in zip(*ways, strict=True))


@caching.of_texts
def _way(text: str) -> tuple[tuple[str, str] | None, tuple[str, str] | None]:
    """(from, to) of a move, and (chosen, rejected) of a choice."""
    moved, back, chosen = _FROM_TO.search(text), _TO_FROM.search(text), _OVER.search(text)
    move = (back[2], back[1]) if back else (moved[1], moved[2]) if moved else None
    return move, (chosen[1], chosen[2]) if chosen else None


def _crossed(one: Sequence[str], other: Sequence[str]) -> bool:
    (a, b), (c, d) = (tuple(set(words(part)) for part in way) for way in (one, other))
    return len(a & d) + len(b & c) > len(a & c) + len(b & d)


@caching.of_texts
def _denies(text: str) -> bool:
    return bool(_NEGATION.search(text))


def _negated_once(a: str, b: str) -> bool:
    """Return whether one text is the other with a negation."""
    negated_a, negated_b = _denies(a), _denies(b)
    if negated_a == negated_b:
        return False
    plain, negated = (b, a) if negated_a else (a, b)
    denied = {
        word for found in _NEGATION.finditer(negated) for word in words(negated[found.end() :])[:4]
    }
    subject = set(words(plain))
    return (
        bool(denied)
        and len(denied & subject) >= max(1, len(denied) * 0.5)
        and bool(len(subject & set(words(negated))) >= 0.5 * len(subject))
    )


_WEIGHTS = (0.3, 0.2, 0.5)
_STRETCH = ((0.0, 0.0), (0.70, 0.60), (0.83, 0.80), (0.95, 0.95), (1.0, 1.0))
_MOST_CHARACTERS = 4_000
OPPOSED_AT_MOST = 0.45

Vector = dict[str, float]


def _weighed(text: str) -> Vector:
    counts = Counter(words_and_names(text[:_MOST_CHARACTERS]))
    return {word: (1 + math.log(count)) * weight(word) for word, count in counts.items()}


@caching.of_texts
def _words_of(text: str) -> Vector:
    return _unit(_weighed(text))


@caching.of_texts
def _grams_of(text: str) -> Vector:
    """Vector of character 3-grams and 4-grams, normalised to length one."""
    grams: Vector = {}
    for word, value in _weighed(text).items():
        padded = f" {word} "
        share = [padded[at : at + size] for size in (3, 4) for at in range(len(padded) - size + 1)]
        for gram in share:
            grams[gram] = grams.get(gram, 0.0) + value / math.sqrt(len(share))
    return _unit(grams)


def _unit(vector: Vector) -> Vector:
    length = math.sqrt(sum(value * value for value in vector.values()))
    return {key: value / length for key, value in vector.items()} if length else {}


def _dot(a: Vector, b: Vector) -> float:
    if len(a) > len(b):
        a, b = b, a
    return sum(value * b[key] for key, value in a.items() if key in b)


def _covered(a: Vector, b: Vector) -> float:
    """Return the share of the smaller vector's squared weight that is in the other.

    For equal sizes, the greater share.
    """
    sides = [(a, b), (b, a)]
    fewest = min(len(a), len(b))
    return max(
        sum(value * value for key, value in one.items() if key in other)
        for one, other in sides
        if len(one) == fewest
    )


def features(a: str, b: str) -> list[float]:
    """Cosine of words, cosine of characters, and coverage of the shorter text, each 0–1."""
    words_a, words_b = _words_of(a), _words_of(b)
    return [
        _dot(words_a, words_b),
        _dot(_grams_of(a), _grams_of(b)),
        _covered(words_a, words_b),
    ]


def similarity(a: str, b: str) -> float:
    """Return the similarity of ``a`` and ``b``: 0–1, symmetric; 1 for the same text.

    Texts that state opposites about the same subject stay below .60.
    """
    if normalise(a) == normalise(b):
        return 1.0
    average = sum(w * v for w, v in zip(_WEIGHTS, features(a, b), strict=True))
    score = interpolated(min(average, 1.0), _STRETCH)
    return min(score, OPPOSED_AT_MOST) if score > OPPOSED_AT_MOST and opposed(a, b) else score
