"""Causes that an agent says it has found, and what becomes of them."""

from pathlib import Path

import pytest

from mind.sources.transcripts import headed, remembered
from mind.sources.transcripts.paragraph import capital, size
from tests.transcript_sessions import ROOT, Case, transcript

CAUSE = "A: I see the issue! The reader keeps its cursor, but the file was rotated."
EDIT = "EDIT src/tail.py | seek | reopen"
TOLD = "The reader keeps its cursor, but the file was rotated"
MENDED = f"problem: {TOLD} - fixed in src/tail.py"
LOOK = "$ cat src/out.py"
WHY = "A: Found it! The mails go out twice because both workers read the same outbox."


def told(folder: Path, *steps: str) -> list[str]:
    path = transcript(Case("a session", list(steps))).write(folder)
    found = remembered([path], Path(ROOT), home=Path("/home/dev"))
    return [f"{one.kind}: {one.text}" for one in found]


def test_a_cause_counts_once_something_was_done_about_it(tmp_path: Path) -> None:
    assert told(tmp_path, CAUSE, EDIT) == [MENDED]
    assert told(tmp_path, CAUSE) == []
    assert told(tmp_path, CAUSE, "WRITE src/tail_test.py | x") == []
    assert told(tmp_path, CAUSE, "EDITFAIL src/tail.py | a | b") == []
    assert told(tmp_path, CAUSE, *["$ ls"] * 12, EDIT) == []
    more = told(
        tmp_path, CAUSE, EDIT, EDIT, "EDIT src/b.py | a | b", "$ pytest", "EDIT c.py | a | b"
    )
    assert more == [f"problem: {TOLD} - fixed in src/tail.py, src/b.py"]


def test_a_cause_that_tells_why_needs_nothing_done(tmp_path: Path) -> None:
    after = "U: interesting. what else do you see"
    assert told(tmp_path, WHY, after) == []
    assert told(tmp_path, LOOK, "U: and why does it do that", WHY, after) == []
    assert told(tmp_path, LOOK, WHY, after) == [
        "gotcha: The mails go out twice because both workers read the same outbox"
    ]


def test_where_it_is_not_clear_what_was_mended_nothing_is_told(tmp_path: Path) -> None:
    late = [LOOK, WHY, *["$ ls"] * 12, "EDIT src/out.py | a | b"]
    for steps in (late, [LOOK, WHY, "WRITE src/outbox.py | x"]):
        assert told(tmp_path, *steps) == []


def test_the_files_of_the_session_itself_had_no_problem_before(tmp_path: Path) -> None:
    assert told(tmp_path, EDIT, CAUSE, EDIT) == []
    assert told(tmp_path, "EDIT src/out.py | a | b", WHY, "EDIT src/out.py | b | c") == [
        (
            "problem: The mails go out twice because both workers read the same outbox "
            "- fixed in src/out.py"
        )
    ]


@pytest.mark.parametrize(
    "after",
    [
        "A: It still fails with the old error.",
        "A: That didn't help, the lines are gone as before.",
        "A: Let me try a different approach.",
        "U: same",
        "U: nothing changed on my side",
        "U: still nothing in the list of lines",
        "U: that is wrong, look at the log again",
        "U: no, it has nothing to do with it at all",
    ],
)
def test_what_was_no_cause_is_dropped(tmp_path: Path, after: str) -> None:
    assert told(tmp_path, CAUSE, EDIT, after) == []
    assert told(tmp_path, CAUSE, EDIT, "U: ok", after) == []


def test_doubts_reach_back_to_what_was_settled_just_before(tmp_path: Path) -> None:
    settled = [CAUSE, EDIT, "U: thanks, now the settings page please"]
    assert told(tmp_path, *settled) == [MENDED]
    assert told(tmp_path, *settled, "U: the tail still doesn't work") == []
    assert told(tmp_path, *settled, *["$ ls"] * 20, "U: the tail still doesn't work") == [MENDED]


