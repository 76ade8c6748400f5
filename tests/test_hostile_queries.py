"""No query breaks a search or means anything but its words, however it comes in.

The set of entries that are found does not depend on the order of words. Their scores do where a
signal reads it on purpose: ``characters`` (fours that cross word borders), names of things (words
with a capital, side by side), and a query that begins with "when" asks for a ``time``. So with
signs around a word: what is found and what is best stays, while `backticks` and quotes may tell
that it is the name of a thing.
"""

import contextlib
import json
import random
import re
import sys
from collections.abc import Iterator
from contextlib import closing
from itertools import cycle

import anyio
import pytest
from mcp import Client

from mind.__main__ import main
from mind.domain.errors import InputError
from mind.memory.memory import Memory
from mind.search.embedding import models
from mind.search.results import SearchResult
from mind.server.mcp import app as mcp
from mind.server.mcp.app import answer
from mind.server.mcp.tools import chosen
from mind.setup import install
from mind.storage.project import Project
from tests import hostile, tiny_bert
from tests.effort import tries

QUERIES = hostile.queries()
SHORT = [query for query in QUERIES if len(query) <= 10_000][:: tries(4, 1)]
"""What goes through each door; all of them go through the search below, in any case."""
RAW = re.compile(
    r"fts5|syntax error|OperationalError|DatabaseError|no such (?:column|table)|Traceback"
)
"""What SQLite would say. No entry of the memory says it."""
SENTENCES = (
    "login fails while the clock is skewed",
    "which cache folder do C++ and C# builds share",
    "Redis for sessions as one more server to run",
    "parseDate ISO weeks leading year src/auth.py token",
    "数据库 connection pool 连接池 ten",
    "не работает логин после",
    "NEAR login AND sessions table NOT Postgres",
)


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project whose memory holds hostile strings itself."""
    root = tmp_path_factory.mktemp("hostile")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MIND_HOME", str(root / "home"))
        install.apply(install.plan(root))
    project = Project(root)
    project.memory.write_bytes(hostile.memory())
    return project


@pytest.fixture
def memory(held: Project) -> Iterator[Memory]:
    with closing(Memory(held)) as opened:
        yield opened


@pytest.fixture
def vectors(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """A user with a model of a few random weights."""
    home = tmp_path_factory.mktemp("user")
    models.add(home, str(tiny_bert.write(tmp_path_factory.mktemp("files") / "tiny", limit=12)))
    monkeypatch.setenv("MIND_HOME", str(home))


def ranking(found: SearchResult) -> list[tuple[str, float]]:
    return [(hit.entry.id, hit.score) for hit in found.hits]


def found_by(memory: Memory, query: str) -> tuple[str, set[str]]:
    """The best hit, and all that is weighed."""
    found = memory.search(query, limit=100)
    return best(found), {hit.entry.id for hit in found.hits}


def best(found: SearchResult) -> str:
    return found.hits[0].entry.text if found.hits else ""


def problem(memory: Memory, query: str) -> str:
    """What is wrong with how a query is answered; "" if nothing."""
    try:
        found = memory.search(query)
    except Exception as error:  # noqa: BLE001 - whatever it is, the test tells it
        return f"{query[:60]!r}: {type(error).__name__}: {error}"
    said = " ".join((*found.problems, found.lexical_only))
    return f"{query[:60]!r}: {said}" if RAW.search(said) else ""


def test_there_are_enough_queries_and_the_memory_holds_such_strings(memory: Memory) -> None:
    assert len(QUERIES) >= 400
    held = "\n".join(entry.text for entry in memory.index_entries())
    for text in ("NEAR(a b)", "'; DROP TABLE entry; --", "terms:*", "%s", "(a+)+$", "😀", "שלום"):
        assert text in held


def test_no_query_breaks_a_search(memory: Memory) -> None:
    before = memory.index_entries()
    assert list(filter(None, (problem(memory, query) for query in QUERIES))) == []
    assert memory.index_entries() == before


def test_no_query_breaks_a_search_by_meaning(vectors: None, memory: Memory) -> None:
    memory.build_index()
    assert list(filter(None, (problem(memory, query) for query in SHORT))) == []
    assert memory.search("login").lexical_only == ""


@pytest.mark.parametrize("query", ["", " ", "\n", "\t\r\n", "\u2003", "\x1f"])
def test_only_a_query_without_anything_is_refused(memory: Memory, query: str) -> None:
    with pytest.raises(InputError, match="the query is empty"):
        memory.search(query)


@pytest.mark.parametrize("word", hostile.WORDS)
def test_signs_and_operators_around_a_word_mean_nothing(memory: Memory, word: str) -> None:
    plain = memory.search(word)
    assert word.strip("-").casefold() in best(plain).casefold()
    wanted = found_by(memory, word)
    for query in hostile.around(word):
        assert found_by(memory, query) == wanted, query


@pytest.mark.parametrize("word", hostile.WORDS[1:3])
def test_with_a_model_the_best_hit_stays(vectors: None, memory: Memory, word: str) -> None:
    wanted = best(memory.search(word))
    for query in hostile.around(word):
        assert best(memory.search(query)) == wanted, query


@pytest.mark.parametrize("word", hostile.WORDS[:4])
def test_an_expression_is_the_words_in_it(memory: Memory, word: str) -> None:
    for query in hostile.wordy(word):
        words = re.sub(r"[^\w./'’-]|'(?!\w)|(?<!\w)'", " ", query)
        assert found_by(memory, query) == found_by(memory, words), query


@pytest.mark.parametrize("sign", ['"', "(", "-", "\0", "😀", "\u0301", "\n", "NOT ", "% "])
def test_a_word_is_found_behind_any_amount_of_signs(memory: Memory, sign: str) -> None:
    query = sign * (99_000 // len(sign)) + " login"
    assert ranking(memory.search(query)) == ranking(memory.search("login"))


@pytest.mark.parametrize("query", ['"{}"', "\n({})", "“{}?”", "- {}", "*{}*"])
def test_a_question_in_quotes_asks_the_same(memory: Memory, query: str) -> None:
    for question in ("when did the invoice export break", "broken export\nwhich day was it"):
        plain = memory.search(question)
        assert plain.hits[0].signals["time"] > 0
        assert ranking(memory.search(query.format(question))) == ranking(plain)


@pytest.mark.parametrize("sentence", SENTENCES)
def test_the_order_of_words_changes_no_hit(memory: Memory, sentence: str) -> None:
    def seen(words: list[str]) -> set[str]:
        found = memory.search(" ".join(words), limit=100)
        assert found.total <= 100
        return {hit.entry.id for hit in found.hits}

    words = sentence.split()
    wanted = seen(words)
    assert wanted
    mixed = random.Random(sentence)  # noqa: S311 - an order, no secret
    orders = [words[at:] + words[:at] for at in range(len(words))]
    orders += [mixed.sample(words, len(words)) for _ in range(tries(3, 10))]
    for order in [*orders, words[::-1]]:
        assert seen(order) == wanted, order


def test_the_order_of_words_changes_no_hit_by_meaning(vectors: None, memory: Memory) -> None:
    memory.build_index()
    for sentence in SENTENCES:
        words = sentence.split()
        found = [
            {hit.entry.id for hit in memory.search(" ".join(order), limit=100).hits}
            for order in (words, words[::-1], words[2:] + words[:2])
        ]
        by_words = {
            hit.entry.id for hit in memory.search(sentence, limit=100).hits if "words" in hit.places
        }
        assert all(by_words <= one for one in found), sentence


def is_answer(text: str) -> bool:
    """Whether a tool says what it found, or that it found nothing."""
    head, *rest = text.split("\n")
    hits = re.match(r"\d+ of \d+ hits", head) is not None
    return (hits or head.startswith("Nothing found for ")) and not any(
        RAW.search(line) for line in (head, *rest)
    )


def test_no_query_breaks_the_tool(held: Project) -> None:
    tool = next(one for one in chosen("core") if one.name == "mind_search")
    wrong = []
    for query in SHORT:
        text, failed = answer(tool, tool.name, {"query": query}, lambda: Memory(held))
        if failed or not is_answer(text):
            wrong.append((query[:60], text[:200]))
        text.encode()  # no lone surrogate goes over the wire
    assert wrong == []
    text, failed = answer(tool, tool.name, {"query": " "}, lambda: Memory(held))
    assert (failed, "the query is empty" in text) == (True, True)


def test_no_query_breaks_the_server(held: Project) -> None:
    async def run() -> list[tuple[str, str]]:
        wrong = []
        async with Client(mcp.build(lambda: Memory(held))) as client:
            for query in SHORT:
                result = await client.call_tool("mind_search", {"query": query})
                text = result.content[0].text  # type: ignore[union-attr]
                if result.is_error or not is_answer(text):
                    wrong.append((query[:60], text[:200]))
        return wrong

    assert anyio.run(run) == []


COMMANDS = (
    '"', "login AND", "NEAR(a b", "terms:x", "--", "-h", "--explain", "'; DROP TABLE entry; --",
    "%s", "\\", "(a+)+$", "[bold]x[/bold]", "[/]", "😀", "数据库", "שלום", "\udcff login",
    "\x1b[31m", "x\ny", "*" * 1_000, "x" * 100_000, "{0.__class__}", "login",
)  # fmt: skip


@pytest.mark.parametrize(
    ("query", "how"),
    list(zip(COMMANDS, cycle([(), ("--json",), ("--explain",)]), strict=False)),
)
def test_no_query_breaks_the_command(
    held: Project,
    how: tuple[str, ...],
    query: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(held.root)
    monkeypatch.setattr(sys, "argv", ["mind", "search", *how, "--", query])
    with contextlib.suppress(SystemExit):  # its code is told by what stands on standard error
        main()
    said = capsys.readouterr()
    assert said.err.count("\n") == said.err.count("is not UTF-8")
    assert said.out
    if how == ("--json",):
        assert isinstance(json.loads(said.out), list)
