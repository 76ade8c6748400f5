"""Markdown → entries: what people and agents wrote down, with confidence and provenance.

A file is cut into chunks (``chunks``), each of which is understood by itself and from the
headings above it; ``number_and_resolve`` then settles what needs the whole file.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mind.documents.parser.parsing import (
        chunks,
        explain,
        keyword_line,
        number_and_resolve,
        parse,
        parse_line,
        resolves,
    )
    from mind.documents.parser.place import ChunkStart

__all__ = [
    "ChunkStart",
    "chunks",
    "explain",
    "keyword_line",
    "number_and_resolve",
    "parse",
    "parse_line",
    "resolves",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever the name stands for
    """Load the parser when something is parsed: its words of eight languages take 30 ms."""
    if name not in __all__:
        raise AttributeError(name)
    module = "place" if name == "Start" else "parsing"
    return getattr(import_module(f"mind.documents.parser.{module}"), name)
