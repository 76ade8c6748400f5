"""MEMORY.md and SESSION.md as notebooks: how and where entries are written.

An entry is a list item, ``- decided: text``, under the heading of its day; further lines of the
message are indented by two spaces. Its lists and fences stay as they are if they are read as part
of the entry. Otherwise Markdown structure at the start of a line is escaped, so that a message
cannot become a heading, fence, comment or another entry. Lines without a list marker, as in older
files, are left unchanged.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from textwrap import dedent
from typing import TYPE_CHECKING

from mind.documents import markdown
from mind.documents.markdown import Section
from mind.domain.entry import DESPITE, LOGGED, ORIGIN, RESOLVED_BY, Entry, Kind, Span
from mind.domain.errors import InputError
from mind.domain.settings import Settings
from mind.text import lazy_pattern

if TYPE_CHECKING:
    from mind.text.relations import Relation

MOST_CHARACTERS = 20_000
"""Longest message; longer text belongs in a file that an entry refers to."""

_PART = lazy_pattern(r"Session \d{4}-\d\d-\d\d")

LONGEST_FIELD = 400
"""Maximum characters of an inline field's value; a longer one is text."""
_BRACKETS = lazy_pattern(r"[\[\]]")
_CONTROL = lazy_pattern(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u2028\u2029\x85]")
_ITEM = lazy_pattern(rb"([-*+]) ")
_CANONICAL = lazy_pattern(
    rf"(?:- )?(?:{'|'.join(kind.traits.keyword for kind in LOGGED)}): .*|  .*|\s*", re.DOTALL
)


def line_for(kind: Kind, message: str, settings: Settings | None = None) -> str:
    r"""The lines that record a ``message`` somebody gives, as in :func:`lines_for`.

    Raises:
        InputError: The message is empty, too long, or the kind cannot be logged.
    """
    if len(message) > MOST_CHARACTERS:
        raise InputError(
            f"the message has {len(message):,} characters, more than {MOST_CHARACTERS:,}",
            remedy="Record the gist, and name the file that holds the rest.",
        )
    return lines_for(kind, message, settings)


def lines_for(kind: Kind, message: str, settings: Settings | None = None) -> str:
    r"""The lines that record ``message``, joined by ``\n``, without a final newline.

    Args:
        kind: Kind of the entry.
        message: Its text.
        settings: How the file is parsed; without them, lists and fences are escaped too.

    Raises:
        InputError: The message is empty, or the kind cannot be logged.
    """
    if kind not in LOGGED:
        accepted = ", ".join(sorted(LOGGED))
        raise InputError(
            f"a {kind.value} is not logged as a line",
            remedy=f"Use one of: {accepted}. Relations: `mind graph relate`.",
        )
    text = unlabelled(kind, _CONTROL.sub(" ", message))
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    if not lines:
        raise InputError("the message is empty", remedy="Say in one sentence what to remember.")
    first, rest = f"{kind.traits.keyword}: {lines[0].strip()}", dedent("\n".join(lines[1:]))
    line = "\n".join([first, *map(_continuing, rest.splitlines())])
    if settings is None or "\\" not in line.partition("\n")[2]:
        return line
    whole = "\n".join(one.rstrip() for one in text.strip().splitlines())
    further = dedent(whole.partition("\n")[2])
    plain = "\n".join([first, *(f"  {one}".rstrip() for one in further.split("\n"))])
    return plain if _is_read_back(kind, whole, plain, settings) else line


_LIST_MARKER = lazy_pattern(r"^\s*(?:[-*+]|\d{1,9}[.)])\s+", re.MULTILINE)


def _is_read_back(kind: Kind, message: str, line: str, settings: Settings) -> bool:
    """Return whether ``line`` is read as one entry with all of ``message``, and ends there."""
    from mind.documents import parser  # noqa: PLC0415 - only for a message with lists or fences

    source = as_item(line, b"\n") + as_item("note: the next entry", b"\n")
    lines = source.splitlines()
    plain = [lines[at].decode().strip() for at in outside_fences(lines)[1:-1]]
    if any(markdown.escaped(one) != one and not _LIST_MARKER.match(one) for one in plain):
        return False
    found = parser.parse(source, "", replace(settings, parser_min_confidence=0.0))
    if [one.kind for one in found] != [kind, Kind.NOTE]:
        return False
    told = "".join(message.split())
    closed = all("".join(block.split()) in told for block in found[0].code)
    read = "\n".join((found[0].text, *found[0].code))
    return closed and _words(read) == _words(message)


