"""Gotchas: where they come from, when they match, and that they do not match otherwise."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from mind.domain.entry import Entry, Kind
from mind.domain.errors import InputError
from mind.memory import gotchas
from mind.memory.gotchas import Gotcha, check, detect_stacks, from_entry, load_builtin, load_global
from mind.memory.gotchas.known import _rules
from mind.memory.memory import Memory
from mind.storage.templates import folder
from mind.text.sourcetext.limited import MatchLimits

ROWS: list[dict[str, Any]] = [
    row
    for path in sorted((folder() / "gotchas").glob("*.toml"))
    for row in tomllib.loads(path.read_text(encoding="utf-8"))["gotcha"]
]


def test_the_built_in_set_is_broad_and_sourced() -> None:
    assert len(ROWS) >= 779
    stacks = {stack for row in ROWS for stack in row["stacks"]}
    assert len(stacks) >= 110
    assert stacks <= set(_rules())
    assert len({row["title"] for row in ROWS}) == len(ROWS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["title"])
def test_every_built_in_gotcha_matches_its_own_example(row: dict[str, Any]) -> None:
    assert row["reference"].startswith("https://")
    assert row["severity"] in gotchas.SEVERITIES
    assert row["description"]
    assert row["workaround"]
    one = [known for known in load_builtin() if known.title == row["title"]]
    found = check(row["example"], "", row["stacks"], one) or check(
        "", row["example"], row["stacks"], one, MatchLimits(10)
    )
    assert found
    assert found[0].reason
    elsewhere = check(row["example"], row["example"], [], one)
    assert not row["stacks"] or elsewhere == []


ORDINARY = [
    "add a button",
    "refactor the parser",
    "write tests for the login page",
    "rename a variable",
    "update the README",
    "implement pagination for the users list",
    "bump the version",
    "make the header sticky",
    "fix a typo in the error message",
    "extract a function",
    "remove dead code",
    "add logging to the importer",
    "move the module to another folder",
    "document the settings",
    "add a field to the form",
    "change the colour of the link",
    "show the date of the last change",
    "sort the imports",
    "speed up the tests",
    "handle empty input",
    "add a column to the report",
    "cache the result of the calculation",
    "validate the email address",
    "print the total",
    "split the file in two",
    "translate the labels",
    "add an icon",
    "delete the old migration notes",
    "check the spelling",
    "write the changelog",
    "merge the two helpers",
    "return early when there is nothing to do",
    "format the code",
    "mock the clock in the tests",
    "count the words",
    "make the title shorter",
    "support dark mode",
    "add a keyboard shortcut",
    "retry the download",
    "group the results by month",
]
HARMLESS_CODE = [
    "def add(item, items=None):\n    return [*(items or []), item]\n",
    'with open(path, encoding="utf-8") as file:\n    text = file.read()\n',
    'subprocess.run(["git", "log"], check=True)\n',
    "const sorted = numbers.sort((a, b) => a - b)\n",
    "for (const item of items) await save(item)\n",
    "FROM python:3.11-slim\nCOPY requirements.txt .\nRUN pip install -r requirements.txt\n",
    "m := make(map[string]int)\n",
    'cursor.execute("SELECT * FROM users WHERE id = ?", (user_id,))\n',
    "set -euo pipefail\n",
    'rm -rf "$dir"\n',
]


def test_ordinary_work_is_not_warned_about() -> None:
    every = sorted({stack for row in ROWS for stack in row["stacks"]})
    false = [
        (text, edge.gotcha.title, edge.reason)
        for text in ORDINARY
        for edge in check(text, "", every, load_builtin())
    ]
    false += [
        (code, edge.gotcha.title, edge.reason)
        for code in HARMLESS_CODE
        for edge in check("", code, every, load_builtin())
    ]
    assert false == []


def project_gotcha(text: str) -> Gotcha:
    return from_entry(Entry(id="a", kind=Kind.GOTCHA, text=text, source="M.md", line=3))


def test_a_name_in_backticks_is_looked_for_in_the_code() -> None:
    known = [project_gotcha("`load_all()` reads everything into memory -> use `stream`")]
    (edge,) = check("", "rows = []\nx = load_all()\n", [], known)
    assert edge.reason == "line 2 of the code has `load_all()`"
    assert check("", "preload_all()", [], known) == []


def test_lesson_a_letter_or_a_stop_word_matches_nothing() -> None:
    known = load_global([{"title": "a", "description": "is to be", "detection": "a"}])
    assert check("add a button to the page", "a = 1", [], known) == []


def test_lesson_a_detection_given_as_a_string_is_one_phrase() -> None:
    (known,) = load_global([{"title": "Wildcards", "detection": "bare wildcard"}])
    assert known.phrases == ("bare wildcard",)
    (found,) = check("use a bare wildcard route", "", [], [known])
    assert found.reason == "the intent says: bare, wildcard"


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        {},
        3,
        "x",
        [3],
        [{}],
        [{"title": ""}],
        [{"title": 3}],
        {"edges": 3},
        {"edges": [1]},
    ],
)
def test_what_is_no_list_of_gotchas_is_empty(data: object) -> None:
    assert load_global(data) == []


def test_other_shapes_of_global_gotchas_are_understood() -> None:
    (one,) = load_global(
        [
            {
                "title": "T",
                "description": "d",
                "workaround": "w",
                "detection": {"patterns": ["foo", "("], "intent": ["do foo"], "code": "bar"},
                "stack_tags": ["React"],
                "severity": "HIGH",
            }
        ]
    )
    assert one.patterns == ("foo", "bar")
    assert one.phrases == ("do foo",)
    assert one.stacks == ("react",)
    assert one.severity == "high"
    assert load_global([{"title": "T", "severity": "odd"}])[0].severity == "medium"


def test_global_gotchas_survive_a_round_trip() -> None:
    one = gotchas.new_global("T", "d", "w", ["React "], r"foo\(", "high")
    data = json.loads(json.dumps(gotchas.dump_global([one])))
    assert load_global(data) == [one]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ((" ", "d", "w"), "no title"),
        (("t", " ", ""), "neither"),
        (("t", "d", "w", [], "(", "low"), "does not compile"),
        (("t", "d", "w", [], "(a|a)*$", "low"), "too slow: a search in letters takes too long"),
        (("t", "d", "w", [], "x" * 301, "low"), "300"),
        (("t", "d", "w", [], "", "odd"), "Use one of: low"),
    ],
)
def test_a_gotcha_that_cannot_be_used_is_refused(fields: tuple[Any, ...], said: str) -> None:
    with pytest.raises(InputError) as caught:
        gotchas.new_global(*fields)
    assert said in str(caught.value)


def test_the_most_severe_comes_first_and_there_are_at_most_twelve() -> None:
    every = sorted({stack for row in ROWS for stack in row["stacks"]})
    code = "\n".join(row["example"] for row in ROWS)
    found = check("", code, every, load_builtin(), MatchLimits(10))  # every pattern is new here
    assert len(found) == 12
    assert [edge.gotcha.severity for edge in found] == ["critical"] * 12


# --- stacks -------------------------------------------------------------------------------

MANIFESTS = {
    "python": ("pyproject.toml", "[project]"),
    "django": ("requirements.txt", "Django>=5\n# flask\n"),
    "fastapi": (
        "pyproject.toml",
        '[project]\nname = "x"\ndependencies = ["fastapi[standard]>=0.1"]',
    ),
    "pandas": ("requirements.txt", "pandas==2.2.0\n"),
    "node": ("package.json", "{}"),
    "react": ("package.json", '{"dependencies": {"react": "19"}}'),
    "nextjs": ("package.json", '{"dependencies": {"next": "15"}}'),
    "vue": ("package.json", '{"devDependencies": {"vue": "3"}}'),
    "svelte": ("svelte.config.js", ""),
    "angular": ("angular.json", "{}"),
    "tailwind": ("tailwind.config.js", ""),
    "typescript": ("tsconfig.json", "{}"),
    "prisma": ("prisma/schema.prisma", ""),
    "vercel": ("vercel.json", "{}"),
    "cloudflare": ("wrangler.toml", ""),
    "supabase": ("package.json", '{"dependencies": {"@supabase/supabase-js": "2"}}'),
    "go": ("go.mod", "module x"),
    "rust": ("Cargo.toml", "[package]"),
    "tokio": ("Cargo.toml", '[dependencies]\ntokio = "1"'),
    "java": ("pom.xml", "<project/>"),
    "spring": ("build.gradle", "implementation 'org.springframework.boot'"),
    "swift": ("Package.swift", ""),
    "flutter": ("pubspec.yaml", ""),
    "ruby": ("Gemfile", "source 'x'"),
    "rails": ("Gemfile", "gem 'rails', '~> 8'"),
    "php": ("composer.json", "{}"),
    "laravel": ("composer.json", '{"require": {"laravel/framework": "12"}}'),
    "dotnet": ("App.csproj", ""),
    "elixir": ("mix.exs", ""),
    "docker": ("Dockerfile", "FROM x"),
    "kubernetes": ("Chart.yaml", ""),
    "terraform": ("main.tf", ""),
    "github-actions": (".github/workflows/ci.yml", ""),
    "postgres": ("requirements.txt", "psycopg[binary]>=3"),
    "mysql": ("package.json", '{"dependencies": {"mysql2": "3"}}'),
    "sqlite": ("package.json", '{"dependencies": {"better-sqlite3": "11"}}'),
    "mongodb": ("requirements.txt", "pymongo\n"),
    "redis": ("package.json", '{"dependencies": {"ioredis": "5"}}'),
    "aws": ("requirements.txt", "boto3\n"),
}


@pytest.mark.parametrize("stack", MANIFESTS)
def test_a_stack_is_recognised_by_its_manifest(tmp_path: Path, stack: str) -> None:
    name, text = MANIFESTS[stack]
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    assert stack in detect_stacks(tmp_path)
    assert stack != "django" or "flask" not in detect_stacks(tmp_path)


def test_only_the_gotchas_of_a_projects_stacks_are_read() -> None:
    every = load_builtin()
    for named in ({"Python"}, {"node", "docker"}, {"no such stack"}, {"c"}, set[str]()):
        stacks = {one.lower() for one in named}
        wanted = [one for one in every if not one.stacks or stacks.intersection(one.stacks)]
        assert list(load_builtin(frozenset(named))) == wanted
    assert 0 < len(load_builtin(frozenset())) < len(every) / 10


def test_many_stacks_are_known() -> None:
    assert len(_rules()) >= 25


@pytest.mark.parametrize("place", ["web", "packages/app", "services/api"])
def test_packages_of_a_monorepo_count(tmp_path: Path, place: str) -> None:
    folder_ = tmp_path / place
    folder_.mkdir(parents=True)
    (folder_ / "package.json").write_text('{"dependencies": {"react": "19"}}', encoding="utf-8")
    assert "react" in detect_stacks(tmp_path)


@pytest.mark.parametrize(
    "text", ["{", "[]", "\ufeff{}", '{"dependencies": 3}', "x" * 600_000, "\0"]
)
def test_broken_and_huge_manifests_count_by_name_only(tmp_path: Path, text: str) -> None:
    (tmp_path / "package.json").write_text(text, encoding="utf-8")
    assert "node" in detect_stacks(tmp_path)


def test_nothing_is_detected_where_there_is_nothing(tmp_path: Path) -> None:
    assert detect_stacks(tmp_path) == []
    assert detect_stacks(tmp_path / "missing") == []


@pytest.mark.parametrize("name", ["title", "description", "workaround", "pattern"])
def test_a_gotcha_for_every_project_is_no_essay(name: str) -> None:
    given = {"title": "t", "description": "d", "workaround": "w"} | {name: "x" * 3_000}
    with pytest.raises(InputError, match=f"the {name} has 3,000 characters. Shorten it to"):
        gotchas.new_global(**given)


CASES: list[dict[str, Any]] = tomllib.loads(
    (Path(__file__).parent / "gotcha_cases.toml").read_text(encoding="utf-8")
)["case"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["intent"][:60])
def test_what_somebody_is_about_to_do_meets_what_it_should(case: dict[str, Any]) -> None:
    found = check(case["intent"], case.get("code", ""), [*case["stacks"], "web"], load_builtin())
    titles = {edge.gotcha.title for edge in found}
    expected = set(case.get("expect", ()))
    assert expected <= titles
    assert titles <= expected | set(case.get("also", ()))


def test_probes_written_without_sight_of_the_set_meet_what_they_should(tmp_path: Path) -> None:
    probes = tomllib.loads(
        (Path(__file__).parent / "gotcha_probes.toml").read_text(encoding="utf-8")
    )["probe"]
    missed, false = [], []
    for probe in probes:
        stacks = gotchas.named_stacks([probe["stack"]], tmp_path)
        found = check(probe.get("intent", ""), probe.get("code", ""), stacks, load_builtin())
        told = " ".join(
            f"{edge.gotcha.title} {edge.gotcha.description} {edge.gotcha.workaround}"
            for edge in found
        ).lower()
        expected = [word.lower() for word in probe.get("expect", ())]
        if expected and not any(word in told for word in expected):
            missed.append(probe)
        if found and not expected:
            false.append(probe)
    assert len(probes) == 80
    assert len(missed) <= 2
    assert len(false) <= 1


def test_stacks_of_any_name_do_not_fill_the_memory_of_a_server(memory: Memory) -> None:
    for at in range(40):
        memory.edges("use eval", stack=[f"stack{at}"])
    assert load_builtin.cache_info().currsize < 20
