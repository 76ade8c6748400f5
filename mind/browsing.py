"""What is asked of a memory now and then: files and what was done to them, how well it finds."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from mind.answers import Logged
from mind.deferred import Deferred
from mind.index import Filter
from mind.reading import Reading

if TYPE_CHECKING:
    from mind import file_history
    from mind.benchmark import Benchmark, Progress
    from mind.file_history import FileHistory
    from mind.reads import giving
    from mind.reads.giving import Given
else:
    file_history, giving = Deferred("file_history"), Deferred("reads.giving")


_MOST_REPEATS = 50
"""Entries of the same words among which the last is looked for."""


class Browsing(Reading):
    """A project's memory and its files; arguments are those of :class:`Reading`."""

    def read_file(
        self,
        path: str,
        *,
        offset: int = 1,
        limit: int = 0,
        whole: bool = False,
        roots: Sequence[Path] = (),
    ) -> "Given":
        """A file, or what changed since this session read it (see :func:`mind.reads.giving.give`).

        Args:
            path: From the project's root, or absolute.
            offset: The first line, from 1.
            limit: How many lines; 0 for as many as fit.
            whole: Give it again, even if the session has it.
            roots: Folders besides the project that may be read.
        """
        visit = self._visit()
        return giving.give(
            giving.Asked(path=path, start=offset, limit=limit, whole=whole),
            root=self.project.root,
            others=roots,
            cache=self.project.cache,
            client=self._session_id or "",
            session=visit.state.name,
            most=self.project.settings.reply_max_characters,
            now=visit.now,
        )

    def placed(self, logged: Logged) -> Logged:
        """``logged`` with its entry as it stands in the file now: its line and its section."""
        one = logged.entry
        if logged.pending or one.line:
            return logged
        repeats = (f"{one.id}-{number}" for number in range(2, _MOST_REPEATS + 1))
        which = Filter(ids=(one.id, *repeats))
        found = [
            there
            for there in self._current(lambda: self.index.entries(which))
            if there.source == one.source and there.id in which.ids
        ]
        return replace(logged, entry=max(found, key=lambda there: there.line, default=one))

    def file_history(self, path: str, *, limit: int = 20, offset: int = 0) -> "FileHistory":
        """What was done to a file and why (see :func:`mind.file_history.of_file`)."""
        asked = file_history.Asked(path=path, limit=limit, offset=offset).check()
        zone = self._visit().now.tzinfo
        return self._current(lambda: file_history.of_file(self.project, self.index, asked, zone))

    def benchmark(
        self,
        *,
        entries: int = 200,
        seed: int = 0,
        progress: "Progress" = lambda _what, _done, _total: None,
    ) -> "Benchmark":
        """How well and how fast search finds this memory's own entries; no session begins.

        Arguments and errors are those of :func:`mind.benchmark.measure`.
        """
        from mind.benchmark import Reader, measure  # noqa: PLC0415 - searches do without

        reader = Reader(self.project, self.index, self.meaning, self.now(), self._releases)
        return measure(reader, entries=entries, seed=seed, progress=progress)
