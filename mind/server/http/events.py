"""Server-sent events: what of a project's files has changed, told while somebody listens."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping

from mind.memory.overview import version_of

_EVERY = 1.0
"""Seconds between two looks: six `stat` calls."""
_BEAT = 15.0
"""Seconds of silence after which a comment tells that the stream lives."""


async def changes(
    look: Callable[[], Mapping[str, str]],
    leaving: Callable[[], bool],
    last: str = "",
    every: float = _EVERY,
) -> AsyncIterator[bytes]:
    """Events, until the service ends.

    Args:
        look: Gives the stamp of each file.
        leaving: Whether the service ends.
        last: The version that the listener saw last; another one is told at once.
        every: Seconds between two looks.
    """
    known = dict(look())
    version = version_of(known)
    name = "changed" if last not in ("", version) else "hello"
    yield _event(name, version, list(known) if name == "changed" else [])
    silent = 0.0
    while not leaving():
        await asyncio.sleep(every)
        now = dict(look())
        if now != known:
            files = [file for file in now if now[file] != known.get(file)]
            known, silent = now, 0.0
            yield _event("changed", version_of(now), files)
        else:
            silent += every
        if silent >= _BEAT:
            silent = 0.0
            yield b": still here\n\n"


def _event(name: str, version: str, files: list[str]) -> bytes:
    data = json.dumps({"version": version, "files": files})
    return f"event: {name}\nid: {version}\ndata: {data}\n\n".encode()
