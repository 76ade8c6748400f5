"""Rejections as rows: words with weights, names, and synonyms."""

import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Self

from mind.text import table
from mind.text.matching import acts
from mind.text.matching.acts import stems as stemmed
from mind.text.matching.programs import SORTS
from mind.text.matching.score import RAREST
from mind.text.matching.subjects import Subject, choice, function_words, subjects_of
from mind.text.matching.synonyms import forms, groups_of, stems_of, usual

_UNKNOWN = 100
"""Weight of the general rarity, in entries; larger memories rely more on their own counts."""
_TECHNICAL = 6.5
"""Word weight from which a word is a name rather than an everyday word."""
_LEAST, _TELLING = 4.0, 2.0
"""Minimum weight of a name's rarest word, and of an informative word."""
_WIDESPREAD, _EVERYWHERE = 5.0, 3.0
"""Rarity among all entries below which a word is no name of what one of them rejected, and below
which it says little: about one entry in twenty has it."""
_DOMINANT = 1.5
"""Rarity among all entries below which a word tells nothing by itself, only with others."""
_BACKTICKS = re.compile(r"`([^`]{3,60})`")
_TOKEN = re.compile(r"[^\s(),;:!?\"“”„\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]+")
_SIGNS = "`'.*<>[]{}"
"""Signs around a name that are no part of it."""
_MOST_NAMES, _SHORTEST = 3, 3
_MOST_OF_IT = 0.5
_CODE = re.compile(r"[a-z][A-Z]|\w[._:/]\w|_|[A-Z]{2}[a-z]|\(\)|\d\w")
"""A name in the form used in code."""
_WRITTEN = re.compile(r"\w_\w|\w::\w|\w\(\)")
"""A form that is a name only in code, regardless of word weights."""
_ABOUT_TESTS = re.compile(
    r"\b(?:tests?\b|testing|spec|mock|stub|fixture|snapshot|e2e|assert)", re.IGNORECASE
)

Row = dict[str, Any]


@cache
def _sorts() -> frozenset[str]:
    """Words of a subject that give its category, not its identity."""
    return frozenset(stemmed(SORTS))


class Rarity:
    """Weights of words in one memory: general rarity, reduced for words frequent there.

    Args:
        texts: Texts of the entries that advise against something; equal ones count once.
        project: The project's name: its code has that everywhere. Of "shop-django", no word is.
        everything: Texts of all entries. What most of a memory is about distinguishes nothing.
    """

    def __init__(
        self, texts: Iterable[str], project: str = "", everything: Iterable[str] = ()
    ) -> None:
        self._own = frozenset(stemmed(project)) if project.isalnum() else frozenset()
        self._having: defaultdict[str, set[int]] = defaultdict(set)
        self._entries = 0
        for text in dict.fromkeys(texts):
            for stem in stemmed(text):
                self._having[stem].add(self._entries)
            self._entries += 1
        self._widespread = _widespread(everything)

    def dumps(self) -> str:
        """Return the counts as JSON."""
        having = {stem: sorted(found) for stem, found in self._having.items()}
        told = [sorted(self._own), self._entries, having, self._widespread]
        return json.dumps(told, ensure_ascii=False)

    @classmethod
    def loads(cls, told: str) -> Self:
        """Return the weights from counts as JSON."""
        found = cls(())
        own, found._entries, having, found._widespread = json.loads(told)
        found._own = frozenset(own)
        found._having.update((stem, set(entries)) for stem, entries in having.items())
        return found

    def of(self, stem: str) -> float:
        """The weight of a stem, 0–8."""
        return self.of_name((stem,))

    def of_name(self, stems: Iterable[str], *, together: bool = False) -> float:
        """The weight of the stems of one name, 0–8, by the entries that have all of them.

        If they tell only ``together`` with others, that the whole memory has them is no matter.
        """
        telling = {one for one in stems if one not in function_words() and one not in self._own}
        if not telling:
            return 0.05
        having = set.intersection(*(self._having.get(one, set()) for one in telling))
        general = min(RAREST, sum(map(usual, telling)))
        known = self._entries + _UNKNOWN
        here = -math.log((_UNKNOWN * math.exp(-general) + max(0, len(having) - 1)) / known)
        worth = 1.0 if together else min(1.0, self.throughout(telling) / _EVERYWHERE)
        return max(0.05, min(general, here) * worth)

    def throughout(self, words: Iterable[str]) -> float:
        """The rarity among all entries of the rarest of some words or names, 0–8."""
        return max((self._widespread.get(one, RAREST) for one in words), default=RAREST)

    def here(self, stems: Iterable[str]) -> float:
        """The share of the general weight of stems that they have in this memory."""
        listed = set(stems)
        general = sum(map(usual, listed))
        return round(min(1.0, sum(map(self.of, listed)) / general), 2) if general else 1.0

    def named(self, stem: str) -> float:
        """The weight as a name: that entries mention a package makes it no other package."""
        return 0.05 if stem in function_words() or stem in self._own else usual(stem)


