"""Many processes on one memory file, editors that know nothing of Mind, and sudden deaths.

Run as a program, this module is one of those processes.
"""

import json
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from mind.domain.errors import MindError
from mind.storage import files

HEAD = b"# Memory\n\nintro\n\n## Today\n\n## Later\n\n"


def entry(writer: int, number: int) -> bytes:
    return b"- progress: writer %d has done entry %d\n" % (writer, number)


def by_hand(number: int) -> bytes:
    return b"- by hand %d\n" % number


# --- the processes ------------------------------------------------------------------------


def appending(line: bytes) -> Callable[[bytes], bytes]:
    return lambda tail: (b"" if not tail or tail.endswith(b"\n") else b"\n") + line


def inserting(line: bytes) -> Callable[[bytes], bytes]:
    def change(old: bytes) -> bytes:
        head, heading, rest = old.partition(b"## Today\n\n")
        return head + heading + line + rest if heading else old + b"## Today\n\n" + line

    return change


def work(path: Path, how: str, writer: int, count: int) -> None:
    """Write ``count`` entries, naming each on standard output once it is written."""
    pace = random.Random(writer)  # noqa: S311 - pace, no secret
    for number in range(count):
        line = entry(writer, number)
        if how == "append":
            files.append(path, appending(line))
        else:
            files.edit(path, inserting(line))
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()
        time.sleep(pace.random() * 0.004)


def edit_by_hand(path: Path, stop: Path, cycle: float, seed: int) -> None:
    """Read the file, think, and save it with one more line: in place or beside it, in turn."""
    pace = random.Random(seed)  # noqa: S311 - as above
    number = 0
    while not stop.exists():
        lines = path.read_bytes().splitlines(keepends=True)
        lines.insert(min(pace.randrange(1, 4), len(lines)), by_hand(number))
        time.sleep(pace.random() * 0.002)
        target = path.with_name("MEMORY.md~") if number % 2 else path
        target.write_bytes(b"".join(lines))
        if number % 2:
            target.replace(path)
        number += 1
        time.sleep(pace.random() * cycle)
    print(number)  # noqa: T201 - what the test reads


def count_under_lock(folder: Path, turns: int) -> None:
    """Add one to a number, reading and writing it as carelessly as can be."""
    for _ in range(turns):
        with files.lock(folder / "lock"):
            value = int((folder / "number").read_bytes() or b"0")
            (folder / "number").write_bytes(b"%d" % (value + 1))


def hold(folder: Path) -> None:
    """Take the lock and say so; the test does the rest."""
    with files.lock(folder / "lock"):
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


def output(process: "subprocess.Popen[bytes]") -> bytes:
    out, error = process.communicate()
    assert process.returncode == 0, error.decode()
    return out


# --- the story ----------------------------------------------------------------------------


def story(
    folder: Path, how: str, *, writers: int, count: int, cycle: float, deaths: int, seed: int = 1
) -> dict[str, int]:
    """Writers, an editor and a writer that is killed now and then, all at once on one file.

    Returns:
        How many entries and hand edits there were, and of each how many are missing or double,
        once everything was settled.
    """
    (folder / ".mind").mkdir(parents=True)
    path = folder / ".mind" / "MEMORY.md"
    path.write_bytes(HEAD)
    stop = folder / "stop"
    editor = start("edit", path, stop, cycle, seed)
    processes = [start("work", path, how, writer, count) for writer in range(writers)]
    sure, perhaps = killed(path, how, deaths, random.Random(seed))  # noqa: S311 - as above
    for writer, process in enumerate(processes):
        assert output(process).splitlines(keepends=True) == [
            entry(writer, number) for number in range(count)
        ]
        sure += [entry(writer, number) for number in range(count)]
    stop.touch()
    edits = [by_hand(number) for number in range(int(output(editor)))]
    while files.settle(path):
        pass
    there = Counter(path.read_bytes().splitlines(keepends=True))
    known = {*sure, *perhaps, *edits, *HEAD.splitlines(keepends=True)}
    return {
        "entries": len(sure),
        "missing": sum(there[line] == 0 for line in sure),
        "double": sum(there[line] > 1 for line in sure + perhaps),
        "edits": len(edits),
        "edits missing": sum(there[line] == 0 for line in edits),
        "edits double": sum(there[line] > 1 for line in edits),
        "damaged": len(there.keys() - known),
    }


