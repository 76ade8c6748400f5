"""Search for patterns of users and files within a time limit.

A pattern can take exponential time, however harmless it looks. So patterns run in the module
``regex``, which supports a timeout. It checks the clock rarely: a pattern can overrun the limit of
all by up to a second, after which no other is searched for.

Patterns are written for ``re``, which ``regex`` is compatible with, except that ``"{i}"`` allows
errors and ``[[:alpha:]]`` is a class in ``regex``. There, a backslash is inserted.
"""

import re
import time
from functools import lru_cache
from re import _constants as sre  # type: ignore[attr-defined]

from mind.text import lazy_pattern
from mind.text.sourcetext import folded
from mind.text.sourcetext.grammar import Unusable, demands, inner, parsed, problem, required

TYPE_CHECKING = False  # see mind.text.sourcetext.grammar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from regex import Pattern

    from mind.text.sourcetext.grammar import Parts

_LOOSE = lazy_pattern(r"(\\.|\[\^?+\]?+(?:\\.|[^]\\])*+\])|\{(?=\d*[deis]|\d+<)", re.DOTALL)
"""An escape or a class, or what ``regex`` takes for a number of errors."""

Hits = dict[str, tuple[int, str]]
"""Pattern → start of its first match, and the match, or the beginning of a long one."""

_ROUNDS = 2
"""Rounds: patterns too slow for their share of time are retried with the time left over."""
_LONGEST_HIT = 1_000


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
        late = [*sure, *others, *asked]
        if late:
            _compiled("")  # importing the module does not count
        hits: Hits = {}
        for _ in range(_ROUNDS):
            waiting, late = late, []
            for left, pattern in zip(range(len(waiting), 0, -1), waiting, strict=True):
                if not self._is_done(pattern, text, self._seconds / left, hits):
                    late.append(pattern)
        self.slow += late
        return hits

    def _is_done(self, pattern: str, text: str, seconds: float, hits: Hits) -> bool:
        """Search for a pattern; return False if it timed out."""
        if seconds <= 0:
            return False
        passed = _stopwatch()
        try:
            found = _compiled(pattern).search(text, concurrent=True, timeout=seconds)
        except (TimeoutError, Unusable) as error:
            return isinstance(error, Unusable)
        finally:
            self._seconds -= passed()
        if found:
            hits[pattern] = (found.start(), found.group()[:_LONGEST_HIT])
        return True


def _stopwatch() -> "Callable[[], float]":
    """A timer of seconds since now, which counts parallel threads once."""
    processor, clock = time.process_time(), time.monotonic()
    return lambda: min(time.process_time() - processor, time.monotonic() - clock)


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
