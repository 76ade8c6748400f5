"""An entry while it is being parsed: its text, fields and position."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple

from mind.documents import markdown
from mind.documents.markdown import Block, Document
from mind.documents.parser.lexicon import (
    CJK,
    GENERIC,
    Announcement,
    bare,
    canonical,
    field_of,
    has_subject,
    is_empty,
    is_placeholder,
    label_of,
    pattern,
    state_of,
)
from mind.documents.parser.place import HeadingContext, SectionHeading
from mind.documents.tags import tags_in
from mind.domain.entry import (
    ORIGIN,
    RESOLVED_BY,
    STRUCK_OUT,
    Entry,
    Kind,
    Span,
    Status,
    content_id,
)
from mind.domain.settings import Settings
from mind.text import INSTEAD_OF, NOT, lazy_pattern
from mind.text.dates import heading_date, leading_day, only_day
from mind.text.terms import function_words

_BLOCK_ID = lazy_pattern(r"(?:^|\s)\^([A-Za-z0-9][A-Za-z0-9-]{2,63})\s*$")
_INLINE_FIELD = lazy_pattern(
    r"`[^`\n]{1,400}`|\s?\[([A-Za-z][\w -]{0,39})::\s?([^\[\]\n]{0,400})\]"
)
"""Matches a field, and code, which has none."""
_LINK = lazy_pattern(r"\[\[([^\[\]|#\n]{1,200})(?:#[^\[\]|\n]{0,200})?(?:\|[^\[\]\n]{0,200})?\]\]")
_CODE = lazy_pattern(r"`[^`\n]{1,400}`")

_REASON = lazy_pattern(
    r"(?<!\w)(?:because|since it|so that|due to|in order to|reason:|weil|damit|wegen|porque|"
    r"debido a|para que|parce qu[e']|car|afin de|grâce à|pois|devido a|потому что|так как|"
    r"чтобы|поскольку|из-за)(?!\w)[:\s]*|因为|因為|由于|为了|理由[:：]|ため、|なぜなら",
    re.IGNORECASE,
)
_DASH = lazy_pattern(r"\s+[-–—]{1,2}\s+")
_SENTENCE = lazy_pattern(r"[.!?](?=\s+[^\sa-z\d])|[。！？]")
_ARROW = lazy_pattern(r"\s*(?:->|→|=>|⇒)\s*")
_FIX = lazy_pattern(
    r"(?<!\w)(?:fix|workaround|solution|use instead|fixed by|lösung|abhilfe|umgehung|solución|"
    r"solution de contournement|contournement|solução|contorno|решение|обходной путь|исправление)"
    r"\s*[:：]\s*|(?:解决方案|解决办法|解决方法|对策|対策|回避策|対処法?|解決策)\s*[:：]\s*",
    re.IGNORECASE,
)
_OVER = lazy_pattern(
    rf"\s(?:{INSTEAD_OF}|{NOT}|(?-i:[vV]s)\.?|versus|antes que|а не)[\s'’]+",
    re.IGNORECASE,
)
_OVER_CJK = lazy_pattern(r"(?:而不是|而非|代替|ではなく|の代わりに)")
_CLAUSE_END = lazy_pattern(
    r"\s[-–—]\s|[;:.,!?()](?:\s|$)|[。、；，]|\s(?:because|since|so that|as|for|due to|weil|"
    r"porque|parce que|pois|потому|так как|чтобы|to)\s",
    re.IGNORECASE,
)
_LIST = lazy_pattern(r"\s*(?:,|\bor\b|\band\b|/|\boder\b|\bou\b|\bo\b|\bили\b|、|\bund\b)\s*")

_WINDOW = 4000
"""Characters searched for reasons and similar parts, to bound the work."""


class Marks(NamedTuple):
    """Conventions found in a text, and the text without markup that is not part of it."""

    text: str
    block_id: str
    fields: Mapping[str, str]
    tags: tuple[str, ...]
    links: tuple[str, ...]


def marks(text: str) -> Marks:
    """Extract the block id and inline fields from ``text``; find its tags and wikilinks."""
    tail = _BLOCK_ID.search(text[-80:])
    block_id = tail.group(1) if tail else ""
    if tail:
        text = text[: len(text) - len(text[-80:]) + tail.start()]
    fields = fields_of(text)
    text = without_fields(text)
    plain = _CODE.sub(" ", text) if "`" in text else text
    links = tuple(dict.fromkeys(link.strip() for link in _LINK.findall(plain)))
    return Marks(text.strip(), block_id, fields, tags_in(text), links)


def without_fields(text: str) -> str:
    """``text`` without inline fields, whose values are not the entry's own statement."""
    return _INLINE_FIELD.sub(lambda one: "" if one[1] else one[0], text) if "::" in text else text


