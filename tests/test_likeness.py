"""How alike a text and the entries of a memory are: loops, and what a note may put right."""

import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from mind.memory.answers import Logged
from mind.memory.memory import Memory
from mind.storage.project import Project
from tests.bench.servers import Server

HARNESS = "Intermittent shop.test.{}Test | java.lang.NullPointerException: handle is null"
NAMES = (
    "Cart Basket Order Stock Parcel Refund Coupon Tax Login Search Price Label Stamp Pallet "
    "Invoice Return Gift Voucher Ledger Report Badge Tariff Route Depot Shelf Scale"
).split()


@pytest.fixture
def user(monkeypatch: pytest.MonkeyPatch, minilm: Path) -> Path:
    """A user with all-MiniLM-L6-v2."""
    monkeypatch.setenv("MIND_HOME", str(minilm))
    return minilm


def ready(memory: Memory) -> None:
    """Make all vectors, as a server does while nobody asks."""
    memory.build_index()


def told(logged: Logged) -> list[str]:
    return [one.text for one in logged.related]


def test_rejections_that_look_alike_because_all_do_are_no_loop(memory: Memory) -> None:
    lines = [f"- rejected: {HARNESS.format(name)}" for name in NAMES for _ in "12"]
    memory.project.memory.write_text("\n".join(["# Memory", "", *lines, ""]), encoding="utf-8")
    other = memory.edges(HARNESS.format("Ferry")).loops
    assert [loop.score for loop in other] == []
    same = memory.edges(f"{HARNESS.format('Cart')} again").loops
    assert same[0].earlier.text == HARNESS.format("Cart")


def test_an_approach_is_the_same_whatever_the_reasons(memory: Memory) -> None:
    memory.log("Keep sessions in Redis. It loses them at each restart of the box.", "rejected")
    loops = memory.log("Keep sessions in Redis. Too dear for three shops.", "rejected").loops
    assert [loop.severity for loop in loops] == ["high"]


def test_with_a_model_an_approach_comes_back_in_other_words(user: Path, memory: Memory) -> None:
    memory.log("Store login sessions inside Redis", "rejected")
    memory.log("Draw the charts on a canvas", "rejected")
    other = "Put the users' sign-in sessions into a Redis store"
    ready(memory)
    loops = memory.edges(other).loops
    assert [loop.earlier.text for loop in loops] == ["Store login sessions inside Redis"]


def test_nobody_who_writes_waits_for_a_model(user: Path, memory: Memory) -> None:
    memory.log("Dependencies of the web app come with Yarn, the lock file is committed", "decision")
    later = Memory(memory.project)
    assert told(later.log("We use pnpm to install packages for the frontend", "decision")) == []
    assert later.meaning.at_hand("pnpm", later.index) is None


def test_with_a_model_a_note_names_what_it_may_put_right_in_other_words(
    user: Path, memory: Memory
) -> None:
    old = "Dependencies of the web app come with Yarn, the lock file is committed"
    memory.log(old, "decision")
    memory.log("Invoices are numbered by year", "decision")
    memory.log("The audit trail stays for seven years", "learning")
    ready(memory)
    done = memory.log("We use pnpm to install packages for the frontend", "decision")
    assert told(done)[0] == old
    assert len(done.related) <= 5


def test_progress_names_what_it_ends_and_is_not_written_again(memory: Memory) -> None:
    old = memory.log("Load balancers ask /healthz every ten seconds", "decision").entry
    done = memory.log("Load balancers ask /livez every ten seconds now", "progress")
    assert told(done) == [old.text]
    again = memory.log(done.entry.text, "progress", replaces=old.id)
    assert again.known
    assert again.replaced is not None
    assert memory.project.memory.read_text(encoding="utf-8").count("/livez") == 1


def test_a_rejection_names_the_decision_it_ends_and_a_loop_once(memory: Memory) -> None:
    old = memory.log("Dedicated servers in Frankfurt for co-op games", "decision").entry
    memory.log("Dedicated servers in Oslo for co-op games", "rejected")
    done = memory.log("Dedicated servers in Frankfurt for co-op games, too dear", "rejected")
    assert told(done) == [old.text]
    assert {loop.earlier.text for loop in done.loops}.isdisjoint(told(done))


def test_the_id_of_a_note_is_enough_to_replace_another(memory: Memory) -> None:
    old = memory.log("Branches begin with the name of their author", "decision").entry
    new = memory.log("Branches begin with the number of their ticket", "decision").entry
    done = memory.log(f"^{new.id}", replaces=old.id)
    assert done.known
    assert done.entry.id == new.id
    assert done.replaced is not None
    assert done.replaced.entry.id == old.id
    text = memory.project.memory.read_text(encoding="utf-8")
    assert "author" not in text
    assert text.count("ticket") == 1


def test_an_approach_that_was_rejected_often_is_found_again(memory: Memory) -> None:
    before = ["Use Redis for session storage", "Keep sessions in Redis again"]
    before += ["Redis as the session store in the shop", "store the sessions in Redis for the api"]
    lines = [f"- rejected: {one}" for one in before]
    lines += [f"- decided: shelf {number} holds tea number {number}" for number in range(60)]
    memory.project.memory.write_text("\n".join(["# Memory", "", *lines, ""]), encoding="utf-8")
    assert memory.edges("Keep the sessions in Redis for the web app").loops


def test_what_a_rejection_replaces_is_no_loop(memory: Memory) -> None:
    old = memory.log("Keep sessions in Redis", "rejected").entry
    done = memory.log("Keep sessions in Redis, it loses them at a restart", "rejected")
    assert [loop.earlier.id for loop in done.loops] == [old.id]
    again = memory.log(
        "Keep sessions in Redis, it loses carts", "rejected", replaces=old.id, acknowledge=True
    )
    assert [loop.earlier.id for loop in again.loops] == [done.entry.id]


def test_a_note_that_is_compared_in_two_ways_is_embedded_once(user: Path, memory: Memory) -> None:
    memory.log("Store login sessions inside Redis", "rejected")
    ready(memory)
    one = memory.meaning.at_hand("Put sessions into Redis", memory.index)
    assert one is not None
    assert memory.meaning.at_hand("Put sessions into Redis", memory.index) is one
    other = memory.meaning.at_hand("Draw charts on a canvas", memory.index)
    assert other is not None
    assert float(one.vector @ other.vector) < 0.5


def test_a_server_names_by_meaning_what_a_note_may_put_right(user: Path, project: Project) -> None:
    with closing(Memory(project)) as memory:
        old = memory.log("Dependencies of the web app come with Yarn, its lock is kept", "decision")
        memory.log("Invoices are numbered by year", "decision")
    server = Server(
        [sys.executable, "-m", "mind", "mcp"], cwd=project.root, env={"MIND_HOME": str(user)}
    )

    def call(tool: str, **given: str) -> str:
        answer = server.ask("tools/call", name=tool, arguments=given)
        return str(answer["result"]["content"][0]["text"])

    try:
        deadline = time.monotonic() + 60
        while "lexical only" in call("mind_search", query="yarn"):
            assert time.monotonic() < deadline, "no vectors were made"
            time.sleep(0.05)
        told = call("mind_log", message="We use pnpm to install packages", type="decision")
        assert f"\nSimilar: {old.entry.id} " in told
        new = told.split()[2]
        done = call("mind_log", message=new, replaces=old.entry.id)
        assert done.startswith(f"Done: {new} ")
        assert f"It replaces {old.entry.id}, which is now in the archive." in done
        assert "Yarn" not in project.memory.read_text(encoding="utf-8")
    finally:
        server.close()
