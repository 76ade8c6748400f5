"""Connection to the index: schema, concurrency of one writer and many readers, and repair."""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache, partial, wraps
from pathlib import Path
from time import monotonic
from types import FunctionType
from typing import Concatenate, ParamSpec, TypeVar

from mind.domain.errors import FileError
from mind.storage import files

T = TypeVar("T")
P = ParamSpec("P")
_Part = TypeVar("_Part", bound="Connected | IndexPart")

_PATIENCE = 10.0
"""Seconds after which another writer counts as hung."""
_LONGEST_PAUSE, _SHORTEST_PAUSE, _HURRY = 0.016, 0.001, 0.9
"""Pauses in seconds, and their factor: longer waiters retry more often, for fairness. SQLite itself
does the opposite: its pauses grow, so that newcomers overtake a waiter for seconds."""


def begin(db: sqlite3.Connection) -> None:
    """Begin a write transaction once no other one is active.

    Raises:
        sqlite3.OperationalError: Another writer stayed active (SQLITE_BUSY), or it cannot begin.
    """
    until = time.monotonic() + _PATIENCE
    usual = db.execute("PRAGMA busy_timeout").fetchone()[0]
    pause = _LONGEST_PAUSE
    db.execute("PRAGMA busy_timeout = 0")
    try:
        while True:
            try:
                db.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError as error:
                is_busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
                if not is_busy or time.monotonic() > until:
                    raise
            else:
                return
            time.sleep(pause)
            pause = max(pause * _HURRY, _SHORTEST_PAUSE)
    finally:
        db.execute(f"PRAGMA busy_timeout = {usual}")


APPLICATION_ID = 0x4D494E44  # "MIND"
VERSION = 32

