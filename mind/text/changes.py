"""Detect that a later statement replaces an earlier one, from the two texts alone.

Two kinds of evidence count. *A changed value*: both state the same about the same subject except
for one value (a number with its unit, a path, a name). It must be in the position of the value, not
of the subject: "staging uses 8081" and "production uses 8080" both hold. *A stated change*: the
later text says that something ended, moved or was wrong, or negates the earlier one, about the same
subject. Anything else is an addition, however similar the texts are.

Each clause of the earlier text is compared with each of the later one; the most likely pair counts.
Overlap alone is no evidence, but evidence is weighted by it: a word counts by its rarity, in speech
and in the memory. The weights are a logistic regression on pairs of notes, with similar commits of
two projects as pairs that both hold.
"""

import itertools
import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from mind.domain import caching
from mind.text import lazy_pattern
from mind.text.clauses import (
    EVENT,
    HEAD,
    SENTENCE,
    Clause,
    Token,
    Words,
    clauses,
    content,
    is_same,
    key,
    lexicon,
    phrases,
)
from mind.text.similarity import opposed, weight, without_shared_choice

LEAST = 0.25
"""Minimum likelihood at which to ask whether a statement is replaced."""
_BIAS = -4.4
_WEIGHTS = {
    "typed": 3.2, "told": 1.65, "begins": -1.85, "about": 1.25, "of_clause": 1.4, "in_text": 3.0,
    "of_text": 1.35, "events": -1.0, "adds": -0.45, "chances": -0.25,
}  # fmt: skip
_LONGEST = 500
_NAME_WEIGHT, _RAREST, _ROOM, _NEAR = 6.0, 8.0, 3.0, 40
_VALUES = ("number", "name")
_LEAST_SHARED = 2
"""Words that two clauses have in common at least."""
_RELEASE = lazy_pattern(r"v?\d+\.\d+\.\d.*")
_QUESTION = lazy_pattern(r"[?？](?:\s|$)")
_BODY = lazy_pattern(r"(?<=[.!?])(?=\s+[^\sa-z])|(?<=[。！？])|(?=:\s+[A-Z][a-z]+\s)")
"""After the first sentence, or the title before a colon."""


class ChangedValue(NamedTuple):
    """The result: a later statement replaces an earlier one.

    Attributes:
        likelihood: 0–1.
        how: The evidence, "value" or "stated".
        old: The outdated value, "" if unknown.
        new: The current value.
    """

    likelihood: float
    how: str
    old: str = ""
    new: str = ""


Usual = tuple[tuple[str, float], ...]
"""Words that many entries of the memory have, with the share of their weight that they keep there:
where all entries are about jobs, two that are about jobs need not be about the same."""


@caching.of_texts
def change(old: str, new: str, usual: Usual = ()) -> ChangedValue | None:
    """Return the evidence that ``new`` replaces ``old``; None if it does not."""
    old, new = old[:_LONGEST], new[:_LONGEST]
    shared = opening(old)
    if shared != opening(new):
        old, new = shared, opening(new)
    elif old != shared != new:  # what changed stands in what follows
        old, new = old[len(shared) :], new[len(shared) :]
    old, new = without_shared_choice(old, new)
    found = signals(old, new, usual)
    if found is None:
        return None
    likelihood = 1 / (1 + math.exp(-_score(found.numbers) - _BIAS))
    if likelihood < LEAST:
        return None
    how = "value" if found.old and not found.numbers["told"] else "stated"
    return ChangedValue(likelihood, how, found.old, found.new)


class ChangeSignals(NamedTuple):
    """Features of two texts: what they share, and the values that differ."""

    numbers: dict[str, float]
    old: str
    new: str


def signals(old: str, new: str, usual: Usual = ()) -> ChangeSignals | None:
    """The evidence for a change; None if there is none, or one text is only a question."""
    if _QUESTION.search(old) or _QUESTION.search(new):
        return None
    before, after = content(old), content(new)
    texts = _Texts(before, after, {key(word): share for word, share in usual})
    gone = [(one, _unique(one, after)) for one in clauses(old)]
    come = [(other, _unique(other, before)) for other in clauses(new)]
    found = [
        made
        for one, was in gone
        for other, now in come
        if (made := _evidence(one, other, texts, (was, now)))
    ]
    if not found:
        return None
    best = max(found, key=lambda made: _score(made.numbers))
    best.numbers["chances"] = math.log(len(clauses(old)) * len(clauses(new)))
    return best


def _score(numbers: dict[str, float]) -> float:
    return sum(_WEIGHTS[name] * number for name, number in numbers.items())


class _Texts(NamedTuple):
    """The words of both texts, and the usual ones of the memory."""

    before: Words
    after: Words
    usual: Mapping[str, float]


class _Slot(NamedTuple):
    """The position where two clauses differ: the similarity of the rest, and the two values."""

    share: float = 0.0
    old: Sequence[Token] = ()
    new: Sequence[Token] = ()
    is_subject: bool = False


