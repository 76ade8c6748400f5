"""The user's own folder."""

import os
from pathlib import Path


def home() -> Path:
    """``MIND_HOME``, else ``~/.mind``."""
    return Path(os.environ.get("MIND_HOME") or Path.home() / ".mind")
