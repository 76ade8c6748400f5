"""JSON Lines export: a header, whole files, and a record per entry, block and reminder; pure.

``file`` records carry the exact content, so that an export is lossless. The other records can be
used without a parser; ``start`` and ``end`` give their byte range in the file.
"""

import base64
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from mind.documents import archive
from mind.documents.archive import Archived
from mind.documents.reminders import Reminder
from mind.domain.entry import Entry, Kind, Span, Status
from mind.domain.errors import InputError

FORMAT = "mind-export"
VERSION = 1
MEMORY, REMINDERS, ARCHIVE = "MEMORY.md", "REMINDERS.md", "ARCHIVE.md"
NAMES = (MEMORY, REMINDERS, ARCHIVE)

Row = dict[str, Any]
"""A JSON object."""


class NotAnExport(InputError):
    """A line is not valid in an export; nothing was changed."""

    code = "export"
    default_remedy = "Import a file that `mind export` wrote, as it is or with whole lines removed."


def header(project: str, day: date, program: str) -> Row:
    """The first record.

    Args:
        project: Its name.
        day: Today.
        program: Version of Mind.
    """
    return {
        "record": "header",
        "format": FORMAT,
        "version": VERSION,
        "project": project,
        "date": day.isoformat(),
        "mind": program,
    }


def file(name: str, source: bytes) -> Row:
    """A complete file; in base64 if it is not UTF-8."""
    try:
        text = {"text": source.decode("utf-8")}
    except UnicodeDecodeError:
        text = {"base64": base64.b64encode(source).decode("ascii")}
    return {"record": "file", "file": name, "bytes": len(source), **text}


def entry(one: Entry, below: str) -> Row:
    """An entry of MEMORY.md.

    Args:
        one: The entry.
        below: What is below its statement in the file, if it is imported; else "".
    """
    row = {
        "record": "entry",
        "id": one.id,
        "kind": one.kind.value,
        "date": _day(one.date),
        "status": one.status.value if one.status else None,
        "text": one.text,
        "tags": list(one.tags),
        "links": list(one.links),
        "fields": dict(one.fields),
        "section": list(one.section),
        "layer": one.layer.value,
        "confidence": one.confidence,
        "file": MEMORY,
        "line": one.line,
        "start": one.span.start,
        "end": one.span.end,
    }
    coded = {"code": list(one.code)} if one.code else {}
    return row | coded | ({"lead": one.lead, "below": below} if below else {})


def archived(one: Archived, text: str) -> Row:
    """A block of ARCHIVE.md.

    Args:
        one: The block.
        text: Its text, without keyword and markers.
    """
    return {
        "record": "archived",
        "id": one.id,
        "archived": one.day.isoformat(),
        "reason": one.reason,
        "replaced_by": one.replaced_by or None,
        "kind": one.kind.value if one.kind else None,
        "date": _day(one.date),
        "text": text,
        "markdown": one.text.decode("utf-8", "replace"),
        "section": list(one.section),
        "file": one.file,
        "line": one.line,
        "start": one.span.start,
        "end": one.span.end,
    }


def reminder(one: Reminder) -> Row:
    """A reminder of REMINDERS.md."""
    return {
        "record": "reminder",
        "id": one.id,
        "text": one.text,
        "due": one.due.isoformat() if one.due else None,
        "every": one.every,
        "trigger": list(one.trigger),
        "next_session": one.next_session,
        "session": one.session,
        "unclear": one.unclear,
        "created": _day(one.created),
        "done": _day(one.done),
        "begun": one.begun.isoformat() if one.begun else None,
        "last": _day(one.last),
        "file": REMINDERS,
        "line": one.line,
        "start": one.span.start,
        "end": one.span.end,
    }


def _day(day: date | None) -> str | None:
    return day.isoformat() if day else None


def line(record: Row) -> str:
    """A record as a line with its line end; invalid Unicode becomes U+FFFD."""
    text = json.dumps(record, ensure_ascii=False)
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace") + "\n"


# --- reading ------------------------------------------------------------------------------


@dataclass(slots=True)
class Export:
    """The contents of an export.

    Attributes:
        project: Name of the project.
        files: By name.
        entries: Of MEMORY.md.
        below: What is below the statement of some entries, by id.
        blocks: Of ARCHIVE.md, each with its bytes; empty for those without a file.
        reminders: Of REMINDERS.md.
    """

    project: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    entries: list[Entry] = field(default_factory=list)
    below: dict[str, str] = field(default_factory=dict)
    blocks: list[tuple[Archived, bytes]] = field(default_factory=list)
    reminders: list[Reminder] = field(default_factory=list)


