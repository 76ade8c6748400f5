"""Folder, settings, locks and git of a memory, checked."""

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
from mind.memory import briefing
from mind.setup import install
from mind.setup.doctor.finding import Finding, Mending, Site, broken, fine, several, typed, warning
from mind.setup.git import installing
from mind.sources.git.repository import ask, folder_of
from mind.sources.git.revisions import Revisions
from mind.storage import files
from mind.storage.home import home
from mind.storage.project import is_project, register, registered
from mind.storage.templates import text as template

_LOCKS = Path("/proc/locks")


@dataclass(frozen=True, slots=True)
class Holder:
    """A process: its number, its command line, and for how many whole minutes it runs."""

    number: int
    command: str
    minutes: int


def holder(lock: Path) -> Holder | None:
    """The process that holds the lock file ``lock``; None where the system does not tell.

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
"""Bytes; an index of a large memory takes about as much."""

_MOST_FOLDERS = 2_000
_NOT_OURS = frozenset(("node_modules", "vendor", "site-packages", "__pycache__"))
_PATIENCE = 2.0


def settings(site: Site) -> Finding:
    """True if both files of settings are valid."""
    faults = []
    for path in (site.project.config, home() / "config.toml"):
        try:
            files.check(path)
            load(path, None)
        except (ConfigError, LeadsOutside) as error:
            faults.append(error)
    if faults:
        told = "; ".join(error.message for error in faults)
        return broken(f"{told}: it has no effect", faults[0].remedy)
    return fine(f"{len(site.project.settings.describe())} of them")


def listed(site: Site) -> Finding:
    """True if searches of all projects know this one."""
    root = site.project.root
    if root in registered():
        return fine("this project is on it")
    return warning(
        "this project is not on it",
        "Run `mind init`: searches of all projects skip it.",
        Mending("put it on the list", partial(register, root)),
    )


def records(site: Site) -> Finding:
    """True if Mind's own small files can be read; what cannot counts for nothing, silently."""
    names = ("projects.json", "global_edges.json")
    for path in (*(home() / name for name in names), site.project.state):
        text = files.read(path).strip()
        if text and files.read_json(path) is None:
            return warning(
                f"{site.name(path)} is no JSON, so that nothing in it counts",
                f"Correct it, or run `mv {typed([site.name(path), f'{site.name(path)}.old'])}`.",
            )
    from mind.memory import gotchas  # noqa: PLC0415 - for this check alone

    path = home() / "global_edges.json"
    skipped = gotchas.skipped(files.read_json(path))
    if skipped:
        return warning(several(skipped), f"Simplify or delete it in {site.name(path)}.")
    return fine("the lists of projects and gotchas, and the state of the session")


def nested(site: Site) -> Finding:
    """True if another ``.mind``, above or below, takes notes that belong here."""
    root = site.project.root
    for folder in _above(root):
        if is_project(folder):
            return warning(
                f"{folder} has a .mind too: what is noted elsewhere in it goes there",
                f"If that is not meant, copy its notes to {root / '.mind' / 'MEMORY.md'} and run "
                f"`mv {typed([folder / '.mind', folder / '.mind.old'])}`.",
            )
    inside = [site.name(folder) for folder in _below(root) if is_project(folder)]
    if inside:
        return warning(
            f"{several(inside)} has a .mind of its own: what is noted there is not found here",
            "If that is not meant, copy its notes to .mind/MEMORY.md and run "
            f"`mv {typed([f'{inside[0]}/.mind', f'{inside[0]}/.mind.old'])}`.",
        )
    return fine("none above or below")


def _above(root: Path) -> Iterator[Path]:
    """Folders of the same repository above ``root``."""
    folder = root
    while not os.path.lexists(folder / ".git") and folder != folder.parent:
        folder = folder.parent
        yield folder


def _below(root: Path) -> Iterator[Path]:
    """Folders in ``root``, outermost first; not hidden or vendored ones, nor other repositories."""
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
    except OSError:  # what cannot be read is no part of the memory
        return []
    return [
        folder / name
        for name in sorted(names)
        if name[0] != "." and name not in _NOT_OURS and not os.path.lexists(folder / name / ".git")
    ]


