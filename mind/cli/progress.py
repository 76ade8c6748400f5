"""Progress of long work, on standard error, for a person who is looking."""

import contextlib
import sys
from collections.abc import Callable, Iterator


@contextlib.contextmanager
def progress(*, as_json: bool = False) -> Iterator[Callable[[str, int, int], None]]:
    """A function that shows (what is being done, how much is done, how much there is).

    It shows nothing where nobody is looking, or where a program reads JSON.
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
