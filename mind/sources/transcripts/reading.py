"""Reading transcripts: nominations of a whole file, or of its new part during a session."""

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator
from datetime import UTC, tzinfo
from itertools import chain
from pathlib import Path

from mind.domain.entry import normalise
from mind.domain.settings import Settings
from mind.sources.remembered import ImportedNote
from mind.sources.transcripts.nominating import ListenedSession, Nomination
from mind.sources.transcripts.turns import AgentMessage, Turn, UserMessage, looked_at, records, turn
from mind.text import secrets


def listen(path: Path, start: int, talk: ListenedSession, last: str, most: int) -> int:
    """Update a session; return the offset to continue at.

    Args:
        path: The transcript.
        start: Number of bytes already read.
        talk: The session up to that point.
        last: The agent's last message, which may not be in the file yet; "" if unknown.
        most: Maximum number of bytes to read; of more, the last.
    """
    try:
        size = path.stat().st_size
    except OSError:
        return start
    begin = max(start if start <= size else 0, size - most)
    heard = begin
    told = ""

    def new(lines: Iterator[bytes]) -> Iterator[bytes]:
        nonlocal heard
        for line in lines:
            if not line.endswith(b"\n"):  # still being written
                return
            heard += len(line)
            yield line

    with looked_at(path, start=begin) as source:
        for record in records(new(source)):
            one = turn(record)
            if one is not None:
                told = next(
                    (part.text for part in one.parts if isinstance(part, AgentMessage)), told
                )
                talk.hear([one])
    if last.strip() not in told:
        talk.hear([_turn(AgentMessage(last))])
    return heard


def hear(talk: ListenedSession, asked: str, answered: str) -> None:
    """Update a session with another prompt and its answer."""
    talk.hear([_turn(UserMessage(asked), AgentMessage(answered))])


def _turn(*parts: UserMessage | AgentMessage) -> Turn:
    return Turn(uuid="", session="", at=None, folder="", parts=parts)


SOURCE = "claude-code"
_MOST_LINES = 500_000
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]")
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07")
_MARKUP = re.compile(
    r"<!--.*?(?:-->|\Z)|-->|</?(?:system|user|assistant|command|local|task)[\w-]*>", re.DOTALL
)
_FIELD = re.compile(r"\[([\w -]+)::\s*([^\[\]]*)\]")
_BLOCK_ID = re.compile(r"(?<=\s)\^(?=[\w-]+\s*$)")
_HOMES = re.compile(
    r"(?<![\w.])(?:/home/[^/\s'\"`]+|/Users/[^/\s'\"`]+|/root|"
    r"[A-Za-z]:\\+Users\\+[^\\\s]+)(?=[/\\\s'\"`,;:.)]|$)"
)


class KnownFolders:
    """Folders whose paths are shortened in notes: the project's and the person's home."""

    def __init__(self, roots: Iterable[str | Path], home: Path) -> None:
        named = {str(one).rstrip("/\\") for root in roots for one in (root, Path(root).resolve())}
        self._roots = sorted((one for one in named if len(one) > 1), key=len, reverse=True)
        self._home = str(home).rstrip("/\\")

    def relative(self, text: str) -> str:
        """Return ``text`` with paths relative to the project, or to ``~``."""
        for root in self._roots:
            text = re.sub(rf"(?<![\w.]){re.escape(root)}(?:[/\\]|(?![\w.-]))", "", text)
        if len(self._home) > 1:
            text = re.sub(rf"(?<![\w.]){re.escape(self._home)}(?![\w.-])", "~", text)
        return _HOMES.sub("~", text)


def plain(text: str, places: KnownFolders) -> str:
    """Return ``text`` on one line, without credentials and markup that memory would misread."""
    text = "".join(
        " " if unicodedata.category(one) == "Cc" else one
        for one in _ESCAPES.sub("", text)
        if unicodedata.category(one) not in {"Cf", "Cs", "Co"}
    )
    text = places.relative(secrets.mask(" ".join(text.split())))
    text = _FIELD.sub(r"\1: \2", _MARKUP.sub(" ", text))
    return " ".join(_BLOCK_ID.sub("", text).split())


def remembered(
    paths: Iterable[Path],
    root: Path,
    *,
    settings: Settings | None = None,
    home: Path | None = None,
    zone: tzinfo = UTC,
) -> Iterator[ImportedNote]:
    """Yield the nominations of transcripts, file by file, each in order.

    Unreadable files are skipped. A sentence in several files (a resumed session, a fork) is yielded
    once, from the first of them. Reads no other files.

    Args:
        paths: Transcripts, as returned by :func:`found`.
        root: The project; paths of its files are relative to it.
        settings: Languages and keywords of marks; the defaults if None.
        home: The user's home folder, shown as ``~``; that of this process if None.
        zone: Time zone of the days.
    """
    seen: set[str] = set()
    for path in paths:
        for one in _of(path, root, settings or Settings(), home or Path.home(), zone):
            same = {one.key, normalise(one.text)}
            if not same & seen:
                yield one
            seen |= same


def _of(
    path: Path, root: Path, settings: Settings, home: Path, zone: tzinfo
) -> Iterator[ImportedNote]:
    with looked_at(path) as source:
        turns = read(source)
        first = next(turns, None)
        if first is None:
            return
        found = ListenedSession(settings=settings).hear(chain([first], turns)).offered()
    places = KnownFolders([root, first.folder or root], home)
    yield from _remembered(found, places, first.session or path.stem, zone)


def noted(
    said: Iterable[Nomination], root: Path, session: str, *, zone: tzinfo = UTC
) -> list[ImportedNote]:
    """Convert nominations of a session to importable notes."""
    return list(_remembered(said, KnownFolders([root], Path.home()), session, zone))


def _remembered(
    said: Iterable[Nomination], places: KnownFolders, session: str, zone: tzinfo
) -> Iterator[ImportedNote]:
    name = _UNSAFE.sub("-", session)[:64]
    for one in said:
        text = plain(one.text, places)
        if text and not secrets.find(text):
            yield ImportedNote(
                text=text,
                kind=one.kind,
                source=SOURCE,
                key=hashlib.blake2b(normalise(text).encode(), digest_size=8).hexdigest(),
                day=one.said.astimezone(zone).date() if one.said else None,
                place=f"session {name}" + (f", {one.said:%Y-%m-%d %H:%M} UTC" if one.said else ""),
            )


def read(source: Iterator[bytes]) -> Iterator[Turn]:
    """Yield the turns of a session, each line once."""
    seen: set[int] = set()
    for record in records(source):
        one = turn(record)
        if one is None or hash(one.uuid) in seen:
            continue
        if len(seen) < _MOST_LINES:
            seen.add(hash(one.uuid))
        yield one
