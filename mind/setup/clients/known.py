"""The supported clients: their configuration files, formats and entries for a server."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from mind.domain.errors import NotFound


class Format(StrEnum):
    """The format of a client's file; Mind does not edit YAML."""

    JSON = "json"
    JSONC = "jsonc"
    TOML = "toml"
    YAML = "yaml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """The shape of a client's entry for a server.

    Attributes:
        first: Keys before the command.
        program: The key of the command.
        arguments: The key of its arguments; None if the command is a list that includes them.
        last: Keys after it.
        env: The key of environment variables.
    """

    first: Mapping[str, object] = field(default_factory=dict)
    program: str = "command"
    arguments: str | None = "args"
    last: Mapping[str, object] = field(default_factory=dict)
    env: str = "env"


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """One program that runs agents.

    Attributes:
        name: The name for ``mind init --client NAME``.
        project: Its files in a project, the one to create last; () if it has none.
        user: Its files in the user's folder, likewise; see
            :meth:`mind.setup.clients.registrations.Machine.path`.
        every: It may read each of the user's files, so all that exist are changed.
        elsewhere: Platform → the user's files there, where they differ.
        format: The format of these files.
        path: The keys that lead to the entry.
        shape: The shape of the entry.
        programs: Programs that show that it is installed.
        signs: Folders that show that it is installed.
        own: It has no projects, so its server shows the user's own memory.
        hooks: What its hooks can do for the memory. Except for Claude Code, users set them up by
            hand.
        note: A note for the user.
    """

    name: str
    project: tuple[str, ...] = ()
    user: tuple[str, ...]
    every: bool = False
    elsewhere: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    format: Format = Format.JSON
    path: tuple[str, ...] = ("mcpServers", "mind")
    shape: Shape = Shape()
    programs: tuple[str, ...] = ()
    signs: tuple[str, ...] = ()
    own: bool = False
    hooks: tuple[str, ...] = ()
    note: str = ""

    @property
    def by_hand(self) -> bool:
        """True if the user adds the entry: Mind shows the text to paste."""
        return self.format is Format.YAML

    def user_files(self, platform: str) -> tuple[str, ...]:
        """Templates of the user's file on ``platform``."""
        return self.elsewhere.get(platform, self.user)


_TYPED = Shape(first={"type": "stdio"})
_STORAGE = "{config}/Code/User/globalStorage"

RECALL, WARNINGS, CAPTURE = "recall with each prompt", "warnings", "capture"
QUESTIONS = "questions"
"""Instead of warnings: the client asks the user, and only about critical ones."""

