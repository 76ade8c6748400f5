"""Hook entry point, run by an agent's client at its events.

``mind-hook`` reads the event as JSON from standard input. It must never block work: without a
memory it exits at once, errors go to ``.mind/cache/hooks.log``, and the exit status is 0. If no
file changed, it answers from prepared data (:mod:`mind.hooks.cache`) without opening the memory.
"""

import sys

from mind.storage import process

_GIT_SECONDS = 1.0
"""Total time an event waits for git."""


def main() -> None:
    """Run the hook for the event on standard input."""
    process.fill()
    process.leave_deleted_folder()
    try:
        text = sys.stdin.buffer.read() if sys.stdin else b""
    except OSError:  # a folder, or a terminal that is gone
        return
    if b"hook_event_name" not in text:
        return
    from mind.hooks.events import answer  # noqa: PLC0415 - only for an event
    from mind.storage.process import Patience  # noqa: PLC0415 - the same

    with Patience(_GIT_SECONDS):
        said = answer(text)
    try:
        if sys.stdout:
            sys.stdout.write(said)
            sys.stdout.flush()
    except OSError:  # the client is gone; without this Python would flush again on exit
        sys.stdout = None
