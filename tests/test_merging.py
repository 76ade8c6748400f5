"""Three versions of a memory file become one: entry by entry, and byte by byte elsewhere."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mind.documents import archive, parser
from mind.documents.merge import Merged, merge
from mind.documents.merge.units import BOM, UnitText, cut, style
from mind.domain.settings import Settings

HEAD = b"# shop\n\n## Project State\n\n- Goal: sell\n\n## Session Log\n"
DAY = b"\n## 2026-11-20\n\n"


def as_text(base: bytes, ours: bytes, theirs: bytes, marks: int) -> tuple[bytes, int]:
    """Stands for git's own merge of a paragraph: always a conflict."""
    del base
    bar = b"<" * marks
    return bar + b"\n" + ours + b"=" * marks + b"\n" + theirs + b">" * marks + b"\n", 1


def merged(base: bytes, ours: bytes, theirs: bytes, name: str = "MEMORY.md") -> Merged:
    return merge(base, ours, theirs, name, as_text)


def log(*lines: str) -> bytes:
    return HEAD + DAY + "".join(f"{line}\n" for line in lines).encode()


def bodies(source: bytes) -> Counter[bytes]:
    return Counter(one.body for one in cut(source, "MEMORY.md").units)


# --- what is logged ------------------------------------------------------------------------


def test_what_both_log_on_one_day_is_there_once_each() -> None:
    done = merged(log("decided: a"), log("decided: a", "fixed: b"), log("decided: a", "fixed: c"))
    assert done == Merged(source=log("decided: a", "fixed: b", "fixed: c"))


def test_the_same_line_from_both_sides_is_there_once() -> None:
    done = merged(log(), log("learned: x", "fixed: b"), log("learned: x"))
    assert done.source == log("learned: x", "fixed: b")


def test_a_line_that_one_side_wrote_twice_stays_twice() -> None:
    done = merged(log(), log("learned: x", "learned: x"), log("learned: x"))
    assert done.source == log("learned: x", "learned: x")


@pytest.mark.parametrize("closing", ["```", "  ```", "      ```\n  ```"])
def test_the_list_and_the_fence_of_an_entry_stay_with_it(closing: str) -> None:
    one = f"- decided: S3:\n  - cheap\n\n  ```sh\n  up\n  {closing}"
    other = "- learned: S3 is slow:\n  - cheap\n  - learned: nested"
    done = merged(log("- note: a"), log("- note: a", one), log("- note: a", other))
    assert done == Merged(source=log("- note: a", one, other))


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("others", [[], ["fixed: the queue of the router loses its first packet"]])
def test_a_line_new_on_both_sides_is_there_once_though_a_conflict_left_it_below_another_day(
    swapped: bool, others: list[str]
) -> None:
    entry = "decided: the router keeps a queue of packets"
    base = log("decided: a", *others)
    above = log("decided: a", entry) + b"\n## 2026-11-21\n\nfixed: b\n"
    below = base + f"\n## 2026-11-21\n\n{entry}\nfixed: b\n".encode()
    sides = (below, above) if swapped else (above, below)
    assert bodies(merged(base, *sides).source)[entry.encode()] == 1


def test_the_same_progress_of_two_days_is_there_twice() -> None:
    base = log("decided: a") + b"\n## 2026-11-21\n\nfixed: b\n"
    ours = log("decided: a", "progress: deployed") + b"\n## 2026-11-21\n\nfixed: b\n"
    theirs = base + b"progress: deployed\n"
    assert bodies(merged(base, ours, theirs).source)[b"progress: deployed"] == 2


def test_equal_words_below_headings_without_a_day_are_two_statements() -> None:
    base = HEAD + b"\n## Risks\n\n- a: b\n\n## Costs\n\n- c: d\n"
    ours, theirs = (base.replace(one, one + b"\n- open: none") for one in (b"a: b", b"c: d"))
    assert bodies(merged(base, ours, theirs).source)[b"- open: none"] == 2


@pytest.mark.parametrize("swapped", [False, True])
def test_days_that_each_side_began_stand_in_their_order(swapped: bool) -> None:
    base = log("decided: a")
    later = base + b"\n## 2026-11-22\n\nfixed: late\n"
    sooner = base + b"\n## 2026-11-21\n\nfixed: soon\n"
    sides = (later, sooner) if swapped else (sooner, later)
    assert merged(base, *sides).source == (
        base + b"\n## 2026-11-21\n\nfixed: soon\n\n## 2026-11-22\n\nfixed: late\n"
    )


