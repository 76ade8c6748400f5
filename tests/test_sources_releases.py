"""Releases, from the tags of real repositories, and the days that a reference to one means."""

import shutil
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from mind.sources.git.revisions import Release, Releases, releases
from mind.text.dates.asked import Reference, references_in, time_asked
from mind.text.dates.periods import Period

Git = Callable[..., str]
NOW = datetime(2026, 11, 20, 16, tzinfo=UTC)


@pytest.fixture
def tag(repository: Path, git: Git, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], str]:
    """Commit and tag on a day; with a message if the name ends in "!". Gives the commit."""

    def run(name: str, day: str) -> str:
        for variable in ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"):
            monkeypatch.setenv(variable, f"{day}T12:00:00+00:00")
        git("commit", "--quiet", "--allow-empty", "-m", name)
        plain = name.removesuffix("!")
        git("tag", *(("-a", "-m", "released") if plain != name else ()), plain)
        return git("rev-parse", "HEAD")

    return run


@pytest.fixture
def tagged(repository: Path, tag: Callable[[str, str], str]) -> Path:
    """A repository with a history of releases."""
    for name, day in (
        ("v0.1.0", "2026-01-10"),
        ("v0.2.0!", "2026-02-10"),
        ("nightly", "2026-02-20"),
        ("v0.3.0-rc.1", "2026-03-01"),
        ("v0.3.0", "2026-03-10"),
        ("v0.3.1", "2026-03-20"),
        ("v1.0", "2026-06-10"),
        ("v2.0.0-beta1", "2026-08-10"),
    ):
        tag(name, day)
    return repository


def days(found: Period | None) -> str | None:
    return f"{found.start or ''}..{found.end or ''}" if found else None


def meant(root: Path, text: str) -> str | None:
    (reference,) = references_in(text)
    return days(Releases(root)(reference))


def test_releases_are_tags_that_name_a_version(tagged: Path) -> None:
    assert [one.name for one in releases(tagged)] == [
        "v0.1.0", "v0.2.0", "v0.3.0-rc.1", "v0.3.0", "v0.3.1", "v1.0", "v2.0.0-beta1",
    ]  # fmt: skip


