"""What may have made an entry untrue since: files that are gone, commits to them, old checks."""

import os
import re
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from mind.entities import scan
from mind.entry import Entry

STALE_AFTER = 90
"""Days for which a check holds."""
_READ = 4_000
"""Characters of an entry in which paths are looked for."""
_MOST_PATHS = 10
_MOST_COMMITS = 99
_LIKELY = re.compile(r"[/\\]|\.\w")
_WINDOWS = re.compile(r"[A-Za-z]:/")
_PLACEHOLDERS = ("path/to/", "@/")
_MADE = frozenset(
    """.cache .git .venv __pycache__ bin build cache coverage dist env log logs node_modules obj
    out target temp tmp vendor venv""".split()
)
"""Folders whose files are there on one machine and not on another."""


@dataclass(frozen=True, slots=True)
class Cited:
    """What has become of a path.

    Attributes:
        gone: It is not there any more.
        days: Of the commits that changed it.
    """

    gone: bool = False
    days: Sequence[date] = ()


def paths_in(text: str, root: str) -> tuple[str, ...]:
    """The paths that ``text`` cites and that may be meant below ``root``, an absolute path.

    They come as the project knows them: from its root, with ``/``.
    """
    if not _LIKELY.search(text):
        return ()
    found: dict[str, None] = {}
    for name in _cited(text[:_READ]):
        path = _inside(name.replace("\\", "/"), root)
        if path:
            found[path] = None
    return tuple(found)[:_MOST_PATHS]


def _cited(text: str) -> list[str]:
    """Paths as they are written, those in backticks too."""
    found = []
    for start, end, kind, _ in scan(text):
        name = text[start:end]
        if kind == "path":
            found.append(name)
        elif kind == "code" and " " not in name and _LIKELY.search(name):
            found += [name[one.start : one.end] for one in scan(name) if one.kind == "path"]
    return found


def _inside(name: str, root: str) -> str:
    """``name`` from the project's root; "" if it lies elsewhere or is only a pattern."""
    path = name.removeprefix(f"{root.rstrip('/')}/")
    if _WINDOWS.match(path) or path.startswith(("/", "~", *_PLACEHOLDERS)):
        return ""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    is_odd = any(part == ".." or "$" in part or "%" in part for part in parts)
    return "" if is_odd else "/".join(parts)


def is_surely_a_file(path: str) -> bool:
    """Whether ``path`` names a file of a repository, even if git never heard of it.

    That is a file in a folder; but no page of a host (``docs.rs/serde/index.html``), and nothing
    that programs make.
    """
    *folders, name = path.split("/")
    if not folders or "." in folders[0].lstrip("."):
        return False
    return "." in name.strip(".") and _MADE.isdisjoint(folders)


def verified(entry: Entry) -> date | None:
    """The day of ``[verified:: 2026-01-02]``, if it names one."""
    try:
        return date.fromisoformat(entry.fields.get("verified", "")[:10])
    except ValueError:
        return None


def verification(entry: Entry, today: date) -> str:
    """Whether somebody checked the entry: "never", "fresh", or "stale" after 90 days."""
    day = verified(entry)
    if day is None:
        return "never"
    return "stale" if (today - day).days > STALE_AFTER else "fresh"


def known_on(entry: Entry) -> date | None:
    """The day on which the entry was true: when it was written or, later, verified."""
    return max((day for day in (entry.date, verified(entry)) if day), default=None)


def flags(entry: Entry, cited: Mapping[str, Cited], today: date) -> tuple[str, ...]:
    """What speaks against an entry, the worst first.

    Args:
        entry: It.
        cited: What has become of its paths; commits of the entry's own day do not count.
        today: The day on which it is read.
    """
    known = known_on(entry)
    counts = {
        path: sum(day > known for day in one.days) if known else 0 for path, one in cited.items()
    }
    told = [f"{path} is gone" for path, one in cited.items() if one.gone]
    told += [
        f"{_commits(count)} to {path} since"
        for path, count in sorted(counts.items(), key=lambda one: -one[1])
        if count
    ]
    checked = verified(entry)
    if checked and verification(entry, today) == "stale":
        told.append(f"verified {(today - checked).days} days ago")
    return tuple(told)


def _commits(count: int) -> str:
    if count > _MOST_COMMITS:
        return f"over {_MOST_COMMITS} commits"
    return "1 commit" if count == 1 else f"{count} commits"


