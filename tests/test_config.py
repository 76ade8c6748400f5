import json
from pathlib import Path

import pytest

from mind.domain.errors import ConfigError, MindError
from mind.domain.settings import Settings, load, parse_value
from mind.storage.settings_file import configure


def test_without_files_the_defaults_apply() -> None:
    assert load(None, None) == Settings()


def test_the_project_wins_over_the_user(tmp_path: Path) -> None:
    project, user = tmp_path / "config.json", tmp_path / "config.toml"
    project.write_text('{"session": {"gap_minutes": 45}}', encoding="utf-8")
    user.write_text("[session]\ngap_minutes = 60\n[search]\nlimit = 5\n", encoding="utf-8")
    settings = load(project, user)
    assert (settings.session_gap_minutes, settings.search_limit) == (45, 5)


def test_flat_keys_and_a_schema_version_are_understood(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text('{"schema_version": 1, "session.gap_minutes": 10}', encoding="utf-8")
    assert load(path, None).session_gap_minutes == 10


def test_keywords_are_a_table_of_lists(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text('{"parser": {"keywords": {"gotcha": ["trap"]}}}', encoding="utf-8")
    assert load(path, None).parser_keywords == {"gotcha": ["trap"]}


def test_an_empty_file_is_no_settings(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text("", encoding="utf-8")
    assert load(path, None) == Settings()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[]", "contains list"),
        ("{", "cannot be read"),
        ('{"session": {"gap_minute": 3}}', "did you mean 'session.gap_minutes'?"),
        ('{"zzz": 3}', "unknown setting 'zzz'"),
        ('{"session": {"gap_minutes": "3"}}', "must be int"),
        ('{"session": {"gap_minutes": true}}', "must be int"),
        ('{"session": {"gap_minutes": 0}}', "between 1 and 10080"),
        ('{"context": {"targets": [1]}}', "must contain strings"),
        ('{"parser": {"keywords": {"gotcha": "trap"}}}', "must contain strings"),
        ('{"parser": {"keywords": {"gotcha": [1]}}}', "must contain strings"),
    ],
)
def test_what_is_wrong_is_named_with_the_file(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "config.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load(path, None)
    assert said in str(caught.value)
    assert "config.json" in str(caught.value)


def test_lesson_a_list_in_a_json_file_does_not_crash_every_tool(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text("[]", encoding="utf-8")
    with pytest.raises(ConfigError, match="Write a JSON object"):
        load(path, None)


def test_a_file_that_is_not_utf8_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_bytes(b'{"a": "\xff"}')
    with pytest.raises(ConfigError, match="use the defaults"):
        load(path, None)


def test_a_value_on_the_command_line_is_json_or_text() -> None:
    assert parse_value("session.gap_minutes", "45") == 45
    assert parse_value("time.zone", "Europe/Madrid") == "Europe/Madrid"
    assert parse_value("context.targets", '["AGENTS.md"]') == ["AGENTS.md"]
    with pytest.raises(ConfigError):
        parse_value("session.gap_minutes", "soon")


def test_every_setting_says_what_it_means() -> None:
    rows = Settings().describe()
    assert len(rows) == len({key for key, *_ in rows})
    assert all(doc.endswith(".") for *_, doc in rows)
    assert json.dumps([value for _, _, value, _ in rows])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("3", "must be a table of numbers"),
        ('{"words": "much"}', "must contain numbers, not 'much'"),
        ('{"words": true}', "must contain numbers, not True"),
        ('{"words": 101}', "must be between 0 and 100, not 101 (words)"),
    ],
)
def test_weights_are_numbers_in_a_range(text: str, said: str) -> None:
    with pytest.raises(ConfigError) as error:
        parse_value("search.weights", text)
    assert said in str(error.value)
    assert parse_value("search.weights", '{"words": 1.5}') == {"words": 1.5}


OWN = """\
# mine, and it stays
[session]
gap_minutes   = 30  # a coffee

# about searches
[search]
  limit = 5
"""


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_user_s_file_keeps_every_other_byte(tmp_path: Path, newline: str) -> None:
    path = tmp_path / "config.toml"
    source = OWN.replace("\n", newline)
    path.write_bytes(source.encode())
    configure(path, "session.gap_minutes", "45")
    changed = source.replace("= 30  # a coffee", "= 45  # a coffee")
    assert path.read_bytes().decode() == changed
    configure(path, "events.enabled", "false")
    added = f"{changed}{newline}[events]{newline}enabled = false{newline}"
    assert path.read_bytes().decode() == added
    configure(path, "events.enabled", None)
    assert path.read_bytes().decode() == changed
    configure(path, "context.targets", '["A.md", "B.md"]')
    assert load(None, path).context_targets == ["A.md", "B.md"]
    configure(path, "search.limit", None)
    assert "# about searches" in path.read_text(encoding="utf-8")


def test_a_form_that_cannot_be_edited_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text("session = { gap_minutes = 30 }\n", encoding="utf-8")
    with pytest.raises(MindError, match="cannot edit"):
        configure(path, "session.gap_minutes", "45")
    assert path.read_text(encoding="utf-8") == "session = { gap_minutes = 30 }\n"
    path.write_text("session.gap_minutes = 30\nsearch.limit = 5\n", encoding="utf-8")
    configure(path, "session.gap_minutes", "45")
    assert path.read_text(encoding="utf-8") == "session.gap_minutes = 45\nsearch.limit = 5\n"
