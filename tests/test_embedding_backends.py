"""What every embedder does, whatever runs it; and which one is taken."""

import json
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from mind.domain.errors import ConfigError, DependencyMissing, ModelError, NotFound
from mind.domain.settings import Settings
from mind.search.embedding import backends, coreml, models, open_embedder
from mind.search.embedding.backends import Model, OnnxSession
from mind.search.embedding.manifest import find
from tests import bert, tiny_bert

Open = Callable[..., Model]

TEXTS = [
    "decided: sessions live in Redis",
    "the login page loops when cookies are blocked",
    "",
    "where do we keep the sessions?",
    "learned: " + "requestAnimationFrame stops in background tabs. " * 40,
    "日本語のメモ",
]


@pytest.fixture
def embedder(minilm: Path) -> Model:
    found = open_embedder(Settings(), minilm)
    assert found is not None
    return found


def test_vectors_are_normalised_rows(embedder: Model) -> None:
    vectors = embedder.embed(TEXTS)
    assert vectors.shape == (len(TEXTS), embedder.dimension) == (6, 384)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1] * 6, abs=1e-5)
    assert embedder.embed([]).shape == (0, 384)


def test_meaning_is_near(embedder: Model) -> None:
    vectors = embedder.embed(TEXTS)
    assert int(np.argsort(-vectors @ vectors[3])[1]) == 0


def test_a_text_has_the_same_vector_in_any_company(embedder: Model) -> None:
    together = embedder.embed(TEXTS)
    backwards = embedder.embed(TEXTS[::-1])[::-1]
    alone = np.concatenate([embedder.embed([text]) for text in TEXTS])
    assert np.array_equal(together, backwards)
    assert np.array_equal(together, alone)


def test_any_text_has_a_vector(embedder: Model) -> None:
    texts = ["\0", "\ud800", "a" * 100_000, " " * 100_000, "x\n" * 50_000, "🦀" * 1000, "\u200b"]
    assert np.isfinite(embedder.embed(texts)).all()


def test_only_the_first_tokens_count(embedder: Model) -> None:
    assert embedder.max_tokens == 256
    first, longer, other = embedder.embed(["word " * 254, "word " * 254 + "Redis", "word " * 200])
    assert np.array_equal(first, longer)
    assert not np.array_equal(first, other)


def test_many_threads_may_share_one(minilm: Path) -> None:
    shared = open_embedder(Settings(), minilm)
    assert shared is not None
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(shared.embed, [TEXTS] * 8))
    assert all(np.array_equal(vectors, found[0]) for vectors in found)


def test_the_file_is_near_the_published_weights(minilm: Path, published: Path) -> None:
    """int8 weights cost little: the vectors are nearly those of full precision."""
    tokens = backends.Tokens(published / "tokenizer.json", 256)
    rows = [tokens.encode(text) for text in models.samples()]
    run = OnnxSession(find(minilm, "minilm").folder / "model.onnx")
    found = models.vectors(run, rows)
    wanted = models.vectors(partial(bert.forward, coreml.load(published)), rows)
    accuracy = models.compared(found, wanted)
    assert accuracy.cosine > 0.999
    assert accuracy.agreement > 0.95


def test_onnx_takes_batches_with_padding(minilm: Path) -> None:
    """Mind sends one text at a time; the file can do more."""
    session = OnnxSession(find(minilm, "minilm").folder / "model.onnx", threads=2)
    ids = np.array([[101, 7592, 102, 0, 0], [101, 7592, 2088, 999, 102]])
    mask = np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]])
    both = session(ids, mask)
    assert np.allclose(both[0], session(ids[:1, :3], mask[:1, :3])[0], atol=1e-5)
    assert np.allclose(both[1], session(ids[1:], mask[1:])[0], atol=1e-5)


@pytest.mark.parametrize("wanted", ["auto", "onnx"])
def test_the_best_backend_is_taken_unless_one_is_named(minilm: Path, wanted: str) -> None:
    found = open_embedder(Settings(embedding_backend=wanted), minilm)
    assert found is not None
    assert found.name == "minilm"
    assert found.profile.startswith("minilm/onnx/")


def test_without_a_model_there_is_no_embedder(tmp_path: Path, minilm: Path) -> None:
    assert open_embedder(Settings(), tmp_path) is None
    (tmp_path / "models").mkdir()
    assert open_embedder(Settings(), tmp_path) is None
    assert open_embedder(Settings(embedding_backend="off"), minilm) is None


def test_what_cannot_be_opened_says_why(minilm: Path) -> None:
    with pytest.raises(ConfigError, match=r"embedding\.backend is 'gpu'.*auto, off, coreml, onnx"):
        open_embedder(Settings(embedding_backend="gpu"), minilm)
    with pytest.raises(NotFound, match=r"no model 'other'.*There are: minilm"):
        open_embedder(Settings(embedding_model="other"), minilm)
    with pytest.raises(ModelError, match="nothing that coreml can run"):
        open_embedder(Settings(embedding_backend="coreml"), minilm)


