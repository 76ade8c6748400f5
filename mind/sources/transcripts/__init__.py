"""Notes from Claude Code's transcripts: the person's statements, and failures that were fixed.

Processed locally by a few rules. Statements are kept verbatim.
"""

from mind.sources.transcripts.folder import found
from mind.sources.transcripts.reading import SOURCE, remembered

__all__ = ["SOURCE", "found", "remembered"]
