"""What differs between two machines, two runs or two releases, replaced by what does not.

Few things are masked, so that a transcript shows what a user sees: the clock is stopped, commits
have fixed dates and ids follow from the text, so that days, hashes and ids are compared as they
are. Masked are the folders and programs of this machine, Mind's version and Python's, ports,
secrets, durations, sizes, and what is made of a file's time or place on the disk.
"""

import re
import sys
from pathlib import Path

_PATTERNS = tuple(
    (re.compile(pattern, re.MULTILINE), mask)
    for pattern, mask in (
        (r"(?<=127\.0\.0\.1:)\d+", "PORT"),
        (r"\bmind_[A-Za-z0-9_-]{43}\b", "TOKEN"),
        (r"(?<=on Python )3[.\d]+", "N"),
        # Durations and sizes: `mind bench`, `mind doctor`, `mind status`.
        (r"(?<=answers in )[\d.]+", "N"),
        (r'("(?:first|p50|p95|p99|index_bytes|peak_bytes)": )[\d.]+', r"\1N"),
        (r"^(lexical only\t\d+)(?:\t\d+\.\d)+$", r"\1\tN\tN\tN\tN"),
        (r"(?<=peak memory )[\d.]+|(?<=\bindex\t)[\d.]+|(?<=^Index )[\d.]+", "N"),
        # Made of a project's folder, or of when its files were written.
        (r'(?<="id": ")[0-9a-f]{10}(?=")', "PROJECT"),
        (r'(?<="version": ")[0-9a-f]{16}(?=")|(?<=^id: )[0-9a-f]{16}$', "STAMP"),
        # SQLite keeps them beside an open index, until it is closed.
        (r"^.*/index\.db-(?:shm|wal)\b.*\n", ""),
    )
)


class Masks:
    """The replacements for one user's folder."""

    def __init__(self, home: Path, version: str) -> None:
        root = Path(__file__).parents[2]
        places = {
            str(home.resolve()): "~",
            str(home): "~",
            str(Path(sys.executable).parent): "BIN",
            str(root.resolve()): "MIND",
        }
        self._places = sorted(places.items(), key=lambda one: -len(one[0]))
        self._version = re.compile(rf"(?<![\w.]){re.escape(version)}(?![\w.])")

    def __call__(self, text: str) -> str:
        """Replace all of them in ``text``."""
        for place, mask in self._places:
            text = text.replace(place, mask)
        for pattern, mask in _PATTERNS:
            text = pattern.sub(mask, text)
        return self._version.sub("VERSION", text)
