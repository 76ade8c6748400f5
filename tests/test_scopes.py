"""Tags: which there are, renaming one everywhere, muting one for a session, allowing only some."""

import json
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mind.documents import tags
from mind.documents.markdown import splice
from mind.domain.errors import InputError, NotFound
from mind.memory import wording
from mind.memory.memory import Memory
from mind.server.mcp import curate_tools
from mind.server.mcp.tools import TOOLSETS
from mind.setup import install
from mind.storage.project import Project
from tests.conftest import Clock, Run

NOTES = """\
# Memory of #db

## 2026-11-01

- decided: SQLite over Postgres #db - one file ^aaaaaaaa
- learned: the pool leaks (#DB) and #web too ^bbbbbbbb
- gotcha: `#db` is code, [#db](x#db) a link, [[page #db]] too, https://x.org/#db ^cccccccc
- note: #db/sql and #db-old and x#db are others ^dddddddd

## 2026-11-05 #db

decided: paragraphs have #db, and
more of #db on the next line

```
#db in a block
```

| what | why |
|---|---|
| decided: a table | #db |
"""


@pytest.fixture
def noted(memory: Memory) -> Memory:
    memory.project.memory.write_text(NOTES, encoding="utf-8", newline="")
    return memory


# What is a tag


def test_tags_do_not_stand_in_code_links_or_fields() -> None:
    text = "#one `#two` [x](#three) [[#four]] <#five> https://a.b/#six [key:: #seven] (#eight) a#b"
    assert tags.tags_in(text) == ("one", "eight")
    assert tags.tags_in("``#a ` #b`` #c #1 #_ #d/e-f") == ("c", "d/e-f")
    assert tags.tags_in("none") == ()
    found = tags.tags_in("#release-0.22, #v1.2.3. #db. Then #db.It")
    assert found == ("release-0.22", "v1.2.3", "db")


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [("frontend", "frontend", 0), ("fronted", "frontend", 1), ("frnoted", "frontend", 2),
     ("", "ab", 2), ("abc", "xyz", 3), ("a", "abcdef", 5), ("auht", "auth", 1),
     ("kitten", "sitting", 3), ("databse", "database", 1), ("ca", "abc", 3)],
)  # fmt: skip
def test_the_distance_of_names(one: str, other: str, apart: int) -> None:
    assert tags.distance(one, other) == tags.distance(other, one) == apart


@given(st.text(alphabet="#db `[]()\n-x:/é", max_size=60))
def test_renaming_there_and_back_changes_nothing(text: str) -> None:
    source = text.encode()
    edits = tags.renaming(source, "db", "qq")
    after = splice(source, edits)
    assert splice(after, tags.renaming(after, "qq", "db")) == source
    assert not tags.renaming(after, "db", "qq")


# The overview


def test_the_overview_counts_tags_and_tells_misspellings(memory: Memory) -> None:
    lines = ["- note: x #frontend"] * 6 + ["- note: x #Frontend", "- note: y #fronted", "- note: z"]
    lines += ["- note: u #ui"] * 6 + ["- note: v #db #DB"]
    text = "# Memory\n\n## 2026-11-01\n\n" + "".join(
        f"{line} {number}\n" for number, line in enumerate(lines)
    )
    memory.project.memory.write_text(text, encoding="utf-8")
    found = memory.tags()
    assert [(one.name.lower(), one.entries, one.like) for one in found.tags] == [
        ("frontend", 7, ""),
        ("ui", 6, ""),
        ("db", 1, ""),
        ("fronted", 1, "frontend"),
    ]
    assert found.tags[0].name == "frontend"
    assert found.untagged == 1
    assert found.tags[0].share == pytest.approx(7 / 16)
    assert found.tags[0].last is not None
    assert memory.project.name == found.project


def test_an_empty_memory_has_no_tags(memory: Memory) -> None:
    assert memory.tags().tags == ()


# Renaming


RENAMED = (
    NOTES.replace("Postgres #db", "Postgres #storage")
    .replace("(#DB)", "(#storage)")
    .replace("have #db,", "have #storage,")
    .replace("more of #db on", "more of #storage on")
    .replace("| #db |", "| #storage |")
)


def test_a_tag_is_renamed_where_it_is_one_and_nowhere_else(noted: Memory) -> None:
    tried = noted.rename_tag("#db", "storage", dry_run=True)
    assert tried.files == {".mind/MEMORY.md": 5}
    assert noted.project.memory.read_text(encoding="utf-8") == NOTES
    done = noted.rename_tag("#db", "#storage")
    assert (done.old, done.new, done.files) == ("db", "storage", tried.files)
    assert noted.project.memory.read_text(encoding="utf-8") == RENAMED
    assert not noted.project.archive.exists()
    assert {one.name for one in noted.tags().tags} == {"storage", "web", "db/sql", "db-old"}


