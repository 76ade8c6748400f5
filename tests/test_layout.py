"""The house rules that no other tool enforces."""

import ast
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from mind.cli import app as commands
from mind.memory.memory import Memory
from mind.storage.project import Project

ROOT = Path(__file__).parents[1]


def test_no_module_is_longer_than_600_lines() -> None:
    lengths = {
        path.relative_to(ROOT).as_posix(): len(path.read_text(encoding="utf-8").splitlines())
        for path in (ROOT / "mind").rglob("*.py")
    }
    assert {name: lines for name, lines in lengths.items() if lines > 600} == {}


def test_the_top_of_the_package_has_few_names() -> None:
    tracked = [*(ROOT / "mind").rglob("*.py"), *(ROOT / "mind").rglob("*.toml")]
    assert len({path.relative_to(ROOT / "mind").parts[0] for path in tracked}) <= 16


def test_the_table_of_commands_names_what_each_module_defines() -> None:
    for name in commands.MODULES:
        assert commands.registered(name).name == name


def test_modules_are_named_after_things() -> None:
    names = {path.stem for path in (ROOT / "mind").rglob("*.py")}
    assert not names & {"utils", "helpers", "manager", "base", "common", "misc"}


def test_links_between_documents_lead_somewhere() -> None:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    broken = [
        (page.name, target)
        for page in pages
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8"))
        if not (page.parent / target).exists()
    ]
    assert broken == []


def test_whatever_is_depended_on_is_pinned() -> None:
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    pinned = {
        canonicalize_name(name): version
        for name, version in re.findall(r"^([\w.-]+)(?:\[[^]]*\])?==([^\s;]+)", lock, re.MULTILINE)
    }
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project = settings["project"]
    wanted = [
        *project["dependencies"],
        *settings["dependency-groups"]["dev"],
        *(one for extra in project.get("optional-dependencies", {}).values() for one in extra),
    ]
    requirements = [Requirement(one) for one in wanted]
    assert [
        str(one)
        for one in requirements
        if not one.specifier.contains(pinned.get(canonicalize_name(one.name), "0"))
    ] == []


_SHORT = frozenset(
    """mind/sources/remembered.py mind/storage/templates.py mind/text/visible.py""".split()
)
"""Modules under 40 lines that are not joined with a neighbour yet. None is to be added."""


def test_no_further_module_has_fewer_than_40_lines() -> None:
    short = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "mind").rglob("*.py")
        if len(path.read_text(encoding="utf-8").splitlines()) < 40
        and path.name not in ("__init__.py", "__main__.py")
    }
    assert short <= _SHORT


_OWNERS = {
    "Stemmer": ("text",),
    "anyio": ("server/mcp",),
    "coremltools": ("search/embedding",),
    "dateparser": ("text/dates",),
    "fastapi": ("server/http",),
    "markdown_it": ("documents/markdown",),
    "mcp": ("server/mcp",),
    "mcp_types": ("server/mcp",),
    "mistune": ("documents/html.py",),
    "numpy": ("search", "storage/index", "storage/mirror"),
    "onnx": ("search/embedding",),
    "onnxruntime": ("search/embedding",),
    "pgvector": ("storage/mirror",),
    "psycopg": ("storage/mirror",),
    "pydantic": ("server",),
    "pydantic_core": ("server",),
    "regex": ("text/sourcetext",),
    "rich": ("cli",),
    "sklearn": ("memory/duplicates.py",),
    "starlette": ("server",),
    "tokenizers": ("search/embedding",),
    "tomli_w": ("documents/tomltext.py", "storage/settings_file.py"),
    "tomlkit": ("documents/tomltext.py", "storage/settings_file.py"),
    "typer": ("cli",),
    "uvicorn": ("server/http",),
}
"""Third-party packages, and the one place of each that knows them."""


