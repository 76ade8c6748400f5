"""Lessons from the transcripts of Claude Code: what was tried, mended, decided and found out.

Rules only, on this machine. What comes out is meant to be right rather than complete.
"""

from mind.sources.transcripts.folder import found
from mind.sources.transcripts.reading import SOURCE, remembered

__all__ = ["SOURCE", "found", "remembered"]
