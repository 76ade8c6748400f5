"""ARCHIVE.md: stores superseded and forgotten entries and finds where to restore them; pure.

A block records when, why and from where an entry was removed, with its exact bytes in a fence. The
neighbouring lines are kept as hashes, so that an entry can be restored to its original position.
"""

import hashlib
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import NamedTuple

from mind.documents import markdown
from mind.documents.secret_entries import hider, masked_below
from mind.domain.entry import Entry, Kind, Span, iso_day
from mind.text import lazy_pattern, secrets


def places(source: bytes, text: bytes, section: Sequence[str]) -> list[int]:
    """Offsets of ``text`` in ``source``, below headings with these texts, outermost first."""
    found = list(_anywhere(source, text.rstrip(b"\r\n")))
    if not found:
        return []
    spans = [
        (one.span, tuple(heading.strip() for _, heading in one.headings))
        for one in markdown.sections(source)
    ]
    wanted = tuple(section)
    return [
        at
        for at in found
        if any(
            span.start <= at < span.end
            and (headings == wanted or (at == span.start and headings[:-1] == wanted))
            for span, headings in spans
        )
    ]


def _copies_in(source: bytes, text: bytes, section: Sequence[str]) -> int:
    """Return how often :func:`places` finds ``text`` in ``source``; at least 1."""
    found = _anywhere(source, text.rstrip(b"\r\n"))
    next(found, None)
    if next(found, None) is None:  # skips parsing the headings
        return 1
    return max(1, len(places(source, text, section)))


def _anywhere(source: bytes, core: bytes) -> Iterator[int]:
    """Offsets at which ``core`` occurs as whole lines."""
    at = source.find(core) if core else -1
    while at >= 0:
        end = at + len(core)
        begins = at == 0 or source[at - 1 : at] in _LINE_ENDS or source[:at] == _BOM
        if begins and source[end : end + 1] in (b"", *_LINE_ENDS):
            yield at
        at = source.find(core, at + 1)


