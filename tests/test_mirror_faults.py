"""What happens to the mirror happens to it alone: writes go on, and it catches up."""

import json
import signal
import time
from contextlib import closing
from secrets import token_hex

import pytest

from mind.domain.errors import MirrorError
from mind.domain.settings import Settings
from mind.memory import mirror
from mind.memory.memory import Memory
from mind.storage.mirror.postgres import MirrorUnreachable, address, connected, within
from mind.storage.project import Project
from tests.mirror_story import TROUBLES, story, trouble
from tests.postgres import Database
from tests.proxy import proxied

pytestmark = pytest.mark.xdist_group("postgres")


@pytest.mark.parametrize("name", TROUBLES)
def test_writes_and_searches_go_on_and_the_mirror_catches_up(
    name: str, mirrored: Memory, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    for at in range(30):
        mirrored.log(f"the service number {at} listens on port 80{at}", "learning")
    mirror.drain(mirrored.project, mirrored.index, mirrored.meaning)
    with proxied(database.server.port) as wire:
        monkeypatch.setenv("MIND_MIRROR_DSN", database.dsn(port=wire.port))
        drainer = mirror.OutboxSender()
        with trouble(name, database, wire):
            mirrored.log("written while in trouble", "decision")
            with mirrored.project.memory.open("a", encoding="utf-8") as file:
                for _ in range(100 if name == "full" else 1):
                    file.write(f"- learned: {' '.join(token_hex(30) for _ in range(300))}\n")
            began = time.monotonic()
            found = mirrored.search("written in trouble", mirror=True)
            assert time.monotonic() - began < 30
            assert found.hits
            assert not found.mirrored
            later = drainer.step(mirrored.project, mirrored.meaning, lambda: True)
            assert name == "drop" or later is not None  # all of them but that keep it from sending
        monkeypatch.setenv("MIND_MIRROR_DSN", database.dsn())
        until = time.monotonic() + 60
        while drainer.step(mirrored.project, mirrored.meaning, lambda: True) is not None:
            assert time.monotonic() < until
            time.sleep(0.05)
    assert mirror.verify(mirrored.project, mirrored.meaning).is_exact


def test_a_server_that_falls_silent_is_not_waited_for(database: Database) -> None:

    def ask() -> None:
        with connected(address(Settings())) as connection, within(connection, 0.3):
            database.server.signal(signal.SIGSTOP)
            connection.execute("SELECT 1")

    try:
        with pytest.raises(MirrorUnreachable):
            ask()
    finally:
        database.server.signal(signal.SIGCONT)


def test_a_silent_mirror_keeps_one_search_waiting_and_is_reported_once(
    mirrored: Memory, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In whatever process; one that is to ask it asks it, and it is asked when it answers again."""
    mirrored.log("redis holds the queue", "decision")
    mirror.drain(mirrored.project, mirrored.index, mirrored.meaning)
    mirrored.configure("mirror.search", "true")

    def searched(mirror: bool | None = None) -> tuple[bool, str, bool]:
        began = time.monotonic()
        with closing(Memory(Project(mirrored.project.root))) as other:
            found = other.search("redis", mirror=mirror)
        assert found.hits
        return found.mirrored, found.fallback, time.monotonic() - began > 2

    assert searched() == (True, "", False)
    database.server.signal(signal.SIGSTOP)
    try:
        is_mirrored, reason, is_slow = searched()
        assert (is_mirrored, is_slow) == (False, True)
        assert reason.endswith("; searches do not wait for it again for a minute")
        assert searched() == (False, "", False)
        assert searched(mirror=True)[1:] == (reason, True)
        compared = mirror.parity(
            mirrored.project, mirrored.index, mirrored.meaning, ["redis"], mirrored.now()
        )
        assert (compared.jaccard, compared.fallbacks) == (None, (reason,))
    finally:
        database.server.signal(signal.SIGCONT)
    assert not searched()[0]
    assert searched(mirror=True)[0]
    with monkeypatch.context() as patch:
        patch.setattr(mirror, "PAUSE", 0.0)
        assert searched()[0]
    mirror.drain(mirrored.project, mirrored.index, mirrored.meaning)
    assert searched()[0]


@pytest.mark.parametrize(
    "written",
    [
        *("kind = 'pattern'", "status = 'parked'", "day = 'soon'"),
        *("payload = '[]'", "payload = ''", "payload = repeat('[', 99999)"),
    ],
)
def test_the_local_index_answers_where_the_mirror_has_what_another_program_wrote(
    written: str, mirrored: Memory, database: Database
) -> None:
    mirrored.log("redis holds the queue", "decision")
    mirror.drain(mirrored.project, mirrored.index, mirrored.meaning)
    database.run(f"UPDATE mind.entry SET {written}")
    for everywhere in (False, True):
        found = mirrored.search("redis", mirror=True, everywhere=everywhere)
        assert [hit.entry.text for hit in found.hits] == ["redis holds the queue"]
        assert found.fallback == "the mirror has entries that this Mind cannot read"


def test_a_credential_that_another_version_sent_is_masked(
    mirrored: Memory, database: Database
) -> None:
    mirrored.log("redis holds the queue", "decision")
    mirror.drain(mirrored.project, mirrored.index, mirrored.meaning)
    token = f"glpat-{token_hex(10)}"
    database.run(
        f"UPDATE mind.entry SET body = body || ' with {token}', "
        f"""payload = jsonb_set(payload::jsonb, '{{reasoning}}', '"has {token}"')::text"""
    )
    found = mirrored.search("redis", mirror=True, everywhere=True)
    assert found.mirrored, found.fallback
    (hit,) = found.hits
    assert hit.text == "redis holds the queue with [GitLab personal access token removed]"
    assert hit.entry.reasoning == "has [GitLab personal access token removed]"


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("der Zugang, Passwort für alle: {}", "der Zugang, Passwort für alle: [password removed]"),
        ("пароль: {}", "пароль: [password removed]"),
        ("token='{}", "token='[API key or token removed]"),
    ],
)
def test_a_credential_is_masked_in_any_field_and_language(
    said: str, shown: str, mirrored: Memory, database: Database
) -> None:
    mirrored.log("redis holds the queue", "decision")
    mirror.drain(mirrored.project, mirrored.index, mirrored.meaning)
    told = {"reasoning": said.format("Zr7tK" + token_hex(12)), "fields": {"a": "b'"}}
    quoted = json.dumps(told).replace("'", "''")
    database.run(f"UPDATE mind.entry SET payload = '{quoted}'")
    found = mirrored.search("redis", mirror=True, everywhere=True)
    assert found.mirrored, found.fallback
    assert [hit.entry.reasoning for hit in found.hits] == [shown]


def test_what_the_mirror_took_just_before_it_died_is_not_doubled(
    mirrored: Memory, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The batch was committed, and the note of it was not."""
    mirrored.log("redis holds the queue", "decision")

    def dies(*_: object) -> None:
        raise MirrorError("the process was killed here")

    with monkeypatch.context() as patch:
        patch.setattr("mind.storage.index.outbox.Outbox.sent", dies)
        with pytest.raises(MirrorError):
            mirror.drain(mirrored.project, mirrored.index, mirrored.meaning)
    done = mirror.drain(mirrored.project, mirrored.index, mirrored.meaning)
    assert (done.compared, done.sent) == (True, 0)
    assert mirror.verify(mirrored.project, mirrored.meaning).is_exact


@pytest.mark.slow
def test_writers_notice_nothing_of_a_mirror_in_trouble(
    mirrored: Memory, database: Database
) -> None:
    """The short form of `make soak-mirror`."""
    root = mirrored.project.root
    mirrored.close()
    with proxied(database.server.port) as wire:
        told = story(root, database, wire, writers=8, seconds=5, seed=1)
    assert told.failed == []
    assert told.writes
    assert told.is_exact
