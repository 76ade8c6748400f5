"""Curating among odd files, other processes, crashes and what people did by hand."""

import itertools
import subprocess
import sys
import textwrap
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path

import pytest

from mind.documents import archive, markdown, parser
from mind.domain.entry import Entry
from mind.domain.errors import FileError, InputError, NotFound
from mind.memory import curation, tidy
from mind.memory.memory import Memory
from mind.memory.validation import Forgotten, SecretRefused
from mind.storage import archives, files
from mind.storage import events as journal
from mind.storage.project import Project
from tests.conftest import Clock

DAY = date(2026, 11, 20)


def entries(project: Project) -> list[Entry]:
    path = project.memory
    found = parser.parse(path.read_bytes(), project.relative(path), project.settings)
    return parser.number_and_resolve(found)


@pytest.mark.parametrize(
    "source",
    [
        b"\xef\xbb\xbfdecided: the first line of a file\n\n# More\n",
        b"\xef\xbb\xbf- gotcha: the only line of a file",
        b"text before\n\tdecided: behind a tab\n",
        b"\x0cdecided: behind a form feed\n\n# More\n",
        b"# H\rdecided: lines that end in carriage returns\r\rx\r",
        b"x\n\ndecided: ends in one\r",
        b"---\r---\r\n- [ ] todo: behind two lines alike\n",
    ],
)
def test_an_entry_that_begins_no_line_of_its_own_comes_back_too(
    memory: Memory, source: bytes
) -> None:
    project = memory.project
    project.memory.write_bytes(source)
    one = entries(project)[0]
    curation.forget(project, one, "x", DAY, acknowledge=True)
    assert one.text.encode() not in project.memory.read_bytes()
    assert curation.restore(project, one.id).entry.text == one.text
    assert project.memory.read_bytes() == source
    marked = curation.mark(project, one, {"verified": "2026-11-20"})
    assert (marked.text, marked.fields) == (one.text, {"verified": "2026-11-20"})
    assert entries(project)[0].text == one.text


def test_what_is_restored_is_told_as_it_reads_among_the_rest(memory: Memory) -> None:
    project = memory.project
    project.memory.write_bytes(b"> quoted text\ndecided: the pool of ten\n> quoted on\n")
    one = entries(project)[0]
    curation.forget(project, one, "x", DAY, acknowledge=True)
    assert curation.restore(project, one.id).entry.text == one.text


@pytest.mark.parametrize(
    "source",
    [
        "note: two `[verified:: x]` [verified:: 2025-01-01] of them\n",
        "## Decisions\n\n- names are short\n",
        "## Decisions\n- [x] todo: tidy up\n",
    ],
)
def test_odd_entries_can_be_marked_and_the_mark_taken_away(memory: Memory, source: str) -> None:
    project = memory.project
    project.memory.write_text(source, "utf-8", newline="")
    before = entries(project)[0]
    curation.mark(project, before, {"verified": "2026-11-20"})
    assert entries(project)[0].fields == {"verified": "2026-11-20"}
    assert entries(project)[0].text == before.text
    curation.mark(project, entries(project)[0], {"verified": ""})
    assert entries(project)[0].fields == {}


BLOCK = """## 2026-01-02 abc{at}

- reason: x
- was: note of {day}
- from: .mind/MEMORY.md:{line}, under the top
- between: -+{blank} -+0

```markdown
note: text {at}
```

"""


def test_a_damaged_fact_of_an_archive_costs_only_itself(memory: Memory) -> None:
    project = memory.project
    damaged = BLOCK.format(at=1, day="2026-13-45", line="9" * 5000, blank="9" * 5000)
    project.archive.write_text(
        damaged + BLOCK.format(at=2, day="2026-01-01", line="3", blank="0"), "utf-8"
    )
    first, second = archive.blocks(project.archive.read_bytes())
    assert (first.date, first.line, second.date, second.line) == (None, 0, date(2026, 1, 1), 3)
    assert curation.restore(project, "abc1").entry.text == "text 1"