_BLOCK = lazy_pattern(
    rb"^## (?P<day>\d{4}-\d\d-\d\d) (?P<id>[\w-]+)[ \t]*(?P<newline>\r?\n)\s*"
    rb"(?P<facts>(?:- [^\n]*\n)+)\s*"
    rb"^(?P<fence>`{3,})markdown[ \t]*\r?\n(?P<text>.*?)^(?P=fence)[ \t\r]*$(?:\n\r?){0,2}",
    re.MULTILINE | re.DOTALL,
)
_FROM = lazy_pattern(r"(?P<file>.+?):(?P<line>\d{1,9}), under (?P<section>.*)")
_WAS = lazy_pattern(r"(?P<kind>\w+)(?: of (?P<date>\d{4}-\d\d-\d\d))?")
_NUMBER = lazy_pattern(r"\d{1,9}")
_BOM = b"\xef\xbb\xbf"
_LINE_ENDS = (b"\n", b"\r")
_OPEN = "without a line end"
_SEPARATOR = " › "
_TOP = "the top"
_NEARBY = 200
"""Lines: an entry archived from farther away is not a neighbour."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Archived:
    """One block of the archive.

    Attributes:
        id: Id of the entry.
        day: Day of archiving.
        reason: Why.
        kind: Of the entry, if recorded.
        date: Of the entry.
        file: Original file, relative to the project.
        line: Original first line, counting archived lines too.
        section: Texts of the headings above it.
        around: Hashes of the lines before and after it, and blank lines between.
        replaced_by: Id of the entry that superseded it; "" if none.
        copies: Number of identical entries in or archived from its section, this one included.
        text: Its bytes.
        span: Of the block in ARCHIVE.md.
    """

    id: str
    day: date
    reason: str
    kind: Kind | None
    date: "date | None"
    file: str
    line: int
    section: tuple[str, ...]
    around: tuple["Neighbour", "Neighbour"]
    replaced_by: str
    copies: int
    text: bytes
    span: Span

    @property
    def one_line(self) -> str:
        """Its text on one line."""
        return " ".join(self.text.decode("utf-8", "replace").split())


class Neighbour(NamedTuple):
    """A line near an entry: its hash ("" at the end of the file) and blank lines between."""

    digest: str = ""
    blank: int = 0

    def __str__(self) -> str:
        return f"{self.digest or '-'}+{self.blank}"

    @classmethod
    def of(cls, text: str) -> "Neighbour":
        """Parse a written neighbour; without data if the text is not one."""
        digest, _, blank = text.partition("+")
        return cls("" if digest == "-" else digest, int(blank) if _NUMBER.fullmatch(blank) else 0)


def block(  # noqa: PLR0913 - one parameter for each recorded property
    entry: Entry,
    source: bytes,
    *,
    day: date,
    reason: str,
    replaced_by: str,
    known: Sequence[Archived],
) -> bytes:
    """Format ``entry`` as a block: its bytes, with masks in place of secrets.

    Args:
        entry: Its span is in ``source``.
        source: The file that contains it.
        day: Today.
        reason: Why it is archived.
        replaced_by: Id of the entry that supersedes it, or "".
        known: Blocks in ARCHIVE.md.
    """
    stood = source[entry.span.start : entry.span.end]
    text = _masked(entry, stood)
    fence = b"`" * max(3, 1 + max((len(run) for run in re.findall(rb"`+", text)), default=0))
    # as if the text archived from above it were restored
    line = _shifted(_line_ends(source[: entry.span.start]) + 1, _sizes(entry.source, known))
    dated = f" of {entry.date.isoformat()}" if entry.date else ""
    facts = [
        f"reason: {' '.join(reason.split())}",
        f"was: {entry.kind.value}{dated}",
        f"from: {entry.source}:{line}, under {_SEPARATOR.join(entry.section) or _TOP}",
        "between: {} {}".format(*_around(source, entry.span)),
    ]
    if replaced_by:
        facts.append(f"replaced by: {replaced_by}")
    count = _copies_in(source, stood, entry.section)
    count += sum(origin(one) == (entry.source, entry.section, text) for one in known)
    if count > 1:
        facts.append(f"copies: {count}")
    if not text.endswith(b"\n"):
        facts.append(f"ends: {_OPEN}")
    head = f"## {day.isoformat()} {entry.id}\n\n" + "".join(f"- {fact}\n" for fact in facts)
    body = text if text.endswith(b"\n") else text + b"\n"
    told = head.encode("utf-8", "replace") + b"\n"
    return told + fence + b"markdown\n" + body + fence + b"\n\n"


def _masked(entry: Entry, stood: bytes) -> bytes:
    """Return the bytes of an entry that are stored."""
    if not entry.masked:
        return stood
    above = "".join(f"# {title}\n" for title in entry.section)
    text = stood.decode("utf-8", "surrogateescape")
    kept = masked_below(above, text)
    if kept == text:  # the text forms a secret only when its lines are joined
        kept = f"- {entry.text}\n"
    return kept.encode("utf-8", "surrogateescape")


def blocks(source: bytes, saying: Sequence[bytes] = ()) -> list[Archived]:
    """Parse ARCHIVE.md: blocks, oldest first, without secrets; other text is ignored.

    Args:
        source: ARCHIVE.md.
        saying: Only texts that contain all of these, in lower case.
    """
    return list(_blocks(source, saying))


def _blocks(source: bytes, saying: Sequence[bytes]) -> Iterator[Archived]:
    suspect = bool(saying) or bool(secrets.find(source.decode("utf-8", "replace")))
    for found in _BLOCK.finditer(source):
        if saying:
            text = found["text"].lower()
            if not all(one in text for one in saying):
                continue
        lines = found["facts"].decode("utf-8", "replace").splitlines()
        named = (line.removeprefix("- ").partition(": ") for line in lines)
        facts = {name: value.strip() for name, _, value in named}
        day = iso_day(found["day"].decode())
        if day is None:
            continue
        where = _FROM.fullmatch(facts.get("from", ""))
        section = where["section"] if where else _TOP
        was = _WAS.fullmatch(facts.get("was", ""))
        before, _, after = facts.get("between", "").partition(" ")
        one = Archived(
            id=found["id"].decode(),
            day=day,
            reason=facts.get("reason", ""),
            kind=_KINDS.get(was["kind"]) if was else None,
            date=iso_day(was["date"] or "") if was else None,
            file=where["file"] if where else "",
            line=int(where["line"]) if where else 0,
            section=() if section == _TOP else tuple(section.split(_SEPARATOR)),
            around=(Neighbour.of(before), Neighbour.of(after)),
            replaced_by=facts.get("replaced by", ""),
            copies=_count(facts.get("copies", "")),
            text=_text(found, is_open=facts.get("ends") == _OPEN),
            span=Span(found.start(), found.end()),
        )
        yield _covered(one, found[0]) if suspect else one


def _covered(one: Archived, block: bytes) -> Archived:
    """``one`` without secrets."""
    hide = hider(block.decode("utf-8", "surrogateescape"))
    if hide is None:
        return one
    text = hide(one.text.decode("utf-8", "surrogateescape"))
    return replace(
        one,
        id=hide(one.id),
        reason=hide(one.reason),
        file=hide(one.file),
        section=tuple(map(hide, one.section)),
        replaced_by=hide(one.replaced_by),
        text=text.encode("utf-8", "surrogateescape"),
    )


def origin(one: Archived) -> tuple[str, tuple[str, ...], bytes]:
    """Return the file, section and text, which copies have in common."""
    return one.file, one.section, one.text


def _count(text: str) -> int:
    return int(text) if _NUMBER.fullmatch(text) else 1


_KINDS = {kind.value: kind for kind in Kind}


def _text(found: re.Match[bytes], *, is_open: bool) -> bytes:
    """The original bytes; if a tool converted the archive's line ends, converted likewise."""
    text = found["text"]
    if found["newline"] == b"\r\n":
        text = text.replace(b"\r\n", b"\n")
    return text.removesuffix(b"\n") if is_open else text


