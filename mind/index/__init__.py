"""The derived index: entries by source, kind and date, and full-text search over them.

Everything in it can be built again from the files; nothing else in Mind speaks SQL.
"""

from mind.index.entries import Change, Index, Piece

__all__ = ["Change", "Index", "Piece"]
