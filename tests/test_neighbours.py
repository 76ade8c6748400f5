"""What a search finds besides a project's own memory: documents, worktrees, other memories."""

import os
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from mind.memory.memory import Memory
from mind.search.results import Hit
from mind.storage import project as projects
from mind.storage.index import Index
from mind.storage.project import Project

README = """# shop

![build](https://example.org/badge.svg)

Shop sells <b>flowers</b> and keeps the `Map<Order>` of [each garden](docs/garden.md).

## Running

Run the server for development:

```bash
make serve  # on port 8123
```

- Never bump the version in `package.json` by hand.
"""


Git = Callable[..., str]


@pytest.fixture
def mind_home(home: Path) -> Path:
    return home / ".mind"


@pytest.fixture
def project(tmp_path: Path, git: Git) -> Project:
    root = tmp_path / "shop"
    root.mkdir()
    git("init", "--quiet", "--initial-branch=main", cwd=root)
    (root / ".mind").mkdir()
    (root / ".mind" / "MEMORY.md").write_text("- decided: SQLite for orders\n", encoding="utf-8")
    (root / "README.md").write_text(README, encoding="utf-8")
    return Project(root)


def found(project: Project, query: str, **how: object) -> list[Hit]:
    memory = Memory(project)
    hits = memory.search(query, **how).hits  # type: ignore[arg-type]
    memory.close()
    return list(hits)


def texts(project: Project, query: str) -> list[str]:
    return [f"{hit.entry.where} {hit.entry.text}" for hit in found(project, query)]


def test_a_passage_of_a_document_is_found_where_it_stands(project: Project) -> None:
    assert texts(project, "flowers garden")[0] == (
        "README.md:5 Shop sells flowers and keeps the `Map<Order>` of each garden."
    )


def test_a_command_is_found_with_what_announces_it(project: Project) -> None:
    assert texts(project, "development server port")[0] == (
        "README.md:9 Run the server for development: make serve # on port 8123"
    )


def test_a_document_is_read_again_when_it_changes_and_gone_when_it_is(project: Project) -> None:
    assert texts(project, "bump version")
    (project.root / "README.md").write_text("Shop sells tulips.\n", encoding="utf-8")
    assert not texts(project, "bump version package.json")
    assert texts(project, "tulips") == ["README.md:1 Shop sells tulips."]
    (project.root / "README.md").unlink()
    assert texts(project, "tulips") == []


def test_documents_are_no_entries_of_the_memory(project: Project) -> None:
    assert texts(project, "flowers")
    memory = Memory(project)
    assert [entry.text for entry in memory.index_entries()] == ["SQLite for orders"]
    assert memory.status().entries == 1
    assert [hit.entry.text for hit in memory.recent().hits] == ["SQLite for orders"]


def test_what_memory_holds_comes_before_a_document_that_is_as_relevant(project: Project) -> None:
    (project.root / "docs").mkdir()
    (project.root / "docs" / "orders.md").write_text("SQLite holds orders.\n", encoding="utf-8")
    places = [text.partition(" ")[0] for text in texts(project, "SQLite orders")]
    assert places[:2] == [".mind/MEMORY.md:1", "docs/orders.md:1"]


def test_imported_entries_and_passages_are_ordered_by_likelihood(
    project: Project,
) -> None:
    texts = [
        "Orders are many",
        "Orders are sent by a van",
        "Orders to the garden are sent by a van",
    ]
    imported = "".join(f"- note: {one} [from:: adr:{at}]\n" for at, one in enumerate(texts))
    project.memory.write_text(imported, encoding="utf-8")
    (project.root / "docs").mkdir()
    passages = "".join(f"{one}, says a passage.\n\n" for one in texts)
    (project.root / "docs" / "a.md").write_text(passages, encoding="utf-8")
    hits = found(
        project, "when are orders sent to the garden by whom, and who pays them at the door"
    )
    assert len({hit.relevance for hit in hits}) == 1
    likely = [hit.likelihood for hit in hits]
    assert likely == sorted(likely, reverse=True)
    assert {hit.entry.source for hit in hits[:2]} == {".mind/MEMORY.md", "docs/a.md"}