def test_days_of_a_file_with_the_latest_first_stay_so() -> None:
    def days(*names: str) -> bytes:
        return HEAD + b"".join(b"\n## %b\n\nfixed: %b\n" % (n.encode(), n.encode()) for n in names)

    base = days("2026-11-20", "2026-11-19")
    ours = days("2026-11-21", "2026-11-20", "2026-11-19")
    theirs = days("2026-11-22", "2026-11-20", "2026-11-19")
    assert merged(base, ours, theirs).source == days(
        "2026-11-22", "2026-11-21", "2026-11-20", "2026-11-19"
    )


def test_two_memories_without_a_common_ancestor_become_one() -> None:
    done = merged(b"", log("decided: a"), log("decided: b"))
    assert done.source == log("decided: a", "decided: b")


# --- what is changed -----------------------------------------------------------------------


def test_an_edit_and_a_log_beside_it_merge() -> None:
    done = merged(
        log("decided: use SQLite for the index"),
        log("decided: use SQLite 3.45 for the index"),
        log("decided: use SQLite for the index", "fixed: b"),
    )
    assert done == Merged(source=log("decided: use SQLite 3.45 for the index", "fixed: b"))


def test_the_same_entry_edited_differently_is_a_conflict_around_it_alone() -> None:
    done = merged(
        log("fixed: before", "decided: keep tokens for 5 minutes", "fixed: after"),
        log("fixed: before", "decided: keep tokens for 6 minutes", "fixed: after"),
        log("fixed: before", "decided: keep tokens for 7 minutes", "fixed: after"),
    )
    assert done.source == log(
        "fixed: before",
        "<<<<<<< ours",
        "decided: keep tokens for 6 minutes",
        "=======",
        "decided: keep tokens for 7 minutes",
        ">>>>>>> theirs",
        "fixed: after",
    )
    assert done.conflicts == 1
    assert [one.what for one in done.notices] == ["conflict"]
    assert "keep tokens for 6 minutes" in done.notices[0].about


@pytest.mark.parametrize(
    ("ours", "theirs", "wanted"),
    [
        ("a [verified:: 2026-11-20]", "b", "b [verified:: 2026-11-20]"),
        ("b", "a [pinned:: yes]", "b [pinned:: yes]"),
        ("a [pinned:: yes]", "a [due:: 2026-11-20]", "a [pinned:: yes] [due:: 2026-11-20]"),
        ("a [verified:: 2026-11-19]", "a [verified:: 2026-11-20]", "a [verified:: 2026-11-20]"),
        ("a [resolved:: 7erz4bv1]", "a [resolved:: 6pns8syv]", "a [resolved:: 6pns8syv]"),
        ("b ^3x6cqrqj", "a [verified:: 2026-11-20]", "b [verified:: 2026-11-20] ^3x6cqrqj"),
        ("b", "b", "b"),
    ],
)  # fmt: skip
def test_words_and_fields_are_changed_apart(ours: str, theirs: str, wanted: str) -> None:
    words = {"a": "tokens are kept for five minutes", "b": "tokens are kept for five hours"}

    def told(text: str) -> bytes:
        return log(f"learned: {words[text[0]]}{text[1:]}")

    assert merged(told("a"), told(ours), told(theirs)) == Merged(source=told(wanted))


def test_a_field_that_both_set_differently_is_a_conflict() -> None:
    base = log("learned: a b c d")
    done = merged(
        base, log("learned: a b c d [pinned:: yes]"), log("learned: a b c d [pinned:: no]")
    )
    assert done.conflicts == 1


def test_forgotten_here_and_edited_there_is_kept_and_told() -> None:
    done = merged(
        log("decided: use SQLite for the index", "fixed: b"),
        log("fixed: b"),
        log("decided: use SQLite 3.45 for the index", "fixed: b"),
    )
    assert done.source == log("decided: use SQLite 3.45 for the index", "fixed: b")
    assert [one.what for one in done.notices] == ["kept"]
    assert done.conflicts == 0


def test_forgotten_on_either_side_is_gone() -> None:
    base = log("decided: a", "fixed: b", "fixed: c")
    done = merged(base, log("decided: a", "fixed: c"), log("fixed: b", "fixed: c"))
    assert done == Merged(source=log("fixed: c"))


