"""What git runs to merge one file of a memory: ``mind merge-file BASE OURS THEIRS PATH``."""

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

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
        from mind import merging  # noqa: PLC0415 - where this breaks, git's own merge is taken

        done = merging.merge(*versions, name, textual, marks=marks)
    except BaseException:
        # what git finds in OURS is what a person will commit: theirs must be in it, whatever broke
        ours.write_bytes(textual(*versions, marks)[0])
        raise
    ours.write_bytes(done.source)
    for one in done.notices:
        hint = ": choose between the markers" if one.what == "conflict" else ""
        sys.stderr.write(_shown(f"mind: {name}: {one.text}{hint}: {one.about}\n"))
    return int(done.conflicts > 0)


def _shown(text: str) -> str:
    """``text`` in what the terminal can show."""
    encoding = sys.stderr.encoding or "utf-8"
    return text.encode(encoding, "replace").decode(encoding, "replace")


def textual(base: bytes, ours: bytes, theirs: bytes, marks: int) -> tuple[bytes, int]:
    """Text merged by git's own rules: the result, and how many conflicts there are in it."""
    with tempfile.TemporaryDirectory(prefix="mind-merge-") as folder:
        names = []
        for name, content in (("ours", ours), ("base", base), ("theirs", theirs)):
            path = Path(folder, name)
            path.write_bytes(content)
            names.append(str(path))
        command = ["git", "merge-file", "-p", "-q", f"--marker-size={marks}"]
        for label in ("ours", "base", "theirs"):
            command += ["-L", label]
        try:
            done = subprocess.run(  # noqa: S603 - git's own program, and no shell
                [*command, *names], capture_output=True, check=False
            )
        except OSError:
            return _both(ours, theirs, marks), 1
    if 0 <= done.returncode < 128:
        return done.stdout, done.returncode
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
