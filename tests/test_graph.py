"""Walking from thing to thing: in the index, through the one door, by tool and by command."""

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from mind.__main__ import main
from mind.domain.entry import Entry, Kind, Span, content_id
from mind.domain.errors import InputError
from mind.memory.memory import Memory
from mind.server.mcp.app import answer
from mind.server.mcp.search_tools import GRAPH
from mind.server.mcp.tools import chosen
from mind.storage.index import DEEPEST, Chunk, GraphStep, Index
from mind.storage.index.graph import around
from mind.storage.project import Project
from mind.text.entities import key_of
from tests.conftest import Run

RELATIONS = (
    "[[web]] uses [[auth]]",
    "[[auth]] depends-on [[redis]]",
    "[[redis]] runs-on [[host-1]]",
    "[[auth]] owned-by [[Ann Lee]]",
    "[[auth]] same-as [[AuthService]]",
)
ENTRIES = (
    "Sessions of `AuthService` live for a day",
    "We pin Redis to one version",
    "The cache of redis is cleared at night",
    "Nothing that is named here",
)


@pytest.fixture
def index() -> Iterator[Index]:
    opened = Index(None)
    yield opened
    opened.close()


def entries(texts: tuple[str, ...], kind: Kind) -> list[Entry]:
    return [
        Entry(id=content_id(text), kind=kind, text=text, source="m.md", line=at, span=Span(0, 1))
        for at, text in enumerate(texts, 1)
    ]


def put(index: Index, path: str, found: list[Entry]) -> None:
    digest = "\n".join(one.text for one in found).encode()
    with index.writing():
        index.replace(
            path, family="memory", rank=0, stamp="", chunks=[Chunk(digest, 1, 0, lambda: found)]
        )


def named(index: Index) -> dict[str, int]:
    """How many entries name each thing."""
    return {key_of(one.name): one.entries for one in index.graph.overview(1000).things}


@pytest.fixture
def filled(index: Index) -> Index:
    put(index, "a.md", entries(RELATIONS, Kind.RELATION))
    put(index, "b.md", entries(ENTRIES, Kind.DECISION))
    return index


def shown(steps: list[GraphStep]) -> list[tuple[int, str, str, str, bool]]:
    return [
        (one.depth, one.edge.subject, one.edge.predicate, one.edge.object, one.inward)
        for one in steps
    ]


def test_a_walk_goes_nearest_first_and_both_ways(filled: Index) -> None:
    assert shown(filled.graph.traverse(["auth"], depth=2)) == [
        (1, "web", "uses", "auth", True),
        (1, "auth", "depends-on", "redis", False),
        (1, "auth", "owned-by", "Ann Lee", False),
        (2, "redis", "runs-on", "host-1", False),
    ]


def test_a_walk_keeps_to_its_direction_and_predicate(filled: Index) -> None:
    walk = filled.graph.traverse
    assert [row[3] for row in shown(walk(["web"], 3, None, "out"))] == [
        "auth",
        "redis",
        "Ann Lee",
        "host-1",
    ]
    assert [row[1] for row in shown(walk(["redis"], 3, None, "in"))] == ["auth", "web"]
    assert all(one.inward for one in walk(["redis"], 3, None, "in"))
    assert shown(walk(["auth"], 3, "depends-on")) == [(1, "auth", "depends-on", "redis", False)]
    assert shown(walk(["auth"], 1, "same-as")) == [(1, "auth", "same-as", "AuthService", False)]


def test_what_is_further_away_counts_less(filled: Index) -> None:
    steps = filled.graph.traverse(["web"], 3)
    assert [(one.depth, one.weight) for one in steps] == [
        (1, 1.0),
        (2, 0.5),
        (2, 0.5),
        (3, 0.25),
    ]


def test_a_walk_is_never_deeper_than_the_deepest_and_ends_in_a_circle(index: Index) -> None:
    chain = tuple(f"[[n{at}]] leads-to [[n{(at + 1) % 9}]]" for at in range(9))
    put(index, "a.md", entries(chain, Kind.RELATION))
    assert max(one.depth for one in index.graph.traverse(["n0"], 99)) == DEEPEST
    put(index, "a.md", entries(("[[a]] x-of [[b]]", "[[b]] x-of [[a]]"), Kind.RELATION))
    assert len(index.graph.traverse(["a"], 3)) == 2


def test_another_name_is_the_same_thing(filled: Index) -> None:
    graph = filled.graph
    assert graph.aliases(["authservice"]) == ["authservice", "auth"]
    assert graph.names(["authservice", "unheard"]) == ["AuthService", "unheard"]
    assert shown(graph.traverse(["authservice"])) == shown(graph.traverse(["auth"]))
    assert [one.text for one in graph.entries(["auth"])] == [ENTRIES[0]]


def test_a_chain_of_names_without_end_is_cut(index: Index) -> None:
    chain = tuple(f"[[n{at}]] same-as [[n{at + 1}]]" for at in range(200))
    put(index, "a.md", entries(chain, Kind.RELATION))
    assert len(index.graph.aliases(["n0"])) <= 70


