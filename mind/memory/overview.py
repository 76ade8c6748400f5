"""Extra operations for the HTTP service: facets, histories, previews, versions."""

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from mind.documents import notebook, parser
from mind.domain.entry import Entry, Kind, content_id, parse_kind
from mind.domain.errors import FileError, InputError, NotFound, ProjectError
from mind.memory import (
    amend,
    curation,
    locating,
    read,
    search,
    validation,
)
from mind.memory.answers import (
    Curated,
)
from mind.memory.workspace import Workspace
from mind.search import timeline
from mind.search.results import SearchResult
from mind.storage import files, pending
from mind.text import durability

if TYPE_CHECKING:
    from datetime import datetime

    from mind.documents.archive import Archived
    from mind.memory.entry_history import Version
    from mind.storage.index import Overview

T = TypeVar("T")

_BEST = 100

"""Hits of a query with words that facets are counted in."""

_TAGS = 50

"""Most tags that are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets:
    """Numbers of an answer's entries by their properties, the largest first.

    Attributes:
        counted: Entries that were counted.
        complete: All entries that match were; else the best 100.
        kinds: By kind.
        tags: The 50 most common ones.
        years: By year, the latest first; "" for entries without a day.
        statuses: By status; "" for entries without one.
        languages: By language (ISO 639-1); "" where it is not sure.
    """

    counted: int
    complete: bool
    kinds: dict[str, int]
    tags: dict[str, int]
    years: dict[str, int]
    statuses: dict[str, int]
    languages: dict[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """The history of an entry.

    Attributes:
        entry: As it is now; None if it was taken out of memory.
        earlier: Its earlier words and why they left, the latest first.
        versions: Those that git knows, the latest first; none without a repository.
        commits: Lines about the latest commits to the files that it cites, since it was true.
    """

    entry: Entry | None
    earlier: "tuple[Archived, ...]"
    versions: "tuple[Version, ...]"
    commits: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """A preview of recording some words.

    Attributes:
        file: Where they would stand.
        verdict: "written"; or what keeps them from it: "known" or "repeated" (memory says the
            same), "forgotten" (it did, and they were taken out), "transient" (they will not be true
            for long), "pending" (a claim about the person waits for a yes). Or "loop": they are
            written, and were rejected before.
        reason: Why, in a sentence; of a claim, what tells that it is one.
        remedy: What to do about it.
        may_acknowledge: Whether they are written all the same if that is acknowledged.
        id: Of what says the same, in memory or in the archive; "" if nothing does.
        related: What they may put right, or what was rejected before.
    """

    file: str
    verdict: str = "written"
    reason: str = ""
    remedy: str = ""
    may_acknowledge: bool = False
    id: str = ""
    related: tuple[Entry, ...] = ()


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim about the person that waits.

    Attributes:
        pending: It.
        until: When it is dropped.
        entries: What it corrects, sums up or replaces, as far as that is still there.
    """

    pending: pending.Pending
    until: "datetime"
    entries: tuple[Entry, ...]


def version_of(stamps: Mapping[str, str]) -> str:
    """One short text for all stamps."""
    return hashlib.blake2b(repr(sorted(stamps.items())).encode(), digest_size=8).hexdigest()


def _counted(entries: Sequence[Entry], *, complete: bool) -> Facets:
    from mind.text.language import language  # noqa: PLC0415 - 10 ms, only where it is shown

    kinds = Counter(one.kind.value for one in entries)
    tags = Counter(tag.casefold() for one in entries for tag in one.tags)
    years = Counter(str(one.date.year) if one.date else "" for one in entries)
    statuses = Counter(one.status.value if one.status else "" for one in entries)
    languages = Counter(language(one.text) for one in entries)
    return Facets(
        counted=len(entries),
        complete=complete,
        kinds=dict(kinds.most_common()),
        tags=dict(tags.most_common(_TAGS)),
        years=dict(sorted(years.items(), reverse=True)),
        statuses=dict(statuses.most_common()),
        languages=dict(languages.most_common()),
    )


def browse(  # noqa: PLR0913 - those of a search
    at: Workspace,
    query: str,
    *,
    kinds: Sequence[str] = (),
    limit: int = 10,
    offset: int = 0,
    filters: Mapping[str, str] = MappingProxyType({}),
) -> tuple[SearchResult, Facets]:
    """As :meth:`search`, with facets.

    Raises:
        InputError: As there.
    """
    ahead = offset + limit <= _BEST
    found = search.search(
        at,
        query,
        kinds=kinds,
        limit=_BEST if ahead else limit,
        offset=0 if ahead else offset,
        filters=filters,
    )
    facets = _facets(at, found)
    if ahead:
        found = replace(found, hits=found.hits[offset : offset + limit], offset=offset)
    return found, facets


def _facets(at: Workspace, found: SearchResult) -> Facets:
    if found.parsed.text and found.query and any(hit.relevance != "listed" for hit in found.hits):
        return _counted([hit.entry for hit in found.hits], complete=found.total <= len(found.hits))
    which = found.parsed.which
    if found.parsed.period:
        which = replace(which, since=found.parsed.period.start, until=found.parsed.period.end)
    counts = at.index.facets(which, _TAGS)
    return Facets(counted=sum(counts.kinds.values()), complete=True, **counts._asdict())


