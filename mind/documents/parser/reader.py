"""Blocks of one section → statements: bullets, table rows and paragraphs with content.

Blocks without a statement (headings, labels, code, templates, lists of links) are left out, with
the reason. A label becomes the lead of the block below it.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from mind.documents.markdown import Block, Line, fenced, walk
from mind.documents.parser.drafts import is_imported, without_fields
from mind.documents.parser.lexicon import (
    CONTENTS,
    Announcement,
    Lexicon,
    bare,
    canonical,
    field_of,
    has_subject,
    is_one_of,
    is_question,
    label_of,
    marker,
    read,
    undated,
)
from mind.documents.parser.place import ANNOUNCED
from mind.documents.parser.statements import (
    ANSWER,
    COLON_END,
    LABEL,
    MARKUP,
    QUESTION,
    SENTENCE_END,
    Lead,
    LeftOut,
    Statement,
    below,
    ends_there,
    flat,
    is_field,
    is_label,
    is_like,
    key_of,
    names,
    names_contents,
    nothing,
    row_of,
    stand_alone,
    told_below,
)
from mind.domain.entry import Kind, Span
from mind.text import lazy_pattern
from mind.text.dates import only_day
from mind.text.relations import relation

_CALLOUT = lazy_pattern(r"\[!(\w+)\][+-]?\s*")
_LONGEST_DAY = 40


def _day(line: Line) -> date | None:
    """The day of a line that is only a date."""
    text = line.text
    is_short = len(text) <= _LONGEST_DAY and any(mark.isdigit() for mark in text)
    return only_day(text) if is_short else None


class Reader:
    """Reads the blocks of one section.

    Args:
        source: The section's bytes.
        words: The vocabulary.
        mode: Of the section: a blank form, relations, one per line, or others.
        kind: The kind that its headings announce.
    """

    def __init__(self, source: bytes, words: Lexicon, mode: str, kind: Kind | None) -> None:
        self._source = source
        self._words = words
        self._template = mode == "template"
        self._relations = mode == "relation"
        self._kind = kind
        self._question: Statement | None = None
        self._contents = False
        self._day: date | None = None
        self.found: list[Statement] = []
        self.left: list[LeftOut] = []

    def read(self, blocks: Sequence[Block]) -> None:
        """Read ``blocks`` in order."""
        lead = Lead()
        for at, whole in enumerate(blocks):
            block = whole if whole.type == "paragraph" else self._without_appended(whole)
            if block.type == "paragraph" and not self._template:
                following = blocks[at + 1].type if at + 1 < len(blocks) else ""
                lead = self._paragraph(block, lead if following else Lead(), following)
                continue
            self._question = None
            self._block(block, lead)
            lead = Lead()

    def _block(self, block: Block, lead: Lead) -> None:
        if self._template and block.type not in ("heading", "rule", "html"):
            self._leave(block, "template")
        elif block.type == "list":
            self._list(block, lead)
        elif block.type == "table":
            self._table(block, lead)
        elif block.type == "quote":
            self._quote(block, lead)
        elif block.type == "code":
            self._code(block)
        elif block.type != "rule":
            self._contents = self._contents or names_contents(block)
            self._leave(block, MARKUP.get(block.type, "markup"))

    def _list(self, block: Block, lead: Lead) -> None:
        dated = self._dated_above(block)
        for item in block.children:
            if self._is_own(item):
                text = item.text
                made = Statement(
                    "mind", text, item.line, item.lines[-1].number, item.span,
                    checked=item.checked, lines=item.lines,
                )  # fmt: skip
                self._add(made)
                if is_imported(text):
                    self._whole(item, made)
                else:
                    self._children(item, made, detailed=False)
                dated = None
            elif dated is not None and not self._is_marked(item):
                dated.parts.append(("", flat(item)))
                dated.reach(item.end, item.span.end)
            else:
                self._item(item, lead)
                dated = None

    def _is_marked(self, item: Block) -> bool:
        """Return whether an item begins with a label that gives its kind anywhere."""
        found = marker(item.text.strip(), self._words)
        return found is not None and found.strong

    def _dated_above(self, block: Block) -> Statement | None:
        """A dated statement right above a list, which becomes part of it."""
        last = self.found[-1] if self.found else None
        near = last is not None and last.form == "dated" and 0 < block.line - last.last <= 2
        return last if near else None

    def _add(self, made: Statement) -> None:
        made.day = self._day
        self.found.append(made)

    def _leave(self, block: Block, why: str) -> None:
        self.left.append(LeftOut(block.line, block.end, why))

    def _leave_lines(self, lines: Sequence[Line], why: str) -> None:
        self.left.append(LeftOut(lines[0].number, lines[-1].number, why))

    def _paragraph(self, block: Block, lead: Lead, following: str, form: str = "paragraph") -> Lead:
        """Read a paragraph; return the lead that its last line forms for the next block."""
        if self._question is not None and not QUESTION.match(block.lines[0].text):
            self._answer(block.lines)
            return Lead()
        self._question = None
        for lines in self._segments(block, form):
            last = lines[-1] is block.lines[-1]
            lead = self._segment(lines, lead, following if last else "", form)
        return lead

    def _answer(self, lines: Sequence[Line]) -> None:
        asked = self._question
        assert asked is not None  # noqa: S101 - the caller checked this
        asked.text = " ".join([asked.text, *(line.text for line in lines)])
        asked.lines += tuple(lines)
        asked.reach(lines[-1].number, self.span(lines).end)
        self._question = None

    def _segments(self, block: Block, form: str) -> list[tuple[Line, ...]]:
        """The lines of a paragraph, split at each new statement."""
        segments: list[list[Line]] = []
        first = next((line for line in block.lines if not _day(line)), block.lines[0])
        for line in block.lines:
            if segments and not self._begins(line, segments[-1], first, form):
                segments[-1].append(line)
            else:
                segments.append([line])
        return [tuple(lines) for lines in segments]

    def _begins(self, line: Line, before: Sequence[Line], first: Line, form: str) -> bool:
        """Return whether ``line`` begins a new statement after the lines ``before``."""
        is_relation = self._relations and relation(line.text)
        if self.canonical(line) is not None or _day(before[0]) or is_relation:
            return True
        if self.canonical(before[0]) is not None and self.indent(line) == 2:
            return False
        if QUESTION.match(line.text) or undated(line.text):
            return True
        asked = QUESTION.match(before[0].text) or (len(before) == 1 and is_question(before[0].text))
        if asked or is_field(line.text, before[0].text, self._words):
            return False
        return bool(
            is_like(line.text, first.text)
            or self._announces(line.text, before)
            or (form == "paragraph" and ends_there(before[-1].text, line.text))
        )

    def _announces(self, text: str, before: Sequence[Line]) -> bool:
        reading = read(text, self._words)
        if reading is None or reading.force == "sentence":
            return False
        marked = reading.force == "marker" and bool(LABEL.match(text))
        opened = read(before[0].text, self._words)
        own = opened is not None and opened.force != "sentence"
        return own or marked or bool(SENTENCE_END.search(before[-1].text))

    def _segment(self, lines: tuple[Line, ...], lead: Lead, following: str, form: str) -> Lead:
        reading = self.canonical(lines[0])
        if reading is not None:
            self._add(
                Statement(
                    "mind", "", lines[0].number, lines[-1].number, self.span(lines), lines=lines
                )
            )
            return Lead()
        text = " ".join(line.text for line in lines).strip()
        if (aside := self._aside(lines, text, lead, following)) is not None:
            return aside
        made = Statement(
            form, text, lines[0].number, lines[-1].number, self.span(lines), lead, lines=lines
        )
        if form == "quote":  # its marker precedes the text of its lines
            made.span = Span(made.span.start - self.indent(lines[0]), made.span.end)
        if undated(lines[0].text):
            made.form = "dated"
        self._with_fields(made)
        if following:
            made.text = made.text.rstrip(":： ")
        self._add(made)
        if QUESTION.match(text) and not any(ANSWER.match(line.text) for line in lines[1:]):
            self._question = made
        return Lead() if following != "paragraph" else lead

    def _aside(self, lines: tuple[Line, ...], text: str, lead: Lead, following: str) -> Lead | None:
        """Leave out a date, a label or nothing, and return the lead it forms; None for others."""
        if (day := _day(lines[0])) and not lead.name:  # "Valid until:" takes the date below it
            self._day = day
            self._leave_lines(lines, "date")
            return Lead()
        if is_label(text, following, self._words):
            self._leave_lines(lines, "label")
            self._contents = is_one_of(bare(text), CONTENTS)
            return Lead(self._words.heading(bare(text)), bare(text))
        if why := nothing(text):
            self._leave_lines(lines, why)
            return Lead()
        return None

    def _with_fields(self, made: Statement) -> None:
        """Parse the labelled lines after the first as fields of ``made``."""
        at = next(
            (n for n, line in enumerate(made.lines) if n and field_of(label_of(line.text)[0])), 0
        )
        if not at:
            return
        made.text = " ".join(line.text for line in made.lines[:at])
        name = ""
        for line in made.lines[at:]:
            head, rest = label_of(line.text)
            own = field_of(head)
            name = own or name
            made.parts.append(_part(name, rest if own else line.text))

    def _item(self, item: Block, lead: Lead) -> None:
        text = item.text.strip()
        if not text:
            if not item.children:
                self._leave(item, "empty")
            self.read(item.children)
            return
        nested = any(child.type == "list" for child in item.children)
        kind = lead.kind or self._kind
        is_name = nested and names(text, item, self._words)
        if is_name and not self._has_details(text, item, kind):
            self._leave_lines(item.lines, "label")
            own = Lead(self._words.heading(bare(text)) or lead.kind, bare(text))
            for child in item.children:
                self._block(child, own)
            return
        opens = bool(item.children) and bool(COLON_END.search(text))
        if self._contents or (why := "" if opens else nothing(text)):
            self._leave_lines(item.lines, "contents" if self._contents else why)
            for child in item.children:
                if child.type == "list":
                    self._block(child, lead)
            return
        made = Statement(
            "item", text, item.line, item.lines[-1].number, item.span, lead, item.checked,
            lines=item.lines,
        )  # fmt: skip
        self._with_fields(made)
        self._add(made)
        is_rejected = kind is Kind.REJECTED and not _have_subjects(_details(item))
        self._children(item, made, detailed=is_name or is_rejected)

    def _is_own(self, item: Block) -> bool:
        """Return whether an item is in Mind's own format; an imported one may be reformatted."""
        if not item.lines or canonical(item.lines[0].text) is None:
            return False
        begin = self._source[item.span.start : item.lines[0].span.start]
        return begin == b"- " or is_imported(item.text)

    def _has_details(self, text: str, item: Block, kind: Kind | None) -> bool:
        """Return whether a name has details: "Kubernetes", with "too much work" below.

        Items that stand alone are none. A decision, lesson or trouble may have several.
        """
        details = _details(item)
        if self._words.heading(bare(text)) is not None or any(
            detail.children or detail.checked is not None for detail in details
        ):
            return False
        is_alone = len(details) == 1
        if kind in ANNOUNCED and (
            is_alone or not any(stand_alone(one, self._words) for one in item.children)
        ):
            return not _have_subjects(details)
        if not is_alone or COLON_END.search(text):
            return False
        return read(details[0].text, self._words) is None

    def _children(self, item: Block, made: Statement, *, detailed: bool) -> None:
        """Merge nested details into ``made``; independent items become statements.

        Args:
            item: The item.
            made: Its statement.
            detailed: The items below are its details, even if they could stand alone.
        """
        opened = bool(COLON_END.search(without_fields(made.text)))
        gap = ""
        for child in item.children:
            if child.type == "list":
                if not (opened or detailed) and stand_alone(child, self._words):
                    self._block(child, Lead())
                else:
                    for nested in child.children:
                        self._fold(nested, made)
            elif child.type in ("paragraph", "quote"):
                made.parts.append(("", gap + flat(child)))
                made.last = max(made.last, child.end)
            elif child.type == "code":
                made.code.append(fenced(child))
                self._leave(child, "code")
            elif child.type != "rule":
                self._block(child, Lead())
            gap = "… " if child.type == "code" else ""

    def _whole(self, item: Block, made: Statement) -> None:
        """Take all that is below an imported item as its text, except items labelled as entries."""
        labelled: list[Block] = []
        told = _without_labelled(item, labelled)
        made.parts.append(("", told_below(told)))
        made.code += [fenced(one) for one in walk(told.children) if one.type == "code"]
        made.last = item.end
        for one in labelled:
            self._block(replace(one, type="list", lines=(), children=(one,)), Lead())

    def _fold(self, nested: Block, made: Statement) -> None:
        text = nested.text.strip()
        head, rest = label_of(text)
        name = field_of(head)
        if nested.checked is not None:
            self._item(nested, Lead())
            made.last = max(made.last, nested.line - 1)
            return
        made.parts.append(_part(name, " ".join([rest if name else text, *below(nested)])))
        made.code += [fenced(one) for one in walk(nested.children) if one.type == "code"]
        made.last = max(made.last, nested.end)

    def _quote(self, block: Block, lead: Lead) -> None:
        children = list(block.children)
        first = children[0] if children else None
        if first is not None and first.type == "paragraph":
            callout = _CALLOUT.fullmatch(first.lines[0].text)
            if callout:
                lead = Lead(self._words.label(callout[1]), callout[1])
                self._leave_lines(first.lines[:1], "label")
                rest = first.lines[1:]
                children[:1] = [replace(first, lines=rest)] if rest else []
        for child in children:
            if child.type == "paragraph":
                self._paragraph(child, lead, "", "quote")
            else:
                self._block(child, lead)

    def _code(self, block: Block) -> None:
        if self.found and self.found[-1].last + 3 >= block.line:
            self.found[-1].code.append(fenced(block))
        self._leave(block, "code")

    def _table(self, table: Block, lead: Lead) -> None:
        header = [cell.strip() for cell in table.children[0].cells]
        self._leave(table.children[0], "table head")
        key, kind = key_of(header, self._words, self._kind)
        lead = Lead(kind, header[key]) if kind is not None else lead
        for row in table.children[1:]:
            made = row_of(row, header, key, lead)
            if made is None:
                self._leave(row, "empty")
            else:
                self._add(made)

    def indent(self, line: Line) -> int:
        """Return the number of bytes before the text of ``line``."""
        return line.span.start - (self._source.rfind(b"\n", 0, line.span.start) + 1)

    def canonical(self, line: Line) -> Announcement | None:
        """Parse ``line`` in Mind's own format; None if it is not."""
        return canonical(line.text) if self.indent(line) == 0 else None

    def span(self, lines: Sequence[Line]) -> Span:
        """The bytes of whole ``lines``, including the final line end."""
        end = self._source.find(b"\n", lines[-1].span.end) + 1 or len(self._source)
        return Span(lines[0].span.start, end)

    def _without_appended(self, block: Block) -> Block:
        """``block`` without the lines below its last item that begin a new statement.

        In Markdown, an unindented line may continue the item or quote above it.
        """
        if block.type not in ("list", "item", "quote", "paragraph"):
            return block
        lines = block.lines
        cut = next((at for at, line in enumerate(lines) if at and self._is_appended(line)), None)
        if cut is not None:
            self._paragraph(replace(block, type="paragraph", lines=lines[cut:]), Lead(), "")
            lines = lines[:cut]
        children = tuple(map(self._without_appended, block.children))
        if cut is None and children == block.children:
            return block
        if children:
            number, end = children[-1].end, children[-1].span.end
        else:
            number, end = lines[-1].number, self.span(lines).end
        return replace(
            block, lines=lines, children=children, end=number, span=Span(block.span.start, end)
        )

    def _is_appended(self, line: Line) -> bool:
        is_labelled = self.canonical(line) is not None or LABEL.match(line.text)
        return bool(is_labelled) and self.indent(line) == 0


def _without_labelled(block: Block, labelled: list[Block]) -> Block:
    """``block`` without the items below it that begin as Mind's own entries do."""
    own = [
        one
        for one in block.children
        if one.type == "item" and one.lines and canonical(one.lines[0].text) is not None
    ]
    labelled += own
    kept = (_without_labelled(one, labelled) for one in block.children if one not in own)
    return replace(block, children=tuple(kept))


def _details(item: Block) -> list[Block]:
    return [detail for child in item.children for detail in child.children]


def _have_subjects(items: Sequence[Block]) -> bool:
    return any(has_subject(item.text) for item in items)


def _part(name: str, text: str) -> tuple[str, str]:
    """A part of a statement: its field and text."""
    return "" if name == "what" else name, text