def killed(
    path: Path, how: str, deaths: int, chance: random.Random
) -> tuple[list[bytes], list[bytes]]:
    """Start a writer and kill it after some of its entries, ``deaths`` times.

    Returns:
        The entries it named as written, and the one it may have been writing when it died.
    """
    sure: list[bytes] = []
    perhaps: list[bytes] = []
    for death in range(deaths):
        process = start("work", path, how, 100 + death, 1000)
        assert process.stdout
        named = [process.stdout.readline() for _ in range(chance.randrange(1, 12))]
        process.kill()
        named += process.stdout.readlines()
        process.communicate()
        assert process.returncode
        whole = [line for line in named if line.endswith(b"\n")]
        assert whole == [entry(100 + death, number) for number in range(len(whole))]
        sure += whole
        perhaps.append(entry(100 + death, len(whole)))
    return sure, perhaps


CLEAN = {"missing": 0, "edits missing": 0, "edits double": 0, "damaged": 0}
TWICE = 0.01
"""Share of entries that may stand twice: one that is put back while a slow editor saves a copy that
has it after all. Nothing is ever missing for that."""


def test_lesson_800_of_800_entries_by_8_processes_are_there_and_every_hand_edit(
    tmp_path: Path,
) -> None:
    found = story(tmp_path, "append", writers=8, count=100, cycle=0.004, deaths=4)
    assert found["entries"] >= 800
    assert found["edits"] > 50
    assert found | CLEAN == found
    assert found["double"] <= TWICE * found["entries"]


def test_entries_that_are_inserted_are_there_too(tmp_path: Path) -> None:
    found = story(tmp_path, "edit", writers=4, count=25, cycle=0.06, deaths=2)
    assert found["edits"] > 0
    assert found | CLEAN == found
    assert found["double"] <= TWICE * found["entries"]


def test_no_two_processes_hold_a_lock_at_once(tmp_path: Path) -> None:
    (tmp_path / "number").touch()
    processes = [start("count", tmp_path, 60) for _ in range(4)]
    for process in processes:
        output(process)
    assert (tmp_path / "number").read_bytes() == b"240"


def test_the_lock_of_a_killed_process_is_free_at_once(tmp_path: Path) -> None:
    process = start("hold", tmp_path)
    assert process.stdout
    assert process.stdout.readline() == b"held\n"
    with pytest.raises(MindError), files.lock(tmp_path / "lock", timeout=0):
        pass
    process.kill()
    process.communicate()
    with files.lock(tmp_path / "lock", timeout=1):
        pass


def test_readers_of_a_file_that_others_append_to_see_whole_entries(tmp_path: Path) -> None:
    (tmp_path / ".mind").mkdir()
    path = tmp_path / ".mind" / "MEMORY.md"
    processes = [start("work", path, "append", writer, 40) for writer in range(2)]
    whole = {entry(writer, number) for writer in range(2) for number in range(40)}
    while any(process.poll() is None for process in processes):
        assert set(files.read(path).splitlines(keepends=True)) <= whole
    for process in processes:
        output(process)


@pytest.mark.parametrize("size", [20_000, 2_000_000])
def test_an_addition_costs_the_same_however_long_the_file(tmp_path: Path, size: int) -> None:
    """Counted in bytes read, which unlike time is the same in every run."""
    (tmp_path / ".mind").mkdir()
    path = tmp_path / ".mind" / "MEMORY.md"
    path.write_bytes(b"x" * 79 + b"\n" + (b"y" * 79 + b"\n") * (size // 80))
    files.append(path, appending(b"one\n"), tail=4096)
    read: list[int] = []
    real = os.read

    def counted(descriptor: int, count: int) -> bytes:
        data = real(descriptor, count)
        read.append(len(data))
        return data

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "read", counted)
        for _ in range(10):
            files.append(path, appending(b"two\n"), tail=4096)
    assert sum(read) < 10 * 6000


def main(name: str, *rest: str) -> None:
    if name == "work":
        work(Path(rest[0]), rest[1], int(rest[2]), int(rest[3]))
    elif name == "edit":
        edit_by_hand(Path(rest[0]), Path(rest[1]), float(rest[2]), int(rest[3]))
    elif name == "count":
        count_under_lock(Path(rest[0]), int(rest[1]))
    elif name == "hold":
        hold(Path(rest[0]))
    else:  # story HOW WRITERS COUNT CYCLE DEATHS SEED FOLDER
        found = story(
            Path(rest[6]),
            rest[0],
            writers=int(rest[1]),
            count=int(rest[2]),
            cycle=float(rest[3]),
            deaths=int(rest[4]),
            seed=int(rest[5]),
        )
        print(json.dumps(found))  # noqa: T201 - what the soak reads


if __name__ == "__main__":
    main(*sys.argv[1:])
