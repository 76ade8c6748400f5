"""Claims about the person that await confirmation: kept for an hour, across restarts, private."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from mind.domain.entry import Kind, content_id
from mind.domain.errors import NotFound
from mind.storage import files
from mind.storage.project import Project

LIFE = timedelta(hours=1)
_MOST = 50


@dataclass(frozen=True, slots=True)
class Pending:
    """A claim about the person that awaits confirmation.

    Attributes:
        id: Id to confirm it by.
        kind: Kind of the entry.
        message: Text of the entry.
        phrase: Part of the text that shows it is about the person.
        asked: Time of the request.
        ids: Ids of the entry it corrects, or of those it summarises; empty for a new one.
        replaces: Ids of the entries that a new one supersedes, separated by spaces; "" if none.
        acknowledged: Protected entries may be archived for it.
    """

    id: str
    kind: Kind
    message: str
    phrase: str
    asked: datetime
    ids: tuple[str, ...] = ()
    replaces: str = ""
    acknowledged: bool = False

    @property
    def changes(self) -> tuple[str, ...]:
        """Ids of all entries it replaces."""
        return (*self.ids, *self.replaces.split())


def add(  # noqa: PLR0913, PLR0917 - the fields of a claim
    project: Project,
    kind: Kind,
    message: str,
    phrase: str,
    now: datetime,
    ids: Sequence[str] = (),
    replaces: str = "",
    *,
    acknowledged: bool = False,
) -> Pending:
    """Store a claim until it is confirmed."""
    instead = (f"instead of {replaces}",) if replaces else ()
    name = content_id(" ".join((message, *ids, *instead)))
    new = Pending(name, kind, message, phrase, now, tuple(ids), replaces, acknowledged)
    put_back(project, new)
    return new


def put_back(project: Project, one: Pending) -> None:
    """Store a claim again that was taken, until its hour is over."""
    with files.lock(project.lock):
        others = [other for other in listed(project, one.asked) if other.id != one.id]
        _write(project, [*others, one][-_MOST:])


def take(project: Project, identifier: str, now: datetime) -> Pending:
    """Remove a claim from the queue, to record or reject it.

    Raises:
        NotFound: No such claim, or it expired.
    """
    with files.lock(project.lock):
        waiting = listed(project, now)
        found = [one for one in waiting if one.id == identifier.strip()]
        if not found:
            raise NotFound(
                f"nothing waits to be confirmed by the id {identifier!r}",
                remedy="What waited for an hour is dropped: record it anew, then confirm it.",
            )
        _write(project, [one for one in waiting if one is not found[0]])
    return found[0]


def listed(project: Project, now: datetime) -> list[Pending]:
    """Pending claims, oldest first."""
    data = files.read_json(project.pending)
    rows = data if isinstance(data, list) else []
    return [one for one in map(_read, rows) if one and abs(now - one.asked) < LIFE]


def _read(row: object) -> Pending | None:
    try:
        one = dict(row)  # type: ignore[call-overload]
        asked = datetime.fromisoformat(one["asked"])
        found = Pending(
            id=str(one["id"]),
            kind=Kind(one["kind"]),
            message=str(one["message"]),
            phrase=str(one["phrase"]),
            asked=asked,
            ids=tuple(map(str, one.get("ids", ()))),
            replaces=str(one.get("replaces", "")),
            acknowledged=one.get("acknowledged") is True,
        )
    except (TypeError, KeyError, ValueError):
        return None
    return found if asked.tzinfo else None


def _write(project: Project, waiting: list[Pending]) -> None:
    rows = [asdict(one) | {"asked": one.asked.isoformat()} for one in waiting]
    files.write(project.pending, json.dumps(rows, indent=2).encode(), mode=0o600)
