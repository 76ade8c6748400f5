"""A transcript: a few words about a use case, then each command with its whole output.

::

    An idea that was turned down comes back.

    $ mind log -t rejected 'Redis for sessions - one more server'
    Recorded rejection 0hy6x8t3 in .mind/SESSION.md
    $ mind show nothing
    --- stderr
    No entry has the id nothing.
    --- exit 1

What a command wrote to standard error follows ``--- stderr``, its exit code ``--- exit``; both are
left out where there is nothing to say. ``--- no newline`` stands where an output ends without one.
"""

from collections.abc import Callable
from dataclasses import dataclass

PROMPT = "$ "


@dataclass(frozen=True)
class Outcome:
    """What a command did."""

    out: str
    err: str = ""
    code: int = 0

    def __str__(self) -> str:
        text = _whole(self.out)
        if self.err:
            text += f"--- stderr\n{_whole(self.err)}"
        if self.code:
            text += f"--- exit {self.code}\n"
        return text


@dataclass(frozen=True)
class Transcript:
    """What a file says beside the outputs."""

    about: str
    commands: tuple[str, ...]


def parse(text: str) -> Transcript:
    """Read the words at the beginning and the commands; outputs are read by nobody."""
    about, *rest = f"\n{text}".split(f"\n{PROMPT}")
    return Transcript(about.strip(), tuple(part.partition("\n")[0] for part in rest))


def play(transcript: Transcript, run: Callable[[str], Outcome]) -> str:
    """Run all commands, and return the text of the file as it should be."""
    parts = [f"{transcript.about}\n\n"]
    for command in transcript.commands:
        output = str(run(command))
        assert f"\n{PROMPT}" not in f"\n{output}", f"{command}: a line of it looks like a command"
        parts.append(f"{PROMPT}{command}\n{output}")
    return "".join(parts)


def _whole(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n--- no newline\n"
