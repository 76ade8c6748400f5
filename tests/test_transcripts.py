"""Lessons read out of Claude Code's transcripts."""

import json
import os
import random
import re
from datetime import date, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from mind import parser, secrets
from mind.config import Settings
from mind.entry import Kind, Status
from mind.sources.remembered import Remembered
from mind.sources.transcripts import lines, reading, remembered
from mind.sources.transcripts.paragraph import width
from tests.bench.transcripts import score
from tests.transcript_sessions import ROOT, Case, Transcript, cases, transcript

HOME = Path("/home/dev")


def read(*paths: Path, root: str = ROOT) -> list[Remembered]:
    return list(remembered(paths, Path(root), home=HOME))


def told(folder: Path, *steps: str) -> list[str]:
    """What a session of these steps teaches."""
    path = transcript(Case("a session", list(steps))).write(folder)
    return [f"{one.kind}: {one.text}" for one in read(path)]


def appended(path: Path, text: str) -> Path:
    with path.open("a", encoding="utf-8") as target:
        target.write(text)
    return path


# --- what is taken for a lesson -----------------------------------------------------------------


@pytest.mark.parametrize("name", ["tuned", "held"])
def test_what_is_imported_is_right_and_most_of_it_is_found(name: str) -> None:
    done = score(name)
    assert len(done.right) / (len(done.right) + len(done.wrong)) >= 0.9
    assert len(done.right) / (len(done.right) + len(done.missed)) >= 0.75


def test_every_lesson_is_one_plain_paragraph_with_its_source(tmp_path: Path) -> None:
    for case in [one for name in ("tuned", "held") for one in cases(name)]:
        made = transcript(case)
        for one in read(made.write(tmp_path)):
            assert width(one.text) >= 15
            assert len(one.text) <= 300
            assert "\n" not in one.text
            assert one.source == "claude-code"
            assert re.fullmatch(r"[A-Za-z0-9._:-]{1,64}", one.key)
            assert one.key.startswith(tuple(row["uuid"][:8] for row in made.rows if "uuid" in row))
            assert one.day == date(2026, 11, 2)
            assert one.place.startswith(f"session {made.session}, 2026-11-02 09:")


def test_the_parser_understands_what_is_imported(tmp_path: Path) -> None:
    for case in cases("tuned"):
        for one in read(transcript(case).write(tmp_path)):
            entry = parser.parse_line(f"{one.kind.value}: {one.text}", Settings())
            assert entry is not None
            assert entry.kind is one.kind
            if one.kind is Kind.PROBLEM:
                is_open = " - fixed in " not in one.text
                assert entry.status is (Status.OPEN if is_open else Status.RESOLVED)


ERROR = "FAILED tests/test_a.py::test_a - KeyError: 'a'"
CAUSE = "A: The mapping loses its key because the loader strips it."


def test_a_fix_needs_an_edit_and_an_explanation(tmp_path: Path) -> None:
    failing, passing = f"$ pytest\nERR: {ERROR}".split("\n"), ["$ pytest", "OK: 1 passed"]
    edit = "EDIT src/a.py | strip() | rstrip()"
    assert told(tmp_path, *failing, CAUSE, edit, *passing) == [
        f"problem: {ERROR} - fixed in src/a.py: {CAUSE[3:]}"
    ]
    assert told(tmp_path, *failing, CAUSE, *passing) == []
    assert told(tmp_path, *failing, "A: Let me look.", edit, *passing) == []
    assert told(tmp_path, *failing, CAUSE, edit) == []
    assert told(tmp_path, *failing, CAUSE, "A: As expected, it fails.", edit, *passing) == []


def test_a_pipe_does_not_hide_that_a_command_failed(tmp_path: Path) -> None:
    failing = ["$ cd api && pytest -q 2>&1 | tail -5", f"OK: {ERROR}\\n1 failed, 3 passed"]
    passing = ["$ pytest -q", "OK: 4 passed"]
    found = told(tmp_path, *failing, CAUSE, "EDIT a.py | x | y", *passing)
    assert len(found) == 1
    assert "test_a" in found[0]


def test_an_error_of_the_sessions_own_making_must_have_a_cause(tmp_path: Path) -> None:
    own = ["WRITE a.py | x = {}", "$ pytest", f"ERR: {ERROR}"]
    mended = ["EDIT a.py | {} | {'a': 1}", "$ pytest", "OK: ok"]
    assert told(tmp_path, *own, "A: The mapping has no such key.", *mended) == []
    assert len(told(tmp_path, *own, CAUSE, *mended)) == 1


