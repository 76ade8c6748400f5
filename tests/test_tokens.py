import json
import stat
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from mind.cli.app import execute
from mind.domain.errors import InputError, NotFound
from mind.storage import tokens
from mind.storage.tokens import Scope

NOW = datetime(2026, 11, 20, 10, 0, tzinfo=UTC)


def _ran(*arguments: str) -> int:
    return execute(list(arguments), lambda _: None)


def test_a_token_is_shown_once_and_kept_as_a_hash() -> None:
    secret, made = tokens.add("ci", "write", NOW, expires="30d", projects=["shop"])
    assert len(secret) >= 43
    text = tokens.path().read_text(encoding="utf-8")
    assert secret not in text
    assert stat.S_IMODE(tokens.path().stat().st_mode) == 0o600
    assert tokens.listed() == [made]
    assert made.expires == NOW + timedelta(days=30)
    assert tokens.matching(secret, tokens.listed()) == made
    assert tokens.matching(secret + "x", tokens.listed()) is None
    assert tokens.matching("", tokens.listed()) is None


@pytest.mark.parametrize(
    ("name", "scope", "expires", "said"),
    [
        ("", "read", "", "cannot name"),
        ("a b", "read", "", "cannot name"),
        ("x" * 65, "read", "", "cannot name"),
        ("ci", "root", "", "unknown scope"),
        ("ci", "read", "30", "expires is"),
        ("ci", "read", "0d", "expires is"),
        ("ci", "read", "1y", "expires is"),
    ],
)
def test_what_makes_no_token_is_told(name: str, scope: str, expires: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        tokens.add(name, scope, NOW, expires=expires)
    assert tokens.listed() == []


def test_a_name_is_taken_until_it_is_revoked() -> None:
    tokens.add("ci", "read", NOW)
    with pytest.raises(InputError, match="already"):
        tokens.add("ci", "write", NOW)
    assert tokens.revoke("ci").scope is Scope.READ
    with pytest.raises(NotFound):
        tokens.revoke("ci")
    tokens.add("ci", "write", NOW)


def test_there_is_an_end_to_how_many_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "_MOST", 2)
    tokens.add("a", "read", NOW)
    tokens.add("b", "read", NOW)
    with pytest.raises(InputError, match="2 tokens"):
        tokens.add("c", "read", NOW)


def test_time_ends_a_token() -> None:
    _, made = tokens.add("ci", "read", NOW, expires="2h")
    assert not made.is_expired(NOW + timedelta(minutes=119))
    assert made.is_expired(NOW + timedelta(hours=2))
    _, ever = tokens.add("ever", "read", NOW)
    assert not ever.is_expired(NOW + timedelta(days=99_999))


def test_the_last_day_of_use_is_noted_once_a_day() -> None:
    tokens.add("ci", "read", NOW)
    tokens.note_use("ci", NOW.date())
    before = tokens.path().stat().st_mtime_ns
    tokens.note_use("ci", NOW.date())
    tokens.note_use("nobody", NOW.date())
    assert tokens.path().stat().st_mtime_ns == before
    assert tokens.listed()[0].used == NOW.date()


@pytest.mark.parametrize(
    "row",
    [
        "text",
        {},
        {"name": "x"},
        {"name": "x", "scope": "root", "digest": "0", "created": "2026-01-01"},
        {"name": "x", "scope": "read", "digest": "0", "created": "soon"},
        {"name": "x", "scope": "admin", "digest": "0", "created": "2026-01-01", "expires": "2026"},
        {"name": "x", "scope": "read", "digest": "0", "created": "2026-01-01", "expires": 5},
        {
            "name": "x",
            "scope": "read",
            "digest": "0",
            "created": "2026-01-01",
            "expires": "2026-01-01T00:00:00",
        },
    ],
)
def test_a_row_that_is_damaged_opens_nothing(row: object) -> None:
    tokens.add("good", "read", NOW)
    data = json.loads(tokens.path().read_text(encoding="utf-8"))
    data["tokens"].insert(0, row)
    tokens.path().write_text(json.dumps(data), encoding="utf-8")
    assert [one.name for one in tokens.listed()] == ["good"]


def test_a_list_that_is_none_opens_nothing(home: Path) -> None:
    tokens.path().parent.mkdir(parents=True)
    tokens.path().write_text('{"tokens": 5}', encoding="utf-8")
    assert tokens.listed() == []
    assert home.exists()


def test_a_scope_allows_what_the_ones_before_it_do() -> None:
    assert [[one.allows(other) for other in Scope] for one in Scope] == [
        [True, False, False],
        [True, True, False],
        [True, True, True],
    ]


def test_the_command_line_makes_lists_and_revokes(capsys: pytest.CaptureFixture[str]) -> None:
    assert _ran("token", "list") == 0
    assert "No tokens" in capsys.readouterr().err
    assert _ran("token", "add", "ci", "--scope", "write", "--expires", "30d") == 0
    made = capsys.readouterr()
    assert made.out.startswith("mind_")
    assert "not be shown again" in made.err
    tokens.add("old", "read", NOW - timedelta(days=9), expires="1d", projects=["shop"])
    tokens.note_use("old", NOW.date())
    assert _ran("token", "list") == 0
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert [row[0] for row in rows] == ["ci", "old"]
    assert rows[1][3:] == ["expired", "2026-11-20", "shop"]
    assert rows[0][4:] == ["never", "all"]
    assert _ran("token", "list", "--json") == 0
    told = capsys.readouterr().out
    assert "digest" not in told
    assert json.loads(told)[0]["scope"] == "write"
    assert _ran("token", "revoke", "ci") == 0
    assert _ran("token", "revoke", "old", "--json") == 0
    assert tokens.listed() == []
    assert _ran("token", "revoke", "ci") == 2
    capsys.readouterr()
    assert _ran("token", "add", "x", "--json") == 0
    assert json.loads(capsys.readouterr().out)["token"].startswith("mind_")


def test_a_command_that_serves_nothing_loads_nothing_of_the_service() -> None:
    code = (
        "import sys, mind.cli.app; "
        "print([one for one in sys.modules if one.startswith(("
        "'mind.server.http', 'mind.storage.tokens', "
        "'mind.memory.overview', 'starlette', 'uvicorn', 'mcp'))])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True
    )
    assert done.stdout.strip() == "[]"
