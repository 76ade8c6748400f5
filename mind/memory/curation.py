"""Changes of entries in their files: mark, correct, archive, restore.

Each change is a splice of the entry's own bytes. The entry is located again in the current file
just before writing, so that concurrent hand edits are respected, and the result is parsed again
before it is accepted.
"""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from pathlib import Path

from mind.documents import archive, markdown, memory_file, parser
from mind.documents.archive import Archived
from mind.domain.entry import KEYWORDS, Entry, Span, normalise, unnumbered
from mind.domain.errors import InputError, NotFound, Protected
from mind.memory import duplicates, locating
from mind.ranking import heat
from mind.storage import archives, files
from mind.storage.files.content import BOM
from mind.storage.project import Project
from mind.storage.templates import text as template

MOST_REASON = 1_024
"""Maximum bytes of a reason."""

Check = Callable[[Entry, Entry], bool]
"""Returns whether an entry, before and after a change, is as it is meant."""
Versions = Callable[[bytes], Iterable[tuple[bytes, Check]]]
"""Function from an entry's lines to versions of them, each with its check."""


@dataclass(frozen=True, slots=True)
class Restored:
    """A restored entry, its archived block, and the nested entries restored ``along`` with it."""

    entry: Entry
    was: Archived
    along: tuple[Entry, ...] = ()


def checked_reason(reason: str) -> str:
    """Return ``reason`` on one line.

    Raises:
        InputError: It is empty or too long.
    """
    folded = " ".join(reason.split())
    if not folded:
        raise InputError(
            "the reason is missing", remedy="Give one; it is shown when the same is logged again."
        )
    if len(folded.encode("utf-8", "replace")) > MOST_REASON:
        raise InputError(
            f"the reason is longer than {MOST_REASON:,} bytes",
            remedy="Shorten it to a sentence or two.",
        )
    return folded


@dataclass(frozen=True, slots=True)
class Leaving:
    """An entry to archive, the reason, and the id of its replacement, if any."""

    entry: Entry
    reason: str
    replaced_by: str = ""


def forget(  # noqa: PLR0913 - independent options, by name only
    project: Project,
    entry: Entry,
    reason: str,
    day: date,
    *,
    replaced_by: str = "",
    acknowledge: bool = False,
) -> Archived:
    """Archive the exact bytes of ``entry``.

    Raises:
        InputError: The entry is not in a file of the memory, or no longer exists.
        Protected: It, or a nested entry, is protected, and this is not acknowledged.
    """
    leaving = [Leaving(entry, reason, replaced_by)]
    return forget_all(project, leaving, day, acknowledge=acknowledge)[0]


def forget_all(
    project: Project, leaving: Sequence[Leaving], day: date, *, acknowledge: bool = False
) -> list[Archived]:
    """Archive several entries of one file, each as if alone.

    They are removed from the last line up, so that positions stay valid, and nested entries are
    removed before the entry that contains them.

    Raises:
        InputError: One is not in a file of the memory, or no longer exists; nothing is changed.
        Protected: One, or a nested entry, is protected, and this is not acknowledged.
    """
    path = file_of(project, leaving[0].entry)
    order = sorted(leaving, key=lambda one: (-one.entry.span.start, one.entry.span.end))
    with files.lock(project.lock):  # a second process must see the result of the first
        known = archives.read(project.archive)
        source, added = files.read(path), b""
        for one in order:
            there = replace(locating.located(project, source, one.entry), id=one.entry.id)
            refuse_protected(_with_inner(project, there, source), acknowledge=acknowledge)
            kept = archive.block(
                there,
                source,
                day=day,
                reason=one.reason,
                replaced_by=_renumbered(one.replaced_by, leaving),
                known=known,
            )
            known += archive.blocks(kept)
            added += kept
            source = _without(source, there.span)
        # the archive first: a crash in between leaves entries twice, never nowhere
        add_archived(project, added)

        def gone(now: bytes) -> bytes:
            for one in order:
                now = _without(now, locating.located(project, now, one.entry).span)
            return now

        files.edit(path, gone)
        return archives.read(project.archive)[-len(leaving) :]


def archive_left_out(project: Project, day: date) -> None:
    """Archive entries that another program dropped from the memory, perhaps by accident.

    One that it only moved or wrote in another form is still there.
    """
    name = project.relative(project.memory)
    with files.lock(project.lock):
        left = files.left_out(project.memory)
        known = archives.read(project.archive)
        there = parser.parse(files.read(project.memory), name, project.settings)
        live = {one.id for one in there}
        added = b""
        for data in left:
            for entry in parser.parse(data, name, project.settings):
                if entry.id in live:
                    continue
                kept = archive.block(
                    entry, data, day=day, reason=archive.MISSING, replaced_by="", known=known
                )
                known += archive.blocks(kept)
                added += kept
        if added:
            add_archived(project, added)
        files.let_go(project.memory, left)


