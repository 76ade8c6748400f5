"""Uses and ids follow edits by hand, and what the index counts of them follows the usage log."""

import json
import os
import random
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from mind.documents import rename_detection
from mind.domain.entry import Entry, Kind
from mind.domain.errors import NotFound
from mind.memory import sync
from mind.memory.memory import Memory
from mind.storage import events as journal
from mind.storage.index import Filter, Index
from mind.storage.project import Project
from tests.conftest import Clock

POOL = "the connection pool holds ten connections"
TWENTY = "the connection pool holds twenty connections"
THIRTY = "the connection pool holds thirty connections for each worker"


@pytest.fixture
def pool(memory: Memory) -> Entry:
    """A decision that was read twice, among others."""
    lines = ("sessions are kept in Redis", POOL, "Safari drops cookies after a week")
    text = "".join(f"decided: {line}\n" for line in lines)
    memory.project.memory.write_text(f"## 2026-11-20\n\n{text}", encoding="utf-8")
    one = next(one for one in memory.index_entries() if one.text == POOL)
    for _ in range(2):
        memory.get([one.id])
    return one


def edit(memory: Memory, old: str, new: str, path: Path | None = None) -> Entry:
    """Change a line by hand, of MEMORY.md or another file, and look at it."""
    path = path or memory.project.memory
    source = path.read_text(encoding="utf-8")
    assert source.count(old) == 1
    path.write_text(source.replace(old, new), encoding="utf-8")
    return next(one for one in memory.index_entries() if one.text == new)


def uses(memory: Memory) -> dict[str, int]:
    memory.index_entries()
    return {one: len(days) for one, days in memory.index.usage.days().items()}


def heat(memory: Memory, text: str) -> float:
    found = memory.search(f'"{text}"').hits
    return next(one.signals.get("heat", 0.0) for one in found if one.entry.text == text)


def aliases(project: Project) -> list[list[str]]:
    events = journal.events(project.events)
    return [list(one.ids) for one in events if one.name == "alias"]


def test_uses_and_the_old_id_follow_an_edit(memory: Memory, pool: Entry) -> None:
    before = heat(memory, POOL)
    assert before > 0
    new = edit(memory, POOL, TWENTY)
    assert new.id != pool.id
    assert uses(memory) == {new.id: 2}
    assert heat(memory, TWENTY) == before
    found = memory.get([pool.id, new.id])
    assert [one.id for one in found.entries] == [new.id]
    assert found.edited == {pool.id: new.id}
    assert not found.missing
    assert aliases(memory.project) == [[pool.id, new.id]]


def test_a_chain_of_edits_is_followed(memory: Memory, pool: Entry) -> None:
    second = edit(memory, POOL, TWENTY)
    memory.get([second.id])
    third = edit(memory, TWENTY, THIRTY)
    assert uses(memory) == {third.id: 3}
    assert memory.get([pool.id]).entries == memory.get([second.id]).entries
    for query in (f"id:{pool.id}", f"connections id:{second.id},{third.id}"):
        assert [one.entry for one in memory.search(query).hits] == [third]
    assert memory.verify(pool.id).entry.id == third.id
    assert memory.forget(second.id, "no pool any more").entry.id == third.id
    with pytest.raises(NotFound):
        memory.verify(pool.id)


def test_without_the_cache_every_answer_is_the_same(memory: Memory, pool: Entry) -> None:
    edit(memory, POOL, TWENTY)
    third = edit(memory, TWENTY, THIRTY)
    hot = heat(memory, THIRTY)
    memory.close()
    for path in memory.project.cache.glob("index.db*"):
        path.unlink()
    assert uses(memory) == {third.id: 2}
    assert heat(memory, THIRTY) == hot
    assert memory.get([pool.id]).edited == {pool.id: third.id}
    assert memory.recall(force=True)
    assert memory.get([pool.id]).edited == {pool.id: third.id}


