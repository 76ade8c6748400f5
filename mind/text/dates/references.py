"""Releases that a query names: "before the 0.3 release", "since v1.2", "between 1.0 and 1.1"."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Relation = Literal["before", "after", "in", "since", "between"]

_RELATIONS: dict[str, Relation] = {
    "before": "before", "prior to": "before", "until": "before", "up to": "before",
    "antes de": "before", "antes del": "before", "vor": "before", "avant": "before",
    "до": "before", "перед": "before", "after": "after", "después de": "after",
    "nach": "after", "après": "after", "depois de": "after", "после": "after",
    "since": "since", "desde": "since", "seit": "since", "depuis": "since", "с": "since",
    "in": "in", "during": "in", "between": "between", "entre": "between", "zwischen": "between",
}  # fmt: skip
_BEHIND: dict[str, Relation] = {
    "之前": "before", "以前": "before", "前": "before", "より前": "before", "之后": "after",
    "以后": "after", "后": "after", "後": "after", "以降": "since", "以来": "since",
}  # fmt: skip
_ARTICLE = "the|la|el|der|dem|die|das|le|o|a"
_LABEL = "release|version|tag|versión|versão|версии|релиза"
_NUMBERS = r"\d{1,6}(?:\.\d{1,6}){0,3}(?:[-.]?(?:alpha|beta|rc|a|b|dev|pre)[-.]?\d{0,4})?"
_NAME = (
    rf"(?:(?:last|latest|previous) (?:release|version|tag)"
    rf"|(?:@?[a-z][\w/-]{{0,60}}[@/_-])?v?{_NUMBERS})"
)
_NO_MORE = r"(?![\w@%°]|\.\w|-\d| ?[%°])"
_WEST = re.compile(
    rf"(?<![\w.-])(?P<relation>{'|'.join(sorted(_RELATIONS, key=len, reverse=True))})"
    rf"(?: (?:{_ARTICLE}))?(?: (?P<label>{_LABEL}))? (?P<name>{_NAME}){_NO_MORE}"
    rf"(?P<behind> (?:{_LABEL})\b)?"
    rf"(?P<both> (?:and|y|et|und|e)(?: (?:{_ARTICLE}))? (?P<other>{_NAME}){_NO_MORE}"
    rf"(?: (?:{_LABEL})\b)?)?",
    re.IGNORECASE,
)
_EAST = re.compile(
    rf"(?<![\w.-])(?P<name>v?{_NUMBERS}) ?(?P<label>版本|版|リリース|バージョン)?の?"
    rf"(?P<relation>{'|'.join(sorted(_BEHIND, key=len, reverse=True))})[的の]?",
    re.IGNORECASE,
)
_IS_NUMBER = re.compile(r"\d+(?:-|$)")
_IS_DATE = re.compile(r"\d{1,2}\.\d{1,2}\.\d{4}|\d{4}\.\d{2}\.\d{2}")
_MEASURE = re.compile(
    r" ?(?:ms|s|sec|seconds?|min|minutes?|h|hours?|days?|weeks?|months?|years?|px|em|rem|percent|"
    r"times|x|[kmgt]i?b|k|bytes?|points?|million|billion|fps|hz|volts?|seg|segundos?|"
    r"sekunden?|secondes?|секунд\w*)(?!\w)",
    re.IGNORECASE,
)


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


def references_in(text: str) -> Iterator[Reference]:
    """The releases that a text names.

    A number counts with a dot, behind "v" or beside "release": "after 3 retries" is none, and
    neither is a measure such as "in 1.5 seconds". Which exist, only the repository knows.
    """
    for found in _WEST.finditer(text):
        relation = _RELATIONS[found["relation"].lower()]
        both = relation == "between"
        end = found.end() if both or not found["both"] else found.start("both")
        labelled = found["label"] or found["behind"]
        names = [found["name"], found["other"]] if both else [found["name"]]
        if all(_is_release(name, labelled) for name in names) and not _MEASURE.match(text, end):
            yield Reference(relation, names[0], "".join(names[1:]), found.start(), end)
    for found in _EAST.finditer(text):
        if _is_release(found["name"], found["label"]):
            relation = _BEHIND[found["relation"]]
            yield Reference(relation, found["name"], "", found.start(), found.end())


def _is_release(name: str | None, labelled: str | None) -> bool:
    if not name or _IS_DATE.fullmatch(name):
        return False
    return bool(labelled) or not _IS_NUMBER.match(name)