def test_slips_are_no_problems(tmp_path: Path) -> None:
    slip = ["$ python a.py", "ERR: SyntaxError: invalid syntax"]
    assert told(tmp_path, *slip, CAUSE, "EDIT a.py | x | y", "$ python a.py", "OK: ok") == []


def test_what_ran_only_in_the_background_or_was_refused_did_not_pass(tmp_path: Path) -> None:
    for given, answer in (
        ({"run_in_background": True}, "Command running in background with ID: b1"),
        ({}, "The user doesn't want to proceed with this tool use. Always use yarn."),
        ({}, "Claude requested permissions to use Bash, but you haven't granted it yet."),
    ):
        made = Transcript("refused")
        made.use("Bash", {"command": "pytest"}, f"Exit code 1\n{ERROR}", failed=True)
        made.row("assistant", [{"type": "text", "text": CAUSE[3:]}])
        edit = {"file_path": f"{ROOT}/a.py", "old_string": "x", "new_string": "y"}
        made.use("Edit", edit, "ok")
        made.use("Bash", {"command": "pytest", **given}, answer)
        assert read(made.write(tmp_path)) == []


REASON = "A: A regular expression doesn't work here because comments nest."


def test_an_undone_edit_is_a_rejected_attempt_whichever_way_it_was_undone(tmp_path: Path) -> None:
    tried = "EDIT src/lex.py | return tokens | return re.split(COMMENT, text)"
    after = "EDIT src/lex.py | return tokens | return Parser(text).run()"
    for undone in (
        ["EDIT src/lex.py | return re.split(COMMENT, text) | return tokens"],
        ["$ git checkout -- src/lex.py"],
        ["$ git checkout ."],
        ["$ git restore src"],
        ["$ git reset --hard"],
    ):
        assert told(tmp_path, tried, REASON, *undone, after) == [
            "rejected: A regular expression doesn't work here because comments nest. (src/lex.py)"
        ]
        assert told(tmp_path, tried, REASON, *undone, after, after, tried) == []
        assert told(tmp_path, tried, REASON, *undone) == []
    assert told(tmp_path, tried, REASON, "$ git checkout main", after) == []
    assert told(tmp_path, tried, REASON, "$ git restore --staged src", after) == []
    assert told(tmp_path, tried, REASON, "$ git checkout -- other.py", after) == []


def test_a_file_written_back_is_an_undone_edit(tmp_path: Path) -> None:
    made = Transcript("written back")
    path = f"{ROOT}/lex.py"
    former = "def lex(text):\n    return text.split()\n"
    made.use("Write", {"file_path": path, "content": "import re\n"}, "ok", originalFile=former)
    made.row("assistant", [{"type": "text", "text": REASON[3:]}])
    made.use("Write", {"file_path": path, "content": former}, "ok", originalFile="import re\n")
    edits: list[Any] = [{"old_string": "a", "new_string": "b"}, 7]
    made.use("MultiEdit", {"file_path": path, "edits": edits}, "ok")
    assert [one.kind for one in read(made.write(tmp_path))] == [Kind.REJECTED]


def test_what_was_tried_is_named_where_the_reason_only_points_at_it(tmp_path: Path) -> None:
    steps = [
        "A: Let me try to parse the header with struct.",
        "$ python -m reader a.bin",
        "ERR: struct.error: unpack requires a buffer of 16 bytes",
        "A: That doesn't work because the header has no fixed length. I'll use a cursor instead.",
        "EDIT reader.py | struct.unpack | Cursor",
        "$ python -m reader a.bin",
        "OK: 12 records",
    ]
    (one,) = told(tmp_path, *steps)
    assert one == (
        "rejected: Tried to parse the header with struct: That doesn't work because the header "
        "has no fixed length. Instead: use a cursor"
    )
    assert told(tmp_path, *steps[1:]) == []


def test_a_promise_of_something_else_must_say_what(tmp_path: Path) -> None:
    steps = [
        "$ python -m reader a.bin",
        "ERR: struct.error: unpack requires a buffer of 16 bytes",
        "A: A struct doesn't work here because the header has no fixed length. Instead.",
        "EDIT reader.py | struct.unpack | Cursor",
        "$ python -m reader a.bin",
        "OK: 12 records",
    ]
    assert told(tmp_path, *steps) == [f"rejected: {steps[2][3:-9]}"]


def test_what_is_left_of_a_statement_may_be_too_short(tmp_path: Path) -> None:
    assert told(tmp_path, "U: always use /home/dev/shop/ <!-- and some more of it --> ok") == []


