"""Import of memories: an export's, and other tools', in one pipeline.

Each source gives candidates: entries as they would be recorded, with the row of a report. A
candidate is refused for a credential, known if the memory has or had it, else added to MEMORY.md:
an export's at once, others in batches. So an import can be interrupted and run again, and a second
run adds nothing; a dry run differs only in that it writes nothing.

An entry from another tool stores its source as a field, ``[from:: claude-mem:obs-12]``. An entry in
MEMORY.md or ARCHIVE.md with such a field is known even if its text changed. There is no other
record of it. What its source says is no longer in force is archived by the next import, unless a
person restored it or changed its text.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import cached_property, lru_cache
from itertools import count
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from mind.documents import additions, memory_file
from mind.domain.entry import ORIGIN, Entry, Kind, content_id, normalise, unnumbered
from mind.domain.errors import Protected
from mind.memory import curation, sync, validation
from mind.memory.workspace import Workspace
from mind.ranking import heat
from mind.sources import available, prose
from mind.sources.remembered import ImportedNote
from mind.storage import events, files
from mind.storage.index import Filter, Index
from mind.storage.project import Project
from mind.text import secrets
from mind.text.similarity import said

BATCH = 2_000
"""Number of entries written at once; a crash loses only the batch being compared."""
_ENDED = "no longer in force where it comes from"
_ORIGIN = re.compile(rf"\[{ORIGIN}::\s?([^\[\]\n]{{0,400}})\]", re.IGNORECASE)
_MARKUP = re.compile(r"^\s*(?:```|~~~).*$|\[[ xX]\]", re.MULTILINE)

Progress = Callable[[str, int, int], None]
"""Called with the current step, the number of items done, and the total."""


@dataclass(frozen=True, slots=True)
class RecordOutcome:
    """The outcome for one record.

    Attributes:
        record: "entry", "relation", "archived" or "reminder".
        id: Id of the record.
        text: Its text; "" if it contains a credential.
        outcome: "added", "known" or "refused".
        reason: Reason why it was not added; "" if it was.
        kind: Kind of an entry; "" for other records.
    """

    record: str
    id: str
    text: str
    outcome: str = "added"
    reason: str = ""
    kind: str = ""


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


Row = TypeVar("Row", bound=RecordOutcome)


@dataclass(slots=True, kw_only=True)
class Report(Generic[Row]):
    """The outcome of an import, or of its dry run.

    Attributes:
        source: Name of the tool, or of the exported project.
        places: Stores that were read.
        whole: Files of an export that were copied as they are, because they were empty here.
        rows: Outcome for each record.
        left_out: Number of items not read as memories, by reason.
        written: Changed files.
        dry_run: True if nothing was written.
    """

    source: str
    places: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()
    rows: list[Row] = field(default_factory=list)
    left_out: dict[str, int] = field(default_factory=dict)
    written: tuple[str, ...] = ()
    dry_run: bool = False

    @property
    def new(self) -> list[Row]:
        """The rows that were added, or would be."""
        return [row for row in self.rows if row.outcome == "added"]

    def count(self, outcome: str) -> int:
        """Return the number of records with an outcome."""
        return sum(row.outcome == outcome for row in self.rows)


ImportReport = Report[SourceReport]
ExportImportReport = Report[RecordOutcome]


@dataclass(frozen=True, slots=True)
class Candidate(Generic[Row]):
    """An entry to import.

    Attributes:
        entry: The entry as it would be recorded.
        row: Its outcome if it is added.
        verdict: The outcome and its reason, if the source itself gives one.
        below: What is below its statement.
        fills: Line of "Project State" to fill, if that is empty; "" for none.
    """

    entry: Entry
    row: Row
    verdict: tuple[str, str] | None = None
    below: str = ""
    fills: str = ""


@dataclass(slots=True)
class Import:
    """An import under way.

    Attributes:
        project: The project to import into.
        index: Its index, up to date.
        dry_run: Write nothing.
        progress: Called with the progress.
        written: Changed files.
        is_whole: All entries are written at once.
        alike: Entries with the same words are known, and those with other code are not; a memory
            of Mind may say a thing twice, and its entries are known by their text.
    """

    is_whole: ClassVar[bool] = False
    alike: ClassVar[bool] = True
    project: Project
    index: Index
    dry_run: bool
    progress: Progress
    written: dict[str, None] = field(default_factory=dict, init=False)

    def edit(self, path: Path, change: Callable[[bytes], bytes]) -> None:
        """Apply ``change`` to a file, or only compute it."""
        before = files.read(path) if self.dry_run else b""
        changed = (
            change(before) != before if self.dry_run else files.edit(path, change, create=True)
        )
        if changed:
            self.written[self.project.relative(path)] = None

    def take(self, candidates: Iterable[Candidate[Row]], most: int) -> Iterator[Row]:
        """Add the new ones of ``most`` candidates to MEMORY.md, and yield the outcome of each."""
        known = KnownMemory(self.project, self.index, alike=self.alike)
        batch: list[Candidate[Row]] = []
        for at, one in enumerate(candidates):
            self.progress("comparing", at, most)
            entry = known.numbered(one.entry)
            against = one.verdict or known.against(entry)
            if against:
                yield replace(one.row, outcome=against[0], reason=against[1])
                continue
            known.add(entry)
            batch.append(replace(one, entry=entry, row=replace(one.row, id=entry.id)))
            if len(batch) == BATCH and not self.is_whole:
                yield from self._added(batch)
                batch = []
        yield from self._added(batch) if batch else ()

    def _added(self, batch: Sequence[Candidate[Row]]) -> Iterator[Row]:
        """Write a batch atomically, and yield the outcomes."""
        name = self.project.relative(self.project.memory)
        told: dict[str, tuple[str, str]] = {}

        def with_them(source: bytes) -> bytes:
            told.clear()
            told_there = sync.entries(self.project, self.index, source)
            there = KnownEntries(told_there, alike=self.alike)
            new = {one.entry.id: one for one in batch if not there.why(one.entry)}
            for one in new.values():
                after = _filled(source, one)
                told.update({one.entry.id: ("added", "")} if after != source else {})
                source = after
            rest = [one.entry for key, one in new.items() if key not in told]
            below = {key: one.below for key, one in new.items() if one.below}
            made = additions.add(source, rest, name, self.project.settings, below)
            told.update({one.id: ("added", "") for one in made.added})
            told.update({one.entry.id: ("refused", one.reason) for one in made.refused})
            told.update({one.id: ("known", "the relation is stated") for one in made.stated})
            return made.source

        self.edit(self.project.memory, with_them)
        for one in batch:
            outcome, why = told.get(one.entry.id, ("known", "already in memory"))
            yield replace(one.row, outcome=outcome, reason=why)


def _filled(source: bytes, one: Candidate[Any]) -> bytes:
    """``source`` with an entry on the line that waits for it in Project State, if there is one."""
    blank = re.compile(rf"^- {one.fills}:[ \t]*(?=\r?$)".encode(), re.MULTILINE)
    found = blank.search(source) if one.fills else None
    if found is None:
        return source
    said = one.entry.text.removeprefix(f"{one.fills}: ")
    line = f"- {one.fills}: {said} [{ORIGIN}:: {one.entry.fields[ORIGIN]}]"
    return source[: found.start()] + line.encode("utf-8", "replace") + source[found.end() :]


AnyReport = TypeVar("AnyReport", bound=Report[Any])


def taken_in(at: Workspace, work: Callable[[datetime], AnyReport], dry_run: bool) -> AnyReport:
    """Run an import on an up-to-date index, and log it; a dry run starts no session."""
    visit = None if dry_run else at.visit()
    sync.refresh_whole(at.project, at.index)
    done = work(visit.now if visit else at.now())
    if visit and done.written:
        at.note(visit, "import", added=done.count("added"), refused=done.count("refused"))
    return done


class KnownEntries:
    """Entries by id and by words, which are those of their code too if it is compared."""

    def __init__(self, entries: Iterable[Entry], *, alike: bool) -> None:
        self._alike = alike
        self._ids: dict[str, str] = {}
        self._statements: dict[str, str] = {}
        self._texts: dict[str, str] = {}
        for one in entries:
            self.add(one)

    def _said(self, entry: Entry) -> str:
        return normalise(entry.whole if self._alike else entry.text)

    def add(self, entry: Entry) -> None:
        """Count it in."""
        text = self._said(entry)
        self._ids.setdefault(entry.id, text)
        self._statements.setdefault(entry.id, normalise(entry.text))
        self._texts.setdefault(text, entry.id)

    def why(self, entry: Entry) -> str:
        """Return the reason why ``entry`` is known; "" if it is not."""
        text = self._said(entry)
        if text in self._texts:
            return f"{self._texts[text]} says it"
        return f"{entry.id} has other words here" if entry.id in self._ids else ""

    def numbered(self, entry: Entry) -> Entry:
        """Return an entry with a free id if another one differs from it only in its code."""
        is_free = self._ids.get(entry.id, self._said(entry)) == self._said(entry)
        is_stated = self._statements.get(entry.id) == normalise(entry.text)
        if is_free or not is_stated or not self._alike or entry.id != content_id(entry.text):
            return entry
        ids = (f"{entry.id}-{number}" for number in count(2))
        return replace(entry, id=next(one for one in ids if one not in self._ids))


class KnownMemory:
    """Entries that a memory has or had, and those accepted for it."""

    def __init__(self, project: Project, index: Index, *, alike: bool) -> None:
        self._index = index
        self._alike = alike
        self._entries = KnownEntries(index.entries(), alike=alike)
        self._gone = validation.gone(project)
        self.numbered = self._entries.numbered

    def add(self, entry: Entry) -> None:
        """Add an accepted entry."""
        self._entries.add(entry)
        if self._alike:
            self._same.setdefault(_words_of(entry), entry.id)

    @cached_property
    def _same(self) -> dict[tuple[Kind, tuple[str, ...]], str]:
        """The ids of entries by kind and words."""
        known = self._index.entries(Filter(families=("memory",)))
        return {_words_of(one): one.id for one in reversed(known)}

    def against(self, entry: Entry) -> tuple[str, str] | None:
        """Return the outcome of an entry that is not imported, and the reason; None if it is."""
        why = self._entries.why(entry)
        if why or entry.kind not in validation.COMPARED:
            return ("known", why) if why else None
        if same := self._same.get(_words_of(entry)):
            return "known", f"{same} says the same"
        left = validation.same_among(self._gone, entry.text)
        return ("refused", f"forgotten on {left.day.isoformat()}: {left.reason}") if left else None


def _words_of(entry: Entry) -> tuple[Kind, tuple[str, ...]]:
    """Return the kind and the words of an entry, which its duplicates have too."""
    return entry.kind, said(entry.whole)


def credentials(*texts: str) -> str:
    """Return why texts are refused, with the types of their credentials; "" if there are none."""
    found = dict.fromkeys(one.name for text in texts for one in secrets.find(text))
    return f"contains a credential ({', '.join(found)})" if found else ""


@dataclass(slots=True)
class ToolImport(Import):
    """An import from another tool under way."""

    def run(self, memories: Iterable[ImportedNote], done: ImportReport) -> None:
        """Import ``memories`` and record their outcomes in ``done``.

        Raises:
            FileError: MEMORY.md cannot be written; earlier batches are.
        """
        wanted: dict[str, ImportedNote] = {}
        # of several for one line of the template, the first that the importer tells fills it
        in_order = sorted(
            memories, key=lambda one: (one.day or date.min, "" if one.fills else one.key)
        )
        for one in in_order:
            wanted.setdefault(_origin(one), one)
        done.rows = list(self.take(self._candidates(wanted), len(wanted)))
        done.written = tuple(sorted(self.written))

    def _candidates(self, wanted: Mapping[str, ImportedNote]) -> Iterator[Candidate[SourceReport]]:
        origins, notes = self._origins(), self._notes()
        for origin, one in wanted.items():
            entry, below = self._entry(one)
            row = SourceReport(
                record="relation" if entry.kind is Kind.RELATION else "entry",
                id=entry.id,
                text=entry.text,
                kind=entry.kind,
                key=origin,
                place=one.place,
                day=one.day,
            )
            verdict = ("known", origins[origin]) if origin in origins else None
            there = notes.get(_note_of(origin, one.text), set()) if "\n" in one.text else set()
            if not verdict and there and _words(one.text) <= there:
                verdict = ("known", "already imported in another form")
            if why := credentials(one.text, one.place, *one.tags):
                place, key = ("" if credentials(said) else said for said in (one.place, one.key))
                row = replace(row, id="", text="", place=place, key=_origin_of(one.source, key))
                verdict = ("refused", f"{place}: {why}" if place else why)
            yield Candidate(entry, row, verdict, below, one.fills)

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
        log = events.events(self.project.events) if over else ()
        restored = {
            unnumbered(id_) for event in log if event.name == "restore" for id_ in event.ids
        }
        for entry, note, successor in over:
            by = made.get(successor, "") if successor else ""
            outcome, why = "archived", f"superseded by {by}" if by else _ENDED
            if kept := self._kept(entry, note, restored):
                outcome, why = "kept", f"{why}, but {kept}"
            else:
                if not self.dry_run:
                    curation.forget(self.project, entry, why, day, replaced_by=by, acknowledge=True)
                self.written |= dict.fromkeys([name, self.project.relative(self.project.archive)])
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
        done.written = tuple(sorted(self.written))

    def _is_same(self, entry: Entry, note: ImportedNote) -> bool:
        return normalise(entry.text) == normalise(self._entry(note)[0].text)

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

    def _entry(self, one: ImportedNote) -> tuple[Entry, str]:
        """Return the entry of a memory, and what is below its statement."""
        tags = filter(self.project.settings.allows, one.tags)
        label = [f"{one.fills}:"] if one.fills and one.kind is not Kind.GOAL else []
        text, origin = " ".join([*label, one.text.strip()]), _origin(one)
        tagged = " ".join(f"#{tag}" for tag in tags)
        if "\n" in text and (
            made := additions.imported(
                one.kind, prose.stacked((text, tagged)), origin, self.project.settings
            )
        ):
            return replace(made[0], date=one.day), made[1]
        text = memory_file.unlabelled(one.kind, " ".join(f"{text} {tagged}".split()))
        return Entry(
            id=content_id(text), kind=one.kind, text=text, date=one.day, fields={ORIGIN: origin}
        ), ""


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
    told = Counter(one.key for one in (*wanted, *(one for one, _ in ended)))
    return {
        _origin(one): (one, _origin_of(one.source, by) if told[by] == 1 else "")
        for key, (one, by) in found.items()
        if told[key] == 1
    }


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
