"""Three sessions of the real Claude Code client at once, and the shell: whose notes go when."""

import json
import queue
import re
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import pytest

from mind.storage.project import Project
from mind.storage.templates import text as template
from tests.test_real_clients import CLAUDE, Model, enabled, served, use
from tests.test_real_hooks import complaints, surrounding

__all__ = ["enabled"]

pytestmark = [
    pytest.mark.client,
    pytest.mark.slow,
    pytest.mark.xdist_group("clients"),
    pytest.mark.skipif(not CLAUDE.exists(), reason="npm could not install the clients here"),
]

BLANK = template("SESSION.md")
SECONDS = 120


@dataclass
class Script:
    """What a test and the model of one run of a client pass to each other.

    Attributes:
        heard: The requests of the client, each of which waits for its answer.
        said: The answers.
    """

    heard: "queue.Queue[dict[str, Any]]" = field(default_factory=queue.Queue)
    said: "queue.Queue[list[dict[str, Any]]]" = field(default_factory=queue.Queue)


class Lockstep(Model):
    """A model of several clients at once, each of which waits until the test has an answer."""

    scripts: ClassVar[dict[str, Script]] = {}

    def turn(self, request: dict[str, Any]) -> list[dict[str, Any]]:
        runs = re.findall(r"run-[0-9a-f]{32}", json.dumps(request["messages"]))
        script = self.scripts[runs[-1]]
        script.heard.put(request)
        return script.said.get()

    def _send(self, kind: str, body: bytes) -> None:
        with suppress(ConnectionError):  # who asked was killed
            super()._send(kind, body)


class Client:
    """One run of the client, which is at work until the model has no more to say."""

    def __init__(self, project: Project, env: dict[str, str], session: str, how: str) -> None:
        prompt = f"run-{uuid.uuid4().hex}"
        self.session = session
        self.script = Lockstep.scripts[prompt] = Script()
        self.process = subprocess.Popen(
            [
                str(CLAUDE), "-p", prompt, how, session,
                "--allowedTools", "mcp__mind__mind_log,mcp__mind__mind_session",
            ],
            cwd=project.root, env=env, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8",
        )  # fmt: skip

    def listen(self) -> None:
        """Wait until it asks its model what to do."""
        self.asked = self.script.heard.get(timeout=SECONDS)

    def call(self, tool: str, **arguments: object) -> str:
        """Have it call one of Mind's tools; the answer, as the model gets it."""
        self.script.said.put([use(uuid.uuid4().int % 10**9, tool, **arguments)])
        self.listen()
        return json.dumps(self.asked["messages"][-1], ensure_ascii=False)

    def log(self, message: str, kind: str) -> None:
        recorded = "rejection" if kind == "rejected" else kind
        assert f"Recorded {recorded}" in self.call("mind_log", message=message, type=kind)

    def end(self) -> None:
        """Let it come to its own end."""
        self.script.said.put([{"type": "text", "text": "all done"}])
        said, _ = self.process.communicate(timeout=SECONDS)
        assert self.process.returncode == 0, said
        assert "all done" in said

    def kill(self) -> None:
        """End it as a crash does."""
        self.process.kill()
        self.process.communicate(timeout=SECONDS)
        self.script.said.put([])


class Office:
    """A project with Mind's server and hooks, clients that work in it, and a shell."""

    def __init__(self, root: Path, env: dict[str, str], stack: ExitStack) -> None:
        self.env, self.stack = env, stack
        self.project = Project(root)
        self.shell("init", "--hooks")
        self.project = Project(root)

    def shell(self, *arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "mind", *arguments],
            cwd=self.project.root, env=self.env, check=False, capture_output=True,
            stdin=subprocess.DEVNULL, encoding="utf-8", timeout=SECONDS,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def client(self, session: str = "") -> Client:
        """A client in a session of its own, or in one that it resumes."""
        how = "--resume" if session else "--session-id"
        one = Client(self.project, self.env, session or str(uuid.uuid4()), how)
        self.stack.callback(one.kill)
        return one

    def idle(self, session: str, milliseconds: int = 3_600_000) -> None:
        """Let the last call of a session be so much longer ago."""
        state = json.loads(self.project.state.read_bytes())
        running = (state, *state.get("others", ()))
        (row,) = [one for one in running if session in one["session_ids"]]
        row["last_activity"] -= milliseconds
        self.project.state.write_text(json.dumps(state), encoding="utf-8")

    def places(self, *notes: str) -> str:
        """Where each note is: "s" in SESSION.md, "m" in MEMORY.md; what is twice is there twice."""
        session = self.project.session.read_text(encoding="utf-8")
        memory = self.project.memory.read_text(encoding="utf-8")
        found = ["s" * session.count(note) + "m" * memory.count(note) for note in notes]
        return " ".join(one or "-" for one in found)

    def part(self, note: str) -> str:
        """The part of SESSION.md that holds a note."""
        before, _, _ = self.project.session.read_text(encoding="utf-8").partition(note)
        *_, heading = ["", *re.findall(r"^# (Session .*)$", before, re.MULTILINE)]
        return str(heading)


