"""Blocks with byte spans, from the line maps of markdown-it-py."""

import re
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from mind.entry import Span
from mind.markdown.sections import decoded, front_matter_lines, numbered_lines, sections
from mind.markdown.values import Block, Document, Line

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_BOM = b"\xef\xbb\xbf"


def parse(source: bytes) -> Document:
    """The blocks of ``source``; any bytes are accepted."""
    blocks: list[Block] = []
    front = front_matter_lines(numbered_lines(source))
    for section in sections(source):
        begin = section.span.start
        text = source[begin : section.span.end]
        if begin == 0 and front:
            blocks.append(_front_block(source, front))
        reader = _Reader(text, begin, section.line, skip=front if begin == 0 else 0)
        blocks += reader.blocks(heading=bool(section.headings))
    newline = b"\r\n" if b"\r\n" in source else b"\n"
    return Document(source, tuple(blocks), newline, source.startswith(_BOM))


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
    from markdown_it import MarkdownIt  # noqa: PLC0415 - not needed to append a line

    grammar = MarkdownIt("commonmark").enable("table")
    grammar.core.ruler.enableOnly(["normalize", "block"])
    return grammar


_TYPES = {
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "blockquote_open": "quote",
    "table_open": "table",
    "paragraph_open": "leaf",
    "heading_open": "leaf",
    "fence": "code",
    "code_block": "code",
    "html_block": "html",
    "hr": "rule",
}
_TASK = re.compile(r"\[([ xX\-/])\](?:\s+|$)")


class _Reader:
    """Turns the tokens of one section into blocks."""

    def __init__(self, text: bytes, offset: int, line: int, *, skip: int) -> None:
        self._lines = numbered_lines(text)
        self._ends = [start for start, _ in self._lines[1:]] + [len(text)]
        self._offset = offset
        self._first = line
        texts = [decoded(one) for _, one in self._lines]
        self._text = texts
        plain = "\n".join([""] * skip + texts[skip:])
        self._tokens = _markdown().parse(plain)
        self._at = 0

    def blocks(self, *, heading: bool) -> list[Block]:
        """All top-level blocks; only the first may be a heading."""
        found = self._siblings(None, 0)
        return [
            block
            if block.type != "heading" or (heading and at == 0 and block.line == self._first)
            else replace(block, type="paragraph", level=0)
            for at, block in enumerate(found)
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
        if kind == "leaf":
            return self._leaf(token)
        return self._made("rule", token) if kind == "rule" else self._raw(kind, token)

    def _made(self, kind: str, token: "Token", **more: object) -> Block:
        first, last = token.map or [0, 1]
        last = min(max(last, first + 1), len(self._lines))
        first = min(first, len(self._lines) - 1)
        while last - 1 > first and not self._text[last - 1].strip(" \t"):
            last -= 1
        span = Span(self._offset + self._lines[first][0], self._offset + self._ends[last - 1])
        return Block(kind, span, self._first + first, self._first + last - 1, **more)  # type: ignore[arg-type]

    def _own(self, first: int, texts: list[str]) -> tuple[Line, ...]:
        own = []
        for number, text in enumerate(texts, first):
            raw = self._text[number]
            stripped = text.strip()
            column = max(raw.rfind(stripped), 0)
            start = self._offset + self._lines[number][0]
            begin = start + len(raw[:column].encode("utf-8", "surrogateescape"))
            size = len(stripped.encode("utf-8", "surrogateescape"))
            end = min(begin + size, start + len(self._lines[number][1]))
            shown = raw[column : column + len(stripped)]
            own.append(Line(self._first + number, Span(begin, end), shown))
        return tuple(own)

    def _leaf(self, token: "Token") -> Block:
        inline = self._tokens[self._at]
        self._at += 2  # the inline token and the closing one
        first, last = token.map or [0, 1]
        texts = inline.content.split("\n")
        # the parser strips lines of nothing but odd white space, such as a form feed
        spare = range(max(1, last - first - len(texts) + 1))
        shift = next((by for by in spare if texts[0].strip() in self._text[first + by]), 0)
        own = self._own(first + shift, texts) if inline.content else ()
        if token.type == "paragraph_open":
            return self._made("paragraph", token, lines=own)
        return self._made("heading", token, lines=own, level=int(token.tag[1]))

    def _raw(self, kind: str, token: "Token") -> Block:
        block = self._made(kind, token)
        first, last = block.line - self._first, block.end - self._first
        own = tuple(
            Line(
                self._first + number,
                Span(
                    self._offset + self._lines[number][0],
                    self._offset + self._lines[number][0] + len(self._lines[number][1]),
                ),
                self._text[number],
            )
            for number in range(first, last + 1)
        )
        return replace(block, lines=own)

    def _list(self, token: "Token", depth: int) -> Block:
        ordered = token.type == "ordered_list_open"
        items = []
        while self._tokens[self._at].type == "list_item_open":
            opening = self._tokens[self._at]
            self._at += 1
            children = self._siblings("list_item_close", depth + 1)
            items.append(self._item(opening, children, depth, ordered=ordered))
        self._at += 1
        return self._made("list", token, children=tuple(items), level=depth, ordered=ordered)

    def _item(self, token: "Token", children: list[Block], depth: int, *, ordered: bool) -> Block:
        own: tuple[Line, ...] = ()
        checked = None
        if children and children[0].type == "paragraph":
            own, children = children[0].lines, children[1:]
            task = _TASK.match(own[0].text) if own else None
            if task:
                checked = task[1] in "xX"
                size = len(task[0])
                start = own[0].span.start + size
                own = (
                    Line(own[0].number, Span(start, own[0].span.end), own[0].text[size:]),
                    *own[1:],
                )
        marker = f"{token.info}{token.markup}" if ordered else token.markup
        return self._made(
            "item",
            token,
            lines=own,
            children=tuple(children),
            level=depth,
            ordered=ordered,
            marker=marker,
            checked=checked,
        )

    def _table(self, token: "Token") -> Block:
        rows = []
        while self._tokens[self._at].type != "table_close":
            opening = self._tokens[self._at]
            self._at += 1
            if opening.type == "tr_open":
                cells = []
                while self._tokens[self._at].type != "tr_close":
                    if self._tokens[self._at].type == "inline":
                        cells.append(self._tokens[self._at].content)
                    self._at += 1
                row = self._made("row", opening, cells=tuple(cells))
                number = row.line - self._first
                rows.append(replace(row, lines=self._own(number, [self._text[number]])))
        self._at += 1
        return self._made("table", token, children=tuple(rows))
