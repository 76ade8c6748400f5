"""Explicit marks and reverts in commit messages."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from pathlib import Path

from mind.domain.entry import Entry
from mind.domain.settings import Settings
from mind.sources.git.log import reverted
from mind.sources.git.repository import HASH, GitAnswer, ask, head, is_top

__all__ = ["Commits", "head", "scan"]

_FORMAT = "%H%n%aI%n%P%n%B"


@dataclass(frozen=True, slots=True)
class Message:
    """One commit's message, read when its entries are asked for.

    Attributes:
        commit: Its hash.
        standing: No later commit of those that were read takes it back.
    """

    commit: str
    standing: bool
    _moment: str
    _is_merge: bool
    _text: str
    _settings: Settings

    @property
    def key(self) -> str:
        """Return what its entries depend on besides the settings."""
        return f"{self.commit} {self.standing}"

    def __iter__(self) -> Iterator[Entry]:
        """Its entries."""
        from mind.sources.git import messages  # noqa: PLC0415 - only where a message is parsed

        day = _day(self._moment)
        read = messages.entries_in(
            self._text, self._settings, merge=self._is_merge, standing=self.standing
        )
        for entry in read:
            yield replace(entry, source="git", commit=self.commit, date=entry.date or day)


@dataclass(frozen=True, slots=True)
class Commits:
    """Messages in the order of the history, oldest first.

    Attributes:
        messages: Of the new commits, or of all of them when ``rewritten``.
        rewritten: The last commit seen is no longer part of the history, or a branch was merged,
            whose commits stand between others, or a new one reverts an earlier one: what the caller
            holds is to be replaced, not added to.
        problem: What could not be read and what to do about it; "" if nothing. Then what the
            caller holds is to be kept.
        head: The commit up to which was read; "" if nothing was.
    """

    messages: tuple[Message, ...] = ()
    rewritten: bool = False
    problem: str = ""
    head: str = ""

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Those of the messages."""
        return tuple(entry for message in self.messages for entry in message)


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
    last = [f"--max-count={limit}", newest]
    known = since is not None and _is_ancestor(root, since, newest)
    answer = _log(root, [*last, f"^{since}"] if known else last)
    if known and answer.status == 0 and any(map(_changes_earlier, _records(answer))):
        known = False
        answer = _log(root, last)
    if answer.status != 0:
        return Commits(problem=answer.problem)
    return Commits(
        messages=_messages(_records(answer), settings),
        rewritten=since is not None and not known,
        head=newest,
    )


def _is_ancestor(root: Path, commit: str, newest: str) -> bool:
    if not HASH.fullmatch(commit):
        return False
    return ask(root, "merge-base", "--is-ancestor", commit, newest).status == 0


def _log(root: Path, which: list[str]) -> GitAnswer:
    return ask(
        root, "log", "-z", "--reverse", "--no-patch", "--no-follow", "--encoding=UTF-8",
        f"--format=tformat:{_FORMAT}", *which, "--",
        *([] if is_top(root) else ["."]),
    )  # fmt: skip


def _records(answer: GitAnswer) -> list[list[str]]:
    """Hash, moment, parents and message of each commit."""
    records = answer.output.split(b"\0")
    return [[*_decoded(one).split("\n", 3), "", "", ""][:4] for one in records]


def _is_merge(record: Sequence[str]) -> bool:
    return " " in record[2]


def _changes_earlier(record: Sequence[str]) -> bool:
    """Return whether a commit changes what is read from the messages before it."""
    return _is_merge(record) or bool(reverted(record[3]))


def _messages(records: Sequence[Sequence[str]], settings: Settings) -> tuple[Message, ...]:
    taken_back = tuple(one for record in records for one in reverted(record[3]))
    return tuple(_message(one, taken_back, settings) for one in records if any(one))


def _message(record: Sequence[str], taken_back: tuple[str, ...], settings: Settings) -> Message:
    commit, moment, _, text = record
    standing = not commit.startswith(taken_back)
    return Message(commit, standing, moment, _is_merge(record), text, settings)


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
