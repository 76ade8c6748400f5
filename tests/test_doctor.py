"""What `mind doctor` sees when something is broken, and what it mends."""

import io
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from mind.__main__ import main
from mind.documents import context_block
from mind.domain.errors import ConfigError, FileError
from mind.memory.memory import Memory
from mind.search.embedding import models
from mind.setup import doctor as doctors
from mind.setup import install
from mind.setup.doctor import Check, clients, store
from mind.setup.doctor.finding import fine
from mind.storage.index import Index, discard, soundness
from mind.storage.project import Project, registered
from tests import tiny_bert

Run = Callable[..., tuple[int, str]]
Git = Callable[..., str]
posix = pytest.mark.skipif(os.name != "posix", reason="rights and processes of POSIX")


@pytest.fixture
def doctor(
    project: Project, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Run:
    """Run ``mind doctor`` in the project, in this process: exit code and output."""
    monkeypatch.chdir(project.root)

    def run(*arguments: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["mind", "doctor", *arguments])
        monkeypatch.setattr(sys, "stdin", io.StringIO(""))
        code = 0
        try:
            main()
        except SystemExit as left:
            code = left.code if isinstance(left.code, int) else 0
        return code, capsys.readouterr().out

    return run


def look(project: Project, name: str, *, quick: bool = True, fix: bool = False) -> Check:
    """The check ``name`` of a run."""
    checks = doctors.examine(project.root, quick=quick, fix=fix)
    return next(one for one in checks if one.name == name)


def seen(check: Check) -> tuple[str, str]:
    return check.verdict.value, check.detail


def write(path: Path, text: str | bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)


def mended(project: Project, name: str) -> str:
    """Mend with ``--fix``, see that the next run finds nothing, and return what was done."""
    check = look(project, name, fix=True)
    assert (check.verdict.value, check.mended, check.remedy) == ("fine", True, "")
    again = look(project, name, fix=True)
    assert (again.verdict.value, again.mended, again.mending) == ("fine", False, "")
    return check.mending


def test_a_new_project_is_fine_from_every_side(doctor: Run) -> None:
    code, out = doctor()
    assert code == 0
    assert {line.split()[0] for line in out.splitlines()} == {"fine"}
    assert "MCP server: answers in" in out
    assert "git: the memory is not ignored" in out
    quick = doctor("--quick")[1]
    assert "MCP server" not in quick
    assert "  git:" not in quick
    assert "MCP registration" in quick


def test_the_exit_code_tells_warnings_from_what_is_broken(doctor: Run, project: Project) -> None:
    write(project.root / "CLAUDE.md", "nothing here\n")
    code, out = doctor("--quick")
    assert code == 1
    assert "warning  context block: CLAUDE.md has no context block" in out
    assert "→ Run `mind init` to add it." in out
    assert out.endswith("Run `mind doctor --fix` to fix 1 of these.\n")
    write(project.root / "CLAUDE.md", "nothing here\n<!-- MIND:END -->\n")
    code, out = doctor("--quick")
    assert code == 2
    assert " broken  context block: CLAUDE.md:2: the block has 0 opening and 1 closing" in out


def test_the_program_tells_all_this_too(project: Project) -> None:
    write(project.config, "[]")
    done = subprocess.run(
        [sys.executable, "-m", "mind", "-p", str(project.root), "doctor", "--quick", "--json"],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    rows = {row["name"]: row for row in json.loads(done.stdout)}
    assert done.returncode == 2
    assert set(rows["settings"]) == {"name", "verdict", "detail", "remedy", "mending", "mended"}
    assert rows["settings"]["verdict"] == "broken"
    assert "contains list" in rows["settings"]["detail"]
    assert rows["index"] == {
        "name": "index",
        "verdict": "fine",
        "detail": "not built yet; the first call builds it",
        "remedy": "",
        "mending": "",
        "mended": False,
    }


def test_a_dry_run_says_what_would_be_done_and_does_nothing(doctor: Run, project: Project) -> None:
    write(project.root / "CLAUDE.md", "nothing here\n")
    (project.folder / ".gitignore").unlink()
    code, out = doctor("--quick", "--fix", "--dry-run")
    assert code == 1
    assert "→ --fix would add it to CLAUDE.md" in out
    assert "→ --fix would add cache/, events*.jsonl*, SESSION.md and 5 more to the file" in out
    assert (project.root / "CLAUDE.md").read_bytes() == b"nothing here\n"
    code, out = doctor("--quick", "--fix")
    assert code == 0
    assert "✓ fixed: add it to CLAUDE.md" in out
    assert doctor("--quick", "--fix") == doctor("--quick")


def test_outside_a_project_there_is_none(tmp_path_factory: pytest.TempPathFactory) -> None:
    checks = doctors.examine(tmp_path_factory.mktemp("nowhere"))
    assert [one.name for one in checks] == ["mind", "package", "programs", "project"]
    assert checks[-1].verdict.value == "broken"
    assert "mind init" in checks[-1].remedy


@posix
@pytest.mark.skipif(os.name == "posix" and os.geteuid() == 0, reason="root may do everything")
def test_what_may_not_be_read_is_a_finding(project: Project) -> None:
    project.memory.chmod(0)
    assert look(project, "memory").verdict.value == "broken"


def test_what_the_system_refuses_is_a_finding(
    project: Project, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.memory.unlink()
    project.memory.symlink_to(project.memory)
    project.archive.mkdir()
    (project.cache / "probe").mkdir(parents=True)
    assert look(project, "archive").detail.endswith("ARCHIVE.md is a folder")
    assert look(project, "writing").detail.endswith("probe is a folder")
    (home / ".mind" / "projects.json").unlink()
    monkeypatch.setattr(store, "register", lambda root: (root / "gone").stat())
    check = look(project, "list of projects", fix=True)
    assert check.verdict.value == "broken"
    assert "could not be fixed" in check.detail
    assert check.remedy == "Run `mind init` to add it."


def test_what_fails_on_the_way_is_a_finding(tmp_path: Path) -> None:
    found = doctors._found(lambda: fine(str(list((tmp_path / "gone").iterdir()))))
    assert found.verdict.value == "broken"
    assert found.detail == f"{tmp_path / 'gone'}: no such file or directory"
    assert f"`ls -ld {tmp_path / 'gone'}`" in found.remedy


# the program


def package(folder: Path, version: str) -> None:
    lines = ["Metadata-Version: 2.1", "Name: mind-lens", f"Version: {version}"]
    write(folder / f"mind_lens-{version}.dist-info" / "METADATA", "\n".join(lines) + "\n")


def test_the_package_is_that_of_the_code(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert look(project, "package").detail == "mind-lens 0.1.0"
    monkeypatch.syspath_prepend(str(tmp_path / "old"))
    package(tmp_path / "old", "0.0.7")
    check = look(project, "package")
    assert check.verdict.value == "warning"
    assert "is version 0.1.0, but the installed package is version 0.0.7" in check.detail
    assert "pip install --force-reinstall mind-lens" in check.remedy


def test_a_copy_that_is_not_installed(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    root = Path(__file__).parents[1]
    monkeypatch.setattr(sys, "path", [str(root)])
    monkeypatch.setenv("PATH", "")
    check = look(project, "package")
    assert seen(check) == ("warning", f"Mind runs from {root}, which is not installed")
    assert check.remedy == f"Run `pip install -e {root}`."


@posix
def test_another_installation_that_path_finds_first(
    project: Project, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path = tmp_path_factory.mktemp("elsewhere")
    monkeypatch.setenv("PATH", "")
    assert "(not on PATH)" in look(project, "programs").detail
    own = Path(sys.executable).parent
    monkeypatch.setenv("PATH", str(own))
    assert seen(look(project, "programs")) == ("fine", f"{own / 'mind'}, {own / 'mind-hook'}")
    links = tmp_path / "links"
    links.mkdir()
    for name in ("mind", "mind-hook"):
        (links / name).symlink_to(own / name)
    monkeypatch.setenv("PATH", f"{links}{os.pathsep}{own}")
    assert look(project, "programs").verdict.value == "fine"
    other = tmp_path / "other" / "mind"
    write(other, "#!/bin/sh\n")
    other.chmod(0o755)
    monkeypatch.setenv("PATH", f"{other.parent}{os.pathsep}{own}")
    check = look(project, "programs")
    assert check.verdict.value == "warning"
    assert f"PATH finds {other}, which belongs to another installation" in check.detail
    assert f"`{other} doctor`" in check.remedy


def test_programs_that_are_gone(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.syspath_prepend(str(tmp_path))
    package(tmp_path, "0.1.0")
    check = look(project, "programs")
    assert seen(check) == ("warning", "the program 'mind' is missing")
    assert "--force-reinstall" in check.remedy


# the project's folder


def test_both_files_of_settings_are_checked(project: Project, home: Path) -> None:
    write(home / ".mind" / "config.toml", "nonsense = [")
    write(project.config, '{"search": {"limit": "many"}}')
    check = look(project, "settings")
    assert check.verdict.value == "broken"
    assert "search.limit must be int" in check.detail
    assert "config.toml cannot be read" in check.detail
    assert check.remedy == ConfigError.default_remedy


def test_a_project_that_is_on_no_list(project: Project, home: Path) -> None:
    (home / ".mind" / "projects.json").unlink()
    assert seen(look(project, "list of projects")) == (
        "warning",
        "this project is not listed, so searches of all projects skip it",
    )
    assert mended(project, "list of projects") == "add it to the list"
    assert registered() == [project.root]


@pytest.mark.parametrize("name", ["projects.json", "global_edges.json", "state.json"])
def test_records_that_are_no_json(project: Project, home: Path, name: str) -> None:
    path = (project.folder if name == "state.json" else home / ".mind") / name
    shown = ".mind/state.json" if name == "state.json" else str(path)
    write(path, '{"projects": [')
    check = look(project, "records")
    assert seen(check) == ("warning", f"{shown} is not valid JSON, so it is ignored")
    assert f"`mv {shown} {shown}.old`" in check.remedy
    write(path, " ")
    assert look(project, "records").verdict.value == "fine"


@posix
def test_a_lock_that_another_process_holds(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "_PATIENCE", 0.05)
    program = (
        "import sys; from pathlib import Path; from mind.storage.files import lock\n"
        "with lock(Path(sys.argv[1])): print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(project.lock)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        check = look(project, "writing")
        process.kill()
    assert check.verdict.value == "broken"
    assert check.detail == "another process has held the lock for over 0.05 s"
    assert f"`fuser {project.lock}`" in check.remedy
    assert look(project, "writing").verdict.value == "fine"


@posix
def test_what_others_could_read(project: Project, home: Path) -> None:
    write(project.cache / "hooks.log", "x")
    (project.cache / "hooks.log").chmod(0o644)
    (home / ".mind").chmod(0o755)
    check = look(project, "permissions")
    users = f"other users have access to {home / '.mind'}, .mind/cache/hooks.log"
    assert seen(check) == ("warning", users)
    assert check.remedy == f"Run `chmod go= {home / '.mind'} .mind/cache/hooks.log`."
    mended(project, "permissions")
    assert (project.cache / "hooks.log").stat().st_mode & 0o777 == 0o600
    assert (home / ".mind").stat().st_mode & 0o777 == 0o700


def test_lines_that_gitignore_lacks(project: Project) -> None:
    path = project.folder / ".gitignore"
    write(path, "/cache/\nmine.txt")
    check = look(project, "ignored files")
    assert check.verdict.value == "warning"
    assert check.detail.startswith(".mind/.gitignore lacks events*.jsonl*, SESSION.md")
    mended(project, "ignored files")
    lines = path.read_text("utf-8").splitlines()
    assert lines[:2] == ["/cache/", "mine.txt"]
    assert {"events*.jsonl*", "SESSION.md", "state.json"} <= set(lines)
    write(path, "*\n")
    assert "private" in look(project, "ignored files").detail


# the texts


@pytest.mark.parametrize(
    ("name", "check"),
    [("MEMORY.md", "memory"), ("REMINDERS.md", "reminders"), ("ARCHIVE.md", "archive")],
)
def test_a_text_that_is_none_or_in_conflict(project: Project, name: str, check: str) -> None:
    write(project.folder / name, b"- decided: x\n- caf\xe9\n")
    found = look(project, check)
    assert seen(found) == ("warning", f".mind/{name}:2 is not UTF-8")
    assert f"iconv -f LATIN1 -t UTF-8 .mind/{name}" in found.remedy
    conflict = "- one\n<<<<<<< HEAD\n- ours\n=======\n- theirs\n>>>>>>> topic\n"
    write(project.folder / name, conflict)
    found = look(project, check)
    assert seen(found) == ("warning", f".mind/{name}:2 contains a merge conflict")
    assert f"`git mergetool .mind/{name}`" in found.remedy
    write(project.folder / name, "One\n=======\n\n- [ ] x | due: next session\n")
    assert look(project, check).verdict.value == "fine"


@pytest.mark.parametrize(
    ("name", "check"), [("MEMORY.md", "memory"), ("REMINDERS.md", "reminders")]
)
def test_a_block_that_is_not_closed(project: Project, name: str, check: str) -> None:
    write(project.folder / name, "# One\n\n~~~~\nmake\n\n## Two\n\n- decided: x\n")
    found = look(project, check)
    level, said = seen(found)
    assert level == "warning"
    assert said.startswith(f".mind/{name}:3 opens a block of code")
    assert found.remedy == "Add a line ~~~~ where it ends."


def test_a_memory_that_is_missing(project: Project) -> None:
    project.memory.unlink()
    check = look(project, "memory")
    assert seen(check) == ("warning", ".mind/MEMORY.md is missing")
    assert "`mind init`" in check.remedy


def test_a_reminder_without_a_time(project: Project) -> None:
    write(project.reminders, "- [ ] x | due: whenever\n- [x] done | due: whenever\n")
    check = look(project, "reminders")
    assert check.verdict.value == "warning"
    assert check.detail.startswith("the time in line 1 of REMINDERS.md")
    assert "due: next session" in check.remedy


# what is derived


@pytest.fixture
def filled(project: Project) -> Path:
    """The index of the project, with entries."""
    write(project.memory, "".join(f"- decided: thing {n} of the list\n" for n in range(200)))
    memory = Memory(project)
    memory.checkpoint()
    memory.close()
    assert look(project, "index").detail == "intact, 200 entries"
    return project.cache / "index.db"


def damaged_pages(path: Path) -> None:
    with path.open("r+b") as file:
        for page in range(3, 40, 2):
            file.seek(page * 4096 + 200)
            file.write(b"\xa5" * 1500)


def changed(statement: str) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        with closing(sqlite3.connect(path)) as opened, opened:
            opened.execute(statement)

    return change


def exchanged(path: Path) -> None:
    """One table's index in the place of another's."""
    with closing(sqlite3.connect(path)) as opened, opened:
        roots = dict(opened.execute("SELECT name, rootpage FROM sqlite_master"))
        opened.execute("PRAGMA writable_schema = ON")
        opened.execute(
            "UPDATE sqlite_master SET rootpage = ? - rootpage WHERE name IN (?, ?)",
            (roots["entry_id"] + roots["entry_date"], "entry_id", "entry_date"),
        )


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (damaged_pages, "is damaged"),
        (lambda path: path.write_bytes(b"garbage " * 9_000), "is damaged"),
        (changed("PRAGMA application_id = 7"), "is no index of Mind's"),
        (changed("DELETE FROM entry WHERE rowid % 2"), "counts its entries wrongly"),
        (changed("UPDATE words_data SET block = x'00' WHERE id > 10"), "is damaged"),
    ],
)
def test_an_index_that_is_not_right(
    project: Project, filled: Path, damage: Callable[[Path], None], said: str
) -> None:
    damage(filled)
    check = look(project, "index")
    assert check.verdict.value == "broken"
    assert check.detail.startswith(f".mind/cache/index.db {said}")
    assert "`mind index --rebuild`" in check.remedy
    assert look(project, "vectors").verdict.value == "fine"
    assert mended(project, "index") == "rebuild it from the files"
    assert look(project, "index", quick=False).detail == "intact, 200 entries"


def test_a_damage_that_only_a_thorough_look_finds(project: Project, filled: Path) -> None:
    exchanged(filled)
    assert look(project, "index").verdict.value == "fine"
    assert look(project, "index", quick=False).detail == ".mind/cache/index.db is damaged"


def test_an_index_of_another_version_is_no_alarm(project: Project, filled: Path) -> None:
    changed("PRAGMA user_version = 3")(filled)
    check = look(project, "index")
    assert check.verdict.value == "warning"
    assert "has version 3, and this Mind uses" in check.detail
    mended(project, "index")


def test_the_remedy_for_a_damaged_index_works(
    project: Project, filled: Path, doctor: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    damaged_pages(filled)
    assert doctor("--quick")[0] == 2
    monkeypatch.setattr(sys, "argv", ["mind", "index", "--rebuild"])
    with pytest.raises(SystemExit):
        main()
    assert "intact, 200 entries" in doctor("--quick")[1]


def test_an_index_that_another_process_keeps(
    project: Project, filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mind.storage.index.connection._CHECK_SECONDS", 0.05)
    with closing(sqlite3.connect(filled, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        assert seen(look(project, "index")) == (
            "fine",
            "not checked: another process is writing it, or it is read-only",
        )
        assert look(project, "vectors").verdict.value == "fine"


def test_an_empty_file_is_an_index_to_be(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    path.touch()
    assert soundness(path).fault == ""
    Index(path).close()
    assert soundness(path).entries == 0
    discard(path)
    assert not path.exists()
    path.mkdir()
    with pytest.raises(FileError, match="cannot be deleted"):
        discard(path)


@pytest.fixture
def tiny(project: Project, home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An installed model's folder."""
    folder = tiny_bert.write(tmp_path_factory.mktemp("published") / "tiny")
    return models.add(home / ".mind", str(folder)).folder


def test_vectors_are_counted(project: Project, filled: Path, tiny: Path) -> None:
    check = look(project, "vectors")
    assert check.verdict.value == "warning"
    assert check.detail.startswith("0 of 200 built for ")
    assert check.remedy.startswith("Run `mind index`")
    memory = Memory(project)
    memory.build_index()
    memory.close()
    check = look(project, "vectors")
    assert check.verdict.value == "fine"
    assert check.detail.startswith("200 of 200 built")


def test_a_model_that_the_settings_name_and_that_is_not_there(project: Project, tiny: Path) -> None:
    write(project.config, '{"embedding": {"model": "other"}}')
    check = look(project, "vectors")
    assert seen(check) == ("warning", "search is lexical only: there is no model 'other'")
    assert check.remedy == "There are: tiny."


def test_a_model_that_is_not_the_one_that_was_installed(project: Project, tiny: Path) -> None:
    assert look(project, "models", quick=False).detail == "tiny (0 MB)"
    weights = tiny / "model.onnx"
    before, status = weights.read_bytes(), weights.stat()
    write(weights, before[:-1] + bytes([before[-1] ^ 1]))
    os.utime(weights, ns=(status.st_atime_ns, status.st_mtime_ns))
    check = look(project, "models", quick=False)
    assert check.verdict.value == "broken"
    assert "has SHA-256" in check.detail
    source = json.loads((tiny / "manifest.json").read_text("utf-8"))["source"]
    assert "`mind models remove tiny`, then `mind models add SOURCE --name tiny`" in check.remedy
    assert check.remedy.endswith(f"it came from {source}.")
    write(weights, before + b"x")
    assert "bytes, not" in look(project, "models").detail
    write(tiny / "manifest.json", "{")
    assert "manifest.json is missing or broken" in look(project, "models").detail


# agents


@pytest.mark.skipif(os.name != "posix", reason="rights are the system's there")
def test_others_who_may_read_what_was_searched_and_what_waits(project: Project) -> None:
    memory = Memory(project)
    memory.search("pool")
    memory.log("The user prefers tabs over spaces", "learning")
    memory.close()
    assert look(project, "permissions").verdict == "fine"
    old = [project.folder / f"events-20260101T000000000000Z.jsonl{end}" for end in ("", ".gz")]
    for path in old:
        path.write_bytes(b"")
    kept = [project.events, project.pending, *old]
    for path in kept:
        path.chmod(0o644)
        check = look(project, "permissions")
        assert check.verdict == "warning"
        assert path.name in check.detail
        assert look(project, "permissions", fix=True).verdict == "fine"
        assert path.stat().st_mode & 0o777 == 0o600


def test_what_stands_in_memory_and_in_the_archive(project: Project) -> None:
    """A process was killed over forgetting: first the archive is written, then the file."""
    memory = Memory(project)
    kept = memory.log("the cache of pages is cold", "problem").entry
    gone = memory.log("the pool holds ten connections", "decision").entry
    before = project.memory.read_bytes()
    memory.forget(kept.id, "x", acknowledge=True)
    archived = project.archive.read_bytes()
    memory.forget(gone.id, "no longer so")
    memory.close()
    assert look(project, "archive").verdict == "fine"
    project.memory.write_bytes(before.replace(b"- problem: the cache of pages is cold\n", b""))
    check = look(project, "archive")
    assert check.verdict == "warning"
    assert check.detail.startswith(f"{gone.id} is both active and archived")
    check = look(project, "archive", fix=True)
    assert check.verdict == "fine"
    assert check.mended
    assert project.archive.read_bytes() == archived


def test_markers_in_every_target(project: Project) -> None:
    write(project.config, '{"context": {"targets": ["CLAUDE.md", "AGENTS.md", "docs/x.md"]}}')
    text = (project.root / "CLAUDE.md").read_text("utf-8")
    write(project.root / "AGENTS.md", text + "\n" + text)
    check = look(project, "context block")
    second = text.count("\n") + 2
    assert check.verdict.value == "broken"
    assert check.detail.startswith(f"AGENTS.md:1,{second},")
    assert "2 opening and 2 closing markers" in check.detail
    assert "`mind sync`" in check.remedy
    assert check.mending == ""
    write(project.root / "AGENTS.md", b"\xff\n" + text.encode())
    assert "AGENTS.md:1 is not UTF-8" in look(project, "context block").detail


def test_a_block_that_is_gone_comes_back_as_it_was(project: Project) -> None:
    memory = Memory(project)
    memory.log("SQLite over Postgres", "decision")
    memory.recall()
    memory.close()
    before = (project.root / "CLAUDE.md").read_bytes()
    assert b"SQLite over Postgres" in before
    write(project.root / "CLAUDE.md", "# Mine\n")
    write(project.config, '{"context": {"targets": ["CLAUDE.md", "docs/AGENTS.md"]}}')
    check = look(project, "context block")
    assert seen(check) == ("warning", "CLAUDE.md, docs/AGENTS.md has no context block")
    assert mended(project, "context block") == "add it to CLAUDE.md, docs/AGENTS.md"
    assert (project.root / "CLAUDE.md").read_bytes() == b"# Mine\n\n" + before
    assert (project.root / "docs" / "AGENTS.md").read_bytes() == before
    assert context_block.remove((project.root / "CLAUDE.md").read_bytes()) == b"# Mine\n"


@posix
def test_a_target_may_be_a_link_that_the_user_allows(
    project: Project, home: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("dotfiles") / "CLAUDE.md"
    (project.root / "CLAUDE.md").rename(elsewhere)
    link = project.root / "CLAUDE.md"
    link.symlink_to(elsewhere)
    assert "outside the repository" in look(project, "context block").detail
    assert f"{link} leads to {elsewhere}" in look(project, "links").detail
    write(home / ".mind" / "config.toml", f'[links]\nallowed = ["{link} -> {elsewhere}"]\n')
    assert look(project, "links").verdict.value == "fine"
    assert look(project, "context block").verdict.value == "fine"


def test_a_target_that_leaves_the_project(project: Project) -> None:
    write(project.config, '{"context": {"targets": ["../CLAUDE.md"]}}')
    check = look(project, "context block")
    assert check.verdict.value == "broken"
    assert "outside the repository" in check.detail
    assert "`mind config context.targets" in check.remedy


def test_a_client_that_does_not_know_mind(project: Project) -> None:
    write(project.root / ".mcp.json", "{}")
    check = look(project, "MCP registration")
    assert seen(check) == ("warning", "Mind is not registered in .mcp.json")
    assert check.remedy == "Run `mind init`."
    assert look(project, "MCP server", quick=False).verdict.value == "fine"


def test_a_program_that_moved(project: Project) -> None:
    entry = {
        "command": "/nothing/here/mind",
        "args": ["mcp", "--toolsets", "all"],
    }
    write(project.root / ".mcp.json", json.dumps({"mcpServers": {"x": {}, "mind": entry}}))
    check = look(project, "MCP registration")
    assert check.verdict.value == "broken"
    assert "/nothing/here/mind does not exist" in check.detail
    mended(project, "MCP registration")
    servers = json.loads((project.root / ".mcp.json").read_text("utf-8"))["mcpServers"]
    assert servers["mind"]["args"][-3:] == ["mcp", "--toolsets", "all"]
    assert servers["x"] == {}
    assert look(project, "MCP server", quick=False).verdict.value == "fine"


def test_a_program_that_moved_is_registered_whatever_else_is_there(project: Project) -> None:
    plugin = {"enabledPlugins": {"mind@mind-lens": True}}
    write(project.root / ".claude" / "settings.json", json.dumps(plugin))
    write(project.root / "CLAUDE.md", f"{context_block.OPENING}\n")
    entry = {"command": "/nothing/here/mind", "args": ["mcp"]}
    write(project.root / ".mcp.json", json.dumps({"mcpServers": {"mind": entry}}))
    mended(project, "MCP registration")


@posix
@pytest.mark.parametrize(
    ("said", "verdict", "detail"),
    [
        ("hello", "broken", "gave no answer: no output"),
        ("", "broken", "gave no answer: no output"),
        ("{}", "broken", "gave no answer"),
        ('{"id": 1, "result": {"serverInfo": {"version": "0.1.0"}}}', "broken", "gave no answer"),
        (
            'x\n[]\n{"id": 2, "result": {}}\n{"id": 1, "result": {"serverInfo": {"version": "7"}}}',
            "warning",
            "is Mind 7",
        ),
        (
            '{"id": 1, "result": {"serverInfo": "x"}}\n{"id": 2, "result": {}}',
            "warning",
            "is Mind of unknown version",
        ),
    ],
)
def test_a_server_that_does_not_answer_as_it_should(
    project: Project, said: str, verdict: str, detail: str
) -> None:
    check = clients.started(["printf", "%s", said], project.root, ".mcp.json")
    assert check.verdict.value == verdict
    assert detail in check.detail
    assert check.remedy


def test_every_client_that_is_registered_is_checked(project: Project, home: Path) -> None:
    root = project.root
    install.apply(install.plan(root, clients=["codex", "opencode"]))
    check = look(project, "MCP registration")
    assert check.verdict.value == "fine"
    for name in (".mcp.json", ".codex/config.toml", "opencode.json"):
        assert f"{name}: " in check.detail
    path = root / ".codex" / "config.toml"
    write(path, '[mcp_servers.mind]\ncommand = "/nothing/here/mind"\nargs = ["mcp"]\n')
    check = look(project, "MCP registration")
    assert ".codex/config.toml runs `/nothing/here/mind mcp`" in check.detail
    mended(project, "MCP registration")
    assert look(project, "MCP server", quick=False).verdict.value == "fine"
    write(path, "[mcp_servers\n")
    check = look(project, "MCP registration")
    assert check.verdict.value == "broken"
    assert f"{path}:1: not TOML" in check.detail
    assert look(project, "MCP server", quick=False).verdict.value == "fine"


def test_a_users_file_is_read_and_not_mended(project: Project, home: Path) -> None:
    path = home / ".codeium" / "windsurf" / "mcp_config.json"
    path.parent.mkdir(parents=True)
    write(path, "{")
    assert look(project, "MCP registration").verdict.value == "fine"
    write(path, '{"mind"')
    assert look(project, "MCP registration").verdict.value == "broken"
    write(path, '{"mcpServers": {"mind": {"command": "/nothing/mind", "args": ["mcp"]}}}')
    check = look(project, "MCP registration", fix=True)
    assert check.remedy == "Run `mind init --client windsurf --user`."
    install.apply(install.plan(project.root, clients=["windsurf"], user=True))
    assert look(project, "MCP registration").verdict.value == "fine"


def test_a_server_that_the_user_registered_for_all_projects(project: Project, home: Path) -> None:
    registered_here = (project.root / ".mcp.json").read_bytes()
    write(home / ".claude.json", registered_here)
    assert look(project, "MCP registration").detail.count(" mcp") == 2
    assert look(project, "MCP server", quick=False).detail.count("answers") == 1
    (project.root / ".mcp.json").unlink()
    assert look(project, "MCP registration").verdict.value == "fine"
    theirs = '{"mcpServers": {"mind": {"command": "/nothing/mind"}}}'
    write(home / ".claude.json", theirs)
    check = look(project, "MCP registration", fix=True)
    assert (check.verdict.value, check.mended) == ("broken", False)
    assert check.remedy == "Run `mind init --client claude-code --user`."
    assert (home / ".claude.json").read_text("utf-8") == theirs


@posix
def test_what_a_server_said_last_is_shown(project: Project) -> None:
    command = ["sh", "-c", "echo first >&2; echo last >&2; exit 3"]
    assert "gave no answer: last" in clients.started(command, project.root, ".mcp.json").detail


def hooked(project: Project, *commands: tuple[str, str]) -> None:
    groups: dict[str, list[object]] = {}
    for event, command in commands:
        groups.setdefault(event, []).append({"hooks": [{"type": "command", "command": command}]})
    write(project.root / ".claude" / "settings.json", json.dumps({"hooks": groups}))


HOOK = f'"{Path(sys.executable).with_name("mind-hook")}"'


def test_hooks_are_run_and_the_project_is_left_alone(project: Project) -> None:
    assert seen(look(project, "hooks", quick=False)) == ("fine", "not installed")
    hooked(
        project,
        ("SessionStart", HOOK),
        ("Stop", HOOK),
        ("Stop", "echo something else"),
        ("Stop", "exit 9 # remind-hook"),
    )
    memory = Memory(project)
    memory.log("the running session", "experience")
    memory.close()
    before = (project.state.read_bytes(), project.session.read_bytes(), registered())
    check = look(project, "hooks", quick=False)
    assert check.verdict.value == "fine"
    assert check.detail.startswith("SessionStart runs in ")
    assert "; Stop runs in " in check.detail
    assert (project.state.read_bytes(), project.session.read_bytes(), registered()) == before
    assert look(project, "hooks").detail == f"SessionStart: {HOOK}, Stop: {HOOK}"


@posix
@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("/nothing/mind-hook", "exits with 127"),
        ("exit 3", "exits with 3: no output"),
        ("true", "does not print a reminder that is due"),
    ],
)
def test_a_hook_that_does_not_run(
    project: Project, command: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "mind.setup.doctor.clients.claude_hooks.own", lambda *_: project.root / "own"
    )
    write(project.root / "own", f"#!/bin/sh\n{command}\n")
    (project.root / "own").chmod(0o755)
    hooked(project, ("SessionStart", HOOK))
    check = look(project, "hooks", quick=False)
    assert check.verdict.value == "broken"
    assert said in check.detail
    path = project.root / ".claude" / "settings.json"
    assert check.remedy.startswith(f"Change the command in {path}")
    assert "mind-hook`" in check.remedy


def test_hooks_for_all_projects_are_run_too(
    project: Project, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hooked(project, ("SessionStart", HOOK))
    settings = project.root / ".claude" / "settings.json"
    write(home / ".claude" / "settings.json", b"// ours\n" + settings.read_bytes())
    assert look(project, "hooks").detail == f"SessionStart: {HOOK}, SessionStart: {HOOK}"
    settings.unlink()
    assert look(project, "hooks").detail == f"SessionStart: {HOOK}"
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home / "elsewhere"))
    assert look(project, "hooks").detail == "not installed"


@posix
def test_a_hook_that_does_not_end(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mind.setup.doctor.clients._HOOK_SECONDS", 0.2)
    said = clients.run("Stop", ["sleep", "60"], project.root)
    assert said == "gives no answer within 0.2 s"


@pytest.mark.parametrize(
    "text",
    ["{}", '{"hooks": []}', '{"hooks": {"Stop": 1, "Start": [2, {"hooks": [3, {"command": 4}]}]}}'],
)
def test_settings_of_another_shape_hold_no_hooks(project: Project, text: str) -> None:
    write(project.root / ".claude" / "settings.json", text)
    assert seen(look(project, "hooks")) == ("fine", "not installed")


def test_settings_that_are_no_json(project: Project) -> None:
    write(project.root / ".claude" / "settings.json", "{,}")
    assert look(project, "hooks").verdict.value == "broken"


# git


def test_a_memory_that_git_ignores(project: Project, git: Git) -> None:
    write(project.root / ".gitignore", "x\n.mind\n")
    check = look(project, "git", quick=False)
    assert seen(check) == ("warning", "git ignores the memory because of .gitignore:2:.mind")
    assert "`mind init --private`" in check.remedy
    (project.root / ".gitignore").unlink()
    write(project.folder / ".gitignore", "*\n")
    assert "private" in look(project, "git", quick=False).detail


def test_derived_files_that_git_keeps(project: Project, git: Git) -> None:
    write(project.cache / "index.db", "")
    git("add", "--force", ".mind/cache/index.db")
    check = look(Project(project.root), "tracked state")
    assert check.verdict.value == "warning"
    assert check.detail.startswith("git tracks .mind/cache")
    command = check.remedy.split("`")[1]
    git(*command.split()[1:])
    assert look(Project(project.root), "tracked state").verdict.value == "fine"


def test_without_git(tmp_path_factory: pytest.TempPathFactory) -> None:
    root = tmp_path_factory.mktemp("plain")
    install.apply(install.plan(root))
    assert seen(look(Project(root), "git", quick=False)) == ("fine", "not a git repository")


def test_git_that_fails(project: Project) -> None:
    write(project.root / ".git" / "config", "[nonsense")
    check = look(project, "git", quick=False)
    assert check.verdict.value == "warning"
    assert "git cannot read" in check.detail
    assert check.remedy == "Run `git status` to see why."
