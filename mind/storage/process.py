"""Processes: running other programs with a time limit, and the standard streams of this one.

A repository can contain a program of any name, PATH can lead into it, and a program can hang. So
programs are looked up outside the repository. They write to files, not pipes, so that a process
they leave behind blocks nothing. On timeout they are killed with all their children.

A client can start Mind with closed streams, close a pipe early, or delete the working folder. The
next file that Mind opens must not get the number of a standard stream. Hooks import this module,
so other imports are local.
"""

import os
import sys
from contextvars import ContextVar, Token
from time import monotonic, sleep

from mind.storage import gitindex

TYPE_CHECKING = False  # typing takes milliseconds

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from subprocess import CompletedProcess, Popen
    from typing import IO, Self, TextIO

GIT_SECONDS = 4.0
"""Default time limit for all git calls of a use case, in seconds."""
OUTSIDE = os.path.abspath(os.sep)
"""Root folder, which no repository can write to."""
_MOST = 64_000_000
"""Most bytes read of a program's output."""
_SHORTEST, _LONGEST = 0.0003, 0.02
"""Shortest and longest pause, in seconds, between checks for a program's end."""
_REAPING = 0.5
"""Seconds a killed process has to exit; one stuck on a dead disk never does."""


class Unanswered(Exception):
    """A program was stopped; the message says why."""


class Patience:
    """Time budget for all git calls of a use case; active while entered.

    Args:
        seconds: The budget.

    Attributes:
        left: Remaining seconds; 0 after git failed to answer.
        problem: Description and consequence of that failure; "" without one.
    """

    __slots__ = ("_token", "left", "problem")

    def __init__(self, seconds: float) -> None:
        self.left = seconds
        self.problem = ""
        self._token: Token[Patience | None] | None = None

    def end(self, given: str) -> None:
        """Use up the budget because of ``given``, the failure of git."""
        self.left = 0
        self.problem = (
            f"git gave {given}; commits and comments are not read. Run `git status` to see why."
        )

    def __enter__(self) -> "Self":
        self._token = _patience.set(self)
        return self

    def __exit__(self, *_: object) -> None:
        if self._token is not None:
            _patience.reset(self._token)


_patience: "ContextVar[Patience | None]" = ContextVar("patience", default=None)


def patience() -> Patience | None:
    """Active budget of the running use case; None if there is none."""
    return _patience.get()


def find(name: str, root: "Path | str") -> str | None:
    """Path of the program ``name`` outside the repository of ``root``; None if not found.

    Relative folders of PATH are skipped, because they depend on the working folder. The folder of
    the running interpreter is always allowed.
    """
    import shutil  # noqa: PLC0415 - see above

    closed = gitindex.around(os.path.realpath(root))
    own = os.path.realpath(os.path.dirname(sys.executable))
    for folder in os.get_exec_path():
        real = os.path.realpath(folder)
        if not os.path.isabs(folder) or (gitindex.holds(closed, real) and real != own):
            continue
        found = shutil.which(name, path=folder)
        if found and os.path.isabs(found):  # Windows searches the current folder first
            return found
    return None


def run(
    command: "Sequence[str]", *, cwd: "Path | str", env: "Mapping[str, str]", seconds: float,
    feed: bytes | None = None,
) -> "CompletedProcess[bytes]":  # fmt: skip
    """Run a program with a time limit.

    Args:
        command: Absolute path of the program, and arguments.
        cwd: Working folder.
        env: Environment.
        seconds: Time limit.
        feed: Standard input.

    Raises:
        OSError: It cannot be started.
        Unanswered: It timed out, or printed too much.
    """
    from subprocess import DEVNULL, CompletedProcess, Popen  # noqa: PLC0415 - see above
    from tempfile import TemporaryFile  # noqa: PLC0415 - the same

    with TemporaryFile() as given, TemporaryFile() as output, TemporaryFile() as said:
        given.write(feed or b"")
        given.seek(0)
        process = Popen(  # noqa: S603 - an absolute path, and no shell
            command,
            stdin=DEVNULL if feed is None else given,
            stdout=output,
            stderr=said,
            cwd=cwd,
            env=env,
            start_new_session=True,
        )
        try:
            status = _status(process, output, seconds)
        except BaseException:
            _kill(process)
            raise
        return CompletedProcess(command, status, _content(output), _content(said))


