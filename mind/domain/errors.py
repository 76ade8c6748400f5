"""Everything that can go wrong, each with what to do about it.

MindError
├── InputError            what the caller passed cannot be used; nothing was changed
│   ├── DateNotUnderstood     a time that no accepted form covers
│   ├── NotFound              an id, reminder or file that is not there
│   ├── Protected             a goal, lesson or pinned entry that would be archived
│   └── PathOutside           a path that leaves the project
├── ConfigError           a settings file with a wrong key, type or value
├── ProjectError          no project here, or not one Mind may use
├── NewerVersion          a newer version of Mind wrote here, in a form this one does not know
├── FileError             a file that cannot be read or written as it is
│   ├── LeadsOutside          a path of the repository that leads out of it
│   ├── NotText               bytes that are not UTF-8 where text must be edited
│   ├── MarkersDamaged        the context block's markers are missing, doubled or nested
│   ├── LockTimeout           another process holds the lock for too long
│   └── ChangedMeanwhile      the file kept changing while it was being edited
├── IndexIncomplete       what needs all of memory, while the index is being built
├── DependencyMissing     an optional package that is not installed
├── Unreachable           a service elsewhere that does not answer, or refuses
├── ModelError            an embedding model that is missing, damaged or of another kind
└── MirrorError           a mirror that cannot be reached, or refuses; the files are as they are
"""

from collections.abc import Mapping
from json import dumps
from typing import Any

REJECTED_BEFORE = 3
"""The exit code of ``mind edges`` where an approach was rejected before: no error."""


class MindError(Exception):
    """A failure a person or an agent can act on.

    Args:
        message: What happened, in one sentence, without a trailing full stop.
        remedy: What to do about it, in one sentence; each class has a default.
        data: Values a program may want (``path``, ``line``, ``value`` …).
    """

    code = "error"
    exit_code = 1
    default_remedy = "Run `mind doctor` to see what is wrong."

    def __init__(self, message: str, *, remedy: str | None = None, **data: Any) -> None:  # noqa: ANN401 - any JSON value
        super().__init__(message)
        self.message = message
        self.remedy = remedy or self.default_remedy
        self.data = data

    def __str__(self) -> str:
        return f"{self.message}. {self.remedy}"


class InputError(MindError):
    """Input that cannot be used; nothing was changed."""

    code = "input"
    exit_code = 2
    default_remedy = "Correct the value and call again."


class DateNotUnderstood(InputError):
    """A time that no accepted form covers."""

    code = "date"
    default_remedy = (
        'Use "next session", "tomorrow 9am", "in 3 days", "next monday", "20 December", '
        '"2026-12-20", "end of month", or "when I mention auth".'
    )


class NotFound(InputError):
    """An id, reminder or file that is not there."""

    code = "not-found"
    default_remedy = "List what there is and use an id from the list."


class Protected(InputError):
    """A goal, lesson or pinned entry that would be archived; nothing was changed.

    Args:
        reasons: Ids of the protected entries, each with what protects it.
    """

    code = "protected"

    def __init__(self, reasons: Mapping[str, str]) -> None:
        named = ", ".join(f"{one} ({why})" for one, why in reasons.items())
        verb = "is" if len(reasons) == 1 else "are"
        super().__init__(
            f"{named} {verb} protected; nothing was changed",
            remedy="Correct it in its place, or set acknowledge to archive it.",
            ids=list(reasons),
        )


class PathOutside(InputError):
    """A path that leaves the project."""

    code = "path"
    default_remedy = "Use a path inside the project."


class ConfigError(MindError):
    """A settings file with a wrong key, type or value."""

    code = "config"
    exit_code = 2
    default_remedy = "Run `mind config` to see every key with its type and default."


class ProjectError(MindError):
    """No project here, or not one Mind may use."""

    code = "project"
    default_remedy = "Run `mind init` in the repository, or pass --project PATH."


class NewerVersion(MindError):
    """A newer version of Mind wrote a file, in a form that this one does not know.

    Args:
        name: The file.
        version: Its schema version.
        known: The newest that this version of Mind reads.
    """

    code = "newer"
    default_remedy = "Upgrade Mind: `python -m pip install --upgrade mind-lens`."

    def __init__(self, name: str, version: int, known: int) -> None:
        super().__init__(
            f"a newer version of Mind wrote {name} (schema version {version}; this one reads "
            f"{known}); nothing was changed",
            path=name,
        )


class FileError(MindError):
    """A file that cannot be read or written as it is."""

    code = "file"
    default_remedy = "Check the file's permissions and the free space; nothing was changed."


class LeadsOutside(FileError):
    """A path of the repository that leads out of it; nothing was read or changed.

    Args:
        link: The path, or the link on it that leads outside.
        target: Where it leads.
    """

    code = "outside"

    def __init__(self, link: str, target: str) -> None:
        name = dumps(f"{link} -> {target}", ensure_ascii=False)
        remedy = (
            "Put a file inside the repository in its place, or allow this link: "
            f"`mind config --user links.allowed '[{name}]'`."
        )
        if link == target:
            message, remedy = f"{link} is outside the repository", "Use a path inside it."
        else:
            message = f"{link} leads to {target}, outside the repository"
        super().__init__(message, remedy=remedy, path=link, target=target)


class NotText(FileError):
    """Bytes that are not UTF-8 where text must be edited."""

    code = "not-text"
    default_remedy = "Save the file as UTF-8; Mind leaves it as it is until then."


class MarkersDamaged(FileError):
    """The context block's markers are missing, doubled or nested."""

    code = "markers"
    default_remedy = (
        "Leave exactly one `<!-- MIND:CONTEXT … -->` line and one `<!-- MIND:END -->` line after "
        "it, or delete both; then run `mind sync`."
    )


class LockTimeout(FileError):
    """Another process holds the lock for too long."""

    code = "locked"
    default_remedy = "Wait for the other process to finish, then try again; nothing was changed."


class ChangedMeanwhile(FileError):
    """The file kept changing while it was being edited."""

    code = "changed"
    default_remedy = "Save and close the file in the editor, then try again; nothing was changed."


class IndexIncomplete(MindError):
    """A call that needs all of memory while the index is being built; nothing was changed."""

    code = "index"
    default_remedy = "The next call goes on; `mind index` completes it."


class DependencyMissing(MindError):
    """An optional package that is not installed."""

    code = "dependency"
    default_remedy = "Install it with the command above."


class Unreachable(MindError):
    """A service elsewhere that does not answer, or refuses."""

    code = "unreachable"
    default_remedy = (
        "Check the address, and that `mind serve` runs there; nothing was changed here."
    )


class ModelError(MindError):
    """An embedding model that is missing, damaged or of another kind."""

    code = "model"
    default_remedy = "Run `mind models verify`; `mind models add` installs a model anew."


class MirrorError(MindError):
    """A mirror that cannot be reached, or refuses; the files are as they are."""

    code = "mirror"
    default_remedy = (
        "Nothing is lost: what waits is sent when it answers again; see `mind mirror status`."
    )