def add_archived(project: Project, added: bytes) -> None:
    """Add blocks at the end of the archive."""

    def compose(tail: bytes) -> bytes:
        if not tail:
            return template("ARCHIVE.md").encode() + added
        return added if tail.endswith(b"\n") else b"\n" + added

    files.append(project.archive, compose)


def _renumbered(identifier: str, leaving: Sequence[Leaving]) -> str:
    """Return the id of an exact repeat after earlier repeats were archived."""
    first = unnumbered(identifier)
    if first == identifier:
        return identifier
    number = int(identifier.removeprefix(f"{first}-"))
    names = [first, *(f"{first}-{at}" for at in range(2, number))]
    number -= len({one.entry.id for one in leaving}.intersection(names))
    return first if number == 1 else f"{first}-{number}"


def check_leaving(project: Project, entries: Sequence[Entry], *, acknowledge: bool = False) -> None:
    """Check that entries can be archived, before anything is written for it.

    Raises:
        InputError: One is not in a file of the memory, or no longer exists.
        Protected: One, or a nested entry, is protected, and this is not acknowledged.
    """
    sources: dict[Path, bytes] = {}
    leaving: list[Entry] = []
    for one in entries:
        path = file_of(project, one)
        if path not in sources:
            sources[path] = files.read(path)
        there = replace(locating.located(project, sources[path], one), id=one.id)
        leaving += _with_inner(project, there, sources[path])
    refuse_protected(leaving, acknowledge=acknowledge)


def refuse_protected(entries: Sequence[Entry], *, acknowledge: bool) -> tuple[str, ...]:
    """Check that entries may be archived: protected ones only if acknowledged.

    Returns:
        Ids of the protected entries whose archiving was acknowledged.

    Raises:
        Protected: There are some, and this is not acknowledged.
    """
    reasons = {one.id: why for one in entries if (why := heat.protection(one))}
    if reasons and not acknowledge:
        can_be_solved = any(one.kind.traits.has_status for one in entries if one.id in reasons)
        raise Protected(reasons, can_be_solved=can_be_solved)
    return tuple(reasons)


def _with_inner(project: Project, entry: Entry, source: bytes) -> list[Entry]:
    """Return an entry in ``source`` and its nested entries, which are archived with it."""
    text = source[entry.span.start : entry.span.end]
    if len(text.splitlines()) < 2:
        return [entry]
    return [entry, *_read(project, text, entry.source, entry.section, entry.line)[1:]]


def _without_inner(project: Project, entry: Entry, source: bytes) -> Entry:
    """Return an entry with the span of its own lines, without its nested entries."""
    inner = _with_inner(project, entry, source)[1:]
    if not inner:
        return entry
    text = source[entry.span.start : entry.span.end]
    end = text.rfind(b"\n", 0, min(one.span.start for one in inner)) + 1
    return replace(entry, span=Span(entry.span.start, entry.span.start + end)) if end else entry


def _without(source: bytes, span: Span) -> bytes:
    return markdown.splice(source, [markdown.Edit(span, b"")])


def restore(
    project: Project, identifier: str, live: Entry | None = None, day: date | None = None
) -> Restored:
    """Restore the latest archived entry with an id to its place.

    A nested entry that was archived with another one is restored with that one. An earlier wording
    of a current entry takes its place, and the current one goes to the archive. If the entry is in
    the file already, because a process was killed while archiving or restoring, it is kept.

    Args:
        project: The project.
        identifier: Id of the archived entry.
        live: The current entry with this id, if there is one.
        day: Today; by default that of the archived entry.

    Raises:
        NotFound: No archived entry has this id.
        InputError: The current entry with this id is not in a file of the memory.
    """
    wanted = identifier.strip().lstrip("^")
    with files.lock(project.lock):
        known = archives.read(project.archive)
        one = _archived_as(project, wanted, known)
        if one is None:
            raise NotFound(
                f"no archived entry has the id {identifier!r}",
                remedy="List archived entries with `mind archive list`.",
            )
        path = duplicates.home_of(project, one)
        at = [0]
        is_there = one in duplicates.doubles(project)
        same = live if live and live.id == one.id and not is_there else None
        later = same if same and _is_earlier(project, one, same) else None
        if same and not later and one.reason == archive.MISSING:  # it was not lost
            files.edit(project.archive, lambda source: _taken(source, one))
            return Restored(same, one)
        if later:
            path = file_of(project, later)
            _archive_wording(project, later, day or one.day, known)

        def back(source: bytes) -> bytes:
            if is_there:
                at[0] = duplicates.place(source, one)
                return source
            if later:
                own = _own(project, source, later).span
                at[0], source = own.start, _without(source, own)
            else:
                found = archive.place(source, one, known)
                at[0] = _read_at(source, len(source) if found is None else found)
            return _inserted(source, at, one.text)

        files.edit(path, back, create=True)
        files.edit(project.archive, lambda source: _taken(source, one))
    span = Span(at[0], at[0] + len(one.text))
    there = locating.within(project, files.read(path), project.relative(path), span)
    if there is None:
        raise NotFound(
            f"{wanted} was restored to {project.relative(path)}, but is not parsed as an entry",
            remedy="Check the file.",
        )
    return Restored(there, one, within(project, one))


