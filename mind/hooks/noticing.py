"""Which of the notes that warn concern what is about to be done.

A note counts when the code to be written has one of its patterns or names, when the file to be
edited is one that it names, when the command begins with the words that it begins with, or when
all words of an approach that was rejected stand within three lines. Whatever stood there before
says nothing.
"""

import os

from mind.hooks import data
from mind.hooks.place import read
from mind.sourcetext import folded, place_of

TYPE_CHECKING = False  # typing takes milliseconds
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from mind.hooks.deed import Deed
    from mind.hooks.place import Place

_SECONDS, _SECONDS_BEFORE = 0.03, 0.01
"""For all patterns of an event in the new text, and for those it has in the text before."""
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
    yield "literals", folded(deed.text)
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


def notice(
    deed: "Deed", rows: "Iterable[dict[str, Any]]", slow: "list[dict[str, Any]] | None" = None
) -> list[Noticed]:
    """The notes among ``rows`` that concern ``deed``, in their order.

    Those with a pattern that takes too long are added to ``slow``; it counts as not met.
    """
    if not deed.text.strip():
        return []
    looked = _Looked(deed, list(rows))
    found = []
    for row in looked.rows:
        ways = (looked.by_pattern, looked.by_name, looked.by_path, looked.by_head, looked.by_words)
        one = next((hit for way in ways if (hit := way(row))), None)
        if one is not None:
            found.append(one)
    if slow is not None:
        slow += [row for row in looked.rows if not looked.slow.isdisjoint(_patterns(row))]
    return found


def _patterns(row: "dict[str, Any]") -> list[str]:
    return [one for one in row.get("patterns", ()) if isinstance(one, str)]


class _Looked:
    """A deed, taken apart as far as the notes ask for it.

    Attributes:
        rows: Notes that may concern it.
        slow: Patterns that took too long.
    """

    def __init__(self, deed: "Deed", rows: "list[dict[str, Any]]") -> None:
        self.rows = rows
        self.slow: frozenset[str] = frozenset()
        self._deed = deed
        self._texts: tuple[str, str] | None = None
        self._met: dict[str, str] | None = None
        self._lines: list[frozenset[str]] | None = None
        self._raw: list[str] = []

    def _written(self) -> tuple[str, str]:
        if self._texts is None:
            from mind.sourcetext.written import written  # noqa: PLC0415 - where one may match

            self._texts = written(self._deed.text), written(self._deed.before)
        return self._texts

    def by_pattern(self, row: "dict[str, Any]") -> Noticed | None:
        for pattern in self._asked(row):
            if self._met is None:
                self._met = self._search()
            if self._met.get(pattern):
                return Noticed(row, f"`{' '.join(self._met[pattern].split())[:60]}`")
        return None

    def _asked(self, row: "dict[str, Any]") -> list[str]:
        """The patterns of a note that is about such files."""
        endings = tuple(row.get("endings", ()))
        if endings and not self._deed.path.lower().endswith(endings):
            return []
        return _patterns(row)

    def _search(self) -> dict[str, str]:
        """Search for the patterns of all notes at once: what is new in the text by each."""
        from mind.sourcetext.limited import Limits  # noqa: PLC0415 - where a pattern may match

        after, before = self._written()
        now, then = Limits(_SECONDS), Limits(_SECONDS_BEFORE)
        found = now.search([one for row in self.rows for one in self._asked(row)], after)
        there = then.search(found, before)
        self.slow = frozenset([*now.slow, *then.slow])
        return {
            pattern: text
            for pattern, (_, text) in found.items()
            if pattern not in there and pattern not in self.slow
        }

    def by_name(self, row: "dict[str, Any]") -> Noticed | None:
        for name in row.get("names", ()):
            if name not in self._deed.text:
                continue
            after, before = self._written()
            if place_of(name, after) >= 0 > place_of(name, before):
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
