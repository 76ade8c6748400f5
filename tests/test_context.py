"""The marked block in a file that belongs to the user."""

import dataclasses
import re
from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any

import pytest

from mind.documents import context_block
from mind.documents.context_block import (
    CONTINUE,
    DECISIONS,
    GOTCHAS,
    LEARNED,
    LOOPS,
    REJECTED,
    STATE,
)
from mind.domain.entry import Entry, Kind
from mind.memory import context, verdicts
from mind.memory.memory import Memory
from mind.storage.index import Index
from mind.storage.project import Project
from tests.conftest import Clock, by_hand

KINDS = {
    REJECTED: Kind.REJECTED, DECISIONS: Kind.DECISION, LEARNED: Kind.LEARNING,
    GOTCHAS: Kind.GOTCHA, LOOPS: Kind.TODO,
}  # fmt: skip


def many(count: int, size: int = 60, **fields: str) -> dict[str, list[Entry]]:
    """So many entries of each kind, each with its number and of about this size."""
    return {
        title: [
            Entry(id=f"{kind}{at}", kind=kind, text=f"{kind} {at} {'x' * size}", fields=fields)
            for at in range(count)
        ]
        for title, kind in KINDS.items()
    }


def headings(body: str) -> list[str]:
    return re.findall(r"^## (.*)$", body, re.MULTILINE)


def test_sections_stand_in_the_order_of_the_table() -> None:
    material = {
        one.title: [Entry(id=one.title, kind=Kind.NOTE, text="x")] for one in context_block.SECTIONS
    }
    turned = dict(reversed(material.items()))
    assert headings(context_block.render(turned, 1_500).body) == [
        "Memory Problems", "Reminders Due", "Session Context", "Project State", "Do Not Repeat",
        "Recent Decisions", "Learned", "Gotchas (This Stack)", "Open Loops", "Continue From",
    ]  # fmt: skip