def _widespread(texts: Iterable[str]) -> dict[str, float]:
    """The words and code names that many texts have, with their rarity among these."""
    having: Counter[str] = Counter()
    size = _UNKNOWN
    for text in dict.fromkeys(texts):
        tokens = _TOKEN.findall(text) if _WRITTEN.search(text) else ()
        written = (one.strip(_SIGNS) for one in tokens if _WRITTEN.search(one))
        having.update({*stemmed(text), *map(acts.squash, written)})
        size += 1
    shared = {one: math.log(size / (count - 1)) for one, count in having.items() if count > 1}
    return {one: round(rarity, 2) for one, rarity in shared.items() if rarity < _WIDESPREAD}


def rows_of(kind: str, text: str, rarity: Rarity, keywords: Iterable[str] = ()) -> Iterator[Row]:
    """Yield the rows of an entry, which can reject several subjects; without its id.

    Args:
        kind: The entry's kind.
        text: Its text.
        rarity: Weights of words in its memory.
        keywords: Its names, as given by its author.
    """
    for subject in subjects_of(kind, text):
        row = _row(subject, rarity)
        if row is not None:
            given = [forms for one in keywords if (forms := _forms(one, rarity))]
            names = filter(None, map(_name, keywords))
            named = [one for one in names if not _is_chosen(one, subject, row)]
            yield row | {"keywords": [*given, *_own(given, row)], "given": named}


def _name(keyword: str) -> list[str]:
    """Return a keyword that is a name: what it is, as given, and as compared.

    A "phrase", compared by stems, "code" for a name that code has, else "package".
    """
    said = " ".join(keyword.lower().split())
    if " " in said:
        return ["phrase", said, acts.phrase(said)] if len(stemmed(said)) > 1 else []
    rarest = max(map(usual, stemmed(said)), default=0.0)
    is_code = _CODE.search(keyword) or not said.isalnum() or rarest >= RAREST
    if len(said) < _SHORTEST:
        return []
    is_bare = said[0].isalnum() or said[0] == "@"  # of ".env" and "int()", the sign is a part
    joined = acts.squash(said) if is_bare and said[-1].isalnum() else said
    return ["code" if is_code else "package", said, joined]


def _is_chosen(name: Sequence[str], subject: Subject, row: Row) -> bool:
    """Return whether a keyword names the alternative."""
    chosen = choice(subject)
    runs = set(map(acts.squash, _runs(chosen))) if chosen else set()
    return acts.squash(name[1]) in runs or name[2] in row["cures"]


def _own(given: Sequence[Sequence[str]], row: Row) -> Iterator[list[str]]:
    """Yield the subject's own names as one keyword, if none is given: no other keyword hides them.

    Spellings of one name count once.
    """
    own = {f"={name}" for name, _, share, _ in row["names"] if share >= _MOST_OF_IT}
    if given and own and own.isdisjoint(form for forms in given for form in forms):
        yield sorted(own)


def _forms(keyword: str, rarity: Rarity) -> list[str]:
    """The forms of a keyword, as of a synonym: an everyday word alone counts only as a package.

    Words that the whole memory has count only as they are written in code.
    """
    stems = list(dict.fromkeys(stemmed(keyword)))
    is_common = rarity.throughout(stems) < _EVERYWHERE
    if " " in keyword:
        return ["+".join(stems)] if len(stems) > 1 and not is_common else []
    is_code = bool(_CODE.search(keyword)) or _is_symbolic(keyword)
    if not stems and not is_code:
        return []
    is_name = is_code or max(map(usual, stems)) >= _TECHNICAL
    names = dict.fromkeys((acts.squash(keyword), keyword.lower()))
    found = [("=" if is_name else "#") + one for one in names if one]
    is_told = any(len(one) > 1 and not one.isdigit() for one in stems)  # of "i18n" 18 is left
    return [*found, "+".join(stems)] if is_name and is_told and not is_common else found


