"""Deleting ``.mind/cache/`` changes no answer, and a clone gives the same ones."""

import json
import shutil
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from mind.cli.app import app
from mind.domain.entry import Entry
from mind.memory.as_json import plain
from mind.memory.memory import Memory
from mind.setup import install
from mind.setup import install as installation
from mind.storage.project import Project
from tests.effort import tries
from tests.test_server import call

Git = Callable[..., str]
FACTS = (
    "decided: SQLite over Postgres for the ledger",
    "learned: the ledger locks under load",
    "problem: the import of old ledgers is slow",
    "fixed: the import of old ledgers takes a second now",
    "rejected: Redis for the ledger - one more server",
    "gotcha: `parse_ledger` in app.py reads twice -> cache it",
    "- [ ] todo: index the ledger",
    "decided: Postgres over SQLite for the ledger, as of version 2",
)
READS = (
    ("search", "ledger", "-n", "50"),
    ("search", "books", "since:2020", "-n", "50"),
    ("recent", "-n", "50"),
    ("around", "today"),
    ("graph", "traverse", "ledger"),
    ("edges", "use Redis for the ledger"),
    ("history", "CLAUDE.md"),
    ("reminders", "--all"),
    ("status",),
    ("health",),
    ("archive", "list"),
    ("tidy", "--dry-run"),
    ("session",),
    ("recall",),
)
READS_OF_ONE = (("show",), ("timeline",), ("around",), ("blame",), ("log-history",))
TOOLS: tuple[tuple[str, dict[str, object]], ...] = (
    ("mind_recall", {}),
    ("mind_search", {"query": "ledger"}),
    ("mind_status", {}),
    ("mind_reminders", {}),
    ("mind_edges", {"intent": "use Redis for the ledger"}),
    ("mind_session", {}),
)


def answers(root: Path) -> str:
    """What the read commands say of a memory."""
    memory = Memory(Project(root))
    try:
        entries = memory.search("ledger", limit=50)
        ids = [hit.entry.id for hit in entries.hits]
        said = [
            [
                (hit.entry.id, hit.entry.text, round(hit.score, 6), hit.stale)
                for hit in entries.hits
            ],
            memory.get(ids[:50]) if ids else None,
            [hit.entry.id for hit in memory.recent(limit=50).hits],
            memory.around("today", limit=50),
            memory.timeline(ids[0]) if ids else None,
            memory.traverse("ledger"),
            memory.edges("use Redis for the ledger", "parse_ledger(x)"),
            [one.id for one in memory.index_entries()],
            memory.recall().context,
            memory.status().entries,
        ]
    finally:
        memory.close()
    return json.dumps(plain(said), indent=1, default=str)


def read(root: Path, *command: str) -> object:
    """What a command prints, without what is no answer."""
    done = CliRunner().invoke(app, ["--project", str(root), *command, "--json"])
    try:
        said = json.loads(done.stdout)
    except ValueError:
        return done.exit_code, done.output, str(done.exception)
    if isinstance(said, dict):
        said.pop("index_bytes", None)
        said.pop("written", None)
    return said


def printed(root: Path, ids: Sequence[str]) -> dict[str, object]:
    """What each command prints, and each tool answers."""
    found = {" ".join(one): read(root, *one) for one in READS}
    found |= {" ".join((*one, id_)): read(root, *one, id_) for one in READS_OF_ONE for id_ in ids}
    return found | {name: call(Project(root), name, **given) for name, given in TOOLS}


def commit(root: Path, git: Git, *options: str) -> None:
    git("commit", "--quiet", "--allow-empty", *options, cwd=root)


def note(root: Path, git: Git, number: int) -> None:
    with (root / ".mind" / "MEMORY.md").open("a", encoding="utf-8") as file:
        file.write(f"\n- {FACTS[number]}\n")


def comment(root: Path, git: Git, number: int) -> None:
    source = root / "src" / f"part{number % 3}.py"
    source.parent.mkdir(exist_ok=True)
    source.write_text(f"# MEMORY: {FACTS[number]}\nx = {number}\n", encoding="utf-8")


def drop_comment(root: Path, git: Git, number: int) -> None:
    (root / "src" / f"part{number % 3}.py").unlink(missing_ok=True)


def rename(root: Path, git: Git, number: int) -> None:
    source = root / "src" / f"part{number % 3}.py"
    if source.exists():
        source.replace(source.with_name(f"part{(number + 1) % 3}.py"))


def commit_all(root: Path, git: Git, number: int) -> None:
    git("add", "-A", cwd=root)
    commit(root, git, "-m", f"Work {number}\n\n{FACTS[number]}")


def commits(root: Path, git: Git) -> list[str]:
    """The commits of the main branch, newest first."""
    return git("log", "--format=%H", "--first-parent", "--branches=main", cwd=root).split()


