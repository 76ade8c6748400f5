"""Where the things of two versions stand in one: each after what it stood after; pure."""

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

T = TypeVar("T", bound=Hashable)
Between = Callable[[list[T], list[T]], list[T]]
"""What only one side has, and what only the other has, at one place → both in order."""


def weave(
    base: Sequence[T], ours: Sequence[T], theirs: Sequence[T], between: Between[T]
) -> list[T]:
    """Everything in ``ours`` or ``theirs``, once.

    The order of the side that changed it counts, ``ours`` if both did.

    Args:
        base: The order there was, of things that may be gone.
        ours: One order.
        theirs: The other.
        between: How to order what stands at one place.
    """
    shared = set(ours) & set(theirs)
    known = [one for one in base if one in shared]
    kept = shared.intersection(known)
    moved = [one for one in ours if one in kept] != known
    order = [one for one in (ours if moved else theirs) if one in shared]
    before_ours, before_theirs = _runs(ours, shared), _runs(theirs, shared)
    woven: list[T] = []
    for place in (None, *order):
        woven += [] if place is None else [place]
        woven += between(before_ours.get(place, []), before_theirs.get(place, []))
    return woven


def _runs(side: Sequence[T], shared: set[T]) -> dict[T | None, list[T]]:
    """What only this side has, by the shared thing that it stands after; None at the beginning."""
    runs: dict[T | None, list[T]] = {}
    last: T | None = None
    for one in side:
        if one in shared:
            last = one
        else:
            runs.setdefault(last, []).append(one)
    return runs


def one_after_the_other(ours: list[T], theirs: list[T]) -> list[T]:
    """``ours`` first."""
    return ours + theirs


def by_day(day: Callable[[T], str], *, descending: bool) -> Between[T]:
    """Runs of days in the order of days, if each of them is in order; else one after the other."""

    def between(ours: list[T], theirs: list[T]) -> list[T]:
        runs = (ours, theirs)
        if not ours or not theirs or not all(_in_order(run, day, descending) for run in runs):
            return ours + theirs
        return sorted(ours + theirs, key=day, reverse=descending)

    return between


def _in_order(run: Sequence[T], day: Callable[[T], str], descending: bool) -> bool:
    days = [day(one) for one in run]
    return all(days) and days == sorted(days, reverse=descending)
