"""Importers of other tools' memories and of the repository itself, one module per tool.

Importers are the ``IMPORTERS`` of the modules here and those that installed packages register in
the entry point group ``mind.importers``. Stores are only read. Unreadable items are skipped and
counted; imported content is treated as text only.
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
    """Return all importers by the name that ``mind import`` takes."""
    modules = (import_module(f"{__name__}.{one.name}") for one in pkgutil.iter_modules(__path__))
    found = [one for module in modules for one in vars(module).get("IMPORTERS", ())]
    found += [one.load() for one in entry_points(group=GROUP)]
    return {one.name: one for one in found}


def found(importer: Importer, around: Surroundings) -> Iterator[Path]:
    """Yield the usual locations of ``importer`` that exist.

    A link in the project that leads out of it does not count: the repository's author chose it.
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