def _digest(line: bytes) -> str:
    return hashlib.blake2b(line.strip(), digest_size=4).hexdigest()


def _around(source: bytes, span: Span) -> tuple[Neighbour, Neighbour]:
    before = source[: span.start].removeprefix(_BOM)
    body = before.rstrip()
    blank = len(before[len(body) :].splitlines())
    above = Neighbour("", blank)
    if body:
        above = Neighbour(_digest(body.splitlines()[-1]), max(0, blank - 1))
    after = source[span.end :]
    body = after.lstrip()
    if not body:
        return above, Neighbour("", len(after.splitlines()))
    blank = len((after[: len(after) - len(body)] + b".").splitlines()) - 1
    return above, Neighbour(_digest(body.splitlines()[0]), blank)


def _line_ends(text: bytes) -> int:
    return text.count(b"\n") + text.count(b"\r") - text.count(b"\r\n")


def _sizes(file: str, archived: Sequence[Archived]) -> list[tuple[int, int]]:
    """Return (first line, number of lines) of each text archived from ``file``, in order."""
    return sorted((one.line, max(1, _line_ends(one.text))) for one in archived if one.file == file)


def _shifted(line: int, sizes: Sequence[tuple[int, int]]) -> int:
    for begun, size in sizes:
        if begun > line:
            break
        line += size
    return line


