"""Searching a memory: filters, times, orders and pages, in one project and in several."""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from typing import Any

import pytest

from mind.domain.entry import Kind
from mind.domain.errors import FileError, InputError
from mind.memory import sync
from mind.memory.memory import Memory
from mind.search.results import SearchResult
from mind.setup import install
from mind.storage.project import Project
from tests.conftest import Clock

TEXT = """# Notes

learned: Redis needs a password

## Gotchas

gotcha: Redis cluster moves slots #ops

### Über Cookies

gotcha: Safari drops cookies #ÜBER

## 2026-03-10

decided: Redis for sessions #db
learned: the pool of Postgres is small #db #ops

## 2026-11-09

decided: SQLite over Postgres - one file
problem: Redis evicts keys

## 2026-11-15

learned: nothing beats a small file

## 2026-11-16

decided: Redis only for queues
"""


@pytest.fixture
def told(memory: Memory) -> Memory:
    memory.project.memory.write_text(TEXT, encoding="utf-8")
    return memory


def words(found: SearchResult, count: int = 2) -> list[str]:
    """The first words of the hits that have words of the query, or that were not compared."""
    held = [hit for hit in found.hits if hit.matched or hit.relevance == "listed"]
    return [" ".join(hit.entry.text.split()[:count]) for hit in held]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("kind:gotcha", ["Safari drops", "Redis cluster"]),
        ("tag:ops", ["the pool", "Redis cluster"]),
        ("tag:OPS tag:Über", ["the pool", "Safari drops", "Redis cluster"]),
        ("section:gotchas", ["Safari drops", "Redis cluster"]),
        ('section:"über COOKIES"', ["Safari drops"]),
        ("section:2026-03-10", ["the pool", "Redis for"]),
        ("status:open", ["Redis evicts"]),
        ("kind:decision since:2026-11-01", ["Redis only", "SQLite over"]),
        ("kind:decision since:2026-11-01 order:oldest", ["SQLite over", "Redis only"]),
        ("since:2026-03-10 until:2026-03-10", ["the pool", "Redis for"]),
        ("since:2026-11-01 until:2026-01-01", []),
        ("since:0001-01-01 until:2026-03-31 kind:decision", ["Redis for"]),
        ("id:nonsense", []),
        ("last week", ["nothing beats", "Redis evicts", "SQLite over"]),
        ("what did we decide last week?", ["nothing beats", "Redis evicts", "SQLite over"]),
        ("kind:decision last week", ["SQLite over"]),
        ("grpc gateway last week", ["nothing beats", "Redis evicts", "SQLite over"]),
        ("last week order:oldest", ["SQLite over", "Redis evicts", "nothing beats"]),
    ],
)
def test_without_words_to_compare_what_passes_is_listed(
    told: Memory, query: str, expected: list[str]
) -> None:
    found = told.search(query)
    assert words(found) == expected
    assert found.total == len(expected)
    assert found.query == query
    assert {hit.relevance for hit in found.hits} <= {"listed"}


@pytest.mark.parametrize(
    ("written", "query"),
    [
        ("send the e-mail at night", "email"),
        ("send the email at night", "e-mail"),
        ("updates in realtime", "real-time"),
        ("the gateway has a time-out of 5 s", "timeouts"),
        ("Roll-back der Migration", "Rollback"),
        ("Echtzeit-Abgleich", "Echtzeitabgleich"),
    ],
)
def test_a_hyphenated_word_is_found_joined_and_the_reverse(
    memory: Memory, written: str, query: str
) -> None:
    memory.project.memory.write_text(f"- learned: {written}\n", encoding="utf-8")
    assert len(words(memory.search(query))) == 1


