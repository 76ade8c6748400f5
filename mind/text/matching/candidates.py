"""Rejections as rows: words with weights, names, and synonyms."""

import json
import math
import re
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from mind.text import languages, table, word_weights
from mind.text.matching import acts, score
from mind.text.matching.acts import stems as stemmed
from mind.text.matching.acts import western
from mind.text.matching.score import RAREST
from mind.text.matching.subjects import Subject, subjects_of
from mind.text.similarity.words import weight

_PAIR = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
_UNKNOWN = 100
"""Weight of the general rarity, in entries; larger memories rely more on their own counts."""
_EVERYDAY = 5.5
"""Word weight below which a synonym counts only in code."""
_TECHNICAL = 6.5
"""Word weight from which a word is a name rather than an everyday word."""
_LEAST, _TELLING = 4.0, 2.0
"""Minimum weight of a name's rarest word, and of an informative word."""
_ASIDE = re.compile(r"(?<![A-Za-z0-9_\])])\(([^()\s]+(?:,?\s[^()\s]+){0,2})\)")
"""A synonym of the preceding term; after a name without a space, it is what a call is given."""
_BACKTICKS = re.compile(r"`([^`]{3,60})`")
_TOKEN = re.compile(r"[^\s(),;:!?\"“”„]+")
_MOST_NAMES, _SHORTEST = 3, 3
_CODE = re.compile(r"[a-z][A-Z]|\w[._:/]\w|_|[A-Z]{2}[a-z]|\(\)|\d\w")
"""A name in the form used in code."""
_WRITTEN = re.compile(r"\w_\w|\w::\w|\w\(\)")
"""A form that is a name only in code, regardless of word weights."""
_SORTS = """crate package module library lib dependency gem plugin addon extension framework
bibliothek paket modul abhängigkeit bibliothèque paquet dépendance biblioteca paquete dependencia"""
"""Words of a subject that give its category, not its identity."""
_ABOUT_TESTS = re.compile(
    r"\b(?:tests?\b|testing|spec|mock|stub|fixture|snapshot|e2e|assert)", re.IGNORECASE
)

_KATAKANA, _IDEOGRAPHS = 6.5, 4.0
"""Weights of a katakana word, and of a pair of ideographs."""

Row = dict[str, Any]


def usual(stem: str) -> float:
    """The general weight of a stem."""
    if _PAIR.match(stem):
        return _KATAKANA if len(stem) > 2 else _IDEOGRAPHS
    return min(weight(stem), word_weights("matching/common").get(stem, RAREST))


@cache
def _function_words() -> frozenset[str]:
    listed = (table(f"language/{name}")["function"] for name in languages("language"))
    return frozenset(stem for words in listed for stem in stemmed(words))


@cache
def _sorts() -> frozenset[str]:
    return frozenset(stemmed(_SORTS))


