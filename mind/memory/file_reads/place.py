"""Where a file may be read: inside the project and what the client states, and nowhere else."""

import os
import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from urllib.parse import unquote, urlsplit

from mind.domain.errors import FileError, InputError, NotFound, PathOutside
from mind.memory.file_reads.content import LARGEST
from mind.storage.files.content import opened, part
from mind.storage.files.faults import failure

_ELSEWHERE = re.compile(r"[\\/]{2}|[A-Za-z]:")
"""A share or a drive, as Windows names them."""
_SYSTEM = tuple(Path(one) for one in ("/dev", "/proc", "/sys"))
_FOLDERS = frozenset({".aws", ".git", ".gnupg", ".kube", ".ssh"})
_SECRET = (
    "*.jks", "*.kdbx", "*.key", "*.keystore", "*.p12", "*.pem", "*.pfx", ".env", ".env.*",
    ".git-credentials", ".htpasswd", ".netrc", ".pgpass", ".pypirc", "_netrc", "id_dsa", "id_ecdsa",
    "id_ed25519", "id_rsa",
)  # fmt: skip
_HARMLESS = (".env.dist", ".env.example", ".env.sample", ".env.template")
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)


def roots_of(addresses: Iterable[str]) -> tuple[Path, ...]:
    """The folders that a client states as its roots: ``file:`` addresses on this machine."""
    found = []
    for address in addresses:
        try:
            parts = urlsplit(address)
        except ValueError:
            continue
        path = unquote(parts.path)
        if os.name == "nt":  # file:///C:/folder
            path = path.removeprefix("/")
        is_here = parts.scheme == "file" and parts.netloc in ("", "localhost")
        if is_here and "\0" not in path and Path(path).is_absolute():
            found.append(Path(path))
    return tuple(found)


def located(path: str, root: Path, others: Sequence[Path] = ()) -> Path:
    """The file that ``path`` leads to, through symbolic links.

    Args:
        path: From the project's root, or absolute.
        root: The project's.
        others: Folders that are open too.

    Raises:
        InputError: It is empty, no path, or leads to a file that is made for credentials.
        PathOutside: It leads out of all of them.
    """
    if not path.strip() or "\0" in path:
        raise InputError("there is no path", remedy="Name a file, from the project's folder.")
    if _ELSEWHERE.match(path) and (os.name != "nt" or path.startswith(("\\", "/"))):
        raise _outside(path, root)
    named = root / path
    real = _real(named)
    inside = next((one for one in map(_real, (root, *others)) if real.is_relative_to(one)), None)
    if inside is None or any(real.is_relative_to(one) for one in _SYSTEM):
        raise _outside(path, root)
    if _is_secret(named.name) or _is_secret(*real.relative_to(inside).parts):
        raise InputError(
            f"{path} is made for credentials",
            remedy="Ask the user for what you need to know of it.",
        )
    return real


def _outside(path: str, root: Path) -> PathOutside:
    remedy = f"Use a path inside {root}, or one that the client states as a root."
    return PathOutside(f"{path} is outside the project", remedy=remedy, path=path)


def _real(path: Path) -> Path:
    try:
        return Path(os.path.realpath(path))
    except ValueError as error:  # half characters
        raise InputError(f"{path} is no path", remedy="Correct it and call again.") from error


def _is_secret(*parts: str) -> bool:
    *folders, name = (part.lower() for part in parts or ("",))
    if not _FOLDERS.isdisjoint(folders):
        return True
    return name not in _HARMLESS and any(fnmatchcase(name, one) for one in _SECRET)


def bytes_of(real: Path, name: str) -> bytes:
    """What stands in the file ``real``, as :func:`located` gives it.

    Args:
        real: It.
        name: As it was asked for.

    Raises:
        NotFound: There is none.
        FileError: It is no regular file, may not be read, or was replaced by a link meanwhile.
        InputError: It is larger than :data:`LARGEST`.
    """
    try:
        descriptor = opened(real, os.O_RDONLY | _NO_FOLLOW)
    except FileError as error:  # a folder, a pipe, a device
        error.remedy = "Name a file with text in it."
        raise
    except (FileNotFoundError, NotADirectoryError) as error:
        remedy = "Paths begin in the project's folder; look what is there."
        raise NotFound(f"there is no file {name}", remedy=remedy) from error
    except OSError as error:
        problem = failure(error, real)
        problem.remedy = "See its permissions, and those of its folder."
        raise problem from error
    try:
        size = os.fstat(descriptor).st_size
        if size > LARGEST:
            raise InputError(
                f"{name} has {size:,} bytes, more than {LARGEST:,}",
                remedy="Search it with grep, or cut out the part that matters.",
            )
        data = part(descriptor, 0, LARGEST)
        is_same = _real(real) == real and os.path.samestat(os.fstat(descriptor), real.lstat())
    except OSError:
        is_same = False
    finally:
        os.close(descriptor)
    if not is_same:
        raise FileError(f"{name} was replaced while it was read", remedy="Read it again.")
    return data
