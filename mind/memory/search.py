"""Search of a memory and of further sources, and the log of searches.

The personal memory, the project's documents and notes in other worktrees are always searched, each
with its own index; other projects only on request, by ``everywhere`` or ``project:NAME``.
"""

import contextlib
import logging
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate, chain
from pathlib import Path
from time import perf_counter
from types import MappingProxyType

from mind.domain.entry import DOCUMENT, ORIGIN, Entry, parse_kind
from mind.domain.errors import InputError, MindError
from mind.memory import reminders, sync, verdicts
from mind.memory.workspace import Workspace, not_echoed
from mind.search import engine, supersession
from mind.search import query as parsing
from mind.search.engine import JUDGED, POOL, Page, Through, in_time
from mind.search.query import ParsedQuery
from mind.search.results import Hit, SearchResult, Verdict
from mind.search.semantic import ProjectVectors
from mind.search.supersession import KnownSuccessors
from mind.sources import comments, project_docs
from mind.sources.staleness import EntryWarning
from mind.storage import events
from mind.storage import project as projects
from mind.storage.boundary import own_memory
from mind.storage.index import Filter, Index
from mind.storage.project import Project
from mind.text import secrets
from mind.text.terms import query_terms

DOCUMENTS = "documents"


@dataclass(frozen=True, slots=True)
class SearchedMemory:
    """A memory that a search includes, or documents.

    Attributes:
        name: Label of its hits; "" for the project's own entries, documents and commits.
        project: The project of the memory or documents.
        path: Path of its index.
        refresh: Updates the index, and returns the problems.
        is_worktree: True for another worktree of the same project, which has many equal entries.
        index: Its index, if the caller has it open: that of the memory that is searched first.
    """

    name: str
    project: Project
    path: Path
    refresh: Callable[[Index], Sequence[str]]
    is_worktree: bool = False
    index: Index | None = None

    def told(self, problem: object) -> str:
        """Return a problem with the label of this memory, but for the one searched first."""
        label = DOCUMENTS if self.is_documents else self.name
        return f"{label}: {problem}" if label else str(problem)

    @property
    def is_documents(self) -> bool:
        """Return True if it is the project's documents or commits, not a memory."""
        return not self.name and self.index is None

    def opened(self) -> AbstractContextManager[Index]:
        """Return its index, which is closed at the end of the block unless the caller has it."""
        return nullcontext(self.index) if self.index else closing(Index(self.path))


def always_searched(project: Project, *, wide: bool = True) -> list[SearchedMemory]:
    """Return the other sources of every search in ``project``.

    Args:
        project: The project.
        wide: Include the user's other memories; False if the caller may not see them.
    """
    found: list[SearchedMemory] = []
    settings = project.settings
    for is_further, name, wanted in (
        (False, "documents.db", settings.capture_documents),
        (True, "commits.db", settings.capture_documents or settings.capture_commits),
    ):
        if wanted and not project.is_own:
            refresh = partial(_refresh_documents, project, is_further=is_further)
            found.append(SearchedMemory("", project, project.cache / name, refresh))
    if not project.is_own and wide:
        own = own_memory().absolute()
        found += [_of(Project(own, own))] if (own / "MEMORY.md").is_file() else []
        found += [
            replace(_of(Project(root), f"{root.name} ({branch or 'no branch'})"), is_worktree=True)
            for root, branch in projects.worktrees(project.root)
        ]
    return found


def refresh_documents(project: Project) -> None:
    """Update the indexes of the project's documents and commit messages."""
    for one in always_searched(project, wide=False):
        with closing(Index(one.path)) as index:
            one.refresh(index)


def all_memories(project: Project) -> list[SearchedMemory]:
    """Return all memories of this user, plus the sources of every search."""
    found = always_searched(project)
    known = {one.project.folder for one in found if one.name}
    return [*found, *(_of(one) for one in projects.others(project) if one.folder not in known)]