def test_an_entry_with_an_id_that_both_sides_brought_back_has_the_words_of_who_edited_it() -> None:
    from mind.domain.entry import content_id

    name = content_id("use SQLite")
    done = merged(log(), log("decided: use SQLite"), log(f"decided: use Postgres ^{name}"))
    assert done == Merged(source=log(f"decided: use Postgres ^{name}"))


def test_an_item_that_one_side_moved_and_the_other_ticked_is_both() -> None:
    base = b"# m\n\n## Now\n\n- [ ] write docs\n\n## Later\n\n- [ ] rest\n"
    ours = b"# m\n\n## Now\n\n## Later\n\n- [ ] rest\n- [ ] write docs\n"
    theirs = base.replace(b"[ ] write", b"[x] write")
    assert merged(base, ours, theirs).source == ours.replace(b"[ ] write", b"[x] write")


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "wanted"),
    [
        ("- [ ] ship", "- [x] ship", "- [ ] ship [due:: friday]", "- [x] ship [due:: friday]"),
        ("- [ ] ship", "- [ ] ship [due:: friday]", "- [x] ship", "- [x] ship [due:: friday]"),
        ("- [ ] ship", "- [x] ship", "- [/] ship", "- [x] ship"),
        ("- ship", "- [ ] ship", "- ship [due:: friday]", "- [ ] ship [due:: friday]"),
        ("- ship it [due:: may]", "- ship it", "- ship it [due:: june]", "- ship it [due:: june]"),
        ("- ship it [due:: may]", "- ship it", "- ship it [due:: may] ^ab1", "- ship it ^ab1"),
        ("- ship it ^ab1", "* ship it ^ab1", "- ship it [due:: may] ^ab1",
         "* ship it [due:: may] ^ab1"),
        ("- ship it", "- ship it ^ab1", "- ship it [due:: may] ^ab2", "- ship it [due:: may] ^ab1"),
        ("- ship it", "- ship it ^ab1", "- ship it [due:: may]", "- ship it [due:: may] ^ab1"),
        ("- ship it", "- ship it [due:: may]", "- ship it ^ab1", "- ship it [due:: may] ^ab1"),
    ],
)  # fmt: skip
def test_boxes_marks_and_ids_are_changed_apart(
    base: str, ours: str, theirs: str, wanted: str
) -> None:
    def file(item: str) -> bytes:
        return f"# m\n\n## Todo\n\n{item}\n".encode()

    assert merged(file(base), file(ours), file(theirs)) == Merged(source=file(wanted))


def test_a_box_that_both_added_is_done_if_one_of_them_ticked_it() -> None:
    done = merged(b"# m\n", b"# m\n\n- [ ] ship\n", b"# m\n\n- [x] ship\n")
    assert done == Merged(source=b"# m\n\n- [x] ship\n")


def test_a_field_that_has_no_place_is_a_conflict() -> None:
    base, long = "learned: a b c d", "x" * 500
    done = merged(log(base), log(f"{base} [note:: {long}]"), log("learned: a b c d e"))
    assert done.conflicts == 1


# --- everything else -----------------------------------------------------------------------


def test_prose_is_merged_as_text_and_only_where_both_changed_it() -> None:
    base = b"# m\n\nFirst words here.\n\nSecond words here.\n"
    ours = base.replace(b"First", b"Ours").replace(b"Second", b"Our second")
    theirs = base.replace(b"First", b"Theirs")
    done = merged(base, ours, theirs)
    assert b"<<<<<<<\nOurs words here.\n=======\nTheirs words here.\n>>>>>>>\n" in done.source
    assert done.source.endswith(b"\n\nOur second words here.\n")
    assert done.conflicts == 1


@pytest.mark.parametrize("swapped", [False, True])
def test_a_paragraph_corrected_on_one_side_and_verified_on_the_other_is_both(
    *, swapped: bool
) -> None:
    body = "**Decision:** each page shows the logo, and the name\nof the service beside it"
    entry = parser.parse(log("", body), "MEMORY.md", Settings())[-1]
    corrected = log("", f"decided: each page shows the logo ^{entry.id}", "")
    verified = log("", f"{body} [verified:: 2026-11-28]", "")
    ours, theirs = (corrected, verified) if swapped else (verified, corrected)
    made = merged(log("", body, ""), ours, theirs)
    line = f"decided: each page shows the logo [verified:: 2026-11-28] ^{entry.id}"
    assert (made.conflicts, made.notices, made.source) == (0, (), log("", line, ""))


