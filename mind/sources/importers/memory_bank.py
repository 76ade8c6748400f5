"""A memory bank (Cline, Roo, Kilo): decision records, and statements of its other files.

A decision log is read record by record, with reasons. In other files the nearest heading that
names a kind sets the kind of each item below it, and a check box that of its item; other sections
are one note. Templates and sentences about the bank itself are skipped.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from mind.documents import markdown
from mind.documents.markdown import Block
from mind.documents.parser import lexicon, place
from mind.documents.parser.lexicon import Lexicon, is_empty
from mind.domain.entry import Kind
from mind.sources import prose
from mind.sources.importers import folder, records, whole_note, wording
from mind.sources.importers.folder import ImportedFile
from mind.sources.importers.values import Importer, ImporterInput, Surroundings
from mind.sources.remembered import ImportedNote

NAME = "memory-bank"

_SKIPPED = re.compile(r"^\W*table of contents\W*$", re.IGNORECASE)
_TARGET = re.compile(r"\]\([^()\s]*\)|(?<!\S)(?=\S*[/\\])\S++")
"""Matches what a sentence links to, which is not what it is about."""
_PARTS = re.compile(r"[()\[\]（）:]| - ")
_AND = re.compile(r"[&/,]|\band\b", re.IGNORECASE)
_STATE = re.compile(r"\W*(?:completed|remaining|upcoming|planned|pending)\b", re.IGNORECASE)
"""Matches the state of what stands below a heading: "Completed Phases"."""
_DESCRIBED = re.compile(
    r"\b(?:patterns?|improvements?|fix(?:es)?|implementation|solutions?|purpose|causes?|risks?)\b",
    re.IGNORECASE,
)
"""Matches headings that the lexicon knows as labels of an item, but that describe the project."""
_SOLVED = re.compile(
    r"\bproblems? (?:(?:it|we|this|how|they|the|and|that)\b[ \w]{0,20} )?solve[sd]?\b|"
    r"\((?:(?:all|now|since|already) )?solved\)",
    re.IGNORECASE,
)
"""Matches "Problems it solves", of Cline's template, and "Problems (solved)": none is open."""
_RULES = frozenset(lexicon.TITLE_KINDS)
_QUESTIONS = re.compile(r"question|frage|pregunta|pergunta|вопрос|问题|質問", re.IGNORECASE)
_SENTENCES = re.compile(r"(?<=[.!?。])\s+")
_BOXED = re.compile(r"^\[[ xX]\]\s*")
_TICKED = re.compile(r"\W{0,3}[✅✔☑]")
_BOX = re.compile(r"\A[✅✔☑🔄⏳🚧⬜]\ufe0f?\s*")
_LONGEST_ADDITION = 10
"""Letters of a title beyond the file's name that say nothing more."""
_OF_THE_MOMENT = frozenset({"activecontext", "progress"})
"""Files that tell the present state of the work, and are written anew in each session."""
_WHOLE = (Kind.NOTE, Kind.PROGRESS)
_DETAIL = 2
"""Headings and lead-ins below a heading that names a kind from which an item is only a detail."""
_SETTLED = (Kind.DECISION, Kind.LEARNING, Kind.GOTCHA)
"""Kinds that a ticked box does not change. A ticked rejection is progress."""
_LESSONS = (*_SETTLED, Kind.REJECTED)
"""Kinds of what a README of a bank says of the project."""
_STATED = re.compile(r"[*_]{0,2}(?P<name>[^\W\d_]{3,20})[*_]{0,2}[:：]")
"""Matches a label of one word, as in "Completed: …"."""
_UNFILLED = re.compile(r".{1,80}?[:：][*_]{0,2}\s+(?P<said>\[[^\[\]]+\]|\.{3}|…)")
_VALUE = re.compile(r"\d\d|`")
"""Matches code or a number other than that of a placeholder, as in "[Reason 1]"."""
_NAME = 3
"""Words of a name."""
_DAY = wording.DAY
_DAY_WITHIN = re.compile(rf"(?<!\d){_DAY}(?!\d)")
_TIME = r"[ T]\d\d?:\d\d[\d:.]{0,12} ?(?-i:[A-Z]{1,4})?(?:[+-]\d\d:?\d\d)?"
_ITSELF = re.compile(
    r"\bmemory[- _]?bank\b|\bdecision log\b|^\W{0,3}this (?:file|document)\b|"
    r"^\W{0,9}(?:YYYY-MM-DD[ HMS:]{0,9}\W{0,5})?log of (?:updates|changes)|"
    r"^initially it is based upon projectbrief\b|^it is optional, but recommended to be updated\b|"
    r"^\W*(?:author|version)\W*:.{0,40}$|"
    r"^\W{0,9}(?:(?:last )?(?:created|updated|date)(?: on| at)?[\s:：*_]{1,9})?"
    rf"{_DAY}(?:{_TIME})?\W{{0,9}}$|"
    rf"^\W{{0,9}}[^\W\d_][^:：]{{1,20}}[:：]\W{{0,9}}{_DAY}{_TIME}\W{{0,9}}$",
    re.IGNORECASE,
)
"""Matches sentences about the bank itself."""


