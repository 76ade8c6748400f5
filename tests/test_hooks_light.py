"""What hooks know without opening the memory is what it would have said."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mind.setup import install

from mind.documents import reminders  # isort: skip
from mind.memory import gotchas, session  # isort: skip
from mind.storage import project as projects  # isort: skip
from mind.text import secrets  # isort: skip
from mind.documents.reminders.triggers import beginnings
from mind.domain.entry import Entry, Kind
from mind.domain.errors import ProjectError
from mind.hooks import building, cache, capturing, data, noticing, place, starting, tool_call
from mind.hooks import building as rowing
from mind.hooks.cache import FORMAT
from mind.hooks.tool_call import ToolCall
from mind.memory.memory import Memory
from mind.storage.project import Project
from mind.text.sourcetext.grammar import required
from mind.text.sourcetext.limited import MatchLimits
from mind.text.visible import inert
from tests import catalogue, secret_cases
from tests.effort import tries
from tests.hooking import complaints, edit, forbid_the_long_way, start, told

# --- values -------------------------------------------------------------------------------

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False,
                                                                      allow_infinity=False),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)  # fmt: skip


@given(VALUES)
def test_json_is_read_and_written_as_the_module_does(value: object) -> None:
    written = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    assert data.line(value) == written
    assert data.loads(json.dumps(value, indent=1).encode()) == value
    assert data.ascii_line(value).isascii()
    assert json.loads(data.ascii_line(value)) == value


@given(st.dictionaries(st.text(), st.text() | st.integers() | st.lists(st.text())))
def test_an_object_is_indented_as_the_module_does(value: dict[str, Any]) -> None:
    wanted = json.dumps(value, indent=2, ensure_ascii=False)
    assert not value or data.indented(value) == wanted


@pytest.mark.parametrize(
    "source", [b"", b"{", b"[1,]", b'"', b'{"a": 1} 2', b"nul", b"\xff", b'["\n"]', b'{"a" 1}']
)
def test_what_is_no_json_is_an_error(source: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - several kinds of it
        data.loads(source)


@given(st.text() | st.text(alphabet="<!-> /MIND:ENDCOTX\n"))
def test_notes_open_no_comment_and_end_no_marker(text: str) -> None:
    shown = inert(text)
    assert "<!--" not in shown
    assert "MIND:END -->" not in shown.upper()
    assert "\n" not in shown


# --- places -------------------------------------------------------------------------------


def found(cwd: Path) -> tuple[Path, Path] | None:
    one = place.find(str(cwd))
    return (Path(one.root), Path(one.folder)) if one else None


def meant(cwd: Path) -> tuple[Path, Path] | None:
    try:
        one = projects.find(cwd)
    except ProjectError:
        return None
    return one.root, one.folder


def test_a_project_is_found_where_mind_finds_it(
    project: Project, home: Path, git: Callable[..., str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    deep = project.root / "a" / "b"
    deep.mkdir(parents=True)
    (home / ".mind").mkdir(exist_ok=True)
    (home / "inside").mkdir()
    git("commit", "--quiet", "--allow-empty", "-m", "x")
    git("worktree", "add", "--quiet", "tree")
    outside = tmp_path_factory.mktemp("outside")
    for cwd in (project.root, deep, home, home / "inside", project.root / "tree", outside):
        assert found(cwd) == meant(cwd), cwd
    assert found(deep) == (project.root, project.folder)


def test_the_environment_names_a_memory_where_the_folder_has_none(
    project: Project, home: Path, monkeypatch: pytest.MonkeyPatch,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:  # fmt: skip
    outside = tmp_path_factory.mktemp("outside")
    assert found(outside) is None
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(project.root))
    assert found(outside) == (project.root, project.folder)
    apart = home / "notes"
    monkeypatch.setenv("MIND_DIR", str(apart))
    assert found(outside) is None
    apart.mkdir()
    assert found(outside) == (home, apart)
    own = home / ".mind" / "memory"
    own.mkdir(parents=True)
    monkeypatch.setenv("MIND_DIR", str(own))
    assert found(outside) == (own, own)
    assert found(project.root) == (project.root, project.folder)


def test_a_memory_of_another_name_is_served(
    home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    apart = home / "notes"
    monkeypatch.setenv("MIND_DIR", str(apart))
    install.apply(install.plan())
    given = {"hook_event_name": "SessionStart", "session_id": "a", "cwd": str(outside)}
    from mind.hooks import events

    events.answer(json.dumps(given).encode())
    assert json.loads((apart / "state.json").read_text(encoding="utf-8"))["session_ids"] == ["a"]


# --- credentials --------------------------------------------------------------------------

SAID = """fix the login of users with a token and password is secret key for session code Bearer
api auth seed phrase was set to correct horse battery staple backup: recovery words hunter secret:
my api_key: shadow, admin 'letmein' passphrase access.token client_secret --token -p = := es ist"""


@given(st.lists(st.sampled_from(SAID.split()) | st.text(max_size=12), max_size=20).map(" ".join))
def test_plain_words_hold_no_credential(text: str) -> None:
    assert not (place.is_plain(text) and secrets.find(text))


@given(st.text(alphabet="abcdefgh0123456789 =:-_/.skäéñß¿"))
def test_what_is_left_of_a_prompt_holds_no_credential(text: str) -> None:
    assert secrets.find(place.plain_words(text)) == []


@given(
    st.lists(st.sampled_from([*SAID.split(), *"contraseña è été für schlüssel".split()])).map(
        " ".join
    )
)
def test_what_is_left_of_words_around_credentials_holds_none(text: str) -> None:
    assert secrets.find(place.plain_words(text)) == []


def test_nothing_that_is_a_credential_is_left_of_a_prompt() -> None:
    lines = [case.text for case in secret_cases.cases()]
    assert [line for line in lines if secrets.find(place.plain_words(line))] == []


def test_nothing_that_is_a_credential_is_plain() -> None:
    texts = [case.text for case in secret_cases.cases()]
    lines = [line for text in texts for line in (text, *text.splitlines())]
    assert [line for line in lines if place.is_plain(line) and secrets.find(line)] == []
    assert place.is_plain("Fix the login page: users of src/views.py see code 404 twice.")


PATHS = (
    "src/components/AuthenticationProvider.tsx", "docs/how-to/internationalization.md",
    "notes/2026-11-21.md", "app\\Http\\UserAccountService.java", ".github/workflows/ci.yml",
)  # fmt: skip


def test_a_path_of_words_is_known_without_the_patterns() -> None:
    code = (
        "import sys; from mind.hooks import place as plain;"
        f"assert [plain.redacted_path(one) for one in {PATHS}] == [*{PATHS}];"
        "assert 'mind.text.secrets' not in sys.modules;"
        "plain.redacted_path('src/aXbRtQzLmWpKsJdHfGvB.tsx');"
        "assert 'mind.text.secrets' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("shape", ["{}", "src/{}.py", "{}/notes.md", "a-{}"])
def test_a_credential_in_a_path_is_masked(shape: str) -> None:
    for case in secret_cases.cases():
        for word in case.text.split():
            path = shape.format(word)
            assert place.redacted_path(path) == secrets.mask(path), path


# --- reminders ----------------------------------------------------------------------------

PHRASES = (
    "auth flies running UserAuth C++ café 登录 the-parser studies e2e agreed user_login baking "
    "bake tie capable"
)
WORDS = st.sampled_from(
    "auth authentication authored user fly flying flies ran run runs running runner UserAuth study "
    "studied user_auth C++ c cafe café 登录 e2e agree agreeing login user_logins bake baked the "
    "parser parsers tying capability".split()
)


@settings(max_examples=tries(40, 400))
@given(
    st.sampled_from(PHRASES.split()),
    st.lists(WORDS | st.text(max_size=8), max_size=6).map(" ".join),
)
def test_a_reminder_that_comes_up_is_never_missed(phrase: str, prompt: str) -> None:
    one = reminders.Reminder(id="r", text="x", trigger=(phrase,))
    row = {"trigger": building._ways(one)}
    comes_up = bool(reminders.triggered([one], prompt))
    assert capturing.may_trigger([row], prompt) or not comes_up
    assert beginnings("auth") == [["auth"]]


# --- the state ----------------------------------------------------------------------------

NOW = datetime(2026, 11, 21, 10, 0, tzinfo=UTC)
MOMENT = int(NOW.timestamp() * 1000)
STATES = st.builds(
    session.SessionState,
    last_activity=st.integers(MOMENT - 4_000_000, MOMENT + 1_000),
    session_started=st.integers(1, MOMENT),
    session_ids=st.lists(st.sampled_from("abcd"), unique=True).map(tuple),
)


@given(STATES, st.sampled_from(["", "a", "b", "z"]),
       st.sampled_from(["startup", "clear", "fork", "resume", "compact", "", "other"]))  # fmt: skip
def test_the_state_is_written_as_a_session_writes_it(
    state: session.SessionState, name: str, source: str
) -> None:
    before = json.dumps(state.to_json(), indent=2, ensure_ascii=False).encode() + b"\n"
    event: Any = SimpleNamespace(session=name, text=lambda _key: source)
    settled = {"blank": True}
    knowing: Any = SimpleNamespace(data={"settled": settled, "settings": {"gap_minutes": 30}})
    after = starting.state_after(event, knowing, before, MOMENT)
    gap = timedelta(minutes=30)
    wanted = session.touched(state, NOW, name or None)
    if session.begins_anew(state, NOW, gap, name or None, source or None):
        wanted = session.begun(NOW, name or None)
        assert after == stored(wanted)
        settled["blank"] = False
        assert starting.state_after(event, knowing, before, MOMENT) is None
    elif after == before:
        assert wanted.session_ids == state.session_ids
    else:
        assert after == stored(wanted)


def stored(state: session.SessionState) -> bytes:
    return json.dumps(state.to_json(), indent=2, ensure_ascii=False).encode() + b"\n"


@pytest.mark.parametrize(
    "source",
    [b"", b"{}", b"[]", b"{", b'{"schema_version": 1}', b'{"last_activity": "x"}'],
)
def test_a_state_that_mind_did_not_write_takes_the_long_way(source: bytes) -> None:
    event: Any = SimpleNamespace(session="a", text=lambda _key: "startup")
    knowing: Any = SimpleNamespace(data={"settled": {}, "settings": {"gap_minutes": 30}})
    assert starting.state_after(event, knowing, source, MOMENT) is None
    row = {**session.begun(NOW, "a").to_json(), "muted": ["x"]}
    written = json.dumps(row, indent=2, ensure_ascii=False).encode() + b"\n"
    assert starting.state_after(event, knowing, written, MOMENT) is None


# --- starting -----------------------------------------------------------------------------


def snapshot(root: Path) -> dict[str, bytes]:
    names = ["CLAUDE.md", ".mind/MEMORY.md", ".mind/SESSION.md", ".mind/REMINDERS.md"]
    return {name: (root / name).read_bytes() for name in names}


def test_a_quick_start_leaves_what_a_recall_leaves(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = Memory(project)
    memory.log("SQLite over Postgres - one file", "decision")
    memory.close()
    start(project, "a")
    before = json.loads(project.state.read_bytes())
    copied = snapshot(project.root)
    with monkeypatch.context() as patched:
        forbid_the_long_way(patched)
        assert start(project, "b") == ""
    after = json.loads(project.state.read_bytes())
    assert complaints(project) == ""
    assert list(after) == list(before)
    assert after["session_ids"] == ["b"]
    assert snapshot(project.root) == copied
    assert Memory(project).recall(session_id="b").new_session is False
    assert snapshot(project.root) == copied
    assert json.loads(project.state.read_bytes())["session_started"] == after["session_started"]


def more_in(name: str) -> Callable[[Project, Callable[..., str]], None]:
    def change(project: Project, _git: Callable[..., str]) -> None:
        with (project.folder / name).open("a", encoding="utf-8") as file:
            file.write("\n- [ ] something new | trigger: x\n")

    return change


def now_in(name: str, text: str) -> Callable[[Project, Callable[..., str]], None]:
    def change(project: Project, _git: Callable[..., str]) -> None:
        (project.root / name).write_text(text, encoding="utf-8")

    return change


def other_in(name: str, old: str, new: str) -> Callable[[Project, Callable[..., str]], None]:
    def change(project: Project, _git: Callable[..., str]) -> None:
        path = project.root / name
        text = path.read_text("utf-8")
        path.write_text(text.replace(old or str(project.root), new), "utf-8")

    return change


KNOWN = ".mind/cache/hooks/known.json"
CHANGES: dict[str, Callable[[Project, Callable[..., str]], object]] = {
    "memory": more_in("MEMORY.md"),
    "session": more_in("SESSION.md"),
    "reminders": more_in("REMINDERS.md"),
    "settings": now_in(".mind/config.json", '{"context": {"budget_tokens": 400}}'),
    "block": other_in("CLAUDE.md", "## M", "## N"),
    "commit": lambda _, git: git("commit", "--quiet", "--allow-empty", "-m", "decided: a over b"),
    "comment": now_in("noted.py", "# MEMORY: goal: speed\n"),
    "comment is gone": lambda project, _: (project.root / "noted.py").unlink(),
    "stack": now_in("go.mod", "module x"),
    "gotcha of the user": lambda project, _: Memory(project).add_global_edge(
        title="t", description="d", workaround=""
    ),
    "state": now_in(".mind/state.json", "{}"),
    "cache": lambda project, _: shutil.rmtree(project.cache),
    "next session": lambda project, _: Memory(project).remind("x", "next session"),
    "another version": other_in(KNOWN, f'"format":{FORMAT}', '"format":0'),
    "damage": now_in(KNOWN, '{"format"'),
    "another place": other_in(KNOWN, "", "/elsewhere"),
}


@pytest.mark.parametrize("what", CHANGES)
def test_whatever_is_new_is_noticed_at_the_next_start(
    project: Project, git: Callable[..., str], monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    (project.root / "noted.py").write_text("# MEMORY: goal: be small\n", encoding="utf-8")
    start(project, "a")
    with monkeypatch.context() as patched:
        forbid_the_long_way(patched)
        start(project, "b")
        assert complaints(project) == ""
    CHANGES[what](project, git)
    with monkeypatch.context() as patched:
        forbid_the_long_way(patched)
        start(project, "c")
        assert "the memory was opened" in complaints(project)
    start(project, "c")
    block = (project.root / "CLAUDE.md").read_text(encoding="utf-8")
    Memory(project).recall(session_id="c", force=True)
    assert (project.root / "CLAUDE.md").read_text(encoding="utf-8") == block


def test_the_next_day_is_noticed(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    start(project, "a")
    forbid_the_long_way(monkeypatch)
    now = datetime.now(UTC).timestamp()
    monkeypatch.setattr("mind.hooks.starting.time.time", lambda: now + 86_400)
    start(project, "b")
    assert "the memory was opened" in complaints(project)


def test_where_another_process_writes_the_state_a_start_waits_for_it(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    start(project, "a")
    monkeypatch.setattr("mind.hooks.starting.locked", lambda _path, _work: False)
    start(project, "b")
    assert json.loads(project.state.read_bytes())["session_ids"] == ["b"]


def test_what_is_noted_while_another_session_begins_stays_with_its_own(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    start(project, "a")
    locked = place.locked

    def noted_before(path: str, work: Callable[[], object]) -> bool:
        monkeypatch.setattr("mind.hooks.starting.locked", locked)
        memory = Memory(project, session_id="a")
        memory.log("Redis for sessions - one more server", "rejected")
        memory.close()
        return locked(path, work)

    monkeypatch.setattr("mind.hooks.starting.locked", noted_before)
    start(project, "b")
    for name, noted in (("a", 1), ("b", 0)):
        assert len(Memory(project, session_id=name).session().entries) == noted


def test_hooks_that_run_at_once_lose_nothing(project: Project) -> None:
    from concurrent.futures import ThreadPoolExecutor

    from tests.hooking import event, kept, run

    start(project, "a")
    given = [
        event(project, "PostToolUse", tool_name="Edit", tool_input={"file_path": f"f{n}.py"})
        for n in range(12)
    ]
    with ThreadPoolExecutor(6) as pool:
        assert {one.returncode for one in pool.map(run, given)} == {0}
    assert {path for path, _ in kept(project)["edits"]} == {f"f{n}.py" for n in range(12)}
    assert complaints(project) == ""


# --- matching -----------------------------------------------------------------------------

PIECES = st.sampled_from(
    "redis Redis session_store SessionStore sessions for the global lock GlobalLock around cache "
    "caching pnpm workspaces parse_date parseDate load_all() load.all `load_all()` `npm install` "
    "npm install uv sync git push src/auth.py app.py utcnow() datetime.utcnow() pickle.loads( "
    "os.environ 登录 データベース kubernetes operator in-memory queue database auth \n # // -> - "
    "because ; ｒｅｄｉｓ".split(" ")
)
TEXTS = st.lists(PIECES, max_size=14).map(" ".join)
ENTRIES = st.lists(
    st.builds(
        lambda kind, text, at: Entry(id=f"e{at}", kind=kind, text=" ".join(text.split()) or "x"),
        st.sampled_from([Kind.GOTCHA, Kind.REJECTED]), TEXTS, st.integers(0, 99),
    ),
    max_size=5,
    unique_by=lambda entry: entry.id,
)  # fmt: skip
OTHERS = (
    *gotchas.load_builtin(),
    gotchas.new_global("Vendor", "pages from 1", "", pattern=r"(?i)Redis|load\w+\("),
    gotchas.new_global("Any", "anything", "", pattern=r"\w{9}"),
)


def _subjects(entries: list[Entry]) -> dict[str, list[dict[str, Any]]]:
    rows = catalogue.rows((one.id, one.kind.value, one.statement) for one in entries)
    return {one.id: [row for row in rows if row["id"] == one.id] for one in entries}


def every_row(content: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in content.splitlines()[1:]]


GRAVE = ("high", "critical")


@pytest.fixture(scope="module")
def unhurried() -> Iterator[None]:
    """No limit of time: the gotchas of all stacks at once take longer than those of a project."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(noticing, "_SECONDS", 60)
        patch.setattr(noticing, "_SECONDS_BEFORE", 60)
        yield