def test_a_release_has_the_day_of_its_tag_and_the_commit_behind_it(
    repository: Path, git: Git, tag: Callable[[str, str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = tag("v1.0", "2026-05-01")
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2026-05-07T12:00:00+00:00")
    git("tag", "-a", "-m", "later", "v1.1", commit)
    assert releases(repository) == [
        Release("v1.0", date(2026, 5, 1), commit),
        Release("v1.1", date(2026, 5, 7), commit),
    ]


def test_a_tag_of_a_file_is_no_release(repository: Path, git: Git) -> None:
    (repository / "key").write_text("public", encoding="utf-8")
    git("tag", "v1.0", git("hash-object", "-w", "key"))
    assert releases(repository) == []


def test_releases_of_one_day_are_in_the_order_of_their_versions(
    repository: Path, tag: Callable[[str, str], str]
) -> None:
    for name in ("v1.10.0", "v1.9.0", "v1.10.0-rc1", "v1.2.0"):
        tag(name, "2026-05-01")
    assert [one.name for one in releases(repository)] == [
        "v1.2.0", "v1.9.0", "v1.10.0-rc1", "v1.10.0",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("before v0.2.0", "..2026-02-10"),
        ("before the 0.3 release", "..2026-03-10"),
        ("until 0.3.1", "..2026-03-20"),
        ("after 0.2", "2026-02-10.."),
        ("since v1.0.0", "2026-06-10.."),
        ("since v1", "2026-06-10.."),
        ("in 0.3.1", "2026-03-10..2026-03-20"),
        ("in 0.3", "2026-02-10..2026-03-20"),
        ("in 0.1.0", "..2026-01-10"),
        ("between 0.1 and 0.3.1", "2026-01-10..2026-03-20"),
        ("between 1.0 and 0.2", "2026-02-10..2026-06-10"),
        ("since the last release", "2026-06-10.."),
        ("since the latest version", "2026-06-10.."),
        ("before the previous release", "..2026-03-20"),
        ("before v0.3.0-rc.1", "..2026-03-01"),
        ("before 0.3.0rc1", "..2026-03-01"),
        ("since v2.0.0-beta1", "2026-08-10.."),
        ("since v2.0", "2026-08-10.."),
        ("before release v1", "..2026-06-10"),
        ("seit v1.0", "2026-06-10.."),
        ("v1.0之前", "..2026-06-10"),
        ("since 0.4", None),
        ("since v3", None),
        ("between 0.1 and 0.4", None),
        ("between 0.4 and 0.1", None),
        ("since v0.3.0-alpha", None),
        ("since api@1.0", None),
    ],
)
def test_a_reference_means_days(tagged: Path, text: str, expected: str | None) -> None:
    assert meant(tagged, text) == expected


def test_the_last_release_of_a_young_project_has_none_before(
    repository: Path, tag: Callable[[str, str], str]
) -> None:
    assert meant(repository, "since the last release") is None
    tag("v1.0.0-rc1", "2026-05-01")
    assert meant(repository, "since the last release") is None
    tag("v1.0.0", "2026-05-02")
    assert meant(repository, "since the last release") == "2026-05-02.."
    assert meant(repository, "since the previous release") is None


def test_packages_have_releases_of_their_own(
    repository: Path, tag: Callable[[str, str], str]
) -> None:
    for name, day in (
        ("api@1.0.0", "2026-01-01"),
        ("@scope/web@1.0.0", "2026-02-01"),
        ("api@1.1.0", "2026-03-01"),
        ("web/v1.2.0", "2026-04-01"),
        ("release-3.0", "2026-05-01"),
        ("3.1", "2026-06-01"),
    ):
        tag(name, day)
    assert meant(repository, "before api@1.1") == "..2026-03-01"
    assert meant(repository, "in api@1.1.0") == "2026-01-01..2026-03-01"
    assert meant(repository, "since @scope/web@1.0.0") == "2026-02-01.."
    assert meant(repository, "since 1.0") is None  # of which package?
    assert meant(repository, "since 1.2") == "2026-04-01.."  # only one has it
    assert meant(repository, "in release-3.0") == "..2026-05-01"
    assert meant(repository, "in 3.1") == "2026-05-01..2026-06-01"
    assert meant(repository, "since v3.0") == "2026-05-01.."


def test_a_name_that_is_tagged_wins_over_a_series(
    repository: Path, tag: Callable[[str, str], str]
) -> None:
    tag("v1.2.3", "2026-01-01")
    tag("v1.2", "2026-02-01")
    assert meant(repository, "since V1.2") == "2026-02-01.."
    assert meant(repository, "since 1.2") == "2026-02-01.."
    assert meant(repository, "since v1") == "2026-01-01.."


def test_without_git_there_are_no_releases(
    tmp_path: Path, tagged: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    assert releases(tagged) == []


def test_outside_of_a_repository_there_are_none(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    assert releases(tmp_path_factory.mktemp("plain")) == []
    assert shutil.which("git")


def test_git_is_asked_once_and_only_if_a_release_is_named(
    tagged: Path, git: Git, tag: Callable[[str, str], str]
) -> None:
    known = Releases(tagged)
    assert time_asked("bugs last week", NOW, known)
    assert "known" not in vars(known)
    assert known(Reference("since", "v1.0")) == Period(date(2026, 6, 10), None)
    tag("v5.0", "2026-11-01")
    assert known(Reference("since", "v5.0")) is None
    assert Releases(tagged)(Reference("since", "v5.0"))


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("parser decisions before the 0.3 release", ("..2026-03-10", "parser decisions")),
        ("what broke since v1.0", ("2026-06-10..", "what broke")),
        ("between 0.1 and 0.3 in February", ("2026-02-01..2026-02-28", "")),
        ("since v0.2 before March", ("2026-02-10..2026-02-28", "")),
        ("bugs since the last release", ("2026-06-10..", "bugs")),
        ("since v0.2, but not in python 3.12", ("2026-02-10..", "but not in python 3.12")),
    ],
)
def test_a_query_asks_for_the_time_around_a_release(
    tagged: Path, query: str, expected: tuple[str, str]
) -> None:
    found = time_asked(query, NOW, Releases(tagged))
    assert found
    assert (days(Period(found.start, found.end)), found.rest) == expected


@pytest.mark.parametrize(
    "query",
    [
        "upgrade to 0.3.0", "v0.3.0", "python 3.12", "since 3.11 asyncio changed", "0.3 release",
        "the last release", "after 3 retries", "in 1.5 seconds", "pydantic v2 migration",
        "since version 7", "last migration", "between 0.3 and 0.5 ms", "since 1.0 seconds",
    ],
)  # fmt: skip
def test_a_version_that_is_no_time_stays_in_the_query(tagged: Path, query: str) -> None:
    assert time_asked(query, NOW, Releases(tagged)) is None
