"""The blocks of one section, in order → drafts of its entries."""

from collections.abc import Sequence

from mind.entry import Span
from mind.markdown import Block
from mind.parser import tables
from mind.parser.drafts import Draft
from mind.parser.lazy import without_appended
from mind.parser.lists import read_list
from mind.parser.paragraphs import read_paragraph
from mind.parser.scene import Lead, Scene


def read_blocks(scene: Scene, blocks: Sequence[Block]) -> list[Draft]:
    """Read ``blocks`` in order; quoted text, code, HTML and rules are no entries."""
    lead: Lead | None = None
    for at, whole in enumerate(blocks):
        block = whole
        if whole.type in ("list", "quote", "table"):
            block = without_appended(scene, whole)
        following = blocks[at + 1].type if at + 1 < len(blocks) else ""
        if block.type == "paragraph":
            lead = read_paragraph(scene, block, following)
            continue
        _read(scene, block, lead or Lead())
        lead = None
    return scene.found


def _read(scene: Scene, block: Block, lead: Lead) -> None:
    if block.type == "list":
        read_list(scene, block, lead)
    elif block.type == "table":
        _read_table(scene, block, lead)
    elif block.type in ("code", "quote") and lead.draft is not None:
        scene.reach(lead.draft, block)


def _read_table(scene: Scene, block: Block, lead: Lead) -> None:
    if lead.silent:
        return
    place = scene.place
    silent = place.mode == "silent"
    kind = lead.kind
    if kind is None and place.weight == "section" and not silent:
        kind = place.kind
    for draft in tables.rows(block, kind, scene.words, silent=silent):
        draft.line += scene.shift[0]
        draft.end += scene.shift[0]
        draft.span = Span(draft.span.start + scene.shift[1], draft.span.end + scene.shift[1])
        scene.found.append(draft)
