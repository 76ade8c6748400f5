"""The ``mind`` command, which handles what must start fast before importing anything else."""

import gc
import os
import sys
from typing import TYPE_CHECKING, Any

from mind.storage import process

if TYPE_CHECKING:
    from mind.server.mcp.streamable import Endpoint
_USUAL = gc.get_threshold()[0]


def main() -> None:
    """Run the command line; ``mind --version`` and ``mind mcp`` do not import the rest of it."""
    if not process.open_missing():
        sys.stderr.write("error: standard output is closed; nothing was done.\n")
        raise SystemExit(1)
    arguments = sys.argv[1:]
    if arguments in (["--version"], ["-V"]):
        from mind import __version__  # noqa: PLC0415 - the only import this path needs

        if not process.written(f"mind {__version__}\n"):
            raise SystemExit(1)
        return
    if os.environ.get("MIND_LOG"):
        log(os.environ["MIND_LOG"])
    if arguments[:1] == ["mcp"]:
        process.leave_deleted_folder()  # the client may specify the project otherwise
    if arguments == ["mcp"]:
        serve("core")
        return
    if arguments[:1] == ["merge-file"] and len(arguments) > 4:
        raise SystemExit(merged(arguments[1:]))
    # a short command ends before garbage matters, and looking for it takes 6 % of its time
    gc.set_threshold(200_000)
    from mind.cli.app import execute  # noqa: PLC0415 - not for --version

    raise SystemExit(execute(arguments, serve, serve_http))


def log(level: str) -> None:
    """Write log messages of ``level`` or above to standard error; ignore an unknown level."""
    import logging  # noqa: PLC0415 - usually nothing is logged

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
    """Run the MCP server on standard input and output, forwarding to ``remote`` if given."""
    from mind.server import mcp  # noqa: PLC0415 - the SDK takes half a second to load

    gc.set_threshold(_USUAL)
    mcp.run(toolsets=toolsets, remote=(remote, token_env) if remote else None)


def serve_http(**options: Any) -> None:  # noqa: ANN401 - the command's options
    """Run the HTTP service with MCP at /mcp; the two interfaces are connected only here."""
    from mind.server import http  # noqa: PLC0415 - only to serve
    from mind.server.mcp.background import Background  # noqa: PLC0415 - the same

    gc.set_threshold(_USUAL)
    vectors = Background()

    def endpoint(toolsets: str) -> "Endpoint":
        from mind.server.mcp.streamable import Endpoint  # noqa: PLC0415 - imports the SDK, so only after all checks

        return Endpoint(toolsets)

    try:
        http.run(http.Serving(**options), endpoint, vectors.of_thread, vectors.wake)
    finally:
        vectors.end()


def merged(arguments: list[str]) -> int:
    """Merge one file as git's merge driver; git starts this three times in a merge."""
    from mind.setup.git import driver  # noqa: PLC0415 - only git asks for it

    return driver.main(arguments)


if __name__ == "__main__":
    main()