def _row(subject: Subject, rarity: Rarity) -> Row | None:
    whole, head = subject, _head(subject, rarity)
    if not _tells(head, rarity) and subject.sort != "gotcha":  # "Our app as a plugin of X": X
        subject = replace(subject, head=subject.condition, condition=subject.head)
        head = _head(subject, rarity)
    is_common = not _tells(head, rarity)
    if is_common:
        subject, head = _in_common(whole, rarity)
    if not head:
        return None
    said = set(head)
    rest = _weighed(f"{subject.condition} {subject.shared}", rarity, said, together=is_common)
    chosen = _weighed(subject.chosen, rarity, said | set(rest))
    return {
        "sort": subject.sort,
        "subject": subject.head.strip(),
        "instead": (subject.clause or subject.chosen).strip(),
        "together": is_common and len(head) > 1,
        "head": list(map(list, head.items())),
        "rest": list(map(list, rest.items())),
        "chosen": list(map(list, chosen.items())),
        "names": _names(subject, rarity, sum(head.values())),
        "cures": _cures(subject),
        "tests": bool(_ABOUT_TESTS.search(f"{subject.head} {subject.condition} {subject.shared}")),
        "concepts": _concepts(subject, rarity) + _named_concepts(subject, rarity),
    }


def _head(subject: Subject, rarity: Rarity, *, together: bool = False) -> dict[str, float]:
    """The words that tell what a subject is, each with its weight."""
    head = _weighed(_HYPHENATED.sub(_whole, subject.head), rarity, together=together)
    both = set(stemmed(f"{subject.chosen} {subject.shared}")) if subject.sort != "gotcha" else set()
    head = {one: weight / 2 if one in both else weight for one, weight in head.items()}
    return {one: weight for one, weight in head.items() if one not in _sorts()}


def _tells(words: Iterable[str], rarity: Rarity) -> bool:
    """Return whether one of some words tells something by itself in this memory."""
    return any(rarity.throughout([one]) >= _DOMINANT for one in words)


def _in_common(subject: Subject, rarity: Rarity) -> tuple[Subject, dict[str, float]]:
    """A subject of words that the whole memory has, of which only several together tell it."""
    whole = replace(subject, head=f"{subject.head} {subject.condition}", condition="")
    for one in (subject, whole):
        head = _head(one, rarity, together=True)
        if len(head) > 1:
            return one, head
    return subject, _symbol(subject)


def _symbol(subject: Subject) -> dict[str, float]:
    """A subject that has no words, only a name with signs."""
    is_name = _is_symbolic(subject.head) or _WRITTEN.search(subject.head)
    return {acts.squash(subject.head): RAREST} if is_name else {}


_HYPHENATED = re.compile(
    r"(?<![\w@/.-])(?:@[\w-]+/[\w-]+|(?P<first>[a-z]\w*)-(?!(?:based|backed|managed|driven|side|first|"
    r"only|style|like|native|specific|powered|hosted|in|to|by|and|of|free|less|level|time)\b(?!-))"
    r"(?P<rest>[a-z]\w*(?:-[a-z]\w*){0,3}))(?![\w/-])"
)
"""Matches the name of a package: "react-query" is for React, and is not React.

Capitals are left out: "Redis-Cache" is German for a cache in Redis.
"""


def _whole(found: re.Match[str]) -> str:
    """Return the name of a package without what it is for: "axios" alone is no "axios-retry"."""
    name, first = acts.squash(found[0]), found["first"]
    if first is None or len(first) == 1:
        return name
    is_long = "-" in found["rest"]  # "end-to-end" is no name
    telling = stemmed(found[0] if is_long else first)
    if not any(usual(stem) >= _TECHNICAL for stem in telling):
        return found[0]
    return name if is_long else f"{found['rest']} {name}"


def _cures(subject: Subject) -> list[str]:
    """Code names of the alternative: code that has them gets no warning."""
    named = [one for one in _runs(subject.chosen, most=1) if _CODE.search(one)]
    said = {acts.squash(one) for one in _runs(f"{subject.head} {subject.condition}")}
    known = {name for one in named for name in (acts.squash(one), one.lower())}
    return sorted(one for one in known - said if len(one) > _SHORTEST)


def _weighed(
    text: str, rarity: Rarity, without: Iterable[str] = (), *, together: bool = False
) -> dict[str, float]:
    known = set(without)
    found = dict.fromkeys(stemmed(text))
    weighed = {
        one: round(rarity.of_name((one,), together=together), 2)
        for one in found
        if one not in known
    }
    return {one: weight for one, weight in weighed.items() if weight >= _TELLING}


def _names(subject: Subject, rarity: Rarity, total: float) -> list[list[Any]]:
    """Names for the subject's packages or code, each with weight, share, and if it is code."""
    found: dict[str, list[Any]] = {}
    for part, least in _written(subject, rarity):
        mass, known = _weights_of(part, rarity)
        share = round(min(1.0, mass / total), 2) if total else 0.0
        share = 1.0 if part in subject.named else share
        is_code = int(_CODE.search(part) is not None)
        for name in (acts.squash(part), part.lower()):
            if len(name) > 1 and known >= least:
                found[name] = [round(max(mass, _LEAST), 2), share, is_code]
    for part in _BACKTICKS.findall(f"{subject.head} {subject.condition}"):
        name = acts.squash(part)
        known = RAREST if _CODE.search(part) else _weights_of(name, rarity)[1]
        if known >= _LEAST:
            found[name] = [known, 1.0, 1]
    return [[name, *values] for name, values in found.items()]