@pytest.mark.usefixtures("unhurried")
@settings(max_examples=tries(60, 600))
@given(ENTRIES, TEXTS, TEXTS, st.booleans(), st.sampled_from(["src/auth.py", "a/app.py", "x.ts"]))
def test_looking_up_finds_what_comparing_with_every_note_finds(
    entries: list[Entry], text: str, other: str, is_command: bool, path: str
) -> None:
    stacks = [stack for one in gotchas.load_builtin() for stack in one.stacks]
    listed = [*rowing.of_entries(entries, _subjects(entries)), *rowing.of_others(OTHERS, stacks)]
    content = rowing.stored(listed, "g")
    notes = noticing.WarningNotes(content)
    one = tool_call._command(text, other) if is_command else ToolCall(text, before=other, path=path)
    every, quick = (
        [(hit.row["id"], hit.why, hit.score) for hit in noticing.notice(one, rows)]
        for rows in (every_row(content), notes.likely(one))
    )
    assert quick == every


@pytest.mark.usefixtures("unhurried")
def test_built_in_gotchas_are_noticed_where_a_check_of_the_code_finds_them() -> None:
    from tests.test_gotchas import ROWS

    grave = {one.title: one for one in gotchas.load_builtin() if one.severity in GRAVE}
    compared = 0
    for row in ROWS:
        if (one := grave.get(row["title"])) is None:
            continue
        code, stacks = row["example"], one.stacks
        content = rowing.stored(rowing.of_others([one], stacks), "g")
        wanted = bool(gotchas.check("", code, stacks, [one], MatchLimits(60)))
        hits = [
            hit
            for ending in ("py", "ts", "java", "rs", "rb", "php", "go", "cs", "exs", "swift",
                           "dart", "dockerfile", "yaml", "tf")
            for hit in noticing.notice(ToolCall(code, path=f"a.{ending}"), every_row(content))
        ]  # fmt: skip
        assert bool(hits) == wanted, row["title"]
        compared += wanted
    assert compared > 20


