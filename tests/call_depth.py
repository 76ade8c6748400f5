"""Counting the functions of Mind between an adapter and what it asks of SQL or a file.

Run as a program with the adapter's file, a word of the access (a part of a statement or of a path
that is opened or replaced) and the arguments of ``mind``, or "hook" for ``mind-hook``. The last
line on standard error has the largest number, and how many of Mind's modules were loaded.
"""

import sqlite3
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

import mind

_PACKAGE = Path(mind.__file__).parent


def _depth(frame: FrameType | None, adapter: str) -> int:
    """Functions from that of the adapter up to ``frame``; 0 outside of it."""
    count = found = 0
    while frame is not None:
        path = Path(frame.f_code.co_filename)
        if path.is_relative_to(_PACKAGE):
            count += 1
            if path == _PACKAGE / adapter and frame.f_code.co_name != "<module>":
                found = count
        frame = frame.f_back
    return found


def _watch(see: Callable[[object], None]) -> None:
    """Let ``see`` have every statement, and every path that is opened or replaced."""

    def heard(event: str, told: tuple[object, ...]) -> None:
        if event in ("open", "os.rename"):
            see(told[event == "os.rename"])

    def traced(*given: Any, **named: Any) -> sqlite3.Connection:
        made: sqlite3.Connection = connect(*given, **named)
        made.set_trace_callback(see)
        return made

    connect = sqlite3.connect
    sqlite3.connect = traced  # type: ignore[assignment]
    sys.addaudithook(heard)


def main() -> None:
    """Run ``mind``, and tell the depth."""
    adapter, wanted, *arguments = sys.argv[1:]
    depths = [0]

    def see(what: object) -> None:
        if wanted in str(what):
            depths.append(_depth(sys._getframe(1), adapter))

    _watch(see)
    with suppress(SystemExit):
        if arguments == ["hook"]:
            from mind.hooks import main as run
        else:
            from mind.__main__ import main as run

            sys.argv[1:] = arguments
        run()
    modules = sum(name.partition(".")[0] == "mind" for name in sys.modules)
    print(f"\ndepth {max(depths)} modules {modules}", file=sys.__stderr__)


if __name__ == "__main__":
    main()
