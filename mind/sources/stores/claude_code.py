"""What the sessions of Claude Code taught, read from its transcripts of this project."""

from collections.abc import Iterator
from pathlib import Path

from mind.sources import transcripts
from mind.sources.remembered import Remembered
from mind.sources.stores import auto_memory
from mind.sources.stores.values import Reading, Surroundings

NAME = transcripts.SOURCE


def places(around: Surroundings) -> list[Path]:
    """The folder with the transcripts of all projects."""
    return [auto_memory.projects(around)]


def read(path: Path, reading: Reading) -> Iterator[Remembered]:
    """The lessons of a transcript, of a folder of them, or of those that are of this project."""
    if path.is_file():
        files = [path]
    elif path.name == "projects":
        there = {"CLAUDE_CONFIG_DIR": str(path.parent)}
        files = transcripts.found(reading.root, Path.home(), there)
    else:
        files = sorted(one for one in path.glob("*.jsonl") if not one.is_symlink())
    return transcripts.remembered(files, reading.root, zone=reading.zone)
