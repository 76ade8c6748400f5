"""Moving a memory: export, import into nothing, import into what is there."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mind.documents import additions, jsonl_export
from mind.documents.jsonl_export import NotAnExport
from mind.domain.entry import Entry, Kind
from mind.domain.errors import ChangedMeanwhile, InputError, NotFound
from mind.memory import importing, jsonl_import
from mind.memory.importing import ExportImportReport
from mind.memory.memory import Memory
from mind.setup import install
from mind.storage import files
from mind.storage.project import Project
from tests.conftest import Run
from tests.effort import tries

KEY = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
FILLED = "ghp_" + "x" * 36
"""What stands for a key of the same length: an export of another program may have the key."""

MEMORY = """# Memory

## Gotchas

- Safari drops cookies of third parties -> set SameSite ^abc123
- [ ] todo: write the manual #docs

## Relations

- [[auth]] depends-on [[redis]]

## 2026-11-01

decided: SQLite over Postgres - one file [verified:: 2026-11-05]
problem: the cache is cold
- [x] problem: the disk is full

```python
decided: this is code
```

## 2026-11-03

learned: the pool leaks
  when a worker dies
progress: deployed
"""
REMINDERS = """# Reminders

## Pending

- [ ] Check the audit | due: 2027-01-20 09:00 | created: 2026-11-20 ^r1a2b3c4
- [ ] Review the flow | trigger: auth, login | created: 2026-11-20

## Done

- [x] Update the docs | completed: 2026-11-21
- [x] Sometime
"""


class Elsewhere:
    """Another project, made for each import."""

    def __init__(self, root: Path, now: Callable[[], Any]) -> None:
        self._root, self._now, self._number = root, now, 0

    def __call__(self, memory: bytes | None = None) -> Memory:
        self._number += 1
        root = self._root / f"other{self._number}"
        root.mkdir(parents=True)
        install.apply(install.plan(root))
        if memory is not None:
            Project(root).memory.write_bytes(memory)
        return Memory(Project(root), clock=self._now)


@pytest.fixture
def elsewhere(tmp_path_factory: pytest.TempPathFactory, memory: Memory) -> Elsewhere:
    return Elsewhere(tmp_path_factory.mktemp("elsewhere"), memory.now)


@pytest.fixture
def full(memory: Memory) -> Memory:
    memory.project.memory.write_text(MEMORY, encoding="utf-8", newline="")
    memory.project.reminders.write_text(REMINDERS, encoding="utf-8", newline="")
    found = memory.search("cache is cold").hits[0].entry
    memory.forget(found.id, "warmed up at start", acknowledge=True)
    return memory


def exported(memory: Memory, path: Path, **options: Any) -> Path:
    path.write_text(memory.export(**options).text, encoding="utf-8", newline="")
    return path


def with_key(path: Path) -> Path:
    path.write_text(path.read_text(encoding="utf-8").replace(FILLED, KEY), encoding="utf-8")
    return path


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def contents(project: Project) -> dict[str, bytes]:
    return {name: files.read(project.folder / name) for name in jsonl_export.NAMES}


def told(done: ExportImportReport, outcome: str) -> list[tuple[str, str]]:
    return [(row.text, row.reason) for row in done.rows if row.outcome == outcome]


# --- the export ---------------------------------------------------------------------------


def test_each_entry_is_an_object_and_points_at_its_bytes(full: Memory, tmp_path: Path) -> None:
    head, *others = rows(exported(full, tmp_path / "out"))
    assert (head["format"], head["version"], head["date"]) == ("mind-export", 1, "2026-11-20")
    assert head["project"] == full.project.name
    whole = {row["file"]: row["text"] for row in others if row["record"] == "file"}
    assert set(whole) == {"MEMORY.md", "REMINDERS.md", "ARCHIVE.md"}
    entries = [row for row in others if row["record"] == "entry"]
    decided = next(row for row in entries if row["kind"] == "decision")
    assert decided == {
        "record": "entry",
        "id": decided["id"],
        "kind": "decision",
        "date": "2026-11-01",
        "status": None,
        "text": "SQLite over Postgres - one file",
        "tags": [],
        "links": [],
        "fields": {"verified": "2026-11-05"},
        "section": ["Memory", "2026-11-01"],
        "layer": "learning",
        "confidence": 1.0,
        "file": "MEMORY.md",
        "line": 14,
        "start": decided["start"],
        "end": decided["end"],
    }
    source = whole["MEMORY.md"].encode()
    bytes_of = source[decided["start"] : decided["end"]]
    assert bytes_of == b"decided: SQLite over Postgres - one file [verified:: 2026-11-05]\n"
    archived = next(row for row in others if row["record"] == "archived")
    assert (archived["reason"], archived["archived"]) == ("warmed up at start", "2026-11-20")
    assert (archived["text"], archived["kind"]) == ("the cache is cold", "problem")
    reminders = [row for row in others if row["record"] == "reminder"]
    assert [row["done"] for row in reminders] == [None, None, "2026-11-21", "0001-01-01"]


def test_what_is_left_out_is_not_there(full: Memory, tmp_path: Path) -> None:
    path = exported(full, tmp_path / "out", with_archive=False, with_reminders=False)
    assert {row["record"] for row in rows(path)} == {"header", "file", "entry"}
    assert "warmed up" not in path.read_text(encoding="utf-8")


def test_the_same_memory_is_the_same_export(full: Memory) -> None:
    assert full.export().text == full.export().text


def test_the_document_is_read_by_kind_and_date(full: Memory) -> None:
    text = full.export("html").text
    assert re.search(
        r"<h2>Decisions</h2>\n<h3>2026-11-01</h3>\n<article><p>decided: SQLite over Postgres - one "
        r'file</p><div class="muted">\.mind/MEMORY\.md:14, under Memory › 2026-11-01, '
        r"verified 2026-11-05, \w{8}</div>",
        text,
    )
    assert text.index("Decisions</h2>") < text.index("Gotchas</h2>") < text.index("Archive</h2>")
    assert "☐ <p>Review the flow</p>" in text
    assert "when auth or login; .mind/REMINDERS.md:6; r" in text
    assert "☑ <p>Sometime</p>" in text
    assert "archived on 2026-11-20: warmed up at start, " in text
    plain = full.export("html", with_archive=False, with_reminders=False).text
    assert "Archive</h2>" not in plain
    assert "Reminders</h2>" not in plain


MARKED_UP = """\
# Memory

