"""A memory through the commits of its repository: who wrote what, and what was there before."""

from mind.versions.comparing import Change, Difference, difference
from mind.versions.life import Life, Version, life
from mind.versions.past import at

__all__ = ["Change", "Difference", "Life", "Version", "at", "difference", "life"]
