"""Blocks with byte spans, from the line maps of markdown-it-py."""

from dataclasses import replace
from functools import cache
from itertools import zip_longest
from textwrap import dedent
from typing import TYPE_CHECKING, NamedTuple

from mind.documents.markdown.sections import (
    Block,
    Document,
    Line,
    atx_title,
    closing_of,
    decoded,
    front_matter_lines,
    numbered_lines,
    sections,
)
from mind.domain.entry import Span
from mind.text import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.token import Token

    Rule = Callable[[StateBlock, int, int, bool], bool]


_NESTING = 100  # a list and its item are two levels; deeper text is not read
_TYPES = {
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "blockquote_open": "quote",
    "table_open": "table",
    "paragraph_open": "paragraph",
    "heading_open": "heading",
    "fence": "code",
    "code_block": "code",
    "html_block": "html",
    "hr": "rule",
    "definition": "definition",
}
_TASK = lazy_pattern(r"\[([ xX\-/])\](?:\s+|$)")


def parse(source: bytes) -> Document:
    """Parse ``source`` into blocks; accepts any bytes."""
    blocks: list[Block] = []
    front = front_matter_lines(numbered_lines(source))
    if front:
        blocks.append(_front_block(source, front))
    for section in sections(source):
        begin = section.span.start
        text = source[begin : section.span.end]
        reader = _Reader(text, begin, section.line, skip=front if begin == 0 else 0)
        blocks += reader.blocks(heading=bool(section.headings))
    return Document(source, tuple(blocks))


def _front_block(source: bytes, count: int) -> Block:
    lines = numbered_lines(source)
    end = lines[count][0] if count < len(lines) else len(source)
    own = tuple(
        Line(number, Span(offset, offset + len(text)), decoded(text))
        for number, (offset, text) in enumerate(lines[:count], 1)
    )
    return Block("front_matter", Span(lines[0][0], end), 1, count, lines=own)


@cache
def _markdown() -> "MarkdownIt":
    from markdown_it import MarkdownIt, rules_block  # noqa: PLC0415 - not needed to append a line

    grammar = MarkdownIt("commonmark", {"maxNesting": _NESTING}).enable("table")
    grammar.core.ruler.enableOnly(["normalize", "block"])
    rule, ends = grammar.block.ruler.at, ["paragraph", "reference"]
    rule("table", _noting(rules_block.table), {"alt": ends})
    rule("code", _noting(rules_block.code))
    rule("fence", _noting(rules_block.fence), {"alt": [*ends, "blockquote", "list"]})
    rule("reference", _noting(rules_block.reference))
    rule("html_block", _noting(rules_block.html_block), {"alt": [*ends, "blockquote"]})
    rule("heading", _noting(rules_block.heading), {"alt": [*ends, "blockquote"]})
    rule("lheading", _noting(rules_block.lheading))
    rule("paragraph", _noting(rules_block.paragraph))
    return grammar


def _noting(rule: "Rule") -> "Rule":
    """Wrap ``rule`` to record in its token where the text of each line begins.

    The parser's state has the ends of quote and list markers only while their container is open.
    """

    def run(state: "StateBlock", start: int, end: int, silent: bool) -> bool:
        at = len(state.tokens)
        done = rule(state, start, end, silent)
        if done and not silent:
            if len(state.tokens) == at:  # a link definition leaves no token
                state.push("definition", "", 0).map = [start, state.line]
            lines = range(start, state.line)
            state.tokens[at].meta["begins"] = [state.bMarks[n] + state.tShift[n] for n in lines]
            state.tokens[at].meta["indents"] = [state.sCount[n] - state.blkIndent for n in lines]
        return done

    return run