def fields_of(text: str) -> dict[str, str]:
    """The inline fields of ``text``; of several of a name, the last."""
    found = _INLINE_FIELD.finditer(text) if "::" in text else ()
    return {one[1].strip().lower(): one[2].strip() for one in found if one[1]}


def statement_end(lines: Iterable[str]) -> int:
    """The number of lines of an imported entry's statement: to its field. 0 for other entries."""
    return next((at for at, line in enumerate(lines, 1) if ORIGIN in fields_of(line)), 0)


def is_imported(text: str) -> bool:
    """Return whether ``text`` has the field of an imported entry."""
    return bool(statement_end([text]))


_FENCED = lazy_pattern(r"(```|~~~).*?(?:\1|\Z)", re.DOTALL)


def reasoning(text: str) -> str:
    """Return the text after "because", "so that" …, else after a dash; "" if there is none."""
    found = _REASON.search(text, 1) or _DASH.search(text)
    return _clean(_SENTENCE.split(text[found.end() :], maxsplit=1)[0]) if found else ""


def workaround(text: str) -> str:
    """Return the text after "Fix:", "Workaround:", an arrow, else a dash; "" if there is none."""
    for mark in (_FIX, _ARROW, _DASH):
        found = mark.search(text)
        if found and found.end() < len(text):
            return _clean(text[found.end() :])
    return ""


def alternatives(text: str) -> tuple[str, ...]:
    """The Y of "X over Y"; several for "Y or Z"."""
    found = _OVER.search(text)
    if found is None:
        return _cjk_alternatives(text)
    rest = text[found.end() : found.end() + 200]
    end = _CLAUSE_END.search(rest)
    rest = rest[: end.start()] if end else rest
    return tuple(_clean(one) for one in _LIST.split(rest) if _clean(one))[:8]


def _cjk_alternatives(text: str) -> tuple[str, ...]:
    found = _OVER_CJK.search(text)
    if found is None:
        return ()
    after = found.group() in ("而不是", "而非", "代替")
    part = text[found.end() :] if after else text[: found.start()]
    pieces = re.split(r"[，,。、；;:：（）()\s]+", part.strip())
    chosen = pieces[0] if after else pieces[-1]
    return (chosen,) if chosen else ()


def _clean(text: str) -> str:
    return text.strip(" \t-–—:;,.*_").strip()


_WORD = lazy_pattern(r"\w+")
STRUCK = lazy_pattern(r"^~~(?P<text>.+?)~~")
RESOLVED = pattern("resolved")
REMEDY = pattern("remedy")
UNRESOLVED = pattern("unresolved")
_BLOCKED = pattern("blocked")
_BEHIND = lazy_pattern(r"\s*(?:[-=]>|→|⇒)?\s*(?P<text>[\w`*\"“«„].*)")
"""Text behind struck text; remarks in brackets or after a mark are left as they are."""
_PROPOSED = frozenset({Kind.DECISION, Kind.GOAL, Kind.ASSUMPTION})
_ASIDE = lazy_pattern(r"#[\w/-]+|[(\[][^()\[\]\d]*+\d[^()\[\]]*+[)\]]")
"""A tag, or a date in brackets."""
_LAST_DATE = lazy_pattern(r"[(\[]([^()\[\]\d]*+\d[^()\[\]]*+)[)\]]\s*$")
_END = lazy_pattern(r"[.!?:;。！？：；…]$")

NAMES = {
    "why": "Why",
    "context": "Context",
    "impact": "Impact",
    "alternatives": "Alternatives",
    "fix": "Fix",
}


