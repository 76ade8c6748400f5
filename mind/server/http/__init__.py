"""The HTTP service: routes parse, call `Memory`, and answer JSON; beside them MCP and a page.

Importing this package imports neither FastAPI nor uvicorn.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mind.domain.errors import DependencyMissing

if TYPE_CHECKING:
    from mind.server.http.app import Meanings
    from mind.server.mcp.streamable import Endpoint


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """A service: the memories and the address.

    Attributes:
        host: Address to bind to.
        port: The same; 0 for any that is free.
        projects: Folders to look for projects from; none: from where the process stands.
        everything: Every registered project.
        toolsets: Of MCP: names separated by commas, or "all".
        hosts: Names that the service goes by, besides.
        behind_proxy: A proxy on this machine tells who really asks.
        rate: Requests a second of one caller, in the long run; 0: any number; None: as usual.
        page: Make a token for this run and print the page's address, whatever tokens there are.
        shown: Is called with the page's address once it is served; the address then holds a code
            that gives the page the token once, and not the token.
    """

    host: str = "127.0.0.1"
    port: int = 8765
    projects: Sequence[Path] = ()
    everything: bool = False
    toolsets: str = "core"
    hosts: Sequence[str] = ()
    behind_proxy: bool = False
    rate: float | None = None
    page: bool = False
    shown: Callable[[str], object] | None = None


def run(
    serving: Serving,
    endpoint: "Callable[[str], Endpoint]",
    meanings: "Meanings | None" = None,
    changed: Callable[[], None] = lambda: None,
) -> None:
    """Serve until a signal comes.

    Args:
        serving: What, and where.
        endpoint: Makes what answers at /mcp, with these toolsets.
        meanings: Gives the embedding model of a project.
        changed: Called after each call on a memory.

    Raises:
        DependencyMissing: FastAPI or uvicorn is not installed.
        InputError: It may not, or cannot, be bound there.
        ProjectError: There is no project.
    """
    try:
        from mind.server.http.serving import serve  # noqa: PLC0415 - only to serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "mind":
            raise
        remedy = "pip install 'mind-lens[http]'"
        raise DependencyMissing(f"{error.name} is not installed", remedy=remedy) from None
    serve(serving, endpoint, meanings, changed)