def _imported(path: Path) -> set[str]:
    """The first names of what a module imports, inside functions too."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    names = {one.name for node in nodes if isinstance(node, ast.Import) for one in node.names}
    names |= {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    return {name.partition(".")[0] for name in names}


def test_a_third_party_package_is_known_to_one_of_ours() -> None:
    strays = [
        (place, name)
        for path in sorted((ROOT / "mind").rglob("*.py"))
        for place in [path.relative_to(ROOT / "mind").as_posix()]
        for name in _imported(path) - {"mind", ""} - sys.stdlib_module_names
        if not place.startswith(_OWNERS.get(name, ("(none)",)))
    ]
    assert strays == []


def test_no_use_case_imports_the_class_that_offers_it() -> None:
    """`Memory` looks up use cases when it is asked, where the check of cycles sees nothing."""
    upwards = re.compile(r"from mind\.memory\.memory|from mind\.memory import .*\bmemory\b")
    found = [
        path.name
        for path in (ROOT / "mind" / "memory").rglob("*.py")
        if path.name != "memory.py" and upwards.search(path.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_subjects_of_commits_are_short() -> None:
    """The rule of CONTRIBUTING: what was changed, in 72 characters, as an order, no full stop."""
    if not (ROOT / ".git").exists():
        pytest.skip("no history here")
    told = subprocess.run(
        ["git", "log", "--max-count=50", "--no-merges", "--format=%s"],
        cwd=ROOT, check=True, capture_output=True, encoding="utf-8",
    ).stdout.splitlines()  # fmt: skip
    assert [
        one for one in told if len(one) > 72 or one.endswith(".") or not one[:1].isupper()
    ] == []


@pytest.mark.parametrize(
    ("adapter", "access", "arguments", "deepest", "most"),
    [
        ("cli/search.py", "MATCH", "search sqlite", 6, 90),
        ("cli/session.py", "MEMORY.md", "log -t learning Wheels_are_cached_here", 6, 124),
        ("cli/session.py", "CLAUDE.md", "recall --force", 6, 124),
        ("hooks/__init__.py", ".mind/cache", "hook", 6, 26),
    ],
)
def test_few_functions_lie_between_an_adapter_and_sql_or_a_file(  # noqa: PLR0917 - fixtures
    here: Project, adapter: str, access: str, arguments: str, deepest: int, most: int
) -> None:
    """Six functions are wanted, and 90 modules of a search. A number is only ever lowered."""
    Memory(here).log("SQLite over Postgres - one file", "decision")
    Memory(here).recall()
    event = {
        "hook_event_name": "PreToolUse",
        "session_id": "a",
        "cwd": str(here.root),
        "tool_name": "Bash",
        "tool_input": {"command": "make build"},
    }
    for _ in range(1 + (arguments == "hook")):  # its first call prepares the next
        done = subprocess.run(
            [sys.executable, "-m", "tests.call_depth", adapter, access, *arguments.split()],
            cwd=here.root,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            input=json.dumps(event),
            check=True,
            capture_output=True,
            encoding="utf-8",
        )
    depth, modules = map(int, re.findall(r"\d+", done.stderr.splitlines()[-1]))
    assert 0 < depth <= deepest
    assert modules <= most


def test_the_glossary_has_at_most_25_terms_each_once() -> None:
    page = (ROOT / "docs" / "explanation" / "glossary.md").read_text(encoding="utf-8")
    terms = re.findall(r"^\| ([a-z ]+) \| (?!meaning)", page, re.MULTILINE)
    assert terms == sorted(set(terms))
    assert 20 <= len(terms) <= 25


def test_docstrings_begin_with_a_verb_or_a_noun() -> None:
    questions = {"What", "Whether", "How", "Where", "Why", "Who", "Which", "When"}
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    found = [
        f"{path.relative_to(ROOT)}: {told.splitlines()[0]}"
        for path in sorted((ROOT / "mind").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, kinds) and (told := ast.get_docstring(node))
        if told.split()[0] in questions
    ]
    assert found == []