def test_of_paragraphs_like_twins_the_one_in_its_place_was_edited() -> None:
    base = b"# m\n\nParagraph one (first) of what we all do here\nin a second line.\n"
    twin = b"\nParagraph two (first) of what we all do here\nin a second line.\n"
    ours = base.replace(b"(first)", b"(ours)") + twin
    done = merged(base, ours, base.replace(b"(first)", b"(theirs)"))
    assert done.conflicts == 1
    assert done.source.endswith(twin)
    assert b"<<<<<<<\nParagraph one (ours)" in done.source


def test_a_renamed_section_takes_in_what_the_other_side_added() -> None:
    base = b"# m\n\n## Gotchas\n\n- one trap\n- two traps\n"
    ours = base.replace(b"## Gotchas", b"## Pitfalls")
    theirs = base + b"- three traps\n"
    assert merged(base, ours, theirs).source == ours + b"- three traps\n"


def test_a_heading_that_both_renamed_is_a_conflict() -> None:
    base = b"# m\n\n## Gotchas\n\n- one trap\n"
    done = merged(base, base.replace(b"Gotchas", b"Traps"), base.replace(b"Gotchas", b"Pits"))
    assert done.conflicts == 1
    assert b"## Traps\n=======\n## Pits\n" in done.source


def test_a_section_taken_out_stays_where_the_other_side_wrote_in_it() -> None:
    base = b"# m\n\n## Gotchas\n\n- one trap\n\n## Other\n\n- x\n"
    ours = b"# m\n\n## Other\n\n- x\n"
    theirs = base.replace(b"- one trap\n", b"- one trap\n- two traps\n")
    done = merged(base, ours, theirs)
    assert done.source == b"# m\n\n## Gotchas\n\n- two traps\n\n## Other\n\n- x\n"


def test_front_matter_and_a_title_above_a_line_are_merged_as_they_stand() -> None:
    base = b"---\ntags: a\n---\n\nShop\n====\n\n- one trap\n"
    ours = base.replace(b"tags: a", b"tags: b")
    done = merged(base, ours, base + b"- two traps\n")
    assert done == Merged(source=ours + b"- two traps\n")


def test_what_is_indented_under_an_item_stays_with_it() -> None:
    base = b"# m\n\n- one trap\n\n  Because of this.\n\n  ```sh\n  make\n\n  ```\n\n- two\n"
    ours = base.replace(b"Because of this", b"Because of that")
    assert merged(base, ours, base + b"- three\n").source == ours + b"- three\n"


def test_markers_that_somebody_left_are_lines_of_their_own() -> None:
    left = log("<<<<<<< ours", "decided: a", "=======", "decided: b", ">>>>>>> theirs")
    assert merged(left, log("decided: a"), left + b"fixed: c\n").source == log(
        "decided: a", "fixed: c"
    )


def test_rows_of_a_table_are_merged_like_entries() -> None:
    base = b"# m\n\n| trap | way |\n| --- | --- |\n| a | b |\n"
    done = merged(base, base + b"| c | d |\n", base + b"| e | f |\n")
    assert done == Merged(source=base + b"| c | d |\n| e | f |\n")


def test_a_fence_left_open_is_closed_before_what_the_other_side_added() -> None:
    base = log("decided: a")
    done = merged(base, base + b"\n```sh\nmake\n", base + b"\n## 2026-11-21\n\nfixed: b\n")
    assert b"```sh\nmake\n```\n" in done.source
    assert done.source.endswith(b"## 2026-11-21\n\nfixed: b\n")


@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", [True, False])
def test_line_ends_mark_and_last_line_stay(newline: bytes, bom: bytes, end: bool) -> None:
    def file(source: bytes) -> bytes:
        text = bom + source.replace(b"\n", newline)
        return text if end else text.removesuffix(newline)

    base, ours, theirs = log("fixed: a"), log("fixed: a", "fixed: b"), log("fixed: a", "fixed: c")
    done = merged(file(base), file(ours), file(theirs))
    assert done.source == file(log("fixed: a", "fixed: b", "fixed: c"))


def test_line_ends_that_one_side_changed_are_changed_everywhere() -> None:
    base, theirs = log("fixed: a"), log("fixed: a", "fixed: c")
    done = merged(base, base.replace(b"\n", b"\r\n"), theirs)
    assert done.source == theirs.replace(b"\n", b"\r\n")
    assert style(b"a\r\nb\n") == b""


