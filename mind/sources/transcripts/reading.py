"""Reading transcripts: nominations of a whole file, and of its new part while a session runs."""

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, tzinfo
from itertools import chain
from pathlib import Path
from typing import Any

from mind.domain.entry import normalise
from mind.domain.settings import Settings
from mind.sources.remembered import ImportedNote
from mind.sources.transcripts.nominating import ListenedSession, Nomination
from mind.sources.transcripts.turns import AgentMessage, Turn, UserMessage, looked_at, records, turn
from mind.text import secrets


def listen(
    path: Path, start: int, before: Mapping[str, Any], last: str, most: int
) -> tuple[ListenedSession, int]:
    """Return the session as far as it is heard now, and where to go on.

    Args:
        path: The transcript.
        start: Bytes that were heard.
        before: What :meth:`Talk.stored` gave then.
        last: The agent's last message, which the file may not have yet; "" if unknown.
        most: Bytes that are read; of more, the last.
    """
    talk = ListenedSession.read(before, Settings())
    try:
        size = path.stat().st_size
    except OSError:
        return talk, start
    begin = max(start if start <= size else 0, size - most)
    heard = begin
    told = ""

    def new(lines: Iterator[bytes]) -> Iterator[bytes]:
        nonlocal heard
        for line in lines:
            if not line.endswith(b"\n"):  # which is being written
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
    return talk, heard


def hear(before: Mapping[str, Any], asked: str, answered: str) -> ListenedSession:
    """Return the session after one more prompt and its answer."""
    return ListenedSession.read(before, Settings()).hear(
        [_turn(UserMessage(asked), AgentMessage(answered))]
    )


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
    """Folders that a note does not name: those of the project, and the person's own."""

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
    """Return ``text`` on one line, without what a memory must not hold or would misread."""
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
    """Yield what transcripts nominate, file by file, each in the order of its session.

    A file that cannot be read has none. A sentence that several files hold (a resumed session, a
    fork) comes once, from the first of them. Nothing else is read than these files.

    Args:
        paths: Transcripts, as :func:`found` lists them.
        root: The project; paths of its files are relative to it.
        settings: Languages and keywords of marks; the defaults if None.
        home: The user's folder, shown as ``~``; the one of this process if None.
        zone: For the days.
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
    """Return nominations of a session as memories."""
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
    """Yield what is said and done in a session, each line once."""
    seen: set[int] = set()
    for record in records(source):
        one = turn(record)
        if one is None or hash(one.uuid) in seen:
            continue
        if len(seen) < _MOST_LINES:
            seen.add(hash(one.uuid))
        yield one
