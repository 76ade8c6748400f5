"""Memories that stay open between requests: opening the index is a third of a search."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Executor
from typing import TypeVar

from mind.memory.memory import Memory
from mind.server.http.served import Place, Served
from mind.storage.process import GIT_SECONDS, Patience

T = TypeVar("T")
_MOST = 8
"""Memories that a thread keeps open; the one that was used longest ago is closed first."""


class Kept:
    """Memories that the thread that calls has opened; SQLite's connections stay with a thread.

    Args:
        served: Opens them.
    """

    def __init__(self, served: Served) -> None:
        self._served = served
        self._own = threading.local()

    def use(self, place: Place, work: Callable[[Memory], T], *, keep: bool) -> T:
        """What ``work`` gives of a memory.

        Args:
            place: Whose.
            work: Is given it; settings are read anew.
            keep: Leave it open. Who writes closes it, and so makes sure of what was written.
        """
        known = self._known()
        memory = known.pop(place.id, None)
        if memory is None:
            memory = self._served.open(place)
        else:
            memory.workspace.renew()
        try:
            with Patience(GIT_SECONDS):
                done = work(memory)
        except BaseException:
            memory.close()
            raise
        if not keep:
            memory.close()
            return done
        known[place.id] = memory
        if len(known) > _MOST:
            known.popitem(last=False)[1].close()
        return done

    def close_in(self, threads: Executor, count: int) -> None:
        """Close them in each of so many threads: all of them at once, so that none does two."""
        together = threading.Barrier(count)

        def closed() -> None:
            together.wait(timeout=5)
            known = self._known()
            while known:
                known.popitem()[1].close()

        for done in [threads.submit(closed) for _ in range(count)]:
            done.exception()

    def _known(self) -> OrderedDict[str, Memory]:
        known: OrderedDict[str, Memory] = self._own.__dict__.setdefault("known", OrderedDict())
        return known
