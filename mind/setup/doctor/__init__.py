"""Checks of an installation and a project, with remedies.

Each family of checks has a module. A check examines one thing and returns a finding; an error that
it raises becomes a finding too.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from mind.domain.errors import MindError
from mind.setup.doctor import clients, finding, memory, store
from mind.setup.doctor.finding import (
    Check,
    CheckOutcome,
    ExaminedProject,
    Finding,
    Mending,
    broken,
    fine,
    typed,
)
from mind.storage.project import find
from mind.text.secrets import mask

__all__ = ["Check", "CheckOutcome", "examine"]

_Look = Callable[[], Finding]

_ANYWHERE: tuple[tuple[str, _Look], ...] = (
    ("mind", finding.version),
    ("package", finding.package),
)
_HERE: tuple[tuple[str, Callable[[ExaminedProject], Finding]], ...] = (
    ("links", store.links),
    ("settings", store.settings),
    ("list of projects", store.listed),
    ("records", store.records),
    ("writing", store.writing),
    ("permissions", store.permissions),
    ("ignored files", store.ignored),
    ("tracked state", store.tracked),
    ("memory", memory.memory),
    ("credentials", memory.credentials),
    ("reminders", memory.reminders),
    ("archive", memory.archive),
    ("index", memory.index),
    ("vectors", memory.vectors),
    ("models", memory.models),
    ("mirror", memory.mirror),
    ("context block", clients.block),
    ("MCP registration", clients.registration),
    ("hooks", clients.hooks),
)
_SLOW: tuple[tuple[str, Callable[[ExaminedProject], Finding]], ...] = (
    ("MCP server", clients.server),
    ("git", store.git),
    ("merging", store.merging),
)


_OF_REPOSITORY = frozenset(
    (
        "list of projects",
        "ignored files",
        "tracked state",
        "context block",
        "MCP registration",
        "hooks",
        "MCP server",
        "git",
        "merging",
    )
)
"""Checks that do not apply to a memory outside a repository (MIND_DIR, --global)."""


def examine(start: Path | None = None, *, quick: bool = False, fix: bool = False) -> list[Check]:
    """Run all checks, the most basic first.

    Args:
        start: The folder to look for the project from; see :func:`mind.storage.project.find`.
        quick: Start no process, and do not re-read large files that were checked before.
        fix: Fix what can be fixed safely, then check again.
    """
    checks = [_check(name, _found(look)) for name, look in _ANYWHERE]
    checks.append(_check("programs", _found(partial(finding.programs, start or Path()))))
    try:
        project = find(start)
    except MindError as error:
        return [*checks, _check("project", broken(error.message, error.remedy))]
    checks.append(_check("project", fine(str(project.apart or project.root))))
    site = ExaminedProject(project, quick)
    for name, look in _HERE if quick else _HERE + _SLOW:
        if project.apart and name in _OF_REPOSITORY:
            continue
        found = _found(partial(look, site))
        if fix and found.mending:
            site = site.anew()
            checks.append(_mended(name, found, found.mending, partial(look, site)))
        else:
            checks.append(_check(name, found))
    return checks


def _mended(name: str, found: Finding, mending: Mending, look: _Look) -> Check:
    """Fix ``found``, and check again."""
    try:
        mending.act()
    except (MindError, OSError) as error:
        return _check(name, broken(f"{found.detail}; it could not be fixed: {error}", found.remedy))
    return replace(_check(name, _found(look)), mending=mending.what, mended=True)


def _found(look: _Look) -> Finding:
    try:
        return look()
    except MindError as error:
        return broken(error.message, error.remedy)
    except OSError as error:
        place = typed([error.filename or ".mind"])
        return broken(
            f"{place}: {(error.strerror or str(error)).lower()}",
            f"Run `ls -ld {place}` to see its owner and permissions; nothing was changed.",
        )


def _check(name: str, found: Finding) -> Check:
    return Check(
        name=name,
        verdict=found.verdict,
        detail=mask(found.detail),
        remedy=mask(found.remedy),
        mending=mask(found.mending.what) if found.mending else "",
    )