def place(source: bytes, one: Archived, known: Sequence[Archived]) -> int | None:
    """Find the offset in ``source`` at which to restore ``one``; None if no neighbour is left.

    Between its original neighbours; if they were separated or one is gone, next to one of them;
    else at the end of its section. Neighbours that were archived later are taken into account.

    Args:
        source: The file.
        one: The archived block.
        known: All blocks of the archive, in order.
    """
    bom = _BOM if source.startswith(_BOM) else b""
    real = source.removeprefix(bom).splitlines(keepends=True)
    told, numbers = [_told(line) for line in real], list(range(len(real)))
    own = next(at for at, other in enumerate(known) if other.span == one.span)
    for at in range(len(known) - 1, own, -1):
        other = known[at]
        if other.file != one.file or abs(other.line - one.line) > _NEARBY:
            continue
        gap = _gap(told, other, known[:at])
        if gap is not None:
            lines = other.text.splitlines()
            told[gap:gap] = map(_told, lines)
            numbers[gap:gap] = [-1] * len(lines)
    gap = _gap(told, one, known[:own])
    if gap is None:
        return _end_of_section(source, one.section)
    number = next((number for number in numbers[gap:] if number >= 0), len(real))
    return len(bom) + sum(map(len, real[:number]))


def _told(line: bytes) -> str:
    """Return the part of a line that is compared; "" for a blank one."""
    return _digest(line) if line.strip() else ""


def _gap(told: Sequence[str], one: Archived, earlier: Sequence[Archived]) -> int | None:
    """The 0-based number of the line before which ``one`` was."""
    gaps = _gaps(told, one.around)
    if not gaps:
        return None
    sizes = _sizes(one.file, earlier)

    def order(gap: _Gap) -> tuple[bool, int, int]:
        far = abs(_shifted(gap.line + 1, sizes) - one.line)
        return far > 0, -gap.fits, far  # one exact line is better evidence than two neighbours

    return min(gaps, key=order).line


class _Gap(NamedTuple):
    """The position before a 0-based line, and how many neighbours match."""

    line: int
    fits: int


def _gaps(told: Sequence[str], around: tuple[Neighbour, Neighbour]) -> list[_Gap]:
    """Positions next to a neighbour, and between two that other lines now separate."""
    before, after = around
    behind = [
        min(at + 1 + before.blank, _next(told, at + 1)) for at in _all(told, before.digest, -1)
    ]
    ahead = [
        max(at - after.blank, _last(told, at - 1) + 1) for at in _all(told, after.digest, len(told))
    ]
    after_it = [_Gap(at, 1 + _is(told, _next(told, at), after)) for at in behind]
    before_it = [_Gap(at, 1 + _is(told, _last(told, at - 1), before)) for at in ahead]
    if not (behind and ahead) and not (before.digest and after.digest):
        return []  # the end of a file alone is no evidence
    between = ((_below(behind, end), end) for end in ahead)
    return (
        after_it
        + before_it
        + [
            _Gap(at, 1)
            for start, end in between
            if end - start <= _NEARBY
            for at in range(start + 1, end)
        ]
    )


def _below(numbers: Sequence[int], end: int) -> int:
    """The greatest of the sorted ``numbers`` below ``end``; else ``end``."""
    at = bisect_left(numbers, end)
    return numbers[at - 1] if at else end


def _all(told: Sequence[str], digest: str, edge: int) -> list[int]:
    """Return all numbers of the line; for no line, beyond the end of the file."""
    return [at for at, one in enumerate(told) if one == digest] if digest else [edge]


def _next(told: Sequence[str], start: int) -> int:
    return next((at for at in range(start, len(told)) if told[at]), len(told))


def _last(told: Sequence[str], start: int) -> int:
    return next((at for at in range(start, -1, -1) if told[at]), -1)


def _is(told: Sequence[str], at: int, wanted: Neighbour) -> bool:
    return (told[at] if 0 <= at < len(told) else "") == wanted.digest


def _end_of_section(source: bytes, section: Sequence[str]) -> int | None:
    found = [
        one
        for one in markdown.sections(source)
        if section and tuple(text.strip() for _, text in one.headings) == tuple(section)
    ]
    if not found:
        return None
    span = found[-1].span
    body = source[span.start : span.end].rstrip()
    end = source.find(b"\n", span.start + len(body))
    return len(source) if end < 0 else end + 1


MISSING = "missing after another program saved MEMORY.md"
"""Reason for entries that disappeared without a recorded cause."""
