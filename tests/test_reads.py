"""What reading a file again costs, and that nothing is lost on the way."""

import random
import sysconfig
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mind.domain.errors import InputError
from mind.memory.file_reads import changes
from mind.memory.file_reads.changes import changed, content, diff, digest, lines_of, masked
from mind.memory.file_reads.giving import CUT, GivenRange, ReadAnswer, ReadRequest, answer
from tests.effort import tries
from tests.rebuilding import apply

ALL = ReadRequest(path="file")
LIMIT = 12_000
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def read(
    text: str | bytes, before: GivenRange | None = None, asked: ReadRequest = ALL
) -> ReadAnswer:
    data = text.encode() if isinstance(text, str) else text
    return answer(content(data, "file"), asked, before, LIMIT)


def numbered(count: int) -> str:
    return "".join(f"this is line {at}\n" for at in range(1, count + 1))


# What a reader sees


def test_the_first_answer_is_the_file_and_nothing_else() -> None:
    text = "one\r\ntwo\n\tthree \nno end"
    assert read(text).text == text
    assert read(f"\ufeff{text}").text == f"\ufeff{text}"
    assert read("").text == ""


def test_what_did_not_change_costs_one_line() -> None:
    text = numbered(40)
    first = read(text)
    again = read(text, first.known)
    assert again.text == f"[mind_read {digest(text)}: unchanged since you read it]"
    assert apply(text, again.text) == text


def test_a_change_is_told_as_a_hunk_without_context_below_its_place() -> None:
    before = "import os\n\ndef parse(text):\n    a = 1\n    return text\n" + numbered(30)
    after = before.replace("    return text\n", '    if not text:\n        return ""\n')
    answered = read(after, read(before).known)
    assert answered.text == (
        f"[mind_read {digest(after)}: 1 change since you read it]\n"
        "@@ -5 +5,2 @@ def parse(text):\n"
        "-    return text\n"
        "+    if not text:\n"
        '+        return ""\n'
    )
    assert apply(before, answered.text) == after


def test_of_many_removed_lines_the_first_are_told() -> None:
    before = numbered(60)
    lines = lines_of(before)
    after = "".join(lines[:20] + lines[50:])
    answered = read(after, read(before).known)
    assert "@@ -21,30 +20,0 @@ this is line 20\n-this is line 21\n" in answered.text
    assert answered.text.endswith("-this is line 23\n-[… 27 more lines removed]\n")
    assert apply(before, answered.text) == after


def test_the_file_comes_where_a_diff_would_be_longer() -> None:
    before, after = numbered(40), "".join(f"other {at}\n" for at in range(40))
    assert read(after, read(before).known).text == after
    assert read("b\n", read("a\n").known).text == "b\n"
    assert read("a\n", read("a\n").known).text == "a\n"
    assert read("now there is something\n", read("").known).text == "now there is something\n"


@pytest.mark.parametrize("end", ["", "\n", "\r\n", "\r", "\x0c", "\u2028"])
@pytest.mark.parametrize("start", ["", "\ufeff", "-", "+", "@@ -1 +1 @@", "\\ No newline"])
def test_line_ends_and_odd_lines_come_back_exactly(start: str, end: str) -> None:
    before = f"{start}first\r\n" + numbered(30) + "the last"
    after = before.replace("line 7", f"{start}line seven") + end
    answered = read(after, read(before).known)
    assert answered.text.startswith("[mind_read ")
    assert apply(before, answered.text) == after
    assert apply(after, read(before, GivenRange(after, 33, complete=True)).text) == before


def test_a_file_that_looks_like_an_answer_comes_as_it_is() -> None:
    answered = read(numbered(40), read(numbered(40)).known).text
    assert read(answered).text == answered


# Parts of a file


def test_what_does_not_fit_is_told_with_how_to_go_on() -> None:
    text = numbered(1_000)
    first = read(text)
    head, _, body = first.text.partition("\n")
    shown = body.count("\n")
    assert len(first.text) <= LIMIT
    assert head == (
        f"[mind_read {digest(body)}: lines 1-{shown} of 1000, more: offset {shown + 1}]"
    )
    assert text.startswith(body)
    assert apply("", first.text) == body == first.known.text
    again = read(text, first.known)
    assert again.text == (
        f"[mind_read {digest(body)}: lines 1-{shown} of 1000, unchanged since you read it, "
        f"more: offset {shown + 1}]"
    )


def test_a_part_is_read_and_read_again() -> None:
    text = numbered(1_000)
    part = ReadRequest(path="file", start=101, limit=20)
    first = read(text, asked=part)
    body = "".join(lines_of(text)[100:120])
    assert first.text == (
        f"[mind_read {digest(body)}: lines 101-120 of 1000, more: offset 121]\n{body}"
    )
    later = text.replace("line 110\n", "line 110, changed\n")
    again = read(later, first.known, part)
    assert "1 change since you read it" in again.text
    assert apply(body, again.text) == "".join(lines_of(later)[100:120])