def test_what_is_worked_with_is_so_after_an_edit(memory: Memory, clock: Clock) -> None:
    begin = "the keys of `TokenStore` are kept for"
    memory.project.memory.write_text(
        f"## 2026-11-20\n\ndecided: {begin} a day\ndecided: `TokenStore` stands on disk\n",
        encoding="utf-8",
    )
    memory.get([memory.index_entries()[0].id])
    for old, new in (("a day", "a day"), ("a day", "a week"), ("a week", "a month")):
        edit(memory, f"{begin} {old}", f"{begin} {new}")
        found = memory.index.usage.momentum(range(20), clock().date())
        assert list(found.values()) == [0.1]


def test_an_edit_that_is_taken_back_takes_the_uses_along(memory: Memory, pool: Entry) -> None:
    for _ in range(3):
        second = edit(memory, POOL, TWENTY)
        assert uses(memory) == {second.id: 2}
        assert edit(memory, TWENTY, POOL).id == pool.id
        assert uses(memory) == {pool.id: 2}
    assert memory.get([second.id]).edited == {second.id: pool.id}
    assert len(aliases(memory.project)) == 2
    third = edit(memory, POOL, THIRTY)
    assert memory.get([second.id]).edited == {second.id: third.id}
    memory.forget(third.id, "gone")
    assert memory.get([second.id, pool.id]).missing == (second.id, pool.id)


def test_an_id_that_is_there_is_its_own(memory: Memory, pool: Entry) -> None:
    """Somebody notes the old words again beside the new ones."""
    new = edit(memory, POOL, TWENTY)
    memory.log(POOL, "decision", acknowledge=True)
    assert uses(memory) == {pool.id: 2}
    memory.get([new.id])
    assert uses(memory) == {pool.id: 2, new.id: 1}
    assert not memory.get([pool.id]).edited
    assert [one.entry.text for one in memory.search(f"id:{pool.id}").hits] == [POOL]


def test_what_is_moved_or_archived_or_elsewhere_is_no_edit(memory: Memory, pool: Entry) -> None:
    path = memory.project.memory
    memory.forget(pool.id, "another number")
    memory.log(TWENTY, "decision")
    memory.index_entries()
    assert not aliases(memory.project)
    assert memory.get([pool.id]).missing
    source = path.read_text(encoding="utf-8")
    line = f"decided: {TWENTY}\n"
    assert line in source
    path.write_text(source.replace(line, "") + f"\n## Elsewhere\n\n{line}", encoding="utf-8")
    memory.index_entries()
    path.write_text(source.replace(line, "") + f"\n# Other\n\n- {THIRTY}\n", encoding="utf-8")
    memory.index_entries()
    assert not aliases(memory.project)


@pytest.mark.parametrize("kind", ["experience", "blocker", "assumption", "rejected"])
def test_uses_follow_an_edit_of_what_the_session_noted(memory: Memory, kind: str) -> None:
    old = memory.log(POOL, kind).entry
    memory.get([old.id])
    new = edit(memory, POOL, TWENTY, memory.project.session)
    assert uses(memory) == {new.id: 1}
    assert memory.get([old.id]).edited == {old.id: new.id}
    assert [one.entry for one in memory.search(f"id:{old.id}").hits] == [new]


def test_a_session_that_ended_was_not_edited(memory: Memory, clock: Clock) -> None:
    """The next one begins with a note much like one that was left behind."""
    old = memory.log("ran the tests of the parser at night").entry
    memory.get([old.id])
    clock.forward(hours=2)
    new = memory.log("ran the tests of the lexer at night").entry
    assert uses(memory) == {old.id: 1}
    assert memory.get([old.id]).missing == (old.id,)
    assert not aliases(memory.project)
    memory.get([new.id])
    edited = new.text.replace("lexer", "printer")
    other = edit(memory, new.text, edited, memory.project.session)
    assert uses(memory)[other.id] == 1
    assert aliases(memory.project) == [[new.id, other.id]]


def test_what_was_kept_of_a_session_keeps_its_uses(memory: Memory, clock: Clock) -> None:
    old = memory.log(POOL, "blocker").entry
    memory.get([old.id])
    clock.forward(hours=2)
    assert memory.recall().new_session
    assert uses(memory) == {old.id: 1}
    new = edit(memory, POOL, TWENTY)
    assert uses(memory) == {new.id: 1}


