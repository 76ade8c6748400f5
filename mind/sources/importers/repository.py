"""The repository itself: its goal, stack, commands, and recent breaking changes.

The goal is the first one found of: the README paragraph at the top that defines the project; the
README paragraph that restates the description of a published package; that description; the first
paragraph. Stack and commands come from the manifests, in a workspace also from the dependencies
of its published members; breaking changes come from the changelog.
"""

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, zip_longest
from pathlib import Path

from mind.documents import markdown
from mind.documents.markdown import Block
from mind.domain.entry import Kind
from mind.sources import languages, manifests, prose
from mind.sources.git.repository import ask, is_source
from mind.sources.importers import wording
from mind.sources.importers.values import Importer, ImporterInput, Surroundings
from mind.sources.manifests import Command, Manifest
from mind.sources.remembered import ImportedNote
from mind.text.matching.synonyms import groups_of

NAME = "repository"
_README = re.compile(r"readme(?:\.(?:md|markdown|rst|txt))?", re.IGNORECASE)
_CHANGELOG = re.compile(
    r"(?:change[-_ ]?log|changes|history|news|release[-_]?notes?|releases?)(?:\.md)", re.IGNORECASE
)
_RELEASE = re.compile(
    r"(?:^|[\sv\[(])(\d+\.\d+(?:\.\d+)*\S*|v\d+(?:\.\d+)*)|unreleased|upcoming", re.IGNORECASE
)
_BREAKS = re.compile(
    r"\b(?:breaking|backwards?[- ]incompatible|incompatible changes?)\b", re.IGNORECASE
)
_SAYS_SO = re.compile(
    r"[^\w`]{0,6}(?:breaking(?: changes?)?|backwards?[- ]incompatible)\b[*_\])]*\s*[:–—-]?[*_]*\s*",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"https?://\S+")
_NOTHING = re.compile(r"\W*(?:none|nothing|n/a|no breaking changes?)\b", re.IGNORECASE)
_TASKS = re.compile(
    r"(?!.*/)(?:.*[:_. -])?(?:test|tests|check|lint|format|fmt|build|run|dev|start|serve|setup|"
    r"bootstrap|generate|docs?|bench|typecheck|ci|verify)(?:$|[:_. -])"
)
"""Everyday tasks; commands with effects beyond the working copy, such as releases, are left out."""
_NO_TASK = "no test specified"
"""In the test that npm writes into a new package.json."""
_LOCKS = {"yarn.lock": "yarn", "pnpm-lock.yaml": "pnpm", "bun.lock": "bun", "bun.lockb": "bun"}
"""Script runners by lock file, for a package.json that names none."""
_MOST_COMMANDS, _MOST_PACKAGES, _MOST_BREAKS = 8, 12, 8
_LATEST = 5
"""Number of latest releases whose breaking changes are read."""
_LEAST_GOAL, _MOST_GOAL, _SHORT = 30, 500, 60
_ANNOUNCES = re.compile(r"(?:^|(?<=[.!?] ))(?:(?![.!?] ).)*[:,]$")
"""The sentence at the end of a paragraph that introduces a list."""
_IS_OPEN = re.compile(r"\b(?:as|by|for|from|in|including|of|that|to|with|you)[:,]$")
_POINTS = re.compile(r"(?:please\s+)?(?:see|visit|check out|refer to)\b", re.IGNORECASE)
_PARTS = re.compile(
    r"</?(?:div|p|h[1-6]|section|article|figure|figcaption|table|tr|td|th|ul|li)\b[^<>]*>",
    re.IGNORECASE,
)
"""Tags between separate texts."""
_LINK_OF_RST = re.compile(r"`([^`<>]+?)\s+<[^<>`]+>`__?")
_PYTHON = ("pyproject.toml", "setup.cfg", "setup.py")
_IMPORTING = (
    r"^[[:space:]]*(import|from|(pub )?use|using|require|include|extern crate|alias)[[:space:](]"
    r"|[[:space:]=](from|require|import)[[:space:](]*['\"]"
    r"|^[[:space:]]+([a-z_.]+ )?\"[^\" ]+/[^\" ]+\"$"
)
"""A line of code that imports something, for git; the last is an import of Go."""
_IMPORTED = re.compile(r"@?\w[\w-]*(?:[./@-]?[\w-]+)*")
_README_BYTES, _CHANGELOG_BYTES = 20_000, 400_000


def _places(around: Surroundings) -> list[Path]:
    return [around.root]


