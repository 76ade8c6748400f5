"""The choice of files for the context block when clients are named, with notes for the user."""

from collections.abc import Sequence

from mind.documents import context_block
from mind.memory import briefing
from mind.setup.clients import reading
from mind.setup.clients.known import Client
from mind.storage import files
from mind.storage.project import Project


def carriers(project: Project, clients: Sequence[Client]) -> tuple[list[str], list[str]]:
    """Files for the context block, and notes on the choice.

    These are the files that already have the block, and the file that each client reads. No files
    are returned if the project's default ones are enough.

    Raises:
        MarkersDamaged: A file has a damaged block.
    """
    wanted = reading.targets(
        [one.name for one in clients], lambda name: (project.root / name).is_file()
    )
    usual = [project.relative(path) for path in briefing.targets(project)]
    kept = [name for name in usual if _carries(project, name)]
    names = list(dict.fromkeys((*kept, *wanted.values())))
    notes = [f"{client} reads the memory from {name}." for client, name in wanted.items()]
    agents, claude = project.root / reading.AGENTS, project.root / "CLAUDE.md"
    if reading.AGENTS in names and not agents.is_file() and claude.is_file():
        notes.append(
            "This creates AGENTS.md, which opencode, Amp and Zed read instead of CLAUDE.md. To "
            "share instructions, move them to AGENTS.md and begin CLAUDE.md with `@AGENTS.md`."
        )
    return ([] if names == usual or not wanted else names), notes


def _carries(project: Project, name: str) -> bool:
    path = project.root / name
    return path.is_file() and context_block.block_span(files.read(path)) is not None