def test_what_stands_within_another_entry_leaves_first(memory: Memory) -> None:
    project = memory.project
    source = b"# M\n\n- note: one outer thing\n  - gotcha: an inner thing\n\n## B\n"
    project.memory.write_bytes(source)
    outer, inner = entries(project)
    leaving = [curation.Leaving(outer, "x"), curation.Leaving(inner, "y")]
    curation.forget_all(project, leaving, DAY, acknowledge=True)
    assert project.memory.read_bytes() == b"# M\n\n\n## B\n"
    assert [one.id for one in archives.read(project.archive)] == [inner.id, outer.id]
    curation.restore(project, outer.id)
    curation.restore(project, inner.id)
    assert project.memory.read_bytes() == source


NESTED = """# Memory

## 2026-01-05

- note: the old router of the office
  - gotcha: it drops the wireless network at noon
- note: another router is upstairs
  - note: it is grey
"""


def test_tidying_takes_nothing_along_that_is_to_stay(memory: Memory, clock: Clock) -> None:
    memory.project.memory.write_text(NESTED, "utf-8")
    clock.forward(days=-(clock().date() - date(2026, 11, 20)).days)
    before = memory.project.memory.read_bytes()
    done = memory.tidy()
    left = memory.project.memory.read_text("utf-8")
    assert "drops the wireless" in left
    assert "the old router" in left
    assert "upstairs" not in left
    assert "grey" not in left
    assert memory.tidy().steps == ()
    for step in reversed(done.steps):
        memory.restore(step.entries[0].id)
    assert memory.project.memory.read_bytes() == before


def test_what_cannot_be_put_together_writes_no_summary(memory: Memory) -> None:
    one = memory.log("the parser is slow on tables", "learning").entry
    step = Entry(id="x", kind=one.kind, text="y", source="git", commit="0123456789")
    made = tidy.consolidation([memory.index_entries()[0], step], "the parser is slow")
    before = memory.project.memory.read_bytes()
    with pytest.raises(InputError, match="not in Mind's files"):
        tidy.carry_out(memory.project, [made], DAY)
    assert memory.project.memory.read_bytes() == before


def test_what_took_the_place_of_an_exact_repeat_is_found_by_its_id(memory: Memory) -> None:
    memory.project.memory.write_text(
        "# M\n\n"
        + "".join(f"## 2026-11-0{at}\n\nnote: said again and again\n\n" for at in (1, 2, 3)),
        "utf-8",
    )
    memory.tidy()
    left = [one.id for one in memory.index_entries()]
    assert len(left) == 1
    assert {one.replaced_by for one in memory.archive().blocks} == set(left)


@pytest.mark.parametrize("end", ["", "\n## Later\n\nx\n"])
@pytest.mark.parametrize("begin", ["", "# Memory\n\n"])
@pytest.mark.parametrize("count", [2, 3])
def test_in_every_order_they_come_back_to_where_they_stood_in_the_file(
    memory: Memory, begin: str, end: str, count: int
) -> None:
    project = memory.project
    lines = "".join(f"- decided: fact number {at} of the plan\n" for at in range(count))
    source = f"{begin}{lines}{end}".encode()
    project.memory.write_bytes(source)
    known = entries(project)
    for away in itertools.permutations(known[:count]):
        for back in itertools.permutations(known[:count]):
            for one in away:
                curation.forget(project, one, "x", DAY, acknowledge=True)
            for one in back:
                curation.restore(project, one.id)
            assert project.memory.read_bytes() == source