def _is_there(place: Path) -> bool:
    names = [one.name for one in place.iterdir()]
    return any(_README.fullmatch(name) or manifests.is_manifest(name) for name in names)


def _read(path: Path, _reading: ImporterInput) -> Iterator[ImportedNote]:
    names = sorted(one.name for one in _files(path, path))
    found = {
        name: made
        for name in names
        if manifests.is_manifest(name) and (made := manifests.read(path / name)) is not None
    }
    members = manifests.members(path)
    yield from _goal(path, names, found, members)
    lists = {one for one in found if _is_for_development(one, found, path)}
    yield from _stack(path, {one: found[one] for one in found if one not in lists}, members)
    yield from _commands(found, next((_LOCKS[name] for name in names if name in _LOCKS), "npm"))
    logs = [path / name for name in names if _CHANGELOG.fullmatch(name)]
    for docs in (path / "docs", path / "doc"):
        if docs.is_dir() and not docs.is_symlink():
            logs += sorted(one for one in _files(docs, path) if _CHANGELOG.fullmatch(one.name))
    for log in logs[:1]:
        yield from _breaks(log, path)


def _files(folder: Path, root: Path) -> Iterator[Path]:
    """Yield the files of a folder that do not lead out of the repository."""
    inside = root.resolve()
    for one in folder.iterdir():
        if one.is_file() and one.resolve().is_relative_to(inside):
            yield one


def _noted(text: str, kind: Kind, place: str, key: str, fills: str = "") -> ImportedNote:
    return ImportedNote(text=text, kind=kind, source=NAME, key=key, place=place, fills=fills)


# --- goal, stack, commands ----------------------------------------------------------------


def _goal(
    root: Path, names: Sequence[str], found: dict[str, Manifest], members: dict[Path, Manifest]
) -> Iterator[ImportedNote]:
    told = {name: _top(root / name, _README_BYTES) for name in names if _README.fullmatch(name)}
    named = {root.name, *(re.split(r"[/.]", made.name)[-1] for made in found.values())} - {""}
    is_about = re.compile(
        rf"\b(?:{'|'.join(map(re.escape, named))})\b\W{{0,3}}\s(?:is|are)\san?\b",
        re.IGNORECASE,
    )
    top, below = (list(_prose(told, "paragraph", lead=lead)) for lead in (True, False))
    html = list(_prose(told, "html", lead=True))
    same = {  # the member named like the repository
        folder.relative_to(root).as_posix(): made
        for folder, made in members.items()
        if made.name.rpartition("/")[2] == root.name
    }
    said_of = [(name, made) for name, made in (*found.items(), *same.items()) if made.about]
    public = [(name, made.about) for name, made in said_of if not made.private]
    words = _words(public[0][1] if public else "")
    texts = [
        *(one for one in top if is_about.search(one[1])),
        *(one for one in (*top, *html) if _says(words, one[1])),
        *public,
        *(one for one in below if is_about.search(one[1])),
        *top,
        *((name, made.about) for name, made in said_of if made.private),
        *html,
    ]
    for place, text in texts:
        whole = _ANNOUNCES.sub("", text).strip()
        if not whole and is_about.search(text) and not _IS_OPEN.search(text):
            whole = f"{text[:-1]}."
        if len(whole) >= _LEAST_GOAL:
            said = wording.cut(wording.safe(whole), _MOST_GOAL)
            yield _noted(said, Kind.GOAL, place, "goal", "Goal")
            return


def _says(words: set[str], text: str) -> bool:
    """Return True if a text has at least half of the words."""
    return bool(words) and len(words & _words(text)) * 2 >= len(words)


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w{4,}", text.casefold()))


def _top(path: Path, most: int) -> bytes:
    """Return the first bytes of a file, up to the end of a line."""
    try:
        with path.open("rb") as file:
            return file.read(most).rpartition(b"\n")[0]
    except OSError:
        return b""


def _prose(told: dict[str, bytes], kind: str, *, lead: bool) -> Iterator[tuple[str, str]]:
    """Yield the blocks of a README that are sentences, with their locations.

    Args:
        told: The first part of each README.
        kind: Type of the blocks.
        lead: Yield those above the second heading; else those below it.
    """
    for name, body in told.items():
        for number, section in enumerate(markdown.sections(body)):
            is_lead = number == 0 or section.headings[-1][0] <= 1
            part = body[section.span.start : section.span.end]
            for block in markdown.parse(part).blocks if is_lead == lead else ():
                for told_in in _pieces(block) if block.type == kind else ():
                    text = _LINK_OF_RST.sub(r"\1", prose.unlinked(told_in))
                    if _is_prose(text):
                        yield f"{name}:{section.line + block.line - 1}", text