def amend(root: Path, git: Git, number: int) -> None:
    again = ("--amend",) if commits(root, git) else ()
    commit(root, git, *again, "-m", f"Work again\n\n{FACTS[number]}")


def drop_commit(root: Path, git: Git, number: int) -> None:
    """Rewrite history: what the last commit changed stays in the files."""
    if len(commits(root, git)) > 1:
        git("reset", "--quiet", "--mixed", "HEAD~1", cwd=root)


def edit(root: Path, git: Git, number: int) -> None:
    path = root / ".mind" / "MEMORY.md"
    path.write_text(path.read_text("utf-8").replace("ledger", "books", 1), "utf-8")


def recall(root: Path, git: Git, number: int) -> None:
    with closing(Memory(Project(root))) as memory:
        memory.recall()


def merge_a_branch(root: Path, git: Git, number: int) -> None:
    """Two branches, of which one was read before the other is merged."""
    name = f"work{len(git('branch', cwd=root))}"
    commit(root, git, "-m", "Before the branch")
    git("checkout", "--quiet", "-b", name, cwd=root)
    commit(root, git, "-m", f"Branch\n\n{FACTS[number]}")
    git("checkout", "--quiet", "main", cwd=root)
    commit(root, git, "-m", "Main\n\nlearned: ledgers are slow")
    with closing(Memory(Project(root))) as memory:
        memory.checkpoint()
    git("merge", "--quiet", "--no-edit", "--no-ff", name, cwd=root)


def archive(root: Path, git: Git, number: int) -> None:
    with closing(Memory(Project(root))) as memory:
        if noted := noted_in(memory):
            memory.forget(noted[number % len(noted)].id, "over", acknowledge=True)


def update(root: Path, git: Git, number: int) -> None:
    with closing(Memory(Project(root))) as memory:
        if noted := noted_in(memory):
            text = f"the ledger has {number} parts"
            memory.update(noted[number % len(noted)].id, text, acknowledge=True)


def remind(root: Path, git: Git, number: int) -> None:
    with closing(Memory(Project(root))) as memory:
        memory.remind(FACTS[number], ("tomorrow", "next session", "every monday")[number % 3])


def noted_in(memory: Memory) -> list[Entry]:
    return [one for one in memory.index_entries() if one.source.endswith("MEMORY.md")]


STEPS: dict[str, Callable[[Path, Git, int], None]] = {
    "memory": note,
    "comment": comment,
    "drop comment": drop_comment,
    "rename": rename,
    "commit": commit_all,
    "amend": amend,
    "drop commit": drop_commit,
    "edit": edit,
    "recall": recall,
    "branch": merge_a_branch,
    "archive": archive,
    "update": update,
    "remind": remind,
}
STEP = st.tuples(st.sampled_from(tuple(STEPS)), st.integers(0, len(FACTS) - 1))


def carry_out(root: Path, git: Git, step: tuple[str, int]) -> None:
    what, number = step
    STEPS[what](root, git, number)


@settings(
    max_examples=tries(3, 60),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(STEP, min_size=2, max_size=7))
def test_no_answer_changes_when_the_cache_is_deleted(
    git: Git, tmp_path: Path, steps: list[tuple[str, int]]
) -> None:
    with TemporaryDirectory(dir=tmp_path) as folder:
        root = Path(folder) / "books"
        git("init", "--quiet", "--initial-branch=main", str(root))
        install.apply(install.plan(root))
        Memory(Project(root)).configure("events.enabled", "false")  # asking counts as a use
        for step in steps:
            carry_out(root, git, step)
        ids = seen(root)
        before = answers(root), printed(root, ids)
        shutil.rmtree(root / ".mind" / "cache")
        assert printed(root, ids) == before[1]
        shutil.rmtree(root / ".mind" / "cache")
        assert answers(root) == before[0]


def seen(root: Path) -> list[str]:
    """Ids of the first entries, before and after somebody edits them by hand."""
    path = root / ".mind" / "MEMORY.md"
    memory = Memory(Project(root))
    before = [one.id for one in memory.index_entries()[:2]]
    path.write_text(path.read_text("utf-8").replace(" ledger", " old ledger", 2), "utf-8")
    after = [one.id for one in memory.index_entries()[:2]]
    memory.close()
    return list(dict.fromkeys((*before, *after)))


@pytest.mark.parametrize("log", ["true", "false"])
def test_an_edited_entry_is_found_by_its_old_id(project: Project, log: str) -> None:
    memory = Memory(project)
    memory.configure("events.enabled", log)
    text = "- decided: SQLite over Postgres for the ledger, since it needs no server\n"
    project.memory.write_text(f"## 2026-11-20\n\n{text}", encoding="utf-8")
    (old,) = memory.index_entries()
    project.memory.write_text(
        f"## 2026-11-20\n\n{text.replace('needs', 'requires')}", encoding="utf-8"
    )
    (new,) = memory.index_entries()
    assert new.id != old.id
    memory.close()
    shutil.rmtree(project.cache)
    assert [one.id for one in Memory(project).get([old.id]).entries] == [new.id]


