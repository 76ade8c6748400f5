"""The command line: each command parses, calls `Memory`, and prints."""

from collections.abc import Callable, Sequence


def run(arguments: Sequence[str], serve: Callable[..., None], http: Callable[..., None]) -> None:
    """Run one command and leave the process with its exit code.

    ``serve`` runs the MCP server with the toolsets it is given, and perhaps the service to forward
    to; ``http`` the HTTP service with its options: other adapters, passed in.

    Exit codes: 0 done; 1 a failure, or `doctor` found only warnings; 2 wrong usage or input, or
    `doctor` found something broken; 3 `edges` met what was rejected before; 130 interrupted.
    """
    from mind.cli.app import execute  # noqa: PLC0415 - `mind.cli` itself imports nothing

    raise SystemExit(execute(list(arguments), serve, http))
