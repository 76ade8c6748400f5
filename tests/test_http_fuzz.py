"""What the OpenAPI document promises, held against the service; `make fuzz-http` does more."""

from pathlib import Path

import pytest

from tests.effort import tries
from tests.fuzz_http import fuzzed
from tests.http_service import at_home, project_at, serving


@pytest.mark.slow
def test_the_service_does_what_its_document_says(tmp_path: Path) -> None:
    pytest.importorskip("schemathesis")
    home = tmp_path / "home"
    with at_home(home):
        root = project_at(tmp_path / "p", ("decision", "SQLite over Postgres because it is a file"))
    with serving(home, "--project", str(root), "--rate", "0") as running:
        options = ("--phases", "fuzzing", "-n", "3", "--max-time", str(tries(5, 12)), "--seed", "1")
        done = fuzzed(running, tmp_path, *options)
    assert done.returncode == 0, done.stdout
