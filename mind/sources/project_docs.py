"""The project's own documents and manifests, read in place.

Search finds them as passages of documents and commands of manifests; they are never copied. The
memory's own files and Mind's block in other files are skipped.
"""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from mind.documents import markdown
from mind.documents.markdown import Block
from mind.documents.secret_entries import covered
from mind.domain.entry import DOCUMENT, Entry, Kind, content_id
from mind.sources import manifests
from mind.sources.git.repository import ask, folder_of
from mind.storage.gitindex import stamp
from mind.text import lazy_pattern

LARGEST, _NEWS = 120_000, 16_000
"""Bytes read of a document, and of a changelog, whose old parts answer few questions."""
_CHANGELOG = lazy_pattern(
    r"change[-_ ]?log|changes|history|news|release[-_]?notes?|releases?", re.IGNORECASE
)
MOST = 400
"""Maximum number of documents read per project."""
_MARKED = (".md", ".markdown", ".mdx", ".mdc")
_SUFFIXES = (*_MARKED, ".rst", ".adoc", ".txt")
_FOLDERS = frozenset(
    "doc docs documentation adr adrs decisions design rfc rfcs notes wiki .github .cursor "
    "memory-bank".split()
)
"""Top-level folders searched for documents."""
_PASSED_OVER = frozenset(
    "node_modules __pycache__ venv site-packages vendor third_party bower_components dist build "
    "target _build test tests testdata fixtures i18n locales translations issue_template "
    "workflows".split()
)
_NO_DOCUMENT = lazy_pattern(
    r"(?:licen[cs]e|copying|l?gpl|apache|unlicense|notice|code[-_]of[-_]conduct|authors|contributors|requirements|robots|"
    r"cmakelists|llms|.*[-_.]lock)(?:[-_.].*)?",
    re.IGNORECASE,
)
_DEPTH = 4
_MOST_PACKAGES = 40
_LONG = 700
"""Length in characters above which nothing is appended to a passage."""

_WORD = lazy_pattern(r"[^\W\d_]{2,}")


class DocumentPassage(NamedTuple):
    """A passage of a document, with its location and headings."""

    text: str
    line: int
    end: int
    headings: tuple[str, ...] = ()


def further(root: Path) -> Sequence[str]:
    """Return the other texts that git tracks, as relative paths, except changelogs of parts."""
    git = folder_of(root)
    try:
        return _further(root, stamp(git / "index")) if git else ()
    except OSError:  # git gave no answer; the next search asks again
        return ()


@lru_cache(maxsize=4)
def _further(root: Path, _state: str) -> tuple[str, ...]:
    """Return the other texts in git's index, which changes with ``_state``."""
    told = ask(root, "ls-files", "-z", "--", *(f"*{suffix}" for suffix in _SUFFIXES))
    if told.status != 0:
        raise OSError(told.problem)
    names = set(filter(None, told.output.decode("utf-8", "replace").split("\0")))
    found = [name for name in names.difference(paths(root)) if _is_listed(PurePosixPath(name))]
    return tuple(sorted(found, key=lambda name: (name.count("/"), name))[:MOST])


def _is_listed(path: PurePosixPath) -> bool:
    *folders, _ = path.parts
    is_read = not _NO_DOCUMENT.fullmatch(path.stem) and not _CHANGELOG.fullmatch(path.stem)
    return (
        is_read
        and 0 < len(folders) <= _DEPTH
        and not any(one.startswith(".") or one.casefold() in _PASSED_OVER for one in folders)
    )


def paths(root: Path) -> list[str]:
    """Return the project's documents and manifests as relative paths, top level first."""
    found: list[str] = []
    pending = [("", 0)]
    while pending and len(found) < MOST:
        folder, depth = pending.pop(0)
        try:
            with os.scandir(root / folder) as listed:
                there = sorted(listed, key=lambda one: one.name)
        except OSError:
            continue
        for one in there:
            name = f"{folder}{one.name}"
            # a link's target is read in its own place, or is not the project's
            if one.is_symlink() or not _is_unicode(name):
                continue
            if one.is_dir():
                if _is_looked_into(one.name, depth, folder):
                    pending.append((f"{name}/", depth + 1))
            elif one.is_file() and _is_read(one.name, folder, depth):
                found.append(name)
    return found[:MOST]


def but(root: Path, own: Iterable[Path], listed: Sequence[str]) -> list[str]:
    """Return the listed texts without the memory's ``own`` files, whatever their names.

    A link may lead to its folder, and from it to a file elsewhere, under whose name git knows them.
    """
    here = os.path.realpath(root).rstrip(os.sep) + os.sep
    real = [os.path.realpath(one) for one in own]
    names = {one.removeprefix(here).replace(os.sep, "/") for one in real if one.startswith(here)}
    return [one for one in listed if one not in names]


def _is_unicode(name: str) -> bool:
    """Return False for a file name that is not UTF-8: the index cannot store it."""
    return name.isascii() or name == name.encode("utf-8", "replace").decode()


def _is_looked_into(name: str, depth: int, folder: str) -> bool:
    low = name.casefold()
    if low in _PASSED_OVER or depth >= _DEPTH:
        return False
    return low in _FOLDERS if not depth else not low.startswith(".") or folder == ".cursor/"


