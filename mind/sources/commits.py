"""Explicit marks and reverts in commit messages."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mind.domain.entry import Entry, iso_day
from mind.domain.settings import Settings
from mind.sources.git.log import reverted
from mind.sources.git.repository import HASH, GitAnswer, ask, head, is_top

__all__ = ["Commits", "scan"]

_FORMAT = "%H%n%aI%n%P%n%B"
_LONGEST = 100_000
"""Maximum characters read of a commit, up to a line end."""


@dataclass(frozen=True, slots=True)
class Message:
    """One commit's message, parsed only when its entries are read.

    Attributes:
        commit: Its hash.
        standing: False if a later commit in the scanned range reverts it.
    """

    commit: str
    standing: bool
    _moment: str
    _is_merge: bool
    _text: str
    _settings: Settings

    @property
    def key(self) -> str:
        """Return a cache key: everything its entries depend on, apart from the settings."""
        return f"{self.commit} {self.standing}"

    def __iter__(self) -> Iterator[Entry]:
        """Yield its entries."""
        from mind.sources.git import messages  # noqa: PLC0415 - only where a message is parsed

        day = iso_day(self._moment[:10])  # None if a broken commit has no timestamp
        read = messages.entries_in(
            self._text, self._settings, merge=self._is_merge, standing=self.standing
        )
        for entry in read:
            yield replace(entry, source="git", commit=self.commit, date=entry.date or day)


@dataclass(frozen=True, slots=True)
class Commits:
    """Commit messages in history order, oldest first.

    Attributes:
        messages: Those of new commits, or of all commits if ``rewritten``.
        rewritten: The last seen commit left the history, a branch with interleaved commits was
            merged, or a new commit reverts an earlier one. The caller must replace its
            entries instead of adding to them.
        problem: Read failure and its remedy; "" if none. On failure the caller keeps its
            entries.
        head: The last commit read; "" if none.
    """

    messages: tuple[Message, ...] = ()
    rewritten: bool = False
    problem: str = ""
    head: str = ""

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Return the entries of all messages."""
        return tuple(entry for message in self.messages for entry in message)


def scan(root: Path, settings: Settings, since: str | None, limit: int) -> Commits:
    """Read entries from commit messages.

    In a subfolder of a repository, only commits that touch the subfolder count.

    Args:
        root: The project.
        settings: For the parser.
        since: The last seen commit; only later ones are read.
        limit: Maximum number of commits on the first read and after a rewrite.
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
    """Return hash, timestamp, parents and message of each commit."""
    records = answer.output.split(b"\0")
    return [[*_decoded(one).split("\n", 3), "", "", ""][:4] for one in records]


def _is_merge(record: Sequence[str]) -> bool:
    return " " in record[2]


def _changes_earlier(record: Sequence[str]) -> bool:
    """Return True if a commit changes how earlier messages are read."""
    return _is_merge(record) or bool(reverted(record[3]))


def _messages(records: Sequence[Sequence[str]], settings: Settings) -> tuple[Message, ...]:
    taken_back = tuple(one for record in records for one in reverted(record[3]))
    return tuple(_message(one, taken_back, settings) for one in records if any(one))


def _message(record: Sequence[str], taken_back: tuple[str, ...], settings: Settings) -> Message:
    commit, moment, _, text = record
    standing = not commit.startswith(taken_back)
    return Message(commit, standing, moment, _is_merge(record), text, settings)


def _decoded(record: bytes) -> str:
    """Decode as UTF-8, else Latin-1; git recodes only messages that declare an encoding."""
    try:
        text = record.decode("utf-8")
    except UnicodeDecodeError:
        text = record.decode("latin-1")
    text = text.lstrip("\n")
    return text if len(text) <= _LONGEST else text[:_LONGEST].rpartition("\n")[0]