def _pieces(block: Block) -> list[str]:
    """Return a block's text; for HTML, the text of each of its parts."""
    if block.type != "html":
        return [prose.own(block)]
    return [prose.plain(one) for one in _PARTS.split("\n".join(line.text for line in block.lines))]


def _is_prose(text: str) -> bool:
    """Return True for a sentence; False for directives, pointers, and rows of links or badges."""
    if text.startswith(".. ") or _POINTS.match(text):
        return False
    words = re.findall(r"[^\W\d_]{2,}", _ADDRESS.sub("", text))
    return len(words) >= 5 and text.count("|") + text.count("•") + text.count("·") <= 1


def _is_for_development(name: str, found: dict[str, Manifest], root: Path) -> bool:
    """Return True if a requirements list serves development of the library next to it, or tools.

    Tools: scripts of a project that is hardly written in Python.
    """
    if name == "Gemfile":
        return any(one.endswith(".gemspec") for one in found)
    if not ("requirements" in name and name.endswith(".txt")):
        return False
    if _share(root, ".py") < _LEAST_SHARE:
        return True
    own = [one for one in _PYTHON if one in found and found[one].name]
    reads = any(name.encode() in _top(root / one, _README_BYTES) for one in own)
    return bool(own) and not reads


_LEAST_SHARE = 0.1
"""Minimum share of a language in the code of a project written in it."""


def _share(root: Path, ending: str) -> float:
    """Return the share of files with an ending among tracked code; 1.0 without any."""
    told = os.fsdecode(ask(root, "ls-files", "-z").output).split("\0")
    code = [one for one in told if one and languages.syntax_of(one) and is_source(one)]
    return sum(one.endswith(ending) for one in code) / len(code) if code else 1.0


