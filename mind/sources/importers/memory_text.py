"""The whole text of one memory of a tool, as notes: one, or several if it is long; pure."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from mind.domain.entry import Kind
from mind.sources import prose
from mind.sources.importers import whole_note, wording
from mind.sources.remembered import ImportedNote


def texts(title: str, body: str, place: str) -> list[str]:
    """Return a memory in texts of at most :data:`wording.MOST` characters; none if it is empty.

    Args:
        title: Its title, before each text; omitted if a paragraph says the same, and the text
            itself if there is no other.
        body: Markdown.
        place: Named at the end if something is too long.
    """
    body = f"\n{body}"  # a rule in its first line does not begin front matter
    first = wording.blocks(body[: wording.MOST])
    told = (prose.own(one) for one in first if one.type == "paragraph")
    named = "" if any(wording.same(one, title) for one in told) else whole_note.heading(title)
    found = whole_note.WholeNote(named, body).lines(place)
    if found:
        return found
    said = prose.stacked(map(prose.markdown, wording.blocks(body)))
    said = wording.safe(wording.titled(named, said) or named)
    return wording.split(said, wording.MOST) if wording.says_something(said) else []


def notes(memory: ImportedNote, found: Iterable[str]) -> Iterator[ImportedNote]:
    """Yield a memory once for each of its texts.

    Args:
        memory: The memory; its text does not matter. All texts after the first become notes.
        found: Its texts.
    """
    for number, said in enumerate(found):
        made = replace(memory, text=said, tags=wording.tags(memory.tags, said))
        if number:
            made = replace(made, kind=Kind.NOTE, key=wording.part_key(memory.key, said))
        yield made
