"""The usage log: what is written, read back, rotated, and never lost.

Run as a program, this module is one of several processes that write one log.
"""

import json
import os
import random
import stat
import subprocess
import sys
from collections import Counter
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mind.domain.entry import RecordedAt
from mind.domain.settings import Settings
from mind.storage import events as journal
from mind.storage import files
from mind.storage.events import Event, events, latest, noted, read, record, said, uses

NOW = datetime(2026, 11, 20, 10, 0, tzinfo=UTC)
SMALL = Settings(events_max_bytes=10_000)


def event(number: int = 0, name: str = "get", *ids: str, at: datetime | None = None) -> Event:
    when = at or NOW + timedelta(seconds=number)
    return Event(at=when, session="s1", name=name, ids=ids, data={"number": number})


def numbers(happened: tuple[Event, ...]) -> list[object]:
    return [one.data["number"] for one in happened]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    (tmp_path / ".mind").mkdir()
    return tmp_path / ".mind" / "events.jsonl"


def written(log: Path, *happened: Event, settings: Settings | None = None) -> None:
    for one in happened:
        assert record(log, one, settings or Settings()) == ""


def archives(log: Path) -> list[str]:
    return sorted(path.name for path in log.parent.glob("events-*"))


# Writing and reading


def test_what_is_recorded_is_read_back(log: Path) -> None:
    one = Event(
        at=datetime(2026, 11, 20, 10, 0, 0, 5, tzinfo=timezone(timedelta(hours=2))),
        session="1763632800000",
        name="search",
        ids=("a1b2c3d4", "e5f6g7h8-2"),
        data={"query": 'naïve "сессии"\n\u2028 会', "characters": 17, "all": True, "tags": ["x"]},
    )
    bare = Event(at=NOW, session="", name="status")
    written(log, bare, one)
    assert read(log) == ((one, bare), 0)


def test_each_event_is_one_line_of_json(log: Path) -> None:
    written(log, event(1, "get", "a\nb"), event(2))
    rows = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert rows == [
        {
            "at": "2026-11-20T10:00:01+00:00",
            "session": "s1",
            "name": "get",
            "ids": ["a\nb"],
            "data": {"number": 1},
        },
        {"at": "2026-11-20T10:00:02+00:00", "session": "s1", "name": "get", "data": {"number": 2}},
    ]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_only_its_owner_may_read_the_log_and_its_archives(log: Path) -> None:
    written(log, *map(event, range(200)), settings=SMALL)
    assert archives(log)
    for path in [log, *log.parent.glob("events-*")]:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_without_a_log_nothing_happened(log: Path) -> None:
    assert read(log) == ((), 0)
    assert events(log.parent / "elsewhere" / "events.jsonl") == ()


def test_lone_surrogates_do_not_stop_it(log: Path) -> None:
    written(log, Event(at=NOW, session="", name="search", data={"query": "a\ud800b"}))
    assert events(log)[0].data == {"query": "a?b"}


@given(
    st.text(max_size=40),
    st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=12), max_size=5),
    st.dictionaries(
        st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
        max_size=4,
    ),
    st.datetimes(timezones=st.just(UTC)),
)
def test_any_event_is_one_line_and_comes_back(
    session: str, ids: list[str], data: dict[str, journal.Value], at: datetime
) -> None:
    session = session.encode("utf-8", "replace").decode("utf-8")
    one = Event(at=at, session=session, name="x", ids=tuple(ids), data=data)
    line = journal._line(one)
    assert line.count(b"\n") == 1
    assert journal.event_of(line) == one


def test_events_of_processes_whose_clocks_differ_come_in_order(log: Path) -> None:
    written(log, event(5), event(3), event(4))
    assert numbers(events(log)) == [3, 4, 5]


# What is damaged


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "null",
        "[]",
        '"at"',
        "\x00\x00\x00",
        "[" * 100_000,
        '{"at": "2026-11-20T10:00:00+00:00"}',
        '{"at": "2026-11-20T10:00:00", "name": "get"}',
        '{"at": "yesterday", "name": "get"}',
        '{"at": 5, "name": "get"}',
        '{"at": "2026-11-20T10:00:00Z", "name": 5}',
        '{"at": "2026-11-20T10:00:00Z", "name": "get", "ids": "a"}',
        '{"at": "2026-11-20T10:00:00Z", "name": "get", "ids": [1]}',
        '{"at": "2026-11-20T10:00:00Z", "name": "get", "session": 1}',
        '{"at": "2026-11-20T10:00:00Z", "name": "get", "data": []}',
    ],
)
def test_a_damaged_line_is_skipped_and_counted(log: Path, line: str) -> None:
    written(log, event(1))
    with log.open("a", encoding="utf-8") as file:
        file.write(line + "\n\n")
    written(log, event(2))
    found = read(log)
    assert numbers(found.events) == [1, 2]
    assert found.skipped == 1


def test_fields_of_a_later_version_are_left_out(log: Path) -> None:
    log.write_text(
        '{"at": "2026-11-20T10:00:00Z", "name": "get", "cost": 3, "who": "x"}\n', encoding="utf-8"
    )
    found = read(log)
    assert found == ((Event(at=NOW, session="", name="get"),), 0)


