"""What the operating system refuses, in words, each with what to do about it."""

import contextlib
import errno
from collections.abc import Iterator
from pathlib import Path

from mind.domain.errors import FileError

_REMEDIES = {
    errno.ENOSPC: "Free some disk space, then try again; nothing was changed.",
    errno.EDQUOT: "Your disk quota is used up: delete something, then try again; nothing was "
    "changed.",
    errno.EFBIG: "The file is at the size limit: move what is old into another file; nothing was "
    "changed.",
    errno.EROFS: "It is on a read-only file system: what is there can be read, not changed.",
    errno.EACCES: "Give yourself permission to write the file and its folder (chmod u+w), then "
    "try again; nothing was changed.",
    errno.EPERM: "The system protects the file (another owner, or an immutable flag): lift that, "
    "then try again; nothing was changed.",
    errno.ENOENT: "Its folder is missing: create it; `mind init` makes those of a memory.",
    errno.ENOTDIR: "A file stands where its folder should be: move that file away.",
    errno.EISDIR: "A folder stands where the file should be: move that folder away.",
    errno.ELOOP: "The symbolic link leads back to itself: delete the link.",
    errno.EMFILE: "The process has too many files open: restart it; nothing was changed.",
    errno.ENOLCK: "The file system cannot lock files: move the project to a local disk.",
    errno.EOPNOTSUPP: "The file system cannot do this: move the project to a local disk.",
}
_ALSO = {errno.ENFILE: errno.EMFILE, errno.ENOTSUP: errno.EOPNOTSUPP}

UNSUPPORTED = frozenset({errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP})
"""What a file system answers to a call that it does not know."""


def failure(error: OSError, path: Path) -> FileError:
    """The error to raise for ``error`` on ``path``."""
    number = error.errno or 0
    return FileError(
        f"{path}: {(error.strerror or str(error)).lower()}",
        remedy=_REMEDIES.get(_ALSO.get(number, number)),
        path=str(path),
        errno=errno.errorcode.get(number, str(number)),
    )


@contextlib.contextmanager
def translating(path: Path) -> Iterator[None]:
    """Raise what the system refuses in here as a :class:`FileError` on ``path``."""
    try:
        yield
    except OSError as error:
        raise failure(error, path) from error
