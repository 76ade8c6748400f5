"""What stands in a memory twice: entries in nearly the same words, tags in nearly the same letters.

Pure: comparing every entry with every other would take minutes, so that candidates are those that
share rare terms, and tags that are the same after a letter or two was dropped from each.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from heapq import nlargest
from itertools import combinations

from mind.domain.entry import Entry
from mind.memory.health.report import Limits, Named, Pair, Typo
from mind.text.similarity import may_reach, similarity
from mind.text.terms import query_terms

_RAREST = 8
"""Terms of an entry, the rarest, that are looked for in others."""
_POSTINGS = 400
"""Entries that have a term, the newest, that it is looked up in."""
_CANDIDATES = 6
_SHORTEST_TAG, _LONGEST_TAG = 4, 40
_SHORT_TAG = 6
"""Letters of a tag up to which only one may differ."""
_DIGIT = re.compile(r"\d")


Terms = Callable[[Entry], frozenset[str]]
"""Gives the terms of an entry's text that tell something."""


def terms_of(entry: Entry) -> frozenset[str]:
    """The terms of an entry, as a search for its text would have them."""
    return frozenset(query_terms(entry.text))


def pairs(entries: Sequence[Entry], limits: Limits, terms: Terms = terms_of) -> list[Pair]:
    """Entries of a kind that are alike, the most alike first; each is the older one once.

    Args:
        entries: All of them.
        limits: How many are compared, and from where on two are alike.
        terms: Gives those of an entry, where they are known already.
    """
    by_kind: dict[str, list[Entry]] = defaultdict(list)
    newest = sorted(entries, key=_age, reverse=True)
    for one in newest:
        by_kind[one.kind].append(one)
    compared = {one.id for one in newest[: limits.compared]}
    found = [
        pair for kind in by_kind.values() for pair in _alike(kind, compared, limits.alike, terms)
    ]
    found.sort(key=lambda pair: (-pair.score, pair.newer.id, pair.older.id))
    told: dict[str, Pair] = {}
    for pair in found:
        told.setdefault(pair.older.id, pair)
    return list(told.values())


def _age(entry: Entry) -> tuple[date, int]:
    return entry.date or date.min, entry.line


def _alike(
    entries: Sequence[Entry], compared: set[str], least: float, terms: Terms
) -> Iterator[Pair]:
    """Pairs of ``entries``, which come newest first, each pair once."""
    asked = [at for at, one in enumerate(entries) if one.id in compared]
    if not asked:
        return
    rare, holding = _looked_up([terms(one) for one in entries], asked)
    seen: set[tuple[int, int]] = set()
    for at in asked:
        for other in _candidates(at, rare[at], holding):
            pair = (min(at, other), max(at, other))
            if pair in seen:
                continue
            seen.add(pair)
            newer, older = entries[pair[0]], entries[pair[1]]
            if not may_reach(newer.text, older.text, least):
                continue
            score = similarity(newer.text, older.text)
            if score >= least:
                yield Pair(Named.of(newer), Named.of(older), round(score, 2))


def _looked_up(
    terms: Sequence[frozenset[str]], asked: Sequence[int]
) -> tuple[dict[int, list[str]], dict[str, list[int]]]:
    """The rarest terms of each entry that is asked for, and the newest entries that have them."""
    frequency = Counter[str]()
    for own in terms:
        frequency.update(own)
    rare = {
        at: sorted(terms[at], key=lambda term: (frequency[term], term))[:_RAREST] for at in asked
    }
    wanted = {term for own in rare.values() for term in own if frequency[term] > 1}
    holding: dict[str, list[int]] = {term: [] for term in wanted}
    for at, own in enumerate(terms):
        for term in wanted & own:
            if len(holding[term]) < _POSTINGS:
                holding[term].append(at)
    return rare, holding


def _candidates(at: int, rare: Sequence[str], holding: Mapping[str, Sequence[int]]) -> list[int]:
    """The places of those that share most with the entry at ``at``, by its rare terms."""
    shared: Counter[int] = Counter()
    for term in rare:
        shared.update(holding.get(term, ()))
    del shared[at]
    most = [other for other, count in shared.items() if count > 1]
    if len(most) >= _CANDIDATES:  # those with one term in common are many, and come after
        return nlargest(_CANDIDATES, most, key=lambda other: shared[other])
    return [other for other, _ in shared.most_common(_CANDIDATES)]


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
