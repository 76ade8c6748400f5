"""What stands in a memory twice: entries in nearly the same words, tags in nearly the same letters.

Pure: comparing every entry with every other would take minutes, so that candidates are those that
share rare terms, and tags that are the same after a letter or two was dropped from each.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from datetime import date
from itertools import combinations

from mind.entry import Entry
from mind.health.report import Limits, Named, Pair, Typo
from mind.similarity import similarity
from mind.terms import query_terms

_RAREST = 8
"""Terms of an entry, the rarest, that are looked for in others."""
_POSTINGS = 400
"""Entries that have a term, the newest, that it is looked up in."""
_CANDIDATES = 6
_SHORTEST_TAG, _LONGEST_TAG = 4, 40
_SHORT_TAG = 6
"""Letters of a tag up to which only one may differ."""
_DIGIT = re.compile(r"\d")


def pairs(entries: Sequence[Entry], limits: Limits) -> list[Pair]:
    """Entries of a kind that are alike, the most alike first; each is the older one once."""
    by_kind: dict[str, list[Entry]] = defaultdict(list)
    newest = sorted(entries, key=_age, reverse=True)
    for one in newest:
        by_kind[one.kind].append(one)
    compared = {one.id for one in newest[: limits.compared]}
    found = [pair for kind in by_kind.values() for pair in _alike(kind, compared, limits.alike)]
    found.sort(key=lambda pair: (-pair.score, pair.newer.id, pair.older.id))
    told: dict[str, Pair] = {}
    for pair in found:
        told.setdefault(pair.older.id, pair)
    return list(told.values())


def _age(entry: Entry) -> tuple[date, int]:
    return entry.date or date.min, entry.line


def _alike(entries: Sequence[Entry], compared: set[str], least: float) -> Iterator[Pair]:
    """Pairs of ``entries``, which come newest first, each pair once."""
    terms = [frozenset(query_terms(one.text)) for one in entries]
    holding: dict[str, list[int]] = defaultdict(list)
    for at, own in enumerate(terms):
        for term in own:
            holding[term].append(at)
    seen: set[tuple[int, int]] = set()
    for at, one in enumerate(entries):
        if one.id not in compared:
            continue
        for other in _candidates(at, terms[at], holding):
            pair = (min(at, other), max(at, other))
            if pair in seen:
                continue
            seen.add(pair)
            newer, older = entries[pair[0]], entries[pair[1]]
            score = similarity(newer.text, older.text)
            if score >= least:
                yield Pair(Named.of(newer), Named.of(older), round(score, 2))


def _candidates(at: int, own: frozenset[str], holding: dict[str, list[int]]) -> list[int]:
    """The places of those that share most with the entry at ``at``, by its rare terms."""
    shared: Counter[int] = Counter()
    for term in sorted(own, key=lambda term: (len(holding[term]), term))[:_RAREST]:
        shared.update(holding[term][:_POSTINGS])
    del shared[at]
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