def known_as(project: Project, *more: str) -> set[str]:
    """Return the names of ``project``: its folder, its remote, and the ends of the remote."""
    remote = projects.remote(project.root) if not project.is_own else ""
    parts = remote.split("/")
    ends = ("/".join(parts[at:]) for at in range(len(parts)))
    return {name.casefold() for name in (project.name, *more, *ends) if name}


def entry_elsewhere(project: Project, identifier: str, *, wide: bool = True) -> Entry | None:
    """Return an entry by ID from the other sources that searches of ``project`` include."""
    for one in all_memories(project) if wide else always_searched(project, wide=False):
        try:
            with closing(Index(one.path)) as index:
                found = index.get(identifier)
        except MindError:
            continue
        if found is not None:
            return replace(found, source=f"{one.name}: {found.source}") if one.name else found
    return None


def _of(project: Project, name: str = "") -> SearchedMemory:
    def refresh(index: Index) -> Sequence[str]:
        return sync.refresh(project, index).problems

    return SearchedMemory(name or project.name, project, project.cache / "index.db", refresh)


def _refresh_documents(project: Project, index: Index, *, is_further: bool) -> Sequence[str]:
    """Update the index of a project's documents, or of its other texts and commit messages."""

    def read() -> Sequence[str]:
        problems: list[str] = []
        listed = project_docs.further if is_further else project_docs.paths
        _read(project, index, listed(project.root) if project.settings.capture_documents else ())
        if is_further:
            sync.refresh_commits(project, index, problems, lambda one: one.passages(), DOCUMENTS)
        return problems

    return index.fill(read)


def _read(project: Project, index: Index, paths: Sequence[str]) -> None:
    paths = project_docs.but(project.root, project.texts, paths)
    known, reading = index.stamps(), project.settings.reading
    known.pop(sync.COMMITS, None)
    found = {}
    for path, name in zip(paths, comments.told(paths, known), strict=True):
        with contextlib.suppress(OSError):
            status = (project.root / path).stat()
            stamp = f"{status.st_size}:{status.st_mtime_ns}:{reading}"
            found[name] = (stamp, partial(project_docs.entries, project.root, path, name=name))
    sync.refresh_files(project, index, known, found, DOCUMENTS)


_log = logging.getLogger("mind.search")


def find(  # noqa: PLR0913, PLR0917 - the last three are rarely given
    project: Project,
    index: Index,
    meaning: ProjectVectors,
    parsed: ParsedQuery,
    page: Page,
    beside: Sequence[SearchedMemory] = (),
    *,
    own: bool = True,
    through: Through | None = None,
) -> SearchResult:
    """Return the best entries for a query (see :mod:`mind.ranking`).

    Args:
        project: The project.
        index: Its index.
        meaning: Its embedding model.
        parsed: The query.
        page: The range of hits to return.
        beside: Other memories and documents to search.
        own: Search the memory itself.
        through: Source of candidates; the indexes by default.
    """
    # each whole re-ranked pool is merged: else the order would differ by page
    most = max(page.offset + page.limit, JUDGED, POOL)
    this = replace(_of(project), name="", index=index)
    merged = _Merged(parsed)
    for one in (this, *beside) if own else beside:
        if one.is_documents and not merged.parsed.text:
            continue
        near = meaning if one is this else meaning.beside(one.project.settings)
        # usage and verdicts do not apply to documents
        query = replace(parsed, today=None) if one.is_documents else parsed
        try:
            with one.opened() as there:
                problems = one.refresh(there)
                asked = query if through else _by_status(there, query)
                found = engine.find(one.project, there, near, asked, most, through)
                first = [it for it in engine.leading(found) if not through or there.get(it.id)]
                later = supersession.successors(there, first)
                found = engine.current_first(there, found, later)
                if not one.is_documents:
                    found = _completed(one.project, there, found, query, most)
        except MindError as error:
            if one is this:
                raise
            merged.problems.append(one.told(error))
            continue
        if own and one.is_worktree:
            found = _without_held(index, found)
        merged.add(one, replace(found, problems=(*problems, *found.problems)), later)
    return merged.result(page, is_mirrored=through is not None)


def _by_status(index: Index, parsed: ParsedQuery) -> ParsedQuery:
    return replace(parsed, which=verdicts.by_status(index, parsed.which))


