"""Direction: "add X" and "remove X" share their words and say the opposite."""

import re
from functools import cache, lru_cache

from mind.similarity.words import words

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
""".strip()
_NEGATION = re.compile(
    r"\b(?:do not|don't|dont|does not|doesn't|should not|shouldn't|must not|mustn't|never|"
    r"no longer|not|no|without|stop|avoid|against|skip)\s+(?:to\s+|using\s+|use\s+)?",
    re.IGNORECASE,
)
_NEGATED_VERB = re.compile(
    r"\b(?:not|don't|dont|doesn't|shouldn't|mustn't|never|no longer|stop|stopped|without)\s+"
    r"(?:to\s+)?([a-z]+)",
    re.IGNORECASE,
)
_END = r"(?:[.,;:]|\s+(?:for|because|in|on)\b|\s-\s|$)"
_FROM_TO = re.compile(
    r"\b(?:from|(?:replac|migrat|mov|switch|convert)\w*)\s+(?:from\s+)?"
    rf"(.{{2,40}}?)\s+(?:to|with|by|into|→|->)\s+(.{{2,40}}?){_END}",
    re.IGNORECASE,
)
_OVER = re.compile(
    rf"\b(.{{2,40}}?)\s+(?:over|instead of|rather than|not)\s+(.{{2,40}}?){_END}", re.IGNORECASE
)


@cache
def _sides() -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    rows = []
    for line in _OPPOSITES.splitlines():
        left, right = line.split("|")
        rows.append((frozenset(_raw(left)), frozenset(_raw(right))))
    return tuple(rows)


_WORD = re.compile(r"[a-z]+")


def _raw(text: str) -> list[str]:
    """Lower-case words with their inflection cut, but synonyms kept apart."""
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
    """Whether ``a`` and ``b`` take opposite directions about the same subject."""
    return _opposite_verbs(a, b) or _turned_round(a, b) or _negated_once(a, b)


def _opposite_verbs(a: str, b: str) -> bool:
    a, b = a[:400], b[:400]
    for left, right in _sides():
        a_left, a_right = _stands(a, left, right)
        b_left, b_right = _stands(b, left, right)
        one_way = a_left and not a_right and b_right and not b_left
        other_way = a_right and not a_left and b_left and not b_right
        if (one_way or other_way) and _same_subject(a, b, left | right):
            return True
    return False


def _stands(text: str, left: frozenset[str], right: frozenset[str]) -> tuple[bool, bool]:
    """Whether ``text`` is on the left and on the right; a negated verb is on the other side."""
    said, negated = _verbs(text)
    return bool(said & left or negated & right), bool(said & right or negated & left)


@lru_cache(maxsize=1024)
def _verbs(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """The words that ``text`` says, and those that it negates."""
    negated = frozenset(_cut(found[1].lower()) for found in _NEGATED_VERB.finditer(text))
    return frozenset(_raw(text)) - negated, negated


def _same_subject(a: str, b: str, verbs: frozenset[str]) -> bool:
    """The rest of the shorter text is mostly in the other."""
    rest_a = {word for word in words(a) if _cut(word) not in verbs}
    rest_b = {word for word in words(b) if _cut(word) not in verbs}
    smaller = min(len(rest_a), len(rest_b))
    return smaller > 0 and len(rest_a & rest_b) >= max(1, smaller * 0.5)


def _turned_round(a: str, b: str) -> bool:
    """X → Y in one, Y → X in the other."""
    for pattern in (_FROM_TO, _OVER):
        one, other = pattern.search(a[:400]), pattern.search(b[:400])
        if one and other:
            first = [set(words(part)) for part in one.groups()]
            second = [set(words(part)) for part in other.groups()]
            straight = len(first[0] & second[0]) + len(first[1] & second[1])
            crossed = len(first[0] & second[1]) + len(first[1] & second[0])
            if crossed > straight:
                return True
    return False


def _denies(text: str) -> bool:
    return bool(_NEGATION.search(text))


def _negated_once(a: str, b: str) -> bool:
    """One of the two is the other with a negation."""
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
