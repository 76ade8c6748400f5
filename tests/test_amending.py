"""New words for what memory says pass the gate, as those of a new entry do."""

import json
from collections.abc import Callable

import pytest

from mind.domain.entry import Entry, content_id
from mind.domain.errors import InputError, NotFound
from mind.memory.answers import Curated
from mind.memory.memory import Memory
from mind.memory.tidy import TidyPlan
from mind.memory.validation import Forgotten, Repeated, SecretRefused, Transient
from tests.conftest import Clock, by_hand
from tests.secret_cases import cases

PASSING = "we are currently migrating the database"
CLAIM = "The user prefers tabs over spaces"

Change = Callable[..., Curated | TidyPlan]


@pytest.fixture
def two(memory: Memory) -> tuple[Entry, Entry]:
    """Two decisions about different things."""
    first = memory.log("the pool holds ten connections", "decision").entry
    return first, memory.log("sessions are kept in Redis", "decision").entry


@pytest.fixture(params=["update", "consolidate"])
def change(request: pytest.FixtureRequest, memory: Memory, two: tuple[Entry, Entry]) -> Change:
    """Puts new words in the place of one entry, or of two."""
    ids = [one.id for one in two]

    def changed(text: str, *, acknowledge: bool = False) -> Curated | TidyPlan:
        if request.param == "update":
            return memory.update(ids[0], text, acknowledge=acknowledge)
        return memory.consolidate(ids, text, acknowledge=acknowledge)

    return changed


def texts(memory: Memory) -> set[str]:
    return {one.text for one in memory.index_entries()}


def events(memory: Memory, name: str) -> list[dict[str, object]]:
    rows = map(json.loads, memory.project.events.read_text(encoding="utf-8").splitlines())
    return [row.get("data", {}) for row in rows if row["name"] == name]


def test_a_correction_with_a_list_and_a_fence_keeps_the_fields_and_the_id(memory: Memory) -> None:
    one = memory.log("seed the database first", "gotcha", keywords=["pnpm"]).entry
    memory.update(one.id, "Seed it:\n- once\n- before the tests\n\n```sh\nup\n\n  now\n```")
    (entry,) = memory.index_entries()
    assert (entry.id, entry.keywords) == (one.id, ("pnpm",))
    assert (entry.text, entry.code) == (
        "Seed it: once; before the tests", ("```sh\nup\n\n  now\n```",)
    )  # fmt: skip
    memory.verify(one.id)
    memory.forget(one.id, "no longer needed", acknowledge=True)
    assert memory.restore(one.id).entry.code == entry.code


def test_what_is_over_in_a_week_is_refused_and_counted_without_its_words(
    memory: Memory, change: Change
) -> None:
    before = memory.project.memory.read_bytes()
    with pytest.raises(Transient, match="will not be true for long") as caught:
        change(PASSING)
    assert "acknowledge" in caught.value.remedy
    assert memory.project.memory.read_bytes() == before
    assert not memory.project.archive.exists()
    assert events(memory, "refused") == [{"markers": ["currently"]}]
    assert "migrating" not in memory.project.events.read_text(encoding="utf-8")
    change(PASSING, acknowledge=True)
    assert PASSING in texts(memory)
    found = memory.health().markers
    assert (found.refused, found.overridden) == (1, 1)
    assert found.refusals == found.phrases == (("currently", 1),)


def test_a_new_entry_that_is_refused_is_counted_too(memory: Memory) -> None:
    for _ in range(2):
        with pytest.raises(Transient):
            memory.log(PASSING, "decision")
    assert memory.health().markers.refusals == (("currently", 2),)


def test_a_claim_about_the_person_waits_for_a_yes(
    memory: Memory, change: Change, clock: Clock
) -> None:
    before = memory.project.memory.read_bytes()
    waits = change(CLAIM, acknowledge=True).pending
    assert waits is not None
    assert memory.project.memory.read_bytes() == before
    fresh = Memory(memory.project, clock=clock)  # as after a restart
    done = fresh.confirm(waits.id)
    fresh.close()
    assert isinstance(done, Curated | TidyPlan)
    assert CLAIM in texts(memory)
    assert not memory.waiting()


