"""Importers: what other tools, and the repository itself, remember; one module a tool.

What a module here lists in ``IMPORTERS`` is one, and so is what an installed package names in the
entry point group ``mind.importers``. Stores are only read. What cannot be read is passed over and
counted; nothing that is found there is taken to be more than text.
"""

import pkgutil
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path

from mind.sources.importers.values import Importer, ImporterInput, Surroundings

__all__ = ["Importer", "ImporterInput", "Surroundings", "found", "importers"]

GROUP = "mind.importers"


@cache
def importers() -> dict[str, Importer]:
    """All importers by the name that ``mind import`` takes."""
    modules = (import_module(f"{__name__}.{one.name}") for one in pkgutil.iter_modules(__path__))
    found = [one for module in modules for one in vars(module).get("IMPORTERS", ())]
    found += [one.load() for one in entry_points(group=GROUP)]
    return {one.name: one for one in found}


def found(importer: Importer, around: Surroundings) -> Iterator[Path]:
    """The usual places of ``importer`` at which there is something.

    A link in the project that leads out of it is none: whoever wrote the repository chose it.
    """
    seen: set[Path] = set()
    for place in importer.places(around):
        there = place.is_file() if importer.is_file else place.is_dir()
        if not there or not importer.is_there(place):
            continue
        real = place.resolve()
        leads_out = around.owns(place) and not around.owns(real, real=True)
        if real not in seen and not leads_out:
            seen.add(real)
            yield place
