"""Appending to a file in place with one write, and restoring lost additions."""

import contextlib
import os
import re
import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import dropwhile
from pathlib import Path

from mind.documents.markdown import unended
from mind.domain.errors import ChangedMeanwhile, FileError
from mind.storage import gitindex
from mind.storage.files import recent
from mind.storage.files.beside import discard
from mind.storage.files.content import (
    NO_STAMP,
    GitVersions,
    Stamp,
    held,
    is_quiet,
    opened,
    part,
    read,
    refuse_other_encodings,
    resolved,
    stamp,
    translating,
    wait_until_quiet,
    wait_while_empty,
    whole,
)
from mind.storage.files.recent import Addition, Ring, State
from mind.storage.files.system import own_lock, sync_file, sync_folder
from mind.text import lazy_pattern

Compose = Callable[[bytes], bytes]

_ATTEMPTS = 20
_PATIENCE_SECONDS = 2.5
"""Longer than an editor takes between emptying and rewriting a file."""

_LONGEST_WAIT = 8
"""Longest wait for a restoration: so many times the seconds after which a file counts as complete.
The sooner it comes, the fewer editors read a file without the addition."""

Versions = Callable[[Path], GitVersions]
"""Finds git's versions of a file; none in doubt."""

_asked: list[Versions] = []

_HEADING = lazy_pattern(rb"#{1,6}\s|\s*$")
"""A heading, or a blank line."""

_BELOW = re.compile(rb"[ \t]+\S")
"""Begins a line that belongs to the item above it."""

_OPENINGS = (b"```", b"~~~", b"<")
"""Openings of fences and comments."""


def append(path: Path, compose: Compose, *, tail: int = 65536) -> bytes:
    """Append what ``compose`` makes of the file's last ``tail`` bytes, in one write.

    The file is created if missing. ``compose`` may be called again if another program replaces
    the file meanwhile. An entry that an editor overwrites with an older copy within seconds is
    restored by the next ``append``, ``edit`` or ``settle``.

    Returns:
        The added bytes; ``b""`` if ``compose`` returned none, and nothing was written.

    Raises:
        FileError: The disk is full, or the file is not writable; it is unchanged.
        ChangedMeanwhile: Another program kept replacing the file.
    """
    with own_lock(path), translating(path):
        ring = recent.ring_of(path)
        put_back(path, ring)
        for _ in range(_ATTEMPTS):
            descriptor, made = _open_end(path)
            added = _append_once(descriptor, path, compose, tail, ring, made=made)
            if added is None:
                continue
            is_owed = added.state is State.OWED
            if ring is None or not added.data or ring.add(added) or not is_owed:
                return added.data
            ring = None  # without a record nothing can be restored later
    raise ChangedMeanwhile(f"{path.name} is being replaced again and again", path=str(path))


def ask_git(versions: Versions) -> None:
    """Use ``versions`` in this process to tell what git took out of a file."""
    _asked[:] = [versions]


def settle(path: Path) -> bool:
    """Restore recent additions that were overwritten with an older copy.

    Takes no lock and reads hardly anything if only Mind has written the file.

    Returns:
        Whether anything was restored.

    Raises:
        FileError: Something has to be restored, and the file is not writable.
    """
    ring = recent.ring_of(path)
    last = ring.last() if ring else None
    if ring is None or last is None:
        return False
    is_as_left = True  # a missing file cannot be repaired
    with contextlib.suppress(OSError, FileError), held(opened(path, os.O_RDONLY)) as descriptor:
        is_as_left = _holds(descriptor, last)
    if is_as_left:
        return False
    with own_lock(path), translating(path):
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while (found := put_back(path, ring)) is None and time.monotonic() < deadline:
            time.sleep(0.01)
        if found is not None:
            _take_out_copies(path, ring)
    return bool(found)


def _take_out_copies(path: Path, ring: Ring) -> None:
    """Remove restored additions again where an editor saved its own copy of them since.

    A copy that appears more than ``recent.UNREST_SECONDS`` later was made by a person.
    """
    from mind.storage.files.replacing import edit  # noqa: PLC0415 - circular: it restores through this module

    with contextlib.suppress(OSError, FileError):  # duplicates can wait
        saved = min(path.stat().st_mtime_ns, time.time_ns())
        known = ring.load()
        restored = [
            one for one in known
            if one.times and saved - one.at < recent.UNREST_SECONDS * 10**9
        ]  # fmt: skip
        if restored:
            edit(path, lambda content: _once(restored, known, content))