def test_nothing_is_guessed_of_a_session_where_the_last_one_cannot_be_read(memory: Memory) -> None:
    old = memory.log(POOL).entry
    memory.index_entries()
    (memory.project.folder / "SESSION.last.md").mkdir()
    edit(memory, POOL, TWENTY, memory.project.session)
    assert memory.get([old.id]).missing
    assert not memory.recall().problems


def test_uses_follow_an_edit_of_a_comment(memory: Memory) -> None:
    code, other = (memory.project.root / name for name in ("pool.py", "cache.py"))
    code.write_text(f"# MEMORY: {POOL}\nPOOL = 10\n", encoding="utf-8")
    old = memory.index_entries()[0]
    memory.get([old.id])
    code.write_text(f"# MEMORY: {TWENTY}\nPOOL = 20\n", encoding="utf-8")
    memory.checkpoint()  # which reads the code, and counts what it found
    (used,) = memory.index.usage.days()
    found = memory.get([old.id])
    assert [(one.text, one.source) for one in found.entries] == [(TWENTY, "pool.py")]
    assert found.edited == {old.id: used}
    new = found.entries[0]
    code.write_text("POOL = 30\n", encoding="utf-8")
    other.write_text(f"# MEMORY: {THIRTY}\n", encoding="utf-8")
    assert [one.source for one in memory.index_entries()] == ["cache.py"]
    assert memory.get([new.id]).missing


def test_a_restored_entry_has_its_uses(memory: Memory, pool: Entry) -> None:
    memory.forget(pool.id, "another number")
    memory.log(TWENTY, "decision")
    memory.restore(pool.id)
    assert uses(memory) == {pool.id: 2}


def test_of_two_with_the_same_words_one_is_edited(memory: Memory, clock: Clock) -> None:
    said = "the deploy failed at the last step"
    logged = memory.log(said, "progress")
    clock.forward(hours=24)
    again = memory.log(said, "progress")
    ids = [one.id for one in memory.index_entries()]
    assert again.entry.id == ids[1]
    memory.get(ids[1:])
    path = memory.project.memory
    source = path.read_text(encoding="utf-8")
    begin, _, end = source.rpartition("at the last step")
    path.write_text(f"{begin}at the very last step{end}", encoding="utf-8")
    first, second = memory.index_entries()
    assert first.id == ids[0]
    assert uses(memory) == {second.id: 1}
    assert memory.placed(logged).entry == first


def test_a_tag_that_is_renamed_keeps_the_uses(memory: Memory) -> None:
    ids = [
        memory.log(f"the tea of shelf {number} of the shop is kept dry #web", "note").entry.id
        for number in range(150)
    ]
    memory.get(ids[:40])
    memory.rename_tag("web", "frontend")
    now = {one.id for one in memory.index_entries() if "#frontend" in one.text}
    assert len(now) == 150
    assert len(uses(memory)) == 40
    assert set(uses(memory)) < now
    assert len(aliases(memory.project)) == 2


def test_no_edit_is_noted_where_the_archive_cannot_be_read(memory: Memory, pool: Entry) -> None:
    memory.project.archive.mkdir()
    edit(memory, POOL, TWENTY)
    assert memory.get([pool.id]).missing
    assert not aliases(memory.project)


def test_edits_alone_are_noted_where_uses_are_not_logged(memory: Memory, pool: Entry) -> None:
    memory.configure("events.enabled", "false")
    before = len(journal.events(memory.project.events))
    new = edit(memory, POOL, TWENTY)
    assert [one.id for one in memory.get([pool.id]).entries] == [new.id]
    assert len(journal.events(memory.project.events)) == before + 1


def test_health_knows_an_edited_entry(memory: Memory, pool: Entry) -> None:
    memory.record_use([pool.id], "contradicted")
    new = edit(memory, POOL, TWENTY)
    found = memory.health()
    assert [one.entry.id for one in found.contradictions.shown] == [new.id]


WORDS = "pool server cache deploy session cookie queue token index backup".split()


