"""A memory bank (Cline, Roo): what its files say under headings that tell what it is.

The focus of the moment, open questions and what describes the product are left out: they are of
that day, or prose that a memory is no place for. Checked items are progress, others to do.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from mind.domain.entry import Kind
from mind.sources.importers import folder, wording
from mind.sources.importers.folder import Text
from mind.sources.importers.values import EMPTY, Reading, Surroundings
from mind.sources.remembered import Remembered

NAME = "memory-bank"
_FILES: Mapping[str, Kind] = {
    "projectbrief": Kind.GOAL,
    "systempatterns": Kind.LEARNING,
    "techcontext": Kind.LEARNING,
    "decisionlog": Kind.DECISION,
    "decisions": Kind.DECISION,
    "progress": Kind.PROGRESS,
}
"""What a file holds under headings that tell nothing."""


def _heading(words: str) -> re.Pattern[str]:
    return re.compile(words, re.IGNORECASE)


_HEADINGS = (
    (_heading(r"current (?:work )?focus|open question|overview|summary|purpose|user exp"), None),
    (_heading(r"rationale|implementation detail|razão|detalhes"), None),
    (_heading(r"known issue|\bissues?\b|\bbugs?\b|technical debt"), Kind.PROBLEM),
    (_heading(r"next step|what'?s left|to.?do|remaining|upcoming|current task"), Kind.TODO),
    (_heading(r"decision|decisão|entscheidung"), Kind.DECISION),
    (_heading(r"gotcha|pitfall|constraint|limitation|warning|caveat"), Kind.GOTCHA),
    (_heading(r"learn|lesson|insight|note|pattern|architecture|convention"), Kind.LEARNING),
    (_heading(r"what works|complete|done|recent change|achiev|milestone"), Kind.PROGRESS),
    (_heading(r"\bgoals?\b|objective|requirement|success criteria"), Kind.GOAL),
)
_BOX = re.compile(r"(?:\[(?P<box>[ xX])\]|(?P<sign>[✅✔☑🔄⏳🚧])\ufe0f?)\s*")
_OPEN = " 🔄⏳🚧"
_STAMP = re.compile(r"\[?((?:19|20)\d\d-\d\d-\d\d)(?:[ T][\d:]+)?\]?\s*[-–—:|]*\s*")
_STAMPED = re.compile(r"\n(?=\[?(?:19|20)\d\d-\d\d-\d\d)")
_DECIDED = re.compile(r"\W*decision\W*:\W*(?=\w)", re.IGNORECASE)
_NOT_YET = re.compile(r"\b(?:pending|in progress|not started|planned|to do)\W*\Z", re.IGNORECASE)
_ITSELF = re.compile(
    r"\bmemory[- _]?bank\b|\b(?:projectbrief|(?:product|active|tech)context|systempatterns|"
    r"decisionlog|decision log|sessionlog)\b|^this (?:file|document)\b|^log of (?:updates|changes)|"
    r"^(?:date|version|last updated|updated|status)\W*:",
    re.IGNORECASE,
)
"""What a bank says of itself."""


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
    fallback, is_log = _FILES.get(stem), stem.startswith("decision")
    for headings, body in wording.sections(text.note.body):
        kind = _kind(headings[1:] or headings, fallback)
        day = next((day for one in reversed(headings) if (day := wording.day(one[:40]))), None)
        said = (part for one in wording.paragraphs(body) for part in _STAMPED.split(one))
        for made in filter(None, (_said(one, kind, is_log=is_log) for one in said)):
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


def _said(said: str, kind: Kind | None, *, is_log: bool) -> tuple[str, Kind, str] | None:
    """What a paragraph or item says, its kind and its stamp; None if it is left out."""
    text = " ".join(said.removeprefix("• ").split())
    box = _BOX.match(text)
    if box:
        text = text[box.end() :]
        kind = Kind.TODO if (box["box"] or box["sign"]) in _OPEN else Kind.PROGRESS
    stamp, decided = _STAMP.match(text), _DECIDED.match(text)
    if is_log and (stamp or decided):  # under whatever heading it came to stand
        kind = Kind.DECISION
    found = decided or stamp
    what = wording.cut(wording.plain(text[found.end() :] if found else text))
    if kind is Kind.PROGRESS and _NOT_YET.search(what):
        kind = Kind.TODO
    if (
        kind is None
        or what.endswith(":")
        or _ITSELF.search(what)
        or not wording.says_something(what)
    ):
        return None
    return what, kind, stamp[1] if stamp else ""