def _once(restored: Sequence[Addition], known: Sequence[Addition], content: bytes) -> bytes:
    """Return ``content`` without second copies of restored additions, line for line.

    Of two copies the one with more below it stays, and so do headings above a copy.
    """
    spare = recent.spare_lines(known, content)
    for one in sorted(restored, key=lambda one: -len(one.data)):
        if not recent.has(one, spare):  # usually: looking for its place takes time
            continue
        item = list(dropwhile(_HEADING.match, one.data.strip(b"\r\n").splitlines()))
        whole_lines = rb"^" + rb"\r?\n".join(map(re.escape, item)) + rb"\r?(?:\n|\Z)"
        found = re.compile(whole_lines, re.MULTILINE)
        start = max(0, content.find(item[0])) if item else len(content)
        copies = list(found.finditer(content, start))
        plain = [copy for copy in copies if not _BELOW.match(content, copy.end())]
        if len(copies) > 1 and plain and recent.take(one, spare):
            content = content[: plain[-1].start()] + content[plain[-1].end() :]
    return content


def left_out(path: Path) -> list[bytes]:
    """List additions that are missing after another program saved the file, for no known reason.

    They are listed until :func:`let_go` is called. Reads hardly anything if there are none.
    """
    ring = recent.ring_of(path)
    last = ring.last() if ring else None
    if ring is None or last is None or last.stamp != NO_STAMP:
        return []
    return [one.data for one in ring.load() if one.state is State.LEFT_OUT]


def let_go(path: Path, archived: Sequence[bytes]) -> None:
    """Forget additions listed by :func:`left_out` once they are archived."""
    ring = recent.ring_of(path)
    if ring is None:
        return
    with own_lock(path), translating(path):
        ring.save(
            one.decided() if one.state is State.LEFT_OUT and one.data in archived else one
            for one in ring.load()
        )


def _holds(descriptor: int, last: Addition) -> bool:
    """Return whether the file is unchanged since ``last``.

    Equal stamps alone do not prove that: file system clocks tick in milliseconds.
    """
    same = stamp(os.fstat(descriptor)) == last.stamp
    return same and part(descriptor, last.offset, len(last.data)) == last.data


def put_back(path: Path, ring: Ring | None) -> bool | None:
    """Restore missing additions.

    Returns:
        Whether any were restored; None if some are due but the file is still being written.
        Additions that vanish again wait longer, up to a limit, because a slow editor may still be
        saving a file that looks quiet.
    """
    last = ring.last() if ring else None
    if ring is None or last is None:
        return False
    try:
        descriptor = opened(path, os.O_RDWR | os.O_APPEND)
    except FileNotFoundError:
        return False
    with held(descriptor):
        return False if _holds(descriptor, last) else _compare(descriptor, path, ring)


def _compare(descriptor: int, path: Path, ring: Ring) -> bool | None:
    status = os.fstat(descriptor)
    loaded = known = ring.load()
    content = whole(descriptor, path)
    refuse_other_encodings(content, path)
    if not recent.are_in(known, content):
        real = resolved(path)
        if gitindex.is_locked(str(real)):  # git may still be writing
            return False
        known = recent.set_aside(
            known, content, lambda: _asked[0](real) if _asked else GitVersions()
        )
    is_small = recent.is_small(known, content)
    judged = recent.judge(
        known, content, modified=status.st_mtime_ns, now=time.time_ns(), is_small=is_small
    )
    lost = [one for one in judged if one.state is State.OWED]
    if (lost or judged != known) and not _is_still(descriptor, status, lost, is_small):
        later = [new if new in lost else old for new, old in zip(judged, known, strict=True)]
        if later != loaded and not is_small:  # a small file shows too little
            ring.save(later)
        return None
    text, again = _again(content, lost)
    state = _written_again(descriptor, path, content, text)
    if state is None:
        return None
    ring.save([*(one for one in judged if one not in lost), *again], state)
    return bool(again)


def _is_still(
    descriptor: int, status: os.stat_result, lost: Sequence[Addition], is_small: bool
) -> bool:
    """Return whether no program seems to be saving the file, longer for what vanished again."""
    factor = min(max((1 << one.times for one in lost), default=1), _LONGEST_WAIT)
    if stamp(os.fstat(descriptor)) != stamp(status):
        return False
    return is_quiet(status, least=status.st_size) if is_small else is_quiet(status, factor)


def _again(content: bytes, lost: Sequence[Addition]) -> tuple[bytes, list[Addition]]:
    """Text that adds lost additions after ``content``, each on its own line, and their records."""
    text, again = _closing(content, lost[0].data) if lost else b"", []
    for one in lost:
        begins = (text or content)[-1:] in (b"", b"\n") or one.data.startswith((b"\n", b"\r\n"))
        data = one.data if begins else b"\n" + one.data
        at = len(content) + len(text)
        again.append(Addition(data, at, time.time_ns(), one.anchor, one.times + 1))
        text += data
    return text, again