def writing(site: Site) -> Finding:
    """True if the lock can be had and the cache be written."""
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
            f"{site.name(left[0])} was left by a check that was interrupted",
            f"Run `rm {typed(map(site.name, left))}`.",
            Mending(f"delete {several([one.name for one in left])}", partial(_deleted, left)),
        )
    return fine("the lock and the cache can be written")


def _deleted(paths: Iterable[Path]) -> None:
    for path in paths:
        path.unlink(missing_ok=True)


def _held(lock: Path) -> Finding:
    who = holder(lock)
    if who is None:
        return broken(
            f"another process holds the lock for over {_PATIENCE:g} s",
            f"Run `fuser {typed([lock])}` to see which; the lock ends with it.",
        )
    return broken(
        f"process {who.number} ({who.command}), {who.minutes} minutes old, holds the lock for "
        f"over {_PATIENCE:g} s",
        f"Wait for it, or run `kill {who.number}` if it hangs; the lock ends with it.",
    )


def space(site: Site) -> Finding:
    """True if the disks have room."""
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
        f"Make room; `rm -r {typed([site.project.cache])}` is safe: all in it can be made again.",
    )


def permissions(site: Site) -> Finding:
    """True if what is only for the user can be read by nobody else."""
    if os.name != "posix":
        return fine("left to the system")
    open_ones = [path for path in _private(site) if path.stat().st_mode & 0o077]
    if not open_ones:
        return fine("nobody else reads what is yours alone")
    return warning(
        f"others can read {several([site.name(one) for one in open_ones])}",
        f"Run `chmod go= {typed(map(site.name, open_ones))}`.",
        Mending("take that right from others", partial(_closed, open_ones)),
    )


def _private(site: Site) -> list[Path]:
    """Files that Mind makes for the user alone."""
    cache, folder = site.project.cache, site.project.folder
    found = [home(), home() / "cache" / "handshake.json"]
    found += [site.project.events, *folder.glob("events-*.jsonl*"), site.project.pending]
    found += [*cache.glob("hooks.log*"), *folder.glob("*.broken*"), *home().glob("*.broken*")]
    return [path for path in found if path.exists()]


def _closed(paths: Iterable[Path]) -> None:
    for path in paths:
        path.chmod(path.stat().st_mode & 0o700)


def ignored(site: Site) -> Finding:
    """True if git is told to leave alone what is derived or of this machine."""
    path = site.project.folder / ".gitignore"
    lines = _patterns(files.decode(files.read(path), path))
    if "*" in lines:
        return fine("all of .mind: the memory is private")
    missing = [one for one in _patterns(template("mind.gitignore")) if one not in lines]
    if not missing:
        return fine("what is derived or of this machine")
    return warning(
        f".mind/.gitignore lacks {several(missing)}",
        "Run `mind doctor --fix`, or add the lines.",
        Mending(f"add {several(missing)} to it", partial(_ignoring, path, missing)),
    )