@pytest.mark.parametrize(
    ("key", "value"),
    [("parser.keywords", '{"decision": ["beschluss"]}'), ("capture.max_commits", "2")],
)
def test_a_setting_counts_for_what_was_read_before(
    repository: Path, git: Git, key: str, value: str
) -> None:
    install.apply(install.plan(repository))
    with (repository / ".mind" / "MEMORY.md").open("a", encoding="utf-8") as file:
        file.write("\n- beschluss: the ledger stays\n")
    (repository / "app.py").write_text("# MEMORY: beschluss: parse by hand\n", encoding="utf-8")
    for at in range(4):
        git("commit", "--quiet", "--allow-empty", "-m", f"Work\n\nlearned: ledger {at} is slow")
    memory = Memory(Project(repository))
    memory.index_entries()
    memory.configure(key, value)
    before = Memory(Project(repository)).index_entries()
    shutil.rmtree(repository / ".mind" / "cache")
    assert Memory(Project(repository)).index_entries() == before


def test_only_the_last_commits_count_however_many_were_read(repository: Path, git: Git) -> None:
    install.apply(install.plan(repository))
    Memory(Project(repository)).configure("capture.max_commits", "3")
    for at in range(5):
        git("commit", "--quiet", "--allow-empty", "-m", f"Work\n\nlearned: ledger {at} is slow")
        before = Memory(Project(repository)).index_entries()
    shutil.rmtree(repository / ".mind" / "cache")
    assert Memory(Project(repository)).index_entries() == before


@settings(
    max_examples=tries(3, 30),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(STEP, min_size=2, max_size=7))
def test_a_clone_has_the_same_tracked_entries_in_the_same_order(
    git: Git, tmp_path: Path, steps: list[tuple[str, int]]
) -> None:
    with TemporaryDirectory(dir=tmp_path) as folder:
        root, clone = Path(folder) / "books", Path(folder) / "clone" / "books"
        git("init", "--quiet", "--initial-branch=main", str(root))
        install.apply(install.plan(root))
        Memory(Project(root)).configure("events.enabled", "false")
        for step in steps:
            carry_out(root, git, step)
        git("add", "-A", cwd=root)
        git("commit", "--quiet", "--allow-empty", "-m", "All", cwd=root)
        git("clone", "--quiet", str(root), str(clone))
        said = [
            [(one.id, one.text, one.where) for one in Memory(Project(at)).index_entries()]
            for at in (root, clone)
        ]
        assert said[0] == said[1]
        assert read(root, *READS[0]) == read(clone, *READS[0])


@pytest.mark.parametrize(
    "steps",
    [
        [("comment", 4), ("recall", 0), ("memory", 4)],  # the comment is hidden, but indexed first
        [("memory", 1), ("recall", 0), ("comment", 3), ("commit", 2)],
        [("commit", 2), ("commit", 3), ("recall", 0), ("comment", 3), ("memory", 2)],
    ],
)
def test_the_order_of_equals_is_not_that_in_which_they_were_indexed(
    repository: Path, git: Git, tmp_path: Path, steps: list[tuple[str, int]]
) -> None:
    installation.apply(installation.plan(repository))
    Memory(Project(repository)).configure("events.enabled", "false")
    for step in steps:
        carry_out(repository, git, step)
    ids = [one.id for one in Memory(Project(repository)).index_entries()]
    git("add", "-A")
    git("commit", "--quiet", "--allow-empty", "-m", "All")
    clone = tmp_path / "clone" / repository.name
    git("clone", "--quiet", str(repository), str(clone))
    assert [one.id for one in Memory(Project(clone)).index_entries()] == ids
    assert read(repository, *READS[0]) == read(clone, *READS[0])


@pytest.mark.parametrize("what", ["search", "show", "recent"])
def test_a_fresh_clone_finds_comments_and_commits_at_once(
    repository: Path, git: Git, tmp_path: Path, what: str
) -> None:
    install.apply(install.plan(repository))
    (repository / "app.py").write_text("# MEMORY: decided: parse by hand\n", encoding="utf-8")
    git("add", "-A")
    git("commit", "-qm", "Work\n\nlearned: parsers are slow")
    clone = tmp_path / "clone"
    git("clone", "--quiet", str(repository), str(clone))
    known = {one.text: one.id for one in Memory(Project(repository)).index_entries()}
    memory = Memory(Project(clone))
    if what == "search":
        assert {hit.entry.text for hit in memory.search("parse parsers").hits} == known.keys()
    elif what == "show":
        assert {one.text for one in memory.get(list(known.values())).entries} == known.keys()
    else:
        assert {hit.entry.text for hit in memory.recent().hits} == known.keys()
