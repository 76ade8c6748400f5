"""What `mind init` finds in a repository, offers, and records once that is agreed to."""

import json
import os
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import pytest

from mind.cli import init
from mind.memory import gotchas
from mind.sources import importers as registry
from mind.sources import manifests
from mind.sources.importers import Importer, records
from tests.conftest import Run

README = """# shop

<p align="center"><img src="logo.png"> Flowers, delivered with care to everybody.</p>

[![ci](https://example.org/ci.svg)](https://example.org)
[![flowers of the
day and of the night](https://example.org/day.svg?of=shop)](https://example.org)

**Documentation**: https://docs.example.org/of/the/flower/shop

Shop sells flowers on [the web](https://example.org) and keeps every order for ten years.

## Install

This sentence stands under a heading of its own and is not the goal.
"""
CHANGES = """# Changelog

## [Unreleased]

- BREAKING: orders need a `Map<Id, Order>` from now on

## 4.1.0

### Breaking changes

- None, this release is compatible
- Breaking: see https://example.org/a-long-address-of-a-page

## 4.0.2

## 4.0.1

## 4.0.0

### Breaking changes

- The `total` column holds cents

## 3.0.0

### Breaking changes

- Too old to matter to anybody today
"""
RECORD = """# 3. Keep sessions in Redis

Date: 2025-03-01

## Status

Accepted

## Context

Sessions were lost with `kill -9`.

## Decision

We keep sessions in Redis.

- one key a session;
- a TTL of a day.

## Consequences

Redis must run for `Map<str, Session>`.
"""


