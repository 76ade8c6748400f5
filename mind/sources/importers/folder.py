"""Text files of a folder, and the front matter of notes; pure except for reading.

Does not follow links out of the folder; counts files that are too large or not text. Front matter
is parsed without a YAML parser, limited to what note tools write: keys with a text, a list
(``[a, b]`` or ``- a`` lines), a block (``|``, ``>``) or nested keys, read one level deep as
``outer.inner``.
"""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mind.sources import prose
from mind.sources.importers.values import (
    DAMAGED,
    EMPTY,
    FOREIGN,
    LARGE,
    LINKED,
    UNREADABLE,
    ImporterInput,
)

LARGEST_HEAD = 64 * 1024
"""Maximum length of front matter, in characters; longer text is no front matter."""

_KEY = re.compile(
    r"(?P<indent> *)(?P<name>\"[^\"]+\"|'[^']+'|[\w][\w .@/-]*?)\s*:(?:\s+(?P<value>.*))?$"
)
_ITEM = re.compile(r"(?P<indent> *)-(?:\s+(?P<value>.*))?$")
_PAIR = re.compile(r"(?<![\w-])([\w-]++)\s*+:\s*([^,{}]+)")
_BLOCK = re.compile(r"[|>][+-]?\d?\s*$")


class FrontMatterBroken(ValueError):
    """Front matter without an end, or with invalid content."""


@dataclass(slots=True)
class FrontMatterNote:
    """A text and its front matter.

    Attributes:
        body: Text without the front matter.
        fields: Texts and lists by lower-case name; lists as their items.
    """

    body: str
    fields: dict[str, list[str]] = field(default_factory=dict)

    def text(self, *names: str) -> str:
        """Return the text of the first existing field of ``names``."""
        return next((self.fields[name][0] for name in names if self.fields.get(name)), "")

    def texts(self, *names: str) -> list[str]:
        """Return all values of the fields ``names``; a text with commas is a list."""
        found = [text for name in names for text in self.fields.get(name, ())]
        if len(found) == 1 and "," in found[0]:
            found = found[0].split(",")
        return [text.strip() for text in found if text.strip()]


def split(text: str) -> FrontMatterNote:
    """Split ``text`` from its front matter.

    Raises:
        FrontMatterBroken: The front matter has no end or is invalid.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    first, _, rest = text.partition("\n")
    if first.rstrip() != "---" or not _may_be(rest):
        return FrontMatterNote(text)
    lines = rest[:LARGEST_HEAD].split("\n")
    end = next((at for at, line in enumerate(lines) if line.rstrip() in ("---", "...")), None)
    if end is None:
        raise FrontMatterBroken("front matter without an end")
    made = FrontMatterNote("\n".join(rest.split("\n")[end + 1 :]))
    _read(lines[:end], made.fields)
    if not made.fields and any(line.strip() for line in lines[:end]):
        raise FrontMatterBroken("no front matter")
    return made


def _may_be(rest: str) -> bool:
    """Return False if a first line of ``---`` is a horizontal rule."""
    line = rest.partition("\n")[0]
    return bool(_KEY.match(line)) or line.rstrip() in ("---", "...") or line.startswith("#")


def _read(lines: Sequence[str], fields: dict[str, list[str]]) -> None:
    outer, name, block = "", "", -1
    for line in lines:
        depth = len(line) - len(line.lstrip(" "))
        if block >= 0 and (depth > block or not line.strip()):
            fields[name] = [f"{fields[name][0]} {line.strip()}".strip()]
            continue
        block = -1
        item, found = _ITEM.match(line), _KEY.match(line)
        if item and name:
            _add(fields, name, item["value"])
        elif found:
            own = found["name"].strip("\"'").casefold()
            outer = own if not depth else outer
            name = f"{outer}.{own}" if depth else own
            value = (found["value"] or "").strip()
            if _BLOCK.match(value):
                fields[name], block = [""], depth
            else:
                fields.setdefault(name, [])
                _add(fields, name, value)


def _add(fields: dict[str, list[str]], name: str, value: str | None) -> None:
    text = (value or "").strip()
    pairs = _PAIR.findall(text[1:-1]) if text.startswith("{") and text.endswith("}") else []
    if text.startswith("{") and text.endswith("}") and not pairs:
        text = text[1:-1].strip()
    if pairs:
        for own, said in pairs:
            fields.setdefault(f"{name}.{own.casefold()}", []).append(_scalar(said))
    elif text.startswith("[") and text.endswith("]") and not text.startswith("[["):
        fields[name] += [_scalar(one) for one in text[1:-1].split(",") if one.strip()]
    elif text:
        fields[name].append(_scalar(text))


def _scalar(text: str) -> str:
    text = text.strip()
    for quote in "\"'":
        if len(text) > 1 and text.startswith(quote):
            end = text.find(quote, 1)
            return text[1:end] if end > 0 else text[1:]
    return text.split(" #", 1)[0].strip()


LARGEST = 2_000_000
"""Maximum size of a note, in bytes."""
MOST_FILES = 50_000
SUFFIXES = (".md", ".markdown")
_OTHER_SUFFIXES = (".rst", ".adoc", ".asciidoc", ".org", ".textile")
_PASSED_OVER = frozenset(
    "node_modules __pycache__ venv site-packages vendor bower_components dist build".split()
)


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """A file's path, its path below the folder with ``/``, and its text."""

    path: Path
    name: str
    note: FrontMatterNote


