"""The repository itself: its goal, stack, commands, and recent breaking changes.

The goal is the first one found of: the README paragraph at the top that defines the project; the
README paragraph that restates the description of a published package; that description; the first
paragraph. What tells of its history comes last. The stack comes from the manifests of all folders,
commands from those at the root, from scripts and documents; breaking changes from the changelog.
"""

import os
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import chain, zip_longest
from pathlib import Path

from mind.documents import markdown
from mind.documents.markdown import Block
from mind.domain.entry import Kind
from mind.sources import manifests, prose
from mind.sources.git.repository import ask, is_source
from mind.sources.importers import commands, wording
from mind.sources.importers.folder import beginning, is_inside
from mind.sources.importers.values import Importer, ImporterInput
from mind.sources.manifests import Manifest
from mind.sources.remembered import ImportedNote
from mind.text import table
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
_MOST_PACKAGES, _MOST_BREAKS = 8, 8
_NO_STACK = 1_000
_LATEST = 5
"""Number of latest releases whose breaking changes are read."""
_LEAST_GOAL, _MOST_GOAL = 30, 500
_ANNOUNCES = re.compile(r"(?:^|(?<=[.!?] )|(?<=[。！？]))(?:(?![.!?] |[。！？]).)*[:,：，]$")
"""The sentence at the end of a paragraph that introduces a list."""
_SENTENCE = re.compile(r"(?<=[.!?])\s")
_SLOGAN = re.compile(r"\*\*[^*]*[^*.!?]\*\*")
"""Matches a text that is bold as a whole and no sentence."""
_POINTS = re.compile(r"(?:please\s+)?(?:see|visit|check out|refer to)\b", re.IGNORECASE)
_PARTS = re.compile(
    r"</?(?:div|p|h[1-6]|section|article|figure|figcaption|table|tr|td|th|ul|li)\b[^<>]*>",
    re.IGNORECASE,
)
"""Tags between separate texts."""
_LINK_OF_RST = re.compile(r"`([^`<>]+?)\s+<[^<>`]+>`__?")
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2}|[^\W\d_]{2,}")
_PYTHON = ("pyproject.toml", "setup.cfg", "setup.py")
_IMPORTING = (
    r"^[[:space:]]*(import|from|(pub )?use|using|require|include|extern crate|alias)[[:space:](]"
    r"|[[:space:]=](from|require|import)[[:space:](]*['\"]"
    r"|^[[:space:]]+([a-z_.]+ )?\"[^\" ]+/[^\" ]+\"$"
)
"""A line of code that imports something, for git; the last is an import of Go."""
_IMPORTED = re.compile(r"@?\w[\w-]*(?:[./@-]?[\w-]+)*")
_README_BYTES, _CHANGELOG_BYTES = 20_000, 400_000


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
    yield from _goal(path, names, found)
    lists = {one for one in found if _is_for_development(one, found, path)}
    yield from _stack(path, {one: found[one] for one in found if one not in lists})
    for key, said, place in commands.everyday(path, names, found):
        yield _noted(wording.safe(said), Kind.NOTE, place, f"commands-{key}", "Commands")
    logs = [path / name for name in names if _CHANGELOG.fullmatch(name)]
    for docs in (path / "docs", path / "doc"):
        if docs.is_dir() and not docs.is_symlink():
            logs += sorted(one for one in _files(docs, path) if _CHANGELOG.fullmatch(one.name))
    for log in logs[:1]:
        yield from _breaks(log, path)


def _files(folder: Path, root: Path) -> list[Path]:
    """Return the files of a folder that do not lead out of the repository."""
    return [one for one in folder.iterdir() if one.is_file() and is_inside(one, root)]


def _noted(text: str, kind: Kind, place: str, key: str, fills: str = "") -> ImportedNote:
    return ImportedNote(text=text, kind=kind, source=NAME, key=key, place=place, fills=fills)


# --- goal, stack ----------------------------------------------------------------


