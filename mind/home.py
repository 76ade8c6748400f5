"""The user's own folder."""

import os
from pathlib import Path


def home() -> Path:
    """``MIND_HOME``, else ``~/.mind``."""
    return Path(os.environ.get("MIND_HOME") or Path.home() / ".mind")


def own_memory() -> Path:
    """The folder of the user's own memory, which belongs to no project."""
    return home() / "memory"