def test_a_last_line_that_was_cut_off_costs_only_itself(log: Path) -> None:
    written(log, event(1), event(2))
    log.write_bytes(log.read_bytes()[:-20])
    assert read(log) == ((event(1),), 1)
    written(log, event(3))
    found = read(log)
    assert numbers(found.events) == [1, 3]
    assert found.skipped == 1


def test_files_that_only_look_like_archives_are_left_alone(log: Path) -> None:
    for name in ("events-old.jsonl", "events-2026T10Z.jsonl", "other.jsonl"):
        (log.parent / name).write_text("{}\n", encoding="utf-8")
    assert read(log) == ((), 0)


# What cannot be written


def test_nothing_is_written_when_it_is_switched_off(log: Path) -> None:
    assert record(log, event(), Settings(events_enabled=False)) == ""
    assert list(log.parent.iterdir()) == []


def test_without_a_project_nothing_is_made(tmp_path: Path) -> None:
    assert "mind init" in record(tmp_path / ".mind" / "events.jsonl", event(), Settings())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("one", "why"),
    [
        (Event(at=datetime(2026, 11, 20), session="", name="get"), "offset"),  # noqa: DTZ001 - that is the mistake
        (Event(at=NOW, session="", name="get", data={"x": float("nan")}), "float"),
        (Event(at=NOW, session="", name="get", data={"x": "y" * 70_000}), "70,0"),
        (Event(at=NOW, session="", name="get", data={"x": {1}}), "set"),  # type: ignore[dict-item]
    ],
)
def test_an_event_that_is_none_is_refused_in_words(log: Path, one: Event, why: str) -> None:
    problem = record(log, one, Settings())
    assert "'get' cannot be written" in problem
    assert why in problem
    assert not log.exists()


def test_a_log_that_leads_elsewhere_is_not_followed(log: Path) -> None:
    victim = log.parent.parent / "profile"
    victim.write_bytes(b"mine\n")
    log.symlink_to(victim)
    assert "link" in record(log, event(), Settings())
    assert victim.read_bytes() == b"mine\n"


def test_a_folder_in_its_place_is_reported(log: Path) -> None:
    log.mkdir()
    assert "events.jsonl" in record(log, event(), Settings())


def test_a_full_disk_leaves_no_half_line(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(log, event(1))
    before = log.read_bytes()
    real = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: real(descriptor, data[:10]))
    assert "space" in record(log, event(2), Settings())
    assert log.read_bytes() == before


def test_who_holds_the_lock_for_long_is_not_waited_for(
    log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal, "_PATIENCE_SECONDS", 0.0)
    holder = start("hold", log)
    assert holder.stdout
    assert holder.stdout.readline() == b"held\n"
    assert "another process" in record(log, event(), Settings())
    holder.communicate(b"")
    assert record(log, event(), Settings()) == ""


# Rotation


def test_a_full_log_is_set_aside_and_a_new_one_begins(log: Path) -> None:
    happened = [event(number) for number in range(300)]
    written(log, *happened, settings=SMALL)
    assert log.stat().st_size <= 10_000
    assert len(archives(log)) == 2
    assert all(name.endswith("Z.jsonl") for name in archives(log))
    assert read(log) == (tuple(happened), 0)


def test_an_event_longer_than_a_log_may_be_stands_alone_in_one(log: Path) -> None:
    long = Event(at=NOW, session="", name="search", data={"number": -1, "all": "x" * 12_000})
    written(log, long, event(1), settings=SMALL)
    assert numbers(events(log)) == [-1, 1]
    assert len(archives(log)) == 1


def test_archives_closed_at_one_moment_are_all_kept(log: Path) -> None:
    happened = [event(number, at=NOW) for number in range(500)]
    written(log, *happened, settings=SMALL)
    assert archives(log)[:2] == [
        "events-20261120T100000000000Z-2.jsonl",
        "events-20261120T100000000000Z-3.jsonl",
    ]
    assert numbers(events(log)) == list(range(500))


