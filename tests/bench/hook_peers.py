"""Hooks beside those of claude-mem in one run: `python -m tests.bench.hook_peers [FOLDER]`.

`--install` puts claude-mem and the runtime that its hooks need into FOLDER (default: .peers) with
npm. Its worker is started first, as its own SessionStart hook does; what that costs, and what it
does later for a hook, is not counted. Figures are CPU milliseconds of the whole process.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from unittest.mock import patch

from tests.bench.speed import BIN, EDITED, HOOKS, cpu_of, repository

FOLDER = Path(__file__).parents[2] / ".peers"
PACKAGES = ("claude-mem@13.25.3", "better-auth@1.6.16", "zod", "bun")
EVENTS = {
    "SessionStart": "context",
    "UserPromptSubmit": "session-init",
    "PostToolUse, an edit": "observation",
    "Stop": "summarize",
}
"""An event of ours, and what claude-mem calls the hook that it runs then."""
ENTRIES = 10_000


def install(folder: Path) -> None:
    """Get claude-mem from the registry."""
    target = folder / "claude-mem-hooks"
    target.mkdir(parents=True, exist_ok=True)
    (target / "package.json").write_text('{"private": true}\n', encoding="utf-8")
    subprocess.run(["npm", "install", "--no-audit", "--no-fund", *PACKAGES], cwd=target, check=True)


def measured(folder: Path) -> None:
    """Print what each hook costs."""
    modules = folder / "claude-mem-hooks" / "node_modules"
    scripts = modules / "claude-mem" / "plugin" / "scripts"
    if not scripts.is_dir():
        sys.exit(f"{scripts} is missing: python -m tests.bench.hook_peers --install {folder}")
    theirs = ["node", str(scripts / "bun-runner.js"), str(scripts / "worker-service.cjs")]
    with tempfile.TemporaryDirectory() as kept:
        root = repository(Path(kept) / "project", ENTRIES)
        own = {
            "HOME": kept,
            "MIND_HOME": f"{kept}/.mind",
            "PATH": f"{modules / '.bin'}:{os.environ['PATH']}",
        }
        with patch.dict(os.environ, own):
            subprocess.run([*theirs, "start"], capture_output=True, check=False, timeout=90)
            try:
                _show(theirs, root)
            finally:
                subprocess.run([*theirs, "stop"], capture_output=True, check=False, timeout=60)


def _show(theirs: Sequence[str], root: Path) -> None:
    bare = cpu_of([sys.executable, "-c", "pass"], 41)
    print(f"{'python -c pass':28}{bare:8.1f} ms, node -e 0 {cpu_of(['node', '-e', '0']):.1f} ms")
    print(f"{'':28}{'mind':>11}{'claude-mem':>14}{'ratio':>9}")
    fields = dict(HOOKS)
    for name, called in EVENTS.items():
        given = {
            "session_id": "s0",
            "cwd": str(root),
            "hook_event_name": name.partition(",")[0],
            "transcript_path": str(root / "none.jsonl"),
            **fields[name],
        }
        if name.startswith("PostToolUse"):
            given["tool_response"] = {"filePath": "app.py", "newString": EDITED}
        stdin = json.dumps(given).encode()
        cpu_of([str(BIN / "mind-hook")], 2, stdin)
        ours = cpu_of([str(BIN / "mind-hook")], 31, stdin)
        other = cpu_of([*theirs, "hook", "claude-code", called], 7, stdin)
        print(f"{name:28}{ours:8.1f} ms{other:11.1f} ms{other / ours:8.1f} x")


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER)
    parser.add_argument("--install", action="store_true")
    given = parser.parse_args(arguments)
    if given.install:
        install(given.folder)
    else:
        measured(given.folder)


if __name__ == "__main__":
    main()