_FOLDERS = (
    "memory-bank", "memory_bank", ".memory-bank", "docs/memory-bank", "cline_docs",
    ".kilocode/rules/memory-bank",
)  # fmt: skip


def _places(around: Surroundings) -> list[Path]:
    return [around.root / name for name in _FOLDERS]


def _read(path: Path, reading: ImporterInput) -> Iterator[ImportedNote]:
    """Yield the notes of a bank, or of the banks in a repository."""
    is_bank = not (path / ".git").exists() and path.name in {Path(one).name for one in _FOLDERS}
    inside = (path / name for name in _FOLDERS if not is_bank)
    banks = [one for one in inside if one.is_dir() and not one.is_symlink()]
    for text in (text for bank in banks or [path] for text in folder.texts(bank, reading)):
        yield from reading.counted(_file(text, reading))


def _file(text: ImportedFile, reading: ImporterInput) -> Iterator[ImportedNote]:
    stem = re.sub(r"[\W_]", "", text.path.stem).casefold()
    where = reading.place_of(text.path)
    inside = where if text.path.is_relative_to(reading.root) else text.name
    title = whole_note.heading(wording.title_in(text.note.body))
    words = lexicon.lexicon(reading.settings)
    if place.title(title, 1, words).role == "template":
        return
    body = _filled(text.note.body)
    told = list(_decisions(body)) if stem.startswith("decision") else []
    told = told if any(kind is Kind.DECISION for _, kind, _, _ in told) else []
    about = "" if _is_name(title, stem) else title
    for said, kind, line, day in told or _stated(body, about, inside, words):
        what = wording.safe(said)
        is_about_bank = "readme" in stem and kind not in _LESSONS
        if is_about_bank or not wording.says_something(what) or what.endswith((":", "：")):
            continue
        yield ImportedNote(
            text=what,
            kind=kind,
            source=NAME,
            key=wording.key(Path(text.name).with_suffix("").as_posix(), wording.digest(what)),
            day=wording.day(day) if day else None,
            place=f"{where}:{line}",
        )


def _filled(body: str) -> str:
    """Return the body of a file without lists of contents, and items that nobody filled in.

    A list of such items is one if a placeholder is a sentence: others may be a list of names.
    """
    lines = body.split("\n")
    for block in markdown.walk(wording.blocks(body)):
        items = block.children if block.type == "list" else ()
        is_form = all(map(_is_unfilled, items)) and any(map(_tells, items))
        is_form = is_form or wording.is_contents(block)
        for item in items:
            if is_form or (item.children and _is_unfilled(item)):
                lines[item.line - 1 : item.end] = [""] * (item.end - item.line + 1)
    return "\n".join(lines)


