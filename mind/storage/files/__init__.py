"""Safe reading and writing of files that other programs also edit.

Mind's own processes take a lock. Additions at the end are appended with one write. Other changes
are applied to the current content, written to a new file, and moved into place. Editors take no
lock: `docs/decisions/0004-writing-files.md` describes the guarantees.
"""

from mind.storage.files import content
from mind.storage.files.appending import append, ask_git, left_out, let_go, settle
from mind.storage.files.beside import write, write_json
from mind.storage.files.content import (
    LARGEST,
    GitMove,
    GitVersions,
    allow,
    boundary_of,
    check,
    decode,
    enclose,
    is_inside,
    part_of,
    read,
    read_json,
)
from mind.storage.files.recent import WINDOW_SECONDS
from mind.storage.files.replacing import edit
from mind.storage.files.system import is_link, lock

__all__ = [
    "LARGEST",
    "WINDOW_SECONDS",
    "GitMove",
    "GitVersions",
    "allow",
    "append",
    "ask_git",
    "boundary_of",
    "check",
    "content",
    "decode",
    "edit",
    "enclose",
    "is_inside",
    "is_link",
    "left_out",
    "let_go",
    "lock",
    "part_of",
    "read",
    "read_json",
    "settle",
    "write",
    "write_json",
]
