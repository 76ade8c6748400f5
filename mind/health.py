"""The state of a memory, and what is wrong with an installation."""

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from mind import __version__, briefing, context, dates, files, gotchas, reminders, sync
from mind.answers import Status
from mind.clients import claude_code
from mind.config import load
from mind.errors import MindError
from mind.home import home
from mind.index import Filter, Index
from mind.lifecycle import Visit
from mind.meaning import Meaning
from mind.project import Project, find, registered
from mind.reminders import Reminder


class Verdict(StrEnum):
    """How a check ended."""

    FINE = "fine"
    WARNING = "warning"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that was looked at; ``remedy`` is "" when it is fine."""

    name: str
    verdict: Verdict
    detail: str
    remedy: str = ""


def status(
    project: Project, index: Index, meaning: Meaning, visit: Visit, pending: list[Reminder]
) -> Status:
    """Counts, dates and problems of a memory."""
    report = sync.refresh(project, index)
    first, last = index.days()
    due = reminders.due(pending, visit.now, visit.state.name)
    return Status(
        project=project.name,
        root=str(project.root),
        version=__version__,
        entries=sum(index.counts("kind").values()),
        by_kind=index.counts("kind"),
        by_source=index.counts("family"),
        first=first,
        last=last,
        session_started=visit.state.started,
        session_entries=len(index.entries(Filter(families=("session",)))),
        reminders_pending=len(pending),
        reminders_due=len(due),
        stacks=tuple(gotchas.detect_stacks(project.root)),
        targets=tuple(project.relative(path) for path in briefing.targets(project)),
        block_tokens=context.tokens(index.meta("block")),
        index_bytes=sum(
            path.stat().st_size for path in project.cache.glob("index.db*") if path.is_file()
        ),
        vectors=index.count_vectors(meaning.profile),
        lexical_only=meaning.lacking(index),
        problems=(*visit.problems, *report.problems),
    )


def examine(start: Path | None, *, start_server: bool = True) -> list[Check]:
    """Look at everything that has to be right for memory to work, first things first."""
    checks = [_python()]
    try:
        project = find(start)
    except MindError as error:
        return [*checks, _broken("project", error)]
    checks.append(_fine("project", str(project.root)))
    looks = [_settings, _registered, _writable, _memory, _reminders, _block, _registration]
    looks += [_server] if start_server else []
    return [*checks, *(_safely(look, project) for look in looks)]


def _fine(name: str, detail: str) -> Check:
    return Check(name=name, verdict=Verdict.FINE, detail=detail)


def _warning(name: str, detail: str, remedy: str) -> Check:
    return Check(name=name, verdict=Verdict.WARNING, detail=detail, remedy=remedy)


def _broken(name: str, error: MindError) -> Check:
    return Check(name=name, verdict=Verdict.BROKEN, detail=error.message, remedy=error.remedy)


def _safely(check: Callable[[Project], Check], project: Project) -> Check:
    try:
        return check(project)
    except MindError as error:
        return _broken(check.__name__.removeprefix("_"), error)


def _python() -> Check:
    version = ".".join(str(part) for part in sys.version_info[:3])
    return _fine("mind", f"{__version__} on Python {version}")


def _settings(project: Project) -> Check:
    load(project.config, home() / "config.toml")
    return _fine("settings", f"{len(project.settings.describe())} of them")


def _registered(project: Project) -> Check:
    if project.root in registered():
        return _fine("list of projects", "this project is on it")
    return _warning(
        "list of projects",
        "this project is not on it",
        "Run `mind init`: searches of all projects skip it.",
    )


def _writable(project: Project) -> Check:
    with files.lock(project.lock):
        files.write(project.cache / "probe", b"")
        (project.cache / "probe").unlink()
    return _fine("writing", "the lock and the cache can be written")


def _memory(project: Project) -> Check:
    if not project.memory.exists():
        return _warning("memory", ".mind/MEMORY.md is missing", "Run `mind init` to create it.")
    index = Index(None)
    try:
        report = sync.refresh(project, index, sources=False)
        entries = sum(index.counts("kind").values())
    finally:
        index.close()
    if report.problems:
        problem, _, remedy = report.problems[0].partition(". ")
        return _warning("memory", problem, remedy)
    return _fine("memory", f"{entries} entries understood")


def _reminders(project: Project) -> Check:
    zone = dates.zone(project.settings.time_zone)
    listed = reminders.parse(files.read(project.reminders), zone)
    unclear = [
        one
        for one in listed
        if one.done is None and not (one.due or one.trigger or one.next_session)
    ]
    if unclear:
        return _warning(
            "reminders",
            f"line {unclear[0].line} of REMINDERS.md has no time that is understood",
            "Write `due: 2026-12-20`, `due: next session` or `trigger: word`.",
        )
    return _fine("reminders", f"{sum(one.done is None for one in listed)} pending")


def _block(project: Project) -> Check:
    without = []
    for path in briefing.targets(project):
        source = files.read(path)
        files.decode(source, path)
        if context.block_span(source) is None:
            without.append(project.relative(path))
    if without:
        return _warning(
            "context block", f"{', '.join(without)} has none", "Run `mind init` to add it."
        )
    return _fine("context block", ", ".join(map(project.relative, briefing.targets(project))))


def _registration(project: Project) -> Check:
    path = project.root / claude_code.FILE
    command = claude_code.registered(files.decode(files.read(path), path))
    if command is None:
        return _warning(
            "MCP registration", f"{claude_code.FILE} does not name Mind", "Run `mind init`."
        )
    return _fine("MCP registration", " ".join(command))


_HANDSHAKE = (
    b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",'
    b'"capabilities":{},"clientInfo":{"name":"mind doctor","version":"0"}}}\n'
)


def _server(project: Project) -> Check:
    """Start the server as the client would, and wait for its answer to the handshake."""
    path = project.root / claude_code.FILE
    command = claude_code.registered(files.decode(files.read(path), path)) or claude_code.command()
    began = datetime.now().astimezone()
    try:
        done = subprocess.run(  # noqa: S603 - the command that the user registered
            command,
            input=_HANDSHAKE,
            capture_output=True,
            cwd=project.root,
            timeout=30,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Check(
            name="MCP server",
            verdict=Verdict.BROKEN,
            detail=f"`{' '.join(command)}` does not start: {error}",
            remedy="Install Mind where the agent finds it (pipx install mind-lens), or correct "
            f"the command in {claude_code.FILE}.",
        )
    if b'"serverInfo"' not in done.stdout:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        return Check(
            name="MCP server",
            verdict=Verdict.BROKEN,
            detail=f"`{' '.join(command)}` gave no answer: {said[-1] if said else 'silence'}",
            remedy="Run the command by hand to see what it says.",
        )
    seconds = (datetime.now().astimezone() - began).total_seconds()
    return _fine("MCP server", f"answers after {seconds:.1f} s")
