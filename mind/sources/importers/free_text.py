"""Plain Markdown files and Obsidian notes: a note's text, plus its labelled entries.

A labelled entry is a top-level paragraph or item, including nested blocks, with a label that names
a kind ("decided: …"), an item below a heading that does ("## Gotchas"), or an open task. The rest
of a note becomes an entry with title and text, or several if it is long.
"""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from mind.documents import markdown, parser
from mind.documents.markdown import Block
from mind.documents.parser import lexicon, place
from mind.domain.entry import Entry, Kind, Status
from mind.sources import prose
from mind.sources.importers import adr, folder, record_status, records, whole_note, wording
from mind.sources.importers.folder import ImportedFile
from mind.sources.importers.values import DRAWING, EMPTY, Importer, ImporterInput, Surroundings
from mind.sources.remembered import ImportedNote
from mind.text.secrets import mask
from mind.text.terms import function_words

MARKDOWN, OBSIDIAN = "markdown", "obsidian"
_NAMED = ("tags", "tag", "aliases", "alias", "cssclass", "cssclasses")
_DRAWING = re.compile(r"---\s+excalidraw-plugin:")
"""Matches the front matter of a drawing, which begins with an empty line."""
_LINKS = re.compile(r"\s*+(?:\"?\[\[[^\[\]]+\]\]\"?\s*+(?:,\s*+)?)++")
_LINK = re.compile(r"\[\[([^\[\]|#]+)")
_ANNOUNCED = re.compile(r"(?P<by>keyword|section) \"(?P<name>.+?):?\"")
"""The recorded reason of an entry whose kind comes from a label or a heading."""
_LABEL = re.compile(r"[*_]{0,2}(?P<name>[^\W\d_][^:：*_\n]{0,40}?)[*_]{0,2}\s*[:：]")
"""Matches the label of an item."""
_TERM = re.compile(r"^[^:：]+? +[-–—] ")
"""Matches a term before its explanation."""
_LONGEST_ENTRY = 8_000
_OPEN_BOX = "open box"
"""The recorded reason of a task that is not ticked."""
_TEMPLATES = frozenset({"templates", "template", "_templates"})
_PLACEHOLDER = re.compile(r"\{\{(?:title|date|time)(?::[^{}\n]+)?\}\}|<%.*?%>", re.DOTALL)
"""Variables of Obsidian's own templates and of Templater."""
_NO_TEXT = re.compile(
    r"\[\[[^\[\]]*\]\]|^(```+|~~~+).*?(?:^\1|\Z)|`[^`\n]*`", re.DOTALL | re.MULTILINE
)
"""Links and code, where such a variable is often left in a note."""


def vaults(around: Surroundings) -> list[Path]:
    """Return possible vaults: that of the environment variable, the project, common subfolders."""
    below = ("", "docs", "notes", "vault", "obsidian")
    return [*around.named("OBSIDIAN_VAULT"), *(around.root / name for name in below)]


def _read(path: Path, reading: ImporterInput, *, source: str) -> Iterator[ImportedNote]:
    """Yield the notes of a folder's Markdown files, or of one; of a vault its relations too."""
    for text in folder.texts(path, reading):
        if path.is_dir() and _is_template(text):
            reading.leave_out(EMPTY)
            continue
        if text.note.text("excalidraw-plugin") or _DRAWING.match(text.note.body):
            reading.leave_out(DRAWING)
            continue
        found = _decision(text, reading, source) or _note(text, reading, source)
        yield from reading.counted(found)


def _decision(text: ImportedFile, reading: ImporterInput, source: str) -> list[ImportedNote]:
    """Return the notes of a decision record that holds or was rejected; [] for others."""
    if not adr.is_record(text):
        return []
    made = adr.record(text, text.path, reading, source)
    if made.skipped:
        return []
    title = whole_note.heading(_title(text, source))
    return [*made.notes, *(_related(text, title, reading) if source == OBSIDIAN else ())]


def _is_template(text: ImportedFile) -> bool:
    folders = {part.casefold() for part in Path(text.name).parts[:-1]}
    own = _NO_TEXT.sub("", text.note.body[:2_000])
    return bool(folders & _TEMPLATES or _PLACEHOLDER.search(own))