def _is_earlier(project: Project, one: Archived, live: Entry) -> bool:
    """Return whether a block is an earlier wording of a current entry with its id."""
    was = entry_of(project, one)
    return was is not None and normalise(was.whole) != normalise(live.whole)


def _own(project: Project, source: bytes, entry: Entry) -> Entry:
    """Return ``entry`` as it is in ``source``, with the span of its own lines."""
    there = _without_inner(project, locating.located(project, source, entry), source)
    return replace(there, id=entry.id)


def _archive_wording(project: Project, entry: Entry, day: date, known: Sequence[Archived]) -> None:
    """Keep a wording in the archive that another one replaces."""
    source = files.read(file_of(project, entry))
    there = _own(project, source, entry)
    add_archived(
        project,
        archive.block(
            there, source, day=day, reason="corrected", replaced_by=entry.id, known=known
        ),
    )


def _archived_as(project: Project, wanted: str, known: Sequence[Archived]) -> Archived | None:
    """Return the latest archived block with an id, else the latest that contains such an entry."""
    own = (one for one in reversed(known) if one.id == wanted)
    around = (
        one for one in reversed(known) if any(wanted == inner.id for inner in within(project, one))
    )
    return next(own, None) or next(around, None)


def within(project: Project, one: Archived) -> tuple[Entry, ...]:
    """Return the nested entries of an archived one, as in a nested list."""
    if len(one.text.splitlines()) < 2:
        return ()
    return tuple(inner for inner in _entries_of(project, one)[1:] if inner.id != one.id)


def _read_at(source: bytes, at: int) -> int:
    """Return ``at``, or the start of a fence or comment that now surrounds it."""
    around = markdown.unended(source[:at])
    return around.start if around else at


def _inserted(source: bytes, at: list[int], text: bytes) -> bytes:
    begin, end = source[: at[0]], source[at[0] :]
    newline = markdown.line_end(source)
    if begin not in (b"", BOM) and not begin.endswith((b"\n", b"\r")):
        at[0] += len(newline)
        begin += newline
    if end and not text.endswith((b"\n", b"\r")):
        text += newline
    return begin + text + end


def _taken(source: bytes, one: Archived) -> bytes:
    """Return the archive without the last block equal to ``one``."""
    same = [
        other
        for other in archive.blocks(source)
        if (other.id, other.day, other.text) == (one.id, one.day, one.text)
    ]
    return _without(source, same[-1].span) if same else source


def prune(project: Project, before: date, *, dry_run: bool = False) -> list[Archived]:
    """Permanently delete what was archived before a day; nothing else ever deletes entries."""
    old = [one for one in archives.read(project.archive) if one.day < before]
    if old and not dry_run:

        def without(source: bytes) -> bytes:
            gone = [one for one in archive.blocks(source) if one.day < before]
            return markdown.splice(source, [markdown.Edit(one.span, b"") for one in gone])

        files.edit(project.archive, without)
    return old


def mark(
    project: Project, entry: Entry, fields: Mapping[str, str], *, dry_run: bool = False
) -> Entry:
    """Write inline fields of ``entry``; "" removes one. With ``dry_run``, only check that it can.

    Raises:
        InputError: The entry is not in a file of the memory, or its form allows no field.
    """
    example = " ".join(f"[{name}:: {value}]" for name, value in fields.items())

    def is_marked(before: Entry, after: Entry) -> bool:
        has_all = all(after.fields.get(name, "") == value for name, value in fields.items())
        return has_all and normalise(after.text) == normalise(before.text)

    return _changed(
        project,
        entry,
        lambda text: ((new, is_marked) for new in memory_file.marked(text, fields)),
        InputError(
            f"cannot add a mark at {entry.where}",
            remedy=f"Add it by hand, such as `{example}` at the end of the entry.",
        ),
        dry_run=dry_run,
    )