def test_another_cause_takes_the_place_of_one_that_was_not_tested(tmp_path: Path) -> None:
    other = "A: The real problem is that the inode is cached, not the path."
    last = "problem: The inode is cached, not the path - fixed in src/tail.py"
    assert told(tmp_path, CAUSE, EDIT, other, EDIT) == []
    assert told(tmp_path, CAUSE, other, EDIT) == [last]
    passing = [CAUSE, "EDIT src/a.py | a | b", "$ pytest", "OK: 1 passed", other, EDIT]
    assert told(tmp_path, *passing) == [MENDED.replace("tail.py", "a.py"), last]
    behind = [CAUSE, "EDIT src/a.py | a | b", "$ python -m tail &", "OK: ", other, EDIT]
    assert told(tmp_path, *behind) == [last]


def test_a_cure_that_does_harm_leaves_the_cause(tmp_path: Path) -> None:
    done = [LOOK, WHY, "EDIT src/out.py | a | b", "U: that killed my machine"]
    assert told(tmp_path, *done) == [
        "gotcha: The mails go out twice because both workers read the same outbox"
    ]
    assert told(tmp_path, CAUSE, EDIT, "U: now it crashes at once") == []


@pytest.mark.parametrize(
    "said",
    [
        "Found the problem! It looks like the cursor is not reset.",
        "I see the issue! This is not what it should be at all.",
        "I see the issue. Is the cursor not reset in there?",
        "I found the issue! Let me fix the cursor, which is never reset.",
        "I found the issue. In short:",
        "The issue is that I forgot to reset the cursor, nothing else.",
        "The issue is that you want the list and not the table.",
        "The problem is that the server isn't running on that port.",
        "Found it! A missing import, nothing else, in the reader.",
        "The problem is gone.",
        "The problem is that `a[0:1]` != `b[2:3]` - `c(*d)`, not `e[4]`.",
        "You're right, I did not look at the cursor.",
        "I found the issue. The edit wasn't applied, only the log.",
        "You're right! The cursor is not reset there.",
        "That's why I would not reset the cursor.",
        "The cursor stands at the end of the old file. That's why we should not keep it for now.",
    ],
)
def test_talk_is_no_cause(tmp_path: Path, said: str) -> None:
    assert told(tmp_path, f"A: {said}", EDIT) == []


@pytest.mark.parametrize(
    ("said", "cause"),
    [
        ("The bug is that the cursor is never reset.", "The cursor is never reset"),
        ("Root cause: the cursor is never reset.", "The cursor is never reset"),
        ("I found the issue: the cursor is never reset.", "The cursor is never reset"),
        ("I see the problem - the cursor is never reset.", "The cursor is never reset"),
        (
            "Found it!\n\nThe problem is that the cursor is never reset.",
            "The cursor is never reset",
        ),
        ("Encontrei o erro! O cursor não é zerado.", "O cursor não é zerado"),
        ("El problema es que el cursor no se reinicia.", "El cursor no se reinicia"),
        ("J'ai trouvé le problème. Le curseur n'est pas remis.", "Le curseur n'est pas remis"),
        ("Das Problem ist, dass der Zeiger nicht neu steht.", "Der Zeiger nicht neu steht"),
        ("问题在于文件轮转之后游标没有重置。", "文件轮转之后游标没有重置"),
        ("原因找到了！文件轮转之后游标没有重置。", "文件轮转之后游标没有重置"),
    ],
)
def test_ways_to_say_that_a_cause_was_found(tmp_path: Path, said: str, cause: str) -> None:
    line = said.replace("\n", "\\n")
    assert told(tmp_path, f"A: {line}", EDIT) == [f"problem: {cause} - fixed in src/tail.py"]


def test_therefore_takes_along_what_comes_before(tmp_path: Path) -> None:
    said = "The proxy holds back 4 KB. That's why compression is off for `/events`."
    assert told(tmp_path, LOOK, f"A: {said}") == [f"gotcha: {said[:-1]}"]


