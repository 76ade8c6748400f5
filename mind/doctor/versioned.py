"""What git makes of the memory."""

import os
import time

from mind.doctor.finding import Finding, fine, several, warning
from mind.doctor.site import Site
from mind.sources.repository import ask, folder_of

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


def _uncommitted(site: Site) -> int | None:
    """For how many days the memory differs from what is committed; None if it does not."""
    changed = ask(site.project.root, "status", "--porcelain", "-z", "--", _KEPT)
    if changed.status or not changed.output:
        return None
    return int(time.time() - site.project.memory.stat().st_mtime) // _DAY