def _is_unfilled(item: Block) -> bool:
    """Return True if an item and those below it are only placeholders: "Why: [the reason]"."""
    found = _UNFILLED.fullmatch(prose.own(item))
    below = (one for part in item.children for one in part.children or (part,))
    is_form = found is not None and is_empty(found["said"]) and not _VALUE.search(found["said"])
    return is_form and all(map(_is_unfilled, below))


def _tells(item: Block) -> bool:
    """Return True for a placeholder that is no name or list: it tells what to write."""
    said = prose.own(item).partition("[")[2]
    return not said or ("," not in said and len(said.split()) > _NAME)


def is_of_the_moment(place: str) -> bool:
    """Return True for a file of a bank whose contents are only true for a session or two."""
    return re.sub(r"[\W_]", "", Path(place).stem).casefold() in _OF_THE_MOMENT


def _is_name(title: str, stem: str) -> bool:
    """Return True if a title only repeats the file's name, as "Project Progress" does."""
    said = re.sub(r"[\W_]", "", title).casefold()
    return said in stem or (stem in said and len(said) - len(stem) <= _LONGEST_ADDITION)


_Told = tuple[str, Kind, int, str]
"""Text, kind, line and day."""


def _decisions(body: str) -> Iterator[_Told]:
    for one in records.several(body):
        of_title, title = wording.dated(one.title)
        one.title = whole_note.heading(title) if title else ""
        day = one.parts.get("date", "") or of_title
        said = one.text(wording.MOST)
        if "rationale" not in one.parts and _is_about_bank(said):
            continue
        kind = Kind.DECISION if one.decides else Kind.NOTE
        apart = [one.parts.pop(part, "") for part in ("details", "formal")]
        details = prose.stacked(apart)
        told = one.parts.pop("text", "") if one.decides else ""
        if told and not _is_about_bank(told):
            one.parts["context"] = prose.stacked((told, one.parts.get("context", "")))
        if details:
            one.others[one.names.get("details", records.DETAILS)] = details
        for said in one.texts(wording.MOST):
            for part in wording.split(said, wording.MOST - len(one.title) - 2):
                yield wording.titled(one.title, part), kind, one.line, day
                kind = Kind.NOTE


def _stated(body: str, title: str, where: str, words: Lexicon) -> Iterator[_Told]:
    """Yield the items and paragraphs of sections that name a kind, and the whole of the others."""
    source = body.encode("utf-8", "replace")
    for section in markdown.sections(source):
        headings = tuple(prose.plain(text) for _, text in section.headings)
        if headings and _SKIPPED.match(headings[-1]):
            continue
        is_titled = bool(headings) and section.headings[0][0] == 1
        below = headings[1:] if is_titled else headings
        kind, _, depth = _kind(below or headings, words)
        telling = (one for one in below if not _kind((one,), words)[1])
        above = [whole_note.bare(_BOXED.sub("", one)) for one in telling]
        about = whole_note.heading(": ".join(filter(None, (title, *above))))
        days = (day for one in reversed(headings) for day in _DAY_WITHIN.findall(one))
        day = next(days, "")
        part = source[section.span.start : section.span.end].decode()
        told = list(_decisions(part)) if kind is Kind.DECISION else []
        told = told if any(own is kind for _, own, _, _ in told) else []
        kind = kind if depth < _DETAIL else Kind.NOTE
        if headings and _is_checklist(headings[-1], part, words):
            blocks = [one for one in wording.blocks(part) if one.type != "heading"]
            note = whole_note.WholeNote(about, part)
            told = [(one, Kind.NOTE, 1, "") for one in note.lines(where, blocks)]
        for said, own, line, at in told or _section(part, kind, about, where, depth):
            is_list = "\n" in said and wording.set_off(said)[0] == "\n"  # else no sentence of it
            name = headings[-1] if is_list and headings else ""
            yield wording.titled(name, said), own, section.line + line - 1, at or day


