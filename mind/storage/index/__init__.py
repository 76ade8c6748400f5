"""The derived index: entries by source, kind and date, and full-text search over them.

Everything in it can be built again from the files; nothing else in Mind speaks SQL.
"""

from mind.storage.index.connection import Soundness, discard, soundness
from mind.storage.index.entries import Change, Index
from mind.storage.index.graph import DEEPEST, Direction, Edge, Graph, Overview, Step
from mind.storage.index.prepared import Chunk
from mind.storage.index.retrieval import Answer, Request, Scored, Sense
from mind.storage.index.selection import EVERY, Filter, Order
from mind.storage.index.vectors import Vectors

__all__ = [
    "DEEPEST",
    "EVERY",
    "Answer",
    "Change",
    "Chunk",
    "Direction",
    "Edge",
    "Filter",
    "Graph",
    "Index",
    "Order",
    "Overview",
    "Request",
    "Scored",
    "Sense",
    "Soundness",
    "Step",
    "Vectors",
    "discard",
    "soundness",
]
