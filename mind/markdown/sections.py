"""Cutting a file into sections at its headings, by a scan of its lines."""

import re
from collections.abc import Iterator

from mind.entry import Span
from mind.markdown.values import Section

_BOM = b"\xef\xbb\xbf"
_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_FENCE = re.compile(rb" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
_ATX = re.compile(rb"#{1,6}(?=[ \t]|$)")
_UNDERLINE = re.compile(rb"(=+|-+)[ \t]*$")
_RAW_OPENING = re.compile(
    rb" {0,3}(?:(<!--)|<(script|pre|style|textarea)(?=[ \t>]|$))", re.IGNORECASE
)
_NOT_PLAIN = re.compile(rb"[ \t>#<|`~]|[-+*][ \t]|\d{1,9}[.)][ \t]|[-*_=]+[ \t]*$")


def sections(source: bytes) -> list[Section]:
    """Cut ``source`` at its headings; the sections in order make up the whole of it.

    A heading is an ATX heading at the start of a line, or a line of text between blank lines that
    is underlined, outside fences, HTML comments and front matter.
    """
    found: list[Section] = []
    stack: tuple[tuple[int, str], ...] = ()
    begin, first = 0, 1
    for number, start, level, title in _headings(source):
        if start > begin:
            found.append(Section(Span(begin, start), first, stack))
        begin, first = start, number
        stack = (*(one for one in stack if one[0] < level), (level, title))
    return [*found, Section(Span(begin, len(source)), first, stack)]


def numbered_lines(source: bytes) -> list[tuple[int, bytes]]:
    """(offset, line without its end) of every line."""
    start = len(_BOM) if source.startswith(_BOM) else 0
    return [
        (found.start(), found.group().rstrip(b"\r\n")) for found in _LINE.finditer(source, start)
    ]


def _headings(source: bytes) -> Iterator[tuple[int, int, int, str]]:
    """(line number, offset, level, text) of every heading that begins a section."""
    lines = numbered_lines(source)
    closing: bytes | None = None
    for at in range(front_matter_lines(lines), len(lines)):
        offset, line = lines[at]
        if closing is not None:
            closing = None if _closes(line, closing) else closing
        elif line.startswith(b"#"):
            atx = _ATX.match(line)
            if atx:
                yield at + 1, offset, atx.end(), _title(line[atx.end() :])
        elif line[:4].lstrip(b" ")[:1] in (b"`", b"~", b"<"):
            closing = _opens(line)
        elif line[:1] in (b"=", b"-") and _is_underlined(lines, at):
            title = lines[at - 1]
            yield at, title[0], 1 if line.startswith(b"=") else 2, decoded(title[1]).strip()


def _title(text: bytes) -> str:
    """The text of an ATX heading, without the marks that may close it."""
    title = text.strip(b" \t")
    open_end = title.rstrip(b"#")
    if open_end != title and (not open_end or open_end[-1:] in b" \t"):
        title = open_end
    return decoded(title).strip()


def _is_underlined(lines: list[tuple[int, bytes]], at: int) -> bool:
    if at == 0 or not _UNDERLINE.match(lines[at][1]):
        return False
    title = lines[at - 1][1]
    before = lines[at - 2][1] if at > 1 else b""
    return bool(title.strip()) and not _NOT_PLAIN.match(title) and not before.strip()


def _opens(line: bytes) -> bytes | None:
    """What closes the fence or raw HTML that ``line`` opens; None if it opens none."""
    fence = _FENCE.match(line)
    if fence:
        return fence[1]
    raw = _RAW_OPENING.match(line)
    if not raw:
        return None
    closing = b"-->" if raw[1] else b"</" + raw[2].lower() + b">"
    return None if closing in line[raw.end(1 if raw[1] else 2) :].lower() else closing


def _closes(line: bytes, closing: bytes) -> bool:
    if closing[:1] in (b"`", b"~"):
        text = line.strip(b" \t")
        return len(text) >= len(closing) and not text.strip(closing[:1])
    return closing in line.lower()


def front_matter_lines(lines: list[tuple[int, bytes]]) -> int:
    """How many lines at the top are front matter."""
    if not lines or lines[0][1].rstrip() != b"---":
        return 0
    for at in range(1, len(lines)):
        text = lines[at][1].rstrip()
        if text in (b"---", b"..."):
            return at + 1
        if at == 1 and not re.match(rb"[\w\"'#-]", text):
            return 0
    return 0


def decoded(text: bytes) -> str:
    """``text`` as a string that encodes back to the same bytes."""
    return text.decode("utf-8", "surrogateescape")
