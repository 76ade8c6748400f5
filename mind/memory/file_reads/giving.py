"""What a session is given when it reads a file: all of it, what changed, or that nothing did."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from mind.domain.errors import InputError
from mind.memory.file_reads.changes import changed, diff, digest, is_like_an_answer, lines_of
from mind.memory.file_reads.content import Content, content
from mind.memory.file_reads.kept import CUT, Kept, Known
from mind.memory.file_reads.place import bytes_of, located


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What to read.

    Attributes:
        path: From the project's root, or absolute.
        start: The first line, from 1.
        limit: How many lines; 0 for as many as fit.
        whole: Give it again, whether the session has it or not.
    """

    path: str
    start: int = 1
    limit: int = 0
    whole: bool = False

    def check(self) -> "Asked":
        """It, if its numbers are in range.

        Raises:
            InputError: One is not.
        """
        for name, number, low in (("offset", self.start, 1), ("limit", self.limit, 0)):
            if not low <= number < 2**31:
                raise InputError(f"{name} is {number}", remedy=f"Use a number from {low} on.")
        return self


@dataclass(frozen=True, slots=True)
class Given:
    """An answer.

    Attributes:
        text: What the model is shown; never more characters than the file has.
        known: What the session has then, and the answer stands for.
    """

    text: str
    known: Known


def give(  # noqa: PLR0913 - what a session is, and what it may read, by name
    asked: Asked,
    *,
    root: Path,
    others: Sequence[Path],
    cache: Path,
    client: str,
    session: str,
    most: int,
    now: datetime,
) -> Given:
    """Read a file for a session.

    Args:
        asked: What to read.
        root: The project's root.
        others: Folders besides that the client states as its roots.
        cache: ``.mind/cache``.
        client: The client's name for its session; "" if it gave none.
        session: Mind's name for it.
        most: Characters of the longest answer.
        now: The time.

    Raises:
        InputError: No path, a number out of range, or a file that is binary, too large, or made
            for credentials; or one that cannot be told from an answer.
        PathOutside: It leads out of the folders.
        NotFound: There is no such file.
        FileError: It cannot be read.
    """
    asked.check()
    real = located(asked.path, root, others)
    file = content(bytes_of(real, asked.path), asked.path)
    kept = Kept(cache, client, session, real)
    before = None if asked.whole else kept.get(asked.start, asked.limit)
    given = answer(file, asked, before, most)
    kept.put(asked.start, asked.limit, given.known, now)
    _continue(kept, file, asked, given.known, now)
    return given


def _continue(kept: Kept, file: Content, asked: Asked, known: Known, now: datetime) -> None:
    """A page that follows on what the session has from the first line on is added to that."""
    first = kept.get(1, 0) if asked.start > 1 and known.lines > 0 else None
    if first is None or first.complete or first.lines != asked.start - 1:
        return
    if first.text == "".join(file.lines[: first.lines]):
        lines = first.lines + known.lines
        whole = Known(first.text + known.text, lines, lines == len(file.lines))
        kept.put(1, 0, whole, now)


def answer(file: Content, asked: Asked, before: Known | None, most: int) -> Given:
    """The answer to ``asked``.

    Args:
        file: As it is now.
        asked: The part of it.
        before: What the session has of that part; None if nothing.
        most: Characters of the longest answer; no answer is longer than the file either.

    Raises:
        InputError: There is no such line.
    """
    if asked.start > max(len(file.lines), 1):
        raise InputError(
            f"{asked.path} has {len(file.lines)} lines", remedy="Use a smaller offset."
        )
    room = min(most, file.size)
    if before is not None:
        given = _since(file, asked, before, room)
        if given is not None:
            return given
    return _page(file, asked, room)


def _wanted(file: Content, asked: Asked, most: int) -> tuple[int, int]:
    """First and last line, from 0 and exclusive, of what is asked for, up to ``most`` lines."""
    start = asked.start - 1
    count = min(most, asked.limit or most)
    return start, min(len(file.lines), start + count)


def _since(file: Content, asked: Asked, before: Known, room: int) -> Given | None:
    """What changed since ``before``; None if the text itself is no longer, or it was cut."""
    start, end = _wanted(file, asked, len(file.lines) if before.complete else before.lines)
    if before.lines == CUT:
        return _of_cut(file, start, before)
    new = file.lines[start:end]
    text = "".join(new)
    old = lines_of(before.text)
    blocks = changed(old, new)
    count = len(blocks)
    state = "unchanged" if not count else f"{count} change{'s' if count > 1 else ''}"
    head = _head(file, text, (start, end), f"{state} {_SINCE}")
    told = f"{head}\n{diff(old, new, blocks)}" if blocks else head
    if len(told) > room or (blocks and len(told) >= len(text)):
        return None
    wanted = _wanted(file, asked, len(file.lines))[1]
    return Given(told, Known(text, len(new), end == wanted))


_SINCE = "since you read it"


def _of_cut(file: Content, start: int, before: Known) -> Given | None:
    if not file.lines[start].startswith(before.text):
        return None
    state = f"unchanged {_SINCE}, as far as you saw it"
    return Given(_head(file, before.text, (start, start + 1), state), before)


def _page(file: Content, asked: Asked, room: int) -> Given:
    """The lines that are asked for, as many of them as fit."""
    start, wanted = _wanted(file, asked, len(file.lines))
    text = "".join(file.lines[start:wanted])
    is_plain = not file.note and not is_like_an_answer(text)
    if wanted - start == len(file.lines) and len(text) <= room and is_plain:
        return Given(text, Known(text, wanted - start, complete=True))
    notes = [file.note] if file.note else []
    left = room - len(_head(file, "", (len(file.lines) - 1, len(file.lines) - 1), *notes)) - 1
    end = start
    while end < wanted and len(file.lines[end]) <= left:
        left -= len(file.lines[end])
        end += 1
    if end > start:
        text = "".join(file.lines[start:end])
        head = _head(file, text, (start, end), *notes)
        return Given(f"{head}\n{text}", Known(text, end - start, end == wanted))
    return _cut(file, (start, wanted), room, asked.path)


def _cut(file: Content, part: tuple[int, int], room: int, name: str) -> Given:
    """The beginning of a line that alone does not fit; or of so small a part no head either."""
    start, wanted = part
    text = "".join(file.lines[start:wanted])
    if len(text) <= room:
        if is_like_an_answer(text):
            raise InputError(
                f"{name} holds no more than an answer of this tool",
                remedy="Read it by other means.",
            )
        return Given(text, Known(text, wanted - start, complete=True))
    note = f"the line has {len(file.lines[start]):,} characters, cut"
    head = _head(file, "", (start, start + 1), note)
    shown = text[: max(room - len(head) - 1, 0)]
    head = _head(file, shown, (start, start + 1), note)
    return Given(f"{head}\n{shown}", Known(shown, CUT, complete=False))


def _head(file: Content, text: str, part: tuple[int, int], *told: str) -> str:
    """The line above an answer, for a program and for a model."""
    start, end = part
    total = len(file.lines)
    parts = [] if (start, end) == (0, total) else [f"lines {start + 1}-{end} of {total}"]
    parts += [one for one in told if one]
    if end < total:
        parts.append(f"more: offset {end + 1}")
    return f"[mind_read {digest(text)}: {', '.join(parts)}]"
