"""`mind bench`: which queries it makes, what it measures, and that it leaves no trace."""

import json
import re
import shutil
import sys
from itertools import permutations
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mind.domain.entry import Entry, Kind
from mind.domain.errors import InputError, NotFound
from mind.memory import benchmark
from mind.memory.benchmark import BM25, LEXICAL, VECTORS, Benchmark, ReadOnlyProject
from mind.memory.memory import Memory
from mind.search.embedding import models
from mind.search.semantic import NO_MODEL, OFF, UNMADE
from mind.storage.index.vectors import content_of
from mind.storage.project import Project
from tests import tiny_bert
from tests.conftest import Clock, Run

FACTS = (
    "The scheduler drops jobs when the leap second table is stale. Restart the beacon daemon.",
    "Chose SQLite over Postgres because one file is simpler to copy. Backups rotate weekly.",
    "Safari forgets the session cookie after seven days. Refresh the token from a service worker.",
    "Renamed parseDate to parse_day in the calendar package. Old plugins import a shim instead.",
    "The invoice export truncates umlauts in the customer column. Encode everything as UTF-8.",
)


@pytest.fixture
def tiny(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user with a model of a few random weights, which is fast."""
    home = tmp_path_factory.mktemp("user")
    models.add(home, str(tiny_bert.write(tmp_path_factory.mktemp("files") / "tiny", limit=12)))
    monkeypatch.setenv("MIND_HOME", str(home))
    return home


@pytest.fixture
def mind(mind: Run, project: Project, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run ``mind`` in the project: exit code, standard output, standard error."""
    monkeypatch.chdir(project.root)
    return mind


def record(project: Project, *texts: str) -> None:
    lines = "".join(f"- learned: {text}\n" for text in texts)
    project.memory.write_text(f"# Memory\n\n## 2026-11-01\n\n{lines}", encoding="utf-8")


def files_of(project: Project) -> dict[Path, bytes]:
    """All of them but the index, with their content."""
    found = (path for path in project.root.rglob("*") if path.is_file())
    return {path: path.read_bytes() for path in found if project.cache not in path.parents}


def quality(found: Benchmark) -> dict[tuple[str, str], tuple[int, float, float, float]]:
    return {
        (one.kind, one.way): (one.queries, one.success_at_1, one.success_at_5, one.mrr_at_10)
        for one in found.quality
    }


def noted(text: str) -> Entry:
    return Entry(id="x", kind=Kind.LEARNING, text=text)


def made(text: str, frequency: dict[str, int] | None = None, seed: int = 0) -> dict[str, str]:
    return benchmark.queries_of(noted(text), frequency or {}, seed)


def test_keywords_are_the_three_rarest_words_in_any_order() -> None:
    common = {"schedul": 9, "drop": 8, "job": 3, "leap": 1, "second": 7, "tabl": 2}
    text = "The scheduler drops jobs: the leap second table"
    orders = {made(text, common, seed)["keywords"] for seed in range(40)}
    assert {frozenset(one.split()) for one in orders} == {frozenset(("jobs", "leap", "table"))}
    assert len(orders) == 6
    assert made(text, common, 3) == made(text, common, 3)


def test_the_beginning_is_the_first_sentence_without_every_second_word() -> None:
    text = "Safari forgets the session cookie after seven days. Refresh the token."
    assert made(text)["beginning"] == "Safari session after days"


def test_the_rest_has_no_word_of_the_title() -> None:
    text = "Safari forgets the cookie. Safari cookies: refresh the token from a service worker"
    assert made(text)["rest"] == "refresh token service worker"
    long = "Short title here. Then " + " ".join(f"word{number}x" for number in range(30))
    assert len(made(long)["rest"].split()) == 8


@pytest.mark.parametrize(
    "text", ["", "…", "done", "it is done", "redis redis Redis", "mend it, Ann"]
)
def test_nothing_is_made_of_an_entry_that_says_too_little(text: str) -> None:
    assert made(text) == {}


def test_a_title_alone_has_no_rest() -> None:
    assert set(made("Chose SQLite over Postgres")) == {"keywords", "beginning"}


def test_where_no_spaces_part_words_pairs_of_characters_do() -> None:
    common = dict.fromkeys(("数据", "据库", "库迁"), 5)
    found = made("数据库迁移失败", common | dict.fromkeys(("迁移", "移失", "失败"), 1))
    assert set(found["keywords"].split()) == {"迁移", "失败", "移失"}
    assert "数据库迁移失败" not in " ".join(found.values())


@given(st.text(max_size=300), st.integers())
def test_whatever_an_entry_says_its_queries_are_words_of_it(text: str, seed: int) -> None:
    entry = noted(text)
    found = benchmark.queries_of(entry, {}, seed)
    assert found == benchmark.queries_of(entry, {}, seed)
    assert set(found) <= set(benchmark.KINDS)
    words = set(benchmark.words_of(text).values())
    in_title = set(benchmark.words_of(entry.title))
    for kind, query in found.items():
        assert len(query.split()) >= 2
        if kind != "beginning":  # a title that is cut may end within a name
            assert set(query.split()) <= words
    assert in_title.isdisjoint(benchmark.words_of(found.get("rest", "")))


@given(st.integers(0, 3_000), st.integers(1, 400), st.integers())
def test_the_sample_is_spread_over_the_whole(count: int, most: int, seed: int) -> None:
    taken = benchmark.spread(count, most, seed)
    assert taken == benchmark.spread(count, most, seed)
    assert len(taken) == min(count, most)
    assert taken == sorted(set(taken))
    gaps = [b - a for a, b in zip([-1, *taken], [*taken, count], strict=True)]
    assert max(gaps) <= max(2, 2 * -(-count // most))


def test_another_seed_takes_other_entries() -> None:
    assert len({tuple(benchmark.spread(1_000, 20, seed)) for seed in range(5)}) == 5


def test_entries_are_found_by_their_own_words(memory: Memory) -> None:
    record(memory.project, *FACTS)
    told: list[tuple[str, int, int]] = []
    found = memory.benchmark(progress=lambda *step: told.append(step))
    assert quality(found) == {
        (kind, way): (5, 1.0, 1.0, 1.0) for kind in benchmark.KINDS for way in (BM25, LEXICAL)
    }
    assert told == [(way, at, 15) for way in (BM25, LEXICAL) for at in range(1, 16)]
    assert (found.method, found.seed) == ("known-item search", 0)
    assert (found.entries, found.asked) == (5, 5)
    assert (found.lexical_only, found.vectors, found.profile) == (NO_MODEL, 0, "")
    assert found.index_bytes > 50_000
    assert found.peak_bytes is None or found.peak_bytes > 10_000_000
    (cost,) = found.cpu_milliseconds
    assert (cost.way, cost.searches) == (LEXICAL, 15)
    assert 0 < cost.p50 <= cost.p95 <= cost.p99
    assert cost.first > 0
    assert found.problems == ()


def test_what_comes_late_or_not_at_all_counts_less(memory: Memory) -> None:
    orders = [" ".join(words) for words in permutations(("kappa", "lambda", "omicron", "sigma"))]
    record(memory.project, *orders)
    found = quality(memory.benchmark())
    late = round(sum(1 / place for place in range(1, 11)) / 24, 4)
    expected = (24, round(1 / 24, 4), round(5 / 24, 4), late)
    assert found["keywords", BM25] == expected
    assert found["beginning", BM25] == expected
    assert ("rest", BM25) not in found


def test_entries_with_the_same_text_count_as_one(memory: Memory) -> None:
    record(memory.project, *[FACTS[0]] * 12, FACTS[1])
    found = memory.benchmark()
    assert (found.entries, found.asked) == (13, 2)
    assert set(quality(found).values()) == {(2, 1.0, 1.0, 1.0)}


def test_plain_bm25_counts_words_alone(memory: Memory) -> None:
    orders = [" ".join(words) for words in permutations(("kappa", "lambda", "omicron", "sigma"))]
    record(memory.project, *orders)
    reader = ReadOnlyProject(memory)
    query = "omicron kappa"
    # all are equally good: which words stand side by side does not count
    assert [one.text for one in reader.plain(query)] == sorted(orders, key=content_of)[:10]
    assert query in reader.lexical(query)[0].text
    assert reader.plain("kubernetes") == []


def test_only_so_many_entries_are_asked_for(memory: Memory) -> None:
    record(memory.project, *(f"{fact} Case {number}." for number in range(9) for fact in FACTS))
    found = memory.benchmark(entries=7, seed=3)
    assert (found.entries, found.asked, found.seed) == (45, 7, 3)
    assert {one.queries for one in found.quality} == {7}
    again = memory.benchmark(entries=7, seed=3)
    assert quality(again) == quality(found)


def test_the_same_memory_makes_the_same_queries_however_it_was_indexed(memory: Memory) -> None:
    record(memory.project, *FACTS[2:])
    memory.checkpoint()
    text = memory.project.memory.read_text(encoding="utf-8")
    older = "".join(f"- learned: {text}\n" for text in FACTS[:2])
    memory.project.memory.write_text(f"## 2026-01-01\n\n{older}\n{text}", encoding="utf-8")
    memory.checkpoint()
    grown = memory.index.numbered(memory.index.different())
    memory.index.clear()
    memory.checkpoint()
    assert grown == memory.index.numbered(memory.index.different())
    assert [one.text for one in grown] == list(FACTS)


def test_with_a_model_vectors_are_measured_too(tiny: Path, memory: Memory) -> None:
    record(memory.project, *FACTS)
    found = memory.benchmark()
    assert [one.way for one in found.quality] == [BM25, LEXICAL, VECTORS] * 3
    assert [one.kind for one in found.quality[::3]] == list(benchmark.KINDS)
    assert [one.way for one in found.cpu_milliseconds] == [LEXICAL, VECTORS]
    assert (found.lexical_only, found.problems) == ("", ())
    assert found.vectors == 5
    assert found.profile.startswith("tiny/")


def test_while_vectors_are_missing_none_are_measured(tiny: Path, memory: Memory) -> None:
    record(memory.project, *(f"fact {number} about parts of it" for number in range(250)))
    assert memory.benchmark(entries=2).lexical_only == UNMADE
    memory.build_index()
    assert memory.benchmark(entries=2).lexical_only == ""
    with memory.project.memory.open("a", encoding="utf-8") as file:
        file.writelines(f"- learned: new fact {number} about parts\n" for number in range(250))
    found = memory.benchmark(entries=2)
    assert (found.lexical_only, found.vectors, found.profile) == (UNMADE, 0, "")
    assert VECTORS not in {one.way for one in found.quality}


def test_a_model_that_is_off_is_not_measured(tiny: Path, memory: Memory) -> None:
    record(memory.project, *FACTS)
    memory.configure("embedding.backend", "off")
    assert memory.benchmark().lexical_only == OFF


def test_a_model_that_goes_away_meanwhile_is_told(tiny: Path, memory: Memory) -> None:
    record(memory.project, *FACTS)

    def take_away(way: str, done: int, of: int) -> None:
        if (way, done) == (LEXICAL, of):
            shutil.rmtree(tiny / "models")

    found = memory.benchmark(progress=take_away)
    assert found.problems == (NO_MODEL,)
    assert found.profile.startswith("tiny/")


def test_no_session_begins_and_no_file_changes(memory: Memory, clock: Clock) -> None:
    memory.log("try the other scheduler for the nightly jobs", "rejected")
    record(memory.project, *FACTS)
    clock.forward(hours=5)
    before = files_of(memory.project)
    found = memory.benchmark()
    assert found.entries == 6
    assert files_of(memory.project) == before


def test_what_is_wrong_with_the_memory_is_told_once(memory: Memory) -> None:
    record(memory.project, *FACTS)
    with memory.project.memory.open("ab") as file:
        file.write(b"- learned: caf\xe9 opens at nine on weekdays\n")
    (problem,) = memory.benchmark().problems
    assert "is not UTF-8" in problem


def test_a_memory_that_cannot_keep_its_index_is_measured_as_well(memory: Memory) -> None:
    record(memory.project, *FACTS)
    shutil.rmtree(memory.project.cache, ignore_errors=True)
    memory.project.cache.write_text("in the way", encoding="utf-8")
    found = memory.benchmark()
    assert (found.entries, found.index_bytes) == (5, 0)


def test_nothing_can_be_measured_on_nothing(memory: Memory) -> None:
    with pytest.raises(NotFound, match="the memory is empty") as caught:
        memory.benchmark()
    assert "mind log" in caught.value.remedy
    record(memory.project, "done", "fix it")
    with pytest.raises(NotFound, match="no entry has the three words"):
        memory.benchmark()


@pytest.mark.parametrize("entries", [0, -1, 10_001])
def test_a_number_out_of_range_is_an_error(memory: Memory, entries: int) -> None:
    with pytest.raises(InputError) as caught:
        memory.benchmark(entries=entries)
    assert "1 to 10,000" in caught.value.remedy


def test_percentiles_are_values_that_were_measured() -> None:
    values = [float(value) for value in range(1, 201)][::-1]
    assert [benchmark.percentile(values, rank) for rank in (50, 95, 99, 100)] == [
        100,
        190,
        198,
        200,
    ]
    assert {benchmark.percentile([7.0], rank) for rank in (50, 99)} == {7.0}


def test_the_peak_of_memory_is_in_bytes_wherever_it_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    resource = pytest.importorskip("resource")
    usage = SimpleNamespace(ru_maxrss=50_000)
    monkeypatch.setattr(resource, "getrusage", lambda _who: usage)
    found = {}
    for system in ("linux", "darwin", "win32"):
        monkeypatch.setattr(sys, "platform", system)
        found[system] = benchmark.peak()
    assert found == {"linux": 51_200_000, "darwin": 50_000, "win32": None}


def test_the_command_prints_its_method_its_figures_and_its_costs(
    mind: Run, project: Project
) -> None:
    record(project, *FACTS)
    before = files_of(project)
    code, out, err = mind("bench")
    assert (code, err) == (0, "")
    assert out.startswith("Known-item search: each query is built from one entry")
    assert "5 entries; queries built from 5 of them (seed 0).\n" in out
    rows = [line.split("\t") for line in out.splitlines() if "\t" in line]
    assert [row[:3] for row in rows[:-1]] == [
        [kind, way, "5"] for kind in benchmark.KINDS for way in (BM25, LEXICAL)
    ]
    assert {tuple(row[3:]) for row in rows[:-1]} == {("1.000", "1.000", "1.000")}
    assert rows[-1][:2] == [LEXICAL, "15"]
    assert re.search(
        r"^Index \d+\.\d MB; 0 vectors(; peak memory \d+\.\d MB)?\.$", out, re.MULTILINE
    )
    assert f"Search with vectors was not measured: {NO_MODEL}.\n" in out
    assert files_of(project) == before


def test_the_command_with_a_model_and_no_figure_for_memory(
    mind: Run, project: Project, tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record(project, *FACTS)
    monkeypatch.setattr(benchmark, "peak", lambda: None)
    out = mind("bench", "--queries", "3", "--seed", "2")[1]
    assert "5 entries; queries built from 3 of them (seed 2).\n" in out
    assert re.search(r"^Index \d+\.\d MB; 5 vectors\.$", out, re.MULTILINE)
    assert "Search with vectors was not measured" not in out


def test_the_command_for_programs(mind: Run, project: Project) -> None:
    record(project, *FACTS)
    code, out, err = mind("bench", "--json", "--queries", "2")
    found = json.loads(out)
    assert (code, err) == (0, "")
    assert found["quality"][0] == {
        "kind": "keywords",
        "way": BM25,
        "queries": 2,
        "success_at_1": 1.0,
        "success_at_5": 1.0,
        "mrr_at_10": 1.0,
    }
    assert set(found["cpu_milliseconds"][0]) == {"way", "searches", "first", "p50", "p95", "p99"}
    assert found["method"] == "known-item search"


def test_the_command_says_what_to_do_instead(mind: Run, project: Project) -> None:
    code, out, err = mind("bench")
    assert (code, out) == (2, "")
    assert "error: the memory is empty.\nRecord entries with `mind log`" in err
    failed = json.loads(mind("bench", "--json", "--queries", "0")[1])
    assert (failed["error"], "1 to 10,000" in failed["remedy"]) == ("input", True)
    assert mind("bench", "--queries", "many")[0] == 2
    help_ = " ".join(mind("bench", "--help")[1].split())
    assert "known-item search, which needs no labels" in help_
