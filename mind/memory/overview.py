"""Extra operations for the HTTP service: facets, histories, previews, versions."""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from mind.documents import secret_entries
from mind.domain.entry import Entry
from mind.domain.errors import FileError, InputError, NotFound, ProjectError
from mind.memory import (
    curation,
    entry_history,
    locating,
    new_text,
    read,
    search,
)
from mind.memory.workspace import Workspace
from mind.search import timeline
from mind.search.results import SearchResult
from mind.storage import files, pending
from mind.storage.gitindex import stamp
from mind.storage.index import Facets

if TYPE_CHECKING:
    from datetime import datetime

    from mind.documents.archive import Archived
    from mind.memory.entry_history import EntryVersion
    from mind.storage.index import Overview

_BEST = 100
"""Maximum hits of a query in which facets are counted."""

_TAGS = 50
"""Maximum number of tags counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryPast:
    """The history of an entry.

    Attributes:
        entry: Its current state; None if it was archived.
        earlier: Its archived versions with reasons, latest first.
        versions: Its versions in git, latest first; none without a repository.
        commits: Lines about commits to the files it cites, since it was last known to be true.
    """

    entry: Entry | None
    earlier: "tuple[Archived, ...]"
    versions: "tuple[EntryVersion, ...]"
    commits: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordPreview:
    """A preview of recording a text.

    Attributes:
        file: The file it would be written to.
        verdict: "written", or the reason against: "known" or "repeated" (a duplicate), "forgotten"
            (archived before), "transient" (short-lived), "pending" (a claim about the user that
            must be confirmed). Or "loop": it is written, but was rejected before.
        reason: The reason in a sentence; for a claim, the phrase that makes it one.
        remedy: What to do about it.
        may_acknowledge: True if ``acknowledge`` overrides the reason.
        id: Id of the duplicate, in memory or in the archive; "" if none.
        related: Entries it may supersede, or the earlier rejections.
    """

    file: str
    verdict: str = "written"
    reason: str = ""
    remedy: str = ""
    may_acknowledge: bool = False
    id: str = ""
    related: tuple[Entry, ...] = ()


@dataclass(frozen=True, slots=True)
class PendingClaim:
    """A pending claim about the user.

    Attributes:
        pending: The claim.
        until: Time at which it is dropped.
        entries: The entries it corrects, merges or replaces that still exist.
    """

    pending: pending.Pending
    until: "datetime"
    entries: tuple[Entry, ...]


def version_of(stamps: Mapping[str, str]) -> str:
    """Return a short digest of all stamps."""
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
    """Search like :func:`mind.memory.search.search`, with facets.

    Raises:
        InputError: As for a search.
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
    return at.index.facets(which, _TAGS)


def things(at: Workspace, limit: int = 80) -> "Overview":
    """Return the things that entries name most often, and their relations."""
    return at.refreshed().graph.overview(limit)


def past(at: Workspace, identifier: str) -> EntryPast:
    """Return the history of an entry, current or archived.

    Raises:
        NotFound: No entry or archived entry has this id.
    """
    plain = identifier.lstrip("^")
    earlier = tuple(one for one in read.archive(at, limit=1000).blocks if one.id == plain)
    there = read.get(at, [identifier]).entries
    if not there and not earlier:
        read.entry(at, identifier)  # raises NotFound
    commits = read.changes(at, identifier) if there else []
    return EntryPast(
        entry=there[0] if there else None,
        earlier=earlier,
        versions=_versions(at, identifier),
        commits=tuple(commits),
    )


def _versions(at: Workspace, identifier: str) -> "tuple[EntryVersion, ...]":
    try:
        return entry_history.life(at, identifier).versions
    except (NotFound, ProjectError):  # no repository, or git has never seen it
        return ()


def html_of(at: Workspace, entry: Entry) -> str:
    """Render an entry as HTML, from its Markdown if it is in Mind's own files."""
    from mind.documents import html  # noqa: PLC0415 - only where entries are shown

    return html.rendered(markdown_of(at, entry))


def markdown_of(at: Workspace, entry: Entry) -> str:
    """Return the Markdown of an entry as it stands in Mind's own files, else its text."""
    from mind.documents import html  # noqa: PLC0415 - only where entries are shown

    text = html.with_code(entry, entry.text)
    if not entry.masked:
        with suppress(InputError, FileError, NotFound):
            source = files.read(curation.file_of(at.project, entry))
            text = html.source_of(locating.located(at.project, source, entry), source)
            hide = secret_entries.hider(source.decode("utf-8", "replace"), text)
            text = hide(text) if hide else text
    return text


def outlook(
    at: Workspace, message: str, kind: str, *, instead: str = ""
) -> tuple[Entry, RecordPreview]:
    """Return the entry that recording ``message`` would create, and the results of the checks.

    Nothing is written or counted.

    Args:
        at: The workspace.
        message: The text.
        kind: Kind of the entry.
        instead: Id of the entry it would correct; "" for a new one.

    Raises:
        NotFound: No entry has the id ``instead``.
        InputError: It would be rejected even with ``acknowledge``: see
            :func:`mind.memory.record.log` and :func:`mind.memory.amend.update`.
    """
    if instead:
        corrected = read.entry(at, instead)
        new = new_text.correcting(at, corrected, message)
        curation.refuse_unchanged(corrected, new.text)
    else:
        new = new_text.read(at, message, kind)
    new.examine(at)
    is_noted = new.kind.traits.noted
    path = at.project.session if is_noted else at.project.memory
    seen = RecordPreview(file=at.project.relative(path), related=new.related)
    if new.claim:
        seen = replace(seen, verdict="pending", reason=new.claim)
    elif new.refusal:
        seen = replace(
            seen,
            verdict=new.refusal.code,
            reason=new.refusal.message,
            remedy=new.refusal.remedy,
            may_acknowledge=True,
            id=new.refusal.data.get("id", ""),
            related=(),
        )
    elif new.same:
        seen = replace(seen, verdict="known", id=new.same.id, related=(new.same,))
    elif new.loops:
        earlier = tuple(one.earlier for one in new.loops)
        seen = replace(seen, verdict="loop", remedy=new.loops[0].way_out, related=earlier)
    return new.entry(at.project.settings), seen


def claims(at: Workspace) -> list[PendingClaim]:
    """Return pending claims about the user, oldest first, with what they would change."""
    return [
        PendingClaim(
            one,
            one.asked + pending.LIFE,
            timeline.details(at.refreshed(), one.changes).entries if one.changes else (),
        )
        for one in read.waiting(at)
    ]


def versions(at: Workspace) -> dict[str, str]:
    """Return a stamp of each file of this memory by name; it changes when the file does."""
    project = at.project
    paths = (project.memory, project.session, project.reminders, project.archive)
    return {path.name: stamp(path) for path in (*paths, project.config, project.pending)}
