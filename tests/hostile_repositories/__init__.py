"""Repositories that mean harm to whoever opens them, each with a twin that means none."""

from tests.hostile_repositories import (
    configured,
    deletion,
    git_keys,
    links,
    reading,
    starting,
    state,
    targets,
)
from tests.hostile_repositories.hostile import Hostile

FAMILIES = (links, targets, configured, state, starting, git_keys, reading, deletion)


def every() -> list[Hostile]:
    """All of them, by family."""
    return [one for family in FAMILIES for one in family.hostile()]
