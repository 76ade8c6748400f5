"""Manifests of a project: name, purpose, required versions, direct dependencies and commands.

Each format has its own parser. A broken, huge or unreadable manifest yields nothing.
"""

import contextlib
import json
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatch
from itertools import dropwhile, islice, takewhile
from pathlib import Path
from typing import Any

from mind.domain.errors import FileError
from mind.storage import files

_LARGEST = 512_000
_SPEC = re.compile(r"@?[^\s\[<>=!~;:@(,]+")
"""The name at the start of a requirement."""
_OF_MEMBERS = {"pnpm-workspace.yaml": "package.json", "go.work": "go.mod"}
"""Manifests of members by that of the workspace, where the names differ."""
_MOST_PARTS = 1_000
"""Maximum parts of a dotted key."""
_ENDLESS_KEY = re.compile(
    rf"(?:(?:[\w-]++|\"[^\"\n]*+\"|'[^'\n]*+')[ \t]*+\.[ \t]*+){{{_MOST_PARTS}}}"
)
_MOST_MEMBERS, _DEEPEST_MEMBER = 60, 8
_MOST_SHAPES, _MOST_WILD = 500, 2
"""Maximum patterns of a workspace's members, and parts of one that match any folder."""
_WILD = frozenset("*?[")
_ITEM = re.compile(r"[A-Za-z0-9@][\w@./-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command that a manifest defines: the call, what it runs, and its description.

    A program that the package installs has only the call.
    """

    call: str
    runs: str = ""
    about: str = ""
    line: int = 0
    needs: str = ""

    @property
    def does(self) -> str:
        """Return what it runs, preceded by its dependencies."""
        return "; ".join(filter(None, (self.needs, self.runs)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
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
    """

    name: str = ""
    about: str = ""
    requires: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    development: int = 0
    commands: tuple[Command, ...] = ()
    members: tuple[str, ...] = ()
    private: bool = False


@dataclass(slots=True)
class _Made:
    """A manifest being parsed."""

    name: str = ""
    about: str = ""
    requires: list[str] = field(default_factory=list)
    packages: list[str] = field(default_factory=list)
    tools: list[str] = field(default_factory=list)
    commands: list[Command] = field(default_factory=list)
    members: list[str] = field(default_factory=list)
    private: bool = False

    def needs(self, what: str, version: object) -> None:
        named = any(one.startswith(f"{what} ") for one in self.requires)
        if isinstance(version, str) and version.strip() and not named:
            self.requires.append(f"{what} {version.strip()}")

    def depends(self, names: Iterable[object], *, development: bool = False) -> None:
        found = (_SPEC.match(one.strip()) for one in map(str, names))
        (self.tools if development else self.packages).extend(one[0] for one in found if one)


def is_manifest(name: str) -> bool:
    """Return True if files of this name are supported."""
    return _reader(name) is not None


def read(path: Path) -> Manifest | None:
    """Parse the manifest at ``path``; None if it yields nothing."""
    reader = _reader(path.name)
    try:
        if reader is None or path.stat().st_size > _LARGEST:
            return None
        text = files.read(path).decode("utf-8", "replace").removeprefix("\ufeff")
        made = _Made()
        reader(text.replace("\r\n", "\n"), made)
    except (OSError, FileError, ValueError, RecursionError, AttributeError, TypeError):
        return None
    own = tuple(dict.fromkeys(made.packages))
    tools = tuple(one for one in dict.fromkeys(made.tools) if one not in own)
    return Manifest(
        name=made.name,
        about=" ".join(made.about.split()),
        requires=tuple(dict.fromkeys(made.requires)),
        packages=own + tools,
        development=len(tools),
        commands=tuple(made.commands),
        members=tuple(one for one in made.members if isinstance(one, str)),
        private=made.private,
    )


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


def _reader(name: str) -> "Callable[[str, _Made], None] | None":
    return next((read for shape, read in _READERS.items() if fnmatch(name, shape)), None)


def _table(data: object, *keys: str) -> Mapping[str, Any]:
    for key in keys:
        data = data.get(key) if isinstance(data, Mapping) else None
    return data if isinstance(data, Mapping) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _package_json(text: str, made: _Made) -> None:
    data = json.loads(text)
    made.name, made.about = _text(data.get("name")), _text(data.get("description"))
    made.private = data.get("private") is True
    for what, version in _table(data, "engines").items():
        made.needs(str(what).capitalize() if what == "node" else str(what), version)
    manager = _text(data.get("packageManager")).partition("+")[0]
    made.needs(manager.partition("@")[0], manager.partition("@")[2])
    made.depends(_table(data, "dependencies"))
    made.depends(_table(data, "peerDependencies"))
    made.depends(_table(data, "devDependencies"), development=True)
    spaces = data.get("workspaces") or ()
    made.members.extend(spaces if isinstance(spaces, list) else _table(spaces).get("packages", ()))
    run = manager.partition("@")[0] or "npm"
    for name, runs in _table(data, "scripts").items():
        hooked = re.match(r"(?:pre|post)(?!view|cache)(?=[a-z])", str(name))
        if not hooked:
            made.commands.append(Command(call=f"{run} run {name}", runs=_text(runs)))


def _composer(text: str, made: _Made) -> None:
    data = json.loads(text)
    made.name, made.about = _text(data.get("name")), _text(data.get("description"))
    made.needs("PHP", _table(data, "require").get("php"))
    for key in ("require", "require-dev"):  # without a vendor: PHP or an extension
        packages = (name for name in _table(data, key) if "/" in name)
        made.depends(packages, development=key == "require-dev")
    for name, runs in _table(data, "scripts").items():
        said = runs if isinstance(runs, str) else "; ".join(map(str, runs or ()))
        made.commands.append(Command(call=f"composer {name}", runs=said))


def _toml(text: str) -> dict[str, Any]:
    """Parse TOML; the parser's time grows with the square of a dotted key.

    Raises:
        ValueError: It is not TOML, or has an endless key.
    """
    if _ENDLESS_KEY.search(text):
        raise ValueError(_MOST_PARTS)
    return tomllib.loads(text)


def _pyproject(text: str, made: _Made) -> None:
    data = _toml(text)
    project, poetry = _table(data, "project"), _table(data, "tool", "poetry")
    made.name = _text(project.get("name") or poetry.get("name"))
    made.about = _text(project.get("description") or poetry.get("description"))
    python = _table(poetry, "dependencies").get("python")
    made.needs("Python", project.get("requires-python") or python)
    made.depends(project.get("dependencies") or ())
    made.depends(name for name in _table(poetry, "dependencies") if name != "python")
    for extra in _table(project, "optional-dependencies").values():
        made.depends(extra, development=True)
    groups = [*_table(data, "dependency-groups").values()]
    groups += [_table(one, "dependencies") for one in _table(poetry, "group").values()]
    groups += [
        _table(poetry, "dev-dependencies"),
        _table(data, "tool", "uv").get("dev-dependencies"),
    ]
    for group in groups:
        made.depends((one for one in group or () if isinstance(one, str)), development=True)
    made.members.extend(_table(data, "tool", "uv", "workspace").get("members") or ())
    for name, runs in _table(data, "tool", "poe", "tasks").items():
        made.commands.append(Command(call=f"poe {name}", runs=_text(runs)))
    for name in _table(project, "scripts"):
        made.commands.append(Command(call=str(name)))


def _cargo(text: str, made: _Made) -> None:
    data = _toml(text)
    package = {**_table(data, "workspace", "package"), **_table(data, "package")}
    made.name, made.about = _text(package.get("name")), _text(package.get("description"))
    made.private = package.get("publish") in (False, [])
    made.needs("Rust edition", package.get("edition"))
    made.needs("rust-version", package.get("rust-version"))
    if package and not made.requires:
        made.requires.append("Rust")
    made.members.extend(_table(data, "workspace").get("members") or ())
    for scope in (data, _table(data, "workspace"), *_table(data, "target").values()):
        made.depends(_table(scope, "dependencies"))
        made.depends(_table(scope, "dev-dependencies"), development=True)
        made.depends(_table(scope, "build-dependencies"), development=True)
    for one in data.get("bin") or ():
        made.commands.append(Command(call=_text(one.get("name"))))


_GO = re.compile(r"^(module|go|toolchain)\s+(\S+)", re.MULTILINE)
_GO_NEEDS = re.compile(
    r"^(?:require\s++|[^\S\n]++)((?=[\w.-][\w-]*+\.[\w.-])[\w.-]++/\S++)\s++v\S++(.*)$",
    re.MULTILINE,
)


def _go_mod(text: str, made: _Made) -> None:
    for what, value in _GO.findall(text):
        if what == "module":
            made.name = value
        elif what == "go":
            made.needs("Go", value)
    made.depends(name for name, rest in _GO_NEEDS.findall(text) if "// indirect" not in rest)


def _go_work(text: str, made: _Made) -> None:
    listed = re.findall(r"^use\s++(\([^)]*+\)?|\S++)", text, re.MULTILINE)
    made.members.extend(name for one in listed for name in one.strip("()").split())


def _pnpm_workspace(text: str, made: _Made) -> None:
    listed = re.search(
        r"^packages:[ ]*\n((?:[ \t]*-.*\n|[^\S\n]*+\n)*+)", text + "\n", re.MULTILINE
    )
    items = re.findall(r"-\s+['\"]?([^'\"#\s]+)", listed[1] if listed else "")
    made.members.extend(items)


def _gemfile(text: str, made: _Made) -> None:
    made.needs(
        "Ruby", next(iter(re.findall(r"^[^\S\n]*+ruby\s++['\"]([^'\"]+)", text, re.MULTILINE)), "")
    )
    made.depends(re.findall(r"^[^\S\n]*+gem\s++['\"]([^'\"]+)", text, re.MULTILINE))


def _gemspec(text: str, made: _Made) -> None:
    for key, value in re.findall(r"\.(name|summary)\s*=\s*['\"]([^'\"\n]+)['\"]", text):
        setattr(made, "name" if key == "name" else "about", value)
    needed = re.search(r"\.required_ruby_version\s*=\s*['\"]([^'\"]+)", text)
    made.needs("Ruby", needed[1] if needed else None)
    for kind, name in re.findall(
        r"\.add_(?:(development|runtime)_)?dependency\s*+\(?\s*+['\"]([^'\"]+)", text
    ):
        made.depends([name], development=kind == "development")


def _requirements(text: str, made: _Made) -> None:
    lines = (line.strip() for line in text.split("\n"))
    made.depends(line for line in lines if _ITEM.match(line))


def _pipfile(text: str, made: _Made) -> None:
    data = _toml(text)
    made.needs("Python", _table(data, "requires").get("python_version"))
    made.depends(_table(data, "packages"))
    made.depends(_table(data, "dev-packages"), development=True)


def _setup_cfg(text: str, made: _Made) -> None:
    for key, value in re.findall(
        r"^(name|description|python_requires|install_requires)\s*=(.*(?:\n[ \t]+.*)*)",
        text,
        re.MULTILINE,
    ):
        if key == "name":
            made.name = value.strip()
        elif key == "description":
            made.about = value.strip()
        elif key == "python_requires":
            made.needs("Python", value)
        else:
            made.depends(value.split("\n"))


def _setup_py(text: str, made: _Made) -> None:
    """Read literal values only: the script is not run."""
    for key, value in re.findall(
        r"\b(name|description|python_requires)\s*=\s*['\"]([^'\"\n]*)['\"]", text
    ):
        if key == "python_requires":
            made.needs("Python", value)
        else:
            setattr(made, "name" if key == "name" else "about", value)
    for block in re.findall(r"(?:install|tests|setup)_requires\s*=\s*\[([^\]]*)", text):
        made.depends(re.findall(r"['\"]([^'\"\n]+)['\"]", block))
    for block in re.findall(r"extras_require\s*=\s*\{([^}]*)", text):
        made.depends(re.findall(r"['\"]([^'\"\n]+)['\"](?!\s*:)", block), development=True)


def _pom(text: str, made: _Made) -> None:
    text = re.sub(r"<!--.*?(?:-->|\Z)", "", text, flags=re.DOTALL)
    head = re.sub(
        r"<(dependencies|build|parent|profiles)>.*?(?:</\1>|\Z)", "", text, flags=re.DOTALL
    )
    for tag in ("name", "description"):
        found = re.search(rf"<{tag}>([^<$]++)</{tag}>", head)
        setattr(made, "name" if tag == "name" else "about", found[1].strip() if found else "")
    for tag in ("maven.compiler.release", "maven.compiler.target", "java.version"):
        made.needs("Java", "".join(re.findall(rf"<{re.escape(tag)}>\s*([\d.]+)", text)[:1]))
    for block in re.findall(r"<dependency>(.*?)(?:</dependency>|\Z)", text, re.DOTALL):
        named = re.findall(r"<artifactId>\s*([^<\s]+)", block)
        made.depends(named, development="<scope>test<" in "".join(block.split()))
    made.depends(re.findall(r"<groupId>([^<]++)</groupId>", text), development=True)


def _gradle(text: str, made: _Made) -> None:
    bare = re.sub(r"^[^\S\n]*+//.*$", "", text, flags=re.MULTILINE)
    for group, name in re.findall(
        r"\b(?:\w*[iI]mplementation|api|compileOnly|kapt|classpath|\w*[rR]untimeOnly)"
        r"\s*+\(?\s*+['\"]([\w.-]+)(?::([\w.-]+))?",
        bare,
    ):
        made.depends(filter(None, (group, name)))
    made.depends(re.findall(r"\bid\s*+\(?\s*+['\"]([\w.-]+)['\"]", bare), development=True)
    made.depends("kotlin" for _ in re.findall(r"\bkotlin\s*\(\s*['\"]", bare)[:1])


def _pubspec(text: str, made: _Made) -> None:
    for key, value in re.findall(r"^(name|description):\s*(\S.*)$", text, re.MULTILINE):
        setattr(made, "name" if key == "name" else "about", value.strip("'\" "))
    for head, block in re.findall(
        r"^((?:dev_)?dependencies):[ ]*\n((?:[ \t]+.*\n|\s*\n)*)", text + "\n", re.MULTILINE
    ):
        found = re.findall(r"^  (\w+):", block, re.MULTILINE)
        made.depends(found, development=head.startswith("dev"))


def _mix(text: str, made: _Made) -> None:
    made.needs("Elixir", next(iter(re.findall(r"elixir:\s*\"([^\"]+)\"", text)), ""))
    for name, rest in re.findall(r"\{:(\w+),([^}]*)", text):
        made.depends([name], development="only:" in rest and ":prod" not in rest)
    for name, several, one in _ALIAS.findall(_aliases(text)):
        runs = one or "; ".join(re.findall(r"\"([^\"]*)\"", several))
        made.commands.append(Command(call=f"mix {name}", runs=runs[:_MOST_RUNS]))


_ALIAS = re.compile(r"([\w.]{1,60})\"?:[ \t]*(?:\[([^\[\]]*)\]|\"([^\"\n]*)\")")


def _aliases(text: str) -> str:
    """Return the body of the function ``aliases`` of a mix.exs."""
    lines = iter(text.split("\n"))
    for line in lines:
        if re.match(r"\s*defp? aliases\b", line):
            return "\n".join(takewhile(lambda one: one.strip() != "end", lines))
    return ""


def _compose(text: str, made: _Made) -> None:
    """Read the images of services; those that are built here are the project's own."""
    first = re.search(r"(?m)^services:[^\n]*\n(?:[ \t]*(?:#[^\n]*)?\n)*([ \t]+)\S", text)
    services = re.split(rf"(?m)^(?={first[1] if first else ''}\S)", text)
    bought = [one for one in services if not re.search(r"(?m)^[ \t]+build:", one)]
    images = re.findall(r"(?m)^[ \t]+image:[ \t]*['\"]?([\w./-]+)", "\n".join(bought))
    made.depends(one.rpartition("/")[2] for one in images)


_TASK = re.compile(r"['\"]?([\w:.-]{1,80}?)['\"]?:(?:[ \t]+(.*))?")
_NESTED = ("{", "[", "|", ">", "&", "*")
"""Beginnings of YAML values other than a text on the line."""


def _taskfile(text: str, made: _Made) -> None:
    """Read names, descriptions and commands of tasks, without the rest of YAML."""
    lines = dropwhile(lambda line: not line.startswith("tasks:"), text.split("\n"))
    next(lines, "")
    base, key = 0, ""
    for line in lines:
        bare = line.strip()
        depth = len(line) - len(line.lstrip(" \t"))
        if not bare or bare.startswith("#"):
            continue
        if not depth:
            return
        base = base or depth
        found = _TASK.fullmatch(bare)
        value = _plain((found[2] or "") if found else "")
        if depth == base and found:
            made.commands.append(Command(call=f"task {found[1]}", runs=value))
            key = ""
        elif found and not bare.startswith("-"):
            key = found[1]
            _add_to_task(made, key, value)
        elif bare.startswith("- ") and key == "cmds":
            _add_to_task(made, key, _plain(bare[2:].strip().removeprefix("cmd:")))


def _plain(value: str) -> str:
    """Return a YAML text on one line without its quotes; "" for another value."""
    value = value.strip()
    if value[:1] in ("'", '"') and value[-1:] == value[:1]:
        return value[1:-1]
    return "" if value.startswith(_NESTED) else value


def _add_to_task(made: _Made, key: str, value: str) -> None:
    if value and made.commands:
        task = made.commands[-1]
        if key == "desc":
            made.commands[-1] = replace(task, about=value)
        elif key in ("cmd", "cmds") and len(task.runs) < _MOST_RUNS:
            made.commands[-1] = replace(task, runs="; ".join(filter(None, (task.runs, value))))


def _tox(text: str, made: _Made) -> None:
    sections = re.findall(
        r"(?m)^\[testenv(?::([\w.-]+))?\]\n((?:[^\[\n][^\n]*\n|\n)*)", f"{text}\n"
    )
    for name, body in sections:
        runs = re.search(r"(?m)^commands[ \t]*=((?:.*\n)(?:[ \t]+.*\n)*)", f"{body}\n")
        said = "; ".join(filter(None, map(str.strip, runs[1].split("\n")))) if runs else ""
        call = f"tox run -e {name}" if name else "tox run"
        made.commands.append(Command(call=call, runs=said[:_MOST_RUNS]))


def _noxfile(text: str, made: _Made) -> None:
    lines = text.split("\n")
    options = ""
    for at, line in enumerate(lines):
        found = re.match(r"(?:async )?def (\w+)", line)
        if line.startswith("@"):
            options += line if re.match(r"@(?:nox\.)?session\b", line) else ""
        elif found:
            named = re.search(r"\bname\s*=\s*['\"]([^'\"]+)", options)
            called = named[1] if named else found[1]
            about = re.match(r"\s+\"\"\"([^\"]+)", lines[at + 1] if at + 1 < len(lines) else "")
            if options:
                told = about[1].strip() if about else ""
                made.commands.append(Command(call=f"nox -s {called}", runs=called, about=told))
            options = ""
        elif options and line[:1] in (" ", "\t", ")"):  # the decorator goes on
            options += line.strip()


def _rakefile(text: str, made: _Made) -> None:
    about = ""
    for line in text.split("\n"):
        described = re.match(r"\s*desc[ \t(]+(['\"])(.+)\1", line)
        task = re.match(r"\s*task[ \t(]+[:'\"]?([\w:]{1,80})", line)
        if described:
            about = described[2]
        elif task and about:
            name = task[1].rstrip(":")
            made.commands.append(Command(call=f"rake {name}", runs=name, about=about))
        if line.strip() and not described:
            about = ""


_TARGET = re.compile(
    r"^(?P<name>[A-Za-z0-9][\w./-]*)\s*:(?![:=])"
    r"(?!\s*(?:(?:un)?export\b|(?:(?:override|private)\s+)*[\w.-]+\s*[:?+!]*=))(?P<rest>[^\n]*)$"
)
"""Matches a Makefile rule, not a target-specific variable (``test: CGO_ENABLED = 1``)."""
_RECIPE = re.compile(r"^@?(?P<name>[A-Za-z0-9][\w-]*)(?P<args>(?:\s[^:\n]*+)?):(?!=)[^\n]*$")
_MOST_RUNS = 300


def _makefile(text: str, made: _Made) -> None:
    _recipes(text, made, "make", _TARGET)


def _justfile(text: str, made: _Made) -> None:
    _recipes(text, made, "just", _RECIPE)


def _recipes(text: str, made: _Made, program: str, shape: re.Pattern[str]) -> None:
    """Read targets with the comments above, beside and within them, and their recipes."""
    lines = text.split("\n")
    above: list[str] = []
    told: dict[str, Command] = {}
    for at, line in enumerate(lines):
        found = shape.match(line)
        if found is None or found["name"] in _NO_TARGETS:
            above = above if line.startswith("#") else []
            above += [line.lstrip("# ").strip()] if line.startswith("#") else []
            continue
        body = [
            one.strip()
            for one in takewhile(_is_indented, map(lines.__getitem__, range(at + 1, len(lines))))
        ]
        said = [*above, line.partition("##")[2].strip()]
        said += [one.lstrip("# ") for one in body if one.startswith("#")]
        above = []
        runs = "; ".join(one.lstrip("@-") for one in body if one and not one.startswith("#"))
        needs = "" if program == "just" else found["rest"].partition("#")[0].strip()
        call = f"{program} {found['name']}"
        one = told.get(call, Command(call=call, line=at + 1))  # a target can have several rules
        told[call] = replace(
            one,
            runs=one.runs or runs.replace("\\; ", "")[:_MOST_RUNS],
            needs=one.needs or needs[:_MOST_RUNS],
            about=one.about or " ".join(filter(None, said))[:_MOST_RUNS],
        )
    made.commands.extend(one for one in told.values() if one.does)


def _is_indented(line: str) -> bool:
    return line.startswith(("\t", "  "))


_NO_TARGETS = frozenset({"set", "export", "alias", "import", "mod", "default", "help", "all"})
_READERS: dict[str, Callable[[str, _Made], None]] = {
    "package.json": _package_json,
    "pyproject.toml": _pyproject,
    "Cargo.toml": _cargo,
    "go.mod": _go_mod,
    "go.work": _go_work,
    "composer.json": _composer,
    "*.gemspec": _gemspec,
    "Gemfile": _gemfile,
    "*requirements*.txt": _requirements,
    "Pipfile": _pipfile,
    "setup.cfg": _setup_cfg,
    "setup.py": _setup_py,
    "pom.xml": _pom,
    "build.gradle*": _gradle,
    "pnpm-workspace.yaml": _pnpm_workspace,
    "pubspec.yaml": _pubspec,
    "mix.exs": _mix,
    "*compose.y*ml": _compose,
    "docker-compose*.y*ml": _compose,
    "[Mm]akefile": _makefile,
    "[Jj]ustfile": _justfile,
    "[Tt]askfile.y*ml": _taskfile,
    "tox.ini": _tox,
    "noxfile.py": _noxfile,
    "[Rr]akefile": _rakefile,
}
"""Name patterns and their parsers."""
