"""Other names of what a text names: one thing under several names, and the members of a kind.

``mind/data/matching/names.txt`` has a group on each line. It is large, so a text is compared only
with the groups that have a name with the same beginning as one of its words.
"""

import re
from collections.abc import Iterable
from functools import cache

from mind.text import lines, word_weights
from mind.text.matching import acts
from mind.text.matching.acts import stems
from mind.text.matching.score import RAREST
from mind.text.similarity.words import weight

_PAIR = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
_KATAKANA, _IDEOGRAPHS = 6.5, 4.0
"""Weights of a katakana word, and of a pair of ideographs."""
_EVERYDAY = 5.5
"""Word weight below which a synonym counts only in code."""

Group = tuple[tuple[str, ...], tuple[str, ...]]


def usual(stem: str) -> float:
    """The general weight of a stem."""
    if _PAIR.match(stem):
        return _KATAKANA if len(stem) > 2 else _IDEOGRAPHS
    return min(weight(stem), word_weights("matching/common").get(stem, RAREST))


def groups_of(text: str, names: Iterable[str]) -> dict[int, list[str]]:
    """Return the groups that a text names, and the names that it has of each.

    Args:
        text: The text.
        names: Its words and runs of words as they may be written in code.
    """
    written = dict.fromkeys(filter(None, map(acts.squash, names)))
    said = stems(text)
    begins = {_begin(one) for one in (*written, *said, *re.findall(r"\w+", text.lower()))}
    found: dict[int, list[str]] = {}
    for group, called in sorted({one for begin in begins for one in _named().get(begin, ())}):
        whole, parts = _compared(called)
        if whole in written or (parts and parts[0] in said and _has(said, parts)):
            found.setdefault(group, []).append(called)
    return found


def _has(said: tuple[str, ...], parts: tuple[str, ...]) -> bool:
    """Return whether words stand one behind the other."""
    return any(said[at : at + len(parts)] == parts for at in range(len(said)))


@cache
def _compared(called: str) -> tuple[str, tuple[str, ...]]:
    """A name as written in code, and the stems of its words if they may be said apart."""
    parts = stems_of(called)
    return acts.squash(called), parts if len(parts) >= len(called.split()) else ()


@cache
def stems_of(called: str) -> tuple[str, ...]:
    """The stems of a name in the data; for no other text, since all are kept."""
    return stems(called)


@cache
def forms(group: int) -> tuple[str, ...]:
    """The forms of a group that are compared with an act."""
    listed = (form for one in _groups()[group][1] for form in _form(one))
    return tuple(dict.fromkeys(one for one in listed if not one.lstrip("=#").isdigit()))


def _form(written: str) -> list[str]:
    """A name as compared: whole, or as the stems of its words; a single word is not stemmed."""
    name = written.lstrip("=#").lower()
    if written.startswith("#"):
        return [f"#{name}"]
    is_bare = (name[:1].isalnum() and name[-1:].isalnum()) or name.startswith("@")
    written_so = (name, acts.squash(name)) if is_bare else (name,)
    whole = [f"={one}" for one in dict.fromkeys(written_so) if one]
    if written.startswith("="):
        return whole
    parts = list(dict.fromkeys(stems(written)))
    if len(parts) == 1 and name.isascii() and name.isalpha():
        return [f"#{name}"] if usual(parts[0]) < _EVERYDAY else [*whole, f"={name}s"]
    return [*(["+".join(parts)] if len(parts) >= len(written.split()) else []), *whole]


@cache
def _groups() -> tuple[Group, ...]:
    """Pairs of what a group is called, and names with the same meaning or effect."""
    found = []
    for line in lines("matching/names"):
        called, _, members = line.partition(" : ")
        names = called.split(", ")
        said = [one.lstrip("=#") for one in names if not one.startswith("=") or " " in one]
        found.append((tuple(said), tuple(members.split(", ")) if members else tuple(names)))
    return tuple(found)


@cache
def _named() -> dict[str, list[tuple[int, str]]]:
    """Names of groups by their beginning."""
    found: dict[str, list[tuple[int, str]]] = {}
    for group, (called, _) in enumerate(_groups()):
        for one in called:
            found.setdefault(_begin(one.lstrip("=@.#$/<-")), []).append((group, one))
    return found


def _begin(word: str) -> str:
    return word[:3] if word.isascii() else acts.fold(word)[:2]
