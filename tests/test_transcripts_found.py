"""Where the transcripts of a project are."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from mind.sources import transcripts
from mind.sources.importers import claude_code
from mind.sources.importers.values import Surroundings
from tests.transcript_sessions import Transcript


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "My Proj_x.y"
    folder.mkdir()
    return folder


def slug(folder: Path | str) -> str:
    """As the client makes it: whatever is no ASCII letter or digit is a dash."""
    return "".join(one if one.isascii() and one.isalnum() else "-" for one in str(folder))


def found(root: Path, home: Path) -> list[Path]:
    return transcripts.found(root, home / ".claude" / "projects")


def session(name: str, folder: Path | str, home: Path, *, slug_of: str = "", at: int = 0) -> Path:
    """A session that was started in a folder, in the folder of that slug."""
    place = home / ".claude" / "projects" / (slug_of or slug(folder))
    place.mkdir(parents=True, exist_ok=True)
    made = Transcript(name, str(folder))
    made.row("user", "hello")
    path = made.write(place)
    os.utime(path, (at, at))
    return path


def test_sessions_of_the_project_are_found_the_oldest_first(root: Path, home: Path) -> None:
    late = session("late", root, home, at=200)
    early = session("early", root, home, at=100)
    below = session("below", root / "web" / "src", home, at=300)
    session("elsewhere", "/somewhere/else", home)
    assert found(root, home) == [early, late, below]
    assert found(root / "web", home) == [below]


def test_a_folder_with_the_same_slug_is_another_project(root: Path, home: Path) -> None:
    session("twin", root.with_name("My-Proj-x-y"), home)
    session("longer", f"{root}-next", home)
    assert found(root, home) == []


def test_a_repository_within_the_project_is_not_the_project(root: Path, home: Path) -> None:
    (root / "vendor" / "lib" / ".git").mkdir(parents=True)
    (root / "tool" / ".mind").mkdir(parents=True)
    session("vendored", root / "vendor" / "lib" / "src", home)
    session("tool", root / "tool", home)
    assert found(root, home) == []


def test_the_configured_folder_is_looked_into(root: Path, home: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    path = session("configured", root, other)
    for environment, expected in (({}, []), ({"CLAUDE_CONFIG_DIR": f"{other}/.claude"}, [path])):
        around = Surroundings(root=root, home=home, environment=environment)
        (projects,) = claude_code.places(around)
        assert transcripts.found(root, projects) == expected


def test_long_slugs_are_cut_and_hashed(home: Path, tmp_path: Path) -> None:
    deep = tmp_path / ("long" * 30) / ("name" * 30)
    deep.mkdir(parents=True)
    cut = slug(deep)[:200]
    path = session("deep", deep, home, slug_of=f"{cut}-1x2y3z")
    session("other", f"{deep}-other", home, slug_of=f"{cut}-9a8b7c")
    assert found(deep, home) == [path]
    assert found(tmp_path, home) == [path, *found(Path(f"{deep}-other"), home)]


def test_worktrees_share_what_they_learn(
    repository: Path, home: Path, git: Callable[..., str]
) -> None:
    git("commit", "--quiet", "--allow-empty", "-m", "first")
    tree = repository.parent / f"{repository.name}-tree"
    git("worktree", "add", "--quiet", "-b", "side", str(tree))
    main = session("main", repository, home, at=1)
    side = session("side", tree, home, at=2)
    assert found(repository, home) == [main, side]
    assert found(tree, home) == [main, side]


def test_a_pointer_that_leads_nowhere_is_passed_over(root: Path, home: Path) -> None:
    path = session("one", root, home)
    for pointer in ("gitdir: /gone/away", "", "\xff"):
        (root / ".git").write_bytes(pointer.encode("latin-1"))
        assert found(root, home) == [path]


def test_subagents_links_and_what_tells_no_folder_are_left_out(
    root: Path, home: Path, tmp_path: Path
) -> None:
    path = session("one", root, home)
    path.rename(path.with_name("agent-a1.jsonl"))
    outside = tmp_path / "outside.jsonl"
    outside.write_bytes(path.with_name("agent-a1.jsonl").read_bytes())
    path.with_name("link.jsonl").symlink_to(outside)
    path.with_name("empty.jsonl").write_bytes(b"")
    path.with_name("folder.jsonl").mkdir()
    silent = json.dumps({"type": "user", "message": {"role": "user", "content": "x"}, "cwd": 7})
    path.with_name("silent.jsonl").write_text(silent, encoding="utf-8")
    assert found(root, home) == []


def test_a_linked_folder_does_not_lead_out_of_the_transcripts(
    root: Path, home: Path, tmp_path: Path
) -> None:
    path = session("one", root, home)
    outside = tmp_path / "outside"
    path.parent.rename(outside)
    path.parent.symlink_to(outside, target_is_directory=True)
    assert found(root, home) == []


def test_there_may_be_no_transcripts(root: Path, home: Path) -> None:
    assert found(root, home) == []


def test_a_project_behind_a_link_is_found_by_both_its_names(
    root: Path, home: Path, tmp_path: Path
) -> None:
    link = tmp_path / "link"
    link.symlink_to(root, target_is_directory=True)
    path = session("one", root, home, at=1)
    named = session("two", link, home, at=2)
    assert found(link, home) == [path, named]