def test_a_missing_package_is_named_with_the_command(
    minilm: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    about = find(minilm, "minilm").manifest
    monkeypatch.setattr(backends, "find_spec", lambda name: None if name == "onnxruntime" else name)
    with pytest.raises(DependencyMissing) as caught:
        backends.pick(about, "onnx")
    assert str(caught.value) == (
        "onnxruntime is not installed. Run `pip install 'mind-lens[onnx]'`."
    )
    monkeypatch.setattr(backends, "find_spec", lambda _name: None)
    with pytest.raises(DependencyMissing, match="numpy is not installed"):
        backends.pick(about, "auto")


def test_core_ml_is_taken_on_apple_machines_only(
    minilm: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    about = find(minilm, "minilm").manifest
    both = replace(about, backends={"coreml": "model.mlpackage", **about.backends})
    monkeypatch.setattr(sys, "platform", "linux")
    assert backends.pick(both, "auto") == "onnx"
    with pytest.raises(ModelError, match="Apple machines only"):
        backends.pick(both, "coreml")
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(backends, "find_spec", lambda name: name)
    assert backends.pick(both, "auto") == "coreml"
    monkeypatch.setattr(backends, "find_spec", lambda name: None if name == "coremltools" else name)
    assert backends.pick(both, "auto") == "onnx"
    with pytest.raises(DependencyMissing, match=r"mind-lens\[coreml\]"):
        backends.pick(both, "coreml")


@pytest.mark.parametrize("package", ["numpy", "onnxruntime", "tokenizers"])
def test_a_package_that_vanishes_is_named_too(minilm: Path, package: str) -> None:
    """What `find_spec` sees may still not be importable."""
    script = (
        "import sys; from pathlib import Path\n"
        "from mind.domain.settings import Settings\n"
        "from mind.search.embedding import open_embedder\n"
        f"found = open_embedder(Settings(), Path({str(minilm)!r}))\n"
        f"sys.modules[{package!r}] = None\n"
        "try: found.embed(['x'])\n"
        "except Exception as error: print(type(error).__name__, error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, encoding="utf-8"
    )
    assert done.stdout == (
        f"DependencyMissing {package} is not installed. Run `pip install 'mind-lens[onnx]'`.\n"
    )


def test_opening_loads_nothing_heavy(minilm: Path) -> None:
    script = (
        "import sys; from pathlib import Path\n"
        "from mind.domain.settings import Settings\n"
        "from mind.search.embedding import open_embedder\n"
        f"found = open_embedder(Settings(), Path({str(minilm)!r}))\n"
        "heavy = {'numpy', 'onnx', 'onnxruntime', 'tokenizers', 'urllib.request'}\n"
        "print(found.dimension, sorted(heavy & set(sys.modules)))\n"
        "found.embed(['x'])\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, encoding="utf-8"
    )
    first, second = done.stdout.splitlines()
    assert first == "384 []"
    assert "'onnxruntime'" in second
    assert "'onnx'," not in second


def test_a_profile_names_all_that_changes_vectors(minilm: Path) -> None:
    about = find(minilm, "minilm").manifest
    once = backends.profile(about, "onnx")
    assert once == backends.profile(replace(about, source="elsewhere", accuracy={}), "onnx")
    assert once != backends.profile(replace(about, max_tokens=128), "onnx")
    assert once != backends.profile(replace(about, name="other"), "onnx")
    changed = replace(about.files["model.onnx"], sha256="0" * 64)
    fresh = replace(about, files={**about.files, "model.onnx": changed})
    assert once != backends.profile(fresh, "onnx")
    both = replace(about, backends={**about.backends, "coreml": "tokenizer.json"})
    alone = backends.profile(both, "coreml")
    assert alone.startswith("minilm/coreml/")
    assert backends.profile(both, "coreml", "all").startswith("minilm/coreml+all/")


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """A user's folder with the tiny model."""
    models.add(tmp_path / "home", str(tiny_bert.write(tmp_path / "tiny", limit=12)))
    return tmp_path / "home"


def test_a_damaged_file_is_never_run(tiny: Path) -> None:
    folder = tiny / "models" / "tiny"
    path = folder / "model.onnx"
    whole = path.read_bytes()
    assert open_embedder(Settings(), tiny) is not None
    path.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    with pytest.raises(ModelError, match=r"model\.onnx has SHA-256.*It is not used"):
        open_embedder(Settings(), tiny)
    path.write_bytes(whole[:-4])
    with pytest.raises(ModelError, match="bytes, not"):
        open_embedder(Settings(), tiny)
    path.unlink()
    with pytest.raises(ModelError, match="cannot be read"):
        open_embedder(Settings(), tiny)
    path.write_bytes(whole)
    assert open_embedder(Settings(), tiny) is not None


def test_a_broken_onnx_file_or_tokenizer_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    bad = tmp_path / "model.onnx"
    bad.write_bytes(b"no model")
    with pytest.raises(ModelError, match="cannot be run: .*pip install --upgrade onnxruntime"):
        OnnxSession(bad)
    folder = tiny_bert.write(tmp_path / "tiny")
    (folder / "tokenizer.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ModelError, match=r"tokenizer\.json cannot be read"):
        models.add(tmp_path / "home", str(folder))


def test_input_that_a_session_cannot_take_is_a_model_error(minilm: Path) -> None:
    session = OnnxSession(find(minilm, "minilm").folder / "model.onnx")
    with pytest.raises(ModelError, match="cannot be run"):
        session(np.array([[10**9]]), np.array([[1]]))


def test_a_backend_of_a_later_version_is_refused(tiny: Path) -> None:
    path = tiny / "models" / "tiny" / "manifest.json"
    about = json.loads(path.read_text(encoding="utf-8"))
    about["backends"] = {"quantum": "model.onnx"}
    path.write_text(json.dumps(about), encoding="utf-8")
    with pytest.raises(ModelError, match="nothing that auto can run"):
        open_embedder(Settings(), tiny)
    with pytest.raises(ModelError, match="no backend 'quantum'"):
        backends.load("quantum", path)
