"""Markdown text ↔ blocks with exact byte spans, and edits by splice.

The grammar is CommonMark with tables, as markdown-it-py understands it; its line maps become byte
spans here. A file is first cut into sections at its headings by a line scan, and each section is
parsed on its own: the blocks of a file are by definition those of its sections, so that a change
in one of them never needs the others.
"""

from mind.documents.markdown.blocks import closing, parse, unended
from mind.documents.markdown.sections import (
    Block,
    Document,
    Edit,
    Line,
    Section,
    closing_of,
    escaped,
    opens_fence,
    opens_html,
    sections,
    splice,
)

__all__ = [
    "Block",
    "Document",
    "Edit",
    "Line",
    "Section",
    "closing",
    "closing_of",
    "escaped",
    "opens_fence",
    "opens_html",
    "parse",
    "sections",
    "splice",
    "unended",
]
