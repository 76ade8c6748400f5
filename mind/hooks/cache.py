"""Prepared data that hooks answer from without opening the memory, with stamps of its sources."""

import os

from mind import __version__
from mind.hooks import data as values
from mind.hooks.place import put
from mind.storage.boundary import user_folder
from mind.storage.gitindex import read, stamp, worktree

TYPE_CHECKING = False  # typing takes milliseconds
if TYPE_CHECKING:
    from typing import Any

    from mind.hooks.place import HookProject

GIT = "git"
FORMAT = 20
"""Format of these files; files of another format are rebuilt."""

MANIFESTS = (
    "package.json", "pyproject.toml", "Pipfile", "setup.py", "setup.cfg", "requirements.txt",
    "requirements-dev.txt", "Cargo.toml", "go.mod", "Gemfile", "composer.json", "pom.xml",
    "build.gradle", "build.gradle.kts", "pubspec.yaml", "mix.exs", "docker-compose.yml",
    "docker-compose.yaml", "compose.yaml", "Dockerfile", "tsconfig.json",
)  # fmt: skip
"""Files at the root that determine which gotchas apply."""


class HookCache:
    """Prepared data from the last time the memory was opened.

    Attributes:
        data: Settings, reminders and stamps (see :mod:`mind.hooks.building`).
    """

    __slots__ = ("data", "place")

    def __init__(self, place: "HookProject", data: "dict[str, Any]") -> None:
        self.place = place
        self.data = data

    def setting(self, key: str) -> object:
        """Return the value of ``hooks.KEY``, or of another setting that hooks need."""
        return self.data["settings"].get(key)

    def prompts(self) -> str:
        """Return the generation of the entries to match prompts against; "?" if stale."""
        made = self.data["prompts"]
        stamps = self.data["stamps"]
        if any(made.get(group) != stamps[group] for group in ("entries", "settings")):
            return "?"
        return str(made["generation"])

    def labelled(self, lines: list[str]) -> list[str]:
        """Return ``lines``, with a remark if the index was incomplete."""
        partial = self.data["partial"]
        return [*lines, partial] if lines and partial else lines

    def is_fresh(self, *groups: str) -> bool:
        """Return whether the files of these groups are unchanged since this was built."""
        return _are_same(self.place, groups, self.data)

    def is_settled(self, *groups: str) -> bool:
        """Return whether they are unchanged since block and index were last updated."""
        settled = self.data.get("settled")
        return isinstance(settled, dict) and _are_same(self.place, groups, settled)


def _are_same(place: "HookProject", groups: "tuple[str, ...]", data: "dict[str, Any]") -> bool:
    now = stamps(place, groups, data)
    return all(data["stamps"].get(group) == now[group] for group in groups)


def stamps(
    place: "HookProject", groups: "tuple[str, ...]", data: "dict[str, Any]"
) -> "dict[str, Any]":
    """Return the stamps of groups of files.

    Args:
        place: The memory.
        groups: Among "settings", "entries", "reminders", and the groups that ``data`` names.
        data: Lists the files of "stacks", "targets", "commented" and "git" under ``paths``.
    """
    own, user = place.of, user_folder()
    paths = {
        **data.get("paths", {}),
        "settings": [own("config.json"), os.path.join(user, "config.toml")],
        "entries": [own("MEMORY.md"), own("SESSION.md"), os.path.join(user, "global_edges.json")],
        "reminders": [own("REMINDERS.md"), own("reminders.json")],
    }
    return {group: [stamp(path) for path in paths.get(group, [])] for group in groups}


def git_paths(root: str) -> list[str]:
    """Return git's files that change with each commit and checkout."""
    _, git = worktree(root)
    if not git:
        return []
    shared = os.path.join(git, os.fsdecode(read(os.path.join(git, "commondir"))).strip())
    head = os.fsdecode(read(os.path.join(git, "HEAD"))).removeprefix("ref:").strip()
    paths = [os.path.join(git, name) for name in ("HEAD", "logs/HEAD")]
    listed = ("packed-refs", head, os.path.join("reftable", "tables.list"))
    return [*paths, *(os.path.join(shared, name) for name in listed)]


def load(place: "HookProject") -> HookCache | None:
    """Load the prepared data; None if there is none, or it is of another version or location."""
    try:
        data = values.loads(read(os.path.join(place.hooks, "known.json")))
        usable = data["format"] == FORMAT and data["root"] == place.root
        usable = usable and data["home"] == user_folder() and data["version"] == __version__
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return HookCache(place, data) if usable else None


def save(place: "HookProject", data: "dict[str, Any]") -> None:
    """Store the prepared data; the folder exists."""
    put(os.path.join(place.hooks, "known.json"), values.line(data).encode("utf-8", "surrogatepass"))
