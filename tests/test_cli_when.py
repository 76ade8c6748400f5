"""`mind when`, as a person and a program see it."""

import json
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from time import process_time

import pytest
import time_machine

from mind.domain.errors import DateNotUnderstood
from mind.storage.project import Project
from tests.conftest import Run


@pytest.fixture
def when(mind: Run) -> Run:
    """Run the command in this process: exit code, standard output, standard error."""
    return lambda *arguments: mind("when", *arguments)


@pytest.fixture
def here(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """The project, in UTC, and in its folder."""
    project.config.write_text('{"time": {"zone": "UTC"}}', encoding="utf-8")
    monkeypatch.chdir(project.root)
    return project


@pytest.mark.parametrize("words", [["March 2026"], ["March", "2026"], ["im", "März", "2026"]])
def test_a_person_sees_days(when: Run, here: Project, words: list[str]) -> None:
    code, out, _ = when(*words)
    assert code == 0
    assert out.startswith("days\t2026-03-01 to 2026-03-31\n")
    assert "weekday\t" in out


def test_an_open_side_is_shown_as_one(when: Run, here: Project) -> None:
    assert when("since 2026-03-05")[1].splitlines()[0] == "days\t2026-03-05 to …"
    assert when("until 2026-03-05")[1].splitlines()[0] == "days\t… to 2026-03-05"


def test_both_readings_are_shown(when: Run, here: Project) -> None:
    before = datetime.now(UTC).date()
    lines = [line.split("\t") for line in when("friday 3pm")[1].splitlines()]
    assert [name for name, _ in lines] == ["time", "weekday", "relative"]
    moment = datetime.fromisoformat(lines[0][1])
    assert (moment.weekday(), moment.hour) == (4, 15)
    assert before <= moment.date() <= before + timedelta(days=8)
    assert [line.split("\t")[0] for line in when("friday")[1].splitlines()][:2] == [
        "days",
        "time",
    ]


def test_a_recurring_time_is_shown_as_the_next_one(when: Run, here: Project) -> None:
    time, weekday, _ = when("every monday at 10")[1].splitlines()
    assert time.startswith("next\t20")
    assert "T10:00" in time
    assert weekday == "weekday\tMonday"
    assert "names no time" in when("every 30 february")[2]


def test_a_program_gets_json(when: Run, here: Project) -> None:
    found = json.loads(when("--json", "2026-03-02..2026-03-08")[1])
    assert set(found) == {"text", "now", "period", "moment", "recurs", "day", "weekday", "relative"}
    assert found["period"] == {"start": "2026-03-02", "end": "2026-03-08"}
    assert (found["moment"], found["day"], found["weekday"]) == (None, "2026-03-02", "Monday")


def test_releases_are_the_repository_s(
    when: Run, here: Project, git: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert when("before v1.2")[0] == 2
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2026-05-07T12:00:00+00:00")
    git("commit", "--quiet", "--allow-empty", "-m", "release")
    git("tag", "v1.2.0")
    assert when("before v1.2")[1].splitlines()[:2] == ["days\t… to 2026-05-07", "weekday\tThursday"]


def test_words_that_name_no_time_are_an_error_with_a_remedy(when: Run, here: Project) -> None:
    code, out, err = when("may", "fail")
    assert (code, out) == (2, "")
    assert "'may fail' names no time" in err
    assert "Q1 2026" in err
    code, out, _ = when("--json", "soon")
    assert code == 2
    assert json.loads(out)["error"]
    assert when()[0] == 2


def test_it_works_outside_of_a_project(
    when: Run, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path_factory.mktemp("nowhere"))
    assert when("2026-03-02")[1].startswith("days\t2026-03-02 to 2026-03-02\n")
    assert date.fromisoformat(json.loads(when("--json", "today")[1])["day"])
    code, _, err = when("before v1.2")
    assert code == 2
    assert "names no time" in err


@pytest.mark.parametrize(
    ("text", "readings", "clear"),
    [
        ("01/02/2027", "1 February or 2 January", '"2027-02-01" or "2027-01-02"'),
        ("5/6", "5 June or 6 May", '"5 June" or "6 May"'),
        ("at 8", "8:00 or 20:00", '"at 08:00" or "at 20:00"'),
        ("um 5:30", "5:30 or 17:30", '"um 05:30" or "um 17:30"'),
    ],
)
@time_machine.travel(datetime(2026, 11, 20, 10, tzinfo=UTC))  # before 8, "at 8" is at 8
def test_two_readings_of_a_time_are_named(
    here: Project, mind: Run, text: str, readings: str, clear: str
) -> None:
    for call in (("when", text), ("remind", "call Tom", "--when", text)):
        code, _, err = mind(*call)
        assert code == 2
        assert f"error: '{text}' may mean {readings}: write {clear}.\n" in err


@pytest.mark.parametrize("text", ["frobnicate", "31/02/2027", "the 8 dwarfs", "1/2/3/4"])
def test_another_time_is_refused_with_a_few_examples(here: Project, mind: Run, text: str) -> None:
    for call in (("when", text), ("remind", "call Tom", "--when", text)):
        code, _, err = mind(*call)
        assert (code, "may mean" in err) == (2, False)
        assert DateNotUnderstood.default_remedy in err
        assert len(err) < 300


@pytest.mark.parametrize("unit", ["1", "11 ", "1\n", "1.", "ab1 "])
def test_a_long_text_is_answered_as_fast_as_it_is_read(when: Run, here: Project, unit: str) -> None:
    began = process_time()
    code, _, err = when(unit * (60_000 // len(unit)))
    assert (code, "names no time that is understood" in err) == (2, True)
    assert process_time() - began < 5
