"""Reading the best hits again with a slower, better judge, if one is installed.

A judge is a package of the user's: an entry point of the group ``mind.rerankers``, a function of a
query and texts that gives each text a number. It has a deadline; a search never fails or waits
because of it.
"""

import logging
import threading
from collections.abc import Callable, Sequence
from functools import cache
from math import isnan

GROUP = "mind.rerankers"

Reranker = Callable[[str, Sequence[str]], Sequence[float]]
"""How well each of the texts answers the query; higher is better, on any scale."""

_log = logging.getLogger("mind.search")
_busy = threading.Lock()
"""Held by a judge at work, however late: a second one would only make it later."""


def reordered(name: str, query: str, texts: Sequence[str], seconds: float) -> tuple[list[int], str]:
    """The order in which the judge ``name`` puts ``texts``, by their positions.

    Args:
        name: Of the entry point.
        query: As asked.
        texts: Best first.
        seconds: It has so long.

    Returns:
        Positions, best first, and what kept the judge from judging; then the order is as before.
    """
    as_before = list(range(len(texts)))
    judge = _installed(name)
    if judge is None:
        return as_before, f"no reranker {name!r} is installed (entry points of {GROUP})"
    if not _busy.acquire(blocking=False):
        return as_before, f"the reranker {name} is still at work on an earlier search"
    answer: list[float] = []
    thread = threading.Thread(
        target=_judge, args=(judge, query, texts, answer), name="reranker", daemon=True
    )
    thread.start()
    thread.join(seconds)
    if thread.is_alive():
        return as_before, f"the reranker {name} took longer than {seconds:g} s"
    if len(answer) != len(texts):
        return as_before, f"the reranker {name} failed: see the log"
    return sorted(as_before, key=lambda at: -answer[at]), ""


def _judge(judge: Reranker, query: str, texts: Sequence[str], answer: list[float]) -> None:
    try:
        scores = [float(score) for score in judge(query, texts)]
        if any(map(isnan, scores)):  # it has no place in an order
            raise ValueError("a score is not a number")
        answer += scores
    except Exception:  # noqa: BLE001 - the boundary to somebody else's code: the search goes on without
        _log.exception("the reranker failed")
    finally:
        _busy.release()


@cache
def _installed(name: str) -> Reranker | None:
    from importlib import metadata  # noqa: PLC0415 - takes 15 ms

    for point in metadata.entry_points(group=GROUP, name=name):
        try:
            loaded: Reranker = point.load()
        except Exception:  # noqa: BLE001 - the same boundary
            _log.exception("the reranker %s cannot be loaded", name)
            return None
        return loaded
    return None
