"""Forgetting what a session was given of files; a hook loads this and nothing else."""

import contextlib
import json
import os
import re
from hashlib import blake2b

FOLDER = "reads"

_PROCESS = f"{os.getpid()}-{os.urandom(8).hex()}"
_SESSION = re.compile(r"[cp]-[0-9a-f]{24}")
_RECORD = re.compile(r"[0-9a-f]{24}")


def forget_session(cache: "str | os.PathLike[str]", session: str) -> None:
    """Forget what a session was given, because the agent no longer has it.

    For a compaction of the client's context, and for one that begins with nothing. What clients
    without names were given is forgotten too: it may have been this one. So is what those were
    given that share Mind's running session: a server keeps the name that it was started with, when
    the client's session has got another one.

    Args:
        cache: ``.mind/cache``.
        session: The client's name for its session; "" for every session there is.
    """
    folder = os.fspath(cache)
    gone = {named(name) for name in (session, *_running(folder))}
    for one in sessions(os.path.join(folder, FOLDER)):  # noqa: PTH118 - a hook does without pathlib
        name = os.path.basename(one)  # noqa: PTH119 - as above
        if not session or name in gone or name.startswith("p-"):
            for path in records(one):
                remove(path)
            remove_folder(one)


def _running(cache: str) -> list[str]:
    """The clients' names for the session that runs, from ``state.json``."""
    path = os.path.join(os.path.dirname(cache), "state.json")  # noqa: PTH118, PTH120 - as above
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - as above
            state = json.loads(file.read())
    except (OSError, ValueError, RecursionError):
        return []
    names = state.get("session_ids") if isinstance(state, dict) else None
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


def named(client: str) -> str:
    """The folder of a client's session; that of this process where it gave no name."""
    return f"c-{name_of(client)}" if client else f"p-{name_of(_PROCESS)}"


def name_of(text: str) -> str:
    """The name of a file or folder for ``text``."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def sessions(top: str) -> list[str]:
    """Folders of this shape only, and no links: nothing else is ever deleted."""
    if os.path.islink(top):  # noqa: PTH114 - as above
        return []
    return [one.path for one in _listed(top, _SESSION) if not one.is_symlink()]


def records(folder: str) -> list[str]:
    """Records in the folder of a session."""
    return [one.path for one in _listed(folder, _RECORD)]


def _listed(folder: str, shape: re.Pattern[str]) -> "list[os.DirEntry[str]]":
    try:
        with os.scandir(folder) as found:
            return [one for one in found if shape.fullmatch(one.name)]
    except OSError:
        return []


def remove(path: str) -> None:
    """Delete a record, if it is there."""
    with contextlib.suppress(OSError):
        os.unlink(path)  # noqa: PTH108 - as above


def remove_folder(folder: str) -> None:
    """Delete a session's folder, unless somebody reads on in it."""
    with contextlib.suppress(OSError):
        os.rmdir(folder)  # noqa: PTH106 - as above
