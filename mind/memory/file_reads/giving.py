"""Reading a file for a session: in full, its changes, or a note that it is unchanged."""

import contextlib
import json
import os
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from fnmatch import fnmatchcase
from pathlib import Path
from urllib.parse import unquote, urlsplit

from mind.domain.errors import FileError, InputError, NotFound, PathOutside
from mind.memory.file_reads.changes import (
    LARGEST,
    ShownFile,
    changed,
    content,
    diff,
    digest,
    lines_of,
)
from mind.memory.file_reads.forgetting import (
    FOLDER,
    name_of,
    named,
    records,
    remove,
    remove_folder,
    sessions,
)
from mind.storage import files
from mind.storage.files.content import failure, opened, part
from mind.storage.files.system import NO_FOLLOW

_ELSEWHERE = re.compile(r"[\\/]{2}|[A-Za-z]:")
"""Matches a Windows share or drive."""
_SYSTEM = tuple(Path(one) for one in ("/dev", "/proc", "/sys"))
_FOLDERS = frozenset({".aws", ".git", ".gnupg", ".kube", ".ssh"})
_SECRET = (
    "*.jks", "*.kdbx", "*.key", "*.keystore", "*.p12", "*.pem", "*.pfx", ".env", ".env.*",
    ".git-credentials", ".htpasswd", ".netrc", ".pgpass", ".pypirc", "_netrc", "id_dsa", "id_ecdsa",
    "id_ed25519", "id_rsa",
)  # fmt: skip
_HARMLESS = (".env.dist", ".env.example", ".env.sample", ".env.template")


def roots_of(addresses: Iterable[str]) -> tuple[Path, ...]:
    """Return the folders a client declares as roots: ``file:`` addresses on this machine."""
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
    """Resolve ``path`` to a file, following symbolic links.

    Args:
        path: Path relative to the project, or absolute.
        root: The project's root.
        others: Further folders that may be read.

    Raises:
        InputError: The path is empty or invalid, or resolves to a credentials file.
        PathOutside: It is outside all of these folders.
    """
    if not path.strip() or "\0" in path:
        raise InputError("the path is empty", remedy="Give a path relative to the project.")
    if _ELSEWHERE.match(path) and (os.name != "nt" or path.startswith(("\\", "/"))):
        raise _outside(path, root)
    named = root / path
    real = _real(named)
    inside = next((one for one in map(_real, (root, *others)) if real.is_relative_to(one)), None)
    system = next((one for one in _SYSTEM if real.is_relative_to(one)), None)
    if inside is None or (system and not inside.is_relative_to(system)):
        raise _outside(path, root)
    if _is_secret(named.name) or _is_secret(*real.relative_to(inside).parts):
        raise InputError(
            f"{path} is a credentials file and is not read",
            remedy="Ask the user for the information you need.",
        )
    return real


def _outside(path: str, root: Path) -> PathOutside:
    remedy = f"Use a path inside {root}, or inside a root that the client declares."
    return PathOutside(f"{path} is outside the project", remedy=remedy, path=path)


def _real(path: Path) -> Path:
    try:
        return Path(os.path.realpath(path))
    except ValueError as error:  # lone surrogates
        raise InputError(f"{path} is not a path", remedy="Fix it and call again.") from error


def _is_secret(*parts: str) -> bool:
    *folders, name = (part.lower() for part in parts or ("",))
    if not _FOLDERS.isdisjoint(folders):
        return True
    return name not in _HARMLESS and any(fnmatchcase(name, one) for one in _SECRET)


