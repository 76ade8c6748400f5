"""What the readers of one section share: its place, its words, and how drafts are made there."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from mind.entry import Kind, Span
from mind.markdown import Block, Line
from mind.parser.drafts import Draft
from mind.parser.lexicon import Lexicon
from mind.parser.lines import Force, Reading, canonical
from mind.parser.place import Place

_CONFIDENCE: dict[Force, float] = {
    "mind": 0.95,
    "marker": 0.8,
    "opener": 0.7,
    "sentence": 0.6,
    "sign": 0.6,
}
IN_SILENCE = frozenset(
    {Kind.DECISION, Kind.LEARNING, Kind.REJECTED, Kind.GOTCHA, Kind.BLOCKER, Kind.PROBLEM}
)
"""Kinds whose plain keyword counts even among plans and procedures."""
OF_STATE = frozenset({Kind.GOAL, Kind.BLOCKER, Kind.PROBLEM})
"""Kinds that the list of a project's state holds."""


@dataclass(frozen=True, slots=True)
class Lead:
    """What a line says about the list below it.

    Attributes:
        kind: Of each item.
        silent: The items are no memories: steps, files, plans.
        draft: The entry that the items are details of, in its field ``name``.
    """

    kind: Kind | None = None
    silent: bool = False
    draft: Draft | None = None
    name: str = ""


@dataclass(slots=True)
class Scene:
    """One section while it is read.

    Attributes:
        source: Its bytes.
        shift: How many lines and bytes stand before it in its file.
        found: The drafts of its entries.
    """

    source: bytes
    place: Place
    words: Lexicon
    shift: tuple[int, int]
    found: list[Draft] = field(default_factory=list)

    def indent(self, line: Line) -> int:
        """How many bytes stand before the text of ``line``."""
        return line.span.start - (self.source.rfind(b"\n", 0, line.span.start) + 1)

    def canonical(self, line: Line) -> Reading | None:
        """What ``line`` says if it is written as Mind writes an entry."""
        return canonical(line.text) if self.indent(line) == 0 else None

    def speaks(self, reading: Reading) -> bool:
        """Whether ``reading`` counts in this place."""
        marked = reading.force == "marker"
        if self.place.mode == "silent":
            return marked and reading.strong and reading.kind in IN_SILENCE
        if self.place.mode == "state":
            return marked and reading.kind in OF_STATE
        purpose = reading.kind is Kind.GOAL and marked and not reading.strong
        return self.place.mode != "relation" and not purpose

    def chosen(self, reading: Reading) -> Kind:
        """The kind of a reading in this place: the section's own against a weaker sign."""
        place = self.place
        if place.kind is None or place.weight != "section" or place.mode == "log":
            return reading.kind
        return reading.kind if reading.force == "marker" and reading.strong else place.kind

    def sure(self, reading: Reading) -> float:
        """How sure a reading is."""
        marked = reading.force == "marker" and reading.strong
        return 0.9 if marked else _CONFIDENCE[reading.force]

    def reach(self, draft: Draft, block: Block) -> None:
        """Let ``draft`` reach to the end of ``block``."""
        draft.reach(block.end + self.shift[0], block.span.end + self.shift[1])

    def span(self, lines: Sequence[Line]) -> Span:
        """Bytes in the file of whole ``lines``, the last one's end included."""
        end = self.source.find(b"\n", lines[-1].span.end) + 1 or len(self.source)
        return Span(lines[0].span.start + self.shift[1], end + self.shift[1])

    def of_lines(self, reading: Reading, sure: float, lines: Sequence[Line]) -> Draft:
        """A draft of what ``lines`` of a paragraph say."""
        return Draft(
            kind=reading.kind,
            text=reading.text,
            confidence=sure,
            why=reading.why,
            line=lines[0].number + self.shift[0],
            end=lines[-1].number + self.shift[0],
            span=self.span(lines),
            said=" ".join(line.text for line in lines),
        )

    def of_item(self, item: Block, reading: Reading, sure: float) -> Draft:
        """A draft of what a list's ``item`` says."""
        return Draft(
            kind=reading.kind,
            text=reading.text,
            confidence=sure,
            why=reading.why,
            line=item.line + self.shift[0],
            end=item.end + self.shift[0],
            span=Span(item.span.start + self.shift[1], item.span.end + self.shift[1]),
            said=own_text(item),
            checked=item.checked,
        )


def own_text(block: Block) -> str:
    """A block's own lines as one."""
    return " ".join(line.text for line in block.lines)


def below(item: Block) -> list[str]:
    """The texts of everything nested in an item, in order."""
    texts: list[str] = []
    waiting = list(reversed(item.children))
    while waiting:
        block = waiting.pop()
        if block.type in ("item", "paragraph"):
            texts.append(own_text(block))
        waiting += reversed(block.children)
    return [text for text in texts if text]


def flat(item: Block) -> str:
    """An item's text with that of everything nested in it, on one line."""
    return " ".join([own_text(item), *below(item)])


def add_field(draft: Draft, name: str, text: str) -> None:
    """Add a labelled detail; what the entry itself says is no detail of it."""
    draft.add("" if name == "what" else name, text)
