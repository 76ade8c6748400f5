"""Which of the notes that warn concern what is about to be done.

A note counts when the code to be written has one of its patterns or names, when the file to be
edited is one that it names, when the command begins with the words that it begins with, or when
all words of an approach that was rejected stand within three lines. Whatever stood there before
says nothing.
"""

import os

from mind.hooks import data
from mind.hooks.place import read

TYPE_CHECKING = False  # typing takes milliseconds
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from mind.hooks.deed import Deed
    from mind.hooks.place import Place

_MOST_WORDS = 20_000
"""Characters that are taken apart into words."""
_LINES = 3
"""An approach is said within so many lines."""
_APART = {code: " " for code in range(128) if not (chr(code).isalnum() or code == 95)}


class Notes:
    """The notes that warn, ready to be compared (see :mod:`mind.hooks.building`).

    Args:
        content: The file: a line that says where to look, and one line a note.
    """

    def __init__(self, content: bytes) -> None:
        first = content.find(b"\n") + 1
        self._rows = content
        self._first = first
        self.keys: dict[str, Any] = data.loads(content[:first])

    def row(self, at: int) -> "dict[str, Any]":
        """The note at an offset."""
        begin = self._first + at
        row: dict[str, Any] = data.loads(self._rows[begin : self._rows.index(b"\n", begin)])
        return row

    def every(self) -> "Iterator[dict[str, Any]]":
        """All notes."""
        return (data.loads(line) for line in self._rows[self._first :].splitlines())

    def likely(self, deed: "Deed") -> "Iterator[dict[str, Any]]":
        """All that may concern ``deed``, and few others."""
        found: dict[int, None] = {}
        for kind, keys in _asked(deed):
            table = self.keys[kind]
            if kind == "literals":
                hits = [at for literal, listed in table if literal in keys for at in listed]
            else:
                hits = [at for key in table.keys() & keys for at in table[key]]
            found |= dict.fromkeys(hits)
        found |= dict.fromkeys(self.keys["always"])
        said = _said(deed)
        rows = (self.row(at) for at in sorted(found))
        return (row for row in rows if all(one in said for one in row.get("beginnings", ())))


def _asked(deed: "Deed") -> "Iterator[tuple[str, Any]]":
    """What to look up, by the kind of the key."""
    yield "literals", deed.text.casefold()
    yield "names", _names(deed.text)
    yield "heads", set(deed.heads)
    yield "paths", {deed.path.rsplit("/", 1)[-1]} if deed.path else set()
    said = _said(deed)
    yield "words", {said[at : at + size] for size in (3, 4) for at in range(len(said) - size + 1)}


def _names(text: str) -> set[str]:
    if text.isascii():
        return set(text.translate(_APART).split())
    import re  # noqa: PLC0415 - only for what is not ASCII

    return set(re.findall(r"\w+", text))


def _said(deed: "Deed") -> str:
    """The text that is taken apart into words, in small letters."""
    text = f"{deed.said}\n{_added(deed)}"[:_MOST_WORDS]
    if not text.isascii():
        from unicodedata import normalize  # noqa: PLC0415 - the same

        text = normalize("NFKC", text)
    return text.lower()


def load(place: "Place", generation: str) -> Notes | None:
    """The notes of a generation; None if they are not there."""
    try:
        notes = Notes(read(os.path.join(place.hooks, "notes.jsonl")))
        return notes if notes.keys["generation"] == generation else None
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


class Noticed:
    """A note that concerns a deed.

    Attributes:
        row: The note.
        why: What of the deed it is about.
        score: For an approach: how alike the deed is to it, 0–1.
    """

    __slots__ = ("row", "score", "why")

    def __init__(self, row: "dict[str, Any]", why: str, score: float = 0.0) -> None:
        self.row = row
        self.why = why
        self.score = score


def notice(deed: "Deed", rows: "Iterator[dict[str, Any]]") -> list[Noticed]:
    """The notes among ``rows`` that concern ``deed``, in their order."""
    if not deed.text.strip():
        return []
    looked = _Looked(deed)
    found = []
    for row in rows:
        ways = (looked.by_pattern, looked.by_name, looked.by_path, looked.by_head, looked.by_words)
        one = next((hit for way in ways if (hit := way(row))), None)
        if one is not None:
            found.append(one)
    return found


class _Looked:
    """A deed, taken apart as far as the notes ask for it."""

    def __init__(self, deed: "Deed") -> None:
        self._deed = deed
        self._texts: tuple[str, str] | None = None
        self._lines: list[frozenset[str]] | None = None
        self._raw: list[str] = []

    def _written(self) -> tuple[str, str]:
        if self._texts is None:
            from mind.sourcetext import written  # noqa: PLC0415 - where a pattern may match

            self._texts = written(self._deed.text), written(self._deed.before)
        return self._texts

    def by_pattern(self, row: "dict[str, Any]") -> Noticed | None:
        endings = tuple(row.get("endings", ()))
        if endings and not self._deed.path.lower().endswith(endings):
            return None
        for pattern in row.get("patterns", ()):
            found = self._found(pattern)
            if found:
                return Noticed(row, f"`{' '.join(found.split())[:60]}`")
        return None

    def _found(self, pattern: str) -> str:
        from mind.sourcetext import compiled  # noqa: PLC0415 - the same

        after, before = self._written()
        found = compiled(pattern).search(after)
        return found.group() if found and not compiled(pattern).search(before) else ""

    def by_name(self, row: "dict[str, Any]") -> Noticed | None:
        from mind.sourcetext import whole_name  # noqa: PLC0415 - the same

        for name in row.get("names", ()):
            if name in self._deed.text and self._found(whole_name(name)):
                return Noticed(row, f"`{name}`")
        return None

    def by_path(self, row: "dict[str, Any]") -> Noticed | None:
        path = f"/{self._deed.path}"
        for name in row.get("paths", ()) if self._deed.path else ():
            if path.endswith(f"/{name}"):
                return Noticed(row, f"the file {self._deed.path}")
        return None

    def by_head(self, row: "dict[str, Any]") -> Noticed | None:
        head = row.get("head", "")
        return Noticed(row, f"`{head}`") if head and head in self._deed.heads else None

    def by_words(self, row: "dict[str, Any]") -> Noticed | None:
        wanted = frozenset(row.get("words", ()))
        if not wanted:
            return None
        lines = self._worded()
        for count in range(1, _LINES + 1):
            for at in range(len(lines) - count + 1):
                if wanted <= frozenset().union(*lines[at : at + count]):
                    return _weighed(row, " ".join(self._raw[at : at + count]))
        return None

    def _worded(self) -> list[frozenset[str]]:
        if self._lines is None:
            from mind.similarity.words import words  # noqa: PLC0415 - where an approach may match

            text = f"{self._deed.said}\n{_added(self._deed)}"[:_MOST_WORDS]
            self._raw = [line for line in text.split("\n") if line.strip()]
            self._lines = [frozenset(words(line)) for line in self._raw]
        return self._lines


def _added(deed: "Deed") -> str:
    """The lines of the text that did not stand there before."""
    if not deed.before:
        return deed.text
    before = set(map(str.strip, deed.before.split("\n")))
    return "\n".join(line for line in deed.text.split("\n") if line.strip() not in before)


def _weighed(row: "dict[str, Any]", said: str) -> Noticed | None:
    """How alike what is said is to the approach; None where it says the opposite."""
    from mind.similarity import opposed, similarity  # noqa: PLC0415 - only for what is shown

    if opposed(row["approach"], said):
        return None
    return Noticed(row, "its words", round(similarity(row["approach"], said), 2))
