"""A file cut so that no entry lies in two pieces: sections, and records with all their fields."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from mind.documents import markdown
from mind.documents.parser.lexicon import Lexicon
from mind.documents.parser.lines import is_dated_line
from mind.documents.parser.place import Headings, Place, Title, place, title
from mind.domain.entry import Span

_MAYBE_DATED = re.compile(r"^(?:\*\*|__)?\[(?:19|20)\d\d", re.MULTILINE)
_LINES = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_FENCE = re.compile(r"\s{0,3}(?:`{3}|~{3})")
_FLAT = ("why", "impact", "context", "alternatives", "fix", "status", "date", "meta")


@dataclass(frozen=True, slots=True)
class Start:
    """Where a piece of a file begins: the headings above, its first line and byte."""

    headings: Headings = ()
    line: int = 1
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Head:
    """One section with what its heading says.

    Attributes:
        above: The place its heading stands in; for a part without heading, the place itself.
        title: None for what stands before the first heading of the source.
    """

    section: markdown.Section
    above: Place
    title: Title | None
    level: int
    text: str


def groups(source: bytes, path: str, words: Lexicon, start: Start) -> list[list[Head]]:
    """The sections of ``source``, those of one record together, with spans within ``source``."""
    heads = _heads(source, path, words, start)
    joined: list[list[Head]] = []
    at = 0
    while at < len(heads):
        end = _end_of_record(heads, at)
        before = joined[-1][0].title if joined else None
        if end > at + 1 and before is not None and before.role == "field" and _is_flat(heads, at):
            end = at + 1 if len(joined[-1]) == 1 else end
        joined.append(heads[at:end])
        at = end
    return joined


def _heads(source: bytes, path: str, words: Lexicon, start: Start) -> list[Head]:
    heads: list[Head] = []
    for section in markdown.sections(source):
        headings = _merged(start.headings, section.headings)
        text = source[section.span.start : section.span.end].decode("utf-8", "surrogateescape")
        first = section.line + start.line - 1
        head = Head(
            markdown.Section(section.span, first, headings),
            place(headings[:-1] if section.headings else headings, path, words),
            title(headings[-1][1], headings[-1][0], words) if section.headings else None,
            headings[-1][0] if section.headings else 0,
            text,
        )
        heads += _cut_at_dates(head) if _MAYBE_DATED.search(text) else [head]
    return heads


def _cut_at_dates(head: Head) -> list[Head]:
    """``head``, cut before each ``[2026-01-20 09:00] - title``: a record begins there."""
    parts: list[list[str]] = [[]]
    fenced = False
    for line in _LINES.findall(head.text):
        fenced ^= bool(_FENCE.match(line))
        if not fenced and parts[-1] and line.startswith(("[", "*", "_")) and is_dated_line(line):
            parts.append([])
        parts[-1].append(line)
    heads: list[Head] = []
    at, number = head.section.span.start, head.section.line
    for part in parts:
        text = "".join(part)
        raw = text.encode("utf-8", "surrogateescape")
        if heads and any(one.headings for one in markdown.sections(raw)):
            return [head]  # what is cut off reads otherwise by itself: an underline, a comment
        section = markdown.Section(Span(at, at + len(raw)), number, head.section.headings)
        heads.append(Head(section, head.above, None if heads else head.title, 0, text))
        at += len(raw)
        number += len(part)
    return [replace(heads[0], level=head.level), *heads[1:]]


def _merged(above: Headings, own: Headings) -> Headings:
    """``own`` headings below those of ``above`` that they do not end."""
    return (*(pair for pair in above if pair[0] < own[0][0]), *own) if own else above


def _end_of_record(heads: Sequence[Head], at: int) -> int:
    """The index after the last section of the record that begins at ``at``; at + 1 if none."""
    head = heads[at]
    end = at + 1
    if head.title is None:
        dated = is_dated_line(head.text.split("\n", 1)[0])
        if dated and len(head.text.strip().split("\n")) == 1 and _is_flat(heads, end):
            return _end_of_flat(heads, end, whole=True)
        return end
    if _is_flat(heads, at):
        return _end_of_flat(heads, at, whole=False)
    ided = head.title.name == "id"
    if is_record(head) and (ided or _has_fields(heads, at)):
        while end < len(heads) and (heads[end].level > head.level or not heads[end].level):
            end += 1
    return end


def _end_of_flat(heads: Sequence[Head], at: int, *, whole: bool) -> int:
    """The end of a record whose fields stand beside each other.

    If a dated line began it (``whole``), other sections up to the next one belong to it too.
    """
    level = heads[at].level
    end = at + 1
    while end < len(heads):
        one = heads[end].title
        if one is None or heads[end].level < level:
            break
        field = one.role == "field" and one.name in _FLAT
        other = one.role in ("kind", "log", "record") or one.name == "what"
        if heads[end].level == level and not field and (other or not whole):
            break
        end += 1
    return end


def _is_flat(heads: Sequence[Head], at: int) -> bool:
    """Whether a heading "Decision" is followed by its "Rationale" on the same level."""
    if at + 1 >= len(heads):
        return False
    one, following = heads[at].title, heads[at + 1].title
    if one is None or following is None or heads[at + 1].level != heads[at].level:
        return False
    if one.role != "field" or one.name != "what" or one.kind is None:
        return False
    return following.role == "field" and following.name in _FLAT


def _has_fields(heads: Sequence[Head], at: int) -> bool:
    child = next((other for other in heads[at + 1 :] if other.level), None)
    return (
        child is not None
        and child.level > heads[at].level
        and child.title is not None
        and child.title.role == "field"
    )


def is_record(head: Head) -> bool:
    """Whether a heading is one remembered thing: it has an identifier, or a label and a text."""
    one = head.title
    if one is None or one.role != "record" or head.above.mode in ("relation", "template"):
        return False
    return head.level > 1 and (one.kind or head.above.kind) is not None