@dataclass(slots=True)
class Draft:
    """An entry under construction.

    Attributes:
        text: Without keyword.
        confidence: Before adjustment for reasons and vagueness.
        parts: Texts by field name ("why", "fix", "date" …), in order of appearance.
        said: The original item with its keyword: evidence for status and date.
        beside: Searchable text that is not part of it: the label or heading above.
        code: Its blocks of code, each fenced.
        further: The other lines of its text.
        day: Its day, if neither a field nor its text gives another.
    """

    kind: Kind
    text: str
    confidence: float
    why: str
    line: int
    end: int
    span: Span
    said: str = ""
    beside: str = ""
    code: tuple[str, ...] = ()
    checked: bool | None = None
    exact: bool = False
    parts: dict[str, list[str]] = field(default_factory=dict)
    more: list[str] = field(default_factory=list)
    further: list[str] = field(default_factory=list)
    day: date | None = None

    def add(self, name: str, text: str) -> None:
        """Add ``text`` as (more of) the field ``name``; "" for plain details."""
        text = " ".join(text.split())
        if is_empty(text):
            return
        if name:
            self.parts.setdefault(name, []).append(text)
        else:
            self.more.append(text)

    def under(self, name: str) -> None:
        """Put the ``name`` above in front of the text, unless the text has its own subject."""
        if not (self.exact or has_subject(_joined(self.text, self.more))):
            self.text = f"{bare(name)}: {self.text}"

    def reach(self, line: int, end: int) -> None:
        """Extend the entry to ``line``, byte ``end``."""
        if end > self.span.end:
            self.end = max(self.end, line)
            self.span = Span(self.span.start, end)

    def finish(self, place: HeadingContext, path: str, settings: Settings) -> Entry | None:
        """Build the entry; None if it is empty or below the configured confidence."""
        struck = STRUCK.match(self.said) or STRUCK.match(self.text)
        base = self.text if struck is None else STRUCK.sub(r"\g<text>", self.text, count=1)
        behind = _BEHIND.match(struck.string[struck.end() :].rstrip()) if struck else None
        if struck and behind and self._begins_again(struck["text"], behind["text"]):
            self.beside = f"{struck['text']}\n{self.beside}".strip()
            base, struck = behind["text"], None
        elif struck and behind and self.kind in _PROPOSED:  # said of it, and no part of it
            base = f"{struck['text']} - {behind['text']}"
        lines, lead = [base, *self.further], 0
        found = marks(" ".join(_joined(" ".join(lines), self.more).split()))
        if is_empty(found.text) and not self.exact:
            return None
        if (at := statement_end(lines)) and (lines[at:] or self.more):
            own = marks(" ".join(" ".join(lines[:at]).split()))
            whole = _joined(" ".join([own.text, *lines[at:]]), self.more)
            found = own._replace(text=" ".join(whole.split()), tags=found.tags, links=found.links)
            lead = len(own.text)
        said = found.text[: lead or None]
        head = _FENCED.sub(" ", said[:_WINDOW])  # code states no reason
        why = " ".join(self.parts.get("why", ())) or reasoning(head)
        confidence = self._weighed(said, is_reasoned=bool(why))
        if confidence < settings.parser_min_confidence:
            return None
        if struck is not None:
            self._strike(struck["text"], struck.string[struck.end() :])
        text = found.text or " ".join(base.split())
        full = " ".join([text, *self._tail()])
        return Entry(
            id=found.block_id or content_id(full),
            kind=self.kind,
            text=full,
            date=self._date() or place.date,
            status=self._status(struck=struck is not None, by=found.fields.get(RESOLVED_BY, "")),
            confidence=round(confidence, 2),
            why=self.why,
            reasoning=why,
            alternatives=tuple(self.parts.get("alternatives", ())) or alternatives(head),
            workaround=self._workaround(head),
            tags=found.tags,
            links=found.links,
            fields=found.fields,
            section=place.section,
            source=path,
            line=self.line,
            end=self.end,
            span=self.span,
            beside=self.beside,
            code=self.code,
            lead=lead,
        )

    def _weighed(self, text: str, *, is_reasoned: bool) -> float:
        confidence = self.confidence + (0.2 if is_reasoned else 0.0)
        vague = len(text) < (6 if CJK.search(text) else 12)
        docked = vague and not self.exact and self.confidence < 0.9
        return min(1.0, confidence - (0.2 if docked else 0.0))

    def _workaround(self, text: str) -> str:
        if self.kind not in (Kind.PROBLEM, Kind.GOTCHA, Kind.LEARNING, Kind.BLOCKER):
            return ""
        return " ".join(self.parts.get("fix", ())) or workaround(text)

    def _tail(self) -> list[str]:
        return [
            f"{NAMES[name]}: {_sentence('; '.join(texts))}"
            for name, texts in self.parts.items()
            if name in NAMES
        ]

    def _date(self) -> date | None:
        for text in self.parts.get("date", ()):
            if day := heading_date(text[:80]):
                return day
        ends = (label_of(self.said)[0].rstrip("*_ ")[-40:], self.said[-40:])
        last = (only_day(found[1]) for found in map(_LAST_DATE.search, ends) if found)
        return leading_day(self.said) or next(filter(None, last), None) or self.day

    def _begins_again(self, old: str, new: str) -> bool:
        """Return whether text behind struck text is said in its place: "Use npm", "Use pnpm"."""
        return self.kind.traits.lasting and _WORD.findall(old)[:1] == _WORD.findall(new)[:1]

    def _strike(self, text: str, after: str) -> None:
        """Apply struck-through text: a proposal is withdrawn, anything else no longer in force.

        A remark that has words of the ``text`` may say what is done instead: that warns of nothing.
        """
        remark = marks(after).text
        over = not (self.kind.traits.has_status or UNRESOLVED.search(remark))
        if self.kind in _PROPOSED:
            self.kind = Kind.REJECTED
            remarked = any(map(str.isalpha, _ASIDE.sub("", remark)))
            said = set(_WORD.findall(text.casefold())) - function_words()
            over = not (remarked and said.isdisjoint(_WORD.findall(remark.casefold())))
            over = over or bool(RESOLVED.search(f"~~{remark.lstrip('*_')}"))
        self.why = STRUCK_OUT if over else self.why

    def _status(self, *, struck: bool, by: str) -> Status | None:
        told = state_of(" ".join(self.parts.get("status", ()))[:80].strip())
        said = without_fields(self.said)[:2000]
        reopened = bool(UNRESOLVED.search(said))
        if not self.kind.traits.has_status:
            return Status.RESOLVED if struck and not reopened else None
        if told in ("open", "blocked"):
            return Status(told)
        if by and not reopened and self.checked is not False:
            return Status.RESOLVED
        remedied = self.kind is Kind.PROBLEM and REMEDY.search(said)
        says = "✅" in said if self.kind is Kind.TODO else RESOLVED.search(said) or remedied
        if self.checked or told or ((struck or says) and not reopened):
            return Status.RESOLVED
        stuck = self.kind is Kind.BLOCKER or _BLOCKED.search(said[:400])
        return Status.BLOCKED if stuck else Status.OPEN


