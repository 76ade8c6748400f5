"""Stores of other tools: usual locations, the ones found, and lookup by name."""

import os
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from mind.domain.errors import FileError, InputError, NotFound
from mind.sources.git.repository import folder_of
from mind.sources.importers import Importer, ImporterInput, Surroundings, found, importers
from mind.storage.project import Project


@dataclass(frozen=True, slots=True, kw_only=True)
class AvailableStore:
    """A store that was found: number of memories for this project, and what was skipped."""

    source: str
    what: str
    place: str
    memories: int = 0
    left_out: dict[str, int] = field(default_factory=dict)
    problem: str = ""


def surroundings(project: Project) -> Surroundings:
    """Return the locations where tools may store data about ``project``."""
    git = folder_of(project.root)
    main = None
    if git is not None and git.parent.name == "worktrees":
        main = git.parents[2]
    elif git is not None and git.name == ".git":
        main = git.parent
    return Surroundings(
        root=project.root.absolute(), home=Path.home(), environment=os.environ, main=main
    )


def offers(project: Project, now: datetime) -> list[AvailableStore]:
    """Return the stores found at their usual locations."""
    around = surroundings(project)
    return [
        _offer(project, store, place, now)
        for store in importers().values()
        for place in found(store, around)
    ]


def here(project: Project) -> list[tuple[Importer, Path]]:
    """Return importers with data at a usual location, those of the repository first."""
    around = surroundings(project)
    everything = sorted(importers().values(), key=lambda one: not one.is_shared)
    return [(one, place) for one in everything for place in found(one, around)]


def _offer(project: Project, store: Importer, place: Path, now: datetime) -> AvailableStore:
    reading = reading_of(project, now)
    keys: set[str] = set()
    problem = ""
    try:
        keys.update(one.key for one in store.read(place, reading))
    except FileError as error:
        problem = error.message
    return AvailableStore(
        source=store.name,
        what=store.about,
        place=str(place),
        memories=len(keys),
        left_out=counts(reading),
        problem=problem,
    )


def reading_of(project: Project, now: datetime, *, everything: bool = False) -> ImporterInput:
    """Return an importer's input for ``project``."""
    zone, main = now.tzinfo, surroundings(project).main
    made = ImporterInput(
        root=project.root.absolute(),
        names=frozenset({project.root.name, main.name if main else project.root.name}),
        everything=everything,
        settings=project.settings,
    )
    return replace(made, zone=zone) if zone else made


def counts(reading: ImporterInput) -> dict[str, int]:
    """Count skipped items by reason."""
    return {why: count for why, count in sorted(reading.left_out.items()) if count}


def named(source: str) -> Importer:
    """Return the importer with this name.

    Raises:
        InputError: No such importer; the remedy lists all of them.
    """
    store = importers().get(source)
    if store is None:
        raise InputError(
            f"{source!r} is neither a file nor a tool that memories can be imported from",
            remedy=f"Name a file of `mind export`, or one of: {', '.join(importers())}.",
        )
    return store


_NAMED = 4
"""Maximum number of locations that an error names."""


def places(store: Importer, around: Surroundings, path: Path | None) -> list[Path]:
    """Return paths to read: ``path`` if given, else the usual locations that exist.

    Raises:
        InputError: The tool has no usual location.
        NotFound: Nothing exists there.
    """
    if path is not None:
        given = path.expanduser().absolute()
        if store.is_file and given.is_dir():
            names = dict.fromkeys(place.name for place in store.places(around))
            given = next((one for name in names if (one := given / name).is_file()), given)
        if not given.exists() or (store.is_file and not given.is_file()):
            told = f"is not {store.about}" if given.exists() else "does not exist"
            raise NotFound(f"{path} {told}", remedy="Name an existing file or folder.")
        return [given]
    usual = store.places(around)
    if not usual:
        raise InputError(
            f"{store.name} has no usual place", remedy=f"Run `mind import {store.name} PATH`."
        )
    there = list(found(store, around))
    if not there:
        looked = ", ".join(map(str, usual[:_NAMED]))
        looked += f" or {len(usual) - _NAMED} other usual places" if len(usual) > _NAMED else ""
        raise NotFound(
            f"nothing of {store.name} is at {looked}",
            remedy=f"Run `mind import {store.name} PATH`; `mind import` lists what is found.",
        )
    return there
