"""Architecture decision records: decision, reason, context and consequences, by status.

An accepted record becomes a decision, a rejected one a rejected approach, and so does each option
that an accepted one turned down; proposed and superseded ones are skipped. Reads the formats of
Nygard, MADR and adr-tools, and similar ones.
"""

import contextlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePath
from typing import NamedTuple

from mind.domain.entry import Kind
from mind.sources import manifests, prose
from mind.sources.importers import folder, options, record_status, records, wording
from mind.sources.importers.folder import FrontMatterBroken, FrontMatterNote, ImportedFile, split
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
    r"(?:(?:(?:ADR|RFC)(?:[\s#_/-]*\d+|(?=\s*[:–—-]))|\d{1,6})\s*[.:·|–—-]*\s+)?",
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
_LETTERS = re.compile(r"[^\W\d_]+")
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


_NUMBERED = re.compile(r"(?:adr|rfc)?[-_ ]*(\d{1,9})(?!\d|-\d\d-)", re.IGNORECASE)
_ANY_NUMBER = re.compile(r"(?<!\d)(?<!\d-)\d{1,9}(?!\d|-\d)")
"""Matches a number outside a date."""
_PARTLY = re.compile(
    r"\b(?:part(?:ial)?ly|(?:in|only|the) parts?|teilweise|par(?:cial|tielle)mente?|частично)\b",
    re.IGNORECASE,
)
"""Matches words for an end of only a part of a record."""
_SUPERSEDES = re.compile(
    r"^[ \t>*_+-]*super[sc]edes[\s:*_]*(?:\[(?:(?:adr|rfc)[-_ #]*)?|(?:adr|rfc)[-_ #]*|(?=\d{3}))"
    rf"(\d{{1,9}})(?!\d|-\d\d-)(?!.*(?:{_PARTLY.pattern}))",
    re.IGNORECASE | re.MULTILINE,
)
_NO_TEXT = re.compile(
    r"^ {0,3}(```+|~~~+).*?(?:^ {0,3}\1|\Z)|<!--.*?(?:-->|\Z)", re.MULTILINE | re.DOTALL
)
"""Matches fenced code and comments."""


class ReadRecord(NamedTuple):
    """A record: the reason to skip it, or "", its notes, name, status, text, and if all ended."""

    skipped: str
    notes: Sequence[ImportedNote] = ()
    stem: str = ""
    status: str = ""
    body: str = ""
    has_ended: bool = False


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
    made: dict[str, ReadRecord] = {}
    for text in folder.texts(path, reading):
        named = _named(text.path, path)
        if not _NO_RECORD.fullmatch(named.stem):
            made[text.name] = record(text, named, reading)
    successors = _successors(made)
    for name, one in made.items():
        why = one.skipped or (str(_OF_STATE["ended"]) if name in successors else "")
        if not why:
            yield from one.notes
            continue
        reading.leave_out(why)
        if name in successors:
            after = made.get(successors[name])
            by = after.notes[0].key if after and after.notes else ""
            reading.ended += [(note, by) for note in one.notes]