FORGET = """
import sys
from datetime import date
from pathlib import Path
from mind.memory import curation; from mind.documents import parser
from mind.domain.errors import MindError
from mind.storage.project import Project
project = Project(Path(sys.argv[1]))
what, ids = sys.argv[2], sys.argv[3:]
path = project.memory
found = parser.parse(path.read_bytes(), project.relative(path), project.settings)
known = {one.id: one for one in found}
print("ready", flush=True)
sys.stdin.readline()
for one in ids:
    try:
        if what == "forget":
            curation.forget(project, known[one], "by " + one, date(2026, 11, 20), acknowledge=True)
        elif what == "rewrite":
            curation.rewrite(project, known[one], "another fact " + one, date(2026, 11, 20))
        else:
            curation.restore(project, one)
    except MindError:
        pass
"""


def at_once(root: Path, what: str, ids: Sequence[str], count: int = 3) -> None:
    """Do the same to the same entries in several processes."""
    running = [
        subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(FORGET), str(root), what, *ids],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        for _ in range(count)
    ]
    for one in running:
        assert one.stdout is not None
        one.stdout.readline()
    for one in running:
        assert one.stdin is not None
        one.stdin.write("\n")
        one.stdin.flush()
    for one in running:
        one.communicate(timeout=60)
        assert one.returncode == 0


def test_of_several_processes_only_one_forgets_and_one_restores(memory: Memory) -> None:
    project = memory.project
    lines = "".join(f"- decided: fact number {at} of the plan\n" for at in range(12))
    source = f"# Memory\n\n{lines}".encode()
    project.memory.write_bytes(source)
    ids = [one.id for one in entries(project)]
    at_once(project.root, "forget", ids)
    assert project.memory.read_bytes() == b"# Memory\n\n"
    assert sorted(one.id for one in archives.read(project.archive)) == sorted(ids)
    assert project.archive.read_text("utf-8").count("# Archive") == 1
    at_once(project.root, "restore", ids)
    assert project.memory.read_bytes() == source
    assert archives.read(project.archive) == []
    at_once(project.root, "rewrite", ids)
    assert sorted(one.id for one in archives.read(project.archive)) == sorted(ids)


def test_a_claim_asked_by_a_wrong_clock_or_without_a_zone_does_not_wait(
    memory: Memory, clock: Clock
) -> None:
    asked = memory.log("The user prefers tabs over spaces", "learning").pending
    assert asked is not None
    path = memory.project.pending
    text = path.read_text("utf-8")
    path.write_text(text.replace("+00:00", ""), "utf-8")
    assert memory.waiting() == []
    path.write_text(text, "utf-8")
    clock.forward(days=-2)
    assert memory.waiting() == []


def test_a_sweep_noted_without_a_zone_is_none(memory: Memory) -> None:
    assert memory.tidy_if_due() is not None
    assert memory.tidy_if_due() is None
    (memory.project.cache / "tidied").write_text("2026-11-20T09:00:00", "utf-8")
    assert memory.tidy_if_due() is not None


def test_an_archive_that_cannot_be_read_keeps_nobody_from_noting(memory: Memory) -> None:
    memory.project.archive.mkdir()
    assert not memory.log("the pool holds ten connections", "decision").known
    assert "ten connections" in memory.project.memory.read_text("utf-8")


def test_a_claim_that_could_not_be_written_waits_on(memory: Memory) -> None:
    asked = memory.log("The user prefers tabs over spaces", "learning").pending
    assert asked is not None
    memory.project.memory.unlink()
    memory.project.memory.mkdir()
    with pytest.raises(FileError):
        memory.confirm(asked.id)
    assert memory.waiting() == [asked]
    memory.project.memory.rmdir()
    memory.confirm(asked.id)
    assert "prefers tabs" in memory.project.memory.read_text("utf-8")


