"""Examination of a memory: reads the index, the usage log, the archive and git once each."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta

from mind.documents import context_block
from mind.domain.errors import DependencyMissing, FileError, check_range
from mind.memory import context, sync, verdicts
from mind.memory.duplicates import clusters
from mind.memory.health import figures
from mind.memory.health.report import (
    Cluster,
    Contradiction,
    EntryCount,
    EntryRef,
    Health,
    Size,
    Thresholds,
    TopList,
)
from mind.memory.health.wording import advise
from mind.memory.workspace import Workspace
from mind.ranking.heat import Band, Uses, band, heat, is_expired
from mind.sources.staleness import verified
from mind.storage import archives, events
from mind.storage.events import Event
from mind.storage.index import Filter, Index
from mind.storage.project import Project

_MOST_DAYS = 3_660
_STATES = ("contradicted", "superseded", "stale", "unchecked", "checked")
_COLD = frozenset({Band.COLD, Band.FROZEN})


def examine(at: Workspace, days: int = 30, limits: Thresholds | None = None) -> Health:
    """Return the health of a memory.

    Args:
        at: The workspace.
        days: Length of the window for searches and uses, 1-3,660 days.
        limits: Thresholds for findings.

    Raises:
        InputError: ``days`` is out of range.
    """
    check_range("days", days, 1, _MOST_DAYS)
    now = at.visit().now
    refreshed = sync.refresh(at.project, at.index)
    found = _Examination(at.project, at.index, now, days, limits or Thresholds()).result()
    found = replace(found, problems=(*refreshed.problems, *found.problems))
    return replace(found, advice=advise(found))


class _Examination:
    """The data read by one examination, and the figures derived from it."""

    def __init__(
        self, project: Project, index: Index, now: datetime, days: int, limits: Thresholds
    ) -> None:
        self._project = project
        self._index = index
        self._today: date = now.date()
        self._days = days
        self._limits = limits
        self._problems: list[str] = []
        self._entries = {one.id: one for one in index.entries()}
        self._kept = index.entries(Filter(families=("memory", "session")))
        self._archived = archives.read(project.archive)
        self._events = self._logged()
        self._wrong = figures.contradicted(self._events)
        wrong = {one: self._entries[one] for one in self._wrong if one in self._entries}
        judged = list(({one.id: one for one in self._kept} | wrong).values())
        later = verdicts.successors(index, judged)
        self._verdicts = verdicts.of_entries(project.root, index, judged, self._today, later)
        self._used = index.usage.days()
        self._heats = {
            one.id: heat(Uses.of(self._used.get(one.id, ()), self._today), one, self._today)
            for one in self._kept
        }
        since = now - timedelta(days=days)
        self._lately = [event for event in self._events if event.at >= since]
        self._searches = [event for event in self._lately if event.name == "search"]
        self._found = frozenset(one for event in self._searches for one in event.ids)

    def _logged(self) -> Sequence[Event]:
        if not self._project.settings.events_enabled:
            self._problems.append(
                "the usage log is switched off, so that use is not known. "
                "`mind config events.enabled true` switches it on."
            )
        try:
            log = events.read(self._project.events)
        except FileError as error:
            self._problems.append(str(error))
            return ()
        if log.skipped:
            self._problems.append(
                f"{log.skipped:,} lines of the usage log cannot be read and were left out. "
                "Nothing has to be done."
            )
        now = self._index.aliases.gone()
        if not now:
            return log.events
        return [
            replace(event, ids=tuple(now.get(one, one) for one in event.ids))
            for event in log.events
            if event.name != "alias"
        ]

    def result(self) -> Health:
        limits, today = self._limits, self._today
        applied = figures.applied(self._lately)
        alike, missing = self._alike()
        states = Counter(one.state for one in self._verdicts.values())
        return Health(
            project=self._project.name,
            day=today,
            days=self._days,
            limits=limits,
            searches=len(self._searches),
            applied=len(applied),
            size=self._size(),
            dead_weight=self._dead_weight(),
            never_found=self._never_found(),
            heavily_used=self._counted(
                {one: many for one, many in Counter(applied).items() if many >= limits.applied}
            ),
            verdicts={one: states[one] for one in _STATES},
            contradictions=self._contradictions(),
            superseded=figures.superseded(self._kept, self._verdicts, limits),
            alike=alike,
            missing=missing,
            typos=TopList.of(figures.typos(self._kept), limits.shown),
            verification=figures.verification(self._kept, self._used, today, limits),
            drift=figures.drift(self._project.root, self._kept, self._verdicts, limits),
            markers=figures.markers(self._lately),
            warnings=figures.warnings(self._lately),
            problems=tuple(self._problems),
        )

    def _alike(self) -> tuple[TopList[Cluster], str]:
        try:
            found = self._index.kept(
                "clusters",
                self._index.meta("generation"),
                lambda: [[one.id for one in alike] for alike in clusters(self._kept)],
            )
        except DependencyMissing as error:
            return TopList(), f"{error.message}. {error.remedy}"
        found = [it for it in found if self._entries.keys() >= {*it}]  # read before a refresh
        named = [Cluster(tuple(EntryRef.of(self._entries[one]) for one in it)) for it in found]
        return TopList.of(named, self._limits.shown), ""

    def _size(self) -> Size:
        entries, memory = list(self._entries.values()), self._project.memory
        bands = Counter(map(band, self._heats.values()))
        return Size(
            entries=len(entries),
            kept=len(self._kept),
            by_kind=self._index.counts("kind"),
            by_layer=figures.layers(entries),
            by_source=self._index.counts("family"),
            bands={one.value: bands[one] for one in Band},
            expired=sum(is_expired(one, self._today, verified(one)) for one in self._kept),
            archived=len(self._archived),
            memory_bytes=memory.stat().st_size if memory.is_file() else 0,
            block_tokens=context_block.tokens(
                context.tracked_block(self._project, self._index).body
            ),
        )

    def _dead_weight(self) -> TopList[EntryCount]:
        first = self._limits.first
        times = Counter(one for event in self._searches for one in event.ids[:first])
        return self._counted(
            {
                one.id: times[one.id]
                for one in self._kept
                if times[one.id] >= self._limits.found and one.id not in self._used
            }
        )

    def _never_found(self) -> TopList[EntryCount]:
        """List cold entries by idle days, if there were searches that could have found them."""
        if not self._found:
            return TopList()
        before = self._today - timedelta(days=self._days)
        idle: dict[str, int] = {}
        for one in self._kept:
            is_cold = band(self._heats[one.id]) in _COLD
            if one.date and one.date < before and is_cold and one.id not in self._found:
                idle[one.id] = (self._today - max((one.date, *self._used.get(one.id, ())))).days
        return self._counted(idle)

    def _counted(self, times: dict[str, int]) -> TopList[EntryCount]:
        known = [one for one in times if one in self._entries]
        known.sort(key=lambda one: (-times[one], one))
        first = known[: self._limits.shown]
        shown = tuple(EntryCount(EntryRef.of(self._entries[one]), times[one]) for one in first)
        return TopList(len(known), shown)

    def _contradictions(self) -> TopList[Contradiction]:
        open_ = [
            Contradiction(EntryRef.of(self._entries[one]), event.at, timeline)
            for one, (event, timeline) in self._wrong.items()
            if one in self._verdicts and self._verdicts[one].state == "contradicted"
        ]
        open_.sort(key=lambda one: one.since)
        return TopList.of(open_, self._limits.shown)
