"""The ``mind`` command: what must start fast is dispatched before anything is imported."""

import os
import sys
from typing import TYPE_CHECKING, Any

from mind.storage import streams

if TYPE_CHECKING:
    from mind.server.mcp.streamable import Endpoint


def main() -> None:
    """Run the command line; ``mind --version`` and ``mind mcp`` never load the rest of it."""
    if not streams.open_missing():
        sys.stderr.write("error: standard output is closed; nothing was done.\n")
        raise SystemExit(1)
    arguments = sys.argv[1:]
    if arguments in (["--version"], ["-V"]):
        from mind import __version__  # noqa: PLC0415 - the only thing this path needs

        if not streams.written(f"mind {__version__}\n"):
            raise SystemExit(1)
        return
    if os.environ.get("MIND_LOG"):
        log(os.environ["MIND_LOG"])
    if arguments[:1] == ["mcp"]:
        streams.leave_deleted_folder()  # the client may name the project in another way
    if arguments == ["mcp"]:
        serve("core")
        return
    if arguments[:1] == ["merge-file"] and len(arguments) > 4:
        raise SystemExit(merged(arguments[1:]))
    from mind.cli import run  # noqa: PLC0415 - not for --version

    run(arguments, serve, serve_http)


def log(level: str) -> None:
    """Write what is logged at ``level`` or above to standard error; an unknown level is none."""
    import logging  # noqa: PLC0415 - the usual case logs nothing

    wanted = logging.getLevelNamesMapping().get(level.upper())
    if wanted is None:
        return
    shown = logging.StreamHandler()
    shown.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    logger = logging.getLogger("mind")
    logger.addHandler(shown)
    logger.setLevel(wanted)
    logger.propagate = False


def serve(toolsets: str, remote: str = "", token_env: str = "") -> None:
    """Run the MCP server on standard input and output; it may forward to ``remote``."""
    from mind.server import mcp  # noqa: PLC0415 - the SDK takes half a second to load

    mcp.run(toolsets=toolsets, remote=(remote, token_env) if remote else None)


def serve_http(**options: Any) -> None:  # noqa: ANN401 - those of the command
    """Run the HTTP service, with MCP at /mcp: adapters that stand side by side meet here."""
    from mind.server import http  # noqa: PLC0415 - only to serve
    from mind.server.mcp.background import Background  # noqa: PLC0415 - the same

    vectors = Background()

    def endpoint(toolsets: str) -> "Endpoint":
        from mind.server.mcp.streamable import Endpoint  # noqa: PLC0415 - the SDK: when all is checked

        return Endpoint(toolsets)

    try:
        http.run(http.Serving(**options), endpoint, vectors.of_thread, vectors.wake)
    finally:
        vectors.end()


def merged(arguments: list[str]) -> int:
    """Merge one file for git, which does so three times in a merge."""
    from mind.setup.git import driver  # noqa: PLC0415 - only git asks for it

    return driver.main(arguments)


if __name__ == "__main__":
    main()
