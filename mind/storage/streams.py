"""The standard streams and the working folder of this process, which others may have taken away.

A client can start a program with closed streams; the next file that it opens would get the number
of one of them, and what is printed would go into that file. It can close a pipe before all is
written. A folder can be deleted while a shell is in it. Hooks import this module.
"""

import os
import sys

TYPE_CHECKING = False  # typing takes milliseconds
if TYPE_CHECKING:
    from typing import TextIO


def fill() -> None:
    """Let closed standard streams lead nowhere, before a file gets their number."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def open_missing() -> bool:
    """Give Python a standard input and error output where there is none.

    Returns:
        Whether there is a standard output; if not, what is printed there is lost.
    """
    has_output = sys.stdout is not None
    fill()
    sys.stdin = sys.stdin or _opened(0, "r")
    sys.stdout = sys.stdout or _opened(1, "w")
    sys.stderr = sys.stderr or _opened(2, "w")
    if getattr(sys.stdout, "errors", "") == "strict":  # as on Windows, where it is a code page
        sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr] # it has errors
    return has_output


def is_utf8() -> bool:
    """True if standard output takes every character."""
    return (sys.stdout.encoding or "utf-8").lower().replace("_", "-") in ("utf-8", "utf8")


def write_utf8(text: str) -> None:
    """Write a format that is UTF-8 by definition, whatever the encoding of standard output."""
    stream = getattr(sys.stdout, "buffer", None)
    if stream is None:
        sys.stdout.write(text)
        return
    sys.stdout.flush()
    stream.write(text.encode("utf-8", "replace"))
    stream.flush()


def _opened(number: int, mode: str) -> "TextIO":
    return open(number, mode, encoding="utf-8", closefd=False)  # type: ignore[return-value] # the mode is one of text


def written(text: str = "") -> bool:
    """Write out ``text`` and what was printed before.

    Returns:
        Whether that was possible; if not, the reason was told.
    """
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        lose(error)
        return False
    return True


def lose(error: OSError) -> None:
    """Give up standard output, and say why unless its reader left on purpose."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())  # Python tries again at its end
    os.close(nowhere)
    if not isinstance(error, BrokenPipeError):
        reason = (error.strerror or str(error)).lower()
        sys.stderr.write(f"error: standard output cannot be written: {reason}.\n")


def has_folder() -> bool:
    """True if the working folder is still there."""
    try:
        os.getcwd()
    except OSError:
        return False
    return True


def leave_deleted_folder() -> None:
    """Work from the root where the working folder was deleted."""
    if not has_folder():
        os.chdir(os.sep)
