"""What a hostile repository is, and its benign twin."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.hostile_repositories.calls import Call
from tests.hostile_repositories.site import Site

Build = Callable[[Site], object]
Named = Callable[..., None]
"""Builds what one of several names asks for, given as ``name``."""
Calls = Callable[[Site], Sequence[Call]]


def nothing(_site: Site) -> None:
    """Leave the ordinary repository as it is."""


def no_calls(_site: Site) -> Sequence[Call]:
    """Use what every repository is used with."""
    return ()


def calling(*calls: Call) -> Calls:
    """Use a repository with these besides."""
    return lambda _site: calls


@dataclass(frozen=True, kw_only=True)
class Hostile:
    """A repository that means harm, and one like it that means none.

    Attributes:
        name: Family and what is special, as ``links/MEMORY.md absolute``.
        does: What it would do.
        build: Makes the ordinary repository of a site hostile.
        twin: Makes it benign; everything has to work in it.
        named: What some answer has to name, so that the user knows; "" if nothing has to be said.
        leads: Where that leads, named in the same answer; "" for nothing.
        works: Commands that do their work all the same, by how their names begin.
        forged: The repository brings machine state, which must not be believed.
        stay: Links of the twin that are still links when all is done.
        calls: Further uses that concern it.
        opened: Files outside may be opened to be read, as git itself does; not what they say.
        real: Only in processes that are really started: the search path is part of it.
    """

    name: str
    does: str
    build: Build
    twin: Build = nothing
    named: str = ""
    leads: str = ""
    works: tuple[str, ...] = ()
    forged: bool = False
    stay: tuple[str, ...] = ()
    calls: Calls = no_calls
    opened: bool = False
    real: bool = False

    @property
    def family(self) -> str:
        """The part of the name before the slash."""
        return self.name.partition("/")[0]
