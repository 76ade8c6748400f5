"""Revisions: the memory at other commits, the commits that changed it, and releases by tag."""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from pathlib import Path

from mind.domain.entry import iso_day
from mind.domain.errors import FileError, NotFound, ProjectError
from mind.sources.git.log import is_shallow
from mind.sources.git.repository import HASH, GitAnswer, ask, folder_of, text_of
from mind.storage.files import GitMove, GitVersions
from mind.text import secrets
from mind.text.dates.asked import Reference
from mind.text.dates.periods import Period

_UNSHALLOW = "The history of this clone was cut; `git fetch --unshallow` gets the rest."
_BATCH = 64
_LATEST = 50
_POINTERS = (
    "ORIG_HEAD",
    "MERGE_HEAD",
    "CHERRY_PICK_HEAD",
    "MERGE_AUTOSTASH",
    "rebase-merge/autostash",
    "rebase-apply/autostash",
)
"""Files in git's folder that name a commit that it moved from, merges, or stashed."""
_ORDINARY = ("commit: ", "commit (amend): ")
_TIPS = (
    "--format=%(objectname)",
    "--sort=-committerdate",
    f"--count={_LATEST}",
    "refs/heads",
    "refs/remotes",
    "refs/stash",
)
_OBJECTS = (b"blob", b"tree", b"commit", b"tag")
_FIELDS = "%H%x00%P%x00%an%x00%ae%x00%aI%x00%s%x00%x01"


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit, and its nearest ancestors that changed one of the requested files.

    Credentials in its texts are masked.
    """

    id: str
    parents: tuple[str, ...]
    author: str
    email: str
    at: datetime
    subject: str


class Revisions:
    """Access to the revisions of a project's repository.

    Args:
        root: The project's folder.

    Raises:
        ProjectError: There is no repository, or no git.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        if folder_of(root) is None:
            raise ProjectError(
                f"{root} is in no git repository", remedy="Run `git init`, and commit the memory."
            )
        self._prefix = os.fsdecode(self._said(ask(root, "rev-parse", "--show-prefix"))).rstrip("\n")
        top = os.fsdecode(self._said(ask(root, "rev-parse", "--show-toplevel"))).rstrip("\n")
        self.is_shallow = is_shallow(Path(top))
        self._known: dict[str, bytes] = {}

    def _said(self, answer: GitAnswer) -> bytes:
        if answer.status == 0:
            return answer.output
        if answer.status < 0 and "cannot be started" in answer.problem:
            raise ProjectError(
                "git cannot be started", remedy="Install git; the memory needs none."
            )
        message, _, remedy = (answer.problem or "git gave no answer").partition(". ")
        raise FileError(message, remedy=remedy or "Run `git status` to see why.")

    def commit(self, revision: str) -> str:
        """Return the full hash of the commit that ``revision`` names.

        Raises:
            NotFound: No such commit.
        """
        told = GitAnswer(1)
        if revision and "\0" not in revision:
            asked = ("rev-parse", "--verify", "--quiet", "--end-of-options")
            told = ask(self._root, *asked, f"{revision}^{{commit}}")
        if told.status == 0:
            return told.output.decode().strip()
        if told.status < 0:
            self._said(told)
        raise NotFound(
            f"git knows no commit {secrets.mask(revision)!r}",
            remedy="Name a branch, a tag or a hash; `git log --oneline` lists commits."
            f"{self._of_shallow}",
        )

    @property
    def _of_shallow(self) -> str:
        """A further remedy in a shallow clone."""
        return f" {_UNSHALLOW}" if self.is_shallow else ""

    def merge_base(self, one: str, other: str) -> str:
        """Return the hash of the last commit that two commits have in common.

        Raises:
            NotFound: They have none.
        """
        told = ask(self._root, "merge-base", "--end-of-options", one, other)
        if told.status == 1:
            raise NotFound(
                f"{one[:10]} and {other[:10]} have no commit in common",
                remedy=f"Use two dots to compare them as they are.{self._of_shallow}",
            )
        return self._said(told).decode().strip()

    def head(self) -> str | None:
        """Return the hash of the last commit; None before the first."""
        told = ask(self._root, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        return told.output.decode().strip() if told.status == 0 else None

    def names(self, commit: str, folder: str) -> list[str]:
        """Return the files directly in ``folder`` at a commit, relative to the project."""
        told = self._said(
            ask(self._root, "ls-tree", "-z", "--full-tree", commit, "--", f"{self._path(folder)}/")
        )
        rows = [row.partition(b"\t") for row in told.split(b"\0") if row]
        found = [os.fsdecode(name) for kind, _, name in rows if b" blob " in kind]
        return [name.removeprefix(self._prefix) for name in found]

    def history(self, start: str, names: Iterable[str]) -> list[Commit]:
        """Return the commits that changed files, from ``start`` back, descendants first."""
        told = self._said(
            ask(
                self._root, "log", "--parents", "--topo-order", "--no-follow",
                f"--format=tformat:{_FIELDS}", "--end-of-options", start, "--",
                *(f":(top,literal){self._path(one)}" for one in names),
            )
        )  # fmt: skip
        rows = told.decode("utf-8", "replace").split("\0\x01\n")
        return [_commit(row.split("\0")) for row in rows if row]

    def read(self, commits: Sequence[str], name: str) -> list[bytes]:
        """Return a file's content at each of ``commits``; b"" where it does not exist."""
        wanted = [one for one in dict.fromkeys(commits) if f"{one}:{name}" not in self._known]
        for at in range(0, len(wanted), _BATCH):
            self._fetch(wanted[at : at + _BATCH], name)
        return [self._known[f"{one}:{name}"] for one in commits]

    def _fetch(self, commits: Sequence[str], name: str) -> None:
        path = self._path(name)
        if "\n" in path:
            raise FileError(f"git cannot be asked for {name!r}", remedy="Rename the folder.")
        feed = b"".join(f"{one}:".encode() + os.fsencode(path) + b"\n" for one in commits)
        told = self._said(ask(self._root, "cat-file", "--batch", feed=feed))
        for one, content in zip(commits, _contents(told), strict=True):
            self._known[f"{one}:{name}"] = content or b""

    def _path(self, name: str) -> str:
        return self._prefix + name


def _contents(told: bytes) -> Iterator[bytes | None]:
    """Contents in an answer of ``git cat-file --batch``; None for what is missing or no file."""
    at = 0
    while at < len(told):
        head, _, _ = told[at:].partition(b"\n")
        at += len(head) + 1
        words = head.split()
        is_there = len(words) == 3 and words[1] in _OBJECTS and words[2].isdigit()
        size = int(words[2]) if is_there else 0
        yield told[at : at + size] if words[1:2] == [b"blob"] else None
        at += size + 1 if is_there else 0


def versions(path: Path) -> GitVersions:
    """Return git's versions of a file.

    Besides the index, it keeps them in HEAD, stashes, branches, the commits at which HEAD has been,
    and one that is being merged. During a conflict, the version of the index is empty.

    Args:
        path: A real path.
    """
    git = folder_of(path.parent)
    if git is None or "\n" in path.name:
        return GitVersions()
    logs = (git / "logs" / "HEAD", git / text_of(git / "commondir") / "logs" / "refs" / "stash")
    moved, stashed = (text_of(log).splitlines()[: -_LATEST - 1 : -1] for log in logs)
    names = [word for line in (*moved, *stashed) for word in line.split(" ", 2)[1::-1]]
    names += [text_of(git / one) for one in _POINTERS]
    names += os.fsdecode(ask(path.parent, "for-each-ref", *_TIPS).output).split()
    commits = dict.fromkeys(one for one in names if HASH.fullmatch(one) and one.strip("0"))
    wanted = ["", ":2", ":3", "HEAD", *commits]
    feed = b"".join(os.fsencode(f"{one}:./{path.name}\n") for one in wanted)
    answer = ask(path.parent, "cat-file", "--batch", feed=feed)
    found = list(_contents(answer.output)) if answer.status == 0 else []
    if all(one is None for one in found[:3]):
        return GitVersions()
    contents = {name: one or b"" for name, one in zip(wanted, found, strict=True)}
    moves = [GitMove("HEAD", "", by_hand=True)]
    for line in moved:
        old, new = line.split(" ", 2)[:2]
        moves.append(GitMove(old, new, line.partition("\t")[2].startswith(_ORDINARY)))
    return GitVersions(contents, moves)


def _commit(row: Sequence[str]) -> Commit:
    name, parents, author, email, at, subject = row[:6]
    return Commit(
        name.strip(),
        tuple(parents.split()),
        secrets.mask(author),
        secrets.mask(email),
        datetime.fromisoformat(at),
        secrets.mask(subject),
    )


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
        date: The day of the tag, or of its commit if the tag has no date.
        commit: Full hash of the tagged commit.
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
    """Return the releases of the repository around ``root``, oldest first; empty if git fails."""
    answer = ask(root, "for-each-ref", "refs/tags", f"--format={_FORMAT}")
    found = []
    for line in answer.output.decode("utf-8", "replace").splitlines():
        name, target, peeled, moment = [*line.split("\0"), "", "", ""][:4]
        day = iso_day(moment[:10])  # None for a tag that points to no commit
        if day and _parsed(name):
            found.append(Release(name, day, peeled or target))
    return sorted(found, key=_order)


def _order(one: Release) -> tuple[date, tuple[int, ...], bool, str]:
    version = _version(one.name)
    return one.date, version.numbers, not version.preview, one.name


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
    """Parse a valid version name."""
    return _parsed(name) or _Version("", (), "")


class Releases:
    """Resolves references to releases of the repository around ``root``.

    Git is called at the first reference.
    """

    def __init__(self, root: Path) -> None:
        self._root = root

    @cached_property
    def known(self) -> list[Release]:
        """Return the result of :func:`releases`."""
        return releases(self._root)

    def __call__(self, reference: Reference) -> Period | None:
        """Return the period of a reference; None if the release is unknown or ambiguous.

        Periods are whole days, so the day of a release is both before and after it. "In" a release
        is the time from the previous release up to its day.
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
    """Return the release, or those of a series (1.4 for 1.4.0 and 1.4.1), oldest first."""
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
    """Return the releases whose version starts with it; none if the package is ambiguous."""
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
    """Compare version prefixes; 1.4 equals 1.4.0."""
    padded = numbers + (0,) * (len(wanted) - len(numbers))
    return padded[: len(wanted)] == wanted


def _previous(first: Release, known: Sequence[Release]) -> date | None:
    """Return the day of the same package's previous release; None for the first."""
    package = _version(first.name).package
    before = [
        one.date
        for one in known
        if _order(one) < _order(first)
        and _version(one.name).package == package
        and not _version(one.name).preview
    ]
    return before[-1] if before else None
