"""A record: a heading that is an entry itself, with its fields below it, folded into one."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from mind.documents.markdown import Block, Document
from mind.documents.parser.drafts import Draft
from mind.documents.parser.grouping import Head
from mind.documents.parser.lexicon import GENERIC, field_of
from mind.documents.parser.lines import is_dated_line, is_empty, is_placeholder, label_of, undated
from mind.domain.entry import Kind, Span

_BULLET_STAMP = re.compile(r"^\[(?:19|20)\d\d[^\]]{4,24}\]\s*[-–—:]?\s*")


@dataclass(slots=True)
class _Collected:
    """The fields of a record, in order: ("what", text) …; "" for text without a label."""

    texts: list[tuple[str, str]] = field(default_factory=list)
    end: tuple[int, int] = (0, 0)

    def add(self, name: str, text: str) -> None:
        text = " ".join(text.split())
        if not is_empty(text):
            self.texts.append((name, text))

    def of(self, name: str) -> list[str]:
        return [text for one, text in self.texts if one == name]


def draft(group: Sequence[Head], document: Document, shift: tuple[int, int]) -> Draft | None:
    """The one entry that ``group`` records; None if it is a template that nobody filled in."""
    first = next(head for head in group if head.title is not None)
    title = first.title
    assert title is not None  # noqa: S101 - chosen for having one
    found = _collect(document, flat=title.role == "field")
    text, confidence = _text(first, found, document)
    if not text or is_placeholder(text):
        return None
    kind = title.kind or first.above.kind or Kind.DECISION
    begin = document.blocks[0]
    made = Draft(
        kind=kind,
        text=text,
        confidence=confidence,
        why=f'record "{first.section.headings[-1][1][:60]}"',
        line=begin.line + shift[0],
        end=found.end[0] + shift[0],
        span=Span(begin.span.start + shift[1], found.end[1] + shift[1]),
        said=" ".join([first.section.headings[-1][1], *_stamp(found)]),
    )
    for name, value in found.texts:
        if name != "what" and value != text:
            made.add(name, value)
    return made


def _stamp(found: _Collected) -> list[str]:
    return found.of("status")


def _text(first: Head, found: _Collected, document: Document) -> tuple[str, float]:
    """The record's title, unless that says nothing by itself, then what it says."""
    title = first.title
    assert title is not None  # noqa: S101 - as above
    what = [_BULLET_STAMP.sub("", text) for text in found.of("what")]
    found.texts += [("date", text[:24]) for text in found.of("what") if _BULLET_STAMP.match(text)]
    named = "" if title.role == "field" else title.text.strip("*_ ")
    if title.role == "field" and document.blocks[0].type == "paragraph":
        line = " ".join(line.text for line in document.blocks[0].lines)
        named = undated(line).strip("*_ ")
        found.add("date", line[:24])
    if is_placeholder(named):
        named = ""
    plain = [text for name, text in found.texts if name == ""]
    if " ".join(named.casefold().split("_")) in GENERIC and (what or plain):
        named = ""
    told = bool(what or found.of("why"))
    confidence = 0.85 if told or (title.role == "record" and plain) else 0.55
    if not named and not what:
        what = plain[:1]
        found.texts = [(name, text) for name, text in found.texts if text not in what]
    said = " ".join(what)
    if named and said:
        return f"{named}: {said}", confidence
    return named or said, confidence


def _collect(document: Document, *, flat: bool) -> _Collected:
    found = _Collected()
    name = ""
    seen_title = False
    for block in document.blocks:
        if block.type in ("rule", "html"):
            continue
        found.end = (block.end, block.span.end)
        if block.type == "heading":
            text = block.lines[0].text if block.lines else ""
            name = field_of(text) if seen_title or flat else ""
            if seen_title and not name and not is_empty(text):
                found.add("", f"{text}:")
            seen_title = True
        elif not seen_title and block.type == "paragraph" and is_dated_line(block.lines[0].text):
            continue
        else:
            _block(block, name, found)
    return found


def _block(block: Block, name: str, found: _Collected) -> None:
    if block.type == "paragraph":
        _lines([line.text for line in block.lines], name, found)
    elif block.type == "list":
        own = name
        for item in block.children:
            own = _item(item, name, own, found)
    elif block.type == "quote":
        for child in block.children:
            _block(child, name, found)
    elif block.type == "table":
        for row in block.children[1:]:
            found.add(name, " - ".join(cell for cell in row.cells if cell.strip()))


def _lines(lines: Sequence[str], name: str, found: _Collected) -> None:
    """A paragraph's lines; a label at the start of one begins a field."""
    text: list[str] = []
    own = name
    for line in lines:
        head, rest = label_of(line)
        labelled = field_of(head) if name in ("", "meta", "date", "status") else ""
        if labelled:
            found.add(own, " ".join(text))
            own, text = labelled, [rest]
        else:
            text.append(line)
    found.add(own, " ".join(text))


def _item(item: Block, name: str, before: str, found: _Collected) -> str:
    """Add an item under the heading's field ``name``; returns the field that it opened."""
    text = " ".join(line.text for line in item.lines)
    head, rest = label_of(text)
    labelled = field_of(head)
    if name not in ("", "meta") and labelled not in ("date", "status", "meta"):
        labelled = ""
    own = labelled or name or ""
    if labelled:
        found.add(own, rest)
    elif name == "alternatives" and head:
        found.add(own, f"{head.strip('*_ ')}: {rest}")
    else:
        found.add(own, text)
    for child in item.children:
        if child.type == "list":
            for nested in child.children:
                _item(nested, own, before, found)
        elif child.type == "paragraph":
            found.add(own, " ".join(line.text for line in child.lines))
    return own