def test_the_agent_that_gives_up_its_choice_has_decided_nothing(tmp_path: Path) -> None:
    found = told(
        tmp_path,
        "A: I'll go with Celery because it retries by itself.",
        "$ python -m worker",
        "ERR: kombu.exceptions.OperationalError: refused",
        "A: Celery doesn't work here because there is no broker on the device. Let me use a table.",
        "WRITE queue.py | create table jobs",
        "$ python -m worker",
        "OK: up",
    )
    assert len(found) == 1
    assert found[0].startswith("rejected: Celery doesn't work here because there is no broker")


def test_what_is_taken_back_at_once_was_not_decided(tmp_path: Path) -> None:
    rule = "U: we decided to keep the files on the share"
    asked = "ASK Which store should the files have? | An S3 bucket"
    back = "U: on second thought, finance is against it"
    assert len(told(tmp_path, rule, asked)) == 2
    assert told(tmp_path, rule, "A: OK.", asked, back) == []
    assert len(told(tmp_path, rule, "U: go on", back)) == 1


def test_a_message_as_long_as_a_document_is_no_word_to_the_agent(tmp_path: Path) -> None:
    rule = "Always use tabs in this file format."
    filler = "The loader reads what the exporter has left behind, row by row. " * 20
    assert told(tmp_path, f"U: # Plan\\n\\n{filler}\\n\\n{rule}") == []
    assert told(tmp_path, "U: " + "\\n".join([f"- {rule}"] * 40)) == []
    assert told(tmp_path, f"U: {filler} {rule}") == [f"decision: {rule[:-1]}"]
    assert told(tmp_path, "U: Implement the following plan:\\n\\n- Always use tabs") == []


def test_claims_about_the_person_and_what_is_over_soon_are_left_out(tmp_path: Path) -> None:
    assert told(tmp_path, "U: I always use tabs, and we never use the current branch for now") == []
    assert told(tmp_path, "U: always use spaces, I'm a python developer") == []
    assert told(tmp_path, "U: note that the build is red today, somebody broke the linker") == []


# --- what must not get in -----------------------------------------------------------------------


def test_no_secret_folder_of_a_person_or_mark_gets_in(tmp_path: Path) -> None:
    key = "sk-ant-" + "api03-" + "Ab3dEf6hIj" * 9
    found = read(
        transcript(
            Case(
                "hostile",
                [
                    f"U: always use the key {key} for the staging server of the shop",
                    "U: never write to /home/dev/shop/data/raw from tests, only to /home/dev/tmp",
                    "U: always read /Users/anna/a/notes.txt and C:\\Users\\anna\\x before releases",
                    "A: Decision: keep the <!-- MIND:END --> of MIND: and MEMORY: in files ^a1b2c3",
                    "A: Decision: keep [layer:: goal], a \x1b[31mred\x1b[0m word and a \u202e turn",
                    f"A: Decision: the query is `{'pick x join z ' * 12}` and stays as it is",
                ],
            )
        ).write(tmp_path)
    )
    text = "\n".join(one.text for one in found)
    assert key not in text
    assert secrets.find(text) == []
    assert "data/raw from tests, only to ~/tmp" in text
    assert not re.search(r"/home/|/Users/|anna|<!--|-->|MIND:|MEMORY:|\^a1|::", text)
    assert not re.search(r"\x1b|\u202e|\[31m", text)
    assert len(found) == 6
    assert all(len(one.text) <= 300 for one in found)


def test_only_words_of_the_person_and_the_agent_count(tmp_path: Path) -> None:
    made = Transcript("words")
    rule = "always use tabs in this project"
    for more in (
        {"isSidechain": True},
        {"isMeta": True},
        {"isCompactSummary": True},
        {"origin": {"kind": "task-notification"}},
        {"promptSource": "system"},
    ):
        made.row("user", rule, **more)
    for text in (
        f"<system-reminder>{rule}</system-reminder>",
        f"<command-name>/x</command-name> {rule}",
        f'<teammate-message teammate_id="a">{rule}</teammate-message>',
        f"[Request interrupted by user] {rule}",
        f"> {rule}",
        f"```\n{rule}\n```",
        f'he wrote "{rule}"',
        f"is it true that we {rule}?",
    ):
        made.row("user", text)
        made.row("user", [{"type": "text", "text": text}, {"type": "image", "source": {}}, "x", 7])
    made.row("user", 7)
    made.row("user", [{"type": "tool_result", "tool_use_id": "t", "content": rule}])
    made.row("user", [{"type": "tool_result", "tool_use_id": "t", "content": 5}])
    made.row("assistant", [{"type": "tool_use", "id": "t", "name": "Bash", "input": rule}])
    made.row("assistant", f"{rule}, the person said")
    assert read(made.write(tmp_path)) == []
    made.row("user", [{"type": "text", "text": f"<system-reminder>x</system-reminder>{rule}"}])
    assert [one.text for one in read(made.write(tmp_path))] == ["Always use tabs in this project"]


