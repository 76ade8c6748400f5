"""Search for patterns of users and files within a time limit.

A pattern can take exponential time, however harmless it looks. So patterns run in the module
``regex``, which supports a timeout. It checks the clock rarely and can overrun by a second, so it
runs in a thread that is abandoned when overdue.

Patterns are written for ``re``. ``regex`` interprets some differently (``"{i}"`` allows errors,
``[[:alpha:]]`` is a class), so each part is translated to a form with the same meaning in both. The
two also classify some characters differently (combining marks, fractions). For a text with such a
character an *exact* translation spells the classes out, which is slower.
"""

import atexit
import time
from _thread import LockType, allocate_lock, start_new_thread
from functools import lru_cache
from re import _constants as sre  # type: ignore[attr-defined]

from mind.text.sourcetext import folded
from mind.text.sourcetext.grammar import Unusable, demands, inner, parsed, problem, required

TYPE_CHECKING = False  # see mind.text.sourcetext.grammar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

    from regex import Pattern

    from mind.text.sourcetext.grammar import Parts

_ASCII, _IGNORECASE = sre.SRE_FLAG_ASCII, sre.SRE_FLAG_IGNORECASE
_SCOPED = {_IGNORECASE: "i", sre.SRE_FLAG_MULTILINE: "m", sre.SRE_FLAG_DOTALL: "s"}
_DOTTED = "iIıİ"
"""A single letter for ``re`` when ignoring case, two for ``regex``."""
_NATIVE = {
    sre.CATEGORY_DIGIT: r"\d", sre.CATEGORY_NOT_DIGIT: r"\D",
    sre.CATEGORY_SPACE: r"\s", sre.CATEGORY_NOT_SPACE: r"\S",
    sre.CATEGORY_WORD: r"\w", sre.CATEGORY_NOT_WORD: r"\W",
}  # fmt: skip


class _Classes:
    """Character classes spelled out, the complements of some, and word boundaries."""

    def __init__(self, word: str, space: str, digit: str) -> None:
        self.all = {
            sre.CATEGORY_WORD: word, sre.CATEGORY_SPACE: space, sre.CATEGORY_DIGIT: digit,
        }  # fmt: skip
        self.not_all = {
            sre.CATEGORY_NOT_WORD: word, sre.CATEGORY_NOT_SPACE: space,
            sre.CATEGORY_NOT_DIGIT: digit,
        }  # fmt: skip
        begins, ends = f"(?<![{word}])(?=[{word}])", f"(?<=[{word}])(?![{word}])"
        inside, outside = f"(?<=[{word}])(?=[{word}])", f"(?<![{word}])(?![{word}])"
        self.at = {
            sre.AT_BOUNDARY: f"(?:{begins}|{ends})",
            sre.AT_NON_BOUNDARY: f"(?:{inside}|{outside})",
        }


_OF_UNICODE = _Classes(r"\p{L}\p{N}_", r"\s\x1c-\x1f", r"\d")
_OF_ASCII = _Classes("A-Za-z0-9_", r"\t-\r\x20", "0-9")
_AT = {
    sre.AT_BEGINNING: "^", sre.AT_BEGINNING_STRING: r"\A", sre.AT_BOUNDARY: r"\b",
    sre.AT_NON_BOUNDARY: r"\B", sre.AT_END: "$", sre.AT_END_STRING: r"\Z",
}  # fmt: skip
_GREED = {sre.MAX_REPEAT: "", sre.MIN_REPEAT: "?", sre.POSSESSIVE_REPEAT: "+"}


def translated(pattern: str, *, exact: bool = False) -> tuple[str, int]:
    """``pattern`` translated for ``regex``, and its global flags.

    Raises:
        Unusable: See :func:`mind.text.sourcetext.grammar.parsed`.
    """
    parts = parsed(pattern)
    flags: int = parts.state.flags
    if flags & _ASCII:  # regex honours it only partly: not in classes or for case
        return _Writer(_OF_ASCII).all(parts, flags), flags & ~(_ASCII | _IGNORECASE)
    return _Writer(_OF_UNICODE if exact else None).all(parts, flags), flags


