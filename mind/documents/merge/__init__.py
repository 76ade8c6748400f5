"""Three versions of a memory file, put together entry by entry; pure.

What is merged is not lines but what stands on them: an entry, a heading, a paragraph, a block of
the archive. Each is paired with what it was in the common ancestor, by its words, its id or its
likeness. What one side changed is taken; only what both changed in ways that exclude each other
is left to a person, between git's ordinary markers.
"""

from mind.documents.merge.merged import Merged, Notice, Textual, merge

__all__ = ["Merged", "Notice", "Textual", "merge"]