@pytest.mark.parametrize(
    ("text", "queries"),
    [
        ("Redisをキューに使う、timeoutは30秒", ("redis", "timeout", "キュー", "valkey")),
        ("用redis做缓存，超时30秒", ("Redis", "缓存", "keydb")),
        ("redis를 캐시로 쓴다", ("redis", "캐시")),
        ("长" * 70 + "而后重试", ("重试",)),
    ],
)
def test_words_written_together_with_chinese_japanese_or_korean_are_found(
    memory: Memory, text: str, queries: Sequence[str]
) -> None:
    memory.log(text, "decision")
    memory.log("the footer is grey", "decision")
    for query in queries:
        assert [hit.entry.text for hit in memory.search(query).hits] == [text], query


def test_filters_narrow_what_words_find(told: Memory) -> None:
    assert words(told.search("redis kind:gotcha")) == ["Redis cluster"]
    assert words(told.search("redis", filters={"tag": "db"})) == ["Redis for"]
    assert words(told.search("redis tag:ops", kinds=["gotcha"])) == ["Redis cluster"]
    with pytest.raises(InputError, match="status is 'x'"):
        told.search("redis", filters={"status": "x"})


def test_entries_of_the_time_that_words_speak_of_come_first(told: Memory) -> None:
    assert words(told.search("redis password"))[0] == "Redis needs"
    found = told.search("redis password last week")
    assert words(found)[0] == "Redis evicts"
    assert len(words(found)) == 5  # the others with Redis come too
    relevance = {hit.relevance for hit in told.search("redis last week").hits if hit.matched}
    assert relevance == {"high"}
    assert found.parsed.period is not None
    assert found.parsed.period.start == date(2026, 11, 9)
    assert "time" in found.hits[0].places
    assert found.hits[0].signals["then"] > 0
    assert sum("then" in hit.signals for hit in found.hits) == 1


def test_where_no_entry_of_the_time_has_the_words_those_of_the_time_come_too(told: Memory) -> None:
    found = told.search("cookies last week")
    low = [hit for hit in found.hits if not hit.matched]
    assert words(found) == ["Safari drops"]
    assert {hit.entry.text.split()[0] for hit in low} >= {"nothing", "SQLite", "Redis"}
    assert {hit.relevance for hit in low} == {"low"}


def test_times_by_the_releases_of_the_repository(
    told: Memory, git: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    unreleased = told.search("redis before:v1.2")
    assert unreleased.parsed.ignored == ("before:v1.2",)
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2026-05-07T12:00:00+00:00")
    git("commit", "--quiet", "--allow-empty", "-m", "release")
    git("tag", "v1.2.0")
    assert words(told.search("redis before:v1.2")) == ["Redis for"]
    assert words(told.search("redis until:1.2")) == ["Redis for"]
    assert words(told.search("kind:decision since:v1.2")) == ["Redis only", "SQLite over"]
    since = told.search("redis", filters={"since": "v1.2"})
    assert set(words(since)) == {"Redis only", "Redis evicts"}
    assert words(told.search("redis before v1.2"))[0] == "Redis for"


HOSTILE = [
    'since:"99999999"', 'tag:""', "id:'; DROP TABLE entry; --", "kind:decision,nonsense",
    "order:sideways", 'redis "since:', 'section:"', "tag:\ud800", "id:\ud800", "section:\0x",
    "tag:%_", "section:' OR 1=1 --", "id:" + ",".join(["a"] * 200), "until:" + "9" * 500,
    "tag:" + "x" * 5_000, 'since:"' * 2_000, "kind:" * 500, "before:before:before:v1",
    "since:-1", "on:\n2026", "id:^", "order:", "section:\U0001f389", "since:0000-00-00",
]  # fmt: skip


@pytest.mark.parametrize("query", HOSTILE)
def test_no_query_is_wrong(told: Memory, query: str) -> None:
    for text in (query, f"redis {query}"):
        found = told.search(text)
        assert found.query == text
        assert len(found.hits) <= 10


def test_a_query_may_name_more_than_a_statement_takes_variables(told: Memory) -> None:
    kept = told.search("redis tag:db").hits[0].entry.id
    told.index.note("kept", "yes")
    told.index.db.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, 32_766)  # of usual builds
    kinds = ",".join(kind for kind in Kind)
    several = [
        f"{name}:" + ",".join(f"{n}x{at}" for at in range(49))
        for n in range(24)
        for name in ("id", "tag")
    ]
    query = f"kind:{kinds} order:oldest {' '.join(several)}"
    assert told.search(f"{query},db".replace("id:0x0,", f"id:{kept},")).hits != ()
    assert told.index.meta("kept") == "yes"  # it was not taken for damaged and made anew