def _words(text: str) -> list[str]:
    return sorted(re.findall(r"\w+", _LIST_MARKER.sub("", text)))


def _continuing(line: str) -> str:
    """A further line of an entry: in code, its own indentation has a meaning."""
    text = line.lstrip()
    return f"  {line[: len(line) - len(text)]}{markdown.escaped(text)}"


def as_item(line: str, newline: bytes) -> bytes:
    """The bytes of an entry from :func:`line_for`, as a list item."""
    item = line if line.startswith("- ") else f"- {line}"
    return item.replace("\n", newline.decode()).encode("utf-8", "replace") + newline


def linked(line: str, kind: Kind, against: Sequence[str]) -> str:
    """The lines of a decision with a field that names the rejections it contradicts."""
    if kind is not Kind.DECISION or not against:
        return line
    first, newline, rest = line.partition("\n")
    return f"{first} [{DESPITE}:: {', '.join(against)}]{newline}{rest}"


def with_fields(line: str, given: Mapping[str, str]) -> str:
    """The lines of an entry with inline fields."""
    said = {name: " ".join(_BRACKETS.sub(" ", value).split()) for name, value in given.items()}
    fields = "".join(f" [{name}:: {value}]" for name, value in said.items() if value)
    first, newline, rest = line.partition("\n")
    return first + fields + newline + rest


def unlabelled(kind: Kind, message: str) -> str:
    """``message`` without its kind's label, which the line gets anyway."""
    text = message.lstrip()
    label, colon, said = text.partition(":")
    is_own = label.casefold() in (kind.traits.keyword, kind.value) and said[:1].isspace()
    return unlabelled(kind, said) if colon and is_own and said.strip() else text


def day_heading(day: date) -> str:
    """The heading for entries of a day."""
    return f"## {day.isoformat()}"


def append_to_day(tail: bytes, line: str, day: date, *, whole: bool) -> bytes | None:
    """The bytes that append ``line`` to a notebook under the heading of ``day``.

    Args:
        tail: The end of the file.
        line: From :func:`line_for`.
        day: Today.
        whole: ``tail`` is all of the file.

    Returns:
        None if the tail does not show the section at the file's end (no heading of today
        with nothing but plain entries after it): then call again with the whole file.
    """
    newline = markdown.line_end(tail)
    text = as_item(line, newline)
    open_line = b"" if not tail or tail.endswith(b"\n") else newline
    if _ends_in_day(tail, day):
        return open_line + text
    if not whole:
        return None
    heading = day_heading(day).encode() + newline
    gap = newline if tail.strip() and not tail.endswith((b"\n\n", b"\r\n\r\n")) else b""
    return open_line + markdown.closing(tail, newline) + gap + heading + newline + text


def _ends_in_day(tail: bytes, day: date) -> bool:
    heading = b"\n" + day_heading(day).encode()
    _, found, after = (b"\n" + tail).rpartition(heading)
    lines = after.decode("utf-8", "surrogateescape").split("\n")
    return bool(found) and all(_CANONICAL.fullmatch(line) for line in lines)


def session_parts(source: bytes) -> dict[str, Span]:
    """The parts of a SESSION.md by heading; "" is the part before any heading.

    Each running session has a part: the first, or one below a heading "Session 2026-01-02 …".
    """
    begins = {"": 0}
    for section in markdown.sections(source):
        level, title = section.headings[-1] if section.headings else (0, "")
        if level == 1 and _PART.match(title.strip()):
            begins.setdefault(title.strip(), section.span.start)
    ends = [*list(begins.values())[1:], len(source)]
    return {part: Span(at, end) for (part, at), end in zip(begins.items(), ends, strict=True)}


def add_to_session(source: bytes, line: str, day: date, part: str = "") -> bytes:
    """Add ``line`` under the heading of ``day`` to a session's part of a SESSION.md."""
    span = session_parts(source).get(part)
    if span is None:
        newline = markdown.line_end(source)
        start = len(source := source + gap_before(source, newline))
        source += f"# {part}".encode() + newline
        span = Span(start, len(source))
    text = source[: span.end].rstrip()
    at = _line_end(source, max(span.start, len(text)))
    added = append_to_day(source[span.start : at], line, day, whole=True) or b""
    return source[:at] + added + source[at:]


