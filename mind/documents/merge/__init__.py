"""Three-way merge of a memory file, entry by entry; pure.

It merges entries, headings, paragraphs and archive blocks rather than lines. Each is paired with
its version in the common ancestor by text, id or similarity. A change on one side is taken;
incompatible changes on both sides become a conflict with git's usual markers.
"""

from mind.documents.merge.merged import Merged, Notice, Textual, merge

__all__ = ["Merged", "Notice", "Textual", "merge"]
