"""Reading and writing files so that nobody's bytes are lost.

Mind's own processes take a lock. What can stand at the end is appended with one write; anything
else is a change applied to the file as it is at that moment, written beside it, and put in its
place. Editors take no lock: `docs/decisions/0004-writing-files.md` says what is guaranteed to them.
"""

from mind.files import inside
from mind.files.appending import append, left_out, let_go, settle
from mind.files.content import LARGEST, decode, read, read_json
from mind.files.inside import allow, boundary_of, check, enclose, is_inside
from mind.files.locks import lock
from mind.files.own import write, write_json
from mind.files.recent import WINDOW_SECONDS
from mind.files.replacing import edit

__all__ = [
    "LARGEST",
    "WINDOW_SECONDS",
    "allow",
    "append",
    "boundary_of",
    "check",
    "decode",
    "edit",
    "enclose",
    "inside",
    "is_inside",
    "left_out",
    "let_go",
    "lock",
    "read",
    "read_json",
    "settle",
    "write",
    "write_json",
]
