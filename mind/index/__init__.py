"""The derived index: entries by source, kind and date, and full-text search over them.

Everything in it can be built again from the files; nothing else in Mind speaks SQL.
"""

from mind.index.entries import Change, Index, Piece
from mind.index.filters import EVERY, Filter
from mind.index.retrieval import Answer, Request, Scored, Sense, Weighed
from mind.index.vectors import Vectors

__all__ = [
    "EVERY",
    "Answer",
    "Change",
    "Filter",
    "Index",
    "Piece",
    "Request",
    "Scored",
    "Sense",
    "Vectors",
    "Weighed",
]
