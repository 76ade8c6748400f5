"""Serving on standard input and output, from the first instruction to the last line."""

import gc
import os
import signal
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mind.memory.memory import Memory


_NAMING = ("MIND_DIR", "MIND_PROJECT", "CLAUDE_PROJECT_DIR")
"""Variables that say which memory is meant; then it is no other."""


def run(
    start: Path | None = None,
    *,
    toolsets: str = "core",
    remote: tuple[str, str] | None = None,
) -> None:
    """Serve until the client hangs up or a signal comes.

    Args:
        start: A folder of the project; by default what the environment or the working folder say.
        toolsets: Names separated by commas, or "all".
        remote: The address of a service to forward to, and the variable that holds its token.

    Raises:
        InputError: A toolset is unknown, or ``remote`` cannot be used.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: leave())
    from mind.server.mcp.handshake import Handshake, from_input, to_output  # noqa: PLC0415 - as below

    service = None
    if remote is not None:
        from mind.server.mcp.forwarding import Service  # noqa: PLC0415 - only to forward

        service = Service(*remote)
    if toolsets != "core":
        from mind.server.mcp.tools import chosen  # noqa: PLC0415 - the usual case need not be checked

        chosen(toolsets)
    handshake = Handshake(toolsets)
    if not handshake.greet(from_input, to_output):
        return
    with _building():
        from mind.storage.process import share_one_heap  # noqa: PLC0415 - as below

        share_one_heap()
        from mind.server.mcp import app, background, wire  # noqa: PLC0415 - the SDK: after the handlers of signals

    session_id = os.environ.get("CLAUDE_CODE_SESSION_ID") or None

    def open_memory(folder: Path | None = start) -> "Memory":
        from mind.memory.memory import Memory  # noqa: PLC0415 - after the handshake, not before

        memory = Memory.open(folder, session_id=session_id, meaning=vectors.meaning)
        vectors.meaning(memory.project)
        return memory

    vectors = background.Background()
    named = start is not None or any(os.environ.get(name) for name in _NAMING)
    call = None
    if service is not None:
        from mind.server.mcp.remote import Remote  # noqa: PLC0415 - only to forward

        call = Remote(service, open_memory).call
    try:
        wire.serve(
            app.build(
                open_memory, toolsets, vectors.wake, None if named else open_memory, call=call
            ),
            handshake,
        )
    finally:
        vectors.end()


@contextmanager
def _building() -> "Iterator[None]":
    """Collect no garbage meanwhile, nor look at what was made again later.

    The SDK makes over 100,000 objects that last as long as the process; looking for garbage among
    them is a tenth of the start.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def leave() -> None:
    """End the process at once: every call leaves the files whole, so it needs no ceremony."""
    sys.stderr.flush()
    os._exit(0)
