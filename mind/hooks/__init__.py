"""The hook entry: what an agent's client runs at its events.

``mind-hook`` reads the event as JSON from standard input. It must never stand in the way of
work: an event that does not concern memory ends before anything is imported, and an error is
written to ``.mind/cache/hooks.log`` and ends with 0.
"""

import sys


def main() -> None:
    """Run the hook for the event on standard input."""
    text = sys.stdin.buffer.read()
    if b"SessionStart" not in text:
        return
    from mind.hooks.session_start import run  # noqa: PLC0415 - other events need none of it

    sys.stdout.write(run(text))
