"""Where an entry stands in a file that others have changed since."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mind.documents import parser
from mind.domain.entry import Entry
from mind.domain.errors import NotFound
from mind.memory import locating
from mind.storage.project import Project
from tests.effort import tries

LINES = (
    "- decided: SQLite over Postgres, one file is enough ^abc123",
    "- learned: the pool leaks\n  when a worker dies",
    "  - gotcha: Safari drops cookies",
    "- learned: the pool leaks",
    "- learned: wörter mit Umlauten are words too",
    "- gotcha: `--flag` *is* read twice",
    "## Another section",
    "### 2026-03-04",
    "```\n- decided: not this one\n```",
    "some words of nobody",
    "",
    "| decided | why |\n|---|---|\n| decided: use uv | fast |",
)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return Project(tmp_path_factory.mktemp("located"))


def entries(project: Project, source: bytes) -> list[Entry]:
    return parser.parse(source, ".mind/MEMORY.md", project.settings)


def source_of(lines: list[int], end: str) -> bytes:
    return "".join(LINES[at].replace("\n", end) + end for at in lines).encode()


SOME = st.lists(st.integers(0, len(LINES) - 1), max_size=12)


@example(before=[11, 9], above=[], below=[], end="\n")  # a row of a table without bars
@given(before=SOME, above=SOME, below=SOME, end=st.sampled_from(["\n", "\r\n"]))
@settings(max_examples=tries(40, 400), deadline=None)
def test_an_entry_is_found_as_if_all_of_the_file_were_read(
    project: Project, before: list[int], above: list[int], below: list[int], end: str
) -> None:
    now = source_of([*above, *before, *below], end)
    there = entries(project, now)
    then = source_of(before, end)
    for entry in entries(project, then):
        same = [one for one in there if one.text == entry.text]
        if len(same) != 1 or now.count(then[entry.span.start : entry.span.end]) != 1:
            continue
        found = locating.located(project, now, entry)
        (known,) = same
        assert (found.kind, found.text) == (known.kind, known.text)
        assert found.span.start <= known.span.start < found.span.end
        if found.span != entry.span:  # else it is taken to be where it was
            assert (found.line, found.section) == (known.line, known.section)


def test_of_two_alike_the_nearest_is_taken(project: Project) -> None:
    line = b"- learned: the pool leaks\n"
    (entry,) = entries(project, b"# Memory\n\n" + line)
    now = line + b"- decided: something else\n" * 2 + line + b"\n# Memory\n"
    assert locating.located(project, now, entry).line == 4


def test_what_is_gone_is_not_found(project: Project) -> None:
    (entry,) = entries(project, b"- learned: the pool leaks\n")
    for now in (b"", b"- learned: the pool\n", b"- decided: the pool leaks no more\n"):
        with pytest.raises(NotFound, match="no longer in"):
            locating.located(project, now, entry)


def test_lines_that_end_in_a_carriage_return_alone_are_counted(project: Project) -> None:
    (entry,) = entries(project, b"- learned: the pool leaks\r")
    assert locating.located(project, b"one\rtwo\r- learned: the pool leaks\r", entry).line == 3


def test_a_word_that_many_lines_have_tells_nothing(project: Project) -> None:
    (entry,) = entries(project, b"- learned: pool\n")
    now = b"- decided: a pool is a pool\n" * 60 + b"- learned: pool\n"
    assert locating.located(project, now, entry).line == 61