def test_uses_that_come_while_the_log_is_read_are_counted_once(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = memory.log("the parser is slow on tables", "learning").entry
    memory.get([one.id])
    memory.index.clear()
    memory.close()
    real = journal.events
    late: list[Path] = []

    def events(path: Path) -> tuple[journal.Event, ...]:
        if not late:
            late.append(path)
            event = journal.Event(at=memory.now(), session="", name="get", ids=(one.id,))
            journal.record(path, event, memory.project.settings)
        return real(path)

    monkeypatch.setattr(journal, "events", events)
    memory.search("parser")
    memory.search("parser")
    assert memory.index.usage.days() == {one.id: (memory.now().date(),) * 2}


def test_what_says_the_same_in_other_forms_is_found_in_a_long_archive(memory: Memory) -> None:
    """Most archived texts are passed over unread: none of those may say the same."""
    known = memory.log("policies of retries: the **Pool** saves 5 classes", "decision").entry
    memory.forget(known.id, "no longer so")
    with memory.project.archive.open("a", encoding="utf-8") as file:
        file.writelines(BLOCK.format(at=at, day="2026-01-01", line=1, blank=0) for at in range(99))
    with pytest.raises(Forgotten, match="no longer so"):
        memory.log("Policies of retries — the pool saves 5 classes.", "decision")


@pytest.mark.parametrize(
    ("source", "closing"),
    [
        (b"# A\n\n```\n\n# B\n\n~~~\n", b"```\n"),
        (b"# A\n\n<!-- x\n\n# B\n", b"-->\n"),
        (b"# A\n\n```\n```\n\n# B\n\ntext\n", b""),
        (b"", b""),
    ],
)
def test_what_is_open_at_the_end_is_found_in_the_last_section(
    source: bytes, closing: bytes
) -> None:
    assert markdown.closing(source, b"\n") == closing


@pytest.mark.parametrize("opening", [b"<!-- later\n", b"```\n", b" ~~~ python\n"])
@pytest.mark.parametrize(
    "last", [b"- learned: locks are slow\n", b"- learned: locks are slow", b""]
)
def test_what_is_restored_into_an_open_comment_or_fence_is_read(
    memory: Memory, opening: bytes, last: bytes
) -> None:
    path = memory.project.memory
    above, before = b"# Notes\n\n- decided: SQLite\n\n", b"- learned: disks are slow\n"
    entry = b"- decided: Redis for the queue\n"
    path.write_bytes(above + before + entry + last)
    one = next(one for one in memory.index_entries() if "Redis" in one.text)
    memory.forget(one.id, "not now")
    path.write_bytes(above + opening + before + last)
    restored = memory.restore(one.id)
    assert [one.text for one in memory.index_entries()] == ["SQLite", "Redis for the queue"]
    assert restored.entry.id == one.id
    assert path.read_bytes() == above + entry + opening + before + last


TOKEN = "ghp_" + "".join(chr(97 + at * 7 % 26) + str(at % 10) for at in range(18))


@pytest.mark.parametrize(
    "ask",
    [
        lambda memory: memory.verify(TOKEN),
        lambda memory: memory.restore(TOKEN),
        lambda memory: memory.confirm(TOKEN),
        lambda memory: memory.forget(TOKEN, "x"),
        lambda memory: memory.log("x y z", TOKEN),
        lambda memory: memory.log(f"{TOKEN[:20]}\x00{TOKEN[20:]}", "decision"),
        lambda memory: memory.relate("password", "is", "hunter2Xk9!vQz"),
        lambda memory: memory.remind("password", "when I mention hunter2Xk9!vQz"),
        lambda memory: memory.add_global_edge(
            title="db password", description="hunter2Xk9!vQz", workaround="x"
        ),
    ],
)
def test_a_credential_in_two_parts_or_for_an_id_is_not_stored_and_not_echoed(
    memory: Memory, ask: Callable[[Memory], object]
) -> None:
    with pytest.raises(SecretRefused) as caught:
        ask(memory)
    told = f"{caught.value} {caught.value.data}"
    assert "hunter2" not in told
    assert TOKEN not in told
    stored = b"".join(one.read_bytes() for one in memory.project.folder.rglob("*") if one.is_file())
    assert b"hunter2" not in stored
    assert TOKEN[20:].encode() not in stored


ECHOES: dict[str, Callable[[Memory], object]] = {
    "get": lambda memory: memory.get([TOKEN, "sound"]).missing,
    "get, marked": lambda memory: memory.get([f"^{TOKEN}"]).missing,
    "record_use": lambda memory: memory.record_use([TOKEN], "applied"),
    "record_use, of some": lambda memory: memory.record_use(["sound", TOKEN], "applied").missing,
    "verify": lambda memory: memory.verify(TOKEN),
    "update": lambda memory: memory.update(TOKEN, "other words"),
    "consolidate": lambda memory: memory.consolidate(["sound", TOKEN], "a summary"),
    "forget": lambda memory: memory.forget(TOKEN, "x"),
    "forget for": lambda memory: memory.forget("sound", "x", replaced_by=TOKEN),
    "restore": lambda memory: memory.restore(TOKEN),
    "confirm": lambda memory: memory.confirm(TOKEN),
    "changes": lambda memory: memory.changes(TOKEN),
    "timeline": lambda memory: memory.timeline(TOKEN),
    "around": lambda memory: memory.around(TOKEN),
    "when": lambda memory: memory.when(TOKEN),
    "search": lambda memory: memory.search(TOKEN).query,
    "search for types": lambda memory: memory.search("pool", kinds=[TOKEN]),
    "search since": lambda memory: memory.search("pool", filters={"since": TOKEN}),
    "reminder_done": lambda memory: memory.reminder_done(TOKEN),
    "traverse": lambda memory: memory.traverse(TOKEN).start,
}


@pytest.mark.parametrize("way", ECHOES)
def test_a_credential_that_is_asked_for_is_not_echoed(memory: Memory, way: str) -> None:
    memory.project.memory.write_text("decided: the pool holds ten ^sound\n", encoding="utf-8")
    try:
        told = str(ECHOES[way](memory))
        assert "removed]" in told
    except InputError as error:
        told = f"{error} {error.data}"
    assert TOKEN not in told
    stored = b"".join(one.read_bytes() for one in memory.project.folder.rglob("*") if one.is_file())
    assert TOKEN.encode() not in stored


def test_what_is_no_credential_is_told_as_it_was_asked(memory: Memory) -> None:
    memory.log("the pool holds ten connections", "decision")
    assert memory.get(["pq7x2m1k"]).missing == ("pq7x2m1k",)
    for ask in (memory.verify, memory.restore, memory.timeline, memory.reminder_done):
        with pytest.raises(NotFound, match="pq7x2m1k"):
            ask("pq7x2m1k")


@pytest.mark.parametrize(
    ("subject", "predicate", "thing"),
    [
        ("password reset", "depends-on", "mail-queue"),
        ("token", "uses", "HS256"),
        ("api key", "lives-in", "vault"),
        ("auth", "uses", "argon2id"),
        ("session secret", "belongs-to", "config/settings.py"),
    ],
)
def test_names_beside_words_about_credentials_are_none(
    memory: Memory, subject: str, predicate: str, thing: str
) -> None:
    assert memory.relate(subject, predicate, thing)
    for when in ("tomorrow", "2026-12-01", "2026-12-01 10:00", "next session", "in 3 weeks"):
        assert memory.remind(f"rotate the {subject}", when)


def test_what_was_taken_out_is_not_put_back_after_a_kill(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process dies between the file and its note of what it did there."""
    project = memory.project
    first = memory.log("the pool holds ten connections", "decision").entry
    memory.log("the cache of pages is cold", "problem")

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as dying:
        dying.setattr("mind.storage.files.replacing._note", die)
        with pytest.raises(KeyboardInterrupt):
            memory.forget(first.id, "no longer so")
    assert b"ten connections" not in project.memory.read_bytes()
    files.settle(project.memory)
    memory.log("names are short", "decision")
    files.settle(project.memory)
    assert b"ten connections" not in project.memory.read_bytes()
    assert [one.id for one in archives.read(project.archive)] == [first.id]
