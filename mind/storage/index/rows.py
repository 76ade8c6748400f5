"""Rows of the index and the entries they stand for."""

import json
from collections.abc import Sequence
from datetime import date

from mind.domain.entry import Entry, Kind, Span, Status

PLACE = "JOIN piece p ON p.id = e.piece JOIN source s ON s.path = p.path"
IN_TIME = "e.date, s.rank, p.path, p.ordinal, e.position"
COLUMNS = "e.id, e.kind, e.date, e.status, e.text, e.payload, p.line, p.offset"
FORWARD = "s.rank, p.path, p.ordinal, e.position"
NEWEST = "e.date DESC, s.rank, p.path, p.ordinal DESC, e.position DESC"


def payload(entry: Entry, line: int, offset: int) -> str:
    """What has no column of its own, as JSON; places are relative to the piece."""
    rest = {
        "text": entry.text if storable(entry.text) != entry.text else "",
        "confidence": entry.confidence,
        "why": entry.why,
        "section": entry.section,
        "source": entry.source,
        "at": (
            entry.line - line,
            entry.end - line,
            entry.span.start - offset,
            entry.span.end - offset,
        ),
        "reasoning": entry.reasoning,
        "alternatives": entry.alternatives,
        "workaround": entry.workaround,
        "tags": entry.tags,
        "links": entry.links,
        "fields": dict(entry.fields),
        "commit": entry.commit,
        "masked": entry.masked,
        "beside": entry.beside,
    }
    return json.dumps({key: value for key, value in rest.items() if value}, ensure_ascii=True)


def entry_of(row: Sequence[object]) -> Entry:
    """The entry that a row of ``COLUMNS`` stands for."""
    identifier, kind, day, status, text, rest_of, line, offset = row
    rest = json.loads(str(rest_of))
    at = rest.pop("at", (0, 0, 0, 0))
    base, start = int(str(line)), int(str(offset))
    for key in ("section", "alternatives", "tags", "links"):
        if key in rest:
            rest[key] = tuple(rest[key])
    rest.setdefault("text", str(text))
    return Entry(
        id=str(identifier),
        kind=Kind(str(kind)),
        date=date.fromisoformat(str(day)) if day else None,
        status=Status(str(status)) if status else None,
        line=base + at[0],
        end=base + at[1],
        span=Span(start + at[2], start + at[3]),
        **rest,
    )


def storable(text: str) -> str:
    """``text`` without NUL and lone surrogates, which SQLite does not take."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