def test_a_rotation_while_the_log_is_read_shows_no_event_twice_or_not_at_all(
    log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(log, *map(event, range(99)), settings=SMALL)
    real = files.read
    turned: list[Path] = []

    def early(path: Path) -> bytes:
        content = real(path)
        if path == log and not turned:
            turned.append(path)
            written(log, *map(event, range(99, 130)), settings=SMALL)
        return content

    monkeypatch.setattr(files, "read", early)
    assert numbers(events(log)) == list(range(130))


def test_git_does_not_see_the_log_and_its_archives() -> None:
    ignored = (Path(__file__).parents[1] / "templates" / "mind.gitignore").read_text("utf-8")
    assert {"events*.jsonl*", ".*.tmp"} <= set(ignored.splitlines())


# Many processes


def work(path: Path, writer: int, count: int) -> None:
    """Record ``count`` events, naming each on standard output once it is written."""
    for number in range(count):
        problem = record(path, event(number, f"w{writer}"), SMALL)
        sys.stdout.write(f"{problem or f'w{writer} {number}'}\n")
        sys.stdout.flush()


def hold(path: Path, name: str) -> None:
    with files.lock(path.parent / "cache" / name):
        sys.stdout.write("held\n")
        sys.stdout.flush()
        sys.stdin.read()


def start(*arguments: object) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-P", __file__, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def names(happened: tuple[Event, ...]) -> list[str]:
    return [f"{one.name} {one.data['number']}" for one in happened]


def test_no_event_of_many_processes_is_lost_or_doubled_by_rotations_and_deaths(log: Path) -> None:
    writers = [start("work", log, writer, 300) for writer in range(4)]
    sure, perhaps = [], []
    chance = random.Random(1)  # noqa: S311 - when to kill, no secret
    for death in range(6):
        process = start("work", log, 100 + death, 10_000)
        assert process.stdout
        told = [process.stdout.readline() for _ in range(chance.randrange(1, 200))]
        process.kill()
        told += process.stdout.readlines()
        process.communicate()
        whole = [line.decode().rstrip("\n") for line in told if line.endswith(b"\n")]
        sure += whole
        perhaps.append(f"w{100 + death} {len(whole)}")
        seen = Counter(names(events(log)))  # read while the others write and rotate
        assert max(seen.values()) == 1
        assert set(whole) <= seen.keys()
    for writer, process in enumerate(writers):
        out, error = process.communicate()
        assert process.returncode == 0, error.decode()
        assert out.decode().splitlines() == [f"w{writer} {number}" for number in range(300)]
        sure += out.decode().splitlines()
    found = read(log)
    there = Counter(names(found.events))
    assert {name for name in sure if there[name] != 1} == set()
    assert there.keys() - set(sure) <= set(perhaps)
    assert max(there.values()) == 1
    assert found.skipped == 0
    assert len(archives(log)) > 5


# What it is for


def test_a_query_is_kept_in_its_words_or_as_a_hash() -> None:
    assert said("redis timeouts", keep=True) == {"query": "redis timeouts", "characters": 14}
    assert said("x" * 300, keep=True) == {"query": "x" * 200, "characters": 300}
    hashed = said("redis timeouts", keep=False)
    assert hashed["characters"] == 14
    assert "redis" not in str(hashed)
    assert said(" Redis  Timeouts", keep=False)["hash"] == hashed["hash"]
    assert said("redis timeout", keep=False)["hash"] != hashed["hash"]


def test_reading_and_applying_are_uses_and_being_found_is_none() -> None:
    happened = [
        event(0, "search", "a", "b", "c"),
        event(1, "get", "a", "b", at=NOW + timedelta(days=1)),
        Event(at=NOW, session="", name="use", ids=("a",), data={"outcome": "applied"}),
        Event(at=NOW, session="", name="use", ids=("c",), data={"outcome": "ignored"}),
        event(2, "verify", "c"),
    ]
    assert uses(happened) == {
        "a": (date(2026, 11, 20), date(2026, 11, 21)),
        "b": (date(2026, 11, 21),),
    }


def test_what_was_noted_or_corrected_is_of_the_session_of_its_last_event() -> None:
    later = NOW + timedelta(days=1)
    happened = [
        Event(at=later, session="tuesday", name="log", ids=("b",)),
        Event(at=NOW, session="monday", name="log", ids=("a", "b", "e")),
        Event(at=NOW, session="", name="log", ids=("c",)),
        Event(at=later, session="tuesday", name="get", ids=("d",)),
        Event(at=later, session="tuesday", name="update", ids=("e",)),
    ]
    assert noted(happened) == {
        "a": RecordedAt(NOW.timestamp(), NOW.date(), "monday", corrected=False),
        "b": RecordedAt(later.timestamp(), later.date(), "tuesday", corrected=False),
        "e": RecordedAt(later.timestamp(), later.date(), "tuesday", corrected=True),
    }


def test_a_use_late_in_the_evening_is_of_that_evening() -> None:
    evening = datetime(2026, 11, 20, 23, 30, tzinfo=timezone(timedelta(hours=-5)))
    assert uses([event(0, "get", "a", at=evening)]) == {"a": (date(2026, 11, 20),)}


def main(name: str, path: str, *rest: str) -> None:
    if name == "work":
        work(Path(path), int(rest[0]), int(rest[1]))
    else:
        hold(Path(path), "events.lock")


if __name__ == "__main__":
    main(*sys.argv[1:])


def test_the_latest_of_a_name_are_read_from_the_end_of_the_log(log: Path) -> None:
    assert latest(log, "edit", NOW) == []
    written(log, event(0, "edit"), *(event(at, "get", "edit") for at in range(1, 60)))
    written(log, event(60, "edit"), event(61, "search"), event(62, "edit"))
    assert numbers(tuple(latest(log, "edit", NOW))) == [0, 60, 62]
    assert numbers(tuple(latest(log, "edit", NOW + timedelta(seconds=1)))) == [60, 62]
    written(log, *(event(at, "get", "x" * 1_000) for at in range(63, 263)))
    assert latest(log, "edit", NOW) == []  # 128 KiB ago
