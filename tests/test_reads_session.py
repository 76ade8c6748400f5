"""Reading files through the memory: where from, and what a session is taken to have."""

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mind.domain.errors import FileError, InputError, MindError, NotFound, PathOutside
from mind.memory.file_reads import forgetting, giving
from mind.memory.file_reads.forgetting import forget_session
from mind.memory.file_reads.giving import located, roots_of
from mind.memory.memory import Memory
from mind.storage.project import Project
from tests import hooking
from tests.conftest import Clock
from tests.rebuilding import apply

TEXT = "".join(f"line {at} of the file\n" for at in range(1, 41))
UNCHANGED = "unchanged since you read it"


@pytest.fixture
def source(project: Project) -> Path:
    path = project.root / "src" / "main.py"
    path.parent.mkdir()
    path.write_text(TEXT, encoding="utf-8")
    return path


def of(project: Project, clock: Clock, client: str = "client-1") -> Memory:
    return Memory(project, clock=clock, session_id=client)


def text(memory: Memory, path: str = "src/main.py", **options: int | bool) -> str:
    try:
        return memory.read_file(path, **options).text  # type: ignore[arg-type] # numbers and a flag
    finally:
        memory.close()


# What a session has


def test_a_session_goes_on_in_another_process(project: Project, clock: Clock, source: Path) -> None:
    assert text(of(project, clock)) == TEXT
    program = (
        "import sys; from pathlib import Path; from mind.memory.memory import Memory; "
        "memory = Memory.open(Path(sys.argv[1]), session_id='client-1'); "
        "sys.stdout.write(memory.read_file('src/main.py').text); memory.close()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(project.root)],
        check=True,
        capture_output=True,
        encoding="utf-8",
    )
    assert UNCHANGED in done.stdout


def test_an_edit_in_the_same_second_is_seen(project: Project, clock: Clock, source: Path) -> None:
    text(of(project, clock))
    before = source.stat()
    source.write_text(TEXT.replace("line 9 ", "line X "), encoding="utf-8")  # the same length
    os.utime(source, ns=(before.st_atime_ns, before.st_mtime_ns))
    told = text(of(project, clock))
    assert "-line 9 of the file\n+line X of the file\n" in told
    assert apply(TEXT, told) == source.read_text(encoding="utf-8")


def test_nobody_is_told_what_another_has(project: Project, clock: Clock, source: Path) -> None:
    text(of(project, clock, "client-1"))
    assert text(of(project, clock, "client-2")) == TEXT
    assert text(of(project, clock, "")) == TEXT
    assert UNCHANGED in text(of(project, clock, ""))
    assert UNCHANGED in text(of(project, clock, "client-2"))


