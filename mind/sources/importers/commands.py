"""Everyday commands of a project: tasks of its manifests, its scripts, what documents say to run.

A program whose tasks a manifest lists is not read from documents too. What documents say must be in
code, in a section about development; a script that it calls must exist.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from itertools import islice, takewhile
from pathlib import Path

from mind.documents import markdown
from mind.documents.markdown import Block
from mind.sources.importers import wording
from mind.sources.importers.folder import beginning, is_inside
from mind.sources.manifests import Command, Manifest
from mind.text import secrets, table

_NO_TASK = "no test specified"
"""In the test that npm writes into a new package.json."""
_LOCKS = {"yarn.lock": "yarn", "pnpm-lock.yaml": "pnpm", "bun.lock": "bun", "bun.lockb": "bun"}
"""Script runners by lock file, for a package.json that names none."""
_MOST, _SHORT, _LONGEST = 8, 60, 70
"""Maximum number of commands of a source, characters shown of what one runs, and of a call."""
_README_BYTES, _LONGEST_LINE = 60_000, 200
_CODE = re.compile(r"(?<!`)(`{1,2})(?!`)(.{1,80}?)\1(?!`)")
_CALL = re.compile(r"(?:\./)?[a-z][\w.-]*(?:/[\w.-]+)*(?: [\w.@:=/,+*-]+)*(?<!\w\.)", re.ASCII)
"""Matches a call without placeholders, pipes and quotes; no sentence."""
_IS_CALL = re.compile(r"[ /]")
"""Matches code within a text that is a call, not a name."""
_PROMPT = re.compile(r"^[\s$%>]*\s|^\$|\s+#.*$")
_FILE = re.compile(
    r"(?!\./\.\.\.|-)(?=[\w.-]*+/)[\w./-]++|\.?[\w-]++(?:\.[a-z][\w-]*+)++|\.[a-z]\w*+", re.ASCII
)
"""Matches an argument that is a path."""
_COMMENT = re.compile(r"#+\s+(\w+(?: [^\s:=]+){2,}\.?)")
"""Matches a sentence, not a setting of an editor or interpreter."""
_INSTALL = "install"
_MOST_WORDS = 3
"""Number of arguments among which the name of a task is."""


def everyday(
    root: Path, names: Sequence[str], found: Mapping[str, Manifest]
) -> Iterator[tuple[str, str, str]]:
    """Yield a key, the commands as text, and the location for each source that has some.

    Args:
        root: The repository.
        names: Names of the files at its root.
        found: Manifests at its root, by name.
    """
    npm = next((_LOCKS[name] for name in names if name in _LOCKS), "npm")
    covered: set[str] = set()
    runs = " ".join(one.does for made in found.values() for one in made.commands)
    for name, made in found.items():
        tasks = [one for one in made.commands if _is_everyday(one)]
        if len(tasks) > 1:
            covered |= _same(tasks[0].call.split()[0])
            yield wording.key(name), _listed(tasks).replace("`npm run ", f"`{npm} run "), name
    for folder in table("tasks")["scripts"]:
        scripts = [one for one in _scripts(root, folder) if one.call not in runs]
        if len(scripts) > 1:
            covered |= {f"./{one.call}" for one in scripts}
            yield wording.key(folder), _listed(scripts), folder
    told = _documented(root, covered)
    for wrapper, calls in table("tasks")["wrappers"].items():
        if wrapper in names and not any(one.startswith(f"./{wrapper} ") for one in told):
            told |= dict.fromkeys(calls, wrapper)
    if told:
        places = ", ".join(dict.fromkeys(told.values()))
        yield "documents", "; ".join(f"`{one}`" for one in told), places


def _listed(tasks: Sequence[Command]) -> str:
    return "; ".join(map(_shown, sorted(tasks, key=lambda one: len(one.call))[:_MOST]))


@cache
def _named(key: str) -> re.Pattern[str]:
    words = "|".join(table("tasks")[key])
    return re.compile(rf"(?!.*/)(?:.*[:_. -])?(?:{words})(?:$|[:_. -])")


def _is_task(name: str) -> bool:
    return _named("tasks").match(name) is not None and not _named("beyond").match(name)


def _is_everyday(one: Command) -> bool:
    *program, name = one.call.split()
    return not one.installed and _NO_TASK not in one.does and (not program or _is_task(name))


def _same(program: str) -> set[str]:
    """Return the programs that run the tasks of one manifest."""
    return {
        program,
        *(one for group in table("tasks")["same"] if program in group for one in group),
    }


def _shown(one: Command) -> str:
    is_short = 0 < len(one.does) <= _SHORT and not set("`$") & set(one.does)
    about = one.about or (f"`{one.does}`" if is_short else "")
    return f"`{one.call}` ({about.rstrip('.')})" if about else f"`{one.call}`"


def _scripts(root: Path, folder: str) -> Iterator[Command]:
    """Yield the executable files of a folder with the name of a task."""
    place = root / folder
    for one in _inside(place) if not place.is_symlink() else ():
        call = f"{folder}/{one.name}"
        is_named = _is_task(one.name) and " " not in one.name and _is_plain(call)
        if is_named and _is_script(one) and not one.is_symlink():
            yield Command(call=call, runs="", about=_purpose(one))


def _is_script(path: Path) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)  # noqa: PTH113 - never raises


def _is_plain(call: str) -> bool:
    """Return True for a short call without placeholders, pipes, quotes and credentials."""
    is_call = len(call) <= _LONGEST and _CALL.fullmatch(call) is not None
    return is_call and not secrets.find(call)


def _purpose(script: Path) -> str:
    """Return the comment below the first line of a script, if it is one short line."""
    lines = beginning(script, _README_BYTES).decode("utf-8", "replace").split("\n")[1:]
    told = list(takewhile(lambda line: line.startswith("#"), lines))
    found = _COMMENT.fullmatch(told[0]) if len(told) == 1 else None
    is_short = found is not None and len(found[1]) <= _SHORT
    return found[1] if found and is_short and not secrets.find(found[1]) else ""


def _inside(folder: Path) -> list[Path]:
    """Return what is in a folder, sorted; nothing if it cannot be read."""
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


# --- documents ----------------------------------------------------------------------------


def _documented(root: Path, covered: AbstractSet[str]) -> dict[str, str]:
    """Return the calls in sections about development, each with its document."""
    found: dict[str, str] = {}
    for path, is_whole in _documents(root):
        for call in _calls(beginning(path, _README_BYTES), is_whole=is_whole):
            words = call.split()
            said = f"./{call}" if words and "/" in words[0].removeprefix("./") else call
            said = said.replace("././", "./")
            is_told = _is_plain(said) and _runs_task(said, root)
            if is_told and covered.isdisjoint(said.split()):
                found.setdefault(said, path.relative_to(root).as_posix())
    short = (one for one in found if found.keys().isdisjoint(_beginnings(one)))
    return {one: found[one] for one in islice(short, _MOST)}


def _beginnings(call: str) -> Iterator[str]:
    """Yield the calls with fewer arguments."""
    words = call.split()
    return (" ".join(words[:end]) for end in range(1, len(words)))


def _documents(root: Path) -> Iterator[tuple[Path, bool]]:
    """Yield documents, and whether all of one is about development."""
    for folder in table("tasks")["folders"]:
        for path in _inside(root / folder):
            stem, _, suffix = path.name.lower().partition(".")
            is_whole = stem in table("tasks")["documents"]
            is_read = is_whole or (stem == "readme" and not folder)
            is_read = is_read and suffix in ("md", "markdown", "rst", "txt", "")
            if is_read and os.path.isfile(path) and is_inside(path, root):  # noqa: PTH113 - never raises
                yield path, is_whole


def _calls(body: bytes, *, is_whole: bool) -> Iterator[str]:
    """Yield what is in code in a document, without prompts and comments."""
    about = re.compile(rf"\b(?:{'|'.join(table('tasks')['headings'])})", re.IGNORECASE)
    for section in markdown.sections(body):
        if is_whole or any(about.search(text) for _, text in section.headings[1:]):
            for block in markdown.parse(body[section.span.start : section.span.end]).blocks:
                yield from (_PROMPT.sub("", one).strip() for one in _code(block))


def _code(block: Block) -> Iterator[str]:
    """Yield the lines of blocks of code, and what is in code in texts."""
    lines = [line.text for line in block.lines]
    if block.type == "code":
        yield from (line for line in lines if len(line) <= _LONGEST_LINE)
    else:
        found = (code for _, code in _CODE.findall(" ".join(lines)))
        yield from (code for code in found if _IS_CALL.search(code))
    for one in block.children:
        yield from _code(one)


def _runs_task(call: str, root: Path) -> bool:
    """Return True for a call of an everyday task, not of an installation, whose files exist."""
    program, *words = call.split() or [""]
    if _INSTALL in words[:-1]:
        return False
    files = [one for one in words if _FILE.fullmatch(one)]
    named = [one for one in words[:_MOST_WORDS] if one not in files]
    if "/" in program:
        if not _is_script(root / program):
            return False
        named.append(program.rpartition("/")[2])
        files.append(program)
    elif program not in table("tasks")["runners"]:
        return False
    has_effects = any(map(_named("beyond").match, named))
    is_task = any(map(_is_task, named if words or "/" in program else [program]))
    return is_task and not has_effects and all(is_inside(root / one, root) for one in files)
