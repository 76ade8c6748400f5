"""Project of a hook event and its files, found without pathlib; masking of credentials.

Masking is fast for plain words and uses all patterns otherwise.
"""

import os
import stat
import time

from mind.storage.boundary import MACHINE, Boundary, project_above, user_folder

TYPE_CHECKING = False  # typing takes milliseconds

if TYPE_CHECKING:
    from collections.abc import Callable

_LONGEST = 600
_WORD, _PIECE, _NUMBER = 16, 9, 3
"""Maximum letters of a word, of a part joined by signs, and digits of a number: a credential this
short is always named by a word beside it."""
_LEAST, _PARTS = 3, 5
"""Minimum letters of a word in a camel-case name, and maximum words: random strings have adjacent
capitals."""
_LETTERS, _YEAR = 20, 4
"""Maximum letters of a word, and digits of a number, in a file path."""
_JOINTS = str.maketrans("/\\._-", "     ")
_SIGNS = "./_()[]{}<>#,;`"
_AROUND = "\"'`([{<.,;:!?>}])"
_IS = (
    ":", "=", " is ", " are ", " was ", " lautet ", " ist ", " war ", " est ", "c'est ", " etait ",
    " es ", " era ", " e ", " foi ", " jest ",
)  # fmt: skip
_BASE = str.maketrans("äöüßáàâéèêëíìîïóòôúùûñçãõåøæœ", "aousaaaeeeeiiiiooouuuncaoaoao")
"""Accented letters of the languages whose words for credentials are known, mapped to ASCII."""
_NAMING = (
    "pass", "pwd", "pw", "pin", "contrase", "senha", "kennwort", "secret", "token", "credential",
    "key", "auth", "phrase", "seed", "mnemonic", "recovery", "backup", "words", "salt", "pepper",
    "totp", "schlussel", "clave", "llave", "mdp", "cle", "jeton", "parola", "chiave", "chave",
    "wachtwoord", "sleutel", "haslo", "klucz",
)  # fmt: skip
"""Words that name a credential when a value follows: those of ``mind/data/secrets``."""
_LOGINS = (
    "login", "log in", "sign in", "creds", "connect(", "identif", "daten", "anmelden", "einloggen",
    "gegevens", "dane ", "credenc", "credenz",
)  # fmt: skip
"""Words before a user and a password."""
_ALWAYS = (
    "bearer", "basic", "curl", "sshpass", "discord", "<<<", "</", "rabbitmq", "sqlplus", "expdp",
    "impdp", "nmcli",
)  # fmt: skip


def redacted(text: str) -> str:
    """Return ``text`` as masked by :func:`mind.text.secrets.mask`."""
    if is_plain(text):
        return text
    from mind.text.secrets import mask  # noqa: PLC0415 - 150 patterns

    return mask(text)


def plain_words(text: str) -> str:
    """Return the plain words of ``text`` if they are free of credentials; else mask it.

    Some omitted words may be harmless, but checking them takes 45 ms.
    """
    bare = [(word, word.translate(_BASE)) for word in text.split()]
    kept = [word if _is_ordinary(base) else "..." for word, base in bare]
    words = " ".join(kept)
    return words if is_plain(words.translate(_BASE)) else redacted(text)


def redacted_path(path: str) -> str:
    """Mask a file path; fast for paths made of words."""
    words = path.translate(_JOINTS)
    if path.isascii() and len(path) <= _LONGEST and all(map(_is_name, words.split())):
        return path
    return redacted(path)


def is_plain(text: str) -> bool:
    """Return whether ``text`` certainly has no credential: fast, no false positives."""
    folded = text.lower()
    if len(text) > _LONGEST or not text.isascii() or any(word in folded for word in _ALWAYS):
        return False
    if "login" in folded and "password" in folded:
        return False
    said = "\n" in text or any(mark in folded for mark in _IS)
    named = any(word in folded for word in _NAMING)
    if named and said:
        return False
    tokens = text.split()
    if any(map(_is_mixed, tokens)) and (named or any(word in folded for word in _LOGINS)):
        return False
    return all(map(_is_ordinary, tokens))


def _is_mixed(token: str) -> bool:
    return any(map(str.isdigit, token)) and any(map(str.isalpha, token))


def _is_ordinary(token: str) -> bool:
    """Return whether a token is a word, a small number, or a path or name of short words."""
    core = token.strip(_AROUND)
    if core.startswith("-"):  # an option, and what follows may be its value
        return False
    core = core.replace("-", "").replace("'", "")
    if core.isalpha() or not core:
        return len(core) <= _WORD
    if core.isdigit():
        return len(core) <= _NUMBER
    for sign in _SIGNS:
        core = core.replace(sign, " ")
    return all(_is_name(piece) or _is_short(piece) for piece in core.split())


def _is_short(piece: str) -> bool:
    """Return whether a piece is a short word with a small number: ``utf8``, ``python3``."""
    digits = sum(map(str.isdigit, piece))
    return piece.isalnum() and len(piece) <= _PIECE and digits <= _NUMBER


def _is_name(piece: str) -> bool:
    """Return whether a piece is a word, a small number, or a camel-case name."""
    if piece.isdigit():
        return len(piece) <= _YEAR
    if not piece.isalpha():
        return False
    if len(piece) <= _PIECE or (piece.islower() and len(piece) <= _LETTERS):
        return True
    ends = [at for at, one in enumerate(piece) if at and one.isupper()]
    parts = [end - begin for begin, end in zip([0, *ends], [*ends, len(piece)], strict=True)]
    return len(parts) <= _PARTS and min(parts) >= _LEAST and max(parts) <= _WORD