@pytest.mark.parametrize("query", ["order:newest orders garden", "orders garden reach"])
def test_pages_of_entries_and_passages_have_each_hit_once(project: Project, query: str) -> None:
    days = (
        f"## 2026-09-{day:02}\n\n- note: orders {'of the garden' if day < 6 else 'and mail'} {day}"
        f"{f' [from:: adr:{day}]' if day % 2 else ''}\n\n"
        for day in range(28, 0, -1)
    )
    project.memory.write_text("".join(days), encoding="utf-8")
    (project.root / "docs").mkdir()
    passages = (f"Passage {at} tells how orders reach the garden.\n\n" for at in range(12))
    (project.root / "docs" / "a.md").write_text("".join(passages), encoding="utf-8")
    memory = Memory(project)
    whole = [hit.entry.id for hit in memory.search(query, limit=100).hits]
    pages = [memory.search(query, limit=10, offset=at).hits for at in range(0, len(whole), 10)]
    assert [hit.entry.id for page in pages for hit in page] == whole
    assert len({*whole}) == len(whole) > 28


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ("Superseded by [7. Typer](0007.md)", "record no longer in force: Superseded by 7. Typer"),
        ("Accepted", None),
    ],
)
def test_a_passage_of_a_record_that_ended_says_so(
    project: Project, status: str, expected: str | None
) -> None:
    adr = project.root / "docs" / "adr"
    adr.mkdir(parents=True)
    text = f"# 5. Click\n\n## Status\n\n{status}\n\n## Decision\n\nClick parses the options.\n"
    (adr / "0005-click.md").write_text(text, encoding="utf-8")
    (hit,) = [one for one in found(project, "click parses options") if "parses" in one.text]
    assert list(hit.stale) == ([expected] if expected else [])
    assert hit.verdict.is_current is (expected is None)


def test_a_guess_that_leaves_nothing_filters_nothing(project: Project, git: Git) -> None:
    (project.root / "CHANGELOG.md").write_text("Removed the deployment.\n", encoding="utf-8")
    assert "CHANGELOG.md:1 Removed the deployment." in texts(project, "what was removed?")
    git("add", "--all", cwd=project.root)
    git("commit", "--quiet", "-m", "Begin", cwd=project.root)
    git("tag", "v2.0.0", cwd=project.root)
    (project.root / "CHANGELOG.md").write_text("Version 2 removed JSON.\n", encoding="utf-8")
    assert "CHANGELOG.md:1 Version 2 removed JSON." in texts(project, "what changed in version 2")


def test_the_block_of_mind_and_what_leads_out_are_no_documents(
    project: Project, tmp_path: Path
) -> None:
    block = "<!-- MIND:CONTEXT -->\nzebra in the block\n<!-- MIND:END -->\nzebra below\n"
    (project.root / "CLAUDE.md").write_text(block, encoding="utf-8")
    (tmp_path / "secret.md").write_text("zebra elsewhere\n", encoding="utf-8")
    (project.root / "notes.md").symlink_to(tmp_path / "secret.md")
    assert texts(project, "zebra") == ["CLAUDE.md:4 zebra below"]


def test_a_credential_in_a_document_is_masked(project: Project) -> None:
    key = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    (project.root / "notes.md").write_text(f"The walrus token is {key}.\n", encoding="utf-8")
    (text,) = texts(project, "walrus")
    assert key not in text


def test_documents_can_be_switched_off(project: Project) -> None:
    config = project.root / ".mind" / "config.json"
    config.write_text('{"capture": {"documents": false}}', encoding="utf-8")
    assert texts(Project(project.root), "flowers") == []


def test_an_id_of_a_document_is_given_whole(project: Project) -> None:
    (hit, *_) = found(project, "flowers")
    assert Memory(project).get([hit.entry.id]).entries[0].text == hit.entry.text


@pytest.mark.parametrize(
    ("name", "content", "query", "expected"),
    [
        (
            "Makefile",
            "# Everything, without the network.\ntest: build\n\tpytest -q\n\nX := 1\n",
            "tests without network",
            "`make test` Everything, without the network: build; pytest -q",
        ),
        (
            "package.json",
            '{"name": "shop", "engines": {"node": ">=22"}, "scripts": {"lint": "eslint ."}}',
            "eslint lint",
            "`npm run lint` eslint .",
        ),
        (
            "pyproject.toml",
            '[project]\nname = "shop"\nrequires-python = ">=3.12"\ndependencies = ["rich>=13"]\n',
            "which Python version",
            "pyproject.toml: shop; Python >=3.12; depends on rich",
        ),
        (
            "go.mod",
            """module example.org/shop\n\ngo 1.25\n\nrequire (\n\tgithub.com/a/b v1.0.0
\tgithub.com/c/d v1.0.0 // indirect\n)\n""",
            "Go module",
            "go.mod: example.org/shop; Go 1.25; depends on github.com/a/b",
        ),
    ],
)
def test_what_a_manifest_says_is_found(
    project: Project, name: str, content: str, query: str, expected: str
) -> None:
    (project.root / name).write_text(content, encoding="utf-8")
    assert expected in [hit.entry.text for hit in found(project, query)]