def test_another_order_of_the_table_is_another_order_of_the_block(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    of = {one.title: one for one in context_block.SECTIONS}
    monkeypatch.setattr(context_block, "SECTIONS", (of[GOTCHAS], of[REJECTED], of[LOOPS]))
    assert headings(context_block.render(many(1), 1_500).body) == [GOTCHAS, REJECTED, LOOPS]


def codes(body: str) -> dict[str, set[str]]:
    """The words such as "todo-7" of each section."""
    parts = (part.partition("\n") for part in body.split("\n## ")[1:])
    return {title: set(re.findall(r"\b[a-z]+-\d+\b", rest)) for title, _, rest in parts}


def test_every_section_names_a_call_that_returns_what_it_leaves_out(
    memory: Memory, clock: Clock
) -> None:
    from mind.server.mcp.tools import chosen

    tools = {tool.name: tool for tool in chosen("core")}
    kinds = ("rejected", "decided", "learned", "gotcha", "problem", "todo")
    lines = ["## Project State"]
    lines += [f"- Rule {at}: the office closes at rule-{at}" for at in range(19)]
    lines += ["- Blocked: the bank does not answer mail-0", "", "## 2026-11-01"]
    lines += [f"- {one}: {one}-{at} for the printer" for one in kinds for at in range(5)]
    lines += ["- progress: Next: write the invoices as in plan-0", "- goal: ship by tea-0"]
    lines += ["- blocker: the key of the safe is lost-0"]
    by_hand(memory, "\n".join(["# M", "", *lines, ""]))
    for at in range(2):
        memory.remind(f"call the bank about bill-{at}", "tomorrow")
    clock.forward(days=2)
    for at in range(2):
        memory.log(f"the kettle was cold in run-{at}", "experience")
    memory.configure("context.budget_tokens", "20000")
    every = codes(memory.recall().context)
    memory.configure("context.budget_tokens", "350")
    body = memory.recall().context
    shown = codes(body)
    assert set(shown) == {one.title for one in context_block.SECTIONS} - {context_block.WARNINGS}
    for section in context_block.SECTIONS:
        if missing := every.get(section.title, set()) - shown.get(section.title, set()):
            assert f"- … more: `{section.listed_by}`" in body
            name, _, query = section.listed_by.partition(" ")
            answer = tools[name].run(memory, **({"query": query, "limit": 100} if query else {}))
            assert missing <= set(re.findall(r"\b[a-z]+-\d+\b", answer)), section.title


def test_what_fits_is_shown_whole_and_asks_for_no_recall() -> None:
    block = context_block.render(many(8), 1_500)
    assert len(block.shown) == 5 * 8
    assert "more:" not in block.body
    assert "mind_recall" not in block.body
    assert block.is_complete


def test_a_block_that_lists_everything_says_so_and_one_with_a_cut_text_does_not() -> None:
    listed = "are listed here: look none of them up"
    assert listed in context_block.render(many(8), 1_500).body.partition("\n")[0]
    long = Entry(id="a", kind=Kind.DECISION, text=f"Use arq. {'It is small. ' * 300}")
    assert listed in context_block.render({DECISIONS: [long]}, 1_500).body
    cut = context_block.render({DECISIONS: [long]}, 300)
    assert cut.shown == {"a"}
    assert "mind_search id:a" in cut.body
    assert listed not in cut.body
    assert listed not in context_block.render(many(80), 1_500).body
    assert listed not in context_block.render({}, 1_500).body


def test_a_block_says_that_it_lists_all_only_of_what_it_has(
    project: Project, memory: Memory
) -> None:
    (project.root / "CLAUDE.md").write_bytes(context_block.place(b"# Notes\n", "-"))
    (project.root / "a.py").write_text(
        "# MEMORY: rejected: Redis for sessions - one more server\n", encoding="utf-8"
    )
    memory.log("Arq runs the jobs", "decision")
    memory.log("Kafka for the jobs - one more server", "rejected")
    own = memory.recall(block=True).context
    assert "All its decisions, rejections, learnings and gotchas are listed here" in own
    assert "Redis for sessions" in own
    assert "Kafka for the jobs" in own
    tracked = (project.root / "CLAUDE.md").read_text(encoding="utf-8")
    assert "Redis" not in tracked
    assert "Kafka" not in tracked
    assert "learnings and gotchas of `.mind/MEMORY.md` are listed here" in tracked


def test_a_block_without_muted_tags_does_not_say_that_it_lists_all(memory: Memory) -> None:
    memory.log("Arq runs the jobs #jobs", "decision")
    memory.log("Prices are whole cents #money", "decision")
    assert "are listed here" in memory.recall(block=True).context
    memory.mute_tag("jobs")
    muted = memory.recall(block=True).context
    assert "Arq" not in muted
    assert "are listed here" not in muted


def test_a_block_of_more_entries_than_were_read_says_that_some_are_left_out(
    project: Project, memory: Memory
) -> None:
    project.config.write_text("[context]\nbudget_tokens = 20000\n", encoding="utf-8")
    lines = "".join(f"- rejected: lib{at}a for dates - slow\n" for at in range(420))
    project.memory.write_text(f"# Memory\n\n## 2026-01-01\n{lines}", encoding="utf-8")
    memory.renew()
    block = memory.recall(block=True).context
    assert block.count("for dates") < 420
    assert "are listed here" not in block
    assert "Call `mind_recall` with your task first" in block
    assert "- … more: `mind_search kind:rejected`" in block


def test_knowledge_is_complete_where_it_fits_and_loops_take_what_is_left() -> None:
    material = many(13) | {LOOPS: many(200)[LOOPS]}
    block = context_block.render(material, 1_500)
    assert {one.id for title in KINDS if title != LOOPS for one in material[title]} < block.shown
    assert "- … more: `mind_search status:open`" in block.body
    assert context_block.tokens(block.body) <= 1_500
    assert "`mind_recall` with your task first" in block.body.partition("\n")[0]


@pytest.mark.parametrize("size", range(76, 88))
def test_the_state_and_an_open_loop_stay_where_knowledge_just_fits(size: int) -> None:
    said = {Kind.GOAL: "ship in December", Kind.NOTE: "Stack: Go", Kind.BLOCKER: "no key yet"}
    state = [Entry(id=kind.value, kind=kind, text=text) for kind, text in said.items()]
    loops = {LOOPS: many(9)[LOOPS]}
    for count in range(53, 60):
        decisions = {DECISIONS: many(count, size)[DECISIONS]}
        block = context_block.render({STATE: state, **decisions, **loops}, 1_500)
        assert {*(one.id for one in state), "todo0"} <= block.shown
        assert context_block.tokens(block.body) <= 1_500


def test_every_section_gets_its_share_of_a_budget_that_is_too_small() -> None:
    block = context_block.render(many(100), 1_500)
    assert context_block.tokens(block.body) <= 1_500
    for kind in KINDS.values():
        assert f"{kind}0" in block.shown
        assert f"- {kind} 99" not in block.body
    shown = {kind: sum(one.startswith(str(kind)) for one in block.shown) for kind in Kind}
    assert shown[Kind.REJECTED] > 1.5 * shown[Kind.DECISION]  # nobody searches for what not to do
    assert shown[Kind.GOTCHA] > 1.5 * shown[Kind.LEARNING]
    assert "- … more: `mind_search kind:rejected`" in block.body
    assert re.search(r"more: .*\d", block.body) is None


def test_a_short_old_line_does_not_take_the_place_of_a_newer_one() -> None:
    sizes = (100, 100, 390, 20)
    loops = [
        Entry(id=f"todo{at}", kind=Kind.TODO, text="x" * size) for at, size in enumerate(sizes)
    ]
    shown = context_block.render({LOOPS: loops}, 150).shown
    assert shown == {"todo0", "todo1"}


def test_a_long_state_does_not_displace_what_not_to_do() -> None:
    state = [Entry(id=f"goal{at}", kind=Kind.GOAL, text="x" * 300) for at in range(9)]
    block = context_block.render({STATE: state, **many(9, 200)}, 800)
    first = ("goal1", "rejected1", "gotcha1", "decision0", "learning0")
    assert {*first} <= block.shown
    assert "goal8" not in block.shown
    assert context_block.tokens(block.body) <= 800


def test_a_pinned_entry_is_shown_before_all_others() -> None:
    material = many(100)
    last = dataclasses.replace(material[LOOPS][-1], fields={"pinned": "yes"})
    material[LOOPS][-1] = last
    assert last.id in context_block.render(material, 400).shown


def test_a_line_has_whole_sentences_and_one_date() -> None:
    long = "Redis for sessions. " + "It was tried for a week and the team looked at it. " * 12
    told = Entry(id="a", kind=Kind.REJECTED, text=long, date=date(2026, 10, 5))
    dated = Entry(id="b", kind=Kind.REJECTED, text="2026-10-05: no ORM", date=date(2026, 10, 5))
    body = context_block.render({REJECTED: [told, dated]}, 200).body
    line = next(one for one in body.splitlines() if "Redis" in one)
    assert line.endswith("looked at it. (more: `mind_search id:a`) (2026-10-05)")
    assert len(line) < 450
    assert body.count("2026") == 2


def test_a_line_is_not_cut_after_the_number_of_an_item() -> None:
    text = f"Adopt ADR 2. Concretely: 1. **Build** the cache. 2. **Move** {'all ' * 99}rows."
    body = context_block.render({DECISIONS: [Entry(id="a", kind=Kind.DECISION, text=text)]}, 150)
    assert "- Adopt ADR 2. Concretely: 1. **Build** the cache. (more: " in body.body


def test_long_lines_are_shown_in_full_where_the_budget_allows() -> None:
    told = [
        Entry(id=f"{kind}{at}", kind=kind, text=f"{kind} {at}: {'because ' * 70}of this.")
        for at in range(2)
        for kind in (Kind.REJECTED, Kind.LEARNING)
    ]
    material = {REJECTED: told[::2], LEARNED: told[1::2]}
    assert context_block.render(material, 1_500).body.count("because of this.") == 4
    body = context_block.render(material, 590).body  # what not to do is shown in full first
    assert body.count("of this.") == body[: body.index("## Learned")].count("of this.") == 2
    assert body.count("more: `mind_search id:") == 2
    assert context_block.tokens(body) <= 560


def test_an_entry_stands_in_the_block_in_its_own_words_once(memory: Memory) -> None:
    by_hand(
        memory,
        "# M\n\n- gotcha: pnpm hoists -> pin it\n"
        "- decided: PDF invoices with `pdfmake` over Puppeteer:\n"
        "  - no browser in the image\n  - same fonts - on macOS and Linux\n"
        f"- decided: Money is `bigint` because of `0.1 + 0.2`. {'It is exact. ' * 40}\n",
    )
    body = memory.recall().context
    assert body.count("pin it") == 1
    assert body.count("no browser in the image") == body.count("on macOS and Linux") == 1
    assert body.count("`0.1 + 0.2`") == 1


def test_the_state_of_the_project_has_labels() -> None:
    goal = Entry(id="a", kind=Kind.GOAL, text="sell tea")
    blocked = Entry(id="b", kind=Kind.BLOCKER, text="the bank is slow")
    body = context_block.render({STATE: [goal, blocked], CONTINUE: []}, 1_500).body
    assert "- Goal: sell tea\n- Blocked: the bank is slow" in body


@pytest.mark.parametrize("before", [b"", b"# Rules\n", b"# Rules", b"\xef\xbb\xbf", b"a\r\nb\r\n"])
def test_a_block_comes_and_goes_without_a_trace(before: bytes) -> None:
    placed = context_block.place(before, "body")
    assert context_block.remove(placed) == before
    assert context_block.remove(before) == before
    again = context_block.place(placed, "other")
    assert again.replace(b"other", b"body") == placed


def test_a_block_at_the_very_end_keeps_its_missing_line_end() -> None:
    placed = context_block.place(b"# Rules\n", "body").rstrip(b"\n")
    assert context_block.place(placed, "other") == placed.replace(b"body", b"other")


@pytest.mark.parametrize(
    "before",
    [
        b"# Mine\r\rUse tabs.\r",
        b"# Mine\rUse tabs.",
        b"# Mine\n\n~~~\nnever closed\n",
        b"# Mine\n\n```sh\nnever closed",
        b"# Mine\r\n\r\n~~~\r\nnever closed\r\n",
        b"````\n```\nstill open\n",
    ],
)
def test_old_line_ends_and_fences_that_nothing_closes_come_back_as_they_were(before: bytes) -> None:
    placed = context_block.place(before, "one\n\n## Two\n- three")
    assert context_block.block_span(placed) is not None
    again = context_block.place(placed, "four")
    assert again.count(b"MIND:CONTEXT") == 1
    assert b"three" not in again
    assert context_block.remove(placed) == before
    assert context_block.remove(again) == before


def test_a_marker_in_a_closed_fence_is_none() -> None:
    shown = f"```\n{context_block.OPENING}\n{context_block.CLOSING}\n```\n".encode()
    assert context_block.block_span(shown) is None
    assert context_block.remove(context_block.place(shown, "one")) == shown


def test_a_decision_struck_through_is_no_rejected_approach_without_a_remark(memory: Memory) -> None:
    by_hand(
        memory,
        "# M\n\n- ~~decided: the old queue is SQS~~ ^struck11\n"
        "- ~~decided: Celery for jobs~~ too slow\n- rejected: Kafka - slow\n",
    )
    told = memory.recall(block=True)
    assert "SQS" not in told.context
    assert "SQS" not in " ".join(one.text for one in told.omitted)
    assert "Celery" in told.context
    assert "Kafka" in told.context
    assert [hit.entry.id for hit in memory.search("SQS").hits] == ["struck11"]


def test_what_is_struck_through_is_not_in_force_wherever_it_is(memory: Memory) -> None:
    by_hand(
        memory,
        "# M\n\n## Decisions\n\n- ~~We use Yarn~~ We use pnpm\n\n"
        "## Rejected\n\n- ~~Elasticsearch for search~~\n"
        "- ~~Redis for sessions~~ allowed again since 2026-11-01\n- Kafka for events - slow\n\n"
        "## Gotchas\n\n- ~~The DHL sandbox returns 500~~ (fixed by DHL)\n",
    )
    block = memory.recall(block=True).context
    assert "- We use pnpm" in block.partition("## Recent Decisions")[2]
    assert "Kafka" in block
    for gone in ("Elasticsearch", "Redis", "DHL"):
        assert gone not in block
        (hit,) = memory.search(gone).hits
        assert hit.verdict.told == ("struck through",)
    for intent in ("add Elasticsearch for search", "keep sessions in Redis", "use pnpm in CI"):
        assert not memory.edges(intent).loops
    assert not memory.edges("test against the DHL sandbox, which returns 500").edges
    assert memory.edges("use Kafka for events").loops


def test_what_cannot_fit_is_not_checked_and_changes_nothing(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    things = [f"{chr(97 + at % 26)}{'bcdfg'[at % 5]}osk{at}" for at in range(100, 380)]
    lines = [
        f"- {said}: the {one} {what} keeps at most {at % 7 + 2} copies of each {one} parcel"
        for at, one in enumerate(things)
        for said, what in (("decided", "service"), ("gotcha", "storage"))
    ]
    lines += [f"- decided: {one} is switched off since June" for one in things[::9]]
    by_hand(memory, "\n".join(["## 2026-06-01", *lines, ""]))
    checked: list[int] = []
    outdated = verdicts.outdated

    def counted(index: Index, entries: Sequence[Entry], *rest: Any, **named: Any) -> object:
        checked.append(len(entries))
        return outdated(index, entries, *rest, **named)

    monkeypatch.setattr(verdicts, "outdated", counted)
    lazily = memory.recall(force=True)
    few = sum(checked)
    monkeypatch.setattr(context, "_AT_ONCE", 10_000)
    by_hand(memory, "\n".join(["## 2026-06-01", *lines, "", ""]))
    checked.clear()
    whole = memory.recall(force=True)
    assert whole.context == lazily.context
    assert [one.text for one in whole.omitted] == [one.text for one in lazily.omitted]
    assert few < sum(checked) / 2


@pytest.mark.parametrize("size", range(40, 64))
def test_the_last_line_of_a_full_block_is_no_matter_of_chance(size: int) -> None:
    held = [many(60, size) for _ in range(12)]  # lines then lie elsewhere each time
    assert len({context_block.render(one, 1_500).body for one in held}) == 1


def test_no_more_entries_are_read_than_the_block_can_show() -> None:
    read: list[str] = []

    def noted(entries: Sequence[Entry]) -> Iterator[Entry]:
        for one in entries:
            read.append(one.id)
            yield one

    material = many(300) | {LOOPS: many(25)[LOOPS]}
    block = context_block.render({title: noted(one) for title, one in material.items()}, 1_500)
    assert block == context_block.render(material, 1_500)
    assert len(read) < 3 * len(block.shown)


@pytest.mark.parametrize("others", [30, 60, 100])
def test_a_repeat_of_what_was_replaced_is_not_shown(memory: Memory, others: int) -> None:
    lines = ["## 2026-01-01", "- decided: Sessions are kept in Redis", "", "## 2026-01-05"]
    lines += [
        f"- decided: Component {at} of the exporter writes its own file named part-{at}"
        for at in range(others)
    ]
    lines += ["", "## 2026-03-01", "- decided: Sessions are kept in Redis", "", "## 2026-04-01"]
    by_hand(memory, "\n".join(lines))
    old = next(one for one in memory.index_entries() if one.text.startswith("Sessions"))
    new = f"- decided: Signed cookies hold it [supersedes:: {old.id.removesuffix('-2')}]"
    by_hand(memory, "\n".join([*lines, new, ""]))
    answer = memory.recall(force=True)
    told = answer.context + "".join(one.text for one in answer.omitted)
    assert ("Signed cookies" in told, "in Redis" in told) == (True, False)


@pytest.mark.parametrize("is_replaced", [False, True])
def test_what_was_rejected_and_decided_in_the_same_words_is_no_repeat(
    memory: Memory, is_replaced: bool
) -> None:
    text = "## 2026-01-02\n\n- rejected: One queue\n\n## 2026-06-02\n\n- decided: One queue\n"
    by_hand(memory, text)
    later = memory.index_entries()[-1].id
    if is_replaced:
        by_hand(memory, text.replace("queue", f"queue [superseded-by:: {later}]", 1))
    told = memory.recall(force=True).context
    assert "## Recent Decisions\n- One queue (2026-06-02)" in told
    assert ("## Do Not Repeat\n- One queue (2026-01-02)" in told) is not is_replaced


def test_a_decision_for_what_the_block_lists_as_rejected_is_among_the_omitted(
    memory: Memory,
) -> None:
    others = [f"- decided: Reader {at} has a schema of its own, {'x' * 90}" for at in range(150)]
    lines = ["## 2026-01-02", "", "- rejected: One queue", "- decided: One queue", ""]
    by_hand(memory, "\n".join([*lines, "## 2026-06-02", "", *others, ""]))
    answer = memory.recall(task="change the queue")
    assert "## Do Not Repeat\n- One queue" in answer.context
    assert answer.omitted[0].text == "One queue"


def test_repeats_do_not_use_up_a_section(memory: Memory) -> None:
    lines = ["## 2026-01-01"]
    lines += [f"- learned: Module {at} reads {at * 7 + 3} rows at a time" for at in range(10)]
    for at in range(80):
        lines += ["", f"## 2026-{at // 28 + 2:02}-{at % 28 + 1:02}"]
        lines += ["- learned: Run the migrations before the worker starts, or its first job fails"]
    by_hand(memory, "\n".join([*lines, ""]))
    context_ = memory.recall(force=True).context
    assert (context_.count("rows at a time"), context_.count("Run the migrations")) == (10, 1)


@pytest.mark.parametrize("others", [0, 150])
def test_a_value_that_returned_is_shown_and_a_replaced_repeat_is_not(
    memory: Memory, others: int
) -> None:
    between = "".join(
        f"- decided: the {'bcdfg'[at % 5]}aker{at} service has its own queue for parcels {at}\n"
        for at in range(others)
    )
    by_hand(
        memory,
        "## 2026-01-01\n\n- decided: The session timeout is 30 minutes\n"
        "- decided: Carts are kept in Redis\n\n"
        "## 2026-02-01\n\n- decided: The session timeout is 60 minutes\n\n"
        f"## 2026-02-10\n\n{between}\n"
        "## 2026-03-01\n\n- decided: The session timeout is 30 minutes\n"
        "- decided: Carts are kept in Redis\n\n## 2026-04-01\n\n- decided: Cookies hold it\n",
    )
    [last] = [one for one in memory.index_entries() if "Redis" in one.text and one.line > 15]
    text = memory.project.memory.read_text("utf-8")
    by_hand(memory, text.replace("Cookies hold it", f"Cookies hold it [supersedes:: {last.id}]"))
    found = memory.recall(force=True)
    told = f"{found.context} {[one.text for one in found.omitted]}"
    assert "timeout is 30 minutes" in told
    assert "timeout is 60 minutes" not in told
    assert "Cookies hold it" in told
    assert "Carts are kept in Redis" not in told


@pytest.mark.parametrize("heading", ["Don't", "Never do this", "Things to avoid", "Nicht tun"])
def test_an_entry_is_shown_with_a_heading_that_denies_it(memory: Memory, heading: str) -> None:
    by_hand(memory, f"## {heading}\n\n- push to main\n- commit dist/ to git\n")
    [hit] = memory.search("commit dist").hits[:1]
    assert (hit.text, hit.entry.text) == (f"{heading}: commit dist/ to git", "commit dist/ to git")
    assert hit.entry.title == f"{heading}: commit dist/ to git"


def test_a_heading_is_not_told_where_the_text_denies_or_a_label_says_more(memory: Memory) -> None:
    lines = "- Never push on Fridays\n- decision: Postgres for orders\n- No-code tools in CI\n"
    by_hand(memory, f"## Don't\n\n{lines}")
    told = [one.told for one in memory.index_entries()]
    assert told == ["Never push on Fridays", "Postgres for orders", "Don't: No-code tools in CI"]


@pytest.mark.parametrize(
    ("below", "shown"),
    [
        (
            "- Only the core opens files\n  - Readers wait",
            "Only the core opens files; Readers wait",
        ),
        (f"1. The core opens.\n  2. Readers wait. {'More of it. ' * 30}", "1. The core opens. 2."),
        ("```sh\n  make core\n  ```", ""),
        ("一个核心打开文件，" * 60, "一个核心打开文件，"),
    ],
)
def test_a_line_that_announces_something_is_shown_with_it(
    memory: Memory, below: str, shown: str
) -> None:
    said = f"- decided: **Boundaries of storage:** [from:: adr:1]\n  {below}\n\n- decided: x\n"
    by_hand(memory, said)
    (line,) = [one for one in memory.recall().context.split("\n") if "Boundaries" in one]
    assert line.startswith(f"- **Boundaries of storage:** {shown}".strip())
    assert len(line) < 400
    assert line.endswith("`)") is (len(below) > 240)  # the call that returns what was cut


def test_a_corrected_line_no_longer_announces_what_is_below(memory: Memory) -> None:
    by_hand(memory, "- decided: Storage: [from:: adr:1] ^aaaa1111\n  - Use SQLite\n  - One file\n")
    memory.update("aaaa1111", "Postgres for storage - two writers")
    assert "- Postgres for storage - two writers\n" in f"{memory.recall().context}\n"


def test_a_table_of_gotchas_with_a_column_of_problems_has_gotchas(memory: Memory) -> None:
    rows = "| Problem | Fix |\n|---|---|\n| Webhooks arrive twice | deduplicate by event id |\n"
    by_hand(memory, f"## Gotchas\n\n{rows}")
    (entry,) = memory.index_entries()
    assert entry.kind is Kind.GOTCHA