def opening(text: str) -> str:
    """The first sentence of a text or its title: what it states. The rest explains it."""
    ends = (one.start() for one in _BODY.finditer(text[:_LONGEST]))
    return next((text[:at] for at in ends if len(content(text[:at])) > 2), text[:_LONGEST])


def states(text: str, *, is_decided: bool = False) -> bool:
    """Return whether a text states a fact, rather than an action or a title.

    It must be a sentence, have a form of be, have or must, or a colon before a value; a decision
    may be a mere phrase.
    """
    said = opening(text)
    first = clauses(said)[:1]
    has_verb = any(phrases("stating").search(one.text) for one in first)
    is_told = any(one.form == ":" for part in first for one in part.tokens)
    is_told = is_told or is_decided or SENTENCE.search(said) is not None
    return has_verb or (is_told and not EVENT.match(text))


def _weight(one: Token, usual: Mapping[str, float]) -> float:
    rarity = weight(one.key) if one.kind == "word" else _NAME_WEIGHT
    return rarity * usual.get(one.key, 1.0)


def _covered(some: Sequence[Token], others: Words, usual: Mapping[str, float]) -> float:
    """The weighted share of ``some``, except numbers, that is in ``others``.

    Always below 1 for few words.
    """
    words = [one for one in some if one.kind != "number"]
    shared = sum(_weight(one, usual) for one in words if others.have(one))
    return shared / (sum(_weight(one, usual) for one in words) + _ROOM)


def _same_type(a: Token, b: Token) -> bool:
    """Return whether two different values have the same type.

    A bare number may have the type of any count, but two bare numbers may state anything.
    """
    if a.kind != b.kind or a.kind not in _VALUES:
        return False
    if "label" in (a.type, b.type):
        return False
    if bool(_RELEASE.fullmatch(a.key)) != bool(_RELEASE.fullmatch(b.key)):
        return False
    if a.type == b.type:
        return a.type != ""
    if a.kind == "name" or "" not in (a.type, b.type):
        return False
    sort = a.type or b.type
    return sort != "clock" and sort not in lexicon().units.values()


def _about(text: str, span: tuple[int, int], old: Words, usual: Mapping[str, float]) -> float:
    """Return the rarity of the earlier statement's words next to the words of change, 0–1."""
    near = content(text[max(0, span[0] - _NEAR) : span[1] + _NEAR])
    return max((_weight(one, usual) for one in near if old.have(one)), default=0.0) / _RAREST


def _said(tokens: Sequence[Token]) -> str:
    return " ".join(one.form for one in tokens)


def _operations(a: Sequence[Token], b: Sequence[Token]) -> Sequence[tuple[str, int, int, int, int]]:
    known: dict[str, list[tuple[Token, int]]] = defaultdict(list)
    count = itertools.count()

    def number(one: Token) -> int:
        alike = known[one.key[:HEAD]]
        at = next((at for other, at in alike if is_same(one, other)), None)
        if at is None:
            at = next(count)
            alike.append((one, at))
        return at

    left, right = [number(one) for one in a], [number(one) for one in b]
    return SequenceMatcher(None, left, right, autojunk=False).get_opcodes()


def _slot(one: Clause, other: Clause) -> _Slot:
    """The single position where two similarly worded clauses differ."""
    if sum(t.key[:HEAD] in other.heads for t in one.content) < _LEAST_SHARED:
        return _Slot()
    a, b = one.plain, other.plain
    steps = _operations(a, b)
    shared = [t for tag, i, j, _, _ in steps if tag == "equal" for t in a[i:j] if t.tells]
    count = sum(t.tells for t in a)
    replaced = [
        step
        for step in steps
        if step[0] == "replace" and any(t.tells for t in a[step[1] : step[2]])
    ]
    if len(shared) < _LEAST_SHARED or not replaced:
        return _swapped(one, other)
    share = len(shared) / count
    _, i, j, k, end = replaced[0]
    old, new = a[i:j], b[k:end]
    before = sum(
        t.tells for tag, start, to, _, _ in steps if tag == "equal" and to <= i for t in a[start:to]
    )
    left, value = (a[i - 1] if i else None), next(t for t in old if t.tells)
    is_number = value.kind == "number"
    is_label = value.type.startswith("no. ")
    if value.type == "label":
        return _Slot(is_subject=True)
    follows = a[j] if j < len(a) else None
    is_modifier = (
        follows is not None
        and follows.kind == "word"
        and not is_number
        and end < len(b)
        and is_same(follows, b[end])
    )
    early = before / len(shared)
    is_predicate = left is not None and left.key == "=" and before > 0
    if (
        not is_predicate
        and share >= 0.5
        and (
            not before
            or is_modifier
            or len(replaced) > 1
            or (early < 0.5 and (is_label or not is_number))
        )
    ):
        return _Slot(is_subject=True)
    is_pure = all(t.kind != "function" for t in old) and (
        not new or new[0].kind != "function" or new[0].key in lexicon().joining
    )
    stands = left is not None and (left.kind in ("function", "mark", "name") or is_number)
    is_object = (follows is None or not follows.tells) and before >= 2 and len(shared) >= 3
    if share >= 0.4 and is_pure and (stands or is_object) and len(replaced) == 1:
        return _Slot(share, old, _value(new))
    return _Slot()


