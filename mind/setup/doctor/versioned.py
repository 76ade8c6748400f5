"""What git makes of the memory."""

import os
import time
from functools import partial

from mind.memory import briefing
from mind.setup import install
from mind.setup.doctor.finding import Finding, Mending, fine, several, warning
from mind.setup.doctor.site import Site
from mind.setup.git import installing
from mind.sources.git.repository import ask, folder_of
from mind.sources.git.revisions import Revisions

_DERIVED = (".mind/cache", ".mind/state.json", ".mind/SESSION.md", ".mind/events.jsonl")
_KEPT = ".mind/MEMORY.md"
_DAY = 24 * 3600
_WEEK = 7


def git(site: Site) -> Finding:
    """Whether git keeps the memory, and nothing that is derived."""
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
    """Whether git merges the memory entry by entry in this clone."""
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
    """Whether what git keeps is made by a program of the repository, which is not started."""
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