def without_part(source: bytes, part: str, closed: bytes, blank: bytes) -> bytes:
    """Remove an ended session's part from a SESSION.md.

    Args:
        source: The file as it is now.
        part: The heading of the part.
        closed: Contents of the part when it was read; later additions stay.
        blank: A file without notes, which replaces the first part.
    """
    span = session_parts(source).get(part)
    if span is None:
        return source
    now_there = source[span.start : span.end]
    later = b"" if now_there == closed else now_there.removeprefix(closed)
    before, after = source[: span.start], source[span.end :]
    newline = markdown.line_end(source)
    if not part:
        return blank + later + (newline + after if after else b"")
    if later.strip():
        return before + b"# " + part.encode() + newline * 2 + later + after
    return before + after if after else before.rstrip() + newline


_ENDED = lazy_pattern(rb"^<!-- Session ended (\d{4}-\d\d-\d\d)[^\n]*\n", re.MULTILINE)
_ENDED_STAY = timedelta(days=30)


def with_ended(kept: bytes, part: bytes, now: datetime, outcome: str) -> bytes:
    """Append a session's part to a SESSION.last.md, keeping those of the last 30 days.

    A part equal to the last one (it could not be cleared, for example) is not repeated.

    Args:
        kept: The file as it is now.
        part: The notes of the session, as they were.
        now: When it ended.
        outcome: Result of archiving its notes.
    """
    first = (now.date() - _ENDED_STAY).isoformat().encode()
    marks = list(_ENDED.finditer(kept))
    if marks and kept[marks[-1].end() :] == part:
        kept = kept[: marks[-1].start()]
    if any(one[1] < first for one in marks):
        kept = kept[next((one.start() for one in marks if one[1] >= first), len(kept)) :]
    newline = b"" if not kept or kept.endswith(b"\n") else b"\n"
    mark = f"<!-- Session ended {now:%Y-%m-%d %H:%M}: {outcome} -->\n"
    return kept + newline + markdown.closing(kept, b"\n") + mark.encode() + part


def last_ended(kept: bytes) -> bytes:
    """The most recently added part of a SESSION.last.md."""
    ends = [one.end() for one in _ENDED.finditer(kept)]
    return kept[ends[-1] :] if ends else kept


def add_relations(
    source: bytes, wanted: "Sequence[tuple[Relation, str]]", name: str, settings: Settings
) -> bytes:
    """Add those relations of ``wanted`` that a MEMORY.md lacks.

    A missing section of relations is created above the log, so that later entries of a day
    do not end up in it.

    Args:
        source: The file.
        wanted: Relations, each with the inline fields of its line, or "".
        name: Its path as entries name it.
        settings: How it is parsed.
    """
    newline = markdown.line_end(source)
    known = stated_relations(source, name, settings)
    items = [
        f"{one} {mark}".rstrip().encode("utf-8", "replace")
        for one, mark in wanted
        if one.keys not in known
    ]
    if not items:
        return source
    sections, log = _relation_sections(source, name, settings)
    if sections:
        return _added_to(source, sections[0], items, newline)
    before = source[:log]
    gap = gap_before(before, newline)
    after = newline if log < len(source) else b""
    heading = b"## Relations" + newline + newline
    lines = b"".join(b"- " + item + newline for item in items)
    return markdown.splice(source, [markdown.Edit(Span(log, log), gap + heading + lines + after)])


def stated_relations(source: bytes, name: str, settings: Settings) -> set[tuple[str, str, str]]:
    """The keys of the relations in a MEMORY.md's sections of relations."""
    sections, _ = _relation_sections(source, name, settings)
    return {keys for one in sections for keys in _stated(source, one, name, settings)}


def _relation_sections(source: bytes, name: str, settings: Settings) -> tuple[list[Section], int]:
    """The sections of relations, and the offset at which the log begins."""
    modes = [(one, mode_of(one, name, settings)) for one in markdown.sections(source)]
    log = min((one.span.start for one, mode in modes if mode == "log"), default=len(source))
    return [one for one, mode in modes if mode == "relation"], log


def mode_of(section: Section, name: str, settings: Settings) -> str:
    """The mode that the headings of a section give, such as "log" or "relation"."""
    from mind.documents.parser.lexicon import lexicon  # noqa: PLC0415 - words of eight languages
    from mind.documents.parser.place import place  # noqa: PLC0415 - the same

    return place(section.headings, name, lexicon(settings)).mode


