"""Output: JSON for programs, plain lines for pipes, colour and tables for a terminal."""

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Annotated, TextIO, TypeVar

import typer

from mind.domain.errors import MindError
from mind.storage.boundary import own_memory
from mind.storage.process import is_utf8
from mind.text.visible import visible, visible_json

T = TypeVar("T")
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Keywords = Annotated[
    list[str] | None,
    typer.Option(
        "--keyword",
        "-k",
        help="Another name of what it is about; of a rejected approach or a gotcha, one by which "
        "it would come back: a package, call, command or synonym. Repeatable.",
        metavar="NAME",
    ),
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Show what would change, without changing it.")
]


def say(text: str = "") -> None:
    """Print one line to standard output, with terminal control characters escaped."""
    _write(sys.stdout, visible(text))


def note(text: str) -> None:
    """Print one line to standard error: progress and warnings, never results."""
    with suppress(OSError):  # there is nowhere else to report it
        _write(sys.stderr, visible(text))


def _write(stream: TextIO, text: str) -> None:
    stream.write(text.encode("utf-8", "replace").decode("utf-8") + "\n")


def is_terminal() -> bool:
    """True if standard output is a terminal."""
    return sys.stdout.isatty()


def show_json(value: object) -> None:
    """Print ``value`` as JSON; value objects become objects of their fields."""
    from mind.memory.as_json import plain  # noqa: PLC0415 - only where JSON is asked for

    text = json.dumps(plain(value), ensure_ascii=not is_utf8(), indent=2)
    _write(sys.stdout, visible_json(text))


def present(
    found: T,
    shown: str | Callable[[T], str | None],
    *,
    as_json: bool,
    form: Callable[[T], object] | None = None,
) -> None:
    """Print an answer: the JSON of its ``form``, or for people ``shown``.

    That is the text, a function that returns it, or one that prints it. The problems that made
    the answer incomplete follow on standard error.
    """
    if as_json:
        show_json(form(found) if form else found)
    else:
        text = shown if isinstance(shown, str) else shown(found)
        if text:
            say(text)
    problems(getattr(found, "problems", ()))


def complain(error: MindError, *, as_json: bool) -> None:
    """Print ``error`` with its remedy to standard error, or as JSON to standard output."""
    from mind.text.secrets import mask  # noqa: PLC0415 - only for an error

    message = mask(error.message)
    if as_json:
        data = {
            name: mask(value) if isinstance(value, str) else value
            for name, value in error.data.items()
        }
        show_json({"error": error.code, "message": message, "remedy": mask(error.remedy), **data})
        return
    mark = "\033[31merror:\033[0m" if sys.stderr.isatty() else "error:"
    _write(sys.stderr, f"{mark} {visible(message)}.")
    note(for_a_shell(mask(error.remedy)))


def note_missing(ids: Sequence[str]) -> None:
    """Print that no entry has these ids, and where to look for them."""
    note(f"No entry has the id {', '.join(ids)}.")
    note(
        f"Find it with `{program()} search WORDS` or, if it was archived, with "
        f"`{program()} archive list`. `{program()} restore ID` brings an archived entry back."
    )


def for_a_shell(advice: str) -> str:
    """``advice`` with the agent's tools and their arguments replaced by commands and options."""
    return advice.replace("mind_blocker", "`mind blocker`").replace(
        "set acknowledge", "pass --acknowledge"
    )


def program() -> str:
    """The command prefix for this memory: ``mind``, or ``mind --global`` for the user's own."""
    return "mind --global" if os.environ.get("MIND_DIR") == str(own_memory()) else "mind"


def table(columns: Sequence[str], rows: Sequence[Sequence[str]], *, none: str = "") -> None:
    """Print rows: a table on a terminal; in a pipe, tab-separated values without a heading.

    Without rows, print only ``none``, to standard error: programs read an empty list.
    """
    if not rows:
        if none:
            note(none)
        return
    if not is_terminal():
        for row in rows:
            say("\t".join(" ".join(cell.split()) for cell in row))
        return
    from rich.console import Console  # noqa: PLC0415 - only for a person
    from rich.table import Table  # noqa: PLC0415 - only for a person

    shown = Table(*columns, box=None, pad_edge=False, header_style="bold")
    for row in rows:
        shown.add_row(*(visible(cell).replace("[", r"\[") for cell in row))
    Console().print(shown)


_told: set[str] = set()


def problems(found: Sequence[str]) -> None:
    """Print the problems that made an answer incomplete."""
    for problem in found:
        note(f"! {problem}")
    _told.update(found)


def unanswered(problem: str) -> None:
    """Print why git did not answer, unless already printed; nothing if ``problem`` is ""."""
    problems([problem] if problem and problem not in _told else [])
    _told.clear()


@contextmanager
def progress(*, as_json: bool = False) -> Iterator[Callable[[str, int, int], None]]:
    """A function that shows progress; it takes (description, done, total).

    It shows nothing with ``as_json``, or if standard error is not a terminal.
    """
    if as_json or not sys.stderr.isatty():
        yield lambda _what, _done, _total: None
        return
    from rich.console import Console  # noqa: PLC0415 - only for a person
    from rich.progress import Progress  # noqa: PLC0415 - only for a person

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda what, done, total: bar.update(
            task, description=what, completed=done, total=total or None
        )
