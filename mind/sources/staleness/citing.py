"""Citations in an entry: paths, symbols of a file, and commands that a file defines."""

import os
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from mind.domain.errors import FileError
from mind.storage import files
from mind.text import lazy_pattern
from mind.text.entities import scan

_READ = 4_000
"""Number of characters of an entry that are scanned."""
_MOST_PATHS = 10
_MOST_SYMBOLS = 10
_LIKELY = lazy_pattern(r"[/\\]|\.\w")
_NAMED = lazy_pattern(
    r"(?<!`)`(AUTHORS|CODEOWNERS|COPYING|Dockerfile|Gemfile|GNUmakefile|Jenkinsfile|[Jj]ustfile|"
    r"LICENSE|[Mm]akefile|NOTICE|Pipfile|Procfile|Rakefile|README|Vagrantfile)`(?!`)"
)
"""File names without an extension, in backticks."""
_ODD = lazy_pattern(r"\A(?:\./)?(?:[\w@+-][\w@+.-]*/)+[\w@+.-]*\.[A-Za-z]\w{0,9}\Z")
"""A path in backticks with an unknown extension; it needs confirmation by git."""
_WINDOWS = lazy_pattern(r"[A-Za-z]:/")
_PLACEHOLDERS = ("path/to/", "@/")
_MADE = frozenset(
    """.cache .git .venv __pycache__ bin build cache coverage dist env log logs node_modules obj
    out target temp tmp vendor venv""".split()
)
"""Folders with generated or machine-specific files."""


def paths_in(text: str, root: str) -> tuple[str, ...]:
    """Return the paths that ``text`` cites and that may be below ``root``, an absolute path.

    They are relative to the project's root, with ``/``.
    """
    if not _LIKELY.search(text) and not _NAMED.search(text):
        return ()
    found: dict[str, None] = {}
    for name in _cited(text[:_READ]):
        path = _inside(name.replace("\\", "/"), root)
        if path:
            found[path] = None
    return tuple(found)[:_MOST_PATHS]


def _cited(text: str) -> list[str]:
    """Return paths as written, including those in backticks and before a symbol."""
    found = []
    for start, end, kind, _ in scan(text):
        name = text[start:end]
        if kind == "path":
            found.append(name)
        elif kind == "code" and " " not in name and _LIKELY.search(name):
            found += _paths(name) or _ODD.findall(name)
    if "`" in text:
        found += [one[1] for one in _NAMED.finditer(text)]
    if ":" in text:
        found += [one["path"] for one in _JOINED.finditer(text)]
    return found


def _paths(name: str) -> list[str]:
    return [name[one.start : one.end] for one in scan(name) if one.kind == "path"]


def _inside(name: str, root: str) -> str:
    """Return ``name`` relative to the project's root; "" if it is outside or only a pattern."""
    path = name.removeprefix(f"{root.rstrip('/')}/")
    if _WINDOWS.match(path) or path.startswith(("/", "~", *_PLACEHOLDERS)):
        return ""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    is_odd = any(part == ".." or "$" in part or "%" in part for part in parts)
    return "" if is_odd else "/".join(parts)


def is_surely_a_file(path: str) -> bool:
    """Return True if ``path`` certainly names a repository file, even if git does not know it.

    That is a file in a folder, except pages of a host (``docs.rs/serde/index.html``) and generated
    files.
    """
    *folders, name = path.split("/")
    if not folders or "." in folders[0].lstrip("."):
        return False
    return "." in name.strip(".") and _MADE.isdisjoint(folders) and bool(_paths(path))


class Definition(NamedTuple):
    """A symbol or command that a file of the project defines.

    Attributes:
        path: The file, relative to the project's root; for commands its usual name.
        name: Name for display: ``parse_date``, ``make bench``.
        word: The name as written in the file.
        lines: POSIX expression, for git, that matches lines that may define it.
        program: "make", "npm" or "just" for a command; "" for a symbol.
    """

    path: str
    name: str
    word: str
    lines: str
    program: str = ""


_IDENTIFIER = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
_PATH = r"(?P<path>(?:[\w@+.-]+[/\\])*[\w@+-][\w@+.-]*\.[A-Za-z]\w{0,9})"
_JOINED = lazy_pattern(rf"(?<![\w/\\:.~$%]){_PATH}::?(?P<name>{_IDENTIFIER})(?!\w|/)")
"""Matches ``src/dates.py:parse_date``, also with ``::``."""
_BESIDE = lazy_pattern(
    rf"(?:`(?P<code>{_IDENTIFIER})(?:\(\))?`|(?<![\w.`/])(?P<call>{_IDENTIFIER})\(\))"
    rf"\s+(?:(?:in|of|from|at)\s+|\()`?{_PATH}(?![\w/])"
)
"""Matches `` `parse_date` in src/dates.py`` and ``parse_date() (src/dates.py)``."""
_TICKED = lazy_pattern(rf"(?<!`)`({_IDENTIFIER})(?:\(\))?`(?!`)")
_SHORTEST = 3


