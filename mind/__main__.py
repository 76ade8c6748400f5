"""The ``mind`` command: what must start fast is dispatched before anything is imported."""

import sys


def main() -> None:
    """Run the command line; ``mind --version`` and ``mind mcp`` never load the rest of it."""
    arguments = sys.argv[1:]
    if arguments in (["--version"], ["-V"]):
        from mind import __version__  # noqa: PLC0415 - the only thing this path needs

        sys.stdout.write(f"mind {__version__}\n")
        return
    if arguments == ["mcp"]:
        serve("core")
        return
    from mind.cli import run  # noqa: PLC0415 - not for --version

    run(arguments, serve)


def serve(toolsets: str) -> None:
    """Run the MCP server on standard input and output."""
    from mind import server  # noqa: PLC0415 - the SDK takes half a second to load

    server.run(toolsets=toolsets)


if __name__ == "__main__":
    main()
