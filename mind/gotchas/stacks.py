"""Which stacks a project uses, by its manifest files."""

import json
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from mind import files
from mind.errors import FileError
from mind.templates import folder

_LARGEST = 512_000
_NESTS = frozenset({"packages", "apps", "services", "libs", "modules", "crates", "cmd", "src"})
_MOST_FOLDERS = 40
_NAME = re.compile(r"[A-Za-z0-9@][A-Za-z0-9@._/-]*")


@cache
def _rules() -> dict[str, dict[str, list[str]]]:
    text = (folder() / "stacks.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def detect_stacks(root: Path) -> list[str]:
    """The stacks found at ``root`` and one level below, in the order of ``stacks.toml``.

    Manifests that are broken, huge or unreadable count by their name only.
    """
    names: set[str] = set()
    packages: set[str] = set()
    for place in _places(root):
        listed = _listed(place)
        names |= listed
        for name in listed & _MANIFESTS:
            packages |= _dependencies(place / name)
    return [stack for stack, rule in _rules().items() if _applies(rule, names, packages)]


def _applies(rule: dict[str, list[str]], names: set[str], packages: set[str]) -> bool:
    if any(name in names for name in rule.get("files", ())):
        return True
    if any(name.endswith(tuple(rule.get("endings", ())) or ("\0",)) for name in names):
        return True
    return any(package in packages for package in rule.get("packages", ()))


def _places(root: Path) -> Iterator[Path]:
    yield root
    try:
        below = sorted(one for one in root.iterdir() if one.is_dir() and one.name[:1] != ".")
        nested = [root / ".github" / "workflows"]
        for one in below[:_MOST_FOLDERS]:
            yield one
            if one.name in _NESTS:
                nested += sorted(inner for inner in one.iterdir() if inner.is_dir())
    except OSError:
        return
    yield from (place for place in nested[:_MOST_FOLDERS] if place.is_dir())


def _listed(place: Path) -> set[str]:
    try:
        return {one.name for one in place.iterdir()} | {f"{place.name}/"}
    except OSError:
        return set()


_MANIFESTS = frozenset(
    {
        "package.json",
        "pyproject.toml",
        "Pipfile",
        "setup.py",
        "setup.cfg",
        "requirements.txt",
        "requirements-dev.txt",
        "Cargo.toml",
        "go.mod",
        "Gemfile",
        "composer.json",
        "pom.xml",
        "build.gradle",
        "build.gradle.kts",
        "pubspec.yaml",
        "mix.exs",
        "docker-compose.yml",
        "docker-compose.yaml",
        "compose.yaml",
    }
)


def _dependencies(path: Path) -> set[str]:
    """Names of packages in a manifest: its keys where it is JSON, every name-like word else."""
    try:
        if path.stat().st_size > _LARGEST:
            return set()
        text = files.read(path).decode("utf-8", "replace")
    except (OSError, FileError):
        return set()
    if path.suffix == ".json":
        return _json_names(text)
    bare = re.sub(r"^\s*(?:#|//|--).*$", "", text, flags=re.MULTILINE)
    found = {name.lower() for name in _NAME.findall(bare)}
    return found | {re.split(r"[\[<>=!~;:]", name)[0] for name in found}


def _json_names(text: str) -> set[str]:
    try:
        data = json.loads(text.removeprefix("\ufeff"))
    except ValueError:
        return set()
    found: set[str] = set()
    for section in (
        "dependencies",
        "devDependencies",
        "peerDependencies",
        "require",
        "require-dev",
    ):
        table = data.get(section) if isinstance(data, dict) else None
        found |= {name.lower() for name in table} if isinstance(table, dict) else set()
    return found