def _written(subject: Subject, rarity: Rarity) -> Iterator[tuple[str, float]]:
    """Yield what may be a name of the subject, and the weight that makes it one."""
    own, beside = _runs(subject.head), _runs(subject.condition)
    if subject.sort == "gotcha":
        yield from ((one, _LEAST) for one in (*beside, *own) if _CODE.search(one))
        return
    if _is_everyday(subject.head):
        yield from (
            (one, _TECHNICAL)
            for one in beside
            if _weights_of(one, rarity)[0] >= _TECHNICAL
            and rarity.throughout(stemmed(one)) >= _WIDESPREAD
        )
    yield from ((one, _LEAST) for one in (*own, *subject.named))


def _weights_of(part: str, rarity: Rarity) -> tuple[float, float]:
    """The weight of a name in this memory, and as a name."""
    stems = set(stemmed(part))
    if " " not in part and _WRITTEN.search(part):
        found = rarity.throughout([acts.squash(part)])
        return found, found
    if not stems and _is_symbolic(part):
        stems = {acts.squash(part)}
    return rarity.of_name(stems), min(RAREST, sum(map(rarity.named, stems)))


def _is_everyday(head: str) -> bool:
    """Return whether a subject names nothing: of "polling jobs with Celery", Celery is rejected."""
    words = [one for one in head.lower().split() if not one.endswith("ing")]
    rare = any(usual(stem) >= _TECHNICAL for one in words for stem in stemmed(one))
    return not (rare or _CODE.search(head))


def _is_symbolic(name: str) -> bool:
    """Return whether a name has punctuation: ``W&B``, ``C#``."""
    return bool(acts.squash(name)) and not name.replace(" ", "").isalnum()


def _runs(text: str, most: int = _MOST_NAMES) -> list[str]:
    """The tokens of a text, and sequences of adjacent ones between words that tell something."""
    tokens = [one.strip(_SIGNS) for one in _TOKEN.findall(text)]
    tokens = [part for one in tokens for part in (one, *_apart(one)) if part]
    told = [bool(stemmed(one)) or _is_symbolic(one) for one in tokens]
    return [
        " ".join(tokens[at : at + count])
        for at in range(len(tokens))
        for count in range(1, most + 1)
        if at + count <= len(tokens) and (count == 1 or (told[at] and told[at + count - 1]))
    ]


def _apart(token: str) -> list[str]:
    """The two names of ``Redux/MobX``."""
    parts = token.split("/")
    return parts if len(parts) > 1 and all(map(str.isalpha, parts)) else []


def _concepts(subject: Subject, rarity: Rarity) -> list[list[Any]]:
    """Synonyms of the subject's terms: the share that they cover, their words and rarity."""
    found = []
    total = sum(map(rarity.of, set(stemmed(subject.head)))) or RAREST
    said = set(stemmed(subject.head))
    text = _HYPHENATED.sub(_whole, subject.head)
    for group, called in groups_of(text, _runs(subject.head)).items():
        stems = max((stems_of(one) or (acts.squash(one),) for one in called),
                    key=lambda one: sum(map(rarity.of, one)))  # fmt: skip
        mass = sum(map(rarity.of, set(stems))) or RAREST
        others = [one for one in forms(group) if _is_other(one, said, rarity)]
        if others:
            share = round(min(1.0, mass / total), 2)
            found.append([others, share, list(stems), rarity.here(stems)])
    return found


def _is_other(form: str, said: set[str], rarity: Rarity) -> bool:
    """Return whether a synonym says something that a subject's words and the memory do not."""
    parts = _parts(form)
    bare = [one.lstrip("=#") for one in parts]
    is_told = rarity.throughout(bare) >= _EVERYWHERE and rarity.here(bare) >= _MOST_OF_IT
    return is_told and not said.issuperset(parts)


def _named_concepts(subject: Subject, rarity: Rarity) -> list[list[Any]]:
    """Synonyms of the names beside a subject: each is all of it."""
    words = [*dict.fromkeys(stemmed(subject.head))]
    return [
        [list(forms(group)), 1.0, words, rarity.here(stemmed(part))]
        for part in subject.named
        for group in groups_of(part, _runs(part))
    ]


def _parts(form: str) -> list[str]:
    return [form] if form[0] in "=#" else form.split("+")


def weights() -> dict[str, Any]:
    """Return the weights of the features, fitted by ``tests/bench/rejections.py``."""
    return dict(table("matching/weights"))
