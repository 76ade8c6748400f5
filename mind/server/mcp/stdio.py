"""Serving on standard input and output, with a cached handshake.

The handshake is answered with the SDK's earlier answers to the same requests, because loading the
SDK takes a third of a second and 50 MB. Many clients start a server with every session: a slow one
has no tools in its first turn, and most are never called. The answers do not depend on the project,
so they are cached in the user's folder. The SDK is loaded at the first other request; it then reads
everything the client has sent, and its repeated answers are not sent again.
"""

import gc
import json
import os
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from hashlib import blake2b
from importlib.machinery import PathFinder
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mind import __version__
from mind.storage.boundary import home

if TYPE_CHECKING:
    from mind.memory.memory import Memory


_NAMING = ("MIND_DIR", "MIND_PROJECT", "CLAUDE_PROJECT_DIR")
"""Environment variables that name the memory to use."""
_KEPT = frozenset({"initialize", "server/discover", "tools/list"})
_OF_THE_CLIENT = frozenset({"clientInfo", "io.modelcontextprotocol/clientInfo", "progressToken"})
_MOST = 32
"""Maximum number of cached answers; a client needs two or three."""

Read = Callable[[], bytes]
Write = Callable[[bytes], None]


def run(*, toolsets: str = "core", remote: tuple[str, str] | None = None) -> None:
    """Serve the memory of the working directory until the client disconnects or a signal arrives.

    The environment may name another memory (see :func:`mind.storage.project.find`).

    Args:
        toolsets: Comma-separated names, or "all".
        remote: Address of a service to forward to, and the variable with its token.

    Raises:
        InputError: A toolset is unknown, or ``remote`` cannot be used.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: leave())
    if toolsets != "core":
        from mind.server.mcp.tools import chosen  # noqa: PLC0415 - the usual case need not be checked

        chosen(toolsets)
    session_id = os.environ.get("CLAUDE_CODE_SESSION_ID") or None

    def open_memory(folder: Path | None = None) -> "Memory":
        from mind.memory.memory import Memory  # noqa: PLC0415 - after the handshake, not before

        memory = Memory.open(folder, session_id=session_id, meaning=vectors.meaning)
        vectors.meaning(memory.project)
        return memory

    call = None
    if remote is not None:
        from mind.server.mcp.remote import RemoteService  # noqa: PLC0415 - only to forward

        call = RemoteService(*remote, open_memory).call
    handshake = Handshake(toolsets)
    if not handshake.greet(partial(os.read, 0, 65_536), to_output):
        return
    with _building():
        from mind.server.mcp import app, background, wire  # noqa: PLC0415 - the SDK: after the handlers of signals

    vectors = background.Background()
    named = any(os.environ.get(name) for name in _NAMING)
    try:
        wire.serve(
            app.build(
                open_memory, toolsets, vectors.wake, None if named else open_memory, call=call
            ),
            handshake,
        )
    finally:
        vectors.end()


@contextmanager
def _building() -> Iterator[None]:
    """Disable garbage collection, and exempt the objects created meanwhile from later runs.

    The SDK creates over 100,000 objects that live as long as the process; collecting among them
    takes a tenth of the start-up time.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def leave() -> None:
    """Exit at once: every call leaves the files consistent, so no clean-up is needed."""
    with suppress(OSError, RuntimeError):  # closed, or a signal arrived while it was written to
        sys.stderr.flush()
    os._exit(0)


