"""Checks of cited paths against a worktree and its history: existing, gone, renamed or changed."""

import math
import os
import stat
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from time import monotonic
from typing import NamedTuple, Self, TypeVar

from mind.domain.entry import ORIGIN, Entry, iso_day
from mind.sources.staleness.citing import (
    JUSTFILES,
    MAKEFILES,
    PACKAGE,
    Definition,
    commands_in,
    compiled,
    defines,
    is_surely_a_file,
    paths_in,
    symbols_in,
)
from mind.text import lazy_pattern, secrets

T = TypeVar("T")
_SOURCE = lazy_pattern(r"\((?P<path>[^()\s]+)\)(?:\s#\S+)*\s*\Z")
"""The file that an imported entry names at its end, before its tags."""

STALE_AFTER = 90
"""Days until a verification expires."""
_MOST_COMMITS = 99


class PathState(NamedTuple):
    """The state of a path.

    Attributes:
        gone: True if it no longer exists.
        days: Days of the commits that changed it, including under its old name; one that added
            it is no change.
        now: Its new name after a rename; else "".
    """

    gone: bool = False
    days: Sequence[date] = ()
    now: str = ""


class EntryWarning(str):
    """A warning about an entry, as text.

    Attributes:
        kind: "gone", "moved", "lost" (a symbol or a command), "commits", "verified",
            "superseded" or "contradicted".
        commits: Number of commits of this kind since the entry was true.
    """

    __slots__ = ("commits", "kind")
    kind: str
    commits: int

    def __new__(cls, text: str, kind: str, commits: int = 0) -> Self:
        """Create a warning with this text."""
        made = super().__new__(cls, text)
        made.kind = kind
        made.commits = commits
        return made


def verified(entry: Entry) -> date | None:
    """Return the day of ``[verified:: 2026-01-02]``, if valid."""
    return iso_day(entry.fields.get("verified", "")[:10])


def verification(entry: Entry, today: date) -> str:
    """Return the state of the entry's verification: "never", "fresh", or "stale" after 90 days."""
    day = verified(entry)
    if day is None:
        return "never"
    return "stale" if (today - day).days > STALE_AFTER else "fresh"


def known_on(entry: Entry) -> date | None:
    """Return the last day the entry was known to be true: written or, later, verified."""
    return max((day for day in (entry.date, verified(entry)) if day), default=None)


def flags(
    entry: Entry, cited: Mapping[str, PathState], today: date, lost: Sequence[str] = ()
) -> tuple[EntryWarning, ...]:
    """Return warnings about an entry, the worst first.

    Args:
        entry: The entry.
        cited: State of its paths; commits of the entry's own day do not count, nor do those to the
            file that it was imported from, as it was read later than its day.
        today: The current day.
        lost: Names of missing symbols and commands.
    """
    known = known_on(entry)
    own = _SOURCE.search(entry.text) if ORIGIN in entry.fields else None
    counts = {
        one.now or path: sum(day > known for day in one.days) if known else 0
        for path, one in cited.items()
        if not (own and path == own["path"])
    }
    told = [_moved(path, one) for path, one in cited.items() if one.gone or one.now]
    told += [EntryWarning(one, "lost") for one in lost]
    told += [
        EntryWarning(f"{_commits(count)} to {path} since", "commits", count)
        for path, count in sorted(counts.items(), key=lambda one: -one[1])
        if count
    ]
    checked = verified(entry)
    if checked and verification(entry, today) == "stale":
        told.append(EntryWarning(f"verified {(today - checked).days} days ago", "verified"))
    return tuple(told)


def _moved(path: str, one: PathState) -> EntryWarning:
    if one.now:
        return EntryWarning(f"{path} is now {one.now}", "moved")
    return EntryWarning(f"{path} is gone", "gone")


def _commits(count: int) -> str:
    if count > _MOST_COMMITS:
        return f"over {_MOST_COMMITS} commits"
    return "1 commit" if count == 1 else f"{count} commits"


_MOST_RENAMES = 5
"""Maximum number of renames followed."""
_AGAIN = 60.0
"""Seconds until a failed git query is retried."""
_FILES = {"make": MAKEFILES, "just": JUSTFILES, "npm": (PACKAGE,)}


