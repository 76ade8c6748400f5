"""What users, agents and programs see of Mind, whole: see `tests/use_cases`."""

import difflib
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mind.__main__ import main
from mind.server.mcp.tools import chosen
from tests.use_cases.player import METHODS, Player, Stage, in_process
from tests.use_cases.transcript import Outcome, parse, play

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="lines of a shell, and paths as POSIX writes them"
)

TRANSCRIPTS = Path(__file__).with_name("transcripts")
FILES = sorted(TRANSCRIPTS.glob("*.txt"))
COMMANDS = [command for file in FILES for command in parse(file.read_text("utf-8")).commands]

ELSEWHERE = {
    "mind mcp": "serves until its client leaves; transcripts with tools start it",
    "mind serve": "serves until it is stopped; transcripts with requests start it",
    "mind ui": "serves until it is stopped; transcripts with requests ask for what it shows",
}
"""Commands that no transcript runs, and why."""


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    """The sample, set up once."""
    return Stage(tmp_path_factory.mktemp("use_cases"))


@pytest.fixture
def player(stage: Stage) -> Iterator[Player]:
    """Who runs the lines of a transcript, in a fresh sample."""
    with stage.set() as one:
        yield one


@pytest.fixture
def rewrites(request: pytest.FixtureRequest) -> bool:
    """Whether expected files are written instead of compared."""
    return bool(request.config.getoption("--rewrite-transcripts"))


def is_as_expected(file: Path, found: str, *, rewrites: bool) -> None:
    """Fail with a diff if the file says something else, or make it say what was found."""
    expected = file.read_text("utf-8") if file.exists() else ""
    if found == expected:
        return
    if rewrites:
        file.write_text(found, encoding="utf-8", newline="\n")
        return
    name = file.relative_to(TRANSCRIPTS.parents[1]).as_posix()
    lines = difflib.unified_diff(
        expected.splitlines(), found.splitlines(), name, "what Mind does now", lineterm=""
    )
    told = "\n".join(lines) or "they differ in line ends"
    pytest.fail(f"{told}\n\nIf that is intended: make transcripts", pytrace=False)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_transcript_is_as_recorded(file: Path, player: Player, rewrites: bool) -> None:
    found = play(parse(file.read_text("utf-8")), player.run)
    is_as_expected(file, found, rewrites=rewrites)


def test_a_transcript_has_all_that_a_command_did() -> None:
    text = "About.\n\n$ one\nout\n--- no newline\n--- stderr\nerr\n--- exit 2\n$ two\n"
    done = {"one": Outcome("out", "err\n", 2), "two": Outcome("")}
    assert play(parse("About.\n\n$ one\nold\n$ two\n"), done.__getitem__) == text
    assert play(parse(text), done.__getitem__) == text


@pytest.mark.parametrize("file", ["block", "block-private"])
def test_a_context_block_is_as_recorded(file: str, player: Player, rewrites: bool) -> None:
    name = "CLAUDE.md"
    player.run("mind recall")
    if file == "block-private":  # in a file that git ignores stands what changes daily too
        name = "CLAUDE.local.md"
        player.run(f"echo {name} >> .git/info/exclude")
        player.run(f"mind init --target {name}")
        player.run("mind recall")
    text = (player.sandbox.shop / name).read_bytes().decode("utf-8")
    is_as_expected(TRANSCRIPTS / f"{file}.md", text, rewrites=rewrites)


def test_every_command_has_a_transcript() -> None:
    missing = [
        name
        for name in commands_below("mind")
        if name not in ELSEWHERE and not any(f"{one} ".startswith(f"{name} ") for one in COMMANDS)
    ]
    assert missing == []


def commands_below(path: str) -> Iterator[str]:
    """Every command that `--help` lists, and those below it, without the groups themselves."""
    text = in_process(main, [*path.split(), "--help"]).out
    listed = text.partition("\nCommands:\n")[2].partition("\n\n")[0]
    names = re.findall(r"^  ([a-z][a-z-]*)(?: |$)", listed, re.MULTILINE)
    if not names:
        yield path
    for name in names:
        yield from commands_below(f"{path} {name}")


def test_every_tool_has_a_transcript() -> None:
    called = {command.partition(" ")[0] for command in COMMANDS}
    missing = [one.name for one in chosen("all") if one.name not in called]
    assert missing == [], "add `$ TOOL {…}` to a file in tests/transcripts; run `make transcripts`"


def test_every_resource_has_a_transcript() -> None:
    asked = [one for one in COMMANDS if one.partition(" ")[0] in METHODS]
    resources = [row.partition(":")[0] for row in listed("http-reading", "resources")]
    assert len(resources) > 12
    assert [one for one in resources if not any(is_of(asking, one) for asking in asked)] == []


def listed(name: str, command: str) -> list[str]:
    """The lines that a command of a transcript printed; that they are true is tested above."""
    text = (TRANSCRIPTS / f"{name}.txt").read_text("utf-8")
    return text.partition(f"\n$ {command}\n")[2].partition("\n$ ")[0].splitlines()


def is_of(request: str, resource: str) -> bool:
    """Whether a request is one of a resource, whose path may have parameters."""
    method, address, *_ = request.split(" ")
    pattern = re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(resource))
    return re.fullmatch(pattern, f"{method} {address.partition('?')[0]}") is not None