# --- reminders -----------------------------------------------------------------------------

PENDING = (
    b"# Reminders\n\n## Pending\n\n- [ ] call Ann | due: 2026-12-01 09:00 ^r1234567\n\n## Done\n"
)
DONE = (
    b"# Reminders\n\n## Pending\n\n## Done\n\n"
    b"- [x] call Ann | due: 2026-12-01 09:00 | completed: 2026-11-20 ^r1234567\n"
)


def test_a_reminder_done_here_and_changed_there_is_done_with_the_change() -> None:
    theirs = PENDING.replace(b"call Ann", b"call Ann and Bob")
    done = merged(PENDING, DONE, theirs, "REMINDERS.md")
    assert done.source == DONE.replace(b"call Ann", b"call Ann and Bob")
    assert [one.what for one in done.notices] == ["done"]


def test_a_reminder_done_on_both_sides_was_done_on_the_earlier_day() -> None:
    theirs = DONE.replace(b"2026-11-20", b"2026-11-22")
    assert merged(PENDING, theirs, DONE, "REMINDERS.md").source == DONE


def test_a_reminder_put_off_on_both_sides_is_a_conflict() -> None:
    sides = [PENDING.replace(b"12-01", b"12-0%d" % day) for day in (2, 3)]
    assert merged(PENDING, sides[0], sides[1], "REMINDERS.md").conflicts == 1


def test_two_reminders_of_the_same_words_and_different_times_are_two() -> None:
    empty = b"# Reminders\n\n## Pending\n"
    sides = [empty + b"\n- [ ] call | due: 2026-12-0%d 09:00 ^r1234567\n" % day for day in (2, 3)]
    done = merged(empty, sides[0], sides[1], "REMINDERS.md")
    assert done.conflicts == 0
    assert done.source.count(b"- [ ] call") == 2


def test_a_reminder_without_an_id_is_known_by_its_words() -> None:
    from mind.domain.entry import content_id

    base = PENDING.replace(b" ^r1234567", b"")
    ours = DONE.replace(b"r1234567", b"r" + content_id("call Ann")[:7].encode())
    theirs = base.replace(b"call Ann", b"call Ann and Bob about it")
    done = merged(base, ours, theirs, "REMINDERS.md")
    assert done.source == ours.replace(b"call Ann", b"call Ann and Bob about it")


# --- the archive ---------------------------------------------------------------------------


def block(name: str, text: str, reason: str = "old", day: str = "2026-11-20") -> bytes:
    return (
        f"## {day} {name}\n\n- reason: {reason}\n- was: decision\n"
        f"- from: .mind/MEMORY.md:9, under shop\n- between: a+0 b+0\n\n"
        f"```markdown\n{text}\n```\n\n"
    ).encode()


ARCHIVE = b"# Archive\n\n<!-- What was forgotten. -->\n\n"


def kept(source: bytes) -> list[tuple[str, str]]:
    return [(one.id, one.reason) for one in archive.blocks(source)]


def test_blocks_of_both_sides_are_kept() -> None:
    one, other = block("aaaa1111", "decided: a"), block("bbbb1111", "decided: b")
    done = merged(ARCHIVE, ARCHIVE + one, ARCHIVE + other, "ARCHIVE.md")
    assert done == Merged(source=ARCHIVE + one + other)


def test_an_entry_that_both_archived_has_one_block_with_both_reasons() -> None:
    one = block("aaaa1111", "decided: a", "stale", "2026-11-21")
    other = block("aaaa1111", "decided: a", "wrong", "2026-11-20")
    for sides in ((one, other), (other, one)):
        done = merged(ARCHIVE, ARCHIVE + sides[0], ARCHIVE + sides[1], "ARCHIVE.md")
        assert kept(done.source) == [("aaaa1111", "wrong; stale")]


def test_what_one_side_brought_back_leaves_the_archive() -> None:
    one, other = block("aaaa1111", "decided: a"), block("bbbb1111", "decided: b")
    third = block("cccc1111", "decided: c")
    done = merged(ARCHIVE + one, ARCHIVE + other, ARCHIVE + one + third, "ARCHIVE.md")
    assert kept(done.source) == [("bbbb1111", "old"), ("cccc1111", "old")]


