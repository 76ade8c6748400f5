"""Telling somebody how far long work is."""

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""Told what is being done, how much of it is done, and how much there is (0: not known)."""


def quiet(what: str, done: int, total: int) -> None:
    """A :data:`Progress` that tells nobody."""
    del what, done, total
