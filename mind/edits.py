"""Which new entry is what an edit by hand made of one that is gone; pure."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from mind.entry import Entry
from mind.similarity import similarity, weight, words

ALIKE = 0.6
"""Similarity from which one is taken for an edit of the other."""
_MOST = 20
"""New entries that one is compared with: those that share the rarest words with it."""
_Pair = tuple[float, int, Entry, Entry]
"""How alike two are, negative; how far apart they stand among their like; the old and the new."""


def pairs(gone: Sequence[Entry], new: Sequence[Entry]) -> list[tuple[str, str]]:
    """Ids of entries that are gone, each with that of the new one in its section most like it.

    The most alike are paired first, and each entry once; of equals those that stand nearest.
    """
    scored = sorted(_scored(gone, new), key=lambda pair: (*pair[:2], pair[2].line, pair[3].line))
    taken: set[str] = set()
    found: list[tuple[str, str]] = []
    for _, _, old, one in scored:
        if taken.isdisjoint((old.id, one.id)):
            taken |= {old.id, one.id}
            found.append((old.id, one.id))
    return found


def _scored(gone: Sequence[Entry], new: Sequence[Entry]) -> Iterator[_Pair]:
    there = _by_section(new)
    for section, olds in _by_section(gone).items():
        told = [(one, frozenset(words(one.text))) for one in there.get(section, ())]
        for at, old in enumerate(olds):
            for place, one in _candidates(at, old, told):
                score = similarity(old.text, one.text)
                if score >= ALIKE:
                    yield -score, abs(place - at), old, one


def _by_section(entries: Sequence[Entry]) -> dict[tuple[str, ...], list[Entry]]:
    found: dict[tuple[str, ...], list[Entry]] = defaultdict(list)
    for one in sorted(entries, key=lambda one: one.line):
        found[one.section].append(one)
    return found


def _candidates(
    at: int, old: Entry, new: Sequence[tuple[Entry, frozenset[str]]]
) -> list[tuple[int, Entry]]:
    """Those of ``new`` that share the rarest words with ``old``, with their places."""
    if len(new) <= _MOST:
        return [(place, one) for place, (one, _) in enumerate(new)]
    said = frozenset(words(old.text))
    shared = [
        (-sum(map(weight, sorted(said & told))), abs(place - at), place)
        for place, (_, told) in enumerate(new)
    ]
    return [(place, new[place][0]) for score, _, place in sorted(shared)[:_MOST] if score]
