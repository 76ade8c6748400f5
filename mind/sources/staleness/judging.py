"""What speaks against an entry, from what became of the things that it cites."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Self

from mind.domain.entry import Entry

STALE_AFTER = 90
"""Days for which a check holds."""
_MOST_COMMITS = 99


@dataclass(frozen=True, slots=True)
class Cited:
    """What has become of a path.

    Attributes:
        gone: It is not there any more.
        days: Of the commits that changed it, under its old name too.
        now: Its name since it was renamed; "" if it was not.
    """

    gone: bool = False
    days: Sequence[date] = ()
    now: str = ""


class Flag(str):
    """One thing that speaks against an entry, in words.

    Attributes:
        kind: "gone", "moved", "lost" (a symbol or a command), "commits", "verified" or
            "contradicted".
        commits: Since the entry was true, of this kind.
    """

    __slots__ = ("commits", "kind")
    kind: str
    commits: int

    def __new__(cls, text: str, kind: str, commits: int = 0) -> Self:
        """A flag that reads ``text``."""
        made = super().__new__(cls, text)
        made.kind = kind
        made.commits = commits
        return made


def verified(entry: Entry) -> date | None:
    """The day of ``[verified:: 2026-01-02]``, if it names one."""
    said = entry.fields.get("verified")
    if not said:
        return None
    try:
        return date.fromisoformat(said[:10])
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


def flags(
    entry: Entry, cited: Mapping[str, Cited], today: date, lost: Sequence[str] = ()
) -> tuple[Flag, ...]:
    """What speaks against an entry, the worst first.

    Args:
        entry: It.
        cited: What has become of its paths; commits of the entry's own day do not count.
        today: The day on which it is read.
        lost: Symbols and commands that are gone, as they are told.
    """
    known = known_on(entry)
    counts = {
        one.now or path: sum(day > known for day in one.days) if known else 0
        for path, one in cited.items()
    }
    told = [_moved(path, one) for path, one in cited.items() if one.gone or one.now]
    told += [Flag(one, "lost") for one in lost]
    told += [
        Flag(f"{_commits(count)} to {path} since", "commits", count)
        for path, count in sorted(counts.items(), key=lambda one: -one[1])
        if count
    ]
    checked = verified(entry)
    if checked and verification(entry, today) == "stale":
        told.append(Flag(f"verified {(today - checked).days} days ago", "verified"))
    return tuple(told)


def _moved(path: str, one: Cited) -> Flag:
    if one.now:
        return Flag(f"{path} is now {one.now}", "moved")
    return Flag(f"{path} is gone", "gone")


def _commits(count: int) -> str:
    if count > _MOST_COMMITS:
        return f"over {_MOST_COMMITS} commits"
    return "1 commit" if count == 1 else f"{count} commits"
