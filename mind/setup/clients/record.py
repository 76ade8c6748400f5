"""A record of what Mind registered on this machine, to take it back to the byte."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from mind.setup.clients.registering import Was
from mind.storage import files
from mind.storage.home import home


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One registration.

    Attributes:
        client: Its name.
        file: Where it stands.
        projects: For which it was made; a file that several use stays until the last is gone.
        was: What stood there before, see :func:`mind.setup.clients.registering.was`.
        created: Whether the file was made for it.
        folders: Folders that were made for the file, the innermost first.
    """

    client: str
    file: Path
    projects: tuple[Path, ...]
    was: Was | None = None
    created: bool = False
    folders: tuple[Path, ...] = ()


Hollow = Mapping[str, str]
"""What held nothing in a file that was there before Mind, by its place; all of the file at ""."""


def rows() -> list[Row]:
    """All of them; a record that is damaged holds none."""
    listed = _said().get("registrations")
    found = (_row(one) for one in listed) if isinstance(listed, list) else ()
    return [one for one in found if one is not None]


def hollows() -> dict[Path, Hollow]:
    """Files that were there before Mind wrote into them, and held nothing or had empty places."""
    listed = _said().get("hollow")
    return {
        Path(path): {place: text for place, text in said.items() if isinstance(text, str)}
        for path, said in (listed.items() if isinstance(listed, dict) else ())
        if isinstance(said, dict)
    }


def note(new: Mapping[Path, Hollow]) -> None:
    """Note ``new`` files; what is noted already stays."""
    known = hollows()
    if not new.keys() <= known.keys():
        _store(rows(), {**new, **known})


def add(new: Iterable[Row]) -> None:
    """Note ``new``; what is noted already of a file's first state stays."""
    known = {(one.client, one.file): one for one in rows()}
    before = dict(known)
    for one in new:
        there = known.get((one.client, one.file))
        if there:
            projects = tuple(dict.fromkeys((*there.projects, *one.projects)))
            one = replace(there, projects=projects)  # noqa: PLW2901 - the same, merged
        known[one.client, one.file] = one
    if known != before:
        _store(known.values(), hollows())


def drop(
    old: Iterable[tuple[str, Path]], project: Path | None = None, *, cleared: Iterable[Path] = ()
) -> None:
    """Forget registrations, named by client and file; or only that ``project`` uses them.

    Args:
        old: Registrations.
        project: That uses the others no more.
        cleared: Files in which there is nothing of Mind any more.
    """
    gone, clear = set(old), set(cleared)
    known, before = rows(), hollows()
    kept = {path: said for path, said in before.items() if path not in clear}
    left = []
    for one in known:
        if (one.client, one.file) in gone:
            continue
        projects = tuple(path for path in one.projects if path != project)
        left.append(replace(one, projects=projects))
    if left != known or kept != before:
        _store(left, kept)


def _store(left: Iterable[Row], hollow: Mapping[Path, Hollow]) -> None:
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


def _row(said: object) -> Row | None:
    if not isinstance(said, dict):
        return None
    client, file = said.get("client"), said.get("file")
    if not isinstance(client, str) or not isinstance(file, str):
        return None
    return Row(
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
