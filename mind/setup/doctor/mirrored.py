"""The mirror: whether it answers, and whether all was sent to it."""

from contextlib import closing

from mind.memory import mirror as mirroring
from mind.search.semantic import Meaning
from mind.setup.doctor.finding import Finding, broken, fine, warning
from mind.setup.doctor.site import Site
from mind.storage.home import home
from mind.storage.index import Index
from mind.storage.mirror import postgres


def mirror(site: Site) -> Finding:
    """How the mirror stands; ``quick`` asks nothing of it."""
    meaning = Meaning(site.project.settings, home())
    if not postgres.is_configured(site.project.settings):
        return fine("none is configured")
    with closing(Index(site.index)) as opened:
        found = opened.sure(
            lambda: mirroring.state(site.project, opened, meaning, ask=not site.quick)
        )
    if found.problem:
        said, _, remedy = found.problem.partition(". ")
        return broken(said, remedy or "Run `mind mirror status`.")
    if not found.chosen:
        return fine("this project is not mirrored; `mind mirror sync` begins it")
    if found.warnings:
        said, _, remedy = found.warnings[0].partition(". ")
        return warning(said, remedy)
    told = f"{found.backlog.pending:,} changes wait" if found.backlog.pending else "all was sent"
    return fine(f"{found.place}: {found.entries:,} entries, {told}")