class HookProject:
    """Folders of a memory, by the rules of :mod:`mind.storage.project`.

    Attributes:
        root: The folder that paths are relative to.
        folder: ``.mind``, or the folder used instead.
        hooks: Files that hooks keep between events; all derived, or of one session.
        touched: A file that exists if an edit since the last harvest touched a MEMORY comment.
    """

    __slots__ = ("_boundary", "_state", "folder", "hooks", "root", "touched")

    def __init__(self, root: str, folder: str) -> None:
        self.root = root
        self.folder = folder
        is_own = folder == os.path.abspath(os.path.join(user_folder(), "memory"))
        self._boundary = None if is_own else Boundary(root, folder)
        self._state = self._boundary.state if self._boundary else folder
        self.hooks = self.of(os.path.join("cache", "hooks"))
        self.touched = os.path.join(self.hooks, "touched")

    def of(self, name: str) -> str:
        """Return the path of a file of the memory; state that git tracks is kept elsewhere."""
        is_state = name.split(os.sep, 1)[0] in MACHINE
        return os.path.join(self._state if is_state else self.folder, name)

    def crossing(self) -> "tuple[str, str] | None":
        """Return the first link in the memory that leaves the repository, and its target."""
        if self._boundary is None:
            return None
        own = map(self.of, (*_READ, os.path.join("cache", "hooks.log")))
        found = map(self._boundary.crossing, (*own, *_links(self.hooks)))
        return next(filter(None, found), None)


_LARGEST_LOG = 100_000
_READ = ("MEMORY.md", "SESSION.md", "REMINDERS.md", "config.json", "state.json",
         "events.jsonl", "reminders.json")  # fmt: skip
"""Files that hooks read and write without opening the memory."""


def _links(folder: str) -> list[str]:
    """Return the folder and the links in it."""
    try:
        with os.scandir(folder) as rows:
            return [folder, *(row.path for row in rows if row.is_symlink())]
    except OSError:
        return [folder]


def find(cwd: str) -> HookProject | None:
    """Find the memory that serves ``cwd``, else the one the environment names; None if none."""
    found = _above(cwd) if cwd else None
    if found is not None:
        return found
    named = os.environ.get("MIND_DIR")
    if named:
        folder = os.path.abspath(os.path.expanduser(named))
        own_memory = os.path.abspath(os.path.join(user_folder(), "memory"))
        root = folder if folder == own_memory else os.path.dirname(folder)
        return HookProject(root, folder) if os.path.isdir(folder) else None
    start = os.environ.get("MIND_PROJECT") or os.environ.get("CLAUDE_PROJECT_DIR")
    return _above(os.path.expanduser(start)) if start else None


def _above(start: str) -> HookProject | None:
    root = project_above(start)
    return HookProject(root, os.path.join(root, ".mind")) if root else None


def put(path: str, data: bytes, *, mode: int = 0o600, sync: bool = False) -> None:
    """Replace a file atomically."""
    folder, name = os.path.split(path)
    new = os.path.join(folder, f".{name}.{os.getpid()}-{os.urandom(4).hex()}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    descriptor = os.open(new, flags, 0o600)
    try:
        with open(descriptor, "wb", buffering=0) as file:
            while data:
                data = data[file.write(data) :]
            if mode != 0o600:
                os.chmod(new, mode)
            if sync:
                os.fsync(descriptor)
        os.replace(new, path)
    except BaseException:
        os.unlink(new)
        raise


def mode_of(path: str) -> int:
    """Return a file's permissions, or those the umask gives a new one."""
    try:
        return stat.S_IMODE(os.stat(path).st_mode)
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


def locked(path: str, work: "Callable[[], object]") -> bool:
    """Run ``work`` while holding a lock file, unless another process holds it.

    Returns:
        False if another process holds it, or this system has no such locks: the slow path then
        waits for it. Also False if ``work`` fails, or returns False.
    """
    descriptor = acquired(path)
    if descriptor is None:
        return False
    try:
        return work() is not False
    except OSError:
        return False
    finally:
        os.close(descriptor)


def acquired(path: str) -> int | None:
    """Return the descriptor of a lock file, which is free once closed; None if it is not free."""
    try:
        import fcntl  # noqa: PLC0415 - not on Windows

        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
    except (ImportError, OSError):
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(descriptor), os.stat(path)):
            return descriptor
    except OSError:
        pass
    os.close(descriptor)
    return None


def complain(place: HookProject, message: str) -> None:
    """Write one line to ``hooks.log``, credentials masked; a full log becomes ``hooks.log.1``.

    An error message may name a file or repeat its input.
    """
    path = place.of(os.path.join("cache", "hooks.log"))
    line = " ".join(redacted(message.encode("utf-8", "replace").decode()).split())[:2_000]
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if os.path.exists(path) and os.path.getsize(path) > _LARGEST_LOG:
            os.replace(path, f"{path}.1")
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
        with open(os.open(path, flags, 0o600), "ab") as file:
            file.write(f"{moment} {line}\n".encode())
    except OSError:
        return  # a hook has nowhere else to complain