def test_a_broken_manifest_says_nothing(project: Project) -> None:
    for name in ("package.json", "pyproject.toml", "Cargo.toml", "composer.json"):
        (project.root / name).write_text("{[broken zebra", encoding="utf-8")
    assert texts(project, "zebra") == []


def test_the_users_own_memory_is_found_in_every_project_and_marked(
    project: Project, mind_home: Path
) -> None:
    own = mind_home / "memory"
    own.mkdir(parents=True)
    (own / "MEMORY.md").write_text("- learned: SQLite needs a vacuum\n", encoding="utf-8")
    hits = found(project, "SQLite vacuum")
    assert [(hit.project, hit.entry.text) for hit in hits][:1] == [
        ("global", "SQLite needs a vacuum")
    ]
    assert Memory(project).get([hits[0].entry.id]).entries[0].source == "global: MEMORY.md"


def test_notes_of_another_worktree_are_found_with_its_branch(
    project: Project, git: Git, tmp_path: Path
) -> None:
    git("add", ".mind/MEMORY.md", cwd=project.root)
    git("commit", "--quiet", "-m", "one", cwd=project.root)
    git("worktree", "add", "-q", "-b", "payments", str(tmp_path / "other"), cwd=project.root)
    memory = tmp_path / "other" / ".mind" / "MEMORY.md"
    memory.write_text(
        memory.read_text(encoding="utf-8") + "- gotcha: Stripe retries webhooks\n", encoding="utf-8"
    )
    hits = found(project, "Stripe webhooks")
    assert [(hit.project, hit.entry.text) for hit in hits] == [
        ("other (payments)", "Stripe retries webhooks")
    ]
    for root in (project.root, tmp_path / "other"):
        assert {hit.project for hit in found(Project(root), "SQLite orders")} == {""}


def test_what_another_worktree_or_the_user_turned_down_warns_where_it_is_asked(
    project: Project, git: Git, tmp_path: Path, mind_home: Path
) -> None:
    rejected = "- rejected: Celery for jobs - one more broker\n"
    (project.root / ".mind" / "MEMORY.md").write_text(rejected, encoding="utf-8")
    git("add", ".mind/MEMORY.md", cwd=project.root)
    git("commit", "--quiet", "-m", "one", cwd=project.root)
    git("worktree", "add", "-q", "-b", "payments", str(tmp_path / "other"), cwd=project.root)
    session = tmp_path / "other" / ".mind" / "SESSION.md"
    session.write_text("## Rejected\n- rejected: Stripe for payments - fees\n", encoding="utf-8")
    own = mind_home / "memory"
    own.mkdir(parents=True)
    (own / "MEMORY.md").write_text("- rejected: Lerna for monorepos - slow\n", encoding="utf-8")
    memory = Memory(project)
    told = memory.edges("move jobs to Celery, payments to Stripe, and use Lerna").loops
    assert {loop.earlier.where for loop in told} == {
        ".mind/MEMORY.md:1",
        "other (payments): .mind/SESSION.md:2",
        "global: MEMORY.md:1",
    }


def test_what_this_memory_says_or_archived_does_not_warn_from_another_worktree(
    project: Project, git: Git, tmp_path: Path
) -> None:
    lines = "- rejected: Celery for jobs - one more broker\n- gotcha: moment.js mutates dates\n"
    (project.root / ".mind" / "MEMORY.md").write_text(lines, encoding="utf-8")
    git("add", ".mind/MEMORY.md", cwd=project.root)
    git("commit", "--quiet", "-m", "one", cwd=project.root)
    for name in ("a", "b"):
        git("worktree", "add", "-q", "-b", name, str(tmp_path / name), cwd=project.root)
    memory = Memory(project)
    assert len(memory.edges("add moment.js to format dates").edges) == 1
    (loop,) = memory.edges("move jobs to Celery").loops
    memory.forget(loop.earlier.id, "the broker is there now", acknowledge=True)
    assert memory.edges("move jobs to Celery").loops == ()


def test_building_the_index_reads_documents_and_commits(project: Project, git: Git) -> None:
    git("commit", "--quiet", "--allow-empty", "-m", "x\n\nThe zebra is slow.", cwd=project.root)
    Memory(project).build_index()
    for name, count in (("documents.db", 3), ("commits.db", 1)):
        with closing(Index(project.cache / name)) as index:
            assert sum(index.counts("family").values()) == count


