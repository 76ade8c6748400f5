"""Blocks with exact spans, sections that tile a file, and splices that keep every other byte."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mind.entry import Span
from mind.errors import InputError
from mind.markdown import Block, Edit, parse, sections, splice

FRAGMENTS = [
    b"# Heading\n", b"## Second ##\n", b"Title\n=====\n", b"Under\n-----\n", b"text\n", b"- item\n",
    b"  - nested\n", b"    more\n", b"1. one\n", b"2) two\n", b"> quote\n", b"> - in quote\n",
    b"```\n", b"~~~py\n", b"```\ncode # no\n```\n", b"<!-- comment -->\n", b"<!--\n", b"-->\n",
    b"| a | b |\n|---|---|\n| 1 | 2 |\n", b"\n", b"\r\n", b"\r", b"---\n", b"***\n",
    b"- [ ] open\n",
    b"- [x] done\n", b"\xef\xbb\xbf", b"\xff\xfe", b"\0", "é中🎉\n".encode(), b"\t\tcode\n", b"#\n",
    b"####### seven\n", b"#no\n", b"   # indented\n", b"[a]: b\n", b"<div>\n", b"<script>\n",
    b"\x0c\n",
    "\u2028x\n".encode(), b"decided: x\n", b"- [x]\n", b"a\\\n", b"trailing   \n", b"-\n", b"=\n",
]  # fmt: skip
documents = st.one_of(
    st.binary(max_size=200),
    st.lists(st.sampled_from(FRAGMENTS), max_size=14).map(b"".join),
    st.text(alphabet="#-*> `~<!|\n\r\t ax[]()1.=_:", max_size=80).map(str.encode),
)


def spans(block: Block) -> list[Span]:
    return [child.span for child in block.children]


@given(documents)
def test_any_bytes_are_parsed_into_nested_spans(source: bytes) -> None:
    document = parse(source)
    for first, second in pairwise(document.blocks):
        assert first.span.end <= second.span.start
    for block in document.walk():
        assert 0 <= block.span.start <= block.span.end <= len(source)
        assert 1 <= block.line <= block.end
        for line in block.lines:
            assert block.span.start <= line.span.start <= line.span.end <= block.span.end
            assert block.line <= line.number <= block.end
        for child in block.children:
            assert block.span.start <= child.span.start <= child.span.end <= block.span.end
        for before, after in pairwise(spans(block)):
            assert before.end <= after.start


@given(documents)
def test_the_text_of_a_line_is_the_text_of_its_span(source: bytes) -> None:
    for block in parse(source).walk():
        for line in block.lines:
            raw = source[line.span.start : line.span.end].decode("utf-8", "surrogateescape")
            assert line.text == raw or "\0" in raw or "\ufffd" in line.text


@given(documents)
def test_sections_tile_the_file(source: bytes) -> None:
    found = sections(source)
    assert b"".join(source[one.span.start : one.span.end] for one in found) == source
    for first, second in pairwise(found):
        assert first.line < second.line or first.span.end == first.span.start + 3


@given(documents)
def test_headings_are_the_starts_of_sections(source: bytes) -> None:
    headed = [one.headings[-1] for one in sections(source) if one.headings]
    blocks = [block for block in parse(source).blocks if block.type == "heading"]
    assert len(blocks) <= len(headed)
    levels = [level for level, _ in headed]
    assert [block.level for block in blocks] == levels or len(blocks) < len(headed)


@given(documents)
def test_a_file_is_parsed_as_its_sections_are(source: bytes) -> None:
    whole = [(block.type, block.span) for block in parse(source).blocks]
    pieces = []
    for one in sections(source):
        part = source[one.span.start : one.span.end]
        if one.span.start == 0 or not part.startswith(b"---"):
            pieces += [
                (
                    block.type,
                    Span(block.span.start + one.span.start, block.span.end + one.span.start),
                )
                for block in parse(part).blocks
            ]
    if not source.startswith(b"---") and b"\xef\xbb\xbf" not in source:
        assert whole == pieces


@given(documents, st.data())
def test_a_splice_keeps_every_other_byte(source: bytes, data: st.DataObject) -> None:
    blocks = list(parse(source).walk())
    assert splice(source, []) == source
    if not blocks:
        return
    span = data.draw(st.sampled_from(blocks)).span
    text = data.draw(st.binary(max_size=10))
    changed = splice(source, [Edit(span, text)])
    assert changed[: span.start] == source[: span.start]
    assert changed[span.start : span.start + len(text)] == text
    assert changed[span.start + len(text) :] == source[span.end :]


def test_several_edits_are_made_in_one_splice() -> None:
    edits = [Edit(Span(4, 6), b"!"), Edit(Span(0, 1), b"AA"), Edit(Span(2, 2), b"-")]
    assert splice(b"abcdef", edits) == b"AAb-cd!"


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
    assert (listing.ordered, first.marker) == (False, "-")


def test_ordered_items_keep_their_numbers() -> None:
    (listing,) = parse(b"3. three\n4. four\n").blocks
    assert [item.marker for item in listing.children] == ["3.", "4."]


def test_tables_have_rows_and_cells() -> None:
    source = b"| a | b |\n|---|---|\n| 1 | 2 |\n"
    (table,) = parse(source).blocks
    assert [row.cells for row in table.children] == [("a", "b"), ("1", "2")]
    assert [row.line for row in table.children] == [1, 3]


@pytest.mark.parametrize(
    ("source", "types"),
    [
        (b"---\na: 1\n---\n# T\n", ["front_matter", "heading"]),
        (b"---\nnot: closed\n", ["rule", "paragraph"]),
        (b"---\n\ntext\n", ["rule", "paragraph"]),
        (b"---\na: 1\n...\n", ["front_matter"]),
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
        (b"", []),
    ],
)
def test_what_is_a_heading_and_what_is_not(source: bytes, types: list[str]) -> None:
    assert [block.type for block in parse(source).blocks] == types


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


def test_line_ends_and_marks_are_noted() -> None:
    assert parse(b"a\r\nb\r\n").newline == b"\r\n"
    assert parse(b"a\nb\n").newline == b"\n"
    assert parse(b"\xef\xbb\xbfa").bom


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