def texts(folder: Path, reading: ImporterInput, *, deep: bool = True) -> Iterator[ImportedFile]:
    """Yield the notes of ``folder`` (or the single file), by name; hidden ones are skipped."""
    for path in paths(folder, reading, deep=deep):
        name = path.name if path == folder else path.relative_to(folder).as_posix()
        said = contents(path, reading)
        if said is None:
            continue
        if not said.strip():
            reading.leave_out(EMPTY)
            continue
        try:
            note = split(said)
        except FrontMatterBroken:
            reading.leave_out(DAMAGED)
            continue
        note.body = prose.resolved(note.body)
        yield ImportedFile(path, name, note)


def paths(folder: Path, reading: ImporterInput, *, deep: bool = True) -> list[Path]:
    """Return the Markdown files of ``folder``, sorted by path; the folder may be a single file."""
    if folder.is_file():
        return [folder]
    found: list[Path] = []
    for parent, folders, names in os.walk(folder, followlinks=False):
        here = Path(parent)
        reading.leave_out(LINKED, sum((here / name).is_symlink() for name in folders))
        folders[:] = sorted(one for one in folders if deep and not _is_passed_over(one))
        for name in sorted(names):
            path = here / name
            if not name.startswith(".") and name.lower().endswith(_OTHER_SUFFIXES):
                reading.leave_out(FOREIGN)
            if not name.startswith(".") and name.lower().endswith(SUFFIXES):
                if path.is_symlink():
                    reading.leave_out(LINKED)
                else:
                    found.append(path)
        if len(found) > MOST_FILES:
            reading.leave_out(LARGE, len(found) - MOST_FILES)
            break
    return sorted(found[:MOST_FILES])


def _is_passed_over(name: str) -> bool:
    return name.startswith(".") or name in _PASSED_OVER


def contents(path: Path, reading: ImporterInput, largest: int = LARGEST) -> str | None:
    """Return the text of a file.

    None, and counted, if it is unreadable, too large or not text.
    """
    try:
        if not path.is_file():  # opening a pipe would block
            reading.leave_out(UNREADABLE)
            return None
        if path.stat().st_size > largest:
            reading.leave_out(LARGE)
            return None
        source = path.read_bytes()
    except OSError:
        reading.leave_out(UNREADABLE)
        return None
    if b"\0" in source:
        reading.leave_out(DAMAGED)
        return None
    return source.decode("utf-8", "replace")


def beginning(path: Path, most: int) -> bytes:
    """Return the first bytes of a file, of a longer one up to the end of a line; b"" for none."""
    try:
        with path.open("rb") as file:
            said = file.read(most)
    except OSError:
        return b""
    return said if len(said) < most else said.rpartition(b"\n")[0]


def is_inside(path: Path, root: Path) -> bool:
    """Return True for what exists within the folder ``root``, whatever links lead to it."""
    real = os.path.realpath(path)
    is_below = Path(real).is_relative_to(os.path.realpath(root))
    return is_below and os.path.exists(real)  # noqa: PTH110 - never raises
