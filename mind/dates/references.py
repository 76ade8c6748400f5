"""Releases that a query names: "before the 0.3 release", "since v1.2", "in 1.4"."""

import re
from dataclasses import dataclass
from typing import Literal

from mind.dates.spans import LONGEST_QUERY

Relation = Literal["before", "after", "in", "since", "between"]

_RELATIONS: dict[str, Relation] = {
    "before": "before", "prior to": "before", "until": "before", "up to": "before",
    "antes de": "before", "antes del": "before", "vor": "before", "avant": "before",
    "до": "before", "перед": "before", "after": "after", "después de": "after",
    "nach": "after", "après": "after", "depois de": "after", "после": "after",
    "since": "since", "desde": "since", "seit": "since", "depuis": "since", "с": "since",
    "in": "in", "during": "in", "between": "between", "entre": "between", "zwischen": "between",
}  # fmt: skip
_WORD = "|".join(sorted(_RELATIONS, key=len, reverse=True))
_GAP = r"(?: (?:the|la|el|der|dem|die|das|le|o|a|release|version|versión|versão|версии|релиза|tag)){0,2} "
_VERSION = r"\d{1,6}(?:\.\d{1,6}){0,3}(?:[-.]?(?:alpha|beta|rc|a|b|dev|pre)[-.]?\d{0,4})?"
_NAME = (
    rf"(?:(?:@?[a-z][\w/-]{{0,60}}@)v?{_VERSION}|(?:release|version|rel)[-_/]{_VERSION}|v{_VERSION}"
    rf"|(?<=e )\d{{1,4}}|{_VERSION}(?= (?:release|version)\b)|(?=\d+\.\d){_VERSION}"
    r"|(?:last|latest|previous) (?:release|version|tag)\b)"
)
_REFERENCE = re.compile(
    rf"(?<![\w.-])(?P<relation>{_WORD}){_GAP}(?P<name>{_NAME})(?! ?[%°])(?![\w@])(?!\.\w)(?!-\d)"
    rf"(?P<other>(?: release)? (?:and|y|et|und|e) (?:the )?{_NAME}(?![\w@])(?!\.\w))?",
    re.IGNORECASE,
)
_OTHER = re.compile(r" (?:and|y|et|und|e) (?:the )?(.+)$", re.IGNORECASE)
_MEASURE = re.compile(
    r"(?: ?(?:ms|s|sec|seconds?|min|minutes?|h|hours?|days?|weeks?|months?|years?|px|em|rem|percent|"
    r"times|x|[kmgt]i?b|k|bytes?|points?|times|million|billion|fps|hz|volts?|seg|segundos?|"
    r"sekunden?|secondes?|секунд\w*)(?!\w))",
    re.IGNORECASE,
)
_DATE = re.compile(r"\d{1,2}\.\d{1,2}\.\d{4}|\d{4}\.\d{2}\.\d{2}")
_BEHIND = re.compile(r" (?:release|version|tag)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Reference:
    """A release, and which time is meant by it.

    Attributes:
        relation: Before, after or since it; in it; or between it and another.
        name: As written: "v1.2", "0.3", "last release".
        other: The second one of "between v1 and v2"; else "".
        start: The character where the words begin.
        end: The character behind them.
    """

    relation: Relation
    name: str
    other: str = ""
    start: int = 0
    end: int = 0


def references_in(text: str) -> list[Reference]:
    """The releases that a query names, in their order.

    A number counts with a dot or behind "v" or "release": "after 3 retries" is none, and neither
    is a measure such as "in 1.5 seconds". Which of them exist, only the repository knows.
    """
    query = text[:LONGEST_QUERY]
    found: list[Reference] = []
    for match in _REFERENCE.finditer(query):
        relation = _RELATIONS[match["relation"].lower()]
        second = _OTHER.match(match["other"] or "") if relation == "between" else None
        end = match.end() if second else match.end("name")
        if relation == "between" and second is None:
            continue
        if _MEASURE.match(query, end) or _DATE.fullmatch(match["name"]):
            continue
        behind = _BEHIND.match(query, end)
        end = behind.end() if behind else end
        other = second[1] if second else ""
        found.append(Reference(relation, match["name"], other, match.start(), end))
    return found
