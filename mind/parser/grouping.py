"""A file cut so that no entry lies in two pieces: sections, and records with all their fields."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from mind import markdown
from mind.config import Settings
from mind.entry import Kind, Span
from mind.parser.lexicon import DECIDING, FAILING, Lexicon, field_of, fold, lexicon
from mind.parser.place import Headings, Place, place
from mind.parser.titles import Title, is_dated_line, is_numbered, title

_BULLET = re.compile(r"(?:[-*+]|\d{1,3}[.)])\s+\S")
_LABELLED = re.compile(
    r"\s{0,8}(?:[-*+]\s+|\d{1,3}[.)]\s+)?(?P<bold>\*\*|__)?(?P<label>[^:：*_\n]{2,40}?)(?:\*\*|__)?"
    r"\s{0,2}[:：](?:\*\*|__)?"
)
_CONFLICT = re.compile(
    rb"^(?:<{7} [^\r\n]*|\|{7} [^\r\n]*|={7}|>{7} [^\r\n]*)(?=\r?$)", re.MULTILINE
)
_MAYBE_DATED = re.compile(r"^(?:\*\*|__)?\[(?:19|20)\d\d", re.MULTILINE)
_LINES = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_FENCE = re.compile(r"\s{0,3}(?:`{3}|~{3})")
_FLAT = ("why", "impact", "context", "alternatives", "fix", "status", "date", "meta")
_TELLING = frozenset({"why", "what", "context", "fix", "impact", "alternatives"})
_VERBISH = re.compile(
    r"\b(?:is|are|was|were|must|should|never|always|not|don't|doesn't|use|using|over|instead|vs|"
    r"via|with|without|for|when|in|to|from|on|of)\b|[—–:/`()]|\s-\s",
    re.IGNORECASE,
)


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


def pieces(
    source: bytes, path: str, settings: Settings, start: Start | None = None
) -> list[markdown.Section]:
    """Sections of ``source``, those of one record joined; they tile it exactly.

    ``parse`` of each, with its headings, line and offset as ``Start``, gives together what
    ``parse`` of the whole gives.
    """
    found = groups(unmarked(source), path, lexicon(settings), start or Start())
    return [
        markdown.Section(
            Span(one[0].section.span.start, one[-1].section.span.end),
            one[0].section.line,
            one[0].section.headings,
        )
        for one in found
    ]


def unmarked(source: bytes) -> bytes:
    """``source`` with blank lines for the marks of a conflict that git left: both sides count."""
    if b"<<<<<<< " in source or b">>>>>>> " in source:
        return _CONFLICT.sub(lambda found: b" " * len(found[0]), source)
    return source


def groups(source: bytes, path: str, words: Lexicon, start: Start) -> list[list[Head]]:
    """The sections of ``source``, those of one record together, with spans within ``source``."""
    heads = _heads(source, path, words, start)
    joined: list[list[Head]] = []
    at = 0
    while at < len(heads):
        end = _end_of_record(heads, at)
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
    if is_record(heads, at) and _folds(heads, at):
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


def _folds(heads: Sequence[Head], at: int) -> bool:
    """Whether a record has its fields, or what its identifier stands for, in sub-headings."""
    head = heads[at]
    ided = head.title is not None and head.title.name == "id"
    return ided or _has_fields(heads, at)


def _has_fields(heads: Sequence[Head], at: int) -> bool:
    child = next((other for other in heads[at + 1 :] if other.level), None)
    return (
        child is not None
        and child.level > heads[at].level
        and child.title is not None
        and child.title.role == "field"
    )


def is_record(heads: Sequence[Head], at: int) -> bool:
    """Whether the section at ``at`` is one remembered thing, with its fields if those follow.

    What follows counts only if it becomes part of the record: a piece read by itself must give
    the same answer.
    """
    head = heads[at]
    one = head.title
    if one is None or one.role in ("kind", "log", "state", "field"):
        return False
    kind = one.kind or head.above.kind
    if head.above.mode == "relation":
        return False
    if one.role == "record":
        return kind is not None
    body = _body(head.text)
    labelled = _labels(body)
    has_fields = _has_fields(heads, at)
    if kind is None or head.above.mode == "silent":
        told = kind_of_fields(labelled) is not None and not one.dated
        return told or (has_fields and _children_decide(heads, at))
    return has_fields or _is_entry_by_body(head, one, body, labelled)


def _is_entry_by_body(head: Head, one: Title, body: list[str], labelled: list[str]) -> bool:
    telling_fields = [name for name in labelled if name in _TELLING]
    if len(telling_fields) >= 2 or labelled[:1] == ["what"]:
        return True
    if one.role == "silent":
        return False
    if head.above.weight == "title" and head.above.kind is Kind.DECISION and one.dated:
        return bool(one.text)
    telling = bool(_VERBISH.search(one.text)) or len(one.text.split()) > 4
    in_section = head.above.weight == "section"
    if not body:
        return telling and in_section and len(one.text.split()) > 2
    if not any(_BULLET.match(line) for line in body):
        told = [line for line in body if line != "code" and not line.startswith("|")]
        return bool(told) and (in_section or telling or len(told) > 1)
    numbered = is_numbered(head.section.headings[-1][1])
    return (telling or numbered) and (in_section or head.level > 2)


def _children_decide(heads: Sequence[Head], at: int) -> bool:
    """Whether the sub-headings are those of a decision record or an incident."""
    names = set()
    for following in heads[at + 1 :]:
        if following.level <= heads[at].level:
            break
        if following.title is not None and following.title.role == "field":
            names.add(following.title.name)
            if following.title.kind is Kind.DECISION:
                names.add("decision")
    return "decision" in names and len(names) > 2


def _body(text: str) -> list[str]:
    """The lines below the heading, without blank ones, comments, rules and code."""
    kept = []
    fenced = False
    for line in text.split("\n")[1:]:
        if _FENCE.match(line):
            fenced = not fenced
            kept.append("code")
        elif not fenced and line.strip() and not line.lstrip().startswith(("<!--", "---", "***")):
            kept.append(line)
    return kept


def _labels(body: list[str]) -> list[str]:
    """The names of the fields that the lines of ``body`` are labelled with, in order.

    A label that tells a decision or a problem by itself adds ``decision`` or ``problem``.
    """
    names = []
    for line in body[:200]:
        found = _LABELLED.match(line)
        name = field_of(found.group("label")) if found else ""
        if found and name:
            names.append(name)
            own = fold(found.group("label"))
            if own in DECIDING:
                names.append("decision")
            elif own in FAILING:
                names.append("problem")
    return names


def kind_of_fields(labelled: Sequence[str]) -> Kind | None:
    """The kind of a record that only its fields announce: a decision with its reason."""
    if "decision" in labelled and "why" in labelled:
        return Kind.DECISION
    return Kind.PROBLEM if "problem" in labelled and "fix" in labelled else None


def kind_of_body(text: str) -> Kind | None:
    """The kind that the labelled lines of a section announce."""
    return kind_of_fields(_labels(_body(text)))
