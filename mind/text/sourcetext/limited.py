"""Searching for patterns for a limited time.

A pattern can take forever on a text, however harmless both look. So patterns are searched for with
the module ``regex``, which gives up after a while. It looks at the clock only now and then, which
can take it a second: so it works in a thread, which is left behind where it is overdue.
"""

import atexit
import time
from _thread import LockType, allocate_lock, start_new_thread
from functools import lru_cache
from re import _constants as sre  # type: ignore[attr-defined]

from mind.text.sourcetext import folded
from mind.text.sourcetext.grammar import Unusable, demands, inner, parsed, problem, required
from mind.text.sourcetext.translation import translated

TYPE_CHECKING = False  # see mind.text.sourcetext.grammar
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from regex import Pattern

    from mind.text.sourcetext.grammar import Parts

Hits = dict[str, tuple[int, str]]
"""A pattern → where its first match begins, and the match, or the beginning of a long one."""

_ROUNDS = 2
"""What is too slow for its share of the time is tried again with what the others leave."""
_LONGEST_HIT = 1_000
_POLL, _GRACE = 0.002, 0.003
_MOST_LEFT = 6
_left: set[LockType] = set()
"""Threads that were left behind; each holds its lock as long as it searches."""


class Limits:
    """The time that all patterns of one event or one check may take together.

    Args:
        seconds: Of the processor, so that a busy machine finds what an idle one finds.

    Attributes:
        slow: Patterns that were not searched for to the end: they count as not found.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.slow: list[str] = []

    def search(self, patterns: "Iterable[str]", text: str) -> Hits:
        """Those of ``patterns`` that are found in ``text``; what cannot be used is not found.

        Those that demand a certain text come first: they are fast, and slow others cost them
        nothing.
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
    """The search for patterns in one text.

    Attributes:
        hits: What was found.
        done: Patterns that were searched for to the end.
    """

    def __init__(self, patterns: list[str], text: str, seconds: float) -> None:
        self.hits: Hits = {}
        self.done: set[str] = set()
        self._text = text
        self._is_exact = not _are_classed_alike(text)
        self._seconds = self._due = seconds
        self._passed = _stopwatch()  # after the import of the module
        self._waiting = patterns[::-1]
        self._late: list[str] = []
        self._rounds = 1

    def run(self) -> float:
        """Search until all is done or the time is over; the seconds that it took."""
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
        """Return whether there is a pattern to search for, and time."""
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
        """Search for a pattern; False if the time was too short."""
        try:
            wanted = _compiled(pattern, self._is_exact)
            found = wanted.search(self._text, concurrent=True, timeout=max(seconds, 0.0))
        except TimeoutError:
            return False
        except Unusable:
            return True
        if found:
            self.hits[pattern] = (found.start(), found.group()[:_LONGEST_HIT])
        return True


def _stopwatch() -> "Callable[[], float]":
    """Gives the seconds since now, in which threads that work at once count once."""
    processor, clock = time.process_time(), time.monotonic()
    return lambda: min(time.process_time() - processor, time.monotonic() - clock)


def _leave(working: LockType) -> None:
    _left.add(working)
    if not working.locked():  # it came to its end in this moment
        _left.discard(working)


@lru_cache(maxsize=256)
def _compiled(pattern: str, is_exact: bool) -> "Pattern[str]":
    """The pattern, where ``^`` and ``$`` are the ends of lines."""
    import regex  # noqa: PLC0415 - it takes 30 ms, and most events have no pattern to search for

    text, flags = translated(pattern, exact=is_exact)
    kept = flags & (regex.IGNORECASE | regex.DOTALL)
    try:
        return regex.compile(text, kept | regex.MULTILINE | regex.VERSION0, cache_pattern=False)
    except (regex.error, RecursionError, OverflowError) as error:
        raise Unusable(f"does not compile: {error}") from None


def _are_classed_alike(text: str) -> bool:
    """Tell whether ``re`` and ``regex`` class words and spaces of ``text`` alike."""
    import regex  # noqa: PLC0415 - the same

    characters = set(text)
    if not characters.isdisjoint("\x1c\x1d\x1e\x1fıİ"):
        return False
    odd = "".join(one for one in characters if not one.isascii())
    words: list[str] = regex.findall(r"\w", odd)
    return words == [one for one in odd if one.isalnum()]


def is_left() -> bool:
    """Return whether a thread was left behind that still searches."""
    return bool(_left)


@atexit.register
def wait() -> None:
    """Wait until the threads that were left behind come to their end, a few seconds at most."""
    for working in tuple(_left):
        working.acquire(timeout=2)


_LENGTH, _SECONDS = 1_000, 0.1
"""What takes longer on so few characters grows with a power of them that no file allows; what grows
with their square passes, as ``\\s+$`` does."""
_MOST_LETTERS = 8
_ORDINARY = {"letters": "a", "digits": "1", "spaces": " ", "empty lines": "\n"}


def slow_text(pattern: str) -> str:
    """Describe a text that takes ``pattern`` too long, in words; "" if none is known.

    Raises:
        Unusable: It is no regular expression, or too large.
    """
    literals = "".join(dict.fromkeys(_literals(parsed(pattern))))
    units: dict[str, str] = _ORDINARY | {
        f"many {one!r}": one for one in (*literals[:_MOST_LETTERS], literals)
    }
    begins = "".join(required(pattern))
    for name, unit in units.items():
        limits = Limits(_SECONDS)
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
