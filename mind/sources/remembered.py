"""A memory imported from another tool."""

from dataclasses import dataclass
from datetime import date

from mind.domain.entry import Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedNote:
    """A memory of another tool.

    Attributes:
        text: Text for the entry: one paragraph, without its kind.
        kind: Kind of the entry.
        source: Name of the tool for ``mind import``: "claude-code", "bettermemory", …
        key: Stable key in that tool; with ``source`` its identity. At most 64 characters of
            ``[A-Za-z0-9._:-]``.
        day: Day it was noted; None if unknown.
        place: Location in the tool, for display: a file, a session.
        tags: Tags without ``#``.
        fills: Line of "Project State" to fill: "Goal", "Stack" or "Commands"; "" for none.
    """

    text: str
    kind: Kind
    source: str
    key: str
    day: date | None = None
    place: str = ""
    tags: tuple[str, ...] = ()
    fills: str = ""
