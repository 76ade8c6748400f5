"""A memory at other commits: revisions, their files, and the commits that changed them."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from mind.domain.errors import FileError, NotFound, ProjectError
from mind.sources.git.log import is_shallow
from mind.sources.git.repository import Answer, ask, folder_of
from mind.text import secrets

_UNSHALLOW = "The history of this clone was cut; `git fetch --unshallow` gets the rest."
_BATCH = 64
_FIELDS = "%H%x00%P%x00%an%x00%ae%x00%aI%x00%s%x00%x01"


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit, and its nearest ancestors that changed one of the files asked for.

    Its texts have masks in place of credentials.
    """

    id: str
    parents: tuple[str, ...]
    author: str
    email: str
    at: datetime
    subject: str


class Revisions:
    """The repository that serves a project.

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

    def _said(self, answer: Answer) -> bytes:
        if answer.status == 0:
            return answer.output
        if answer.status < 0 and "cannot be started" in answer.problem:
            raise ProjectError(
                "git cannot be started", remedy="Install git; the memory needs none."
            )
        message, _, remedy = (answer.problem or "git gave no answer").partition(". ")
        raise FileError(message, remedy=remedy or "Run `git status` to see why.")

    def commit(self, revision: str) -> str:
        """The full hash of the commit that ``revision`` names.

        Raises:
            NotFound: It names none.
        """
        told = Answer(1)
        if revision and "\0" not in revision:
            asked = ("rev-parse", "--verify", "--quiet", "--end-of-options")
            told = ask(self._root, *asked, f"{revision}^{{commit}}")
        if told.status == 0:
            return told.output.decode().strip()
        if told.status < 0:
            self._said(told)
        more = f" {_UNSHALLOW}" if self.is_shallow else ""
        raise NotFound(
            f"git knows no commit {secrets.mask(revision)!r}",
            remedy=f"Name a branch, a tag or a hash; `git log --oneline` lists commits.{more}",
        )

    def head(self) -> str | None:
        """The hash of the last commit; None before the first."""
        told = ask(self._root, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        return told.output.decode().strip() if told.status == 0 else None

    def names(self, commit: str, folder: str) -> list[str]:
        """The files in ``folder``, and in no folder of it, at a commit; relative to the project."""
        told = self._said(
            ask(self._root, "ls-tree", "-z", "--full-tree", commit, "--", f"{self._path(folder)}/")
        )
        rows = [row.partition(b"\t") for row in told.split(b"\0") if row]
        found = [os.fsdecode(name) for kind, _, name in rows if b" blob " in kind]
        return [name.removeprefix(self._prefix) for name in found]

    def history(self, start: str, names: Iterable[str]) -> list[Commit]:
        """The commits that changed files, from ``start`` back, none before its descendants."""
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
        """A file at each of ``commits``; b"" where it is not there."""
        wanted = [one for one in dict.fromkeys(commits) if f"{one}:{name}" not in self._known]
        for at in range(0, len(wanted), _BATCH):
            self._fetch(wanted[at : at + _BATCH], name)
        return [self._known[f"{one}:{name}"] for one in commits]

    def _fetch(self, commits: Sequence[str], name: str) -> None:
        path = self._path(name)
        if "\n" in path:
            raise FileError(f"git cannot be asked for {name!r}", remedy="Rename the folder.")
        feed = b"".join(f"{one}:".encode() + os.fsencode(path) + b"\n" for one in commits)
        told, at = self._said(ask(self._root, "cat-file", "--batch", feed=feed)), 0
        for one in commits:
            head, _, _ = told[at:].partition(b"\n")
            at += len(head) + 1
            words = head.split()
            is_there = len(words) == 3 and words[1] == b"blob" and words[2].isdigit()
            size = int(words[2]) if is_there else 0
            self._known[f"{one}:{name}"] = told[at : at + size]
            at += size + 1 if is_there else 0

    def _path(self, name: str) -> str:
        return self._prefix + name


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
