"""Changing entries where they stand: marked, corrected, taken to the archive, put back.

Each change is a splice of the entry's own bytes. The entry is looked for anew in the file as it is
when it is written, so that a hand edit made in the meantime is met, and what is changed is read
again before it counts.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from mind.documents import archive, markdown, notebook, parser
from mind.documents.archive import Archived
from mind.domain.entry import Entry, Kind, Span, normalise, unnumbered
from mind.domain.errors import InputError, NotFound, Protected
from mind.memory import doubles, locating
from mind.ranking import heat
from mind.storage import archives, files
from mind.storage.project import Project
from mind.storage.templates import text as template

MOST_REASON = 1_024
"""Bytes of a reason."""

_REPEAT = re.compile(r"(?P<id>[0-9a-hjkmnp-tv-z]{8})-(?P<number>[1-9]\d{0,6})")
_BOM = b"\xef\xbb\xbf"

Change = Callable[[bytes, Entry], bytes]
"""The file and the entry in it → the file as it shall be."""


@dataclass(frozen=True, slots=True)
class Restored:
    """An entry that is back, where it stands, and since when and why it was away.

    ``along`` are the entries within it, which came along.
    """

    entry: Entry
    was: Archived
    along: tuple[Entry, ...] = ()


def checked_reason(reason: str) -> str:
    """``reason`` on one line.

    Raises:
        InputError: There is none, or it is too long.
    """
    folded = " ".join(reason.split())
    if not folded:
        raise InputError(
            "there is no reason", remedy="Say why: whoever notes the same again will be told."
        )
    if len(folded.encode("utf-8", "replace")) > MOST_REASON:
        raise InputError(
            f"the reason is longer than {MOST_REASON:,} bytes",
            remedy="Say it in a sentence or two.",
        )
    return folded


@dataclass(frozen=True, slots=True)
class Leaving:
    """An entry that goes to the archive, why, and the id of what takes its place, if anything."""

    entry: Entry
    reason: str
    replaced_by: str = ""


def forget(  # noqa: PLR0913 - what the archive keeps, by name only
    project: Project,
    entry: Entry,
    reason: str,
    day: date,
    *,
    replaced_by: str = "",
    acknowledge: bool = False,
) -> Archived:
    """Move ``entry`` to the archive, by its exact bytes.

    Raises:
        InputError: It stands in no file of the memory, or is no longer there.
        Protected: It is protected, or an entry within it, and that is not overridden.
    """
    leaving = [Leaving(entry, reason, replaced_by)]
    return forget_all(project, leaving, day, acknowledge=acknowledge)[0]


def forget_all(
    project: Project, leaving: Sequence[Leaving], day: date, *, acknowledge: bool = False
) -> list[Archived]:
    """Move entries of one file to the archive, each as if it were the only one.

    They leave from the last line up, so that none is moved by another, and what stands within
    another entry leaves before it.

    Raises:
        InputError: One stands in no file of the memory, or is no longer there; nothing is changed.
        Protected: One is protected, or an entry within it, and that is not overridden.
    """
    path = file_of(project, leaving[0].entry)
    order = sorted(leaving, key=lambda one: (-one.entry.span.start, one.entry.span.end))
    with files.lock(project.lock):  # who comes second finds what the first one left
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
        _keep(project, added)

        def gone(now: bytes) -> bytes:
            for one in order:
                now = _without(now, locating.located(project, now, one.entry).span)
            return now

        files.edit(path, gone)
        return archives.read(project.archive)[-len(leaving) :]


def archive_left_out(project: Project, day: date) -> None:
    """Keep in the archive what another program dropped from the memory, perhaps by accident."""
    if not files.left_out(project.memory):
        return
    name = project.relative(project.memory)
    with files.lock(project.lock):
        left = files.left_out(project.memory)
        known = archives.read(project.archive)
        added = b""
        for data in left:
            for entry in parser.parse(data, name, project.settings):
                kept = archive.block(
                    entry, data, day=day, reason=archive.MISSING, replaced_by="", known=known
                )
                known += archive.blocks(kept)
                added += kept
        if added:
            _keep(project, added)
        files.let_go(project.memory, left)


def _keep(project: Project, added: bytes) -> None:
    """Add blocks at the end of the archive."""

    def compose(tail: bytes) -> bytes:
        if not tail:
            return template("ARCHIVE.md").encode() + added
        return added if tail.endswith(b"\n") else b"\n" + added

    files.append(project.archive, compose)


def _renumbered(identifier: str, leaving: Sequence[Leaving]) -> str:
    """The id that an exact repeat has when those before it have left."""
    repeat = _REPEAT.fullmatch(identifier)
    if repeat is None:
        return identifier
    number, first = int(repeat["number"]), repeat["id"]
    names = [first, *(f"{first}-{at}" for at in range(2, number))]
    number -= len({one.entry.id for one in leaving}.intersection(names))
    return first if number == 1 else f"{first}-{number}"


def check_leaving(project: Project, entries: Sequence[Entry], *, acknowledge: bool = False) -> None:
    """Check that entries can be archived, before anything is written for it.

    Raises:
        InputError: One stands in no file of the memory, or is no longer there.
        Protected: One is protected, or an entry within it, and that is not overridden.
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
    """Decide whether entries may be archived: protected ones only if that is acknowledged.

    Returns:
        Ids of the protected entries, which the caller overrides.

    Raises:
        Protected: There are some, and they are not overridden.
    """
    reasons = {one.id: why for one in entries if (why := heat.protection(one))}
    if reasons and not acknowledge:
        raise Protected(reasons)
    return tuple(reasons)