def bytes_of(real: Path, name: str) -> bytes:
    """Return the bytes of a file.

    Args:
        real: The path, as resolved by :func:`located`.
        name: The path as given.

    Raises:
        NotFound: The file does not exist.
        FileError: It is not a regular file, cannot be read, or was replaced by a link meanwhile.
        InputError: It is larger than :data:`LARGEST`.
    """
    try:
        descriptor = opened(real, os.O_RDONLY | NO_FOLLOW)
    except FileError as error:  # not a regular file
        error.remedy = "Name a file that contains text."
        raise
    except (FileNotFoundError, NotADirectoryError) as error:
        remedy = "Paths are relative to the project's folder; list its files."
        raise NotFound(f"there is no file {name}", remedy=remedy) from error
    except OSError as error:
        problem = failure(error, real)
        problem.remedy = "Check its permissions and those of its folder."
        raise problem from error
    try:
        size = os.fstat(descriptor).st_size
        if size > LARGEST:
            raise InputError(
                f"{name} has {size:,} bytes, more than {LARGEST:,}",
                remedy="Search it with grep, or extract the part you need.",
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


MOST_BYTES = 16_000_000
"""Maximum bytes of records, all sessions together."""
MOST_RECORDS = 2_000
CUT = -1

LONGEST = timedelta(days=7)
"""Age at which a record is deleted."""


@dataclass(frozen=True, slots=True)
class GivenRange:
    """A range of lines that a session has received.

    Attributes:
        text: The text.
        lines: Number of lines; :data:`CUT` if it is the start of a line.
        complete: True if the request was answered completely.
    """

    text: str
    lines: int
    complete: bool


class GivenFile:
    """The parts of one file that one session has received.

    Args:
        cache: ``.mind/cache``.
        client: The client's session id; "" if it gave none.
        session: Mind's name of the session; records of other sessions do not count.
        path: The file.
    """

    def __init__(self, cache: Path, client: str, session: str, path: Path) -> None:
        self._top = cache / FOLDER
        self._folder = self._top / named(client)
        self._about = f"{session}\0{path}"

    def _file(self, start: int, limit: int) -> Path:
        return self._folder / name_of(f"{self._about}\0{start}\0{limit}")

    def get(self, start: int, limit: int) -> GivenRange | None:
        """Return the text received from line ``start`` on; None if there is none."""
        if self._top.is_symlink():
            return None
        try:
            row = json.loads(zlib.decompress(files.read(self._file(start, limit))))
            known = GivenRange(row["text"], row["lines"], row["complete"])
        except (FileError, ValueError, TypeError, LookupError, zlib.error):
            return None  # never written, or damaged
        types = (type(known.text), type(known.lines), type(known.complete))
        return known if types == (str, int, bool) else None

    def put(self, start: int, limit: int, known: GivenRange, now: datetime) -> None:
        """Store a record. If that fails, the file is returned in full next time."""
        row = {"text": known.text, "lines": known.lines, "complete": known.complete}
        path = self._file(start, limit)
        if self._top.is_symlink():
            return
        with contextlib.suppress(OSError, FileError):
            is_new = not path.exists()
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            data = zlib.compress(json.dumps(row).encode())
            files.write(path, data, mode=0o600, sync=False)
            os.utime(path, (now.timestamp(), now.timestamp()))
            if is_new:
                _prune(self._top, now)


def _prune(top: Path, now: datetime) -> None:
    """Delete expired records, then the oldest ones above the limits."""
    oldest = (now - LONGEST).timestamp()
    room, records = MOST_BYTES, MOST_RECORDS
    for modified, size, path in sorted(_sizes(top), reverse=True):
        room, records = room - size, records - 1
        if modified < oldest or room < 0 or records < 0:
            remove(str(path))
    for folder in map(Path, sessions(str(top))):
        remove_folder(str(folder))


def _sizes(top: Path) -> Iterator[tuple[float, int, Path]]:
    for folder in map(Path, sessions(str(top))):
        for path in map(Path, records(str(folder))):
            with contextlib.suppress(OSError):
                status = path.lstat()
                yield status.st_mtime, status.st_size, path


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadRequest:
    """A request to read.

    Attributes:
        path: Path relative to the project, or absolute.
        start: First line, counted from 1.
        limit: Number of lines; 0 for as many as fit.
        whole: Return it in full even if the session has it.
    """

    path: str
    start: int = 1
    limit: int = 0
    whole: bool = False

    def check(self) -> "ReadRequest":
        """Check that the numbers are in range.

        Raises:
            InputError: One is out of range.
        """
        for name, number, low in (("offset", self.start, 1), ("limit", self.limit, 0)):
            if not low <= number < 2**31:
                remedy = f"Use a number from {low} to {2**31 - 1}."
                raise InputError(f"{name} is {number}", remedy=remedy)
        return self


@dataclass(frozen=True, slots=True)
class ReadAnswer:
    """The answer to a request to read.

    Attributes:
        text: The text for the model; never longer than the file.
        known: The lines that the session has after this answer.
    """

    text: str
    known: GivenRange


def give(  # noqa: PLR0913 - what a session is, and what it may read, by name
    asked: ReadRequest,
    *,
    root: Path,
    others: Sequence[Path],
    cache: Path,
    client: str,
    session: str,
    most: int,
    now: datetime,
) -> ReadAnswer:
    """Read a file for a session.

    Args:
        asked: What to read.
        root: The project's root.
        others: Further folders, declared by the client as roots.
        cache: ``.mind/cache``.
        client: The client's session id; "" if it gave none.
        session: Mind's name of the session.
        most: Maximum length of an answer, in characters.
        now: The current time.

    Raises:
        InputError: The path is empty, a number is out of range, or the file is binary, too large or
            a credentials file.
        PathOutside: The path leads out of the allowed folders.
        NotFound: The file does not exist.
        FileError: The file cannot be read.
    """
    asked.check()
    real = located(asked.path, root, others)
    file = content(bytes_of(real, asked.path), asked.path)
    kept = GivenFile(cache, client, session, real)
    before = None if asked.whole else kept.get(asked.start, asked.limit)
    given = answer(file, asked, before, most)
    kept.put(asked.start, asked.limit, given.known, now)
    _continue(kept, file, asked, given.known, now)
    return given


def _continue(
    kept: GivenFile, file: ShownFile, asked: ReadRequest, known: GivenRange, now: datetime
) -> None:
    """Join a page that continues the lines the session already has from the first line on."""
    first = kept.get(1, 0) if asked.start > 1 and known.lines > 0 else None
    if first is None or first.complete or first.lines != asked.start - 1:
        return
    if first.text == "".join(file.lines[: first.lines]):
        lines = first.lines + known.lines
        whole = GivenRange(first.text + known.text, lines, lines == len(file.lines))
        kept.put(1, 0, whole, now)


def answer(file: ShownFile, asked: ReadRequest, before: GivenRange | None, most: int) -> ReadAnswer:
    """Return the answer to ``asked``.

    Args:
        file: The current file.
        asked: The request.
        before: The lines the session has of that part; None if none.
        most: Maximum characters of an answer; no answer is longer than the file either.

    Raises:
        InputError: The line does not exist.
    """
    if asked.start > max(len(file.lines), 1):
        raise InputError(
            f"{asked.path} has {len(file.lines)} lines", remedy="Use a smaller offset."
        )
    room = min(most, file.size)
    if before is not None:
        given = _since(file, asked, before, room)
        if given is not None:
            return given
    return _page(file, asked, room)


def _wanted(file: ShownFile, asked: ReadRequest, most: int) -> tuple[int, int]:
    """Return the requested range, counted from 0 with exclusive end, up to ``most`` lines."""
    start = asked.start - 1
    count = min(most, asked.limit or most)
    return start, min(len(file.lines), start + count)


def _since(file: ShownFile, asked: ReadRequest, before: GivenRange, room: int) -> ReadAnswer | None:
    """Return the changes since ``before``; None if the full text is no longer than these."""
    start, end = _wanted(file, asked, len(file.lines) if before.complete else before.lines)
    if before.lines == CUT:
        return _of_cut(file, start, before)
    new = file.lines[start:end]
    text = "".join(new)
    old = lines_of(before.text)
    blocks = changed(old, new)
    count = len(blocks)
    state = "unchanged" if not count else f"{count} change{'s' if count > 1 else ''}"
    head = _head(file, text, (start, end), f"{state} {_SINCE}")
    told = f"{head}\n{diff(old, new, blocks)}" if blocks else head
    if len(told) > room or (blocks and len(told) >= len(text)):
        return None
    wanted = _wanted(file, asked, len(file.lines))[1]
    return ReadAnswer(told, GivenRange(text, len(new), end == wanted))


_SINCE = "since you read it"


def _of_cut(file: ShownFile, start: int, before: GivenRange) -> ReadAnswer | None:
    if not file.lines[start].startswith(before.text):
        return None
    state = f"unchanged {_SINCE}, as far as you saw it"
    return ReadAnswer(_head(file, before.text, (start, start + 1), state), before)


def _page(file: ShownFile, asked: ReadRequest, room: int) -> ReadAnswer:
    """Return as many of the requested lines as fit."""
    start, wanted = _wanted(file, asked, len(file.lines))
    text = "".join(file.lines[start:wanted])
    if wanted - start == len(file.lines) and len(text) <= room and not file.note:
        return ReadAnswer(text, GivenRange(text, wanted - start, complete=True))
    notes = [file.note] if file.note else []
    left = room - len(_head(file, "", (len(file.lines) - 1, len(file.lines) - 1), *notes)) - 1
    end = start
    while end < wanted and len(file.lines[end]) <= left:
        left -= len(file.lines[end])
        end += 1
    if end > start:
        text = "".join(file.lines[start:end])
        head = _head(file, text, (start, end), *notes)
        return ReadAnswer(f"{head}\n{text}", GivenRange(text, end - start, end == wanted))
    return _cut(file, (start, wanted), room)


def _cut(file: ShownFile, part: tuple[int, int], room: int) -> ReadAnswer:
    """Return the start of a line too long to fit; a very small part gets no header."""
    start, wanted = part
    text = "".join(file.lines[start:wanted])
    if len(text) <= room:
        return ReadAnswer(text, GivenRange(text, wanted - start, complete=True))
    note = f"the line has {len(file.lines[start]):,} characters, cut"
    head = _head(file, "", (start, start + 1), note)
    shown = text[: max(room - len(head) - 1, 0)]
    head = _head(file, shown, (start, start + 1), note)
    return ReadAnswer(f"{head}\n{shown}", GivenRange(shown, CUT, complete=False))


def _head(file: ShownFile, text: str, part: tuple[int, int], *told: str) -> str:
    """Return the header line of an answer, for programs and models."""
    start, end = part
    total = len(file.lines)
    parts = [] if (start, end) == (0, total) else [f"lines {start + 1}-{end} of {total}"]
    parts += [one for one in told if one]
    if end < total:
        parts.append(f"more: offset {end + 1}")
    return f"[mind_read {digest(text)}: {', '.join(parts)}]"
