"""What agents see and run: the context block and the hooks."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from mind.documents import context_block
from mind.domain.errors import FileError, MarkersDamaged
from mind.memory import briefing
from mind.setup import install
from mind.setup.clients import claude_hooks, claude_plugin
from mind.setup.doctor import rehearsal
from mind.setup.doctor.finding import Finding, Mending, Verdict, broken, fine, several, warning
from mind.setup.doctor.rehearsal import Hook
from mind.setup.doctor.site import Site
from mind.setup.install import Plan
from mind.storage import files, process
from mind.storage.index import Index
from mind.storage.project import Project


def block(site: Site) -> Finding:
    """Whether every file that carries the context block has exactly one."""
    targets = briefing.targets(site.project)
    outside = [str(path) for path in briefing.named_targets(site.project) if path not in targets]
    if outside:
        return broken(
            f"{several(outside)} leads outside the repository",
            "Run `mind config context.targets '[\"CLAUDE.md\"]'`, or see the check of links.",
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


def _has_block(path: Path, name: str) -> bool:
    source = files.read(path)
    files.decode(source, path)
    try:
        return context_block.block_span(source) is not None
    except MarkersDamaged as error:
        lines = ",".join(str(line) for line in error.data["lines"])
        raise MarkersDamaged(f"{name}:{lines}: {error.message}") from error


def _placed(project: Project, paths: Sequence[Path]) -> None:
    """Put into ``paths`` an empty block, and then what the block said the last time."""
    wanted = install.plan(project.root)
    steps = tuple(step for step in wanted.steps if step.path in paths)
    install.apply(Plan(root=project.root, steps=steps, registers=True))
    kept = Index(project.cache / "index.db")
    try:
        bodies = kept.sure(lambda: briefing.last(kept))
    finally:
        kept.close()
    if bodies.own.body:
        briefing.refresh_targets(project, bodies)


def hooks(site: Site) -> Finding:
    """Whether Claude Code's hooks are there, and do what they are for."""
    known = rehearsal.registered(site.project.root)
    if not known:
        plugin = claude_plugin.enabled(site.project.root)
        return fine(f"those of the plugin {plugin}" if plugin else "not installed")
    if site.quick:
        return fine(several([f"{one.event}: {one.line}" for one in known]))
    found = [_ran(site, one) for one in known]
    worst = max(found, key=lambda one: tuple(Verdict).index(one.verdict))
    return worst if worst.remedy else fine("; ".join(one.detail for one in found))


def _ran(site: Site, hook: Hook) -> Finding:
    """Run a hook, if it is Mind's own program, or else if the user says so."""
    root = site.project.root
    place = f"{site.name(hook.path)}, {hook.event}"
    remedy = f"Correct the command in {hook.path}; here it is `{claude_hooks.program(root)}`."
    own = rehearsal.own(hook, root)
    if own is None and hook.line == "mind-hook":
        return broken(f"{place}: PATH finds no `mind-hook` outside of the repository", remedy)
    if own is None and not site.confirm(place, hook.line):
        return warning(
            f"{place}: `{hook.line}` is not Mind's own command; it was not started",
            f"{remedy} To start it, run `mind doctor --start`.",
        )
    if own:
        result = rehearsal.run(hook, own, process.OUTSIDE, root)
    else:
        result = rehearsal.run(hook, rehearsal.as_written(hook), root, root)
    if result.fault:
        return broken(f"{place}: `{hook.line}` {result.fault}", remedy)
    return fine(f"{hook.event} runs in {result.seconds:.2f} s")
