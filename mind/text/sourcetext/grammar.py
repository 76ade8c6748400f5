"""Patterns in the syntax of the module ``re``: validation and analysis.

``re`` defines their syntax and meaning, but does not run them: it cannot be interrupted.
"""

import re
import warnings
from _thread import allocate_lock
from functools import lru_cache
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]

TYPE_CHECKING = False  # importing typing takes milliseconds, which matters in hooks
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, TypeAlias

    Parts: TypeAlias = Any

LONGEST = 300
"""Maximum characters of a pattern."""
REPEATS = (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT)
_MOST_PARTS = 3_000
"""Maximum parts: ``regex`` expands repetitions when compiling, ``(ab){9}`` to 20 parts."""
_DEEPEST = 40
_SETS = sre.SRE_FLAG_ASCII | sre.SRE_FLAG_UNICODE | sre.SRE_FLAG_LOCALE
_warnings = allocate_lock()


class Unusable(ValueError):
    """A pattern that cannot be used; the message gives the reason, as in "the pattern …"."""


@lru_cache(maxsize=256)
def parsed(pattern: str) -> "Parts":
    """The parts of ``pattern``: pairs of an operator and its argument (see ``re._parser``).

    Its global flags are in ``state.flags``.

    Raises:
        Unusable: It is invalid, too large, or has a flag that only ``re`` supports.
    """
    if len(pattern) > LONGEST:
        raise Unusable(f"has more than {LONGEST} characters")
    try:
        with _warnings, warnings.catch_warnings():  # a later Python may parse these differently
            warnings.simplefilter("ignore")
            parts = _parser.parse(pattern)
        size = _size(parts, 0)
    except RecursionError:
        raise Unusable("is nested too deeply") from None
    except Unusable:
        raise
    except (re.error, OverflowError, ValueError) as error:
        raise Unusable(f"does not compile: {error}") from None
    if size > _MOST_PARTS:
        raise Unusable(f"repeats so much that it has more than {_MOST_PARTS:,} parts")
    return parts


def problem(pattern: str) -> str | None:
    """Return why ``pattern`` cannot be used, as in "the pattern …"; None if it can."""
    try:
        parsed(pattern)
    except Unusable as error:
        return str(error)
    return None


def _size(parts: "Parts", depth: int) -> int:
    """Return the number of parts that ``regex`` expands ``parts`` to."""
    if depth > _DEEPEST:
        raise Unusable("is nested too deeply")
    size = 0
    for operator, argument in parts:
        if operator in (sre.ASSERT, sre.ASSERT_NOT) and argument[0] < 0:
            _check_width(argument[1])
        if operator is sre.SUBPATTERN and (argument[1] | argument[2]) & _SETS:
            raise Unusable("sets the flag a, u or L for a part of itself")
        times = max(1, argument[0]) if operator in REPEATS else 1
        size += len(argument) if operator is sre.IN else 1
        size += times * sum(_size(one, depth + 1) for one in inner(operator, argument))
    return size


def _check_width(parts: "Parts") -> None:
    shortest, longest = parts.getwidth()
    if shortest != longest:
        raise Unusable("does not compile: look-behind requires fixed-width pattern")


def inner(operator: object, argument: "Any") -> "Iterator[Parts]":  # noqa: ANN401 - as the operator has it
    """The nested sequences of a part."""
    if operator is sre.SUBPATTERN:
        yield argument[-1]
    elif operator is sre.ATOMIC_GROUP:
        yield argument
    elif operator in REPEATS:
        yield argument[2]
    elif operator is sre.BRANCH:
        yield from argument[1]
    elif operator in (sre.ASSERT, sre.ASSERT_NOT):
        yield argument[1]
    elif operator is sre.GROUPREF_EXISTS:
        yield from filter(None, argument[1:])


_SHORTEST = 3
_MOST = 24


def required(pattern: str) -> list[str]:
    """Alternatives, one of which occurs in each match of ``pattern``; empty if unknown.

    Case may differ: see :func:`mind.text.sourcetext.folded`.
    """
    return max(demands(pattern), key=_worth, default=[])


def demands(pattern: str) -> list[list[str]]:
    """Lists of alternatives; each match has one of every list, see :func:`required`."""
    try:
        return [one for one in _all(parsed(pattern)) if _worth(one)]
    except Unusable:
        return []


def _all(parts: "Parts") -> list[list[str]]:
    """All lists of alternatives required by a sequence of parts; at least one list."""
    found: list[list[str]] = []
    run = ""
    for operator, argument in parts:
        if operator is sre.LITERAL:
            run += chr(argument)
            continue
        found.append([run])
        run = ""
        if operator is sre.BRANCH:
            found.append(_either([max(_all(branch), key=_worth) for branch in argument[1]]))
        elif operator in (sre.SUBPATTERN, sre.ATOMIC_GROUP) or (
            operator in REPEATS and argument[0]
        ):
            found += [alike for one in inner(operator, argument) for alike in _all(one)]
    found.append([run])
    return found


def _either(branches: list[list[str]]) -> list[str]:
    every = [one for branch in branches for one in branch]
    return every if all(map(_worth, branches)) and len(every) <= _MOST else []


def _worth(texts: list[str]) -> int:
    """The length of the shortest; 0 if it is too short to be selective."""
    shortest = min(map(len, texts), default=0)
    return shortest if shortest >= _SHORTEST else 0