@pytest.fixture
def shop(repository: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (repository / "README.md").write_text(README, encoding="utf-8")
    (repository / "CHANGELOG.md").write_text(CHANGES, encoding="utf-8")
    (repository / "AGENTS.md").write_text("Run `make check` before a commit.\n", encoding="utf-8")
    project = '[project]\nname = "shop"\nrequires-python = ">=3.12"\ndependencies = ["rich"]\n'
    (repository / "pyproject.toml").write_text(project, encoding="utf-8")
    make = "test: ## All tests\n\tpytest\n\nlint:\n\truff check\n\nvendor/x:\n\tcp a b\n"
    (repository / "Makefile").write_text(make, encoding="utf-8")
    adr = repository / "docs" / "adr"
    adr.mkdir(parents=True)
    (adr / "0003-redis.md").write_text(RECORD, encoding="utf-8")
    monkeypatch.chdir(repository)
    return repository


def offered(mind: Run, *more: str) -> list[tuple[str, str, str]]:
    told = json.loads(mind("init", "--json", *more)[1])
    return [(row["kind"], row["text"], row["place"]) for row in told["proposed"]]


OFFERS = [
    (
        "decision",
        (
            "Keep sessions in Redis: We keep sessions in Redis. one key a session; a TTL of a day. "
            "Context: Sessions were lost with `kill -9`. "
            "Consequences: Redis must run for `Map<str, Session>`. (docs/adr/0003-redis.md)"
        ),
        "docs/adr/0003-redis.md",
    ),
    (
        "gotcha",
        "Breaking in Unreleased: orders need a `Map<Id, Order>` from now on",
        "CHANGELOG.md:5",
    ),
    ("gotcha", "Breaking in 4.0.0: The `total` column holds cents", "CHANGELOG.md:22"),
    ("note", "Commands: `make test` (All tests); `make lint` (`ruff check`)", "Makefile"),
    (
        "goal",
        "Shop sells flowers on the web and keeps every order for ten years.",
        "README.md:11",
    ),
    ("note", "Stack: Python >=3.12; rich", "pyproject.toml"),
]


def test_init_offers_what_the_repository_says(shop: Path, mind: Run) -> None:
    assert sorted(offered(mind)) == sorted(OFFERS)
    assert "Redis" not in (shop / ".mind" / "MEMORY.md").read_text(encoding="utf-8")


def test_the_block_shows_the_commands(shop: Path, mind: Run) -> None:
    assert mind("init", "--yes")[0] == 0
    line = "- Commands: `make test` (All tests); `make lint` (`ruff check`)"
    state = (shop / ".mind" / "MEMORY.md").read_text("utf-8").partition("## Gotchas")[0]
    assert f"{line} [from:: repository:commands-" in state
    assert f"{line}\n" in mind("recall")[1]


@pytest.mark.parametrize(
    ("root", "text", "expected"),
    [
        ("package.json", '{"workspaces": ["apps/*"]}', "koa"),
        ("package.json", '{"workspaces": {"packages": ["./apps/**"]}}', "koa"),
        ("pnpm-workspace.yaml", "packages:\n  - 'apps/*'\n  - '!x'\n", "koa"),
        ("Cargo.toml", '[workspace]\nmembers = ["apps/*"]\n', "serde"),
        ("go.work", "go 1.24\n\nuse (\n\t./apps/one\n\t./apps/two\n)\n", "x.org/log"),
    ],
)
def test_a_stack_holds_what_the_members_of_a_workspace_depend_on(
    shop: Path, mind: Run, root: str, text: str, expected: str
) -> None:
    (shop / root).write_text(text, encoding="utf-8")
    bodies = {
        "package.json": '{"name": "@shop/%s", "dependencies": {"koa": "3", "@shop/two": "*"}}',
        "Cargo.toml": '[package]\nname = "%s"\n[dependencies]\nserde = "1"\n',
        "go.mod": "module example.org/%s\n\nrequire x.org/log v1.0.0\n",
    }
    member = {"pnpm-workspace.yaml": "package.json", "go.work": "go.mod"}.get(root, root)
    body = bodies[member]
    for name in ("one", "two"):
        folder = shop / "apps" / name
        folder.mkdir(parents=True)
        (folder / member).write_text(body % name, encoding="utf-8")
    assert ("note", f"Stack: Python >=3.12; rich, {expected}") in [one[:2] for one in offered(mind)]


def test_members_that_need_the_same_version_say_so_for_the_workspace(
    repository: Path, mind: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = '[workspace]\nmembers = ["one", "two"]\n'
    (repository / "Cargo.toml").write_text(root, encoding="utf-8")
    member = '[package]\nname = "shop-{}"\nedition = "2024"\n[dependencies]\nshop-one = "1"\n'
    for name in ("one", "two"):
        (repository / name).mkdir()
        (repository / name / "Cargo.toml").write_text(member.format(name), encoding="utf-8")
    monkeypatch.chdir(repository)
    assert offered(mind) == [("note", "Stack: Rust edition 2024", "Cargo.toml")]


def test_names_of_packages_keep_their_capitals(shop: Path, mind: Run) -> None:
    (shop / "pyproject.toml").unlink()
    text = "module x\n\ngo 1.25\n\nrequire github.com/KimMachineGun/automemlimit v0.7.0\n"
    (shop / "go.mod").write_text(text, encoding="utf-8")
    stack = "Stack: Go 1.25; github.com/KimMachineGun/automemlimit"
    assert ("note", stack, "go.mod") in offered(mind)


def test_a_long_decision_record_gives_its_beginning(shop: Path, mind: Run) -> None:
    record = shop / "docs" / "adr" / "0003-redis.md"
    more = "\n\nOne more sentence of a long story." * 300
    long = RECORD.replace("- one key a session;", f"Each is a row.{more}")
    record.write_text(long, encoding="utf-8")
    (text,) = [text for kind, text, _ in offered(mind) if kind == "decision"]
    assert text.startswith("Keep sessions in Redis: We keep sessions in Redis. Each is a row. One")
    assert text.endswith("of a long story. (docs/adr/0003-redis.md)")
    assert len(text) < 8_100


def test_members_of_a_workspace_are_looked_for_inside_it_alone(
    repository: Path, mind: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = repository.parent / "outside"
    outside.mkdir()
    (outside / "package.json").write_text('{"dependencies": {"koa": "3"}}', encoding="utf-8")
    (repository / "linked").symlink_to(outside)
    spaces = json.dumps({"workspaces": ["../outside", str(outside), "linked", "apps/*"]})
    (repository / "package.json").write_text(spaces, encoding="utf-8")
    monkeypatch.chdir(repository)
    assert offered(mind) == []


@pytest.mark.parametrize("shape", ["a" * 5_000, "a/" * 2_000, "\0", "\ud800", "***/one", "["])
def test_a_member_that_no_folder_can_be_costs_the_others_nothing(
    repository: Path, mind: Run, monkeypatch: pytest.MonkeyPatch, shape: str
) -> None:
    deep = repository / "apps" / "node_modules" / "one"
    for folder, name in ((repository / "apps" / "two", "koa"), (deep, "left-pad")):
        folder.mkdir(parents=True)
        needs = json.dumps({"dependencies": {name: "3"}})
        (folder / "package.json").write_text(needs, encoding="utf-8")
    spaces = json.dumps({"workspaces": [shape, "apps/*"]})
    (repository / "package.json").write_text(spaces, encoding="utf-8")
    monkeypatch.chdir(repository)
    assert offered(mind) == [("note", "Stack: koa", "package.json")]


def test_half_a_character_in_a_manifest_is_recorded_as_a_question_mark(
    repository: Path, mind: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = json.dumps({"name": "x", "description": "Sells flowers \ud83d to all who want them"})
    (repository / "package.json").write_text(told, encoding="utf-8")
    monkeypatch.chdir(repository)
    assert mind("init", "--yes")[0] == 0
    memory = (repository / ".mind" / "MEMORY.md").read_text(encoding="utf-8")
    assert "- Goal: Sells flowers ? to all who want them [from::" in memory


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes")
def test_a_changelog_that_leads_outside_or_is_a_pipe_is_not_read(shop: Path, mind: Run) -> None:
    outside = shop.parent / "outside.md"
    (shop / "CHANGELOG.md").rename(outside)
    (shop / "docs" / "CHANGELOG.md").symlink_to(outside)
    os.mkfifo(shop / "docs" / "CHANGES.md")
    assert "gotcha" not in [kind for kind, _, _ in offered(mind)]


def test_decision_records_of_a_workspaces_members_are_found(shop: Path, mind: Run) -> None:
    (shop / "package.json").write_text('{"workspaces": ["apps/*"]}', encoding="utf-8")
    app = shop / "apps" / "one"
    (app / "docs").mkdir(parents=True)
    (app / "package.json").write_text("{}", encoding="utf-8")
    (shop / "docs" / "adr").rename(app / "docs" / "adr")
    assert ("decision", "apps/one/docs/adr/0003-redis.md") in [
        (kind, place) for kind, _, place in offered(mind)
    ]


def test_the_paragraph_that_says_what_the_project_is_comes_first(shop: Path, mind: Run) -> None:
    news = README.replace("Shop sells", "We are happy to tell that release 5 is out!\n\nShop is a")
    (shop / "README.md").write_text(news, encoding="utf-8")
    goal = "Shop is a flowers on the web and keeps every order for ten years."
    assert ("goal", goal, "README.md:13") in offered(mind)


def test_a_library_in_ruby_depends_on_what_its_gemspec_says(shop: Path, mind: Run) -> None:
    (shop / "pyproject.toml").unlink()
    spec = 'Gem::Specification.new do |s|\n  s.required_ruby_version = ">= 3.2"\n'
    spec += '  s.add_dependency "rack", "~> 3"\n  s.add_development_dependency "rake"\nend\n'
    (shop / "shop.gemspec").write_text(spec, encoding="utf-8")
    assert ("note", "Stack: Ruby >= 3.2; rack", "shop.gemspec") in offered(mind)


def test_a_version_that_two_manifests_state_is_named_once(shop: Path, mind: Run) -> None:
    (shop / "pyproject.toml").write_text(
        '[project]\nname = "tea"\nrequires-python = ">= 3.9"\n', encoding="utf-8"
    )
    (shop / "setup.py").write_text("setup(name='tea', python_requires='>=3.9')\n", encoding="utf-8")
    stacks = [one[1] for one in offered(mind) if one[1].startswith("Stack:")]
    assert stacks == ["Stack: Python >=3.9"]


def test_what_the_work_on_a_library_needs_is_no_stack(shop: Path, mind: Run) -> None:
    (shop / "requirements.txt").write_text("sphinx==8.1\n", encoding="utf-8")
    (shop / "Gemfile").write_text("gem 'pry'\n", encoding="utf-8")
    (shop / "shop.gemspec").write_text('s.name = "shop"\n', encoding="utf-8")
    (shop / "build.gradle").write_text("plugins { id 'shop.docs' }\n", encoding="utf-8")
    mix = 'deps: [{:mime, "~> 2.0"}, {:ex_doc, "~> 0.2", only: :docs}]\n'
    (shop / "mix.exs").write_text(mix, encoding="utf-8")
    stack = ("note", "Stack: Python >=3.12; mime, rich", "pyproject.toml, mix.exs")
    assert stack in offered(mind)


def test_a_list_that_the_manifest_reads_is_stack(shop: Path, mind: Run) -> None:
    (shop / "requirements.txt").write_text("httpx==1.0\n", encoding="utf-8")
    text = '[project]\nname = "shop"\ndynamic = ["dependencies"]\n[tool.setuptools.dynamic]\n'
    text += 'dependencies = {file = ["requirements.txt"]}\n'
    (shop / "pyproject.toml").write_text(text, encoding="utf-8")
    assert ("note", "Stack: httpx", "requirements.txt") in offered(mind)


def test_a_loop_of_links_is_no_manifest(shop: Path, mind: Run, git: Callable[..., str]) -> None:
    (shop / "web").mkdir()
    (shop / "web" / "package.json").symlink_to("package.json")
    git("add", "--all")
    assert ("note", "Stack: Python >=3.12; rich", "pyproject.toml") in offered(mind)


def test_the_manifest_of_the_project_counts_whatever_its_share(
    shop: Path, mind: Run, git: Callable[..., str]
) -> None:
    for number in range(20):
        (shop / f"{number}.c").write_text("int main() {}\n", encoding="utf-8")
    git("add", "--all")
    assert ("note", "Stack: Python >=3.12; rich", "pyproject.toml") in offered(mind)


def test_a_list_of_packages_of_some_scripts_is_no_stack(
    shop: Path, mind: Run, git: Callable[..., str]
) -> None:
    (shop / "pyproject.toml").unlink()
    (shop / "requirements.txt").write_text("httpx==1.0\n", encoding="utf-8")
    (shop / "check.py").write_text("import httpx\n", encoding="utf-8")
    git("add", "--all")
    assert ("note", "Stack: httpx", "requirements.txt") in offered(mind)
    for number in range(20):
        (shop / f"{number}.cpp").write_text("int main() {}\n", encoding="utf-8")
    git("add", "--all")
    assert not [text for _, text, _ in offered(mind) if text.startswith("Stack:")]


@pytest.mark.parametrize(
    ("name", "text", "code", "expected"),
    [
        (
            "src/Shop/Shop.csproj",
            (
                "<TargetFramework>net8.0</TargetFramework>"
                '<PackageReference Include="Serilog" />'
                '<!-- <PackageReference Include="Old" /> -->'
            ),
            "cs",
            ".NET 8.0; Serilog",
        ),
        ("global.json", '{"sdk": {"version": "10.0.100"}}', "cs", ".NET SDK 10.0.100"),
        (
            "pom.xml",
            (
                "<java.version>25<plugins><dependency><groupId>a</groupId><artifactId>b</artifactId>"
                "</plugins><dependency><groupId>a</groupId><artifactId>slf4j</artifactId>"
            ),
            "java",
            "Java 25; slf4j",
        ),
        (
            "CMakeLists.txt",
            "set(CMAKE_CXX_STANDARD 17)\nfind_package(Boost REQUIRED)\n# find_package(Old)\n",
            "cpp",
            "C++ 17; Boost",
        ),
        (
            "Package.swift",
            (
                '// swift-tools-version:5.9\nlet package = Package(name: "Shop", dependencies: [\n'
                '.package(url: "https://github.com/apple/swift-nio.git", from: "2.0.0")])'
            ),
            "swift",
            "Swift 5.9; swift-nio",
        ),
        ("ios/Podfile", "pod 'Alamofire', '~> 5'\n", "swift", "Alamofire"),
        (
            "main.tf",
            'terraform { required_version = ">= 1.5"\n aws = { source = "hashicorp/aws" }\n}',
            "tf",
            "Terraform >= 1.5; aws",
        ),
        ("deno.json", '{"imports": {"@std/path": "jsr:@std/path@1"}}', "ts", "@std/path"),
    ],
)
def test_manifests_of_compiled_languages_and_of_deno_give_the_stack(  # noqa: PLR0917 - fixtures
    shop: Path, mind: Run, git: Callable[..., str], name: str, text: str, code: str, expected: str
) -> None:
    (shop / "pyproject.toml").unlink()
    (shop / name).parent.mkdir(parents=True, exist_ok=True)
    (shop / name).write_text(text, encoding="utf-8")
    (shop / f"main.{code}").write_text(text, encoding="utf-8")
    git("add", "--all")
    assert f"Stack: {expected}" in [one for _, one, _ in offered(mind)]


def test_packages_of_a_test_project_come_last(
    shop: Path, mind: Run, git: Callable[..., str]
) -> None:
    (shop / "pyproject.toml").unlink()
    for name, package in (("Shop.Tests", "xunit"), ("Shop", "Dapper")):
        (shop / "src" / name).mkdir(parents=True)
        text = f'<PackageReference Include="{package}" Version="1" />'
        (shop / "src" / name / f"{name}.csproj").write_text(text, encoding="utf-8")
    git("add", "--all")
    assert "Stack: Dapper" in [one for _, one, _ in offered(mind)]


@pytest.mark.parametrize(
    ("name", "root", "member", "expected"),
    [
        ("mix.exs", 'apps_path: "apps"', 'deps: [{:ecto, "~> 3"}]', "Stack: ecto"),
        (
            "pom.xml",
            (
                "<kotlin.version>2.4</kotlin.version><java.version>25</java.version>"
                "<modules><module>apps/a</module></modules>"
            ),
            "<dependency><groupId>g</groupId><artifactId>ktor</artifactId></dependency>",
            "Stack: Kotlin 2.4, Java 25; ktor",
        ),
    ],
)
def test_manifests_in_folders_count(  # noqa: PLR0917 - one case a line
    shop: Path, mind: Run, git: Callable[..., str], name: str, root: str, member: str, expected: str
) -> None:
    (shop / "pyproject.toml").unlink()
    (shop / name).write_text(root, encoding="utf-8")
    (shop / "apps" / "a").mkdir(parents=True)
    (shop / "apps" / "a" / name).write_text(member, encoding="utf-8")
    (shop / "tests" / "a").mkdir(parents=True)
    (shop / "tests" / "a" / name).write_text(member.replace("to", "x"), encoding="utf-8")
    git("add", "--all")
    assert expected in [text for _, text, _ in offered(mind)]


def test_notes_and_progress_of_a_bank_that_search_reads_stay_in_their_files(
    shop: Path, mind: Run, git: Callable[..., str]
) -> None:
    bank = shop / "memory-bank"
    bank.mkdir()
    (bank / "activeContext.md").write_text(
        "# Active context\n\n## Recent changes\n\n- The session key is rotated every hour\n\n"
        "## Decisions\n\n- We look at SQLite again on Monday, with the two of us\n",
        encoding="utf-8",
    )
    (bank / "techContext.md").write_text(
        "# Tech\n\n## Decisions\n\n- We use SQLite for sessions, one file less to run\n", "utf-8"
    )
    bank.rename(shop / ".memory-bank")  # search reads no hidden folder
    git("add", "--all")
    kinds = {kind for kind, _, place in offered(mind) if place.startswith(".memory-bank")}
    assert kinds == {"decision", "progress"}
    (shop / ".memory-bank").rename(bank)
    git("add", "--all")
    texts = [text for _, text, place in offered(mind) if place.startswith("memory-bank")]
    assert texts == ["We use SQLite for sessions, one file less to run"]
    many = "".join(f"## Decisions of day {at}\n\n- We use tool {at} here\n\n" for at in range(101))
    (bank / "systemPatterns.md").write_text(f"# Patterns\n\n{many}", encoding="utf-8")
    assert not [place for _, _, place in offered(mind) if place.startswith("memory-bank")]
    told = "entries in all, too many to look through here; `mind import memory-bank`"
    assert told in mind("init", "--dry-run")[1]
    (bank / "systemPatterns.md").unlink()
    out = mind("init", "--yes")[1]
    assert (
        "  Left out: 2 entries that search finds in their files; `mind import memory-bank`" in out
    )
    git("commit", "--quiet", "-m", "Add the bank")
    hit, *_ = json.loads(mind("search", "is the session key rotated", "--json")[1])
    assert hit["text"] == "The session key is rotated every hour"
    assert "Would add 2 from memory-bank" in mind("import", "memory-bank", "--dry-run")[1]


def test_what_is_open_or_only_a_detail_in_a_bank_stays_there(
    shop: Path, mind: Run, git: Callable[..., str]
) -> None:
    (shop / "memory-bank").mkdir()
    (shop / "memory-bank" / "techContext.md").write_text(
        "# Tech\n\n## Known issues\n\n- The printer jams at noon on hot days\n\n"
        "## Technical decisions\n\n- Sessions are stored in SQLite, one file less to run\n"
        "- [Use Redis for the cache](adr/3.md)\n\n"
        "### Storage\n\nOf orders:\n\n- Cached for thirty seconds per customer\n\n"
        "### Queue\n\n- Jobs run in one process, orders are few\n\n"
        "#### Sizes of jobs\n\n- Small ones take a second or less\n",
        encoding="utf-8",
    )
    git("add", "--all")
    assert {kind for kind, _, place in offered(mind) if "bank" in place} == {"decision"}
    told = mind("import", "memory-bank", "--dry-run", "--json")[1]
    rows = [(row["kind"], row["text"]) for row in json.loads(told)["records"]]
    assert [text.rpartition(": ")[2] for kind, text in rows if kind == "decision"] == [
        "Jobs run in one process, orders are few",
        "Sessions are stored in SQLite, one file less to run",
    ]
    assert "problem" in dict(rows)


@pytest.mark.parametrize(("private", "expected"), [({"site"}, "koa"), ({"lib", "site"}, "koa")])
def test_a_member_that_is_no_part_of_the_product_does_not_count(
    repository: Path, mind: Run, monkeypatch: pytest.MonkeyPatch, private: set[str], expected: str
) -> None:
    (repository / "package.json").write_text('{"workspaces": ["lib", "site"]}', encoding="utf-8")
    for name, package in (("lib", "koa"), ("site", "vitepress")):
        (repository / name).mkdir()
        made = {"name": name, "private": name in private, "dependencies": {package: "1"}}
        (repository / name / "package.json").write_text(json.dumps(made), encoding="utf-8")
    monkeypatch.chdir(repository)
    assert offered(mind) == [("note", f"Stack: {expected}", "package.json")]


@pytest.mark.parametrize(
    ("readme", "about", "expected"),
    [
        (  # a definition comes first, and what announces a list is no part of it
            "See the docs.\n\nShop is a client for garden flowers. It is for:\n\n- tulips\n",
            "",
            "Shop is a client for garden flowers.",
        ),
        (  # the paragraph that says more of what the description says
            "We have moved to a new office today.\n\nOrders tulips and roses from the shell.\n",
            "Orders roses from the shell",
            "Orders tulips and roses from the shell.",
        ),
        (  # a list that a comma announces
            "Shop is an assistant for gardens. With it you can,\n\n- plant\n",
            "",
            "Shop is an assistant for gardens.",
        ),
        (  # what ends within a sentence is no sentence
            "Shop is a framework that helps you with,\n\n- roses\n",
            "Framework that helps to grow roses",
            "Framework that helps to grow roses",
        ),
        (  # a text further down that shares words with the description is about something else
            "All flowers of all, in one place.\n\n## Badges\n\nShow badges of the garden store.\n",
            "Garden store",
            "All flowers of all, in one place.",
        ),
        (  # a picture is no text, whatever its address
            "![All flowers that the store has](a%20(2).png)\n\nSells all flowers in one place.\n",
            "",
            "Sells all flowers in one place.",
        ),
        (  # parts of a page are separate texts
            "<div><h3>Sell flowers fast.<br />Break no vase at all.</h3><p>Seen above</p></div>\n",
            "",
            "Sell flowers fast. Break no vase at all.",
        ),
        (  # a quote at the top
            "> Sells flowers on every day of the week.\n\n## To do\n\n> Water them every day.\n",
            "",
            "Sells flowers on every day of the week.",
        ),
        (  # words without spaces, before a list that is announced
            "この店舗は季節の花を一年中世界中の人に売るためのアプリです。機能：\n\n- バラ\n",
            "",
            "この店舗は季節の花を一年中世界中の人に売るためのアプリです。",
        ),
        (  # else the description
            "Shop works with both roses and tulips.\n\nShop is the sound of the word *ship*.\n",
            "Flexible store of everything that grows",
            "Flexible store of everything that grows",
        ),
    ],
)
def test_a_goal_is_what_the_project_is_for(
    shop: Path, mind: Run, readme: str, about: str, expected: str
) -> None:
    (shop / "README.md").write_text(f"# Shop\n\n{readme}", encoding="utf-8")
    project = f'[project]\nname = "shop"\ndescription = "{about}"\n'
    (shop / "pyproject.toml").write_text(project, encoding="utf-8")
    assert [text for kind, text, _ in offered(mind) if kind == "goal"] == [expected]


@pytest.mark.parametrize(
    ("readme", "expected"),
    [
        (
            "Shop was started in 2012 by two.\n\nIt sells flowers to all of the towns.\n",
            "It sells flowers to all of the towns.",
        ),
        (
            "This is a friendly fork of the market.\n\nIt sells flowers to all of the towns.\n",
            "It sells flowers to all of the towns.",
        ),
        (
            "Shop was started in 2012 by two students.\n",
            "Shop was started in 2012 by two students.",
        ),
        (
            "Shop is a fork of Market that sells flowers.\n\nInstall it with one of the tools.\n",
            "Shop is a fork of Market that sells flowers.",
        ),
        (
            "You can use Shop to sell flowers in towns.\n\nTested on all of the old systems.\n",
            "You can use Shop to sell flowers in towns.",
        ),
        (
            "**The Next Generation of Flower Trade**\n\nIt sells flowers to all of the towns.\n",
            "It sells flowers to all of the towns.",
        ),
        (
            "You can get it in the store too.\n\n## About\n\nThis app sells flowers to towns.\n",
            "This app sells flowers to towns.",
        ),
        (
            "The best flowers of the whole town.\n\n## More\n\nSince Shop is a shop, it is open.\n",
            "The best flowers of the whole town.",
        ),
        (
            "The best flowers of the town.\n\nThe Sh-op (say *shop*) is a store of flowers.\n",
            "The Sh-op (say *shop*) is a store of flowers.",
        ),
    ],
)
def test_history_and_slogans_are_a_goal_only_if_there_is_no_other(
    shop: Path, mind: Run, readme: str, expected: str
) -> None:
    (shop / "README.md").write_text(f"# Shop\n\n{readme}", encoding="utf-8")
    (shop / "pyproject.toml").write_text('[project]\nname = "sh-op"\n', encoding="utf-8")
    assert [text for kind, text, _ in offered(mind) if kind == "goal"] == [expected]


def test_markup_of_rst_is_no_goal(shop: Path, mind: Run) -> None:
    (shop / "README.md").unlink()
    text = ".. image:: docs/logo.png\n   :alt: Shop of all the flowers\n\nShop\n====\n\n"
    text += "`Shop <https://example.org>`_ is a shop of flowers, open all day.\n"
    (shop / "README.rst").write_text(text, encoding="utf-8")
    goal = ("goal", "Shop is a shop of flowers, open all day.", "README.rst:7")
    assert goal in offered(mind)


def test_settings_of_a_target_are_no_command(shop: Path, mind: Run) -> None:
    make = "test: FORMAT ?= short\ntest: export CGO=1\ntest: bin/x ## All tests\n\tgo test\n\n"
    make += "lint: a b\nlint: ## Run linters\n\ncheck: test lint\n\nbin/x-lint:\n\tcurl x\n"
    (shop / "Makefile").write_text(make, encoding="utf-8")
    said = "Commands: `make test` (All tests); `make lint` (Run linters)"
    assert ("note", f"{said}; `make check` (`test lint`)", "Makefile") in offered(mind)


TASKS = {
    "Taskfile.yaml": """
version: '3'

vars:
  A: 1

tasks:
  # all of them
  lint:
    desc: Run linters
    cmds:
      - golangci-lint run

  test:
    cmds:
      - go test ./...
  run: tail -f debug.log
  deploy:
    cmd: ssh shop
""",
    "tox.toml": """env_list = ["3.14", "fix"]
[env.fix]
description = "format the code."
commands = [["ruff", "format"]]
[env.release]
description = "upload"
""",
    "tox.ini": """[tox]
envlist = py311, docs
[testenv]
description = run the tests
[testenv:docs]
deps = sphinx
description = build the pages
[testenv:lint]
commands = ruff check
""",
    "noxfile.py": """@nox.session(python=["3.13"])
def tests(session: nox.Session) -> None:
    \"\"\"
    Run the tests.
    \"\"\"

@nox.session(name="other")
def types(session):
    pass

@session
@parametrize("a", [1])
def lint(session):
    session.run("ruff")
""",
    "Rakefile": """desc "Check the style"
task :lint do
end
Rake::TestTask.new(:test) do |t|
end
namespace :db do
  desc "Fill it"
  task :setup
end
task default: [:test, :lint]
""",
}
COMMANDS = {
    "Taskfile.yaml": (
        "`task run` (`tail -f debug.log`); `task lint` (Run linters); `task test` (`go test ./...`)"
    ),
    "tox.toml": "`tox` (`3.14, fix`); `tox -e fix` (format the code)",
    "tox.ini": "`tox` (`py311, docs`); `tox -e docs` (build the pages); `tox -e lint`",
    "noxfile.py": "`nox -s lint`; `nox -s tests` (Run the tests)",
    "Rakefile": "`rake` (`test, lint`); `rake lint` (Check the style); `rake test`",
}


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        (
            "package.json",
            (
                '{"packageManager": "pnpm@9.1.0", "workspaces": {"packages": ["a"], '
                '"nohoist": ["b"]}, "scripts": {"test": "vitest", "pretest": "tsc"}}'
            ),
            ((), ("pnpm run test",), ("a",)),
        ),
        (
            "pubspec.yaml",
            "name: x\ndependencies:\n  flutter:\n    sdk: flutter\n  http: ^1.0.0\n",
            (("flutter", "http"), (), ()),
        ),
        (
            "pom.xml",
            (
                "<!-- <dependency><groupId>a</groupId><artifactId>b</artifactId></dependency> -->\n"
                "<dependency><groupId>a</groupId><artifactId>c</artifactId></dependency>"
            ),
            (("c", "a"), (), ()),
        ),
    ],
)
def test_a_manifest_gives_packages_commands_and_members(
    tmp_path: Path, name: str, text: str, found: tuple[tuple[str, ...], ...]
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    read = manifests.read(tmp_path / name)
    assert read is not None
    assert (read.packages, tuple(one.call for one in read.commands), read.members) == found
    assert read.requires == (("pnpm 9.1.0",) if name == "package.json" else ())


@pytest.mark.parametrize("name", TASKS)
def test_the_tasks_of_each_runner_are_commands(shop: Path, mind: Run, name: str) -> None:
    (shop / name).write_text(TASKS[name], encoding="utf-8")
    assert ("note", f"Commands: {COMMANDS[name]}", name) in offered(mind)


CONTRIBUTING = """# Contributing

Run `./gradlew build` first, see `Makefile`, and `make release` last.

```sh
$ pip install test-tools
$ ./verify.sh  # takes a minute
$ ./missing/verify.sh
go test ./...
go test ./... -run TestName
pytest tests/gone.py
cp verify-tests.sh .env.tests
make sure that the server is started and run.
pytest
make check
```
"""


def test_commands_come_from_scripts_and_documents_about_development(shop: Path, mind: Run) -> None:
    (shop / "Makefile").write_text("test:\n\tgo test\n\ncheck: test\n", encoding="utf-8")
    (shop / "CONTRIBUTING.md").write_text(CONTRIBUTING, encoding="utf-8")
    usage = "\n## Usage\n\n    shop serve\n\n## Running tests\n\n    bundle exec rspec\n"
    (shop / "README.md").write_text(README + usage, encoding="utf-8")
    (shop / "script").mkdir()
    for name, said in (
        ("script/test", "# Run all of the tests"),
        ("script/setup", "# frozen: true"),
        ("script/deploy", ""),
        ("script/build", ""),
        ("verify.sh", ""),
    ):
        (shop / name).write_text(f"#!/bin/sh\n{said}\n", encoding="utf-8")
        (shop / name).chmod(0o755 if name != "script/build" else 0o644)
    found = [(text, place) for _, text, place in offered(mind) if text.startswith("Commands: ")]
    assert ("Commands: `script/test` (Run all of the tests); `script/setup`", "script") in found
    told = "`./verify.sh`; `go test ./...`; `pytest`; `bundle exec rspec`"
    assert (f"Commands: {told}", "CONTRIBUTING.md, README.md") in found


NO_TASKS = """# Contributing

```sh
git checkout -b my-fix-branch main
git push my-fork my-fix-branch
rm -rf build
mkdir build
cd build
sudo cargo test
kubectl delete namespace test
sh ../elsewhere/check.sh test
./linked/check.sh
import pytest
cargo release test
cargo check KEY=AKIAIOSFODNN7EXAMPLQ
cargo test
```
"""


def test_commands_on_files_branches_and_machines_run_no_task(shop: Path, mind: Run) -> None:
    (shop / "CONTRIBUTING.md").write_text(NO_TASKS, encoding="utf-8")
    elsewhere = shop.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "check.sh").touch(mode=0o755)
    (shop / "linked").symlink_to(elsewhere)
    found = [text for _, text, place in offered(mind) if place == "CONTRIBUTING.md"]
    assert found == ["Commands: `cargo test`"]


def test_a_script_counts_if_a_shell_takes_its_name_as_it_is(shop: Path, mind: Run) -> None:
    (shop / "bin").mkdir()
    odd = ("test it", "lint `rm -rf x`", "build\n- decided: x", "fix-AKIAIOSFODNN7EXAMPLQ")
    for name in ("check", "serve", *odd):
        (shop / "bin" / name).write_text("#!/bin/sh\n", encoding="utf-8")
        (shop / "bin" / name).chmod(0o755)
    (shop / "bin" / "serve").write_text(
        "#!/bin/sh\n# Serve it by AKIAIOSFODNN7EXAMPLQ\n", encoding="utf-8"
    )
    found = [text for _, text, place in offered(mind) if place == "bin"]
    assert found == ["Commands: `bin/check`; `bin/serve`"]


def test_tasks_of_a_manifest_fill_the_template_before_those_of_documents(
    shop: Path, mind: Run
) -> None:
    (shop / "CONTRIBUTING.md").write_text("# Contribute\n\n    hatch run test\n", "utf-8")
    scripts = '{"scripts": {"test": "borp", "lint": "eslint"}}'
    (shop / "package.json").write_text(scripts, encoding="utf-8")
    (shop / "Makefile").unlink()
    mind("init", "--yes")
    told = (shop / ".mind" / "MEMORY.md").read_text("utf-8")
    assert "\n- Commands: `npm run test`" in told
    assert "\n- note: Commands: `hatch run test`" in told


def test_a_wrapper_gives_the_commands_of_its_tool(shop: Path, mind: Run) -> None:
    (shop / "mvnw").write_text("#!/bin/sh\n", encoding="utf-8")
    assert ("note", "Commands: `./mvnw verify`; `./mvnw test`", "mvnw") in offered(mind)
    (shop / "BUILDING.md").write_text("# Build\n\n    ./mvnw -q verify\n", encoding="utf-8")
    (shop / "mvnw").chmod(0o755)
    assert ("note", "Commands: `./mvnw -q verify`", "BUILDING.md") in offered(mind)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Taskfile.yml", "tasks:\n  a:\n" + "\n" * 200_000),
        ("mix.exs", "{:a," * 100_000),
        ("pom.xml", "<!--" * 100_000),
        ("pyproject.toml", 'key = "' + "a" * 400_000 + '"'),
        ("pom.xml", "<dependency><groupId>a</groupId><artifactId>b</artifactId><version>" * 7_000),
        ("build.gradle", "implementation(" * 30_000),
        ("setup.cfg", "install_requires =" + "\n " * 200_000),
        ("setup.py", "install_requires = [" * 20_000),
        ("go.mod", "require " * 60_000),
        ("compose.yaml", "  image: " + "a/" * 200_000),
        ("tox.ini", "[testenv:a]\n" + "x\n" * 100_000 + "[testenv:b]\n" * 20_000),
        ("tox.ini", "envlist =" + "\n " * 200_000),
        ("noxfile.py", "@nox.session\n" * 30_000),
        ("Rakefile", "desc 'a'\n" * 40_000),
    ],
)
def test_a_hostile_manifest_is_read_to_its_end(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    made = manifests.read(tmp_path / name)
    assert made is not None
    assert all(len(one.runs) <= 400 for one in made.commands)


@pytest.mark.usefixtures("shop")
def test_reverts_are_shown_and_found_but_no_entries(mind: Run, git: Callable[..., str]) -> None:
    message = 'Revert "Use Redis"\n\nThis reverts commit 1234567890.\n\nOne more server to run.'
    git("commit", "--quiet", "--allow-empty", "-m", message)
    out = mind("init", "--yes")[1]
    assert "Not recorded: 1 approach that commits reverted or rejected; `mind import" in out
    assert '  revert    Revert "Use Redis": One more server to run.  (' in out
    assert "Not recorded" not in mind("init", "--no-import")[1]
    told = json.loads(mind("init", "--json")[1])
    assert told["from_commits"] == []
    assert [one["text"] for one in told["turned_down"]] == [
        'Revert "Use Redis": One more server to run.'
    ]
    assert json.loads(mind("edges", "Use Redis", "--json")[1])["loops"] == []
    hit, *_ = json.loads(mind("search", "more servers to run", "--json")[1])
    assert hit["commit"] == git("rev-parse", "HEAD")


@pytest.mark.usefixtures("shop")
def test_reverts_are_recorded_after_a_yes_of_their_own_or_by_an_import(
    mind: Run, git: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for what, why in (
        ("Use Redis (#12)", "One more server."),
        ("feat(cache): hold it", "It leaks."),
    ):
        message = f'Revert "{what}" (#9)\n\nThis reverts commit 1234567890.\n\n{why}'
        git("commit", "--quiet", "--allow-empty", "-m", message)
    monkeypatch.setattr(init, "is_terminal", lambda: True)
    assert "Recorded 2 entries" not in mind("init", stdin="y\nn\n")[1]
    assert "Recorded 2 entries" in mind("init", stdin="y\n")[1]
    (loop,) = json.loads(mind("edges", "Use Redis", "--json")[1])["loops"]
    assert loop["earlier"]["text"] == "Use Redis (#12) (#9) - One more server."
    told = mind("import", "commits")[1]
    assert "Added 0 from commits; 2 already recorded" in told
    assert "Not recorded" not in mind("init", stdin="n\n")[1]
    assert "- rejected: feat(cache): hold it (#9) - It leaks." in Path(".mind/MEMORY.md").read_text(
        "utf-8"
    )
    assert "Use Redis" in Path("AGENTS.md").read_text("utf-8")


@pytest.mark.usefixtures("shop")
def test_alternatives_of_commits_are_recorded_after_a_yes(
    mind: Run, git: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    message = (
        "Parse dates\n\nConfidence: high\nRejected: a second parser | slow on long files\n"
        "Rejected: `a | b` pipes in the shell since they hide errors\n"
        "Rejected: Full grammar in this pass | too broad\nrejected: regular expressions - brittle\n"
    )
    git("commit", "--quiet", "--allow-empty", "-m", message)
    monkeypatch.setattr(init, "is_terminal", lambda: True)
    out = mind("init", stdin="y\nn\n")[1]
    assert "Not recorded: 1 approach that commits reverted or rejected; " in out
    assert "a second parser | slow on long files" in out
    found = json.loads(mind("search", "kind:rejected", "--json")[1])
    assert sorted(one["text"] for one in found) == [
        "`a | b` pipes in the shell since they hide errors",
        "regular expressions - brittle",
    ]
    hit, *_ = json.loads(mind("search", "second parser slow", "--json")[1])
    assert "Rejected: a second parser | slow on long files" in hit["text"]
    assert "By kind: 1 rejected" in mind("import", "commits")[1]
    assert "- rejected: a second parser - slow on long files" in Path(".mind/MEMORY.md").read_text(
        "utf-8"
    )


def test_old_records_are_named_but_not_recorded(
    shop: Path, mind: Run, git: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    adr = shop / "docs" / "adr"
    told = {"0003-redis.md": "", "0004-sqlite.md": "", "0005-go.md": "Date: 2020-01-02\n\n"}
    for day, name in zip(("2020-01-02", "2024-05-06", "2024-05-06"), told, strict=True):
        text = f"# Use {name}\n\n{told[name]}## Decision\n\nWe use it.\n"
        (adr / name).write_text(text, encoding="utf-8")
        monkeypatch.setenv("GIT_COMMITTER_DATE", f"{day}T10:00:00+0000")
        git("add", str(adr / name))
        git("commit", "--quiet", "-m", f"Use {name}")
    (adr / "0003-redis.md").write_text("# Use it\n\n## Decision\n\nWe do.\n", encoding="utf-8")
    git("commit", "--quiet", "-a", "-m", "Reword it")
    out = mind("init", "--yes")[1]
    assert "adr: 1 decision\n" in out
    assert "  Left out: 2 entries over 2 years old; `mind import adr` records them too" in out
    memory = (shop / ".mind" / "MEMORY.md").read_text(encoding="utf-8")
    assert [name in memory for name in told] == [False, True, False]
    assert "Would add 2 from adr" in mind("import", "adr", "--dry-run")[1]


def test_an_old_record_is_offered_if_the_code_still_has_all_that_it_names(
    shop: Path, mind: Run, git: Callable[..., str]
) -> None:
    (shop / "cart.py").write_text("def add_item(): pass\n", encoding="utf-8")
    (shop / "docs" / "changes.md").write_text("removed `old_item`\n", encoding="utf-8")
    for name, code in (
        ("1-now", "`cart.py` and `add_item()`"),
        ("2-gone", "`add_item`, `old_item`"),
    ):
        text = f"# {name}\n\nDate: 2020-01-02\n\n## Decision\n\nThe `cart` uses {code}.\n"
        (shop / "docs" / "adr" / f"{name}.md").write_text(text, encoding="utf-8")
    git("add", "--all")
    git("commit", "--quiet", "-m", "Add a cart")
    places = [place for kind, _, place in offered(mind) if kind == "decision"]
    assert "docs/adr/1-now.md" in places
    assert "docs/adr/2-gone.md" not in places


def test_of_an_old_file_of_records_those_are_offered_whose_code_is_there(
    shop: Path, mind: Run, git: Callable[..., str]
) -> None:
    (shop / "cart.py").write_text("def add_item(): pass\n", encoding="utf-8")
    (shop / "memory-bank").mkdir()
    (shop / "memory-bank" / "decisionLog.md").write_text(
        "# Decision Log\n\n- [2020-01-02] Items go through `add_item` in `cart.py`\n"
        "- [2020-01-03] Prices are rounded in `round_price` only\n",
        encoding="utf-8",
    )
    git("add", "--all")
    git("commit", "--quiet", "-m", "Add a cart")
    found = [text for _, text, place in offered(mind) if place.startswith("memory-bank")]
    assert found == ["Items go through `add_item` in `cart.py`"]


@pytest.mark.parametrize("folder", ["0003-deprecate-the-old-api", "archive-service"])
def test_a_folder_of_records_with_a_subject_ends_none(shop: Path, mind: Run, folder: str) -> None:
    adr = shop / "docs" / "adr"
    (adr / folder).mkdir()
    (adr / "0003-redis.md").rename(adr / folder / "README.md")
    mind("init", "--no-import")
    assert "no longer in force" not in mind("import", "adr", "--dry-run")[1]


def test_a_record_in_a_folder_of_ended_ones_is_left_out(shop: Path, mind: Run) -> None:
    adr = shop / "docs" / "adr"
    (adr / "_superseded").mkdir()
    (adr / "0003-redis.md").rename(adr / "_superseded" / "0003-redis.md")
    mind("init", "--no-import")
    told = mind("import", "adr", "--dry-run")[1]
    assert "Would add 0 from adr" in told
    assert "Left out: 1 no longer in force." in told


def test_the_test_that_npm_writes_is_no_command(shop: Path, mind: Run) -> None:
    test = 'echo "Error: no test specified" && exit 1'
    package = json.dumps({"scripts": {"test": test, "lint": "eslint", "build": "tsc"}})
    (shop / "package.json").write_text(package, encoding="utf-8")
    (told,) = [text for _, text, place in offered(mind) if place == "package.json"]
    assert told == "Commands: `npm run lint` (`eslint`); `npm run build` (`tsc`)"


def test_a_target_that_only_sets_variables_is_no_command(tmp_path: Path) -> None:
    make = "ci: ## In automation\n\t$(eval AUTO=-auto)\n\ntest: ## All\n\tpytest\n"
    (tmp_path / "Makefile").write_text(make, encoding="utf-8")
    made = manifests.read(tmp_path / "Makefile")
    assert made is not None
    assert [one.call for one in made.commands] == ["make test"]


def test_a_recipe_that_needs_arguments_is_no_command(tmp_path: Path) -> None:
    just = "run PLAN:\n    run {{PLAN}}\n\nserve port='80' *more:\n    serve\n"
    (tmp_path / "justfile").write_text(just, encoding="utf-8")
    made = manifests.read(tmp_path / "justfile")
    assert made is not None
    assert [one.call for one in made.commands] == ["just serve"]


def test_a_recipe_is_described_by_its_comment_not_by_its_interpreter(tmp_path: Path) -> None:
    just = "fix:\n    #!/bin/sh\n    ruff --fix\n\n#? Run the linter\nlint:\n    ruff check\n"
    (tmp_path / "justfile").write_text(just, encoding="utf-8")
    made = manifests.read(tmp_path / "justfile")
    assert made is not None
    assert [(one.call, one.about) for one in made.commands] == [
        ("just fix", ""),
        ("just lint", "Run the linter"),
    ]


def test_texts_that_git_tracks_in_any_folder_are_found_behind_documents(
    shop: Path, mind: Run, git: Callable[..., str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("other") / "outside.md"
    outside.write_text("Prices of the competitor are read at night.\n", encoding="utf-8")
    for name in ("web/notes/prices.md", "web/notes/CHANGELOG.md", "node_modules/a/prices.md"):
        path = shop / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("Prices of the shop are read at noon.\n", encoding="utf-8")
    (shop / "web" / "linked.md").symlink_to(outside)
    git("add", "--force", ".")
    mind("init", "--no-import")
    found = [one["file"] for one in json.loads(mind("search", "prices are read", "--json")[1])]
    assert found == ["web/notes/prices.md"]
    (shop / "README.md").write_text("# Shop\n\nPrices are read at once.\n", encoding="utf-8")
    found = [one["file"] for one in json.loads(mind("search", "prices are read", "--json")[1])]
    assert found == ["README.md", "web/notes/prices.md"]


def test_passages_are_ordered_by_likelihood_wherever_they_are(
    shop: Path, mind: Run, git: Callable[..., str]
) -> None:
    (shop / "README.md").write_text("# Shop\n\nKeys hang in the kitchen.\n", encoding="utf-8")
    notes = shop / "web" / "notes"
    notes.mkdir(parents=True)
    rest = "\n\n".join(f"Item {at} of the list has a price." for at in range(40))
    text = f"# Notes\n\nPartners sign in March at the notary, before the fair.\n\n{rest}\n"
    (notes / "keys.md").write_text(text, encoding="utf-8")
    git("add", ".")
    mind("init", "--no-import")
    asked = (
        "why did the signing keys of a few partners stop to work overnight, whom does the support "
        "crew call at weekends, and which credentials must be replaced by hand afterwards?"
    )
    found = [one["file"] for one in json.loads(mind("search", asked, "--json")[1])]
    assert found.index("web/notes/keys.md") < found.index("README.md")
    mind("log", "Lea knows the partners", "-t", "note")
    found = [one["file"] for one in json.loads(mind("search", asked, "--json")[1])]
    assert found[0] == ".mind/MEMORY.md"


def test_the_stack_names_what_the_code_imports_most_in_each_language(
    shop: Path, mind: Run, git: Callable[..., str]
) -> None:
    package = json.dumps({"private": True, "dependencies": {f"js-{at}": "1" for at in range(20)}})
    (shop / "package.json").write_text(package, encoding="utf-8")
    images = "".join(f"  {name}:\n    image: {name}:1\n" for name in ("me/shop", "postgres"))
    (shop / "compose.yaml").write_text(f"services:\n{images}", encoding="utf-8")
    (shop / "a.js").write_text("import { a } from 'js-19/deep'\n", encoding="utf-8")
    (shop / "a.py").write_text("import rich\n", encoding="utf-8")
    git("add", ".")
    (told,) = [text for _, text, _ in offered(mind) if text.startswith("Stack")]
    assert told == "Stack: Python >=3.12; postgres, js-19, rich, js-0, js-1, js-2, js-3, js-4"


def test_a_long_stack_names_frameworks_and_databases_first_each_once(
    shop: Path, mind: Run, git: Callable[..., str]
) -> None:
    (shop / "pyproject.toml").unlink()
    gems = ("pundit", "csv-safe", "devise", "pg", "haml", "rails", "mail-notify", "oj", "redis")
    text = "".join(f'gem "{one}"\n' for one in gems)
    (shop / "Gemfile").write_text(f'ruby File.read(".ruby-version")\n{text}', encoding="utf-8")
    (shop / "a.rb").write_text("include Pundit\n", encoding="utf-8")
    (shop / "compose.yaml").write_text("services:\n  db:\n    image: postgres:1\n", "utf-8")
    git("add", "--all")
    (told,) = [text for _, text, _ in offered(mind) if text.startswith("Stack")]
    assert told.startswith("Stack: Ruby; rails, postgres, redis, pundit, ")
    assert "pg" not in told.split(", ")
    assert len(told.split(", ")) == 8


def test_a_search_looks_into_the_latest_part_of_a_changelog(shop: Path, mind: Run) -> None:
    old = "\n".join(f"- item {number} of long ago" for number in range(1_000))
    text = f"# Changelog\n\n## 5.0.0\n\n- baskets are saved\n\n## 1.0.0\n\n{old}\n- wreaths\n"
    (shop / "CHANGELOG.md").write_text(text, encoding="utf-8")
    (shop / "GUIDE.md").write_text(f"# Guide\n\n{old}\n- ribbons\n", encoding="utf-8")
    mind("init", "--no-import")
    assert "CHANGELOG.md" in mind("search", "baskets")[1]
    assert "GUIDE.md" in mind("search", "ribbons")[1]
    assert "CHANGELOG.md" not in mind("search", "wreaths")[1]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes")
def test_a_pipe_in_place_of_a_document_is_no_document(shop: Path, mind: Run) -> None:
    (shop / "CHANGELOG.md").unlink()
    os.mkfifo(shop / "CHANGELOG.md")
    os.mkfifo(shop / "package.json")
    os.mkfifo(shop / "docs" / "adr" / "0004-x.md")
    assert mind("init")[0] == 0
    code, out, _ = mind("search", "run make check")
    assert (code, "AGENTS.md" in out) == (0, True)


def test_init_shows_its_offers_and_records_none_without_a_yes(shop: Path, mind: Run) -> None:
    code, out, _ = mind("init")
    assert code == 0
    assert "adr: 1 decision\n" in out
    assert "  gotcha    Breaking in 4.0.0: The `total` column holds cents  (CHANGELOG.md:22)" in out
    assert "Nothing recorded yet. To record these, run `mind init --yes`" in out
    assert "Memory is ready: 0 entries." in out


def test_yes_records_the_offers_once(shop: Path, mind: Run) -> None:
    assert "Recorded 6 entries in .mind/MEMORY.md." in mind("init", "--yes")[1]
    memory = shop / ".mind" / "MEMORY.md"
    before = memory.read_bytes()
    assert b"- Stack: Python >=3.12; rich [from:: repository:stack]\n" in before
    assert before.count(b"- Goal:") == 1
    found = {(one["kind"], one["text"]) for one in json.loads(mind("recent", "--json")[1])}
    assert found >= {(kind, text) for kind, text, _ in OFFERS}
    assert offered(mind, "--yes") == []
    assert memory.read_bytes() == before


def test_a_yes_at_a_terminal_records_and_a_no_does_not(
    shop: Path, mind: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(init, "is_terminal", lambda: True)
    assert "Recorded" not in mind("init", stdin="n\n")[1]
    assert "Recorded 6" in mind("init", stdin="y\n")[1]


def test_no_import_looks_for_nothing(shop: Path, mind: Run) -> None:
    assert offered(mind, "--no-import") == []
    assert "README" not in mind("init", "--no-import")[1]


def test_a_dry_run_shows_the_same_offers(shop: Path, mind: Run) -> None:
    out = mind("init", "--dry-run")[1]
    offers = out[out.index("\nadr: 1 decision\n  decision  ") :]
    assert not (shop / ".mind").exists()
    assert offers in mind("init")[1]
    assert offers in mind("init", "--dry-run")[1]
    mind("init", "--yes")
    assert mind("init", "--dry-run")[1] == "Nothing to change.\n"


def test_a_dry_run_writes_nothing_and_shows_no_credential(shop: Path, mind: Run) -> None:
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    text = f"# Shop\n\nShop is a shop with the key {key} in it.\n"
    (shop / "README.md").write_text(text, encoding="utf-8")
    for more in ((), ("--json",)):
        told = mind("init", "--dry-run", *more)[1]
        assert "Stack: Python" in told
        assert key not in told
    assert not (shop / ".mind").exists()


def test_a_goal_that_somebody_wrote_stays(shop: Path, mind: Run) -> None:
    mind("init", "--no-import")
    memory = shop / ".mind" / "MEMORY.md"
    text = memory.read_text(encoding="utf-8").replace("- Goal:", "- Goal: Sell tea")
    memory.write_text(text, encoding="utf-8")
    mind("init", "--yes")
    assert "- Goal: Sell tea\n" in memory.read_text(encoding="utf-8")


def test_what_a_person_keeps_is_named_and_never_taken(shop: Path, home: Path, mind: Run) -> None:
    slug = "".join(one if one.isalnum() else "-" for one in str(shop))
    folder = home / ".claude" / "projects" / slug / "memory"
    folder.mkdir(parents=True)
    (folder / "pnpm.md").write_text("Use pnpm, never npm, in this shop.\n", encoding="utf-8")
    out = mind("init", "--yes")[1]
    assert "Also on this machine: Claude Code's auto-memory of this project." in out
    assert "pnpm" not in (shop / ".mind" / "MEMORY.md").read_text(encoding="utf-8")


def test_a_package_can_bring_an_importer(
    shop: Path, mind: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = Importer(name="zebra", about="stripes", places=lambda _: [], read=lambda *_: iter(()))
    point = metadata.EntryPoint("zebra", f"{__name__}:GIVEN", registry.GROUP)
    monkeypatch.setattr(sys.modules[__name__], "GIVEN", given, raising=False)
    monkeypatch.setattr(registry, "entry_points", lambda **_: [point])
    registry.importers.cache_clear()
    try:
        mind("init", "--no-import")
        assert "zebra\tstripes" in mind("import", "--list")[1]
    finally:
        registry.importers.cache_clear()


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        (
            "| Decision | Rationale |\n|---|---|\n| Use Go | It is fast |\n",
            ["Use Go - It is fast"],
        ),
        (
            "## Decision: Use Go\n\nSome text.\n\n### Rationale\n\n- fast\n- small\n",
            ["Use Go\nRationale:\n- fast\n- small"],
        ),
        (
            (
                "## Entscheidung\n\n* Go verwenden\n\n## Begründung\n\n* schnell\n\n"
                "## Entscheidung\n\n* Postgres\n"
            ),
            ["Go verwenden - schnell", "Postgres"],
        ),
        (
            (
                "* **[2025-01-02 10:00] - Decision:** Use Go\n    * **Rationale:** It is fast\n"
                "    * **Implications:** New tools\n"
            ),
            ["Use Go - It is fast\nImplications: New tools"],
        ),
        (
            "## 2025-01-02 - Language\n\n**Context:** Too slow.\n\n**Decision:** Use Go.\n",
            ["2025-01-02 - Language: Use Go.\nContext: Too slow."],
        ),
        ("## Decision\n\n* [Brief summary of the decision]\n", []),
        ("# Log\n\nThis file is a log of what was decided.\n", []),
    ],
)
def test_a_decision_log_is_read_record_by_record(log: str, expected: list[str]) -> None:
    decided = (one for one in records.several(log) if one.decides)
    assert [one.text(1_500) for one in decided] == expected


def test_a_changelog_that_lists_every_commit_as_breaking_is_left_to_search(
    shop: Path, mind: Run
) -> None:
    listed = "".join(f"- the column number {at} has another name\n" for at in range(20))
    (shop / "CHANGELOG.md").write_text(f"## 1.0.0\n\n### Breaking\n\n{listed}", encoding="utf-8")
    assert "gotcha" not in {kind for kind, _, _ in offered(mind)}


def test_user_sets_up_the_person_and_touches_no_repository(
    repository: Path, home: Path, mind: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository)
    (home / ".claude").mkdir()
    code, out, _ = mind("init", "--user")
    assert code == 0
    assert [one.name for one in repository.iterdir()] == [".git"]
    assert (home / ".mind" / "memory" / "MEMORY.md").is_file()
    assert '"mind"' in (home / ".claude.json").read_text(encoding="utf-8")
    assert "Run `mind init` in a repository" in out


def test_a_part_that_does_not_fit_is_left_out_and_never_cut() -> None:
    record = records.one(f"# Go\n\n## Decision\n\nUse it.\n\n## Context\n\n{'word ' * 400}\n")
    assert record.text(1_500) == "Go: Use it."


@pytest.mark.parametrize(
    ("name", "text", "stacks"),
    [
        (
            "pyproject.toml",
            (
                '[project]\nname = "x"\ndescription = "Next to React and Django"\n'
                'dependencies = ["httpx"]\n[project.optional-dependencies]\nweb = ["flask>=3"]\n'
            ),
            {"python", "flask", "web"},
        ),
        ("package.json", '{"description": "next to react", "keywords": ["vue"]}', {"node", "web"}),
        (
            "setup.py",
            'setup(description="for django", install_requires=["redis"])',
            {"python", "redis"},
        ),
        ("requirements-dev.txt", "# django\npytest==8\n-r requirements.txt\n", {"pytest"}),
        ("Cargo.toml", '[dependencies]\ntokio = { version = "1" }\n', {"rust", "tokio"}),
        ("Gemfile", "gem 'rails', '~> 8'\n# gem 'redis'\n", {"ruby", "rails"}),
        ("go.mod", "module x\n\nrequire github.com/jackc/pgx/v5 v5.0.0\n", {"go", "postgres"}),
        ("composer.json", '{"require": {"laravel/framework": "^12"}}', {"php", "laravel"}),
        (
            "compose.yaml",
            "services:\n  db:\n    image: library/postgres:17\n",
            {"docker", "postgres"},
        ),
        (
            "docker-compose.yaml",
            "services:\n\n    app:\n        build: .\n    db:\n        image: postgres:17\n",
            {"docker", "postgres"},
        ),
        ("run.sh", "echo\n", {"shell"}),
    ],
)
def test_a_stack_is_what_a_manifest_depends_on(
    tmp_path: Path, name: str, text: str, stacks: set[str]
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert set(gotchas.detect_stacks(tmp_path)) == stacks


@pytest.mark.parametrize(
    ("name", "stack"),
    [
        ("javascript", "node"),
        ("bash", "shell"),
        ("docker-compose", "docker"),
        ("aws-lambda", "aws"),
        ("PostgreSQL", "postgres"),
    ],
)
def test_a_stack_has_other_names(tmp_path: Path, name: str, stack: str) -> None:
    assert stack in gotchas.named_stacks([name], tmp_path)
    assert gotchas.unknown_stacks([name]) == []


def test_an_unknown_stack_is_reported(shop: Path, mind: Run) -> None:
    mind("init", "--no-import")
    told = mind("edges", "drop a table", "--stack", "cobolscript")
    assert "unknown stack cobolscript" in told[1] + told[2]
