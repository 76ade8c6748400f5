"""Rejections as rows: words with their weights, names, and what else they are called."""

import math
import re
import tomllib
from collections import Counter
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any

from mind.text.matching import acts, score
from mind.text.matching.score import RAREST
from mind.text.matching.stemmed import stems as stemmed
from mind.text.matching.subjects import Subject, subjects_of
from mind.text.similarity.words import weight

_PAIR = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
_UNKNOWN = 100
"""Entries as of which nothing is known; a memory tells more of its words the larger it is."""
_LEAST = 4.0
_BACKTICKS = re.compile(r"`([^`]{3,60})`")
_TOKEN = re.compile(r"[^\s(),;:!?\"“”„]+")
_MOST_NAMES, _SHORTEST = 3, 3
_CODE = re.compile(r"[a-z][A-Z]|\w[._:/]\w|_|[A-Z]{2}[a-z]|\(\)|\d\w")
"""A name as code has it."""
_BESIDE = 0.5
"""What another name of the condition counts, of one of the subject."""

Row = dict[str, Any]


class Rarity:
    """The weight of words in one memory: general rarity, less what is common there.

    Args:
        texts: Of the memory's entries.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._having: Counter[str] = Counter()
        self._entries = 0
        for text in texts:
            self._having.update(set(stemmed(text)))
            self._entries += 1

    def of(self, stem: str) -> float:
        """The weight of a stem, 0–8."""
        usual = weight(stem) * (0.5 if _PAIR.match(stem) else 1.0)
        others = max(0, self._having[stem] - 1)
        known = self._entries + _UNKNOWN
        here = -math.log((_UNKNOWN * math.exp(-usual) + others) / known)
        return max(0.05, min(usual, here))


def rows_of(entries: Iterable[tuple[str, str, str]], rarity: Rarity) -> list[Row]:
    """The rows of entries, each an id, a kind and a text; some turn down several things."""
    found = []
    for identifier, kind, text in entries:
        for subject in subjects_of(kind, text):
            row = _row(identifier, subject, rarity)
            if row is not None:
                found.append(row)
    return found


def _row(identifier: str, subject: Subject, rarity: Rarity) -> Row | None:
    head = _weighed(subject.head, rarity)
    if not head and _is_symbolic(subject.head):
        head = {acts.squash(subject.head): RAREST}
    if not head:
        return None
    said = set(head)
    rest = _weighed(subject.condition, rarity, said)
    said |= set(rest)
    chosen = _weighed(subject.chosen, rarity, said)
    reason = _weighed(subject.reason, rarity, said | set(chosen))
    return {
        "id": identifier,
        "sort": subject.sort,
        "subject": subject.head.strip(),
        "instead": subject.chosen.strip(),
        "head": list(map(list, head.items())),
        "rest": list(map(list, rest.items())),
        "chosen": list(map(list, chosen.items())),
        "reason": list(map(list, reason.items())),
        "names": _names(subject, rarity, sum(head.values())),
        "cures": _cures(subject),
        "concepts": _concepts(subject, rarity),
    }


def _cures(subject: Subject) -> list[str]:
    """Names in code of what is done instead: where they are, nothing is to be said."""
    named = [one for one in _runs(subject.chosen, most=1) if _CODE.search(one)]
    named += _BACKTICKS.findall(subject.chosen)
    said = {acts.squash(one) for one in _runs(f"{subject.head} {subject.condition}")}
    known = {name for one in named for name in (acts.squash(one), one.lower())}
    return sorted(one for one in known - said if len(one) > _SHORTEST)


def _weighed(text: str, rarity: Rarity, without: Iterable[str] = ()) -> dict[str, float]:
    known = set(without)
    found = dict.fromkeys(stemmed(text))
    return {one: round(rarity.of(one), 2) for one in found if one not in known}


def _names(subject: Subject, rarity: Rarity, total: float) -> list[list[Any]]:
    """Names that a package or code may have: each with its weight, share, and if it is code."""
    found: dict[str, list[Any]] = {}
    for part in _runs(subject.head):
        is_code = _CODE.search(part) is not None
        if subject.sort == "gotcha" and not is_code:
            continue
        stems = dict.fromkeys(stemmed(part))
        if not stems and _is_symbolic(part):
            stems = {acts.squash(part): None}
        mass = sum(map(rarity.of, stems))
        share = round(min(1.0, mass / total), 2) if total else 0.0
        for name in (acts.squash(part), part.lower()):
            if len(name) > 1 and mass >= _LEAST:
                found[name] = [round(max(map(rarity.of, stems)), 2), share, int(is_code)]
    for part in _BACKTICKS.findall(f"{subject.head} {subject.condition}"):
        found[acts.squash(part)] = [RAREST, 1.0, 1]
    return [[name, *values] for name, values in found.items()]


def _is_symbolic(name: str) -> bool:
    """Whether a name without a word is one: ``W&B``, ``C#``."""
    return bool(acts.squash(name)) and not name.replace(" ", "").isalnum()


