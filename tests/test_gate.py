"""What may be written: nothing secret, nothing that is over in a week, nothing twice."""

import json
import os
import stat
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from time import process_time

import pytest

from mind.domain.entry import Kind
from mind.domain.errors import FileError, InputError, NotFound
from mind.memory.answers import Logged
from mind.memory.memory import Memory
from mind.memory.validation import Forgotten, SecretRefused, Transient
from mind.storage import pending
from mind.storage.pending import Pending
from mind.text.similarity import says_the_same
from tests.conftest import Clock, by_hand
from tests.secret_cases import cases

WRITES: dict[str, Callable[[Memory, str], object]] = {
    "log": lambda memory, text: memory.log(text, "decision"),
    "log, acknowledged": lambda memory, text: memory.log(text, "decision", acknowledge=True),
    "experience": lambda memory, text: memory.log(text),
    "blocker": lambda memory, text: memory.blocker(text),
    "keywords": lambda memory, text: memory.blocker("stuck", [text]),
    "remind": lambda memory, text: memory.remind(text, "tomorrow"),
    "remind when": lambda memory, text: memory.remind("look", f"when I mention {text}"),
    "relate": lambda memory, text: memory.relate(text, "uses", "redis"),
    "relate to": lambda memory, text: memory.relate("redis", "uses", text),
    "edge": lambda memory, text: memory.add_global_edge(
        title="x", description=text, workaround="y"
    ),
}


def everything(root: Path, home: Path) -> bytes:
    return b"".join(
        path.read_bytes()
        for folder in (root, home)
        for path in folder.rglob("*")
        if path.is_file() and ".git" not in path.parts
    )


def test_no_way_in_takes_a_credential(memory: Memory, home: Path) -> None:
    """Of some 120 kinds, each by every way; what is refused is not echoed either."""
    memory.log("the cache lives in Redis", "decision")
    kinds = {one.kind for one in cases()}
    assert len(kinds) >= 40
    for one in cases():
        for name, write in WRITES.items():
            with pytest.raises(InputError) as caught:
                write(memory, one.text)
            assert one.value not in f"{caught.value} {caught.value.data}", name
    memory.close()
    stored = everything(memory.project.root, home)
    assert not [one.kind for one in cases() if one.value.encode() in stored]


def test_what_a_search_asks_for_is_kept_without_credentials(memory: Memory) -> None:
    one = next(cases())
    memory.search(one.text)
    assert one.value not in memory.project.events.read_text("utf-8")
    assert "removed]" in memory.project.events.read_text("utf-8")


def test_a_refusal_says_what_to_do(memory: Memory) -> None:
    with pytest.raises(SecretRefused, match="looks like a credential") as caught:
        memory.log("deploy with AKIA" + "Q3EGRTLMHKNPVZWY", "learning")
    assert "where the credential is stored" in caught.value.remedy
    with pytest.raises(Transient, match="will not be true for long") as passing:
        memory.log("we are currently migrating the database", "decision")
    assert "acknowledge" in passing.value.remedy
    assert not memory.index_entries()


@pytest.mark.parametrize("kind", ["experience", "progress", "problem", "todo", "blocker"])
def test_what_happens_now_may_be_said_of_kinds_that_tell_it(memory: Memory, kind: str) -> None:
    assert not memory.log("we are currently migrating the database", kind).overridden


def test_what_is_acknowledged_is_written_and_noted(memory: Memory) -> None:
    done = memory.log("we are currently migrating the database", "decision", acknowledge=True)
    assert done.overridden == ("currently",)
    rows = [json.loads(line) for line in memory.project.events.read_text("utf-8").splitlines()]
    assert rows[-1]["data"]["overridden"] == ["currently"]


def test_what_memory_says_already_is_not_written_again(memory: Memory) -> None:
    first = memory.log("SQLite over Postgres - one file, no server", "decision")
    before = memory.project.memory.read_bytes()
    again = memory.log("SQLite over Postgres — one file, no server!", "decision")
    assert again.known
    assert again.entry.id == first.entry.id
    assert memory.project.memory.read_bytes() == before
    assert not memory.log("SQLite over Postgres - one file, no server", "learning").known
    assert not memory.log("the retry limit is 5", "decision").known
    assert not memory.log("the retry limit is 8", "decision").known


