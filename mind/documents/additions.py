"""Merge entries of another memory into a MEMORY.md under their day's heading; pure.

Entries without a day keep their original heading. Each result is parsed again: an entry that would
not be read back identically is refused.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from itertools import pairwise
from types import MappingProxyType

from mind.documents import markdown, memory_file, parser
from mind.documents.markdown import Edit, Section
from mind.domain.entry import LOGGED, ORIGIN, Entry, Kind, Span, Status, content_id
from mind.domain.errors import InputError
from mind.domain.settings import Settings
from mind.text.dates import heading_date
from mind.text.relations import Relation, relations

ELSEWHERE = "Imported"
"""Heading for entries that have neither a day nor a heading."""

_LINE_END = re.compile(rb"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class RefusedEntry:
    """An entry that was not added, with the reason."""

    entry: Entry
    reason: str


@dataclass(slots=True)
class Additions:
    """The result of adding entries to a MEMORY.md.

    Attributes:
        source: The resulting file.
        added: Entries that were added.
        refused: Entries that could not be added.
        stated: Relations already stated in other words.
    """

    source: bytes
    added: list[Entry] = field(default_factory=list)
    refused: list[RefusedEntry] = field(default_factory=list)
    stated: list[Entry] = field(default_factory=list)


def add(
    source: bytes,
    entries: Iterable[Entry],
    name: str,
    settings: Settings,
    below: Mapping[str, str] = MappingProxyType({}),
) -> Additions:
    """Add ``entries`` to ``source``.

    Args:
        source: A MEMORY.md.
        entries: Entries that it does not contain.
        name: Its path, as in ``Entry.source``.
        settings: How it is parsed.
        below: What is below the statement of some entries, by id (:func:`memory_file.told_below`).
    """
    done = Additions(source)
    lines: list[tuple[Entry, str]] = []
    for entry in entries:
        if entry.kind is Kind.RELATION:
            continue
        try:
            lines.append((entry, line_of(entry, settings, below.get(entry.id, ""))))
        except InputError as error:
            done.refused.append(RefusedEntry(entry, error.message))
    _add_lines(done, lines, name, settings)
    _add_relations(done, [one for one in entries if one.kind is Kind.RELATION], name, settings)
    return done


def line_of(entry: Entry, settings: Settings, below: str = "") -> str:
    r"""The lines that record ``entry``, joined by ``\n``; fields, status and id are kept.

    Args:
        entry: An entry.
        settings: How the file is parsed.
        below: What is below its statement; by default its code.

    Raises:
        InputError: It is empty.
    """
    line = memory_file.lines_for(entry.kind, entry.statement) + _fields(entry)
    rest = memory_file.indented(below or "\n".join(entry.code))
    again = parser.parse_line(line + rest, settings)
    content = content_id(again.text) if again else ""
    if not re.fullmatch(rf"{re.escape(content)}(?:-\d+)?", entry.id):
        line += f" ^{entry.id}"
    if entry.status is not Status.RESOLVED or (again and again.status is entry.status):
        return line + rest
    ticked = parser.parse_line(f"- [x] {line}", settings)
    same = ticked is not None and (ticked.kind, ticked.status) == (entry.kind, entry.status)
    return (f"- [x] {line}" if same else line) + rest


def imported(kind: Kind, message: str, origin: str, settings: Settings) -> tuple[Entry, str] | None:
    r"""The entry of a message with several lines of Markdown, and those below its first one.

    What is below the first line of an imported entry is part of it, unless it is labelled as an
    entry: such labels of others are escaped. A wrapped sentence comes on that line as a whole.

    Args:
        kind: Kind of the entry.
        message: Its text: what it says, then paragraphs, lists, tables and code.
        origin: Value of its source field.
        settings: How the file is parsed.

    Returns:
        Entry and lines; None if they would not be read as one entry to the last line.
    """
    first, *rest = _unwrapped(memory_file.unlabelled(kind, message).split("\n"))
    for at in memory_file.outside_fences([one.encode("utf-8", "replace") for one in rest]):
        rest[at] = _LABELLED.sub(r"\1\:", rest[at])
    told = "\n".join(rest)
    head = memory_file.with_fields(f"{kind.traits.keyword}: {first.strip()}", {ORIGIN: origin})
    line = head + memory_file.indented(told)
    item, below = (memory_file.as_item(one, b"\n") for one in (line, "note: the next entry"))
    found = parser.parse(item + below, "", replace(settings, parser_min_confidence=0.0))
    is_one = [one.kind for one in found] == [kind, Kind.NOTE]
    is_whole = is_one and found[0].end == item.rstrip().count(b"\n") + 1
    return (found[0], told) if is_whole else None


_LABELLED = re.compile(
    rf"\A([\s>]*(?:(?:[-*+]|\d{{1,9}}[.)])\s+)+(?:\[[ xX]\]\s+)?"
    rf"(?:\*\*)?(?:{'|'.join(kind.traits.keyword for kind in LOGGED)})):(?=(?:\*\*)? )"
)
"""Matches the label of an item that would be an entry of its own."""


def _unwrapped(lines: list[str]) -> list[str]:
    """Return lines of Markdown with the first sentence on the first line."""
    ends = (at for at, line in enumerate(lines) if at and _BLOCK.match(line))
    said = lines[: next(ends, len(lines))]
    first, count = said[0].strip(), 1
    for before, line in pairwise(said):
        if not goes_on(before, line):
            break
        is_joined = _WIDE_END.search(before) and _WIDE_END.search(line.strip()[:1])
        first += f"{'' if is_joined else ' '}{line.strip()}"
        count += 1
    return [first, *lines[count:]]


def goes_on(before: str, line: str) -> bool:
    """Return True if a line reads like the rest of a sentence that was wrapped.

    The line before has no end, and the next word would have made it too long, or begins with a
    small letter.
    """
    word = line.split(" ", 1)[0]
    is_long = len(before) + len(word) >= _WRAPPED or _WIDE_END.search(before) is not None
    return not _ENDED.search(before) and (is_long or word[:1].islower())


_WRAPPED = 60
"""Least length of a line before which editors wrap none."""
_BLOCK = re.compile(
    r"\s*(?:$|[-*+>]\s|#{1,6}\s|[|<]|\(code in|\d{1,9}[.)]\s|```|~~~|\$\$"
    r"|[^\W\d_a-z][^\n.!?:]{1,40}:\s)"
)
"""Begins a line that is none of the paragraph before it: a block, or a label."""
_WIDE_END = re.compile(r"[\u3001-\u30ff\u3400-\u9fff\uff01-\uff5e]\s*$")
"""Matches the end of a line in a script without blanks."""
_ENDED = re.compile(r"[.!?:;。！？：；][\"'”»)*_`]*\s*$|(?:  |\\)$")
"""Matches a line that ends in the end of a sentence, or in a line break."""


def _fields(entry: Entry) -> str:
    return "".join(f" [{name}:: {value}]" for name, value in entry.fields.items())


def _add_relations(
    done: Additions, entries: Sequence[Entry], name: str, settings: Settings
) -> None:
    """Add entries that state relations; of equal ones, only the first."""
    known = memory_file.stated_relations(done.source, name, settings) if entries else set()
    wanted: list[tuple[Relation, str]] = []
    for entry in entries:
        found = relations(entry.text)
        new = [one for one in found if one.keys not in known]
        known |= {one.keys for one in new}
        wanted += [(one, _fields(entry).strip()) for one in new]
        if new:
            done.added.append(entry)
        elif found:
            done.stated.append(entry)
        else:
            done.refused.append(RefusedEntry(entry, "it states no relation that is understood"))
    done.source = memory_file.add_relations(done.source, wanted, name, settings)


def _add_lines(
    done: Additions, lines: Sequence[tuple[Entry, str]], name: str, settings: Settings
) -> None:
    old = _chunks(done.source, name, settings)
    while lines:
        after = _Page(done.source, name, settings).with_lines(lines)
        new = _chunks(after, name, settings)
        there = _ids(new - old, name, settings)
        lost = _ids(old - new, name, settings) - there
        missing = [one for one, _ in lines if not there[one.id] and not there[_base(one.id)]]
        if lost or missing:
            unread = missing or [one for one, _ in lines]
            reason = "where it belongs in MEMORY.md it would not be read as an entry"
            done.refused += [RefusedEntry(one, reason) for one in unread]
            lines = [row for row in lines if row[0] not in unread]
            continue
        done.source = after
        done.added += [one for one, _ in lines]
        return


def _base(identifier: str) -> str:
    """The id without the number that marks a repeat."""
    return re.sub(r"-\d+$", "", identifier)


_Chunk = tuple[bytes, tuple[tuple[int, str], ...]]
"""Text of a part of a file that is parsed by itself, and its headings."""


def _chunks(source: bytes, name: str, settings: Settings) -> Counter[_Chunk]:
    found = parser.chunks(source, name, settings)
    return Counter((source[one.span.start : one.span.end], one.headings) for one in found)


def _ids(chunks: Counter[_Chunk], name: str, settings: Settings) -> Counter[str]:
    return Counter(
        one.id
        for text, above in chunks.elements()
        for one in parser.parse(text, name, settings, parser.ChunkStart(above))
    )


class _Page:
    """A MEMORY.md and the lines to insert, by offset."""

    def __init__(self, source: bytes, name: str, settings: Settings) -> None:
        self.source = source
        self.newline = markdown.line_end(source)
        self.sections = markdown.sections(source)
        self.added: dict[int, bytes] = defaultdict(bytes)
        self._name = name
        self._settings = settings

    def with_lines(self, lines: Sequence[tuple[Entry, str]]) -> bytes:
        """The file with all lines inserted."""
        dated: dict[date, list[str]] = defaultdict(list)
        others: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for entry, line in lines:
            group = dated[entry.date] if entry.date else others[entry.section]
            group.append(line)
        self._into_sections([(self._days.get(day), group) for day, group in dated.items()])
        like = {section: self._section_like(section) for section in others}
        self._into_sections([(like[section], group) for section, group in others.items()])
        for section, group in others.items():
            if not like[section]:
                title = section[-1] if len(section) > 1 else ELSEWHERE
                self._before(self._log(), f"## {title}", group)
        for day, group in sorted(dated.items()):
            if day not in self._days:
                self._before(self._later(day), memory_file.day_heading(day), group)
        edits = [Edit(Span(at, at), text) for at, text in sorted(self.added.items())]
        return markdown.splice(self.source, edits)

    def _into_sections(self, groups: Iterable[tuple[Section | None, Sequence[str]]]) -> None:
        for section, lines in groups:
            if section:
                self._into(section, lines)

    @cached_property
    def _open(self) -> list[Section]:
        """Sections that accept additions: not those that end in an unclosed fence."""
        last = self.sections[-1].span
        is_left_open = markdown.closing(self.source[last.start : last.end], self.newline)
        found = self.sections[:-1] if is_left_open else self.sections
        return [one for one in found if one.headings]

    @cached_property
    def _days(self) -> dict[date | None, Section]:
        """The last section of the daily log for each day."""
        logs = filter(self._is_log, self._open)
        return {heading_date(one.headings[-1][1]): one for one in logs}

    def _section_like(self, wanted: tuple[str, ...]) -> Section | None:
        """The section whose headings below the file's title are the same."""
        below = [text.casefold() for text in wanted[1:]] or [ELSEWHERE.casefold()]
        for one in self._open:
            texts = [text.strip().casefold() for level, text in one.headings if level > 1]
            if texts in (below, below[-1:]):
                return one
        return None

    def _is_log(self, section: Section) -> bool:
        return memory_file.mode_of(section, self._name, self._settings) == "log"

    def _log(self) -> int:
        """Return the offset at which the daily log begins."""
        logs = (one.span.start for one in self.sections if self._is_log(one))
        return next(logs, len(self.source))

    @cached_property
    def _dated(self) -> list[tuple[date, int]]:
        """The days of headings with their offsets if they are in order, else none."""
        found = (
            (heading_date(text), one.span.start)
            for one in self.sections
            for _, text in one.headings[-1:]
        )
        days = [(day, at) for day, at in found if day]
        return days if days == sorted(days) else []

    def _later(self, day: date) -> int:
        """The offset before the first later day if days are in order, else the end."""
        return next((at for found, at in self._dated if found > day), len(self.source))

    def _into(self, section: Section, lines: Sequence[str]) -> None:
        """Add lines at the end of a section."""
        text = self.source[section.span.start : section.span.end]
        body = text.rstrip()
        end = _LINE_END.search(text, len(body))
        at = section.span.start + (end.end() if end else len(text))
        told = body.splitlines()[1:]
        gap = b"" if end else self.newline
        follows_entry = all(map(memory_file.is_plain, told)) or told[-1].startswith(b"- ")
        gap += b"" if follows_entry else self.newline
        self.added[at] += gap + self._text(lines)

    def _before(self, at: int, heading: str, lines: Sequence[str]) -> None:
        """Add a section before the offset ``at``, where one begins or the file ends."""
        text = heading.encode("utf-8", "replace") + self.newline + self._text(lines)
        if at in self.added:  # text inserted before a heading ends in a blank line
            gap = self.newline if at == len(self.source) else b""
        else:
            gap = memory_file.gap_before(self.source[:at], self.newline)
        self.added[at] += gap + text
        if at < len(self.source):
            self.added[at] += self.newline

    def _text(self, lines: Sequence[str]) -> bytes:
        """Lines, one per entry."""
        return b"".join(memory_file.as_item(line, self.newline) for line in lines)
