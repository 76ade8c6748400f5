"""Commands that start the server and the hooks, and clients' first requests to a server."""

import json
import os
import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib import metadata
from pathlib import Path

from mind.storage import process

_OURS = re.compile(r"mind|python[\d.]*|py", re.IGNORECASE)
PACKAGE = "mind-lens"
_PACKAGES = ("mind", PACKAGE)
_MODULE = ("-P", "-m", "mind")
_ARGUMENTS = re.compile(r"((--global|-g) )?mcp( --toolsets[ =][\w,]+)?")
"""Arguments that Mind's server may be registered with."""
_CAPABILITIES = {"roots": {"listChanged": True}, "elicitation": {"form": {}, "url": {}}}
"""The client capabilities of Claude Code 2.1."""
_CLIENT = {"name": "mind", "version": "0"}
_META = {
    "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": _CAPABILITIES,
        "io.modelcontextprotocol/clientInfo": _CLIENT,
    }
}
_ASKED = {
    "protocolVersion": "2025-11-25",
    "capabilities": _CAPABILITIES,
    "clientInfo": _CLIENT,
}
_OPENINGS: tuple[tuple[dict[str, object], ...], ...] = (
    (
        {"id": "a", "method": "server/discover", "params": _META},
        {"id": 0, "method": "tools/list", "params": _META},
    ),
    (
        {"id": 0, "method": "initialize", "params": _ASKED},
        {"method": "notifications/initialized"},
        {"id": 1, "method": "tools/list"},
    ),
)


def command(root: Path, *, here: bool = False) -> list[str]:
    """This installation's server command: ``mind mcp``, or the program with its full path.

    The short form is the same on every machine of a team; the long one also works from a virtual
    environment that is not active, and in programs that do not use the shell's PATH.

    Args:
        root: The project; programs inside its repository are ignored.
        here: Always use the full path, for a file that stays on this machine.
    """
    found = process.find("mind", root)
    if found:
        return [found if here else "mind", "mcp"]
    beside = installed("mind")
    return [str(beside), "mcp"] if beside.is_file() else [sys.executable, *_MODULE, "mcp"]


def installed(name: str) -> Path:
    """The path of a program of this installation: where pip put it, else next to the interpreter.

    The program may not exist.
    """
    with suppress(metadata.PackageNotFoundError):
        for file in metadata.distribution(PACKAGE).files or ():
            if file.stem == name and file.parent.name in ("bin", "Scripts"):
                return Path(os.path.normpath(file.locate()))
    return Path(sys.executable).with_name(f"{name}.exe" if sys.platform == "win32" else name)


def resolved(program: str, name: str, root: Path) -> str | None:
    """The full path of Mind's own program ``name`` if ``program`` refers to it, else None.

    Args:
        program: The program in a client's file.
        name: ``mind`` or ``mind-hook``.
        root: The project; programs inside its repository are not Mind's own.
    """
    found = process.find(name, root)
    if program == name:
        return found
    own = [str(one) for one in (found, installed(name)) if one and Path(one).is_file()]
    same = (one for one in own if Path(program).is_absolute() and _is_same(one, program))
    return next(same, None)


def _is_same(one: str, other: str) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)


def own_server(known: Sequence[str], root: Path) -> list[str] | None:
    """The resolved form of the command ``known`` if ``mind init`` would write it, else None.

    The toolsets may differ.
    """
    program, *rest = known
    if tuple(rest[: len(_MODULE)]) == _MODULE and _is_same(program, sys.executable):
        start, rest = [sys.executable, *_MODULE], rest[len(_MODULE) :]
    else:
        found = resolved(program, "mind", root)
        start = [found] if found else []
    return [*start, *rest] if start and _ARGUMENTS.fullmatch(" ".join(rest)) else None


def repointed(known: Sequence[str], root: Path, *, here: bool = False) -> list[str]:
    """``known`` with this installation's program; its options are kept."""
    start = command(root, here=here)
    if "mcp" not in known:
        return start
    at = known.index("mcp")
    own = known[1:at]
    launched = [place for place, word in enumerate(own) if word in _PACKAGES]
    return [*start[:-1], *own[launched[-1] + 1 if launched else 0 :], *known[at:]]


def is_there(program: str, root: Path) -> bool:
    """True if a client that works in ``root`` can start ``program``."""
    if Path(program).name == program and process.find(program, root):
        return True
    return shutil.which(root / program) is not None


def is_gone(known: Sequence[str], root: Path, *, here: bool) -> bool:
    """True if ``known`` has the full path of a program that no longer exists.

    In a file of this machine only (``here``), this also applies to Mind's own programs without a
    path. A file shared by a team may name a program that only this machine lacks.
    """
    program = known[0]
    ours = here and _OURS.fullmatch(Path(program).stem) is not None
    return (ours or "/" in program or "\\" in program) and not is_there(program, root)


def openings() -> Iterator[bytes]:
    """The first requests of a connection, for protocol revision 2026-07-28 and the one before.

    A server that has answered them once has cached the answers (docs/decisions/0007-handshake.md).
    """
    for calls in _OPENINGS:
        yield b"".join(json.dumps({"jsonrpc": "2.0", **one}).encode() + b"\n" for one in calls)
