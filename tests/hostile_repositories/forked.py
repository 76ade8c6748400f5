"""A warm process that runs Mind's programs, each in a fork of its own, and notes what they start.

``python -m tests.hostile_repositories.forked FOLDER`` reads requests as lines of JSON, and answers
each with a line. A fork has its own working folder, environment and standard streams, as a process
that was started; only the modules are loaded already.
"""

import gc
import importlib
import json
import os
import pkgutil
import resource
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

_EVENTS = frozenset(
    {"subprocess.Popen", "os.exec", "os.posix_spawn", "os.spawn", "os.system", "socket.connect"}
)
_MOST_BYTES = 1_500_000_000
"""Of one process: who reads an endless device runs out of them."""
_LEFT_OUT = ("mind.search.embedding", "mind.storage.mirror.", "mind.__main__")


def warm() -> None:
    """Load what the programs load."""
    import mind

    os.environ["GIT_PYTHON_REFRESH"] = "quiet"
    for module in pkgutil.walk_packages(mind.__path__, "mind."):
        if not module.name.startswith(_LEFT_OUT):
            with suppress(ImportError):
                importlib.import_module(module.name)
    for name in ("git", "mcp.server", "mcp.server.stdio", "rich.console", "dateparser"):
        with suppress(ImportError):
            importlib.import_module(name)
    del os.environ["GIT_PYTHON_REFRESH"]


def audit(log: Path) -> None:
    """Note each program that this process starts: a line of JSON with its arguments."""
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event in _EVENTS:
            given = arguments[1] if event == "socket.connect" else arguments[:2]
            if event == "socket.connect" and isinstance(given, str | bytes):
                return  # a socket of this machine
            os.write(descriptor, (json.dumps([event, given], default=_text) + "\n").encode())

    sys.addaudithook(hook)


def _text(value: object) -> object:
    if isinstance(value, bytes):
        return os.fsdecode(value)
    return os.fspath(value) if isinstance(value, os.PathLike) else repr(value)


def mind(arguments: list[str]) -> None:
    """Run ``mind``."""
    from mind.__main__ import main

    sys.argv = ["mind", *arguments]
    main()


def hook(arguments: list[str]) -> None:
    """Run ``mind-hook``."""
    from mind.hooks import main

    sys.argv = ["mind-hook", *arguments]
    main()


_PROGRAMS: dict[str, Callable[[list[str]], None]] = {"mind": mind, "mind-hook": hook}


def _child(request: dict[str, Any], folder: Path) -> None:
    os.setsid()
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    (folder / "in").write_bytes(request["stdin"].encode())
    os.dup2(os.open(folder / "in", os.O_RDONLY), 0)
    os.dup2(os.open(folder / "out", flags, 0o600), 1)
    os.dup2(os.open(folder / "err", flags, 0o600), 2)
    for number, mode in enumerate("rww"):
        stream = open(number, mode, encoding="utf-8", closefd=False)  # noqa: SIM115 - it stays open
        setattr(sys, ("stdin", "stdout", "stderr")[number], stream)
    os.environ.clear()
    os.environ.update(request["environment"])
    time.tzset()
    os.chdir(request["folder"])
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_BYTES, _MOST_BYTES))
    audit(folder / "started")
    status = 0
    try:
        _PROGRAMS[request["program"]](request["arguments"])
    except SystemExit as left:
        status = left.code if isinstance(left.code, int) else int(left.code is not None)
    except BaseException:  # noqa: BLE001 - it is shown, as the interpreter would
        sys.excepthook(*sys.exc_info())
        status = 1
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):
            stream.flush()
    os._exit(status)


class _Late(Exception):
    pass


def _alarm(_number: int, _frame: FrameType | None) -> None:
    raise _Late


def answer(request: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Run one request to its end; a process that takes too long is killed with all it started."""
    for name in ("out", "err", "started"):
        (folder / name).write_bytes(b"")
    process = os.fork()
    if not process:
        try:
            _child(request, folder)
        finally:
            os._exit(125)
    signal.signal(signal.SIGALRM, _alarm)
    signal.alarm(request["seconds"])
    late = False
    try:
        _, status = os.waitpid(process, 0)
    except _Late:
        late = True
        with suppress(ProcessLookupError):
            os.killpg(process, signal.SIGKILL)
        _, status = os.waitpid(process, 0)
    finally:
        signal.alarm(0)
    rows = (folder / "started").read_text(encoding="utf-8").splitlines()
    return {
        "status": os.waitstatus_to_exitcode(status),
        "late": late,
        "process": process,
        "out": (folder / "out").read_bytes().decode("utf-8", "replace"),
        "err": (folder / "err").read_bytes().decode("utf-8", "replace"),
        "started": [json.loads(row) for row in rows],
    }


def main() -> None:
    """Answer until there are no more requests."""
    folder = Path(sys.argv[1])
    warm()
    gc.collect()
    gc.freeze()  # a fork that collects would copy all of the memory
    for line in sys.stdin:
        sys.stdout.write(json.dumps(answer(json.loads(line), folder)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