class _Reader:
    """Turns the tokens of one section into blocks."""

    def __init__(self, text: bytes, offset: int, line: int, *, skip: int) -> None:
        self._lines = numbered_lines(text)
        self._ends = [start for start, _ in self._lines[1:]] + [len(text)]
        self._offset = offset
        self._first = line
        self._text = [decoded(one) for _, one in self._lines]
        shown = [""] * skip + self._text[skip:]
        self._begins = [0]  # for each line, in characters, as in the grammar
        for one in shown:
            self._begins.append(self._begins[-1] + len(one) + 1)
        self._tokens = _markdown().parse("\n".join(shown))
        self._at = 0

    def blocks(self, *, heading: bool) -> list[Block]:
        """All top-level blocks; only the first may be a heading."""
        return [
            block
            if block.type != "heading" or (heading and block.line == self._first)
            else replace(block, type="paragraph", level=0)
            for block in self._siblings(None, 0)
        ]

    def _siblings(self, until: str | None, depth: int) -> list[Block]:
        found: list[Block] = []
        while self._at < len(self._tokens):
            token = self._tokens[self._at]
            self._at += 1
            if token.type == until:
                break
            found.append(self._block(token, depth))
        return found

    def _block(self, token: "Token", depth: int) -> Block:
        kind = _TYPES[token.type]
        if kind == "list":
            return self._list(token, depth)
        if kind == "quote":
            children = self._siblings("blockquote_close", depth)
            return self._made("quote", token, children=tuple(children))
        if kind == "table":
            return self._table(token)
        return self._leaf(kind, token)

    def _leaf(self, kind: str, token: "Token") -> Block:
        if kind == "rule":
            return self._made(kind, token)
        if kind in ("code", "html", "definition"):
            return self._made(kind, token, lines=self._raw(token))
        self._at += 2  # the inline token and the closing one
        if kind == "heading":
            return self._made(kind, token, lines=self._heading(token), level=int(token.tag[1]))
        return self._made(kind, token, lines=self._plain(token))

    def _made(self, kind: str, token: "Token", **more: object) -> Block:
        first, last = self._range(token)
        span = Span(self._offset + self._lines[first][0], self._offset + self._ends[last - 1])
        return Block(kind, span, self._first + first, self._first + last - 1, **more)  # type: ignore[arg-type] # typed by its callers

    def _range(self, token: "Token") -> tuple[int, int]:
        """The first line of a token, and the end of its last line that is not blank."""
        first, last = token.map or (0, 0)  # every token that opens a block has a map
        last = min(last, len(self._lines))
        while last - 1 > first and not self._text[last - 1].strip(" \t"):
            last -= 1
        return first, max(last, first + 1)

    def _line(self, number: int, begin: int, text: str, indent: int = 0) -> Line:
        """Line ``number`` of the section, with ``text`` from character ``begin``."""
        start = self._offset + self._lines[number][0] + _size(self._text[number][:begin])
        return Line(self._first + number, Span(start, start + _size(text)), text, indent)

    def _stripped(self, number: int, begin: int, indent: int = 0) -> Line:
        text = self._text[number][begin:]
        return self._line(number, begin + len(text) - len(text.lstrip()), text.strip(), indent)

    def _columns(self, token: "Token") -> list[tuple[int, int]]:
        """(number, character at which the text begins) of each line of a token."""
        first, last = self._range(token)
        begins = token.meta["begins"]
        return [(n, begins[n - first] - self._begins[n]) for n in range(first, last)]

    def _plain(self, token: "Token") -> tuple[Line, ...]:
        lines = zip(self._columns(token), token.meta["indents"], strict=False)
        return tuple(self._stripped(*place, max(0, indent)) for place, indent in lines)

    def _heading(self, token: "Token") -> tuple[Line, ...]:
        if not token.markup.startswith("#"):
            return self._plain(token)[:-1]  # the last line is the underline
        number, begin = self._columns(token)[0]
        behind = begin + len(token.markup)
        title = atx_title(self._text[number][behind:])
        return (self._line(number, self._text[number].index(title, behind), title),)

    def _raw(self, token: "Token") -> tuple[Line, ...]:
        """Lines with their own indentation; a tab that is only partly so is kept."""
        found = []
        for (number, begin), indent in zip(
            self._columns(token), token.meta["indents"], strict=False
        ):
            text = self._text[number]
            at, left = begin, indent
            while at > 0 and left > 0 and text[at - 1] in " \t":
                at -= 1
                left -= 4 if text[at] == "\t" else 1
            found.append(self._line(number, at, text[at:]))
        return tuple(found)

    def _list(self, token: "Token", depth: int) -> Block:
        ordered = token.type == "ordered_list_open"
        items = []
        while self._tokens[self._at].type == "list_item_open":
            opening = self._tokens[self._at]
            self._at += 1
            children = self._siblings("list_item_close", depth + 1)
            items.append(self._item(opening, children, depth, ordered=ordered))
        self._at += 1
        return self._made("list", token, children=tuple(items), level=depth)

    def _item(self, token: "Token", children: list[Block], depth: int, *, ordered: bool) -> Block:
        own: tuple[Line, ...] = ()
        checked = None
        if children and children[0].type == "paragraph":
            own, children = children[0].lines, children[1:]
            task = _TASK.match(own[0].text)
            if task:
                checked = task[1] in "xX-"
                start = own[0].span.start + _size(task[0])
                text = own[0].text[task.end() :]
                own = (Line(own[0].number, Span(start, own[0].span.end), text), *own[1:])
        return self._made(
            "item",
            token,
            lines=own,
            children=tuple(children),
            level=depth,
            marker=f"{token.info}{token.markup}" if ordered else token.markup,
            checked=checked,
        )

    def _table(self, token: "Token") -> Block:
        columns = dict(self._columns(token))
        rows = []
        while self._tokens[self._at].type != "table_close":
            opening = self._tokens[self._at]
            self._at += 1
            if opening.type == "tr_open":
                number = self._range(opening)[0]
                own = (self._stripped(number, columns[number]),)
                cells = _whole_cells(own[0].text, self._cells())
                rows.append(self._made("row", opening, lines=own, cells=cells))
        self._at += 1
        return self._made("table", token, children=tuple(rows))

    def _cells(self) -> tuple[str, ...]:
        cells = []
        while self._tokens[self._at].type != "tr_close":
            if self._tokens[self._at].type == "inline":
                cells.append(self._tokens[self._at].content)
            self._at += 1
        return tuple(cells)


