"""Transcripts → notes about a project, as memories."""

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator
from datetime import UTC, tzinfo
from itertools import islice
from pathlib import Path

from mind.domain.entry import Kind, normalise
from mind.domain.settings import Settings
from mind.sources.remembered import Remembered
from mind.sources.transcripts.failures import Failures
from mind.sources.transcripts.statements import stated
from mind.sources.transcripts.turns import Call, Said, Turn, looked_at, records, turn
from mind.text import secrets

SOURCE = "claude-code"
_MOST_LINES, _MOST_NOTES = 500_000, 500
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


class Places:
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

    def file(self, path: str) -> str:
        """Return the file of the project at ``path``, relative to it; "" for another."""
        file = self.relative(path).replace("\\", "/")
        return "" if file.startswith(("/", "~", "../")) or file[1:2] == ":" else file


def plain(text: str, places: Places) -> str:
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
) -> Iterator[Remembered]:
    """Yield the notes of transcripts, file by file, each in the order of its session.

    A file that cannot be read has none. A note that several files hold (a resumed session, a fork)
    comes once, from the first of them. Nothing else is read than these files.

    Args:
        paths: Transcripts, as :func:`found` lists them.
        root: The project; paths of its files are relative to it.
        settings: Languages and keywords of marks; the defaults if None.
        home: The user's folder, shown as ``~``; the one of this process if None.
        zone: For the days.
    """
    seen: set[str] = set()
    for path in paths:
        notes = _of(path, root, settings or Settings(), home or Path.home(), zone)
        for one in islice(notes, _MOST_NOTES):
            same = {one.key, f"{one.kind} {normalise(one.text)}"}
            if not same & seen:
                yield one
            seen |= same


def _of(
    path: Path, root: Path, settings: Settings, home: Path, zone: tzinfo
) -> Iterator[Remembered]:
    places: Places | None = None
    for one in _turns(path):
        if places is None:
            places = Places([root, one.folder or root], home)
            failures = Failures(places.file)
            name = _UNSAFE.sub("-", one.session or path.stem)[:64]
        for kind, said in _notes(one, failures, settings):
            text = plain(said, places)
            if text and not secrets.find(text):
                yield Remembered(
                    text=text,
                    kind=kind,
                    source=SOURCE,
                    key=_key(kind, said, one),
                    day=one.at.astimezone(zone).date() if one.at else None,
                    place=f"session {name}" + (f", {one.at:%Y-%m-%d %H:%M} UTC" if one.at else ""),
                )


def _turns(path: Path) -> Iterator[Turn]:
    """Yield what is said and done in a session, each line once."""
    seen: set[int] = set()
    with looked_at(path) as source:
        for record in records(source):
            one = turn(record)
            if one is None or hash(one.uuid) in seen:
                continue
            if len(seen) < _MOST_LINES:
                seen.add(hash(one.uuid))
            yield one


def _notes(one: Turn, failures: Failures, settings: Settings) -> Iterator[tuple[Kind, str]]:
    for part in one.parts:
        if isinstance(part, Said):
            if any(stated(part.text, settings)):
                # of the whole: a credential may go over several lines
                yield from stated(secrets.mask(part.text), settings)
        elif isinstance(part, Call):
            failures.called(part)
        elif problem := failures.answered(part):
            yield Kind.PROBLEM, problem


def _key(kind: Kind, said: str, one: Turn) -> str:
    told = f"{kind.value} {said}".encode("utf-8", "replace")
    return f"{one.uuid[:8]}-{hashlib.blake2b(told, digest_size=4).hexdigest()}"
