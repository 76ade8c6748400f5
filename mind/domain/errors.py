"""Errors of Mind, each with a remedy.

MindError
├── InputError            invalid input; nothing was changed
│   ├── DateNotUnderstood     a time that Mind does not understand
│   ├── NotFound              no such entry, reminder or file
│   ├── Protected             a goal, lesson or pinned entry that would be archived
│   └── PathOutside           a path outside the project
├── ConfigError           a settings file with an invalid key, type or value
├── ProjectError          no project here, or not one Mind may use
├── NewerVersion          a file in the format of a newer version of Mind
├── FileError             a file that cannot be read or written
│   ├── LeadsOutside          a path in the repository that leads out of it
│   ├── NotText               a file to edit that is not UTF-8
│   ├── MarkersDamaged        context block markers that are missing, duplicated or nested
│   ├── LockTimeout           a lock that another process held for too long
│   └── ChangedMeanwhile      a file that kept changing while it was being edited
├── IndexIncomplete       a call that needs the whole index while it is being built
├── DependencyMissing     an optional package that is not installed
├── Unreachable           a remote service that does not answer, or rejects the request
├── ModelError            an embedding model that is missing, damaged or unsupported
└── MirrorError           a mirror that is unreachable or rejects a request
"""

from collections.abc import Mapping
from json import dumps
from typing import Any

REJECTED_BEFORE = 3
"""Exit code of ``mind edges`` if an approach was rejected before; not an error."""


class MindError(Exception):
    """A failure that a person or an agent can act on.

    Args:
        message: What happened, in one sentence without a full stop.
        remedy: What to do, in one sentence; each class has a default.
        data: Values for programs (``path``, ``line``, ``value`` …).
    """

    code = "error"
    exit_code = 1
    default_remedy = "Run `mind doctor` to find the cause."

    def __init__(self, message: str, *, remedy: str | None = None, **data: Any) -> None:  # noqa: ANN401 - any JSON value
        super().__init__(message)
        self.message = message
        self.remedy = remedy or self.default_remedy
        self.data = data

    def __str__(self) -> str:
        return f"{self.message}. {self.remedy}"


class InputError(MindError):
    """Invalid input; nothing was changed."""

    code = "input"
    exit_code = 2
    default_remedy = "Correct the value and try again."


def check_range(name: str, number: int, low: int, high: int) -> None:
    """Check that a number is in its range.

    Raises:
        InputError: It is not.
    """
    if not low <= number <= high:
        raise InputError(f"{name} is {number}", remedy=f"Use a number from {low:,} to {high:,}.")


class DateNotUnderstood(InputError):
    """A time that Mind does not understand."""

    code = "date"
    default_remedy = (
        'Use a time such as "in 30 minutes", "tomorrow 9am", "next monday", "20 December 2027", '
        '"2027-12-20" or "eom".'
    )


class NotFound(InputError):
    """An entry, reminder or file that does not exist."""

    code = "not-found"
    default_remedy = "List what exists and use an id from the list."

    @classmethod
    def entry(cls, *ids: str, archived: str = "") -> "NotFound":
        """No entry has one of ``ids``; ``archived`` is the day and reason if one was archived."""
        remedy = f"It was archived on {archived}; restore it first." if archived else ""
        return cls(
            f"no entry has the id {', '.join(ids)}", remedy=remedy or "Use an id from a search."
        )


class Protected(InputError):
    """A goal, lesson or pinned entry that would be archived; nothing was changed.

    Args:
        reasons: Id → reason of the protection, for each protected entry.
        can_be_solved: One of them is a problem, blocker or to-do.
    """

    code = "protected"

    def __init__(self, reasons: Mapping[str, str], *, can_be_solved: bool = False) -> None:
        solved = " If it is solved, log progress that replaces it." if can_be_solved else ""
        named = ", ".join(f"{one} ({why})" for one, why in reasons.items())
        verb = "is" if len(reasons) == 1 else "are"
        super().__init__(
            f"{named} {verb} protected; nothing was changed",
            remedy=f"Correct it in place, or set acknowledge to archive it.{solved}",
            ids=list(reasons),
        )


