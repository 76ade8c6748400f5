"""Cut a file into the units of a merge: headings, entries, paragraphs, fences; lossless.

A line scan rather than the parser: git runs it three times per merge, and only the boundaries
matter.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from mind.documents import archive, markdown, memory_file
from mind.documents.markdown import opens_fence, opens_html
from mind.documents.markdown.sections import Ends
from mind.domain.entry import RESOLVED_BY
from mind.domain.errors import InputError

BOM = b"\xef\xbb\xbf"
Key = tuple[tuple[int, str], ...]

_ATX = re.compile(rb"#{1,6}(?:[ \t\r\n]|$)")
_ITEM = re.compile(rb"(?:[-*+]|\d{1,9}[.)])(?:[ \t]+\S|[ \t]*$)")
_LABEL = re.compile(rb"[^\W\d_][^:\r\n|`<>]{1,39}:[ \t]+\S")
_LINE_END = re.compile(rb"(?:\r\n|\r|\n)\Z")
_CONFLICT = re.compile(rb"(?:<{7}|={7}|>{7}|\|{7})(?:[ \r\n]|\Z)")
_FRONT = re.compile(rb"---[ \t]*\r?\n(?:.*\n)*?(?:---|\.\.\.)[ \t]*(?:\r?\n|$)")


@dataclass(slots=True)
class Unit:
    """A unit of a file.

    Attributes:
        kind: "heading", "line" (an entry by Mind), "item" of a list, "row" of a table,
            "block" of the archive, "raw" (a fence, HTML, front matter), "mark" of an unresolved
            conflict, or "prose".
        body: Its bytes, without the end of its last line.
        end: Of its last line.
        gap: The blank lines after it.
        section: Number of its section.
        closing: Text that must close it if anything follows.
    """

    kind: str
    body: bytes
    end: bytes
    gap: bytes = b""
    section: int = 0
    closing: bytes = b""

    @property
    def is_entry(self) -> bool:
        """Return whether it is an entry rather than text."""
        return self.kind in {"line", "item", "row", "block"}


@dataclass(slots=True)
class UnitText:
    """A file as units.

    Attributes:
        bom: Whether it begins with a byte order mark.
        lead: Blank lines before the first unit.
        units: In order.
        sections: The headings above each section, its own last.
        ended: Whether its last line has a line end.
        newline: The most frequent line end.
    """

    bom: bool
    lead: bytes = b""
    units: list[Unit] = field(default_factory=list)
    sections: list[Key] = field(default_factory=list)
    ended: bool = True
    newline: bytes = b"\n"


def style(source: bytes) -> bytes:
    r"""The line end of a file; b"" if mixed or absent."""
    windows, lines = source.count(b"\r\n"), source.count(b"\n")
    if source.count(b"\r") != windows or windows not in (0, lines) or not lines:
        return b""
    return b"\r\n" if windows else b"\n"


def cut(source: bytes, name: str) -> UnitText:
    """Cut ``source`` into units.

    Args:
        source: A file; any bytes.
        name: File name; ARCHIVE.md is cut into blocks.
    """
    text = UnitText(bom=source.startswith(BOM), newline=style(source) or b"\n")
    source = source.removeprefix(BOM)
    text.ended = source.endswith((b"\n", b"\r")) or not source
    if not text.ended:
        source += text.newline
    if name.endswith("ARCHIVE.md"):
        _cut_archive(text, source)
    else:
        _cut_sections(text, source)
    return text


def _cut_archive(text: UnitText, source: bytes) -> None:
    text.sections.append(())
    at = 0
    for one in archive.blocks(source):
        _scan(text, source[at : one.span.start], 0)
        body = source[one.span.start : one.span.end]
        _add(text, "block", body.rstrip(b"\r\n"), body[len(body.rstrip(b"\r\n")) :], 0)
        at = one.span.end
    _scan(text, source[at:], 0)


def _cut_sections(text: UnitText, source: bytes) -> None:
    for section in markdown.sections(source):
        number = len(text.sections)
        text.sections.append(tuple((level, title.strip()) for level, title in section.headings))
        body = source[section.span.start : section.span.end]
        if not section.headings:
            front = _FRONT.match(body) if not section.span.start else None
            if front:
                _add(text, "raw", *_split(front.group()), number)
            _scan(text, body[front.end() if front else 0 :], number)
            continue
        lines = body.splitlines(keepends=True)
        size = 1 if _ATX.match(lines[0]) else 2
        _add(text, "heading", *_split(b"".join(lines[:size])), number)
        _scan(text, b"".join(lines[size:]), number)


def _split(line: bytes) -> tuple[bytes, bytes]:
    end = _LINE_END.search(line)
    return (line[: end.start()], end.group()) if end else (line, b"")


def _add(text: UnitText, kind: str, body: bytes, ends: bytes, section: int) -> None:
    """Add a unit; ``ends`` are its last line end and the blank lines after it."""
    end = next(iter(ends.splitlines(keepends=True)), b"")
    text.units.append(Unit(kind, body, end, ends[len(end) :], section))


def _scan(text: UnitText, source: bytes, section: int) -> None:
    for kind, lines, closing in _Scan(source).units():
        whole = b"".join(lines)
        if not kind:
            if text.units:
                text.units[-1].gap += whole
            else:
                text.lead += whole
            continue
        body, end = _split(whole)
        text.units.append(Unit(kind, body, end, b"", section, closing))


class _Scan:
    """Groups the lines of a section."""

    def __init__(self, source: bytes) -> None:
        self._lines = source.splitlines(keepends=True)
        self._at = 0

    def units(self) -> Iterator[tuple[str, list[bytes], bytes]]:
        """Yield (kind, lines, closing text) of each group; the kind of blank lines is ""."""
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if not line.strip():
                self._at += 1
                yield "", [line], b""
            else:
                yield self._unit(line)

    def _unit(self, line: bytes) -> tuple[str, list[bytes], bytes]:
        start = self._at
        self._at += 1
        bare = line.strip()
        kind = _kind(line)
        closing = b""
        ends = opens_fence(bare) or opens_html(bare, in_paragraph=False)
        if ends:
            kind = "raw"
            if not (bare.startswith(b"<") and ends(bare)):
                closing = self._raw(ends, bare)
        elif kind == "item":
            own = memory_file.begins_entry(line.rstrip(b"\r\n"))
            self._item(_indent(line), own=own)
        elif kind in {"line", "prose"}:
            self._follow()
        return kind, self._lines[start : self._at], closing

    def _raw(self, ends: Ends, opening: bytes, indent: int = 0) -> bytes:
        """Skip a fence or raw HTML; return the closing text if it is unclosed.

        Lines of an item count from ``indent``, that of the opening line.
        """
        while self._at < len(self._lines):
            line = self._lines[self._at].rstrip(b"\r\n")
            if ends(line[min(indent, _indent(line)) :]):
                self._at += bool(line.strip())
                return b""
            self._at += 1
        fence = re.match(rb"`{3,}|~{3,}", opening)
        return fence.group() if fence else markdown.closing_of(opening)

    def _follow(self) -> None:
        """Skip the continuation lines of an entry or a paragraph."""
        while self._at < len(self._lines):
            line = self._lines[self._at]
            bare = line.strip()
            if not bare or (_kind(line) != "prose" and not _is_continuation(line)) or _opens(bare):
                return
            self._at += 1

    def _item(self, indent: int, *, own: bool) -> None:
        """Skip the rest of an item: indented lines and lazy continuation lines.

        The list within an entry by Mind is part of it, except entries.
        """
        while True:
            self._follow()
            after = self._at
            while after < len(self._lines) and not self._lines[after].strip():
                after += 1
            if after >= len(self._lines):
                return
            line = self._lines[after]
            deeper = _indent(line) >= indent + 2
            fence = opens_fence(line.strip())
            listed = _ITEM.match(line.lstrip(b" \t")) and not fence
            part = own and not memory_file.begins_entry(line.strip())
            if not deeper or (listed and not part):
                return
            if after == self._at and not (fence or part):
                return
            self._at = after + 1
            if fence:
                self._raw(fence, line.strip(), _indent(line))


def _indent(line: bytes) -> int:
    return len(line) - len(line.lstrip(b" \t"))


def _opens(bare: bytes) -> bool:
    return opens_fence(bare) is not None or opens_html(bare, in_paragraph=True) is not None


def _is_continuation(line: bytes) -> bool:
    return line.startswith((b"  ", b"\t")) and not _ITEM.match(line.lstrip(b" \t"))


def _kind(line: bytes) -> str:
    bare = line.strip()
    if _CONFLICT.match(line):
        return "mark"
    if _ITEM.match(bare):
        return "item"
    if bare.startswith(b"|"):
        return "row"
    return "line" if _LABEL.match(line) else "prose"


def is_lasting(words: bytes) -> bool:
    """Return whether a text begins with a label other than that of progress."""
    return _LABEL.match(words) is not None and not words.lower().startswith(b"progress:")


_PREFIX = re.compile(rb"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+")
_BOX = re.compile(rb"\[([ xX/-])\](?=[ \t]|$)")
_FIELD = re.compile(rb"[ \t]?\[([A-Za-z][\w -]{0,39})::[ \t]?([^\[\]\r\n]*)\]")
_ID = re.compile(rb"(?:^|(?<![ \t])[ \t]+)\^([A-Za-z0-9][A-Za-z0-9-]{2,63})[ \t]*$")
_BAR = re.compile(rb"(?<!\\)\|[ \t]*(due|trigger|created|completed|session)[ \t]*:", re.IGNORECASE)
_DONE = (b"x", b"X")

Fields = dict[str, bytes]


class Parts(NamedTuple):
    """The parts of an entry.

    Attributes:
        prefix: List marker with surrounding white space.
        box: Contents of its checkbox; None without one.
        words: The text, white space folded.
        fields: Inline fields, or those of a reminder, by name in lower case.
        id: Its block id.
    """

    prefix: bytes
    box: bytes | None
    words: bytes
    fields: Mapping[str, bytes]
    id: bytes


class Undecided(Exception):
    """Both sides changed the same part differently."""


def parts(body: bytes, *, reminder: bool) -> Parts:
    """Split ``body``, an entry or a reminder, into its parts."""
    prefix, box, rest = _head(body)
    rest, identifier = _without_id(rest)
    fields: Fields = {}
    if reminder:
        words, raw = _reminder_fields(rest)
        fields = {name: value for name, value, _ in raw}
    else:
        for one in _FIELD.finditer(rest):
            fields[one[1].decode("ascii", "replace").lower()] = one[2].strip()
        words = _FIELD.sub(b"", rest)
    return Parts(prefix, box, b" ".join(words.split()), fields, identifier)


def _head(body: bytes) -> tuple[bytes, bytes | None, bytes]:
    found = _PREFIX.match(body)
    prefix = found.group() if found else b""
    rest = body[len(prefix) :]
    box = _BOX.match(rest) if prefix else None
    return (prefix, box[1], rest[box.end() :]) if box else (prefix, None, rest)


def _without_id(text: bytes) -> tuple[bytes, bytes]:
    """``text`` without its block id (at the end of its first or last line), and the id."""
    lines = text.splitlines(keepends=True)
    for at in dict.fromkeys((len(lines) - 1, 0)) if lines else ():
        body = lines[at].rstrip(b"\r\n")
        found = _ID.search(body)
        if found:
            kept = body[: found.start()] + lines[at][len(body) :]
            return b"".join((*lines[:at], kept, *lines[at + 1 :])), found[1]
    return text, b""


def _reminder_fields(rest: bytes) -> tuple[bytes, list[tuple[str, bytes, bytes]]]:
    """The message, and (name, value, bytes) of each field after it."""
    bars = list(_BAR.finditer(rest))
    if not bars:
        return rest, []
    ends = [one.start() for one in bars[1:]] + [len(rest)]
    fields = [
        (one[1].decode().lower(), rest[one.end() : end].strip(), rest[one.start() : end].rstrip())
        for one, end in zip(bars, ends, strict=True)
    ]
    return rest[: bars[0].start()], fields


def together(base: bytes, ours: bytes, theirs: bytes, *, reminder: bool) -> bytes:
    """Merge the changes of both sides to one entry.

    Args:
        base: The original; b"" if there was none.
        ours: One version.
        theirs: The other.
        reminder: Whether it is a reminder.

    Raises:
        Undecided: Both changed the text, or the same field, to different values.
    """
    old, one, other = (parts(text, reminder=reminder) for text in (base, ours, theirs))
    by_theirs = one.words != other.words and one.words == old.words
    if one.words != other.words and not by_theirs and other.words != old.words:
        raise Undecided
    layout = theirs if by_theirs else ours
    box = _either(old.box, one.box, other.box, base)
    fields = {
        name: _value(
            *(name, old.fields.get(name), one.fields.get(name), other.fields.get(name)),
            open_box=box == b" ",
        )
        for name in {**one.fields, **other.fields}
    }
    identifier = other.id if by_theirs or not one.id else one.id
    identifier = identifier or one.id or other.id
    prefix = other.prefix if one.prefix == old.prefix else one.prefix
    write = _reminder if reminder else _memory
    present = {name: value for name, value in fields.items() if value is not None}
    return write(layout, Parts(prefix, box, b"", present, identifier))


def _either(old: bytes | None, one: bytes | None, other: bytes | None, base: bytes) -> bytes | None:
    """The merged checkbox; if both sides changed it, done wins."""
    if one == other or (base and other == old):
        return one
    if base and one == old:
        return other
    return next((box for box in (one, other) if box in _DONE), one or other)


def _value(
    name: str, old: bytes | None, one: bytes | None, other: bytes | None, *, open_box: bool
) -> bytes | None:
    """The merged value of a field; a change wins over a removal.

    If both changed ``completed``, an open (recurring) reminder keeps the later day, others the
    earlier.
    """
    if other in {one, old}:
        return one
    if one == old:
        return other
    if one is None or other is None:
        return one or other
    if name == "verified":
        return max(one, other)
    if name in {"completed", "created", RESOLVED_BY}:
        return max(one, other) if open_box and name == "completed" else min(one, other)
    raise Undecided


def _memory(layout: bytes, wanted: Parts) -> bytes:
    """``layout`` with other fields, checkbox and id."""
    now = parts(layout, reminder=False)
    changes = {
        name: value.decode("utf-8", "surrogateescape")
        for name, value in wanted.fields.items()
        if now.fields.get(name) != value
    }
    changes |= dict.fromkeys((name for name in now.fields if name not in wanted.fields), "")
    if changes:
        try:
            layout = next(memory_file.marked(layout, changes))
        except (InputError, UnicodeEncodeError) as error:
            raise Undecided from error
    if wanted.id and not now.id:
        layout += b" ^" + wanted.id
    return _boxed(layout, wanted)


def _boxed(layout: bytes, wanted: Parts) -> bytes:
    _, box, rest = _head(layout)
    if wanted.box is None or not wanted.prefix:
        return wanted.prefix + (b"" if box is None else b"[" + box + b"]") + rest
    gap = b"" if box is not None else b" "
    return wanted.prefix + b"[" + wanted.box + b"]" + gap + rest


def _reminder(layout: bytes, wanted: Parts) -> bytes:
    prefix, box, rest = _head(layout)
    rest, _ = _without_id(rest)
    message, raw = _reminder_fields(rest)
    there = {name: text for name, value, text in raw if wanted.fields.get(name) == value}
    order = dict.fromkeys((*(name for name, _, _ in raw), *_ORDER))
    said = [
        there.get(name) or b"| " + name.encode() + b": " + wanted.fields[name]
        for name in order
        if name in wanted.fields
    ]
    told = b" ".join((message.rstrip(), *said)) if said else message.rstrip()
    if wanted.id:
        told += b" ^" + wanted.id
    return _boxed(prefix + (b"" if box is None else b"[" + box + b"]") + told, wanted)


_ORDER = ("due", "trigger", "created", "completed", "session")
"""Order in which Mind writes the fields of a reminder."""
