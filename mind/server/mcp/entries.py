"""Entries as lines of an answer: an index of one line each, or everything that is known."""

from typing import TYPE_CHECKING

from mind.documents.context_block import clean
from mind.domain.entry import DESPITE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mind.domain.entry import Entry
    from mind.search.results import Hit

_LINE = 400
_INDEXED = 200
_WHOLE = 4_000


def short(text: str, most: int = _LINE) -> str:
    """``text`` without what could be taken for markup of the answer, ``most`` characters of it."""
    shown = clean(text)
    return shown if len(shown) <= most else shown[:most].rsplit(" ", 1)[0] + "…"


def line(entry: "Entry", hit: "Hit | None" = None, stale: "Sequence[str]" = ()) -> str:
    """An entry's id, day, kind and place, how its text begins, and how relevant it is.

    Some 50 tokens: most entries are no longer than that. Of ``stale``, what speaks against it, the
    first is told.
    """
    status = f" ({entry.status.value})" if entry.status else ""
    place = f"{hit.project}: {entry.where}" if hit and hit.project else entry.where
    parts = (
        entry.id,
        entry.date.isoformat() if entry.date else "undated",
        f"{entry.kind.value}{status}",
        hit.relevance if hit and hit.relevance != "listed" else "",
        short(entry.text, _INDEXED),
    )
    against = f"; {short(stale[0])}" if stale else ""
    return f"- {' · '.join(part for part in parts if part)} [{short(place)}{against}]"


def whole(entry: "Entry", hit: "Hit | None" = None, stale: "Sequence[str]" = ()) -> list[str]:
    """All that is known of an entry, beginning with its line."""
    from mind.text.language import foreign  # noqa: PLC0415 - 10 ms, only where it is shown

    text = [f"text: {short(entry.text, _WHOLE)}"] if len(entry.text) > _INDEXED else []
    parts = (
        ("why", entry.reasoning),
        ("instead of", ", ".join(entry.alternatives)),
        ("workaround", entry.workaround),
        *((name, value) for name, value in entry.fields.items() if name != DESPITE),
    )
    told = [
        f"{short(name)}: {short(value, _WHOLE)}" for name, value in parts if value not in entry.text
    ]
    listed = (
        ("section", " > ".join(entry.section)),
        ("tags", ", ".join(entry.tags)),
        ("links", ", ".join(entry.links)),
        ("commit", entry.commit),
        ("language", foreign(entry.text)),
        ("verdict", "; ".join(stale)),
    )
    told += [f"{name}: {short(value)}" for name, value in listed if value]
    return [line(entry, hit), *(f"  {one}" for one in (*text, *told))]