def test_what_is_nearly_the_same_is_told(memory: Memory) -> None:
    first = memory.log("sessions are kept in Redis with one key each", "decision")
    related = memory.log("sessions are kept in Redis with one key for each login", "decision")
    assert not related.known
    assert [one.id for one in related.related] == [first.entry.id]


def test_what_was_forgotten_is_told_with_its_reason(memory: Memory) -> None:
    first = memory.log("Safari drops cookies after a week", "gotcha")
    memory.forget(first.entry.id, "mended in Safari 27", acknowledge=True)
    with pytest.raises(Forgotten, match="mended in Safari 27") as caught:
        memory.log("Safari drops cookies after a week", "gotcha")
    assert first.entry.id in caught.value.remedy
    assert not memory.log("Safari drops cookies after a week", "gotcha", acknowledge=True).known
    other = memory.log("the pool holds ten connections", "decision").entry
    memory.update(other.id, "the pool holds twenty connections")
    with pytest.raises(Forgotten, match="corrected") as replaced:
        memory.log("the pool holds ten connections", "decision")
    assert other.id in replaced.value.remedy


CLAIM = "The user prefers tabs over spaces"


def test_a_claim_about_the_person_waits_for_a_yes(memory: Memory, clock: Clock) -> None:
    asked = memory.log(CLAIM, "learning", acknowledge=True)
    assert asked.pending is not None
    assert not memory.index_entries()
    if os.name == "posix":
        assert stat.S_IMODE(memory.project.pending.stat().st_mode) == 0o600
    clock.forward(minutes=59)
    fresh = Memory(memory.project, clock=clock)  # as after a restart
    assert [one.message for one in fresh.waiting()] == [CLAIM]
    done = fresh.confirm(asked.pending.id)
    fresh.close()
    assert isinstance(done, Logged)
    assert [one.text for one in memory.index_entries()] == [CLAIM]
    with pytest.raises(NotFound, match="waits to be confirmed"):
        memory.confirm(asked.pending.id)


def test_a_claim_is_dropped_by_a_no_or_after_an_hour(memory: Memory, clock: Clock) -> None:
    asked = memory.log(CLAIM, "learning").pending
    assert asked is not None
    assert memory.confirm(asked.id, accept=False) == asked
    again = memory.log(CLAIM, "learning").pending
    assert again is not None
    clock.forward(minutes=61)
    assert memory.waiting() == []
    with pytest.raises(NotFound):
        memory.confirm(again.id)
    assert not memory.index_entries()


OLD = "tabs and spaces are mixed"


def claim_replacing(memory: Memory, text: str = OLD, kind: str = "learning") -> Pending:
    """A claim that waits, and is to take the place of an entry with ``text``."""
    waits = memory.log(CLAIM, kind, replaces=memory.log(text, kind).entry.id).pending
    assert waits is not None
    return waits


def texts(memory: Memory) -> list[str]:
    return [one.text for one in memory.index_entries()]


def test_a_yes_replaces_what_the_claim_replaces(memory: Memory, clock: Clock) -> None:
    waits = claim_replacing(memory)
    assert texts(memory) == [OLD]
    fresh = Memory(memory.project, clock=clock)  # as after a restart
    done = fresh.confirm(waits.id)
    fresh.close()
    assert isinstance(done, Logged)
    assert done.replaced is not None
    assert done.replaced.entry.id == waits.replaces
    assert texts(memory) == [CLAIM]
    gone = memory.archive().blocks
    assert [(one.id, one.replaced_by) for one in gone] == [(waits.replaces, done.entry.id)]


def test_a_no_leaves_what_the_claim_replaces(memory: Memory) -> None:
    waits = claim_replacing(memory)
    assert memory.confirm(waits.id, accept=False) == waits
    assert texts(memory) == [OLD]
    assert not memory.project.archive.exists()


