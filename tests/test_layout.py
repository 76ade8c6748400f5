"""The house rules that no other tool enforces."""

import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from mind.cli import commands

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


def test_the_table_of_commands_names_what_each_module_registers() -> None:
    for module in set(commands.MODULES.values()):
        listed = {name for name, of in commands.MODULES.items() if of == module}
        assert set(commands.registered(module)) == listed, module


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
