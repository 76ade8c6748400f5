"""Import of other tools' memories of a project: by day, in batches.

An imported entry stores its source as a field, ``[from:: claude-mem:obs-12]``. An entry in
MEMORY.md or ARCHIVE.md with such a field is known even if its text changed, so an import can be
interrupted and run again, and a second run adds nothing. There is no other record of it. What its
source says is no longer in force is archived by the next import, unless a person restored it or
changed its text.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import lru_cache
from pathlib import Path

from mind.documents import additions, memory_file
from mind.domain.entry import ORIGIN, Entry, Kind, content_id, normalise, unnumbered
from mind.domain.errors import Protected
from mind.memory import curation, sync, validation
from mind.memory.jsonl_import import (
    KnownEntries,
    KnownMemory,
    Progress,
    RecordOutcome,
    credentials,
    edited,
    taken_in,
)
from mind.memory.workspace import Workspace
from mind.ranking import heat
from mind.sources import available, prose
from mind.sources.remembered import ImportedNote
from mind.storage import events, files
from mind.storage.index import Index
from mind.storage.project import Project

BATCH = 2_000
"""Number of memories written at once; a crash loses only the batch being compared."""
_ENDED = "no longer in force where it comes from"
_ORIGIN = re.compile(rf"\[{ORIGIN}::\s?([^\[\]\n]{{0,400}})\]", re.IGNORECASE)
_MARKUP = re.compile(r"^\s*(?:```|~~~).*$|\[[ xX]\]", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceReport(RecordOutcome):
    """The outcome for one memory of another tool.

    The outcome of an entry whose source ended is "archived", or "kept" if it is protected or was
    restored or changed here.

    Attributes:
        kind: Kind of the entry.
        key: Its key, as stored in the source field.
        place: Its location in the other tool.
        day: Day it was noted; None if unknown.
    """

    kind: Kind
    key: str
    place: str
    day: date | None = None


@dataclass(slots=True, kw_only=True)
class ImportReport:
    """The outcome of an import from another tool, or of its dry run.

    Attributes:
        source: Name of the tool.
        places: Stores that were read.
        rows: Outcome for each memory.
        left_out: Number of items not read as memories, by reason.
        written: Changed files.
        dry_run: True if nothing was written.
    """

    source: str
    places: tuple[str, ...] = ()
    rows: list[SourceReport] = field(default_factory=list)
    left_out: dict[str, int] = field(default_factory=dict)
    written: tuple[str, ...] = ()
    dry_run: bool = False

    @property
    def new(self) -> list[SourceReport]:
        """The rows that were added, or would be."""
        return [row for row in self.rows if row.outcome == "added"]

    def count(self, outcome: str) -> int:
        """Return the number of memories with an outcome."""
        return sum(row.outcome == outcome for row in self.rows)


@dataclass(slots=True)
class ToolImport:
    """An import from another tool under way.

    Attributes:
        project: The project to import into.
        index: Its index, up to date.
        dry_run: Write nothing.
        progress: Called with the progress.
    """

    project: Project
    index: Index
    dry_run: bool
    progress: Progress
    _rows: dict[str, SourceReport] = field(default_factory=dict)
    _written: set[str] = field(default_factory=set)
    _below: dict[str, str] = field(default_factory=dict)

    def run(self, memories: Iterable[ImportedNote], done: ImportReport) -> None:
        """Import ``memories`` and record their outcomes in ``done``.

        Raises:
            FileError: MEMORY.md cannot be written; earlier batches are.
        """
        # of several for one line of the template, the first that the importer tells fills it
        wanted = sorted(
            memories, key=lambda one: (one.day or date.min, "" if one.fills else one.key)
        )
        known = KnownMemory(self.project, self.index)
        origins = self._origins()
        notes = self._notes()
        for start in range(0, len(wanted), BATCH):
            batch: list[tuple[ImportedNote, Entry]] = []
            for at, one in enumerate(wanted[start : start + BATCH], start):
                self.progress("comparing", at, len(wanted))
                entry = self._entry(one)
                row = self._verdict(one, entry, origins, notes, known)
                if row is None:
                    known.add(entry)
                    batch.append((one, entry))
                else:
                    self._rows.setdefault(_origin(one), row)
                origins.setdefault(_origin(one), "it occurs twice")
            if batch:
                self._write(batch)
        done.rows = list(self._rows.values())
        done.written = tuple(sorted(self._written))

    def follow(
        self, ended: Mapping[str, tuple[ImportedNote, str]], day: date, done: ImportReport
    ) -> None:
        """Archive the entries whose source says that it is no longer in force.

        Args:
            ended: Source field → what ended, and the source field of its successor, "" if it has
                none.
            day: Today.
            done: Gets their outcomes, so that each is named.
        """
        name = self.project.relative(self.project.memory)
        source = files.read(self.project.memory)
        made = {row.key: row.id for row in done.new}
        over: list[tuple[Entry, ImportedNote, str]] = []
        for entry in sync.entries(self.project, self.index, source) if ended else ():
            origins = [one.strip() for one in entry.fields.get(ORIGIN, "").split(",")]
            made |= dict.fromkeys(origins, entry.id)
            if all(one in ended for one in origins) and self._is_of(entry, ended[origins[0]][0]):
                over.append((entry, *ended[origins[0]]))
        restored = self._restored() if over else set()
        for entry, note, successor in over:
            by = made.get(successor, "") if successor else ""
            outcome, why = "archived", f"superseded by {by}" if by else _ENDED
            if kept := self._kept(entry, note, restored):
                outcome, why = "kept", f"{why}, but {kept}"
            else:
                if not self.dry_run:
                    curation.forget(self.project, entry, why, day, replaced_by=by, acknowledge=True)
                self._written |= {name, self.project.relative(self.project.archive)}
            done.rows.append(
                SourceReport(
                    record="entry",
                    id=entry.id,
                    text="" if credentials(entry.text) else entry.text,
                    outcome=outcome,
                    reason=why,
                    kind=entry.kind,
                    key=entry.fields[ORIGIN],
                    place=name,
                    day=entry.date,
                )
            )
        done.written = tuple(sorted(self._written))

    def _restored(self) -> set[str]:
        """Return the ids of entries that were ever restored."""
        log = events.events(self.project.events)
        return {unnumbered(id_) for event in log if event.name == "restore" for id_ in event.ids}

    def _is_same(self, entry: Entry, note: ImportedNote) -> bool:
        return normalise(entry.text) == normalise(self._entry(note).text)

    def _is_of(self, entry: Entry, note: ImportedNote) -> bool:
        """Return True for an entry of a record, and not of another one with its name."""
        where = f"({note.place})"
        return (where in note.text and where in entry.text) or self._is_same(entry, note)

    def _kept(self, entry: Entry, note: ImportedNote, restored: Collection[str]) -> str:
        """Return why an entry is kept though its source ended; "" if it is not.

        The protection of its kind does not count, as the kind is that of its source.
        """
        if unnumbered(entry.id) in restored:
            return "it was restored"
        if entry.kind is not note.kind or not self._is_same(entry, note):
            return "its text or kind is no longer that of its source"
        try:
            curation.check_leaving(self.project, [entry])
        except Protected as error:
            is_by_kind = heat.protection(entry) == entry.kind.value
            return "" if is_by_kind and error.data["ids"] == [entry.id] else error.message
        return ""

    def _origins(self) -> dict[str, str]:
        """Return the source fields of imported entries, with the reason why each is known."""
        made: dict[str, str] = {}
        for path, why in (
            (self.project.memory, "already imported"),
            (self.project.session, "already imported"),
            (self.project.archive, "already imported, then archived"),
        ):
            for value in _ORIGIN.findall(files.read(path).decode("utf-8", "replace")):
                for name in value.split(","):
                    made.setdefault(name.strip(), why)
        return made

    def _notes(self) -> dict[tuple[str, str], set[str]]:
        """Return the words that were imported by tool and title, whatever entries they are in."""
        told = [(one.fields.get(ORIGIN, ""), one.whole) for one in self.index.entries()]
        for one in validation.gone(self.project):
            text = one.archived.text.decode("utf-8", "replace")
            told += [(origin, one.said) for origin in _ORIGIN.findall(text)]
        found: dict[tuple[str, str], set[str]] = defaultdict(set)
        for origin, text in told:
            if origin:
                found[_note_of(origin, text)] |= _words(text)
        return found

    def _entry(self, one: ImportedNote) -> Entry:
        tags = filter(self.project.settings.allows, one.tags)
        label = [f"{one.fills}:"] if one.fills and one.kind is not Kind.GOAL else []
        text, origin = " ".join([*label, one.text.strip()]), _origin(one)
        tagged = " ".join(f"#{tag}" for tag in tags)
        if "\n" in text and (
            made := additions.imported(
                one.kind, prose.stacked((text, tagged)), origin, self.project.settings
            )
        ):
            entry, self._below[made[0].id] = made
            return replace(entry, date=one.day)
        text = memory_file.unlabelled(one.kind, " ".join(f"{text} {tagged}".split()))
        return Entry(
            id=content_id(text), kind=one.kind, text=text, date=one.day, fields={ORIGIN: origin}
        )

    def _verdict(
        self,
        one: ImportedNote,
        entry: Entry,
        origins: dict[str, str],
        notes: Mapping[tuple[str, str], set[str]],
        known: KnownMemory,
    ) -> SourceReport | None:
        """Return the outcome of a memory that is not imported; None if it is."""
        origin = _origin(one)
        if why := credentials(one.text, one.place, *one.tags):
            place, key = ("" if credentials(said) else said for said in (one.place, one.key))
            bare = replace(one, text="", place=place, key=key)
            row = _row(bare, entry, "refused", f"{place}: {why}" if place else why)
            return replace(row, id="")
        if origin in origins:
            return _row(one, entry, "known", origins[origin])
        there = notes.get(_note_of(origin, one.text), set()) if "\n" in one.text else set()
        if there and _words(one.text) <= there:
            return _row(one, entry, "known", "already imported in another form")
        against = known.against(entry)
        return _row(one, entry, *against) if against else None

    def _write(self, batch: Sequence[tuple[ImportedNote, Entry]]) -> None:
        """Write a batch atomically."""
        name = self.project.relative(self.project.memory)
        made: list[additions.Additions] = []

        def with_them(source: bytes) -> bytes:
            there = KnownEntries(sync.entries(self.project, self.index, source))
            new = [(one, entry) for one, entry in batch if not there.why(entry)]
            filled: list[Entry] = []
            for one, entry in new:
                after = _filled(source, one, entry)
                filled += [entry] if after != source else []
                source = after
            rest = [entry for _, entry in new if entry not in filled]
            made[:] = [additions.add(source, rest, name, self.project.settings, self._below)]
            made[0].added += filled
            return made[0].source

        if edited(self.project.memory, with_them, dry_run=self.dry_run):
            self._written.add(name)
        added = {one.fields[ORIGIN] for one in made[0].added}
        refused = {one.entry.fields[ORIGIN]: one.reason for one in made[0].refused}
        for one, entry in batch:
            origin = _origin(one)
            if origin in added:
                row = _row(one, entry)
            elif origin in refused:
                row = _row(one, entry, "refused", refused[origin])
            else:
                row = _row(one, entry, "known", "already in memory")
            self._rows[origin] = row


def run(  # noqa: PLR0913 - all of an import, by name
    at: Workspace,
    source: str,
    path: Path | None = None,
    *,
    everything: bool = False,
    dry_run: bool = False,
    progress: Progress = lambda _what, _done, _total: None,
    only: Collection[str] | None = None,
    memories: Sequence[ImportedNote] | None = None,
) -> ImportReport:
    """Import the memory of another tool.

    Args:
        at: The workspace.
        source: Name of the tool, from :func:`mind.sources.importers.importers`.
        path: Path of its store; None to look in its usual places.
        everything: Also import what the tool filed under other projects.
        dry_run: Only report what would be done; starts no session.
        progress: Called with the progress.
        only: Keys of the memories to import, as returned by a dry run; None for all.
        memories: Memories already read from the tool; None to read its store.

    Raises:
        InputError: There is no such tool, or it has no usual place.
        NotFound: Nothing is there.
        FileError: No place can be read, or MEMORY.md cannot be written.
    """

    def work(now: datetime) -> ImportReport:
        store = available.named(source)
        reading = available.reading_of(at.project, now, everything=everything)
        done = ImportReport(source=store.name, dry_run=dry_run)
        wanted = list(memories or ())
        if memories is None:
            places = available.places(store, available.surroundings(at.project), path)
            done.places = tuple(map(str, places))
            for place in places:
                for one in store.read(place, reading):
                    progress("reading", len(wanted), 0)
                    if only is None or _origin(one) in only:
                        wanted.append(one)
        importing = ToolImport(at.project, at.index, dry_run, progress)
        importing.run(wanted, done)
        if only is None:
            importing.follow(_unique(wanted, reading.ended), now.date(), done)
        done.left_out = available.counts(reading)
        return done

    return taken_in(at, work, dry_run)


def _unique(
    wanted: Iterable[ImportedNote], ended: Sequence[tuple[ImportedNote, str]]
) -> dict[str, tuple[ImportedNote, str]]:
    """Return by source field what ended, without what shares its field with another record."""
    found = {one.key: (one, by) for one, by in ended}
    count = Counter(one.key for one in (*wanted, *(one for one, _ in ended)))
    return {
        _origin(one): (one, _origin_of(one.source, by) if count[by] == 1 else "")
        for key, (one, by) in found.items()
        if count[key] == 1
    }


def _filled(source: bytes, one: ImportedNote, entry: Entry) -> bytes:
    """``source`` with an entry on the line that waits for it in Project State, if there is one."""
    blank = re.compile(rf"^- {one.fills}:[ \t]*(?=\r?$)".encode(), re.MULTILINE)
    found = blank.search(source) if one.fills else None
    if found is None:
        return source
    said = entry.text.removeprefix(f"{one.fills}: ")
    line = f"- {one.fills}: {said} [{ORIGIN}:: {_origin(one)}]"
    return source[: found.start()] + line.encode("utf-8", "replace") + source[found.end() :]


def _origin(one: ImportedNote) -> str:
    """Return the value of a memory's source field."""
    return _origin_of(one.source, one.key)


@lru_cache(maxsize=BATCH)
def _origin_of(source: str, key: str) -> str:
    """Return source and key; of a key that reads like a credential, as "API-keys:7f3", a hash."""
    origin = f"{source}:{key}"
    return f"{source}:{content_id(key)}" if credentials(f"[from:: {origin}]") else origin


def _note_of(origin: str, text: str) -> tuple[str, str]:
    """Return the tool that a note is from, and what stands before its first colon: its title."""
    return origin.partition(":")[0], text.partition(":")[0].strip()


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", prose.plain(_MARKUP.sub(" ", text)).casefold()))


def _row(one: ImportedNote, entry: Entry, outcome: str = "added", why: str = "") -> SourceReport:
    return SourceReport(
        record="relation" if entry.kind is Kind.RELATION else "entry",
        id=entry.id,
        text=entry.text if one.text else "",
        outcome=outcome,
        reason=why,
        kind=entry.kind,
        key=_origin(one),
        place=one.place,
        day=one.day,
    )