def symbols_in(text: str, root: str, only: str) -> list[Definition]:
    """Return symbols that ``text`` locates in a file.

    Args:
        text: Text of an entry.
        root: Absolute path of the project.
        only: The only file that it cites, to which identifiers in backticks may refer; "" if it
            cites several or none.
    """
    shown = text[:_READ]
    found: dict[tuple[str, str], None] = {}
    for one in (*_JOINED.finditer(shown), *_BESIDE.finditer(shown)):
        named = one.groupdict()
        path = _inside(one["path"].replace("\\", "/"), root)
        found[path, named.get("name") or named.get("code") or named.get("call") or ""] = None
    if only and "`" in shown:
        found |= {(only, one[1]): None for one in _TICKED.finditer(shown)}
    kept = [(path, name) for path, name in found if path and not path.endswith(f"/{name}")]
    return [_symbol(path, name) for path, name in kept if len(name) >= _SHORTEST][:_MOST_SYMBOLS]


def _symbol(path: str, name: str) -> Definition:
    """Build a symbol; a method is looked up without its class, whose file is unknown."""
    last = name.rpartition(".")[2]
    return Definition(path, name, last, f"(^|[^[:alnum:]_]){last}($|[^[:alnum:]_])")


MAKEFILES = ("Makefile", "makefile", "GNUmakefile")
JUSTFILES = ("justfile", "Justfile", ".justfile")
PACKAGE = "package.json"
_SPAN = lazy_pattern(r"(?<!`)`([^`\n]{3,200})`(?!`)")
_TARGET = lazy_pattern(r"[A-Za-z][\w.-]*")
_SCRIPT = lazy_pattern(r"[A-Za-z][\w:.-]*")
_RUNNERS = frozenset({"npm", "pnpm", "yarn", "bun"})


def commands_in(text: str) -> list[Definition]:
    """Return commands in backticks that the project defines: ``make``, ``npm run``, ``just``."""
    if "`" not in text:
        return []
    found: dict[Definition, None] = {}
    for one in _SPAN.finditer(text[:_READ]):
        program, *rest = one[1].split()
        named = _RUN.get(program)
        if named and rest:
            found |= dict.fromkeys(named(program, rest))
    return list(found)[:_MOST_SYMBOLS]


def _made(program: str, words: Sequence[str]) -> Iterator[Definition]:
    """Yield make targets, unless an option may name another Makefile."""
    if any(word.startswith("-") for word in words):
        return
    for word in words:
        if _TARGET.fullmatch(word):
            lines = f"(^|[[:space:]]){re.escape(word)}([[:space:]][^:=]*)?:"
            yield Definition(MAKEFILES[0], f"{program} {word}", word, lines, "make")


def _ran(program: str, words: Sequence[str]) -> Iterator[Definition]:
    """Yield scripts of package.json."""
    script = ""
    if words[0] in ("run", "run-script") and len(words) > 1:
        script = words[1]
    elif words[0] in ("test", "start") and program != "bun":
        script = words[0]
    if _SCRIPT.fullmatch(script):
        name = re.escape(script)
        told = " ".join([program, *words[: 1 if script == words[0] else 2]])
        yield Definition(PACKAGE, told, script, f'"{name}"[[:space:]]*:', "npm")


def _just(program: str, words: Sequence[str]) -> Iterator[Definition]:
    """Yield a recipe; further words may be its arguments."""
    if _TARGET.fullmatch(words[0]):
        lines = f"^(@?|alias +){re.escape(words[0])}([[:space:]].*)?:"
        yield Definition(JUSTFILES[0], f"{program} {words[0]}", words[0], lines, "just")


_RUN: dict[str, Callable[[str, Sequence[str]], Iterator[Definition]]] = {
    "make": _made,
    "just": _just,
    **dict.fromkeys(_RUNNERS, _ran),
}
"""Functions that extract a program's commands from its arguments."""


_LARGEST = 1_000_000
"""Maximum size of a scanned file, in bytes."""
_ELSEWHERE = lazy_pattern(
    r"^(?:-?s?include|import\??|mod\??)[ \t]|^[^\t\n:%$]*+[%$][^\n:]*+:", re.MULTILINE
)
"""Matches lines by which another file, or a computed name, can define a command."""


def defines(file: Path, needle: Definition) -> bool | None:
    """Return True if ``file`` may define ``needle``, None if unclear, False if it is gone."""
    try:
        now = os.stat(file)  # noqa: PTH116 - a quarter of the time of Path.stat
    except FileNotFoundError:
        return False
    except OSError:
        return None
    if not stat.S_ISREG(now.st_mode) or now.st_size > _LARGEST:
        return None
    text = _text(str(file), now.st_mtime_ns, now.st_size)
    if text is None:
        return None
    if compiled(needle.lines).search(text):
        return True
    return None if needle.program and _ELSEWHERE.search(text) else False


@lru_cache(maxsize=32)
def _text(file: str, _modified: int, _size: int) -> str | None:
    """Return the text of a file, cached until it changes; None if it is not readable or binary."""
    try:
        data = files.read(Path(file))
    except FileError:
        return None
    return None if b"\0" in data else data.decode("utf-8", "replace")


def compiled(lines: str) -> re.Pattern[str]:
    """Compile the POSIX expression of a :class:`Definition`."""
    plain = lines.replace("[:alnum:]_", r"\w").replace("[[:space:]]", r"[^\S\n]")
    return re.compile(plain.replace("[^:=]*", r"[^:=\n]{0,200}"), re.MULTILINE)