def _changed(
    project: Project, entry: Entry, versions: Versions, refusal: InputError, *, dry_run: bool
) -> Entry:
    """Replace the entry's own lines by the first version that is read as it is meant.

    Raises:
        InputError: The entry is not in a file of the memory; or none is, which is ``refusal``.
    """
    path = file_of(project, entry)
    made: list[Entry] = []

    def change(source: bytes) -> bytes:
        one = _own(project, source, entry)
        for new, is_meant in versions(source[one.span.start : one.span.end]):
            after = markdown.splice(source, [markdown.Edit(one.span, new)])
            again = locating.again(project, source, after, one, len(new))
            if again and is_meant(one, again):
                made[:] = [again]
                return after
        raise refusal

    if dry_run:
        change(files.read(path))
    else:
        files.edit(path, change)
    return made[-1]


def give_keywords(project: Project, entry: Entry, keywords: Sequence[str]) -> Entry:
    """Add keywords to those of ``entry`` if it stands in a file of the memory."""
    names = memory_file.keywords_of(entry.keywords, keywords)
    if names != memory_file.keywords_of(entry.keywords):
        with contextlib.suppress(InputError):
            return mark(project, entry, {KEYWORDS: names})
    return entry


def rewrite(project: Project, entry: Entry, text: str, day: date) -> Entry:
    """Replace the text of ``entry`` in place; the old version goes to the archive.

    One line replaces the statement: the list, table and code below it stay. Several replace all.
    The entry keeps its id (written as a block id), day, kind, section and fields, except
    ``verified``, as nobody has checked the new text.

    Raises:
        InputError: The text is empty, too long or unchanged; or the entry is not in a file of the
            memory.
    """
    plain = memory_file.line_for(entry.kind, text, project.settings)
    escaped = memory_file.line_for(entry.kind, text)
    said = parser.parse_line(plain, project.settings)
    refuse_unchanged(entry, memory_file.unlabelled(entry.kind, text))
    by_hand = InputError(
        f"the entry at {entry.where} cannot be rewritten in place",
        remedy=f"Edit it by hand, or forget {entry.id} and log it again.",
    )

    def is_meant(line: str, _: Entry, after: Entry) -> bool:
        is_said = said is not None and after.whole == said.whole
        return after.id == entry.id and (line == escaped or is_said)

    def versions(old: bytes) -> Iterator[tuple[bytes, Check]]:
        if not old.lstrip().startswith((b"|", b"#")):
            for line in dict.fromkeys((plain, escaped)):
                yield memory_file.rewritten(old, line, entry), partial(is_meant, line)

    with files.lock(project.lock):
        _changed(project, entry, versions, by_hand, dry_run=True)  # before anything is written
        _archive_wording(project, entry, day, archives.read(project.archive))
        return _changed(project, entry, versions, by_hand, dry_run=False)


def refuse_unchanged(entry: Entry, text: str) -> None:
    """Reject a correction of ``entry`` that changes nothing.

    Raises:
        InputError: It already says ``text``.
    """
    if normalise(text) in {normalise(entry.whole), normalise(entry.statement)}:
        raise InputError(f"{entry.id} already says that")


def file_of(project: Project, entry: Entry) -> Path:
    """Return the file of Mind that contains ``entry``.

    Raises:
        InputError: None does.
    """
    paths = {project.relative(path): path for path in (project.memory, project.session)}
    if entry.source not in paths:
        where = f"commit {entry.commit[:10]}" if entry.commit else entry.where
        raise InputError(
            f"{entry.id} is not in Mind's files but at {where}",
            remedy="Commits cannot be changed; edit a MEMORY: comment in the source.",
        )
    return paths[entry.source]


def archived(project: Project, query: str = "") -> list[Archived]:
    """Return archived entries, latest first; with a query, only those with all its words."""
    words = query.casefold().split()
    return [
        one
        for one in reversed(archives.read(project.archive))
        if all(word in _said(one) for word in words)
    ]


def _said(one: Archived) -> str:
    return f"{one.id} {one.reason} {one.text.decode('utf-8', 'replace')}".casefold()


def entry_of(project: Project, one: Archived) -> Entry | None:
    """Return the entry in an archived text, parsed as in its original place."""
    found = _entries_of(project, one)
    return found[0] if found else None


def _entries_of(project: Project, one: Archived) -> list[Entry]:
    return _read(project, one.text, one.file, one.section, one.line)


def _read(
    project: Project, text: bytes, file: str, section: Sequence[str], line: int
) -> list[Entry]:
    start = parser.ChunkStart(tuple(enumerate(section, 1)), line)
    return parser.parse(text, file, project.settings, start)