@pytest.mark.parametrize("row", [one for one in gotchas.load_builtin() if one.patterns],
                         ids=lambda one: one.title)  # fmt: skip
def test_a_match_of_a_pattern_has_one_of_the_texts_that_it_requires(row: gotchas.Gotcha) -> None:
    from tests.test_gotchas import ROWS

    for pattern in row.patterns:
        texts = required(pattern)
        for example in (one["example"] for one in ROWS):
            if re.search(pattern, example, re.MULTILINE):
                folded = example.casefold()
                assert not texts or any(text.casefold() in folded for text in texts)


@pytest.mark.parametrize(
    ("pattern", "texts"),
    [
        (r"abc+d?", []),
        (r"abcd|efgh", ["abcd", "efgh"]),
        (r"(?:abcd)+x*", ["abcd"]),
        (r"(?:abcd)?efg", ["efg"]),
        (r"(?>abcd)", ["abcd"]),
        (r"ab|cdef", []),
        (r"\w+", []),
        (r"[ab]cde(?=xyzuvw)", ["cde"]),
        ("|".join(f"word{n:02}" for n in range(30)), ["word"]),
        ("|".join(f"{n:02}word" for n in range(30)), []),
    ],
)
def test_what_a_pattern_requires(pattern: str, texts: list[str]) -> None:
    assert required(pattern) == texts


