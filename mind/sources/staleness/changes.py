"""What git says happened to the files that an entry cites, since it was true."""

from pathlib import Path

from mind.domain.entry import Entry
from mind.sources.staleness.citing import paths_in
from mind.sources.staleness.judging import known_on
from mind.sources.staleness.looking import looking


def changes(root: Path, entry: Entry, limit: int = 5) -> list[str]:
    """The latest commits to the files that ``entry`` cites, as "2026-01-02 1a2b3c4 Title"."""
    known = known_on(entry)
    paths = paths_in(entry.text, root.as_posix())
    look = looking(root) if paths and known else None
    if look is None or known is None:
        return []
    return look.commits(paths, known, limit)