def test_a_query_names_things_in_small_letters(filled: Index) -> None:
    graph = filled.graph
    assert graph.named_in("what does ann lee own in `web`, and redis") == ["web", "annlee", "redis"]
    assert graph.named_in("what does ann lee own", lowercase=False) == []
    assert graph.named_in("nothing of it") == []


@pytest.mark.parametrize(("setting", "found"), [("true", 1), ("false", 0)])
def test_a_setting_lets_small_letters_name_things(
    mind: Run, here: Project, setting: str, found: int
) -> None:
    memory = Memory(here)
    memory.log("The importer is looked after by Ann Lee", "note")
    mind("config", "search.lowercase_names", setting)
    answer = Memory(Project(here.root)).search("who is ann lee")
    assert answer.candidates.get("names", 0) == found


def near(index: Index, seed: str, limit: int = 50) -> dict[str, float]:
    db = index.graph.db
    names = dict(db.execute("SELECT rowid, id FROM entry"))
    (row,) = (row for row, name in names.items() if name == seed)
    return {names[other]: score for other, score in around(db, [row], limit)}


def test_entries_near_others_share_what_they_name(index: Index) -> None:
    texts = ("see `alpha` and `beta`", "`alpha` alone", "`alpha` with `beta`", "`gamma` alone")
    found = entries(texts, Kind.NOTE)
    put(index, "a.md", found)
    scores = near(index, found[0].id)
    assert list(scores) == [found[2].id, found[1].id]
    assert 0 < scores[found[1].id] < scores[found[2].id]
    assert list(near(index, found[0].id, limit=1)) == [found[2].id]


def test_what_is_reached_along_a_relation_is_further_away(filled: Index) -> None:
    scores = near(filled, content_id(ENTRIES[0]))
    assert 0 < scores[content_id(ENTRIES[1])] < scores[content_id(RELATIONS[1])]
    assert content_id(ENTRIES[0]) not in scores


def test_what_everything_names_brings_nothing_near(index: Index) -> None:
    found = entries(tuple(f"`every` number {at}" for at in range(500)), Kind.NOTE)
    put(index, "a.md", found)
    assert near(index, found[0].id) == {}


def test_many_things_that_many_name_are_looked_up_as_far_as_time_allows(index: Index) -> None:
    names = " ".join(f"`thing{at}`" for at in range(40))
    found = entries(tuple(f"{names} in number {at}" for at in range(300)), Kind.NOTE)
    put(index, "a.md", found)
    assert len(near(index, found[0].id, limit=999)) == 299


def test_what_is_gone_from_the_files_is_gone_from_the_graph(filled: Index) -> None:
    put(filled, "a.md", entries(RELATIONS[:1], Kind.RELATION))
    assert [row[3] for row in shown(filled.graph.traverse(["auth"], 3))] == ["auth"]
    with filled.writing():
        filled.drop("b.md")
    assert "redis" not in named(filled)
    filled.clear()
    assert filled.graph.traverse(["auth"]) == []
    assert named(filled) == {}


def test_an_index_that_grew_by_edits_is_the_one_built_at_once() -> None:
    source = random.Random(3)  # noqa: S311 - nothing secret
    grown, built = Index(None), Index(None)
    state: dict[str, list[Entry]] = {}
    for _ in range(40):
        path = source.choice("abc")
        state[path] = entries(tuple(source.sample(RELATIONS, 3)), Kind.RELATION) + entries(
            tuple(source.sample(ENTRIES, 2)), Kind.NOTE
        )
        put(grown, path, state[path])
    for path in sorted(state):
        put(built, path, state[path])
    for name in ("auth", "web", "redis", "annlee"):
        walks = [one.graph.traverse([name], 3) for one in (grown, built)]
        assert shown(walks[0]) == shown(walks[1])
    assert named(grown) == named(built)
    grown.close()
    built.close()


def test_tags_are_things_and_a_list_of_everything_is_cut(index: Index) -> None:
    tagged = Entry(
        id="t", kind=Kind.NOTE, text="x", source="m.md", line=1, span=Span(0, 1), tags=("Web App",)
    )
    long = " ".join(f"`name{at}`" for at in range(400))
    much = Entry(id="l", kind=Kind.NOTE, text=long, source="m.md", line=2, span=Span(0, 1))
    put(index, "a.md", [tagged, much])
    assert named(index)["webapp"] == 1
    assert sum(key.startswith("name") for key in named(index)) == 200


def test_a_word_that_began_a_sentence_is_a_name_when_it_stands_elsewhere(index: Index) -> None:
    first, other = entries(("Kafka is slow. We leave Kafka", "Kafka was first"), Kind.NOTE)
    put(index, "a.md", [first, other])
    assert index.graph.names(["kafka"]) == ["Kafka"]
    assert near(index, first.id) == {}


# --- through the one door -----------------------------------------------------------------