def _stated(
    source: bytes, section: Section, name: str, settings: Settings
) -> set[tuple[str, str, str]]:
    """The keys of the relations in a section."""
    from mind.documents import parser  # noqa: PLC0415 - only needed when a relation is written
    from mind.text.relations import relations  # noqa: PLC0415 - as above

    text = source[section.span.start : section.span.end]
    found = parser.parse(
        text,
        name,
        replace(settings, parser_min_confidence=0.0),
        parser.ChunkStart(section.headings[:-1], section.line, section.span.start),
    )
    return {one.keys for entry in found for one in relations(entry.text)}


def gap_before(before: bytes, newline: bytes) -> bytes:
    """Return the separator to insert between ``before`` and a heading."""
    open_line = b"" if not before or before.endswith(b"\n") else newline
    blank = not before.strip() or before.endswith((b"\n\n", b"\n\r\n"))
    return open_line + markdown.closing(before, newline) + (b"" if blank else newline)


def _added_to(source: bytes, section: Section, items: Sequence[bytes], newline: bytes) -> bytes:
    """Append ``items`` to ``section`` in the style of its existing items."""
    text = source[section.span.start : section.span.end]
    body = text.rstrip()
    at = section.span.start + len(body)
    end = _line_end(source, at)
    before = b"" if source[:end].endswith(b"\n") else newline
    before += markdown.closing(text, newline)
    marker = _ITEM.match(body[body.rfind(b"\n") + 1 :])
    if marker is None:
        before += newline
    sign = marker[1] if marker else b"-"
    lines = b"".join(sign + b" " + item + newline for item in items)
    return markdown.splice(source, [markdown.Edit(Span(end, end), before + lines)])


def _line_end(source: bytes, at: int) -> int:
    end = source.find(b"\n", at)
    return len(source) if end < 0 else end + 1


def is_plain(line: bytes) -> bool:
    """Return whether ``line`` is blank, an entry in Mind's own format, or its continuation."""
    return bool(_CANONICAL.fullmatch(line.decode("utf-8", "surrogateescape")))


def begins_entry(line: bytes) -> bool:
    """Return whether ``line`` begins an entry in Mind's own format."""
    return is_plain(line) and bool(line.strip()) and not line.startswith(b" ")