def test_clients_without_names_share_nothing_between_processes(
    project: Project, clock: Clock, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text(of(project, clock, ""))
    monkeypatch.setattr(forgetting, "_PROCESS", "another process")
    assert text(of(project, clock, "")) == TEXT


def test_a_new_session_of_minds_begins_with_nothing(
    project: Project, clock: Clock, source: Path
) -> None:
    memory = of(project, clock)
    text(memory)
    clock.forward(seconds=5)
    memory.recall(session_id="client-after-clear", event="clear")
    memory.close()
    assert text(of(project, clock)) == TEXT


def test_after_a_long_pause_a_named_session_still_has_it(
    project: Project, clock: Clock, source: Path
) -> None:
    text(of(project, clock))
    clock.forward(hours=20)
    assert UNCHANGED in text(of(project, clock))


def test_a_compaction_makes_it_forget(project: Project, clock: Clock, source: Path) -> None:
    for client in ("client-1", ""):
        text(of(project, clock, client))
    forget_session(project.cache, "client-1")
    assert text(of(project, clock, "client-1")) == TEXT
    assert text(of(project, clock, "")) == TEXT  # it may have been the same


def test_others_keep_what_they_have(project: Project, clock: Clock, source: Path) -> None:
    text(of(project, clock))
    state = project.state.read_bytes()
    for damaged in (b'{"session_ids": ["client-2", 3]}', b'{"session_ids": 3}', b"[]", b"damaged"):
        project.state.write_bytes(damaged)
        forget_session(project.cache, "client-2")
    project.state.unlink()
    project.state.mkdir()
    forget_session(project.cache, "client-2")
    project.state.rmdir()
    project.state.write_bytes(state)
    assert UNCHANGED in text(of(project, clock))
    project.state.unlink()
    forget_session(project.cache, "")
    project.state.write_bytes(state)
    assert text(of(project, clock)) == TEXT


def test_a_server_that_kept_its_old_name_forgets_too(
    project: Project, clock: Clock, source: Path
) -> None:
    """After /clear the client's session has another name, and the server goes on with the old."""
    text(of(project, clock, "name at the start"))
    for event in ("clear", "compact"):
        hooking.start(project, "name since", event)
        assert text(of(project, clock, "name at the start")) == TEXT
        assert UNCHANGED in text(of(project, clock, "name at the start"))


def test_forgetting_where_nothing_was_read(project: Project, tmp_path: Path) -> None:
    forget_session(project.cache, "client-1")
    forget_session(tmp_path / "nowhere", "")
    assert not (tmp_path / "nowhere").exists()


def test_whole_gives_it_again(project: Project, clock: Clock, source: Path) -> None:
    text(of(project, clock))
    assert text(of(project, clock), whole=True) == TEXT
    assert UNCHANGED in text(of(project, clock))


def test_pages_that_follow_each_other_become_one(project: Project, clock: Clock) -> None:
    long = "".join(f"line {at} of a long file, which needs pages\n" for at in range(1, 901))
    path = project.root / "long.txt"
    path.write_text(long, encoding="utf-8")
    memory = of(project, clock)
    shown, offset = "", 1
    while offset:
        page = memory.read_file("long.txt", offset=offset)
        assert len(page.text) <= 12_000
        shown += apply("", page.text)
        more = page.text.partition("\n")[0].partition("more: offset ")[2]
        offset = int(more.rstrip("]") or 0)
    assert shown == long
    assert UNCHANGED in memory.read_file("long.txt").text
    after = long.replace("line 5 ", "line five ").replace("line 890 ", "line 890! ")
    path.write_text(after, encoding="utf-8")
    told = memory.read_file("long.txt").text
    assert "2 changes since you read it" in told
    assert apply(long, told) == after
    memory.close()


def test_pages_of_different_states_do_not_become_one(project: Project, clock: Clock) -> None:
    long = "".join(f"line {at} of a long file, which needs pages\n" for at in range(1, 901))
    path = project.root / "long.txt"
    path.write_text(long, encoding="utf-8")
    memory = of(project, clock)
    first = memory.read_file("long.txt").known
    path.write_text(f"something new\n{long}", encoding="utf-8")
    memory.read_file("long.txt", offset=first.lines + 1)
    told = memory.read_file("long.txt").text
    assert f"lines 1-{first.lines} of 901" in told
    assert apply(first.text, told).startswith("something new\nline 1 ")
    memory.close()


# What is kept


def records(project: Project) -> list[Path]:
    return [one for one in (project.cache / "reads").rglob("*") if one.is_file()]


@pytest.mark.skipif(os.name == "nt", reason="has other permissions")
def test_only_the_owner_may_read_what_is_kept(project: Project, clock: Clock, source: Path) -> None:
    text(of(project, clock))
    (record,) = records(project)
    assert stat.S_IMODE(record.stat().st_mode) == 0o600
    assert stat.S_IMODE(record.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize("damaged", [b"", b"damaged", b"x\x9c+JMS\x04\x00\x03Z\x01J", b"[1]"])
def test_what_is_damaged_was_never_read(
    project: Project, clock: Clock, source: Path, damaged: bytes
) -> None:
    text(of(project, clock))
    (record,) = records(project)
    record.write_bytes(damaged)
    assert text(of(project, clock)) == TEXT
    assert UNCHANGED in text(of(project, clock))


def test_what_is_old_is_deleted(project: Project, clock: Clock, source: Path) -> None:
    text(of(project, clock, "client-1"))
    clock.forward(days=giving.LONGEST.days, hours=1)
    text(of(project, clock, "client-2"))
    assert len(records(project)) == 1
    assert len(list((project.cache / "reads").iterdir())) == 1


@pytest.mark.parametrize(("bound", "most"), [("MOST_RECORDS", 5), ("MOST_BYTES", 800)])
def test_of_too_much_the_oldest_is_deleted(
    project: Project, clock: Clock, bound: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(giving, bound, most)
    memory = of(project, clock)
    for at in range(12):
        (project.root / f"{at}.txt").write_text(f"{TEXT}{at}", encoding="utf-8")
        memory.read_file(f"{at}.txt")
        clock.forward(seconds=1)
    left = records(project)
    assert 1 < len(left) <= 6
    assert UNCHANGED in memory.read_file("11.txt").text
    assert memory.read_file("0.txt").text == f"{TEXT}0"
    memory.close()


def test_a_folder_that_cannot_be_listed_is_left_alone(
    project: Project, clock: Clock, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text(of(project, clock))
    listed = os.scandir

    def denied(path: str) -> Iterator[os.DirEntry[str]]:
        if Path(path).parent.name == "reads":
            raise PermissionError(path)
        return listed(path)

    with monkeypatch.context() as patched:
        patched.setattr(os, "scandir", denied)
        forget_session(project.cache, "client-1")
    assert UNCHANGED in text(of(project, clock))


def test_nothing_foreign_is_deleted(
    project: Project, clock: Clock, source: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    text(of(project, clock))
    folder = project.cache / "reads"
    (record,) = records(project)
    for path in (folder / "notes" / "a.txt", record.parent / "mine.txt"):
        path.parent.mkdir(exist_ok=True)
        path.write_text("mine", encoding="utf-8")
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    shutil.copytree(record.parent, elsewhere / "c-0")
    (folder / f"p-{'0' * 24}").symlink_to(elsewhere / "c-0")
    forget_session(project.cache, "")
    assert not record.exists()
    assert (folder / "notes" / "a.txt").exists()
    assert (record.parent / "mine.txt").exists()
    assert (elsewhere / "c-0" / record.name).exists()


def test_a_link_in_place_of_the_folder_is_left_alone(
    project: Project, clock: Clock, source: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    text(of(project, clock))
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "reads"
    shutil.move(project.cache / "reads", elsewhere)
    (project.cache / "reads").symlink_to(elsewhere)
    before = sorted(elsewhere.rglob("*"))
    forget_session(project.cache, "")
    assert text(of(project, clock)) == TEXT
    assert text(of(project, clock)) == TEXT
    assert sorted(elsewhere.rglob("*")) == before


def test_a_place_that_cannot_be_written_costs_no_answer(
    project: Project, clock: Clock, source: Path
) -> None:
    project.cache.mkdir(exist_ok=True)
    (project.cache / "reads").write_text("a file", encoding="utf-8")
    assert text(of(project, clock)) == TEXT
    assert text(of(project, clock)) == TEXT
    forget_session(project.cache, "")


# Where files are read


@pytest.fixture
def outside(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("outside") / "secret.txt"
    path.write_text("out of bounds\n", encoding="utf-8")
    return path


def refused(memory: Memory, path: str, roots: tuple[Path, ...] = ()) -> MindError:
    with pytest.raises(MindError) as caught:
        memory.read_file(path, roots=roots)
    assert "out of bounds" not in str(caught.value)
    return caught.value


def test_files_of_the_project_by_any_name(memory: Memory, project: Project, source: Path) -> None:
    for path in ("src/main.py", "./src/../src/main.py", str(source), f"{project.root}/src/main.py"):
        assert memory.read_file(path, whole=True).text == TEXT
    (project.root / "link.py").symlink_to(source)
    assert UNCHANGED in memory.read_file("link.py").text


@pytest.mark.parametrize(
    "path",
    [
        "../outside", "/etc/passwd", "src/../../x", "//server/share/x", r"\\server\share\x",
        r"C:\Windows\win.ini", "c:/x", "/", "/dev/zero", "/proc/self/environ",
    ],
)  # fmt: skip
def test_nothing_else(memory: Memory, source: Path, path: str) -> None:
    assert isinstance(refused(memory, path), PathOutside)


def test_no_link_leads_out(memory: Memory, project: Project, outside: Path) -> None:
    (project.root / "file").symlink_to(outside)
    (project.root / "folder").symlink_to(outside.parent)
    (project.root / "back").symlink_to(project.root / "folder")
    for path in ("file", "folder/secret.txt", "back/secret.txt", str(outside)):
        assert isinstance(refused(memory, path), PathOutside)


def test_a_sibling_with_the_same_beginning_is_outside(tmp_path: Path) -> None:
    (tmp_path / "project-2").mkdir()
    (tmp_path / "project-2" / "a.txt").write_text("a", encoding="utf-8")
    (tmp_path / "project").mkdir()
    with pytest.raises(PathOutside):
        located(str(tmp_path / "project-2" / "a.txt"), tmp_path / "project")


def test_roots_of_the_client_are_open_too(memory: Memory, outside: Path) -> None:
    assert memory.read_file(str(outside), roots=[outside.parent]).text == "out of bounds\n"
    alias = outside.parent.parent / "alias-of-a-root"
    alias.symlink_to(outside.parent)
    assert memory.read_file(str(alias / "secret.txt"), roots=[alias]).text == "out of bounds\n"
    assert isinstance(refused(memory, "/etc/passwd", (outside.parent,)), PathOutside)
    for path in ("/proc/self/environ", "/dev/zero", "/sys/kernel/notes"):
        assert isinstance(refused(memory, path, (Path("/"),)), PathOutside)


def test_roots_are_file_addresses_on_this_machine(tmp_path: Path) -> None:
    spaced = tmp_path / "with space"
    assert roots_of([spaced.as_uri(), f"file://localhost{tmp_path}"]) == (spaced, tmp_path)
    for wrong in (
        "https://example.org/", "file://server/share", "file:relative", "file:///a%00b", "",
        "/folder", "http://[broken",
    ):  # fmt: skip
        assert roots_of([wrong]) == ()


@pytest.mark.parametrize("path", ["", "  ", "a\0b"])
def test_what_is_no_path(memory: Memory, path: str) -> None:
    assert "the path is empty" in str(refused(memory, path))


def test_half_characters_are_no_path(memory: Memory) -> None:
    assert "is not a path" in str(refused(memory, "a\ud800"))


def test_what_cannot_be_read_is_told_with_a_remedy(memory: Memory, project: Project) -> None:
    assert isinstance(refused(memory, "src/none.py"), NotFound)
    (project.root / "plain").write_text("a", encoding="utf-8")
    assert isinstance(refused(memory, "plain/below"), NotFound)
    assert "is a folder. Name a file" in str(refused(memory, "."))
    os.mkfifo(project.root / "pipe")
    assert "is a pipe. Name a file" in str(refused(memory, "pipe"))
    (project.root / "loop").symlink_to("loop")
    assert isinstance(refused(memory, "loop"), FileError)
    assert isinstance(refused(memory, "x" * 5_000), MindError)
    (project.root / "image.png").write_bytes(b"\x89PNG\r\n\0")
    assert "image.png is binary (7 bytes). Use a program" in str(refused(memory, "image.png"))
    (project.root / "huge.log").write_bytes(b"x" * 2_000_001)
    assert "huge.log has 2,000,001 bytes" in str(refused(memory, "huge.log"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission(memory: Memory, source: Path) -> None:
    source.chmod(0)
    assert "Check its permissions" in str(refused(memory, "src/main.py"))


@pytest.mark.parametrize(
    "path",
    [
        ".env", ".env.production", "deploy/.ENV", "server.pem", "id_rsa", ".git/config", ".netrc",
        ".ssh/config", "keys/app.key",
    ],
)  # fmt: skip
def test_files_for_credentials_are_refused(memory: Memory, project: Project, path: str) -> None:
    (project.root / path).parent.mkdir(parents=True, exist_ok=True)
    (project.root / path).write_text("out of bounds", encoding="utf-8")
    (project.root / "plain.txt").symlink_to(project.root / path)
    for name in (path, "plain.txt"):
        assert "is a credentials file and is not read. Ask the user" in str(refused(memory, name))


def test_examples_of_them_are_not(memory: Memory, project: Project) -> None:
    (project.root / ".env.example").write_text("API_KEY=\n", encoding="utf-8")
    assert memory.read_file(".env.example").text == "API_KEY=\n"


def test_a_file_that_becomes_a_link_meanwhile_is_not_read(
    memory: Memory, project: Project, source: Path, outside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mind.memory.file_reads import giving

    def swapped(path: str, root: Path, others: object) -> Path:
        found = located(path, root)
        source.unlink()
        source.symlink_to(outside)
        return found

    monkeypatch.setattr(giving, "located", swapped)
    assert isinstance(refused(memory, "src/main.py"), FileError)

    def folder_swapped(path: str, root: Path, others: object) -> Path:
        found = located(path, root)
        found.parent.rename(root / "away")
        (root / "src").symlink_to(outside.parent)
        return found

    source.unlink()
    source.write_text(TEXT, encoding="utf-8")
    (outside.parent / "main.py").write_text("out of bounds", encoding="utf-8")
    monkeypatch.setattr(giving, "located", folder_swapped)
    assert "outside the repository" in str(refused(memory, "src/main.py"))
    shutil.rmtree(outside.parent)
    (project.root / "src").unlink()
    (project.root / "away").rename(project.root / "src")
    monkeypatch.setattr(giving, "located", located)
    monkeypatch.setattr(giving, "part", lambda *_: source.unlink() or b"")  # type: ignore[func-returns-value] # deletes
    assert "was replaced while it was read" in str(refused(memory, "src/main.py"))


def test_numbers_are_checked(memory: Memory, source: Path) -> None:
    with pytest.raises(InputError, match="offset is 0"):
        memory.read_file("src/main.py", offset=0)