Known = date | None
"""The day on which an entry was known to be true."""


@dataclass(slots=True)
class KnownAnswers:
    """Cached answers of git for the commit ``head``, by path from the top of the worktree.

    Attributes:
        head: The commit.
        shallow: The clone is shallow, so commits cannot be counted.
        days: For each file, the day from which its commits are known, and their days.
        ever: For each missing path, True if it once existed.
        ends: For each missing file, its renames (with the new name) and deletions; newest first.
        removed: For each file and its definition, the first day searched, and the days on which
            lines with the definition were removed.
        until: Expiry of all this after a failed query.
    """

    head: str
    shallow: bool
    days: dict[str, tuple[date, list[date]]] = field(default_factory=dict)
    ever: dict[str, bool] = field(default_factory=dict)
    ends: dict[str, list[tuple[date, str]]] = field(default_factory=dict)
    removed: dict[tuple[str, str], tuple[date, list[date]]] = field(default_factory=dict)
    until: float = math.inf

    def or_later(self, found: T | None) -> T | None:
        """Return ``found``; None, a failed query, sets a retry in a minute."""
        if found is None:
            self.until = min(self.until, monotonic() + _AGAIN)
        return found


told: dict[Path, KnownAnswers] = {}
"""Cache by project root."""


def looking(root: Path) -> "CitationCheck | None":
    """Return the check for the worktree of ``root``; None outside of git."""
    from mind.sources.git.log import is_shallow  # noqa: PLC0415 - only for entries that cite paths
    from mind.sources.git.repository import head, top_of  # noqa: PLC0415 - the same

    commit = head(root)
    if commit is None:
        return None
    absolute = root.absolute()
    top = top_of(absolute) or absolute
    before = told.get(absolute)
    if before is None or before.head != commit or monotonic() > before.until:
        before = told[absolute] = KnownAnswers(commit, is_shallow(top))
    return CitationCheck(top, absolute.relative_to(top).as_posix(), before)