def test_a_command_that_only_is_pointed_at_is_named(tmp_path: Path) -> None:
    failing = ["$ cd app && kubectl apply -f job.yaml", "ERR: error: no kind Job"]
    said = "A: The previous command failed because the cluster only knows v1beta1."
    assert told(tmp_path, *failing, said) == [
        "gotcha: `kubectl apply -f job.yaml` failed because the cluster only knows v1beta1"
    ]
    assert told(tmp_path, said) == []
    assert told(tmp_path, "$ cat a.yaml", "ERR: no", said) == []
    assert told(
        tmp_path, LOOK, "A: The nightly build fails because the cluster only knows v1."
    ) == ["gotcha: The nightly build fails because the cluster only knows v1"]


def test_an_answer_to_a_general_question_is_no_diagnosis(tmp_path: Path) -> None:
    said = "A: Closures keep the variable. That's why the loop prints one number only."
    assert told(tmp_path, "U: explain how closures work in a loop", said) == []


def test_many_causes_are_bounded(tmp_path: Path) -> None:
    steps = [
        line
        for number in range(230)
        for line in (
            f"A: The issue is that table {number} has no key, only an index.",
            f"EDIT src/t{number}.py | a | b",
            "U: good, what about the one after that",
        )
    ]
    assert len(told(tmp_path, *steps)) == 200
    files = [f"EDIT src/f{number}.py | a | b" for number in range(1_010)]
    assert told(tmp_path, *files, CAUSE, "EDIT src/f1.py | b | c") == []


def test_what_is_no_good_is_rejected_once_the_agent_grants_it(tmp_path: Path) -> None:
    said = "Polling the folder every second is unreliable. Files of the night are missed."
    found = [f"rejected: {said[:-1]}"]
    assert told(tmp_path, f"A: You're right! {said}") == found
    assert told(tmp_path, f"A: {said}") == []
    assert told(tmp_path, f"A: You're right, I was too quick. {said}") == []
    assert told(tmp_path, f"A: Good point! {said[:46]} Let me take inotify.") == [found[0][:55]]
    talk = ("Is that unreliable or is it only slow?", "I think that polling is far too slow.")
    for one in (*talk, "This is too slow for what we do here.", "Polling takes a second or two."):
        assert told(tmp_path, f"A: You're right! {one}") == []


# --- lists --------------------------------------------------------------------------------------


def items(text: str) -> list[str]:
    return [f"{kind}: {said}" for kind, said in headed.items(text)]


def test_items_below_a_heading_that_lasts_are_kept() -> None:
    text = (
        "Done.\n\n## Gotchas\n\n- **Ids** are strings in `v1`, not numbers\n"
        "  wrapped\n- Added a test for `v1`, not for `v2`\n- `v1`: slow\n"
        "- Ids: set by the `v1` api of the shop\n- Names: set by `v1`, not by the form itself\n"
        "- Dates: `v1` wants UTC, the rest is not read\n"
        "\nThe rest:\n"
        "- The `v3` client must never retry by itself\n\n"
        "**Design decisions:**\n1. Amounts are kept in `cents`, never as floats\n"
        "2. Is `euro` a name that is not taken?\n3. I keep the `ids` because they are short\n"
        "Lessons learned from the migration\n* The `alter` waits for readers, so run it at night\n"
    )
    assert items(text) == [
        "gotcha: Ids are strings in `v1`, not numbers",
        "gotcha: Names: set by `v1`, not by the form itself",
        "gotcha: Dates: `v1` wants UTC, the rest is not read",
        "decision: Amounts are kept in `cents`, never as floats",
        "learning: The `alter` waits for readers, so run it at night",
    ]


def test_a_list_of_many_is_a_document() -> None:
    rows = "\n".join(f"- The flag `a{number}` must not be set twice" for number in range(20))
    assert len(items(f"Caveats:\n{rows}")) == 8
    assert items(f"Here's a summary of the docs:\n\nCaveats:\n{rows}") == []
    assert items(f"Some words on it:\n{rows}") == []
    assert items("Caveats:\n- ```") == []
    assert items("Caveats:\n- The flag `a` must not be set twice:") == []


def test_words_of_scripts_without_spaces_are_counted_by_signs() -> None:
    assert size("three words here") == 3
    assert size("游标没有重置") == 4
    assert capital("gRPC hangs") == "gRPC hangs"
