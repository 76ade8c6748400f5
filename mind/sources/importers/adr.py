"""Architecture decision records: decision, reason, context and consequences, by status.

An accepted record becomes a decision, a rejected one a rejected approach; proposed and superseded
ones are skipped. Reads the formats of Nygard, MADR and adr-tools, and similar ones.
"""

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path

from mind.domain.entry import Kind
from mind.sources import manifests, prose
from mind.sources.importers import folder, records, wording
from mind.sources.importers.folder import ImportedFile
from mind.sources.importers.values import EMPTY, Importer, ImporterInput, Surroundings
from mind.sources.remembered import ImportedNote

NAME = "adr"
_PARENTS = ("", "doc/", "docs/", "documentation/", "architecture/", ".")
_FOLDERS = (
    "adr adrs ADR decisions architecture-decisions architecture-decision-record "
    "architecture-decision-records decision-records"
).split()
_NO_RECORD = re.compile(
    r"(?:0+[-_])?(?:adr[-_])?(?:template|readme|index|example)\b.*|.*[-_]template", re.IGNORECASE
)
_NUMBER = re.compile(
    r"^(?:\[[A-Z ]{1,12}\]\s*)?"
    r"(?:(?:(?:ADR|RFC)(?:[\s#_/-]*\d+|(?=\s*[:–—-]))|\d{1,6})\s*[.:–—-]*\s+)?",
    re.IGNORECASE,
)
_ONLY_NUMBER = re.compile(r"(?:ADR|RFC)?[\s#_/-]*\d*", re.IGNORECASE)
_ANCHOR = re.compile(r"(?<!\s)\s*+\{#[^{}]*\}\s*$")
_LONGEST_PATH = 200
_RECORD = re.compile(r"(?:adr|rfc)(?![^\W\d_])|(?!(?:19|20)\d\d )\d{3,4}[-_ .]+\D", re.IGNORECASE)
_TASK = re.compile(r"^\s{0,8}[-*+] \[[ xX]\] ", re.MULTILINE)
_USUAL = frozenset((*map(str.casefold, _FOLDERS), "decision-log"))
_TELLING = ("context", "options", "consequences")
"""Parts of which a decision record has one."""
_INSIDE = re.compile(r"(?!.*\.\.)\.?\w[\w./ -]{0,200}", re.ASCII)
_MOST = 8_000
"""Maximum length of a record, in characters."""
_OF_STATE = {
    "": Kind.DECISION,
    "rejected": Kind.REJECTED,
    "ended": "no longer in force",
    "proposed": "only proposed",
}
"""The kind of a record in a state, or the reason to skip it."""


def _places(around: Surroundings) -> list[Path]:
    roots = [around.root, *manifests.members(around.root)]
    named = [root / f"{parent}{name}" for root in roots for parent in _PARENTS for name in _FOLDERS]
    within = (f"{parent}/*/{name}/" for parent in ("doc", "docs") for name in _FOLDERS)
    named += [path for one in within for path in sorted(around.root.glob(one))]
    told = around.root / ".adr-dir"  # of adr-tools
    with contextlib.suppress(OSError):
        if told.is_file() and not told.is_symlink() and told.stat().st_size < _LONGEST_PATH:
            name = told.read_text("utf-8", "replace").strip()
            named += [around.root / name] if _INSIDE.fullmatch(name) else []
    return named


def _read(path: Path, reading: ImporterInput) -> Iterator[ImportedNote]:
    for text in folder.texts(path, reading):
        named = _named(text.path, path)
        if _NO_RECORD.fullmatch(named.stem):
            continue
        made = record(text, named, reading)
        if isinstance(made, str):
            reading.leave_out(made)
        else:
            yield from made


def _named(path: Path, folder: Path) -> Path:
    """Return the path that names a record: its folder, if the record is that folder's README."""
    is_folders = path.stem.casefold() in ("readme", "index") and path.parent not in (folder, path)
    return path.parent if is_folders and folder.is_dir() else path


def is_record(text: ImportedFile) -> bool:
    """Return True for a note with the sections of a decision record, and nothing before them.

    Minutes of a meeting have them too; a record also has a status, or a number or a usual folder
    and no tasks.
    """
    parts = records.one(text.note.body).parts.keys()
    if "decision" not in parts or "text" in parts or parts.isdisjoint(_TELLING):
        return False
    if "status" in parts or text.note.text("status"):
        return True
    folders = (*Path(text.name).parts[:-1], text.path.parent.name)
    usual = {re.sub(r"[\s_]", "-", one.casefold()) for one in folders} & _USUAL
    is_named = bool(usual) or _RECORD.match(text.path.stem) is not None
    return is_named and _TASK.search(text.note.body) is None


def record(
    text: ImportedFile, named: Path, reading: ImporterInput, source: str = NAME
) -> list[ImportedNote] | str:
    """Return the notes of a file, or the reason to skip it.

    What does not fit into the decision's line follows as notes, unless the record is in the
    repository, where search reads it in place.
    """
    note, found = text.note, records.one(text.note.body)
    status = prose.plain(note.text("status")) or _status(found.parts.get("status", ""))
    titles = (prose.plain(note.text("title")), found.title, named.stem.replace("-", " "))
    title = next((one for one in titles if not _ONLY_NUMBER.fullmatch(one)), "")
    found.title = _ANCHOR.sub("", _NUMBER.sub("", title)).strip()
    if found.title.startswith("~~"):
        return str(_OF_STATE["ended"])
    is_form = status.count("|") > 1 or status.count(" / ") > 1  # unfilled template
    if is_form or not found.title or not (found.parts.get("decision") or status):
        return EMPTY
    kind = _OF_STATE[records.validity(status)]
    if not isinstance(kind, Kind):
        return kind
    where = reading.place_of(text.path)
    inside = f" ({where})" if text.path.is_relative_to(reading.root) else ""
    name = Path(text.name).with_suffix("").as_posix()
    details = found.parts.get("details", "")
    if details and not inside:
        found.others[found.names.get("details", "Details")] = details
    return [
        ImportedNote(
            text=f"{said}{inside}",
            kind=Kind.NOTE if number else kind,
            source=source,
            key=wording.part_key(name, said) if number else wording.key(name),
            day=wording.day(note.text("date") or found.parts.get("date"), reading.zone)
            or wording.day_in_name(named),
            place=where,
            tags=wording.tags(note.texts("tags"), found.title),
        )
        for number, said in enumerate(_lines(found))
        if not (number and inside)
    ]


def _lines(found: records.DecisionRecord) -> Iterator[str]:
    """Yield the record, and what does not fit into its line."""
    for said in found.texts(_MOST):
        first, *rest = wording.split(wording.safe(said), _MOST)
        yield first
        yield from (wording.titled(found.title[:_LONGEST_PATH], one) for one in rest)


def _status(told: str) -> str:
    """Return the last line that ends a record, else the first with a state, else the first."""
    lines = told.split("\n")
    ended = [one for one in reversed(lines) if records.validity(one) == "ended"]
    named = [one for one in lines if records.validity(one)]
    return (*ended, *named, *lines)[0]


IMPORTERS = (
    Importer(
        name=NAME,
        about="architecture decision records",
        places=_places,
        read=_read,
        where="`docs/adr`, `docs/decisions`, `doc/adr` …",
        gives=(
            "accepted: decision; rejected: rejected; both with reason, context and consequences; "
            "what is only proposed is left out"
        ),
        is_shared=True,
    ),
)
