"""Changing entries where they stand, taking them to the archive, putting them back."""

import contextlib
import random
import tempfile
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mind.documents import archive, parser
from mind.domain.entry import Entry, Kind
from mind.domain.errors import InputError, NotFound
from mind.memory import curation
from mind.memory.memory import Memory
from mind.storage.project import Project
from tests.effort import tries

DAY = date(2026, 11, 20)

MIXED = """---
title: x
---
# Memory

decided: SQLite over Postgres - one file
learned: the pool leaks
  when a worker dies

## Gotchas

- gotcha: Safari drops cookies [verified:: 2026-01-02] ^abc123
- [ ] todo: write the manual
  - with pictures
1. problem: the cache is cold

| decided | why |
|---|---|
| decided: use uv | fast |

## 2026-11-01

decided: rename the package

learned: blank lines around

decided: SQLite over Postgres - one file
rejected: threads - the GIL"""


def entries(project: Project) -> list[Entry]:
    path = project.memory
    found = parser.parse(path.read_bytes(), project.relative(path), project.settings)
    return parser.number_and_resolve(found)


@pytest.fixture
def mixed(memory: Memory) -> Project:
    memory.project.memory.write_text(MIXED, encoding="utf-8", newline="")
    return memory.project


def named(project: Project, words: str) -> Entry:
    return next(one for one in entries(project) if words in one.text)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
def test_what_is_forgotten_and_restored_stands_as_it_stood(
    mixed: Project, newline: str, bom: bytes
) -> None:
    source = bom + MIXED.replace("\n", newline).encode()
    mixed.memory.write_bytes(source)
    assert len(entries(mixed)) >= 9
    for one in entries(mixed):
        curation.forget(mixed, one, "not needed", DAY, acknowledge=True)
        assert mixed.memory.read_bytes() != source
        restored = curation.restore(mixed, one.id)
        assert mixed.memory.read_bytes() == source
        assert restored.entry.text == one.text
        assert curation.archived(mixed) == []


def test_all_forgotten_and_restored_in_reverse_stands_as_it_stood(mixed: Project) -> None:
    source = mixed.memory.read_bytes()
    all_of_them = entries(mixed)
    for one in all_of_them:
        curation.forget(mixed, one, "away", DAY, acknowledge=True)
    assert entries(mixed) == []
    for one in reversed(all_of_them):
        curation.restore(mixed, one.id)
    assert mixed.memory.read_bytes() == source


PLAIN = "".join(f"- decided: fact number {at} about the {at} thing\n" for at in range(12))