class Rarity:
    """Weights of words in one memory: general rarity, reduced for words frequent there.

    Args:
        texts: Texts of the memory's entries.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._having: Counter[str] = Counter()
        self._entries = 0
        for text in texts:
            self._having.update(set(stemmed(text)))
            self._entries += 1

    def of(self, stem: str) -> float:
        """The weight of a stem, 0–8."""
        if stem in _function_words():
            return 0.05
        general = usual(stem)
        others = max(0, self._having[stem] - 1)
        known = self._entries + _UNKNOWN
        here = -math.log((_UNKNOWN * math.exp(-general) + others) / known)
        return max(0.05, min(general, here))


def rows_of(entries: Iterable[tuple[str, str, str]]) -> Iterator[Row]:
    """Yield the rows of entries (id, kind, text); an entry can reject several subjects."""
    turned_down = [
        (identifier, text, subjects)
        for identifier, kind, text in entries
        if (subjects := subjects_of(kind, text))
    ]
    rarity = Rarity(text for _, text, _ in turned_down)
    for identifier, _, subjects in turned_down:
        for subject in subjects:
            row = _row(identifier, subject, rarity)
            if row is not None:
                yield row


def _row(identifier: str, subject: Subject, rarity: Rarity) -> Row | None:
    head = _weighed(subject.head, rarity)
    both = set(stemmed(subject.chosen)) if subject.sort != "gotcha" else set()
    head = {one: weight / 2 if one in both else weight for one, weight in head.items()}
    head = {one: weight for one, weight in head.items() if one not in _sorts()}
    if not head and (_is_symbolic(subject.head) or _WRITTEN.search(subject.head)):
        head = {acts.squash(subject.head): RAREST}
    if not head:
        return None
    said = set(head)
    rest = _weighed(subject.condition, rarity, said)
    chosen = _weighed(subject.chosen, rarity, said | set(rest))
    return {
        "id": identifier,
        "sort": subject.sort,
        "subject": subject.head.strip(),
        "instead": (subject.clause or subject.chosen).strip(),
        "head": list(map(list, head.items())),
        "rest": list(map(list, rest.items())),
        "chosen": list(map(list, chosen.items())),
        "names": _names(subject, rarity, sum(head.values())),
        "cures": _cures(subject),
        "tests": bool(_ABOUT_TESTS.search(f"{subject.head} {subject.condition}")),
        "concepts": _concepts(subject, rarity),
    }


def _cures(subject: Subject) -> list[str]:
    """Code names of the alternative: code that has them gets no warning."""
    named = [one for one in _runs(subject.chosen, most=1) if _CODE.search(one)]
    named += _BACKTICKS.findall(subject.chosen)
    said = {acts.squash(one) for one in _runs(f"{subject.head} {subject.condition}")}
    known = {name for one in named for name in (acts.squash(one), one.lower())}
    return sorted(one for one in known - said if len(one) > _SHORTEST)


def _weighed(text: str, rarity: Rarity, without: Iterable[str] = ()) -> dict[str, float]:
    known = set(without)
    found = dict.fromkeys(stemmed(text))
    weighed = {one: round(rarity.of(one), 2) for one in found if one not in known}
    return {one: weight for one, weight in weighed.items() if weight >= _TELLING}


def _names(subject: Subject, rarity: Rarity, total: float) -> list[list[Any]]:
    """Names for the subject's packages or code, each with weight, share, and if it is code."""
    found: dict[str, list[Any]] = {}
    is_trap = subject.sort == "gotcha"
    aside = " ".join(_ASIDE.findall(f"{subject.head} {subject.condition}"))
    beside = subject.condition if is_trap or _is_everyday(subject.head) else ""
    for part in (*_runs(f"{aside} {beside}"), *_runs(subject.head)):
        is_code = _CODE.search(part) is not None
        if is_trap and not is_code:
            continue
        stems = dict.fromkeys(stemmed(part))
        if not stems and _is_symbolic(part):
            stems = {acts.squash(part): None}
        is_written = " " not in part and _WRITTEN.search(part) is not None
        mass = RAREST if is_written else min(RAREST, sum(map(rarity.of, stems)))
        share = round(min(1.0, mass / total), 2) if total else 0.0
        known = RAREST if is_written else min(RAREST, sum(map(_known_as, stems)))
        for name in (acts.squash(part), part.lower()):
            if len(name) > 1 and known >= _LEAST:
                found[name] = [round(max(mass, _LEAST), 2), share, int(is_code)]
    if not is_trap and total:
        found |= _short_names(subject.head, rarity, total)
    for part in _BACKTICKS.findall(f"{subject.head} {subject.condition}"):
        found[acts.squash(part)] = [RAREST, 1.0, 1]
    return [[name, *values] for name, values in found.items()]


def _is_everyday(head: str) -> bool:
    """Return whether a subject names nothing: of "polling jobs with Celery", Celery is rejected."""
    words = [one for one in head.lower().split() if not one.endswith("ing")]
    rare = any(usual(stem) >= _TECHNICAL for one in words for stem in stemmed(one))
    return not (rare or _CODE.search(head))


def _known_as(stem: str) -> float:
    """The weight of a stem as a name: that entries mention a package makes it no other package."""
    return 0.05 if stem in _function_words() else usual(stem)


def _short_names(head: str, rarity: Rarity, total: float) -> dict[str, list[Any]]:
    """List the subject's possible abbreviations, marked ``>``, and abbreviations in it, ``<``."""
    found: dict[str, list[Any]] = {f">{one}": [RAREST, 1.0, 0] for one in acts.short_forms(head)}
    for name in acts.abbreviations(head):
        found[f"<{name}"] = [RAREST, round(min(1.0, rarity.of(name) / total), 2), 0]
    return found


def _is_symbolic(name: str) -> bool:
    """Return whether a name has punctuation: ``W&B``, ``C#``."""
    return bool(acts.squash(name)) and not name.replace(" ", "").isalnum()


def _runs(text: str, most: int = _MOST_NAMES) -> list[str]:
    """The tokens of a text, and sequences of adjacent ones."""
    tokens = [one.strip("`'.*<>[]{}") for one in _TOKEN.findall(western(text))]
    tokens = [part for one in tokens for part in (one, *_apart(one)) if part]
    return [
        " ".join(tokens[at : at + count])
        for at in range(len(tokens))
        for count in range(1, most + 1)
        if at + count <= len(tokens)
    ]


def _apart(token: str) -> list[str]:
    """The two names of ``Redux/MobX``."""
    parts = token.split("/")
    return parts if len(parts) > 1 and all(map(str.isalpha, parts)) else []


