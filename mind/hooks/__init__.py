"""The hook entry: what an agent's client runs at its events.

``mind-hook`` reads the event as JSON from standard input. It must never stand in the way of
work: where there is no memory it ends at once, an error is written to ``.mind/cache/hooks.log``,
and the exit status is 0. What nothing new has happened to is answered from what was prepared
(:mod:`mind.hooks.known`), without opening the memory.
"""

import sys


def main() -> None:
    """Run the hook for the event on standard input."""
    text = sys.stdin.buffer.read()
    if b"hook_event_name" not in text:
        return
    from mind.hooks.events import answer  # noqa: PLC0415 - what is no event needs none of it

    try:
        sys.stdout.write(answer(text))
        sys.stdout.flush()
    except OSError:  # the client went away; at the end Python would try again
        sys.stdout = None
