"""The repository itself: its goal, its stack, its commands, and what broke in recent releases.

The goal is the paragraph of the README that says what the project is, or the first one, else what
a manifest says; stack and commands are those of the manifests, in a workspace also what its members
depend on; a break is what a changelog lists as one.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from mind.documents import markdown
from mind.documents.markdown import Block
from mind.domain.entry import Kind
from mind.sources import manifests, prose
from mind.sources.importers import wording
from mind.sources.importers.values import Importer, Reading, Surroundings
from mind.sources.manifests import Command, Manifest
from mind.sources.remembered import Remembered

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
    r"(?:^|[:_. -])(?:test|tests|check|lint|format|fmt|build|run|dev|start|serve|setup|"
    r"bootstrap|generate|docs?|bench|typecheck|ci|verify)(?:$|[:_. -])"
)
"""What changes more than the working copy, such as a release, is not offered."""
_LOCKS = {"yarn.lock": "yarn", "pnpm-lock.yaml": "pnpm", "bun.lock": "bun", "bun.lockb": "bun"}
"""Of the programs that run the scripts of a package.json that names none."""
_MOST_COMMANDS, _MOST_PACKAGES, _MOST_BREAKS = 8, 12, 8
_LATEST = 5
"""Releases whose breaks are still news to those who work on the project."""
_LEAST_GOAL, _MOST_GOAL, _SHORT = 30, 500, 60
_README_BYTES, _CHANGELOG_BYTES = 20_000, 400_000


def _places(around: Surroundings) -> list[Path]:
    return [around.root]


def _is_there(place: Path) -> bool:
    names = [one.name for one in place.iterdir()]
    return any(_README.fullmatch(name) or manifests.is_manifest(name) for name in names)


def _read(path: Path, _reading: Reading) -> Iterator[Remembered]:
    names = sorted(one.name for one in path.iterdir() if one.is_file() and _is_inside(one, path))
    found = {
        name: made
        for name in names
        if manifests.is_manifest(name) and (made := manifests.read(path / name)) is not None
    }
    yield from _goal(path, names, found)
    yield from _stack(found, manifests.members(path))
    yield from _commands(found, next((_LOCKS[name] for name in names if name in _LOCKS), "npm"))
    logs = [path / name for name in names if _CHANGELOG.fullmatch(name)]
    for docs in (path / "docs", path / "doc"):
        if docs.is_dir() and not docs.is_symlink():
            logs += sorted(one for one in docs.iterdir() if _CHANGELOG.fullmatch(one.name))
    for log in logs[:1]:
        yield from _breaks(log, path)


def _is_inside(path: Path, root: Path) -> bool:
    return path.resolve().is_relative_to(root.resolve())


def _noted(text: str, kind: Kind, place: str, key: str, fills: str = "") -> Remembered:
    return Remembered(text=text, kind=kind, source=NAME, key=key, place=place, fills=fills)


# --- goal, stack, commands ----------------------------------------------------------------


def _goal(root: Path, names: Sequence[str], found: dict[str, Manifest]) -> Iterator[Remembered]:
    told = {name: _top(root / name, _README_BYTES) for name in names if _README.fullmatch(name)}
    named = {root.name, *(re.split(r"[/.]", made.name)[-1] for made in found.values())} - {""}
    is_about = re.compile(
        rf"\b(?:{'|'.join(map(re.escape, named))})\b\W{{0,3}}\s(?:is|are)\s(?:an?|the)\b",
        re.IGNORECASE,
    )
    texts = [
        *sorted(_prose(told, "paragraph", lead=True), key=lambda one: not is_about.search(one[1])),
        *((name, made.about) for name, made in found.items()),
        *_prose(told, "html", lead=True),
        *sorted(_prose(told, "paragraph", lead=False), key=lambda one: not is_about.search(one[1])),
    ]
    for place, text in texts:
        if len(text) >= _LEAST_GOAL and not text.endswith(":"):
            said = wording.cut(wording.safe(text), _MOST_GOAL)
            yield _noted(said, Kind.GOAL, place, "goal", "Goal")
            return


def _top(path: Path, most: int) -> bytes:
    """The first bytes of a file, up to the end of a line."""
    try:
        with path.open("rb") as file:
            return file.read(most).rpartition(b"\n")[0]
    except OSError:
        return b""


def _prose(told: dict[str, bytes], kind: str, *, lead: bool) -> Iterator[tuple[str, str]]:
    """The blocks of a README that are sentences, with their places.

    Args:
        told: The first part of each README.
        kind: Of the blocks.
        lead: Those above the second heading; else those below it.
    """
    for name, body in told.items():
        for number, section in enumerate(markdown.sections(body)):
            is_lead = number == 0 or section.headings[-1][0] <= 1
            part = body[section.span.start : section.span.end]
            for block in markdown.parse(part).blocks if is_lead == lead else ():
                text = prose.unlinked(prose.own(block)) if block.type == kind else ""
                if _is_prose(text):
                    yield f"{name}:{section.line + block.line - 1}", text


def _is_prose(text: str) -> bool:
    """A sentence, no row of links, badges or languages."""
    words = re.findall(r"[^\W\d_]{2,}", _ADDRESS.sub("", text))
    return len(words) >= 5 and text.count("|") + text.count("•") + text.count("·") <= 1


def _stack(found: dict[str, Manifest], members: dict[Path, Manifest]) -> Iterator[Remembered]:
    spaces = [name for name, made in found.items() if made.members]
    needs = {one: name for name, made in found.items() for one in made.requires}
    if not needs and spaces:  # each member has its own, mostly the same
        often = Counter(one for made in members.values() for one in made.requires)
        needs = {one: spaces[0] for one, count in often.items() if count > len(members) // 2}
    used = {one: name for name, made in found.items() for one in _packages(made)}
    own = {made.name for made in (*found.values(), *members.values())}
    often = Counter(one for made in members.values() for one in _packages(made))
    shared = [one for one, _ in often.most_common() if one not in used]
    packages = [one for one in (*used, *shared) if one not in own]
    shown = packages[:_MOST_PACKAGES]
    more = f" and {len(packages) - len(shown)} more" if len(packages) > len(shown) else ""
    said = "; ".join(filter(None, (", ".join(needs), ", ".join(shown) + more)))
    if said:
        inside = spaces if shared else []
        places = ", ".join(dict.fromkeys((*needs.values(), *used.values(), *inside)))
        yield _noted(said, Kind.NOTE, places, "stack", "Stack")


def _packages(made: Manifest) -> list[str]:
    """Return what a manifest depends on beyond development, by name."""
    last = len(made.packages) - made.development
    return [one for one in made.packages[:last] if "$" not in one]


def _commands(found: dict[str, Manifest], npm: str) -> Iterator[Remembered]:
    for name, made in found.items():
        tasks = [one for one in made.commands if one.runs and _TASKS.search(one.call.split()[-1])]
        if len(tasks) > 1:
            tasks.sort(key=lambda one: len(one.call))
            said = "; ".join(map(_shown, tasks[:_MOST_COMMANDS]))
            said = said.replace("`npm run ", f"`{npm} run ")
            yield _noted(
                wording.safe(f"Commands: {said}"), Kind.NOTE, name, f"commands-{wording.key(name)}"
            )


def _shown(one: Command) -> str:
    is_short = len(one.runs) <= _SHORT and not set("`$") & set(one.runs)
    about = one.about or (f"`{one.runs}`" if is_short else "")
    return f"`{one.call}` ({about.rstrip('.')})" if about else f"`{one.call}`"


# --- breaks -------------------------------------------------------------------------------


def _breaks(path: Path, root: Path) -> list[Remembered]:
    """Return what the latest releases list as breaking; a list without choice is left out.

    A changelog that is made of commits can list dozens: they are found by search.
    """
    name, source = path.relative_to(root).as_posix(), _top(path, _CHANGELOG_BYTES)
    releases: list[str] = []
    made: list[Remembered] = []
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
                if is_told and not _NOTHING.match(bare):
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