def _closing(content: bytes, first: bytes) -> bytes:
    """End of a fence or comment that would swallow the text after it."""
    if not any(mark in content for mark in _OPENINGS):  # always parsing would starve others
        return b""
    swallowing = unended(content)
    if not swallowing or first.lstrip().startswith(swallowing.end):
        return b""
    return (b"" if content.endswith(b"\n") else b"\n") + swallowing.end + b"\n"


def _written_again(descriptor: int, path: Path, content: bytes, text: bytes) -> Stamp | None:
    """Append ``text`` in one write, and stamp the file; None if another program saved it meanwhile.

    Then it is taken back, because that version may have the same additions.
    """
    if text:
        _add(descriptor, text)
    with contextlib.suppress(OSError, FileError):  # the write succeeded; only this check failed
        state = stamp(os.fstat(descriptor))
        if whole(descriptor, path) == content + text:
            return state
        _take_back(descriptor, text)
        return None
    return NO_STAMP


def _append_once(  # noqa: PLR0913 - the parameters of append, and the open file
    descriptor: int,
    path: Path,
    compose: Compose,
    tail: int,
    ring: Ring | None,
    *,
    made: Path | None,
) -> Addition | None:
    """Write the addition; None if it must be composed again, as another program saved the file."""
    last = ring.last() if ring else None
    try:
        if made is None:
            least = recent.least_size([last]) if last else 0
            wait_while_empty(partial(os.fstat, descriptor), least)
        return _added(descriptor, path, compose, tail, ring, last=last)
    finally:
        is_empty = False
        with contextlib.suppress(OSError):
            is_empty = not os.fstat(descriptor).st_size
        os.close(descriptor)
        if made and is_empty:
            discard(made)


def _added(  # noqa: PLR0913 - as of _append_once
    descriptor: int,
    path: Path,
    compose: Compose,
    tail: int,
    ring: Ring | None,
    *,
    last: Addition | None,
) -> Addition | None:
    found = stamp(os.fstat(descriptor))
    refuse_other_encodings(part(descriptor, 0, 4), path)
    end = part(descriptor, max(0, found.size - tail), min(found.size, tail))
    data = compose(end)
    record = Addition(data, 0, time.time_ns(), recent.anchor_of(end))
    if not data:
        return record
    if stamp(os.fstat(descriptor)) != found:
        return None
    record = record._replace(offset=_add(descriptor, data))
    vouched = (last is None or last.stamp == found) and record.offset == found.size
    try:
        return _confirmed(descriptor, path, record, vouched=vouched, watched=ring is not None)
    except (OSError, FileError):  # the write succeeded; only this check failed
        return record


def _confirmed(
    descriptor: int, path: Path, record: Addition, *, vouched: bool, watched: bool
) -> Addition | None:
    """Return ``record`` if the addition is in the file that ``path`` now names, else None.

    Args:
        descriptor: Descriptor of the written file.
        path: Name of the file.
        record: The addition.
        vouched: No earlier addition was missing, so the stamp confirms them all.
        watched: Missing additions will be restored.
    """
    status = os.fstat(descriptor)
    if part(descriptor, record.offset, len(record.data)) != record.data:
        if watched:  # an editor is saving in place: the result is checked later
            return record._replace(state=State.OWED)
        wait_until_quiet(partial(os.fstat, descriptor))
    else:
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(path.stat(), status):
                return record._replace(stamp=stamp(status)) if vouched else record
    return record if recent.is_in(record.data, read(path)) else None


def _open_end(path: Path) -> tuple[int, Path | None]:
    """Descriptor for appending, and the file if it was created."""
    while True:
        try:
            with contextlib.suppress(FileNotFoundError):
                return opened(path, os.O_RDWR | os.O_APPEND), None
            real = resolved(path)
            descriptor = opened(real, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL)
        except FileExistsError:  # another process created it meanwhile
            continue
        sync_folder(real.parent)
        return descriptor, real


def _add(descriptor: int, data: bytes) -> int:
    """Append ``data``, all or nothing.

    Returns:
        Offset of its start.
    """
    start, done = 0, 0
    try:
        while done < len(data):
            count = os.write(descriptor, data[done:])
            done += count
            if done == count:
                start = os.lseek(descriptor, 0, os.SEEK_CUR) - count
        sync_file(descriptor)
    except BaseException:
        _take_back(descriptor, data[:done])
        raise
    return start


def _take_back(descriptor: int, partly: bytes) -> None:
    """Truncate a partial addition, if it is still the end of the file."""
    with contextlib.suppress(OSError):
        start = os.fstat(descriptor).st_size - len(partly)
        if start >= 0 and partly and part(descriptor, start, len(partly)) == partly:
            os.ftruncate(descriptor, start)