def run_mind(
    root: "Path | str", *arguments: str, feed: bytes, seconds: float
) -> "CompletedProcess[bytes]":
    """Run a command of this installation on the project at ``root``.

    Its working folder is outside the project, so that no module or program there can replace Mind.

    Raises:
        OSError: It cannot be started.
        Unanswered: It timed out.
    """
    command = [sys.executable, "-P", "-m", "mind", *arguments]
    env = {**os.environ, "MIND_PROJECT": os.path.abspath(root)}
    return run(command, cwd=OUTSIDE, env=env, seconds=seconds, feed=feed)


def _status(process: "Popen[bytes]", output: "IO[bytes]", seconds: float) -> int:
    """Wait for ``process`` to end, and return its exit status."""
    began = monotonic()
    while True:
        status = process.poll()
        past = monotonic() - began
        if os.fstat(output.fileno()).st_size > _MOST:
            raise Unanswered(f"more than {_MOST // 1_000_000} MB")
        if status is not None:
            return status
        if past >= seconds:
            raise Unanswered(f"no answer within {max(round(seconds, 1), 0.1):g} s")
        sleep(min(max(past / 8, _SHORTEST), _LONGEST, seconds - past))


def _kill(process: "Popen[bytes]") -> None:
    """Kill ``process`` and its process group."""
    import signal  # noqa: PLC0415 - see above
    from subprocess import TimeoutExpired  # noqa: PLC0415 - the same

    try:
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
        process.wait(_REAPING)
    except (OSError, TimeoutExpired):
        return  # it is dead, or will be soon


def _content(file: "IO[bytes]") -> bytes:
    file.seek(0)
    return file.read(_MOST)


def fill() -> None:
    """Redirect closed standard streams to the null device, before a file gets their number."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def open_missing() -> bool:
    """Give Python a standard input and standard error where they are missing.

    Returns:
        Whether there is a standard output; if not, printed text is lost.
    """
    has_output = sys.stdout is not None
    fill()
    sys.stdin = sys.stdin or _opened(0, "r")
    sys.stdout = sys.stdout or _opened(1, "w")
    sys.stderr = sys.stderr or _opened(2, "w")
    if getattr(sys.stdout, "errors", "") == "strict":  # as on Windows, where it uses a code page
        sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr] # it has errors
    return has_output


def is_utf8() -> bool:
    """True if standard output can encode every character."""
    return (sys.stdout.encoding or "utf-8").lower().replace("_", "-") in ("utf-8", "utf8")


def write_utf8(text: str) -> None:
    """Write a format that is UTF-8 by definition, whatever the encoding of standard output."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", "replace"))
    sys.stdout.buffer.flush()


def _opened(number: int, mode: str) -> "TextIO":
    return open(number, mode, encoding="utf-8", closefd=False)  # type: ignore[return-value] # the mode is one of text


def written(text: str = "") -> bool:
    """Write ``text`` and flush standard output.

    Returns:
        Whether that succeeded; if not, the reason was reported.
    """
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        lose(error)
        return False
    return True


def lose(error: OSError) -> None:
    """Give up standard output, and report why unless its reader closed it."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())  # Python flushes again at exit
    os.close(nowhere)
    if not isinstance(error, BrokenPipeError):
        reason = (error.strerror or str(error)).lower()
        sys.stderr.write(f"error: standard output cannot be written: {reason}.\n")


def has_folder() -> bool:
    """True if the working folder still exists."""
    try:
        os.getcwd()
    except OSError:
        return False
    return True


def leave_deleted_folder() -> None:
    """Change to the root if the working folder was deleted."""
    if not has_folder():
        os.chdir(os.sep)