def _note(text: ImportedFile, reading: ImporterInput, source: str) -> Iterator[ImportedNote]:
    note, name = text.note, Path(text.name).with_suffix("").as_posix()
    title = whole_note.heading(_title(text, source))
    created = next((one for one in records.data()["note"]["created"] if note.text(one)), "")
    is_eastern = created > "\u2e80"  # where the year comes first; English may begin with the month
    day_first = not (is_eastern or created.startswith(("date", "created")))
    day = wording.day(note.text(created), reading.zone, day_first=day_first)
    day = day or wording.day_in_name(text.path)
    where = reading.place_of(text.path)
    own = wording.tags(note.texts("tags", "tag"))
    entries, taken = [], set[int]()
    tops, raw = _tops(note.body), note.body.encode("utf-8", "replace")
    firsts = [one for one in wording.blocks(note.body) if one.type == "heading" and one.level == 1]
    sole = whole_note.bare(prose.own(firsts[0])) if len(firsts) == 1 else ""
    terms = set(_terms(note.body, reading))
    for one in _entries(text, reading):
        block, above, lead = tops.get(one.line, (None, "", ""))
        if (
            one.line in terms
            or block is None
            or whole_note.is_dropped(raw, block)
            or one.status is Status.RESOLVED
        ):
            continue
        is_whole = one.line == block.line or block.line in taken
        near = [above or title, title][: 2 if above == sole else 1]
        if is_whole and any(_is_announced(one, block, it, reading) for it in near):
            entries.append((one, block, above, lead))
            taken.add(block.line)
    for one, block, above, lead in entries:
        left = prose.in_state(block, {None, False}) or block
        below = [part for part in left.children if prose.whole(part) not in one.text]
        following = next((it for it, at, *_ in entries if at is block and it.line > one.line), None)
        told = (_whole(one, block, following), *map(prose.markdown, below))
        said = wording.safe(prose.stacked(told))
        said = wording.titled(lead, said)
        is_placed = above != sole and _is_placed(above, reading)
        said = wording.titled(above, said) if is_placed else said
        said = said if wording.is_stub(title) else wording.titled(title, said)
        said = wording.cut(said, _LONGEST_ENTRY)
        yield ImportedNote(
            text=said,
            kind=one.kind,
            source=source,
            key=wording.key(name, one.id),
            day=one.date or day,
            place=f"{where}:{one.line}",
            tags=wording.tags(own, said),
        )
    inside = where if text.path.is_relative_to(reading.root) else text.name
    lines = [
        (mask(said), wording.day(of) or day)
        for of, before, part in _days(note.body)
        for said in whole_note.WholeNote(title, part, {at - before for at in taken}).lines(inside)
    ]
    for number, (said, of_part) in enumerate(lines):
        yield ImportedNote(
            text=said,
            kind=Kind.NOTE if number else _kind(text, reading),
            source=source,
            key=wording.key(name) if len(lines) == 1 else wording.part_key(name, said),
            day=of_part,
            place=where,
            tags=wording.tags(own, said),
        )
    if source == OBSIDIAN:
        yield from _related(text, title, reading)


def _days(body: str) -> Iterator[tuple[str, int, str]]:
    """Yield the parts of a diary: the day of the heading, the number of lines before, the text."""
    begins, level = [(1, "")], 0
    for block in wording.blocks(body):
        day = wording.dated(prose.own(block))[0] if block.type == "heading" else ""
        if day or (block.type == "heading" and 0 < block.level <= level):
            begins.append((block.line, day))
            level = block.level if day else 0
    lines = body.split("\n")
    for (line, day), (after, _) in zip(begins, [*begins[1:], (len(lines) + 1, "")], strict=True):
        yield day, line - 1, "\n".join(lines[line - 1 : after - 1])


def _whole(entry: Entry, block: Block, following: Entry | None) -> str:
    """Return the text of an entry, to the end of its paragraph or the next entry in it.

    A wrapped line can hold a colon, and ends an entry in the project's own documents.
    """
    until = following.line if following else block.lines[-1].number + 1
    rest = " ".join(one.text for one in block.lines if entry.end < one.number < until)
    return wording.safe(f"{wording.plain(entry.text)} {mask(prose.plain(rest))}".rstrip())


def _kind(text: ImportedFile, reading: ImporterInput) -> Kind:
    """Return the kind that the front matter of a note names, if that is a lesson and holds."""
    named = text.note.text("type", "kind", "tipo", "typ").casefold()
    holds = record_status.validity(text.note.text("status", "estado")) in ("", named)
    kind = lexicon.lexicon(reading.settings).label(named) if holds else None
    return kind if kind and kind.traits.lesson else Kind.NOTE


def _title(text: ImportedFile, source: str) -> str:
    """Return the title of a note: in Obsidian the name of the file, if that has words."""
    name = Path(text.name).stem
    is_named = source == OBSIDIAN and re.search(r"[^\W\d_]{2}", name)
    own = wording.title_in(text.note.body)
    own = own if not is_named or wording.same(own, name) else ""  # names often have no accents
    return text.note.text("title") or own or name


