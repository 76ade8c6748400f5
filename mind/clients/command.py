"""How the server is started."""

import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

_OURS = re.compile(r"mind|python[\d.]*|py", re.IGNORECASE)
_PACKAGES = ("mind", "mind-lens")


def command(*, here: bool = False) -> list[str]:
    """How this installation's server is started: ``mind mcp``, or the program by its full path.

    The short form is the same on every machine of a team; the long one works from a virtual
    environment that is not active, and in programs that know nothing of a shell's PATH.

    Args:
        here: Give the full path in any case: for a file that is of this machine alone.
    """
    found = shutil.which("mind")
    if found:
        return [str(Path(found).absolute()) if here else "mind", "mcp"]
    beside = Path(sys.executable).with_name("mind.exe" if sys.platform == "win32" else "mind")
    if beside.is_file():
        return [str(beside), "mcp"]
    return [sys.executable, "-P", "-m", "mind", "mcp"]


def repointed(known: Sequence[str], *, here: bool = False) -> list[str]:
    """``known`` with this installation's program, its own options kept."""
    start = command(here=here)
    if "mcp" not in known:
        return start
    at = known.index("mcp")
    own = known[1:at]
    launched = [place for place, word in enumerate(own) if word in _PACKAGES]
    return [*start[:-1], *own[launched[-1] + 1 if launched else 0 :], *known[at:]]


def is_there(program: str, root: Path) -> bool:
    """Whether ``program`` can be started, by a client that works in ``root``."""
    return shutil.which(program) is not None or shutil.which(root / program) is not None


def is_gone(known: Sequence[str], root: Path, *, here: bool) -> bool:
    """Whether ``known`` names a program by its full path that is no longer there.

    In a file of this machine alone (``here``) a program of Mind's own counts by its name too. What
    a team shares may name one that only this machine lacks.
    """
    program = known[0]
    ours = here and _OURS.fullmatch(Path(program).stem) is not None
    return (ours or "/" in program or "\\" in program) and not is_there(program, root)
