"""Checks of a memory's folder, settings, locks and git configuration."""

import os
from collections.abc import Iterable, Iterator
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
from mind.storage import files
from mind.storage.boundary import home
from mind.storage.project import register, registered
from mind.storage.templates import text as template

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


def writing(site: ExaminedProject) -> Finding:
    """Check that the lock can be acquired and the cache is writable."""
    lock, probe = site.project.lock, site.project.cache / "probe"
    try:
        with files.lock(lock, _PATIENCE):
            files.write(probe, b"")
            probe.unlink()
    except LockTimeout:
        return broken(
            f"another process has held the lock for over {_PATIENCE:g} s",
            f"Run `fuser {typed([lock])}` to find it; the lock is released when it ends.",
        )
    return fine("the lock and the cache are writable")


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
