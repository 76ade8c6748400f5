"""What is built is what works: the wheel, without the checkout beside it."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.slow
def test_the_wheel_sets_up_a_project(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    unpacked = tmp_path / "unpacked"
    zipfile.ZipFile(wheel).extractall(unpacked)
    project = tmp_path / "project"
    project.mkdir()
    environment = {**os.environ, "PYTHONPATH": str(unpacked)}

    def run(*command: str) -> str:
        done = subprocess.run(
            [sys.executable, "-P", *command],
            cwd=project,
            env=environment,
            check=True,
            capture_output=True,
            encoding="utf-8",
        )
        return done.stdout

    assert str(unpacked) in run("-c", "import mind; print(mind.__file__)")
    run("-m", "mind", "init")
    assert "# project" in (project / ".mind" / "MEMORY.md").read_text(encoding="utf-8")
    code = project / "x.py"
    code.write_text("subprocess.run(c, shell=True)\n", encoding="utf-8")
    checked = run("-m", "mind", "edges", "x", "--stack", "python", "--code", str(code))
    assert "shell=True" in checked
    run("-m", "mind", "skills", "install")
    assert (project / ".claude" / "skills" / "mind" / "SKILL.md").is_file()
    names = set(zipfile.ZipFile(wheel).namelist())
    assert "mind/py.typed" in names
    assert not any(name.startswith(("tests/", "docs/")) for name in names)