def test_lines_that_came_above_shift_a_part_by_little() -> None:
    part = ReadRequest(path="file", start=101, limit=100)
    first = read(numbered(1_000), asked=part)
    moved = f"new\n{numbered(1_000)}"
    again = read(moved, first.known, part)
    assert apply(first.known.text, again.text) == "".join(lines_of(moved)[100:200])
    assert len(again.text) < 250


def test_a_part_beyond_the_end_is_an_error() -> None:
    with pytest.raises(InputError, match="file has 3 lines"):
        read("1\n2\n3\n", asked=ReadRequest(path="file", start=5))
    read("", asked=ReadRequest(path="file", start=1))


@pytest.mark.parametrize("numbers", [{"start": 0}, {"limit": -1}, {"start": 2**31}])
def test_numbers_out_of_range_are_refused(numbers: dict[str, int]) -> None:
    with pytest.raises(InputError, match="Use a number from"):
        ReadRequest(
            path="file", start=numbers.get("start", 1), limit=numbers.get("limit", 0)
        ).check()


def test_a_line_that_does_not_fit_is_cut() -> None:
    text = f"short\n{'x' * 50_000}\nlast\n"
    long = ReadRequest(path="file", start=2)
    first = read(text, asked=long)
    assert len(first.text) <= LIMIT
    assert first.text.partition("\n")[0].endswith(
        ": lines 2-2 of 3, the line has 50,001 characters, cut, more: offset 3]"
    )
    assert first.known.lines == CUT
    assert apply("", first.text) == first.known.text
    again = read(text, first.known, long)
    assert "unchanged since you read it, as far as you saw it" in again.text
    assert apply(first.known.text, again.text) == first.known.text
    assert read(text.replace("xx", "yx"), first.known, long).text != again.text
    assert len(read(text.replace("xx", "yx"), first.known, long).text) > LIMIT - 50


def test_a_small_part_of_a_small_file_needs_no_head() -> None:
    assert read("one\ntwo\n", asked=ReadRequest(path="file", start=2)).text == "two\n"


def test_whoever_saw_the_beginning_is_told_of_what_came_behind_it() -> None:
    first = read(numbered(1_000))
    longer = read(numbered(1_001), first.known)
    assert f"lines 1-{first.known.lines} of 1001, unchanged" in longer.text
    shorter = read("".join(lines_of(first.known.text)[:-1]), first.known)
    assert "1 change since you read it]" in shorter.text
    assert shorter.known.complete


# Encodings, credentials


@pytest.mark.parametrize("codec", ["utf-16", "utf-32"])
def test_other_unicode_is_read_and_told(codec: str) -> None:
    text = numbered(20) + "señor\n"
    told = read(text.encode(codec)).text
    assert told.startswith("[mind_read ")
    assert f"{codec.upper()} in the file" in told.partition("\n")[0]
    assert len(told) <= len(text)
    assert "more: offset" in told.partition("\n")[0]


def test_what_is_no_utf_8_is_replaced_and_counted() -> None:
    text = numbered(30).replace("line 3\n", "señor \ufffd ñ\n")
    data = text.encode("utf-8").replace("ñ".encode(), b"\xf1")
    told = read(data).text
    assert "not UTF-8: \ufffd stands for what cannot be read, 2 times" in told
    assert "se\ufffdor \ufffd \ufffd" in told
    assert len(told) <= len(text)


def test_a_tiny_file_has_no_room_for_more_than_itself() -> None:
    assert read(b"se\xf1or\n").text == "se\ufffdor\n"


def test_binary_files_are_refused() -> None:
    with pytest.raises(InputError, match=r"file is binary \(5 bytes\)"):
        read(b"\x89PNG\0")


def test_credentials_do_not_leave_the_file() -> None:
    text = numbered(20) + f"token = '{TOKEN}'\nafter\n"
    told = read(text)
    assert TOKEN not in told.text
    assert "removed]" in told.text
    assert TOKEN not in told.known.text
    assert len(told.text) <= len(text)
    other = text.replace(TOKEN, TOKEN[:-4] + "Zz9Y")
    assert "unchanged" in read(other, told.known).text


def test_a_mask_is_no_longer_than_what_it_hides_and_keeps_the_lines() -> None:
    key = "-----BEGIN PRIVATE KEY-----\r\n" + "MIIEvQIBADANBgkq\r\n" * 12
    key += "-----END PRIVATE KEY-----\r\n"
    for text in (f"a\r\n{key}b\r\n", f"password = 'hG7$kq2'\n{TOKEN}\n"):
        hidden = masked(text)
        assert hidden != text
        assert len(hidden) <= len(text)
        assert hidden.count("\n") == text.count("\n")
        assert hidden.count("\r") == text.count("\r")


# Any text, any edit