_TABLES = """
CREATE TABLE source (
  path TEXT PRIMARY KEY,      -- relative path, or 'git' for commit messages
  family TEXT NOT NULL,       -- memory, session, comments or commits
  rank INTEGER NOT NULL,      -- order of sources in listings
  stamp TEXT NOT NULL         -- what is compared to see a change
) WITHOUT ROWID;
CREATE TABLE chunk (
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL,
  ordinal INTEGER NOT NULL,   -- position in its source
  digest BLOB NOT NULL,       -- of its bytes and the headings above them
  line INTEGER NOT NULL,      -- where it begins now: entries count from here
  offset INTEGER NOT NULL
);
CREATE INDEX chunk_path ON chunk (path, ordinal);
CREATE TABLE prepared (       -- chunks of a change that is not complete: no answer is made of them
  path TEXT NOT NULL,
  digest BLOB NOT NULL,
  rows TEXT NOT NULL,         -- as JSON
  PRIMARY KEY (path, digest)
);
CREATE TABLE entry (
  rowid INTEGER PRIMARY KEY,
  chunk INTEGER NOT NULL,
  position INTEGER NOT NULL,  -- order within the chunk
  base TEXT NOT NULL,         -- id before repeats are numbered
  id TEXT NOT NULL,
  shown INTEGER NOT NULL,    -- 0: a comment or commit that repeats another entry
  kind TEXT NOT NULL,
  date TEXT NOT NULL,         -- ISO day, '' when unknown
  status TEXT NOT NULL,
  language TEXT NOT NULL,     -- ISO 639-1, '' when unsure
  text TEXT NOT NULL,
  content INTEGER NOT NULL,   -- a hash of the text, by which its vector is found
  terms TEXT NOT NULL,        -- of the text, as searched, in order; those of a chunk are in order
  title INTEGER NOT NULL,     -- how many of the terms belong to the first sentence
  payload TEXT NOT NULL       -- the rest, as JSON
);
CREATE INDEX entry_chunk ON entry (chunk);
CREATE INDEX entry_base ON entry (base);
CREATE INDEX entry_id ON entry (id);
CREATE INDEX entry_kind ON entry (kind, date);
CREATE INDEX entry_date ON entry (date);
CREATE INDEX entry_content ON entry (content);
CREATE INDEX entry_masked ON entry (shown) WHERE instr(payload, '"masked":');
CREATE INDEX entry_fields ON entry (shown) WHERE instr(payload, '"fields":');
CREATE TABLE vector (
  id INTEGER PRIMARY KEY AUTOINCREMENT,  -- new ones are told from known ones by it
  profile TEXT NOT NULL,      -- the model, its backend and settings
  content INTEGER NOT NULL,
  signs BLOB NOT NULL,        -- a bit for each coordinate
  floats BLOB NOT NULL        -- 16 bits for each
);
CREATE UNIQUE INDEX vector_signs ON vector (profile, content, signs);
CREATE VIRTUAL TABLE words USING fts5 (
  terms, content = '', tokenize = "unicode61 remove_diacritics 0 tokenchars '_'"
);
CREATE VIRTUAL TABLE vocabulary USING fts5vocab (words, row);
CREATE TABLE usage (
  id TEXT NOT NULL,           -- of an entry, there or not
  day TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (id, day)
) WITHOUT ROWID;
CREATE TABLE noted (
  id TEXT PRIMARY KEY,        -- of an entry, there or not
  at REAL NOT NULL,           -- seconds since 1970
  day TEXT NOT NULL,          -- of whoever noted it
  session TEXT NOT NULL,
  corrected INTEGER NOT NULL  -- 1: in its place, which keeps its day
) WITHOUT ROWID;
CREATE TABLE disputed (
  id TEXT PRIMARY KEY,        -- of an entry, there or not
  at REAL NOT NULL,           -- seconds since 1970
  day TEXT NOT NULL           -- of whoever contradicted it; '' once that is settled
) WITHOUT ROWID;
CREATE TABLE alias (
  old TEXT PRIMARY KEY,       -- of an entry that was edited by hand
  new TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX alias_new ON alias (new);
CREATE TABLE mention (
  key TEXT NOT NULL,          -- of a thing, equal for its other spellings
  entry INTEGER NOT NULL,     -- that names it
  name TEXT NOT NULL,         -- as written
  kind TEXT NOT NULL,         -- 'start' for a word that may only begin a sentence
  PRIMARY KEY (key, entry)
) WITHOUT ROWID;
CREATE INDEX mention_entry ON mention (entry);
CREATE TABLE edge (
  entry INTEGER NOT NULL,     -- that states it
  subject TEXT NOT NULL,      -- keys of things
  predicate TEXT NOT NULL,
  object TEXT NOT NULL,
  subject_name TEXT NOT NULL, -- as written
  object_name TEXT NOT NULL
);
CREATE INDEX edge_entry ON edge (entry);
CREATE INDEX edge_subject ON edge (subject);
CREATE INDEX edge_object ON edge (object);
CREATE TABLE rejection (
  id INTEGER PRIMARY KEY,
  entry INTEGER NOT NULL,     -- that advises against something, or did
  said BLOB NOT NULL,         -- a digest of what the row is made of
  row TEXT NOT NULL           -- what acts are compared with, as JSON; '' if its words tell nothing
);
CREATE INDEX rejection_entry ON rejection (entry);
CREATE INDEX rejection_told ON rejection (entry) WHERE row <> '';
CREATE TABLE rejection_key (
  key TEXT NOT NULL,          -- that an act shares with the row
  rejection INTEGER NOT NULL,
  PRIMARY KEY (key, rejection)
) WITHOUT ROWID;
CREATE INDEX rejection_keys ON rejection_key (rejection);
CREATE TABLE outgoing (       -- what the mirror has once the outbox is empty
  id TEXT PRIMARY KEY,
  entry INTEGER NOT NULL,     -- the row that it was made of
  hash TEXT NOT NULL,
  profile TEXT NOT NULL       -- whose vector goes with it, '' for none
) WITHOUT ROWID;
CREATE INDEX outgoing_entry ON outgoing (entry);
CREATE TABLE outbox (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL,
  hash TEXT NOT NULL,         -- '' when the entry is gone
  what TEXT NOT NULL,         -- put, vector or drop
  queued REAL NOT NULL,       -- seconds since 1970
  attempts INTEGER NOT NULL DEFAULT 0,
  due REAL NOT NULL DEFAULT 0, -- not to be tried again before
  error TEXT NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX outbox_once ON outbox (id, hash, what);
CREATE TABLE total (
  documents INTEGER NOT NULL,
  length INTEGER NOT NULL,    -- of all their terms
  last INTEGER NOT NULL       -- the highest number that an entry ever had: none is used again
);
INSERT INTO total VALUES (0, 0, 0);
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE made (name TEXT NOT NULL);
INSERT INTO made VALUES (hex(randomblob(8)));
"""


_SUFFIXES = ("-journal", "-shm", "-wal", "")
"""Suffixes of the files that make up an index."""


@lru_cache(maxsize=8)
def _files_of(path: Path) -> tuple[Path, ...]:
    """Return the files that make up an index.

    They are kept: CPython interns every new part of a path, and the table of a server that makes
    them with each call grows by a megabyte.
    """
    return tuple(path.with_name(path.name + suffix) for suffix in _SUFFIXES)