def _is_read(name: str, folder: str, depth: int) -> bool:
    path = PurePosixPath(name)
    if not depth and manifests.is_manifest(name):
        return True
    if path.suffix.casefold() not in _SUFFIXES or _NO_DOCUMENT.fullmatch(path.stem):
        return False
    return not folder.startswith(".github/") or path.suffix.casefold() in _MARKED


def entries(root: Path, at: str, *, name: str | None = None) -> list[Entry]:
    """Return the passages of a document or manifest, without credentials.

    Args:
        root: Root of the project.
        at: Path relative to the root.
        name: Path to use in the entries; ``at`` by default.
    """
    path, name = root / at, name or at
    if Path(os.path.realpath(path)) != Path(os.path.realpath(root), at):  # a link leads elsewhere
        return []
    try:
        with path.open("rb") as file:
            source = file.read(_NEWS if _CHANGELOG.fullmatch(path.stem) else LARGEST)
    except OSError:
        return []
    is_manifest = manifests.is_manifest(path.name)
    found = _of_manifest(path) if is_manifest else passages(source)
    about = " ".join(re.findall(r"[A-Za-z]+", PurePosixPath(name).stem))
    text = source.decode("utf-8", "replace")
    fields = {} if is_manifest else _of_record(PurePosixPath(name), text)
    made = [
        Entry(
            id=content_id(one.text),
            kind=Kind.NOTE,
            text=one.text,
            confidence=0.5,
            why=DOCUMENT,
            section=one.headings,
            source=name,
            line=one.line,
            end=one.end,
            beside=" ".join((about, *one.headings[-2:])),
            fields=fields,
        )
        for one in found
    ]
    return covered(made, text)


ENDED = "ended"
"""Field of a passage of a decision record that is no longer in force: its status."""


def _of_record(path: PurePosixPath, text: str) -> dict[str, str]:
    if not re.search(r"adr|decision", str(path.parent), re.IGNORECASE):
        return {}
    from mind.sources.importers import adr  # noqa: PLC0415 - only a record that changed

    status = adr.ended(path, text)
    return {ENDED: status} if status else {}


def passages(source: bytes) -> Iterator[DocumentPassage]:
    """Yield the passages of a document by blocks.

    Other formats are read as Markdown: their paragraphs and underlined titles are the same.
    """
    if b"\0" in source:
        return
    from mind.documents import context_block  # noqa: PLC0415 - only a document that changed

    span = context_block.block_span(source)
    if span is not None:  # keep the line numbers
        inside = source[span.start : span.end]
        source = source[: span.start] + b"\n" * inside.count(b"\n") + source[span.end :]
    for section in markdown.sections(source):
        part = source[section.span.start : section.span.end]
        headings = tuple(one for _, text in section.headings if (one := _plain(text)))
        blocks = markdown.parse(part).blocks
        for text, first, last in _joined(_units(blocks, part)):
            yield DocumentPassage(text, section.line + first - 1, section.line + last - 1, headings)


_Unit = tuple[str, int, int, bool]
"""A text with its first and last line, and True if it introduces or explains its neighbour."""


def _units(blocks: Iterable[Block], source: bytes) -> Iterator[_Unit]:
    for block in blocks:
        match block.type:
            case "heading" | "rule" | "definition" | "front_matter":
                continue
            case "list" | "table" | "quote" if _length(block) > _LONG // 2:
                yield from _units(block.children, source)
            case _:
                raw = source[block.span.start : block.span.end].decode("utf-8", "replace")
                text = _code(raw) if block.type == "code" else _plain(raw)
                if _WORD.search(text) and not text.startswith(".. "):
                    yield text, block.line, block.end, block.type == "code"


def _length(block: Block) -> int:
    return block.span.end - block.span.start


def _code(raw: str) -> str:
    lines = [line for line in raw.split("\n") if not line.lstrip().startswith(("```", "~~~"))]
    return " ".join(" ".join(lines).split())


def _plain(raw: str) -> str:
    from mind.sources import prose  # noqa: PLC0415 - only when a document changed

    return prose.unlinked(prose.plain(raw))


def _joined(units: Iterable[_Unit]) -> Iterator[tuple[str, int, int]]:
    """Join units that belong together: introductions with their lists, text with the code below."""
    text, first, last = "", 0, 0
    for said, begin, end, is_tied in units:
        belongs = is_tied or text.endswith((":", "："))
        if text and belongs and len(text) + len(said) <= _LONG:
            text, last = f"{text} {said}", end
            continue
        if text:
            yield text, first, last
        text, first, last = said, begin, end
    if text:
        yield text, first, last


def _of_manifest(path: Path) -> Iterator[DocumentPassage]:
    made = manifests.read(path)
    if made is None:
        return
    programs = [one.call for one in made.commands if one.installed]
    head = [
        *filter(None, (made.name, made.about)),
        *made.requires,
        *([f"installs {', '.join(programs)}"] if programs else []),
        *([f"depends on {', '.join(made.packages[:_MOST_PACKAGES])}"] if made.packages else []),
    ]
    if head:
        yield DocumentPassage(f"{path.name}: {'; '.join(head)}", 1, 1)
    for one in made.commands:
        said = ": ".join(filter(None, (one.about.rstrip(".:"), one.does)))
        if said:
            yield DocumentPassage(f"`{one.call}` {said}", max(1, one.line), max(1, one.line))