class Handshake:
    """Cached answers of earlier servers, and those that this one gave from the cache.

    Args:
        toolsets: Toolsets of this server.
        folder: Folder of the cache; ``~/.mind/cache`` by default.
    """

    def __init__(self, toolsets: str, folder: Path | None = None) -> None:
        self.lines: list[bytes] = []
        self._path = (folder or home() / "cache") / "handshake.json"
        self._edition = _edition(toolsets)
        self._answers = self._kept()
        self._opening = ""
        self._asked: dict[object, str] = {}
        self._answered: Counter[object] = Counter()

    def _kept(self) -> dict[str, object]:
        try:
            kept = json.loads(self._path.read_bytes())
            return dict(kept["answers"]) if kept["edition"] == self._edition else {}
        except (OSError, ValueError, LookupError, TypeError):
            return {}  # never written, or damaged: the SDK will answer

    def greet(self, read: Read, write: Write) -> bool:
        """Answer from the cache while possible, and keep every line in ``lines`` for the SDK.

        Args:
            read: Waits for input and returns it; empty at the end of input.
            write: Sends bytes to the client.

        Returns:
            True if the SDK is needed; False if the client disconnected.
        """
        for lines in _whole_lines(read):
            self.lines += lines
            for line in lines:
                answer = self._answer(line)
                if answer is None:
                    self._opening = ""  # the SDK reads it all from the first line
                    return True
                write(answer)
        return False

    def _answer(self, line: bytes) -> bytes | None:
        """Return the bytes to send, empty for a notification; None if the SDK must answer."""
        message = _message(line)
        if message is None:
            return None
        if "id" not in message:
            return b"" if message["method"].startswith("notifications/") else None
        key = self._key(message["method"], message.get("params"))
        if key not in self._answers:
            return None
        self._answered[message["id"]] += 1
        answer = {"jsonrpc": "2.0", "id": message["id"], "result": self._answers[key]}
        return json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"

    def _key(self, method: str, parameters: object) -> str:
        """Return the key of an answer; it includes the first request, which sets the revision."""
        key = _digest(self._opening, method, _without(parameters, _OF_THE_CLIENT))
        self._opening = self._opening or key
        return key

    def expect(self, request: object, method: str, parameters: object) -> None:
        """Record a request that the SDK has read."""
        key = self._key(method, parameters)
        if method in _KEPT:
            self._asked[request] = key

    def is_new(self, request: object, result: object) -> bool:
        """Return whether the SDK's answer must still be sent; cache it for later servers.

        Args:
            request: The id of the request.
            result: Its result as sent to the client; None for an error.
        """
        key = self._asked.pop(request, "")
        if self._answered[request]:
            self._answered[request] -= 1
            return False
        if key and result is not None and self._answers.get(key) != result:
            self._keep(key, result)
        return True

    def _keep(self, key: str, result: object) -> None:
        self._answers = {**(self._answers if len(self._answers) < _MOST else {}), key: result}
        text = json.dumps({"edition": self._edition, "answers": self._answers}).encode()
        from mind.storage import files  # noqa: PLC0415 - once per edition

        with suppress(OSError, ValueError):  # the next server asks the SDK again
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            files.write(self._path, text, mode=0o600)


def to_output(data: bytes) -> None:
    """Send ``data`` on standard output."""
    while data:
        data = data[os.write(1, data) :]


def _whole_lines(read: Read) -> Iterator[list[bytes]]:
    """Yield whole lines as they arrive, so that the SDK's reader starts at a line."""
    while data := read():
        while not data.endswith(b"\n"):
            more = read()
            if not more:
                break
            data += more
        yield data.splitlines(keepends=True)


def _message(line: bytes) -> dict[str, Any] | None:
    """Return the request or notification in ``line``; None if there is none."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return None
    is_call = isinstance(message, dict) and isinstance(message.get("method"), str)
    is_named = is_call and isinstance(message.get("id", ""), str | int)
    return message if is_named and message.get("jsonrpc") == "2.0" else None


def _digest(*parts: object) -> str:
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"))
    return blake2b(text.encode(), digest_size=12).hexdigest()


def _without(value: object, names: frozenset[str]) -> object:
    """Return ``value`` without the keys ``names``, at any depth."""
    if isinstance(value, list):
        return [_without(one, names) for one in value]
    if not isinstance(value, dict):
        return value
    return {key: _without(one, names) for key, one in value.items() if key not in names}


def _edition(toolsets: str) -> str:
    """Return a digest of the code that answers depend on."""
    spec = PathFinder.find_spec("mcp")
    sdk = [Path(spec.origin)] if spec and spec.origin else []
    code = [(path.name, path.stat()) for path in (*Path(__file__).parent.glob("*.py"), *sdk)]
    stamps = sorted((name, one.st_size, one.st_mtime_ns) for name, one in code)
    return _digest(__version__, sys.version, toolsets, stamps)