def _successors(made: Mapping[str, ReadRecord]) -> dict[str, str]:
    """Return the names of records that ended, each with that of its successor, "" if unknown.

    Either record may say so: "Superseded by [7. …]", "Supersedes [3. …]".
    """
    numbered = [
        (int(number[1]), name)
        for name, one in made.items()
        if (number := _NUMBERED.match(one.stem))
    ]
    count = Counter(of for of, _ in numbered)
    named = {of: name for of, name in numbered if count[of] == 1}
    found: dict[str, str] = {}
    for name, one in made.items():
        if one.has_ended:
            told = map(int, _ANY_NUMBER.findall(one.status))
            found[name] = next((named[to] for to in told if named.get(to, name) != name), "")
        elif not one.skipped and one.notes[0].kind is Kind.DECISION:
            told = map(int, _SUPERSEDES.findall(_NO_TEXT.sub("", one.body)))
            found |= {named[to]: name for to in told if named.get(to, name) != name}
    return found


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
) -> ReadRecord:
    """Read the record in a file.

    What does not fit into the decision's line follows as notes, unless the record is in the
    repository, where search reads it in place.
    """
    note = text.note
    given = prose.plain(note.text("title"))
    found = records.one(note.body, "" if _ONLY_NUMBER.fullmatch(given) else given)
    status = _status_of(note, found)
    titles = (found.title, named.stem.replace("-", " "))
    title = next((one for one in titles if not _ONLY_NUMBER.fullmatch(one)), "")
    found.title = _ANCHOR.sub("", _NUMBER.sub("", title)).strip()
    is_form = status.count("|") > 1 or status.count(" / ") > 1  # unfilled template
    is_known = bool(found.parts.get("decision") or status)  # else it may be in another language
    is_numbered = _NUMBERED.match(named.stem) is not None and bool(found.others)
    if is_form or not found.title or not (is_known or is_numbered):
        return ReadRecord(EMPTY)
    is_struck = found.title.startswith("~~")
    found.title = found.title.replace("~~", "") if is_struck else found.title
    validity = "ended" if is_struck else record_status.validity(status)
    state = _OF_STATE[_of_folder(text.name) or validity]
    kind = state if isinstance(state, Kind) else Kind.DECISION
    kind = kind if is_known else Kind.NOTE
    where = reading.place_of(text.path)
    inside = f"({where})" if text.path.is_relative_to(reading.root) else ""
    name = Path(text.name).with_suffix("").as_posix()
    details = found.parts.get("details", "")
    if details and not inside:
        found.others[found.names.get("details", records.DETAILS)] = details
    first, *rest = _lines(found)
    said = [(first, kind, wording.key(name))]
    said += [] if inside else [(one, Kind.NOTE, wording.part_key(name, one)) for one in rest]
    if kind is Kind.DECISION:
        decision = " ".join(found.parts.get("decision", "").split())
        told = options.turned_down(note.body, found.title, decision)
        matter = "" if inside else f" ({found.title[:_LONGEST_PATH]})"
        said += [
            (
                wording.safe(f"{one} - {why}{matter}" if why else f"{one}{matter}"),
                Kind.REJECTED,
                wording.part_key(name, one),
            )
            for one, why in told
        ]
    day = wording.day(note.text("date") or found.parts.get("date") or status, reading.zone)
    notes = [
        ImportedNote(
            text=prose.stacked((one, inside)) if "\n" in one else f"{one} {inside}".rstrip(),
            kind=of,
            source=source,
            key=key,
            day=day or wording.day_in_name(named),
            place=where,
            tags=wording.tags(note.texts("tags"), found.title),
        )
        for one, of, key in said
    ]
    by = note.text("superseded-by", "superseded_by")
    skipped = "" if isinstance(state, Kind) else state
    has_ended = is_struck or _has_ended(status)
    return ReadRecord(skipped, notes, named.stem, f"{status} {by}", note.body, has_ended)


def _of_folder(name: str) -> str:
    """Return the state that a folder among the records gives: those in "_superseded" ended.

    The folder must have the name of a state: "3-deprecate-the-old-api" and "archive-service" have a
    subject.
    """
    parts = ({*_LETTERS.findall(part.casefold())} - _USUAL for part in name.split("/")[:-1])
    told = (record_status.validity(*words) for words in parts if len(words) == 1)
    return next((one for one in told if one in ("ended", "rejected")), "")


def _lines(found: records.DecisionRecord) -> Iterator[str]:
    """Yield the record, and what does not fit into its line."""
    for said in found.texts(_MOST):
        first, *rest = wording.split(wording.safe(said), _MOST)
        yield first
        yield from (wording.titled(found.title[:_LONGEST_PATH], one) for one in rest)


def ended(path: PurePath, text: str) -> str:
    """Return the status of a decision record that is no longer in force; else ""."""
    if _USUAL.isdisjoint(map(str.casefold, path.parts[:-1])):
        return ""
    try:
        note = split(text)
    except FrontMatterBroken:
        return ""
    status = _status_of(note, records.one(note.body))
    told = prose.unlinked(" ".join(status.split()))
    return told[:_LONGEST_PATH] if _has_ended(status) else ""


def _has_ended(status: str) -> bool:
    return record_status.has_ended(status) and not _PARTLY.search(status)


def _status_of(note: FrontMatterNote, found: records.DecisionRecord) -> str:
    return prose.plain(note.text("status")) or _status(found.parts.get("status", ""))


def _status(told: str) -> str:
    """Return the last line that ends a record, else the first with a state, else the first."""
    lines = told.split("\n")
    ended = [one for one in reversed(lines) if record_status.validity(one) == "ended"]
    named = [one for one in lines if record_status.validity(one)]
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
            "each option that a record turned down: rejected; what is only proposed is left out"
        ),
        is_shared=True,
    ),
)