def test_every_line_end_stays(noted: Memory) -> None:
    noted.project.memory.write_bytes(NOTES.replace("\n", "\r\n").encode())
    noted.rename_tag("db", "storage")
    assert noted.project.memory.read_bytes() == RENAMED.replace("\n", "\r\n").encode()


def test_the_archive_and_the_session_are_renamed_too(noted: Memory) -> None:
    noted.log("tried the #db again with more workers", "experience")
    noted.forget("aaaaaaaa", "no longer #db")
    before = noted.project.archive.read_text(encoding="utf-8")
    assert noted.rename_tag("db", "storage", archive=False).files == {
        ".mind/MEMORY.md": 4,
        ".mind/SESSION.md": 1,
    }
    assert noted.project.archive.read_text(encoding="utf-8") == before
    assert noted.rename_tag("db", "storage").files == {".mind/ARCHIVE.md": 1}
    after = noted.project.archive.read_text(encoding="utf-8")
    assert after == before.replace("Postgres #db", "Postgres #storage")
    assert noted.restore("aaaaaaaa").entry.tags == ("storage",)


def test_what_names_an_entry_by_its_id_follows_it(memory: Memory) -> None:
    one = memory.log("rows are kept in one file #db", "decision").entry.id
    two = memory.log("rows are kept for a year #db", "decision").entry.id
    memory.log(f"rows of guests go sooner [refines:: {one}, {two}]", "decision")
    memory.log("an old rule about rows", "decision")
    old = memory.search("old rule rows").hits[0].entry.id
    memory.forget(old, f"see {two}", replaced_by=two)
    memory.rename_tag("db", "storage")
    now = {entry.text: entry for entry in memory.index_entries()}
    first, second = (
        now[f"rows are kept {rest} #storage"].id for rest in ("in one file", "for a year")
    )
    assert first != one
    assert now["rows of guests go sooner"].fields["refines"] == f"{first}, {second}"
    (kept,) = memory.archive().blocks
    assert (kept.replaced_by, kept.reason) == (second, f"see {two}")
    assert memory.restore(old).entry.text == "an old rule about rows"


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [("none", "x", NotFound), ("db", "1x", InputError), ("db", "#db", InputError),
     ("a b", "x", InputError), ("db", "", InputError)],
)  # fmt: skip
def test_what_cannot_be_renamed_is_told(
    noted: Memory, old: str, new: str, error: type[Exception]
) -> None:
    with pytest.raises(error):
        noted.rename_tag(old, new)
    assert noted.project.memory.read_text(encoding="utf-8") == NOTES


# Muting


def test_muted_entries_are_left_out_unless_they_are_asked_for(noted: Memory, clock: Clock) -> None:
    before = {hit.entry.id for hit in noted.search("sqlite pool leaks code").hits}
    assert before >= {"aaaaaaaa", "bbbbbbbb", "cccccccc"}
    whole = noted.recall().context
    block = (noted.project.root / "CLAUDE.md").read_bytes()
    assert "SQLite" in whole
    assert noted.mute_tag("#DB") == ("db",)
    assert next(one.muted for one in noted.tags().tags if one.name.lower() == "db")
    found = {hit.entry.id for hit in noted.search("sqlite pool leaks code").hits}
    assert "cccccccc" in found
    assert not found & {"aaaaaaaa", "bbbbbbbb"}
    assert "aaaaaaaa" not in {hit.entry.id for hit in noted.recent().hits}
    assert {hit.entry.id for hit in noted.search("sqlite tag:db").hits} >= {"aaaaaaaa"}
    assert noted.search("sqlite id:aaaaaaaa").hits
    assert noted.get(["aaaaaaaa"]).entries
    assert "SQLite" not in noted.recall().context
    assert (noted.project.root / "CLAUDE.md").read_bytes() == block
    assert noted.unmute_tag("db") == ()
    assert noted.recall().context == whole
    assert {hit.entry.id for hit in noted.search("sqlite pool leaks code").hits} == before


def test_muting_ends_with_the_session(noted: Memory, clock: Clock) -> None:
    noted.mute_tag("db")
    clock.forward(minutes=20)
    assert "aaaaaaaa" not in {hit.entry.id for hit in noted.search("sqlite").hits}
    other = Memory(noted.project, clock=clock)
    assert "aaaaaaaa" not in {hit.entry.id for hit in other.search("sqlite").hits}
    other.close()
    clock.now += timedelta(hours=1)
    assert "aaaaaaaa" in {hit.entry.id for hit in noted.search("sqlite").hits}
    assert not any(one.muted for one in noted.tags().tags)