def _stack(
    root: Path, found: dict[str, Manifest], members: dict[Path, Manifest]
) -> Iterator[ImportedNote]:
    spaces = [name for name, made in found.items() if made.members]
    public = {folder: made for folder, made in members.items() if not made.private}
    roots = [found[one] for one in ("package.json", "Cargo.toml") if one in found]
    is_library = any(one.name and not one.private and _packages(one) for one in roots)
    members = public if public or is_library else members
    needs = {one: name for name, made in found.items() for one in made.requires}
    if not needs and spaces:  # each member has its own, usually the same
        often = Counter(one for made in members.values() for one in made.requires)
        needs = {one: spaces[0] for one, count in often.items() if count > len(members) // 2}
    counted = {name: made for name, made in found.items() if not (public and made.private)}
    of_each = {name: _packages(made) for name, made in counted.items()}
    for name in (one for one in of_each if "compose" in one):
        of_each[name] = [one for one in of_each[name] if _is_known(one)]
    often = Counter(one for made in members.values() for one in _packages(made))
    there = set(chain(*of_each.values()))
    shared = [one for one, _ in often.most_common() if one not in there]
    own = [made.name for made in (*found.values(), *members.values())]
    packages = _ordered(root, [*of_each.values(), shared], own)
    shown = packages[:_MOST_PACKAGES]
    more = f" and {len(packages) - len(shown)} more" if len(packages) > len(shown) else ""
    said = "; ".join(filter(None, (", ".join(needs), ", ".join(shown) + more)))
    if said:
        inside = spaces if shared else []
        naming = (name for name, listed in of_each.items() if listed)
        places = ", ".join(dict.fromkeys((*needs.values(), *naming, *inside)))
        yield _noted(said, Kind.NOTE, places, "stack", "Stack")


def _ordered(root: Path, of_each: Iterable[Sequence[str]], own: Iterable[str]) -> list[str]:
    """Take packages from each manifest in turn; if there are many, those that code uses first."""
    names = {name for one in own for name in (one, one.rpartition("/")[2])}
    of_each = [[one for one in listed if one not in names] for listed in of_each]
    *roots, shared = of_each
    if len(set(chain(*of_each))) > _MOST_PACKAGES:
        place = partial(_place, _uses(root))
        roots, shared = [sorted(listed, key=place) for listed in roots], sorted(shared, key=place)
    turns = chain.from_iterable(zip_longest(*roots))
    return list(dict.fromkeys(one for one in (*turns, *shared) if one))


def _is_known(package: str) -> bool:
    """Return True if a package or an image has the name of a known technology."""
    return bool(groups_of(package, [package, *package.split("/")]))


def _uses(root: Path) -> Counter[str]:
    """Return the number of lines of code that import each name, in small letters with dashes."""
    told = ask(root, "grep", "-h", "-I", "-i", "-E", _IMPORTING, "--").output
    uses = Counter[str]()
    for line in told.decode("utf-8", "replace").lower().replace("_", "-").split("\n"):
        named = (one.split("/") for one in _IMPORTED.findall(line))
        uses.update({"/".join(parts[: at + 1]) for parts in named for at in range(len(parts))})
    return uses


def _place(uses: Mapping[str, int], package: str) -> tuple[int, bool]:
    """Sort packages by their use, then known ones first."""
    return -uses[package.lower().replace("_", "-")], not _is_known(package)


def _packages(made: Manifest) -> list[str]:
    """Return the names of a manifest's dependencies beyond development."""
    last = len(made.packages) - made.development
    return [one for one in made.packages[:last] if "$" not in one]


def _commands(found: dict[str, Manifest], npm: str) -> Iterator[ImportedNote]:
    for name, made in found.items():
        tasks = [
            one
            for one in made.commands
            if one.does and _NO_TASK not in one.does and _TASKS.match(one.call.split()[-1])
        ]
        if len(tasks) > 1:
            tasks.sort(key=lambda one: len(one.call))
            said = "; ".join(map(_shown, tasks[:_MOST_COMMANDS]))
            said = said.replace("`npm run ", f"`{npm} run ")
            yield _noted(
                wording.safe(f"Commands: {said}"), Kind.NOTE, name, f"commands-{wording.key(name)}"
            )


def _shown(one: Command) -> str:
    is_short = 0 < len(one.runs) <= _SHORT and not set("`$") & set(one.runs)
    is_short = is_short and one.runs not in one.call
    about = one.about or (f"`{one.runs}`" if is_short else "")
    return f"`{one.call}` ({about.rstrip('.')})" if about else f"`{one.call}`"


# --- breaking changes ---------------------------------------------------------------------


def _breaks(path: Path, root: Path) -> list[ImportedNote]:
    """Return the breaking changes of the latest releases; none if there are too many.

    A changelog generated from commits can list dozens; search still finds them.
    """
    name, source = path.relative_to(root).as_posix(), _top(path, _CHANGELOG_BYTES)
    releases: list[str] = []
    made: list[ImportedNote] = []
    for section in markdown.sections(source):
        titles = [prose.unlinked(prose.plain(text)) for _, text in section.headings]
        release = next((one for one in reversed(titles) if _RELEASE.search(one)), "")
        is_section = any(_BREAKS.search(one) for one in titles[-2:] if one != release)
        releases += [release] if release and release not in releases else []
        if not release or len(releases) > _LATEST:
            continue
        blocks = markdown.parse(source[section.span.start : section.span.end]).blocks
        made += [
            _noted(
                wording.safe(f"Breaking in {_version(release)}: {text}"),
                Kind.GOTCHA,
                f"{name}:{section.line + line - 1}",
                f"break-{wording.digest(release + text)}",
            )
            for text, line in _items(blocks, every=is_section)
        ]
    return made if len(made) <= _MOST_BREAKS else []


def _version(release: str) -> str:
    found = _RELEASE.search(release)
    return (found[1] if found and found[1] else release).strip("[]() ")


def _items(blocks: Sequence[Block], *, every: bool) -> Iterator[tuple[str, int]]:
    for block in blocks:
        if block.type == "list":
            yield from _items(block.children, every=every)
        elif block.type in ("item", "paragraph"):
            text = prose.unlinked(prose.whole(block))
            if every or _SAYS_SO.match(text):
                bare = _SAYS_SO.sub("", text).strip()
                is_told = len(_ADDRESS.sub("", bare)) > 15 and not bare.endswith(":")
                if is_told and not _NOTHING.match(bare) and not _POINTS.match(bare):
                    yield bare, block.line


IMPORTERS = (
    Importer(
        name=NAME,
        about="this repository's README, manifests and changelog",
        places=_places,
        read=_read,
        where="this repository",
        gives=(
            "README: goal; manifests: stack, commands; changelog: breaking changes of the latest "
            "releases as gotchas"
        ),
        is_there=_is_there,
        is_shared=True,
    ),
)