def test_an_edit_outside_the_project_teaches_nothing(tmp_path: Path) -> None:
    failing, passing = ["$ pytest", f"ERR: {ERROR}"], ["$ pytest", "OK: ok"]
    made = transcript(Case("outside", [*failing, CAUSE]))
    made.use("Edit", {"file_path": "/etc/hosts", "old_string": "a", "new_string": "b"}, "ok")
    made.use("Edit", {"old_string": "a", "new_string": "b"}, "ok")
    made.rows += transcript(Case("rest", passing)).rows
    assert read(made.write(tmp_path)) == []


# --- files as they are --------------------------------------------------------------------------

RULE = Case("rule", ["U: always use pnpm here, the lockfile is pnpm's", "A: OK."])


def test_damaged_and_unknown_lines_are_passed_over(tmp_path: Path) -> None:
    made = transcript(RULE)
    text = made.text()
    hostile = [
        '{"type":"user"',
        '["type":"user"]',
        '"type":"user"',
        '[{"type":"user"}]',
        "\x00\x00",
        "{}",
        '{"type":"novelty","x":{"type":"user"}}',
        '{"a":1,"type":"user","message":"x"}',
        "[" * 100_000 + '"type":"user"',
        '{"a":' * 100_000 + '"type":"user"',
    ]
    path = tmp_path / "a.jsonl"
    whole = "\n".join([*hostile, text.rstrip(), *hostile, text[-700:-200]])
    path.write_text(whole, encoding="utf-8")
    assert [one.text for one in read(path)] == ["Always use pnpm here, the lockfile is pnpm's"]


def test_any_damage_at_all_is_survived(tmp_path: Path) -> None:
    chance = random.Random(5)  # noqa: S311 - makes damage, not secrets
    sources = [transcript(case).text().encode() for case in cases("tuned")]
    for number in range(120):
        damaged = bytearray(chance.choice(sources))
        for _ in range(chance.randrange(1, 40)):
            at = chance.randrange(len(damaged))
            damaged[at : at + chance.choice((0, 1, 30))] = chance.randbytes(chance.choice((0, 9)))
        path = tmp_path / f"{number}.jsonl"
        path.write_bytes(damaged)
        assert all(len(one.text) <= 300 for one in read(path))


def test_every_cut_of_a_transcript_can_be_read(tmp_path: Path) -> None:
    source = transcript(RULE).text().encode()
    path = tmp_path / "a.jsonl"
    for end in range(0, len(source), 97):
        path.write_bytes(source[:end])
        assert len(read(path)) <= 1


def test_values_of_another_type_are_survived(tmp_path: Path) -> None:
    rows = transcript(cases("tuned")[0]).rows
    odd: list[Any] = [None, 7, "x", [], {}, [None], True]
    path = tmp_path / "a.jsonl"
    for key in ("message", "uuid", "timestamp", "cwd", "sessionId", "toolUseResult", "origin"):
        for value in odd:
            changed = "".join(json.dumps({**row, key: value}) + "\n" for row in rows)
            path.write_text(changed, encoding="utf-8")
            for one in read(path):
                assert re.fullmatch(r"[A-Za-z0-9._:-]{1,64}", one.key)


def test_a_line_without_a_name_still_has_a_stable_key(tmp_path: Path) -> None:
    made = transcript(RULE)
    for row in made.rows:
        row.pop("uuid", None)
        row["timestamp"] = "yesterday"
    (one,), (again,) = read(made.write(tmp_path)), read(made.write(tmp_path))
    assert one == again
    assert one.day is None
    assert one.place == f"session {made.session}"


def test_lines_longer_than_any_are_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "_LONGEST", 4_000)
    made = transcript(RULE)
    long = json.dumps({**made.row("user", "always use yarn here " + "x" * 30_000)})
    path = tmp_path / "a.jsonl"
    path.write_text(f"{long}\n{made.text()}{long}", encoding="utf-8")
    assert [one.text for one in read(path)] == ["Always use pnpm here, the lockfile is pnpm's"]


