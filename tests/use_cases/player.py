"""Run the lines of a transcript: commands of Mind, tools, requests, and the shell around them."""

import io
import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import datetime, timedelta
from functools import cache, cached_property
from importlib import metadata
from pathlib import Path
from unittest.mock import patch

import pytest
import time_machine
import typer.main

from mind.__main__ import main
from tests.use_cases.masks import Masks
from tests.use_cases.sample import FIRST, NOW, SETUP, Sandbox, build
from tests.use_cases.servers import McpServer, Service, laid_out
from tests.use_cases.transcript import Outcome

METHODS = ("GET", "POST", "PATCH", "PUT", "DELETE")
STEP = timedelta(minutes=1)
"""How far the clock moves with each line."""


class Stage:
    """The sample as `FIRST` leaves it, put back before each transcript, always in one folder.

    Setting Mind up starts its server, which takes seconds: it is done once, and copied.
    """

    def __init__(self, folder: Path) -> None:
        self._home, self._kept = folder / "ada", folder / "kept"
        player = Player(build(self._home), SETUP)
        for line in FIRST:
            done = player.run(line)
            assert done.code == 0, done
        self._home.rename(self._kept)
        for path in self._kept.rglob("*"):
            os.utime(path, (SETUP.timestamp(),) * 2, follow_symlinks=False)

    @contextmanager
    def set(self) -> Iterator["Player"]:
        """A player in a fresh copy."""
        shutil.copytree(self._kept, self._home, symlinks=True)
        player = Player(Sandbox(self._home))
        try:
            yield player
        finally:
            player.close()
            shutil.rmtree(self._home)


class Player:
    """Runs lines in a sandbox, each a minute after the one before."""

    def __init__(self, sandbox: Sandbox, now: datetime = NOW) -> None:
        self.sandbox = sandbox
        self._masks = Masks(sandbox.home, version())
        self._stack = ExitStack()
        self._service: Service | None = None
        self._now = now

    def close(self) -> None:
        """End what was started."""
        self._stack.close()

    def run(self, line: str) -> Outcome:
        """Run one line and mask its output; the clock moves on."""
        done = self._run(line)
        self._now += STEP
        return Outcome(self._masks(done.out), self._masks(done.err), done.code)

    def _run(self, line: str) -> Outcome:
        first, _, rest = line.partition(" ")
        if first == "sleep":
            self._now += timedelta(hours=int(rest.removesuffix("h")))
            return Outcome("")
        if first == "mind-hook":
            return self._hook(*_with_json(rest))
        answer = self._answer(first, rest)
        if answer is not None:
            return Outcome(answer)
        before, piped, after = line.rpartition(" | mind ")
        if first == "mind" or piped:
            given = self._shell(before).out if piped else ""
            return self._mind(self._words(after if piped else rest), given)
        return self._shell(line)

    def _answer(self, first: str, rest: str) -> str | None:
        """The answer of a server; None if none is asked."""
        if first == "tools":
            return self.tools.tools()
        if first == "resources":
            return self._serving().resources()
        if first.startswith("mind_"):
            return self.tools.call(*_with_json(f"{first} {rest}"))
        if first in METHODS:
            address, body = _with_json(rest)
            return self._serving(address).ask(first, address, body)
        return None

    def _words(self, line: str) -> list[str]:
        """The arguments as a shell would pass them."""
        return [
            f"{self.sandbox.home}{word[1:]}" if word.startswith("~/") else word
            for word in shlex.split(line)
        ]

    @cached_property
    def tools(self) -> McpServer:
        """The MCP server with every tool, started when it is first used."""
        return self._stack.enter_context(McpServer.started(*self._here()))

    def _serving(self, address: str = "") -> Service:
        """The HTTP service, started when it is first used: by `mind ui` if its code is sent."""
        if self._service is None:
            command = ("ui", "--no-open") if address == "/api/v1/session" else ("serve",)
            started = Service.started(*self._here(), *command)
            self._service = self._stack.enter_context(started)
        return self._service

    def _here(self) -> tuple[Path, dict[str, str], datetime]:
        return self.sandbox.shop, self._environment(), self._now

    def _hook(self, event: str, given: dict[str, object]) -> Outcome:
        """The answer of the program for hooks, laid out for readers."""
        told = {
            "hook_event_name": event,
            "session_id": "one",
            "cwd": str(self.sandbox.shop),
            **given,
        }
        text = json.dumps(told).replace('"~/', f'"{self.sandbox.home}/')
        (hook,) = metadata.entry_points(group="console_scripts", name="mind-hook")
        with self._there():
            done = in_process(hook.load(), ["mind-hook"], text)
        return Outcome(laid_out(done.out) if done.out else "", done.err, done.code)

    def _mind(self, arguments: list[str], given: str) -> Outcome:
        with self._there():
            return in_process(main, ["mind", *arguments], given)

    @contextmanager
    def _there(self) -> Iterator[None]:
        """This process is in the sandbox, at the time of the line."""
        with (
            time_machine.travel(self._now, tick=False),
            surroundings(self.sandbox.shop, self._environment()),
        ):
            yield

    def _shell(self, line: str) -> Outcome:
        done = subprocess.run(
            ["sh", "-c", line],
            cwd=self.sandbox.shop,
            env=self._environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        return Outcome(done.stdout, done.stderr, done.returncode)

    def _environment(self) -> dict[str, str]:
        moment = self._now.isoformat()
        dates = {"GIT_AUTHOR_DATE": moment, "GIT_COMMITTER_DATE": moment}
        return self.sandbox.environment() | dates


def _with_json(line: str) -> tuple[str, dict[str, object]]:
    """``NAME {…}`` in its two parts."""
    name, _, given = line.partition(" ")
    return name, json.loads(given.strip() or "{}")


@cache
def version() -> str:
    """Mind's version, as it says itself."""
    return in_process(main, ["mind", "--version"]).out.split()[-1]


def in_process(program: Callable[[], None], arguments: list[str], given: str = "") -> Outcome:
    """Run a program in this process; starting one for each line takes too long."""
    outputs = io.BytesIO(), io.BytesIO()
    out, err = (io.TextIOWrapper(one, encoding="utf-8", newline="\n") for one in outputs)
    stdin = io.TextIOWrapper(io.BytesIO(given.encode()), encoding="utf-8")
    code: object = 0
    with (
        patch.multiple(sys, argv=arguments, stdin=stdin, stdout=out, stderr=err),
        patch.object(typer.main, "get_command", _built_once),
    ):
        try:
            program()
        except SystemExit as left:
            code = left.code
    out.flush()
    err.flush()
    number = code if isinstance(code, int) else int(code is not None)
    return Outcome(outputs[0].getvalue().decode(), outputs[1].getvalue().decode(), number)


_built_once = cache(typer.main.get_command)
"""The commands, which take most of a line's time to build, and are the same in every process."""


@contextmanager
def surroundings(folder: Path, environment: Mapping[str, str]) -> Iterator[None]:
    """This process has that environment and no other, and that working folder."""
    kept = {name: os.environ[name] for name in ("COVERAGE_PROCESS_CONFIG",) if name in os.environ}
    with pytest.MonkeyPatch.context() as changed:
        changed.chdir(folder)
        with patch.dict(os.environ, {**environment, **kept}, clear=True):
            time.tzset()
            yield
    time.tzset()