def _joined(text: str, more: list[str]) -> str:
    if not more:
        return text
    head = text.rstrip()
    colon = "" if _END.search(without_fields(head).rstrip("*_ ")) else ":"
    return f"{head}{colon} {'; '.join(more)}"


def _sentence(text: str) -> str:
    return text if _END.search(text) else f"{text}."


_ESCAPED = lazy_pattern(r"\\(?=[!-/:-@\[-`{-~])")
_NUMBER = lazy_pattern(r"(\d{1,9})\\(?=[.)])")
_ITEM = "- "


def is_plain(body: bytes) -> bool:
    """Return whether ``body`` (a section without its heading) has only lines written by Mind."""
    if b"\r" in body.replace(b"\r\n", b"\n"):
        return False
    within = ""
    for line in body.decode("utf-8", "surrogateescape").split("\n"):
        if not line.strip():
            within = ""
        elif line.startswith("  ") and line[2:3].strip() and within:
            if within == _ITEM and markdown.escaped(line[2:]) != line[2:]:
                return False
        elif canonical(line.removeprefix(_ITEM)) is None:
            return False
        else:
            within = line[:2]
    return True


def drafts(body: bytes, line: int, offset: int) -> list[Draft]:
    """The entries of a plain ``body``, which starts at ``line`` and ``offset`` of its file."""
    found: list[Draft] = []
    at = offset
    for number, raw in enumerate(body.split(b"\n"), line):
        text = raw.decode("utf-8", "surrogateescape").rstrip("\r")
        end = min(at + len(raw) + 1, offset + len(body))
        reading = canonical(text.removeprefix(_ITEM))
        if reading is not None:
            found.append(from_reading(reading, number, Span(at, end)))
        elif text.strip():
            continue_with(found[-1], text, number, end)
        at = end
    return found


