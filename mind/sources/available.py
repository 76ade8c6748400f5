"""Stores of other tools: where they may be, which are found, and how one is named."""

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
    """A store that is there: how many memories it has for this project, and what is left out."""

    source: str
    what: str
    place: str
    memories: int = 0
    left_out: dict[str, int] = field(default_factory=dict)
    problem: str = ""


def surroundings(project: Project) -> Surroundings:
    """Return where tools may keep what is about ``project``."""
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
    """The stores that are found at their usual places."""
    around = surroundings(project)
    return [
        _offer(project, store, place, now)
        for store in importers().values()
        for place in found(store, around)
    ]


def here(project: Project) -> list[tuple[Importer, Path]]:
    """The importers that find something at a usual place, those of the repository first."""
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
    """Return what an importer is told about ``project``."""
    zone, main = now.tzinfo, surroundings(project).main
    made = ImporterInput(
        root=project.root.absolute(),
        names=frozenset({project.root.name, main.name if main else project.root.name}),
        everything=everything,
        settings=project.settings,
    )
    return replace(made, zone=zone) if zone else made


def counts(reading: ImporterInput) -> dict[str, int]:
    """Return how many things were left out, by the reason."""
    return {why: count for why, count in sorted(reading.left_out.items()) if count}


def named(source: str) -> Importer:
    """The tool of a name.

    Raises:
        InputError: There is none; the remedy lists them.
    """
    store = importers().get(source)
    if store is None:
        raise InputError(
            f"{source!r} is neither a file nor a tool that memories can be imported from",
            remedy=f"Name a file of `mind export`, or one of: {', '.join(importers())}.",
        )
    return store


def places(store: Importer, around: Surroundings, path: Path | None) -> list[Path]:
    """Return where to read: at ``path``, else at the usual places that are there.

    Raises:
        InputError: There is no usual place.
        NotFound: Nothing is there.
    """
    if path is not None:
        given = path.expanduser().absolute()
        if store.is_file and given.is_dir():
            names = dict.fromkeys(place.name for place in store.places(around))
            given = next((one for name in names if (one := given / name).is_file()), given)
        if not given.exists() or (store.is_file and not given.is_file()):
            raise NotFound(f"{path} is not {store.about}", remedy="Name the file or folder of it.")
        return [given]
    usual = store.places(around)
    if not usual:
        raise InputError(
            f"{store.name} has no usual place", remedy=f"Run `mind import {store.name} PATH`."
        )
    there = list(found(store, around))
    if not there:
        looked = ", ".join(map(str, usual))
        raise NotFound(
            f"nothing of {store.name} is at {looked}",
            remedy=f"Run `mind import {store.name} PATH`; `mind import` lists what is found.",
        )
    return there
