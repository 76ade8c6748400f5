"""Paragraphs → entries: several may stand in one, line by line, and one may lead a list."""

import re
from collections.abc import Sequence

from mind.entry import Kind
from mind.markdown import Block, Line
from mind.parser import plain
from mind.parser.drafts import Draft
from mind.parser.lexicon import CJK, FOLDED, SILENT, field_of, is_one_of
from mind.parser.lines import Reading, is_empty, label_of, read
from mind.parser.scene import IN_SILENCE, Lead, Scene, add_field
from mind.parser.titles import is_dated_line, undated
from mind.relations import relation

COLON_END = re.compile(r"[:：]\s?(?:\*\*|__|\*|_)?\s?$")
_ALL_BOLD = re.compile(r"(?:\*\*|__)[^*_]{2,80}(?:\*\*|__)\s?[:：]?")
_BOLD_LABEL = re.compile(r"(?:\*\*|__)[^*_]{2,60}(?:\*\*|__)?\s?[:：]")
_ITALIC_NOTE = re.compile(r"[*_](?![*_\s]).*[*_]")
_SENTENCE_BREAK = re.compile(r"[.!?:;。！？：)*_`…]\s?$")
_STAMP_ONLY = re.compile(
    r"(?:last )?(?:updated|modified|edited|created|generated)\b", re.IGNORECASE
)
_TEMPLATE_LINE = re.compile(r"log of updates", re.IGNORECASE)


def read_paragraph(scene: Scene, block: Block, following: str) -> Lead | None:
    """Read ``block``; returns what its last line says about the block of type ``following``."""
    lead: Lead | None = None
    for lines in _segments(scene, block):
        last = lines[-1] is block.lines[-1]
        lead = _segment(scene, lines, following if last else "")
    return lead


def _segments(scene: Scene, block: Block) -> list[list[Line]]:
    """The lines of a paragraph, split where another item begins."""
    segments: list[list[Line]] = []
    own = False
    for line in block.lines:
        if not segments or _begins(scene, line, segments[-1], own=own):
            segments.append([])
            own = scene.canonical(line) is not None or _keyword(scene, line.text) is not None
        segments[-1].append(line)
    return segments


def _begins(scene: Scene, line: Line, before: list[Line], *, own: bool) -> bool:
    """Whether ``line`` begins an item of its own after the lines ``before``.

    If that item began with a keyword too (``own``), this is a list without bullets.
    """
    if scene.canonical(line) is not None:
        return True
    if scene.canonical(before[0]) is not None and scene.indent(line) == 2:
        return False
    if is_dated_line(line.text):
        return True
    reading = _keyword(scene, line.text)
    if reading is None:
        return False
    marked = reading.force == "marker"
    dated = is_dated_line(before[0].text)
    if marked and field_of(label_of(line.text)[0]) and (dated or not reading.strong):
        return False
    bold = line.text.startswith(("**", "__"))
    ended = bool(_SENTENCE_BREAK.search(before[-1].text))
    return own or ended or bold or (marked and reading.strong)


def _keyword(scene: Scene, text: str) -> Reading | None:
    found = read(text, scene.words)
    return found if found is not None and found.force != "sentence" else None


def _segment(scene: Scene, lines: list[Line], following: str) -> Lead | None:
    reading = scene.canonical(lines[0])
    if reading is not None:
        _canonical(scene, reading, lines)
        return None
    if scene.place.mode == "relation" and all(relation(line.text) for line in lines):
        scene.found += [_related(scene, line) for line in lines]
        return None
    text = " ".join(line.text for line in lines).strip()
    heads = following in ("list", "table", "code", "quote")
    if heads and (COLON_END.search(text) or _ALL_BOLD.fullmatch(text)):
        return _lead(scene, lines, text)
    draft = _told(scene, lines, text, introduces=following in ("list", "table"))
    if draft is None:
        return None
    scene.found.append(draft)
    dated = draft.why == "dated line" and following == "list"
    return Lead(draft=draft) if dated or following in ("code", "quote") else None


def _related(scene: Scene, line: Line) -> Draft:
    """A line of the relations that is no list item."""
    why = f'section "{scene.place.name}"'
    return scene.of_lines(Reading(Kind.RELATION, line.text, "sign", why), 0.8, [line])


def _canonical(scene: Scene, reading: Reading, lines: list[Line]) -> None:
    """A line in Mind's own form with its continuation."""
    draft = plain.from_reading(reading, lines[0].number + scene.shift[0], scene.span(lines[:1]))
    for line in lines[1:]:
        end = scene.span([line]).end
        plain.continue_with(draft, line.text, line.number + scene.shift[0], end)
    scene.found.append(draft)


