"""JSON forms of entries, hits and answers, defined only here."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mind.domain.entry import Entry, Span
from mind.search.results import UNCHECKED

if TYPE_CHECKING:
    from mind.documents.archive import Archived
    from mind.memory.answers import Curated, RelationWalk
    from mind.memory.entry_history import EntryVersion
    from mind.search.results import Details, Hit, Timeline, Verdict


def plain(value: object) -> Any:  # noqa: ANN401 - any JSON value
    """Convert ``value`` to JSON types: dates in ISO format, paths with ``/``, tuples as lists."""
    if isinstance(value, Entry):
        return entry_json(value)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Path):
        return value.as_posix()
    if isinstance(value, date | datetime):
        return value.isoformat()
    return _container(value)


def _container(value: object) -> Any:  # noqa: ANN401 - any JSON value
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [plain(inner) for inner in value]
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if is_dataclass(value) and not isinstance(value, type):
        from mind.documents.archive import Archived  # noqa: PLC0415 - only where values are shown

        if isinstance(value, Archived):
            return archived_json(value)
        return {
            one.name: plain(getattr(value, one.name))
            for one in fields(value)
            if not isinstance(getattr(value, one.name), Span)
        }
    return value


def entry_json(entry: Entry, verdict: "Verdict | None" = None) -> dict[str, Any]:
    """Return the stable JSON form of an entry, with its verdict if requested."""
    from mind.text.language import language  # noqa: PLC0415 - 10 ms, only where it is shown

    told = {
        "id": entry.id,
        "kind": entry.kind.value,
        "status": entry.status.value if entry.status else None,
        "date": entry.date.isoformat() if entry.date else None,
        "title": entry.title,
        "text": entry.text,
        "confidence": round(entry.confidence, 2),
        "why": entry.why,
        "reasoning": entry.reasoning,
        "alternatives": list(entry.alternatives),
        "workaround": entry.workaround,
        "tags": list(entry.tags),
        "links": list(entry.links),
        "fields": dict(entry.fields),
        "section": list(entry.section),
        "layer": entry.layer.value,
        "file": entry.source,
        "line": entry.line,
        "end": entry.end,
        "commit": entry.commit or None,
        "language": language(entry.text) or None,
    }
    told |= {"code": list(entry.code)} if entry.code else {}
    return told if verdict is None else told | verdict_json(verdict)


def verdict_json(verdict: "Verdict") -> dict[str, Any]:
    """Return a verdict: its state, the superseding entry, and the reasons."""
    return {
        "verdict": {
            "state": verdict.state,
            "superseded_by": verdict.by or None,
            "old_value": verdict.old or None,
            "new_value": verdict.new or None,
            "despite": list(verdict.despite),
        },
        "stale": list(verdict.reasons),
    }


def hit_json(hit: "Hit") -> dict[str, Any]:
    """Return a search hit: its entry, scores and matched words."""
    return entry_json(hit.entry, hit.verdict) | {
        "score": hit.score,
        "relevance": hit.relevance,
        "likelihood": hit.likelihood,
        "matched": list(hit.matched),
        "branches": hit.places,
        "signals": hit.signals,
        "project": hit.project or None,
    }


def timeline_json(found: "Timeline") -> dict[str, Any]:
    """Return the entries around an entry."""
    return {
        "anchor": entry_json(found.anchor, found.verdicts.get(found.anchor.id, UNCHECKED)),
        "before": [entry_json(one, found.verdicts.get(one.id, UNCHECKED)) for one in found.before],
        "after": [entry_json(one, found.verdicts.get(one.id, UNCHECKED)) for one in found.after],
    }


def details_json(found: "Details") -> list[dict[str, Any]]:
    """Return entries in full."""
    return [entry_json(one, found.verdicts.get(one.id, UNCHECKED)) for one in found.entries]


def walk_json(walk: "RelationWalk") -> dict[str, Any]:
    """Return relations around a thing, and the entries that name it."""
    steps = [
        {
            "depth": step.depth,
            "subject": step.edge.subject,
            "predicate": step.edge.predicate,
            "object": step.edge.object,
            "inward": step.inward,
            "weight": step.weight,
            "id": step.edge.entry.id,
            "file": step.edge.entry.source,
            "line": step.edge.entry.line,
        }
        for step in walk.steps
    ]
    return {
        "start": walk.start,
        "aliases": list(walk.aliases),
        "steps": steps,
        "entries": [entry_json(one) for one in walk.entries],
    }


def archived_json(one: "Archived") -> dict[str, Any]:
    """Return an archived entry."""
    return {
        "id": one.id,
        "archived": one.day.isoformat(),
        "reason": one.reason,
        "kind": one.kind.value if one.kind else None,
        "date": one.date.isoformat() if one.date else None,
        "file": one.file,
        "line": one.line,
        "section": list(one.section),
        "replaced_by": one.replaced_by or None,
        "text": one.text.decode("utf-8", "replace"),
    }


def curated_json(one: "Curated") -> dict[str, Any]:
    """Return an entry that was changed, archived or restored."""
    told = {
        "entry": entry_json(one.entry),
        "file": one.entry.source,
        "archived": archived_json(one.archived) if one.archived else None,
    }
    told |= {"pending": plain(one.pending)} if one.pending else {}
    told |= {"along": plain(one.along)} if one.along else {}
    return told | ({"protected": plain(one.protected)} if one.protected else {})


def version_json(one: "EntryVersion") -> dict[str, Any]:
    """Return a version of an entry, and its commit."""
    commit = one.commit
    told = (
        None
        if commit is None
        else {
            "id": commit.id,
            "author": commit.author,
            "email": commit.email,
            "at": commit.at.isoformat(),
            "subject": commit.subject,
        }
    )
    return {"what": one.what, "commit": told, "text": one.text, "reason": one.reason}
