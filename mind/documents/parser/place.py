"""The context of a block, from the headings above it and the file's name."""

import re
from dataclasses import dataclass, replace
from datetime import date as Date  # noqa: N812 - `date` is the name of a field here
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Literal, NamedTuple

from mind.documents import markdown
from mind.documents.parser.lexicon import (
    COMPOUNDS,
    DESCRIPTIONS,
    FIELDS,
    LOG,
    NOT_TITLES,
    NOUNS,
    PENDING,
    PLANS,
    TEMPLATE,
    TITLE_KINDS,
    Lexicon,
    field_of,
    fold,
    is_one_of,
    label_forms,
    undated,
)
from mind.domain.entry import Kind, Span
from mind.text import lazy_pattern
from mind.text.dates import heading_date

Headings = tuple[tuple[int, str], ...]
Weight = Literal["", "title", "section"]
Role = Literal["kind", "field", "silent", "template", "log", "record", "neutral"]

_ID = lazy_pattern(
    r"^\[?(?P<id>(?P<prefix>[A-Z]{1,6})[-_ ]?(?:\d{1,8}|[A-Z0-9]{1,8}-\d{1,6})(?:-[A-Z0-9]{1,6})?)"
    r"\]?\s*(?:[:：.)—–-]+\s*|\s+|$)(?P<title>.*)$"
)
_ID_KINDS = {
    "ADR": Kind.DECISION,
    "D": Kind.DECISION,
    "DEC": Kind.DECISION,
    "DR": Kind.DECISION,
    "RFC": Kind.DECISION,
    "LRN": Kind.LEARNING,
    "L": Kind.LEARNING,
    "LL": Kind.LEARNING,
    "LESSON": Kind.LEARNING,
    "ERR": Kind.PROBLEM,
    "BUG": Kind.PROBLEM,
    "ISSUE": Kind.PROBLEM,
    "ISS": Kind.PROBLEM,
    "P": Kind.PROBLEM,
    "G": Kind.GOTCHA,
    "GOT": Kind.GOTCHA,
    "GOTCHA": Kind.GOTCHA,
    "FIX": Kind.PROGRESS,
    "REJ": Kind.REJECTED,
    "FEAT": Kind.TODO,
}
_SPLIT = lazy_pattern(r"\s*[:：]\s+|：|\s+[-–—|]\s+")
_DATE = lazy_pattern(
    r"\[?\(?\b(?:19|20)\d\d[-/.](?:0?[1-9]|1[0-2])[-/.](?:0?[1-9]|[12]\d|3[01])\b"
    r"(?:[T ]\d\d?:\d\d(?::\d\d)?(?:\s?Z|\s?[AP]M)?)?\)?\]?"
    r"|(?:19|20)\d\d年\d{1,2}月\d{1,2}日",
    re.IGNORECASE,
)
_AROUND_DATES = " \t:-–—|,·()[]"
_VERSION = lazy_pattern(r"v?\d+(?:\.\d+)+\S*", re.IGNORECASE)
_PLURAL = lazy_pattern(r"(?:s|en|и|ы|ые|志|录|ログ|事項)$")


@dataclass(frozen=True, slots=True)
class Title:
    """A parsed heading.

    Attributes:
        role: Its function.
        kind: For kind and record.
        name: For field, the field's name; "id" for a record that carries an identifier.
        dated: Whether the text had a date.
        text: Its text without identifier, date, label and numbering.
    """

    role: Role
    text: str
    kind: Kind | None = None
    name: str = ""
    dated: bool = False


@lru_cache(maxsize=2048)
def title(text: str, level: int, words: Lexicon) -> Title:
    """Parse the heading ``text``."""
    plain = " ".join(text.split()).strip("*_ ")
    own = without_date(plain)
    dated = own != plain
    if not fold(own):
        return Title("log", plain, dated=dated)
    return (
        _whole(own, dated, words)
        or _identified(own, dated)
        or _labelled(own, level, dated, words)
        or _by_noun(own, dated, words)
        or _day(own)
        or Title("neutral", _unnumbered(own), dated=dated)
    )


def _day(text: str) -> Title | None:
    """A written date: ``3. Februar 2026``, ``Monday, Feb 3, 2026``."""
    words, numbers = len(re.findall(r"[^\W\d_]+", text)), len(re.findall(r"\d+", text))
    if not numbers or words > 3:
        return None
    if words <= 1 and numbers > 1 and not _VERSION.fullmatch(text):  # 4/12/2022, Mo, 3.3.
        return Title("log", text, dated=True)
    return Title("log", text, dated=True) if heading_date(text) is not None else None


def without_date(text: str) -> str:
    """``text`` without a numeric date and its separators."""
    if not any(mark.isdigit() for mark in text):
        return text
    bare = _DATE.sub(" ", text)
    return text if bare == text else bare.strip(_AROUND_DATES)


