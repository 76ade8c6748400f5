"""Keyword lines in commit messages."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime
from pathlib import Path

from mind.config import Settings
from mind.entry import Entry
from mind.sources.references import HASH, head
from mind.sources.repository import Answer, ask, is_top

__all__ = ["Commits", "head", "scan"]

_FORMAT = "%H%n%aI%n%P%n%B"


@dataclass(frozen=True, slots=True)
class Commits:
    """Entries in the order of the history, oldest first.

    Attributes:
        entries: Of the new commits, or of all of them when ``rewritten``.
        rewritten: The last commit seen is no longer part of the history: what the caller holds is
            to be replaced, not added to.
        problem: What could not be read and what to do about it; "" if nothing. Then what the
            caller holds is to be kept.
        head: The commit up to which was read; "" if nothing was.
    """

    entries: tuple[Entry, ...] = ()
    rewritten: bool = False
    problem: str = ""
    head: str = ""


def scan(root: Path, settings: Settings, since: str | None, limit: int) -> Commits:
    """Entries from the messages of commits.

    In a folder further down in a repository only commits count that touch it.

    Args:
        root: The project.
        settings: For the parser.
        since: The last commit seen; only later ones are read.
        limit: Most commits to read the first time, and after a rewrite.
    """
    newest = head(root)
    if newest is None:
        return Commits(rewritten=bool(since))
    if newest == since:
        return Commits(head=newest)
    known = since is not None and _is_ancestor(root, since, newest)
    which = [f"{since}..{newest}"] if known else [f"--max-count={limit}", newest]
    answer = _log(root, which)
    if answer.status != 0:
        return Commits(problem=answer.problem)
    return Commits(
        entries=tuple(_entries(answer.output, settings)),
        rewritten=since is not None and not known,
        head=newest,
    )


def _is_ancestor(root: Path, commit: str, newest: str) -> bool:
    if not HASH.fullmatch(commit):
        return False
    return ask(root, "merge-base", "--is-ancestor", commit, newest).status == 0


def _log(root: Path, which: list[str]) -> Answer:
    return ask(
        root, "log", "-z", "--reverse", "--no-patch", "--no-follow", "--encoding=UTF-8",
        f"--format=tformat:{_FORMAT}", *which, "--",
        *([] if is_top(root) else ["."]),
    )  # fmt: skip


def _entries(output: bytes, settings: Settings) -> Iterator[Entry]:
    from mind.sources import messages  # noqa: PLC0415 - only where there are new commits

    for record in output.split(b"\0"):
        commit, moment, parents, message = [*_decoded(record).split("\n", 3), "", "", ""][:4]
        day = _day(moment)
        for entry in messages.entries_in(message, settings, merge=" " in parents):
            yield replace(entry, source="git", commit=commit, date=entry.date or day)


def _decoded(record: bytes) -> str:
    """Git recodes what declares its encoding; what does not is taken for Latin-1."""
    try:
        text = record.decode("utf-8")
    except UnicodeDecodeError:
        text = record.decode("latin-1")
    return text.lstrip("\n")


def _day(moment: str) -> date | None:
    """The author's day; None where a broken commit has no such moment."""
    try:
        return datetime.fromisoformat(moment).date()
    except ValueError:
        return None
