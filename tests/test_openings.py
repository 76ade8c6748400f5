"""What clients ask first is answered before they ask."""

import subprocess
import sys
from pathlib import Path

from mind.server.mcp.stdio import Handshake
from mind.setup.clients.command import openings


def test_after_init_a_server_answers_what_clients_ask_first_by_itself(repository: Path) -> None:
    assert not any(answered(opening) for opening in openings())
    subprocess.run(
        [sys.executable, "-m", "mind", "init"], cwd=repository, check=True, capture_output=True
    )
    assert all(answered(opening) for opening in openings())


def answered(opening: bytes) -> bool:
    """Whether a new server has an answer to each request, without the SDK."""
    lines = iter([opening, b""])
    said: list[bytes] = []
    needs_sdk = Handshake("core").greet(lambda: next(lines), said.append)
    return not needs_sdk and sum(map(bool, said)) == opening.count(b'"id"')