@settings(max_examples=tries(5, 25), deadline=None)
@given(st.permutations(range(12)), st.permutations(range(12)), st.integers(1, 12))
def test_in_any_order_they_come_back_to_where_they_stood(
    away: Sequence[int], back: Sequence[int], count: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        _come_back(Project(Path(folder)), away, back, count)


def _come_back(project: Project, away: Sequence[int], back: Sequence[int], count: int) -> None:
    project.folder.mkdir()
    project.memory.write_text(f"# Memory\n\n{PLAIN}\n## Later\n\nx\n", encoding="utf-8")
    source = project.memory.read_bytes()
    known = entries(project)
    ids = [known[at].id for at in away[:count]]
    for identifier in ids:
        now = next(one for one in entries(project) if one.id == identifier)
        curation.forget(project, now, "away", DAY, acknowledge=True)
    for at in back:
        if known[at].id in ids:
            curation.restore(project, known[at].id)
    assert project.memory.read_bytes() == source


def test_the_archive_says_when_why_and_from_where(mixed: Project) -> None:
    one = named(mixed, "Safari")
    kept = curation.forget(
        mixed, one, "Safari 27\n  mended it", DAY, replaced_by="abcd2345", acknowledge=True
    )
    assert kept == curation.archived(mixed)[0]
    assert (kept.id, kept.day, kept.reason) == ("abc123", DAY, "Safari 27 mended it")
    assert (kept.kind, kept.section, kept.replaced_by) == (
        Kind.GOTCHA,
        ("Memory", "Gotchas"),
        "abcd2345",
    )
    assert kept.text.startswith(b"- gotcha: Safari")
    assert "Safari" not in mixed.memory.read_text(encoding="utf-8")
    again = curation.entry_of(mixed, kept)
    assert again is not None
    assert (again.kind, again.text) == (one.kind, one.text)
    assert curation.archived(mixed, "safari MENDED") == [kept]
    assert curation.archived(mixed, "firefox") == []


def test_what_moved_in_the_meantime_is_still_found(mixed: Project) -> None:
    one = named(mixed, "Safari")
    source = mixed.memory.read_text(encoding="utf-8")
    mixed.memory.write_text(f"# New\n\nnew line\n\n{source}", encoding="utf-8")
    curation.forget(mixed, one, "gone", DAY, acknowledge=True)
    assert "Safari" not in mixed.memory.read_text(encoding="utf-8")
    with pytest.raises(NotFound, match="no longer in"):
        curation.forget(mixed, one, "gone", DAY, acknowledge=True)
    assert len(curation.archived(mixed)) == 1


def test_beside_a_neighbour_or_in_its_section_where_the_rest_is_gone(mixed: Project) -> None:
    mixed.memory.write_text("# A\n\n- gotcha: one thing\n- gotcha: other thing\n", "utf-8")
    curation.forget(mixed, named(mixed, "one thing"), "x", DAY, acknowledge=True)
    mixed.memory.write_text("# B\n\n- gotcha: other thing\n", "utf-8")
    curation.restore(mixed, curation.archived(mixed)[0].id)
    text = mixed.memory.read_text("utf-8")
    assert text == "# B\n\n- gotcha: one thing\n- gotcha: other thing\n"
    curation.forget(mixed, named(mixed, "one thing"), "x", DAY, acknowledge=True)
    mixed.memory.write_text("# B\n\nbefore\n- gotcha: one thing\n", "utf-8")
    curation.forget(mixed, named(mixed, "one thing"), "x", DAY, acknowledge=True)
    mixed.memory.write_text("# B\n\nquite another\n\n# C\n\nmore", "utf-8")
    curation.restore(mixed, curation.archived(mixed)[0].id)
    text = mixed.memory.read_text("utf-8")
    assert text == "# B\n\nquite another\n- gotcha: one thing\n\n# C\n\nmore"
    mixed.memory.write_text("# D\n\nbefore\n- gotcha: one thing\n", "utf-8")
    curation.forget(mixed, named(mixed, "one thing"), "x", DAY, acknowledge=True)
    mixed.memory.write_text("nothing of it", "utf-8")
    curation.restore(mixed, curation.archived(mixed)[0].id)
    assert mixed.memory.read_text("utf-8") == "nothing of it\n- gotcha: one thing\n"


def test_an_archive_that_somebody_edited_is_still_read(mixed: Project) -> None:
    curation.forget(mixed, named(mixed, "leaks"), "mended", DAY, acknowledge=True)
    text = mixed.archive.read_bytes()
    mixed.archive.write_bytes(b"my own words\n\n" + text.replace(b"\n", b"\r\n") + b"## not ours\n")
    source = mixed.memory.read_bytes()
    curation.restore(mixed, curation.archived(mixed)[0].id)
    assert b"learned: the pool leaks\n  when a worker dies\n" in mixed.memory.read_bytes()
    assert len(mixed.memory.read_bytes()) > len(source)
    assert b"my own words" in mixed.archive.read_bytes()
    assert b"## not ours" in mixed.archive.read_bytes()
    odd = b"## 2026-13-40 abc\n\n- reason: x\n\n```markdown\ny\n```\n"
    short = b"## 2026-01-02 abc\n\n- reason: x\n\n```markdown\ny\n```\n"
    assert [(one.id, one.file) for one in archive.blocks(odd + short)] == [("abc", "")]


def test_marks_stand_at_the_end_of_an_entry_and_change_in_their_place(mixed: Project) -> None:
    one = named(mixed, "leaks")
    curation.mark(mixed, one, {"verified": "2026-11-20"})
    text = mixed.memory.read_text("utf-8")
    assert "  when a worker dies [verified:: 2026-11-20]\n" in text
    curation.mark(mixed, named(mixed, "leaks"), {"verified": "2026-11-21", "pinned": "yes"})
    text = mixed.memory.read_text("utf-8")
    assert "  when a worker dies [verified:: 2026-11-21] [pinned:: yes]\n" in text
    safari = curation.mark(mixed, named(mixed, "Safari"), {"verified": "2026-11-20"})
    assert safari.id == "abc123"
    text = mixed.memory.read_text("utf-8")
    assert "- gotcha: Safari drops cookies [verified:: 2026-11-20] ^abc123\n" in text
    curation.mark(mixed, safari, {"verified": ""})
    assert "- gotcha: Safari drops cookies ^abc123\n" in mixed.memory.read_text("utf-8")


def test_every_entry_can_be_marked_or_says_that_it_cannot(mixed: Project) -> None:
    marked = 0
    for at in range(len(entries(mixed))):
        one = entries(mixed)[at]
        with contextlib.suppress(InputError):
            curation.mark(mixed, one, {"verified": "2026-11-20"})
            marked += 1
        assert entries(mixed)[at].text == one.text
    assert marked >= 8


@pytest.mark.parametrize("fields", [{"a]b": "x"}, {"verified": "a]b"}, {"verified": "a\nb"}])
def test_what_is_no_field_is_not_written(mixed: Project, fields: dict[str, str]) -> None:
    before = mixed.memory.read_bytes()
    with pytest.raises(InputError, match="no inline field"):
        curation.mark(mixed, named(mixed, "leaks"), fields)
    assert mixed.memory.read_bytes() == before


def test_an_entry_is_corrected_in_its_place_and_keeps_its_id(mixed: Project) -> None:
    one = named(mixed, "Safari")
    new = curation.rewrite(mixed, one, "Safari 27 keeps cookies\nfor a week", DAY)
    assert (new.id, new.kind, new.line) == (one.id, Kind.GOTCHA, one.line)
    text = mixed.memory.read_text("utf-8")
    assert "- gotcha: Safari 27 keeps cookies\n  for a week ^abc123\n- [ ] todo" in text
    was = curation.archived(mixed)[0]
    assert (was.reason, was.replaced_by) == ("corrected", "abc123")
    assert b"Safari drops cookies" in was.text
    other = named(mixed, "rename the package")
    assert curation.rewrite(mixed, other, "rename the command", DAY).id == other.id
    assert f"decided: rename the command ^{other.id}\n" in mixed.memory.read_text("utf-8")


def test_an_item_is_corrected_without_what_is_nested_in_it(memory: Memory) -> None:
    project = memory.project
    before = "# M\n\n- the storage has two parts\n  - the writer owns the lock file\n\n> Ask Tom.\n"
    project.memory.write_text(before, "utf-8")
    made = curation.rewrite(project, named(project, "two parts"), "it has three parts", DAY)
    left = project.memory.read_text("utf-8")
    assert f"three parts ^{made.id}\n  - the writer owns the lock file\n\n> Ask Tom.\n" in left
    assert curation.archived(project)[0].text == b"- the storage has two parts\n"


def test_a_row_or_a_quote_leaves_alone_and_comes_back(memory: Memory) -> None:
    project = memory.project
    table = "# M\n\n| Vendor | Use |\n|---|---|\n| Hetzner | servers |\n| Mailgun | mail |\n"
    before = table + "\n> Ask Tom before\n> you deploy.\n\nafter\n"
    project.memory.write_text(before, "utf-8")
    for words, line in (
        ("Hetzner", "| Hetzner | servers |\n"),
        ("Tom", "> Ask Tom before\n> you deploy.\n"),
    ):
        one = named(project, words)
        curation.forget(project, one, "x", DAY, acknowledge=True)
        assert project.memory.read_text("utf-8") == before.replace(line, "")
        curation.restore(project, one.id)
        assert project.memory.read_text("utf-8") == before


def test_what_cannot_be_corrected_is_left_alone(mixed: Project) -> None:
    before = mixed.memory.read_bytes()
    with pytest.raises(InputError, match="already says that"):
        curation.rewrite(mixed, named(mixed, "Safari"), "Safari  drops cookies", DAY)
    with pytest.raises(InputError, match="cannot be rewritten"):
        curation.rewrite(mixed, named(mixed, "use uv"), "use pip", DAY)
    with pytest.raises(InputError, match="empty"):
        curation.rewrite(mixed, named(mixed, "Safari"), "  ", DAY)
    assert mixed.memory.read_bytes() == before
    assert not mixed.archive.exists()


def test_what_stands_in_the_source_or_in_a_commit_is_not_mind_s_to_change(mixed: Project) -> None:
    for source, commit in (("src/a.py", ""), ("git", "0123456789")):
        one = Entry(id="x", kind=Kind.NOTE, text="x", source=source, line=3, commit=commit)
        with pytest.raises(InputError, match=r"src/a.py:3|commit 0123456789"):
            curation.forget(mixed, one, "x", DAY, acknowledge=True)


def test_pruning_deletes_only_what_is_older(mixed: Project) -> None:
    curation.forget(mixed, named(mixed, "Safari"), "x", date(2026, 1, 2), acknowledge=True)
    curation.forget(mixed, named(mixed, "leaks"), "y", DAY, acknowledge=True)
    assert len(curation.prune(mixed, DAY, dry_run=True)) == 1
    assert len(curation.archived(mixed)) == 2
    assert [one.reason for one in curation.prune(mixed, DAY)] == ["x"]
    assert [one.reason for one in curation.archived(mixed)] == ["y"]
    assert curation.prune(mixed, DAY) == []
    curation.restore(mixed, curation.archived(mixed)[0].id)
    with pytest.raises(NotFound, match="no archived entry has the id"):
        curation.restore(mixed, "abc123")


@pytest.mark.parametrize("reason", ["", " \n", "x" * 1025, "é" * 600])
def test_a_reason_is_needed(reason: str) -> None:
    with pytest.raises(InputError, match="reason"):
        curation.checked_reason(reason)


@pytest.mark.parametrize("seed", range(20))
def test_files_of_any_shape_come_back_whole(memory: Memory, seed: int) -> None:
    project = memory.project
    chance = random.Random(seed)  # noqa: S311 - it makes files, not secrets
    parts = [
        "",
        "\n",
        "# H\n",
        "text {}\n\n",
        "- decided: a thing of {}\n",
        "- b\n  - learned: c {}\n",
    ]
    parts += [
        "learned: d {}\n  more\n",
        "```\ncode\n```\n",
        "problem: e {} ^id-{}\n",
        "> quoted {}\n",
    ]
    lines = [chance.choice(parts).replace("{}", str(at)) for at in range(60)]
    project.memory.write_text("".join(lines), encoding="utf-8", newline="")
    source = project.memory.read_bytes()
    away = chance.sample(found := entries(project), min(6, len(found)))
    for one in away:
        curation.forget(project, one, "x", DAY, acknowledge=True)
    for one in reversed(away):
        curation.restore(project, one.id)
    assert project.memory.read_bytes() == source


def test_an_entry_that_another_begins_with_is_not_cut_out_of_it(memory: Memory) -> None:
    day = "# Memory\n\n## 2026-11-01\n\n"
    short, longer = "note: the cache is cold [layer:: emotion]", "note: the cache is cold"
    first = f"{short}\n\n"
    whole = f"{day}{first}{longer} [layer:: emotion] today\n\n"
    memory.project.memory.write_text(whole, encoding="utf-8", newline="")
    ((known, other),) = [entries(memory.project)]
    swapped = f"{day}{longer} [layer:: emotion] today\n\n{first}"
    memory.project.memory.write_text(swapped, encoding="utf-8", newline="")
    curation.forget(memory.project, known, "x", DAY, acknowledge=True)
    left = memory.project.memory.read_text(encoding="utf-8")
    assert f"{longer} [layer:: emotion] today\n" in left
    assert f"{short}\n" not in left
    assert [one.text for one in entries(memory.project)] == [other.text]
