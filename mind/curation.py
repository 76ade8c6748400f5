"""Changing entries where they stand: marked, corrected, taken to the archive, put back.

Each change is a splice of the entry's own bytes. The entry is looked for anew in the file as it is
when it is written, so that a hand edit made in the meantime is met, and what is changed is read
again before it counts.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from mind import archive, files, markdown, notebook, parser
from mind.archive import Archived
from mind.entry import Entry, Span, normalise
from mind.errors import InputError, NotFound
from mind.project import Project
from mind.templates import text as template

MOST_REASON = 1_024
"""Bytes of a reason."""

Change = Callable[[bytes, Entry], bytes]
"""The file and the entry in it → the file as it shall be."""


@dataclass(frozen=True, slots=True)
class Restored:
    """An entry that is back, where it stands, and since when and why it was away."""

    entry: Entry
    was: Archived


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


def forget(
    project: Project, entry: Entry, reason: str, day: date, *, replaced_by: str = ""
) -> Archived:
    """Move ``entry`` to the archive, by its exact bytes.

    Raises:
        InputError: It stands in no file of the memory, or is no longer there.
    """
    return forget_all(project, [Leaving(entry, reason, replaced_by)], day)[0]


def forget_all(project: Project, leaving: Sequence[Leaving], day: date) -> list[Archived]:
    """Move entries of one file to the archive, each as if it were the only one.

    Raises:
        InputError: One stands in no file of the memory, or is no longer there; nothing is changed.
    """
    path = _path(project, leaving[0].entry)
    known = files.read(project.archive)
    source, added = files.read(path), b"" if known else template("ARCHIVE.md").encode()
    for one in leaving:
        there = replace(_located(project, source, one.entry), id=one.entry.id)
        added += archive.block(
            there,
            source,
            day=day,
            reason=one.reason,
            replaced_by=one.replaced_by,
            known=known + added,
        )
        source = _without(source, there.span)
    # the archive first: a crash in between leaves entries twice, never nowhere
    files.append(project.archive, lambda _tail: added)

    def gone(now: bytes) -> bytes:
        for one in leaving:
            now = _without(now, _located(project, now, one.entry).span)
        return now

    files.edit(path, gone)
    return archive.read(project.archive)[-len(leaving) :]


def _without(source: bytes, span: Span) -> bytes:
    return markdown.splice(source, [markdown.Edit(span, b"")])


def restore(project: Project, identifier: str) -> Restored:
    """Put what was archived under an id last back where it stood.

    Raises:
        NotFound: The archive has no such id.
    """
    wanted = identifier.strip().lstrip("^")
    known = archive.read(project.archive)
    one = next((one for one in reversed(known) if one.id == wanted), None)
    if one is None:
        raise NotFound(
            f"nothing in the archive has the id {identifier!r}",
            remedy="`mind archive list` shows what was forgotten.",
        )
    path = project.session if one.file == project.relative(project.session) else project.memory
    at = [0]

    def back(source: bytes) -> bytes:
        found = archive.place(source, one, known)
        at[0] = len(source) if found is None else found
        return _inserted(source, at, one.text)

    files.edit(path, back, create=True)
    files.edit(project.archive, lambda source: _taken(source, one))
    entries = parser.parse(files.read(path), project.relative(path), project.settings)
    there = [entry for entry in entries if entry.span.start >= at[0]]
    if not there:
        raise NotFound(
            f"{wanted} is back in {project.relative(path)}, but reads as no entry there",
            remedy="Look at the file.",
        )
    return Restored(there[0], one)


def _inserted(source: bytes, at: list[int], text: bytes) -> bytes:
    begin, end = source[: at[0]], source[at[0] :]
    newline = b"\r\n" if b"\r\n" in source else b"\n"
    if begin and not begin.endswith(b"\n"):
        at[0] += len(newline)
        begin += newline
    if end and not text.endswith(b"\n"):
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
    old = [one for one in archive.read(project.archive) if one.day < before]
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
            again = _at(project, after, one, Span(one.span.start, one.span.start + len(attempt)))
            if again and normalise(again.text) == normalise(one.text) and _has(again, fields):
                made[:] = [again]
                return after
        raise InputError(
            f"there is no place for a mark at {entry.where}",
            remedy="Write it by hand, as in `[verified:: 2026-01-31]` at the end of the entry.",
        )

    files.edit(_path(project, entry), _changed(project, entry, marked))
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
    if normalise(entry.text) == normalise(" ".join(text.split())):
        raise InputError(f"{entry.id} says that already")
    path = _path(project, entry)
    source = files.read(path)
    there = replace(_located(project, source, entry), id=entry.id)
    known = files.read(project.archive)
    kept = archive.block(
        there, source, day=day, reason="corrected", replaced_by=entry.id, known=known
    )
    made: list[Entry] = []
    by_hand = InputError(
        f"the entry at {entry.where} cannot be rewritten in its place",
        remedy=f"Edit it by hand, or forget {entry.id} and note it anew.",
    )

    def rewritten(now: bytes, one: Entry) -> bytes:
        old = now[one.span.start : one.span.end]
        if old.lstrip().startswith((b"|", b"#")):
            raise by_hand
        new = notebook.rewritten(old, line, entry)
        after = markdown.splice(now, [markdown.Edit(one.span, new)])
        again = _at(project, after, one, Span(one.span.start, one.span.start + len(new)))
        if again is None or again.id != entry.id:
            raise by_hand
        made[:] = [again]
        return after

    _changed(project, entry, rewritten)(source)  # before anything is written
    head = b"" if known else template("ARCHIVE.md").encode()
    files.append(project.archive, lambda _tail: head + kept)
    files.edit(path, _changed(project, entry, rewritten))
    return made[-1]


def _path(project: Project, entry: Entry) -> Path:
    paths = {project.relative(path): path for path in (project.memory, project.session)}
    if entry.source not in paths:
        where = f"commit {entry.commit[:10]}" if entry.commit else entry.where
        raise InputError(
            f"{entry.id} is not in Mind's files but at {where}",
            remedy="A commit stays as it is; a MEMORY: comment is changed in the source.",
        )
    return paths[entry.source]


def _changed(project: Project, entry: Entry, change: Change) -> Callable[[bytes], bytes]:
    return lambda source: change(source, _located(project, source, entry))


def _located(project: Project, source: bytes, entry: Entry) -> Entry:
    """``entry`` in ``source``: at its span, or wherever it has moved to."""
    there = _at(project, source, entry, entry.span)
    if there is not None and there.text == entry.text:
        return there
    found = [
        one
        for one in parser.parse(source, entry.source, project.settings)
        if one.text == entry.text
    ]
    if not found:
        raise NotFound(f"{entry.id} is no longer in {entry.source}", remedy="Search for it again.")
    return min(found, key=lambda one: abs(one.line - entry.line))


def _at(project: Project, source: bytes, entry: Entry, span: Span) -> Entry | None:
    """The entry that ``span`` of ``source`` is, if it is just one."""
    if span.end > len(source) or not _is_on_lines(source, span):
        return None
    start = parser.Start(
        tuple((level, text) for level, text in enumerate(entry.section, 1)),
        entry.line,
        span.start,
    )
    found = parser.parse(source[span.start : span.end], entry.source, project.settings, start)
    return found[0] if len(found) == 1 else None


def _is_on_lines(source: bytes, span: Span) -> bool:
    """Whether it begins and ends with lines: half of one can read as an entry that was there."""
    begins = span.start == 0 or source[span.start - 1 : span.start] == b"\n"
    last, after = source[span.end - 1 : span.end], source[span.end : span.end + 1]
    return begins and (last == b"\n" or after in (b"", b"\r", b"\n"))


def archived(project: Project, query: str = "") -> list[Archived]:
    """What the archive holds, the latest first; with a query only what has all its words."""
    words = query.casefold().split()
    return [
        one
        for one in reversed(archive.read(project.archive))
        if all(word in _said(one) for word in words)
    ]


def _said(one: Archived) -> str:
    return f"{one.id} {one.reason} {one.text.decode('utf-8', 'replace')}".casefold()


def entry_of(project: Project, one: Archived) -> Entry | None:
    """The entry that an archived text is, as it would be read where it stood."""
    start = parser.Start(tuple((at, text) for at, text in enumerate(one.section, 1)), one.line)
    found = parser.parse(one.text, one.file, project.settings, start)
    return found[0] if found else None
