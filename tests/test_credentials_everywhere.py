"""A credential in anything that memory reads is in no answer, and in no file that Mind writes.

The user's own line in the user's own file stays as it is.
"""

import gzip
import json
import sqlite3
import zlib
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client

from mind.hooks import events
from mind.memory import mirror
from mind.memory.memory import Memory
from mind.server.mcp import app as mcp
from mind.storage.project import Project, register
from tests import hooking
from tests.conftest import Clock, Run
from tests.http_service import serving
from tests.postgres import Database
from tests.secret_cases import Planted, drawn, named, planted, summed

Git = Callable[..., str]
KINDS = ("decided", "learned", "gotcha", "rejected", "problem", "progress", "todo", "note")


@dataclass
class Story:
    """A project with credentials wherever a person can put them.

    Attributes:
        pieces: Parts of them, by where they stand.
        own: The user's files, with what stands there and may stay.
    """

    project: Project
    pieces: dict[str, list[str]] = field(default_factory=dict)
    own: dict[Path, str] = field(default_factory=dict)

    def plant(self, place: str) -> list[str]:
        """The texts for a place."""
        return [self.put(place, one) for one in planted(place)]

    def name(self, place: str) -> str:
        """A name for a place."""
        return self.put(place, named(place))

    def put(self, place: str, one: Planted) -> str:
        self.pieces.setdefault(place, []).extend(one.pieces)
        return one.text

    def divided(self, place: str, between: str) -> str:
        """A token with something between its halves."""
        value = summed("gh" + "p_", f"{place}:{between}")
        halves = value[:22], value[22:]
        return self.put(place, Planted(between.join(halves), (halves[0][6:], halves[1])))

    def write(self, path: Path, text: str, place: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        self.own[path] = place

    def told(self, text: str | bytes) -> list[str]:
        """The credentials in a text, by where they stand."""
        small = (text if isinstance(text, bytes) else text.encode("utf-8", "replace")).lower()
        return [
            f"{place}: {piece}"
            for place, pieces in self.pieces.items()
            for piece in pieces
            if piece.lower().encode() in small
        ]

    def written(self, *folders: Path) -> list[str]:
        """The credentials in the files of some folders, but for the user's own."""
        found = []
        for path in (path for folder in folders for path in folder.rglob("*")):
            if ".git" in path.relative_to(self.project.root.parent.parent).parts:
                continue
            if path in self.own or not path.is_file():
                continue
            found += [f"{path.name}: {one}" for one in self.told(_unpacked(path.read_bytes()))]
            found += [f"name of {path}" for _ in self.told(path.name)]
        return found

    def doubled(self) -> list[str]:
        """Those in the user's own files that were not put there by the user, or twice now."""
        found = []
        for path, place in self.own.items():
            text = path.read_text(encoding="utf-8")
            found += [
                f"{path.name}: {other}: {piece}"
                for other, pieces in self.pieces.items()
                for piece in pieces
                if text.count(piece) > (other == place)
            ]
        return found


def _unpacked(data: bytes) -> bytes:
    for unpack in (gzip.decompress, zlib.decompress):
        with suppress(OSError, EOFError, zlib.error):
            return unpack(data)
    return data


def _lines(texts: list[str]) -> str:
    return "\n".join(f"- {KINDS[at % len(KINDS)]}: {text}" for at, text in enumerate(texts))


@pytest.fixture
def story(project: Project, home: Path, git: Git, monkeypatch: pytest.MonkeyPatch) -> Story:
    """All of it, and a session that is over."""
    made = Story(project)
    root = project.root
    _own_files(made)
    _sources(made)
    (home / ".mind").mkdir(exist_ok=True)
    title, text = made.plant("edges")[:2]
    rows = [{"title": title, "description": text, "patterns": [made.name("edges")]}]
    made.write(home / ".mind" / "global_edges.json", json.dumps({"edges": rows}), "edges")
    git("checkout", "--quiet", "-b", f"feature-{made.name('branch')}")
    git("add", "--all")
    body = "\n".join(f"{KINDS[at % 5]}: {one}" for at, one in enumerate(made.plant("commit")))
    wrapped = made.divided("commit", "\n  ")
    git("commit", "--quiet", "-m", f"Begin\n\n{body}\nlearned: the token {wrapped}")
    monkeypatch.setenv("GIT_AUTHOR_NAME", f"Jo {made.name('author')}")
    (root / "README.md").write_text("more\n", encoding="utf-8")
    project.memory.write_text(
        project.memory.read_text(encoding="utf-8") + "\n- note: more\n", "utf-8"
    )
    git("add", "--all")
    git("commit", "--quiet", "-m", f"decided: the subject has {made.name('subject')}")
    register(root)
    return made


def _own_files(made: Story) -> None:
    project = made.project
    wrapped, split = made.divided("memory", "\n  "), made.divided("memory", "\n\n")
    made.write(
        project.memory,
        f"# Memory\n\n## 2026-11-01 {made.name('memory')}\n\n{_lines(made.plant('memory'))}\n\n"
        f"- decided: the token is {wrapped}\n- gotcha: tags are #{made.name('tag')} here\n"
        f"- note: with an id ^{'gl' + 'pat-' + drawn('id', 20)}\n\n"
        f"### Problem: the deploy fails with {split}\n\n**Fix:** wait a minute\n",
        "memory",
    )
    made.pieces["memory"] += [drawn("id", 20), *made.pieces.pop("tag")]
    made.write(
        project.session,
        f"# Session\n\n## Experience\n\n{_lines(made.plant('session'))}\n",
        "session",
    )
    reminders = "\n".join(
        f"- [ ] {one.replace('|', ' ')} | due: {('next session', '2026-01-02')[at % 2]}"
        for at, one in enumerate(made.plant("reminders"))
    )
    trigger = f"- [ ] look | trigger: {made.name('reminders')}, deploy"
    made.write(project.reminders, f"# Reminders\n\n{reminders}\n{trigger}\n", "reminders")
    blocks = "\n".join(
        f"## 2026-11-02 aaaa{at:04}\n\n- reason: over\n- was: note\n"
        f"- from: .mind/MEMORY.md:9, under Notes\n\n```markdown\n- note: {one}\n```\n"
        for at, one in enumerate(made.plant("archive"))
    )
    reason = made.name("archive")
    last = f"\n## 2026-11-03 bbbb0000\n\n- reason: {reason}\n\n```markdown\nx\n```\n"
    made.write(project.archive, f"# Archive\n\n{blocks}{last}", "archive")


def _sources(made: Story) -> None:
    comments = "\n\n".join(
        f"x = {at}\n# MEMORY: {KINDS[at % 5]}: {one}"
        for at, one in enumerate(made.plant("comment"))
    )
    wrapped = made.divided("comment", "\n#   ")
    root = made.project.root
    made.write(root / "app.py", f"{comments}\n\n# MEMORY: the token {wrapped}\n", "comment")
    path = root / f"notes_{made.name('file')}.py"
    made.write(path, "# MEMORY: decided: files are named by what is in them\n", "file")


QUERY = "vault opens token password deploy shop today joined bucket files named"


def recalled(story: Story, clock: Clock) -> Memory:
    """The memory, after the first session promoted what it left behind."""
    memory = Memory(story.project, clock=clock)
    answer = memory.recall()
    assert answer.promoted
    return memory


def test_what_memory_says_and_keeps_has_masks(story: Story, home: Path, clock: Clock) -> None:
    with closing(recalled(story, clock)) as memory:
        entries = memory.index_entries()
        found = memory.search(QUERY, limit=100)
    families = {one.source for one in entries}
    assert {".mind/MEMORY.md", "app.py", "git"} < families
    assert "notes_[GitHub personal access token removed].py" in families
    assert sum(one.masked for one in entries) > 100
    assert story.told(repr((entries, found))) == []
    assert story.written(story.project.root, home) == []
    assert story.doubled() == []
    assert "[database password removed]" in story.project.memory.read_text(encoding="utf-8")
    assert "removed]" in (story.project.root / "CLAUDE.md").read_text(encoding="utf-8")


COMMANDS = """
recall|recall --json|session|status|status --json|sync|recent --limit 100|reminders --all
reminders --json|archive list --limit 100|archive list --json|scopes list|scopes list --json
graph traverse vault|health|health --json|doctor|doctor --json|scan|scan --json|scan --history
export|export --format html|history app.py|history .mind/MEMORY.md|diff HEAD~1..HEAD
diff HEAD~1|diff --json|parse .mind/MEMORY.md|tidy --dry-run|around 2026-11-01
edges deploy the vault|projects|config|clients
"""


def printed(mind: Run, *arguments: str) -> str:
    _, out, err = mind(*arguments)
    assert "Try 'mind" not in err, err
    return f"{arguments}\n{out}\n{err}"


def test_what_commands_print_has_masks(
    story: Story, home: Path, clock: Clock, mind: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(story.project.root)
    with closing(recalled(story, clock)) as memory:
        entries = memory.index_entries()
    kept = [one.id for one in entries if one.source == ".mind/MEMORY.md" and one.masked]
    others = [one.id for one in entries if one.source != ".mind/MEMORY.md" and one.masked]
    calls = [line.split() for row in COMMANDS.split("\n") for line in row.split("|") if line]
    calls += [
        ["search", *options, QUERY] for options in ([], ["-n", "100"], ["--json", "-n", "100"])
    ]
    calls += [["show", *kept[:50]], ["show", "--json", *others[:50]], ["timeline", kept[0]]]
    signed = next(one.id for one in entries if "deploy fails" in one.text)
    calls += [["blame", signed], ["log-history", signed, "--json"], ["blame", others[0]]]
    calls += [["forget", "-y", kept[0], "-r", "over"], ["restore", kept[0]], ["verify", kept[1]]]
    calls += [["update", kept[2], "the staging box is opened with the key of the vault"]]
    said = [printed(mind, *one) for one in calls]
    assert [(row.split("\n")[0], found) for row in said if (found := story.told(row))] == []
    assert story.written(story.project.root, home) == []
    assert story.doubled() == []


def called(story: Story, clock: Clock, calls: list[tuple[str, Mapping[str, Any]]]) -> list[str]:
    """What tools answer through the SDK's client."""

    async def run() -> list[str]:
        built = mcp.build(lambda: Memory(story.project, clock=clock), "all")
        async with Client(built) as client:
            return [repr(await client.call_tool(name, dict(given))) for name, given in calls]

    return anyio.run(run)


def test_what_tools_answer_has_masks(story: Story, home: Path, clock: Clock) -> None:
    with closing(recalled(story, clock)) as memory:
        entries = memory.index_entries()
        reminder = memory.reminders()[0]
    first, second, third = [one.id for one in entries if one.source == ".mind/MEMORY.md"][:3]
    calls: list[tuple[str, Mapping[str, Any]]] = [
        *((name, {}) for name in ("mind_recall", "mind_session", "mind_status", "mind_checkpoint",
                                  "mind_list_recent", "mind_archive", "mind_health")),
        ("mind_recall", {"force_refresh": True}),
        ("mind_reminders", {"all": True}),
        ("mind_search", {"query": QUERY, "limit": 50, "expand_top": 10}),
        ("mind_search", {"query": QUERY, "limit": 50, "scope": "all"}),
        ("mind_edges", {"intent": "deploy the vault as files are named", "code": "deploy(vault)"}),
        ("mind_blocker", {"description": "the vault does not open", "keywords": ["vault"]}),
        ("mind_log", {"message": "the vault has two doors", "type": "decision"}),
        ("mind_timeline", {"anchor": first, "depth_before": 50, "depth_after": 50}),
        ("mind_get", {"ids": [one.id for one in entries[:50]]}),
        ("mind_get", {"ids": [one.id for one in entries[-50:]]}),
        ("mind_recall_around", {"anchor": first, "limit": 50}),
        ("mind_traverse", {"start": "vault"}),
        ("mind_scopes", {"action": "overview"}),
        ("mind_read", {"path": ".mind/MEMORY.md"}),
        ("mind_read", {"path": "app.py"}),
        ("mind_file_history", {"path": "app.py", "limit": 100}),
        ("mind_verify", {"id": first}),
        ("mind_update", {"id": second, "text": "the second vault is closed for good"}),
        ("mind_forget", {"id": third, "reason": "over", "acknowledge": True}),
        ("mind_restore", {"id": third}),
        ("mind_record_use", {"ids": [first], "outcome": "applied"}),
        ("mind_reminder_done", {"id": reminder.id}),
    ]  # fmt: skip
    said = called(story, clock, calls)
    assert [
        (call[0], found)
        for call, row in zip(calls, said, strict=True)
        if (found := story.told(row))
    ] == []
    assert not [row for row in said if "is_error=True" in row]
    assert story.written(story.project.root, home) == []
    assert story.doubled() == []


def test_what_the_service_and_its_page_show_has_masks(
    story: Story, home: Path, clock: Clock
) -> None:
    with closing(recalled(story, clock)) as memory:
        entries = memory.index_entries()
    kept = [one.id for one in entries if one.source == ".mind/MEMORY.md"]
    paths = [
        *("search?q=vault+opens&limit=100", "recent?limit=100", "things", "graph?start=vault",
          "archive", "archive?q=vault", "tags", "status", "health", "reminders", "pending",
          "reminders?all=true", "projects", "around?anchor=2026-11-01"),
        *(f"timeline?anchor={one}" for one in kept[:2]),
        *(f"entries/{one.id}" for one in entries[::6]),
        f"entries/{kept[0]}/history",
    ]  # fmt: skip
    with serving(home / ".mind", at=story.project.root) as service:
        answers = {path: service.ask("GET", f"/api/v1/{path}") for path in paths}
        answers["preview"] = service.ask(
            "POST", "/api/v1/preview", {"message": "the vault opens today"}
        )
        answers["batch"] = service.ask("POST", "/api/v1/entries/batch", {"ids": kept[:50]})
        answers["forget"] = service.ask(
            "POST",
            f"/api/v1/entries/{kept[1]}/forget",
            {"reason": "over", "acknowledge": True},
        )
        for path in ("/", "/readyz", "/capabilities"):
            answers[path] = service.ask("GET", path)
    assert {path: one.status for path, one in answers.items() if one.status >= 300} == {}
    assert {path: told for path, one in answers.items() if (told := story.told(one.body))} == {}
    assert b"removed]" in answers["search?q=vault+opens&limit=100"].body
    assert story.written(story.project.root, home) == []


def test_what_hooks_say_and_keep_has_masks(story: Story, home: Path) -> None:
    project = story.project
    (project.config).write_text('{"hooks.enabled": true}', encoding="utf-8")
    edited = {"file_path": str(project.root / "app.py"), "old_string": "", "new_string": "vault"}
    steps: list[tuple[str, Mapping[str, Any]]] = [
        ("SessionStart", {"source": "startup"}),
        ("UserPromptSubmit", {"prompt": "how do we deploy what the vault opens today?"}),
        ("PreToolUse", {"tool_name": "Edit", "tool_input": edited}),
        ("PostToolUse", {"tool_name": "Edit", "tool_input": edited}),
        ("PreCompact", {"trigger": "manual"}),
        ("SessionStart", {"source": "compact"}),
        ("Stop", {"stop_hook_active": False}),
        ("SessionEnd", {"reason": "clear"}),
    ]
    project.session.write_text(
        "# Session\n\n" + _lines(story.plant("noted")) + "\n" + story.divided("noted", "\n  "),
        encoding="utf-8",
    )
    story.own[project.session] = "noted"
    said = [
        events.answer(hooking.event(project, name, session, **given))
        for session in ("a", "b")
        for name, given in steps
    ]
    assert [found for row in said if (found := story.told(row))] == []
    assert "removed]" in "".join(said)
    assert (project.cache / "hooks" / "known.json").exists()
    assert story.written(project.root, home) == []
    assert story.doubled() == []
    assert hooking.complaints(project) == ""


@pytest.mark.xdist_group("postgres")
def test_what_the_mirror_holds_has_masks(
    story: Story, clock: Clock, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MIND_MIRROR_DSN", database.dsn())
    mirror.choose(story.project)
    with closing(Memory(story.project.anew(), clock=clock)) as memory:
        memory.recall()
        mirror.drain(memory.project, memory.index, memory.meaning)
        found = memory.search(QUERY, limit=100, mirror=True)
    tables = database.run("SELECT tablename FROM pg_tables WHERE schemaname = 'mind'")
    rows = [database.run(f"SELECT t::text FROM mind.{name} t") for (name,) in tables]
    assert "removed]" in str(rows)
    assert story.told(str(rows)) == []
    assert story.told(repr(found)) == []


def test_an_index_of_an_earlier_version_is_made_anew(project: Project, clock: Clock) -> None:
    token = summed("gh" + "p_", "earlier")
    text = f"- decided: the deploy uses {token}\n"
    project.memory.write_text(f"# Memory\n\n## 2026-11-01\n\n{text}", encoding="utf-8")
    memory = Memory(project, clock=clock)
    memory.recall()
    memory.close()
    with closing(sqlite3.connect(project.cache / "index.db")) as index:
        index.execute("UPDATE entry SET text = ?", (text,))
        index.execute("PRAGMA user_version = 11")
        index.commit()
    memory.recall()
    memory.close()
    held = b"".join(path.read_bytes() for path in project.cache.glob("index.db*"))
    assert token.encode() not in held
    assert [one.masked for one in memory.index_entries()] == [1]


def test_doctor_and_scan_name_each_place_and_no_value(
    project: Project, git: Git, mind: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project.root)
    tokens = [summed("gh" + "p_", f"place{at}") for at in range(4)]
    project.memory.write_text(f"# Memory\n\n- note: it is {tokens[0]}\n", encoding="utf-8")
    (project.root / "app.py").write_text(f"x = 1\n# MEMORY: it is {tokens[1]}\n", encoding="utf-8")
    (project.root / f"{tokens[3]}.py").write_text("# MEMORY: a name\n", encoding="utf-8")
    git("add", "--all")
    git("commit", "--quiet", "-m", f"decided: it is {tokens[2]}")
    head, kind = git("rev-parse", "HEAD")[:10], "GitHub personal access token"
    _, out, err = mind("scan")
    assert out.splitlines() == [
        f".mind/MEMORY.md:3  {kind}",
        f"app.py:2  {kind}",
        f"the name of [{kind} removed].py  {kind}",
        f"commit {head}  {kind}",
    ]
    _, out, err = mind("doctor", "--json")
    check = next(one for one in json.loads(out) if one["name"] == "credentials")
    assert check["verdict"] == "warning"
    assert "4 secrets" in check["detail"]
    assert all(f"{one} ({kind})" in check["detail"] for one in ("app.py:2", f"commit {head}"))
    assert "Revoke" in check["remedy"]
    assert not [one for one in tokens if one[8:] in out + err]
    _, _, err = mind("status")
    assert "3 credentials are masked in what memory reads. Run `mind doctor`" in err


def test_an_editors_escapes_hide_no_token_of_a_fixed_length(
    project: Project, mind: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project.root)
    body, kind = drawn("escaped", 34), "Hugging Face token"
    lines = f"- decided: CI uses {'h' + 'f'}\\_{body}\n- decided: SQLite over Postgres\n"
    project.memory.write_text(f"# Memory\n\n## 2026-11-01\n\n{lines}", encoding="utf-8")
    _, out, _ = mind("scan")
    assert out.splitlines() == [f".mind/MEMORY.md:5  {kind}"]
    _, out, _ = mind("export", "--format", "html")
    assert f"CI uses [{kind} removed]" in out
    assert "SQLite over Postgres" in out
    code, _, err = mind("log", f"CI uses {'h' + 'f'}\\_{drawn('other', 34)}\nand no other")
    assert code
    assert f"credential ({kind}); nothing was written" in err


def test_no_name_of_a_document_brings_a_credential_into_a_search(
    project: Project, mind: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project.root)
    tokens = [summed("gh" + "p_", f"document{at}") for at in range(2)]
    for at, token in enumerate(tokens):
        path = project.root / f"R-{token}.md"
        path.write_text(f"Shop {at} is closed by {token} on Sundays.\n", encoding="utf-8")
    _, out, err = mind("search", "shop closed Sundays", "--json")
    name = "R-[GitHub personal access token removed]"
    found = {hit["file"] for hit in json.loads(out)}
    assert len(found) == 2
    assert all(one.startswith(name) for one in found)
    _, begun, _ = mind("init", "--dry-run")
    held = b"".join(path.read_bytes() for path in project.cache.glob("documents.db*"))
    told = out + err + begun + held.decode("latin-1")
    assert [one for one in tokens if one[8:] in told] == []
    (project.root / f"R-{tokens[0]}.md").unlink()
    _, out, _ = mind("search", "shop closed Sundays", "--json")
    assert len(json.loads(out)) == 1


@pytest.mark.parametrize(
    "settings",
    [
        '{"hooks.capture": "TOKEN"}',
        '{"hooks": {"TOKEN": 1}}',
        '{"capture.documents": ["TOKEN"]}',
        '{"search.weights": {"TOKEN": 1}}',
        '{"context.targets": ["../TOKEN.md"]}',
    ],
)
def test_what_is_wrong_with_settings_is_told_without_a_credential(
    project: Project, mind: Run, monkeypatch: pytest.MonkeyPatch, settings: str
) -> None:
    monkeypatch.chdir(project.root)
    token = summed("gh" + "p_", "setting")
    project.memory.write_text("# Memory\n\n- decided: SQLite over Postgres\n", encoding="utf-8")
    project.config.write_text(settings.replace("TOKEN", token), encoding="utf-8")
    calls = ("recall", "search SQLite", "status --json", "doctor")
    told = "".join(printed(mind, *call.split()) for call in calls)
    told += str(mind("config", "hooks.capture", token)) + str(mind("config", token, "1"))
    assert "[GitHub personal access token removed]" in told
    assert token[8:] not in told
    held = b"".join(path.read_bytes() for path in project.cache.glob("*.db*"))
    assert token[8:].encode() not in held


def test_entries_with_masks_are_changed_by_their_ids(memory: Memory) -> None:
    tokens = [summed("gh" + "p_", f"edit{at}") for at in range(3)]
    lines = [f"- decided: the deploy of the shop uses {one}" for one in tokens]
    path = memory.project.memory
    path.write_text("\n".join(["# Memory", "", "## 2026-11-01", "", *lines, ""]), encoding="utf-8")
    first, second, third = memory.index_entries()
    assert len({first.id, second.id, third.id}) == 3
    assert first.text == second.text
    memory.verify(second.id)
    assert f"{lines[1]} [verified:: 2026-11-20]" in path.read_text(encoding="utf-8")
    memory.update(third.id, "the deploy of the shop needs no key")
    memory.forget(first.id, "over")
    left = path.read_text(encoding="utf-8")
    assert (tokens[0] in left, tokens[1] in left, tokens[2] in left) == (False, True, False)
    archived = memory.project.archive.read_text(encoding="utf-8")
    assert archived.count("[GitHub personal access token removed]") == 2
    assert not [one for one in tokens if one in archived]
    memory.restore(first.id)
    back = path.read_text(encoding="utf-8").splitlines()
    assert "- decided: the deploy of the shop uses [GitHub personal access token removed]" in back
