"""Explicit marks and prose in commit messages."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mind.domain.entry import DOCUMENT, Entry, Kind, content_id, iso_day
from mind.domain.settings import Settings
from mind.sources.git.repository import HASH, GitAnswer, ask, head, is_top
from mind.text import secrets

__all__ = ["Commits", "scan"]

_FORMAT = "%H%n%aI%n%P%n%an%n%B"
_LONGEST = 100_000
"""Maximum characters read of a commit, up to a line end."""


@dataclass(frozen=True, slots=True)
class Message:
    """One commit's message, parsed only when its entries are read.

    Attributes:
        commit: Its hash.
        text: Subject, blank line, body.
    """

    commit: str
    text: str
    _moment: str
    _parents: str
    _author: str
    _settings: Settings

    @property
    def _is_merge(self) -> bool:
        return " " in self._parents

    def entries(self) -> Iterator[Entry]:
        """Yield what it marks explicitly."""
        from mind.sources.git import messages  # noqa: PLC0415 - only where a message is parsed

        yield from self._dated(messages.entries_in(self.text, self._settings, merge=self._is_merge))

    def alternatives(self) -> Iterator[Entry]:
        """Yield the alternatives that it rejected."""
        from mind.sources.git import messages  # noqa: PLC0415 - only where a message is parsed

        yield from self._dated(messages.alternatives_in(self.text, self._settings))

    def passages(self) -> Iterator[Entry]:
        """Yield its text for search if a person wrote more than a subject and marks."""
        from mind.sources.git import messages  # noqa: PLC0415 - only where a message is parsed

        if self._author.endswith("[bot]"):
            return
        plain = secrets.mask(self.text)
        text = messages.passage(plain, self._settings, merge=self._is_merge)
        if text:
            made = Entry(
                id=content_id(text), kind=Kind.NOTE, text=text, confidence=0.5, why=DOCUMENT
            )
            yield from self._dated([made])

    def _dated(self, read: Iterable[Entry]) -> Iterator[Entry]:
        day = iso_day(self._moment[:10])  # None if a broken commit has no timestamp
        for entry in read:
            yield replace(entry, source="git", commit=self.commit, date=entry.date or day)


@dataclass(frozen=True, slots=True)
class Commits:
    """Commit messages in history order, oldest first.

    Attributes:
        messages: Those of new commits, or of all commits if ``rewritten``.
        rewritten: The last seen commit left the history, or a branch with interleaved commits was
            merged. The caller must replace its entries instead of adding to them.
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
        return tuple(entry for message in self.messages for entry in message.entries())


def scan(root: Path, settings: Settings, since: str | None, limit: int) -> Commits:
    """Read commit messages.

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
    if known and answer.status == 0 and any(map(_is_merge, _records(answer))):
        known = False
        answer = _log(root, last)
    if answer.status != 0:
        return Commits(problem=answer.problem)
    return Commits(
        messages=_messages(_records(answer), settings),
        rewritten=since is not None and not known,
        head=newest,
    )


def reverts(root: Path, settings: Settings, limit: int) -> list[tuple[str, Entry]]:
    """Return the subjects and texts of commits that undo another one and say more than that.

    Args:
        root: The project.
        settings: For the parser.
        limit: Maximum number of commits read.
    """
    from mind.sources.git import messages  # noqa: PLC0415 - only when a repository is set up

    found = scan(root, settings, None, limit).messages
    undoing = (one for one in found if messages.is_revert(one.text))
    return [
        (secrets.mask(one.text).partition("\n")[0].strip(), it)
        for one in undoing
        for it in one.passages()
    ]


def alternatives(root: Path, settings: Settings, limit: int) -> list[Entry]:
    """Return the alternatives that commits rejected (arguments as for :func:`reverts`)."""
    found = scan(root, settings, None, limit).messages
    return [it for one in found for it in one.alternatives()]


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
    """Return hash, timestamp, parents, author and message of each commit."""
    records = answer.output.split(b"\0")
    return [[*_decoded(one).split("\n", 4), "", "", "", ""][:5] for one in records]


def _is_merge(record: Sequence[str]) -> bool:
    return " " in record[2]


def _messages(records: Sequence[Sequence[str]], settings: Settings) -> tuple[Message, ...]:
    return tuple(
        Message(commit, text, moment, parents, author, settings)
        for commit, moment, parents, author, text in records
        if commit
    )


def _decoded(record: bytes) -> str:
    """Decode as UTF-8, else Latin-1; git recodes only messages that declare an encoding."""
    try:
        text = record.decode("utf-8")
    except UnicodeDecodeError:
        text = record.decode("latin-1")
    text = text.lstrip("\n")
    return text if len(text) <= _LONGEST else text[:_LONGEST].rpartition("\n")[0]
