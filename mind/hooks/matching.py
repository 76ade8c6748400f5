"""Matching of a prompt with the entry it is very likely about.

The score is based on shared words. A word weighs more the rarer it is in speech, in software
English and in this memory. What an entry is about is its subject, the words before its reason or
alternative, and the names in it that are written as in code and that few entries have: other words
count half. The weight of the shared words is compared with the length of the prompt, as a long
prompt shares words with any entry, and with the weight that another entry shares. The weights are
fitted by ``tests/bench/prompts.py`` and evaluated on projects of authors that were left out.
"""

import os
import re
import unicodedata
from math import log
from operator import mul

from mind.hooks import data
from mind.storage.gitindex import read
from mind.text.similarity.words import stem, words_and_names

TYPE_CHECKING = False  # typing takes milliseconds
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from mind.domain.entry import Entry
    from mind.hooks.place import HookProject

    Signals = tuple[float, float, float]

THRESHOLD = 4.4
"""Minimum score of an entry that is shown with a prompt, chosen on the prompts of four authors."""
WEIGHTS = (0.162, 0.136, 0.3)
"""Weights of a candidate's signals, in their order."""

_WARNING = frozenset({"rejected", "gotcha"})
"""Kinds that keep an agent from doing what a prompt asks for."""
_BACKGROUND = frozenset({"progress", "goal", "todo", "experience", "relation"})
"""Kinds that seldom change what an agent does: never shown with a prompt. A note may, since most of
what is written by hand has no label."""

_TELLING = 5.0
"""Minimum weight of the shared words of a subject."""
_REASON = 0.5
"""Share of its weight that a word of the reason counts."""
_USUAL_LENGTH, _SHORTEST = 16, 10
"""Words of a prompt at which shared words have their own weight, and the fewest assumed."""
_HEAVIEST, _NUMBER = 7.0, 2.0
_KANA, _MIXED, _IDEOGRAPHS = 3.5, 5.0, 6.5
_MOST_LISTED = 500
"""Maximum entries with a word; a more common word carries too little weight to be listed."""
_MOST_SCORED = 20
_LONGEST_PROMPT = 8_000
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]+")
_HIRAGANA = re.compile(r"[\u3040-\u309f]")
_NAME = re.compile(r"[A-Za-z]\w*(?:[-./:]+\w+)*", re.ASCII)
_LIKE_CODE = re.compile(r"(?=.{4})(?:.*(?:\d|\w[._]\w)|[a-z]+[A-Z]|[A-Z]{6,}$)")
"""ENGINE-12018, max_conn, astToIr, ECONNREFUSED, but not FactoryBot: so are products written, which
are mostly the alternative where they are not the subject."""
_FEW = 2
"""Maximum entries that a name of code identifies."""
_END_OF_SUBJECT = re.compile(r"\s(?:[-–—]|->|→)\s|[:;(、。]|[.,]\s")


def terms(text: str) -> tuple[str, ...]:
    """Return the words of a text in order, without accents; ideographs and kana in pairs."""
    if not text.isascii():
        apart = unicodedata.normalize("NFKD", _CJK.sub(r" \g<0> ", text))
        bare = "".join(one for one in apart if not unicodedata.combining(one))
        text = unicodedata.normalize("NFC", bare)
    return words_and_names(text)


def names(text: str) -> list[str]:
    """Return the names in a text that are written as in code, in the form of :func:`terms`."""
    found = filter(_LIKE_CODE.match, _NAME.findall(text))
    return [stem(one.casefold()) if one.isalpha() else one.casefold() for one in found]


class _Shared:
    """Words that an entry shares with a prompt.

    Attributes:
        at: Where the row of the entry begins.
        total: The weight of all words.
        subject: The weight of those in the subject.
        counted: The weight of all, each counted by the part of the entry in which it is.
    """

    __slots__ = ("at", "counted", "subject", "total")

    def __init__(self, at: int) -> None:
        self.at = at
        self.total = self.subject = self.counted = 0.0

    def add(self, weight: float, part: bytes) -> None:
        """Count a word of the subject ("s"), or of the rest."""
        self.total += weight
        if part == b"s":
            self.subject += weight
        self.counted += weight if part == b"s" else _REASON * weight