Edit = Callable[[random.Random, list[str]], list[str]]
LINES = st.lists(
    st.sampled_from(
        ["a\n", "b\n", "c\n", "\n", "\r\n", "+\n", "-\n", "@@ -1 +1 @@\n", "\\ No newline\n"]
    ),
    max_size=30,
)


@given(
    LINES,
    LINES,
    st.sampled_from(["", "a", "\\ No newline at end of file", "é\u2028"]),
    st.sampled_from([0, 20, 100_000]),
)
def test_hunks_rebuild_any_text_from_any_other(
    old: list[str], new: list[str], end: str, costly: int
) -> None:
    """In texts of any size: those that are compared line by line, and those that are not."""
    with mock.patch.object(changes, "_COSTLY", costly):
        rebuilt(lines_of("".join(old)), lines_of("".join(new) + end))


def rebuilt(before: list[str], after: list[str]) -> None:
    blocks = changed(before, after)
    told = diff(before, after, blocks)
    head = f"[mind_read {digest(''.join(after))}: {len(blocks)} changes since you read it]\n"
    assert apply("".join(before), head + told) == "".join(after)
    back = diff(after, before, changed(after, before))
    head = f"[mind_read {digest(''.join(before))}: 1 change since you read it]\n"
    assert apply("".join(after), head + back) == "".join(before)


def test_two_edits_far_apart_in_a_long_file_are_two_hunks() -> None:
    before = lines_of("".join(f"{at}\n" if at % 3 else "same\n" for at in range(5_000)))
    after = [*before[:100], "new\n", *before[100:4_000], *before[4_002:]]
    assert changed(before, after) == [(100, 100, 100, 101), (4_000, 4_002, 4_001, 4_001)]
    rebuilt(before, after)


@given(st.text(max_size=400), st.text(max_size=400), st.integers(1, 5), st.integers(0, 5))
def test_no_answer_is_longer_than_the_file(before: str, after: str, start: int, limit: int) -> None:
    asked = ReadRequest(path="file", start=start, limit=limit)
    known = None
    for text in (before, before, after, after):
        data = text.replace("\0", "").encode("utf-8", "replace")
        file = content(data, "file")
        if start > max(len(file.lines), 1):
            continue
        given_ = answer(file, asked, known, LIMIT)
        assert len(given_.text) <= file.size
        assert apply(known.text if known else "", given_.text) == given_.known.text
        known = given_.known


def edited(rng: random.Random, lines: list[str]) -> list[str]:
    """An edit as an agent makes it: one to three places, of one to eight lines each.

    Half change lines, a quarter each insert and delete them; where a session re-reads after each
    edit, that is nearly all there is.
    """
    new = list(lines)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        at, count = rng.randrange(len(new) + 1), rng.choice([1, 1, 2, 3, 5, 8])
        made = [f"{rng.choice(lines or ['x']).rstrip()}  # {rng.random()}\n" for _ in range(count)]
        kind = rng.choice(["change", "change", "insert", "delete"])
        new[at : at + (0 if kind == "insert" else count)] = [] if kind == "delete" else made
    return new


def test_edits_of_real_files_come_back_for_a_fraction(
    record_property: Callable[[str, object], None],
) -> None:
    """Must show 6: exact, at most 35 % of reading again, never longer than the file."""
    rng = random.Random(20261120)  # noqa: S311 - it makes edits, not secrets
    sources = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))
    told = plain = edits = 0
    while edits < tries(200, 1_000):
        text = content(rng.choice(sources).read_bytes(), "file")
        if not text.lines:
            continue
        agent = "".join(text.lines)
        known: GivenRange | None = GivenRange(agent, len(text.lines), complete=True)
        for _ in range(4):  # a session edits a file and reads it again, several times
            after = content("".join(edited(rng, lines_of(agent))).encode(), "file")
            answered = answer(after, ALL, known, 10**9)
            agent, known = apply(agent, answered.text), answered.known
            assert agent == "".join(after.lines)
            assert len(answered.text) <= after.size
            told, plain, edits = told + len(answered.text), plain + after.size, edits + 1
    record_property("share of plain re-reads", round(told / plain, 4))
    assert told / plain <= 0.35


def test_the_same_within_pages_as_a_client_gets_them() -> None:
    """With the default limit of 12,000 characters, and files that need pages."""
    rng = random.Random(6)  # noqa: S311 - as above
    sources = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))
    told = plain = 0
    for _ in range(tries(30, 150)):
        text = content(rng.choice(sources).read_bytes(), "file")
        if not text.lines:
            continue
        first = answer(text, ALL, None, LIMIT)
        shown = apply("", first.text)
        after = content("".join(edited(rng, list(text.lines))).encode(), "file")
        answered = answer(after, ALL, first.known, LIMIT)
        shown = apply(shown, answered.text)
        assert "".join(after.lines).startswith(shown)
        assert len(answered.text) <= min(LIMIT, after.size)
        told, plain = told + len(answered.text), plain + min(LIMIT, after.size)
    assert told / plain <= 0.35