def test_a_wrong_weight_is_told_and_has_no_effect(told: Memory) -> None:
    before = told.search("redis")
    told.configure("search.weights", '{"nonsense": 1}')
    found = told.search("redis")
    assert found.hits == before.hits
    assert "no signal 'nonsense'" in found.problems[0]
    told.configure("search.weights", '{"words": 0, "title": 0}')
    assert "words" not in told.search("redis").hits[0].signals


def test_without_any_weight_everything_that_matches_is_found(told: Memory) -> None:
    from mind.ranking import SIGNALS

    expected = set(words(told.search("redis")))
    told.configure("search.weights", str(dict.fromkeys(SIGNALS, 0)).replace("'", '"'))
    found = told.search("redis")
    assert set(words(found)) == expected
    assert {hit.score for hit in found.hits} == {0.0}


# --- pages ---------------------------------------------------------------------------------


def many(project: Project, count: int, start: date = date(2026, 1, 1)) -> None:
    """A memory whose entries have more or less of two words, every tenth without a day."""
    lines = ["# Notes", ""]
    lines += [f"learned: cache rule {at} of nobody" for at in range(count // 10)]
    for at in range(count - count // 10):
        if at % 3 == 0:
            lines += ["", f"## {start + timedelta(at // 3)}", ""]
        lines.append(f"learned: {'cache ' * (at % 4 + 1)}{'eviction ' * (at % 2)}number {at}")
    project.memory.write_text("\n".join(lines) + "\n", encoding="utf-8")


def paged(search: Callable[..., SearchResult], size: int) -> Iterator[SearchResult]:
    offset = 0
    while (found := search(limit=size, offset=offset)).hits:
        yield found
        offset += size


@pytest.mark.parametrize(
    "query", ["cache", "cache eviction", "kind:learning", "cache since:2026-01-05"]
)
@pytest.mark.parametrize("order", ["relevance", "newest", "oldest"])
def test_pages_have_no_overlaps_and_no_gaps(memory: Memory, query: str, order: str) -> None:
    many(memory.project, 90)

    def search(**page: Any) -> SearchResult:
        return memory.search(query, filters={"order": order}, **page)

    whole = [hit.entry.id for hit in search(limit=100).hits]
    assert len(set(whole)) == len(whole) == (69 if "since" in query else 90)
    for size in (1, 7, 30, 41, 89):
        pages = list(paged(search, size)) if size > 1 else [search(limit=1, offset=40)]
        got = [hit.entry.id for found in pages for hit in found.hits]
        assert got == (whole if size > 1 else whole[40:41])
        for found in pages:  # whether there is more can be told from each
            last = found.offset + len(found.hits)
            assert (found.total > last) == (last < len(whole))


def test_on_pages_of_relevance_scores_fall_and_the_last_have_none(memory: Memory) -> None:
    many(memory.project, 90)
    hits = memory.search("cache eviction", limit=100).hits
    scores = [
        hit.score for hit in hits if not hit.stale
    ]  # those that a newer one put right follow it
    assert scores == sorted(scores, reverse=True)
    assert scores[0] > 0 == scores[-1]
    assert hits[-1].matched
    assert hits[-1].places["words"] > 40
    assert {hit.relevance for hit in memory.search("cache", limit=100).hits} == {"high"}


@pytest.mark.parametrize("words_of", ["", " mailer"])
def test_status_pages_agree_on_what_a_later_entry_fixed(memory: Memory, words_of: str) -> None:
    subjects = "bounce queue charset footer preview tracking signature attachment".split()
    lines = [f"- problem: mailer {one}{one} {one}ing {one}ally broken" for one in subjects]
    lines += [f"- fixed: {one}{one} {one}ing" for one in subjects[::2]]
    memory.project.memory.write_text("\n".join(["# M", "", *lines, ""]), encoding="utf-8")

    def found(status: str, offset: int) -> SearchResult:
        return memory.search(f"status:{status}{words_of}", limit=3, offset=offset)

    for status in ("open", "resolved"):
        pages = [found(status, at) for at in (0, 3)]
        assert [len(page.hits) for page in pages] == [3, 1]
        assert {page.total for page in pages} == {4}
        assert {hit.entry.status for page in pages for hit in page.hits} == {status}
    for entry in (hit.entry for hit in found("resolved", 0).hits):
        assert memory.get([entry.id]).entries[0].status == "resolved"
        assert memory.timeline(entry.id).anchor.status == "resolved"


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("decisions", ["Redis only", "SQLite over", "Redis for"]),
        ("the latest decisions?", ["Redis only", "SQLite over", "Redis for"]),
        ("decisiones", ["Redis only", "SQLite over", "Redis for"]),
        ("gotchas", ["Safari drops", "Redis cluster"]),
        ("offene Probleme", ["Redis evicts"]),
        ("open problems", ["Redis evicts"]),
        ("resolved problems", []),
        ("rejected approaches", []),
        ("open problems with the pool", ["the pool"]),
    ],
)
def test_words_that_only_name_a_kind_list_it(told: Memory, query: str, found: list[str]) -> None:
    assert words(told.search(query)) == found


def test_an_entry_that_is_about_the_name_of_a_kind_is_found(memory: Memory) -> None:
    lines = ["- decided: Redis for queues"] * 2 + ["- learned: the bug tracker hides old issues"]
    memory.project.memory.write_text("\n".join(lines), encoding="utf-8")
    assert words(memory.search("bug")) == ["the bug"]


def test_a_list_of_a_kind_has_pages(memory: Memory) -> None:
    lines = [f"- decided: tool number {at} stays" for at in range(12)]
    memory.project.memory.write_text("\n".join(lines), encoding="utf-8")
    pages = [memory.search("all decisions", offset=at) for at in (0, 10)]
    assert [(len(page.hits), page.total) for page in pages] == [(10, 12), (2, 12)]


def test_a_hyphenated_word_is_covered_by_its_parts_or_its_joined_form(memory: Memory) -> None:
    memory.log("docker compose starts the database first", "learning")
    memory.log("roll back the migration by hand", "gotcha")
    memory.log("the email goes out at night", "note")
    for query in ("docker-compose", "roll-back", "e-mail"):
        assert memory.search(query).hits[0].relevance == "high", query


def test_function_words_of_another_language_find_nothing(memory: Memory) -> None:
    memory.log("No Redis for sessions until we need it", "decision")
    memory.log("Wir haben uns für Vitest entschieden", "decision")
    assert words(memory.search("Warum haben wir kein Redis?")) == ["No Redis"]


def test_a_record_is_found_once_where_it_was_imported(memory: Memory) -> None:
    record = (
        "# 1. Use AnyIO\n\nDate: 2026-11-05\n\n## Status\n\nAccepted\n\n## Decision\n\n"
        "We will use anyio for all concurrency.\n"
    )
    path = memory.project.root / "docs" / "adr" / "0001-use-anyio.md"
    path.parent.mkdir(parents=True)
    path.write_text(record, encoding="utf-8")
    assert "We will use" in words(memory.search("anyio"), 3)
    imported = (
        "- decided: AnyIO everywhere (docs/adr/0001-use-anyio.md) [from:: adr:0001-use-anyio]\n"
    )
    memory.project.memory.write_text(imported, encoding="utf-8")
    found = memory.search("anyio")
    assert (words(found), found.total) == (["AnyIO everywhere"], 1)


def test_a_logged_fix_shows_the_similar_problem_as_resolved(memory: Memory) -> None:
    memory.log("SES throttles the invoice mails", "problem")
    fixed = memory.log("fixed: SES throttles invoice mails no longer", "progress")
    assert [one.status for one in fixed.related] == ["resolved"]


def test_in_an_order_of_time_entries_without_a_day_come_last(memory: Memory) -> None:
    many(memory.project, 60)
    for order in ("newest", "oldest"):
        for query in ("cache", "kind:learning"):
            hits = memory.search(query, limit=100, filters={"order": order}).hits
            days = [hit.entry.date for hit in hits]
            assert days[-6:] == [None] * 6
            dated = [day for day in days[:-6] if day]
            assert dated == sorted(dated, reverse=order == "newest")


def test_an_order_of_time_is_among_the_hundred_best(memory: Memory) -> None:
    many(memory.project, 150)
    found = memory.search("cache order:newest", limit=100)
    assert (len(found.hits), found.total) == (100, 100)
    assert memory.search("cache order:newest", offset=100).hits == ()
    assert memory.search("kind:learning order:newest", offset=145).total == 150


def test_a_page_behind_the_last_is_empty(told: Memory) -> None:
    for query in ("redis", "kind:decision", "redis order:newest"):
        found = told.search(query, offset=50)
        assert found.hits == ()
        assert 0 < found.total <= 50


# --- several projects ----------------------------------------------------------------------


@pytest.fixture
def other(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Another registered project."""
    root = tmp_path_factory.mktemp("other")
    install.apply(install.plan(root))
    return Project(root)


@pytest.mark.parametrize(
    "query", ["cache", "kind:learning", "cache order:newest", "kind:learning order:oldest"]
)
def test_pages_of_every_project(memory: Memory, other: Project, query: str) -> None:
    many(memory.project, 70)
    many(other, 60, date(2026, 1, 3))

    def search(**page: Any) -> SearchResult:
        return memory.search(query, everywhere=True, **page)

    pages = list(paged(search, 37))
    got = [(hit.project, hit.entry.id) for found in pages for hit in found.hits]
    assert len(got) == len(set(got)) == 130
    assert {project for project, _ in got} == {"", other.root.name}
    assert pages[0].total > 37
    days = [hit.entry.date for found in pages for hit in found.hits if hit.entry.date]
    if query != "cache":
        assert days == sorted(days, reverse="oldest" not in query)


def test_notes_of_the_running_session_are_of_today(memory: Memory, clock: Clock) -> None:
    memory.log("Kafka - too many machines", "decision")
    clock.forward(days=2)
    memory.log("Oracle - too dear", "rejected")
    memory.log("The port is taken", "problem")

    def found(query: str) -> list[str]:
        return [hit.entry.text.split()[0] for hit in memory.search(query).hits]

    assert found("kind:rejected since:today") == found("kind:rejected on:today") == ["Oracle"]
    assert found("dear since:yesterday") == ["Oracle"]
    assert found("kind:rejected until:yesterday") == []
    assert "Oracle" in found("Kafka or what else today?")
    assert "Oracle" not in found("Kafka or what else yesterday?")
    assert found("order:newest") == ["Oracle", "The", "Kafka"]
    assert found("since:today order:oldest") == ["The", "Oracle"]
    pages = [memory.search("order:newest", limit=1, offset=at) for at in range(4)]
    assert {page.total for page in pages} == {3}
    assert [hit.entry.text.split()[0] for page in pages for hit in page.hits] == [
        "Oracle", "The", "Kafka",
    ]  # fmt: skip


def test_notes_of_the_running_session_have_neighbours_in_time(memory: Memory, clock: Clock) -> None:
    kafka = memory.log("Kafka - too many machines", "decision").entry
    clock.forward(days=2)
    port = memory.log("The port is taken", "problem").entry
    oracle = memory.log("Oracle - too dear", "rejected").entry
    ftp = memory.log("FTP - no encryption", "rejected").entry

    def told(anchor: str, before: int, after: int) -> tuple[list[str], list[str]]:
        found = memory.timeline(anchor, before=before, after=after)
        return tuple([one.text.split()[0] for one in side] for side in (found.before, found.after))  # type: ignore[return-value]

    assert told(ftp.id, 5, 5) == (["Kafka", "The", "Oracle"], [])
    assert told(oracle.id, 2, 5) == (["Kafka", "The"], ["FTP"])
    assert told(oracle.id, 1, 0) == (["The"], [])
    assert told(port.id, 5, 1) == (["Kafka"], ["Oracle"])
    assert told(kafka.id, 5, 5) == ([], ["The", "Oracle", "FTP"])

    def near(anchor: str, days: int) -> list[str]:
        found = memory.around(anchor, days=days)
        assert found.total == len(found.entries)
        return sorted(one.text.split()[0] for one in found.entries)

    assert near(oracle.id, 0) == near("today", 1) == ["FTP", "Oracle", "The"]
    assert near(kafka.id, 2) == near("today", 2) == ["FTP", "Kafka", "Oracle", "The"]
    assert near(kafka.id, 1) == ["Kafka"]
    assert memory.around(kafka.id, days=2).entries[0].text.startswith("Kafka")
    assert memory.around(ftp.id, days=2, limit=2).total == 4
    clock.forward(days=-2)
    for number in range(20):
        memory.log(f"thing {number} holds {number * 31} rows", "decision")
    clock.forward(days=2)
    crowded = memory.around(ftp.id, days=7, limit=20)
    assert (crowded.total, len(crowded.entries)) == (24, 20)
    assert {one.text.split()[0] for one in crowded.entries[:3]} == {"The", "Oracle", "FTP"}
    dated = memory.log("Mongo was too dear (2026-01-10)", "rejected").entry
    assert memory.around(dated.id).day == date(2026, 1, 10)


def test_entries_that_mention_the_day_are_counted_once(memory: Memory) -> None:
    today = memory.log("the release is near", "decision").entry.date
    for number in range(6):
        memory.log(f"part {number * 17} of it is due on {today}", "decision")
    assert memory.around(str(today), days=1, limit=3).total == 7


def test_what_words_find_comes_before_what_is_only_of_the_time(
    told: Memory, other: Project
) -> None:
    other.memory.write_text("## 2026-11-10\n\nlearned: gRPC gateway retries\n", encoding="utf-8")
    found = told.search("gateway last week", everywhere=True)
    assert words(found) == ["gRPC gateway", "nothing beats", "Redis evicts", "SQLite over"]
    assert found.hits[0].project == other.root.name


def test_among_those_of_other_projects_the_later_fact_comes_first_too(
    memory: Memory, other: Project
) -> None:
    memory.project.memory.write_text(
        "## 2026-11-10\n\ndecided: The auth service listens on port 8443 in the cluster.\n\n"
        "## 2026-11-12\n\ndecided: Auth was moved to port 9443 for the sidecar.\n",
        encoding="utf-8",
    )
    other.memory.write_text("learned: a port of the auth service is free\n", encoding="utf-8")
    query = "which port does the auth service listen on in the cluster"
    alone = [hit.entry.id for hit in memory.search(query).hits]
    among = memory.search(query, everywhere=True).hits
    assert [hit.entry.id for hit in among if not hit.project] == alone
    assert among[1].stale[0].startswith(f"superseded by {alone[0]}")
    pages = [memory.search(query, everywhere=True, limit=1, offset=at).hits for at in range(3)]
    assert [hit.entry.id for page in pages for hit in page] == [hit.entry.id for hit in among]


def test_problems_of_another_project_are_told_with_its_name(told: Memory, other: Project) -> None:
    other.config.write_text('{"search": {"weights": {"nonsense": 1}}}', encoding="utf-8")
    found = told.search("redis", everywhere=True)
    assert [one.split(":")[0] for one in found.problems] == [other.root.name]
    assert len(words(found)) == 5


def test_a_project_that_cannot_be_searched_does_not_take_the_others_away(
    told: Memory, other: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    refresh = sync.refresh

    def fails(project: Project, *arguments: Any, **more: Any) -> sync.Report:
        if project.root == other.root:
            raise FileError("the disk is gone")
        return refresh(project, *arguments, **more)

    monkeypatch.setattr(sync, "refresh", fails)
    found = told.search("redis", everywhere=True)
    assert len(words(found)) == 5
    assert found.problems[0].startswith(f"{other.root.name}: the disk is gone.")


def test_the_same_clock_gives_the_same_answer(told: Memory, clock: Clock) -> None:
    first = told.search("redis last week")
    clock.forward(minutes=5)
    assert told.search("redis last week") == first
    clock.forward(days=7)
    later = told.search("last week")
    assert words(later) == ["Redis only"]


def hits_of(found: SearchResult) -> Sequence[str]:
    return [hit.entry.id for hit in found.hits]


def test_what_was_logged_a_moment_ago_is_found(told: Memory) -> None:
    logged = told.log("Kafka instead of Redis #queue", "decision")
    assert hits_of(told.search("tag:queue")) == [logged.entry.id]
    assert hits_of(told.search(f"id:{logged.entry.id}")) == [logged.entry.id]
    assert hits_of(told.search("today kind:decision")) == [logged.entry.id]


POLYGLOT = """# Notizen

learned: Der Cache wird bei jedem Start geleert
learned: the cache is emptied on every start
learned: Le cache est vidé à chaque démarrage
learned: Redis 7.2
"""


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("lang:de", ["Der Cache"]),
        ("language:DE,fr order:oldest", ["Der Cache", "Le cache"]),
        ("cache lang:de lang:fr", ["Der Cache", "Le cache"]),
        ("cache lang:en kind:learning", ["the cache"]),
        ("lang:ko", []),
    ],
)
def test_entries_in_one_language_or_in_several(
    memory: Memory, query: str, expected: list[str]
) -> None:
    memory.project.memory.write_text(POLYGLOT, encoding="utf-8")
    assert sorted(words(memory.search(query))) == expected


def test_what_is_no_language_is_compared_as_words(memory: Memory) -> None:
    memory.project.memory.write_text(POLYGLOT, encoding="utf-8")
    for query in ("cache lang:xx", "cache lang:de,xx", "cache lang:,"):
        found = memory.search(query)
        assert found.parsed.ignored == (query.split()[1],)
        assert len(words(found)) == 3
    with pytest.raises(InputError, match="lang is 'xx'"):
        memory.search("cache", filters={"lang": "xx"})
    beside = memory.search("cache", filters={"lang": "fr, de"})
    assert sorted(words(beside)) == ["Der Cache", "Le cache"]
    assert beside.parsed.narrowed == "lang:fr,de"


def test_an_entry_that_is_written_anew_has_the_language_of_its_new_text(memory: Memory) -> None:
    path = memory.project.memory
    path.write_text(POLYGLOT, encoding="utf-8")
    assert len(words(memory.search("lang:de"))) == 1
    path.write_text(POLYGLOT.replace("Der Cache wird", "The cache of"), encoding="utf-8")
    assert words(memory.search("lang:de")) == []


def test_what_was_recorded_here_precedes_what_was_imported(memory: Memory) -> None:
    lines = (
        "- note: the queue drops old jobs [from:: obsidian:a]\n- note: the queue drops late jobs"
    )
    memory.project.memory.write_text(f"{lines}\n", encoding="utf-8")
    assert words(memory.search("queue drops jobs"), 4) == [
        "the queue drops late",
        "the queue drops old",
    ]