def _runs(text: str, most: int = _MOST_NAMES) -> list[str]:
    """The tokens of a text, and several beside one another."""
    tokens = [one.strip("`'.*<>[]{}") for one in _TOKEN.findall(text)]
    return [
        " ".join(tokens[at : at + count])
        for at in range(len(tokens))
        for count in range(1, most + 1)
        if at + count <= len(tokens)
    ]


def _concepts(subject: Subject, rarity: Rarity) -> list[list[Any]]:
    """Other names of what the subject names, the share of it that they stand for, and its words."""
    found = []
    total = sum(map(rarity.of, set(stemmed(subject.head)))) or RAREST
    for part, worth in ((subject.head, 1.0), (subject.condition, _BESIDE)):
        said = set(stemmed(part))
        for group, called in _groups_of(part).items():
            stems = max((_stems(one) or (acts.squash(one),) for one in called),
                        key=lambda one: sum(map(rarity.of, one)))  # fmt: skip
            mass = sum(map(rarity.of, set(stems))) or RAREST
            others = [form for form in _known()[group] if not set(_parts(form)) <= said]
            if others:
                found.append([others, round(min(1.0, mass / total) * worth, 2), list(stems)])
    return found


def _groups_of(part: str) -> dict[int, list[str]]:
    """The groups of which a text has a name, and the names."""
    by_name, by_stem = _places()
    found: dict[int, list[str]] = {}
    for name in dict.fromkeys(map(acts.squash, _runs(part))):
        for group, called in by_name.get(name, ()):
            found.setdefault(group, []).append(called)
    said = stemmed(part)
    for at, stem in enumerate(said):
        for group, called in by_stem.get(stem, ()):
            parts = _stems(called)
            if said[at : at + len(parts)] == parts:
                found.setdefault(group, []).append(called)
    return dict(sorted(found.items()))


@cache
def _stems(called: str) -> tuple[str, ...]:
    return stemmed(called)


def _parts(form: str) -> list[str]:
    return [form] if form[0] in "=#" else form.split("+")


def _form(written: str) -> list[str]:
    """A name as it is compared: whole, or by the stems of its words."""
    name = written.removeprefix("=").lower()
    whole = [f"={one}" for one in dict.fromkeys((name, acts.squash(name))) if one]
    if written.startswith("="):
        is_word = name.isalpha() and weight(stemmed(name)[0] if stemmed(name) else "") < RAREST
        return [f"#{name}"] if is_word else whole
    stems = list(dict.fromkeys(_stems(written)))
    return [*(["+".join(stems)] if len(stems) >= len(written.split()) else []), *whole]


@cache
def _groups() -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
    """Pairs of what a subject may say, and what is the same or does it."""
    here = files("mind.text.matching")
    same = tomllib.loads(here.joinpath("names.toml").read_text("utf-8"))["same"]
    told = tomllib.loads(here.joinpath("concepts.toml").read_text("utf-8"))["concept"]
    return (
        *((tuple(row), tuple(row)) for row in same),
        *((tuple(one["of"]), tuple(one["as"])) for one in told),
    )


@cache
def _known() -> tuple[tuple[str, ...], ...]:
    """The forms of each group that an act is compared with."""
    return tuple(
        tuple(dict.fromkeys(form for one in listed for form in _form(one)))
        for _, listed in _groups()
    )


_Places = dict[str, list[tuple[int, str]]]


@cache
def _places() -> tuple[_Places, _Places]:
    """The groups by the names that a subject may say, and by the first stem of those in words."""
    by_name: _Places = {}
    by_stem: _Places = {}
    for group, (called, _) in enumerate(_groups()):
        for one in called:
            by_name.setdefault(acts.squash(one), []).append((group, one))
            parts = _stems(one)
            if parts and not one.startswith("=") and len(parts) >= len(one.split()):
                by_stem.setdefault(parts[0], []).append((group, one))
    return by_name, by_stem


@cache
def weights() -> dict[str, Any]:
    """What the features are worth, fitted by ``tests/bench/rejections.py``."""
    return tomllib.loads(files("mind.text.matching").joinpath("weights.toml").read_text("utf-8"))


class Catalogue:
    """The rejections of a memory, looked up by what an act says.

    Args:
        entries: Each an id, a kind and a text.
    """

    def __init__(self, entries: Iterable[tuple[str, str, str]]) -> None:
        turned_down = [one for one in entries if subjects_of(*one[1:])]
        self.rows = rows_of(turned_down, Rarity(text for _, _, text in turned_down))
        self._places: dict[str, list[int]] = {}
        for at, row in enumerate(self.rows):
            for key in score.keys_of(row):
                self._places.setdefault(key, []).append(at)

    def met(self, act: acts.Act) -> list[score.Met]:
        """The rejections that an act meets, the surest first."""
        found = {at for key in score.keys_asked(act) for at in self._places.get(key, ())}
        rows = [self.rows[at] for at in sorted(found)]
        return score.matches(act, rows, weights(), len(self.rows))
