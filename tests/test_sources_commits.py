"""Explicit marks and prose in commit messages, and which commits are read again."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from mind.domain.entry import Kind, Status
from mind.domain.settings import Settings
from mind.sources import commits
from mind.sources.git.messages import entries_in, is_revert, passage
from mind.sources.git.repository import head as repository_head
from tests.secret_cases import drawn

SETTINGS = Settings()
Git = Callable[..., str]


def commit(git: Git, message: str, *options: str) -> str:
    git("commit", "--quiet", "--allow-empty", "--cleanup=verbatim", "-m", message, *options)
    return git("rev-parse", "HEAD")


def read(root: Path, since: str | None = None, limit: int = 2000) -> list[str]:
    result = commits.scan(root, SETTINGS, since, limit)
    assert result.problem == ""
    return [entry.text for entry in result.entries]


def said(message: str) -> list[tuple[str, str]]:
    return [(entry.kind.value, entry.text) for entry in entries_in(message, SETTINGS)]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("decided: SQLite over Postgres", ("decision", "SQLite over Postgres")),
        ("Decision: SQLite", ("decision", "SQLite")),
        ("decision(storage): SQLite", ("decision", "SQLite #storage")),
        ("rejected(hugo-book): it looks dull", ("rejected", "it looks dull #hugo-book")),
        ("rejected(a b): it is slow", ("rejected", "it is slow - a b")),
        ("rejected(redis): Redis for sessions", ("rejected", "Redis for sessions")),
        ("x\n\nDirective: keep both in step", ("decision", "keep both in step")),
        ("x\n\nDecision: ADR-7, one queue", ("decision", "ADR-7, one queue")),
        ("x\n\nRejected: XML", ("rejected", "XML")),
        ("x\n\nDecision: SHA-256", ("decision", "SHA-256")),
        ("x\n\nDecision: No, we keep SQLite", ("decision", "No, we keep SQLite")),
        ("x\n\nDecision: None, null and 0 are equal", ("decision", "None, null and 0 are equal")),
        ("x\n\nRejected: the same session for all - it leaks",
         ("rejected", "the same session for all - it leaks")),
        ("x\n\nRejected: two-phase commit - one commit is enough",
         ("rejected", "two-phase commit - one commit is enough")),
        ("x\n\nDecision(2024-01-05): use X", ("decision", "use X")),
        ("x\n\nRejected(high): use X", ("rejected", "use X")),
        ("x\n\nSwitch the events storage over to Postgres, and keep it.\nrejected: MongoDB",
         ("rejected", "MongoDB")),
        (("x\n\n- add x\n- change the storage of the events over to Postgres for all tenants\n"
         "rejected: MongoDB"), ("rejected", "MongoDB")),
        (("x\n\nFixes #12\nSwitch the storage of the events over to Postgres for each tenant\n"
         "rejected: MongoDB"), ("rejected", "MongoDB")),
        ("x\n\nRejected (option B): too slow", ("rejected", "too slow - option B")),
        ("Directive: keep the cache on", ("decision", "keep the cache on")),
        ("x\n\nThis change moves the storage of the events to Postgres\ndecision: use Postgres",
         ("decision", "use Postgres")),
        ("learned: retries double the bill", ("learning", "retries double the bill")),
        ("gotcha: npm ci hangs", ("gotcha", "npm ci hangs")),
        ("rejected: Redis - one more server", ("rejected", "Redis - one more server")),
        ("decidido: usar SQLite", ("decision", "usar SQLite")),
        ("決定：SQLite を使う", ("decision", "SQLite を使う")),
        ("MEMORY: decided: one file", ("decision", "one file")),
        ("MEMORY: the two tables are kept in step", ("note", "the two tables are kept in step")),
        ("x\n\ndecided: one", ("decision", "one")),
        ("x\n\nText before.\n- decided: one\n- other", ("decision", "one")),
        ("x\n\n1. decided: one\n2. other", ("decision", "one")),
        ("x\n\n**Decision:** one", ("decision", "one")),
        ("x\n\ndecided: one\n  because two\nand 3\n\nother", ("decision", "one because two and 3")),
        ("x\n\ndecided: one\nSigned-off-by: A <a@example.org>", ("decision", "one")),
        ("x\n\n* MEMORY: one", ("note", "one")),
        ("x\n\nMEMORY: problem: the cache is cold", ("problem", "the cache is cold")),
        ("MEMORY: blocker: no API key", ("blocker", "no API key")),
        ("x\n\nMEMORY: assumption: users have git", ("assumption", "users have git")),
    ],
)  # fmt: skip
def test_explicit_marks_are_read(message: str, expected: tuple[str, str]) -> None:
    assert said(message) == [expected]


@pytest.mark.parametrize(
    "message",
    [
        "fix: typo",
        "fix(parser)!: typo",
        "fixed: typo",
        "fixed tests",
        "Fixes #12",
        "feat: decided names",
        "docs: note the gotcha",
        "bug: typo",
        "issue: typo",
        "warning: unused variable",
        "note: something",
        "todo: something",
        "memory: use less of it",
        "Memory: use less of it",
        "MEMORY:",
        "MEMORY: ...",
        "decided to use SQLite",
        "undecided: what to use",
        "fixup! decided: SQLite",
        "decided:",
        "Merge branch 'decided: x'",
        'x\n\nFixes: 1234567890ab ("decided: x")',
        "x\n\nFixed: 12345",
        "x\n\nBug: 12345",
        "x\n\nIssue: #12, #13",
        "x\n\nIssue: ABC-12",
        "x\n\nBug: https://example.org/12",
        "x\n\nBlocked: none",
        "x\n\nSigned-off-by: A <a@example.org>\nCo-authored-by: B <b@example.org>",
        "x\n\nReviewed-by: A\nCc: B\nLink: https://example.org\nChange-Id: I1234",
        "x\n\nTested: yes\nDone: all",
        "problem: the cache is cold",
        "x\n\nProblem: the cache is cold\n\nSolution: warm it",
        "x\n\nBug: the parser reads past the end",
        "x\n\nblocker: no API key",
        "x\n\nassumption: users have git",
        "x\n\nRoot cause: the handler reads the local file",
        "x\n\nBREAKING CHANGE: the option is gone",
        "x\n\nImportant: run the migration first",
        "x\n\nFound: two callers",
        "x\n\nWarning: this drops the table",
        "x\n\nTried: a larger buffer",
        "x\n\nDecided against this in the end",
        "x\n\nNote: this also renames a file",
        "x\n\nTODO: tests",
        "x\n\n> decided: quoted",
        "x\n\n    decided: code",
        "x\n\n```\ndecided: code\n```",
        "x\n\nthe one that was decided: one",
        "x\n\nin the end we all decided: one",
        "x\n\nRejected: None — the cause was clear once it was understood",
        "x\n\nRejected: n/a",
        "directive: fix v-focus typo",
        "x\n\nDecision: DEC-STORE-001",
        "x\n\nDecision: #12",
        "x\n\nRejected: Full RBAC in this phase | too broad for the current slice",
        "x\n\nRejected: Splitting docs and script into separate commits | one small update",
        "x\n# ------------------------ >8 ------------------------\ndecided: a diff",
    ],
)  # fmt: skip
def test_ordinary_messages_leave_memory_alone(message: str) -> None:
    assert said(message) == []


def test_several_lines_of_one_message_are_several_entries() -> None:
    message = "decided: one\n\nlearned: two\ngotcha: three\n\n- problem: no\n- rejected: four\n"
    assert [text for _, text in said(message)] == ["one", "two", "three", "four"]


@pytest.mark.parametrize(
    "body", ["Decision: a" + " " * 90_000 + "b", "a\n" * 30_000, "a: b\n" * 20_000]
)
def test_no_message_stalls_the_reading_of_its_marks(body: str) -> None:
    began = time.process_time()
    said(f"x\n\n{body}")
    assert time.process_time() - began < 10


def test_an_entry_is_at_most_thirty_lines() -> None:
    ((_, text),) = said("x\n\ndecided: one\n" + "more\n" * 99)
    assert text.count("more") == 29


def test_a_problem_that_is_marked_for_the_memory_is_open() -> None:
    (entry,) = entries_in("fix: warm it\n\nMEMORY: problem: the cache is cold", SETTINGS)
    assert (entry.kind, entry.status) == (Kind.PROBLEM, Status.OPEN)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (
            """Revert "Use Redis"\n\nThis reverts commit 1234567890abcdef.

