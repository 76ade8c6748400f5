"""The application: its commands, its global options, and its single error boundary.

A module of commands is imported only when one of its commands runs.
"""

import logging
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from keyword import iskeyword
from pathlib import Path
from typing import Annotated, Any, NamedTuple, cast

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_group

from mind import __version__
from mind.cli.output import complain, is_terminal, note, unanswered
from mind.domain.errors import FileError, InputError, MindError, ProjectError
from mind.storage import process
from mind.storage.boundary import absolute, own_memory
from mind.storage.process import GIT_SECONDS, Patience
from mind.storage.project import use


class Summaries(TyperGroup):
    """A group whose help shows the whole first sentence of each command, wrapped if needed."""

    def format_commands(self, ctx: typer.Context, formatter: Any) -> None:  # type: ignore[override]  # noqa: ANN401 - the framework's own, which it exports under no name
        """Write the list of commands; the framework would truncate each summary to one line."""
        found = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [
            (name, one.get_short_help_str(limit=200))
            for name, one in found
            if one and not one.hidden
        ]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


class ImportHelp(TyperCommand):
    """The import command: its help ends with all importers, which are loaded only then."""

    def format_epilog(self, ctx: typer.Context, formatter: Any) -> None:  # type: ignore[override]  # noqa: ANN401 - as above
        """Write the list of importers."""
        from mind.sources.importers import importers  # noqa: PLC0415 - only for this help

        super().format_epilog(ctx, formatter)
        with formatter.section("Tools"):
            formatter.write_dl(sorted((one.name, one.about) for one in importers().values()))


_ROWS = (
    ("init", "init"),
    ("session", "recall session log blocker"),
    ("search", "search"),
    ("history", "timeline show around recent blame log-history diff merge-file history"),
    ("graph", "edges add-global-edge"),
    ("doctor", "verify"),
    ("curate", "update forget restore confirm use tidy"),
    ("session", "reminders remind done status sync checkpoint"),
    ("index", "index bench"),
    ("doctor", "parse"),
    ("search", "when"),
    ("settings", "config projects clients"),
    ("doctor", "doctor health scan"),
    ("move", "export import"),
    ("settings", "uninstall"),
    ("serve", "mcp serve ui"),
    ("graph", "graph"),
    ("curate", "archive tags scopes"),
    ("index", "models"),
    ("settings", "skills"),
    ("mirror", "mirror"),
    ("serve", "token"),
)
"""Modules of this package and their commands, in the order the help lists them."""
MODULES = {name: module for module, names in _ROWS for name in names.split()}
"""Command name → module that defines it."""
_OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "checkpoint": {"hidden": True},
    "import": {"cls": ImportHelp},
    "merge-file": {"hidden": True},
    "scopes": {"hidden": True},  # what `tags` was called
    "search": {"context_settings": {"ignore_unknown_options": True}},  # a query may begin with -
}
"""Extra registration options, by command."""


@cache
def registered(name: str) -> Any:  # noqa: ANN401 - the framework exports its class under no name
    """The command of this name, a function or a group of a module of this package."""
    within = typer.Typer(pretty_exceptions_enable=False, rich_markup_mode=None)
    source = import_module(f"mind.cli.{MODULES[name]}")
    made = getattr(source, name.replace("-", "_") + "_" * iskeyword(name))
    if isinstance(made, typer.Typer):
        within.add_typer(made, name=name, **_OPTIONS.get(name, {}))
    else:
        within.command(name, **_OPTIONS.get(name, {}))(made)
    return get_group(within).commands[name]


class Commands(Summaries):
    """The group of all commands; a module is imported when one of its commands is asked for."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401 - the framework's options
        super().__init__(**options)
        self.commands = dict.fromkeys(MODULES)  # type: ignore[assignment] # only the names are read

    def get_command(self, ctx: typer.Context, cmd_name: str) -> Any:  # type: ignore[override]  # noqa: ANN401 - the framework exports its class under no name
        """Return the command, built on first access."""
        del ctx
        return registered(cmd_name) if cmd_name in MODULES else None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:  # noqa: ANN401 - see above
        """Find the command; for a name of other tools, the error names Mind's command."""
        if args[0] == "list":
            ctx.fail("No such command 'list'. Use `mind recent`, or `mind search kind:decision`.")
        return super().resolve_command(ctx, args)


def group(about: str, *, alone: bool = False) -> typer.Typer:
    """Make a group of commands; with ``alone``, the group also runs without a subcommand."""
    return typer.Typer(
        cls=Summaries,
        help=about,
        no_args_is_help=not alone,
        invoke_without_command=alone,
        rich_markup_mode=None,
    )


