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
"""Files that are merged entry by entry; others carry the context block."""

_SECONDS = 60
"""What a merge waits for git."""
MARKS = 7
"""Characters of a conflict marker, unless git says otherwise."""


def main(arguments: Sequence[str]) -> int:
    """Merge THEIRS into OURS, and tell what a person should know on standard error.

    Args:
        arguments: Files with the base, ours and theirs, the path of the merged file as people know
            it, and the size of a conflict marker, which may be left out.

    Returns:
        0 if nothing is left to decide, 1 otherwise.
    """
    base, ours, theirs = (Path(one) for one in arguments[:3])
    name = arguments[3] if len(arguments) > 3 else ours.name
    marks = int(arguments[4]) if len(arguments) > 4 and arguments[4].isdigit() else MARKS
    versions = base.read_bytes(), ours.read_bytes(), theirs.read_bytes()
    try:
        from mind.documents import merge as merging  # noqa: PLC0415 - where this breaks, git's own merge is taken

        merge = merging.merge if Path(name).name in MERGED else _around_block
        done = merge(*versions, name, textual, marks=marks)
    except BaseException:
        # what git finds in OURS is what a person will commit: theirs must be in it, whatever broke
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
    """A file with a context block: all but the block as git merges text, and the block of ours.

    The next recall makes the block anew, from the memory that was merged.
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
    """``text`` in what the terminal can show, and unable to steer it."""
    encoding = sys.stderr.encoding or "utf-8"
    return visible(text).encode(encoding, "replace").decode(encoding, "replace")


def textual(base: bytes, ours: bytes, theirs: bytes, marks: int) -> tuple[bytes, int]:
    """Text merged by git's own rules: the result, and how many conflicts there are in it."""
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
    if 0 <= done.status < 128:
        return done.output, done.status
    return _both(ours, theirs, marks), 1  # git merges no text with NUL bytes in it


def _both(ours: bytes, theirs: bytes, marks: int) -> bytes:
    """Everything of both sides, between markers."""
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
