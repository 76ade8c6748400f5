"""Forwarding of tools to a remote service; tools that read files run on this machine.

The code given to `mind_edges` is not sent: it is checked locally against built-in and global
gotchas, and only the intent is checked remotely. The stack is detected locally.
"""

import http.client
import json
import os
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, urlsplit

from mind import __version__
from mind.domain.errors import InputError, MindError, Unreachable

if TYPE_CHECKING:
    from mind.memory.memory import Memory
    from mind.server.mcp.tool import Tool

LONGEST = 8_000_000
"""Maximum bytes of an answer."""
_PROTOCOL = "2025-11-25"
_SECONDS = 30.0
_LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})


class RemoteService:
    """A remote service, which answers tool calls instead of a local memory.

    Args:
        address: Its address, such as "https://mind.example.org/?project=NAME".
        variable: Environment variable with the token.
        open_memory: Opens the local memory, for tools that read files.

    Raises:
        InputError: The address cannot be used, or there is no token.
    """

    def __init__(self, address: str, variable: str, open_memory: Callable[[], "Memory"]) -> None:
        self._parts = _address(address)
        self.name = f"{self._parts.scheme}://{self._parts.netloc}"
        """Name of the service for messages."""
        self._open_memory = open_memory
        self._token = os.environ.get(variable, "").strip()
        if not self._token.isascii() or not self._token.isprintable():
            raise InputError(f"{variable} is not a valid token", remedy="Copy the token again.")
        if not self._token:
            raise InputError(
                f"the variable {variable} is empty or not set",
                remedy="Set it to the token that `mind token add` printed, or name another "
                "variable with --token-env.",
            )

    def tool(self, name: str, given: Mapping[str, Any]) -> tuple[str, bool]:
        """Call a tool remotely; return its text and whether it failed.

        Raises:
            Unreachable: The service does not answer, or refuses the call.
        """
        sent = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": name, "arguments": given},
        }
        status, body = self._sent(json.dumps(sent).encode())
        answer = _decoded(body)
        if status != 200:
            told = str(answer.get("detail") or f"status {status}").rstrip(".")
            remedy = str(answer.get("remedy") or "") or None
            raise Unreachable(f"{self.name} refused the call: {told}", remedy=remedy)
        result = answer.get("result")
        if not isinstance(result, dict):
            error = answer.get("error")
            said = error.get("message") if isinstance(error, dict) else ""
            raise Unreachable(f"{self.name} answered: {said or 'an unknown response'}")
        texts = [one.get("text", "") for one in result.get("content", ())]
        return "\n".join(texts), bool(result.get("isError"))

    def _sent(self, body: bytes) -> tuple[int, bytes]:
        """Send a request and return the status and body of the answer."""
        is_plain = self._parts.scheme == "http"  # HTTPS checks the certificate
        kind = http.client.HTTPConnection if is_plain else http.client.HTTPSConnection
        headers = {
            "Authorization": f"Bearer {self._token}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": _PROTOCOL,
            "User-Agent": f"mind/{__version__}",
        }
        try:
            with closing(kind(self._parts.netloc, timeout=_SECONDS)) as connection:
                query = f"?{self._parts.query}" if self._parts.query else ""
                connection.request("POST", self._parts.path + query, body, headers)
                response = connection.getresponse()
                return response.status, response.read(LONGEST)
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
            raise Unreachable(f"{self.name} cannot be reached: {reason}") from None

    async def call(
        self, tool: "Tool", name: str, arguments: dict[str, Any] | None, _request: object
    ) -> tuple[str, bool]:
        """Answer a call: the text and whether it failed."""
        import anyio.to_thread  # noqa: PLC0415 - the SDK brings it

        return await anyio.to_thread.run_sync(self._called, tool, name, arguments or {})

    def _called(self, tool: "Tool", name: str, arguments: Mapping[str, Any]) -> tuple[str, bool]:
        from mind.memory import wording  # noqa: PLC0415 - after the handshake
        from mind.server.mcp import app  # noqa: PLC0415 - the SDK: as above
        from mind.server.mcp.tools import TOOLSETS  # noqa: PLC0415 - as above

        if tool in TOOLSETS["files"]:
            return app.answer(tool, name, dict(arguments), self._open_memory, ())
        try:
            given = tool.check(arguments)
            if name == "mind_edges":
                return self._edges(given)
            return self.tool(name, given)
        except MindError as error:
            return wording.failed(error), True

    def _edges(self, given: Mapping[str, Any]) -> tuple[str, bool]:
        from mind.memory import checks, gotchas, wording  # noqa: PLC0415 - after the handshake

        stack = given["stack"] or gotchas.detect_stacks(Path.cwd())
        text, failed = self.tool("mind_edges", {"intent": given["intent"], "stack": stack})
        found = checks.of_code(given["code"], stack)
        if (found.edges or found.problems) and not failed:
            text = f"{text}\n\nIn the code, checked here:\n{wording.checked(found, LONGEST)}"
        return text, failed


def _address(address: str) -> SplitResult:
    """Parse an address, with the path of MCP.

    Raises:
        InputError: It is invalid, or would send the token over a network in clear text.
    """
    try:
        parts = urlsplit(address)
        known = parts.hostname or ""
        _ = parts.port
    except ValueError:
        known = ""
    if not known or parts.scheme not in ("http", "https") or parts.username:
        raise InputError(
            f"{address!r} is not a service address", remedy="Use https://HOST/?project=NAME."
        )
    if parts.scheme == "http" and known not in _LOCAL:
        raise InputError(
            f"http://{known} would send the token in clear text",
            remedy="Use https, with a reverse proxy in front of `mind serve`.",
        )
    path = parts.path.rstrip("/")
    return parts._replace(path=path if path.endswith("/mcp") else f"{path}/mcp")


def _decoded(body: bytes) -> Mapping[str, Any]:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
