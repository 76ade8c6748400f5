"""Search for patterns of users and files within a time limit.

A pattern can take exponential time, however harmless it looks. So patterns run in the module
``regex``, which supports a timeout. It checks the clock rarely and can overrun by a second, so it
runs in a thread that is abandoned when overdue.

Patterns are written for ``re``, which ``regex`` is compatible with, except that ``"{i}"`` allows
errors and ``[[:alpha:]]`` is a class in ``regex``. There, a backslash is inserted.
"""

import atexit
import re
import time
from _thread import LockType, allocate_lock, start_new_thread
from functools import lru_cache
from re import _constants as sre  # type: ignore[attr-defined]

from mind.text.sourcetext import folded
from mind.text.sourcetext.grammar import Unusable, demands, inner, parsed, problem, required

TYPE_CHECKING = False  # see mind.text.sourcetext.grammar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from regex import Pattern

    from mind.text.sourcetext.grammar import Parts

_LOOSE = re.compile(r"(\\.|\[\^?+\]?+(?:\\.|[^]\\])*+\])|\{(?=\d*[deis]|\d+<)", re.DOTALL)
"""An escape or a class, or what ``regex`` takes for a number of errors."""

Hits = dict[str, tuple[int, str]]
"""Pattern → start of its first match, and the match, or the beginning of a long one."""

_ROUNDS = 2
"""Rounds: patterns too slow for their share of time are retried with the time left over."""
_LONGEST_HIT = 1_000
_POLL, _GRACE = 0.002, 0.003
_MOST_LEFT = 6
_left: set[LockType] = set()
"""Abandoned threads; each holds its lock while it searches."""


class MatchLimits:
    """Time limit for all patterns of one event or check.

    Args:
        seconds: CPU time, so that the result does not depend on the machine's load.

    Attributes:
        slow: Patterns that timed out; they count as not found.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.slow: list[str] = []

    def search(self, patterns: "Iterable[str]", text: str) -> Hits:
        """The ``patterns`` found in ``text``; unusable ones count as not found.

        Those with required text run first: they are fast, and slow ones must not delay them.
        """
        passed = _stopwatch()
        asked = list(dict.fromkeys(patterns))
        said = folded(text)
        sure, others = [], []
        while asked and passed() < self._seconds:
            pattern = asked.pop(0)
            demanded = demands(pattern)
            if demanded and all(any(folded(one) in said for one in each) for each in demanded):
                sure.append(pattern)
            elif not demanded and not problem(pattern):
                others.append(pattern)
        self._seconds -= passed()
        waiting = [*sure, *others, *asked]
        if not waiting:
            return {}
        search = _Search(waiting, text, self._seconds)
        self._seconds -= search.run()
        told = {*search.done, *self.slow}
        self.slow += [one for one in waiting if one not in told]
        return search.hits


class _Search:
    """A search for patterns in one text.

    Attributes:
        hits: The matches.
        done: Patterns whose search completed.
    """

    def __init__(self, patterns: list[str], text: str, seconds: float) -> None:
        self.hits: Hits = {}
        self.done: set[str] = set()
        self._text = text
        self._seconds = self._due = seconds
        _compiled("")  # importing the module does not count
        self._passed = _stopwatch()
        self._waiting = patterns[::-1]
        self._late: list[str] = []
        self._rounds = 1

    def run(self) -> float:
        """Search until done or out of time; return the seconds used."""
        while self._goes_on() and len(_left) < _MOST_LEFT:
            working = allocate_lock()
            working.acquire()
            self._due = self._seconds
            start_new_thread(self._work, (working,))
            while not working.acquire(timeout=_POLL):
                if self._passed() > self._due + _GRACE:
                    _leave(working)
                    break
        self.hits, self.done = self.hits.copy(), self.done.copy()  # a thread may still add to them
        return self._passed()

    def _goes_on(self) -> bool:
        """Return whether patterns and time are left."""
        if not self._waiting and self._rounds < _ROUNDS:
            self._waiting, self._late = self._late[::-1], []
            self._rounds += 1
        return bool(self._waiting) and self._passed() < self._seconds

    def _work(self, working: LockType) -> None:
        try:
            while working not in _left and self._goes_on():
                self._next(working)
        except IndexError:  # the thread that follows this one took the last pattern
            pass
        finally:
            working.release()
            _left.discard(working)

    def _next(self, working: LockType) -> None:
        passed = self._passed()
        share = (self._seconds - passed) / max(1, len(self._waiting))
        pattern = self._waiting.pop()
        self._due = passed + share
        if self._is_done(pattern, share * (1 + len(_left))):
            self.done.add(pattern)
        elif working not in _left:
            self._late.append(pattern)

    def _is_done(self, pattern: str, seconds: float) -> bool:
        """Search for a pattern; return False if it timed out."""
        try:
            wanted = _compiled(pattern)
            found = wanted.search(self._text, concurrent=True, timeout=max(seconds, 0.0))
        except TimeoutError:
            return False
        except Unusable:
            return True
        if found:
            self.hits[pattern] = (found.start(), found.group()[:_LONGEST_HIT])
        return True


def _stopwatch() -> "Callable[[], float]":
    """A timer of seconds since now, which counts parallel threads once."""
    processor, clock = time.process_time(), time.monotonic()
    return lambda: min(time.process_time() - processor, time.monotonic() - clock)


def _leave(working: LockType) -> None:
    _left.add(working)
    if not working.locked():  # it has just finished
        _left.discard(working)


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> "Pattern[str]":
    """The compiled pattern, with ``^`` and ``$`` matching at line ends."""
    import regex  # noqa: PLC0415 - it takes 30 ms, and most events have no pattern to search for

    parsed(pattern)
    text = _LOOSE.sub(lambda found: found[1] or r"\{", pattern).replace("[:", r"[\:")
    try:
        return regex.compile(text, regex.MULTILINE | regex.VERSION0, cache_pattern=False)
    except (regex.error, RecursionError, OverflowError) as error:
        raise Unusable(f"does not compile: {error}") from None


def is_left() -> bool:
    """Return whether an abandoned thread is still searching."""
    return bool(_left)


@atexit.register
def wait() -> None:
    """Wait for abandoned threads to finish, at most a few seconds."""
    for working in tuple(_left):
        working.acquire(timeout=2)


_LENGTH, _SECONDS = 1_000, 0.1
"""Length and time that reveal a pattern whose time grows with a high power of the length;
quadratic ones pass, such as ``\\s+$``."""
_MOST_LETTERS = 8
_ORDINARY = {"letters": "a", "digits": "1", "spaces": " ", "empty lines": "\n"}


def slow_text(pattern: str) -> str:
    """Describe a text for which ``pattern`` is too slow; "" if none is known.

    Raises:
        Unusable: It is invalid or too large.
    """
    literals = "".join(dict.fromkeys(_literals(parsed(pattern))))
    units: dict[str, str] = _ORDINARY | {
        f"many {one!r}": one for one in (*literals[:_MOST_LETTERS], literals)
    }
    begins = "".join(required(pattern))
    for name, unit in units.items():
        limits = MatchLimits(_SECONDS)
        text = begins + (unit * _LENGTH)[:_LENGTH]
        for end in ("", "\0", f"\0{literals}"):
            limits.search([pattern], text + end)
        if limits.slow:
            return name
    return ""


def _literals(parts: "Parts") -> "Iterator[str]":
    for operator, argument in parts:
        if operator is sre.LITERAL:
            yield chr(argument)
        for one in inner(operator, argument):
            yield from _literals(one)
