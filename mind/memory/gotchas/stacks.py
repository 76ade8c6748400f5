"""Stacks of a project: by its files, and by what its manifests depend on."""

import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from mind.sources import manifests
from mind.storage.templates import folder

_NESTS = frozenset({"packages", "apps", "services", "libs", "modules", "crates", "cmd", "src"})
_MOST_FOLDERS = 40
_ALIASES = "aliases"


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
        for name in filter(manifests.is_manifest, listed):
            made = manifests.read(place / name)
            packages.update(one.lower() for one in (made.packages if made else ()))
    rules = _rules().items()
    return [one for one, rule in rules if one != _ALIASES and _applies(rule, names, packages)]


def named_stacks(named: Sequence[str], root: Path) -> list[str]:
    """The stacks that somebody names, by any of their names; the detected ones if unknown."""
    rules = _rules()
    found: list[str] = []
    for one in map(str.lower, named):
        found += [
            one,
            *(rules[_ALIASES].get(one, [one]) if _is_known(one) else detect_stacks(root)),
        ]
    return list(dict.fromkeys(found)) or detect_stacks(root)


def unknown_stacks(named: Sequence[str]) -> list[str]:
    """Those of the names that no stack has."""
    return [one for one in named if not _is_known(one.lower())]


def _is_known(name: str) -> bool:
    return name != _ALIASES and (name in _rules() or name in _rules()[_ALIASES])


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
        return {*(one.name for one in place.iterdir()), f"{place.name}/"}
    except OSError:
        return set()
