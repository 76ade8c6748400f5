"""A memory bank (Cline, Roo, Kilo): decision records, and statements of its other files.

A decision log is read record by record, with reasons. In other files the nearest heading that
names a kind sets the kind of each item below it, and a check box that of its item; other sections
are one note. Current focus, summaries and text about the bank itself are skipped.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from mind.documents import markdown
from mind.documents.markdown import Block
from mind.documents.parser.lexicon import is_empty
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
_BOX = re.compile(r"[✅✔☑🔄⏳🚧⬜]\ufe0f?\s*")
_LASTING = (Kind.DECISION, Kind.LEARNING, Kind.GOTCHA)
"""Kinds that a check box does not change."""
_STAMP = re.compile(r"\W{0,3}((?:19|20)\d\d-\d\d-\d\d)[ T\d:]*\W{0,3}\s*[-–—:|]*\s*")
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
        if not wording.says_something(what) or what.endswith((":", "：")):
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
    """Yield the items and paragraphs of sections that name a kind, and the whole of the others."""
    source = body.encode("utf-8", "replace")
    for section in markdown.sections(source):
        headings = tuple(prose.plain(text) for _, text in section.headings)
        kind, named = _kind(headings[1:] or headings)
        if kind is None:
            continue
        about = headings[-1].strip("*_: ") if len(headings) > 1 and not named else ""
        stamps = (found[1] for one in reversed(headings) if (found := _STAMP.search(one)))
        day = next(stamps, "")
        part = source[section.span.start : section.span.end]
        logged = list(_decisions(part.decode())) if kind is Kind.DECISION else []
        if logged:
            yield from ((said, kind, section.line, own) for said, _, _, own in logged)
            continue
        blocks = [_stated_in(one) for one in markdown.parse(part).blocks if _is_stated(one)]
        if kind is Kind.NOTE:
            whole = wording.split(prose.text(blocks), wording.MOST)
            yield from ((wording.titled(about, said), kind, section.line, day) for said in whole)
            continue
        for item in (item for one in blocks for item in _items(one)):
            said = _BOX.sub("", prose.whole(item))
            stamp = _STAMP.match(said)
            what = said[stamp.end() :] if stamp else said
            own = day if stamp is None else stamp[1]
            at = section.line + item.line - 1
            yield wording.titled(about, what), _own(item, kind), at, own


def _is_stated(block: Block) -> bool:
    """Return False for headings, for text about the bank itself, and for stubs."""
    about_itself = _ITSELF.search(prose.own(block)[:200])
    return block.type != "heading" and not about_itself and not is_empty(prose.whole(block))


def _stated_in(block: Block) -> Block:
    return replace(block, children=tuple(filter(_is_stated, block.children)))


def _items(block: Block) -> Sequence[Block]:
    return block.children if block.type == "list" else (block,)


def _own(item: Block, kind: Kind) -> Kind:
    """Return the kind of an item: its check box, if it has one, tells what is open or done."""
    if item.checked is None or kind in _LASTING:
        return kind
    return Kind.PROGRESS if item.checked else Kind.TODO


def _kind(headings: Sequence[str]) -> tuple[Kind | None, bool]:
    """Return the kind of the nearest heading that names one, and True if it is the last heading.

    The kind is None if the section, apart from those below it, is skipped.
    """
    for heading in reversed(headings):
        for pattern, kind in _HEADINGS:
            if pattern.search(heading) and (kind or heading is headings[-1]):
                return kind, heading is headings[-1]
    return Kind.NOTE, False


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