def test_what_a_claim_replaces_is_followed_through_an_edit(memory: Memory) -> None:
    waits = claim_replacing(memory)
    text = memory.project.memory.read_text(encoding="utf-8")
    by_hand(memory, text.replace("are mixed", "are mixed here"))
    done = memory.confirm(waits.id)
    assert isinstance(done, Logged)
    assert done.replaced is not None
    assert done.replaced.entry.text == OLD + " here"
    assert texts(memory) == [CLAIM]


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_claim_is_recorded_although_what_it_replaces_is_gone(
    memory: Memory, elsewhere: bool
) -> None:
    """Out of memory, or out of its files and into a comment of the code."""
    waits = claim_replacing(memory)
    by_hand(memory, "# Memory\n")
    if elsewhere:
        code = memory.project.root / "main.py"
        code.write_text(f"# MEMORY: learned: {OLD}\n", encoding="utf-8")
    done = memory.confirm(waits.id)
    assert isinstance(done, Logged)
    assert done.replaced is None
    assert CLAIM in texts(memory)
    assert (OLD in texts(memory)) is elsewhere
    assert memory.waiting() == []


def test_a_claim_that_says_what_it_replaces_is_known(memory: Memory) -> None:
    claim_replacing(memory)
    by_hand(memory, f"## 2026-11-20\n\nlearned: {CLAIM}\n")
    waits = memory.log(CLAIM, "learning", replaces=memory.index_entries()[0].id).pending
    assert waits is not None
    done = memory.confirm(waits.id)
    assert isinstance(done, Logged)
    assert done.known
    assert done.replaced is None
    assert texts(memory) == [CLAIM]


def test_a_claim_waits_on_while_what_it_replaces_cannot_leave(memory: Memory) -> None:
    waits = claim_replacing(memory)
    memory.project.archive.mkdir()
    with pytest.raises(FileError):
        memory.confirm(waits.id)
    assert memory.waiting() == [waits]
    memory.project.archive.rmdir()
    done = memory.confirm(waits.id)
    assert isinstance(done, Logged)
    assert done.known
    assert done.replaced is not None
    assert texts(memory) == [CLAIM]


def test_claims_that_replace_something_else_wait_apart(memory: Memory) -> None:
    first = claim_replacing(memory)
    other = claim_replacing(memory, "the editor wraps lines at 80")
    alone, change = memory.log(CLAIM, "learning"), memory.update(first.replaces, CLAIM)
    waiting = [first, other, alone.pending, change.pending]
    assert memory.waiting() == waiting
    assert len({one.id for one in waiting if one}) == 4
    assert claim_replacing(memory).id == first.id
    assert len(memory.waiting()) == 4


def test_a_claim_noted_before_there_was_something_to_replace_still_waits(memory: Memory) -> None:
    waits = memory.log(CLAIM, "learning").pending
    rows = json.loads(memory.project.pending.read_text(encoding="utf-8"))
    assert rows[0].pop("replaces") == ""
    memory.project.pending.write_text(json.dumps(rows), encoding="utf-8")
    assert memory.waiting() == [waits]


