"""Checks of a memory's folder, settings, locks and git configuration."""

import json
import os
import shutil
import time
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from mind.domain.errors import ConfigError, LeadsOutside, LockTimeout
from mind.domain.settings import load
from mind.memory import context
from mind.setup import install
from mind.setup.doctor.finding import (
    ExaminedProject,
    Finding,
    Mending,
    broken,
    fine,
    several,
    typed,
    warning,
)
from mind.setup.git import installing
from mind.sources.git.repository import ask, folder_of
from mind.sources.git.revisions import Revisions
from mind.storage import files
from mind.storage.boundary import is_project
from mind.storage.home import home
from mind.storage.project import register, registered
from mind.storage.templates import text as template

_LOCKS = Path("/proc/locks")


@dataclass(frozen=True, slots=True)
class Holder:
    """A process: its id, its command line, and the whole minutes it has been running."""

    number: int
    command: str
    minutes: int


def holder(lock: Path) -> Holder | None:
    """The process that holds the lock file ``lock``; None if the system does not say.

    Linux lists locks in ``/proc/locks``, as in ``1: FLOCK ADVISORY WRITE 4711 08:01:1234 0 EOF``.
    """
    try:
        inode = lock.stat().st_ino
        rows = [row.split() for row in _LOCKS.read_text("ascii", "replace").splitlines()]
    except OSError:
        return None
    numbers = [row[4] for row in rows if len(row) > 5 and row[5].endswith(f":{inode}")]
    return _described(int(numbers[0])) if numbers and numbers[0].isdigit() else None