def _whole(text: str, dated: bool, words: Lexicon) -> Title | None:
    """Parse a heading that is entirely a label."""
    folded = fold(text)
    if not TEMPLATE.isdisjoint(folded.split()):
        return Title("template", text, dated=dated)
    named = next((TITLE_KINDS[form] for form in label_forms(text) if form in TITLE_KINDS), None)
    if named is not None or folded in PLANS:
        return Title("kind", text, kind=named or Kind.TODO, dated=dated)
    name = field_of(text)
    if folded in DESCRIPTIONS and not name:
        return Title("silent", text, dated=dated)
    form = words.label_form(text)
    kind = words.labels.get(form)
    single = form in FIELDS and _is_single(text, name)
    if name and (kind is None or form in NOT_TITLES or single):
        return Title("field", text, kind=kind, name=name, dated=dated)
    exact = kind not in (Kind.EXPERIENCE, Kind.GOAL, Kind.TODO) or form == folded
    return _by_words(text, kind if exact else None, dated=dated, common=form in NOT_TITLES)


def _by_words(text: str, kind: Kind | None, *, dated: bool, common: bool) -> Title | None:
    if is_one_of(text, LOG):
        return Title("log", text, dated=dated)
    if kind is not None and not common:
        return Title("kind", text, kind=kind, dated=dated)
    if is_one_of(text, PLANS):
        return Title("kind", text, kind=Kind.TODO, dated=dated)
    if kind is not None or is_one_of(text, DESCRIPTIONS):
        return Title("silent", text, dated=dated)
    return None


def _is_single(text: str, name: str) -> bool:
    """Return whether an ambiguous label (Decision, Lösung, 决定) is for one entry, not a list."""
    return name in ("what", "fix", "alternatives") and not _PLURAL.search(fold(text))


def _identified(text: str, dated: bool) -> Title | None:
    found = _ID.match(text)
    if found is None:
        return None
    kind = _ID_KINDS.get(found.group("prefix"))
    return Title("record", found.group("title").strip() or text, kind=kind, name="id", dated=dated)


def _labelled(text: str, level: int, dated: bool, words: Lexicon) -> Title | None:
    """``Decision 4: use one queue`` is a record; ``Learnings — the app`` is a section."""
    parts = _SPLIT.split(text, maxsplit=1)
    if len(parts) != 2:
        return None
    head, rest = parts
    kind = words.label(head)
    if kind is None:
        if is_one_of(head, LOG):
            return Title("log", text, dated=dated)
        tail = words.label(rest) if level == 1 else None
        return Title("kind", text, kind=tail, dated=dated) if tail else None
    titles_section = level == 1 or _PLURAL.search(fold(head))
    if titles_section and not re.search(r"\d", head):
        return Title("kind", text, kind=kind, dated=dated)
    return Title("record", rest, kind=kind, dated=dated)


def _by_noun(text: str, dated: bool, words: Lexicon) -> Title | None:
    """A section named by its noun: ``Findings from the load test``, ``Baseline findings``."""
    folded = fold(text)
    parts = re.findall(r"[^\W\d_]+", folded)
    if not parts or len(parts) > 6:
        return None
    kind = next(
        (
            words.labels[word]
            for word in [parts[-1], *parts[:-1]]  # English names it last, Spanish first
            if word in NOUNS and word in words.labels
        ),
        None,
    )
    if kind is None and not any(mark in folded for mark in PENDING):
        within = (end for end in COMPOUNDS if end in folded)
        kind = next((words.labels[end] for end in within if end in words.labels), None)
    return Title("kind", text, kind=kind, dated=dated) if kind is not None else None


def _unnumbered(text: str) -> str:
    return re.sub(r"^\s*#?\d{1,3}\s*[.)]\s+", "", text)


_CAMEL = lazy_pattern(r"(?<=[a-z])(?=[A-Z])|[-_.]+")
ANNOUNCED = frozenset(kind for kind in Kind if kind.traits.lesson or kind.traits.trouble)
"""Kinds that a phrase or the name of a file is enough for."""


class HeadingContext(NamedTuple):
    """The combined meaning of the headings above.

    Attributes:
        kind: The kind they announce.
        weight: Whether it comes from a section's heading or the file's title.
        mode: ``log`` under a day or session, ``relation`` for relations, ``template`` for a blank
            form, else ``open``.
        date: Of the nearest dated heading.
        section: The headings' texts, outermost first.
        name: The heading that announced the kind.
        title: The nearest heading, parsed.
    """

    kind: Kind | None = None
    weight: Weight = ""
    mode: Literal["open", "log", "relation", "template"] = "open"
    date: Date | None = None
    section: tuple[str, ...] = ()
    name: str = ""
    title: Title | None = None


@lru_cache(maxsize=4096)
def place(headings: Headings, path: str, words: Lexicon) -> HeadingContext:
    """The context given by ``headings`` and the file ``path``."""
    here = _file(path, words)
    for level, text in headings:
        here = _under(here, title(text, level, words), level, text)
    return here


def _file(path: str, words: Lexicon) -> HeadingContext:
    stem = PurePosixPath(path.replace("\\", "/")).stem
    named = title(_CAMEL.sub(" ", stem), 1, words).kind if stem else None
    if named not in ANNOUNCED:
        return HeadingContext()
    return HeadingContext(kind=named, weight="title", name=stem)


