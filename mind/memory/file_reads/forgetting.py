"""Deletion of the records of a session's reads; a hook loads only this module."""

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
    """Delete the records of a session whose agent no longer has the content.

    Used when the client compacts or clears its context. Also deletes the records of unnamed
    clients, which may be this one, and of clients in Mind's running session: a server keeps the
    name it was started with, even after the client's session got a new one.

    Args:
        cache: ``.mind/cache``.
        session: The client's session name; "" for all sessions.
    """
    folder = os.fspath(cache)
    gone = {named(name) for name in (session, *_running(folder))}
    for one in sessions(os.path.join(folder, FOLDER)):  # noqa: PTH118 - hooks avoid importing pathlib
        name = os.path.basename(one)  # noqa: PTH119 - as above
        if not session or name in gone or name.startswith("p-"):
            for path in records(one):
                remove(path)
            remove_folder(one)


def _running(cache: str) -> list[str]:
    """Return the client names of the running session, from ``state.json``."""
    path = os.path.join(os.path.dirname(cache), "state.json")  # noqa: PTH118, PTH120 - as above
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - as above
            state = json.loads(file.read())
    except (OSError, ValueError, RecursionError):
        return []
    names = state.get("session_ids") if isinstance(state, dict) else None
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


def named(client: str) -> str:
    """Return the folder name of a client's session; without a name, of this process."""
    return f"c-{name_of(client)}" if client else f"p-{name_of(_PROCESS)}"


def name_of(text: str) -> str:
    """Return the file or folder name for ``text``."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def sessions(top: str) -> list[str]:
    """Return session folders only, no links: nothing else may be deleted."""
    if os.path.islink(top):  # noqa: PTH114 - as above
        return []
    return [one.path for one in _listed(top, _SESSION) if not one.is_symlink()]


def records(folder: str) -> list[str]:
    """Return the records in a session's folder."""
    return [one.path for one in _listed(folder, _RECORD)]


def _listed(folder: str, shape: re.Pattern[str]) -> "list[os.DirEntry[str]]":
    try:
        with os.scandir(folder) as found:
            return [one for one in found if shape.fullmatch(one.name)]
    except OSError:
        return []


def remove(path: str) -> None:
    """Delete a record, if it exists."""
    with contextlib.suppress(OSError):
        os.unlink(path)  # noqa: PTH108 - as above


def remove_folder(folder: str) -> None:
    """Delete a session's folder, unless it has new records."""
    with contextlib.suppress(OSError):
        os.rmdir(folder)  # noqa: PTH106 - as above
