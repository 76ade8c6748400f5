"""Changing a file anywhere: the new content takes the place of the old one in one step.

Editors take no lock. So the file is compared before it is replaced, what was replaced is looked
at once more, and what somebody saved in between is changed instead, not overwritten.
"""

import contextlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from mind.domain.errors import ChangedMeanwhile, FileError
from mind.storage.files import beside, inplace, recent
from mind.storage.files.appending import put_back
from mind.storage.files.content import NO_STAMP, read, refuse_other_encodings, resolved
from mind.storage.files.faults import translating
from mind.storage.files.locks import own_lock
from mind.storage.files.merging import merge
from mind.storage.files.recent import Record, Ring
from mind.storage.files.standing import Done, Standing, put, standing_at

Change = Callable[[bytes], bytes]

PATIENCE_SECONDS = 5.0
"""How long an edit tries again while somebody else keeps changing the file."""

_WEEK = 7 * 24 * 3600


def edit(path: Path, change: Change, *, create: bool = False) -> bool:
    """Replace the content of ``path`` by ``change(content)``; equal bytes write nothing.

    ``change`` may be called several times: it is applied to whatever the file holds when it is
    replaced. Mode, owner, hard links and a symbolic link stay.

    Args:
        path: The file.
        change: Gets all bytes, ``b""`` for a missing file, and gives all bytes.
        create: Make the file if it is missing; else it stays missing.

    Returns:
        Whether the file was changed.

    Raises:
        FileError: It cannot be written; it is as it was before.
        ChangedMeanwhile: Somebody else kept changing it.
    """
    with own_lock(path), translating(path):
        ring = recent.ring_of(path)
        if ring is not None:
            put_back(path, ring)
        real = resolved(path)
        inplace.recover(real)
        done = _edited(real, change, ring, create=create)
        if done is None:
            return False
        _sweep(real, done.after)
        if ring is not None:
            _note(ring, path, done)
        return True


def _edited(path: Path, change: Change, ring: Ring | None, *, create: bool) -> Done | None:
    """Change until it holds; None if there is nothing to change."""
    done: Done | None = None
    for patient in _attempts():
        with standing_at(path, ring) as standing:
            if not (standing.there or create or done):
                return None
            refuse_other_encodings(standing.content, path)
            source, after = _wanted(change, standing, done)
            if ring is not None:
                _let_leave(ring, source, after)
            made = put(path, standing, after, patient=patient)
        if made is None:
            continue
        made = made._replace(source=source)
        if done is not None:
            _let_go(done)
            made = made._replace(stamp=NO_STAMP)
        if made.late is None:
            return made if done is not None or after != source else None
        done = made
    raise _given_up(path, done)


def _attempts() -> Iterator[bool]:
    """Whether to wait for who is writing the file: every other time, as long as patience lasts."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    patient = True
    while time.monotonic() < deadline:
        yield patient
        patient = not patient


def _wanted(change: Change, standing: Standing, done: Done | None) -> tuple[bytes, bytes]:
    """What to change, and what it becomes.

    Usually that is what stands there. If something was saved into the file that we replaced, it
    is that; if yet another version was put in place of ours, it is all of them together.
    """
    if done is None or done.late is None:
        return standing.content, change(standing.content)
    saved = merge(done.before, done.source, done.late)
    if standing.content == done.after or not standing.there:
        return saved, change(saved)
    source = merge(done.before, standing.content, saved)
    return source, merge(done.before, source, done.after)  # it may hold the change already


def _let_go(done: Done) -> None:
    if done.displaced is not None:
        beside.discard(done.displaced)


def _given_up(path: Path, done: Done | None) -> ChangedMeanwhile:
    if done is None:
        return ChangedMeanwhile(f"{path} keeps changing", path=str(path))
    kept = str(done.displaced)
    return ChangedMeanwhile(
        f"{path} keeps changing",
        remedy=f"Close it in the editor; what was saved while it changed is in {kept}.",
        path=str(path),
        kept=kept,
    )


def _note(ring: Ring, path: Path, done: Done) -> None:
    """Remember what was inserted, and forget what was taken out."""
    now = time.time_ns()
    inserted = recent.insertion(done.source, done.after)
    if inserted:
        offset, data = inserted
        anchor = recent.anchor_of(done.source[:offset], done.source[offset:])
        ring.add(Record(data, offset, now, anchor, recent.branch_of(path), stamp=done.stamp))
        return
    kept = recent.remaining(ring.load(), done.source, done.after)
    kept = [one for one in kept if one.data or one.anchor]
    ring.save([*kept, Record(b"", 0, now, stamp=done.stamp)])


def _let_leave(ring: Ring, source: bytes, after: bytes) -> None:
    """Decide what is about to be taken out: killed right after that, it must not be put back."""
    records = ring.load()
    kept = recent.remaining(records, source, after)
    if kept != records:
        ring.save(kept)


def _sweep(path: Path, content: bytes) -> None:
    """Delete what killed processes left beside the file, if nothing is in it that is not here."""
    with contextlib.suppress(OSError, FileError):
        for left in beside.left_behind(path):
            old = time.time() - left.stat().st_mtime > _WEEK
            if old or recent.is_in(read(left), content):
                beside.discard(left)
