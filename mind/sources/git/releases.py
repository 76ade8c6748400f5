"""Releases of the repository, from its tags, and the time that a reference to one means."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from pathlib import Path

from mind.sources.git.repository import ask
from mind.text.dates.asked import Reference
from mind.text.dates.periods import Period

_FORMAT = "%00".join(
    f"%({field})"
    for field in ("refname:strip=2", "objectname", "*objectname", "creatordate:iso-strict")
)
_TAG = re.compile(
    r"(?:(?P<package>[^\s]{0,120}?[^\W\d])(?:@|[-_/]))?v?(?P<numbers>\d{1,9}(?:\.\d{1,9}){0,5})"
    r"(?P<more>[-.+_]?[a-z][\w.+-]*)?",
    re.IGNORECASE,
)
_PREVIEW = re.compile(
    r"[-._]?(?:alpha|beta|rc|a|b|c|m|dev|pre|preview|nightly|snapshot|canary|next)[-.]?\d{0,8}(?!\w)"
)
_GENERIC = {"release", "rel", "version", "ver", "tag", "releases"}
_NEWEST = re.compile(r"(last|latest|previous) ", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Release:
    """A tag that names a version.

    Attributes:
        name: The tag.
        date: The day of the tag, or of its commit where the tag has none of its own.
        commit: The full hash of what it points to.
    """

    name: str
    date: date
    commit: str


@dataclass(frozen=True, slots=True)
class _Version:
    package: str
    numbers: tuple[int, ...]
    preview: str


def releases(root: Path) -> list[Release]:
    """The releases of the repository around ``root``, oldest first; none where git cannot tell."""
    answer = ask(root, "for-each-ref", "refs/tags", f"--format={_FORMAT}")
    found = []
    for line in answer.output.decode("utf-8", "replace").splitlines():
        name, target, peeled, moment = [*line.split("\0"), "", "", ""][:4]
        day = _day(moment)
        if day and _parsed(name):
            found.append(Release(name, day, peeled or target))
    return sorted(found, key=_order)


def _order(one: Release) -> tuple[date, tuple[int, ...], bool, str]:
    version = _version(one.name)
    return one.date, version.numbers, not version.preview, one.name


def _day(moment: str) -> date | None:
    """None for a tag that points to no commit."""
    try:
        return datetime.fromisoformat(moment).date()
    except ValueError:
        return None


def _parsed(name: str) -> _Version | None:
    found = _TAG.fullmatch(name)
    if not found:
        return None
    package = (found["package"] or "").lower()
    numbers = tuple(int(one) for one in found["numbers"].split("."))
    more = (found["more"] or "").lower()
    preview = re.sub(r"[-._]", "", more) if _PREVIEW.match(more) else ""
    return _Version("" if package in _GENERIC else package, numbers, preview)


def _version(name: str) -> _Version:
    """Of a name that is known to be one."""
    return _parsed(name) or _Version("", (), "")


class Releases:
    """The meaning of references to releases in the repository around ``root``.

    Git is asked when the first reference comes.
    """

    def __init__(self, root: Path) -> None:
        self._root = root

    @cached_property
    def known(self) -> list[Release]:
        """As :func:`releases` gives them."""
        return releases(self._root)

    def __call__(self, reference: Reference) -> Period | None:
        """The days that are meant; None if there is no such release, or it is not clear which.

        Days are whole, so a release's own day counts as before it and as after it. "In" a release
        is from the one before it up to its day.
        """
        first = _named(reference.name, self.known)
        if not first:
            return None
        if reference.relation == "between":
            second = _named(reference.other, self.known)
            days = (first[0].date, second[0].date) if second else None
            return Period(min(days), max(days)) if days else None
        if reference.relation == "before":
            return Period(None, first[0].date)
        if reference.relation in ("after", "since"):
            return Period(first[0].date, None)
        return Period(_previous(first[0], self.known), first[-1].date)


def _named(name: str, known: Sequence[Release]) -> list[Release]:
    """The release, or those of a series (1.4 for 1.4.0 and 1.4.1), oldest first."""
    newest = _NEWEST.match(name)
    if newest:
        final = [one for one in known if not _version(one.name).preview]
        return final[-2:-1] if newest[1].lower() == "previous" else final[-1:]
    same = [one for one in known if _plain(one.name) == _plain(name)]
    wanted = _parsed(name)
    return same or (_series(wanted, known) if wanted else [])


def _plain(name: str) -> str:
    return name.lower().removeprefix("v")


def _series(wanted: _Version, known: Sequence[Release]) -> list[Release]:
    """Those whose version begins like it; none if it is not clear of which package."""
    fitting = [
        (one, version)
        for one, version in ((one, _version(one.name)) for one in known)
        if _begins(version.numbers, wanted.numbers)
        and wanted.package in ("", version.package)
        and (version.preview == wanted.preview or not wanted.preview)
    ]
    if not wanted.package:
        fitting = [pair for pair in fitting if not pair[1].package] or fitting
    if len({version.package for _, version in fitting}) != 1:
        return []
    final = [one for one, version in fitting if not version.preview]
    return final or [one for one, _ in fitting]


def _begins(numbers: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    """1.4 is 1.4.0 too, and the other way round."""
    padded = numbers + (0,) * (len(wanted) - len(numbers))
    return padded[: len(wanted)] == wanted


def _previous(first: Release, known: Sequence[Release]) -> date | None:
    """The day of the release before, of the same package; None if it is the first one."""
    package = _version(first.name).package
    before = [
        one.date
        for one in known
        if _order(one) < _order(first)
        and _version(one.name).package == package
        and not _version(one.name).preview
    ]
    return before[-1] if before else None
