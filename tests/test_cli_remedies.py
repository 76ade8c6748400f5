"""What `mind` says to a mistyped id, tag or option; and what its JSON tells programs."""

import json
from pathlib import Path

import pytest

from mind.storage.project import Project
from tests.conftest import Run


@pytest.mark.parametrize("command", ["show", "use"])
def test_an_unknown_id_comes_with_what_to_do(mind: Run, here: Project, command: str) -> None:
    known = json.loads(mind("log", "x is y", "--json")[1])["entry"]["id"]
    code, _, err = mind(command, known, "0nothere")
    assert code == 1
    assert "No entry has the id 0nothere." in err
    assert "`mind search WORDS`" in err
    assert "`mind archive list`" in err
    code, out, json_err = mind(command, known, "0nothere", "--json")
    assert (code, json_err) == (1, err)
    assert known in out
    assert json.loads(out)


def test_an_unknown_id_is_told_alike_and_an_archived_one_with_its_reason(
    here: Project, mind: Run
) -> None:
    gone = mind("log", "-t", "decision", "the report is sent by mail on Monday")[1].split()[2]
    other = mind("log", "-t", "decision", "carts live in Redis")[1].split()[2]
    mind("forget", gone, "-r", "no more")
    calls = (
        ("update", "{}", "the report is gone"),
        ("verify", "{}"),
        ("use", "{}"),
        ("forget", "{}", "-r", "x"),
        ("forget", other, "-r", "x", "--replaced-by", "{}"),
        ("log", "-t", "decision", "carts live in Postgres", "--replaces", "{}"),
        ("tidy", "{}", other, "--summary", "carts and reports"),
    )
    for call in calls:
        for identifier in ("zzzz1111", gone):
            code, _, err = mind(*(word.format(identifier) for word in call))
            assert (code, err.splitlines()[0]) == (2, f"error: no entry has the id {identifier}.")
            assert ("(no more); restore it first." in err) == (identifier == gone)
    assert mind("blame", "zzzz1111")[0] == 2


def test_muting_a_tag_that_no_entry_has_is_told(mind: Run, here: Project) -> None:
    mind("log", "-t", "decision", "SQLite over Postgres #Storage")
    code, out, err = mind("tags", "mute", "storage")
    assert (code, err) == (0, "")
    assert "#storage" in out
    code, out, err = mind("tags", "mute", "#storrage")
    assert code == 0
    assert "#storrage" in out
    assert "No entry has the tag #storrage. Run `mind tags` to list the tags." in err
    code, out, err = mind("tags", "mute", "storrage", "--json")
    assert json.loads(out) == ["storage", "storrage"]
    assert "No entry has the tag" in err


def test_the_tags_are_json_without_a_subcommand_too(mind: Run, here: Project) -> None:
    mind("log", "-t", "decision", "SQLite over Postgres #storage")
    code, out, _ = mind("tags", "--json")
    assert code == 0
    assert json.loads(out) == json.loads(mind("tags", "list", "--json")[1])
    assert json.loads(out)["tags"][0]["name"] == "storage"
    code, out, _ = mind("tags", "--json", "list")
    assert code == 2
    assert json.loads(out)["remedy"] == "Use `mind tags list --json`."


@pytest.mark.parametrize(
    ("arguments", "said", "helper"),
    [
        ("log --json", "Missing argument", "mind log"),
        ("search --json --limit x y", "Invalid value for '--limit'", "mind search"),
        ("show --json --no-such x", "No such option: --no-such", "mind show"),
        ("tags lsit --json", "No such command 'lsit'", "mind tags"),
        ("nothing --json", "No such command 'nothing'", "mind"),
        ("status --json extra", "Got unexpected extra argument", "mind status"),
        ("export --json --format y", "Invalid value", "mind export"),
    ],
)
def test_wrong_usage_is_json_where_json_was_asked_for(
    mind: Run, here: Project, arguments: str, said: str, helper: str
) -> None:
    code, out, err = mind(*arguments.split())
    told = json.loads(out)
    assert (code, err, told["error"]) == (2, "", "input")
    assert said in told["message"]
    assert told["remedy"].startswith(f"Run `{helper} --help`")
    text = mind(*(one for one in arguments.split() if one != "--json"))
    assert text[:2] == (2, "")
    assert "Usage: mind" in text[2]


def test_a_credential_in_wrong_usage_is_not_repeated_in_json(mind: Run, here: Project) -> None:
    token = "ghp" + "_" + "a1B2c3D4e5F6" * 3
    code, out, _ = mind("status", "--json", token)
    assert code == 2
    assert token not in out


def test_help_and_exit_codes_are_the_same_with_json(mind: Run, here: Project) -> None:
    code, out, _ = mind("log", "--json", "--help")
    assert code == 0
    assert "Record an entry" in out
    assert mind("show", "0nothere", "--json")[0] == mind("show", "0nothere")[0] == 1
    code, out, err = mind("uninstall", "--purge", "--json", stdin="n\n")
    assert code == 1
    assert err.endswith("Aborted!\n")
    assert here.memory.exists()


def test_what_was_logged_is_told_with_its_place(mind: Run, here: Project) -> None:
    for day in ("2026-11-18", "2026-11-19"):
        with here.memory.open("a", encoding="utf-8") as file:
            file.write(f"\n## {day}\n\nprogress: Import is done\n")
    entry = json.loads(mind("log", "-t", "progress", "Import is done", "--json")[1])["entry"]
    lines = here.memory.read_text(encoding="utf-8").splitlines()
    assert lines[entry["line"] - 1] == "- progress: Import is done"
    assert "Import is done" not in "".join(lines[entry["line"] :])
    assert entry["section"][-1] == entry["date"]
    assert entry["id"].endswith("-3")
    shown = json.loads(mind("show", entry["id"], "--json")[1])[0]
    assert (shown["line"], shown["section"]) == (entry["line"], entry["section"])
    for command in (["log", "tried it"], ["blocker", "no access"]):
        told = json.loads(mind(*command, "--json")[1])
        entry = (told.get("logged") or told)["entry"]
        lines = here.session.read_text(encoding="utf-8").splitlines()
        assert command[1] in lines[entry["line"] - 1]
        assert entry["section"]


def test_a_claim_that_waits_has_no_place_yet(mind: Run, here: Project) -> None:
    told = json.loads(mind("log", "-t", "learning", "The user hates tabs", "--json")[1])
    assert told["pending"]
    assert told["entry"]["line"] == 0


def test_an_export_tells_programs_what_it_wrote(mind: Run, here: Project, tmp_path: Path) -> None:
    mind("log", "-t", "decision", "SQLite over Postgres")
    file = tmp_path / "out.jsonl"
    code, out, err = mind("export", "--json", "--output", str(file))
    told = json.loads(out)
    assert (code, err) == (0, "")
    assert told == {
        "file": str(file), "entries": 1, "archived": 0, "reminders": 0, "session": 0, "exposed": []
    }  # fmt: skip
    assert file.read_text(encoding="utf-8").startswith('{"record": "header"')
    code, out, _ = mind("export", "--json")
    assert code == 2
    assert "--output" in json.loads(out)["remedy"]
    assert "--json" in mind("export", "--help")[1]


def test_the_earlier_name_of_tags_still_works(mind: Run, here: Project) -> None:
    mind("log", "-t", "decision", "SQLite over Postgres #storage")
    assert mind("scopes", "list", "--json") == mind("tags", "list", "--json")
    assert "scopes" not in mind("--help")[1]