def read(data: bytes) -> Export:
    """Parse an export.

    Raises:
        NotAnExport: A line is invalid; the message gives its number.
    """
    export = Export()
    for number, row in _rows(data):
        try:
            _READ[row["record"]](export, row)
        except NotAnExport as error:
            raise NotAnExport(f"line {number}: {error.message}", line=number) from error
        except (KeyError, TypeError, ValueError) as error:
            told = f"no {error}" if isinstance(error, KeyError) else str(error)
            raise NotAnExport(
                f"line {number} is no record of an export ({told})", line=number
            ) from error
    return export


def _rows(data: bytes) -> Iterator[tuple[int, Row]]:
    first = True
    for number, text in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if not text.strip():
            continue
        try:
            row = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise NotAnExport(f"line {number} is not JSON", line=number) from error
        if not isinstance(row, dict) or (row.get("record") == "header") is not first:
            told = "no header of an export" if first else "no record of an export"
            raise NotAnExport(f"line {number} is {told}", line=number)
        first = False
        yield number, row
    if first:
        raise NotAnExport("the file is empty")


def _header(export: Export, row: Row) -> None:
    if row["format"] != FORMAT:
        raise NotAnExport(f"the format is {row['format']!r}, not {FORMAT!r}")
    if row["version"] != VERSION:
        raise InputError(
            f"the export has version {row['version']}, and this program reads {VERSION}",
            remedy="Update Mind, then import it again.",
        )
    export.project = _text(row, "project")


def _file(export: Export, row: Row) -> None:
    name = _text(row, "file")
    if name not in NAMES:
        raise NotAnExport(f"{name!r} is no file of a memory")
    if "base64" in row:
        source = base64.b64decode(_text(row, "base64"), validate=True)
    else:
        source = _text(row, "text").encode("utf-8")
    if len(source) != row["bytes"]:
        raise NotAnExport(f"{name} has {len(source):,} bytes, not {row['bytes']}")
    export.files[name] = source


def _entry(export: Export, row: Row) -> None:
    fields = row.get("fields", {})
    if not isinstance(fields, dict):
        raise NotAnExport("fields is no object")
    export.entries.append(
        Entry(
            id=_text(row, "id"),
            kind=Kind(row["kind"]),
            text=_text(row, "text"),
            date=_read_day(row, "date"),
            status=Status(row["status"]) if row.get("status") else None,
            fields={str(name): str(value) for name, value in fields.items()},
            section=_texts(row, "section"),
            source=_text(row, "file"),
            line=_number(row, "line"),
            code=_texts(row, "code") if "code" in row else (),
            lead=_number(row, "lead") if "lead" in row else 0,
        )
    )
    export.below[_text(row, "id")] = _text(row, "below") if "below" in row else ""


def _archived(export: Export, row: Row) -> None:
    source = export.files.get(ARCHIVE)
    if source is None:
        raise NotAnExport("an archived entry without the file record of ARCHIVE.md before it")
    block = source[_number(row, "start") : _number(row, "end")]
    found = archive.blocks(block)
    if len(found) != 1 or found[0].id != row["id"]:
        raise NotAnExport(f"start and end are not those of {row['id']!r} in ARCHIVE.md")
    export.blocks.append((found[0], block))


def _reminder(export: Export, row: Row) -> None:
    export.reminders.append(
        Reminder(
            id=_text(row, "id"),
            text=_text(row, "text"),
            due=_read_moment(row, "due"),
            trigger=_texts(row, "trigger"),
            next_session=row.get("next_session") is True,
            session=_text(row, "session"),
            every=_text(row, "every") if "every" in row else "",
            unclear=_text(row, "unclear"),
            created=_read_day(row, "created"),
            done=_read_day(row, "done"),
            begun=_read_moment(row, "begun"),
            last=_read_day(row, "last"),
            line=_number(row, "line"),
            span=Span(_number(row, "start"), _number(row, "end")),
        )
    )


_READ: Mapping[str, Callable[[Export, Row], None]] = {
    "header": _header,
    "file": _file,
    "entry": _entry,
    "archived": _archived,
    "reminder": _reminder,
}


def _text(row: Row, key: str) -> str:
    value = row[key]
    if not isinstance(value, str):
        raise NotAnExport(f"{key} is no text")
    return value


def _texts(row: Row, key: str) -> tuple[str, ...]:
    value = row[key]
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise NotAnExport(f"{key} is no list of texts")
    return tuple(value)


def _number(row: Row, key: str) -> int:
    value = row[key]
    if not isinstance(value, int) or value < 0:
        raise NotAnExport(f"{key} is no number from 0")
    return value


def _read_moment(row: Row, key: str) -> datetime | None:
    value = row.get(key)
    return datetime.fromisoformat(value) if value else None


def _read_day(row: Row, key: str) -> date | None:
    value = row.get(key)
    return date.fromisoformat(value) if value else None