CLIENTS = (
    Client(
        name="claude-code",
        project=(".mcp.json",),
        user=("{CLAUDE_CONFIG_DIR|{home}}/.claude.json",),
        shape=_TYPED,
        programs=("claude",),
        hooks=(RECALL, WARNINGS, CAPTURE),
        signs=("{CLAUDE_CONFIG_DIR|{home}/.claude}",),
    ),
    Client(
        name="claude-desktop",
        user=("{config}/Claude/claude_desktop_config.json",),
        signs=("{config}/Claude",),
        own=True,
        note="It has no projects, so it uses your personal memory. Restart it now.",
    ),
    Client(
        name="cursor",
        project=(".cursor/mcp.json",),
        user=("{home}/.cursor/mcp.json",),
        format=Format.JSONC,
        programs=("cursor", "cursor-agent"),
        hooks=(QUESTIONS,),
        signs=("{home}/.cursor",),
    ),
    Client(
        name="windsurf",
        user=("{home}/.codeium/windsurf/mcp_config.json",),
        programs=("windsurf",),
        signs=("{home}/.codeium/windsurf",),
    ),
    Client(
        name="cline",
        user=(
            f"{_STORAGE}/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
            "{home}/.cline/data/settings/cline_mcp_settings.json",
        ),
        every=True,
        shape=Shape(last={"disabled": False}),
        programs=("cline",),
        signs=(f"{_STORAGE}/saoudrizwan.claude-dev", "{home}/.cline"),
    ),
    Client(
        name="roo",
        project=(".roo/mcp.json",),
        user=(f"{_STORAGE}/rooveterinaryinc.roo-cline/settings/mcp_settings.json",),
        signs=(f"{_STORAGE}/rooveterinaryinc.roo-cline",),
    ),
    Client(
        name="continue",
        project=(".continue/mcpServers/mind.json",),
        user=("{home}/.continue/mcpServers/mind.json",),
        format=Format.JSONC,
        shape=_TYPED,
        programs=("cn",),
        signs=("{home}/.continue",),
    ),
    Client(
        name="zed",
        project=(".zed/settings.json",),
        user=("{xdg}/zed/settings.json",),
        elsewhere={"win32": ("{config}/Zed/settings.json",)},
        format=Format.JSONC,
        path=("context_servers", "mind"),
        shape=Shape(first={"source": "custom"}, last={"env": {}}),
        programs=("zed", "zeditor"),
        signs=("{xdg}/zed", "{config}/Zed"),
    ),
    Client(
        name="vscode",
        project=(".vscode/mcp.json",),
        user=("{config}/Code/User/mcp.json",),
        format=Format.JSONC,
        path=("servers", "mind"),
        shape=_TYPED,
        programs=("code",),
        signs=("{config}/Code/User",),
    ),
    Client(
        name="codex",
        project=(".codex/config.toml",),
        user=("{CODEX_HOME|{home}/.codex}/config.toml",),
        format=Format.TOML,
        path=("mcp_servers", "mind"),
        programs=("codex",),
        hooks=(RECALL, WARNINGS),
        signs=("{CODEX_HOME|{home}/.codex}",),
        note="Codex reads this file only in projects that you trust.",
    ),
    Client(
        name="gemini-cli",
        project=(".gemini/settings.json",),
        user=("{home}/.gemini/settings.json",),
        format=Format.JSONC,
        programs=("gemini",),
        hooks=(RECALL, CAPTURE),
        signs=("{home}/.gemini",),
        note="Gemini CLI starts servers only in folders that you trust.",
    ),
    Client(
        name="opencode",
        project=("opencode.jsonc", "opencode.json"),
        user=("{xdg}/opencode/opencode.jsonc", "{xdg}/opencode/opencode.json"),
        format=Format.JSONC,
        path=("mcp", "mind"),
        shape=Shape(
            first={"type": "local"}, arguments=None, last={"enabled": True}, env="environment"
        ),
        programs=("opencode",),
        signs=("{xdg}/opencode",),
    ),
    Client(
        name="goose",
        user=("{xdg}/goose/config.yaml",),
        elsewhere={"win32": ("{config}/Block/goose/config/config.yaml",)},
        format=Format.YAML,
        path=("extensions", "mind"),
        shape=Shape(
            first={
                "enabled": True,
                "type": "stdio",
                "name": "mind",
                "description": "The memory of this repository",
            },
            program="cmd",
            last={"envs": {}, "timeout": 300},
            env="envs",
        ),
        programs=("goose",),
        signs=("{xdg}/goose", "{config}/Block/goose"),
    ),
    Client(
        name="junie",
        project=(".junie/mcp/mcp.json",),
        user=("{home}/.junie/mcp/mcp.json",),
        programs=("junie",),
        signs=("{home}/.junie",),
    ),
    Client(
        name="amp",
        project=(".amp/settings.json",),
        user=("{xdg}/amp/settings.json",),
        format=Format.JSONC,
        path=("amp.mcpServers", "mind"),
        programs=("amp",),
        signs=("{xdg}/amp",),
        note="Amp asks before it starts a project's server.",
    ),
    Client(
        name="kiro",
        project=(".kiro/settings/mcp.json",),
        user=("{home}/.kiro/settings/mcp.json",),
        programs=("kiro", "kiro-cli"),
        signs=("{home}/.kiro",),
    ),
)

DETECTED = "detected"
"""The name that means all clients found on this machine."""


def client(name: str) -> Client:
    """The client ``name``.

    Raises:
        NotFound: There is none; the remedy lists all.
    """
    found = next((one for one in CLIENTS if one.name == name), None)
    if found is None:
        names = ", ".join(one.name for one in CLIENTS)
        raise NotFound(f"unknown client {name!r}", remedy=f"Use one of: {names}.")
    return found
