"""The HTTP service: routes parse, call `Memory`, and answer JSON; plus MCP and a web page.

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
    """Options of a service.

    Attributes:
        host: Address to bind to.
        port: Port to bind to; 0 for any free one.
        projects: Folders to find projects from; by default the working directory.
        everything: Serve all registered projects.
        toolsets: MCP toolsets: comma-separated names, or "all".
        hosts: Further allowed host names.
        behind_proxy: Trust forwarded headers from a local reverse proxy.
        rate: Sustained requests per second and caller; 0 for no limit, None for the default.
        page: Create a token for this run and print the page's address, even if tokens exist.
        shown: Called with the page's address once it is served; the address then contains a
            one-time code for the token instead of the token.
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
    """Serve until a signal arrives.

    Args:
        serving: Options of the service.
        endpoint: Builds the MCP endpoint for the given toolsets.
        meanings: Returns the embedding model of a project.
        changed: Called after each call on a memory.

    Raises:
        DependencyMissing: FastAPI or uvicorn is not installed.
        InputError: The address cannot be bound, or needs a token first.
        ProjectError: No project was found.
    """
    try:
        from mind.server.http.serving import serve  # noqa: PLC0415 - only to serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "mind":
            raise
        remedy = "pip install 'mind-lens[http]'"
        raise DependencyMissing(f"{error.name} is not installed", remedy=remedy) from None
    serve(serving, endpoint, meanings, changed)
