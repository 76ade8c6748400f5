"""What a check found, and what would mend it."""

import shlex
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


class Verdict(StrEnum):
    """How a check ended."""

    FINE = "fine"
    WARNING = "warning"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that was looked at.

    Attributes:
        name: What it is, the same in every run.
        verdict: How it ended; after a mending, how it ended then.
        detail: What was seen.
        remedy: What to do about it; "" when it is fine.
        mending: What ``--fix`` does about it, or did; "" if that is left to the user.
        mended: Whether it was done.
    """

    name: str
    verdict: Verdict
    detail: str
    remedy: str = ""
    mending: str = ""
    mended: bool = False


@dataclass(frozen=True, slots=True)
class Mending:
    """Something safe that can be taken back: ``what`` in the imperative, and the deed."""

    what: str
    act: Callable[[], object]


@dataclass(frozen=True, slots=True)
class Finding:
    """A check's outcome, before it is known by name."""

    verdict: Verdict
    detail: str
    remedy: str = ""
    mending: Mending | None = None


def fine(detail: str) -> Finding:
    """Nothing to do."""
    return Finding(Verdict.FINE, detail)


def warning(detail: str, remedy: str, mending: Mending | None = None) -> Finding:
    """Memory works, but not all of it or not for long."""
    return Finding(Verdict.WARNING, detail, remedy, mending)


def broken(detail: str, remedy: str, mending: Mending | None = None) -> Finding:
    """Something does not work."""
    return Finding(Verdict.BROKEN, detail, remedy, mending)


def typed(paths: Iterable[Path | str]) -> str:
    """``paths`` as a shell takes them."""
    return " ".join(shlex.quote(str(path)) for path in paths)


def several(texts: list[str], most: int = 3) -> str:
    """The first of ``texts``, and how many more there are."""
    more = len(texts) - most
    return ", ".join(texts[:most]) + (f" and {more} more" if more > 0 else "")
