"""The toolsets, by name."""

from collections.abc import Mapping

from mind.domain.errors import InputError
from mind.server.mcp.core_tools import CORE
from mind.server.mcp.curate_tools import CURATE
from mind.server.mcp.file_tools import FILES
from mind.server.mcp.graph_tools import GRAPH
from mind.server.mcp.scope_tools import SCOPES
from mind.server.mcp.search_tools import SEARCH
from mind.server.mcp.time_tools import TIME
from mind.server.mcp.tool import Tool

__all__ = ["TOOLSETS", "Tool", "chosen"]

TOOLSETS: Mapping[str, tuple[Tool, ...]] = {
    "core": CORE,
    "search": SEARCH,
    "time": TIME,
    "graph": GRAPH,
    "curate": (*CURATE, *SCOPES),
    "files": FILES,
}


def chosen(toolsets: str) -> list[Tool]:
    """The tools of ``toolsets``: names separated by commas, or "all"; the core is always there.

    Raises:
        InputError: A toolset is unknown.
    """
    names = [name.strip() for name in toolsets.split(",") if name.strip()]
    unknown = [name for name in names if name not in (*TOOLSETS, "all")]
    if unknown or not names:
        accepted = ", ".join((*TOOLSETS, "all"))
        raise InputError(f"unknown toolset {toolsets!r}", remedy=f"Use some of: {accepted}.")
    wanted = TOOLSETS if "all" in names else dict.fromkeys(["core", *names])
    return [tool for name in wanted for tool in TOOLSETS[name]]