def test_what_one_side_brought_back_and_the_other_renamed_leaves_the_archive() -> None:
    one = block("aaaa1111", "decided: a")
    changed = one.replace(b"reason: old", b"reason: older")
    done = merged(ARCHIVE + one, ARCHIVE, ARCHIVE + changed + b"x\n", "ARCHIVE.md")
    assert kept(done.source) == []


# --- whatever there is ---------------------------------------------------------------------

_WORD = st.sampled_from("red green blue cyan black white amber olive coral ivory".split())
_LINE = st.builds(
    lambda kind, words: f"{kind}: {' '.join(words)}",
    st.sampled_from(("decided", "learned", "- item", "fixed")),
    st.lists(_WORD, min_size=1, max_size=6),
)
_OTHER = st.sampled_from(
    ("", "Some prose.", "more prose", "```", "<!-- note", "-->", "| a | b |", "  deeper", "- [ ] x",
     "## 2026-11-20", "## Notes", "Title", "=====", "---", "> quoted", "\tx", "<div>", "<<<<<<< a"),
)  # fmt: skip
_TEXT = st.lists(st.one_of(_LINE, _OTHER), max_size=14).map(lambda rows: "\n".join(rows).encode())
_ENDED = st.tuples(_TEXT, st.sampled_from((b"", b"\n", b"\n\n"))).map(b"".join)


def joined(text: UnitText) -> bytes:
    """The bytes that ``text`` was cut from."""
    made = text.lead + b"".join(one.body + one.end + one.gap for one in text.units)
    if not text.ended:
        made = made.removesuffix(text.newline)
    return (BOM if text.bom else b"") + made


@given(st.one_of(_ENDED, st.binary(max_size=60)), st.sampled_from(("MEMORY.md", "ARCHIVE.md")))
def test_a_file_is_cut_without_losing_a_byte(source: bytes, name: str) -> None:
    assert joined(cut(source, name)) == source


@given(_ENDED, _ENDED)
def test_what_only_one_side_changed_is_taken_as_it_is(base: bytes, side: bytes) -> None:
    assert merged(base, base, side).source == side
    assert merged(base, side, base).source == side
    assert merged(base, side, side).source == side


@st.composite
def _sides(draw: st.DrawFn) -> tuple[bytes, bytes, bytes]:
    """A log, and two versions in which lines were added, taken out and marked."""
    lines = draw(st.lists(_LINE, max_size=8, unique=True))
    versions = []
    for side in ("ours", "theirs"):
        own = [line for line in lines if draw(st.integers(0, 4))]
        own = [
            f"{line} [verified:: 2026-11-2{draw(st.integers(0, 9))}]"
            if not draw(st.integers(0, 4))
            else line
            for line in own
        ]
        own += [f"decided: {side}{number} {side}" for number in range(draw(st.integers(0, 4)))]
        versions.append(log(*own))
    return log(*lines), versions[0], versions[1]


@given(_sides())
def test_both_ways_round_hold_the_same(sides: tuple[bytes, bytes, bytes]) -> None:
    base, ours, theirs = sides
    one, other = merged(base, ours, theirs), merged(base, theirs, ours)
    assert bodies(one.source) == bodies(other.source)
    assert one.conflicts == other.conflicts == 0


@given(_sides())
def test_what_each_side_added_is_there_once_and_nothing_else_is(
    sides: tuple[bytes, bytes, bytes],
) -> None:
    base, ours, theirs = (
        Counter(one.partition(b" [")[0] for one in bodies(text).elements()) for text in sides
    )
    found = Counter(one.partition(b" [")[0] for one in bodies(merged(*sides).source).elements())
    assert found - base == (ours - base) + (theirs - base)


@given(_sides())
def test_a_merge_made_again_changes_nothing(sides: tuple[bytes, bytes, bytes]) -> None:
    base, ours, theirs = sides
    once = merged(base, ours, theirs).source
    assert bodies(merged(base, once, theirs).source) == bodies(once)
    assert bodies(merged(base, ours, once).source) == bodies(once)


@given(_ENDED, _ENDED, _ENDED)
def test_any_three_texts_merge(base: bytes, ours: bytes, theirs: bytes) -> None:
    for name in ("MEMORY.md", "REMINDERS.md", "ARCHIVE.md"):
        done = merged(base, ours, theirs, name)
        assert joined(cut(done.source, name)) == done.source