def _with_inner(project: Project, entry: Entry, source: bytes) -> list[Entry]:
    """An entry as it is in ``source``, and the entries within it, which leave with it."""
    text = source[entry.span.start : entry.span.end]
    if len(text.splitlines()) < 2:
        return [entry]
    return [entry, *_read(project, text, entry.source, entry.section, entry.line)[1:]]


def _without_inner(project: Project, entry: Entry, source: bytes) -> Entry:
    """An entry with the span of its own lines, before the entries within it."""
    inner = _with_inner(project, entry, source)[1:]
    if not inner:
        return entry
    text = source[entry.span.start : entry.span.end]
    end = text.rfind(b"\n", 0, min(one.span.start for one in inner)) + 1
    return replace(entry, span=Span(entry.span.start, entry.span.start + end)) if end else entry


def _without(source: bytes, span: Span) -> bytes:
    return markdown.splice(source, [markdown.Edit(span, b"")])


def restore(project: Project, identifier: str) -> Restored:
    """Put what was archived under an id last back where it stood.

    An entry that left within another one comes back with that. What stands there all the same,
    because a process was killed over archiving or restoring it, stays as it is.

    Raises:
        NotFound: The archive has no such id.
    """
    wanted = identifier.strip().lstrip("^")
    with files.lock(project.lock):
        known = archives.read(project.archive)
        one = _archived_as(project, wanted, known)
        if one is None:
            raise NotFound(
                f"nothing in the archive has the id {identifier!r}",
                remedy="`mind archive list` shows what was forgotten.",
            )
        path = doubles.home_of(project, one)
        at = [0]
        is_there = one in doubles.doubles(project)

        def back(source: bytes) -> bytes:
            if is_there:
                at[0] = doubles.place(source, one)
                return source
            found = archive.place(source, one, known)
            at[0] = _read_at(source, len(source) if found is None else found)
            return _inserted(source, at, one.text)

        files.edit(path, back, create=True)
        files.edit(project.archive, lambda source: _taken(source, one))
    there = _restored(project, path, one, at[0])
    if there is None:
        raise NotFound(
            f"{wanted} is back in {project.relative(path)}, but reads as no entry there",
            remedy="Look at the file.",
        )
    return Restored(there, one, within(project, one))


def _archived_as(project: Project, wanted: str, known: Sequence[Archived]) -> Archived | None:
    """Return what was archived last under an id of its own, or of an entry within it."""
    own = (one for one in reversed(known) if one.id == wanted)
    around = (
        one for one in reversed(known) if any(wanted == inner.id for inner in within(project, one))
    )
    return next(own, None) or next(around, None)


def within(project: Project, one: Archived) -> tuple[Entry, ...]:
    """The entries that stood within an archived one, as in a nested list, and left with it."""
    if len(one.text.splitlines()) < 2:
        return ()
    return tuple(inner for inner in _entries_of(project, one)[1:] if inner.id != one.id)


def _restored(project: Project, path: Path, one: Archived, at: int) -> Entry | None:
    """The entry that ``one`` is, back at the offset ``at``."""
    source, span = files.read(path), Span(at, at + len(one.text))
    line = source.count(b"\n", 0, at) + 1
    alone = locating.alone(project, source, span, replace(_NOWHERE, section=one.section, line=line))
    if alone is not None and unnumbered(one.id) == alone.id:
        return replace(alone, source=project.relative(path))
    return locating.within(project, source, project.relative(path), span)


def _read_at(source: bytes, at: int) -> int:
    """``at``, or the beginning of the fence or comment that somebody put around it."""
    around = markdown.unended(source[:at])
    return around.start if around else at


def _inserted(source: bytes, at: list[int], text: bytes) -> bytes:
    begin, end = source[: at[0]], source[at[0] :]
    newline = b"\r\n" if b"\r\n" in source else b"\n"
    if begin not in (b"", _BOM) and not begin.endswith((b"\n", b"\r")):
        at[0] += len(newline)
        begin += newline
    if end and not text.endswith((b"\n", b"\r")):
        text += newline
    return begin + text + end


def _taken(source: bytes, one: Archived) -> bytes:
    """The archive without its last block that is the same as ``one``."""
    same = [
        other
        for other in archive.blocks(source)
        if (other.id, other.day, other.text) == (one.id, one.day, one.text)
    ]
    return _without(source, same[-1].span) if same else source