_FIELD = rb"`[^`\n]{1,400}`|(?P<field>[ \t]?\[%s::[ \t]?[^\[\]\n]*\])"
"""Pattern of a field, and of code, which has none."""
_FIELD_NAME = lazy_pattern(r"[A-Za-z][\w -]{0,39}")
_ID_AT_END = lazy_pattern(rb"(?<![ \t])[ \t]+\^[A-Za-z0-9][A-Za-z0-9-]{2,63}[ \t]*$")
_MARKER = lazy_pattern(rb"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_KEPT = frozenset({"verified"})
"""Fields that describe the text rather than the entry."""


def marked(text: bytes, fields: Mapping[str, str]) -> Iterator[bytes]:
    """Yield candidate bytes of an entry with inline fields set, most likely correct first.

    An existing field is changed in place. A new one goes to the end of a line, before a block id:
    the last line, the first, or any in between; of an imported entry, the last of its statement.
    What is resolved is ticked off too.

    Args:
        text: The complete entry.
        fields: Values by name; "" removes the field.
    """
    missing = []
    text, rest = _parted(text)
    if fields.get(RESOLVED_BY) and (marker := _MARKER.match(text)):
        text = marker.group().replace(b"[ ]", b"[x]") + text[marker.end() :]
    for name, value in fields.items():
        is_value = len(value) <= LONGEST_FIELD and set("[]\n\r").isdisjoint(value)
        if not _FIELD_NAME.fullmatch(name) or not is_value:
            raise InputError(f"[{name}:: {value}] is no inline field")
        new = f" [{name}:: {value}]".encode() if value else b""
        known = re.compile(_FIELD % re.escape(name).encode(), re.IGNORECASE)
        there = [one for one in known.finditer(text) if one["field"]]
        if value and not there:
            missing.append(new)
        for one in reversed(there if not value else there[-1:]):  # the last is effective
            text = text[: one.start()] + new + text[one.end() :]
    added = b"".join(missing)
    if not added:
        yield text + rest
        return
    lines = text.splitlines(keepends=True)
    told = outside_fences(lines)
    for at in dict.fromkeys([*told[-1:], *told]):
        yield b"".join((*lines[:at], _with_mark(lines[at], added), *lines[at + 1 :], rest))


def outside_fences(lines: Sequence[bytes]) -> list[int]:
    """The numbers of the lines with text that are not of a fence."""
    told: list[int] = []
    ends: Callable[[bytes], object] | None = None
    for at, line in enumerate(lines):
        if ends is not None:
            ends = None if ends(line.strip()) else ends
        elif (ends := markdown.opens_fence(line.strip())) is None and line.strip():
            told.append(at)
    return told


def keywords_of(*groups: Iterable[str]) -> str:
    """Return groups of keywords as the value of a field; what does not fit is left out."""
    made = ""
    names = (" ".join(part.split()) for group in groups for part in group)
    for one in dict.fromkeys(filter(None, names)):
        more = f"{made}, {one}" if made else one
        made = more if len(more) <= LONGEST_FIELD else made
    return made


_IDS = lazy_pattern(r"\^?[A-Za-z0-9-]{3,64}(?:,\s*\^?[A-Za-z0-9-]{3,64})*,?\s*")


def links_of(other: str, own: str) -> str:
    """Return a link to an entry beside the links in a field; "" if that says something else."""
    ids = re.findall(r"[A-Za-z0-9-]+", own) if _IDS.fullmatch(own) else []
    return ", ".join(dict.fromkeys([other, *ids])) if ids or not own else ""


def _with_mark(line: bytes, added: bytes) -> bytes:
    body = line.rstrip()
    tail = _ID_AT_END.search(body)
    at = tail.start() if tail else len(body)
    return body[:at] + added + body[at:] + line[len(body) :]


def below(own: bytes) -> bytes:
    """Return what is below the statement of an entry, as it stands.

    Below an imported entry, whose statement has the field with its origin, that is all; below
    others it is code.

    Args:
        own: The complete entry.
    """
    said, rest = _parted(own)
    lines = said.splitlines(keepends=True)
    told = outside_fences(lines)
    code = b"".join(line for at, line in enumerate(lines) if at not in told)
    return rest or code.lstrip(b"\r\n")


def _parted(own: bytes) -> tuple[bytes, bytes]:
    """The lines of an imported entry's statement, and the others; of others, all and none."""
    from mind.documents.parser.drafts import statement_end  # noqa: PLC0415 - only for changes

    lines = own.splitlines(keepends=True)
    at = statement_end(line.decode("utf-8", "replace") for line in lines) or len(lines)
    return b"".join(lines[:at]), b"".join(lines[at:])


def told_below(source: bytes, entries: Iterable[Entry]) -> dict[str, str]:
    r"""Map imported entries to what is below them: lines joined by ``\n``, without indentation.

    Args:
        source: A file.
        entries: Its entries; those nested in others are left out of what is below these.
    """
    lines, found = source.splitlines(keepends=True), {}
    there = sorted(entries, key=lambda one: one.span.start)
    starts = [one.span.start for one in there]
    for at, entry in enumerate(there):
        if ORIGIN in entry.fields and entry.line < entry.end:
            inner = there[at + 1 : bisect_left(starts, entry.span.end)]
            gone = {number for one in inner for number in range(one.line, one.end + 1)}
            own = (lines[n - 1] for n in range(entry.line, entry.end + 1) if n not in gone)
            told = below(b"".join(own)).decode("utf-8", "replace").replace("\r\n", "\n")
            found[entry.id] = dedent(told).rstrip()
    return found


def indented(text: str) -> str:
    r"""The lines below an entry's first one, joined by ``\n``, as they are written."""
    return "".join(f"\n  {line}".rstrip(" ") for line in text.split("\n")) if text else ""


def rewritten(old: bytes, line: str, entry: Entry) -> bytes:
    """Replace the text of an entry, keeping its list marker, fields and id.

    One line replaces the statement: what is :func:`below` it stays. Several replace all.

    Args:
        old: The complete entry.
        line: From :func:`line_for`.
        entry: The entry parsed from ``old``.
    """
    newline = markdown.line_end(old)
    marker = _MARKER.match(old)
    begin = marker.group() if marker else b""
    kept = "".join(
        f" [{name}:: {value}]" for name, value in entry.fields.items() if name not in _KEPT
    )
    first, *rest = line.split("\n")
    indent = " " * len(begin.partition(b"[")[0]) if marker else "  "
    lines = [first, *(f"{indent}{one.removeprefix('  ')}".rstrip() for one in rest)]
    encoded = [one.encode("utf-8", "replace") for one in lines]
    at = 0 if ORIGIN in entry.fields else outside_fences(encoded)[-1]
    encoded[at] += f"{kept} ^{entry.id}".encode()
    stays = b"" if rest else below(old)
    blank = old[len(old.rstrip()) :]
    return begin + newline.join(encoded) + (newline + stays if stays else blank)
