"""Markdown → entries: what people and agents wrote down, with confidence and provenance.

A file is cut into pieces (``pieces``), each of which is understood by itself and from the
headings above it; ``number_and_resolve`` then settles what needs the whole file.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mind.documents.parser.grouping import Start
    from mind.documents.parser.parsing import explain, keyword_line, parse, parse_line, pieces
    from mind.documents.parser.resolution import number_and_resolve, resolves

__all__ = [
    "Start",
    "explain",
    "keyword_line",
    "number_and_resolve",
    "parse",
    "parse_line",
    "pieces",
    "resolves",
]

_WHERE = {
    "Start": "grouping",
    "explain": "parsing",
    "pieces": "parsing",
    "keyword_line": "parsing",
    "parse": "parsing",
    "parse_line": "parsing",
    "number_and_resolve": "resolution",
    "resolves": "resolution",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever the name stands for
    """Load the parser when something is parsed: its words of eight languages take 30 ms."""
    if name not in _WHERE:
        raise AttributeError(name)
    return getattr(import_module(f"mind.documents.parser.{_WHERE[name]}"), name)