class Matcher:
    """Index of a memory's entries for matching prompts (see :func:`stored`).

    Args:
        content: The file: a header, the sorted words, one line per entry.
    """

    def __init__(self, content: bytes) -> None:
        first = content.find(b"\n") + 1
        self.header: dict[str, Any] = data.loads(content[:first])
        self._words = content[first : first + self.header["words"]]
        self._rows = content[first + self.header["words"] :]

    def matches(self, prompt: str) -> "list[tuple[float, dict[str, Any]]]":
        """Return entries that share words with ``prompt``, with their scores, best first."""
        found = [(sum(map(mul, WEIGHTS, signals)), row) for signals, row in self.candidates(prompt)]
        return sorted(found, key=lambda one: -one[0])

    def candidates(self, prompt: str) -> "list[tuple[Signals, dict[str, Any]]]":
        """Return entries that share words with ``prompt``, each with its signals.

        The signals are the weight of the shared words for a prompt of this length, the same if the
        entry is a warning, else 0, and the lead in weight over the best of the others. All are 0
        for an entry of the background and for one whose subject the prompt does not name.
        """
        prompt = prompt[:_LONGEST_PROMPT]
        said = terms(prompt)
        shared = self._shared((*said, *names(prompt)))
        best = sorted(shared.values(), key=lambda one: -one.total)[:_MOST_SCORED]
        first, second, *_ = *sorted((one.counted for one in best), reverse=True), 0.0, 0.0
        short = (max(len(set(said)), _SHORTEST) / _USUAL_LENGTH) ** -0.5
        found: list[tuple[Signals, dict[str, Any]]] = []
        for one in best:
            row = self._row(one.at)
            signals = (0.0, 0.0, 0.0)
            if one.subject >= _TELLING and row["kind"] not in _BACKGROUND:
                strength = one.counted * short
                lead = one.counted - (second if one.counted == first else first)
                signals = (strength, strength if row["kind"] in _WARNING else 0.0, lead)
            found.append((signals, row))
        return found

    def _shared(self, said: "Sequence[str]") -> "dict[int, _Shared]":
        """Return what each entry shares with the words of a prompt."""
        shared: dict[int, _Shared] = {}
        for word in dict.fromkeys(said):
            weight, _, marks = data.listed(self._words, word).partition(b"\t")
            for mark in marks.split():
                at = int(mark.rstrip(b"s"))
                shared.setdefault(at, _Shared(at)).add(float(weight), mark[-1:])
        return shared

    def _row(self, at: int) -> "dict[str, Any]":
        row: dict[str, Any] = data.loads(self._rows[at : self._rows.index(b"\n", at)])
        return row


def path_of(place: "HookProject") -> str:
    """Return the path of the file."""
    return os.path.join(place.hooks, "entries.txt")


def load(place: "HookProject", generation: str) -> Matcher | None:
    """Load the matcher of a generation; None if it is not stored."""
    try:
        matcher = Matcher(read(path_of(place)))
        return matcher if matcher.header["generation"] == generation else None
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def stored(entries: "Sequence[Entry]", shown: "Iterable[str]", generation: str) -> bytes:
    """Return the content of the file that :class:`Matcher` reads.

    Args:
        entries: All entries that may be shown.
        shown: The line that shows each entry.
        generation: Digest of the inputs.
    """
    marks: dict[str, list[str]] = {}
    named: set[str] = set()
    rows, at = [], 0
    for entry, line in zip(entries, shown, strict=True):
        words, found = terms(entry.text), names(entry.text)
        named.update(found)
        row = {"id": entry.id, "kind": entry.kind.value, "line": line, "terms": words}
        source = data.line(row).encode("utf-8", "replace") + b"\n"
        subject = _subject(entry.text)
        for word in dict.fromkeys((*words, *found)):
            part = "s" if word in subject else ""
            marks.setdefault(word, []).append(f"{at}{part}")
        rows.append(source)
        at += len(source)
    lines = []
    for word, having in marks.items():
        if len(having) <= _MOST_LISTED:
            weight = _weight(word, len(having), len(entries))
            is_subject = word in named and len(having) <= _FEW
            listed = [f"{one.rstrip('s')}s" for one in having] if is_subject else having
            lines.append(f"{word}\t{weight:.2f}\t{' '.join(listed)}\n".encode("utf-8", "replace"))
    body = b"".join(sorted(lines))
    header = data.line({"generation": generation, "words": len(body)}).encode()
    return b"".join([header, b"\n", body, *rows])


def _subject(text: str) -> tuple[str, ...]:
    """Return the words before the reason, the alternative or the next sentence, else all."""
    end = _END_OF_SUBJECT.search(text, 8)
    return (terms(text[: end.start()]) if end else ()) or terms(text)


def _weight(word: str, having: int, entries: int) -> float:
    """Return the weight of a word: its rarity in general and among ``entries``."""
    if having <= 1:
        return _rarity(word)
    rare = log(1 + (entries - having + 0.5) / (having + 0.5)) / log(1 + (entries + 0.5) / 1.5)
    return _rarity(word) * min(1.0, max(0.0, rare))


def _rarity(word: str) -> float:
    """Return the weight of a word: the less of its rarities in software English and in speech."""
    from mind.text import word_weights  # noqa: PLC0415 - it loads tables
    from mind.text.similarity.words import weight  # noqa: PLC0415 - the same

    if word.isdigit():
        return _NUMBER
    if not _CJK.fullmatch(word):
        spoken = word_weights("matching/common").get(word, _HEAVIEST)
        return min(weight(word), spoken, _HEAVIEST)
    kana = len(_HIRAGANA.findall(word))
    return _KANA if kana == len(word) else _MIXED if kana else _IDEOGRAPHS
