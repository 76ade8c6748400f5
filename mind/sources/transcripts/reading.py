"""Transcripts → what they teach about a project, as memories."""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, tzinfo
from pathlib import Path

from mind import secrets
from mind.entry import normalise
from mind.sources.remembered import Remembered
from mind.sources.transcripts import paragraph
from mind.sources.transcripts.lesson import Lesson
from mind.sources.transcripts.lines import Limited, looked_at, records
from mind.sources.transcripts.paragraph import Places
from mind.sources.transcripts.session import Session
from mind.sources.transcripts.turns import Turn, turn

SOURCE = "claude-code"
_MOST_LINES = 500_000
_SHORTEST = 15
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]")


def remembered(
    paths: Iterable[Path],
    root: Path,
    *,
    home: Path | None = None,
    zone: tzinfo = UTC,
    progress: Callable[[Path, int], None] | None = None,
) -> Iterator[Remembered]:
    """The lessons of transcripts, file by file, each in the order of its session.

    A file that cannot be read has none. What several files tell (a resumed session, a fork) comes
    once, from the first of them. Nothing else is read than these files.

    Args:
        paths: Transcripts, as :func:`found` lists them.
        root: The project; its files are told from there.
        home: The user's folder, told as ``~``; the one of this process if None.
        zone: For the days.
        progress: Told the file and how many bytes of it were read, now and then and at its end.
    """
    places = Places([root], home or Path.home())
    seen: set[str] = set()
    for path in paths:
        for one in _of(path, places, zone, progress):
            same = {one.key, f"{one.kind} {normalise(one.text)}"}
            if not same & seen:
                yield one
            seen |= same


def _of(
    path: Path, places: Places, zone: tzinfo, progress: Callable[[Path, int], None] | None
) -> Iterator[Remembered]:
    session: Session | None = None
    name = path.stem
    with looked_at(path) as source:
        for one in _turns(path, source, progress):
            if session is None:
                places = places.also(one.folder)
                session = Session(places)
                name = one.session or name
            session.hear(one)
        if progress is not None:
            progress(path, source.done)
    for lesson in session.lessons() if session else ():
        memory = _memory(lesson, places, zone, _UNSAFE.sub("-", name)[:64])
        if memory is not None:
            yield memory


def _turns(
    path: Path, source: Limited, progress: Callable[[Path, int], None] | None
) -> Iterator[Turn]:
    seen: set[int] = set()
    told = (lambda done: progress(path, done)) if progress else None
    for record in records(source, told):
        one = turn(record)
        if one is None or hash(one.uuid) in seen:
            continue
        if len(seen) < _MOST_LINES:
            seen.add(hash(one.uuid))
        yield one


def _memory(lesson: Lesson, places: Places, zone: tzinfo, name: str) -> Remembered | None:
    text = paragraph.cut(paragraph.plain(lesson.text, places))
    if paragraph.width(text) < _SHORTEST or secrets.find(text):
        return None
    at = lesson.moment.at
    told = f"{lesson.kind.value} {lesson.sources[0]}"
    digest = hashlib.blake2b(told.encode("utf-8", "replace"), digest_size=4)
    return Remembered(
        text=text,
        kind=lesson.kind,
        source=SOURCE,
        key=f"{lesson.moment.uuid[:8]}-{digest.hexdigest()}",
        day=at.astimezone(zone).date() if at else None,
        place=f"session {name}" + (f", {at:%Y-%m-%d %H:%M} UTC" if at else ""),
    )