@pytest.mark.parametrize(
    ("text", "rowed"),
    [
        ("`load_all()` reads it all -> use `stream_it()`", {"names": ["load_all()"]}),
        ("the `user` table, `API` and `id` are slow", {"names": []}),
        ("npm run build wants NODE_ENV set", {"head": "npm run build"}),
        ("uv sync removes packages", {"head": "uv sync"}),
        ("see src/a.py and https://x.org/src/b.py", {"paths": ["src/a.py"]}),
    ],
)
def test_a_projects_gotcha_counts_by_what_it_names(text: str, rowed: dict[str, object]) -> None:
    workaround = text.partition("-> ")[2]
    entry = Entry(id="a", kind=Kind.GOTCHA, text=text, workaround=workaround)
    (row,) = rowing.of_entries([entry], _subjects([entry]))
    assert {key: row[key] for key in rowed} == rowed


def test_notes_that_are_gone_are_made_again(project: Project) -> None:
    memory = Memory(project)
    memory.log("parse_date ignores the time zone", "gotcha")
    memory.close()
    start(project)
    (project.cache / "hooks" / "notes.jsonl").unlink()
    assert "parse_date" in edit(project, "parse_date(x)")
    (project.cache / "hooks" / "notes.jsonl").write_bytes(b"[]")
    assert "parse_date" in edit(project, "parse_date(x)", session="b")


