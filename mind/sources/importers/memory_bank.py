"""A memory bank (Cline, Roo, Kilo): decision records, and statements of its other files.

A decision log is read record by record, with reasons. In other files the nearest heading that
names a kind, or an item's check box, sets the kind; the rest are notes. Current focus, summaries
and text about the bank itself are skipped.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from mind.documents import markdown
from mind.documents.markdown import Block
from mind.domain.entry import Kind
from mind.sources import prose
from mind.sources.importers import folder, records, wording
from mind.sources.importers.folder import ImportedFile
from mind.sources.importers.values import EMPTY, Importer, ImporterInput, Surroundings
from mind.sources.remembered import ImportedNote

NAME = "memory-bank"


def _heading(words: str) -> re.Pattern[str]:
    return re.compile(words, re.IGNORECASE)


_HEADINGS = (
    (_heading(r"^\W*(?:current (?:work )?focus|active context|(?:project )?overview|summary|"
              r"table of contents)\W*$"), None),
    (_heading(r"open question|next step|what'?s left|to.?do\b|remaining|upcoming|current task"
              r"|work in progress|in progress"), Kind.TODO),
    (_heading(r"known (?:issue|bug|problem)|open (?:issue|bug)|technical debt"), Kind.PROBLEM),
    (_heading(r"^(?:key |active |recent |important |technical |design |architect\w+ )*decisions?"
              r"(?: made| taken)?$"), Kind.DECISION),
    (_heading(r"gotcha|pitfall|caveat"), Kind.GOTCHA),
    (_heading(r"lessons? learned|^\W*(?:key )?(?:learnings?|insights?)\W*$"), Kind.LEARNING),
    (_heading(r"what works|\bcompleted\b|^\W*complete\W*$|\bdone\b|recent change|achievement|"
              r"milestones? reached"),
     Kind.PROGRESS),
    (_heading(r"^(?:project |core |key |primary |business )?(?:goals?|objectives?)$"), Kind.GOAL),
)  # fmt: skip
_BOX = re.compile(r"(?P<sign>[✅✔☑🔄⏳🚧⬜])\ufe0f?\s*")
_OPEN = "🔄⏳🚧⬜"
_LASTING = (Kind.DECISION, Kind.LEARNING, Kind.GOTCHA)
"""Kinds that a check box does not change."""
_ANNOUNCES = re.compile(r"(?<!\s)\s*+[:：]\s*+([*_]*+)\Z")
_FIELD = re.compile(
    r"[*_]{0,2}[^\W\d_][^:：`*_\n]{1,30}[*_]{0,2}[:：][*_]{0,2}\s*`[^`\n]+`(?P<rest>.*)", re.DOTALL
)
_CODE = re.compile(r"`[^`\n]*`|\([^()\n]*\)")
_STAMP = re.compile(r"\W{0,3}((?:19|20)\d\d-\d\d-\d\d)[ T\d:]*\W{0,3}\s*[-–—:|]*\s*")
_NOT_YET = re.compile(r"\b(?:pending|in progress|not started|planned|to do)\W*\Z", re.IGNORECASE)
_ITSELF = re.compile(
    r"\bmemory[- _]?bank\b|\b(?:projectbrief|(?:product|active|tech)context|systempatterns|"
    r"decisionlog|decision log|sessionlog)\b|^this (?:file|document)\b|^log of (?:updates|changes)|"
    r"^(?:author|date|version|last updated|updated|status)\W*:",
    re.IGNORECASE,
)
"""Matches text about the bank itself."""


def _places(around: Surroundings) -> list[Path]:
    names = ("memory-bank", "memory_bank", ".memory-bank", "docs/memory-bank")
    return [around.root / name for name in (*names, ".kilocode/rules/memory-bank")]


def _read(path: Path, reading: ImporterInput) -> Iterator[ImportedNote]:
    for text in folder.texts(path, reading):
        found = list(_file(text, reading))
        if not found:
            reading.leave_out(EMPTY)
        yield from found


def _file(text: ImportedFile, reading: ImporterInput) -> Iterator[ImportedNote]:
    stem = re.sub(r"[\W_]", "", text.path.stem).casefold()
    told = _decisions(text.note.body) if stem.startswith("decision") else _stated(text.note.body)
    where = reading.place_of(text.path)
    for said, kind, line, day in told:
        what = wording.safe(said)
        if not wording.says_something(what):
            continue
        yield ImportedNote(
            text=what,
            kind=kind,
            source=NAME,
            key=wording.key(Path(text.name).with_suffix("").as_posix(), wording.digest(what)),
            day=wording.day(day) if day else None,
            place=f"{where}:{line}",
        )


_Told = tuple[str, Kind, int, str]
"""Text, kind, line and day."""


def _decisions(body: str) -> Iterator[_Told]:
    for one in records.several(body):
        stamp = _STAMP.match(one.title)
        if stamp:
            one.title = one.title[stamp.end() :]
        day = one.parts.get("date", "") or (stamp[1] if stamp else "")
        said = one.text(wording.MOST)
        if "rationale" in one.parts or not _ITSELF.search(said[:200]):
            yield said, Kind.DECISION, one.line, day


def _stated(body: str) -> Iterator[_Told]:
    for section in markdown.sections(source := body.encode("utf-8", "replace")):
        headings = tuple(prose.plain(text) for _, text in section.headings)
        kind, named = _kind(headings[1:] or headings)
        if kind is None:
            continue
        about = headings[-1].strip("*_: ") if len(headings) > 1 and not named else ""
        day = next((found[1] for one in reversed(headings) if (found := _STAMP.search(one))), "")
        part = source[section.span.start : section.span.end]
        blocks = [one for one in markdown.parse(part).blocks if one.type != "heading"]
        decided = records.labelled(about, blocks) if kind is Kind.DECISION else None
        if decided is not None:
            yield decided.text(wording.MOST), kind, section.line, decided.parts.get("date", day)
            continue
        for said, own, line in _units(blocks, kind):
            stamp = _STAMP.match(said)
            what = said[stamp.end() :] if stamp else said
            if wording.is_blank(what) or _ITSELF.search(what[:200]):
                continue
            yield (
                f"{about}: {what}" if about else what,
                own,
                section.line + line - 1,
                stamp[1] if stamp else day,
            )


def _kind(headings: Sequence[str]) -> tuple[Kind | None, bool]:
    """Return the kind of the nearest heading that names one, and True if it is the last heading.

    The kind is None if the section, apart from those below it, is skipped.
    """
    for heading in reversed(headings):
        for pattern, kind in _HEADINGS:
            if pattern.search(heading) and (kind or heading is headings[-1]):
                return kind, heading is headings[-1]
    return Kind.NOTE, False


def _units(blocks: Iterable[Block], kind: Kind) -> Iterator[tuple[str, Kind, int]]:
    """Yield paragraphs with their lists, items with nested blocks, and table rows."""
    head, line = "", 0
    for block in [*blocks, None]:
        if block is not None and _continues(head, block):
            yield _boxed(_together(head, block), kind, line)
            head = ""
            continue
        if head:
            yield _boxed(head, kind, line)
        head, line = (
            (prose.own(block), block.line) if block and block.type == "paragraph" else ("", 0)
        )
        if block is not None and block.type == "list":
            yield from _items(block, kind)
        elif block is not None and block.type == "table" and block.children:
            yield from ((said, kind, at) for said, at in wording.rows(block))
        elif block is not None and block.type == "quote":
            yield from _units(block.children, kind)


def _continues(head: str, block: Block) -> bool:
    """Return True if a paragraph and the block below it are one statement."""
    if not head or block.span.end - block.span.start > wording.MOST:
        return False
    if block.type == "paragraph":
        return _is_field(head)
    if block.type == "code":
        return bool(_ANNOUNCES.search(head) and wording.code(block))
    is_open = _ANNOUNCES.search(head) or _BOX.match(head) or _is_field(head)
    return block.type == "list" and bool(is_open) and not _has_boxes(block)


def _together(head: str, block: Block) -> str:
    if block.type == "code":
        return f"{head} {wording.code(block)}"
    if _is_field(head):
        return f"{head}. {prose.text([block])}"
    return prose.joined([_ANNOUNCES.sub(r"\1", head)], map(prose.whole, block.children))


def _is_field(said: str) -> bool:
    """Return True if a text is only a label and a code location: a field of what follows."""
    found = _FIELD.fullmatch(said)
    return found is not None and len(_CODE.sub("", found["rest"]).split()) < 3


def _has_boxes(block: Block) -> bool:
    return any(one.checked is not None or _BOX.match(prose.own(one)) for one in block.children)


def _items(block: Block, kind: Kind) -> Iterator[tuple[str, Kind, int]]:
    """Yield each item of a list; items that are fields of one thing are joined."""
    is_short = block.span.end - block.span.start <= wording.MOST
    if is_short and not _has_boxes(block) and any(map(_is_field, map(prose.own, block.children))):
        yield _boxed(prose.text([block]), kind, block.line)
        return
    for item in block.children:
        yield _boxed(prose.whole(item), _own(item, kind), item.line)


def _own(item: Block, kind: Kind) -> Kind:
    if item.checked is None or kind in _LASTING:
        return kind
    return Kind.PROGRESS if item.checked else Kind.TODO


def _boxed(said: str, kind: Kind, line: int) -> tuple[str, Kind, int]:
    """Remove an item's check box, which sets its kind."""
    found = _BOX.match(said.lstrip("* "))
    if found:
        said = said.lstrip("* ")[found.end() :]
        if kind not in _LASTING:
            kind = Kind.TODO if found["sign"] in _OPEN else Kind.PROGRESS
    if kind is Kind.PROGRESS and _NOT_YET.search(said):
        kind = Kind.TODO
    return ("" if _ANNOUNCES.search(said) else said), kind, line


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