def _lead(scene: Scene, lines: list[Line], text: str) -> Lead:
    """What a line says that ends in a colon, or is all bold, before a list."""
    label = text.strip("*_ ").rstrip(":：").strip("*_ ")
    form = scene.words.label_form(label)
    kind = scene.words.labels.get(form)
    if scene.place.mode == "silent" and kind not in IN_SILENCE:
        return Lead(silent=True)
    if form in FOLDED:
        reading = Reading(Kind.PROGRESS, label, "sign", f'lead "{label}"')
        return _opened(scene, reading, lines)
    if kind is not None:
        return Lead(kind=kind, name=label)
    if is_one_of(label, SILENT):
        return Lead(silent=True)
    return _told_lead(scene, lines, text, label)


def _told_lead(scene: Scene, lines: list[Line], text: str, label: str) -> Lead:
    """A lead that is no label: the sentence an entry begins with, a field of the entry before."""
    told = _keyword(scene, text)
    if told is not None:
        reading = Reading(scene.chosen(told), told.text.rstrip(":： "), told.force, told.why)
        return _opened(scene, reading, lines)
    name = field_of(label)
    near = scene.found and scene.found[-1].end + 2 >= lines[0].number + scene.shift[0]
    if name and near:
        return Lead(draft=scene.found[-1], name=name)
    return Lead(silent=not scene.place.announces and scene.place.mode != "log")


def _opened(scene: Scene, reading: Reading, lines: list[Line]) -> Lead:
    draft = scene.of_lines(reading, 0.65, lines)
    scene.found.append(draft)
    return Lead(draft=draft)


def _told(scene: Scene, lines: list[Line], text: str, *, introduces: bool) -> Draft | None:
    """The entry that a paragraph (or one item in it) tells, if any."""
    if is_empty(text) or _STAMP_ONLY.match(text.strip("*_ ")):
        return None
    if is_dated_line(lines[0].text):
        return _dated(scene, lines)
    reading = read(text, scene.words)
    if reading is None:
        bold = bool(_BOLD_LABEL.match(text))
        return None if introduces and not bold else _plain_paragraph(scene, lines, text)
    if not scene.speaks(reading):
        return None
    kind = scene.chosen(reading)
    own = _before_fields(scene, lines, reading)
    made = Reading(kind, own, reading.force, reading.why, reading.strong)
    draft = scene.of_lines(made, scene.sure(reading), lines)
    fold_lines(draft, lines[1:])
    return draft


def _plain_paragraph(scene: Scene, lines: list[Line], text: str) -> Draft | None:
    """A paragraph under a heading that says what its text is."""
    place = scene.place
    short = len(text) < (8 if CJK.search(text) else 20)
    if place.kind is None or place.kind is Kind.RELATION:
        return None
    if place.weight != "section" and not (place.announces and _BOLD_LABEL.match(text)):
        return None
    if short or place.mode == "silent" or _ITALIC_NOTE.fullmatch(text):
        return None
    return scene.of_lines(Reading(place.kind, text, "sign", f'section "{place.name}"'), 0.5, lines)


def _dated(scene: Scene, lines: list[Line]) -> Draft | None:
    """``[2026-01-20 09:00] - text``, with the fields of a record below it."""
    text = undated(lines[0].text)
    if is_empty(text) or _TEMPLATE_LINE.match(text) or scene.place.mode == "silent":
        return None
    reading = read(text, scene.words)
    kind = scene.place.kind
    if reading is not None and (kind is None or reading.strong):
        kind, text = reading.kind, reading.text
    labelled = any(field_of(label_of(line.text)[0]) for line in lines[1:])
    if kind is None and labelled:
        kind = Kind.DECISION
    if kind is None:
        return None
    made = Reading(kind, text.strip("*_ "), "sign", "dated line")
    draft = scene.of_lines(made, 0.8 if labelled else 0.65, lines)
    fold_lines(draft, lines[1:])
    return draft


def _before_fields(scene: Scene, lines: list[Line], reading: Reading) -> str:
    """The text of ``reading`` before the first labelled line of the paragraph."""
    at = first_field(lines)
    if at == len(lines):
        return reading.text
    text = " ".join(one.text for one in lines[:at]).strip()
    own = read(text, scene.words)
    return own.text if own is not None else text


def first_field(lines: Sequence[Line]) -> int:
    """The index of the first line after the first that a label begins; their number if none."""
    for at, line in enumerate(lines[1:], 1):
        if field_of(label_of(line.text)[0]):
            return at
    return len(lines)


def fold_lines(draft: Draft, lines: Sequence[Line]) -> None:
    """Add labelled lines, each with those that go on with it."""
    name = ""
    for line in lines:
        head, rest = label_of(line.text)
        own = field_of(head)
        if own:
            name = own
            add_field(draft, name, rest)
        elif name:
            add_field(draft, name, line.text)
