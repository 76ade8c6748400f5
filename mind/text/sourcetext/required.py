"""Texts one of which is in everything that a regular expression matches."""

from re import _constants as sre  # type: ignore[attr-defined]

from mind.text.sourcetext.grammar import REPEATS, Unusable, inner, parsed

TYPE_CHECKING = False  # see mind.text.sourcetext.grammar
if TYPE_CHECKING:
    from mind.text.sourcetext.grammar import Parts

_SHORTEST = 3
_MOST = 24


def required(pattern: str) -> list[str]:
    """Alternatives, one of which stands in each match of ``pattern``; none if that is unknown.

    Upper and lower case may differ: see :func:`mind.text.sourcetext.folded`.
    """
    try:
        best = _of(parsed(pattern))
    except Unusable:
        return []
    return best if _worth(best) else []


def _of(parts: "Parts") -> list[str]:
    """The best of the alternatives that a sequence of parts demands."""
    found: list[list[str]] = []
    run = ""
    for operator, argument in parts:
        if operator is sre.LITERAL:
            run += chr(argument)
            continue
        found.append([run])
        run = ""
        if operator is sre.BRANCH:
            found.append(_either([_of(branch) for branch in argument[1]]))
        elif operator in (sre.SUBPATTERN, sre.ATOMIC_GROUP) or (
            operator in REPEATS and argument[0]
        ):
            found += [_of(one) for one in inner(operator, argument)]
    found.append([run])
    return max(found, key=_worth)


def _either(branches: list[list[str]]) -> list[str]:
    every = [one for branch in branches for one in branch]
    return every if all(map(_worth, branches)) and len(every) <= _MOST else []


def _worth(texts: list[str]) -> int:
    """The shortest of them counts; 0 if one is too short to tell anything."""
    shortest = min(map(len, texts), default=0)
    return shortest if shortest >= _SHORTEST else 0