@pytest.mark.parametrize("damage", [None, b"", b"[]", b"{}\n", b"no JSON"])
def test_entries_for_prompts_that_are_gone_or_damaged_are_made_again(
    project: Project, damage: bytes | None
) -> None:
    with closing(Memory(project)) as memory:
        memory.log("mmap for the segment files stalls the runtime", "gotcha")
    start(project)
    file = project.cache / "hooks" / "entries.txt"
    file.unlink()
    if damage is not None:
        file.write_bytes(damage)
    prompt = "try mmap for reading the segment files"
    assert "stalls the runtime" in told(project, "UserPromptSubmit", prompt=prompt)


def test_a_decision_makes_no_warning_anew(project: Project) -> None:
    with closing(Memory(project)) as memory:
        memory.log("parse_date ignores the time zone", "gotcha")
        assert "parse_date" in edit(project, "parse_date(x)")
        notes = project.cache / "hooks" / "notes.jsonl"
        made = notes.stat()
        memory.log("Invoices are numbered by year", "decision")
        assert "parse_date" in edit(project, "parse_date(x)", session="b")
        assert os.path.samestat(notes.stat(), made)
        memory.log("parse_time leaks a descriptor", "gotcha")
        assert "parse_time" in edit(project, "parse_time(x)")
        assert not os.path.samestat(notes.stat(), made)


