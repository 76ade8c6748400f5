"""Matching of an edit or command with the entries that warn.

An entry matches if the new code contains one of its patterns or names, if it names the edited
file, or if the command starts with the same words as the entry. Rejected approaches are matched by
:mod:`mind.text.matching`. Text that was there before the edit does not count.
"""

import os
from functools import cached_property

from mind.hooks import data
from mind.storage.gitindex import read
from mind.text.sourcetext import folded, place_of

TYPE_CHECKING = False  # typing takes milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from mind.hooks.place import HookProject
    from mind.hooks.tool_call import ToolCall

_SEVERAL, _HALF = 2, 0.5
"""Minimum number of matched words, and share of the subject that a package must be, for a rejection
that plainly returns: of a rejected "Redis as the queue", Redis may be installed for another use."""
_SECONDS, _SECONDS_BEFORE = 0.03, 0.01
"""Time limits of an event: for all patterns in the new text, and for the found ones in the old."""
_MOST_WORDS = 20_000
"""Maximum characters that are split into words."""
_APART = {code: " " for code in range(128) if not (chr(code).isalnum() or code == 95)}


class WarningNotes:
    """Index of the entries that warn (see :mod:`mind.hooks.building`).

    Args:
        content: The file: a line of lookup tables, and one line per entry.
    """

    def __init__(self, content: bytes) -> None:
        first, _, self._rows = content.partition(b"\n")
        self.keys: dict[str, Any] = data.loads(first)

    def row(self, at: int) -> "dict[str, Any]":
        """Return the entry at an offset."""
        row: dict[str, Any] = data.loads(self._rows[at : self._rows.index(b"\n", at)])
        return row

    def likely(self, call: "ToolCall") -> "Iterator[dict[str, Any]]":
        """Yield all entries that may match ``call``, and few others."""
        text, found = folded(call.text), set(self.keys["always"])
        for literal, listed in self.keys["literals"]:
            if literal in text:
                found.update(listed)
        edited = {call.path.rsplit("/", 1)[-1]} if call.path else set()
        for kind, keys in (("names", _names(call.text)), ("heads", call.heads), ("paths", edited)):
            table = self.keys[kind]
            for key in table.keys() & keys:
                found.update(table[key])
        return (self.row(at) for at in sorted(found))

    def returning(self, call: "ToolCall", spread: "Callable[[str], int]") -> "list[MatchedNote]":
        """Return the rejected approaches that ``call`` repeats, best match first.

        Args:
            call: The edit or command.
            spread: Number of other files of the code that have a word.
        """
        subjects = self.keys["subjects"]
        if not subjects:
            return []
        from mind.text.matching import acts, score  # noqa: PLC0415 - only if something was rejected

        if call.path:
            act = acts.of_edit(call.path, call.text[:_MOST_WORDS], call.before)
        else:
            act = acts.of_command(call.text[:_MOST_WORDS], call.said)
        likely = score.likely(act, lambda key: subjects.get(key, ()))
        known = {row["id"]: row for row in map(self.row, likely)}
        weights = self.keys["weights"]
        rows = [one for row in known.values() for one in row["subjects"]]
        found = []
        met = score.matches(act, rows, weights, self.keys["candidates"])
        score.doubt(act, met, weights, spread)
        score.affirm(met, weights, spread)
        for one in met:
            if one.score >= weights["least"]:
                row = known[one.row["id"]]
                words = score.words_met(one.why, act.said, row["text"])
                noticed = MatchedNote(row, ", ".join(words), score.likeness(one.score, weights))
                noticed.subject, noticed.instead = one.row["subject"], one.row["instead"]
                noticed.is_plain = (
                    one.values["package"] > _HALF
                    if act.channel == "install"
                    else len(words) >= _SEVERAL
                )
                found.append(noticed)
        return found


def _names(text: str) -> set[str]:
    if text.isascii():
        return set(text.translate(_APART).split())
    import re  # noqa: PLC0415 - only for non-ASCII text

    return set(re.findall(r"\w+", text))


def path_of(place: "HookProject") -> str:
    """Return the path of the file."""
    return os.path.join(place.hooks, "notes.jsonl")


def load(place: "HookProject", generation: str) -> WarningNotes | None:
    """Load the entries of a generation; None if they are not stored."""
    try:
        notes = WarningNotes(read(path_of(place)))
        return notes if notes.keys["generation"] == generation else None
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


