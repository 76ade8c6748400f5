"""Matching of a prompt with the entries it is very likely about.

The score is based on shared words. A word weighs more the rarer it is in software English and in
this memory; words of an entry's subject weigh more than those of its reason. Shared phrases, kinds
that change what an agent does, and a lead over the next entry raise the score. The weights are
fitted by ``tests/bench/prompts.py`` and evaluated on held-out projects.
"""

import os
import re
import unicodedata
from itertools import pairwise
from math import log
from operator import mul

from mind.hooks import data
from mind.storage.gitindex import read
from mind.text.similarity.words import words

TYPE_CHECKING = False  # typing takes milliseconds
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from mind.domain.entry import Entry
    from mind.hooks.place import HookProject

THRESHOLD = 23.25
"""Minimum score of an entry that is shown with a prompt."""
WEIGHTS = (1.0, 0.34, 3.35, 4.6, 0.38)
"""Weights of a candidate's signals, in their order."""

_KINDS = {
    "rejected": 1.0, "gotcha": 1.0, "decision": 0.6, "learning": 0.6, "problem": 0.5,
    "blocker": 0.5, "assumption": 0.3, "note": 0.3, "todo": 0.3, "experience": 0.2,
}  # fmt: skip
"""Weight of a kind: how much such an entry changes what an agent does."""

_HEAVIEST, _NUMBER = 7.5, 2.5
_KANA, _MIXED, _IDEOGRAPHS = 3.5, 5.0, 6.5
_MOST_LISTED = 500
"""Maximum entries with a word; a more common word carries too little weight to be listed."""
_MOST_SCORED = 20
_LONGEST_PROMPT = 8_000
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]+")
_HIRAGANA = re.compile(r"[\u3040-\u309f]")
_ELIDED = re.compile(r"n?['’](?:t|s|re|ve|ll|d|m)\b")
_END_OF_SUBJECT = re.compile(
    r"\s[-–—]\s|[:;(、。]|[.,]\s|\s(?:->|→|because|since|so that|over|weil|porque|car)\s"
)
_POLITE = "please pls plz thanks thank thx bitte danke merci gracias obrigado don dont doesn cant"


def terms(text: str) -> tuple[str, ...]:
    """Return the words of a text in order, without accents; ideographs and kana in pairs."""
    plain = _ELIDED.sub(" ", text)
    if not plain.isascii():
        apart = unicodedata.normalize("NFKD", _CJK.sub(r" \g<0> ", plain))
        bare = "".join(one for one in apart if not unicodedata.combining(one))
        plain = unicodedata.normalize("NFC", bare)
    return words(plain)


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

    def candidates(self, prompt: str) -> "list[tuple[tuple[float, ...], dict[str, Any]]]":
        """Return entries that share words with ``prompt``, each with its signals.

        The signals are the weight of the shared words, the weight of those in the subject, the
        number of adjacent word pairs in both, the weight of the kind, and the lead in shared
        weight over the next entry.
        """
        said = terms(prompt[:_LONGEST_PROMPT])
        total: dict[int, float] = {}
        subject: dict[int, float] = {}
        for word in dict.fromkeys(said):
            found = data.listed(self._words, word, 0, len(self._words))
            weight, _, marks = found.partition(b"\t")
            for mark in marks.split():
                at = int(mark.removesuffix(b"s"))
                total[at] = total.get(at, 0.0) + float(weight)
                if mark.endswith(b"s"):  # a word of the subject
                    subject[at] = subject.get(at, 0.0) + float(weight)
        best = sorted(total, key=lambda at: -total[at])
        pairs = set(pairwise(said))
        found_rows: list[tuple[tuple[float, ...], dict[str, Any]]] = []
        for at in best[:_MOST_SCORED]:
            row = self._row(at)
            others = [total[other] for other in best[:2] if other != at]
            phrases = pairs.intersection(pairwise(row["terms"]))
            lead = total[at] - max(others, default=0.0)
            kind = _KINDS.get(row["kind"], 0.0)
            signals = (total[at], subject.get(at, 0.0), float(len(phrases)), kind, lead)
            found_rows.append((signals, row))
        return found_rows

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
    rows, at = [], 0
    for entry, line in zip(entries, shown, strict=True):
        listed = terms(entry.text)
        row = {"id": entry.id, "kind": entry.kind.value, "line": line, "terms": listed}
        source = data.line(row).encode("utf-8", "replace") + b"\n"
        subject = frozenset(_subject(entry.text)) or frozenset(listed)
        for word in dict.fromkeys(listed):
            marks.setdefault(word, []).append(f"{at}s" if word in subject else str(at))
        rows.append(source)
        at += len(source)
    lines = []
    for word in marks.keys() - _function_words():
        if len(marks[word]) <= _MOST_LISTED:
            weight = _weight(word, len(marks[word]), len(entries))
            lines.append(
                f"{word}\t{weight:.2f}\t{' '.join(marks[word])}\n".encode("utf-8", "replace")
            )
    body = b"".join(sorted(lines))
    header = data.line({"generation": generation, "words": len(body)}).encode()
    return b"".join([header, b"\n", body, *rows])


def _subject(text: str) -> tuple[str, ...]:
    """Return the words before the reason, the alternative or the next sentence."""
    end = _END_OF_SUBJECT.search(text, 8)
    return terms(text[: end.start()] if end else text)


def _function_words() -> frozenset[str]:
    from mind.text import languages, table  # noqa: PLC0415 - only when the file is built

    lists = (table(f"language/{name}")["function"] for name in languages("language"))
    return frozenset(word for listed in (_POLITE, *lists) for word in terms(listed))


def _weight(word: str, having: int, entries: int) -> float:
    """Return the weight of a word: its rarity in software English and among ``entries``."""
    from mind.text.similarity.words import weight  # noqa: PLC0415 - it loads a table

    if having <= 1:
        return _rarity(word, weight(word))
    rare = log(1 + (entries - having + 0.5) / (having + 0.5)) / log(1 + (entries + 0.5) / 1.5)
    return _rarity(word, weight(word)) * min(1.0, max(0.0, rare))


def _rarity(word: str, weight: float) -> float:
    if word.isdigit():
        return _NUMBER
    if not _CJK.fullmatch(word):
        return min(weight, _HEAVIEST)
    kana = len(_HIRAGANA.findall(word))
    return _KANA if kana == len(word) else _MIXED if kana else _IDEOGRAPHS
