"""The hook entry: what an agent's client runs at its events.

``mind-hook`` reads the event as JSON from standard input. It must never stand in the way of
work: where there is no memory it ends at once, an error is written to ``.mind/cache/hooks.log``,
and the exit status is 0. What nothing new has happened to is answered from what was prepared
(:mod:`mind.hooks.known`), without opening the memory.
"""

import os
import sys

from mind.storage import streams

_SEARCHING = "mind.text.sourcetext.limited"
_GIT_SECONDS = 1.0
"""What an event waits for git in all."""


def main() -> None:
    """Run the hook for the event on standard input."""
    is_own = _SEARCHING not in sys.modules
    streams.fill()
    streams.leave_deleted_folder()
    try:
        text = sys.stdin.buffer.read() if sys.stdin else b""
    except OSError:  # a folder, or a terminal that is gone
        return
    if b"hook_event_name" not in text:
        return
    from mind.hooks.events import answer  # noqa: PLC0415 - what is no event needs none of it
    from mind.storage.process import Patience  # noqa: PLC0415 - the same

    with Patience(_GIT_SECONDS):
        said = answer(text)
    try:
        if sys.stdout:
            sys.stdout.write(said)
            sys.stdout.flush()
    except OSError:  # the client went away; at the end Python would try again
        sys.stdout = None
    if is_own and _SEARCHING in sys.modules and sys.modules[_SEARCHING].is_left():
        os._exit(0)  # nobody waits for a thread that still searches for a pattern