def test_a_damaged_list_of_claims_is_none(memory: Memory, clock: Clock) -> None:
    for text in ("{", '{"a": 1}', '[1, {"id": "x"}, {"id": 1, "kind": "?", "message": 2}]'):
        memory.project.pending.write_text(text, encoding="utf-8")
        assert memory.waiting() == []
    pending.add(memory.project, Kind.NOTE, CLAIM, "prefers", clock())
    assert pending.listed(memory.project, clock() + timedelta(minutes=1))[0].message == CLAIM


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("the limit is 5", "The limit is 5", True),
        ("the limit is 5", "the limit is 8", False),
        ("port 8080 of a, 8081 of b", "port 8081 of a, 8080 of b", False),
        ("call `a.b` first", "call `a.c` first", False),
        ("test_a fails on CI at night", "test_b fails on CI at night", False),
        ("getUser leaks a connection", "getUsers leaks a connection", False),
        ("parse_time ignores the time zone", "parse_date ignores the time zone", False),
        ("app/main.py holds the loop", "app/mains.py holds the loop", False),
        ("option A is too slow for us", "option B is too slow for us", False),
        ("use C++ for the parser", "use C# for the parser", False),
        ("`parse_date` is slow at night", "parse_date is slow at night", True),
        ("A cache for the deploy", "the cache, for the deploy", True),
        ("add the cache of pages", "drop the cache of pages", False),
        ("client A waits for key A1", "client B waits for key B1", False),
        ("client b waits for the key", "client c waits for the key", False),
        ("client a waits for the key", "client b waits for the key", False),
        ("клиент А ждет ключ", "клиент Б ждет ключ", False),
        ("client Mark waits for the key", "client Marks waits for the key", False),
        ("Alice waits for Bob", "Bob waits for Alice", False),
        ("the limit is -5", "the limit is 5", False),
        ("`_parse` is slow", "`parse` is slow", False),
        ("we need Redis", "we tried Redis", False),
        ("**one** file,  no server!", "One file, no server", True),
        ("“one file” — no server", "one file - no server.", True),
        ("nothing found is `[]`", "nothing found is `{}`", False),
        ("columns stand between ';'", "columns stand between ','.", False),
        ("call `save!` there", "call `save` there", False),
        ("run `git add .` first", "run `git add` first", False),
        ("options begin with `-`", "options begin with `--`.", False),
        ("run it with `-V` first", "run it with `-v` first", False),
        ("Run it, with `[]`!", "run it with `[]` .", True),
    ],
)
def test_what_says_the_same(one: str, other: str, same: bool) -> None:
    assert says_the_same(one, other) is same
    assert says_the_same(other, one) is same


@pytest.mark.parametrize("sign", ["a", "a.", "a_", "A", "`", "aB", ".", "*", "*a", "~~"])
def test_a_long_word_is_compared_in_no_time(sign: str) -> None:
    before = process_time()
    says_the_same(sign * 50_000, f"{sign} " * 25_000)
    assert process_time() - before < 1


def test_the_last_lines_are_known_without_being_read_into_the_index(memory: Memory) -> None:
    memory.log("the first is written in C", "learning")
    memory.search("anything")
    read = memory.index.last_row
    for number in range(4):
        memory.log(
            f"the {('cache', 'pool', 'parser', 'router')[number]} is written in C", "learning"
        )
    assert memory.index.last_row == read
    assert memory.log("The pool is written in C.", "learning").known
    assert memory.index.last_row > read
    memory.project.memory.write_text("## 2026-11-20\n\nlearned: x y z\n", encoding="utf-8")
    assert memory.log("x y z", "learning").known
    memory.project.memory.unlink()
    assert not memory.log("x y z", "learning", acknowledge=True).known


def test_progress_is_there_once_a_day(memory: Memory, clock: Clock) -> None:
    text = "deployed the shop to staging"
    first = memory.log(text, "progress")
    again = memory.log(text, "progress")
    assert (first.known, again.known, again.entry.id) == (False, True, first.entry.id)
    assert not memory.log("deployed the shop 2.1 to staging", "progress").known
    clock.forward(days=1)
    assert not memory.log(text, "progress").known
    assert memory.project.memory.read_text("utf-8").count(f"{text}\n") == 2


def test_progress_that_was_forgotten_is_told_with_its_reason(memory: Memory, clock: Clock) -> None:
    text = "moved the cart to React"
    one = memory.log(text, "progress").entry
    memory.forget(one.id, "it was reverted")
    clock.forward(days=2)
    with pytest.raises(Forgotten, match="it was reverted") as caught:
        memory.log(text, "progress")
    assert one.id in caught.value.remedy
    assert not memory.log(text, "progress", acknowledge=True).known
    clock.forward(days=100)  # longer than progress lives
    assert not memory.log(text, "progress").known
