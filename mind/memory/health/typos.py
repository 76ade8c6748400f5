"""Tags in nearly the same letters; pure."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import combinations

from mind.domain.entry import Entry
from mind.memory.health.report import Limits, Typo

_SHORTEST_TAG, _LONGEST_TAG = 4, 40
_SHORT_TAG = 6
"""Letters of a tag up to which only one may differ."""
_DIGIT = re.compile(r"\d")


def typos(entries: Sequence[Entry], limits: Limits) -> list[Typo]:
    """Rare tags that differ from a common one by a letter or two.

    Tags of up to three letters are as often two names (``ui``, ``ux``) as one misspelt, and what
    differs by a digit is (``v1``, ``v2``): neither is told.
    """
    counts = Counter(tag.casefold() for one in entries for tag in dict.fromkeys(one.tags))
    known = [tag for tag in counts if _SHORTEST_TAG <= len(tag) <= _LONGEST_TAG]
    common: dict[str, list[str]] = defaultdict(list)
    for tag in known:
        if counts[tag] >= limits.common:
            for form in _shortened(tag, limits.typo):
                common[form].append(tag)
    found = []
    for tag in known:
        if counts[tag] > limits.rare:
            continue
        near = {other for form in _shortened(tag, limits.typo) for other in common.get(form, ())}
        meant = [other for other in near if _is_typo(tag, other, limits.typo)]
        if meant:
            best = min(meant, key=lambda other: (distance(tag, other), -counts[other], other))
            found.append(Typo(tag, counts[tag], best, counts[best]))
    return sorted(found, key=lambda one: (-one.common_entries, one.tag))


def _is_typo(tag: str, other: str, letters: int) -> bool:
    most = 1 if len(tag) <= _SHORT_TAG else letters
    same_digits = _DIGIT.findall(tag) == _DIGIT.findall(other)
    return same_digits and 0 < distance(tag, other) <= most


def _shortened(tag: str, letters: int) -> set[str]:
    """``tag`` with up to ``letters`` letters left out, in every way."""
    return {
        "".join(letter for at, letter in enumerate(tag) if at not in left)
        for count in range(letters + 1)
        for left in combinations(range(len(tag)), count)
    }


def distance(one: str, other: str) -> int:
    """Letters to add, drop, change or swap with the next to make ``other`` of ``one``.

    That is the Levenshtein distance with swaps of neighbours (optimal string alignment).
    """
    before: list[int] = []
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, 1):
        earlier, before, row = before, row, [at]
        for to, wanted in enumerate(other, 1):
            cost = min(before[to] + 1, row[-1] + 1, before[to - 1] + (letter != wanted))
            if at > 1 and to > 1 and (letter, wanted) == (other[to - 2], one[at - 2]):
                cost = min(cost, earlier[to - 2] + 1)
            row.append(cost)
    return row[-1]
