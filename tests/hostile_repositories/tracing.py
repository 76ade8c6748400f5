"""What strace saw: every program that was started, and every file outside that was opened."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.hostile_repositories import judging
from tests.hostile_repositories.site import Site

_ROW = re.compile(r"(?P<process>\d+) +(?P<call>execve|openat|open|creat)\((?P<given>.*)")
_DONE = re.compile(r"\) += (?P<status>-?\d+)(?:<(?P<path>[^>]*)>)?")
_STARTED = re.compile(r'"(?P<program>(?:[^"\\]|\\.)*)", \[(?P<words>.*?)\](?:, |\.\.\.)')
_WORD = re.compile(r'"((?:[^"\\]|\\.)*)"')
_GIT = re.compile(r"/(?:usr|bin)\S*/git(?:-core/\S+)?")
_WRITING = re.compile(r"O_(?:WRONLY|RDWR|CREAT|TRUNC|APPEND)")


def command(log: Path) -> tuple[str, ...]:
    """What comes before a command so that its system calls get into ``log``."""
    calls = "trace=execve,openat,open,creat"
    return ("strace", "-f", "--seccomp-bpf", "-qq", "-y", "-s", "300", "-e", calls, "-o", str(log))


@dataclass
class Trace:
    """A log that strace writes.

    Attributes:
        log: The file.
        at: How much of it was read.
        programs: What the processes run, by their numbers; Mind where it is not known.
    """

    log: Path
    at: int = 0
    programs: dict[str, str] = field(default_factory=dict)

    def news(self, site: Site, *, opened: bool) -> Iterator[str]:
        """What was wrong since the last time; files may be read if they may be ``opened``."""
        with self.log.open("rb") as file:
            file.seek(self.at)
            rows = file.read().decode("utf-8", "replace")
            self.at = file.tell()
        for row in rows.splitlines():
            found, done = _ROW.match(row), _DONE.search(row)
            if found is None or done is None or int(done["status"]) < 0:
                continue
            if found["call"] == "execve":
                yield from self._execve(found["process"], found["given"])
            else:
                rows_of = self._opened(found["process"], found["given"], done["path"] or "", site)
                yield from (one for one in rows_of if not opened or one.endswith("to write"))

    def _execve(self, process: str, given: str) -> Iterator[str]:
        told = _STARTED.match(given)
        if told is None:
            return
        program = told["program"]
        words = [program, *_WORD.findall(told["words"])[1:]]
        self.programs[process] = program
        if not (_GIT.fullmatch(program) or judging.is_ours(words)):
            yield f"started {' '.join(words)[:160]} (execve)"

    def _opened(self, process: str, given: str, path: str, site: Site) -> Iterator[str]:
        if not Path(path).is_relative_to(site.outside) or "O_PATH" in given:
            return
        shown = Path(path).relative_to(site.base)
        if _WRITING.search(given):
            yield f"opened {shown} to write"
        elif not _GIT.fullmatch(self.programs.get(process, "")) and _is_secret(Path(path), site):
            yield f"opened {shown} to read"


def _is_secret(path: Path, site: Site) -> bool:
    return path.is_file() and site.marker.encode() in path.read_bytes()