def _goal(root: Path, names: Sequence[str], found: dict[str, Manifest]) -> Iterator[ImportedNote]:
    told = {
        name: beginning(root / name, _README_BYTES) for name in names if _README.fullmatch(name)
    }
    made = {root.name, *(one.name for one in found.values())}
    names_of = {*made, *(re.split(r"[/.]", one)[-1] for one in made)}
    is_about = _defining(names_of)
    top, below = (list(_prose(told, "paragraph", lead=lead)) for lead in (True, False))
    beside = [*_prose(told, "html", lead=True), *_prose(told, "quote", lead=True)]
    said_of = [(name, made) for name, made in found.items() if made.about]
    public = [(name, made.about) for name, made in said_of if not made.private]
    words = _words(public[0][1] if public else "")
    texts = [
        *(one for one in top if is_about.search(one[1])),
        *(one for one in (*top, *beside) if _says(words, one[1])),
        *public,
        *(one for one in below if is_about.search(one[1])),
        *top,
        *((name, made.about) for name, made in said_of if made.private),
        *beside,
        *_prose(told, "paragraph", lead=False, of=_about_it()),
    ]
    for place, text in sorted(texts, key=lambda one: _is_aside(one[1], names_of)):
        whole = _ANNOUNCES.sub("", text).strip()
        if len(whole) >= _LEAST_GOAL:
            said = wording.cut(wording.safe(whole), _MOST_GOAL)
            yield _noted(said, Kind.GOAL, place, "goal", "Goal")
            return


def _any_name(names: Iterable[str]) -> str:
    """Return an expression for one of the names, however parted."""
    parted = (r"[\W_]?".join(map(re.escape, re.findall(r"[^\W_]+", one))) for one in names)
    return "|".join(filter(None, parted)) or "(?!)"


def _defining(names: Iterable[str]) -> re.Pattern[str]:
    """Match a sentence that begins with one of the names, and says what it is."""
    return re.compile(
        rf"(?:^|[.!?]\s)\W{{0,4}}(?:the\s)?\W{{0,4}}(?:{_any_name(names)})\b\W{{0,3}}(?:\s\([^()]{{0,99}}\))?\s(?:is|are)\san?\b",
        re.IGNORECASE,
    )


@cache
def _about_it() -> re.Pattern[str]:
    return re.compile(rf"\W*(?:{'|'.join(table('readme')['about'])})", re.IGNORECASE)


def _is_aside(text: str, names: Iterable[str]) -> bool:
    """Return True for a slogan, and for a sentence that is not about what the project is for.

    A sentence that names the project and then a purpose is about that: "Shop is a fork that …".
    """
    first = _SENTENCE.split(text, maxsplit=1)[0]
    if text.startswith("**") and _SLOGAN.fullmatch(text):
        return True
    tells = rf"\b(?:{_any_name(names)})\b.*(?:{'|'.join(table('readme')['purpose'])})"
    asides = "|".join(table("readme")["aside"])
    is_told = re.search(tells, first, re.IGNORECASE) is not None
    return not is_told and re.search(asides, first, re.IGNORECASE) is not None


def _says(words: set[str], text: str) -> bool:
    """Return True if a text has at least half of the words, and not only one of several."""
    return bool(words) and len(words & _words(text)) >= max(len(words) / 2, min(len(words), 2))


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w{4,}", text.casefold()))


def _prose(
    told: dict[str, bytes], kind: str, *, lead: bool, of: re.Pattern[str] | None = None
) -> Iterator[tuple[str, str]]:
    """Yield the blocks of a README that are sentences, with their locations.

    Args:
        told: The first part of each README.
        kind: Type of the blocks.
        lead: Yield those above the second heading; else those below it.
        of: Matches the headings of the sections to read; None for all.
    """
    for name, body in told.items():
        for number, section in enumerate(markdown.sections(body)):
            if of and not (section.headings and of.match(section.headings[-1][1])):
                continue
            is_lead = number == 0 or section.headings[-1][0] <= 1
            part = body[section.span.start : section.span.end]
            for block in markdown.parse(part).blocks if is_lead == lead else ():
                for told_in in _pieces(block) if block.type == kind else ():
                    text = _LINK_OF_RST.sub(r"\1", prose.unlinked(told_in))
                    if _is_prose(text):
                        yield f"{name}:{section.line + block.line - 1}", text


