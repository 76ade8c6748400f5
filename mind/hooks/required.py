"""Texts one of which is in everything that a regular expression matches."""

from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]

_SHORTEST = 3
_MOST = 24


def required(pattern: str) -> list[str]:
    """Alternatives, one of which stands in each match of ``pattern``; none if that is unknown.

    Upper and lower case may differ: fold both before they are compared.
    """
    best = _of(_parser.parse(pattern))
    return best if _worth(best) else []


def _of(parts: object) -> list[str]:
    """The best of the alternatives that a sequence of parts demands."""
    found: list[list[str]] = []
    run = ""
    for operator, argument in parts:  # type: ignore[attr-defined]
        if operator is sre.LITERAL:
            run += chr(argument)
            continue
        found.append([run])
        run = ""
        found.append(_inner(operator, argument))
    found.append([run])
    return max(found, key=_worth)


def _inner(operator: object, argument: "tuple[object, ...]") -> list[str]:
    if operator is sre.SUBPATTERN:
        return _of(argument[-1])
    if operator is sre.ATOMIC_GROUP:
        return _of(argument)
    repeats = (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT)
    if operator in repeats and argument[0] != 0:
        return _of(argument[2])
    if operator is sre.BRANCH:
        branches = [_of(branch) for branch in argument[1]]  # type: ignore[attr-defined]
        every = [one for branch in branches for one in branch]
        return every if all(map(_worth, branches)) and len(every) <= _MOST else []
    return []


def _worth(texts: list[str]) -> int:
    """The shortest of them counts; 0 if one is too short to tell anything."""
    shortest = min(map(len, texts), default=0)
    return shortest if shortest >= _SHORTEST else 0
