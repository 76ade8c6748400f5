"""Which of several answers to a query a later one may have put right; pure.

Memory grows by notes, and who notes that something changed seldom knows what was noted before. So
two notes of different days that answer the same query, and are about the same thing, are told
apart here: the later one comes first, and the earlier one is marked. Nothing can tell from words
alone that the earlier one is wrong; the mark says what to look at.

The figures are a logistic regression on pairs among the hits of queries about facts that were
corrected once to three times, in other words (``tests/bench/corrections.py``), and of queries about
events: changes of two projects, and what people told each other. That somebody did something stays
true, so what is told as an event is rarely marked, and what is said in a conversation never.

Facts that were written apart from those, with fewer words in common, are told apart far less often:
``docs/benchmarks`` has the figures.
"""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date

from mind.entry import Kind
from mind.similarity import features, weight, words

MARKED, FIRST = 0.05, 0.10
"""From here the earlier one is marked, and stands behind the later one."""
_EVENT = re.compile(
    r"\W*(?:add|fix|remov|drop|updat|bump|merg|refactor|document|test|renam|mov|chang|mak|allow|"
    r"support|improv|implement|introduc|clean|tweak|correct|deprecat|revert|switch|show|handl|"
    r"rais|expos|ensur|adjust|creat|includ|mention|lint|pin|releas|prepar|initial|first|new|"
    r"replac|delet|extract|minor|typo|link|docs?|upgrad|enabl|disabl|avoid|expand|rewrit|simplif|"
    r"split|more|better)\w*\b",
    re.IGNORECASE,
)
"""How an entry begins that tells what was done: it stays true, whatever is done later."""
_STATE = re.compile(
    r"\b(?:is|are|was|has|have|must|may|can|lives?|goe?s?|uses?|runs?|belongs?|comes?|holds?|"
    r"keeps?|takes?|gets?|needs?|we)\b"
)
"""Words of an entry that tells how things are."""
_SPOKEN = re.compile(r"(?:\[[^\]]*\]\s*)?[^\W\d_][\w.-]*(?: [^\W\d_][\w.-]*)?:\s")
_PASSING = frozenset({Kind.RELATION, Kind.TODO, Kind.EXPERIENCE, Kind.REJECTED})
"""Kinds of which a later entry is one more, and no other word on the same."""
_TROUBLE = frozenset({Kind.PROBLEM, Kind.BLOCKER, Kind.GOTCHA})
_TOLD = frozenset({Kind.LEARNING, Kind.PROGRESS})
"""Kinds that say what came of trouble; a decision may answer it, but does not end it."""
_AS_GOOD = 0.06
"""How likely the later one has to answer the query, of how likely the earlier one does."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A hit as it is compared.

    Attributes:
        text: Of the entry.
        kind: Of the entry.
        day: Of the entry; without one it is neither earlier nor later.
        likelihood: That it answers the query, 0–1.
    """

    text: str
    kind: Kind
    day: date | None
    likelihood: float


Cosine = Callable[[int, int], float | None]
"""Of the vectors of two answers, by their numbers; None where one has none."""


def later(query: str, answers: Sequence[Answer], cosine: Cosine) -> dict[int, tuple[int, float]]:
    """Number of an answer → the later one that may have put it right, and how likely that is.

    Of several the likeliest; those that are less likely than :data:`MARKED` are left out.

    Args:
        query: As asked.
        answers: Its hits, in any order.
        cosine: If there is a model; else it gives None.
    """
    asked = frozenset(words(query))
    found: dict[int, tuple[int, float]] = {}
    for at, old in enumerate(answers):
        likely = [
            (_likelihood(asked, old, new, cosine(at, by)), by)
            for by, new in enumerate(answers)
            if _may_correct(old, new)
        ]
        most, by = max(likely, default=(0.0, 0))
        if most >= MARKED:
            found[at] = by, most
    return found


def _may_correct(old: Answer, new: Answer) -> bool:
    return (
        old.day is not None
        and new.day is not None
        and old.day < new.day
        and _PASSING.isdisjoint((old.kind, new.kind))
        and (old.kind not in _TROUBLE or new.kind in _TROUBLE | _TOLD)
        and new.likelihood >= _AS_GOOD * old.likelihood
        and not (_SPOKEN.match(old.text) and _SPOKEN.match(new.text))
    )


def _likelihood(asked: frozenset[str], old: Answer, new: Answer, near: float | None) -> float:
    shared = {*words(old.text)} & {*words(new.text)}
    rarest = max(map(weight, shared), default=0.0)
    by_query = sum(map(weight, shared & asked)) / (sum(map(weight, asked)) or 1.0)
    _, by_characters, covered = features(old.text, new.text)
    event = float(_EVENT.match(old.text) is not None)
    state = float(_STATE.search(new.text) is not None)
    if near is None:
        both = math.sqrt(old.likelihood * new.likelihood)
        value = 8.0 * by_characters - 6.1 * covered + 0.71 * rarest + 5.3 * by_query + 3.1 * both
        value += 1.3 * state - 1.7 * event - 10.6
    else:
        value = 12.0 * near + 0.9 * by_characters - 6.6 * covered + 0.54 * rarest + 5.6 * by_query
        value += 1.2 * state - 2.5 * event - 12.4
    return 1 / (1 + math.exp(-value))


def newest_first(count: int, known: dict[int, int]) -> list[int]:
    """The order of ``count`` hits in which each stands behind what may have put it right."""
    order: list[int] = []

    def put(at: int) -> None:
        if at in order:
            return
        if at in known:
            put(known[at])
        order.append(at)

    for at in range(count):
        put(at)
    return order
