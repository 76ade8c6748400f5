"""What clients say first to a server; pure.

A server that has answered these once has the answers ready (docs/decisions/0007-handshake.md).
"""

import json
from collections.abc import Iterator

_CAPABILITIES = {"roots": {"listChanged": True}, "elicitation": {"form": {}, "url": {}}}
"""Those of Claude Code 2.1."""


def openings() -> Iterator[bytes]:
    """The lines of each connection: that of protocol revision 2026-07-28, and the one before."""
    name = "io.modelcontextprotocol/"
    meta = {f"{name}protocolVersion": "2026-07-28", f"{name}clientCapabilities": _CAPABILITIES}
    meta[f"{name}clientInfo"] = {"name": "mind", "version": "0"}
    yield _lines(
        _call("a", "server/discover", {"_meta": meta}), _call(0, "tools/list", {"_meta": meta})
    )
    asked = {
        "protocolVersion": "2025-11-25",
        "capabilities": _CAPABILITIES,
        "clientInfo": {"name": "mind", "version": "0"},
    }
    yield _lines(
        _call(0, "initialize", asked),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        _call(1, "tools/list", None),
    )


def _call(number: int | str, method: str, parameters: object) -> dict[str, object]:
    call: dict[str, object] = {"jsonrpc": "2.0", "id": number, "method": method}
    return call | ({"params": parameters} if parameters else {})


def _lines(*messages: dict[str, object]) -> bytes:
    return b"".join(json.dumps(one).encode() + b"\n" for one in messages)