def connect(path: Path | None) -> sqlite3.Connection:
    """Open the index at ``path``, creating or rebuilding it as needed; ``None`` keeps it in RAM.

    A file that is damaged, of another version, or not an index of Mind is replaced, because all
    its content is derived. Where the file is not writable (a read-only checkout, a full disk), the
    index lives in memory for this process.

    Raises:
        LeadsOutside: The file, or one that SQLite keeps beside it, leads out of the repository.
    """
    if path is not None:
        for one in _files_of(path):
            files.check(one)
        for _ in range(2):
            try:
                return _opened(str(path))
            except (sqlite3.DatabaseError, OSError) as error:
                if not is_damage(error) or not removed(path):
                    break
    return _opened(":memory:")


_CACHE_KILOBYTES = 512
"""A quarter of SQLite's default: each call opens the index anew, and pages come from the system's
cache as fast. A server's memory then grows less with the index."""


def _opened(target: str) -> sqlite3.Connection:
    if target != ":memory:":
        Path(target).parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(target, isolation_level=None, timeout=10.0)
    connection.create_function("fold", 1, str.casefold, deterministic=True)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA temp_store = MEMORY")
        connection.execute(f"PRAGMA cache_size = -{_CACHE_KILOBYTES}")
        _stamp(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _stamp(connection: sqlite3.Connection) -> None:
    wanted = (APPLICATION_ID, VERSION)
    if _stamps(connection) == wanted:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        found = _stamps(connection)  # another process may have been first
        if found == (0, 0) and not connection.execute("SELECT 1 FROM sqlite_master").fetchone():
            for statement in _TABLES.split(";\n"):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {VERSION}")
        elif found != wanted:
            raise sqlite3.DatabaseError("not an index of this version")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def _stamps(connection: sqlite3.Connection) -> tuple[int, int]:
    return (
        connection.execute("PRAGMA application_id").fetchone()[0],
        connection.execute("PRAGMA user_version").fetchone()[0],
    )


_HARMLESS = frozenset(
    (
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_PROTOCOL,
        sqlite3.SQLITE_INTERRUPT,
    )
)


def is_damage(error: Exception) -> bool:
    """Return whether the file is damaged or foreign, and not just locked or read-only."""
    if not isinstance(error, sqlite3.DatabaseError) or isinstance(error, sqlite3.ProgrammingError):
        return False  # a bug in this program is not fixed by another file
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)
    return code == sqlite3.SQLITE_READONLY_DBMOVED or code & 0xFF not in _HARMLESS


def removed(path: Path) -> bool:
    """True if the index at ``path`` and its companion files could be deleted."""
    try:
        for one in _files_of(path):  # old companion files must not meet a new database
            one.unlink(missing_ok=True)
    except OSError:
        return False
    return True


def _sure(method: Callable[Concatenate[_Part, P], T]) -> Callable[Concatenate[_Part, P], T]:
    @wraps(method)
    def run(self: _Part, /, *args: P.args, **named: P.kwargs) -> T:
        index = self.index
        if index.within:
            return method(self, *args, **named)
        index.within = True
        try:
            return method(self, *args, **named)
        except sqlite3.ProgrammingError:  # a new index does not fix a bug in this program
            raise
        except sqlite3.DatabaseError as error:
            return index.again(error, partial(method, self, *args, **named))
        finally:
            index.within = False

    return run


