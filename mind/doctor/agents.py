"""What agents see and run: the context block and the hooks."""

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from mind import briefing, context, files, installation
from mind.clients import claude_plugin
from mind.doctor import rehearsal
from mind.doctor.finding import Finding, Mending, broken, fine, several, warning
from mind.doctor.site import Site
from mind.errors import FileError, MarkersDamaged
from mind.index import Index
from mind.installation import Plan
from mind.project import Project


def block(site: Site) -> Finding:
    """Whether every file that carries the context block has exactly one."""
    targets = briefing.targets(site.project)
    outside = [str(path) for path in targets if not _is_inside(path, site.project.root)]
    if outside:
        return broken(
            f"context.targets names {several(outside)}, outside of the project",
            "Run `mind config context.targets '[\"CLAUDE.md\"]'`.",
        )
    without: list[Path] = []
    faults: list[FileError] = []
    for path in targets:
        try:
            without += [] if _has_block(path, site.name(path)) else [path]
        except FileError as error:
            faults.append(error)
    if faults:
        return broken("; ".join(error.message for error in faults), faults[0].remedy)
    if without:
        lacking = several([site.name(path) for path in without])
        return warning(
            f"{lacking} has none",
            "Run `mind init` to add it.",
            Mending(f"add it to {lacking}", partial(_placed, site.project, without)),
        )
    return fine(several([site.name(path) for path in targets]))


def _is_inside(path: Path, root: Path) -> bool:
    """Whether ``path`` is one in ``root``, wherever a symbolic link there may lead."""
    return Path(os.path.normpath(path)).is_relative_to(root)


def _has_block(path: Path, name: str) -> bool:
    source = files.read(path)
    files.decode(source, path)
    try:
        return context.block_span(source) is not None
    except MarkersDamaged as error:
        lines = ",".join(str(line) for line in error.data["lines"])
        raise MarkersDamaged(f"{name}:{lines}: {error.message}") from error


def _placed(project: Project, paths: Sequence[Path]) -> None:
    """Put into ``paths`` an empty block, and then what the block said the last time."""
    wanted = installation.plan(project.root)
    steps = tuple(step for step in wanted.steps if step.path in paths)
    installation.apply(Plan(root=project.root, steps=steps, registers=True))
    kept = Index(project.cache / "index.db")
    try:
        body = kept.sure(lambda: kept.meta("block"))
    finally:
        kept.close()
    if body:
        briefing.refresh_targets(project, body)


def hooks(site: Site) -> Finding:
    """Whether Claude Code's hooks are there, and do what they are for."""
    known = rehearsal.registered(site.project.root)
    if not known:
        plugin = claude_plugin.enabled(site.project.root)
        return fine(f"those of the plugin {plugin}" if plugin else "not installed")
    if site.quick:
        return fine(several([f"{one.event}: {one.command}" for one in known]))
    told = []
    for one in known:
        result = rehearsal.run(one, site.project.root)
        if result.fault:
            return broken(
                f"{site.name(one.path)}, {one.event}: `{one.command}` {result.fault}",
                f"Correct the command in {one.path}; here it is `{rehearsal.program()}`.",
            )
        told.append(f"{one.event} runs in {result.seconds:.2f} s")
    return fine("; ".join(told))
