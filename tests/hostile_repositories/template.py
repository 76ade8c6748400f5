"""The ordinary repository that hostile ones are made of, built once a process."""

import os
import subprocess
import sys
from pathlib import Path

EMPTY_MARKER = b"zqemptymarker000"
"""Stands where a marker of this length is put in."""

DECISION, LEARNING, GOTCHA, PROBLEM, ARCHIVED = (f"a1b2c3d{number}" for number in range(1, 6))
"""Ids of entries in the memory; the last one is in the archive."""
REMINDER = "b1b2c3d1"

_MEMORY = f"""\
# app

## 2026-11-01
- decided: SQLite over Postgres - one file, no server #db ^{DECISION}
- learned: pnpm needs a store folder, see `src/app.py` ^{LEARNING}
- gotcha: parse_date ignores the time zone -> pass tz ^{GOTCHA}
- problem: login fails when the clock is skewed ^{PROBLEM}
- learned: the old cache was slow ^{ARCHIVED}
- rejected: Redis for sessions - one more server

## Relations
[[auth]] depends-on [[redis]]
"""
_REMINDERS = f"# Reminders\n\n- [ ] look at the keys | due: 2026-11-02 ^{REMINDER}\n"
_SOURCE = '''\
# MEMORY: gotcha: connect() waits for ever -> pass a timeout
def connect() -> None:
    """Connect."""
'''
_RECORD = """\
# 1. Keep the queue in the database

## Status

Accepted

## Decision

The queue is one table of the database, since a broker is one more server.
"""
_MANIFEST = '{"name": "app", "dependencies": {"next": "15.0.0"}}\n'


def made(folder: Path) -> Path:
    """Build the repository in ``folder/app``; MIND_HOME of a user who has others is ``own``.

    An index of another project is ``index.db``.
    """
    app, other = folder / "app", folder / "other"
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("MIND_")},
        "HOME": str(folder),
        "MIND_HOME": str(folder / "own"),
        "GIT_CONFIG_GLOBAL": os.devnull,
        **{f"GIT_{who}_{what}": "stranger@example.org"
           for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
    }  # fmt: skip

    def run(at: Path, *command: str) -> None:
        subprocess.run(command, cwd=at, env=environment, check=True, capture_output=True)

    mind = str(Path(sys.executable).with_name("mind"))
    for root in (app, other):
        root.mkdir()
        run(root, mind, "init")
    run(other, mind, "log", "--type", "decision", f"{EMPTY_MARKER.decode()} is our password store")
    run(other, mind, "search", "password store")
    (other / ".mind/cache/index.db").rename(folder / "index.db")
    _project(app)
    run(app, mind, "forget", ARCHIVED, "--reason", "the new one is fast", "-y")
    run(app, mind, "export", "--output", "export.jsonl")
    for left in ("SESSION.md", "SESSION.last.md", "state.json", "events.jsonl"):
        (app / ".mind" / left).unlink(missing_ok=True)
    run(app, "rm", "-rf", ".mind/cache")
    run(app, "git", "init", "--quiet", "--template=", "--initial-branch=main")
    run(app, "git", "add", ".")
    run(app, "git", "commit", "--quiet", "--message", "Begin\n\nDecision: ship on Fridays")
    run(app, "git", "commit", "--quiet", "--allow-empty", "--message", "Go on")
    (folder / "own/projects.json").unlink()
    return folder


def _project(app: Path) -> None:
    for name, text in {
        ".mind/MEMORY.md": _MEMORY,
        ".mind/REMINDERS.md": _REMINDERS,
        "src/app.py": _SOURCE,
        "package.json": _MANIFEST,
        "README.md": "# app\n",
        "docs/adr/0001-queue.md": _RECORD,
        "memory-bank/decisionLog.md": "# Decision log\n\n- the queue is kept in one table\n",
        "notes/tea.md": "# Tea\n\n- learned: green tea is brewed at 80 degrees\n",
    }.items():
        (app / name).parent.mkdir(exist_ok=True, parents=True)
        (app / name).write_text(text, encoding="utf-8")