class Connected:
    """One connection to a project's derived index, replaced when it becomes unusable.

    A file that is damaged, or was deleted while open, is recreated. Where another process keeps it
    locked, or nothing can be written, the replacement lives in memory. Either is filled again and
    the failed call is repeated, transparently to callers.

    Args:
        path: The database file; ``None`` for an index in memory.
        seconds: Time limit for building it before the caller answers; None: until it is complete.

    Attributes:
        path: The index file; None for an index in memory.
        partial: Notice that answers are incomplete; "" if they are complete.
        db: The connection, for the modules of this package.
        within: The running code is part of a larger unit that is retried as a whole.
    """

    def __init__(self, path: Path | None, *, seconds: float | None = None) -> None:
        self.path = path
        self._until = None if seconds is None else monotonic() + seconds
        self._fill: Callable[[], object] | None = None
        self.within = False
        self.partial = ""
        self.db = connect(path)

    @property
    def index(self) -> "Connected":
        """This connection, as the parts of the index access it."""
        return self

    @property
    def is_kept(self) -> bool:
        """True if the index is a file; False if it is in memory."""
        return bool(self.db.execute("PRAGMA database_list").fetchone()[2])

    @property
    def is_late(self) -> bool:
        """True if the time limit for building has passed."""
        return self._until is not None and monotonic() > self._until

    def close(self) -> None:
        """Close the file."""
        self._fill = None  # it refers to this index, and a cycle would outlive the call
        self.db.close()

    @_sure
    def fill(self, read: Callable[[], T]) -> T:
        """Call ``read`` to bring the index up to date, now and after every replacement."""
        self._fill = read
        return read()

    @_sure
    def sure(self, work: Callable[[], T]) -> T:
        """Run ``work``, and repeat all of it if the index has to be replaced.

        Every method of the index does so itself. Only code that carries row numbers between calls
        has to be one unit of work.
        """
        return work()

    @_sure
    def meta(self, key: str) -> str:
        """Value of a note; "" if there is none."""
        row = self.db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return row[0] if row else ""

    @_sure
    def note(self, key: str, value: str) -> None:
        """Store a note."""
        self.db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def again(self, failed: sqlite3.DatabaseError, work: Callable[[], T]) -> T:
        """Replace the index, which failed with ``failed``, and return the result of ``work``."""
        for path in (self.path, None):
            self.db.close()
            is_gone = path is not None and is_damage(failed) and removed(path)
            self.db = connect(path if is_gone else None)
            try:
                if self._fill:
                    self._fill()
                return work()
            except sqlite3.DatabaseError as error:
                failed = error
        raise failed

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Write transaction; readers see the previous state until the block ends."""
        with self._as_one():
            begin(self.db)
            try:
                yield
            except BaseException:
                with suppress(sqlite3.DatabaseError):  # the first error is the one reported
                    self.db.execute("ROLLBACK")
                raise
            self.db.execute("COMMIT")

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Read transaction: one consistent state until the block ends."""
        if self.db.in_transaction:
            yield
            return
        with self._as_one():
            self.db.execute("BEGIN")
            try:
                yield
            finally:
                with suppress(sqlite3.DatabaseError):
                    self.db.execute("ROLLBACK")

    @contextmanager
    def _as_one(self) -> Iterator[None]:
        """Disable replacement within a transaction, which must not span two indexes."""
        before, self.within = self.within, True
        try:
            yield
        finally:
            self.within = before


class IndexPart:
    """A part of the index; looks up the current connection on each access."""

    def __init__(self, index: Connected) -> None:
        self.index = index

    @property
    def db(self) -> sqlite3.Connection:
        """Current connection of the index."""
        return self.index.db


def sure(part: type[_Part]) -> type[_Part]:
    """Class decorator: retry each public method and property if the index is replaced."""
    for name, member in list(vars(part).items()):
        if isinstance(member, FunctionType) and not name.startswith("_"):
            setattr(part, name, _sure(member))
        elif isinstance(member, property) and member.fget and not name.startswith("_"):
            setattr(part, name, property(_sure(member.fget), doc=member.__doc__))
    return part


_DAMAGED = "is damaged"
_CHECK_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Soundness:
    """Condition of an index.

    Attributes:
        fault: Description of the fault, as in "is damaged"; "" if there is none.
        outdated: The only fault is another version; the index is rebuilt on use.
        entries: Number of entries.
        busy: It could not be checked: another process holds it, or it is not writable.
    """

    fault: str = ""
    outdated: bool = False
    entries: int = 0
    busy: bool = False


def soundness(path: Path, *, thorough: bool = True) -> Soundness:
    """Check the existing index at ``path`` without repairing or rebuilding it.

    Args:
        path: The file.
        thorough: Also compare tables with their indexes, which takes about as long as reading all.
    """
    place = f"{path.absolute().as_uri()}?mode=rw"
    try:
        with closing(
            sqlite3.connect(place, uri=True, isolation_level=None, timeout=_CHECK_SECONDS)
        ) as opened:
            return _seen(opened, "integrity_check" if thorough else "quick_check")
    except sqlite3.DatabaseError as error:
        return Soundness(_DAMAGED) if is_damage(error) else Soundness(busy=True)


def _seen(opened: sqlite3.Connection, check: str) -> Soundness:
    mark, version = _stamps(opened)
    if not mark and not opened.execute("SELECT 1 FROM sqlite_master").fetchone():
        return Soundness()  # still empty
    if mark != APPLICATION_ID:
        return Soundness("is no index of Mind's")
    if version != VERSION:
        return Soundness(f"has version {version}, and this Mind uses {VERSION}", outdated=True)
    if opened.execute(f"PRAGMA {check}(1)").fetchone()[0] != "ok":
        return Soundness(_DAMAGED)
    opened.execute("INSERT INTO words (words) VALUES ('integrity-check')")
    entries = opened.execute("SELECT count(*) FROM entry").fetchone()[0]
    if opened.execute("SELECT documents FROM total").fetchone() != (entries,):
        return Soundness("counts its entries wrongly")
    return Soundness(entries=entries)


def discard(path: Path) -> None:
    """Delete the index at ``path``; processes that have it open create another.

    Raises:
        FileError: It cannot be deleted.
    """
    if not removed(path):
        raise FileError(f"{path} cannot be deleted", path=str(path))
