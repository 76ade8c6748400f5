"""The command line: each command parses, calls `Memory`, and prints."""

from collections.abc import Callable, Sequence


def run(arguments: Sequence[str], serve: Callable[..., None], http: Callable[..., None]) -> None:
    """Run one command and exit the process with its exit code.

    The other interfaces are passed in: ``serve`` runs the MCP server with its toolsets and, if
    given, the service to forward to; ``http`` runs the HTTP service with its options.

    Exit codes: 0 success; 1 failure, or `doctor` found only warnings; 2 invalid usage or input, or
    `doctor` found something broken; 3 `edges` found a rejected approach; 130 interrupted.
    """
    from mind.cli.app import execute  # noqa: PLC0415 - `mind.cli` itself imports nothing

    raise SystemExit(execute(list(arguments), serve, http))
