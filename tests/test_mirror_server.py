"""A running server mirrors by itself: seen from its client, from PostgreSQL and from a terminal."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import anyio
import psycopg
import pytest
from anyio import to_thread
from mcp import Client, StdioServerParameters

from mind.storage.mirror.postgres import CONNECT_SECONDS
from mind.storage.project import Project
from tests.postgres import Database, Server

pytestmark = pytest.mark.xdist_group("postgres")
MIND = (sys.executable, "-P", "-m", "mind")
_TELL = (
    "CREATE FUNCTION told() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
    "NOTIFY arrived; RETURN NULL; END $$; CREATE TRIGGER told AFTER INSERT OR UPDATE "
    "ON mind.holding FOR EACH STATEMENT EXECUTE FUNCTION told()"
)
OUTAGES: dict[str, tuple[Callable[[Server], None], Callable[[Server], None]]] = {
    "stopped": (Server.stop, Server.start),
    "silent": (lambda one: one.signal(signal.SIGSTOP), lambda one: one.signal(signal.SIGCONT)),
}


def mind(project: Project, *arguments: str) -> subprocess.CompletedProcess[str]:
    """What somebody in a terminal sees."""
    return subprocess.run(
        [*MIND, *arguments], cwd=project.root, check=False, capture_output=True, encoding="utf-8"
    )


def status(project: Project) -> dict[str, object]:
    done = mind(project, "mirror", "status", "--json")
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


@asynccontextmanager
async def served(project: Project) -> AsyncIterator[Client]:
    """A real `mind mcp`, with the SDK's client at its other end."""
    program, *arguments = (*MIND, "mcp")
    environment = {**os.environ, "MIND_PROJECT": str(project.root)}
    parameters = StdioServerParameters(command=program, args=arguments, env=environment)
    async with Client(parameters) as client:
        yield client


async def log(client: Client, text: str) -> float:
    """Seconds until the answer, which is none of an error."""
    began = time.monotonic()
    answer = await client.call_tool("mind_log", {"message": text, "type": "decision"})
    took = time.monotonic() - began
    assert not answer.is_error, answer
    assert answer.content[0].text.startswith("Recorded decision")  # type: ignore[union-attr]
    return took


def wait_for(database: Database, *wanted: str) -> None:
    """Until the mirror has all these texts: it tells whenever something comes."""
    with psycopg.connect(database.dsn(), autocommit=True) as connection:
        connection.execute("LISTEN arrived")
        until = time.monotonic() + 60
        while True:
            there = {row[0] for row in connection.execute("SELECT body FROM mind.entry")}
            if there.issuperset(wanted):
                return
            left = until - time.monotonic()
            assert left > 0, there
            for _ in connection.notifies(timeout=left, stop_after=1):
                pass


@pytest.mark.parametrize("outage", OUTAGES)
def test_a_server_mirrors_what_is_logged_and_nobody_waits_for_the_mirror(
    here: Project, database: Database, outage: str
) -> None:
    begin, end = OUTAGES[outage]
    first = mind(here, "mirror", "sync")
    assert first.returncode == 0, first.stderr
    database.run(_TELL)

    async def run() -> None:
        async with served(here) as client:
            await log(client, "redis holds the queue")
            await to_thread.run_sync(wait_for, database, "redis holds the queue")
            begin(database.server)
            try:
                late = [f"decided in the outage, number {at}" for at in range(5)]
                took = [await log(client, one) for one in late]
                assert max(took) < CONNECT_SECONDS  # what one attempt to reach it may take
                between = await to_thread.run_sync(status, here)
                pending = between["backlog"]["pending"]  # type: ignore[index]
                assert pending >= len(late)  # those that they stand behind are sent again
                assert not between["reached"]
                assert "the mirror: connection" in str(between["problem"])
            finally:
                end(database.server)
            await to_thread.run_sync(wait_for, database, *late)

    anyio.run(run)
    verified = mind(here, "mirror", "verify")
    assert (verified.returncode, verified.stderr) == (0, "")
    assert "The mirror matches the files." in verified.stdout
    after = status(here)
    assert (after["backlog"]["pending"], after["problem"]) == (0, "")  # type: ignore[index]
    assert after["held"] == after["entries"] == 6