def _tops(body: str) -> dict[int, tuple[Block, str, str]]:
    """Return the top-level paragraphs and items of a note by line.

    With each, the heading above it, and the paragraph that announces its list.
    """
    tops, above, lead = {}, "", ""
    blocks = markdown.parse(body.encode("utf-8", "replace")).blocks
    for block in blocks:
        said = prose.own(block) if block.type in ("heading", "paragraph") else ""
        if block.type == "heading":
            above = whole_note.bare(said)
        for one in block.children if block.type in ("list", "quote") else [block]:
            if one.type in ("paragraph", "item"):
                announced = lead if one.type == "item" else ""
                tops.update({line.number: (one, above, announced) for line in one.lines})
        is_lead = said.rstrip("*_ ").endswith((":", "：")) and len(said) <= whole_note.LONGEST_LEAD
        lead = wording.safe(said) if is_lead else ""
    return tops


def _is_placed(heading: str, reading: ImporterInput) -> bool:
    """Return True if an entry needs its heading: one that only names a kind says nothing of it."""
    return lexicon.lexicon(reading.settings).heading(heading) is None


def _terms(body: str, reading: ImporterInput) -> Iterator[int]:
    """Yield the lines of items with a state as their label that is one of the terms of a list.

    As in "Pending: …", "Fulfilled: …", "Rejected: …": a label of its own announces what was done.
    """
    words = lexicon.lexicon(reading.settings)
    for block in wording.blocks(body):
        items = block.children if block.type == "list" else ()
        found = [_LABEL.match(prose.own(item)) for item in items]
        names = [one["name"] for one in found if one]
        known = (words.label(one) or records.role(one) or lexicon.state_of(one) for one in names)
        if len(names) == len(items) and not all(known):
            labelled = zip(items, names, strict=True)
            yield from (item.line for item, name in labelled if lexicon.state_of(name))


def _is_announced(entry: Entry, block: Block, heading: str, reading: ImporterInput) -> bool:
    """Return True if a label, or the heading above an item, names the kind itself.

    Generic notes and prose stay part of the surrounding note, and so do open boxes below another
    heading: most are lists to go through, such as acceptance criteria.
    """
    words = lexicon.lexicon(reading.settings)
    found = _ANNOUNCED.fullmatch(entry.why)
    is_told = wording.says_something(prose.whole(block) if found is None else entry.text)
    if entry.kind in (Kind.NOTE, Kind.RELATION) or not is_told:
        return False
    if found is None:
        is_list = place.title(heading, 2, words).kind is Kind.TODO
        return entry.why == _OPEN_BOX and is_list
    if found["by"] == "keyword":
        first = found["name"].casefold().split()[0]  # "The problem: …" explains what is above it
        is_told = not (entry.kind.traits.has_status and first in function_words())
        is_told = is_told and not _TERM.search(prose.own(block), 0, len(found["name"]) + 9)
    else:  # below "Experience" stands what somebody was
        is_told = block.type == "item" and entry.kind is not Kind.EXPERIENCE
    is_told = is_told and wording.INDEXED.match(entry.text) is None
    return is_told and lexicon.is_one_of(found["name"], words.strong)


def _entries(text: ImportedFile, reading: ImporterInput) -> list[Entry]:
    source = text.note.body.encode("utf-8", "replace")
    found = parser.parse(source, text.name, reading.settings)
    return parser.number_and_resolve(found)


def _related(text: ImportedFile, title: str, reading: ImporterInput) -> Iterator[ImportedNote]:
    for field, values in text.note.fields.items():
        if field in _NAMED or not values or not all(map(_LINKS.fullmatch, values)):
            continue
        for target in (name for value in values for name in _LINK.findall(value)):
            made = wording.related(title, field, target)
            if made is not None:
                yield ImportedNote(
                    text=made[0],
                    kind=made[1],
                    source=OBSIDIAN,
                    key=wording.key(text.name, f"rel-{wording.digest(made[0])}"),
                    place=reading.place_of(text.path),
                )


IMPORTERS = (
    Importer(
        name=OBSIDIAN,
        about="notes of an Obsidian vault",
        places=vaults,
        read=partial(_read, source=OBSIDIAN),
        where="a vault here or in `docs`, `notes`; `$OBSIDIAN_VAULT`",
        gives=(
            "entries that a label or heading announces (`decided: …`); open boxes below a heading "
            "for tasks: to-dos; decision records: decisions; the rest of a note: notes; links in "
            "front matter: relations"
        ),
        is_there=lambda folder: (folder / ".obsidian").is_dir(),
    ),
    Importer(
        name=MARKDOWN,
        about="Markdown files; say which",
        places=lambda _around: [],
        read=partial(_read, source=MARKDOWN),
        where="none: name a file or folder",
        gives="as for obsidian, without relations",
    ),
)
