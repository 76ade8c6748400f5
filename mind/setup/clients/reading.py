"""The file from which each client reads the context block; pure."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

AGENTS = "AGENTS.md"
_CLAUDE = "CLAUDE.md"

_ZED = (
    ".rules",
    ".cursorrules",
    ".windsurfrules",
    ".clinerules",
    ".github/copilot-instructions.md",
    "AGENT.md",
    AGENTS,
    _CLAUDE,
    "GEMINI.md",
)
"""Zed reads only the first of these that exists."""


@dataclass(frozen=True, slots=True)
class _Reader:
    """The files that a client reads.

    Attributes:
        any_of: Files that it reads; the first that exists is used.
        own: The file to create if none of them exists.
    """

    any_of: tuple[str, ...]
    own: str


_READERS: Mapping[str, _Reader] = {
    "claude-code": _Reader((_CLAUDE, AGENTS), _CLAUDE),
    "cursor": _Reader((AGENTS,), ".cursor/rules/mind.mdc"),
    "windsurf": _Reader((AGENTS,), ".windsurf/rules/mind.md"),
    "cline": _Reader((AGENTS, ".clinerules"), ".clinerules/mind.md"),
    "roo": _Reader((AGENTS,), ".roo/rules/mind.md"),
    "continue": _Reader((), ".continue/rules/mind.md"),
    "zed": _Reader(_ZED, AGENTS),
    "vscode": _Reader((AGENTS,), ".github/instructions/mind.instructions.md"),
    "codex": _Reader(("AGENTS.override.md",), AGENTS),
    "gemini-cli": _Reader((), "GEMINI.md"),
    "opencode": _Reader((AGENTS, _CLAUDE, "CONTEXT.md"), AGENTS),
    "goose": _Reader((AGENTS, ".goosehints"), AGENTS),
    "junie": _Reader((), AGENTS),
    "amp": _Reader((AGENTS, "AGENT.md", _CLAUDE), AGENTS),
    "kiro": _Reader((AGENTS,), ".kiro/steering/mind.md"),
}

_FRONTS: Mapping[str, str] = {
    ".cursor/rules/": "alwaysApply: true",
    ".windsurf/rules/": "trigger: always_on",
    ".continue/rules/": "name: Mind\nalwaysApply: true",
    ".github/instructions/": 'applyTo: "**"',
    ".kiro/steering/": "inclusion: always",
}
"""Folder → front matter that makes a client apply a rule file there to every request."""


def targets(names: list[str], is_file: Callable[[str], bool]) -> dict[str, str]:
    """Client → the file for its context block, for those of ``names`` that read one.

    AGENTS.md also counts as existing if it is created for another client.
    """
    read = [name for name in names if name in _READERS]
    alone = {_target(_READERS[name], is_file) for name in read}

    def there(name: str) -> bool:
        return is_file(name) or (name == AGENTS and AGENTS in alone)

    return {name: _target(_READERS[name], there) for name in read}


def _target(reader: _Reader, is_file: Callable[[str], bool]) -> str:
    return next((name for name in reader.any_of if is_file(name)), reader.own)


def own_file(name: str) -> str | None:
    """The file that only the client ``name`` reads; None if others read it too."""
    reader = _READERS.get(name)
    return reader.own if reader and reader.own.rpartition("/")[2].startswith("mind.") else None


def front(path: str) -> str:
    """The front matter of the rule file at ``path`` in a project; "" if it needs none."""
    said = next((text for folder, text in _FRONTS.items() if path.startswith(folder)), "")
    if not said and path.endswith(".mdc"):
        said = "alwaysApply: true"
    return f"---\n{said}\n---\n" if said else ""