def from_reading(reading: Announcement, line: int, span: Span) -> Draft:
    """Begin an entry from a line in Mind's own format."""
    return Draft(
        kind=reading.kind,
        text=reading.text,
        confidence=0.3 if is_empty(reading.text) else 0.95,
        why=reading.why,
        line=line,
        end=line,
        span=span,
        said=reading.text,
        exact=True,
    )


def continue_with(draft: Draft, text: str, line: int, end: int) -> None:
    """Append an indented line, without the backslash that escaped Markdown."""
    draft.further.append(unescaped(text.strip()))
    draft.reach(line, end)


def unescaped(text: str) -> str:
    """``text`` without the backslash that escapes a block start."""
    numbered = _NUMBER.match(text)
    if numbered:
        return numbered.group(1) + text[numbered.end() :]
    return _ESCAPED.sub("", text, count=1) if text.startswith("\\") else text


def draft(
    group: Sequence[SectionHeading], document: Document, shift: tuple[int, int]
) -> Draft | None:
    """The single entry that ``group`` records; None for an unfilled template."""
    first = next(head for head in group if head.title is not None)
    title = first.title
    assert title is not None  # noqa: S101 - groups passed here have a title
    heading = first.section.headings[-1][1]
    begin = document.blocks[0]
    made = Draft(
        kind=title.kind or first.above.kind or Kind.DECISION,
        text="",
        confidence=0.85,
        why=f'record "{heading[:60]}"',
        line=begin.line + shift[0],
        end=begin.end + shift[0],
        span=Span(begin.span.start + shift[1], begin.span.end + shift[1]),
    )
    _collect(document.blocks[1:], made, shift)
    what = made.parts.pop("what", [])
    named = title.text.strip("*_ ")
    if " ".join(named.casefold().split("_")) in GENERIC and what:
        named = ""
    made.text = ": ".join(filter(None, [named, " ".join(what)]))
    if not made.text or is_placeholder(made.text):
        return None
    if not (what or made.more or "why" in made.parts):
        made.confidence = 0.55
    made.said = " ".join([heading, *made.parts.get("status", ())])
    return made


def _collect(blocks: Sequence[Block], made: Draft, shift: tuple[int, int]) -> None:
    """Add the blocks below a record's title; text without a label is a plain detail."""
    name = ""
    for block in blocks:
        if block.type in ("rule", "html"):
            continue
        made.reach(block.end + shift[0], block.span.end + shift[1])
        if block.type == "heading":
            text = block.lines[0].text
            name = field_of(text)
            if not name and not is_empty(text):
                made.add("", f"{text}:")
        else:
            _block(block, name, made)


def _block(block: Block, name: str, made: Draft) -> None:
    if block.type == "paragraph":
        _lines([line.text for line in block.lines], name, made)
    elif block.type == "list":
        for item in block.children:
            _item(item, name, made)
    elif block.type == "quote":
        for child in block.children:
            _block(child, name, made)
    elif block.type == "table":
        for row in block.children[1:]:
            made.add(name, " - ".join(cell for cell in row.cells if cell.strip()))


def _lines(lines: Sequence[str], name: str, made: Draft) -> None:
    """Parse a paragraph's lines; a label at the start of one begins a field."""
    text: list[str] = []
    own = name
    for line in lines:
        head, rest = label_of(line)
        if labelled := field_of(head):
            made.add(own, " ".join(text))
            own, text = labelled, [rest]
        else:
            text.append(line)
    made.add(own, " ".join(text))


def _item(item: Block, name: str, made: Draft) -> None:
    """Add an item, and what is below it, under the heading's field ``name``."""
    text = item.text
    head, rest = label_of(text)
    labelled = field_of(head)
    if name not in ("", "meta") and labelled not in ("date", "status", "meta"):
        labelled = ""
    own = labelled or name
    if labelled:
        made.add(own, rest)
    elif name == "alternatives" and head:
        made.add(own, f"{head.strip('*_ ')}: {rest}")
    else:
        made.add(own, text)
    for child in item.children:
        if child.type == "list":
            for nested in child.children:
                _item(nested, own, made)
        elif child.type == "paragraph":
            made.add(own, child.text)
