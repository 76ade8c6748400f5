"""Which of several answers to a query a later one may have put right; pure.

Memory grows by notes, and who notes that something changed seldom knows what was noted before. So
two notes of different sessions that answer the same query, and are about the same thing, are told
apart here: the later one comes first, and the earlier one is marked. Nothing can tell from words
alone that the earlier one is wrong; the mark says what to look at. The notes of one session rather
complete each other; only one that tells of a change, and is near enough, is taken at its word.

The figures are a logistic regression on pairs among the hits of queries about facts that were
corrected once to three times, in other words (``tests/bench/corrections.py``), and of queries about
events: changes of two projects, and what people told each other. That somebody did something stays
true, so what is told as an event is rarely marked, and what is said in a conversation never.

A note that says that something changed is worded as a change, while queries ask for a fact, and so
it answers them less well than the note that it corrects. It need not answer as well then, as long
as that note is about the nearest to it of all that answer, and tells of no change itself.

Facts that were written apart from those, with fewer words in common, are told apart far less often:
``docs/benchmarks`` has the figures.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import date

from mind.domain.entry import Kind
from mind.text.similarity import features, weight, words

MARKED, FIRST = 0.05, 0.10
"""From here the earlier one is marked, and stands behind the later one."""
_WITHIN = 0.3
"""From here, if both are of one session."""
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
_CHANGE = re.compile(
    r"""\b(?:
    (?:re|de)?(?:activat|adopt|chang|consolidat|correct|deprecat|discontinu|doubl|downgrad|drop|end
      |extend|halv|hand|increas|lower|migrat|mov|push|rais|reduc|relax|renam|replac|retir|return
      |revert|rework|scrapp|shift|shorten|stretch|supersed|swap|switch|tighten|upgrad)(?:p?ed|p?ing)
    |abandoned|corrections?|cut|gone|obsolete|rebuilt|replaces?|rewritten|withdrawn
    |(?:takes?|took|taken)\sover|g[ai]ven?\sup|back\s(?:to|on)|rollback|brought\sforward|thrown\sout
    |no\s(?:longer|more)|any\s?(?:more|longer)|instead|rather\sthan|in\s(?:place|favou?r)\sof
    |after\sall|turn(?:s|ed)\sout|again|once\smore|now(?:adays)?|these\sdays|as\sof
    |from\s(?:now|here)\son|used\sto|formerly|previously|the\s(?:old|former|previous)
    )\b""",
    re.VERBOSE,
)
"""Words of an entry, in small letters, that tells that something changed; any case takes 5 times
as long."""
_PASSING = frozenset({Kind.RELATION, Kind.TODO, Kind.EXPERIENCE, Kind.REJECTED})
"""Kinds of which a later entry is one more, and no other word on the same."""
_TROUBLE = frozenset({Kind.PROBLEM, Kind.BLOCKER})
_TOLD = frozenset({Kind.LEARNING, Kind.PROGRESS})
"""Kinds that say what came of trouble; a decision may answer it, but does not end it."""
_AS_GOOD = 0.06
"""How likely the later one has to answer the query, of how likely the earlier one does."""
_NEAR, _ALIKE = 0.4, 0.2
"""Else, if it tells of a change: from which cosine of vectors, or characters, it is near to it."""
_NEARER, _FARTHEST = 0.1, 0.25
"""And how much nearer it may be to another earlier one; and so if it does answer the query."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A hit as it is compared.

    Attributes:
        text: Of the entry.
        kind: Of the entry.
        day: Of the entry; without one it is neither earlier nor later.
        likelihood: That it answers the query, 0–1.
        place: File and line.
        at: When on that day it was noted, in seconds; None if that is not known.
        session: In which it was noted, "" if that is not known.
    """

    text: str
    kind: Kind
    day: date | None
    likelihood: float
    place: tuple[str, int] = ("", 0)
    at: float | None = None
    session: str = ""

    def is_before(self, other: "Answer") -> bool:
        """Whether it was noted before the other one.

        Of one day times tell it, or else lines of one file. Where only one of the two has a time
        nobody knows: by its line it might come before what it came after by its time.
        """
        if self.day is None or other.day is None or self.day != other.day:
            return self.day is not None and other.day is not None and self.day < other.day
        if self.at != other.at:
            return self.at is not None and other.at is not None and self.at < other.at
        return self.place[0] == other.place[0] and self.place[1] < other.place[1]

    def is_beside(self, other: "Answer") -> bool:
        """Whether both are of one session; if that is not known, of one day."""
        if self.session and other.session:
            return self.session == other.session
        return self.day == other.day

    def tells_of_a_change(self) -> bool:
        """Whether it says so; trouble comes and goes, and changes no fact."""
        return self.kind not in _TROUBLE and _CHANGE.search(self.text.lower()) is not None


Cosine = Callable[[int, int], float | None]
"""Of the vectors of two answers, by their numbers; None where one has none."""


def later(
    query: str, answers: Sequence[Answer], cosine: Cosine
) -> dict[int, list[tuple[int, float]]]:
    """Number of an answer → the later ones that may have put it right, and how likely that is.

    The likeliest comes first; those that are less likely than :data:`MARKED` are left out.

    Args:
        query: As asked.
        answers: Its hits, in any order.
        cosine: If there is a model; else it gives None.
    """
    asked = frozenset(words(query))
    changes = [one.tells_of_a_change() for one in answers]
    found: dict[int, list[tuple[int, float]]] = {}
    for by, new in enumerate(answers):
        earlier = [at for at, old in enumerate(answers) if _may_correct(old, new)]
        if changes[by]:
            earlier = _meant(by, earlier, answers, changes, cosine)
        else:
            earlier = [at for at in earlier if _may_stand_for(answers[at], new)]
        for at in earlier:
            near = cosine(at, by)
            likely = _likelihood(asked, answers[at], new, near, told=changes[by])
            if likely >= (_WITHIN if answers[at].is_beside(new) else MARKED):
                found.setdefault(at, []).append((by, likely))
    return {at: sorted(found[at], key=lambda one: -one[1]) for at in sorted(found)}


def _may_correct(old: Answer, new: Answer) -> bool:
    return (
        old.is_before(new)
        and _PASSING.isdisjoint((old.kind, new.kind))
        and (old.kind not in _TROUBLE or new.kind in _TROUBLE | _TOLD)
        and not (_SPOKEN.match(old.text) and _SPOKEN.match(new.text))
    )


def _may_stand_for(old: Answer, new: Answer) -> bool:
    """Without a look at what else there is; of one session a note rather completes another."""
    return _answers_as_well(old, new) and not old.is_beside(new)


def _answers_as_well(old: Answer, new: Answer) -> bool:
    return new.likelihood >= _AS_GOOD * old.likelihood


def _meant(
    by: int,
    earlier: Sequence[int],
    answers: Sequence[Answer],
    changes: Sequence[bool],
    cosine: Cosine,
) -> list[int]:
    """Those of the earlier answers that answer ``by``, which tells of a change, may be about."""
    new = answers[by]
    least, near = _NEAR, [one for at in earlier if (one := cosine(at, by)) is not None]
    if len(near) < len(earlier):  # there is no model, or not all have a vector yet
        least, near = _ALIKE, [features(answers[at].text, new.text)[1] for at in earlier]
    nearest = max(near, default=0.0)
    least = max(least, nearest - _NEARER)
    return [
        at
        for at, one in zip(earlier, near, strict=True)
        if one > nearest - _FARTHEST
        and (_may_stand_for(answers[at], new) or (one >= least and not changes[at]))
    ]


def _share(some: AbstractSet[str], whole: AbstractSet[str]) -> float:
    """Of the weight of words, 0–1."""
    return sum(map(weight, some)) / (sum(map(weight, whole)) or 1.0)


def _likelihood(
    asked: frozenset[str], old: Answer, new: Answer, near: float | None, *, told: bool
) -> float:
    of_old, of_new = {*words(old.text)}, {*words(new.text)}
    shared = of_old & of_new
    rarest = max(map(weight, shared), default=0.0)
    by_query = _share(shared & asked, asked)
    unanswered = _share((of_old - of_new) & asked, asked)
    _, by_characters, covered = features(old.text, new.text)
    event = float(_EVENT.match(old.text) is not None)
    state = float(_STATE.search(new.text) is not None)
    if near is None:
        both = math.sqrt(old.likelihood * new.likelihood)
        value = 8.0 * by_characters - 6.1 * covered + 0.71 * rarest + 5.3 * by_query + 3.1 * both
        value += 1.3 * state - 1.7 * event - 10.6
        value += 0.9 if told else -10.0 * unanswered
    else:
        value = 12.0 * near + 0.9 * by_characters - 6.6 * covered + 0.54 * rarest + 5.6 * by_query
        value += 1.2 * state - 2.5 * event - 12.4
        value += 0.9 if told else -15.0 * unanswered
    return 1 / (1 + math.exp(-value))


def newest_first(count: int, known: Mapping[int, Sequence[int]]) -> list[int]:
    """The order of ``count`` hits in which each stands behind all that may have put it right."""
    order: list[int] = []

    def put(at: int) -> None:
        if at in order:
            return
        for by in known.get(at, ()):
            put(by)
        order.append(at)

    for at in range(count):
        put(at)
    return order
