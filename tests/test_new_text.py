"""New text meets the same checks on every way in, and a preview tells what they will find."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from mind.domain.entry import Entry
from mind.domain.errors import FileError, MindError
from mind.memory import validation
from mind.memory.answers import Curated, Logged
from mind.memory.memory import Memory
from mind.memory.tidy import TidyPlan
from mind.server.http.resources import recording
from mind.storage.pending import Pending
from tests.conftest import by_hand

POOL = "the pool holds ten connections"
LEDGER = "MongoDB for the ledger - it is fast"
MOVED = "moved the ledger to MongoDB"
SAFARI = "Safari drops cookies after a week"
PASSING = "we are currently migrating the database"
CLAIM = "The user prefers tabs over spaces"
REJECTED = ("rejected", "MongoDB for the ledger - we need joins")
OTHER = "vectors live beside the index file"
LIMIT = "the retry limit of the upload client is"


@dataclass(frozen=True)
class Draft:
    """A text, and what becomes of it as a new entry and as a correction; "" for the same."""

    kind: str
    text: str
    logged: str
    amended: str = ""
    before: tuple[tuple[str, str], ...] = ()
    is_forgotten: bool = False


def known(kind: str, text: str, *others: tuple[str, str], said: str = "", amended: str) -> Draft:
    return Draft(kind, text, "known", amended, (*others, (kind, said or text)))


DRAFTS = {
    "new": Draft("decision", "SQLite over Postgres - one file, no server", "written"),
    "known": known("learning", POOL, amended="repeated"),
    "known with a label": known("learning", f"learned: {POOL}", said=POOL, amended="repeated"),
    "known on two lines": known(
        "learning", POOL.replace(" t", "\nt"), said=POOL, amended="repeated"
    ),
    "known progress": known("progress", "deployed the shop", amended="written"),
    "known of another kind": Draft("learning", POOL, "written", before=(("decision", POOL),)),
    "repeated assumption": Draft("assumption", POOL, "written", before=(("assumption", POOL),)),
    "repeated blocker": Draft(
        "blocker", "no access", "written", before=(("blocker", "no access"),)
    ),
    "label of another kind": Draft("learning", f"decided: {POOL}", "written", "input"),
    "label of a goal": Draft("decision", "goal: the fastest shop", "written", "input"),
    "word for another kind": Draft("learning", "Bug: the pool leaks", "written"),
    "similar": Draft("decision", f"{POOL} each", "written", before=(("learning", POOL),)),
    "contradicting": Draft(
        "decision",
        f"{LIMIT} 8",
        "written",
        before=(
            *(("learning", f"{LIMIT} {how}") for how in ("logged", "per file", "a setting")),
            ("decision", f"{LIMIT} 5"),
        ),
    ),
    "rejected before": Draft("decision", LEDGER, "loop", "written", (REJECTED,)),
    "rejected again": Draft("rejected", LEDGER, "loop", "written", (REJECTED,)),
    "rejected and done": Draft("progress", MOVED, "loop", "written", (REJECTED,)),
    "rejected and known": known("decision", LEDGER, REJECTED, amended="repeated"),
    "rejected, done and known": known("progress", MOVED, REJECTED, amended="written"),
    "rejected and forgotten": Draft(
        "decision", LEDGER, "forgotten", before=(REJECTED,), is_forgotten=True
    ),
    "forgotten": Draft("gotcha", SAFARI, "forgotten", is_forgotten=True),
    "forgotten with a label": Draft("gotcha", f"gotcha: {SAFARI}", "forgotten", is_forgotten=True),
    "forgotten rejection": Draft(*REJECTED, "forgotten", is_forgotten=True),
    "forgotten progress": Draft("progress", MOVED, "forgotten", is_forgotten=True),
    "forgotten assumption": Draft("assumption", POOL, "written", is_forgotten=True),
    "forgotten and known": Draft(
        "gotcha", SAFARI, "known", "repeated", (("gotcha", SAFARI),), is_forgotten=True
    ),
    "short-lived": Draft("decision", PASSING, "transient"),
    "short-lived progress": Draft("progress", "we are currently migrating it", "written"),
    "about a person": Draft("learning", CLAIM, "pending"),
    "about a person, known": Draft("learning", CLAIM, "pending", before=(("learning", CLAIM),)),
    "about a person, forgotten": Draft("learning", CLAIM, "pending", is_forgotten=True),
    "about a person, short-lived": Draft("learning", "The user currently likes tabs", "transient"),
    "about a person, too long": Draft("learning", f"{CLAIM}. " * 1_000, "input"),
    "experience about a person": Draft("experience", CLAIM, "written"),
    "credential": Draft("note", "the key is AKIA" + "Q3EGRTLMHKNPVZWY", "secret"),
    "credential with a label": Draft("note", "decided: AKIA" + "Q3EGRTLMHKNPVZWY", "secret"),
    "empty": Draft("note", " ", "input"),
    "too long": Draft("note", "long " * 5_000, "input"),
    "tag that is not allowed": Draft("note", "the shop is closed #shop", "input"),
    "allowed tag": Draft("note", "the shop is closed #ops", "written"),
    "unchanged": Draft("learning", OTHER, "known", "input"),
}


@pytest.fixture
def given(memory: Memory) -> Callable[[Draft], str]:
    """Write the entries before a draft and an entry to correct; return the id of the latter."""

    def written(draft: Draft) -> str:
        memory.configure("scopes.allowed", '["ops"]')
        for _ in range(draft.is_forgotten):
            one = memory.log(draft.text, draft.kind, acknowledge=True, about="project").entry
            memory.forget(one.id, "it was changed", acknowledge=True)
        for kind, text in draft.before:
            memory.log(text, kind, acknowledge=True, about="project")
        return memory.log(OTHER, draft.kind, acknowledge=True).entry.id

    return written


Seen = tuple[str, tuple[str, ...]]
"""The verdict on a draft, and the ids of the entries named with it."""


def previewed(memory: Memory, draft: Draft, instead: str = "") -> Seen:
    sent = recording.Draft.model_construct(message=draft.text, type=draft.kind, instead=instead)
    try:
        told = recording.preview(memory, sent)
    except MindError as error:
        return error.code, ()
    assert isinstance(told, dict)
    seen = told["outlook"]
    return seen.verdict, tuple(one.id for one in seen.related)


def outcome(work: Callable[[], Logged | Curated | TidyPlan | Pending]) -> Seen:
    try:
        done = work()
    except MindError as error:
        return error.code, ()
    if not isinstance(done, Logged):
        return ("pending" if isinstance(done, Curated) and done.pending else "written"), ()
    named = done.related
    if done.known:
        named = (done.entry,)
    elif done.loops:
        named = tuple(one.earlier for one in done.loops)
    verdict = "known" if done.known else "loop" if done.loops else "written"
    return "pending" if done.pending else verdict, tuple(one.id for one in named)


@pytest.mark.parametrize("draft", DRAFTS.values(), ids=DRAFTS)
def test_a_preview_predicts_what_recording_does(
    memory: Memory, given: Callable[[Draft], str], draft: Draft
) -> None:
    given(draft)
    before = memory.project.memory.read_bytes(), memory.project.events.read_bytes()
    seen = previewed(memory, draft)
    assert (memory.project.memory.read_bytes(), memory.project.events.read_bytes()) == before
    assert seen == outcome(lambda: memory.log(draft.text, draft.kind))
    assert seen[0] == draft.logged


@pytest.mark.parametrize("draft", DRAFTS.values(), ids=DRAFTS)
def test_a_preview_predicts_what_a_correction_does(
    memory: Memory, given: Callable[[Draft], str], draft: Draft
) -> None:
    other = given(draft)
    seen = previewed(memory, draft, other)
    assert seen == outcome(lambda: memory.update(other, draft.text))
    assert seen[0] == (draft.amended or draft.logged)


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("new", "written"),
        ("known", "known"),
        ("known progress", "known"),
        ("rejected before", "loop"),
        ("rejected and known", "known"),
        ("forgotten", "written"),
        ("short-lived", "transient"),
        ("about a person, known", "known"),
        ("too long", "input"),
    ],
)
def test_a_confirmed_claim_is_compared_as_a_new_entry_is(
    memory: Memory, given: Callable[[Draft], str], name: str, verdict: str
) -> None:
    """The user confirmed it, so it may be short-lived if that was acknowledged, or forgotten."""
    draft = DRAFTS[name]
    given(draft)

    def claimed() -> Logged | Curated | TidyPlan | Pending:
        waits = memory.log(draft.text, draft.kind, about="user").pending
        assert waits is not None
        return memory.confirm(waits.id)

    assert outcome(claimed)[0] == verdict


def test_a_confirmed_claim_with_keywords_is_known_and_adds_them(memory: Memory) -> None:
    first = memory.log(CLAIM, "learning", about="project", keywords=["indent"]).entry
    waits = memory.log(CLAIM, "learning", keywords=["tabulator"], source="a call").pending
    assert waits is not None
    done = memory.confirm(waits.id)
    assert isinstance(done, Logged)
    assert (done.known, done.entry.id) == (True, first.id)
    assert done.entry.keywords == ("indent", "tabulator")


def test_what_was_acknowledged_of_a_claim_is_counted_when_it_is_confirmed(memory: Memory) -> None:
    waits = memory.log(PASSING, "learning", about="user", acknowledge=True).pending
    assert waits is not None
    done = memory.confirm(waits.id)
    assert isinstance(done, Logged)
    assert done.overridden == ("currently",)
    assert memory.health().markers.overridden == 1


def test_a_preview_of_a_correction_needs_the_entry(memory: Memory) -> None:
    assert previewed(memory, DRAFTS["new"], "nothing1") == ("not-found", ())


def failing(*_: object, **__: object) -> Entry:
    raise FileError("this cannot be read")


def test_what_cannot_be_compared_is_recorded_unless_it_was_forgotten(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = memory.log(SAFARI, "gotcha").entry
    memory.forget(gone.id, "mended", acknowledge=True)
    with monkeypatch.context() as patch:
        patch.setattr(validation, "duplicate", failing)
        assert outcome(lambda: memory.log(POOL, "learning"))[0] == "file"
        assert outcome(lambda: memory.log(SAFARI, "gotcha"))[0] == "forgotten"
    with monkeypatch.context() as patch:
        patch.setattr(validation, "claim", failing)
        assert outcome(lambda: memory.log(CLAIM, "learning"))[0] == "file"
    assert [one.text for one in memory.index_entries()] == [POOL]


def test_the_stack_that_a_setup_read_is_not_offered_to_be_replaced(memory: Memory) -> None:
    stack = "note: Stack: Node 22; fastify, drizzle-orm, pg"
    by_hand(memory, f"- {stack} [from:: repository:stack]\n")
    assert memory.log("drizzle-orm on pg over an own mapper", "decision").related == ()
    by_hand(memory, f"- {stack}\n")
    assert memory.log("drizzle-orm on pg over Prisma", "decision").related
