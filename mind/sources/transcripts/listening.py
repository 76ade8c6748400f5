"""Listening to a transcript that grows: what is new in it, as a session goes on."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from mind.domain.settings import Settings
from mind.sources.transcripts.nominating import Talk
from mind.sources.transcripts.turns import Said, Told, Turn, looked_at, records, turn


def listen(
    path: Path, start: int, before: Mapping[str, Any], last: str, most: int
) -> tuple[Talk, int]:
    """Return the session as far as it is heard now, and where to go on.

    Args:
        path: The transcript.
        start: Bytes that were heard.
        before: What :meth:`Talk.stored` gave then.
        last: The agent's last message, which the file may not have yet; "" if unknown.
        most: Bytes that are read; of more, the last.
    """
    talk = Talk.read(before, Settings())
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
                told = next((part.text for part in one.parts if isinstance(part, Told)), told)
                talk.hear([one])
    if last.strip() not in told:
        talk.hear([_turn(Told(last))])
    return talk, heard


def hear(before: Mapping[str, Any], asked: str, answered: str) -> Talk:
    """Return the session after one more prompt and its answer."""
    return Talk.read(before, Settings()).hear([_turn(Said(asked), Told(answered))])


def _turn(*parts: Said | Told) -> Turn:
    return Turn(uuid="", session="", at=None, folder="", parts=parts)