def _patterns(text: str) -> list[str]:
    lines = (line.strip().removeprefix("/") for line in text.splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def _ignoring(path: Path, patterns: Iterable[str]) -> None:
    def added(source: bytes) -> bytes:
        begin = source if not source or source.endswith(b"\n") else source + b"\n"
        return begin + "".join(f"{one}\n" for one in patterns).encode()

    files.edit(path, added, create=True)


def events(site: Site) -> Finding:
    """True if the log of use can be read."""
    path = site.project.events
    lines = files.read(path).splitlines()
    bad = [number for number, line in enumerate(lines, 1) if line.strip() and not _is_event(line)]
    if not bad:
        return fine(f"{len(lines)} events")
    return warning(
        f"{len(bad)} of {len(lines)} lines are no events, first {site.name(path)}:{bad[0]}",
        f"They are skipped. Run `mv {typed([site.name(path)])} "
        f"{typed([site.name(site.project.cache / 'events.old')])}` to begin a new log.",
    )


def _is_event(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def links(site: Site) -> Finding:
    """Links of the memory, and files that carry the block, that lead out of the repository."""
    refused = list(_refused(site))
    if not refused:
        return fine("every path stays in the repository")
    return broken("; ".join(one.message for one in refused), refused[0].remedy)


def _refused(site: Site) -> Iterator[LeadsOutside]:
    for path in dict.fromkeys((*_memory(site), *briefing.named_targets(site.project))):
        try:
            files.check(path, site.project.boundary)
        except LeadsOutside as error:
            yield error


def _memory(site: Site) -> Iterator[Path]:
    """The folders of the memory, and what is in them."""
    project = site.project
    for folder in (project.folder, project.cache, project.cache / "hooks"):
        yield folder
        if files.is_inside(folder, project.boundary) and folder.is_dir():
            yield from sorted(folder.iterdir())


def tracked(site: Site) -> Finding:
    """State of this machine that git tracks: it came with the repository, and is ignored."""
    names = site.project.boundary.tracked if site.project.boundary else ()
    if not names:
        return fine("git tracks none")
    shown = [site.name(site.project.folder / name) for name in names]
    return warning(
        f"git tracks {several(shown)}, which are ignored: this machine's are in "
        f"{site.project.machine}",
        f"Run `git rm -r --cached {typed(shown)}`, and commit that.",
    )


_DERIVED = (".mind/cache", ".mind/state.json", ".mind/SESSION.md", ".mind/events.jsonl")
_KEPT = ".mind/MEMORY.md"
_DAY = 24 * 3600
_WEEK = 7


def git(site: Site) -> Finding:
    """True if git keeps the memory, and nothing that is derived."""
    if folder_of(site.project.root) is None:
        return fine("no repository")
    tracked = ask(site.project.root, "ls-files", "-z", "--", *_DERIVED)
    if tracked.problem:
        said, _, remedy = tracked.problem.partition(". ")
        return warning(said, remedy)
    if tracked.output:
        names = [os.fsdecode(name) for name in tracked.output.split(b"\0") if name]
        return warning(
            f"git keeps {several(names)}, which is derived or of this machine",
            "Run `git rm -r --cached --ignore-unmatch " + " ".join(_DERIVED) + "`.",
        )
    return _kept(site)


def merging(site: Site) -> Finding:
    """True if git merges the memory entry by entry in this clone."""
    fault = installing.state(site.project)
    if fault is None:
        return fine("no repository")
    ignored = ask(site.project.root, "check-ignore", "-q", "--", _KEPT)
    if not fault or ignored.status == 0:
        return fine(
            "git merges the memory entry by entry" if not fault else "the memory is private"
        )
    return warning(
        f"{fault}: what two branches change in one entry is kept twice",
        "Run `mind init`: it changes only the configuration of this clone.",
        Mending("let git merge it entry by entry", partial(_installed, site)),
    )


def _installed(site: Site) -> None:
    changes = installing.changes(site.project, briefing.targets(site.project))
    steps = install.shared(changes)
    install.apply(install.Plan(root=site.project.root, steps=tuple(steps), registers=None))


def _kept(site: Site) -> Finding:
    said = ask(site.project.root, "check-ignore", "-v", "--", _KEPT)
    rule = os.fsdecode(said.output).partition("\t")[0].strip()
    if said.status == 0 and rule.startswith(".mind/.gitignore:"):
        return fine("the memory is private: git leaves it alone")
    if said.status == 0:
        return warning(
            f"git ignores the memory, by {rule}",
            "Take that line out, or run `mind init --private` if the memory is yours alone.",
        )
    days = _uncommitted(site)
    if days is not None and days > _WEEK:
        return fine(f"the memory has changes that nobody committed for {days} days")
    return fine("the memory can be committed, and nothing derived is")


def _has_filter(site: Site) -> bool:
    """True if what git keeps is made by a program of the repository, which is not started."""
    said = ask(site.project.root, "check-attr", "-z", "filter", "--", _KEPT).output.split(b"\0")
    return said[2:3] not in ([b"unspecified"], [b"unset"])


def _committed(site: Site) -> bytes:
    """The memory as git has it; line ends are the worktree's own."""
    revisions = Revisions(site.project.root)
    head = revisions.head()
    return revisions.read([head], _KEPT)[0].replace(b"\r\n", b"\n") if head else b""


def _uncommitted(site: Site) -> int | None:
    """For how many days the memory differs from what is committed; None if it does not."""
    if _has_filter(site) or _committed(site) == site.memory.replace(b"\r\n", b"\n"):
        return None
    return int(time.time() - site.project.memory.stat().st_mtime) // _DAY