def test_deleting_the_cache_changes_no_warning(project: Project) -> None:
    memory = Memory(project)
    memory.log("parse_date ignores the time zone", "gotcha")
    memory.close()
    first = edit(project, "parse_date(x)")
    shutil.rmtree(project.cache)
    assert edit(project, "parse_date(x)") == first


def test_the_usual_event_imports_little(project: Project) -> None:
    import subprocess
    import sys

    start(project)
    told(project, "UserPromptSubmit", prompt="work on it")
    program = (
        "import sys\n"
        "from mind.hooks import main\n"
        "main()\n"
        "heavy = {'json', 're', 'pathlib', 'typing', 'dataclasses', 'mind.memory.memory',"
        " 'mind.domain.settings',"
        " 'logging', 'sqlite3', 'git', 'mind.domain.entry'}\n"
        "sys.stderr.write(','.join(sorted(heavy & set(sys.modules))))\n"
    )
    from tests.hooking import event

    edit_ = {"file_path": str(project.root / "a.py"), "old_string": "x", "new_string": "y = f(x)"}
    for name in ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PreCompact",
                 "Stop"):  # fmt: skip
        text = event(project, name, source="resume", prompt="sort the list", tool_name="Edit",
                     tool_input=edit_)  # fmt: skip
        done = subprocess.run([sys.executable, "-S", "-c", program], input=text, check=True,
                              capture_output=True, cwd=Path(cache.__file__).parents[2])  # fmt: skip
        assert done.stderr == b"", name


def test_a_file_that_cannot_be_replaced_stays_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    with pytest.raises(OSError, match="there"):
        place.put(str(tmp_path / "there"), b"x")
    assert [path.name for path in tmp_path.iterdir()] == ["there"]


def test_a_lock_is_held_by_one_alone(tmp_path: Path) -> None:
    path = str(tmp_path / "lock")
    inner: list[bool] = []
    assert place.locked(path, lambda: inner.append(place.locked(path, lambda: None)))
    assert inner == [False]
    assert place.locked(path, lambda: None)
    assert not place.locked(str(tmp_path / "missing" / "lock"), lambda: None)

    def fail() -> None:
        raise OSError("full")

    assert not place.locked(path, fail)


def test_a_json_that_the_interpreter_has_no_parts_for_is_read_by_the_module(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "_json", None)
    assert data.loads(b'{"a": ["\\u00e9", 1.5, null]}') == {"a": ["é", 1.5, None]}
    assert data.line({"a": ["é", True]}) == '{"a":["é",true]}'
