"""Running the service: what it is bound to, its token of one run, and its end."""

import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from mind.domain.errors import DependencyMissing, FileError, InputError
from mind.storage import files, tokens
from mind.storage.home import home
from mind.storage.process import share_one_heap

if TYPE_CHECKING:
    from mind.server.http.app import McpEndpoint
    from mind.server.http.limits import Limits
    from mind.server.http.served import Meanings

INSTALL = "pip install 'mind-lens[http]'"


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """What is served, and where.

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
    endpoint: "Callable[[str], McpEndpoint]",
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
        DependencyMissing: Starlette or uvicorn is not installed.
        InputError: It may not, or cannot, be bound there.
        ProjectError: There is no project.
    """
    try:
        import starlette  # noqa: F401, PLC0415 - only to serve
        import uvicorn  # noqa: F401, PLC0415 - only to serve
    except ImportError as error:
        raise DependencyMissing(f"{error.name} is not installed", remedy=f"{INSTALL}") from None
    from mind.server.http import log  # noqa: PLC0415 - as above

    share_one_heap()
    secret = _secret(serving)
    code = tokens.new_secret() if serving.shown else ""
    log.begin()
    limits = _limits(serving)
    from mind.server.http.access import Access, Hosts  # noqa: PLC0415 - as above
    from mind.server.http.app import Service  # noqa: PLC0415 - as above
    from mind.server.http.gate import Gate  # noqa: PLC0415 - as above
    from mind.server.http.listening import listen, server  # noqa: PLC0415 - as above
    from mind.server.http.served import Served  # noqa: PLC0415 - as above

    running = server(limits, behind_proxy=serving.behind_proxy)
    service = Service(
        served=Served(serving.projects, everything=serving.everything, meanings=meanings),
        access=Access(lambda: datetime.now(UTC), secret, code),
        limits=limits,
        mcp=endpoint(serving.toolsets),
        changed=changed,
        leaving=lambda: running.should_exit,
    )
    bound = listen(serving.host, serving.port)
    port = bound.getsockname()[1]
    address = _address(serving.host, port)
    running.config.app = Gate(service, Hosts(serving.host, serving.hosts))
    kept = _keep(port, address, secret) if secret else None
    _tell(address, f"#code={code}" if code else f"#token={secret}" if secret else "")
    for number in (signal.SIGINT, signal.SIGTERM):  # again after the end, or before the beginning
        signal.signal(number, _leave)
    if serving.shown:
        serving.shown(f"{address}/#code={code}")
    try:
        running.run(sockets=[bound])
    finally:
        if kept:
            kept.unlink(missing_ok=True)


def _leave(_number: int, _frame: object) -> None:
    raise SystemExit(0)


def _secret(serving: Serving) -> str:
    """The token of this run; "" if there are tokens to use.

    Raises:
        InputError: It would be bound to a network without any token.
    """
    from mind.server.http.access import is_loopback  # noqa: PLC0415 - as above

    now = datetime.now(UTC)
    usable = any(not one.is_expired(now) for one in tokens.listed())
    if is_loopback(serving.host):
        return tokens.new_secret() if serving.page or not usable else ""
    if not usable:
        raise InputError(
            f"{serving.host} is reached from other machines, and there is no token",
            remedy="Make one with `mind token add NAME`, or leave --host out.",
        )
    return ""


def _limits(serving: Serving) -> "Limits":
    from mind.server.http.limits import Limits  # noqa: PLC0415 - as above

    usual = Limits()
    if serving.rate is None:
        return usual
    if serving.rate <= 0:
        return Limits(rate=0, failures=0)
    return Limits(rate=serving.rate, burst=max(1, int(serving.rate * 4)))


def _address(host: str, port: int) -> str:
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}"


def _tell(address: str, fragment: str) -> None:
    """Print where it is; what follows the # is never sent, and so in nobody's log."""
    sys.stdout.write(f"Serving at {address}/{fragment}\n")
    sys.stdout.flush()


def run_file(port: int) -> Path:
    """Where the token of a run is kept while it lasts."""
    return home() / f"serving-{port}.json"


def _keep(port: int, address: str, secret: str) -> Path | None:
    """Keep the token of this run for who opens the page; one that is left over opens nothing."""
    path = run_file(port)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        files.write_json(path, {"url": address, "token": secret}, mode=0o600)
    except (FileError, OSError):
        return None
    return path
