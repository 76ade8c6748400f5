"""Files of a repository that would stall Mind are read in time that grows with their length."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from mind.sources import manifests

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
    "mix.exs": ["{:a,", "def aliases do\n", "a: [", "elixir:\n"],
    "compose.yml": ["services:\n\n", "services:\n #\n", "  image:", " build:\n"],
    "Taskfile.yml": ["tasks:\n", "  a:\n    cmds:\n", "a:"],
    "tox.ini": ["[testenv]\n", "commands =\n a\n", "[testenv"],
    "noxfile.py": ["@nox.session\n", "name = '", 'def a():\n    """'],
    "Rakefile": ["desc '", "task ", "desc (", " "],
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
