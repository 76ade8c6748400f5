"""A memory of another tool about a project, on its way into this one."""

from dataclasses import dataclass
from datetime import date

from mind.domain.entry import Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedNote:
    """One memory of another tool.

    Attributes:
        text: What it says, as it is to be noted: one paragraph, without its kind.
        kind: What it is here.
        source: The tool, as ``mind import`` names it: "claude-code", "bettermemory", …
        key: What it is known by there, the same on every run: with ``source`` its identity. At
            most 64 characters of ``[A-Za-z0-9._:-]``.
        day: When it was noted there; None if nobody knows.
        place: Where it stands there, for a person to look it up: a file, a session.
        tags: Its tags, without ``#``.
        fills: The line of "Project State" that it is for: "Goal" or "Stack"; "" for none.
    """

    text: str
    kind: Kind
    source: str
    key: str
    day: date | None = None
    place: str = ""
    tags: tuple[str, ...] = ()
    fills: str = ""