def _pieces(block: Block) -> list[str]:
    """Return a block's text; of HTML that of each part, of a quote that of each paragraph."""
    if block.type == "quote":
        return [prose.own(one) for one in block.children if one.type == "paragraph"]
    if block.type != "html":
        return [prose.own(block)]
    return [prose.plain(one) for one in _PARTS.split("\n".join(line.text for line in block.lines))]


def _is_prose(text: str) -> bool:
    """Return True for a sentence; False for directives, pointers, and rows of links or badges."""
    if text.startswith(".. ") or _POINTS.match(text):
        return False
    return (
        len(_WORD.findall(_ADDRESS.sub("", text))) >= 5
        and text.count("|") + text.count("•") + text.count("·") <= 1
    )


def _is_for_development(name: str, found: dict[str, Manifest], root: Path) -> bool:
    """Return True if a requirements list only serves development of the library next to it."""
    if name == "Gemfile":
        return any(one.endswith(".gemspec") for one in found)
    if not ("requirements" in name and name.endswith(".txt")):
        return False
    own = [one for one in _PYTHON if one in found and found[one].name]
    reads = any(name.encode() in beginning(root / one, _README_BYTES) for one in own)
    return bool(own) and not reads


_LEAST_SHARE = 0.1
"""Minimum share of a language in the code of a project whose stack it is."""
_MOST_BELOW, _DEEPEST, _MOST_NAMED = 300, 4, 3
"""Maximum manifests below the root, folders above one, and of those that are named."""
_ASIDE = frozenset(
    """bench benchmark benchmarks demo demos doc docs e2e example examples fixture fixtures
    fuzz integration playground sample samples site template templates test testdata tests website
    www""".split()
)
"""Folders whose manifests are not those of the project."""


def _tracked(root: Path) -> list[str]:
    told = os.fsdecode(ask(root, "ls-files", "-z").output).split("\0")
    return [one for one in told if one and is_source(one)]


def _below(root: Path, paths: Iterable[str]) -> dict[str, Manifest]:
    """Read the manifests below the root."""
    found: dict[str, Manifest] = {}
    for path in sorted(paths, key=lambda one: (one.count("/"), one)):
        *folders, name = path.split("/")
        is_own = 0 < len(folders) <= _DEEPEST and _ASIDE.isdisjoint(map(str.lower, folders))
        is_manifest = manifests.is_manifest(name) and not name.endswith(".txt")  # no bare list
        if not is_own or not is_manifest or len(found) >= _MOST_BELOW:
            continue
        if is_inside(root / path, root) and (made := manifests.read(root / path)):
            found[path] = made
    return found


_CODE = frozenset(
    """c cc clj cpp cs cxx dart erl ex exs fs go h hpp hs java jl js jsx kt lua m mjs ml mm mts nim
    php pl py r rb rs scala sol svelte swift ts tsx vb vue zig""".split()
)
"""Endings of programs, of whose number a language has a share."""


def _shares(paths: Iterable[str], codes: Iterable[tuple[str, ...]]) -> dict[tuple[str, ...], float]:
    """Return the share of files with some endings among programs; 1.0 for all if there are none."""
    endings = Counter(path.rpartition(".")[2] for path in paths)
    whole = sum(endings[one] for one in _CODE)
    return {one: sum(endings[it] for it in one) / whole if whole else 1.0 for one in codes}


