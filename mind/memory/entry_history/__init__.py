"""A memory through the commits of its repository: who wrote what, and what was there before."""

from mind.memory.entry_history.comparing import Change, Difference, difference
from mind.memory.entry_history.life import Life, Version, life
from mind.memory.entry_history.past import at

__all__ = ["Change", "Difference", "Life", "Version", "at", "difference", "life"]