def prune(project: Project, before: date, *, dry_run: bool = False) -> list[Archived]:
    """Delete for good what was archived before a day; the only deletion there is."""
    old = [one for one in archives.read(project.archive) if one.day < before]
    if old and not dry_run:

        def without(source: bytes) -> bytes:
            gone = [one for one in archive.blocks(source) if one.day < before]
            return markdown.splice(source, [markdown.Edit(one.span, b"") for one in gone])

        files.edit(project.archive, without)
    return old


def mark(project: Project, entry: Entry, fields: Mapping[str, str]) -> Entry:
    """Write inline fields of ``entry``; "" takes one away.

    Raises:
        InputError: The entry is not in a file of the memory, or its form has no place for a field.
    """
    made: list[Entry] = []

    def marked(source: bytes, one: Entry) -> bytes:
        text = source[one.span.start : one.span.end]
        for attempt in notebook.marked(text, fields):
            after = markdown.splice(source, [markdown.Edit(one.span, attempt)])
            again = locating.again(project, source, after, one, len(attempt))
            if again and normalise(again.text) == normalise(one.text) and _has(again, fields):
                made[:] = [again]
                return after
        raise InputError(
            f"there is no place for a mark at {entry.where}",
            remedy="Write it by hand, as in `[verified:: 2026-01-31]` at the end of the entry.",
        )

    files.edit(file_of(project, entry), _changed(project, entry, marked))
    return made[-1]


def _has(entry: Entry, fields: Mapping[str, str]) -> bool:
    return all(entry.fields.get(name, "") == value for name, value in fields.items())


def rewrite(project: Project, entry: Entry, text: str, day: date) -> Entry:
    """Give ``entry`` another text in its place; the old one goes to the archive.

    The entry keeps its id (a block id is written for it), its day, kind, section and fields but
    for ``verified``: nobody has checked the new words.

    Raises:
        InputError: The text is empty, too long or the same; or the entry is in no file of memory.
    """
    line = notebook.line_for(entry.kind, text)
    text = notebook.unlabelled(entry.kind, text)
    if normalise(entry.text) == normalise(" ".join(text.split())):
        raise InputError(f"{entry.id} says that already")
    path = file_of(project, entry)
    made: list[Entry] = []
    by_hand = InputError(
        f"the entry at {entry.where} cannot be rewritten in its place",
        remedy=f"Edit it by hand, or forget {entry.id} and note it anew.",
    )

    def rewritten(now: bytes, whole: Entry) -> bytes:
        one = _without_inner(project, whole, now)
        old = now[one.span.start : one.span.end]
        if old.lstrip().startswith((b"|", b"#")):
            raise by_hand
        new = notebook.rewritten(old, line, entry)
        after = markdown.splice(now, [markdown.Edit(one.span, new)])
        again = locating.again(project, now, after, one, len(new))
        if again is None or again.id != entry.id:
            raise by_hand
        made[:] = [again]
        return after

    with files.lock(project.lock):
        source = files.read(path)
        _changed(project, entry, rewritten)(source)  # before anything is written
        there = _without_inner(project, locating.located(project, source, entry), source)
        there = replace(there, id=entry.id)
        known = archives.read(project.archive)
        kept = archive.block(
            there, source, day=day, reason="corrected", replaced_by=entry.id, known=known
        )
        _keep(project, kept)
        files.edit(path, _changed(project, entry, rewritten))
    return made[-1]


def file_of(project: Project, entry: Entry) -> Path:
    """Mind's own file in which ``entry`` stands.

    Raises:
        InputError: It stands in none.
    """
    paths = {project.relative(path): path for path in (project.memory, project.session)}
    if entry.source not in paths:
        where = f"commit {entry.commit[:10]}" if entry.commit else entry.where
        raise InputError(
            f"{entry.id} is not in Mind's files but at {where}",
            remedy="A commit stays as it is; a MEMORY: comment is changed in the source.",
        )
    return paths[entry.source]


def _changed(project: Project, entry: Entry, change: Change) -> Callable[[bytes], bytes]:
    return lambda source: change(source, locating.located(project, source, entry))


_NOWHERE = Entry(id="", kind=Kind.NOTE, text="")


def archived(project: Project, query: str = "") -> list[Archived]:
    """Return what the archive holds, the latest first; with a query only what has all its words."""
    words = query.casefold().split()
    return [
        one
        for one in reversed(archives.read(project.archive))
        if all(word in _said(one) for word in words)
    ]


def _said(one: Archived) -> str:
    return f"{one.id} {one.reason} {one.text.decode('utf-8', 'replace')}".casefold()


def entry_of(project: Project, one: Archived) -> Entry | None:
    """The entry that an archived text is, as it would be read where it stood."""
    found = _entries_of(project, one)
    return found[0] if found else None


def _entries_of(project: Project, one: Archived) -> list[Entry]:
    return _read(project, one.text, one.file, one.section, one.line)


def _read(
    project: Project, text: bytes, file: str, section: Sequence[str], line: int
) -> list[Entry]:
    start = parser.Start(tuple(enumerate(section, 1)), line)
    return parser.parse(text, file, project.settings, start)
