"""Architecture decision records: title, status and the sentence that decides.

What was accepted is a decision, what was rejected a rejected approach; what is proposed, superseded
or deprecated says so. The forms of Nygard, MADR and adr-tools are read, and what is near to them.
"""

import re
from collections.abc import Iterator
from itertools import islice, takewhile, zip_longest
from pathlib import Path

from mind.domain.entry import Kind
from mind.sources.importers import folder, wording
from mind.sources.importers.folder import Text
from mind.sources.importers.values import EMPTY, Reading, Surroundings
from mind.sources.remembered import Remembered

NAME = "adr"
_FOLDERS = (
    "docs/adr docs/adrs docs/ADR docs/decisions docs/architecture/decisions docs/architecture/adr "
    "docs/architecture-decisions doc/adr doc/adrs doc/architecture/decisions doc/decisions adr "
    "adrs architecture/decisions decisions .adr"
).split()
_NO_RECORD = re.compile(r"(?:\d+[-_])?(?:template|readme|index|example)\b.*", re.IGNORECASE)
_NUMBER = re.compile(
    r"^(?:(?:ADR|RFC)[\s#_-]*)?(?:\d{1,6}\s*[.:–—-]*\s+|\d{1,6}\s*[.:–—-]\s*)", re.IGNORECASE
)
_ADR = re.compile(r"^ADR\s*[:–—-]\s*", re.IGNORECASE)
_LABEL = re.compile(
    r"[^\w\n]*(?P<name>[A-Za-z][A-Za-z ]{1,19}?)\s*"
    r"(?::[*_]*|[*_]{2}\s*:|\.[*_]{2})\s*(?P<value>\S.*)",
    re.DOTALL,
)
_BRACKETED = re.compile(r"^\[[A-Za-z ]{1,12}\]\s*")
_DECIDES = re.compile(
    r"^(?:\d+\.\s*)?(?:the\s+)?(?:decision(?: outcome)?|resolution|outcome|solution|"
    r"what we decided)\b",
    re.IGNORECASE,
)
_STATUS = re.compile(r"^(?:\d+\.\s*)?status\b", re.IGNORECASE)
_LINK = re.compile(r"\[([^\[\]]+)\]\([^()]*\)")
_NAMES = frozenset({"status", "date", "author", "authors", "author(s)", "deciders", "owner"})
_ITEM = "• "
_LEAST_TITLE, _MOST_DECISION, _MOST_ITEMS = 5, 400, 4


def places(around: Surroundings) -> list[Path]:
    """The folders of the project where records usually are."""
    return [around.root / name for name in _FOLDERS]


def read(path: Path, reading: Reading) -> Iterator[Remembered]:
    """The records of a folder."""
    for text in folder.texts(path, reading):
        if _NO_RECORD.fullmatch(text.path.stem):
            continue
        made = _record(text, reading)
        if made is None:
            reading.leave_out(EMPTY)
        else:
            yield made


def _record(text: Text, reading: Reading) -> Remembered | None:
    note = text.note
    status = _line(note.text("status")) or _status(note.body)
    decided = next(
        (
            said
            for headings, body in wording.sections(note.body)
            if headings and _DECIDES.match(headings[-1]) and (said := _first(body))
        ),
        "",
    )
    named = note.text("title") or wording.title_in(note.body) or text.path.stem.replace("-", " ")
    title = _ADR.sub("", _NUMBER.sub("", _BRACKETED.sub("", _line(named))))
    decided = decided or _line(_labelled(note.body, "decision"))
    is_form = status.count("|") > 1 or status.count(" / ") > 1  # a choice that nobody made
    if is_form or len(title) < _LEAST_TITLE or not (decided or status):
        return None
    kind, before = _kind(status)
    said = wording.cut(wording.gist(title, [decided]) or title, _MOST_DECISION)
    where = reading.place_of(text.path)
    inside = f" ({where})" if text.path.is_relative_to(reading.root) else ""
    return Remembered(
        text=f"{before}{said}{inside}",
        kind=kind,
        source=NAME,
        key=wording.key(Path(text.name).with_suffix("").as_posix()),
        day=wording.day(note.text("date") or _labelled(note.body, "date"), reading.zone)
        or wording.day_in_name(text.path),
        place=where,
        tags=wording.tags(note.texts("tags"), said),
    )


def _kind(status: str) -> tuple[Kind, str]:
    """The kind of a record, and what its text begins with."""
    folded = status.casefold()
    if any(word in folded for word in ("supersede", "deprecat", "replaced", "obsolete", "retired")):
        return Kind.NOTE, f"No longer holds ({wording.cut(status, 80)}): "
    if any(word in folded for word in ("reject", "declined", "withdrawn", "abandoned")):
        return Kind.REJECTED, ""
    if any(word in folded for word in ("propos", "draft", "pending", "discussion", "rfc", "open")):
        return Kind.NOTE, "Proposed: "
    return Kind.DECISION, ""


def _line(text: str) -> str:
    return wording.plain(_LINK.sub(r"\1", text)).strip("*_` ")


def _first(body: str) -> str:
    """The first paragraph; items that follow a line which announces them, or come first, too."""
    said = [one for one in map(_line, wording.paragraphs(body)) if one]
    head = said.pop(0) if said and not said[0].startswith(_ITEM) else ""
    if head and not head.endswith(":"):
        return head if wording.says_something(head) else ""
    items = takewhile(lambda one: one.startswith(_ITEM), said)
    listed = "; ".join(one.removeprefix(_ITEM).rstrip(".; ") for one in islice(items, _MOST_ITEMS))
    return f"{head} {listed}".strip() if wording.says_something(listed) else ""


def _status(body: str) -> str:
    """The last status that a section names (adr-tools adds a line for each), or a line labels."""
    for headings, text in wording.sections(body):
        if headings and _STATUS.match(headings[-1]):
            told = [_line(one).removeprefix(_ITEM) for one in wording.paragraphs(text)]
            ended = [one for one in told if _kind(one)[0] is not Kind.DECISION]
            return (ended or told or [""])[-1]
    return _line(_labelled(body, "status"))


def _labelled(body: str, wanted: str) -> str:
    """What a line, or the column of a table, near the top says of ``wanted``.

    A decision may take all of a paragraph, anywhere.
    """
    is_long = wanted == "decision"
    for one in wording.paragraphs(body if is_long else body[:4_000]):
        for line in [one] if is_long else one.split("\n"):
            found = _LABEL.match(line.removeprefix(_ITEM))
            if found and found["name"].strip().casefold() == wanted:
                return found["value"].strip()
    return "" if is_long else _in_table(body[:4_000], wanted)


def _in_table(body: str, wanted: str) -> str:
    """What a table says of ``wanted``: below its name, or beside it where rows are named."""
    rows = [row for row in wording.rows(body) if row]
    for row, below in zip_longest(rows, rows[1:], fillvalue=()):
        named = [one.strip("*_ ").casefold() for one in row]
        if named[0] == wanted and len(row) == 2 and named[1] not in _NAMES:
            return row[1]
        if wanted in named and named.index(wanted) < len(below):
            return below[named.index(wanted)]
    return ""
