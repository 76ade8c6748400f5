"""Decision records in Markdown, from headings, labels, nested items or table rows; pure.

The names of a record's parts are data (``mind/data/records.toml``): status, date, decision,
context, rationale, consequences, options, details, formal ones (authors, history), and further
ones that stay under their heading.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import resources

from mind.documents import additions, markdown
from mind.documents.markdown import Block
from mind.sources import prose
from mind.sources.importers import wording

_NUMBER = re.compile(r"^(?:\d+(?:\.\d+)*[.):]?\s+)")
_ASIDE = re.compile(r"\s*\([^()]*\)$")
_LABEL = re.compile(
    r"[*_]{0,2}(?P<name>[^\W\d_][^:：.*_\n]{1,30}?)[*_]{0,2}\s*(?:[:：][*_]{0,2}|[.][*_]{2})\s*(?P<rest>.*)",
    re.DOTALL,
)
_BOLD_LABEL = re.compile(
    r"\*\*(?P<name>[^\W\d_][^:：*\n]{1,40})(?:[:：]\*\*|\*\*[:：])\s*(?P<rest>.*)", re.DOTALL
)
_BOLD_LINE = re.compile(r"(?:\*\*|__)(?P<name>[^\W\d_][^*_\n]{1,40})(?:\*\*|__)(?P<rest>)")
"""Matches a label on a line of its own, as a heading is."""
_BRACKETED = re.compile(r"^\W{0,8}\[[^\]]{0,80}\]\W*")
_PLACEHOLDER = re.compile(
    r"^\W{0,8}(?:\[[^\]]{3,400}\]|\{[^}]{3,400}\}|<[^>]{3,400}>|YYYY\b.*|\.\.\.|…|tbd|n/?a"
    r"|to be (?:determined|decided|defined))\W*$",
    re.IGNORECASE,
)
_SHOWN = (("context", "Context"), ("consequences", "Consequences"))
_LAST = (("options", "Options"),)
_BRACKETS = re.compile(r"\A\[(?P<said>[^\[\]]+)\]\Z")
_REASONS = ("context", "rationale", "consequences", "options", "status")
DETAILS = ""
"""Name of details that the source does not name."""
_OTHER = "§"
"""Before the heading of a section that is none of the known parts."""
_SECTIONS = ("decision", "context", "consequences", "options")
_TOLD = ("context", "rationale", "consequences", "options")
_FIELDS = ("status", "date", "details", "formal")
_LONGEST_REASON = 300
"""Characters of a reason after a dash; a longer one has its label before it."""
_LONGEST, _LONGEST_CODE = 200_000, 4_000
_LEFT_OUT = "(code)"
_BREAK = re.compile(r"\n| - ")


@dataclass(slots=True)
class DecisionRecord:
    """A decision: its title, its parts by role (see the module), and other sections by heading.

    Attributes:
        names: What the source calls its parts.
    """

    title: str = ""
    line: int = 1
    parts: dict[str, str] = field(default_factory=dict)
    others: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)

    def add(self, role: str, said: str) -> None:
        """Append Markdown to a part; template placeholders are skipped."""
        if not said or (_PLACEHOLDER.match(said) and said[0] != "`" and role != "status"):
            return
        parts = self.parts
        if role.startswith(_OTHER):
            parts, role = self.others, role[len(_OTHER) :]
        above = parts.get(role, "")
        is_apart = additions.goes_on(f"{self.title}: {above}".rpartition("\n")[2], said)
        parts[role] = prose.stacked((above, said), paragraphs=is_apart)

    def _named(self, role: str, usual: str) -> str:
        """Return what the source calls a part, or the usual name if it uses that word too."""
        own = self.names.get(role, usual)
        return usual if usual.casefold() in own.casefold().split() else own

    @property
    def decides(self) -> bool:
        """True if it has a decision, or a reason below a title."""
        return "decision" in self.parts or ("rationale" in self.parts and bool(self.title))

    def take_date(self) -> None:
        """Move a date at the beginning of the decision to its part."""
        day, said = wording.dated(self.parts.get("decision", ""))
        if day:
            self.parts["decision"] = said
            self.parts.setdefault("date", day)

    def text(self, most: int) -> str:
        """Return the record: title and decision, reason, context, consequences, options.

        Args:
            most: Maximum length in characters; a part that does not fit is dropped, not cut.
        """
        return self.texts(most)[0]

    def texts(self, most: int) -> list[str]:
        """Return the record, as :meth:`text`, and each part that does not fit."""
        others = list(self.others.items())
        before = self.parts.get("text", "")
        decided = prose.unlisted(self.parts.get("decision", "") or before)
        before = "" if decided == prose.unlisted(before) else before
        details = self.names.get("details", DETAILS)
        if not decided and others and others[0][0] != details:
            decided = wording.titled(*others.pop(0))
        why = prose.unlisted(self.parts.get("rationale", ""))
        is_title = not decided or _says(self.title, decided)
        said = self.title if is_title else wording.titled(self.title, decided)
        if why and len(why) <= _LONGEST_REASON and not _BREAK.search(f"{said}{why}"):
            said, why = f"{said.rstrip('. ')} - {why}", ""
        apart: list[str] = []
        shown, last = (
            [(self._named(role, name), self.parts.get(role, "")) for role, name in names]
            for names in (_SHOWN, _LAST)
        )
        reasons = ((self._named("rationale", "Why"), why), ("", before))
        for name, part in (*reasons, *shown, *others, *last):
            named = wording.titled(name, part)
            if part and len(said) + len(named) < most:
                said = prose.stacked((said, named))
            elif part:
                apart.append(wording.titled(self.title, named))
        return [said, *apart]


def _says(text: str, part: str) -> bool:
    """Return True if ``text`` begins with ``part``."""
    bare = [re.sub(r"\W+", "", one).casefold() for one in (text, part)]
    return bool(bare[1]) and bare[0].startswith(bare[1])


@cache
def data() -> dict[str, dict[str, list[str]]]:
    """Return the words of records, by topic and meaning."""
    source = resources.files("mind").joinpath("data/records.toml").read_text(encoding="utf-8")
    return tomllib.loads(source)


@cache
def _roles() -> dict[str, str]:
    return {name: role for role, names in data()["parts"].items() for name in names}


def _bare(name: str) -> str:
    """Return a heading, label or column without number, marks and what is in parentheses."""
    return _ASIDE.sub("", _NUMBER.sub("", name.strip(" *_#:：."))).strip(" *_:：")


def role(name: str, *, exactly: bool = False) -> str:
    """Return the part that a heading, label or column names; "" for none.

    A name of a section may go on ("decision outcome"), unless it must match ``exactly``; other
    names stand alone.
    """
    bare = _bare(name).casefold()
    known = _roles()
    if bare in known or exactly:
        return known.get(bare, "")
    words = bare.split(" ")
    last, second = words[-1].lstrip("#"), "".join(words[1:2]).rstrip(":")
    if last.isdigit() or len(last) == 1 or second.isdigit():  # "Option 4", "Decision 7: Go"
        return ""
    heads = (" ".join(words[:end]) for end in range(len(words) - 1, 0, -1))
    found = next((known[head] for head in heads if head in known), "")
    return found if found in _SECTIONS else ""


def one(body: str, called: str = "") -> DecisionRecord:
    """Return the record of a single-record file such as an ADR, from its headings and labels.

    Its title is what it is ``called`` elsewhere, else its only heading of level 1, else its first.
    """
    made = DecisionRecord(title=called)
    above: list[tuple[int, str]] = []
    read = list(sections(body))
    has_title = [depth for depth, *_ in read].count(1) == 1
    is_parted = any(
        role(title, exactly=True) == "decision" and (depth > 1 or not has_title)
        for depth, title, *_ in read
    )
    for at, (depth, title, _, blocks) in enumerate(read):
        is_above = at + 1 < len(read) and read[at + 1][0] > depth
        above = [one for one in above if one[0] < depth]
        outer = above[-1][1] if above else ""
        is_part = made.title or depth > 1 or not has_title
        found = role(title, exactly=bool(outer)) if is_part else ""
        found = "" if found == "further" else found  # in such a file a section like any other
        found = "" if outer.startswith(_OTHER) and found in made.parts else found
        made.names.setdefault(found, _bare(title))
        is_first = not called and not any(level for level, *_ in read[:at])
        is_title = not found and (is_first or (depth == 1 and has_title))
        inside = found or outer or ("" if is_title or not title else _OTHER + title.rstrip(" :"))
        above.append((depth, inside))
        made.title = made.title or (title if is_title else "")
        is_below = outer and title and (not found or found == outer)
        is_below = is_below or (found in made.parts and found in _SECTIONS)
        has_text = blocks or is_above
        if is_below and (has_text or inside in ("decision", "options")):
            named = _BRACKETS.sub(r"\g<said>", title)
            made.add(inside, wording.announced(named) if has_text else named)
        is_whole = inside in _SECTIONS and bool(is_parted or outer)
        _fill(made, blocks, inside or "text", is_whole=is_whole)
    return made


def several(body: str) -> Iterator[DecisionRecord]:
    """Yield the records of a log, one per section, item or row, and what is in no record.

    The latter decides nothing (see :meth:`DecisionRecord.decides`).
    """
    now, level, of_parts = DecisionRecord(), 0, 0
    day, of_day = "", 0
    moments = _moments(body)
    for of_heading, title, line, blocks in sections(_with_headings(body, moments)):
        is_moment = line in moments
        depth = 0 if is_moment else of_heading
        label, rest, _ = _labelled(title)
        found = label or (role(title) if depth > 1 else "")
        if found == "further" or (not found and now.title and not now.parts.keys() <= {"text"}):
            is_inside = depth > max(level, 1) or (found and depth == of_parts)
            found = f"{_OTHER}{title.rstrip(' :')}" if is_inside else ""
        level, of_parts = (level, depth) if found else (moments.get(line, depth), 0)
        if not found or (found == "decision" and (rest != title or "decision" in now.parts)):
            yield from _of_day(day, now)
            now = DecisionRecord(title="" if found or depth == 1 else title, line=line)
        if label and rest:
            now.add(found, rest)
        elif found and not found.startswith(_OTHER):
            now.names.setdefault(found, _bare(title))
        stamp, rest = wording.dated(title)
        is_day = bool(stamp) and not rest
        if is_day or depth <= of_day:
            day, of_day = (stamp, depth) if is_day else ("", 0)
        made, left = _apart(blocks, line, only_dated=is_moment)
        is_detail = found == "details" and now.decides and not left
        if found in _REASONS or is_detail or (found == "decision" and len(made) < 2):
            made, left = [], list(blocks)
        yield from _of_day(day, *made)
        _fill(now, left, "details" if label or is_moment else found or "text")
        now.take_date()
    yield from _of_day(day, now)


_DEEPEST = 99
"""A level below which there are no parts of a record."""


def _moments(body: str) -> dict[int, int]:
    """Return lines of a log with a date in brackets that begin a record, with its level.

    Roo writes "[2025-08-17 11:21:20] - Title", then "## Decision" or lines such as "**Decision:**".
    """
    lines = body.split("\n")
    fenced = prose.in_fences(lines)
    found: dict[int, int] = {}
    has_decision = False
    for at in range(len(lines) - 1, -1, -1):
        line = "" if fenced[at] else lines[at]
        if line.startswith("[") and all(wording.dated(line)):
            below = next((one.strip() for one in lines[at + 1 : at + 3] if one.strip()), "")
            if has_decision and _part_of(below):
                found[at + 1] = 0 if below.startswith("#") else _DEEPEST
            has_decision = False
        has_decision = has_decision or _part_of(line) in ("decision", "rationale")
    return found


def _with_headings(body: str, moments: Iterable[int]) -> str:
    """Return a body with a heading in each of some lines."""
    lines = body.split("\n")
    for number in moments:
        lines[number - 1] = f"# {lines[number - 1]}"
    return "\n".join(lines)


def _part_of(line: str) -> str:
    """Return the part of a record that a line names as a heading or a label; "" for none."""
    if line.startswith("##"):
        return role(line.strip("# "))
    return _labelled(prose.plain(line.lstrip("-+ ")))[0]


def _of_day(day: str, *made: DecisionRecord) -> Iterator[DecisionRecord]:
    """Yield records that say something; one without a date has that of the heading above."""
    for one in made:
        if one.parts or one.others:
            one.parts |= {"date": day} if day and "date" not in one.parts else {}
            yield one


def by_date(blocks: Sequence[Block]) -> list[Block]:
    """Return blocks in which each line that begins with a date is an item, as in Roo's logs.

    A list without dates and boxes, and labelled reasons, belong to the item above them.
    """
    made: list[Block] = []
    for block in (part for one in blocks for part in _parted(one)):
        if made and made[-1].type == "item" and _is_detail(block):
            made[-1] = replace(made[-1], children=(*made[-1].children, block))
        else:
            made.append(block)
    return made


def _is_detail(block: Block) -> bool:
    said = [prose.own(one) for one in block.children]
    if block.type != "list":
        return block.type == "paragraph" and _labelled(prose.own(block))[0] in _REASONS
    is_plain = all(one.checked is None for one in block.children)
    is_record = any(_labelled(one)[0] == "decision" for one in said) and not _is_one(block)
    return is_plain and not is_record and not any(map(wording.form_of_date, said))


def _parted(block: Block) -> Iterator[Block]:
    """Yield a block, parted at dated lines.

    Markdown takes a line to the item above it, if no blank line is between them.
    """
    if block.type != "list":
        yield from _at_dates(block) if block.type == "paragraph" else [block]
        return
    items: list[Block] = []
    for item in block.children:
        own, *below = _at_dates(item)
        items.append(own)
        if below:
            yield replace(block, children=tuple(items), line=items[0].line)
            yield from below
            items = []
    if items:
        yield replace(block, children=tuple(items), line=items[0].line)


def _at_dates(block: Block) -> Iterator[Block]:
    """Yield a paragraph, or the own text of an item, parted at dated lines."""
    said = block.lines[0].text if block.type == "paragraph" and block.lines else ""
    first = wording.form_of_date(said)
    now = replace(block, type="item" if first else block.type, lines=block.lines[:1])
    is_log = bool(first) and all(wording.form_of_date(one.text) == first for one in block.lines)
    for line in block.lines[1:]:
        if is_log or _goes_apart(line.text, first):
            yield now
            now = replace(block, type="item", lines=(line,), line=line.number, children=())
        else:
            now = replace(now, lines=(*now.lines, line))
    yield now


def _goes_apart(line: str, first: tuple[str, ...]) -> bool:
    """Return whether a line that begins with a date is one of a log: a sentence can be wrapped."""
    form = wording.form_of_date(line)
    if not form or form[0] or not first:
        return bool(form and form[0])
    are_set_off = all(one[2] not in ("", ",", ".") or one[1] for one in (form, first))
    return are_set_off or (form == first and not wording.dated(line)[1][:1].islower())


def _apart(
    blocks: Sequence[Block], line: int, *, only_dated: bool = False
) -> tuple[list[DecisionRecord], list[Block]]:
    """Return the records in blocks, and the blocks that are in none."""
    made: list[DecisionRecord] = []
    left: list[Block] = []
    for block in by_date(blocks):
        is_dated = any(wording.dated(prose.own(one))[0] for one in (block, *block.children))
        own = list(_within(block, line)) if is_dated or not only_dated else []
        left += _without(block, own, line) if own else [block]
        made += own
    return made, left


def _without(block: Block, told: Sequence[DecisionRecord], line: int) -> list[Block]:
    """Return a list without the items that are records; of other blocks nothing is left."""
    lines = {one.line - line + 1 for one in told}
    items = block.children if block.type == "list" else ()
    left = tuple(one for one in items if one.line not in lines)
    return [replace(block, children=left)] if left else []


def _within(block: Block, line: int) -> Iterator[DecisionRecord]:
    """Yield the records in a block: rows, lines that begin with a date, labelled items."""
    at = line - 1
    if block.type == "table" and block.children:
        found = _rows(block, at)
    elif block.type == "list":
        items = () if _is_one(block) else block.children
        found = (_item(item, at) for item in items)
    else:
        found = (_item(one, at) for one in (block,) if one.type == "item")
    yield from (one for one in found if one.decides)


def _is_one(block: Block) -> bool:
    """Return True if the items of a list are the parts of one record."""
    labels = [name for item in block.children if (name := _labelled(prose.own(item))[0])]
    return labels.count("decision") == 1 and len(labels) > 1


def _rows(table: Block, at: int) -> Iterator[DecisionRecord]:
    head, *rows = table.children
    roles = [role(cell) for cell in head.cells]
    for row in rows if "decision" in roles else ():
        made = DecisionRecord(line=at + row.line)
        for name, cell in zip(roles, row.cells, strict=False):
            made.add(name or "details", prose.plain(cell))
        yield made


def _item(item: Block, at: int) -> DecisionRecord:
    made = _moment(prose.own(item), DecisionRecord(line=at + item.line))
    if made.parts:
        _fill(made, item.children, "details")
    return made


def _moment(said: str, made: DecisionRecord) -> DecisionRecord:
    """Return a one-sentence record, if it begins with a date or a decision label."""
    day, said = wording.dated(said)
    name, rest, _ = _labelled(_BRACKETED.sub("", said))
    rest = rest if name else said
    made.add("date", day)
    if day or name == "decision":
        made.add(name or "decision", rest)
    return made


def _fill(
    record: DecisionRecord, blocks: Iterable[Block], inside: str, *, is_whole: bool = False
) -> None:
    """Add the text of blocks to the parts named by their labels or the heading above.

    Below a heading that ``is_whole`` a label is text, and so it is in options: a reason there is
    that of what stands above it.
    """
    now = inside
    is_whole = is_whole or inside == "options"
    for block in wording.without_contents(list(blocks)):
        if block.type == "paragraph" and is_whole:
            record.add(now, prose.markdown(block))
        elif block.type == "paragraph":
            for name, told, called in _lines(block, inside):
                said = _with_label(record, name, told, called)
                now = name or (inside if now in ("status", "date") else now)
                record.add(now, said)
        else:
            _add(record, block, now, is_whole=is_whole)


def _with_label(record: DecisionRecord, name: str, said: str, called: str) -> str:
    """Return what a label names, with the label if the part has text under another one.

    As "Assumptions", which are no context that is known, below "Context".
    """
    first = record.names.setdefault(name, called)
    is_other = first.casefold() != called.casefold() and record.parts.get(name, "") != ""
    return wording.titled(called, said) if is_other and said and name in _TOLD else said


def _add(record: DecisionRecord, block: Block, now: str, *, is_whole: bool) -> None:
    """Add a block other than a paragraph."""
    is_table = block.type == "table" and now not in _SECTIONS
    if block.type == "quote" and now in _SECTIONS:
        quoted = prose.stacked(map(prose.markdown, block.children)).split("\n")
        record.add(now, "\n".join(f"> {line}".rstrip() for line in quoted))
    elif block.type == "quote":
        _fill(record, block.children, now, is_whole=is_whole)
    elif block.type == "list" and not is_whole:
        _items(record, block, now)
    elif block.type == "code":
        said = wording.code(block, _LONGEST_CODE)
        record.add(now, _LEFT_OUT if said is None else said)
    elif block.type in ("item", "list", "table") and not (
        is_table and _columns(record, block.children)
    ):
        record.add(now, prose.markdown(block))


def _items(record: DecisionRecord, block: Block, now: str) -> None:
    told = [(*_labelled_in(now, prose.own(item)), item) for item in block.children]
    names = {name for name, *_ in told} - {""}
    is_option = now == "options" and ("decision" in record.parts or "decision" not in names)
    if is_option or not names:
        record.add(now, prose.markdown(block))
        return
    for name, said, called, item in told:
        other = None if name or now != "text" else _BOLD_LABEL.fullmatch(said)
        own = other["rest"] if other else said
        below = prose.stacked((own, *map(prose.markdown, item.children)))
        below = _with_label(record, name, below, called)
        if other:  # beside known parts another label is one of the record too
            record.add(f"{_OTHER}{other['name']}", below)
        else:
            record.add(name or now, below if name else prose.listed(below, item.marker))


def _lines(block: Block, inside: str) -> Iterator[tuple[str, str, str]]:
    """Split a paragraph at lines that begin with a label: part, text and label."""
    name, said, called = "", "", ""
    for line in block.lines:
        found, rest, label = _labelled_in(inside, prose.plain(line.text))
        if found:
            yield name, said, called
            name, said, called = found, rest, label
        else:
            gap = " " if name in ("status", "date") else "\n"
            said = f"{said}{gap}{prose.told(line.text)}".strip()
    yield name, said, called


def _labelled(said: str) -> tuple[str, str, str]:
    """Return the part that a label names, what follows it, and the label; else ``said``."""
    found = _LABEL.fullmatch(said) or _BOLD_LINE.fullmatch(said.strip())
    is_name = found is not None and not set("[](`") & set(found["name"])
    name = role(found["name"], exactly=True) if found and is_name else ""
    name = "" if name == "further" else name
    return (name, found["rest"].strip(), _bare(found["name"])) if name and found else ("", said, "")


def _labelled_in(inside: str, said: str) -> tuple[str, str, str]:
    """As :func:`_labelled`, but in a section a line such as "Status: 403" is text.

    In a section of another name so is each label: "Issue: #3" below "Links" is no context.
    """
    name, *more = _labelled(said)
    is_text = inside.startswith(_OTHER) or (inside in _SECTIONS and name in (*_FIELDS, inside))
    return ("", said, "") if is_text else (name, more[0], more[1])


def _columns(record: DecisionRecord, rows: Sequence[Block]) -> bool:
    """Read status and date from a table near the top: by column name or first cell of a row.

    Return True if it has one of them.
    """
    before = len(record.parts)
    for row, below in zip(rows, [*rows[1:], None], strict=True):
        names = [role(cell) for cell in row.cells]
        for at, name in enumerate(names):
            if name not in ("status", "date") or name in record.parts:
                continue
            if len(row.cells) == 2 and at == 0 and not names[1]:
                record.add(name, prose.plain(row.cells[1]))
            elif below and at < len(below.cells):
                record.add(name, prose.plain(below.cells[at]))
    return len(record.parts) > before


def sections(body: str) -> Iterator[tuple[int, str, int, Sequence[Block]]]:
    """Yield the sections of a body: level, heading, first line and blocks."""
    source = body[:_LONGEST].encode("utf-8", "replace")
    for section in markdown.sections(source):
        part = source[section.span.start : section.span.end]
        level, title = section.headings[-1] if section.headings else (0, "")
        blocks = [one for one in markdown.parse(part).blocks if one.type != "heading"]
        yield level, prose.plain(title), section.line, blocks