def _value(tokens: Sequence[Token]) -> list[Token]:
    """The value at the start of ``tokens``: those before the next function word."""
    rest = itertools.dropwhile(lambda one: not one.tells, tokens)
    told = itertools.takewhile(lambda one: one.tells, rest)
    return [one for one in told if not phrases("changing").fullmatch(one.form)][:3]


def _swapped(one: Clause, other: Clause) -> _Slot:
    """The same words in another order, except one value after a verb or preposition."""
    a, b = one.plain, other.plain
    old = [word for word in one.content if not other.content.have(word)]
    count = len(one.content)
    shared = count - len(old)
    if shared < _LEAST_SHARED or not 1 <= len(old) <= 2 or shared < 0.6 * count:
        return _Slot()
    new = [word for word in other.content if not one.content.have(word)]
    if not 1 <= len(new) <= 6:
        return _Slot()
    i, j = a.index(old[0]), b.index(new[0])
    joining = lexicon().joining
    is_one = a.index(old[-1]) - i == len(old) - 1
    if i and j and is_one and a[i - 1].key in joining and b[j - 1].key in joining:
        return _Slot(0.8 * shared / count, old, new[:1])
    return _Slot()


def _told(one: Clause, other: Clause) -> Sequence[re.Match[str]]:
    """Return the words of change of ``other``, without those that ``one`` says of something else.

    It is the same thing if a word stands elsewhere than in ``one``: first a value was new ("uv
    instead of pip"), then it is old ("pixi instead of uv").
    """
    known = {cue.group().casefold() for cue in one.told}
    told = [cue for cue in other.told if cue.group().casefold() not in known]
    if len(told) == len(other.told):
        return told
    a = one.plain
    steps = _operations(a, other.plain)
    moved = (word for tag, i, j, *_ in steps if tag != "equal" for word in a[i:j])
    return other.told if any(it.tells and other.content.have(it) for it in moved) else told


def _evidence(
    one: Clause,
    other: Clause,
    texts: _Texts,
    unique: tuple[Sequence[Token], Sequence[Token]],
) -> ChangeSignals | None:
    """Return the evidence that ``other``, a clause of the later text, replaces ``one``.

    Args:
        one: A clause of the earlier text.
        other: A clause of the later text.
        texts: The words of both texts, and those that are usual in the memory.
        unique: The values of each clause that the other text does not have.
    """
    before, after, usual = texts
    slot, told = _slot(one, other), _told(one, other)
    ends = [cue for cue in told if not phrases("beginning").fullmatch(cue.group())]
    values = [] if slot.is_subject else _values(*unique)
    if not (slot.share or values or told) and (
        slot.is_subject or not (one.denies != other.denies or opposed(one.text, other.text))
    ):
        return None
    common = [it for it in other.content if one.content.have(it)]
    is_shared = len(common) >= _LEAST_SHARED or any(
        it.key not in usual and _is_name(it, one.content) for it in common
    )
    if not (is_shared or slot.share or values):
        return None
    cues = {word.casefold() for found in told for word in found.group().split()}
    olds, news = {*slot.old, *(a for a, _ in values)}, {*slot.new, *(b for _, b in values)}
    left = [token for token in one.content if token not in olds]
    right = [t for t in other.content if t not in news and t.form.casefold() not in cues]
    in_clause, in_text = (_covered(left, it, usual) for it in (other.content, after))
    of_clause, of_text = (_covered(right, it, usual) for it in (one.content, before))
    both = 2 * in_clause * of_clause / (in_clause + of_clause) if in_clause + of_clause else 0.0
    numbers = {
        "typed": both if values and not values[0][0].type.startswith("no. ") else 0.0,
        "told": both if told else 0.0,
        "begins": both if told and not ends else 0.0,
        "about": max(
            (_about(other.text, cue.span(), one.content, usual) for cue in told), default=0.0
        ),
        "of_clause": of_clause,
        "in_text": in_text,
        "of_text": of_text,
        "events": float(one.is_event) + other.is_event,
        "adds": float(other.adds),
    }
    if slot.share:
        return ChangeSignals(numbers, _said(slot.old), _said(slot.new))
    return ChangeSignals(numbers, *((values[0][0].form, values[0][1].form) if values else ("", "")))


def _is_name(word: Token, others: Words) -> bool:
    """Return whether a word is a name here or among ``others``: the first of a sentence may be."""
    return word.kind == "name" or any(is_same(word, it) and it.kind == "name" for it in others)


def _unique(clause: Clause, others: Words) -> list[Token]:
    """The values of a clause that ``others`` do not have."""
    return [one for one in clause.content if one.kind in _VALUES and not others.have(one)]


def _values(gone: Sequence[Token], come: Sequence[Token]) -> list[tuple[Token, Token]]:
    """Pairs of values with the same type, each unique to one of the texts."""
    return [(a, b) for a in gone for b in come if _same_type(a, b)]