def _completed(
    project: Project, index: Index, found: SearchResult, parsed: ParsedQuery, most: int
) -> SearchResult:
    """Return the hits with their current status, or the list that the query asks for.

    Words that only name a kind list it, unless an entry is surely about them or there is none of
    that kind. Hits of a mirror may not pass the filter by status.
    """
    is_sure = any(hit.relevance == "high" for hit in found.hits[:1])
    if parsed.text and parsed.order == "relevance" and not is_sure:
        named = parsing.of_kind(parsed, project.settings)
        if named is not parsed and index.count(replace(named.which, status=None)):
            parsed = named
            asked = _by_status(index, named)
            found = replace(found, query="", hits=(), total=0, candidates={}, parsed=asked)
    found = engine.or_listed(index, found, most)
    wanted = parsed.which.status
    current = verdicts.settled(index, [hit.entry for hit in found.hits])
    hits = tuple(
        replace(hit, entry=one)
        for hit, one in zip(found.hits, current, strict=True)
        if wanted in {None, one.status}
    )
    total = found.total - len(found.hits) + len(hits)
    return replace(found, hits=hits, total=total, parsed=parsed)


def _of_record(hit: Hit) -> Hit:
    """Return a passage with the verdict on its decision record."""
    status = hit.entry.fields.get(project_docs.ENDED)
    if status is None:
        return hit
    told = EntryWarning(f"record no longer in force: {status}", "superseded")
    return replace(hit, verdict=Verdict(state="superseded", reasons=(told,)))


def _without_held(index: Index, more: SearchResult) -> SearchResult:
    """Drop hits of another worktree that are also in this memory."""
    held = {one.id: one.text for hit in more.hits if (one := index.get(hit.entry.id))}
    new = tuple(hit for hit in more.hits if held.get(hit.entry.id) != hit.entry.text)
    return replace(more, hits=new, total=more.total - len(more.hits) + len(new))


class _Merged:
    """Results of several memories and documents, merged.

    Attributes:
        problems: Problems of all of them.
    """

    def __init__(self, parsed: ParsedQuery) -> None:
        self.problems: list[str] = []
        self._parsed = parsed
        self._of: list[tuple[SearchedMemory, SearchResult, KnownSuccessors]] = []
        self._documents: list[SearchResult] = []

    @property
    def parsed(self) -> ParsedQuery:
        """The query, as the first memory understood it."""
        return self._of[0][1].parsed if self._of else self._parsed

    def add(self, one: SearchedMemory, found: SearchResult, later: KnownSuccessors) -> None:
        """Add the results of a memory, or of documents, and what is known of their successors."""
        told = set(self.problems)  # git fails for documents and memory alike
        self.problems += [one.told(problem) for problem in found.problems if problem not in told]
        if one.is_documents:
            self._documents.append(self._new_in(found))
        else:
            hits = tuple(replace(hit, project=one.name) for hit in found.hits)
            self._of.append((one, replace(found, hits=hits), later))

    def _new_in(self, documents: SearchResult) -> SearchResult:
        """Return passages without those of imported documents, and without repeats."""
        known = (hit.entry for _, found, _ in self._of for hit in found.hits if not hit.project)
        imported = [entry.text for entry in known if ORIGIN in entry.fields]
        kept: dict[str, Hit] = {}  # by text: a change on two branches is described once
        for hit in documents.hits:
            if hit.entry.commit or not any(hit.entry.source in text for text in imported):
                kept.setdefault(hit.text, _of_record(hit))
        total = documents.total - len(documents.hits) + len(kept)
        return replace(documents, hits=tuple(kept.values()), total=total)

    def result(self, page: Page, *, is_mirrored: bool) -> SearchResult:
        """Return the hits of a page; those of memories with their verdicts.

        Of a mirror's hits, only entries that are in the index get a verdict.
        """
        hits = _merged([found.hits for _, found, _ in self._of], self.parsed.order)
        passages = [found.hits for found in self._documents]
        by_time = self.parsed.order != "relevance"
        hits = [*hits, *chain(*passages)] if by_time else _with_documents(hits, passages)
        shown = {id(hit): hit for hit in hits[page.offset : page.offset + page.limit]}
        for one, found, later in self._of:
            held = [hit for hit in found.hits if id(hit) in shown]
            if not held:
                continue
            try:
                with one.opened() as index:
                    if is_mirrored:
                        held = [hit for hit in held if index.get(hit.entry.id)]
                    entries = [hit.entry for hit in held]
                    root, today = one.project.root, self.parsed.today
                    known = verdicts.of_entries(root, index, entries, today, later)
            except MindError as error:
                if one.index:
                    raise
                self.problems.append(one.told(error))
                continue
            shown |= {id(hit): replace(hit, verdict=known[hit.entry.id]) for hit in held}
        every = [*(found for _, found, _ in self._of), *self._documents]
        candidates = Counter[str]()
        for found in every:
            candidates.update(found.candidates)
        lexical = (one.told(found.lexical_only) for one, found, _ in self._of if found.lexical_only)
        return SearchResult(
            query=self._of[0][1].query if self._of else self._parsed.text,
            hits=tuple(shown.values()),
            total=sum(found.total for found in every),
            parsed=self.parsed,
            offset=page.offset,
            lexical_only=next(lexical, ""),
            candidates=dict(candidates),
            problems=tuple(self.problems),
        )