def _under(above: HeadingContext, head: Title, level: int, text: str) -> HeadingContext:
    kind, weight, mode, name = above.kind, above.weight, above.mode, above.name
    day = heading_date(text)
    if day is not None and not head.dated and head.role == "neutral":  # "3 March" below "2026"
        head = replace(head, role="log", dated=True)
    if head.role in ("kind", "record") and head.kind is not None:
        kind, weight, name = head.kind, "title" if level == 1 else "section", text.strip()
        mode = "relation" if kind is Kind.RELATION else "open"
    elif head.role == "template":
        mode = "template"
    elif level > 1 and head.role == "silent":
        kind, weight, mode = None, "", "open"
    elif head.role == "log":
        mode, weight = "log", "section" if head.dated and kind is not None else weight
    elif head.role in ("neutral", "silent", "record") and level <= 2:
        kind, weight = (kind, "title") if weight == "title" else (None, "")
        mode = "log" if head.dated else "open"
    return HeadingContext(
        kind=kind,
        weight=weight,
        mode=mode,
        date=day or above.date,
        section=(*above.section, text.strip()),
        name=name,
        title=head,
    )


_MAYBE_DATED = lazy_pattern(r"^(?:\*\*|__)?\[(?:19|20)\d\d", re.MULTILINE)
_LINES = lazy_pattern(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_FENCE = lazy_pattern(r"\s{0,3}(?:`{3}|~{3})")


class ChunkStart(NamedTuple):
    """The position of a chunk: the headings above, its first line and byte."""

    headings: Headings = ()
    line: int = 1
    offset: int = 0


@dataclass(frozen=True, slots=True)
class SectionHeading:
    """A section with its parsed heading.

    Attributes:
        above: The context of its heading; for a part without heading, of the part.
        title: None for the part before the first heading.
    """

    section: markdown.Section
    above: HeadingContext
    title: Title | None
    level: int


def groups(
    source: bytes, path: str, words: Lexicon, start: ChunkStart
) -> list[list[SectionHeading]]:
    """Group the sections of ``source`` by record, with spans within ``source``."""
    joined: list[list[SectionHeading]] = []
    for head in _heads(source, path, words, start):
        if joined and _is_of_record(head, joined[-1][0]):
            joined[-1].append(head)
        else:
            joined.append([head])
    return joined


def _heads(source: bytes, path: str, words: Lexicon, start: ChunkStart) -> list[SectionHeading]:
    heads: list[SectionHeading] = []
    for section in markdown.sections(source):
        headings = _merged(start.headings, section.headings)
        text = source[section.span.start : section.span.end].decode("utf-8", "surrogateescape")
        first = section.line + start.line - 1
        head = SectionHeading(
            markdown.Section(section.span, first, headings),
            place(headings[:-1] if section.headings else headings, path, words),
            title(headings[-1][1], headings[-1][0], words) if section.headings else None,
            headings[-1][0] if section.headings else 0,
        )
        heads += _cut_at_dates(head, text) if _MAYBE_DATED.search(text) else [head]
    return heads


def _cut_at_dates(head: SectionHeading, text: str) -> list[SectionHeading]:
    """Cut ``head`` before each ``[2026-01-20 09:00] - title``, which begins a record."""
    parts: list[list[str]] = [[]]
    fenced = False
    for line in _LINES.findall(text):
        fenced ^= bool(_FENCE.match(line))
        if not fenced and parts[-1] and line.startswith(("[", "*", "_")) and undated(line):
            parts.append([])
        parts[-1].append(line)
    heads: list[SectionHeading] = []
    at, number = head.section.span.start, head.section.line
    for part in parts:
        raw = "".join(part).encode("utf-8", "surrogateescape")
        if heads and any(one.headings for one in markdown.sections(raw)):
            return [head]  # a part by itself can parse differently: an underline, a comment
        section = markdown.Section(Span(at, at + len(raw)), number, head.section.headings)
        heads.append(SectionHeading(section, head.above, None if heads else head.title, 0))
        at += len(raw)
        number += len(part)
    return [replace(heads[0], level=head.level), *heads[1:]]


def _merged(above: Headings, own: Headings) -> Headings:
    """``own`` headings appended to those of ``above`` that they do not close."""
    return (*(pair for pair in above if pair[0] < own[0][0]), *own) if own else above


def _is_of_record(head: SectionHeading, first: SectionHeading) -> bool:
    """Return whether a section is below ``first``, a record with an identifier."""
    identified = first.title is not None and first.title.name == "id" and is_record(first)
    return identified and (head.level > first.level or not head.level)


def is_record(head: SectionHeading) -> bool:
    """Return whether a heading is one entry: it has an identifier, or a label and a text."""
    one = head.title
    if one is None or one.role != "record" or head.above.mode in ("relation", "template"):
        return False
    return head.level > 1 and (one.kind or head.above.kind) is not None