def things(at: Workspace, limit: int = 80) -> "Overview":
    """The things that entries name most, and how they are related."""
    return at.current().graph.overview(limit)


def past(at: Workspace, identifier: str) -> Past:
    """The history of an entry, in memory or archived.

    Raises:
        NotFound: Neither memory nor the archive knows the id.
    """
    plain = identifier.lstrip("^")
    earlier = tuple(one for one in read.archive(at, limit=1000).blocks if one.id == plain)
    there = read.get(at, [identifier]).entries
    if not there and not earlier:
        read.entry(at, identifier)  # says that there is none
    commits = read.changes(at, identifier) if there else []
    return Past(
        entry=there[0] if there else None,
        earlier=earlier,
        versions=_versions(at, identifier),
        commits=tuple(commits),
    )


def _versions(at: Workspace, identifier: str) -> "tuple[Version, ...]":
    try:
        return read.life(at, identifier).versions
    except (NotFound, ProjectError):  # no repository, or git has never seen it
        return ()


def html_of(at: Workspace, entry: Entry) -> str:
    """Render an entry as HTML, of its Markdown where that is in Mind's own files."""
    from mind.documents import html  # noqa: PLC0415 - only where entries are shown

    text = entry.text
    if not entry.masked:
        with suppress(InputError, FileError, NotFound):
            source = files.read(curation.file_of(at.project, entry))
            text = html.source_of(locating.located(at.project, source, entry), source)
    return html.rendered(text)


def preview(at: Workspace, message: str, kind: str) -> Entry:
    """The entry that recording ``message`` would make; nothing is written.

    Raises:
        InputError: It would be refused: see :meth:`log`.
    """
    wanted = parse_kind(kind)
    validation.refuse_secrets(message, kind)
    line = notebook.line_for(wanted, message)
    validation.refuse_scopes(message, at.project.settings)
    text = " ".join(notebook.unlabelled(wanted, message).split())
    entry = parser.parse_line(line, at.project.settings)
    base = entry or Entry(id=content_id(text), kind=wanted, text=text)
    return replace(base, kind=wanted, date=at.now().date())


def outlook(at: Workspace, message: str, kind: str, *, instead: str = "") -> Outlook:
    """Preview the recording of ``message``; nothing is written or counted.

    Args:
        at: Whose memory.
        message: The words.
        kind: Of the entry.
        instead: Id of the entry whose words they are to be; "" for a new one.

    Raises:
        InputError: They would be refused for good: see :meth:`preview`.
    """
    wanted = preview(at, message, kind).kind
    is_buffered = wanted in notebook.SESSION_SECTIONS
    path = at.project.session if is_buffered else at.project.memory
    seen = Outlook(file=at.project.relative(path))
    try:
        validation.refuse_transient(message, wanted, acknowledged=False)
        phrase = durability.about_user(message) if wanted in validation.LASTING else None
        if phrase:
            return replace(seen, verdict="pending", reason=phrase)
        return _compared(at, seen, message, wanted, instead)
    except (validation.Transient, validation.Repeated, validation.Forgotten) as error:
        return replace(
            seen,
            verdict=error.code,
            reason=error.message,
            remedy=error.remedy,
            may_acknowledge=True,
            id=error.data.get("id", ""),
        )


def _compared(at: Workspace, seen: Outlook, message: str, kind: Kind, instead: str) -> Outlook:
    """The same, of what memory says already."""
    if instead:
        amend.refuse_known(at, message, kind, [instead])
        return seen
    before = amend.returning(at, message, kind).loops
    if before:
        earlier = tuple(one.earlier for one in before)
        return replace(seen, verdict="loop", remedy=before[0].way_out, related=earlier)
    if kind not in validation.NAMING:
        return seen
    known = validation.known(
        at.project,
        at.index,
        message,
        kind,
        sense=at.meaning.at_hand(message, at.index),
        once=False,
        today=at.now().date(),
    )
    if known.same is not None:
        return replace(seen, verdict="known", id=known.same.id, related=(known.same,))
    validation.refuse_forgotten(at.project, message, kind, at.now().date())
    return replace(seen, related=known.related)


def claims(at: Workspace) -> list[Claim]:
    """Claims about the person that wait, the oldest first, with what they would change."""
    return [
        Claim(one, one.asked + pending.LIFE, _known_of(at, one.changes)) for one in read.waiting(at)
    ]


def _known_of(at: Workspace, ids: Sequence[str]) -> tuple[Entry, ...]:
    if not ids:
        return ()
    return timeline.details(at.current(), ids).entries


def correct(
    at: Workspace,
    identifier: str,
    text: str,
    unless: Callable[[], None],
    *,
    acknowledge: bool = False,
) -> Curated:
    """As :meth:`update`, unless ``unless``, asked under the same lock, raises an error."""

    def both() -> Curated:
        unless()
        return amend.update(at, identifier, text, acknowledge=acknowledge)

    return at.alone(both)


def versions(at: Workspace) -> dict[str, str]:
    """A stamp of each file of this memory, by its name: another one tells that it changed."""
    project = at.project
    paths = (project.memory, project.session, project.reminders, project.archive)
    found = {}
    for path in (*paths, project.config, project.pending):
        try:
            status = path.stat()
        except OSError:
            found[path.name] = ""
        else:
            found[path.name] = f"{status.st_size:x}-{status.st_mtime_ns:x}-{status.st_ino:x}"
    return found
