"""Notes from Claude Code's transcripts of this project's sessions.

Transcripts of other projects are found only if their folder or file is named.
"""

from collections.abc import Iterator
from pathlib import Path

from mind.sources import transcripts
from mind.sources.importers import auto_memory
from mind.sources.importers.values import Importer, ImporterInput, Surroundings
from mind.sources.remembered import ImportedNote

NAME = transcripts.SOURCE


def places(around: Surroundings) -> list[Path]:
    """Return the folder with the transcripts of all projects."""
    return [auto_memory.projects(around)]


def read(path: Path, reading: ImporterInput) -> Iterator[ImportedNote]:
    """Yield the notes of a transcript, of a folder of them, or of this project's."""
    if path.is_file():
        files = [path]
    elif path.name == "projects":
        files = transcripts.found(reading.root, path)
    else:
        files = sorted(one for one in path.glob("*.jsonl") if not one.is_symlink())
    return transcripts.remembered(files, reading.root, settings=reading.settings, zone=reading.zone)


IMPORTERS = (
    Importer(
        name=NAME,
        about="statements and fixed failures in Claude Code's sessions",
        places=places,
        read=read,
        where="`$CLAUDE_CONFIG_DIR` or `~/.claude`, `projects/…` of the repository",
        gives="statements by what they announce",
    ),
)
