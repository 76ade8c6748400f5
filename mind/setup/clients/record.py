"""The record of Mind's registrations on this machine, which allows to undo them byte for byte."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from mind.setup.clients.registering import Was
from mind.storage import files
from mind.storage.boundary import home


@dataclass(frozen=True, slots=True, kw_only=True)
class RegistrationRow:
    """One registration.

    Attributes:
        client: The client's name.
        file: The file that contains it.
        projects: The projects that use it; it is removed with the last one.
        was: What was there before, see :func:`mind.setup.clients.registering.was`.
        created: True if Mind created the file.
        folders: Folders that Mind created for the file, the innermost first.
    """

    client: str
    file: Path
    projects: tuple[Path, ...]
    was: Was | None = None
    created: bool = False
    folders: tuple[Path, ...] = ()


Hollow = Mapping[str, str]
"""The empty places of a file that existed before Mind → their text; "" is the whole file."""


def rows() -> list[RegistrationRow]:
    """All registrations; none if the record is damaged."""
    listed = _said().get("registrations")
    found = (_row(one) for one in listed) if isinstance(listed, list) else ()
    return [one for one in found if one is not None]


def hollows() -> dict[Path, Hollow]:
    """Files that existed before Mind wrote to them, and were empty or had empty places."""
    listed = _said().get("hollow")
    return {
        Path(path): {place: text for place, text in said.items() if isinstance(text, str)}
        for path, said in (listed.items() if isinstance(listed, dict) else ())
        if isinstance(said, dict)
    }


def note(new: Mapping[Path, Hollow]) -> None:
    """Add ``new`` files to the record; existing notes are kept."""
    known = hollows()
    if not new.keys() <= known.keys():
        _store(rows(), {**new, **known})


def add(new: Iterable[RegistrationRow]) -> None:
    """Add ``new`` registrations; existing notes about a file's first state are kept."""
    known = {(one.client, one.file): one for one in rows()}
    before = dict(known)
    for one in new:
        first = known.get((one.client, one.file), one)
        projects = tuple(dict.fromkeys((*first.projects, *one.projects)))
        known[one.client, one.file] = replace(first, projects=projects)
    if known != before:
        _store(known.values(), hollows())


def drop(
    old: Iterable[tuple[str, Path]], project: Path | None = None, *, cleared: Iterable[Path] = ()
) -> None:
    """Remove registrations from the record, and ``project`` from the others.

    Args:
        old: The registrations to remove, by client and file.
        project: The project that no longer uses the others.
        cleared: Files that no longer contain anything of Mind.
    """
    gone, clear = set(old), set(cleared)
    known, before = rows(), hollows()
    kept = {path: said for path, said in before.items() if path not in clear}
    left = [
        replace(one, projects=tuple(path for path in one.projects if path != project))
        for one in known
        if (one.client, one.file) not in gone
    ]
    if left != known or kept != before:
        _store(left, kept)


def _store(left: Iterable[RegistrationRow], hollow: Mapping[Path, Hollow]) -> None:
    listed = [
        {
            "client": one.client,
            "file": str(one.file),
            "projects": [str(path) for path in one.projects],
            "was": list(one.was) if one.was else None,
            "created": one.created,
            "folders": [str(path) for path in one.folders],
        }
        for one in left
    ]
    if not (listed or hollow):
        _path().unlink(missing_ok=True)
        return
    home().mkdir(mode=0o700, parents=True, exist_ok=True)
    data: dict[str, object] = {"schema_version": 1, "registrations": listed}
    if hollow:
        data["hollow"] = {str(path): dict(said) for path, said in hollow.items()}
    files.write_json(_path(), data, mode=0o600)


def _said() -> dict[str, object]:
    data = files.read_json(_path())
    return data if isinstance(data, dict) else {}


def _path() -> Path:
    return home() / "clients.json"


def _row(said: object) -> RegistrationRow | None:
    if not isinstance(said, dict):
        return None
    client, file = said.get("client"), said.get("file")
    if not isinstance(client, str) or not isinstance(file, str):
        return None
    return RegistrationRow(
        client=client,
        file=Path(file),
        projects=_paths(said.get("projects")),
        was=_was(said.get("was")),
        created=said.get("created") is True,
        folders=_paths(said.get("folders")),
    )


def _paths(said: object) -> tuple[Path, ...]:
    return (
        tuple(Path(one) for one in said if isinstance(one, str)) if isinstance(said, list) else ()
    )


def _was(said: object) -> Was | None:
    match said:
        case [int(depth), str(text)]:
            return depth, text
    return None
