"""What a use of Mind did that it must not do."""

import gzip
import hashlib
import os
import re
import stat
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tests.hostile_repositories.calls import Call
from tests.hostile_repositories.site import PROGRAMS, SYSTEM, Site

Row = tuple[int, int, str]
"""Mode, time of the last change in nanoseconds, and a digest or the target of a link."""
_OURS = frozenset(
    str(folder / name)
    for folder in {PROGRAMS, PROGRAMS.resolve()}
    for name in ("mind", "mind-hook", "python", "python3")
)
_GIT = frozenset(f"{folder}/git" for folder in SYSTEM.split(":"))


@dataclass(frozen=True, slots=True)
class Result:
    """How a use of Mind ended.

    Attributes:
        call: What was used.
        status: Exit status.
        out: Standard output.
        err: Standard error.
        started: What it started, as the audit of the interpreter tells it.
        late: It did not end in time.
        process: Its number.
    """

    call: Call
    status: int
    out: str
    err: str
    started: Sequence[object] = ()
    late: bool = False
    process: int = 0

    @property
    def said(self) -> str:
        """All that it wrote."""
        return self.out + self.err


Snapshot = Mapping[str, Row]


def snapshot(*places: Path) -> dict[str, Row]:
    """Names, bytes, modes and times of everything in these places; no link is followed."""
    found: dict[str, Row] = {}
    for place in places:
        for path in _walked(place):
            status = path.lstat()
            found[str(path)] = (status.st_mode, status.st_mtime_ns, _held(path, status.st_mode))
    return found


def _walked(place: Path) -> Iterator[Path]:
    if not os.path.lexists(place):
        return
    yield place
    if place.is_dir() and not place.is_symlink():
        for row in sorted(os.scandir(place), key=lambda one: one.name):
            yield from _walked(Path(row.path))


def _held(path: Path, mode: int) -> str:
    if stat.S_ISLNK(mode):
        return str(path.readlink())
    if not stat.S_ISREG(mode):
        return ""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def outside(site: Site) -> dict[str, Row]:
    """Everything that Mind may not change."""
    return snapshot(site.outside, *site.guarded)


def inside(site: Site) -> dict[str, Row]:
    """Everything that Mind may change."""
    return snapshot(site.repo, site.own, site.temporary)


_GIT_HOOK = re.compile(
    rb"# >>> mind/.mind/ >>>\n# [^\n]*\n"
    rb"\(mind --project \. index >/dev/null 2>&1 </dev/null &\)\n# <<< mind/.mind/ <<<\n"
)
_EMPTY_HOOK = hashlib.sha256(b"#!/bin/sh\n").hexdigest()


def _is_asked(site: Site, call: Call, name: str, before: Row | None) -> bool:
    """Whether the user asked for git's hooks, and only Mind's lines were put into this one."""
    path = Path(name)
    hooks = [site.repo / ".git/hooks" / one for one in ("post-commit", "post-merge")]
    if "--git-hooks" not in call.arguments or path not in hooks or not path.is_file():
        return False
    left = hashlib.sha256(_GIT_HOOK.sub(b"", path.read_bytes(), count=1)).hexdigest()
    return not path.is_symlink() and left == (before[2] if before else _EMPTY_HOOK)


def changed(before: Snapshot, after: Snapshot, site: Site, call: Call) -> Iterator[str]:
    """What is different outside, a line each."""
    for name in sorted(before.keys() | after.keys()):
        if before.get(name) == after.get(name) or _is_asked(site, call, name, before.get(name)):
            continue
        shown = os.path.relpath(name, site.base)
        if name not in before:
            yield f"created {shown}"
        elif name not in after:
            yield f"deleted {shown}"
        elif not stat.S_ISDIR(before[name][0]):
            yield f"changed {shown}"
        elif before[name][0] != after[name][0]:
            yield f"changed the mode of {shown}"


def leaked(site: Site, before: Snapshot, after: Snapshot) -> Iterator[str]:
    """Files of Mind's that hold what lies outside, or what the repository forged."""
    for name in sorted(after):
        if before.get(name) == after[name] or not stat.S_ISREG(after[name][0]):
            continue
        held, shown = _plain(Path(name)).lower(), os.path.relpath(name, site.base)
        if site.marker.encode() in held:
            yield f"copied a secret into {shown}"
        if site.forged.encode() in held and shown not in site.brought:
            yield f"took forged state over into {shown}"


def brought(site: Site) -> Iterator[str]:
    """Files of the repository that hold forged state from the beginning."""
    for name, row in inside(site).items():
        if stat.S_ISREG(row[0]) and site.forged.encode() in _plain(Path(name)).lower():
            yield os.path.relpath(name, site.base)


def _plain(path: Path) -> bytes:
    source = path.read_bytes()
    with suppress(OSError, EOFError, zlib.error):
        if source.startswith(b"\x1f\x8b"):
            return gzip.decompress(source)
    with suppress(zlib.error):
        if path.parent.parent.name == "reads":
            return zlib.decompress(source)
    return source


def started(result: Result) -> Iterator[str]:
    """Programs other than git and Mind's own."""
    for row in result.started:
        match row:
            case ["socket.connect", where]:
                yield f"connected to {str(where)[:80]}"
            case [str(event), [program, [*arguments]]]:
                words = [str(one) for one in (arguments or [program])]
                if not is_ours([str(program or words[0]), *words[1:]]):
                    yield f"started {' '.join(words)[:160]} ({event})"
            case _:
                yield f"started {str(row)[:160]}"


_LARGEST_STATUS = 3
"""Of a command: `mind edges` has met what was rejected."""
_PROSE = re.compile(rb"^(?:- |<!--|## )", re.MULTILINE)
_AT_THE_END = 2
"""Calls that a server may leave without an answer where its input ends meanwhile."""
_SHELL = re.compile(rf"(?:{re.escape(str(PROGRAMS))}/)?(?:mind-hook|mind mcp)")


def is_ours(command: Sequence[str]) -> bool:
    """Whether ``command`` runs git from the system or a program of Mind's."""
    program = command[0]
    if program in _GIT or program in _OURS or program in ("git", "mind", "mind-hook"):
        return True
    is_shell = program in ("/bin/sh", "/usr/bin/sh", "/bin/dash", "/usr/bin/dash")
    return is_shell and command[1:2] == ["-c"] and _SHELL.fullmatch(command[2]) is not None


def wrong(result: Result, site: Site, *, forged: bool) -> Iterator[str]:
    """What is wrong with the answer, and with what was started for it."""
    markers = {"outside": site.marker} | ({"forged state": site.forged} if forged else {})
    for what, marker in markers.items():
        for where, text in (("output", result.out), ("standard error", result.err)):
            if marker in text.lower():
                yield f"{what} in its {where}"
    yield from _ended_badly(result)
    yield from started(result)
    for trace in sorted(site.started.iterdir()):
        yield f"ran a command of the repository ({trace.name})"
    config = site.repo / ".git/config"
    if config.is_file() and _PROSE.search(config.read_bytes()):
        yield "wrote text into git's configuration"


def _ended_badly(result: Result) -> Iterator[str]:
    if "Traceback (most recent call last)" in result.said:
        yield f"a traceback: {result.said.strip().splitlines()[-1][:120]}"
    if result.late:
        yield "did not end in time"
    elif not 0 <= result.status <= _LARGEST_STATUS or (
        result.status and result.call.program == "mind-hook"
    ):
        yield f"ended with {result.status}"
    answers = result.out.count('"jsonrpc"')
    if answers < result.call.answers - _AT_THE_END:
        yield f"{answers} answers instead of {result.call.answers}"