def _stack(root: Path, found: dict[str, Manifest]) -> Iterator[ImportedNote]:
    """Yield versions and packages of the languages that the project is written in."""
    paths = _tracked(root)
    members = manifests.members(root)
    below = {folder.relative_to(root).as_posix(): made for folder, made in members.items()}
    below = {path: made for path, made in below.items() if _ASIDE.isdisjoint(path.split("/"))}
    below |= {path: made for path, made in _below(root, paths).items() if made.code}
    shares = _shares(paths, {made.code for made in (*found.values(), *below.values())})
    counted = {
        path: made
        for path, made in (found | below).items()
        if not made.code or shares[made.code] >= _LEAST_SHARE or (path in found and made.name)
    }
    stated = [
        (one, path) for path, made in counted.items() if path in found for one in made.requires
    ]
    alike = {one.replace(" ", ""): one for one, _ in stated}  # ">= 3.7" is ">=3.7"
    needs = {one: path for one, path in stated if one in alike.values()}
    if not needs:
        often = Counter(one for made in counted.values() for one in made.requires)
        kinds = {one.partition(" ")[0]: one for one, _ in reversed(often.most_common())}
        needs = dict.fromkeys(reversed(kinds.values()), "")
    packages = _ordered(root, counted, shares)
    shown = packages[:_MOST_PACKAGES]
    said = "; ".join(filter(None, (", ".join(needs), ", ".join(shown))))
    if said:
        naming = [path for path, made in counted.items() if not {*shown}.isdisjoint(made.packages)]
        outer = [path for path in naming if path in found]
        outer += [path for path, made in found.items() if made.members]
        inner = [path for path in naming if path not in found][:_MOST_NAMED]
        places = ", ".join(dict.fromkeys(filter(None, (*needs.values(), *(outer or inner)))))
        yield _noted(said, Kind.NOTE, places, "stack", "Stack")


def _ordered(
    root: Path, counted: Mapping[str, Manifest], shares: Mapping[tuple[str, ...], float]
) -> list[str]:
    """Return packages from each language in turn; if there are many, the most telling first."""
    own = {part for made in counted.values() for part in (made.name, made.name.rpartition("/")[2])}
    groups: dict[tuple[str, ...], Counter[str]] = {}
    for path, made in counted.items():
        is_image = "compose" in path
        for one in _packages(made):
            if one not in own and (_is_known(one) or not is_image):
                groups.setdefault(made.code, Counter())[one] += 1
    lists = [list(groups[code]) for code in sorted(groups, key=lambda one: -shares.get(one, 0.0))]
    if is_long := len(set(chain(*lists))) > _MOST_PACKAGES:
        often = sum(groups.values(), Counter[str]())
        place = partial(_place, _uses(root))
        lists = [sorted(one, key=lambda it: (*place(it), -often[it])) for one in lists]
    found = list(dict.fromkeys(one for one in chain.from_iterable(zip_longest(*lists)) if one))
    return _telling(found) if is_long else found


def _telling(packages: Sequence[str]) -> list[str]:
    """Return one package of each stack, as ``stacks.toml`` lists them, before all others."""
    first: dict[int | str, str] = {}
    for one in packages:
        first.setdefault(_stacks().get(one.lower(), one), one)
    return [first[key] for key in sorted(first, key=lambda key: isinstance(key, str))]


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


def _place(uses: Mapping[str, int], package: str) -> tuple[int, int, bool]:
    """Sort packages by their stack, then by their use, then known ones first."""
    name = package.lower()
    return _stacks().get(name, _NO_STACK), -uses[name.replace("_", "-")], not _is_known(package)


@cache
def _stacks() -> dict[str, int]:
    """Return the rank of each package that makes a stack: frameworks come before tools."""
    from mind.storage.templates import text  # noqa: PLC0415 - only where there are many packages

    rules = list(tomllib.loads(text("stacks.toml")).values())
    return {
        name: at for at in reversed(range(len(rules))) for name in rules[at].get("packages", ())
    }


def _packages(made: Manifest) -> list[str]:
    """Return the names of a manifest's dependencies beyond development."""
    last = len(made.packages) - made.development
    return [one for one in made.packages[:last] if "$" not in one]


# --- breaking changes ---------------------------------------------------------------------


def _breaks(path: Path, root: Path) -> list[ImportedNote]:
    """Return the breaking changes of the latest releases; none if there are too many.

    A changelog generated from commits can list dozens; search still finds them.
    """
    name, source = path.relative_to(root).as_posix(), beginning(path, _CHANGELOG_BYTES)
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
        places=lambda around: [around.root],
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