def test_answers_say_what_is_muted(noted: Memory) -> None:
    noted.mute_tag("db")
    found = noted.search("sqlite pool code")
    assert "without #db (muted)" in wording.found(found, 5_000)
    assert noted.search("zebra").parsed.narrowed == "muted:db"


def test_only_so_many_can_be_muted(noted: Memory) -> None:
    for number in range(50):
        noted.mute_tag(f"t{number}")
    with pytest.raises(InputError, match="over 50"):
        noted.mute_tag("more")


# Allowed tags


def test_only_allowed_tags_are_written(memory: Memory) -> None:
    memory.configure("scopes.allowed", '["db", "#Web"]')
    with pytest.raises(InputError, match=r"#ui is not a tag.*#db, #Web"):
        memory.log("buttons are round #ui", "decision")
    assert not memory.search("buttons").hits
    done = memory.log("rows are kept #DB #web, `#ui` is code", "decision")
    with pytest.raises(InputError, match="#ui"):
        memory.update(done.entry.id, "rows are kept #ui")
    with pytest.raises(InputError, match=r"#ui is not a tag.*scopes\.allowed"):
        memory.rename_tag("db", "ui")
    assert memory.rename_tag("db", "web").files == {".mind/MEMORY.md": 1}
    assert memory.tags().allowed == ("db", "#Web")


# Other projects


def test_other_projects_are_searched_only_if_that_is_asked_for(
    memory: Memory, tmp_path_factory: pytest.TempPathFactory, clock: Clock
) -> None:
    root = tmp_path_factory.mktemp("other")
    install.apply(install.plan(root))
    other = Memory(Project(root), clock=clock)
    other.log("zebras cross the river #animals", "decision")
    other.close()
    for query in ("zebras", "zebras tag:animals", "river zebras cross"):
        assert memory.search(query).hits == ()
        assert [hit.project for hit in memory.search(query, everywhere=True).hits] == [root.name]
    assert memory.tags().tags == ()
    assert memory.tags().others == (root.name,)
    assert root.name not in memory.recall().context


def test_other_projects_and_allowed_tags_are_named(
    memory: Memory,
    here: Project,
    mind: Run,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    other = tmp_path_factory.mktemp("other")
    install.apply(install.plan(other))
    memory.configure("scopes.allowed", '["db"]')
    code, out, err = mind("scopes")
    assert (code, out) == (0, "")
    assert "Tags allowed on new entries: db." in err
    assert other.name in err
    lines = curate_tools._tags_shown(memory.tags(), 5_000)
    assert "Tags allowed in new entries: db." in lines
    assert f"Other projects (mind_search with scope all): {other.name}." in lines


# As a model and a person see it


def test_a_model_sees_renames_and_mutes_tags(noted: Memory) -> None:
    (tool,) = [one for one in TOOLSETS["curate"] if one.name == "mind_scopes"]

    def call(**arguments: str) -> str:
        return tool.run(noted, **tool.check(arguments))

    first, *rest = call().splitlines()
    assert first.startswith("4 tags; 2 entries have none.")
    assert rest[0] == "- #db · 3 (50%) · last 2026-11-05"
    assert call(action="mute", scope="db") == "Muted until the session ends: #db."
    assert "muted" in call()
    assert call(action="unmute", scope="#db") == "No tag is muted."
    assert call(action="rename", scope="web", new_name="site") == (
        "#web is now #site: 1 in .mind/MEMORY.md."
    )
    with pytest.raises(InputError, match="needs a tag"):
        call(action="mute")
    with pytest.raises(InputError):
        call(action="rename", scope="web")


def test_a_person_sees_renames_and_mutes_tags(noted: Memory, here: Project, mind: Run) -> None:
    code, out, err = mind("scopes")
    assert code == 0
    assert out.splitlines()[0].startswith("#db\t3\t50%\t2026-11-05")
    assert "have no tag" in err
    assert mind("scopes", "list")[1] == out
    assert json.loads(mind("scopes", "list", "--json")[1])["tags"][0]["entries"] == 3
    assert mind("scopes", "rename", "db", "storage", "--dry-run")[1] == (
        "Would rename #db to #storage: 5 in .mind/MEMORY.md\n"
    )
    assert mind("scopes", "rename", "db", "storage")[1] == (
        "Renamed #db to #storage: 5 in .mind/MEMORY.md\n"
    )
    assert json.loads(mind("scopes", "rename", "storage", "db", "--json")[1])["new"] == "db"
    assert mind("scopes", "mute", "db")[1] == "Muted until the session ends: #db.\n"
    assert "muted" in mind("scopes")[1]
    assert "aaaaaaaa" not in mind("search", "sqlite")[1]
    assert json.loads(mind("scopes", "unmute", "db", "--json")[1]) == []
    assert "aaaaaaaa" in mind("search", "sqlite")[1]
    assert mind("scopes", "mute", "1")[0] == 2
