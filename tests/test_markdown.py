"""Blocks with exact spans, sections that tile a file, and splices that keep every other byte."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from mind.documents.markdown import Edit, parse, sections, splice
from mind.domain.entry import Span
from mind.domain.errors import InputError

FRAGMENTS = [
    b"# Heading\n", b"## Second ##\n", b"Title\n=====\n", b"Under\n-----\n", b"text\n",
    b"- item\n", b"  - nested\n", b"    more\n", b"  more\n", b"1. one\n", b"2) two\n",
    b"10. ten\n", b"> quote\n", b"> - in quote\n", b"```\n", b"  ```\n", b"    ```\n", b"~~~py\n",
    b"```\ncode # no\n```\n", b"<!-- comment -->\n", b"<!--\n", b"  <!--\n", b"-->\n", b"<!-->\n",
    b"<?\n", b"?>\n", b"<!X\n", b"| a | b |\n|---|---|\n| 1 | 2 |\n", b"a|\n", b"\n", b"\n",
    b"\r\n", b"\r", b"---\n", b"***\n", b"- [ ] open\n", b"- [x] done\n", b"- [x]\n",
    "- [ ]\u3000全角\n".encode(), b"- ```\n", b"- # h\n", b"\xff\xfe", b"\0", "é中🎉\n".encode(),
    b"\t\tcode\n", b"-\tx\n", b"-     code\n", b"#\n", b"####### seven\n", b"#no\n",
    b"   # indented\n", b"[a]: b\n", b"<div>\n", b"</div>\n", b"<b>\n", b"<script>\n",
    b"</script>\n", b"\x0b\n", b"\x0c\n", "\u2028x\n".encode(), b"decided: x\n", b"a\\\n",
    b"trailing   \n", b"-\n", b"=\n", b"* * *\n", b"- - deep\n", b"\x85\n",
]  # fmt: skip
AT_THE_TOP = [b"\xef\xbb\xbf", b"---\na: 1\n---\n", b"---\n", b""]
mixed = st.builds(
    lambda top, rest: top + b"".join(rest),
    st.sampled_from(AT_THE_TOP),
    st.lists(st.sampled_from(FRAGMENTS), max_size=14),
)
documents = st.one_of(
    st.binary(max_size=200),
    mixed,
    mixed.map(lambda source: source.replace(b"\n", b"\r\n")),
    st.text(alphabet="#-*> `~<!|\n\r\t ax[]()1.=_:", max_size=80).map(str.encode),
)


def text_of(source: bytes, span: Span) -> str:
    return source[span.start : span.end].decode("utf-8", "surrogateescape")


@given(documents)
def test_any_bytes_are_parsed_into_nested_spans(source: bytes) -> None:
    document = parse(source)
    for first, second in pairwise(document.blocks):
        assert first.span.end <= second.span.start
        assert first.end < second.line
    for block in document.walk():
        assert 0 <= block.span.start < block.span.end <= len(source)
        assert 1 <= block.line <= block.end
        for line in block.lines:
            assert block.span.start <= line.span.start <= line.span.end <= block.span.end
            assert block.line <= line.number <= block.end
        for child in block.children:
            assert block.span.start <= child.span.start < child.span.end <= block.span.end
            assert block.line <= child.line <= child.end <= block.end
        for before, after in pairwise(block.children):
            assert before.span.end <= after.span.start


@given(documents)
def test_a_block_takes_whole_lines(source: bytes) -> None:
    starts = [0, *(found.end() for found in re.finditer(rb"\r\n|\r|\n", source))]
    if source.startswith(b"\xef\xbb\xbf"):
        starts[0] = 3
    for block in parse(source).walk():
        assert block.span.start == starts[block.line - 1]
        assert block.span.end == (starts[block.end] if block.end < len(starts) else len(source))


@given(documents)
def test_the_text_of_a_line_is_the_text_of_its_span(source: bytes) -> None:
    for block in parse(source).walk():
        for line in block.lines:
            assert line.text == text_of(source, line.span)
            assert "\n" not in line.text
            assert "\r" not in line.text


@given(documents)
def test_a_line_has_the_number_of_the_line_it_stands_in(source: bytes) -> None:
    for block in parse(source).walk():
        for line in block.lines:
            before = source[: line.span.start]
            assert line.number == 1 + len(re.findall(rb"\r\n|\r|\n", before))


@given(st.text(alphabet="#-*>`[ ]x1.|é中🎉\u3000\u2028\x0b\x85\n\t\0", max_size=60))
def test_no_span_cuts_a_character(text: str) -> None:
    source = text.encode()
    for block in parse(source).walk():
        for span in (block.span, *(line.span for line in block.lines)):
            assert source[span.start : span.end].decode() in text


@given(documents)
def test_sections_tile_the_file(source: bytes) -> None:
    found = sections(source)
    assert b"".join(source[one.span.start : one.span.end] for one in found) == source
    assert found[0].span.start == 0
    for first, second in pairwise(found):
        assert first.span.end == second.span.start
        assert first.line < second.line or first.span == Span(0, 3)


@given(documents)
def test_headings_are_the_starts_of_sections(source: bytes) -> None:
    headed = [(one.line, *one.headings[-1]) for one in sections(source) if one.headings]
    blocks = [block for block in parse(source).blocks if block.type == "heading"]
    assert headed == [(one.line, one.level, one.lines[0].text) for one in blocks]
    assert all(len(block.lines) == 1 for block in blocks)


@given(documents)
def test_a_file_is_parsed_as_its_sections_are(source: bytes) -> None:
    whole = [(block.type, block.span) for block in parse(source).blocks]
    pieces = []
    for one in sections(source):
        for block in parse(source[one.span.start : one.span.end]).blocks:
            start, end = block.span.start + one.span.start, block.span.end + one.span.start
            pieces.append((block.type, Span(start, end)))
    assert whole == pieces


ORDINARY = [
    one for one in FRAGMENTS if one not in (b"<b>\n", b"</script>\n", b"[a]: b\n", b"\r", b"\r\n")
]


@given(st.lists(st.sampled_from(ORDINARY), max_size=9).map(b"\n".join))
def test_headings_are_those_that_a_parser_of_the_whole_file_sees(source: bytes) -> None:
    grammar = MarkdownIt("commonmark").enable("table")
    plain = source.decode("utf-8", "surrogateescape")
    tokens = [one for one in grammar.parse(plain) if one.type == "heading_open" and not one.level]
    seen = {one.map[0] + 1: one.markup for one in tokens if one.map}
    found = {block.line for block in parse(source).blocks if block.type == "heading"}
    at_the_start = {
        number
        for number, marks in seen.items()
        if marks[0] == "#" and plain.split("\n")[number - 1][0] == "#"
    }
    assert at_the_start <= found <= seen.keys()


@given(documents, st.data())
def test_a_splice_keeps_every_other_byte(source: bytes, data: st.DataObject) -> None:
    assert splice(source, []) == source
    blocks = [block.span for block in parse(source).walk()]
    lines = [line.span for block in parse(source).walk() for line in block.lines]
    chosen: list[Span] = []
    for span in data.draw(st.lists(st.sampled_from(blocks + lines or [Span(0, 0)]), max_size=4)):
        apart = all(span.end <= one.start or one.end <= span.start for one in chosen)
        if apart and span not in chosen:
            chosen.append(span)
    edits = [Edit(span, data.draw(st.binary(max_size=6))) for span in chosen]
    expected = bytearray(source)
    for edit in sorted(edits, key=lambda one: (one.span.start, one.span.end), reverse=True):
        expected[edit.span.start : edit.span.end] = edit.text
    assert splice(source, data.draw(st.permutations(edits))) == bytes(expected)


def test_several_edits_are_made_in_one_splice() -> None:
    edits = [Edit(Span(4, 6), b"!"), Edit(Span(0, 1), b"AA"), Edit(Span(2, 2), b"-")]
    assert splice(b"abcdef", edits) == b"AAb-cd!"


def test_insertions_at_one_place_keep_their_order() -> None:
    edits = [Edit(Span(1, 2), b"X"), Edit(Span(1, 1), b"1"), Edit(Span(1, 1), b"2")]
    assert splice(b"abc", edits) == b"a12Xc"


def test_an_edit_may_touch_the_one_before_it_and_the_end() -> None:
    edits = [Edit(Span(0, 2), b"x"), Edit(Span(2, 3), b""), Edit(Span(3, 3), b"\xff")]
    assert splice(b"abc", edits) == b"x\xff"


@pytest.mark.parametrize(
    "edits",
    [
        [Edit(Span(0, 3), b""), Edit(Span(2, 4), b"")],
        [Edit(Span(0, 9), b"")],
        [Edit(Span(-1, 1), b"")],
        [Edit(Span(3, 2), b"")],
    ],
)
def test_edits_that_cannot_be_made_are_refused(edits: list[Edit]) -> None:
    with pytest.raises(InputError, match="overlaps or is out of range"):
        splice(b"abcdef", edits)


def test_nested_lists_have_their_own_spans() -> None:
    source = "- a é\n  - [x] nested\n    more\n- b\n\n  para\n".encode()
    (listing,) = parse(source).blocks
    first, second = listing.children
    nested = first.children[0].children[0]
    assert source[nested.span.start : nested.span.end] == b"  - [x] nested\n    more\n"
    assert [line.text for line in nested.lines] == ["nested", "more"]
    assert (nested.checked, nested.level, nested.line, nested.end) == (True, 1, 2, 3)
    assert [block.type for block in second.children] == ["paragraph"]
    assert first.marker == "-"


def test_lesson_a_wide_space_behind_a_task_box_does_not_shift_the_text() -> None:
    source = "- [ ]\u3000全角\n".encode()
    (line,) = parse(source).blocks[0].children[0].lines
    assert splice(source, [Edit(line.span, b"done")]) == "- [ ]\u3000done\n".encode()


def test_lesson_a_nul_in_a_line_does_not_shift_its_text() -> None:
    source = b"> - a\0b\n"
    (line,) = parse(source).blocks[0].children[0].children[0].lines
    assert (line.text, line.span) == ("a\0b", Span(4, 7))


def test_lesson_lines_of_odd_white_space_are_counted() -> None:
    (paragraph,) = parse(b"\x0b\ntext\n\x0c\nmore\n\x85\n").blocks
    assert [(one.number, one.text) for one in paragraph.lines[:4]] == [
        (1, ""),
        (2, "text"),
        (3, ""),
        (4, "more"),
    ]


def test_lesson_a_repeated_word_is_not_taken_for_its_first_place() -> None:
    (paragraph,) = parse(b"> a > a\n> a\n").blocks[0].children
    assert [(one.text, one.span.start) for one in paragraph.lines] == [("a > a", 2), ("a", 10)]


def test_lists_forty_deep_are_read() -> None:
    source = b"".join(b"  " * n + b"- level %d\n" % n for n in range(40))
    seen = [line.text for block in parse(source).walk() for line in block.lines]
    assert seen == [f"level {n}" for n in range(40)]


def test_text_goes_on_without_its_marks() -> None:
    (quote,) = parse(b"> one\ntwo\n>   three  \n").blocks
    (paragraph,) = quote.children
    assert [(one.number, one.text) for one in paragraph.lines] == [
        (1, "one"),
        (2, "two"),
        (3, "three"),
    ]


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        (b"> ```\n>  code\n>\n> ```\n", ["```", " code", "", "```"]),
        (b"- ```\n    code\n  ```\n", ["```", "  code", "```"]),
        (b"- a\n\n\t\tcode\n", ["\t\tcode"]),
        (b"-     code\n", ["    code"]),
        (b"    code\n\n     more\n", ["    code", "", "     more"]),
        (b"\tcode\n", ["\tcode"]),
        (b"> - <div>\n>     x\n", ["<div>", "  x"]),
        (b"<!--\n\n  x\n-->\n", ["<!--", "", "  x", "-->"]),
        (b"> [a]:\n>   b\n", ["[a]:", "  b"]),
    ],
)
def test_code_and_html_keep_the_indentation_of_their_own(source: bytes, lines: list[str]) -> None:
    (block,) = [one for one in parse(source).walk() if one.type in ("code", "html", "definition")]
    assert [line.text for line in block.lines] == lines


def test_link_definitions_are_blocks() -> None:
    source = b"[a]: b\n[c]:\n  d\n\ntext\n"
    first, second, text = parse(source).blocks
    assert (first.type, first.line, first.end) == ("definition", 1, 1)
    assert (second.type, second.line, second.end) == ("definition", 2, 3)
    assert text.span == Span(17, 22)


def test_ordered_items_keep_their_numbers() -> None:
    (listing,) = parse(b"3. three\n4. four\n").blocks
    assert [item.marker for item in listing.children] == ["3.", "4."]


def test_tables_have_rows_and_cells() -> None:
    source = b"| a | b |\n|---|---|\n| 1 | 2 |\n"
    (table,) = parse(source).blocks
    assert [row.cells for row in table.children] == [("a", "b"), ("1", "2")]
    assert [row.line for row in table.children] == [1, 3]
    (quote,) = parse(b"> | a |\n> |---|\n> | 1 |\n").blocks
    rows = quote.children[0].children
    assert [(line.number, line.text) for row in rows for line in row.lines] == [
        (1, "| a |"),
        (3, "| 1 |"),
    ]


@pytest.mark.parametrize(
    ("source", "types"),
    [
        (b"---\na: 1\n---\n# T\n", ["front_matter", "heading"]),
        (b"---\nnot: closed\n", ["rule", "paragraph"]),
        (b"---\n\ntext\n", ["rule", "paragraph"]),
        (b"---\na: 1\n...\n", ["front_matter"]),
        (b"---  \na: 1\n---\t\n# T\n", ["front_matter", "heading"]),
        (b"---\na:\n  - b\n\nc: d\n---\n# T\n", ["front_matter", "heading"]),
        (b" ---\na: 1\n---\n", ["rule", "paragraph"]),
        (b"---\na: 1\n ---\n", ["rule", "paragraph"]),
        (b"---\n\ntext\n---\n", ["rule", "heading"]),
        (b"---\n---\n# T\n", ["front_matter", "heading"]),
        (b"```\n# no\n", ["code"]),
        (b"```\n# no\n````\n# yes\n", ["code", "heading"]),
        (b"~~~\n```\n# no\n~~~\n# yes\n", ["code", "heading"]),
        (b"<!-- open\n# no\n", ["html"]),
        (b"<!-- a -->\n# yes\n", ["html", "heading"]),
        (b"<!-- a\n# no\n-->\n# yes\n", ["html", "heading"]),
        (b"<script>\n# no\n</script>\n# yes\n", ["html", "heading"]),
        (b"> # quoted\n", ["quote"]),
        (b"- # in an item\n", ["list"]),
        (b"text\n\n    # code\n", ["paragraph", "code"]),
        (b"Title\n=====\ntext\n", ["heading", "paragraph"]),
        (b"a\nb\n===\n", ["paragraph"]),
        (b"- a\n---\n", ["list", "rule"]),
        (b"\xef\xbb\xbf# T\n", ["heading"]),
        (b"#hash\n", ["paragraph"]),
        (b"```\n    ```\n# no\n", ["code"]),
        (b"``` `\n# yes\n", ["paragraph", "heading"]),
        (b"```\n~~~\n# no\n", ["code"]),
        (b"````\n```\n# no\n", ["code"]),
        (b"```\n```~\n# no\n", ["code"]),
        (b"    ```\n# yes\n", ["code", "heading"]),
        (b"   ```\n# no\n   ```\n", ["code"]),
        (b"<!-->\n# yes\n", ["html", "heading"]),
        (b"text\n<!-- a\n# no\n-->\n# yes\n", ["paragraph", "html", "heading"]),
        (b"<?a\n# no\n?>\n# yes\n", ["html", "heading"]),
        (b"<!A\n# no\n>\n# yes\n", ["html", "heading"]),
        (b"<![CDATA[\n# no\n]]>\n# yes\n", ["html", "heading"]),
        (b"<PRE>\n\n# no\n</Style>\n# yes\n", ["html", "heading"]),
        (b"<div>\n# no\n\n# yes\n", ["html", "heading"]),
        (b"<b>\n# no\n\n# yes\n", ["html", "heading"]),
        (b"text\n<b>\n# yes\n", ["paragraph", "heading"]),
        (b"> text\n<b>\n# yes\n", ["quote", "heading"]),
        (b"- text\n<b>\n# yes\n", ["list", "heading"]),
        (b"***\n<b>\n# no\n", ["rule", "html"]),
        (b"# a\n<b>\n# no\n", ["heading", "html"]),
        (b"a\n\n<b>\n# no\n", ["paragraph", "html"]),
        (b"A\n=\n<b>\n# no\n", ["heading", "html"]),
        (b"a\nb\n=\n<b>\n# no\n", ["paragraph", "html"]),
        (b"```\n```\n<b>\n# no\n", ["code", "html"]),
        (b"    code\n<b>\n# no\n", ["code", "html"]),
        (b"<b\n# yes\n", ["paragraph", "heading"]),
        (b"<divan\n# yes\n", ["paragraph", "heading"]),
        (b"#no\n<b>\n# yes\n", ["paragraph", "heading"]),
        (b"``` `\n<b>\n# yes\n", ["paragraph", "heading"]),
        (b"<b\n<b>\n# yes\n", ["paragraph", "heading"]),
        (b"- a\n  b\n<b>\n# yes\n", ["list", "heading"]),
        (b"-\n  a\n<b>\n# yes\n", ["list", "heading"]),
        (b"a\nb\n-\n<b>\n# no\n", ["paragraph", "html"]),
        (b"-\n<b>\n# no\n", ["list", "html"]),
        (b"- a\n  ```\n# yes\n", ["list", "heading"]),
        (b"- a\n\n  ```\n# yes\n", ["list", "heading"]),
        (b"- a\nlazy\n  ```\n# yes\n", ["list", "heading"]),
        (b"- a\n\ntext\n  ```\n# no\n", ["list", "paragraph", "code"]),
        (b"- a\n ```\n# no\n", ["list", "code"]),
        (b"-   a\n   ```\n# no\n", ["list", "code"]),
        (b"-\ta\n   ```\n# no\n", ["list", "code"]),
        (b"-     code\n  ```\n# yes\n", ["list", "heading"]),
        (b"-\ta\n\n    b\n<b>\n# yes\n", ["list", "heading"]),
        (b"10.   a\n\n\t\tb\n<b>\n# yes\n", ["list", "heading"]),
        (b"-    a\n  ```\n# no\n", ["list", "code"]),
        (b"-   \n  ```\n# yes\n", ["list", "heading"]),
        (b"- a\n# b\n  ```\n# no\n", ["list", "heading", "code"]),
        (b"- a\n```\n```\n  ```\n# no\n", ["list", "code", "code"]),
        (b"-\n  ```\n# yes\n", ["list", "heading"]),
        (b"-\n\n\n  ```\n# no\n", ["list", "code"]),
        (b"- a\n-\n\n  ```\n# no\n", ["list", "code"]),
        (b"-\n\n  ```\n# no\n", ["list", "code"]),
        (b"-\n  a\n\n  ```\n# yes\n", ["list", "heading"]),
        (b"-\ntext\n  ```\n# no\n", ["list", "paragraph", "code"]),
        (b"a\n2. b\n   ```\n# no\n", ["paragraph", "code"]),
        (b"a\n1. b\n   ```\n# yes\n", ["paragraph", "list", "heading"]),
        (b"a\n*\n  ```\n# no\n", ["paragraph", "code"]),
        (b"a\n* b\n  ```\n# yes\n", ["paragraph", "list", "heading"]),
        (b"1. a\n2. b\n   ```\n# yes\n", ["list", "heading"]),
        (b"12) a\n   ```\n# no\n", ["list", "code"]),
        (b"- a\n***\n  ```\n# no\n", ["list", "rule", "code"]),
        (b"- a\n- - -\n  ```\n# no\n", ["list", "rule", "code"]),
        (b"- a\n> q\n\n  ```\n# no\n", ["list", "quote", "code"]),
        (b"- a\n\nTitle\n---\n", ["list", "heading"]),
        (b"- a\nTitle\n===\n", ["list"]),
        (b"<!--\n\nx -->\n===\n", ["html", "paragraph"]),
        (b"[a]: b\n===\n", ["definition", "paragraph"]),
        (b"|a\n---\n", ["table"]),
        (b"a|\n---\n", ["table"]),
        (b"a | b\n---\n", ["heading"]),
        (b"<b\n---\n", ["heading"]),
        (b"===\n", ["paragraph"]),
        (b" a\n---\n", ["paragraph"]),
        (b"***\na\n---\n", ["rule", "paragraph"]),
        (b"a\n --- x\n", ["paragraph"]),
        (b"", []),
    ],
)
def test_what_is_a_heading_and_what_is_not(source: bytes, types: list[str]) -> None:
    assert [block.type for block in parse(source).blocks] == types


@pytest.mark.parametrize(
    ("line", "level", "title"),
    [
        (b"# a", 1, "a"),
        (b"###### a #", 6, "a"),
        (b"## a ## \t", 2, "a"),
        (b"# a#", 1, "a#"),
        (b"# a \\#", 1, "a \\#"),
        (b"# # #", 1, "#"),
        (b"# #", 1, ""),
        (b"#\t\x0ba", 1, "a"),
        (b"##", 2, ""),
        ("# 中 é".encode(), 1, "中 é"),
    ],
)
def test_headings_have_a_level_and_a_title(line: bytes, level: int, title: str) -> None:
    assert sections(line)[0].headings == ((level, title),)
    (heading,) = parse(line).blocks
    assert (heading.level, [one.text for one in heading.lines]) == (level, [title])


@pytest.mark.parametrize(
    ("source", "headings"),
    [
        (b"A  \n===\n", [(1, "A")]),
        (b"A\n---\n", [(2, "A")]),
        (b"A\n-\n\nB\n= \t\n", [(2, "A"), (1, "B")]),
        (b"# A\n\nB\n===\n", [(1, "A"), (1, "B")]),
        (b"# A\n\nB\n---\n\nC\n===\n", [(1, "A"), (2, "B"), (1, "C")]),
    ],
)
def test_underlines_say_the_level_of_a_heading(
    source: bytes, headings: list[tuple[int, str]]
) -> None:
    assert [one.headings[-1] for one in sections(source)] == headings
    seen = [(one.level, one.lines[0].text) for one in parse(source).blocks]
    assert seen == headings


def test_a_title_that_repeats_its_marks_is_found_behind_them() -> None:
    source = b"x\n\n### # a ###\n"
    (line,) = parse(source).blocks[1].lines
    assert (line.span, line.number) == (Span(7, 10), 3)
    (line,) = parse(b"Title  \n===\n").blocks[0].lines
    assert (line.span, line.text) == (Span(0, 5), "Title")


def test_the_heading_stack_is_carried() -> None:
    found = sections(b"x\n# A\n## B ##\n### C\n## D\n# E\n")
    assert [one.headings for one in found] == [
        (),
        ((1, "A"),),
        ((1, "A"), (2, "B")),
        ((1, "A"), (2, "B"), (3, "C")),
        ((1, "A"), (2, "D")),
        ((1, "E"),),
    ]
    assert [one.line for one in found] == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    "source",
    [
        b"- " * 10_000 + b"x\n",
        b"> " * 10_000 + b"x\n",
        b"x" * 1_000_000 + b"\n",
        b"[" * 50_000,
        b"|" * 20_000 + b"\n" + b"|-" * 10_000 + b"\n",
        b"".join(b" " * (2 * n) + b"- x\n" for n in range(300)),
    ],
)
def test_pathological_input_is_parsed(source: bytes) -> None:
    assert parse(source).blocks


def test_front_matter_has_its_lines_and_its_bytes() -> None:
    for tail in (b"# T\n", b""):
        source = b"---\nkey: one\n---\n" + tail
        block = parse(source).blocks[0]
        assert source[block.span.start : block.span.end] == b"---\nkey: one\n---\n"
        assert (block.line, block.end) == (1, 3)
        assert [(one.number, one.text) for one in block.lines] == [
            (1, "---"),
            (2, "key: one"),
            (3, "---"),
        ]
        assert [source[one.span.start : one.span.end] for one in block.lines] == [
            b"---",
            b"key: one",
            b"---",
        ]


def test_a_heading_inside_a_section_is_a_paragraph_without_level() -> None:
    found = parse(b"a\n\n  # indented\n").blocks[1]
    assert (found.type, found.level, found.line, found.end) == ("paragraph", 0, 3, 3)


def test_a_rule_and_code_have_exact_spans() -> None:
    source = b"one\n\n***\n\n```\nx\n```\n\n    y\n\nend\n"
    texts = [source[one.span.start : one.span.end] for one in parse(source).blocks]
    assert texts == [b"one\n", b"***\n", b"```\nx\n```\n", b"    y\n", b"end\n"]
    assert [(one.line, one.end) for one in parse(source).blocks] == [
        (1, 1),
        (3, 3),
        (5, 7),
        (9, 9),
        (11, 11),
    ]