## 2026-09-01

- decided: use **Redis** over `memcached`
  - keeps sessions

  ```python
  cache.get("<x>")
  ```
- gotcha: limits {title}

  | tier | limit |
  | --- | --- |
  | free | 10 |

- problem: <img src=x onerror=alert(1)> [click](javascript:alert(2)) ![seen](http://e.example/p.png)
- ~~decided: npm~~ see [docs](https://example.org/a?b=1&c=2) ^npm12345
"""


def test_the_page_shows_the_markdown_of_entries_and_nothing_else(memory: Memory) -> None:
    memory.project.memory.write_text(MARKED_UP, encoding="utf-8")
    text = memory.export("html").text
    assert "use <strong>Redis</strong> over <code>memcached</code></p>\n<ul>\n<li>keeps" in text
    assert '<pre><code class="language-python">cache.get(&quot;&lt;x&gt;&quot;)' in text
    assert re.search(r"<td>free</td>\s*<td>10</td>", text)
    assert "<del>decided: npm</del>" in text
    assert 'href="https://example.org/a?b=1&amp;c=2" rel="noopener noreferrer"' in text
    for banned in ("<img", "<script", 'href="javascript', "^npm12345", "{title}"):
        assert banned not in text
    assert text.index("Decisions") < text.index("Gotchas") < text.index("Problems")
    assert memory.export("html").text == text


def test_a_page_replaces_an_earlier_one_and_no_other_file(
    memory: Memory,
    mind: Callable[..., tuple[int, str, str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(memory.project.root)
    page, other = tmp_path / "memory.html", tmp_path / "other.html"
    other.write_text("<!doctype html><title>mine</title>", encoding="utf-8")
    for _ in range(2):
        assert mind("export", "--format", "html", "-o", str(page))[0] == 0
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert mind("export", "--format", "html", "-o", str(other))[0] == 2
    assert other.read_text(encoding="utf-8") == "<!doctype html><title>mine</title>"


def test_a_credential_in_the_files_is_told_by_its_place(memory: Memory) -> None:
    memory.project.memory.write_text(f"# M\n\ndecided: use {KEY}\n", encoding="utf-8")
    made = memory.export()
    assert [(one.path, one.line) for one in made.exposed] == [(".mind/MEMORY.md", 3)]
    memory.project.memory.write_text("# M\n", encoding="utf-8")
    memory.project.archive.write_text(f"{KEY}\n", encoding="utf-8")
    assert memory.export(with_archive=False).exposed == ()


# --- into nothing -------------------------------------------------------------------------


def test_a_memory_comes_back_byte_for_byte(
    full: Memory, elsewhere: Elsewhere, tmp_path: Path
) -> None:
    other = elsewhere()
    path = exported(full, tmp_path / "out")
    done = other.import_(path)
    assert contents(other.project) == contents(full.project)
    assert done.whole == ("MEMORY.md", "REMINDERS.md", "ARCHIVE.md")
    assert (done.count("known"), done.count("refused")) == (0, 0)
    assert done.count("added") == len(full.export().text.splitlines()) - 4
    again = other.import_(path)
    assert (again.count("added"), again.count("refused"), again.written) == (0, 0, ())
    assert contents(other.project) == contents(full.project)
    found = other.search("database file").hits[0].entry
    assert found.id == full.search("database file").hits[0].entry.id
    assert other.restore(other.archive().blocks[0].id).entry.text == "the cache is cold"


LINES = st.sampled_from(
    """
    decided: SQLite over Postgres
    learned: caches lie [verified:: 2026-01-02] ^abc123
    - gotcha: Safari drops cookies
    - [x] todo: write
    - item
    # Title
    ## 2026-11-01
    ## Gotchas
    ### Odd › section
    ## Relations
    - [[a]] uses [[b]]
    ```
    ~~~~
    <!--
    -->
    | a | b |
    |---|---|
    | decided: x | y |
    > problem: quoted
    1. rejected: threads
    - [ ] remember | due: 2027-01-01
    - [x] did | completed: 2026-01-01 ^r1234567
    ## 2026-11-20 abcd1234
    - reason: odd
    ```markdown
    日本語の決定
    """.strip().splitlines()
).map(str.strip)
ODD = st.sampled_from(["", "  ", "\t", "a\tb", "\u2028", "\0", "﻿", "  spaced  ", "*" * 3])
TEXT = st.lists(st.one_of(LINES, ODD, st.text(max_size=12)), max_size=14)


@st.composite
def sources(draw: st.DrawFn) -> bytes:
    """A file as odd as an editor makes it."""
    newline = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    text = newline.join(draw(TEXT)) + draw(st.sampled_from(["", newline, newline * 2]))
    begin = draw(st.sampled_from([b"", b"\xef\xbb\xbf"]))
    end = draw(st.sampled_from([b"", b"\xff\xfe", b"\xe6"]))
    return begin + text.encode("utf-8", "replace") + end


@settings(
    max_examples=tries(10, 60),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(memory=sources(), reminders=sources(), archive=sources())
def test_whatever_the_files_are_like_they_come_back(
    elsewhere: Elsewhere, tmp_path: Path, memory: bytes, reminders: bytes, archive: bytes
) -> None:
    here, there = elsewhere(), elsewhere()
    here.project.memory.write_bytes(memory)
    here.project.reminders.write_bytes(reminders)
    here.project.archive.write_bytes(archive)
    path = exported(here, tmp_path / "out")
    there.import_(path)
    assert contents(there.project) == contents(here.project)
    was = contents(there.project)
    assert there.import_(path).written == ()
    assert contents(there.project) == was
    here.close()
    there.close()


@settings(
    max_examples=tries(10, 60),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(memory=sources(), reminders=sources(), local=sources())
def test_merging_twice_is_merging_once_and_loses_nothing(
    elsewhere: Elsewhere, tmp_path: Path, memory: bytes, reminders: bytes, local: bytes
) -> None:
    here, there = elsewhere(memory), elsewhere(local + b"\nx\n")
    here.project.reminders.write_bytes(reminders)
    path = exported(here, tmp_path / "out")
    mark = b"\xef\xbb\xbf"  # it stays where the file begins, whatever is added behind it
    before = there.project.memory.read_bytes().removeprefix(mark).splitlines()
    first = there.import_(path)
    after = contents(there.project)
    left = iter(after["MEMORY.md"].removeprefix(mark).splitlines())
    assert all(line in left for line in before)
    second = there.import_(path)
    assert (second.count("added"), second.written) == (0, ())
    assert contents(there.project) == after
    assert first.count("refused") == second.count("refused")
    here.close()
    there.close()


# --- into what is there -------------------------------------------------------------------


def test_what_is_new_goes_under_its_day_and_the_rest_stays(
    full: Memory, elsewhere: Elsewhere, tmp_path: Path
) -> None:
    other = elsewhere(
        b"# Theirs\n\n## Gotchas\n\n- Chrome is slow\n\n## 2026-11-01\n\nlearned: mine\n\n"
        b"## 2026-11-10\n\ndecided: SQLite over Postgres - one file\n"
    )
    done = other.import_(exported(full, tmp_path / "out"))
    assert other.project.memory.read_text(encoding="utf-8") == (
        "# Theirs\n\n## Gotchas\n\n- Chrome is slow\n"
        "- gotcha: Safari drops cookies of third parties -> set SameSite ^abc123\n"
        "- todo: write the manual #docs\n\n"
        "## Relations\n\n- [[auth]] depends-on [[redis]]\n\n"
        "## 2026-11-01\n\nlearned: mine\n- [x] problem: the disk is full\n"
        "  ```python\n  decided: this is code\n  ```\n\n"
        "## 2026-11-03\n"
        "- learned: the pool leaks when a worker dies\n- progress: deployed\n\n"
        "## 2026-11-10\n\ndecided: SQLite over Postgres - one file\n"
    )
    assert [text for text, _ in told(done, "known")] == ["SQLite over Postgres - one file"]
    assert done.whole == ("REMINDERS.md",)
    assert [row.record for row in done.rows if row.outcome == "added"].count("archived") == 1
    ours = {row["id"]: row for row in rows(tmp_path / "out") if row["record"] == "entry"}
    for one in other.index_entries():
        if one.id in ours and one.kind.value != "decision":
            wanted = ours[one.id]
            there = (one.kind, one.date and one.date.isoformat(), one.status, dict(one.fields))
            assert there == (wanted["kind"], wanted["date"], wanted["status"], wanted["fields"])


@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
@pytest.mark.parametrize(
    "local",
    [
        b"# T\n\n```\nopen",
        b"# T\n\n<!-- open",
        b"\xef\xbb\xbf# T\n\n## 2026-11-20\nlearned: x",
        b"## 2026-11-20\n\nlearned: x\n\n## 2026-11-01\n- note: y\n\n\n",
        b"text\n\n## Imported\n> quoted",
        b"| a |\n|---|\n| decided: x |",
    ],
)
def test_odd_files_take_entries_and_keep_every_line(
    full: Memory, elsewhere: Elsewhere, tmp_path: Path, local: bytes, newline: bytes
) -> None:
    local = local.replace(b"\n", newline)
    other = elsewhere(local)
    path = exported(full, tmp_path / "out")
    done = other.import_(path)
    assert done.count("refused") == 0
    after = other.project.memory.read_bytes()
    left = iter(after.splitlines())
    assert all(line in left for line in local.splitlines())
    texts = {one.text for one in other.index_entries()}
    assert {row["text"] for row in rows(path) if row["record"] == "entry"} <= texts
    assert other.import_(path).written == ()
    assert newline == b"\n" or after.count(b"\n") == after.count(b"\r\n")


def test_the_code_of_an_entry_is_merged_with_it(
    memory: Memory, elsewhere: Elsewhere, tmp_path: Path
) -> None:
    one = memory.log("Seed it:\n```sh\nup\n\n  now\n```", "gotcha", keywords=["pnpm"]).entry
    other = elsewhere(b"## 2026-11-19\n\n- note: here already\n")
    path = exported(memory, tmp_path / "out")
    other.import_(path)
    assert [(two.id, two.code) for two in other.index_entries()][1:] == [(one.id, one.code)]
    assert other.import_(path).written == ()


def test_what_was_forgotten_here_does_not_come_back(
    full: Memory, elsewhere: Elsewhere, tmp_path: Path
) -> None:
    other = elsewhere()
    one = other.log("SQLite over Postgres - one file", "decision").entry
    other.forget(one.id, "we moved to Postgres")
    done = other.import_(exported(full, tmp_path / "out"))
    assert told(done, "refused") == [
        ("SQLite over Postgres - one file", "forgotten on 2026-11-20: we moved to Postgres")
    ]
    assert "SQLite" not in other.project.memory.read_text(encoding="utf-8")
    assert len(other.archive().blocks) == 2


def test_nearly_the_same_words_are_known(
    memory: Memory, elsewhere: Elsewhere, tmp_path: Path
) -> None:
    memory.log("SQLite over Postgres: one file", "decision")
    other = elsewhere()
    there = other.log("SQLite over Postgres - one file", "decision").entry
    done = other.import_(exported(memory, tmp_path / "out"))
    assert told(done, "known") == [("SQLite over Postgres: one file", f"{there.id} says the same")]


def test_an_entry_that_was_corrected_here_stays_corrected(
    full: Memory, elsewhere: Elsewhere, tmp_path: Path
) -> None:
    path = exported(full, tmp_path / "out")
    other = elsewhere()
    other.import_(path)
    other.update("abc123", "Safari drops no cookies any more")
    done = other.import_(path)
    assert ("abc123 has other words here") in [reason for _, reason in told(done, "known")]
    assert done.written == ()


@pytest.mark.parametrize("empty", [True, False])
def test_credentials_are_neither_stored_nor_told(
    memory: Memory, elsewhere: Elsewhere, tmp_path: Path, empty: bool
) -> None:
    memory.project.memory.write_text(
        f"## 2026-11-01\n\ndecided: {FILLED} opens it\nlearned: caches lie about their age\n",
        encoding="utf-8",
    )
    memory.project.archive.write_text(
        f"## 2026-11-02 abcd1234\n\n- reason: the key {FILLED}\n\n```markdown\nnote: x\n```\n",
        encoding="utf-8",
    )
    memory.project.reminders.write_text(
        f"- [ ] renew {FILLED} | due: 2027-01-01\n", encoding="utf-8"
    )
    other = elsewhere() if empty else elsewhere(b"decided: something\n")
    path = with_key(exported(memory, tmp_path / "out"))
    done = other.import_(path)
    assert KEY not in "".join(map(str, contents(other.project).values()))
    assert KEY not in str(done.rows)
    refused = [row.record for row in done.rows if row.outcome == "refused"]
    assert sorted(refused) == ["archived", "entry", "reminder"]
    added = [row.text for row in done.rows if row.outcome == "added"]
    assert added == ["caches lie about their age"]


def test_what_may_not_last_comes_in(memory: Memory, elsewhere: Elsewhere, tmp_path: Path) -> None:
    memory.log("we currently use the old API for now", "decision", acknowledge=True)
    done = elsewhere(b"decided: something\n").import_(exported(memory, tmp_path / "out"))
    assert done.count("added") == 1


def test_reminders_are_merged(full: Memory, elsewhere: Elsewhere, tmp_path: Path) -> None:
    other = elsewhere()
    other.remind("Review the flow", "when I mention auth or login")
    other.project.reminders.write_text(
        other.project.reminders.read_text(encoding="utf-8") + "- [ ] broken | due: soonish\n",
        encoding="utf-8",
    )
    path = exported(full, tmp_path / "out")
    done = other.import_(path)
    added = [row.text for row in done.rows if (row.outcome, row.record) == ("added", "reminder")]
    assert added == ["Check the audit", "Update the docs", "Sometime"]
    listed = {one.text: one for one in other.reminders(everything=True)}
    ours = {one.text: one for one in full.reminders(everything=True)}
    for text in added:
        assert (listed[text].due, listed[text].done) == (ours[text].due, ours[text].done)
    assert other.import_(path).written == ()
    again = elsewhere(b"x\n")
    again.remind("anything", "tomorrow")
    again.import_(exported(other, tmp_path / "out"))
    assert {one.unclear for one in again.reminders()} == {"", "soonish"}


def test_reminders_that_would_be_swallowed_are_refused(
    full: Memory, elsewhere: Elsewhere, tmp_path: Path
) -> None:
    other = elsewhere()
    other.project.reminders.write_text("## Done\n\n## Pending\n\n<!-- open\n", encoding="utf-8")
    done = other.import_(exported(full, tmp_path / "out"))
    refused = [row for row in done.rows if (row.outcome, row.record) == ("refused", "reminder")]
    assert refused
    assert "would not be read as meant" in refused[0].reason


def test_an_entry_longer_than_a_message_may_be_is_taken(
    memory: Memory, elsewhere: Elsewhere, tmp_path: Path
) -> None:
    memory.project.memory.write_text(
        "decided: something\n\nlearned: " + "word " * 5_000, encoding="utf-8"
    )
    done = elsewhere(b"x\n").import_(exported(memory, tmp_path / "out"))
    assert done.count("added") == 2


def test_an_entry_that_would_not_be_read_is_refused(
    full: Memory, elsewhere: Elsewhere, tmp_path: Path
) -> None:
    other = elsewhere(b"x\n")
    other.configure("parser.min_confidence", "1.0")
    done = other.import_(exported(full, tmp_path / "out"))
    entries = [row for row in done.rows if (row.outcome, row.record) == ("added", "entry")]
    added = {row.text for row in entries if "[[" not in row.text}
    assert added == {one.text for one in other.index_entries()}
    assert done.count("added") + done.count("refused") == 12


def test_a_relation_in_other_words_is_known(
    memory: Memory, elsewhere: Elsewhere, tmp_path: Path
) -> None:
    memory.project.memory.write_text("## Relations\n\n- auth depends-on redis\n", encoding="utf-8")
    other = elsewhere(b"x\n")
    path = exported(memory, tmp_path / "out")
    assert other.import_(path).count("added") == 1
    done = other.import_(path)
    assert told(done, "known") == [("auth depends-on redis", "the relation is stated")]
    assert done.written == ()
    nothing = additions.add(
        b"x\n",
        [Entry(id="abc", kind=Kind.RELATION, text="nothing")],
        "MEMORY.md",
        other.project.settings,
    )
    assert [one.reason for one in nothing.refused] == ["it states no relation that is understood"]


def test_what_was_written_meanwhile_is_not_replaced(
    full: Memory, elsewhere: Elsewhere, tmp_path: Path
) -> None:
    other = elsewhere()
    export = jsonl_export.read(exported(full, tmp_path / "out").read_bytes())
    under_way = jsonl_import.ExportImport(
        other.project, other.index, False, lambda *_: None, export, other.now()
    )
    other.project.memory.write_bytes(b"mine\n")
    with pytest.raises(ChangedMeanwhile):
        under_way._take_over("MEMORY.md")
    assert other.project.memory.read_bytes() == b"mine\n"


def test_a_dry_run_tells_the_same_and_writes_nothing(
    full: Memory, elsewhere: Elsewhere, tmp_path: Path
) -> None:
    path = exported(full, tmp_path / "out")
    for local in (None, b"# T\n\ndecided: something else\n"):
        other = elsewhere(local)
        state = {
            one: (one.stat().st_mtime_ns, one.read_bytes())
            for one in other.project.folder.iterdir()
            if one.is_file()
        }
        tried = other.import_(path, dry_run=True)
        assert {
            one: (one.stat().st_mtime_ns, one.read_bytes())
            for one in other.project.folder.iterdir()
            if one.is_file()
        } == state
        done = other.import_(path)
        assert (tried.rows, tried.written) == (done.rows, done.written)
        assert tried.dry_run
        assert done.count("added") == 12


def test_progress_is_told(full: Memory, elsewhere: Elsewhere, tmp_path: Path) -> None:
    heard: list[tuple[str, int, int]] = []
    other = elsewhere(b"x\n")
    other.remind("anything", "tomorrow")
    other.import_(exported(full, tmp_path / "out"), progress=lambda *said: heard.append(said))
    assert ("comparing", 6, 7) in heard
    assert ("reminders", 3, 4) in heard


def test_an_import_that_is_interrupted_writes_all_entries_or_none(
    full: Memory, elsewhere: Elsewhere, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(_step: str, at: int, _most: int) -> None:
        if at == 5:
            raise KeyboardInterrupt

    monkeypatch.setattr(importing, "BATCH", 2)
    path = exported(full, tmp_path / "out")
    other = elsewhere(b"decided: something\n")
    before = other.project.memory.read_bytes()
    with pytest.raises(KeyboardInterrupt):
        other.import_(path, progress=interrupt)
    assert other.project.memory.read_bytes() == before
    assert other.import_(path).count("added") > 2


# --- what is no export --------------------------------------------------------------------

HEAD = '{"record": "header", "format": "mind-export", "version": 1, "project": "p"}'
ARCHIVE = '{"record": "file", "file": "ARCHIVE.md", "text": "abc", "bytes": 3}'
ENTRY = {"record": "entry", "id": "x", "kind": "note", "text": "t", "section": [], "file": "f"}


def line(**changes: object) -> str:
    return json.dumps({**ENTRY, "line": 1, **changes})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("# Memory\n", "line 1 is not JSON"),
        ('{"record": "entry"}', "line 1 is no header of an export"),
        (f"{HEAD}\n{HEAD}", "line 2 is no record of an export"),
        (f"{HEAD}\n[]", "line 2 is no record of an export"),
        (f"{HEAD}\n{{}}", "line 2 is no record of an export (no 'record')"),
        (f'{HEAD}\n\n{{"record": "x"}}', "line 3 is no record of an export (no 'x')"),
        (HEAD.replace("mind-export", "other"), "line 1: the format is 'other'"),
        (f"{HEAD}\n{line()[:-9]}", "line 2 is not JSON"),
        (f"{HEAD}\n{line(kind='x')}", "line 2 is no record of an export ('x' is not a valid Kind)"),
        (f"{HEAD}\n{line(text=1)}", "line 2: text is no text"),
        (f"{HEAD}\n{line(date='2026-13-01')}", "line 2 is no record of an export (month must"),
        (f"{HEAD}\n{line(line=-1)}", "line 2: line is no number from 0"),
        (f"{HEAD}\n{line(fields=[])}", "line 2: fields is no object"),
        (f"{HEAD}\n{line(section='x')}", "line 2: section is no list of texts"),
        (f'{HEAD}\n{{"record": "file", "file": "../x"}}', "line 2: '../x' is no file of a memory"),
        (
            f'{HEAD}\n{{"record": "file", "file": "MEMORY.md", "text": "abc", "bytes": 4}}',
            "line 2: MEMORY.md has 3 bytes, not 4",
        ),
        (
            f'{HEAD}\n{{"record": "file", "file": "MEMORY.md", "base64": "a", "bytes": 4}}',
            "line 2 is no record of an export (",
        ),
        (f'{HEAD}\n{{"record": "archived", "id": "x"}}', "line 2: an archived entry without"),
        (
            f'{HEAD}\n{ARCHIVE}\n{{"record": "archived", "id": "x", "start": 0, "end": 3}}',
            "line 3: start and end are not those of 'x' in ARCHIVE.md",
        ),
    ],
)
def test_a_wrong_line_is_named_and_nothing_is_changed(
    memory: Memory, tmp_path: Path, text: str, message: str
) -> None:
    before = contents(memory.project)
    path = tmp_path / "in"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(NotAnExport) as caught:
        memory.import_(path)
    assert caught.value.message.startswith(message)
    assert contents(memory.project) == before


def test_an_export_of_a_later_program_asks_for_that(memory: Memory, tmp_path: Path) -> None:
    path = tmp_path / "in"
    path.write_text(HEAD.replace('"version": 1', '"version": 2'), encoding="utf-8")
    with pytest.raises(InputError, match="Update Mind"):
        memory.import_(path)
    with pytest.raises(NotFound):
        memory.import_(tmp_path / "missing")


def test_lines_can_be_taken_out_by_hand(full: Memory, elsewhere: Elsewhere, tmp_path: Path) -> None:
    path = exported(full, tmp_path / "out")
    kept = [
        text
        for text in path.read_text(encoding="utf-8").splitlines()
        if json.loads(text)["record"] == "header" or json.loads(text).get("kind") == "decision"
    ]
    path.write_text("\r\n".join(kept), encoding="utf-8", newline="")
    other = elsewhere()
    assert other.import_(path).count("added") == 1
    assert "## 2026-11-01\n- decided: SQLite over Postgres" in other.project.memory.read_text(
        encoding="utf-8"
    )


# --- the commands -------------------------------------------------------------------------


def test_the_commands_move_a_memory(
    full: Memory, elsewhere: Elsewhere, tmp_path: Path, mind: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(full.project.root)
    path = tmp_path / "moved.jsonl"
    code, out, err = mind("export", "-o", str(path))
    assert (code, out) == (0, "")
    assert "Wrote 7 entries, 1 archived and 4 reminders" in err
    assert mind("export")[1].split("\n", 1)[1] == path.read_text(encoding="utf-8").split("\n", 1)[1]
    text = mind("export", "--format", "html", "--no-archive", "--no-reminders")[1]
    assert "<h1>Memory of " in text
    other = elsewhere(b"# T\n\nlearned: mine\n")
    monkeypatch.chdir(other.project.root)
    code, out, _ = mind("import", str(path), "--dry-run")
    assert code == 0
    assert out.startswith("Would add 12 from ")
    assert "  + gotcha abc123 Safari drops cookies" in out
    assert "Would change .mind/MEMORY.md." in out
    code, out, _ = mind("import", str(path), "--json")
    done = json.loads(out)
    assert (done["added"], done["known"], done["refused"]) == (12, 0, 0)
    assert done["whole"] == ["REMINDERS.md"]
    code, out, _ = mind("import", str(path))
    assert out.endswith("12 already recorded, 0 rejected.\n")
    code, _, err = mind("export", "-o", str(other.project.memory))
    assert (code, "is in the memory's own folder" in err) == (2, True)
    assert mind("import", str(tmp_path / "nothing"))[0] == 2


def test_the_commands_tell_of_credentials_by_place(
    memory: Memory, elsewhere: Elsewhere, tmp_path: Path, mind: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(memory.project.root)
    memory.project.memory.write_text(
        f"## 2026-11-01\n\ndecided: {KEY} {FILLED} opens it\nlearned: we do it by hand for now\n",
        encoding="utf-8",
    )
    path = tmp_path / "moved.jsonl"
    _, _, err = mind("export", "-o", str(path))
    assert "! .mind/MEMORY.md:3 contains a secret (GitHub" in err
    assert KEY not in path.read_text(encoding="utf-8")
    with_key(path)
    monkeypatch.chdir(elsewhere(b"x\n").project.root)
    code, out, err = mind("import", str(path))
    assert code == 0
    assert "contains a credential (GitHub" in out
    assert KEY not in out + err


@pytest.mark.parametrize("how", ["jsonl", "html"])
def test_notes_of_a_session_that_are_left_out_are_counted(
    full: Memory, mind: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, how: str
) -> None:
    monkeypatch.chdir(full.project.root)
    assert "sessions" not in mind("export", "--format", how)[2]
    full.log("the tests pass since the fix")
    full.log("the API is stable", "assumption")
    _, out, err = mind("export", "--format", how)
    assert "The export lacks 2 notes of running sessions." in err
    assert "the tests pass" not in out
    told = mind("export", "--format", how, "-o", str(tmp_path / "out"), "--json")[1]
    assert json.loads(told)["session"] == 2