One more server,
for three keys.

Signed-off-by: A <a@example.org>""",
            'Revert "Use Redis": One more server, for three keys.',
        ),
        ("fix: close it\n\nRoot cause: it was lazy", "fix: close it: Root cause: it was lazy"),
        ("feat!: go\n\nBREAKING CHANGE: no v1", "feat!: go: BREAKING CHANGE: no v1"),
        ("x\n\n<!-- Why is\n\nit needed? -->\nIt leaks.", "x: It leaks."),
        ("x\n\n```\nmake it\n```\nIt leaks.", "x: It leaks."),
        ("x\n\n```GET /v3```\nIt leaks.", "x: ```GET /v3``` It leaks."),
        ("x\n\n````\n```\nmake it\n````\nIt leaks.", "x: It leaks."),
        ('Revert "Use Redis"\n\n性能が悪化した。直す', 'Revert "Use Redis": 性能が悪化した。直す'),
        ("Use Redis", ""),
        ('Revert "Use Redis"\n\nThis reverts commit 1234567890abcdef.', ""),
        ("Use Redis\n\nSigned-off-by: A Person <a@example.org>", ""),
        ("Use Redis\n\n#12", ""),
    ],
)
def test_the_prose_of_a_message_is_its_passage(message: str, expected: str) -> None:
    assert passage(message, SETTINGS) == expected
    assert said(message) == []


def test_a_long_message_is_a_passage_of_limited_length() -> None:
    assert 990 < len(passage("x\n\n" + "It leaks. " * 1_000, SETTINGS)) <= 1_000


def test_a_long_message_without_spaces_is_a_passage() -> None:
    found = passage("修正\n\n" + "缓存在夜里会过期。" * 200, SETTINGS)
    assert found.startswith("修正: 缓存在夜里会过期。缓存")
    assert len(found) == 1_000


def test_marks_leave_the_rest_of_a_message_to_search() -> None:
    message = "Use zstd\n\nBREAKING CHANGE: no gzip.\n\ndecision: level 9\nfor all\n\nIt is fast."
    assert passage(message, SETTINGS) == "Use zstd: BREAKING CHANGE: no gzip. It is fast."
    assert said(message) == [("decision", "level 9 for all")]


def test_lines_beside_a_mark_are_left_to_search() -> None:
    message = (
        "Move CI\n\ndecided: arm runners\nfor all\nDetails: Hetzner quoted us\nfor a pool\n"
        "Rejected: TypeORM | slow\n\n- learned: it boots\n- in 4 s"
    )
    assert said(message) == [("decision", "arm runners for all"), ("learning", "it boots")]
    prose = "Details: Hetzner quoted us for a pool Rejected: TypeORM | slow - in 4 s"
    assert passage(message, SETTINGS) == f"Move CI: {prose}"


def test_a_credential_at_the_end_of_a_passage_is_masked(repository: Path, git: Git) -> None:
    token = "ghp_" + drawn("passage", 36)
    commit(git, "alpha\n\n" + "word " * 190 + token + " tail")
    (message,) = commits.scan(repository, SETTINGS, None, 1).messages
    (found,) = message.passages()
    assert token[:8] not in found.text


@pytest.mark.parametrize("body", ["a" * 90_000, "<!--\n" * 18_000, "This reverts commit " * 4_500])
def test_no_message_stalls_the_reading_of_its_prose(body: str) -> None:
    began = time.process_time()
    passage(f"x\n\n{body}", SETTINGS)
    assert time.process_time() - began < 2


@pytest.mark.parametrize(
    ("message", "undoes"),
    [
        ('Revert "Use Redis"\n\nOne more server.', True),
        ("revert: feat: use Redis\n\nThis reverts commit 1234567890abcdef.", True),
        ("fix(db): revert use of Redis\n\nThis reverts commit 1234567.", True),
        ('Revert "Revert "Use Redis""\n\nThis reverts commit 1234567.', False),
        ("fix: revert button styling\n\nThe revert button was misaligned.", False),
    ],
)
def test_a_revert_undoes_a_commit_that_is_no_revert(message: str, undoes: bool) -> None:
    assert is_revert(message) == undoes


def test_passages_are_what_people_wrote(repository: Path, git: Git) -> None:
    commit(git, "Bump it\n\nRelease notes follow.", "--author=helper[bot] <a@example.org>")
    made = commit(git, 'Revert "Use Redis"\n\nOne more server.', "--date=2024-02-29T23:30:00+0900")
    git("switch", "--quiet", "--create", "side", "HEAD~1")
    commit(git, "Use SQLite\n\nIt is one file.", "--date=2024-03-01T10:00:00+0000")
    commit(git, "Use it twice\n\nBecause it is small.\n\nlearned: it is slow")
    git("merge", "--quiet", "--no-ff", "-m", "Merge main\n\nWith all of it.", "main")
    ((_, reverting),) = commits.reverts(repository, SETTINGS, 10)
    assert (reverting.text, reverting.commit) == ('Revert "Use Redis": One more server.', made)
    assert reverting.date == date(2024, 2, 29)
    found = commits.scan(repository, SETTINGS, None, 10).messages
    assert {one.text for message in found for one in message.passages()} == {
        "Use SQLite: It is one file.",
        "Use it twice: Because it is small.",
        'Revert "Use Redis": One more server.',
        "With all of it.",
    }


def test_many_secrets_in_one_message_are_masked_in_the_time_of_its_length() -> None:
    def spent(count: int) -> float:
        lines = [f"decided: use cache {at} password: {drawn(str(at), 12)}Q1" for at in range(count)]
        began = time.process_time()
        entries = entries_in("x\n\n" + "\n".join(lines), SETTINGS)
        assert [one.masked for one in entries] == [1] * count
        return time.process_time() - began

    spent(10)
    short, long = spent(15), spent(100)
    assert long < 30 * short


def test_a_long_message_is_read_up_to_a_line_end(
    repository: Path, git: Git, tmp_path: Path
) -> None:
    lines = [f"decided: cache {at} is kept for a day{' and a night' * 120}" for at in range(90)]
    (tmp_path / "message").write_text("x\n\n" + "\n".join(lines), encoding="utf-8")
    git("commit", "--quiet", "--allow-empty", "-F", str(tmp_path / "message"))
    assert len("\n".join(lines)) > 100_000
    found = read(repository)
    assert 50 < len(found) < 90
    assert found == [line.removeprefix("decided: ") for line in lines[: len(found)]]


def test_a_message_has_at_most_a_hundred_marks_and_none_is_a_book() -> None:
    lines = [f"decided: cache {at} is kept for a day" for at in range(8_000)]
    assert len(said("x\n\n" + "\n".join(lines))) == 100
    assert said(f"x\n\ndecided: {'a day and ' * 2_000}\n\ndecided: Redis") == [
        ("decision", "Redis")
    ]


def test_an_entry_carries_its_commit_and_the_authors_day(repository: Path, git: Git) -> None:
    made = commit(git, "decided: one", "--date=2024-02-29T23:30:00+0900")
    (entry,) = commits.scan(repository, SETTINGS, None, 10).entries
    assert (entry.source, entry.commit, entry.line, entry.end) == ("git", made, 0, 0)
    assert entry.date == date(2024, 2, 29)
    assert entry.id


def test_entries_come_in_the_order_of_the_history(repository: Path, git: Git) -> None:
    commit(git, "decided: one\n\nlearned: two")
    commit(git, "decided: three")
    assert read(repository) == ["one", "two", "three"]


def test_only_new_commits_are_read(repository: Path, git: Git) -> None:
    first = commit(git, "decided: one")
    second = commit(git, "decided: two")
    result = commits.scan(repository, SETTINGS, first, 10)
    assert [entry.text for entry in result.entries] == ["two"]
    assert (result.rewritten, result.head) == (False, second)
    assert commits.scan(repository, SETTINGS, second, 10) == commits.Commits(head=second)


def test_the_first_time_goes_back_so_many_commits_and_no_further(
    repository: Path, git: Git
) -> None:
    for number in range(3):
        commit(git, f"decided: number {number}")
    assert read(repository, limit=2) == ["number 1", "number 2"]
    assert read(repository, limit=0) == []


def amended(git: Git) -> None:
    git("commit", "--quiet", "--amend", "--allow-empty", "-m", "decided: amended")


def undone(git: Git) -> None:
    git("reset", "--quiet", "--hard", "HEAD~1")


def switched(git: Git) -> None:
    git("switch", "--quiet", "side")


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (amended, ["base", "amended"]),
        (undone, ["base"]),
        (switched, ["base", "side"]),
    ],
)
def test_a_rewritten_history_is_read_anew(
    repository: Path, git: Git, change: Callable[[Git], None], expected: list[str]
) -> None:
    commit(git, "decided: base")
    git("switch", "--quiet", "--create", "side")
    commit(git, "decided: side")
    git("switch", "--quiet", "main")
    seen = commit(git, "decided: main")
    change(git)
    result = commits.scan(repository, SETTINGS, seen, 10)
    assert result.rewritten
    assert [entry.text for entry in result.entries] == expected


@pytest.mark.parametrize("since", ["0" * 40, "--output=x", "HEAD", "f" * 39])
def test_what_is_no_commit_of_the_history_counts_as_rewritten(
    repository: Path, git: Git, since: str
) -> None:
    commit(git, "decided: one")
    result = commits.scan(repository, SETTINGS, since, 10)
    assert result.rewritten
    assert len(result.entries) == 1
    assert not (repository / "x").exists()


def test_a_history_that_is_gone_takes_its_entries_along(repository: Path, git: Git) -> None:
    seen = commit(git, "decided: one")
    git("switch", "--quiet", "--orphan", "empty")
    assert commits.scan(repository, SETTINGS, seen, 10) == commits.Commits(rewritten=True)
    assert commits.scan(repository, SETTINGS, None, 10) == commits.Commits()


def test_a_merge_says_only_what_a_person_wrote_in_its_body(repository: Path, git: Git) -> None:
    commit(git, "x")
    git("switch", "--quiet", "--create", "side")
    commit(git, "decided: side")
    git("switch", "--quiet", "main")
    commit(git, "y")
    git("merge", "--quiet", "--no-ff", "side", "-m", "decided: not this\n\nlearned: but this")
    assert sorted(read(repository)) == ["but this", "side"]


def test_a_message_in_another_encoding_is_read(repository: Path, git: Git) -> None:
    git("config", "i18n.commitEncoding", "ISO-8859-1")
    (repository / "m").write_bytes("decided: Größe über Länge".encode("latin-1"))
    git("commit", "--quiet", "--allow-empty", "-F", "m")
    who = "A <a@example.org> 1700000000 +0000"
    raw = f"author {who}\ncommitter {who}\n\ndecided: naïve, undeclared"
    tree, parent = git("write-tree"), git("rev-parse", "HEAD")
    (repository / "raw").write_bytes(f"tree {tree}\nparent {parent}\n{raw}\n".encode("latin-1"))
    git("update-ref", "HEAD", git("hash-object", "-t", "commit", "-w", "raw"))
    git("config", "i18n.logOutputEncoding", "ISO-8859-1")
    assert read(repository) == ["Größe über Länge", "naïve, undeclared"]


def test_a_commit_with_a_broken_date_has_no_day(repository: Path, git: Git) -> None:
    tree = git("write-tree")
    raw = f"tree {tree}\nauthor A <a> 99999999999999 +9999\ncommitter A <a> 1 +0000\n\ndecided: x\n"
    (repository / "raw").write_text(raw, encoding="utf-8")
    made = git("hash-object", "-t", "commit", "-w", "--literally", "raw")
    git("update-ref", "HEAD", made)
    assert read(repository) == ["x"]


def test_settings_of_the_user_change_nothing(repository: Path, git: Git) -> None:
    for key, value in (
        ("log.showSignature", "true"),
        ("log.follow", "true"),
        ("log.date", "relative"),
        ("color.ui", "always"),
        ("format.pretty", "oneline"),
        ("diff.external", "touch fired; false"),
        ("core.pager", "touch fired"),
        ("notes.displayRef", "*"),
    ):
        git("config", key, value)
    commit(git, "decided: one")
    git("notes", "add", "-m", "decided: not a note")
    assert read(repository) == ["one"]
    assert not (repository / "fired").exists()


def test_a_folder_within_a_repository_has_the_commits_that_touch_it(
    repository: Path, git: Git
) -> None:
    for name in ("one", "two"):
        (repository / name).mkdir()
        (repository / name / "a.py").write_text("x = 1\n", encoding="utf-8")
        git("add", ".")
        commit(git, f"decided: {name}")
    git("config", "log.follow", "true")
    assert read(repository / "two") == ["two"]
    assert read(repository) == ["one", "two"]


def in_worktree(root: Path, git: Git) -> Path:
    git("worktree", "add", "--quiet", "-b", "tree", str(root / "wt"))
    return root / "wt"


def in_detached_worktree(root: Path, git: Git) -> Path:
    git("worktree", "add", "--quiet", "--detach", str(root / "wt"), "HEAD~1")
    return root / "wt"


def in_shallow_clone(root: Path, git: Git) -> Path:
    git("clone", "--quiet", "--depth=1", f"file://{root}", str(root / "clone"))
    return root / "clone"


def with_separate_folder(root: Path, git: Git) -> Path:
    git("clone", "--quiet", f"--separate-git-dir={root / 'elsewhere'}", str(root), str(root / "c"))
    return root / "c"


def with_relative_git_file(root: Path, git: Git) -> Path:
    git("clone", "--quiet", str(root), str(root / "c"))
    (root / "c" / ".git").rename(root / "moved")
    (root / "c" / ".git").write_text("gitdir: ../moved\n", encoding="utf-8")
    return root / "c"


def detached(root: Path, git: Git) -> Path:
    git("switch", "--quiet", "--detach", "HEAD~1")
    return root


def packed(root: Path, git: Git) -> Path:
    for number in range(20):
        git("branch", f"main{number}", "HEAD~1")
        git("branch", f"x/main{number}", "HEAD~1")
    git("tag", "-a", "main-tag", "-m", "x")
    git("pack-refs", "--all", "--prune")
    return root


def packed_then_moved(root: Path, git: Git) -> Path:
    packed(root, git)
    commit(git, "decided: later")
    return root


def through_a_symbolic_branch(root: Path, git: Git) -> Path:
    git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
    git("symbolic-ref", "HEAD", "refs/heads/alias")
    return root


def on_a_branch_with_a_long_name(root: Path, git: Git) -> Path:
    git("switch", "--quiet", "--create", "feature/größe/x.y")
    return root


def in_a_folder_further_down(root: Path, _git: Git) -> Path:
    (root / "a" / "b").mkdir(parents=True)
    return root / "a" / "b"


def in_a_folder_with_an_empty_git_folder(root: Path, _git: Git) -> Path:
    (root / "a" / ".git").mkdir(parents=True)
    return root / "a"


def with_sha256(root: Path, git: Git) -> Path:
    (root / "new").mkdir()
    git("init", "--quiet", "--object-format=sha256", cwd=root / "new")
    git("commit", "--quiet", "--allow-empty", "-m", "decided: long", cwd=root / "new")
    return root / "new"


def in_a_submodule(root: Path, git: Git) -> Path:
    git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(root), "module")
    return root / "module"


def unborn(root: Path, git: Git) -> Path:
    git("switch", "--quiet", "--orphan", "nothing")
    return root


def with_a_loop_of_references(root: Path, git: Git) -> Path:
    (root / ".git" / "refs" / "heads" / "a").write_text("ref: refs/heads/b\n", encoding="ascii")
    (root / ".git" / "refs" / "heads" / "b").write_text("ref: refs/heads/a\n", encoding="ascii")
    (root / ".git" / "HEAD").write_text("ref: refs/heads/a\n", encoding="ascii")
    return root


def during_a_rebase(root: Path, git: Git) -> Path:
    (root / "f").write_text("1\n", encoding="utf-8")
    git("add", "f")
    commit(git, "f")
    git("switch", "--quiet", "--create", "side", "HEAD~1")
    (root / "f").write_text("2\n", encoding="utf-8")
    git("add", "f")
    commit(git, "g")
    subprocess.run(["git", "rebase", "main"], cwd=root, check=False, capture_output=True)
    assert (root / ".git" / "rebase-merge").is_dir()
    return root


LAYOUTS = [
    in_worktree, in_detached_worktree, in_shallow_clone, with_separate_folder,
    with_relative_git_file, detached, packed, packed_then_moved, through_a_symbolic_branch,
    on_a_branch_with_a_long_name, in_a_folder_further_down, in_a_folder_with_an_empty_git_folder,
    with_sha256, in_a_submodule, unborn, with_a_loop_of_references, during_a_rebase,
]  # fmt: skip


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_current_commit_is_what_git_says_and_its_history_is_read(
    repository: Path, git: Git, layout: Callable[[Path, Git], Path]
) -> None:
    commit(git, "decided: one")
    commit(git, "decided: two")
    root = layout(repository, git)
    asked = subprocess.run(
        ["git", "rev-parse", "--verify", "--quiet", "HEAD"],
        cwd=root, check=False, capture_output=True, encoding="utf-8",
    )  # fmt: skip
    assert repository_head(root) == (asked.stdout.strip() or None)
    result = commits.scan(root, SETTINGS, None, 10)
    assert result.problem == ""
    below = layout in (in_a_folder_further_down, in_a_folder_with_an_empty_git_folder)
    assert bool(result.entries) == (repository_head(root) is not None and not below)


def test_the_current_commit_needs_no_git(
    repository: Path, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = commit(git, "x")
    monkeypatch.setenv("PATH", "")
    assert repository_head(repository) == made


def test_a_repository_with_another_store_of_references_is_asked(repository: Path, git: Git) -> None:
    made = commit(git, "x")
    (repository / ".git" / "reftable").mkdir()
    assert repository_head(repository) == made
    git("update-ref", "-d", "HEAD")
    assert repository_head(repository) is None


def test_outside_of_git_there_is_nothing(tmp_path: Path) -> None:
    assert repository_head(tmp_path) is None
    assert commits.scan(tmp_path, SETTINGS, None, 10) == commits.Commits()


def test_git_does_not_look_beyond_a_file_system(
    repository: Path, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(git, "x")
    (repository / "mounted").mkdir()

    class Other:
        st_dev = -1

    stat = Path.stat

    def mounted(path: Path, *, follow_symlinks: bool = True) -> object:
        return Other() if path.name == "mounted" else stat(path, follow_symlinks=follow_symlinks)

    monkeypatch.setattr(Path, "stat", mounted)
    assert repository_head(repository / "mounted") is None
    assert repository_head(repository / "gone") is None


def test_without_the_git_program_the_reader_is_told(
    repository: Path, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(git, "decided: one")
    monkeypatch.setenv("PATH", str(repository))
    result = commits.scan(repository, SETTINGS, None, 10)
    assert result.entries == ()
    assert "Install git" in result.problem
    assert commits.scan(repository, SETTINGS, "0" * 40, 10).problem == result.problem


def test_a_process_that_starts_without_git_is_told_too(repository: Path, git: Git) -> None:
    commit(git, "decided: one")
    program = (
        "from pathlib import Path; from mind.domain.settings import Settings;"
        "from mind.sources import commits;"
        "print(commits.scan(Path.cwd(), Settings(), None, 10).problem)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=repository, check=True, capture_output=True,
        encoding="utf-8",
        env={"PATH": str(repository), "PYTHONPATH": str(Path(__file__).parent.parent)},
    )  # fmt: skip
    assert "Install git" in done.stdout
    assert done.stderr == ""


@pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() != 0, reason="only root gives a folder away"
)
def test_a_repository_of_another_user_is_left_alone_with_a_remedy(
    repository: Path, git: Git
) -> None:
    commit(git, "decided: one")
    for path in (repository, repository / ".git"):
        shutil.chown(path, 65534)
    result = commits.scan(repository, SETTINGS, None, 10)
    assert result.entries == ()
    assert f"safe.directory {repository}" in result.problem


def test_a_damaged_repository_is_reported(repository: Path, git: Git) -> None:
    made = commit(git, "decided: one")
    (repository / ".git" / "objects" / made[:2] / made[2:]).unlink()
    result = commits.scan(repository, SETTINGS, None, 10)
    assert result.entries == ()
    assert "git status" in result.problem


def test_a_damaged_git_folder_is_quiet(repository: Path, git: Git) -> None:
    commit(git, "decided: one")
    shutil.rmtree(repository / ".git" / "objects")
    assert commits.scan(repository, SETTINGS, None, 10) == commits.Commits()


def test_a_missing_commit_of_a_partial_clone_is_not_fetched(
    repository: Path, git: Git, tmp_path: Path
) -> None:
    seen = commit(git, "decided: one")
    git("config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "clone"
    git("clone", "--quiet", "--filter=blob:none", f"file://{repository}", str(clone))
    gone = commit(git, "decided: two")
    git("update-ref", "refs/heads/kept", gone)
    result = commits.scan(clone, SETTINGS, gone, 10)
    assert result.rewritten
    assert [entry.commit for entry in result.entries] == [seen]
    missing = subprocess.run(
        ["git", "cat-file", "-e", gone], cwd=clone, check=False, capture_output=True,
        env={**os.environ, "GIT_ALLOW_PROTOCOL": "none"},
    )  # fmt: skip
    assert missing.returncode != 0


def test_no_process_is_left_behind(repository: Path, git: Git) -> None:
    import psutil

    commit(git, "decided: one")
    read(repository)
    assert [one.name() for one in psutil.Process().children() if "git" in one.name()] == []