def test_a_relation_is_written_once_and_found_at_its_line(memory: Memory) -> None:
    related = memory.relate("auth", "depends on", "redis")
    assert (related.file, related.known) == (".mind/MEMORY.md", False)
    assert memory.relate("Auth", "depends_on", "REDIS").known
    text = memory.project.memory.read_text(encoding="utf-8")
    assert text.count("depends-on") == 1
    (step,) = memory.traverse("redis").steps
    line = text.splitlines()[step.edge.entry.line - 1]
    assert line == "- [[auth]] depends-on [[redis]]"
    assert step.edge.entry.where == f".mind/MEMORY.md:{step.edge.entry.line}"


def test_a_relation_and_the_log_do_not_mix(memory: Memory) -> None:
    memory.log("Sessions live in redis for auth_service", "decision")
    memory.relate("auth-service", "uses", "redis")
    memory.log("Another of redis", "learning")
    memory.relate("redis", "same as", "the cache")
    walk = memory.traverse("the cache", 1)
    assert walk.aliases == ("redis",)
    assert [(one.edge.subject, one.edge.object) for one in walk.steps] == [
        ("auth-service", "redis")
    ]
    assert all(one.kind is not Kind.RELATION for one in walk.entries)
    assert "decided: Sessions" in memory.project.memory.read_text(encoding="utf-8")


def test_what_cannot_be_related_or_walked_says_what_can(memory: Memory) -> None:
    with pytest.raises(InputError):
        memory.relate("a", "uses", "A")
    with pytest.raises(InputError):
        memory.traverse("a", 9)
    walk = memory.traverse("nobody")
    assert (walk.steps, walk.entries, walk.aliases) == ((), (), ())


def call(project: Project, name: str, **arguments: Any) -> tuple[str, bool]:
    tools = {tool.name: tool for tool in GRAPH}
    return answer(tools[name], name, arguments, lambda: Memory(project))


def test_the_tools_relate_and_traverse(project: Project) -> None:
    assert call(project, "mind_relate", subject="auth", predicate="uses", object="redis") == (
        "Recorded in .mind/MEMORY.md: [[auth]] uses [[redis]]",
        False,
    )
    again = call(project, "mind_relate", subject="auth", predicate="uses", object="redis")
    assert again[0].startswith("Already recorded: ")
    call(project, "mind_relate", subject="auth", predicate="same-as", object="login")
    Memory(project).log("Tokens of `auth` expire", "decision")
    text, failed = call(project, "mind_traverse", start="login")
    assert not failed
    assert text.startswith("1 relation from login (also: auth).")
    assert "- 1 · [[auth]] uses [[redis]] [.mind/MEMORY.md:" in text
    assert "Tokens of `auth` expire" in text


def test_the_tools_say_what_to_do_when_there_is_nothing(project: Project) -> None:
    text, failed = call(project, "mind_traverse", start="nobody")
    assert (text, failed) == (
        "No relation or entry names 'nobody'. Use mind_search to search by words.",
        False,
    )
    text, failed = call(project, "mind_traverse", start="x", depth=7)
    assert failed
    assert "1 to 3" in text
    _, failed = call(project, "mind_traverse", start="x", direction="sideways")
    assert failed


def test_the_toolset_is_there_when_it_is_asked_for() -> None:
    assert "mind_traverse" not in [tool.name for tool in chosen("core")]
    assert [tool.name for tool in chosen("graph")][-2:] == ["mind_relate", "mind_traverse"]
    assert not [tool for tool in GRAPH if tool.always]


def test_the_commands_relate_and_traverse(
    project: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(project.root)

    def run(*arguments: str) -> str:
        monkeypatch.setattr("sys.argv", ["mind", "graph", *arguments])
        with pytest.raises(SystemExit) as left:
            main()
        assert not left.value.code
        return capsys.readouterr().out

    assert run("relate", "auth", "uses", "redis") == (
        "Recorded in .mind/MEMORY.md: [[auth]] uses [[redis]]\n"
    )
    assert json.loads(run("relate", "auth", "uses", "redis", "--json"))["known"] is True
    assert "No relations or entries for 'nobody'." in run("traverse", "nobody")
    shown_ = run("traverse", "redis", "--direction", "in")
    assert "uses" in shown_
    assert "Mentioned in" not in shown_
    run("relate", "auth", "same-as", "login")
    Memory(project).log("Tokens of `auth` expire", "decision")
    text = run("traverse", "login")
    assert "login is also called auth." in text
    assert "Mentioned in:" in text
    assert "No relations of login." in run("traverse", "login", "--direction", "in")
    told = json.loads(run("traverse", "login", "--json"))
    assert told["aliases"] == ["auth"]
    step = told["steps"][0]
    assert (step["subject"], step["weight"], step["inward"]) == ("auth", 1.0, False)
    assert key_of(step["object"]) == "redis"
    assert (step["file"], len(told["entries"])) == (".mind/MEMORY.md", 1)
