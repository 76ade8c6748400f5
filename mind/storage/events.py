"""Usage log: searches, reads and uses of entries on this machine.

One JSON object per line in ``.mind/events.jsonl``. At ``events.max_bytes`` the file is renamed to
``events-<time>.jsonl``, and the next event starts a new file. Only Mind writes here, and only the
owner may read it. Appending and renaming hold the log's own lock for microseconds.
"""

import contextlib
import errno
import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from typing import NamedTuple

from mind.domain.entry import RecordedAt, normalise
from mind.domain.errors import MindError
from mind.domain.settings import Settings
from mind.storage import files
from mind.storage.files.content import held, opened, part, translating
from mind.storage.files.system import NO_FOLLOW
from mind.text import lazy_pattern

Value = str | int | float | bool | Sequence[str] | None

LONGEST_QUERY = 200
"""Most characters of a query that are logged."""

_LONGEST_LINE = 65536
_PATIENCE_SECONDS = 2.0
_ATTEMPTS = 20
_ARCHIVE = lazy_pattern(r"-(?P<stamp>\d{8}T\d{12}Z)(?:-(?P<number>\d+))?\.jsonl")
_SETTLING = frozenset({"update", "verify", "forget"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """An operation on the memory.

    Attributes:
        at: Time with its UTC offset.
        session: Name of the session; "" outside any.
        name: "search", "get", "log", "use", "verify", "update", "forget", "restore", "refused"
            (with its ``markers``), "alias" …; unknown names are kept as well.
        ids: Ids of the entries involved; for a search, in the order of its hits.
        data: Details as small JSON values; no secrets (see :func:`said`).
    """

    at: datetime
    session: str
    name: str
    ids: tuple[str, ...] = ()
    data: Mapping[str, Value] = field(default_factory=dict)


class Log(NamedTuple):
    """Contents of the log.

    Attributes:
        events: Oldest first.
        skipped: Number of damaged or truncated lines and archives.
    """

    events: tuple[Event, ...]
    skipped: int = 0


# Writing


def record(path: Path, event: Event, settings: Settings) -> str:
    """Append ``event`` to the log, unless logging is disabled.

    Never raises: a gap in the log must not fail the operation.

    Args:
        path: ``.mind/events.jsonl``.
        event: The event; its time must have an offset.
        settings: Reads ``events.enabled`` and ``events.max_bytes``.

    Returns:
        Why writing or rotating the log failed, with a remedy; "" on success.
    """
    return keep(path, event, settings) if settings.events_enabled else ""


def keep(path: Path, event: Event, settings: Settings) -> str:
    """Append an event that is not a use of memory: like :func:`record`, even if disabled."""
    try:
        line = _line(event)
        with translating(path):
            if not path.parent.is_dir():
                return f"{path.parent} is missing. Run `mind init` to create it."
            _append(path, line, event.at, settings.events_max_bytes)
    except MindError as error:
        return str(error)
    except (TypeError, ValueError) as error:
        return f"the event {event.name!r} cannot be written: {error}"
    return ""


def _line(event: Event) -> bytes:
    if event.at.tzinfo is None:
        raise ValueError("its time has no offset")
    row: dict[str, object] = {
        "at": event.at.isoformat(),
        "session": event.session,
        "name": event.name,
    }
    if event.ids:
        row["ids"] = list(event.ids)
    if event.data:
        row["data"] = dict(event.data)
    text = json.dumps(row, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    line = text.encode("utf-8", "replace") + b"\n"
    if len(line) > _LONGEST_LINE:
        raise ValueError(f"it has {len(line):,} bytes, more than {_LONGEST_LINE:,}")
    return line


def _append(path: Path, line: bytes, at: datetime, most: int) -> None:
    """Append ``line``; a log that would exceed ``most`` bytes is renamed first."""
    with files.lock(path.parent / "cache" / "events.lock", timeout=_PATIENCE_SECONDS):
        with contextlib.suppress(FileNotFoundError):
            size = path.lstat().st_size
            if size and size + len(line) > most:
                _rename(path, at)
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | NO_FOLLOW
        with held(opened(path, flags, mode=0o600)) as descriptor:
            _write(descriptor, line)


def _write(descriptor: int, line: bytes) -> None:
    """Write ``line`` in one call or not at all, on a new line if the last one was truncated."""
    size = os.fstat(descriptor).st_size
    if size and part(descriptor, size - 1, 1) != b"\n":
        line = b"\n" + line
    if os.write(descriptor, line) < len(line):  # the disk is full
        os.ftruncate(descriptor, size)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _rename(path: Path, at: datetime) -> None:
    """Rename the log to an archive name that sorts by time."""
    utc = at.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds")
    stamp = re.sub(r"[-:.]", "", utc) + "Z"
    taken = _archives(path)
    stem, number = f"{path.stem}-{stamp}", 1
    while stem in taken:
        number += 1
        stem = f"{path.stem}-{stamp}-{number}"
    path.rename(path.with_name(f"{stem}.jsonl"))


# Reading


def events(path: Path) -> tuple[Event, ...]:
    """The events of the log and its archives, oldest first (see :func:`read`)."""
    return read(path).events


def read(path: Path) -> Log:
    """Read the log and its archives; needs no lock.

    Args:
        path: ``.mind/events.jsonl``; it may be missing.

    Raises:
        FileError: A file is not readable.
    """
    rows = [event_of(line) for lines in _contents(path) for line in lines]
    found = [event for event in rows if event]
    found.sort(key=lambda event: event.at)
    return Log(tuple(found), len(rows) - len(found))


def _contents(path: Path) -> Iterator[list[bytes]]:
    """Lines of each file, oldest first."""
    for _ in range(_ATTEMPTS):
        before = _archives(path)
        current = files.read(path)
        stems = _archives(path)
        if stems == before:  # else a file became an archive meanwhile
            break
    for stem in stems:
        yield lines_of(files.read(path.with_name(f"{stem}.jsonl")))
    yield lines_of(current)


def _archives(path: Path) -> list[str]:
    """Names of archives without suffixes; oldest first."""
    found: dict[str, tuple[str, int]] = {}
    names: list[str] = []
    with translating(path.parent), contextlib.suppress(FileNotFoundError):
        names = os.listdir(path.parent)  # noqa: PTH208 - only names are needed
    for name in names:
        match = _ARCHIVE.fullmatch(name.removeprefix(path.stem))
        if match:
            found[name.partition(".")[0]] = (match["stamp"], int(match["number"] or 1))
    return sorted(found, key=lambda stem: found[stem])


def lines_of(content: bytes) -> list[bytes]:
    """Non-blank lines."""
    return [line for line in content.split(b"\n") if line.strip()]


def event_of(line: bytes) -> Event | None:
    """Event of a line, without unknown fields; None if it is not an event."""
    try:
        row = json.loads(line)
        at = datetime.fromisoformat(row["at"])
        session, name, ids, data = (
            row.get("session", ""),
            row["name"],
            row.get("ids", []),
            row.get("data", {}),
        )
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    texts = isinstance(ids, list) and all(map(_is_text, [session, name, *ids]))
    if at.tzinfo is None or not texts or not isinstance(data, dict):
        return None
    return Event(at=at, session=session, name=name, ids=tuple(ids), data=data)


def _is_text(one: object) -> bool:
    """Return whether text is storable: no lone surrogates, which JSON can escape."""
    return isinstance(one, str) and (
        one.isascii() or not any("\ud800" <= sign <= "\udfff" for sign in one)
    )


# Evaluating


def said(query: str, *, keep: bool) -> dict[str, Value]:
    """Loggable form of a query, as data of an event.

    Args:
        query: The query, with secrets already removed by the caller.
        keep: The setting ``events.queries``.

    Returns:
        Its length in characters, and either its first 200 characters (:data:`LONGEST_QUERY`) as
        ``query``, or a ``hash`` that identifies repeats. A reader of the log can test guesses
        against the hash.
    """
    if keep:
        return {"query": query[:LONGEST_QUERY], "characters": len(query)}
    digest = hashlib.blake2b(normalise(query).encode("utf-8", "replace"), digest_size=8)
    return {"hash": digest.hexdigest(), "characters": len(query)}


def uses(happened: Iterable[Event]) -> dict[str, tuple[date, ...]]:
    """Days on which entries were used, by id: one per use, oldest first.

    A use is a "get", or a "use" whose ``outcome`` is "applied". A search hit does not count, since
    ranking would then reinforce itself. The day is local to the user.
    """
    days: dict[str, list[date]] = {}
    for event in happened:
        if event.name == "get" or (event.name == "use" and event.data.get("outcome") == "applied"):
            for identifier in event.ids:
                days.setdefault(identifier, []).append(event.at.date())
    return {identifier: tuple(sorted(found)) for identifier, found in days.items()}


def noted(happened: Iterable[Event]) -> dict[str, RecordedAt]:
    """Time and session in which each entry was recorded or corrected, by id.

    The latest wins.
    """
    found: dict[str, RecordedAt] = {}
    for event in happened:
        if event.name in ("log", "update") and event.session:
            at, corrected = event.at.timestamp(), event.name == "update"
            for one in event.ids:
                if one not in found or found[one].at <= at:
                    found[one] = RecordedAt(at, event.at.date(), event.session, corrected)
    return found


def contradicts(event: Event) -> bool | None:
    """Return True if an event contradicts its entries, False if it settles that, else None.

    Correcting, verifying or forgetting an entry settles it, as does a use with such an outcome.
    """
    outcome = event.data.get("outcome") if event.name == "use" else None
    if outcome == "contradicted":
        return True
    return False if event.name in _SETTLING or outcome == "corrected" else None


def disputed(happened: Iterable[Event]) -> list[tuple[str, float, date | None]]:
    """Contradictions of entries: the id, the time and the day, which is None if it is settled."""
    told = [(event, contradicts(event)) for event in happened]
    return [
        (one, event.at.timestamp(), event.at.date() if wrong else None)
        for event, wrong in told
        if wrong is not None
        for one in event.ids
    ]


def aliases(happened: Iterable[Event]) -> dict[str, str]:
    """Ids of entries before an edit by hand → the id after it; the latest wins.

    The ids of an "alias" event are consecutive pairs.
    """
    return {
        old: new
        for event in happened
        if event.name == "alias"
        for old, new in zip(event.ids[::2], event.ids[1::2], strict=False)
    }


_MOST_NEW = 1 << 20
"""Most new bytes read at once."""
_MOST_LATEST = 1 << 17
"""Bytes read from the end of a log, some 500 events."""
_MARKED = 128
"""Bytes that identify a log; they include the time of its last event."""
_COUNTED = lazy_pattern(rb'"name":\s*"(?:get|use|alias|log|update|verify|forget)"')


class LogExtent(NamedTuple):
    """Extent of a log, determined without reading it.

    Attributes:
        archives: Digest of the archives' names; "" if there are none.
        inode: Inode of the file; 0 if there is none.
        size: Size of the file in bytes.
    """

    archives: str = ""
    inode: int = 0
    size: int = 0


def extent(path: Path) -> LogExtent:
    """Extent of the log, from its folder and file status."""
    names = _archives(path)
    archives = hashlib.blake2b("/".join(names).encode(), digest_size=8).hexdigest() if names else ""
    with translating(path), contextlib.suppress(FileNotFoundError):
        status = path.stat()
        return LogExtent(archives, status.st_ino, status.st_size)
    return LogExtent(archives)


class LogPart(NamedTuple):
    """Part of a log from an offset on.

    Attributes:
        events: Those about uses, aliases, and recorded, corrected or checked entries.
        end: Offset of the end of the last complete line.
        mark: Digest that detects changes before that offset.
    """

    events: tuple[Event, ...]
    end: int
    mark: str


def since(path: Path, offset: int, mark: str) -> LogPart | None:
    """Events after ``offset``; None if the log before it changed.

    Args:
        path: ``.mind/events.jsonl``.
        offset: End of the last complete line at the previous read.
        mark: Mark returned by that read.
    """
    begin = max(0, offset - _MARKED)
    content = files.part_of(path, begin, offset - begin + _MOST_NEW)
    before, added = content[: offset - begin], content[offset - begin :]
    if not content or _mark(before) != mark:
        return None
    end = offset + added.rfind(b"\n") + 1
    lines = [line for line in lines_of(added[: end - offset]) if _COUNTED.search(line)]
    found = tuple(event for line in lines if (event := event_of(line)))
    return LogPart(found, end, _mark(content[: end - begin]))


def latest(path: Path, name: str, since: datetime) -> list[Event]:
    """Events called ``name`` since then, from the end of the log only, oldest first."""
    sign = f'"{name}"'.encode()
    end = files.part_of(path, -_MOST_LATEST, _MOST_LATEST)
    found = [event_of(line) for line in lines_of(end) if sign in line]
    return [one for one in filter(None, found) if one.name == name and one.at >= since]


def marked(path: Path, size: int) -> str:
    """Mark of the log up to ``size``."""
    begin = max(0, size - _MARKED)
    return _mark(files.part_of(path, begin, size - begin))


def _mark(before: bytes) -> str:
    return hashlib.blake2b(before[-_MARKED:], digest_size=4).hexdigest() if before else ""
