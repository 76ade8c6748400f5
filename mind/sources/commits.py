"""Keyword lines in commit messages."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from mind import parser
from mind.config import Settings
from mind.entry import Entry, Kind
from mind.sources.repository import ask, folder_of, text_of

_HASH = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_FORMAT = "%H%x1f%aI%x1f%P%x1f%B%x1e"
_MARK = re.compile(r"^\s*(?:[-*]\s+)?MEMORY:\s*", re.IGNORECASE)
_KEYWORD = re.compile(r"^\s*(?:[-*]\s+)?\**[^\W\d][\w '-]{1,28}\**\s*:\**\s*\S")
_TRAILER = re.compile(r"^[A-Z][A-Za-z]*(?:-[A-Za-z]+)+:\s")
_SUBJECT_KINDS = frozenset(
    {Kind.DECISION, Kind.LEARNING, Kind.GOTCHA, Kind.PROBLEM, Kind.REJECTED, Kind.BLOCKER}
)
_BODY_KINDS = _SUBJECT_KINDS | {Kind.ASSUMPTION, Kind.GOAL, Kind.TODO, Kind.PROGRESS, Kind.NOTE}
_CONVENTIONAL = re.compile(
    r"^(?:fix|fixed|fixes|feat|chore|docs|build|ci|test|tests|perf|refactor|style|revert|bug|"
    r"bugfix|hotfix|error|issue|note|add|added|done)(?:\([^)]*\))?!?\s*:",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Commits:
    """Entries in the order of the history, oldest first.

    Attributes:
        entries: Of the new commits, or of all of them when ``rewritten``.
        rewritten: The last commit seen is no longer part of the history.
        problem: What could not be read, with its remedy; "" if nothing.
    """

    entries: tuple[Entry, ...] = ()
    rewritten: bool = False
    problem: str = ""


def head(root: Path) -> str | None:
    """The hash of the current commit, read from git's own files; None before the first.

    Agrees with ``git rev-parse HEAD``; git itself is asked only where references are stored in
    another way.
    """
    folder = folder_of(root)
    if folder is None:
        return None
    text = text_of(folder / "HEAD")
    if _HASH.fullmatch(text):
        return text
    name = text.removeprefix("ref: ")
    named = text_of(folder / "commondir")
    common = (folder / named).resolve() if named else folder
    for place in (folder, common):
        found = text_of(place / name)
        if _HASH.fullmatch(found):
            return found
    for line in text_of(common / "packed-refs").splitlines():
        if line.endswith(f" {name}"):
            return line.split(" ", 1)[0]
    return _asked(root) if (common / "reftable").is_dir() else None


def _asked(root: Path) -> str | None:
    answer = ask(root, "rev-parse", "--verify", "--quiet", "HEAD")
    return answer.decode("ascii", "replace").strip() if answer else None


def scan(root: Path, settings: Settings, since: str | None, limit: int) -> Commits:
    """Entries from the messages of commits.

    Args:
        root: The project.
        settings: For the parser.
        since: The last commit seen; only later ones are read.
        limit: Most commits to read the first time, and after a rewrite.
    """
    known = bool(since) and _is_ancestor(root, str(since))
    which = [f"{since}..HEAD"] if known else [f"--max-count={limit}", "HEAD"]
    output = ask(
        root, "log", "--no-show-signature", "--encoding=UTF-8", f"--format={_FORMAT}", *which, "--"
    )
    if output is None:
        problem = "git does not answer here. Run `git status` to see why."
        return Commits(problem=problem if head(root) else "")
    entries = [entry for record in _records(output) for entry in _entries(record, settings)]
    entries.reverse()
    return Commits(tuple(entries), rewritten=bool(since) and not known)


def _is_ancestor(root: Path, commit: str) -> bool:
    if not _HASH.fullmatch(commit):
        return False
    return ask(root, "merge-base", "--is-ancestor", commit, "HEAD") is not None


def _records(output: bytes) -> Iterator[list[str]]:
    for record in output.decode("utf-8", "replace").split("\x1e"):
        parts = record.strip("\n").split("\x1f")
        if len(parts) == 4 and " " not in parts[2].strip():  # merges say nothing of their own
            yield parts


def _entries(record: list[str], settings: Settings) -> list[Entry]:
    """The entries of one commit, last line first (the whole history is turned round later)."""
    commit, moment, _, message = record
    day = datetime.fromisoformat(moment).date()
    found = []
    for is_subject, text in _paragraphs(message):
        entry = _entry(text, settings, is_subject=is_subject)
        if entry is not None:
            found.append(
                replace(entry, source="git", commit=commit, date=entry.date or day, line=0, end=0)
            )
    found.reverse()
    return found


def _paragraphs(message: str) -> Iterator[tuple[bool, str]]:
    """(whether it is the subject, text) of each keyword line with the lines that continue it."""
    subject, _, body = message.partition("\n")
    yield True, subject.strip()
    current: list[str] = []
    for line in [*body.split("\n"), ""]:
        starts = bool(_KEYWORD.match(line)) and not _TRAILER.match(line)
        if current and (starts or not line.strip() or _TRAILER.match(line)):
            yield False, " ".join(current)
            current = []
        if starts or current:
            current.append(line.strip())


def _entry(text: str, settings: Settings, *, is_subject: bool) -> Entry | None:
    marked = _MARK.match(text)
    if marked:
        text = text[marked.end() :]
        return parser.parse_line(text, settings) or parser.parse_line(f"note: {text}", settings)
    if not _KEYWORD.match(text) or (is_subject and _CONVENTIONAL.match(text)):
        return None
    kind = parser.keyword_line(text, settings)
    if kind not in (_SUBJECT_KINDS if is_subject else _BODY_KINDS):
        return None
    return parser.parse_line(text, settings)
