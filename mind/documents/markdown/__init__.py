"""Markdown text ↔ blocks with exact byte spans, and edits by splice.

The grammar is CommonMark with tables (markdown-it-py); line maps become byte spans. A line scan
cuts a file into sections at its headings, and each section is parsed independently, so that a
change in one never requires parsing the others.
"""

from mind.documents.markdown.blocks import closing, fenced, parse, rows, unended
from mind.documents.markdown.sections import (
    Block,
    Document,
    Edit,
    Line,
    Section,
    closing_of,
    escaped,
    line_end,
    opens_fence,
    opens_html,
    sections,
    splice,
    walk,
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
    "fenced",
    "line_end",
    "opens_fence",
    "opens_html",
    "parse",
    "rows",
    "sections",
    "splice",
    "unended",
    "walk",
]