def test_commits_are_searched_also_without_documents(project: Project, git: Git) -> None:
    git("commit", "--quiet", "--allow-empty", "-m", "x\n\nThe zebra is slow.", cwd=project.root)
    (project.root / ".mind" / "config.json").write_text(
        '{"capture.documents": false}', encoding="utf-8"
    )
    assert [hit.entry.text for hit in found(Project(project.root), "zebra flowers")] == [
        "x: The zebra is slow."
    ]


def test_a_change_that_two_commits_describe_is_found_once(project: Project, git: Git) -> None:
    body = "The keeper counts them twice a day, at noon and in the evening. The zebra is slow."
    for subject in ("Count the zebras", "Count the zebras on the branch of the release"):
        git("commit", "--quiet", "--allow-empty", "-m", f"{subject}\n\n{body}", cwd=project.root)
    assert [hit.text for hit in found(project, "slow")] == ["… The zebra is slow."]


def test_lines_beside_a_mark_of_a_commit_are_searched(project: Project, git: Git) -> None:
    message = "Move CI\n\ndecided: arm\nDetails: Hetzner quoted us\nRejected: TypeORM | slow"
    git("commit", "--quiet", "--allow-empty", "-m", message, cwd=project.root)
    text = "Move CI: Details: Hetzner quoted us Rejected: TypeORM | slow"
    assert [[hit.entry.text for hit in found(project, one)] for one in ("Hetzner", "TypeORM")] == [
        [text],
        [text],
    ]


@pytest.mark.parametrize("folder", ["docs", "odd"])
@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_a_text_whose_name_is_not_utf8_is_passed_over(
    project: Project, git: Git, folder: str
) -> None:
    (project.root / folder).mkdir()
    name = os.fsencode(project.root / folder) + b"/n\xff.md"
    with open(name, "wb") as file:  # noqa: PTH123 - a path of bytes
        file.write(b"The zebra is slow.\n")
    git("add", ".", cwd=project.root)
    assert texts(project, "zebra") == []
    assert texts(project, "flowers")


def test_a_worktree_that_git_did_not_make_is_none(project: Project, tmp_path: Path) -> None:
    other = tmp_path / "other"
    (other / ".mind").mkdir(parents=True)
    (other / ".mind" / "MEMORY.md").write_text("- gotcha: zebra\n", encoding="utf-8")
    made = project.root / ".git" / "worktrees" / "x"
    made.mkdir(parents=True)
    (made / "gitdir").write_text(f"{other}/.git\n", encoding="utf-8")
    assert found(project, "zebra") == []


@pytest.fixture
def garden(tmp_path: Path, git: Git) -> Project:
    root = tmp_path / "garden"
    (root / ".mind").mkdir(parents=True)
    git("init", "--quiet", cwd=root)
    url = "https://user:secret@example.org/green/beds.git"
    git("remote", "add", "origin", url, cwd=root)
    (root / ".mind" / "MEMORY.md").write_text("- decided: SQLite for sowing\n", encoding="utf-8")
    projects.register(root)
    return Project(root)


@pytest.mark.parametrize("name", ["garden", "GREEN/beds", "beds", "example.org/green/beds"])
def test_a_project_is_searched_by_its_name_or_remote(
    project: Project, garden: Project, name: str
) -> None:
    hits = found(project, f"SQLite project:{name}")
    assert [(hit.project, hit.entry.text) for hit in hits] == [("garden", "SQLite for sowing")]


def test_this_project_can_be_named_beside_another(project: Project, garden: Project) -> None:
    hits = found(project, f"SQLite project:garden,{project.name}")
    assert {hit.project for hit in hits} == {"", "garden"}


def test_an_unknown_project_is_told(project: Project) -> None:
    answer = Memory(project).search("SQLite project:nowhere")
    assert not answer.hits
    assert "no project is named nowhere" in answer.problems[0]


def test_the_list_of_projects_knows_the_remote_without_credentials(
    garden: Project, mind_home: Path
) -> None:
    assert projects.remote(garden.root) == "example.org/green/beds"
    assert "secret" not in (mind_home / "projects.json").read_text(encoding="utf-8")


def test_a_project_that_moved_takes_its_place(garden: Project, tmp_path: Path) -> None:
    moved = tmp_path / "elsewhere"
    garden.root.rename(moved)
    projects.register(moved)
    assert projects.registered() == [moved]