def _described(number: int) -> Holder | None:
    process = Path("/proc") / str(number)
    try:
        words = (process / "cmdline").read_bytes().decode("utf-8", "replace").split("\0")
        began = process.stat().st_mtime
    except OSError:  # it ended meanwhile
        return None
    return Holder(number, " ".join(words).strip()[:200], max(0, int(time.time() - began)) // 60)


LEAST_FREE = 100_000_000
"""Minimum free space in bytes, about the size of a large memory's index."""

_MOST_FOLDERS = 2_000
_NOT_OURS = frozenset(("node_modules", "vendor", "site-packages", "__pycache__"))
_PATIENCE = 2.0


def settings(site: ExaminedProject) -> Finding:
    """Check that both settings files are valid."""
    faults = []
    for path in (site.project.config, home() / "config.toml"):
        try:
            files.check(path)
            load(path, None)
        except (ConfigError, LeadsOutside) as error:
            faults.append(error)
    if faults:
        told = "; ".join(error.message for error in faults)
        return broken(f"{told}; the file is ignored", faults[0].remedy)
    return fine(f"{len(site.project.settings.describe())} settings")


def listed(site: ExaminedProject) -> Finding:
    """Check that this project is registered, so that searches of all projects include it."""
    root = site.project.root
    if root in registered():
        return fine("this project is listed")
    return warning(
        "this project is not listed, so searches of all projects skip it",
        "Run `mind init` to add it.",
        Mending("add it to the list", partial(register, root)),
    )


def records(site: ExaminedProject) -> Finding:
    """Check that Mind's small state files can be read; elsewhere they are ignored silently."""
    names = ("projects.json", "global_edges.json")
    for path in (*(home() / name for name in names), site.project.state):
        text = files.read(path).strip()
        if text and files.read_json(path) is None:
            return warning(
                f"{site.name(path)} is not valid JSON, so it is ignored",
                f"Correct it, or run `mv {typed([site.name(path), f'{site.name(path)}.old'])}`.",
            )
    from mind.memory import gotchas  # noqa: PLC0415 - only for this check

    path = home() / "global_edges.json"
    skipped = gotchas.skipped(files.read_json(path))
    if skipped:
        return warning(several(skipped), f"Simplify or delete it in {site.name(path)}.")
    return fine("project list, gotchas and session state are readable")


def nested(site: ExaminedProject) -> Finding:
    """Check that no parent or child folder has a ``.mind`` of its own, which would get notes."""
    root = site.project.root
    for folder in _above(root):
        if is_project(folder):
            return warning(
                f"{folder} has a .mind too, which gets the notes from the rest of that folder",
                f"If you don't want this, copy its notes to {root / '.mind' / 'MEMORY.md'} and run "
                f"`mv {typed([folder / '.mind', folder / '.mind.old'])}`.",
            )
    inside = [site.name(folder) for folder in _below(root) if is_project(folder)]
    if inside:
        return warning(
            f"{several(inside)} has a .mind of its own, whose notes are not found from here",
            "If you don't want this, copy its notes to .mind/MEMORY.md and run "
            f"`mv {typed([f'{inside[0]}/.mind', f'{inside[0]}/.mind.old'])}`.",
        )
    return fine("none in parent or child folders")


def _above(root: Path) -> Iterator[Path]:
    """Parent folders of ``root`` in the same repository."""
    folder = root
    while not os.path.lexists(folder / ".git") and folder != folder.parent:
        folder = folder.parent
        yield folder


def _below(root: Path) -> Iterator[Path]:
    """Folders in ``root``, outermost first, except hidden and vendored ones and repositories."""
    waiting = deque([root])
    for _ in range(_MOST_FOLDERS):
        if not waiting:
            return
        for folder in _folders(waiting.popleft()):
            yield folder
            waiting.append(folder)


def _folders(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as found:
            names = [one.name for one in found if one.is_dir(follow_symlinks=False)]
    except OSError:  # an unreadable folder cannot have a memory
        return []
    return [
        folder / name
        for name in sorted(names)
        if name[0] != "." and name not in _NOT_OURS and not os.path.lexists(folder / name / ".git")
    ]


def writing(site: ExaminedProject) -> Finding:
    """Check that the lock can be acquired and the cache is writable."""
    cache = site.project.cache
    probe = cache / f"probe-{os.getpid()}"
    try:
        with files.lock(site.project.lock, _PATIENCE):
            files.write(probe, b"")
            probe.unlink()
            left = sorted(cache.glob("probe*"))
    except LockTimeout:
        return _held(site.project.lock)
    if left:
        return warning(
            f"{site.name(left[0])} was left by an interrupted check",
            f"Run `rm {typed(map(site.name, left))}`.",
            Mending(f"delete {several([one.name for one in left])}", partial(_deleted, left)),
        )
    return fine("the lock and the cache are writable")


def _deleted(paths: Iterable[Path]) -> None:
    for path in paths:
        path.unlink(missing_ok=True)


def _held(lock: Path) -> Finding:
    who = holder(lock)
    if who is None:
        return broken(
            f"another process has held the lock for over {_PATIENCE:g} s",
            f"Run `fuser {typed([lock])}` to find it; the lock is released when it ends.",
        )
    return broken(
        f"process {who.number} ({who.command}), started {who.minutes} minutes ago, has held the "
        f"lock for over {_PATIENCE:g} s",
        f"Wait for it, or run `kill {who.number}` if it hangs; this releases the lock.",
    )


def space(site: ExaminedProject) -> Finding:
    """Check that there is enough free disk space."""
    least = min(
        (shutil.disk_usage(folder).free, folder)
        for folder in (site.project.folder, home())
        if folder.is_dir()
    )
    free = f"{least[0] // 1_000_000:,} MB free"
    if least[0] >= LEAST_FREE:
        return fine(free)
    return warning(
        f"{free} in {least[1]}",
        f"Free some space. `rm -r {typed([site.project.cache])}` is safe: Mind rebuilds the cache.",
    )


def permissions(site: ExaminedProject) -> Finding:
    """Check that other users have no access to the user's private files."""
    if os.name != "posix":
        return fine("not checked on this system")
    open_ones = [path for path in _private(site) if path.stat().st_mode & 0o077]
    if not open_ones:
        return fine("your private files are readable only by you")
    return warning(
        f"other users have access to {several([site.name(one) for one in open_ones])}",
        f"Run `chmod go= {typed(map(site.name, open_ones))}`.",
        Mending("remove their access", partial(_closed, open_ones)),
    )


def _private(site: ExaminedProject) -> list[Path]:
    """Files that Mind creates as private to the user."""
    cache, folder = site.project.cache, site.project.folder
    found = [home(), home() / "cache" / "handshake.json"]
    found += [site.project.events, *folder.glob("events-*.jsonl*"), site.project.pending]
    found += [*cache.glob("hooks.log*"), *folder.glob("*.broken*"), *home().glob("*.broken*")]
    return [path for path in found if path.exists()]


def _closed(paths: Iterable[Path]) -> None:
    for path in paths:
        path.chmod(path.stat().st_mode & 0o700)


def ignored(site: ExaminedProject) -> Finding:
    """Check that git ignores derived and machine-specific files."""
    path = site.project.folder / ".gitignore"
    lines = _patterns(files.decode(files.read(path), path))
    if "*" in lines:
        return fine("all of .mind, as the memory is private")
    missing = [one for one in _patterns(template("mind.gitignore")) if one not in lines]
    if not missing:
        return fine("git ignores derived and machine-specific files")
    return warning(
        f".mind/.gitignore lacks {several(missing)}",
        "Run `mind doctor --fix`, or add the lines.",
        Mending(f"add {several(missing)} to the file", partial(_ignoring, path, missing)),
    )


def _patterns(text: str) -> list[str]:
    lines = (line.strip().removeprefix("/") for line in text.splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def _ignoring(path: Path, patterns: Iterable[str]) -> None:
    def added(source: bytes) -> bytes:
        begin = source if not source or source.endswith(b"\n") else source + b"\n"
        return begin + "".join(f"{one}\n" for one in patterns).encode()

    files.edit(path, added, create=True)


def events(site: ExaminedProject) -> Finding:
    """Check that the usage log can be read."""
    path = site.project.events
    lines = files.read(path).splitlines()
    bad = [number for number, line in enumerate(lines, 1) if line.strip() and not _is_event(line)]
    if not bad:
        return fine(f"{len(lines)} events")
    return warning(
        f"{len(bad)} of {len(lines)} lines are not valid events, the first is "
        f"{site.name(path)}:{bad[0]}",
        f"They are skipped. To begin a new log, run `mv {typed([site.name(path)])} "
        f"{typed([site.name(site.project.cache / 'events.old')])}`.",
    )


def _is_event(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def links(site: ExaminedProject) -> Finding:
    """Check that no path of the memory or context file leads out of the repository."""
    refused = list(_refused(site))
    if not refused:
        return fine("all paths stay inside the repository")
    return broken("; ".join(one.message for one in refused), refused[0].remedy)


def _refused(site: ExaminedProject) -> Iterator[LeadsOutside]:
    for path in dict.fromkeys((*_memory(site), *context.named_targets(site.project))):
        try:
            files.check(path, site.project.boundary)
        except LeadsOutside as error:
            yield error


def _memory(site: ExaminedProject) -> Iterator[Path]:
    """The folders of the memory, and the files in them."""
    project = site.project
    for folder in (project.folder, project.cache, project.cache / "hooks"):
        yield folder
        if files.is_inside(folder, project.boundary) and folder.is_dir():
            yield from sorted(folder.iterdir())


def tracked(site: ExaminedProject) -> Finding:
    """Check that git tracks no machine-specific state; Mind ignores state from the repository."""
    names = site.project.boundary.tracked if site.project.boundary else ()
    if not names:
        return fine("git tracks no machine-specific state")
    shown = [site.name(site.project.folder / name) for name in names]
    return warning(
        f"git tracks {several(shown)}, which Mind ignores: this machine's state is in "
        f"{site.project.machine}",
        f"Run `git rm -r --cached {typed(shown)}`, then commit.",
    )


_KEPT = ".mind/MEMORY.md"
_DAY = 24 * 3600
_WEEK = 7


def git(site: ExaminedProject) -> Finding:
    """Check that git does not ignore the memory."""
    if folder_of(site.project.root) is None:
        return fine("not a git repository")
    said = ask(site.project.root, "check-ignore", "-v", "--", _KEPT)
    if said.problem:
        problem, _, remedy = said.problem.partition(". ")
        return warning(problem, remedy)
    rule = os.fsdecode(said.output).partition("\t")[0].strip()
    if said.status == 0 and rule.startswith(".mind/.gitignore:"):
        return fine("the memory is private, and git ignores it")
    if said.status == 0:
        return warning(
            f"git ignores the memory because of {rule}",
            "Remove that line, or run `mind init --private` if the memory should be private.",
        )
    days = _uncommitted(site)
    if days is not None and days > _WEEK:
        return fine(f"the memory has had uncommitted changes for {days} days")
    return fine("the memory is not ignored")


def merging(site: ExaminedProject) -> Finding:
    """Check that git merges the memory entry by entry in this clone."""
    fault = installing.state(site.project)
    if fault is None:
        return fine("not a git repository")
    ignored = ask(site.project.root, "check-ignore", "-q", "--", _KEPT)
    if not fault or ignored.status == 0:
        return fine(
            "git merges the memory entry by entry" if not fault else "the memory is private"
        )
    return warning(
        f"{fault}, so an entry changed on two branches is kept twice",
        "Run `mind init`, which changes only this clone's configuration.",
        Mending("make git merge it entry by entry", partial(_installed, site)),
    )


def _installed(site: ExaminedProject) -> None:
    changes = installing.changes(site.project, context.targets(site.project))
    plan = install.InstallPlan(root=site.project.root, steps=tuple(changes), registers=None)
    install.apply(plan)


def _has_filter(site: ExaminedProject) -> bool:
    """True if the repository sets a git filter for the memory, which is not run."""
    said = ask(site.project.root, "check-attr", "-z", "filter", "--", _KEPT).output.split(b"\0")
    return said[2:3] not in ([b"unspecified"], [b"unset"])


def _committed(site: ExaminedProject) -> bytes:
    """The committed memory, with line ends as LF."""
    revisions = Revisions(site.project.root)
    head = revisions.head()
    return revisions.read([head], _KEPT)[0].replace(b"\r\n", b"\n") if head else b""


def _uncommitted(site: ExaminedProject) -> int | None:
    """The days since the memory changed, if it differs from the commit; else None."""
    if _has_filter(site) or _committed(site) == site.memory.replace(b"\r\n", b"\n"):
        return None
    return int(time.time() - site.project.memory.stat().st_mtime) // _DAY