def _is_checklist(heading: str, body: str, words: Lexicon) -> bool:
    """Return True for a list to go through again and again.

    A ticked box tells of one time, and so does a heading that tells what is listed: "Open tasks".
    """
    left, count = _checks().subn("", heading)
    if not count or _kind((left,), words)[0] is not Kind.NOTE:
        return False
    return not any(one.checked for one in markdown.walk(wording.blocks(body)))


@cache
def _checks() -> re.Pattern[str]:
    """Match headings of lists to go through, whose open boxes are no tasks."""
    return re.compile("|".join(records.data()["lists"]["checks"]), re.IGNORECASE)


def _section(body: str, kind: Kind, title: str, where: str, depth: int) -> Iterator[_Told]:
    """Yield the items of a section; of notes and progress dated and open ones, then the rest.

    Args:
        body: The section.
        kind: The kind that its nearest heading gives.
        title: Title of what is in it.
        where: Its location.
        depth: Number of headings between it and the one that names the kind.
    """
    blocks = [one for one in markdown.parse(body.encode()).blocks if one.type != "heading"]
    dated = records.by_date(blocks)
    items = list(_items(dated))
    left = {one.line for _, one in items if one.type != "code" and is_empty(prose.whole(one))}
    left |= {one.line for block in dated for one in _about_itself(block)}
    told = [(lead, one) for lead, one in items if one.line not in left]
    listed = [one for block in dated if block.type == "list" for one in block.children]
    if kind is Kind.NOTE and listed and all(one.checked for one in listed):
        kind = Kind.PROGRESS
    if kind in _WHOLE:
        told = [
            (lead, one)
            for lead, one in told
            if prose.in_state(one, {False}) or wording.dated(prose.own(one))[0]
        ]
    note = whole_note.WholeNote(title, body)
    has_list = kind not in _SETTLED and any(one.type == "list" for one in dated)
    inside_lists = set(map(id, listed))
    for lead, item in told:
        is_prose = has_list and item.type in ("paragraph", "item") and id(item) not in inside_lists
        is_detail = lead and depth + 1 >= _DETAIL
        for own, part in _by_state(item, Kind.NOTE if is_prose or is_detail else kind):
            for text in note.texts(part, where):
                day, said = wording.dated(_BOX.sub("", text))
                of = Kind.NOTE if own in _SETTLED and wording.INDEXED.match(said) else own
                said = wording.titled(lead, said)
                yield wording.titled(title, said), of, item.line, day
    rest = [one for block in dated if (one := _undated(block))]
    if kind in _WHOLE and rest:
        taken = {at for _, one in told for at in _lines(one)}
        note = whole_note.WholeNote(title, body, left | taken)
        yield from ((said, kind, 1, "") for said in note.lines(where, rest))


def _undated(block: Block) -> Block | None:
    """Return a block without items that have a date and nothing open: they are taken whole."""
    items = block.children if block.type == "list" else (block,)
    left = tuple(
        one
        for one in items
        if one.type != "item"
        or prose.in_state(one, {False})
        or not wording.dated(prose.own(one))[0]
    )
    return replace(block, children=left) if block.type == "list" and left else (*left, None)[0]


def _lines(item: Block) -> Iterator[int]:
    """Yield the first lines of an item and of what is below it."""
    yield item.line
    yield from (one.line for part in item.children for one in (part, *part.children))


def _items(blocks: Sequence[Block]) -> Iterator[tuple[str, Block]]:
    """Yield items, and what is in no list, with the paragraph that announces them."""
    lead = ""
    for block, below in zip(blocks, [*blocks[1:], None], strict=False):
        said = prose.own(block) if block.type == "paragraph" else ""
        if below is not None and said.rstrip("*_ ").endswith((":", "：")):
            lead = said
            continue
        for item in block.children if block.type == "list" else (block,):
            yield lead, item
        lead = ""


