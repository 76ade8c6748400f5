"""Derived index: entries by source, kind and date, with full-text search.

It can be rebuilt from the files at any time. Only this package uses SQL on it.
"""

from mind.storage.index.connection import Soundness, discard, soundness
from mind.storage.index.entries import Index, RefreshedEntries
from mind.storage.index.graph import DEEPEST, Direction, Edge, Graph, GraphStep, Overview
from mind.storage.index.prepared import Chunk
from mind.storage.index.rejections import Rejections
from mind.storage.index.retrieval import IndexAnswer, IndexRequest, QueryVector, ScoredEntry
from mind.storage.index.selection import EVERY, Facets, Filter, Order
from mind.storage.index.vectors import Vectors

__all__ = [
    "DEEPEST",
    "EVERY",
    "Chunk",
    "Direction",
    "Edge",
    "Facets",
    "Filter",
    "Graph",
    "GraphStep",
    "Index",
    "IndexAnswer",
    "IndexRequest",
    "Order",
    "Overview",
    "QueryVector",
    "RefreshedEntries",
    "Rejections",
    "ScoredEntry",
    "Soundness",
    "Vectors",
    "discard",
    "soundness",
]
