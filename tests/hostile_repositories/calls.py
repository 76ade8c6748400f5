"""Every way to use Mind: commands, tools and hook events, with fitting arguments."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tests.hostile_repositories.site import Site
from tests.hostile_repositories.template import (
    ARCHIVED,
    DECISION,
    GOTCHA,
    LEARNING,
    PROBLEM,
    REMINDER,
)


@dataclass(frozen=True, kw_only=True)
class Call:
    """One use of Mind.

    Attributes:
        name: As in the table.
        program: "mind" or "mind-hook"; "http" for the service, which is asked what is in ``stdin``.
        arguments: Of the program.
        stdin: What it reads.
        inside: The folder of the repository in which it is run; "" for its root.
        environment: Variables besides those of the site.
        answers: How many answers of a server it must give; 0 for no server.
    """

    name: str
    program: str = "mind"
    arguments: tuple[str, ...] = ()
    stdin: str = ""
    inside: str = ""
    environment: Mapping[str, str] | None = None
    answers: int = 0


def mind(*arguments: str, stdin: str = "", inside: str = "") -> Call:
    """A command."""
    return Call(name="mind " + " ".join(arguments), arguments=arguments, stdin=stdin, inside=inside)


_CLIENTS = "cursor roo continue zed vscode codex gemini-cli opencode junie amp kiro".split()
LOGGED = "decided to paint the bicycle shed green"
COMMANDS = (
    mind("recall", "--session-id", "s1"),
    mind("recall", "--force", "--json"),
    mind("log", "-t", "decision", LOGGED),
    mind("log", "-t", "experience", "tried the green paint on the shed twice"),
    mind("log", "-t", "rejected", "blue paint for the shed - it fades"),
    mind("log", "-t", "learning", "the user prefers green sheds over blue ones"),
    mind("blocker", "the paint shop is closed"),
    mind("session"),
    mind("search", "sqlite secret notes letter"),
    mind("search", "sqlite", "--at", "HEAD"),
    mind("search", "--all", "--explain", "sqlite"),
    mind("show", DECISION, GOTCHA),
    mind("timeline", DECISION),
    mind("around", "2026-11-01"),
    mind("recent", "-n", "50"),
    mind("blame", DECISION),
    mind("log-history", DECISION),
    mind("diff"),
    mind("diff", "HEAD", "--json"),
    mind("history", "src/app.py"),
    mind("history", ".mind/MEMORY.md"),
    mind("edges", "use Redis for the sessions"),
    mind("edges", "call it", "--code", "src/app.py"),
    mind("add-global-edge", "T", "-d", "d", "-w", "w"),
    mind("verify", DECISION),
    mind("verify"),
    mind("update", LEARNING, "pnpm needs a store folder on the same disk"),
    mind("forget", PROBLEM, "--reason", "fixed", "--acknowledge"),
    mind("restore", ARCHIVED),
    mind("confirm"),
    mind("confirm", "c1c1c1c1"),
    mind("use", DECISION),
    mind("tidy", "--dry-run"),
    mind("tidy"),
    mind("reminders", "--all"),
    mind("remind", "buy paint", "--when", "next session"),
    mind("done", REMINDER),
    mind("status"),
    mind("sync"),
    mind("index"),
    mind("index", "--rebuild"),
    mind("bench", "--queries", "3"),
    mind("parse"),
    mind("when", "next friday"),
    mind("config"),
    mind("config", "session.gap_minutes", "45"),
    mind("config", "session.gap_minutes", "--unset"),
    mind("projects"),
    mind("projects", "--prune"),
    mind("clients", "--all"),
    mind("doctor", "--quick"),
    mind("doctor"),
    mind("doctor", "--fix"),
    mind("health"),
    mind("health", "--html", "health.html"),
    mind("scan"),
    mind("scan", "--history"),
    mind("export"),
    mind("export", "--format", "html"),
    mind("export", "--output", "new.jsonl"),
    mind("import", "--list"),
    mind("import", "adr"),
    mind("import", "memory-bank"),
    mind("import", "markdown", "notes/tea.md"),
    mind("import", "obsidian", "notes"),
    mind("import", "export.jsonl"),
    mind("graph", "relate", "shed", "uses", "paint"),
    mind("graph", "traverse", "redis"),
    mind("archive", "list"),
    mind("archive", "show", ARCHIVED),
    mind("archive", "prune", "--older-than", "1", "--yes"),
    mind("tags", "list"),
    mind("tags", "rename", "db", "database"),
    mind("tags", "mute", "db"),
    mind("models", "list"),
    mind("mirror", "status"),
    mind("token", "list"),
    mind("skills", "install"),
    mind("skills", "list"),
    mind("skills", "remove"),
    mind("init", "--dry-run"),
    mind("init"),
    mind("init", "--private"),
    mind("init", "--hooks", "--git-hooks"),
    mind("init", *(part for name in _CLIENTS for part in ("--client", name))),
    mind("init", *(f"--target={name}" for name in ("AGENTS.md", "GEMINI.md"))),
    mind("uninstall", "--dry-run"),
    mind("uninstall", "--client", "cursor", "--yes"),
    mind("uninstall", "--yes"),
    mind("init"),
    mind("uninstall", "--purge", "--yes"),
)


def hook(site: Site, name: str, told: str, **fields: object) -> Call:
    """An event, as Claude Code sends it."""
    given = {"hook_event_name": name, "session_id": "s2", "cwd": str(site.repo), **fields}
    return Call(name=f"hook {told}", program="mind-hook", stdin=json.dumps(given))


def hooks(site: Site) -> Iterator[Call]:
    """Every event, in the order of a session; a second session ends the first."""
    file = str(site.repo / "src/app.py")
    edit = {
        "tool_name": "Edit",
        "tool_input": {
            "file_path": file,
            "old_string": "",
            "new_string": "# MEMORY: learned: x is y\nredis()\n",
        },
    }
    command = {"tool_name": "Bash", "tool_input": {"command": "pip install redis"}}
    failed = {**command, "error": "no such package", "is_interrupt": False}
    path = str(site.own / "none.jsonl")
    yield hook(site, "SessionStart", "SessionStart startup", source="startup")
    yield hook(site, "UserPromptSubmit", "UserPromptSubmit", prompt="add redis for the sessions")
    yield hook(site, "PreToolUse", "PreToolUse Edit", **edit)
    yield hook(site, "PreToolUse", "PreToolUse Bash", **command)
    yield hook(site, "PostToolUse", "PostToolUse Edit", **edit, tool_response={})
    yield hook(site, "PostToolUse", "PostToolUse Bash", **command, tool_response={})
    yield hook(site, "PostToolUseFailure", "PostToolUseFailure Bash", **failed)
    yield hook(site, "PreCompact", "PreCompact", trigger="auto", transcript_path=path)
    yield hook(site, "SessionStart", "SessionStart compact", source="compact")
    yield hook(site, "Stop", "Stop", transcript_path=path)
    yield hook(site, "SessionEnd", "SessionEnd", reason="other", transcript_path=path)
    yield hook(site, "SessionStart", "SessionStart next", source="startup", session_id="s3")


TOOLS: Sequence[tuple[str, Mapping[str, object]]] = (
    ("mind_recall", {}),
    ("mind_recall", {"force_refresh": True}),
    ("mind_log", {"message": LOGGED, "type": "decision"}),
    ("mind_log", {"message": "tried the red paint too", "type": "experience"}),
    ("mind_session", {}),
    ("mind_search", {"query": "sqlite secret notes letter"}),
    ("mind_search", {"query": "sqlite", "scope": "all"}),
    ("mind_status", {}),
    ("mind_reminders", {"all": True}),
    ("mind_blocker", {"description": "the paint shop is closed"}),
    ("mind_remind", {"message": "buy paint", "when": "next session"}),
    ("mind_reminder_done", {"id": REMINDER}),
    ("mind_edges", {"intent": "use Redis for the sessions", "code": "redis()"}),
    ("mind_checkpoint", {}),
    ("mind_timeline", {"anchor": DECISION}),
    ("mind_get", {"ids": [DECISION, GOTCHA, LEARNING]}),
    ("mind_recall_around", {"anchor": DECISION}),
    ("mind_list_recent", {"limit": 50}),
    ("mind_now", {}),
    ("mind_parse_date", {"text": "next friday"}),
    ("mind_relative", {"date": "2026-11-01"}),
    ("mind_calendar_context", {}),
    ("mind_relate", {"subject": "shed", "predicate": "uses", "object": "paint"}),
    ("mind_traverse", {"start": "redis"}),
    ("mind_verify", {"id": DECISION}),
    ("mind_update", {"id": LEARNING, "text": "pnpm needs a store folder on the same disk"}),
    ("mind_forget", {"id": PROBLEM, "reason": "fixed", "acknowledge": True}),
    ("mind_restore", {"id": ARCHIVED}),
    ("mind_archive", {}),
    ("mind_consolidate", {"ids": [DECISION, LEARNING], "summary": "SQLite and pnpm are set"}),
    ("mind_confirm", {"id": "c1c1c1c1"}),
    ("mind_record_use", {"ids": [GOTCHA], "outcome": "applied"}),
    ("mind_health", {}),
    ("mind_scopes", {}),
    ("mind_scopes", {"action": "mute", "scope": "db"}),
    ("mind_read", {"path": "src/app.py"}),
    ("mind_read", {"path": ".mind/MEMORY.md"}),
    ("mind_read", {"path": "CLAUDE.md"}),
    ("mind_file_history", {"path": "src/app.py"}),
    ("mind_add_global_edge", {"title": "T", "description": "d", "workaround": "w"}),
)
_GREETING: Sequence[Mapping[str, object]] = (
    {
        "id": 0,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "hostile", "version": "0"},
        },
    },
    {"method": "notifications/initialized"},
)


def served(tools: Sequence[tuple[str, Mapping[str, object]]], name: str) -> Call:
    """One server, asked for these tools one after the other."""
    asked: list[Mapping[str, object]] = [
        {"id": number, "method": "tools/call", "params": {"name": tool, "arguments": given}}
        for number, (tool, given) in enumerate(tools, 1)
    ]
    lines = [json.dumps({"jsonrpc": "2.0", **one}) for one in (*_GREETING, *asked)]
    return Call(
        name=name,
        arguments=("mcp", "--toolsets", "all"),
        stdin="\n".join(lines) + "\n",
        answers=len(tools) + 1,
    )


def servers() -> Iterator[Call]:
    """Servers of which each is asked for something else first."""
    yield served(TOOLS, "tools")
    yield served(TOOLS[2:4], "tools mind_log")
    yield served(TOOLS[5:7], "tools mind_search")
    yield served(TOOLS[11:14], "tools mind_reminder_done, mind_edges, mind_checkpoint")
    yield served([one for one in TOOLS if one[0] == "mind_read"], "tools mind_read")
    yield served(TOOLS[22:32], "tools that curate")


REQUESTS: Sequence[tuple[str, str, object]] = (
    ("GET", "/api/v1/status", None),
    ("GET", "/api/v1/search?q=sqlite+secret+notes", None),
    ("GET", "/api/v1/recent", None),
    ("GET", f"/api/v1/entries/{DECISION}", None),
    ("GET", f"/api/v1/entries/{DECISION}/history", None),
    ("GET", "/api/v1/archive", None),
    ("GET", "/api/v1/health", None),
    ("GET", "/api/v1/reminders", None),
    ("GET", "/api/v1/pending", None),
    ("POST", "/api/v1/entries", {"message": LOGGED, "type": "decision"}),
    ("POST", "/api/v1/entries", {"message": "tried yellow", "type": "experience"}),
    ("POST", "/api/v1/reminders", {"message": "buy paint", "when": "next session"}),
    ("POST", f"/api/v1/entries/{PROBLEM}/forget", {"reason": "fixed", "acknowledge": True}),
    ("POST", "/api/v1/checkpoint", {}),
    ("POST", "/api/v1/index/rebuild", {}),
)
HTTP = Call(name="http service", program="http", stdin=json.dumps(REQUESTS))


def every(site: Site) -> list[Call]:
    """All of them, each for itself."""
    found = [*COMMANDS, *hooks(site), *servers()]
    seen: dict[str, int] = {}
    named = []
    for one in found:
        seen[one.name] = seen.get(one.name, 0) + 1
        times = seen[one.name]
        named.append(replace(one, name=f"{one.name} ({times})") if times > 1 else one)
    return named


def an_hour(site: Site) -> list[Call]:
    """The uses by which most harm was done, one after the other."""
    start, _, edit, *_, stop, _, after = hooks(site)
    return [
        start,
        mind("init"),
        mind("log", "-t", "decision", LOGGED),
        mind("log", "-t", "experience", "tried the green paint on the shed twice"),
        mind("search", "sqlite secret notes letter"),
        served(TOOLS[:6], "tools"),
        edit,
        stop,
        mind("history", "src/app.py"),
        mind("import", "adr"),
        after,
        mind("doctor", "--quick"),
        mind("uninstall", "--yes"),
    ]


def a_day(site: Site) -> list[Call]:
    """What a user and an agent do in a day, one after the other; the clone is uninstalled last."""
    start, prompt, edit, bash, *rest = hooks(site)
    return [
        start, prompt,
        mind("init"),
        mind("recall"),
        mind("log", "-t", "decision", LOGGED),
        mind("log", "-t", "experience", "tried the green paint on the shed twice"),
        mind("search", "sqlite secret notes letter"),
        served(TOOLS, "all tools"),
        edit, bash, *rest,
        mind("history", "src/app.py"),
        mind("blame", DECISION),
        mind("diff"),
        mind("export"),
        mind("import", "adr"),
        mind("import", "memory-bank"),
        mind("doctor"),
        mind("doctor", "--fix"),
        mind("index", "--rebuild"),
        mind("uninstall", "--yes"),
    ]  # fmt: skip