def _by_state(item: Block, kind: Kind) -> Iterator[tuple[Kind, Block]]:
    """Yield what is open of an item, and the rest of it."""
    item = replace(item, checked=True) if _is_done(item) else item
    done = kind if kind in _SETTLED else Kind.PROGRESS
    if prose.in_state(item, {False}) is None:
        yield done if item.checked else kind, _unboxed(item)
        return
    yield Kind.TODO, _unboxed(prose.in_state(item, {None, False}) or item)
    ticked = prose.in_state(item, {True})
    if ticked and kind is not Kind.NOTE:
        yield done, _unboxed(ticked)


def _is_done(item: Block) -> bool:
    """Return True if an item is ticked or labelled so, or all in a list below it has a sign."""
    if item.checked is not None:
        return item.checked
    label = _STATED.match(wording.dated(prose.own(item))[1])
    if label and lexicon.state_of(label["name"]) == "resolved":
        return True
    below = [one for part in item.children if part.type == "list" for one in part.children]
    signed = [_TICKED.match(prose.own(one)) is not None for one in (item, *below)]
    return signed[0] or (len(signed) > 1 and all(signed[1:]))


def _unboxed(item: Block) -> Block:
    """Return an item as text that stands alone: without its mark and its boxes."""
    return replace(_without_boxes(item), marker="")


def _without_boxes(block: Block) -> Block:
    return replace(block, checked=None, children=tuple(map(_without_boxes, block.children)))


def _about_itself(block: Block) -> Sequence[Block]:
    """Return the items of a list if all are about the bank: one alone would be missed."""
    parts = block.children if block.type == "list" else (block,)
    return parts if all(map(_is_about_itself, parts)) else ()


def _is_about_itself(block: Block) -> bool:
    """Return True if each sentence of a block, and of what is below it, is about the bank."""
    said = prose.own(block)
    is_about = _is_about_bank(said) if said else bool(block.children)
    return is_about and block.type != "table" and all(map(_is_about_itself, block.children))


def _is_about_bank(said: str) -> bool:
    parts = _SENTENCES.split(_TARGET.sub("", said))
    return all(_ITSELF.search(one) or _ITSELF.search(wording.dated(one)[1]) for one in parts)


def _kind(headings: Sequence[str], words: Lexicon) -> tuple[Kind, bool, int]:
    """Return the kind of the nearest heading that names one.

    Also return True if the last heading only names it, and the number of headings below that one.
    """
    if any(map(_SOLVED.search, headings)):
        return Kind.NOTE, False, 0
    is_described = False
    for depth, heading in enumerate(reversed(headings)):
        parts = [[one for one in _AND.split(part) if one.strip()] for part in _PARTS.split(heading)]
        heads = [part[0] for part in parts if part]
        heads += [state.group()] if (state := _STATE.match(heading)) else []
        kind = next(filter(None, (_named(one, words) for one in (heading, *heads))), None)
        asks = kind is Kind.TODO and _QUESTIONS.search(heading)
        if asks or (kind in _SETTLED and is_described):
            return Kind.NOTE, False, 0
        is_described = is_described or _DESCRIBED.search(heading) is not None
        if kind is not None:
            only = all(words.heading(one) for part in parts for one in part)
            return kind, depth == 0 and only, depth
    return Kind.NOTE, False, 0


def _named(heading: str, words: Lexicon) -> Kind | None:
    if _DESCRIBED.search(heading) or lexicon.is_one_of(heading, _RULES):
        return None
    found = place.title(heading, 2, words)
    return found.kind if found.role == "kind" else None


IMPORTERS = (
    Importer(
        name=NAME,
        about="the memory bank of Cline or Roo",
        places=_places,
        read=_read,
        where="`memory-bank/` here",
        gives=(
            "records of the decision log: decisions; items by boxes and headings that tell: "
            "to-dos, progress, problems, gotchas, learnings, goals; else notes"
        ),
        is_shared=True,
    ),
)
