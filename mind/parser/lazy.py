"""Mind's own lines that Markdown takes for the end of a list item, a quote or a table.

A line right below a list item goes on with it, by the rules of Markdown. An entry that Mind
appended there is an entry all the same.
"""

from dataclasses import replace

from mind.entry import Span
from mind.markdown import Block
from mind.parser.paragraphs import read_paragraph
from mind.parser.scene import Scene


def without_appended(scene: Scene, block: Block) -> Block:
    """``block`` without the entries appended below it, which are read here."""
    if block.type in ("code", "html"):
        return block
    if block.type == "table":
        return _table(scene, block)
    lines = block.lines
    cut = next((at for at, line in enumerate(lines) if at and scene.canonical(line)), None)
    if cut is not None:
        read_paragraph(scene, replace(block, type="paragraph", lines=lines[cut:]), "")
        lines = lines[:cut]
    children = tuple(without_appended(scene, child) for child in block.children)
    if cut is None and children == block.children:
        return block
    last = children[-1] if children else None
    number = last.end if last is not None else lines[-1].number
    end = last.span.end if last is not None else scene.span(lines).end - scene.shift[1]
    span = Span(block.span.start, end)
    return replace(block, lines=lines, children=children, end=number, span=span)


def _table(scene: Scene, table: Block) -> Block:
    rows = table.children
    cut = next((at for at, row in enumerate(rows) if scene.canonical(row.lines[0])), None)
    if not cut:
        return table
    lines = tuple(row.lines[0] for row in rows[cut:])
    read_paragraph(scene, replace(table, type="paragraph", lines=lines), "")
    return replace(table, children=rows[:cut])