@pytest.fixture
def office(repository: Path, enabled: Path) -> Iterator[Office]:
    Lockstep.scripts = {}
    with served(Lockstep) as url, ExitStack() as stack:
        yield Office(repository, surrounding(enabled, url), stack)
    Lockstep.scripts = {}


ENDING = "the build waits for a licence", "the fix for the slow build was a bigger disk"
RESUMED = "staging waits for its database", "tried a dump of staging, too large"
KILLED = "review waits for the security team", "the scanner only works with a token"
SHELL = "nobody waits for the printer", "the office network is the fast one"
LATER = "the deploy waits for a window"


def test_each_session_keeps_its_notes_until_it_ends_and_then_they_are_promoted_once(
    office: Office,
) -> None:
    ending, resumed, killed = (office.client() for _ in range(3))
    for one in (ending, resumed, killed):
        one.listen()  # all three are at work now, and none ends before the test says so
    ending.log(ENDING[0], "blocker")
    resumed.log(RESUMED[0], "blocker")
    killed.log(KILLED[0], "blocker")
    killed.log(KILLED[1], "experience")
    ending.log(ENDING[1], "assumption")
    ending.log("SQLite over Postgres - one file", "decision")  # goes to memory at once
    resumed.log(RESUMED[1], "rejected")
    office.shell("blocker", SHELL[0])  # of the session with the latest call
    office.shell("log", "-t", "assumption", SHELL[1])
    assert office.places(*ENDING, *RESUMED, *KILLED, *SHELL) == "s s s s s s s s"
    assert office.places("SQLite over Postgres") == "m"
    assert office.part(SHELL[0]) == office.part(RESUMED[0])
    assert len({office.part(notes[0]) for notes in (ENDING, RESUMED, KILLED)}) == 3
    for one, own in ((ending, ENDING), (killed, KILLED), (resumed, (*RESUMED, *SHELL))):
        shown = one.call("mind_session")
        everyone = (*ENDING, *RESUMED, *KILLED, *SHELL)
        assert [note for note in everyone if note in shown] == list(own)
    assert all(note in office.shell("session") for note in (*RESUMED, *SHELL))
    assert not any(note in office.shell("session") for note in (*ENDING, *KILLED))

    killed.kill()
    assert office.places(*ENDING, *RESUMED, *KILLED, *SHELL) == "s s s s s s s s"

    resumed.end()
    assert office.places(*RESUMED, *SHELL) == "m m m m"
    assert office.places(*ENDING, *KILLED) == "s s s s"

    again = office.client(resumed.session)
    again.listen()
    again.log(LATER, "blocker")
    assert office.places(LATER, *ENDING, *KILLED) == "s s s s s"
    assert office.part(LATER) not in (office.part(ENDING[0]), office.part(KILLED[0]))
    again.end()
    assert office.places(LATER, *RESUMED, *SHELL) == "m m m m m"
    assert office.places(*ENDING, *KILLED) == "s s s s"

    ending.end()
    assert office.places(*ENDING) == "m m"
    assert office.places(*KILLED) == "s s"

    office.idle(killed.session)
    office.shell("recall")
    everything = (*ENDING, *RESUMED, *KILLED, *SHELL, LATER)
    assert office.places(*everything) == " ".join("m" for _ in everything)
    assert office.project.session.read_text(encoding="utf-8") == BLANK
    assert "No notes in this session yet" in office.shell("session")
    office.shell("recall")
    assert office.places(*everything) == " ".join("m" for _ in everything)
    assert complaints(office.project) == ""


def test_a_session_that_is_killed_and_resumed_goes_on_beside_another(office: Office) -> None:
    killed, other = office.client(), office.client()
    for one in (killed, other):
        one.listen()
    killed.log(KILLED[0], "blocker")
    other.log(ENDING[0], "blocker")
    killed.kill()
    again = office.client(killed.session)
    again.listen()
    again.log(LATER, "blocker")
    assert office.places(KILLED[0], ENDING[0], LATER) == "s s s"
    assert office.part(LATER) == office.part(KILLED[0]) != office.part(ENDING[0])
    other.end()
    assert office.places(KILLED[0], ENDING[0], LATER) == "s m s"
    again.end()
    assert office.places(KILLED[0], ENDING[0], LATER) == "m m m"
    assert office.project.session.read_text(encoding="utf-8") == BLANK
    assert complaints(office.project) == ""
