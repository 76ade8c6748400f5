"""The user's own folder."""

from pathlib import Path

from mind.storage.boundary import user_folder


def home() -> Path:
    """``MIND_HOME``, else ``~/.mind``."""
    return Path(user_folder())


def own_memory() -> Path:
    """Folder of the user's own memory, which belongs to no project."""
    return home() / "memory"
