"""The derived index: entries by source, kind and date, and full-text search over them.

Everything in it can be built again from the files; nothing else in Mind speaks SQL.
"""

from mind.index.entries import Change, Index
from mind.index.filters import EVERY, Filter
from mind.index.graph import DAMPING, DEEPEST, Direction, Edge, Graph, Overview, Step
from mind.index.integrity import Soundness, discard, soundness
from mind.index.listing import Order
from mind.index.outbox import Backlog, Outbox, Queued, Record
from mind.index.prepared import Piece
from mind.index.retrieval import Answer, Request, Scored, Sense
from mind.index.vectors import Vectors

__all__ = [
    "DAMPING",
    "DEEPEST",
    "EVERY",
    "Answer",
    "Backlog",
    "Change",
    "Direction",
    "Edge",
    "Filter",
    "Graph",
    "Index",
    "Order",
    "Outbox",
    "Overview",
    "Piece",
    "Queued",
    "Record",
    "Request",
    "Scored",
    "Sense",
    "Soundness",
    "Step",
    "Vectors",
    "discard",
    "soundness",
]