class CitationCheck:
    """Lookup of citations in one worktree, for one answer.

    Args:
        top: Top of the worktree.
        prefix: The project's folder in it; "." if it is the top.
        before: Cached answers of git.
    """

    def __init__(self, top: Path, prefix: str, before: KnownAnswers) -> None:
        self._top = top
        self._prefix = "" if prefix == "." else f"{prefix}/"
        self._told = before
        self._found: dict[str, str | None] = {}

    def at(self, wanted: Collection[tuple[str, Known]]) -> dict[tuple[str, Known], PathState]:
        """Return the state of each path since the day it was cited."""
        paths = dict.fromkeys(path for path, _ in wanted)
        missing = self._gone([path for path in paths if self._find(path) is None])
        self._follow([self._prefix + path for path in missing])
        names = {
            (path, day): self._names(path, day)
            for path, day in wanted
            if path in missing or self._find(path)
        }
        since: dict[str, date] = {}
        for (path, day), places in names.items():
            for place, _ in places if path not in missing or places[1:] else ():
                if day and (place not in since or day < since[place]):
                    since[place] = day
        gone = [path for path in missing if not is_surely_a_file(path)]
        self._ask({} if self._told.shallow else since, [self._prefix + path for path in gone])
        return {
            (path, day): state
            for (path, day), places in names.items()
            if (state := self._state(path, places, missing)) is not None
        }

    def _state(
        self, path: str, names: Sequence[tuple[str, Known]], missing: Collection[str]
    ) -> PathState | None:
        now, moved = names[-1]
        if path not in missing:
            return PathState(days=self._days(names))
        if moved is not None:
            return PathState(
                days=self._days(names), now=secrets.mask(now.removeprefix(self._prefix))
            )
        is_gone = is_surely_a_file(path) or self._told.ever.get(self._prefix + path)
        return PathState(gone=True) if is_gone else None

    def _days(self, names: Sequence[tuple[str, Known]]) -> list[date]:
        """Return the days of commits to a file under all its names, except for pure renames."""
        places = dict.fromkeys(name for name, _ in names)
        days = [day for name in places for day in self._told.days.get(name, (0, ()))[1]]
        for _, moved in names[1:]:
            if moved in days:  # as the deletion of the old name
                days.remove(moved)
        return days

    def _names(self, path: str, known: Known) -> list[tuple[str, Known]]:
        """Return the file's names, oldest first, each with the day it got it; None for the first.

        A deleted file has only the first.
        """
        first = self._find(path) or self._prefix + path
        names: list[tuple[str, Known]] = [(first, None)]
        while self._find_place(names[-1][0]) is None:
            ends = self._told.ends.get(names[-1][0], [])
            since = names[-1][1] or known
            later = [one for one in ends if one[1] and since and one[0] >= since]
            day, name = (later or ends[:1] or [(date.min, "")])[-1]
            if not name or len(names) > _MOST_RENAMES:
                return names[:1]
            names.append((name, day))
        return names

    def is_file(self, path: str) -> bool:
        """Return True if ``path`` is an existing file."""
        return bool(self._find(path))

    def _find(self, path: str) -> str | None:
        """Return the path from the top; "" if it exists but is no file; None if it is missing."""
        if path not in self._found:
            places = dict.fromkeys((self._prefix + path, path))
            found = [where for one in places if (where := self._find_place(one)) is not None]
            self._found[path] = found[0] if found else None
        return self._found[path]

    def _find_place(self, place: str) -> str | None:
        try:
            mode = os.stat(self._top / place, follow_symlinks=False).st_mode  # noqa: PTH116 - a quarter of the time of Path.stat
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError:
            return ""
        return place if stat.S_ISREG(mode) else ""

    def _gone(self, missing: Sequence[str]) -> list[str]:
        """Return the missing paths that the worktree does not have elsewhere either."""
        from mind.sources.git.log import checkout  # noqa: PLC0415 - as above

        if not missing:
            return []
        tree = checkout(self._top)
        inner = tuple(f"{one}/" for one in tree.submodules)
        return [
            path
            for path in missing
            if not (tree.partial or tree.elsewhere(path))
            and not f"{self._prefix}{path}/".startswith(inner)
            and not f"{path}/".startswith(inner)
        ]

    def _follow(self, missing: Iterable[str]) -> None:
        """Query git for renames and deletions of missing files, following renames."""
        from mind.sources.git.log import moved  # noqa: PLC0415 - as above

        ends = self._told.ends
        places = list(missing)
        for _ in range(_MOST_RENAMES):
            unknown = [place for place in places if place not in ends]
            if unknown:
                ends |= {place: [] for place in unknown}
                found = moved(self._top, self._told.head, unknown)
                ends |= self._told.or_later(found) or {}
            new = {name for place in places for _, name in ends[place] if name}
            places = [name for name in new if self._find_place(name) is None]
            if not places:
                return

    def _ask(self, since: Mapping[str, date], unsure: Sequence[str]) -> None:
        """Query git for uncached data: commits since a day, and whether paths once existed."""
        from mind.sources.git.log import touched  # noqa: PLC0415 - as above

        before = self._told
        since = {
            place: day
            for place, day in since.items()
            if place not in before.days or before.days[place][0] > day
        }
        unsure = [place for place in unsure if place not in before.ever]
        if not since and not unsure:
            return
        first = None if unsure else min(since.values())
        changed = before.or_later(
            touched(self._top, before.head, (*since, *unsure), first, only="a")
        )
        days: dict[str, list[date]] = {place: [] for place in since}
        before.ever |= dict.fromkeys(unsure, False)
        for day, name in changed or ():
            if name in days:
                days[name].append(day)
            before.ever |= {one: True for one in unsure if f"{name}/".startswith(f"{one}/")}
        before.days |= {place: (since[place], days[place]) for place in since}

    def commits(self, paths: Sequence[str], since: date, limit: int) -> list[str]:
        """Return the latest commits to files, after a day: day, hash and title."""
        from mind.sources.git.log import titles  # noqa: PLC0415 - as above

        missing = [self._prefix + path for path in paths if self._find(path) is None]
        self._follow(missing)
        names = {name: None for path in paths for name, _ in self._names(path, since)}
        found = titles(self._top, self._told.head, list(names), since)
        return [f"{day} {commit} {title}" for day, commit, title in found if day > since][:limit]

    def lost(self, wanted: Sequence[tuple[Definition, Known]]) -> set[tuple[Definition, Known]]:
        """Return definitions that a file had on the entry's day or later, and has no longer.

        Those removed on that very day count as present, since the order is unknown.
        """
        suspects = [
            (needle, day, place)
            for needle, day in wanted
            if (place := self._place(needle)) and not self._defined(needle, place)
        ]
        self._ask_removed(suspects)
        return {
            (needle, day)
            for needle, day, place in suspects
            for _, days in (self._told.removed[place, needle.lines],)
            if any(day is None or one > day for one in days)
        }

    def _defined(self, needle: Definition, place: str) -> bool:
        """Return True if it is defined, or if that is unclear."""
        return defines(self._top / place, needle) is not False

    def _place(self, needle: Definition) -> str:
        """Return the file that defines it, or did if it is gone."""
        if not needle.program:
            return self._find(needle.path) or ""
        names = [self._prefix + name for name in _FILES[needle.program]]
        there = [name for name in names if self._find_place(name) is not None]
        return (there or names)[0]

    def _ask_removed(self, suspects: Sequence[tuple[Definition, Known, str]]) -> None:
        from mind.sources.git.log import removed  # noqa: PLC0415 - as above

        before = self._told.removed
        since: dict[tuple[str, str], date] = {}
        for needle, day, place in suspects:
            key = (place, needle.lines)
            first = day or date.min
            if key not in before or before[key][0] > first:
                since[key] = min(first, since.get(key, first))
        if not since:
            return
        files = dict.fromkeys(place for place, _ in since)
        lines = dict.fromkeys(line for _, line in since)
        days: dict[tuple[str, str], list[date]] = {key: [] for key in since}
        patterns = [(key, compiled(key[1])) for key in since]
        first = min(since.values())
        taken = self._told.or_later(removed(self._top, self._told.head, files, list(lines), first))
        for day, file, line in taken or ():
            for key, pattern in patterns:
                if key[0] == file and pattern.search(line):
                    days[key].append(day)
        before |= {key: (since[key], days[key]) for key in since}


