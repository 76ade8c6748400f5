"""Files of a repository that would stall Mind are read in time that grows with their length."""

import json
import subprocess
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from mind.documents import html, parser
from mind.domain.settings import Settings
from mind.sources import comments, manifests, prose
from mind.sources.git import log, repository
from mind.sources.importers import adr, folder, free_text, records, wording
from mind.sources.staleness import citing
from mind.storage import project

LONG = 480_000
"""Characters: manifests of at most 512,000 are read."""


def spent(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


FLOODS = {
    "go.mod": ["\n", " \n", "\ta.a.a.", "a.b/c\n", "require\n"],
    "go.work": ["use (", "use (\n", "use\n"],
    "Gemfile": ["\n", " \n", "gem '", "ruby\n"],
    "x.gemspec": [".add_dependency ", ".name = '", ".required_ruby_version = '"],
    "setup.cfg": ["name\n", "name=\n ", "install_requires=\n\n"],
    "setup.py": ["install_requires=[", "extras_require={", "name='", "name =\n"],
    "pom.xml": ["<dependency>", "<build>", "<groupId>", "<groupId> ", "<name>a "],
    "build.gradle": ["\n", " \n", "id ", "implementation (", "kotlin ( ", "a."],
    "pnpm-workspace.yaml": ["packages:\n", "packages:\n\n", "packages: "],
    "pubspec.yaml": ["dependencies:\n\n", "dependencies: ", "name:\n"],
    "mix.exs": ["{:a,", "{:a,only", "elixir:\n"],
    "compose.yml": ["services:\n\n", "services:\n #\n", "  image:", "  image: a/"],
    "a.csproj": ["<!--", "<PackageReference ", "<TargetFramework>", '<PackageReference Include="'],
    "CMakeLists.txt": ["#", "find_package ", "CMAKE_CXX_STANDARD "],
    "Package.swift": [".package(", '.package(url:"', '.package(url:"/', 'name:"'],
    "main.tf": ["source ", 'source="a/', "required_version "],
    "Podfile": ["\n", "pod '", "pod "],
    "Taskfile.yml": ["tasks:\n", "  a:\n    cmds:\n", "a:"],
    "Makefile": ["a:\n", "# a\n", "a: override private a", "a ", "a: b\n\tb\n"],
    "Justfile": ["a ", "a:\n", "a a:\n", "# a\n"],
    "requirements.txt": ["a\n", "a[", " "],
    "pyproject.toml": ["a.", "[a.", "a={"],
    "package.json": ["[", '{"a":', "\n"],
}  # fmt: skip


BEGINNINGS = {
    "pom.xml": ["<groupId>", "<name>"],
    "build.gradle": ["id", "implementation("],
    "Justfile": ["@a"],
    "Makefile": ["a:"],
    "go.mod": ["require ", "\ta.b/c"],
    "pnpm-workspace.yaml": ["packages:\n"],
    "Taskfile.yml": ["tasks:\n"],
}
"""They are followed by spaces, or by line ends."""


@pytest.mark.parametrize("name", FLOODS)
def test_no_manifest_takes_long_to_read(name: str, tmp_path: Path) -> None:
    """Each takes up to 0.4 s; in time that grows with the square it was minutes."""
    path = tmp_path / name
    texts = [unit * (LONG // len(unit)) for unit in FLOODS[name]]
    texts += [begin + sign * LONG for begin in BEGINNINGS.get(name, ()) for sign in " \n"]
    for text in texts:
        path.write_text(text, encoding="utf-8")
        assert spent(lambda: manifests.read(path)) < 3, text[:30]


@pytest.fixture
def cloned(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    return tmp_path


@pytest.mark.parametrize("shape", ["*/*/*/*/*/none{}", "*/*/none{}", "{}*/*/*/*"])
def test_no_list_of_members_takes_long_to_look_for(tmp_path: Path, shape: str) -> None:
    for at in range(300):
        (tmp_path / f"a{at % 5}" / f"b{at % 3}" / f"c{at}" / "d" / "e").mkdir(parents=True)
    shapes = ["packages/*", *(shape.format(at) for at in range(20_000))]
    (tmp_path / "package.json").write_text(json.dumps({"workspaces": shapes}), encoding="utf-8")
    assert spent(lambda: manifests.members(tmp_path)) < 2


def test_no_git_configuration_takes_long_to_read(cloned: Path) -> None:
    config = cloned / ".git" / "config"
    own = config.read_text(encoding="utf-8")
    fetching = '[remote "o"]\n' + "\tfetch = +refs/heads/*:refs/remotes/o/*\n" * 10_000
    blank = ("\n" * LONG, " \n" * LONG, "\tworktree =" + " " * LONG, "\tbare =" + " " * LONG)
    for flood in (*blank, fetching):
        config.write_text(f"{own}[x]\n{flood}x", encoding="utf-8")
        assert spent(lambda: project.remote(cloned)) < 1
        assert spent(lambda: log.checkout(cloned)) < 1
        assert project.remote(cloned) == ""
    config.write_text(f'{own}{flood}[remote "p"] URL = git@host:a/b.git\n', encoding="utf-8")
    assert project.remote(cloned) == "host/a/b"


@pytest.mark.parametrize("flood", ["\n", " ", " \n", "[", "path =", "path = a \n"])
def test_no_list_of_submodules_takes_long_to_read(cloned: Path, flood: str) -> None:
    modules = cloned / ".gitmodules"
    modules.write_text(f'{flood * LONG}x\n[submodule "s"]\n\tpath = some where\n', encoding="utf-8")
    (cloned / ".git" / "index").write_bytes(b"")
    assert spent(lambda: log.checkout(cloned)) < 3
    assert log.checkout(cloned).submodules[-1] == "some where"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("bare", True),
        ("Bare = Yes", True),
        ("bare=true", True),
        ("bare = false", False),
        ("", False),
    ],
)
def test_a_repository_says_that_it_has_no_worktree(line: str, expected: bool) -> None:
    assert repository.is_bare(f"[core]\n\t{line}\n") is expected


def test_registering_does_not_read_the_other_projects_again(
    cloned: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = cloned / ".git" / "config"
    config.write_text('[remote "o"]\n\turl = https://host/a/b\n', encoding="utf-8")
    project.register(cloned)
    config.write_text('[remote "o"]\n\turl = https://elsewhere/a/b\n', encoding="utf-8")
    project.register(tmp_path / "another")
    listed = (home / ".mind" / "projects.json").read_text(encoding="utf-8")
    assert "host/a/b" in listed


@pytest.mark.parametrize("sign", [" ", "\t", "*", "**", "\r", "\u3000"])
def test_no_line_of_a_comment_takes_long_to_read(sign: str) -> None:
    source = f"# MEMORY: decided: a{sign * 50_000}x\n".encode()
    comments.entries_in(b"# MEMORY: a\n", "a.py", Settings())
    assert spent(lambda: comments.entries_in(source, "a.py", Settings())) < 3


@pytest.mark.parametrize("sign", ['"\\', '\\"', '"'])
def test_no_string_of_lisp_takes_long_to_read(sign: str) -> None:
    source = f"; MEMORY: decided: a\n{sign * 50_000}".encode()
    comments.entries_in(b"; MEMORY: a\n", "a.el", Settings())
    assert spent(lambda: comments.entries_in(source, "a.el", Settings())) < 3


def test_no_heading_of_a_memory_takes_long_to_read() -> None:
    source = ("## " + "[a](" * 20_000 + "x\n\n- decided: a\n").encode()
    parser.parse(b"- a\n", "MEMORY.md", Settings())
    assert spent(lambda: parser.parse(source, "MEMORY.md", Settings())) < 3


@pytest.mark.parametrize(
    ("find", "sign"),
    [
        (citing._ELSEWHERE.search, "a "),
        (citing._ELSEWHERE.search, "%"),
        (citing.compiled(next(iter(citing.commands_in("`make a`"))).lines).search, "a "),
        (adr._ANCHOR.search, " "),
        (folder._PAIR.search, "_"),
        (free_text._LINKS.fullmatch, " "),
        (wording.dated, " "),
        (wording.dated, "*"),
        (records._PLACEHOLDER.match, "["),
        (records._BRACKETED.match, "["),
        (prose.resolved, "["),
        (prose.resolved, "[a]"),
        (html._QUOTED.search, "\n"),
    ],
)
def test_no_line_of_a_document_takes_long_to_match(
    find: Callable[[str], object], sign: str
) -> None:
    for text in (sign * 40_000, "x" + sign * 40_000 + "x"):
        assert spent(partial(find, text)) < 1


def test_a_project_that_registers_again_is_known_by_its_new_remote(
    cloned: Path, home: Path
) -> None:
    def known() -> str:
        rows = json.loads((home / ".mind" / "projects.json").read_bytes())["projects"]
        return str(rows[0]["remote"])

    config = cloned / ".git" / "config"
    for name in ("old", "new"):
        config.write_text(f'[remote "o"]\n\turl = https://git.example/{name}/x\n', "utf-8")
        project.register(cloned)
        assert known() == f"git.example/{name}/x"
