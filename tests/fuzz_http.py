"""Schemathesis against a service that runs: `python -m tests.fuzz_http [EXAMPLES]`.

What the OpenAPI document promises is held against what comes back: no 5xx, no other form, no other
status, nothing that is not allowed accepted, nothing that is allowed refused but for its meaning.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from tests.http_service import Running, at_home, project_at, serving

CONFIG = """\
[checks.positive_data_acceptance]
expected-statuses = ["2xx", 304, 404, 409, 412, 422]
"""
"""What fits its schema may still name nothing, no time, or two things of one name."""
_ENTRIES = (
    ("decision", "SQLite over Postgres because it is one file #db"),
    ("gotcha", "redis loses its keys on restart -> use AOF #db"),
    ("problem", "the CI is slow when the cache is cold #ci"),
    ("learning", "pytest-xdist groups tests by loadgroup"),
)


def fuzzed(running: Running, folder: Path, *options: str) -> "subprocess.CompletedProcess[str]":
    """What Schemathesis says of a service, and its exit code."""
    config = folder / "schemathesis.toml"
    config.write_text(CONFIG, encoding="utf-8")
    return subprocess.run(
        [
            *(sys.executable, "-m", "schemathesis.cli", "--config-file", str(config), "run"),
            f"http://127.0.0.1:{running.port}/openapi.json",
            *("-H", f"Authorization: Bearer {running.token}"),
            *("--exclude-operation-id", "events", "--warnings", "off", "--no-shrink"),
            *options,
        ],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=3_600,
    )


def main() -> int:
    """Run it with more examples than the tests do."""
    examples = sys.argv[1] if len(sys.argv) > 1 else "100"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        home = folder / "home"
        with at_home(home):
            root = project_at(folder / "p", *_ENTRIES)
        with serving(home, "--project", str(root), "--rate", "0") as running:
            phases = ("--phases", "examples,coverage,fuzzing,stateful")
            done = fuzzed(running, folder, *phases, "-n", examples, "--continue-on-failure")
            sys.stdout.write(done.stdout + done.stderr)
    return done.returncode


if __name__ == "__main__":
    raise SystemExit(main())