def test_a_claim_waits_on_while_it_cannot_be_written(memory: Memory, change: Change) -> None:
    waits = change(CLAIM).pending
    assert waits is not None
    held = memory.project.memory.read_bytes()
    by_hand(memory, "# Memory\n")
    with pytest.raises(NotFound):
        memory.confirm(waits.id)
    assert memory.waiting() == [waits]
    memory.project.memory.write_bytes(held)
    memory.confirm(waits.id)
    assert CLAIM in texts(memory)


def test_what_another_entry_says_is_told(memory: Memory, change: Change) -> None:
    for kind in ("decision", "learning"):
        memory.log("the retry limit is five", kind)
    before = memory.project.memory.read_bytes()
    with pytest.raises(Repeated, match="already says this") as caught:
        change("The retry limit is five!")
    named = caught.value.message.split()[0]
    assert named in {one.id for one in memory.index_entries() if "retry" in one.text}
    assert memory.project.memory.read_bytes() == before
    change("The retry limit is five!", acknowledge=True)
    assert "The retry limit is five!" in texts(memory)


def test_what_was_forgotten_is_told_with_its_reason(memory: Memory, change: Change) -> None:
    gone = memory.log("Safari drops cookies after a week", "learning").entry
    memory.forget(gone.id, "mended in Safari 27")
    with pytest.raises(Forgotten, match="mended in Safari 27"):
        change("Safari drops cookies after a week")
    assert gone.text not in texts(memory)
    change("Safari drops cookies after a week", acknowledge=True)
    assert gone.text in texts(memory)


def test_an_entry_may_say_again_what_it_said_before(
    memory: Memory, two: tuple[Entry, Entry]
) -> None:
    one = two[0]
    memory.update(one.id, "the pool holds twenty connections")
    assert memory.update(one.id, one.text).entry.text == one.text
    with pytest.raises(InputError, match="already says that"):
        memory.update(one.id, one.text)


CODED = "the pool holds ten connections\n```sh\npgbouncer -d\n```"


def test_an_earlier_wording_of_a_current_entry_is_put_back_in_its_place(memory: Memory) -> None:
    entry = memory.log(CODED, "decision").entry
    memory.log("the pool is checked daily", "decision")
    first = memory.project.memory.read_bytes()
    memory.update(entry.id, "the pool holds twenty connections\nin two groups")
    second = memory.project.memory.read_bytes()
    assert b"pgbouncer" not in second
    assert memory.restore(entry.id).entry.id == entry.id
    assert memory.project.memory.read_bytes() == first
    memory.restore(entry.id)
    assert memory.project.memory.read_bytes() == second


def test_a_correction_in_one_line_keeps_the_code_below(memory: Memory) -> None:
    entry = memory.log(CODED, "decision").entry
    before = memory.project.memory.read_text("utf-8").partition("```")[2]
    memory.update(entry.id, "the pool holds twenty connections")
    text = memory.project.memory.read_text("utf-8")
    assert text.partition("```")[2] == before
    assert f"- decided: the pool holds twenty connections ^{entry.id}\n  ```sh\n" in text


def test_a_fixed_id_belongs_to_its_line_wherever_another_has_the_same(memory: Memory) -> None:
    own = content_id("the pool holds ten connections")
    lines = ["- the pool holds ten connections", f"- the pool holds twenty connections ^{own}"]
    for order in (lines, lines[::-1]):
        by_hand(memory, "# M\n\n" + "\n".join(order) + "\n")
        assert "twenty" in memory.get([own]).entries[0].text
        parsed = memory.parse(memory.project.memory).entries
        assert {one.id: "twenty" in one.text for one in parsed} == {own: True, f"{own}-2": False}


def test_credentials_and_tags_of_no_scope_are_refused(memory: Memory, change: Change) -> None:
    with pytest.raises(SecretRefused):
        change(next(cases()).text, acknowledge=True)
    memory.configure("scopes.allowed", '["web"]')
    with pytest.raises(InputError, match="not a tag of this project"):
        change("the pool is small #database")
    change("the pool is small #web")


def test_what_tells_what_happened_may_be_passing_and_repeat_itself(memory: Memory) -> None:
    memory.log("all tests pass", "progress")
    one = memory.log("most tests pass", "progress").entry
    assert memory.update(one.id, "all tests pass").entry.id == one.id
    assert memory.update(one.id, "the tests currently pass").entry.text.endswith("pass")