_PIPE = lazy_pattern(r"(?<!\\)\|")
_CELL = lazy_pattern(r"((?:`[^`]*`|\[\[[^\[\]]*\]\]|\\\||[^|])*)(?:\||$)")


def _whole_cells(row: str, cells: tuple[str, ...]) -> tuple[str, ...]:
    """The cells of a row, with what Markdown drops: text with a bar in code or a link."""
    inner = row.strip().removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    if len(_PIPE.findall(inner)) < len(cells):
        return cells
    found = [one.strip().replace("\\|", "|") for one in _CELL.findall(inner)]
    found = found[:-1] if not found[-1] else found  # of the end
    if len(found) < len(cells):  # a sign of code that nobody closed
        return cells
    return (*found[: len(cells) - 1], " | ".join(found[len(cells) - 1 :])) if cells else cells


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))


_FENCE = lazy_pattern(rb"`{3,}|~{3,}")


class Unended(NamedTuple):
    """A fence or comment that is not closed.

    Attributes:
        start: Offset of its first line.
        end: The closing line, without a line end.
    """

    start: int
    end: bytes


def unended(source: bytes) -> Unended | None:
    """The fence or comment left open at the end of ``source``; None if there is none."""
    last = sections(source)[-1].span
    section = source[last.start : last.end]
    for block in parse(section).blocks[-1:]:
        text = section[block.span.start : block.span.end].strip()
        fence = _FENCE.match(text)
        if block.type == "html":
            end = closing_of(text)
        elif block.type == "code" and fence and not _is_closed(text, fence.group()):
            end = fence.group()
        else:
            end = b""
        if end:
            before = source[: last.start + block.span.start]
            return Unended(len(before.rstrip(b" \t")), end)
    return None


def closing(source: bytes, newline: bytes) -> bytes:
    """The line that closes an open fence or comment of ``source``; empty if none is open."""
    found = unended(source)
    return found.end + newline if found else b""


def _is_closed(text: bytes, fence: bytes) -> bool:
    lines = text.splitlines()
    last = lines[-1].strip() if len(lines) > 1 else b""
    return len(last) >= len(fence) and not last.strip(fence[:1])


_OPENING = lazy_pattern(r"`{3,}|~{3,}")
_TILDES = lazy_pattern("~{3,}")


_CODE_INSET = 4
"""Blanks before a line of code without fences; a fence has fewer."""


def fenced(block: Block) -> str:
    """The code of a block between fences, which indented code and an open block lack."""
    lines = [line.text for line in block.lines]
    inset = len(lines[0]) - len(lines[0].lstrip(" "))
    if 0 < inset < _CODE_INSET and _OPENING.match(lines[0].lstrip(" ")):
        lines = [line[min(inset, len(line) - len(line.lstrip(" "))) :] for line in lines]
    opening = _OPENING.match(lines[0])
    if opening is None:
        code = dedent("\n".join(lines))
        fence = max(("~~~", *(f"{run}~" for run in _TILDES.findall(code))), key=len)
        return f"{fence}\n{code}\n{fence}"
    text = "\n".join(lines)
    closed = _is_closed(text.encode("utf-8", "surrogateescape"), opening[0].encode())
    return text if closed else f"{text}\n{opening[0]}"


def rows(table: Block) -> "Iterator[str]":
    """Yield the rows of a table on one line each, every cell after the name of its column."""
    names = table.children[0].cells
    for row in table.children[1:]:
        cells = zip_longest(names, row.cells, fillvalue="")
        told = ((name, said) for name, said in cells if said.strip())
        yield "; ".join(f"{name}: {said}" if name else said for name, said in told)