def of_entries(root: Path, entries: Sequence[Entry], today: date) -> list[tuple[EntryWarning, ...]]:
    """Return warnings about each of ``entries`` of the project at ``root`` (see :func:`flags`).

    Git queries are deduplicated and cached until the next commit.
    """
    at = root.as_posix()
    paths = [paths_in(entry.text, at) for entry in entries]
    commands = [commands_in(entry.text) for entry in entries]
    look = looking(root) if any(paths) or any(commands) else None
    if look is None:
        return [flags(entry, {}, today) for entry in entries]
    known = [known_on(entry) for entry in entries]
    wanted = {(path, day) for cited, day in zip(paths, known, strict=True) for path in cited}
    states = look.at(wanted)
    needles = [
        _symbols(look, entry.text, at, cited) + ran
        for entry, cited, ran in zip(entries, paths, commands, strict=True)
    ]
    lost = look.lost([(one, day) for own, day in zip(needles, known, strict=True) for one in own])
    return [
        flags(
            entry,
            {path: states[path, day] for path in cited if (path, day) in states},
            today,
            tuple(dict.fromkeys(_told(one) for one in own if (one, day) in lost)),
        )
        for entry, cited, own, day in zip(entries, paths, needles, known, strict=True)
    ]


def _symbols(look: CitationCheck, text: str, root: str, cited: Sequence[str]) -> list[Definition]:
    there = [path for path in cited if look.is_file(path)]
    if not there:
        return []
    found = symbols_in(text, root, there[0] if len(there) == 1 else "")
    return [one for one in found if one.path in there]


def _told(one: Definition) -> str:
    return f"{one.name} is gone from {one.path}"


def changes(root: Path, entry: Entry, limit: int = 5) -> list[str]:
    """Return the latest commits to files that ``entry`` cites, as "2026-01-02 1a2b3c4 Title"."""
    known = known_on(entry)
    paths = paths_in(entry.text, root.as_posix())
    look = looking(root) if paths and known else None
    if look is None or known is None:
        return []
    return look.commits(paths, known, limit)
