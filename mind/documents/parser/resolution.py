"""What is settled only when a whole file is known: repeated ids, and problems fixed later."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from mind.domain.entry import Entry, Kind, Status, normalise, number_repeats

_WORD = re.compile(r"[^\W_]{2,}|[\u3040-\u30ff\u3400-\u9fff]")
_CJK_RUN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]{2,}")
_STOP = frozenset(
    "the and for with from that this was were are is to of in on at by an as it its be been not no "
    "now by so or but if when then than after before into out over we our they you can will have "
    "has had did does do doesn don didn isn wasn won using use used instead via all also only just "
    "fixed fix fixes resolved resolve solved bug bugs issue issues problem problems error errors "
    "solution done problem: works working work added add set get got made make still "
    "der die das und mit ein eine ist nicht auf für von zu im den dem bei nach "
    "el la los las un una con por para que del en no se es al le les des une dans pour pas sur est "
    "os as um uma com na em não "
    "и в на с по не для из к от что это при была был было".split()
)
_SUFFIX = re.compile(r"(?:ing|ed|es|s)$")


def number_and_resolve(entries: Sequence[Entry]) -> list[Entry]:
    """``entries`` of one file with unique ids; problems that a later one fixes are resolved."""
    numbered = [
        replace(entry, id=identifier) if identifier != entry.id else entry
        for entry, identifier in zip(
            entries, number_repeats(entry.id for entry in entries), strict=True
        )
    ]
    by_word: dict[str, list[int]] = {}
    for place, entry in enumerate(numbered):
        if entry.kind in (Kind.PROBLEM, Kind.BLOCKER) and entry.status is not Status.RESOLVED:
            for word in _content(entry.text):
                by_word.setdefault(word, []).append(place)
        elif entry.kind is Kind.PROGRESS:
            _settle(numbered, place, by_word)
    return numbered


def _settle(entries: list[Entry], at: int, by_word: dict[str, list[int]]) -> None:
    """Resolve the open problem before ``at`` that the fix there matches best."""
    fix = entries[at]
    shared: dict[int, int] = {}
    for word in _content(fix.text):
        for place in by_word.get(word, ())[-_NEAREST:]:
            shared[place] = shared.get(place, 0) + 1
    for place, _ in sorted(shared.items(), key=lambda pair: (-pair[1], -pair[0])):
        problem = entries[place]
        if problem.status is not Status.RESOLVED and resolves(fix, problem):
            entries[place] = replace(problem, status=Status.RESOLVED)
            return


_NEAREST = 50
"""How many problems with one word are compared: a common word must not make this quadratic."""


def resolves(fix: Entry, problem: Entry) -> bool:
    """Whether ``fix`` says that ``problem`` is solved: they share enough content words.

    The caller sees to it that the fix is the later of the two.
    """
    if problem.kind not in (Kind.PROBLEM, Kind.BLOCKER) or fix.kind is not Kind.PROGRESS:
        return False
    ours, theirs = _content(fix.text), _content(problem.text)
    shared = len(ours & theirs)
    least = min(len(ours), len(theirs))
    return (shared >= 2 and shared / least >= 0.4) or shared == least == 1


@lru_cache(maxsize=4096)
def _content(text: str) -> frozenset[str]:
    plain = normalise(text[:2000])
    words = {_stem(word) for word in _WORD.findall(plain) if word not in _STOP}
    for run in _CJK_RUN.findall(plain):
        words |= {run[at : at + 2] for at in range(len(run) - 1)}
    return frozenset(word for word in words if word not in _STOP)


def _stem(word: str) -> str:
    short = _SUFFIX.sub("", word) if word.isascii() and len(word) > 4 else word
    return short if len(short) > 2 else word