def test_what_is_no_file_of_its_own_has_no_lessons(tmp_path: Path) -> None:
    path = transcript(RULE).write(tmp_path)
    (tmp_path / "link.jsonl").symlink_to(path)
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "folder.jsonl").mkdir()
    names = ("link.jsonl", "pipe.jsonl", "folder.jsonl", "missing.jsonl")
    assert read(*(tmp_path / name for name in names)) == []


def test_a_disk_that_fails_ends_the_file(tmp_path: Path) -> None:
    class Failing:
        def readline(self, _limit: int) -> bytes:
            raise OSError(5, "Input/output error")

    assert list(lines.Limited(Failing(), None).lines()) == []  # type: ignore[arg-type]


def test_a_session_that_goes_on_gives_what_is_new_and_the_same_keys(tmp_path: Path) -> None:
    made = transcript(RULE)
    first = read(made.write(tmp_path))
    made.row("user", "we decided to keep dates in UTC everywhere")
    both = read(made.write(tmp_path))
    assert both[:1] == first
    assert [one.text for one in both[1:]] == ["We decided to keep dates in UTC everywhere"]


def test_a_fork_tells_only_what_is_its_own(tmp_path: Path) -> None:
    made = transcript(RULE)
    path = made.write(tmp_path)
    fork = Transcript("fork")
    fork.rows = [{**row, "sessionId": fork.session} for row in made.rows]
    fork._count = 90
    fork.row("user", "never call the payment gateway from tests, use the fake")
    found = read(path, fork.write(tmp_path))
    assert [one.text for one in found] == [
        "Always use pnpm here, the lockfile is pnpm's",
        "Never call the payment gateway from tests, use the fake",
    ]
    assert made.session in found[0].place
    assert fork.session in found[1].place


@pytest.mark.parametrize("most", [0, 500_000])
def test_a_line_that_stands_twice_counts_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(reading, "_MOST_LINES", most)
    made = transcript(RULE)
    path = tmp_path / "a.jsonl"
    path.write_text(made.text() * 3, encoding="utf-8")
    assert len(read(path)) == 1


def test_days_are_those_of_the_person(tmp_path: Path) -> None:
    made = transcript(RULE)
    for row in made.rows:
        row["timestamp"] = "2026-11-02T23:30:00.000Z"
    path = made.write(tmp_path)
    east = timezone(timedelta(hours=9))
    (one,) = remembered([path], Path(ROOT), home=HOME, zone=east)
    assert one.day == date(2026, 11, 3)


def test_progress_is_told_in_bytes(tmp_path: Path) -> None:
    path = transcript(RULE).write(tmp_path)
    noise = json.dumps({"type": "api-request-blob", "x": "y" * 1_000_000}) + "\n"
    appended(path, noise * 10)
    done: list[int] = []
    list(remembered([path], Path(ROOT), progress=lambda _path, size: done.append(size)))
    assert done[-1] == path.stat().st_size
    assert len(done) >= 2
    assert done == sorted(done)


def test_a_long_session_is_read_with_little_memory(tmp_path: Path) -> None:
    from tests.bench.transcript_size import make
    from tests.bench.transcript_size import read as measure

    empty = tmp_path / "empty.jsonl"
    empty.write_bytes(b"")
    large = tmp_path / "large.jsonl"
    make(large, 40_000_000)
    _, _, before = measure(empty)
    count, _, peak = measure(large)
    assert count > 10
    assert peak - before < 30


def test_of_a_long_session_only_the_last_is_kept_in_mind(tmp_path: Path) -> None:
    made = Transcript("long")
    for number in range(1_100):
        given = {"file_path": f"{ROOT}/{number}.py", "old_string": "a", "new_string": f"b{number}"}
        made.use("Edit", given, "ok")
        pending = {"type": "tool_use", "id": f"p{number}", "name": "Bash", "input": {}}
        made.row("assistant", [pending])
        failing = f"Exit code 1\nValueError: {number}"
        made.use("Bash", {"command": f"pytest {number}"}, failing, failed=True)
    huge = {"file_path": f"{ROOT}/x.py", "old_string": "a" * 60_000, "new_string": "b" * 60_000}
    made.use("Edit", huge, "ok")
    path = made.write(tmp_path)
    assert read(path) == []
    made.row("assistant", [{"type": "text", "text": CAUSE[3:]}])
    made.use("Edit", {"file_path": f"{ROOT}/new.py", "old_string": "a", "new_string": "b"}, "ok")
    for number in (0, 1_099):
        made.use("Bash", {"command": f"pytest {number}"}, "1 passed")
    assert [one.text.split(" - ")[0] for one in read(made.write(tmp_path))] == ["ValueError: 1099"]