def disturb(lines: list[str], chance: random.Random) -> None:
    at = chance.randrange(len(lines))
    match chance.randrange(6):
        case 0 | 1:
            lines[at] += f" and a {chance.choice(WORDS)}"
        case 2:
            lines[at] = lines[at].rpartition(" ")[0]
        case 3:
            lines.append(chance.choice(lines))
        case 4:
            lines.append(lines.pop(at))
        case _:
            del lines[at]


@pytest.mark.parametrize("seed", range(12))
def test_an_index_that_follows_edits_counts_as_one_made_anew(
    project: Project, clock: Clock, seed: int
) -> None:
    chance = random.Random(seed)  # noqa: S311 - edits, not secrets
    lines = [
        f"decided: the {word} of the {chance.choice(WORDS)} holds {at} {chance.choice(WORDS)}s"
        for at, word in enumerate(WORDS)
    ]
    seen: set[str] = set()

    def write() -> None:
        parts = [*lines[:5], "", "## 2026-11-20", "", *lines[5:]]
        project.memory.write_text("\n".join(["## 2026-11-19", "", *parts, ""]), encoding="utf-8")

    with closing(Memory(project, clock=clock)) as kept:
        for _ in range(25):
            disturb(lines, chance)
            write()
            seen |= {one.id for one in kept.index_entries()}
            kept.get(chance.sample(sorted(seen), 3))
        kept.index_entries()
        with closing(Index(None)) as fresh:
            sync.refresh(project, fresh)
            assert fresh.usage.days() == kept.index.usage.days()
            for one in seen:
                there = fresh.get(one)
                assert kept.index.get(one) == there
                for index in (fresh, kept.index):
                    assert index.entries(Filter(ids=(one,))) == ([there] if there else [])
            rows = range(1, 400)
            for index in (fresh, kept.index):  # a use counts for one entry at most
                told = sum(index.usage.heat(rows, clock().date()).values())
                assert told <= sum(map(len, index.usage.days().values())) / 10 + 1e-9
    assert aliases(project)


# What is like what


def entry(identifier: str, text: str, section: str = "a", line: int = 1) -> Entry:
    return Entry(id=identifier, kind=Kind.NOTE, text=text, section=(section,), line=line)


def test_the_most_alike_of_a_section_are_paired_and_each_once() -> None:
    old = [entry("a", POOL), entry("b", TWENTY), entry("c", "nothing of the kind")]
    new = [entry("y", TWENTY + " now", line=2), entry("x", POOL + " now")]
    assert sorted(rename_detection.pairs(old, new)) == [("a", "x"), ("b", "y")]
    assert rename_detection.pairs(old, [entry("x", POOL, section="b")]) == []
    assert rename_detection.pairs(old[2:], new) == []
    assert rename_detection.pairs([old[0], entry("d", POOL)], new[1:]) == [("a", "x")]


def test_among_many_the_one_that_is_alike_is_found() -> None:
    new = [
        entry(f"n{at}", f"fact number {at} about {WORDS[at % 10]}s", line=at) for at in range(90)
    ]
    new[70] = entry("x", TWENTY, line=70)
    assert rename_detection.pairs([entry("a", POOL)], new) == [("a", "x")]
    assert rename_detection.pairs([entry("a", "数据库")], new) == []


def test_where_thousands_change_at_once_each_is_compared_with_few() -> None:
    old = [
        entry(f"o{at}", f"the tea of shelf {at} is kept dry #web", line=at) for at in range(3000)
    ]
    new = [entry(f"n{at}", one.text[:-3] + "shop", line=at) for at, one in enumerate(old)]
    assert dict(rename_detection.pairs(old, new)) == {f"o{at}": f"n{at}" for at in range(3000)}


# What is gone from the log counts no more

Change = Callable[[Path], object]


