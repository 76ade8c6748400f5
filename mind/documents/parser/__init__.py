"""Markdown → entries, with confidence and provenance.

A file is cut into chunks (``chunks``), each parsed using only its text and the headings above it;
``number_and_resolve`` then does what needs the whole file.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mind.documents.parser.parsing import (
        chunks,
        explain,
        keyword_line,
        labelled,
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
    "labelled",
    "number_and_resolve",
    "parse",
    "parse_line",
    "resolves",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module attribute of any type
    """Import the parser on first use: its vocabulary of eight languages takes 30 ms to load."""
    if name not in __all__:
        raise AttributeError(name)
    return getattr(import_module("mind.documents.parser.parsing"), name)
