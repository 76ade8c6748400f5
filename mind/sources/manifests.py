"""Manifests of a project: name, purpose, required versions, direct dependencies and commands.

Where each format has them is data (``mind/data/manifests.toml``); targets and tasks of Make, just
and Task are parsed here. A broken, huge or unreadable manifest yields nothing.
"""

import contextlib
import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from functools import lru_cache
from itertools import islice, takewhile
from pathlib import Path
from typing import Any, NamedTuple

from mind.domain.errors import FileError
from mind.storage import files
from mind.text import lazy_pattern, table

_LARGEST = 512_000
_SPEC = lazy_pattern(r"[\s'\"]*(@?[^\s#\[<>=!~;:@(,'\"]+)")
"""The name at the start of a requirement."""
_LANGUAGE = lazy_pattern(r"(?:python|php|sdk|ext-.*)\Z")
"""Requirements that are no packages."""
_OF_MEMBERS = {"pnpm-workspace.yaml": "package.json", "go.work": "go.mod"}
"""Manifests of members by that of the workspace, where the names differ."""
_MOST_PARTS = 1_000
"""Maximum parts of a dotted key."""
_ENDLESS_KEY = lazy_pattern(
    rf"(?<![\w-])(?:(?:[\w-]++|\"[^\"\n]*+\"|'[^'\n]*+')[ \t]*+\.[ \t]*+){{{_MOST_PARTS}}}"
)
_HOOK = lazy_pattern(r"(?:pre|post)(?!view|cache)(?=[a-z-])")
"""The name of a script that runs before or after another one."""
_MOST_MEMBERS, _DEEPEST_MEMBER = 60, 8
_MOST_SHAPES, _MOST_WILD = 500, 2
"""Maximum patterns of a workspace's members, and parts of one that match any folder."""
_WILD = frozenset("*?[")
_MOST_RUNS = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command that a manifest defines: the call, what it runs, and its description.

    ``installed`` is True for a program that the package installs.
    """

    call: str
    runs: str = ""
    about: str = ""
    line: int = 0
    needs: str = ""
    installed: bool = False

    @property
    def does(self) -> str:
        """Return what it runs, preceded by its dependencies."""
        return "; ".join(filter(None, (self.needs, self.runs)))


class Manifest(NamedTuple):
    """The contents of a manifest.

    Attributes:
        name: Name of the package or module.
        about: Its description.
        requires: Versions of languages and tools, as "Python >=3.11".
        packages: Direct dependencies, development dependencies last.
        development: Number of development dependencies.
        commands: Commands it defines.
        members: Glob patterns of a workspace's member folders.
        private: True if it is marked as not to be published.
        code: Endings of the files of its language; none for a compose file.
    """

    name: str = ""
    about: str = ""
    requires: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    development: int = 0
    commands: tuple[Command, ...] = ()
    members: tuple[str, ...] = ()
    private: bool = False
    code: tuple[str, ...] = ()


def is_manifest(name: str) -> bool:
    """Return True if files of this name are supported."""
    return _shape(name) is not None


@lru_cache(maxsize=1_024)
def _shape(name: str) -> Mapping[str, Any] | None:
    rows = table("manifests").items()
    return next((shape for pattern, shape in rows if fnmatch(name, pattern)), None)


def read(path: Path) -> Manifest | None:
    """Parse the manifest at ``path``; None if it yields nothing."""
    shape = _shape(path.name)
    try:
        if shape is None or path.stat().st_size > _LARGEST:
            return None
        text = files.read(path).decode("utf-8", "replace").removeprefix("\ufeff")
        return _read(text.replace("\r\n", "\n"), shape)
    except (OSError, FileError, ValueError, RecursionError):
        return None


def _read(text: str, shape: Mapping[str, Any]) -> Manifest:
    form = shape.get("format", "")
    if form in ("make", "just"):
        return Manifest(commands=tuple(_recipes(text, form)))
    if form == "task":
        return Manifest(commands=tuple(_tasks(text)))
    source = _parsed(re.sub(shape.get("ignore", r"(?!)"), "", text), form)
    requires = [
        f"{what} {version}"
        for what, places in shape.get("requires", {}).items()
        if (version := _first(source, places))
    ]
    manager, _, version = _first(source, shape.get("manager", ())).partition("+")[0].partition("@")
    requires += [f"{manager} {version}"] if version else []
    name = _first(source, shape.get("name", ()))
    own = _packages(source, shape.get("packages", ()))
    tools = [one for one in _packages(source, shape.get("tools", ())) if one not in own]
    commands = [
        Command(
            call=program, runs=", ".join(filter(None, (one.strip(" :'\"") for one, _ in names)))
        )
        for program, places in shape.get("whole", {}).items()
        if (names := _found(source, places))
    ]
    commands += [
        replace(one, call=f"{program.replace('npm', manager or 'npm')} {one.call}")
        for program, places in shape.get("commands", {}).items()
        for one in _told(source, places)
        if not _HOOK.match(one.call)
    ]
    programs = _found(source, shape.get("programs", ()))
    commands += [Command(call=one, installed=True) for one, _ in programs]
    if not requires and "language" in shape and (name or "name" not in shape):
        requires = [shape["language"]]
    return Manifest(
        name=name,
        about=" ".join(_first(source, shape.get("about", ())).split()),
        requires=tuple(requires),
        packages=(*own, *tools),
        development=len(tools),
        commands=tuple(commands),
        members=tuple(one for one, said in _found(source, shape.get("members", ())) if not said),
        private=_is_private(source),
        code=tuple(shape.get("code", "").split()),
    )


def _parsed(text: str, form: str) -> object:
    if form == "json":
        return json.loads(text)
    return _toml(text) if form == "toml" else text


def _toml(text: str) -> dict[str, Any]:
    """Parse TOML; the parser's time grows with the square of a dotted key.

    Raises:
        ValueError: It is not TOML, or has an endless key.
    """
    if _ENDLESS_KEY.search(text):
        raise ValueError(_MOST_PARTS)
    return tomllib.loads(text)


def _found(source: object, places: Sequence[str]) -> list[tuple[str, str]]:
    """Return the names at some places of a manifest, each with its text if it has one."""
    if isinstance(source, str):
        texts = [one for place in places for one in re.findall(place, source, re.MULTILINE)]
        return [(one, "") for text in texts for one in re.split(r"[\n,]", text)]
    values = [value for place in places for value in _at(source, place.split("."))]
    return [(name, text) for value in values for name, text in _pairs(value)]


_ABOUT, _RUNS = ("description", "help", "desc"), ("cmd", "command", "shell", "script")
"""Keys of the description of a task, and of what it runs."""


def _told(source: object, places: Sequence[str]) -> Iterator[Command]:
    """Yield the tasks at some places of a manifest, each with its name as the call."""
    if isinstance(source, str):
        for place in places:
            for one in re.finditer(place, source, re.MULTILINE):
                said = one.groupdict("")
                if said["name"]:
                    yield Command(call=said["name"], about=said.get("about", "").strip(" ."))
        return
    for value in (value for place in places for value in _at(source, place.split("."))):
        for name, runs in _pairs(value):
            told = value[name] if isinstance(value, Mapping) else None
            task = told if isinstance(told, Mapping) else {}
            about = _first(task, _ABOUT).strip(" .")
            yield Command(call=name, runs=runs or _first(task, _RUNS), about=about)


def _at(data: object, keys: Sequence[str]) -> Iterator[object]:
    """Yield the values at a path of keys."""
    if not keys:
        yield data
    elif keys[0] == "*":
        inner = data.values() if isinstance(data, Mapping) else data
        for one in inner if isinstance(inner, Iterable) else ():
            yield from _at(one, keys[1:])
    elif isinstance(data, Mapping) and keys[0] in data:
        yield from _at(data[keys[0]], keys[1:])


def _pairs(value: object) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield value, ""
    elif isinstance(value, Mapping):
        for name, one in value.items():
            said = one if isinstance(one, list) else [one]
            yield str(name), "; ".join(text for text in said if isinstance(text, str))
    elif isinstance(value, list):
        yield from ((one, "") for one in value if isinstance(one, str))


def _first(source: object, places: Sequence[str]) -> str:
    if isinstance(source, str):
        found = (re.search(place, source, re.MULTILINE) for place in places)
        return next((one[1].strip("'\" ") for one in found if one), "")
    values = (value for place in places for value in _at(source, place.split(".")))
    return next((one.strip() for one in values if isinstance(one, str)), "")


def _packages(source: object, places: Sequence[str]) -> list[str]:
    matches = (_SPEC.match(one) for one, _ in _found(source, places))
    names = dict.fromkeys(one[1] for one in matches if one)
    return [one for one in names if not _LANGUAGE.match(one)]


def _is_private(source: object) -> bool:
    """Return True if a package.json or Cargo.toml says that it is not published."""
    told = [*_at(source, ["private"]), *(not one for one in _at(source, ["package", "publish"]))]
    return any(one is True for one in told)


def members(root: Path) -> dict[Path, Manifest]:
    """Read the manifests of the members of the workspace at ``root``, only those inside it."""
    shapes: set[tuple[str, str]] = set()
    for one in sorted(root.glob("*")):
        made = read(one) if is_manifest(one.name) and one.is_file() else None
        name = _OF_MEMBERS.get(one.name, one.name)
        shapes.update((shape, name) for shape in (made.members if made else ()))
    inside = root.resolve()
    found: dict[Path, Manifest] = {}
    for shape, name in islice(sorted(shapes), _MOST_SHAPES):
        if shape.startswith(("!", "/")) or ".." in shape or not shape.strip("./*"):
            continue
        parts = shape.split("/")
        is_wide = sum(not _WILD.isdisjoint(one) for one in parts) > _MOST_WILD
        if is_wide or len(parts) > _DEEPEST_MEMBER + 1:
            continue
        with contextlib.suppress(OSError, ValueError, NotImplementedError):  # invalid folder name
            for folder in islice(root.glob(re.sub(r"\*{2,}", "*", shape)), _MOST_MEMBERS):
                file = folder / name
                is_inside = file.is_file() and file.resolve().is_relative_to(inside)
                if is_inside and (made := read(file)):
                    found[folder] = made
    return found


_TARGET = lazy_pattern(
    r"^(?P<name>[A-Za-z0-9][\w./-]*)\s*:(?![:=])"
    r"(?!\s*(?:(?:un)?export\b|(?:(?:override|private)\s+)*[\w.-]+\s*[:?+!]*=))(?P<rest>[^\n]*)$"
)
"""Matches a Makefile rule, not a target-specific variable (``test: CGO_ENABLED = 1``)."""
_RECIPE = lazy_pattern(r"^@?(?P<name>[A-Za-z0-9][\w-]*)(?P<rest>(?:\s[^:\n]*+)?):(?!=)[^\n]*$")
_NO_TARGETS = frozenset({"set", "export", "alias", "import", "mod", "default", "help", "all"})
_IS_NO_STEP = lazy_pattern(r"#|@?\$\(eval\b")
_SHAPES = {"make": _TARGET, "just": _RECIPE}


def _recipes(text: str, program: str) -> Iterator[Command]:
    """Yield targets with the comments above, beside and within them, and their recipes."""
    lines = text.split("\n")
    above: list[str] = []
    told: dict[str, Command] = {}
    for at, line in enumerate(lines):
        found = _SHAPES[program].match(line)
        if found is None or found["name"] in _NO_TARGETS or _asks(found, program):
            above = above if line.startswith(("#", ".PHONY")) else []
            above += [line.lstrip("#? ").strip()] if line.startswith("#") else []
            continue
        body = [
            one.strip()
            for one in takewhile(_is_indented, map(lines.__getitem__, range(at + 1, len(lines))))
        ]
        said = [*above, line.partition("##")[2].strip()]
        said += [one.lstrip("#? ") for one in body if one.startswith("#") and one[1:2] != "!"]
        above = []
        runs = "; ".join(one.lstrip("@-") for one in body if one and not _IS_NO_STEP.match(one))
        needs = "" if program == "just" else found["rest"].partition("#")[0].strip()
        call = f"{program} {found['name']}"
        one = told.get(call, Command(call=call, line=at + 1))  # a target can have several rules
        told[call] = replace(
            one,
            runs=one.runs or runs.replace("\\; ", "")[:_MOST_RUNS],
            needs=one.needs or needs[:_MOST_RUNS],
            about=one.about
            or " ".join(filter(None, said)).removeprefix(f"{found['name']}: ")[:_MOST_RUNS],
        )
    yield from (one for one in told.values() if one.does)


def _asks(found: re.Match[str], program: str) -> bool:
    """Return True for a recipe of just that cannot run without arguments."""
    return program == "just" and any(
        one[0] not in "*$" for one in found["rest"].split() if "=" not in one
    )


def _is_indented(line: str) -> bool:
    return line.startswith(("\t", "  "))


_TASK = lazy_pattern(r"^  ([\w:.-]{1,80}):[ \t]*(.*)\n((?:(?:    .*)?\n)*+)", re.MULTILINE)
_DESCRIPTION = lazy_pattern(r"^ +desc:[ \t]*(.*)", re.MULTILINE)
_STEP = lazy_pattern(r"^ +- (?!\w+: )(.+)", re.MULTILINE)


def _tasks(text: str) -> Iterator[Command]:
    """Yield the tasks of a Taskfile, without the rest of YAML."""
    for name, said, body in _TASK.findall(text.partition("\ntasks:")[2] + "\n"):
        about = _DESCRIPTION.search(body)
        runs = "; ".join(filter(None, (said, *_STEP.findall(body.partition("cmds:")[2]))))
        described = about[1].strip("'\" ") if about else ""
        yield Command(call=f"task {name}", runs=runs[:_MOST_RUNS], about=described)
