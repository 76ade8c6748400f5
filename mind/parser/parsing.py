"""From a piece of Markdown to its entries."""

from dataclasses import replace

from mind import markdown
from mind.config import Settings
from mind.entry import Entry, Kind, Span
from mind.parser import plain, records
from mind.parser.drafts import Draft
from mind.parser.grouping import Head, Start, groups, is_record, unmarked
from mind.parser.lexicon import Lexicon, lexicon
from mind.parser.lines import canonical, read
from mind.parser.place import Place, place
from mind.parser.scene import Scene
from mind.parser.sections import read_blocks
from mind.secrets.entries import covered

_ANNOUNCING = frozenset(
    {Kind.DECISION, Kind.LEARNING, Kind.REJECTED, Kind.BLOCKER, Kind.GOTCHA, Kind.PROBLEM}
)


def parse(source: bytes, path: str, settings: Settings, start: Start | None = None) -> list[Entry]:
    """The entries of ``source``, in order of their lines, without its credentials.

    Args:
        source: A Markdown file, or one of its ``pieces``.
        path: Of the file, relative to the project; its name may tell the kind (GOTCHAS.md).
        settings: Languages, extra keywords and the confidence asked for.
        start: Where ``source`` begins in its file.
    """
    start = start or Start()
    words = lexicon(settings)
    source = unmarked(source)
    entries = []
    for group in groups(source, path, words, start):
        here = place(group[0].section.headings, path, words)
        for draft in _drafts(group, source, here, words, start):
            entry = draft.finish(here, path, settings)
            if entry is not None:
                entries.append(entry)
    above = "".join(f"# {title}\n" for _, title in start.headings)
    said = above + source.decode("utf-8", "surrogateescape")
    return covered(sorted(entries, key=lambda entry: (entry.line, entry.span.start)), said)


def _drafts(
    group: list[Head], source: bytes, here: Place, words: Lexicon, start: Start
) -> list[Draft]:
    head = group[0]
    begin, end = head.section.span.start, group[-1].section.span.end
    text = source[begin:end]
    shift = (head.section.line - 1, begin + start.offset)
    heading = b"" if head.title is None else text[: text.find(b"\n") + 1 or len(text)]
    body = text[len(heading) :]
    one_line = b"\r" not in heading.rstrip(b"\r\n")
    if len(group) == 1 and one_line and body.strip() and plain.is_plain(body):
        first = head.section.line + (1 if heading else 0)
        lines = plain.drafts(body, first, shift[1] + len(heading))
        return [*_summary(head, len(heading), shift), *lines]
    document = markdown.parse(text)
    titled = any(one.title is not None for one in group)
    if titled and (len(group) > 1 or is_record(group, 0)):
        made = records.draft(group, document, shift)
        return [made] if made is not None else []
    drafts = read_blocks(Scene(text, here, words, shift), document.blocks)
    return [*_summary(head, _first_line(text), shift), *drafts]


def _first_line(text: bytes) -> int:
    """The size of the first line with its end."""
    return len(text.splitlines(keepends=True)[0]) if text else 0


def _summary(head: Head, size: int, shift: tuple[int, int]) -> list[Draft]:
    """``## 2026-01-20 | what happened | mood: good``: a summary of little confidence."""
    if head.title is None or not head.title.dated or "|" not in head.title.text:
        return []
    text = head.title.text.split("|")[0].strip()
    line = shift[0] + 1
    span = Span(shift[1], shift[1] + size)
    made = Draft(Kind.PROGRESS, text, 0.35, "summary in a heading", line, line, span)
    return [made] if text else []


def keyword_line(text: str, settings: Settings) -> Kind | None:
    """The kind that a comment's or commit message's line announces with a keyword, if it does.

    A phrase such as "fixed" without a colon is not enough: nearly every commit begins with one.
    """
    words = lexicon(settings)
    found = canonical(text.strip()) or read(text, words)
    if found is None or found.force == "sentence":
        return None
    if found.force == "opener":
        return found.kind if found.kind in _ANNOUNCING else None
    counts = found.strong or found.force == "sign" or found.kind in _ANNOUNCING
    return found.kind if counts else None


def parse_line(text: str, settings: Settings) -> Entry | None:
    """The entry that one free line (with its continuation) is, without provenance."""
    first, *rest = text.strip().split("\n")
    reading = canonical(first)
    if reading is not None:
        draft = plain.from_reading(reading, 0, Span(0, 0))
        for line in rest:
            plain.continue_with(draft, line, 0, 0)
        entry = draft.finish(Place(), "", settings)
        return covered([entry], text)[0] if entry else None
    entries = parse(text.encode("utf-8", "surrogateescape"), "", settings)
    return replace(entries[0], line=0, end=0, span=Span(0, 0)) if entries else None
