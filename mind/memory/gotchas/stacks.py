"""Which stacks a project uses, by its manifest files."""

import json
import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from mind.domain.errors import FileError
from mind.storage import files
from mind.storage.templates import folder

_LARGEST = 512_000
_NESTS = frozenset({"packages", "apps", "services", "libs", "modules", "crates", "cmd", "src"})
_MOST_FOLDERS = 40
_ALIASES = "aliases"
_NAME = re.compile(r"[A-Za-z0-9@][A-Za-z0-9@._/-]*")


@cache
def _rules() -> dict[str, dict[str, list[str]]]:
    text = (folder() / "stacks.toml").read_text(encoding="utf-8")
    rules: dict[str, dict[str, list[str]]] = tomllib.loads(text)
    return rules


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
    rules = _rules().items()
    return [one for one, rule in rules if one != _ALIASES and _applies(rule, names, packages)]


def named_stacks(named: Sequence[str], root: Path) -> list[str]:
    """The stacks that somebody names, by any of their names; the detected ones if unknown."""
    rules = _rules()
    found: list[str] = []
    for one in map(str.lower, named):
        known = rules[_ALIASES].get(one, [one] if one in rules else detect_stacks(root))
        found += [one, *known]
    return list(dict.fromkeys(found)) or detect_stacks(root)


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
    if path.suffix == ".toml" or path.name == "Pipfile":
        return _toml_names(text)
    bare = re.sub(r"^\s*(?:#|//|--).*$", "", text, flags=re.MULTILINE)
    found = {name.lower() for name in _NAME.findall(bare)}
    return found | {re.split(r"[\[<>=!~;:]", name)[0] for name in found}


def _toml_names(text: str) -> set[str]:
    """Names in the tables and lists of dependencies, wherever they are."""
    try:
        data = tomllib.loads(text.removeprefix("\ufeff"))
    except ValueError:
        return set()
    return {_SPEC.split(name, maxsplit=1)[0].lower() for name in _listed_in(data)} - {""}


_DEPENDING = frozenset({"packages", "dev-packages", "requires"})
_SPEC = re.compile(r"[\s\[<>=!~;:@(]")


def _listed_in(table: dict[str, Any]) -> Iterator[str]:
    """The keys and texts below each key about dependencies."""
    for key, value in table.items():
        if "dependenc" in key or key in _DEPENDING:
            yield from _texts(value)
        elif isinstance(value, dict):
            yield from _listed_in(value)


def _texts(value: object) -> Iterator[str]:
    """The texts of a list, the keys of a table, and the texts of lists in it."""
    if isinstance(value, list):
        yield from (one for one in value if isinstance(one, str))
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from _texts(one) if isinstance(one, list) else [str(key)]


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
