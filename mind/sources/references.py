"""The current commit, read from git's own files."""

import re
from pathlib import Path

from mind.sources.git.repository import ask, folder_of
from mind.sources.pointers import bytes_of, text_of

HASH = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")

_MOST_STEPS = 5
_OWN = ("refs/bisect/", "refs/worktree/", "refs/rewritten/")


def head(root: Path) -> str | None:
    """The hash of the current commit; None before the first, and outside of git.

    Agrees with ``git rev-parse HEAD``, in worktrees too. Git itself is started only where
    references are not stored as files.
    """
    folder = folder_of(root)
    if folder is None:
        return None
    named = text_of(folder / "commondir")
    common = folder / named if named else folder
    if (common / "reftable").is_dir():
        return _asked(root)
    name = "HEAD"
    for _ in range(_MOST_STEPS):
        text = _loose(folder, common, name) or _packed(common, name)
        if HASH.fullmatch(text):
            return text
        if not text.startswith("ref:"):
            return None
        name = text.removeprefix("ref:").strip()
    return None


def _loose(folder: Path, common: Path, name: str) -> str:
    own = not name.startswith("refs/") or name.startswith(_OWN)
    return text_of((folder if own else common) / name)


def _packed(common: Path, name: str) -> str:
    data = b"\n" + bytes_of(common / "packed-refs")
    end = data.find(b" " + name.encode("utf-8", "surrogateescape") + b"\n")
    start = data.rfind(b"\n", 0, max(end, 0))
    return data[start + 1 : max(end, 0)].decode("ascii", "replace")


def _asked(root: Path) -> str | None:
    text = ask(root, "rev-parse", "--verify", "--quiet", "HEAD").output.decode("ascii", "replace")
    return text.strip() or None
