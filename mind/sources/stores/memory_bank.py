"""A memory bank (Cline, Roo): what its files say under headings that tell what it is.

The focus of the moment, open questions and what describes the product are left out: they are of
that day, or prose that a memory is no place for. Checked items are progress, others to do.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from mind.entry import Kind
from mind.sources.remembered import Remembered
from mind.sources.stores import folder, wording
from mind.sources.stores.folder import Text
from mind.sources.stores.values import EMPTY, Reading, Surroundings

NAME = "memory-bank"
_FILES: Mapping[str, Kind] = {
    "projectbrief": Kind.GOAL,
    "systempatterns": Kind.DECISION,
    "techcontext": Kind.LEARNING,
    "decisionlog": Kind.DECISION,
    "decisions": Kind.DECISION,
    "progress": Kind.PROGRESS,
}
"""What a file holds under headings that tell nothing."""
_HEADINGS = (
    (
        re.compile(
            r"current focus|open question|overview|summary|purpose|user experience", re.IGNORECASE
        ),
        None,
    ),
    (re.compile(r"known issue|\bissues?\b|\bbugs?\b|technical debt", re.IGNORECASE), Kind.PROBLEM),
    (
        re.compile(r"next step|what'?s left|to.?do|remaining|upcoming|current task", re.IGNORECASE),
        Kind.TODO,
    ),
    (re.compile(r"decision", re.IGNORECASE), Kind.DECISION),
    (
        re.compile(r"gotcha|pitfall|constraint|limitation|warning|caveat", re.IGNORECASE),
        Kind.GOTCHA,
    ),
    (re.compile(r"learn|lesson|insight|note", re.IGNORECASE), Kind.LEARNING),
    (
        re.compile(r"what works|complete|done|recent change|achiev|milestone", re.IGNORECASE),
        Kind.PROGRESS,
    ),
    (re.compile(r"\bgoals?\b|objective|requirement|success criteria", re.IGNORECASE), Kind.GOAL),
    (re.compile(r"pattern|architecture|convention|design", re.IGNORECASE), Kind.DECISION),
)
_BOX = re.compile(r"\[(?P<box>[ xX])\]\s+")
_STAMP = re.compile(r"^\[?((?:19|20)\d\d-\d\d-\d\d)(?:[ T][\d:]+)?\]?\s*[-–—:|]*\s*")
_STEPS = re.compile(r"^(?:date|version|last updated|updated|status)\W*:", re.IGNORECASE)


def places(around: Surroundings) -> list[Path]:
    """The folders of the project."""
    names = ("memory-bank", "memory_bank", ".memory-bank", "docs/memory-bank")
    return [around.root / name for name in names]


def read(path: Path, reading: Reading) -> Iterator[Remembered]:
    """What a memory bank says."""
    for text in folder.texts(path, reading):
        found = list(_file(text, reading))
        if not found:
            reading.leave_out(EMPTY)
        yield from found


def _file(text: Text, reading: Reading) -> Iterator[Remembered]:
    stem = re.sub(r"[\W_]", "", text.path.stem).casefold()
    fallback = _FILES.get(stem)
    for headings, body in wording.sections(text.note.body):
        kind = _kind(headings[1:] or headings, fallback)
        day = next((day for one in reversed(headings) if (day := wording.day(one[:40]))), None)
        for said in wording.paragraphs(body):
            made = _said(said, kind)
            if made is None:
                continue
            what, own, stamp = made
            yield Remembered(
                text=what,
                kind=own,
                source=NAME,
                key=wording.key(Path(text.name).with_suffix("").as_posix(), wording.digest(what)),
                day=wording.day(stamp) or day,
                place=reading.place_of(text.path),
            )


def _kind(headings: tuple[str, ...], fallback: Kind | None) -> Kind | None:
    """What the nearest heading that tells says."""
    for heading in reversed(headings):
        for pattern, kind in _HEADINGS:
            if pattern.search(heading):
                return kind
    return fallback


def _said(said: str, kind: Kind | None) -> tuple[str, Kind, str] | None:
    """What a paragraph or item says, its kind and its stamp; None if it is left out."""
    is_item = said.startswith("• ")
    text = " ".join(said.removeprefix("• ").split())
    box = _BOX.match(text)
    if box:
        text = text[box.end() :]
        kind = Kind.TODO if box["box"] == " " else Kind.PROGRESS
    stamp = _STAMP.match(text)
    what = wording.cut(wording.plain(text[stamp.end() :] if stamp else text))
    told = wording.says_something(what) and not what.endswith(":") and not _STEPS.match(what)
    if kind is None or not told or not (is_item or kind is not Kind.GOAL or len(what) > 40):
        return None
    return what, kind, stamp[1] if stamp else ""
