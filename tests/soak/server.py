"""Thousands of calls with ever new words to one MCP server: what its memory does.

Usage: python -m tests.soak.server [CALLS] [SEED] [FORGETS]. Prints the resident memory after each
thousand, and fails if it grows by more than 2 MB after the first. With 1 for FORGETS, what is
logged is forgotten again, so that the memory itself stays as large as it was.
"""

import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from mind.storage.project import Project
from tests.test_server_wire import Process

_LIMIT = 2_000
"""Kilobytes."""
_SYLLABLES = "ba ce di fo gu ka le mi no pu ra se ti vo wu za".split()
_TOPICS = "queue parser index cache token session worker schema retry timeout".split()


class Words:
    """Sentences of which half the words were never said before."""

    def __init__(self, seed: int) -> None:
        self.pick = random.Random(seed)  # noqa: S311 - makes words, no secrets

    def word(self) -> str:
        """One of some topics, or a new one."""
        if self.pick.random() < 0.5:
            return self.pick.choice(_TOPICS)
        return "".join(self.pick.choices(_SYLLABLES, k=4))

    def sentence(self) -> str:
        """Some words."""
        return " ".join(self.word() for _ in range(self.pick.randint(3, 12)))

    def code(self) -> str:
        """Some lines."""
        return "\n".join(f"{self.word()} = {self.word()}({self.word()!r})" for _ in range(20))


def calls(words: Words, number: int, *, forgets: bool) -> Iterator[tuple[str, dict[str, object]]]:
    """Names of tools with arguments; one in 200 writes."""
    kinds = ("decision", "learning", "progress", "rejected")
    for at in range(number):
        if at % 200 == 199:
            yield "mind_log", {"message": words.sentence(), "type": words.pick.choice(kinds)}
        elif forgets and at % 200 == 0 and at:
            yield (
                "mind_update",
                {"action": "forget", "text": "said for a test", "acknowledge": True},
            )
        elif at % 20 == 10:
            yield "mind_recall", {}
        elif at % 4 == 1:
            yield "mind_edges", {"intent": words.sentence(), "code": words.code()}
        else:
            yield "mind_search", {"query": words.sentence()}


def resident(process: int) -> int:
    """Kilobytes of a process that are in memory."""
    asked = ["ps", "-o", "rss=", "-p", str(process)]
    return int(subprocess.run(asked, check=True, capture_output=True, text=True).stdout)


def main(number: int = 20_000, seed: int = 1, forgets: int = 0) -> int:
    """Make the calls; 1 if memory grew too much or a call failed."""
    words = Words(seed)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        project = Project(Path(folder) / "project")
        project.folder.mkdir(parents=True)
        lines = [f"- decided: {words.sentence()}" for _ in range(500)]
        project.memory.write_text("## Decisions\n\n" + "\n".join(lines) + "\n", encoding="utf-8")
        home = Path(folder) / "home"
        home.mkdir()
        env = {**os.environ, "MIND_HOME": str(home / ".mind"), "HOME": str(home)}
        server = Process(cwd=project.root, env=env)
        began, first, last, failed, logged = time.monotonic(), 0, 0, 0, ""
        for at, (tool, arguments) in enumerate(calls(words, number, forgets=bool(forgets)), 1):
            server.call(at, tool, **arguments, **({"id": logged} if tool == "mind_update" else {}))
            done = server.receive()["result"]
            failed += bool(done.get("isError"))
            if tool == "mind_log":
                logged = re.findall(r"^Recorded \w+ (\w+) in", done["content"][0]["text"])[0]
            if at % 1_000 == 0:
                last = resident(server.id)
                first = first or last
                sys.stdout.write(
                    f"{at:6} calls  {last / 1_000:6.1f} MB  {last - first:+6} kB"
                    f"  {time.monotonic() - began:4.0f} s\n"
                )
                sys.stdout.flush()
        server.stdin.close()
    sys.stdout.write(f"{failed} calls failed; {last - first:+} kB since the first thousand\n")
    return 1 if failed or last - first > _LIMIT else 0


if __name__ == "__main__":
    raise SystemExit(main(*map(int, sys.argv[1:])))