app = typer.Typer(
    name="mind",
    cls=Commands,
    help="Keep a code repository's memory for coding agents, in plain Markdown.",
    epilog="Exit codes: 0 success, 1 failure, 2 invalid usage or input, 3 rejected before "
    "(`edges`). Run `mind COMMAND --help` for details.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"mind {__version__}\n")
        raise typer.Exit


_MAKING = frozenset({"log", "blocker", "remind", "import", "mcp"})
"""Commands that record something; with --global they create the user's memory if needed."""


_PATIENT_SECONDS, _SCAN_SECONDS = 60.0, 600.0
_PATIENT = frozenset({"blame", "diff", "history", "log-history", "verify"})
"""Commands for which git reads the whole history, or runs many times."""


def _seconds(command: str) -> float:
    """Return how long a command waits for git: longer on a terminal, where Ctrl-C works.

    ``scan`` gets the longest limit, as it may read the whole history.
    """
    if command == "scan":
        return _SCAN_SECONDS
    return _PATIENT_SECONDS if command in _PATIENT and is_terminal() else GIT_SECONDS


@contextmanager
def _patience(command: str) -> Iterator[None]:
    """Limit the total time git may take while ``command`` runs, and report if it ran out."""
    with Patience(_seconds(command)) as waiting:
        yield
    unanswered(waiting.problem)


_WrongUsage = cast("type[Exception]", typer.BadParameter.__mro__[1])
"""The framework's usage error, a class that it does not export."""


class Servers(NamedTuple):
    """Functions that run the other interfaces: the MCP server and the HTTP service."""

    mcp: Callable[..., None]
    http: Callable[..., None] | None


@app.callback()
def options(
    context: typer.Context,
    project: Annotated[
        Path | None,
        typer.Option("--project", "-p", help="Use the project in this folder.", metavar="PATH"),
    ] = None,
    own: Annotated[
        bool,
        typer.Option(
            "--global",
            "-g",
            help="Use your personal memory (MIND_HOME/memory), which belongs to no project.",
        ),
    ] = False,
    version: Annotated[
        bool,
        typer.Option(
            "--version", "-V", callback=_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Record and find decisions, lessons, problems and rejected approaches of a repository."""
    del version
    context.with_resource(_patience(context.invoked_subcommand or ""))
    if own and project is not None:
        raise InputError("--global and --project exclude each other", remedy="Use one of them.")
    if own:
        _use_own(make=context.invoked_subcommand in _MAKING)
    if project is not None:
        os.environ.pop("MIND_DIR", None)
        os.environ["MIND_PROJECT"] = absolute(project)


def _use_own(*, make: bool) -> None:
    """Use the user's own memory from now on, in this process and its child processes."""
    use(own_memory())
    if make:
        from mind.setup import install  # noqa: PLC0415 - only commands that write create it

        install.apply(install.plan())


def execute(
    arguments: list[str], serve: Callable[..., None], http: Callable[..., None] | None = None
) -> int:
    """Run one command and return its exit code; the single error boundary.

    The other interfaces are passed in: ``serve`` runs the MCP server with its toolsets and, if
    given, the service to forward to; ``http`` runs the HTTP service with its options.

    Exit codes: 0 success; 1 failure, or `doctor` found only warnings; 2 invalid usage or input, or
    `doctor` found something broken; 3 `edges` found a rejected approach; 130 interrupted.
    """
    as_json = "--json" in arguments
    try:
        code = _code(arguments, Servers(serve, http), as_json=as_json)
    except OSError as error:
        return _refused(error, as_json=as_json)
    return code if process.written() else 1


def _code(arguments: list[str], servers: "Servers", *, as_json: bool) -> int:
    try:
        code = app(
            args=arguments,
            prog_name="mind",
            obj=servers,
            standalone_mode=not as_json,  # else the framework prints usage errors itself
        )
    except MindError as error:
        complain(error, as_json=as_json)
        return error.exit_code
    except _WrongUsage as error:
        complain(_wrong(error), as_json=True)
        return InputError.exit_code
    except typer.Abort:
        note("Aborted!")
        return 1
    except KeyboardInterrupt:
        return 130
    except SystemExit as exit_:  # how the framework reports usage errors, --help and success
        return exit_.code if isinstance(exit_.code, int) else 0
    return code if isinstance(code, int) else 0


def _refused(error: OSError, *, as_json: bool) -> int:
    """Print an operating system error that no use case handled."""
    logging.getLogger("mind").debug("refused", exc_info=error)
    if not process.has_folder():
        remedy = "Change to a folder that is there."
        complain(ProjectError("the working folder was deleted", remedy=remedy), as_json=as_json)
        return 1
    if error.filename is None:  # no file: printing itself failed
        process.lose(error)
        return 1
    said = f"{error.filename}: {(error.strerror or str(error)).lower()}"
    complain(FileError(said), as_json=as_json)
    return 1


def _wrong(error: Any) -> InputError:  # noqa: ANN401 - the framework does not export the class
    """Turn the framework's usage error into one of Mind's."""
    command = error.ctx.command_path if error.ctx else "mind"
    message = " ".join(error.format_message().split()).removesuffix(".")
    return InputError(message, remedy=f"Run `{command} --help`.")