_GRADES = ("listed", "low", "medium", "high")


def _with_documents(hits: Sequence[Hit], documents: Iterable[Sequence[Hit]]) -> list[Hit]:
    """Merge hits with passages of several indexes of documents, by likelihood.

    Entries recorded here come before passages of the same relevance. Imported entries, which often
    come from such documents, rank with the passages. Each list keeps its order: a hit counts at
    most as much as those before it, so further hits at its end, as on a later page, change nothing.
    """

    def worth(hit: Hit) -> tuple[int, bool, float]:
        is_recorded = hit.entry.why != DOCUMENT and ORIGIN not in hit.entry.fields
        return (_GRADES.index(hit.relevance), is_recorded, hit.likelihood)

    counted: list[tuple[tuple[int, bool, float], Hit]] = []
    for own in (hits, *documents):
        counted += zip(accumulate(map(worth, own), min), own, strict=True)
    return [hit for _, hit in sorted(counted, key=lambda pair: pair[0], reverse=True)]


def _merged(of_each: Sequence[Sequence[Hit]], order: str) -> list[Hit]:
    """Merge the hits of several projects; matches come before hits that are only listed.

    Hits of one project keep their order: each counts at least as much as those after it.
    """
    hits = [hit for own in of_each for hit in own]
    if len(of_each) == 1:
        return hits
    if order != "relevance":
        return in_time(hits, order)
    counted: list[tuple[float, Hit]] = []
    for own in of_each:
        least = [*accumulate((hit.score for hit in own[::-1]), max)][::-1]
        counted += zip(least, own, strict=True)
    compared = [pair for pair in counted if pair[1].relevance != "listed"]
    compared.sort(key=lambda pair: -pair[0])
    listed = [hit for hit in hits if hit.relevance == "listed"]
    return [*(hit for _, hit in compared), *in_time(listed, "newest")]


def log_search(found: SearchResult, seconds: float) -> None:
    """Write one line about a search to the logger ``mind.search``, without its words."""
    if not _log.isEnabledFor(logging.INFO):
        return
    _log.info(
        "terms=%d filters=%s candidates=%s hits=%d total=%d lexical_only=%s ms=%.1f",
        len(set(query_terms(found.parsed.text))),
        ",".join(found.parsed.filters) or "none",
        ",".join(f"{name}:{count}" for name, count in found.candidates.items()) or "none",
        len(found.hits),
        found.total,
        "yes" if found.lexical_only else "no",
        seconds * 1000,
    )