class PathOutside(InputError):
    """A path outside the project."""

    code = "path"
    default_remedy = "Use a path inside the project."


class ConfigError(MindError):
    """A settings file with an invalid key, type or value."""

    code = "config"
    exit_code = 2
    default_remedy = "Run `mind config` to list all settings with their types and values."


class ProjectError(MindError):
    """No project here, or not one Mind may use."""

    code = "project"
    default_remedy = "Run `mind init` in the repository, or pass --project PATH."


class NewerVersion(MindError):
    """A file in the format of a newer version of Mind.

    Args:
        name: The file.
        version: Its schema version.
        known: The newest schema version that this version of Mind reads.
    """

    code = "newer"
    default_remedy = "Upgrade Mind: `python -m pip install --upgrade mind-lens`."

    def __init__(self, name: str, version: int, known: int) -> None:
        super().__init__(
            f"{name} was written by a newer version of Mind (schema version {version}; this one "
            f"reads up to {known}); nothing was changed",
            path=name,
        )


class FileError(MindError):
    """A file that cannot be read or written."""

    code = "file"
    default_remedy = "Check the file's permissions and the free disk space; nothing was changed."


class LeadsOutside(FileError):
    """A path in the repository that leads out of it; nothing was read or changed.

    Args:
        link: The path, or the symbolic link on it that leads outside.
        target: The target of the link.
    """

    code = "outside"

    def __init__(self, link: str, target: str) -> None:
        name = dumps(f"{link} -> {target}", ensure_ascii=False)
        remedy = (
            "Replace it with a file inside the repository, or allow this link: "
            f"`mind config --user links.allowed '[{name}]'`."
        )
        if link == target:
            message, remedy = f"{link} is outside the repository", "Use a path inside it."
        else:
            message = f"{link} leads to {target}, outside the repository"
        super().__init__(message, remedy=remedy, path=link, target=target)


class NotText(FileError):
    """A file to edit that is not UTF-8."""

    code = "not-text"
    default_remedy = "Save the file as UTF-8; Mind does not edit it until then."


class MarkersDamaged(FileError):
    """Context block markers that are missing, duplicated or nested."""

    code = "markers"
    default_remedy = (
        "Keep exactly one `<!-- MIND:CONTEXT … -->` line followed by one `<!-- MIND:END -->` line, "
        "or delete both; then run `mind sync`."
    )


class LockTimeout(FileError):
    """A lock that another process held for too long."""

    code = "locked"
    default_remedy = "Wait for the other process to finish, then try again; nothing was changed."


class ChangedMeanwhile(FileError):
    """A file that kept changing while it was being edited."""

    code = "changed"
    default_remedy = "Save and close the file in the editor, then try again; nothing was changed."


class IndexIncomplete(MindError):
    """A call that needs the whole index while it is being built; nothing was changed."""

    code = "index"
    default_remedy = "Try again: each call continues the build, and `mind index` completes it."


class DependencyMissing(MindError):
    """An optional package that is not installed."""

    code = "dependency"
    default_remedy = "Install it with the command above."


class Unreachable(MindError):
    """A remote service that does not answer, or rejects the request."""

    code = "unreachable"
    default_remedy = (
        "Check the address, and that `mind serve` runs there; nothing was changed here."
    )


class ModelError(MindError):
    """An embedding model that is missing, damaged or unsupported."""

    code = "model"
    default_remedy = "Run `mind models verify`; reinstall a model with `mind models add`."


class MirrorError(MindError):
    """A mirror that is unreachable or rejects a request; the memory files are unaffected."""

    code = "mirror"
    default_remedy = (
        "Nothing is lost: pending changes are sent when it answers again; see `mind mirror status`."
    )