def _concepts(subject: Subject, rarity: Rarity) -> list[list[Any]]:
    """Synonyms of the subject's terms, the share that they cover, and their words."""
    found = []
    total = sum(map(rarity.of, set(stemmed(subject.head)))) or RAREST
    said = set(stemmed(subject.head))
    chosen = {*stemmed(subject.chosen), *map(acts.squash, _runs(subject.chosen))}
    for group, called in _groups_of(subject.head).items():
        stems = max((_stems(one) or (acts.squash(one),) for one in called),
                    key=lambda one: sum(map(rarity.of, one)))  # fmt: skip
        mass = sum(map(rarity.of, set(stems))) or RAREST
        others = [
            form for form in _known()[group]
            if not set(_parts(form)) <= said and chosen.isdisjoint((form[1:], *_parts(form)))
        ]  # fmt: skip
        if others:
            found.append([others, round(min(1.0, mass / total), 2), list(stems)])
    return found


def _groups_of(part: str) -> dict[int, list[str]]:
    """The groups with a name in a text, and those names."""
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
    """The stems of a name in the data; for no other, since all are kept."""
    return stemmed(called)


def _parts(form: str) -> list[str]:
    return [form] if form[0] in "=#" else form.split("+")


def _form(written: str) -> list[str]:
    """A name as compared: whole, or as the stems of its words."""
    name = written.removeprefix("=").lower()
    whole = [f"={one}" for one in dict.fromkeys((name, acts.squash(name))) if one]
    if written.startswith("="):
        is_word = name.isalpha() and weight(stemmed(name)[0] if stemmed(name) else "") < RAREST
        return [f"#{name}"] if is_word else whole
    stems = list(dict.fromkeys(stemmed(written)))
    if len(stems) == 1 and name.isalpha() and usual(stems[0]) < _EVERYDAY:
        return [f"#{name}"]
    return [*(["+".join(stems)] if len(stems) >= len(written.split()) else []), *whole]


@cache
def _groups() -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
    """Pairs of terms in a subject, and terms with the same meaning or effect."""
    names = table("matching/names")
    return (
        *((tuple(row), tuple(row)) for row in names["same"]),
        *((tuple(one["called"]), tuple(one["members"])) for one in names["kind"]),
    )


@cache
def _known() -> tuple[tuple[str, ...], ...]:
    """The forms of each group that are compared with an act."""
    return tuple(
        tuple(dict.fromkeys(form for one in listed for form in _form(one)))
        for _, listed in _groups()
    )


_Places = dict[str, list[tuple[int, str]]]


@cache
def _places() -> tuple[_Places, _Places]:
    """Groups indexed by names in a subject, and by the first stem of multi-word names."""
    by_name: _Places = {}
    by_stem: _Places = {}
    for group, (called, _) in enumerate(_groups()):
        for one in called:
            by_name.setdefault(acts.squash(one), []).append((group, one))
            parts = _stems(one)
            if parts and not one.startswith("=") and len(parts) >= len(one.split()):
                by_stem.setdefault(parts[0], []).append((group, one))
    return by_name, by_stem


def weights() -> dict[str, Any]:
    """Return the weights of the features, fitted by ``tests/bench/rejections.py``."""
    return dict(table("matching/weights"))


class Catalogue:
    """The rejections of a memory, indexed by the words of acts.

    A server keeps it between calls, so that it is compact: rows are JSON until they are compared,
    and keys are sorted hashes; as dicts and lists, a rejection takes three times as much.

    Args:
        entries: Each (id, kind, text).
    """

    def __init__(self, entries: Iterable[tuple[str, str, str]]) -> None:
        self._rows: list[bytes] = []
        keys: list[tuple[int, int]] = []
        for at, row in enumerate(rows_of(entries)):
            self._rows.append(json.dumps(row).encode())
            keys += ((hash(key), at) for key in score.keys_of(row))
        keys.sort()
        self._hashes = array("q", (key for key, _ in keys))
        self._places = array("L", (at for _, at in keys))

    def __len__(self) -> int:
        return len(self._rows)

    def rows(self) -> Iterator[Row]:
        """Yield all rows, in the order of the entries."""
        return map(json.loads, self._rows)

    def met(self, act: acts.Act) -> list[score.Met]:
        """The rejections that match an act, most certain first."""
        rows = (json.loads(self._rows[at]) for at in score.likely(act, self._having))
        return score.matches(act, rows, weights(), len(self))

    def _having(self, key: str) -> Iterator[int]:
        """Yield the positions of the rows that have a key."""
        wanted = hash(key)
        at = bisect_left(self._hashes, wanted)
        while at < len(self._hashes) and self._hashes[at] == wanted:
            yield self._places[at]
            at += 1
