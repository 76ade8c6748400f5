"""Notes from the transcripts of Claude Code: what the person stated, and which failures were fixed.

Read on this machine, by few rules. Words are kept as they were said.
"""

from mind.sources.transcripts.folder import found
from mind.sources.transcripts.reading import SOURCE, remembered

__all__ = ["SOURCE", "found", "remembered"]