def search(  # noqa: PLR0913 - independent options, by name only
    at: Workspace,
    query: str,
    *,
    kinds: Sequence[str] = (),
    everywhere: bool = False,
    limit: int | None = None,
    offset: int = 0,
    filters: Mapping[str, str] = MappingProxyType({}),
    mirror: bool | None = None,
) -> SearchResult:
    """Return the entries that match ``query`` best.

    Args:
        at: The workspace.
        query: Words and filters (see :mod:`mind.search.query`); any text is a valid query.
        kinds: Only entries of these kinds.
        everywhere: Search all registered projects.
        limit: Maximum number of hits, 1–100; the setting ``search.limit`` by default.
        offset: Number of hits to skip.
        filters: "since", "until", "tag", "status", "lang" and "order", with values as in a query.
        mirror: Search the mirror (see :mod:`mind.memory.mirror`); None to follow the settings.

    Raises:
        InputError: An empty query, an unknown kind or filter, or a number out of range.
    """
    if everywhere:
        at.refuse_all()
    start = perf_counter()
    if not query.strip():
        raise InputError("the query is empty", remedy="Describe in a few words what to find.")
    most = at.project.settings.search_limit if limit is None else limit
    page = Page(most, offset).check()
    visit = at.visit()
    with not_echoed(*kinds, *filters.values()):
        which = Filter(kinds=tuple(parse_kind(kind) for kind in kinds))
        parsed = parsing.parse(query, visit.now, at.releases, which, filters)
    parsed = parsing.without(parsed, visit.state.muted)
    if at.project.settings.mirror_search if mirror is None else mirror:
        from mind.memory import mirror as mirroring  # noqa: PLC0415 - only if configured

        found = mirroring.find(
            at.project,
            at.index,
            at.meaning,
            parsed,
            page,
            everywhere=everywhere,
            always=bool(mirror),
        )
    else:
        beside, own = _looked_into(at, parsed, everywhere=everywhere)
        found = find(at.project, at.index, at.meaning, parsed, page, beside, own=own)
        if not found.hits and parsed.period and not offset:  # "version 2" may only be words
            plain = parsing.parse(query, visit.now, lambda _: None, which, filters)
            if plain.period is None:
                plain = parsing.without(plain, visit.state.muted)
                beside, own = _looked_into(at, plain, everywhere=everywhere)
                found = find(at.project, at.index, at.meaning, plain, page, beside, own=own)
        if not (own or beside):
            unknown = (
                f"no project is named {', '.join(parsed.projects)}; list them with `mind projects`"
            )
            found = replace(found, problems=(unknown, *found.problems))
    shown = secrets.mask(query)
    answer = replace(
        found,
        query=shown,
        reminders=reminders.triggered(at.project, query, visit.now),
        problems=(*visit.problems, *found.problems),
    )
    log_search(answer, perf_counter() - start)
    said = events.said(shown, keep=at.project.settings.events_queries)
    at.note(visit, "search", [hit.entry.id for hit in answer.hits], **said)
    return answer


def _looked_into(
    at: Workspace, parsed: ParsedQuery, *, everywhere: bool
) -> tuple[Sequence[SearchedMemory], bool]:
    """Choose the other memories to search, and whether to search this one too."""
    if parsed.projects:
        at.refuse_all()
        wanted = {name.casefold() for name in parsed.projects}
        others = [one for one in all_memories(at.project) if one.name]
        meant = [one for one in others if wanted & known_as(one.project, one.name)]
        return meant, bool(wanted & known_as(at.project))
    if everywhere:
        return all_memories(at.project), True
    beside = always_searched(at.project, wide=at.sees_others)
    return [one for one in beside if parsed.text or not one.is_documents], True


def recent(
    at: Workspace, *, kinds: Sequence[str] = (), limit: int = 10, offset: int = 0
) -> SearchResult:
    """Return the latest entries, newest first.

    Raises:
        InputError: An unknown kind, or a number out of range.
    """
    page = Page(limit, offset).check()
    which = Filter(kinds=tuple(parse_kind(kind) for kind in kinds))
    visit = at.visit()
    parsed = ParsedQuery(text="", which=which, order="newest", today=visit.now.date())
    parsed = parsing.without(parsed, visit.state.muted)
    return find(at.project, at.index, at.meaning, parsed, page)