class MatchedNote:
    """An entry that matches a call.

    Attributes:
        row: The entry.
        why: The matched part of the call.
        score: Score of a repeated rejection, 0–1.
        subject: The rejected thing that matched.
        instead: The alternative; "" if the entry names none.
        is_plain: The call installs most of what was rejected, or has several of its words.
    """

    __slots__ = ("instead", "is_plain", "row", "score", "subject", "why")

    def __init__(self, row: "dict[str, Any]", why: str, score: float = 0.0) -> None:
        self.row = row
        self.why = why
        self.score = score
        self.subject = self.instead = ""
        self.is_plain = False


def notice(
    call: "ToolCall", rows: "Iterable[dict[str, Any]]", slow: "list[dict[str, Any]] | None" = None
) -> list[MatchedNote]:
    """Return the entries among ``rows`` that match ``call``, in their order.

    Entries with too slow a pattern are added to ``slow``; that pattern counts as not matched.
    """
    if not call.text.strip():
        return []
    looked = _PreparedCall(call, list(rows))
    found = []
    for row in looked.rows:
        if any(place_of(cure, call.text) >= 0 for cure in row.get("cures", ())):
            continue
        ways = (looked.by_pattern, looked.by_name, looked.by_path, looked.by_head)
        one = next((hit for way in ways if (hit := way(row))), None)
        if one is not None:
            found.append(one)
    if slow is not None:
        slow += [row for row in looked.rows if not looked.slow.isdisjoint(_patterns(row))]
    return found


def _line_at(text: str, at: int) -> str:
    """Return the line at a position: a match of a bracket alone says nothing."""
    end = text.find("\n", at)
    return text[text.rfind("\n", 0, at) + 1 : end if end >= 0 else len(text)]


def _patterns(row: "dict[str, Any]") -> list[str]:
    return [one for one in row.get("patterns", ()) if isinstance(one, str)]


class _PreparedCall:
    """A call, parsed only as far as the entries need.

    Attributes:
        rows: Entries that may match it.
        slow: Patterns that took too long.
    """

    def __init__(self, call: "ToolCall", rows: "list[dict[str, Any]]") -> None:
        self.rows = rows
        self.slow: frozenset[str] = frozenset()
        self._call = call

    @cached_property
    def _written(self) -> tuple[str, str]:
        """The new text and the old one, without comments."""
        from mind.text.sourcetext import written  # noqa: PLC0415 - only if an entry may match

        return written(self._call.text), written(self._call.before)

    def by_pattern(self, row: "dict[str, Any]") -> MatchedNote | None:
        for pattern in self._asked(row):
            if self._met.get(pattern):
                return MatchedNote(row, f"`{' '.join(self._met[pattern].split())[:60]}`")
        return None

    def _asked(self, row: "dict[str, Any]") -> list[str]:
        """Return the patterns of an entry, if it applies to such files."""
        endings = tuple(row.get("endings", ()))
        if endings and not self._call.path.lower().endswith(endings):
            return []
        return _patterns(row)

    @cached_property
    def _met(self) -> dict[str, str]:
        """The new text that each pattern matched; those of all entries are searched at once."""
        from mind.text.sourcetext.limited import MatchLimits  # noqa: PLC0415 - only if a pattern may match

        after, before = self._written
        now, then = MatchLimits(_SECONDS), MatchLimits(_SECONDS_BEFORE)
        found = now.search([one for row in self.rows for one in self._asked(row)], after)
        there = then.search(found, before)
        self.slow = frozenset([*now.slow, *then.slow])
        return {
            pattern: text if any(map(str.isalnum, text)) else _line_at(after, at)
            for pattern, (at, text) in found.items()
            if pattern not in there and pattern not in self.slow
        }

    def by_name(self, row: "dict[str, Any]") -> MatchedNote | None:
        for name in row.get("names", ()):
            if name in self._call.text and self._is_new(name):
                return MatchedNote(row, f"`{name}`")
        return None

    def _is_new(self, name: str) -> bool:
        after, before = self._written
        return place_of(name, after) >= 0 > place_of(name, before)

    def by_path(self, row: "dict[str, Any]") -> MatchedNote | None:
        path = f"/{self._call.path}"
        for name in row.get("paths", ()) if self._call.path else ():
            if path.endswith(f"/{name}"):
                return MatchedNote(row, f"the file {self._call.path}")
        return None

    def by_head(self, row: "dict[str, Any]") -> MatchedNote | None:
        head = row.get("head", "")
        return MatchedNote(row, f"`{head}`") if head and head in self._call.heads else None