def shorter(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    with path.open("r+", encoding="utf-8") as file:
        file.truncate(sum(map(len, lines[:-1])))


def other(path: Path) -> None:
    """As long and longer, in the same file: only what stands in it tells."""
    text = path.read_text(encoding="utf-8")
    with path.open("r+", encoding="utf-8") as file:
        file.write(text.replace('"get"', '"gone"')[: len(text)] + "\n" + "x" * len(text) + "\n")


@pytest.mark.parametrize(
    ("change", "left"), [(Path.unlink, 0), (shorter, 1), (other, 0)], ids=["gone", "less", "other"]
)
def test_uses_follow_the_log(memory: Memory, pool: Entry, change: Change, left: int) -> None:
    assert uses(memory) == {pool.id: 2}
    change(memory.project.events)
    assert uses(memory).get(pool.id, 0) == left
    memory.get([pool.id])
    assert uses(memory) == {pool.id: left + 1}
    memory.close()
    for path in memory.project.cache.glob("index.db*"):
        path.unlink()
    assert uses(memory) == {pool.id: left + 1}


def test_the_session_of_a_note_follows_the_log(memory: Memory, clock: Clock) -> None:
    def told() -> dict[str, str]:
        memory.index_entries()
        found = memory.index.usage.noted([first.entry.id, later.entry.id])
        return {one: when.session for one, when in found.items()}

    first = memory.log("Attachments may have 25 MB", "decision")
    clock.forward(hours=2)
    memory.recall()
    later = memory.log("Attachments may have 100 MB", "decision")
    assert len(set(told().values())) == 2
    memory.project.events.unlink()
    assert told() == {}


def test_an_id_is_forgotten_with_the_log(memory: Memory, pool: Entry) -> None:
    edit(memory, POOL, TWENTY)
    memory.project.events.unlink()
    assert memory.get([pool.id]).missing == (pool.id,)


def test_uses_follow_the_archives_of_the_log(memory: Memory, pool: Entry) -> None:
    memory.configure("events.max_bytes", "10000")
    for _ in range(120):
        memory.get([pool.id])
    folder = memory.project.folder
    archives = sorted(folder.glob("events-*.jsonl"))
    assert archives
    assert uses(memory) == {pool.id: 122}
    kept = sum(
        row["name"] == "get"
        for row in map(json.loads, memory.project.events.read_text(encoding="utf-8").splitlines())
    )
    for path in archives:
        path.unlink()
    assert uses(memory) == {pool.id: kept}
    memory.project.events.unlink()
    assert uses(memory) == {}


def test_a_log_that_is_as_it_was_is_not_read(
    memory: Memory, pool: Entry, monkeypatch: pytest.MonkeyPatch
) -> None:
    uses(memory)
    for module, name in ((journal, "events"), (journal, "since"), (journal, "marked")):
        monkeypatch.delattr(module, name)
    assert uses(memory) == {pool.id: 2}
    memory.project.events.unlink()
    with pytest.raises(AttributeError):
        uses(memory)


def test_a_log_that_is_written_while_it_is_read_is_counted_the_next_time(
    memory: Memory, pool: Entry, monkeypatch: pytest.MonkeyPatch
) -> None:
    uses(memory)
    shorter(memory.project.events)
    read = journal.events

    def meanwhile(path: Path) -> tuple[journal.Event, ...]:
        found = read(path)
        with path.open("a", encoding="utf-8") as file:
            file.write("\n")
        return found

    with monkeypatch.context() as patch:
        patch.setattr(journal, "events", meanwhile)
        assert uses(memory) == {pool.id: 2}
    assert uses(memory) == {pool.id: 1}


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may read everything")
def test_a_log_that_cannot_be_read_costs_nobody_an_answer(memory: Memory, pool: Entry) -> None:
    memory.project.events.chmod(0)
    assert memory.index_entries()
    memory.project.events.chmod(0o600)


@pytest.mark.parametrize(
    ("session", "name", "one"), [("\\ud800", "log", "a"), ("", "get", "\\udfff")]
)
def test_half_a_character_in_the_log_costs_nobody_an_answer(
    memory: Memory, pool: Entry, session: str, name: str, one: str
) -> None:
    before = uses(memory)
    line = f'{{"at":"2026-11-20T10:00:00Z","session":"{session}","name":"{name}","ids":["{one}"]}}'
    with memory.project.events.open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")
    assert memory.search("connections").hits
    assert uses(memory) == before


def test_a_log_that_goes_between_two_looks_has_nothing_behind_it(tmp_path: Path) -> None:
    assert journal.since(tmp_path / "events.jsonl", 10, "") is None
    assert journal.extent(tmp_path / "none" / "events.jsonl") == journal.LogExtent()
