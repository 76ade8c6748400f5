"""The command line: each command parses, calls `Memory`, and prints."""

from collections.abc import Callable, Sequence


def run(arguments: Sequence[str], serve: Callable[[str], None]) -> None:
    """Run one command and leave the process with its exit code.

    ``serve`` runs the MCP server with the toolsets it is given: another adapter, passed in.

    Exit codes: 0 done; 1 a failure, or `doctor` found only warnings; 2 wrong usage or input, or
    `doctor` found something broken; 130 interrupted.
    """
    from mind.cli.app import execute  # noqa: PLC0415 - `mind.cli` itself imports nothing

    raise SystemExit(execute(list(arguments), serve))