class _Writer:
    """Writes parts, with classes spelled out if given."""

    def __init__(self, classes: _Classes | None) -> None:
        self._classes = classes
        self._ways: dict[object, Callable[[Any, int], str]] = {
            sre.LITERAL: self._literal,
            sre.NOT_LITERAL: lambda code, flags: self._set([(sre.LITERAL, code)], flags, True),
            sre.ANY: lambda _argument, _flags: ".",
            sre.IN: self._in,
            sre.AT: self._at,
            sre.BRANCH: self._branch,
            sre.SUBPATTERN: self._group,
            sre.GROUPREF: self._reference,
            sre.GROUPREF_EXISTS: self._condition,
            sre.ASSERT: lambda given, flags: self._around(given, flags, "="),
            sre.ASSERT_NOT: lambda given, flags: self._around(given, flags, "!"),
            sre.ATOMIC_GROUP: lambda parts, flags: f"(?>{self.all(parts, flags)})",
            sre.FAILURE: lambda _argument, _flags: "(?!)",
        }

    def all(self, parts: "Parts", flags: int) -> str:
        """A sequence of parts with these flags."""
        return "".join(self._one(operator, argument, flags) for operator, argument in parts)

    def _one(self, operator: object, argument: "Any", flags: int) -> str:  # noqa: ANN401 - many types
        if operator in _GREED:
            least, most, parts = argument
            end = "" if most == sre.MAXREPEAT else most
            return f"(?:{self.all(parts, flags)}){{{least},{end}}}{_GREED[operator]}"
        way = self._ways.get(operator)
        if way is None:
            raise Unusable(f"has a part that cannot be used: {operator}")
        return way(argument, flags)

    def _literal(self, code: int, flags: int) -> str:
        same = _same(code, code, flags)
        return f"[{_plain(code)}{same}]" if same and (self._classes or code > 127) else _plain(code)

    def _in(self, items: "Sequence[tuple[object, Any]]", flags: int) -> str:
        negated = items[0][0] is sre.NEGATE
        return self._set(items[1:] if negated else items, flags, negated)

    def _set(self, items: "Sequence[tuple[object, Any]]", flags: int, negated: bool) -> str:
        """A character class; several if it has the complement of an exact class."""
        named = self._classes.all if self._classes else _NATIVE
        opposite = self._classes.not_all if self._classes else {}
        listed, others = "", []
        for operator, argument in items:
            if operator is not sre.CATEGORY:
                listed += _listed(operator, argument, flags)
            elif argument in opposite:
                others.append(f"[^{opposite[argument]}]")
            else:
                listed += named[argument]
        if not others:
            return f"[{'^' if negated else ''}{listed}]"
        either = "|".join([f"[{listed}]", *others] if listed else others)
        return f"(?:(?!{either})(?s:.))" if negated else f"(?:{either})"

    def _at(self, place: object, _flags: int) -> str:
        spelled = self._classes.at if self._classes else {}
        return spelled.get(place, _AT[place])

    def _branch(self, given: "tuple[None, Sequence[Parts]]", flags: int) -> str:
        return f"(?:{'|'.join(self.all(one, flags) for one in given[1])})"

    def _group(self, given: "tuple[int | None, int, int, Parts]", flags: int) -> str:
        number, added, removed, parts = given
        inside = self.all(parts, (flags | added) & ~removed)
        if number is not None:
            return f"({inside})"
        scoped = {flag: sign for flag, sign in _SCOPED.items() if sign != "i" or not flags & _ASCII}
        on = "".join(sign for flag, sign in scoped.items() if added & flag)
        off = "".join(sign for flag, sign in scoped.items() if removed & flag)
        return f"(?{on}{'-' if off else ''}{off}:{inside})"

    def _reference(self, number: int, flags: int) -> str:
        return rf"(?i:\{number})" if flags & _ASCII and flags & _IGNORECASE else rf"(?:\{number})"

    def _condition(self, given: "tuple[int, Parts, Parts | None]", flags: int) -> str:
        number, then, other = given
        return f"(?({number}){self.all(then, flags)}|{self.all(other or (), flags)})"

    def _around(self, given: "tuple[int, Parts]", flags: int, sign: str) -> str:
        direction, parts = given
        return f"(?{'<' if direction < 0 else ''}{sign}{self.all(parts, flags)})"


def _listed(operator: object, argument: "Any", flags: int) -> str:  # noqa: ANN401 - two types
    """A character of a class, or a range of them."""
    first, last = (argument, argument) if operator is sre.LITERAL else argument
    listed = _plain(first) if first == last else f"{_plain(first)}-{_plain(last)}"
    return listed + _same(first, last, flags)


def _same(first: int, last: int, flags: int) -> str:
    """Characters that match one of a range ignoring case in ``re``, but not in ``regex``."""
    if not flags & _IGNORECASE:
        return ""
    if not flags & _ASCII:
        return _DOTTED if any(first <= ord(one) <= last for one in _DOTTED) else ""
    cased = [(max(first, low), min(last, high)) for low, high in ((65, 90), (97, 122))]
    ranges = [(low ^ 32, high ^ 32) for low, high in cased if low <= high]
    return "".join(f"{chr(low)}-{chr(high)}" for low, high in ranges)


def _plain(code: int) -> str:
    """A literal character, escaped for any context."""
    character = chr(code)
    return character if character.isascii() and character.isalnum() else f"\\U{code:08x}"


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
        self._is_exact = not _are_classed_alike(text)
        self._seconds = self._due = seconds
        self._passed = _stopwatch()  # after the import of the module
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
    """A timer of seconds since now, which counts parallel threads once."""
    processor, clock = time.process_time(), time.monotonic()
    return lambda: min(time.process_time() - processor, time.monotonic() - clock)


def _leave(working: LockType) -> None:
    _left.add(working)
    if not working.locked():  # it has just finished
        _left.discard(working)


@lru_cache(maxsize=256)
def _compiled(pattern: str, is_exact: bool) -> "Pattern[str]":
    """The compiled pattern, with ``^`` and ``$`` matching at line ends."""
    import regex  # noqa: PLC0415 - it takes 30 ms, and most events have no pattern to search for

    text, flags = translated(pattern, exact=is_exact)
    kept = flags & (regex.IGNORECASE | regex.DOTALL)
    try:
        return regex.compile(text, kept | regex.MULTILINE | regex.VERSION0, cache_pattern=False)
    except (regex.error, RecursionError, OverflowError) as error:
        raise Unusable(f"does not compile: {error}") from None


def _are_classed_alike(text: str) -> bool:
    """Return whether ``re`` and ``regex`` classify words and spaces of ``text`` alike."""
    import regex  # noqa: PLC0415 - the same

    characters = set(text)
    if not characters.isdisjoint("\x1c\x1d\x1e\x1fıİ"):
        return False
    odd = "".join(one for one in characters if not one.isascii())
    words: list[str] = regex.findall(r"\w", odd)
    return words == [one for one in odd if one.isalnum()]


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