def of_entries(root: Path, entries: Sequence[Entry], today: date) -> list[tuple[str, ...]]:
    """What speaks against each of ``entries`` of the project at ``root`` (see :func:`flags`).

    Git is asked at most once, and for nothing that it said since the last commit.
    """
    at = root.as_posix()
    paths = [paths_in(entry.text, at) for entry in entries]
    wanted: dict[str, date | None] = {}
    for entry, cited in zip(entries, paths, strict=True):
        known = known_on(entry)
        for path in cited:
            before = wanted.get(path)
            wanted[path] = min(known, before) if known and before else known or before
    states = _states(root, wanted) if wanted else {}
    return [
        flags(entry, {path: states[path] for path in cited if path in states}, today)
        for entry, cited in zip(entries, paths, strict=True)
    ]


@dataclass(slots=True)
class _Told:
    """What git said while ``head`` was its last commit, by paths from the top of the worktree.

    Attributes:
        head: The commit.
        shallow: Its history was cut, so commits cannot be counted.
        days: File → the day from which its commits are known, and theirs.
        ever: Path that is not there → whether it was.
    """

    head: str
    shallow: bool
    days: dict[str, tuple[date, list[date]]] = field(default_factory=dict)
    ever: dict[str, bool] = field(default_factory=dict)


_told: dict[Path, _Told] = {}


def _states(root: Path, wanted: Mapping[str, date | None]) -> dict[str, Cited]:
    """What has become of paths; nothing where git does not serve ``root``."""
    from mind.sources.references import head  # noqa: PLC0415 - only for entries that cite paths
    from mind.sources.repository import is_top  # noqa: PLC0415 - the same
    from mind.sources.touched import is_shallow  # noqa: PLC0415 - the same

    commit = head(root)
    if commit is None:
        return {}
    absolute = root.absolute()
    top = next((one for one in (absolute, *absolute.parents) if is_top(one)), absolute)
    told = _told.get(absolute)
    if told is None or told.head != commit:
        told = _told[absolute] = _Told(commit, is_shallow(top))
    return _Looking(top, absolute.relative_to(top).as_posix(), told).at(wanted)


class _Looking:
    """Paths of one answer, looked for in one worktree.

    Args:
        top: Where it begins.
        prefix: The project's folder in it; "." if it begins there too.
        told: What git said before.
    """

    def __init__(self, top: Path, prefix: str, told: _Told) -> None:
        self._top = top
        self._prefix = "" if prefix == "." else f"{prefix}/"
        self._told = told

    def at(self, wanted: Mapping[str, date | None]) -> dict[str, Cited]:
        """What has become of each path, of which commits are counted since a day."""
        found = {path: self._find(path) for path in wanted}
        files = {place: wanted[path] for path, place in found.items() if place}
        missing = self._gone([path for path, place in found.items() if place is None])
        unsure = [self._prefix + path for path in missing if not is_surely_a_file(path)]
        since = {place: day for place, day in files.items() if day}
        self._ask({} if self._told.shallow else since, unsure)
        states = {
            path: Cited(days=self._told.days[place][1])
            for path, place in found.items()
            if place and place in self._told.days
        }
        for path in missing:
            if is_surely_a_file(path) or self._told.ever.get(self._prefix + path):
                states[path] = Cited(gone=True)
        return states

    def _find(self, path: str) -> str | None:
        """Where the file is, from the top; "" for what is there and no file; None if nothing is."""
        for place in dict.fromkeys((self._prefix + path, path)):
            try:
                mode = os.stat(self._top / place, follow_symlinks=False).st_mode  # noqa: PTH116 - the same as Path.stat, in a quarter of the time
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError:
                return ""
            return place if stat.S_ISREG(mode) else ""
        return None

    def _gone(self, missing: Sequence[str]) -> list[str]:
        """Those that are not elsewhere either, as far as the worktree can tell."""
        from mind.sources.touched import checkout  # noqa: PLC0415 - as above

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

    def _ask(self, since: Mapping[str, date], unsure: Sequence[str]) -> None:
        """Ask git for what it did not say yet: commits since a day, and paths that were there."""
        from mind.sources.touched import touched  # noqa: PLC0415 - as above

        told = self._told
        since = {
            place: day
            for place, day in since.items()
            if place not in told.days or told.days[place][0] > day
        }
        unsure = [place for place in unsure if place not in told.ever]
        if not since and not unsure:
            return
        first = None if unsure else min(since.values())
        commits = touched(self._top, told.head, (*since, *unsure), first)
        days: dict[str, list[date]] = {place: [] for place in since}
        told.ever |= dict.fromkeys(unsure, False)
        for day, names in commits or ():
            for name in names:
                if name in days:
                    days[name].append(day)
                told.ever |= {one: True for one in unsure if f"{name}/".startswith(f"{one}/")}
        told.days |= {place: (since[place], days[place]) for place in since}
