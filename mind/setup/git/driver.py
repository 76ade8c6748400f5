"""The merge driver that git runs: ``mind merge-file BASE OURS THEIRS PATH``."""

import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mind.storage import process
from mind.text.visible import visible

if TYPE_CHECKING:
    from mind.documents.merge import Merged, Textual
    from mind.domain.entry import Span

MERGED = ("MEMORY.md", "REMINDERS.md", "ARCHIVE.md")
"""Files that are merged entry by entry; others contain the context block."""

_SECONDS = 60
"""Seconds that a merge waits for git."""
MARKS = 7
"""Length of a conflict marker, unless git passes another."""


def main(arguments: Sequence[str]) -> int:
    """Merge THEIRS into OURS, and print notices on standard error.

    Args:
        arguments: Files with the base, ours and theirs, the path of the merged file in the
            repository, and optionally the length of a conflict marker.

    Returns:
        0 if there are no conflicts, 1 otherwise.
    """
    base, ours, theirs = (Path(one) for one in arguments[:3])
    name = arguments[3] if len(arguments) > 3 else ours.name
    marks = int(arguments[4]) if len(arguments) > 4 and arguments[4].isdigit() else MARKS
    versions = base.read_bytes(), ours.read_bytes(), theirs.read_bytes()
    try:
        from mind.documents import merge as merging  # noqa: PLC0415 - if this fails, git's own merge is used

        merge = merging.merge if Path(name).name in MERGED else _around_block
        done = merge(*versions, name, textual, marks=marks)
    except BaseException:
        # OURS is what the user will commit, so it must contain theirs, whatever failed
        ours.write_bytes(textual(*versions, marks)[0])
        raise
    ours.write_bytes(done.source)
    for one in done.notices:
        hint = ": choose between the markers" if one.what == "conflict" else ""
        sys.stderr.write(_shown(f"mind: {name}: {one.text}{hint}: {one.about}\n"))
    return int(done.conflicts > 0)


def _around_block(
    base: bytes, ours: bytes, theirs: bytes, _name: str, textual: "Textual", *, marks: int
) -> "Merged":
    """Merge a file with a context block: the block of ours, and the rest as git merges text.

    The next recall rebuilds the block from the merged memory.
    """
    from mind.documents.context_block import block_span  # noqa: PLC0415 - the memory itself has no block
    from mind.documents.merge import Merged  # noqa: PLC0415 - as above
    from mind.domain.errors import MarkersDamaged  # noqa: PLC0415 - the same

    try:
        spans = [block_span(one) for one in (base, ours, theirs)]
    except MarkersDamaged:
        spans = [None, None, None]
    own = spans[1]
    block = ours[own.start : own.end] if own else b""

    def like_ours(source: bytes, span: "Span | None") -> bytes:
        return source[: span.start] + block + source[span.end :] if span and block else source

    source, conflicts = textual(like_ours(base, spans[0]), ours, like_ours(theirs, spans[2]), marks)
    return Merged(source=source, conflicts=conflicts)


def _shown(text: str) -> str:
    """``text`` in the terminal's encoding, with control characters escaped."""
    encoding = sys.stderr.encoding or "utf-8"
    return visible(text).encode(encoding, "replace").decode(encoding, "replace")


def textual(base: bytes, ours: bytes, theirs: bytes, marks: int) -> tuple[bytes, int]:
    """Merge text by git's own rules; return the result and the number of conflicts in it."""
    with tempfile.TemporaryDirectory(prefix="mind-merge-") as folder:
        names = []
        for name, content in (("ours", ours), ("base", base), ("theirs", theirs)):
            path = Path(folder, name)
            path.write_bytes(content)
            names.append(str(path))
        command = [process.find("git", ".") or "", "merge-file", "-p", "-q"]
        command += [f"--marker-size={marks}", "-L", "ours", "-L", "base", "-L", "theirs"]
        try:
            done = process.run([*command, *names], cwd=folder, env=os.environ, seconds=_SECONDS)
        except (OSError, process.Unanswered):
            return _both(ours, theirs, marks), 1
    if 0 <= done.returncode < 128:
        return done.stdout, done.returncode
    return _both(ours, theirs, marks), 1  # git does not merge text with NUL bytes


def _both(ours: bytes, theirs: bytes, marks: int) -> bytes:
    """Both sides in full, between conflict markers."""
    newline = b"\r\n" if b"\r\n" in ours else b"\n"
    sides = [
        one if one.endswith((b"\n", b"\r")) or not one else one + newline for one in (ours, theirs)
    ]
    return b"".join(
        (
            b"<" * marks + b" ours" + newline,
            sides[0],
            b"=" * marks + newline,
            sides[1],
            b">" * marks + b" theirs" + newline,
        )
    )
