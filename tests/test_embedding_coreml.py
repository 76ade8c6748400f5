"""The Core ML package says what the reference says, and runs where Core ML is."""

import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mind.domain.errors import DependencyMissing, ModelError
from mind.domain.settings import Settings
from mind.search.embedding import backends, coreml, models, open_embedder
from mind.search.embedding.backends import padded
from mind.search.embedding.manifest import find
from tests import bert, tiny_bert

coremltools = pytest.importorskip(
    "coremltools",
    reason="coremltools is not installed: `make setup` does that where there is a wheel",
)

from mind.search.embedding.coreml import CoreMLSession  # noqa: E402 - as of here the package is there
from tests.coreml_program import SavedProgram  # noqa: E402 - the same

# A folder that coremltools converts in.
pytestmark = pytest.mark.filterwarnings("ignore:Implicitly cleaning up:ResourceWarning")

on_macos = (
    pytest.mark.macos,
    pytest.mark.skipif(sys.platform != "darwin", reason="Core ML runs on Apple machines only"),
)
ways = pytest.mark.parametrize(
    "run", [SavedProgram, pytest.param(CoreMLSession, marks=on_macos)], ids=["saved", "predicted"]
)
"""The program evaluated as it is saved, and by Core ML."""

Open = Callable[[Path], Any]

LENGTHS = [1, 2, 3, 7, 16, 23, 24]
"""Of the tiny model's 24 positions."""


def cosines(found: Any, wanted: Any) -> list[float]:
    return [float(cosine) for cosine in (found * wanted).sum(axis=1)]


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def specification(package: Path) -> Any:
    return coremltools.models.MLModel(str(package), skip_model_load=True).get_spec()


def block(loaded: Any) -> Any:
    main = loaded.mlProgram.functions["main"]
    return main.block_specializations[main.opset]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A user's folder with the tiny model, its package built."""
    folder = tmp_path_factory.mktemp("coreml")
    models.add(folder / "home", str(tiny_bert.write(folder / "tiny")))
    models.build(folder / "home", "tiny")
    return folder / "home"


@pytest.fixture
def folder(tiny: Path) -> Path:
    """The tiny model's folder."""
    return find(tiny, "tiny").folder


@pytest.fixture
def package(folder: Path, tmp_path: Path) -> Path:
    """A copy of its package, to be damaged."""
    return Path(shutil.copytree(folder / "model.mlpackage", tmp_path / "model.mlpackage"))


def test_the_package_is_installed_with_its_checksums_and_accuracy(tiny: Path) -> None:
    about = models.verify(tiny, "tiny").manifest
    assert about.backends["coreml"] == "model.mlpackage"
    assert set(about.needed("coreml")) == {
        "tokenizer.json",
        "model.mlpackage/Manifest.json",
        "model.mlpackage/Data/com.apple.CoreML/model.mlmodel",
        "model.mlpackage/Data/com.apple.CoreML/weights/weight.bin",
    }


def test_core_ml_is_told_what_it_needs(package: Path) -> None:
    loaded = specification(package)
    assert loaded.WhichOneof("Type") == "mlProgram"
    assert [one.name for one in loaded.description.input] == ["ids", "mask"]
    for one in loaded.description.input:
        ranges = one.type.multiArrayType.shapeRange.sizeRanges
        assert [(each.lowerBound, each.upperBound) for each in ranges] == [(1, 1), (1, 24)]
    (output,) = loaded.description.output
    assert output.name == "vectors"
    assert list(output.type.multiArrayType.shape) == [1, 32]
    assert loaded.specificationVersion == 7, "macOS 13 and later"


def test_shapes_follow_from_the_inputs(package: Path) -> None:
    """None is computed, which is where texts of any length go wrong in Core ML."""
    kinds = {one.type for one in block(specification(package)).operations}
    assert not kinds & {"shape", "slice_by_index", "range_1d", "fill", "tile", "non_zero"}


@ways
def test_a_package_is_the_reference_at_any_length(folder: Path, run: Open) -> None:
    random = np.random.default_rng(3)
    model, program = coreml.load(folder), run(folder / "model.mlpackage")
    for length in LENGTHS:
        ids, mask = padded(random.integers(0, 128, (3, length)).tolist())
        found = program(ids, mask)
        assert found.shape == (3, 32)
        assert found.dtype == np.float32
        assert min(cosines(found, bert.forward(model, ids, mask))) >= 0.9999
        assert np.linalg.norm(found, axis=1) == pytest.approx([1] * 3, abs=1e-5)


@ways
def test_a_text_that_is_too_long_is_a_model_error(folder: Path, run: Open) -> None:
    program = run(folder / "model.mlpackage")
    with pytest.raises(ModelError, match=r"model\.mlpackage"):
        program(*padded([[1] * 25]))


@ways
def test_padding_is_passed_over(folder: Path, run: Open) -> None:
    program = run(folder / "model.mlpackage")
    row = [2, 17, 40, 9, 3]
    ids, mask = padded([row, [*row, *row]])
    assert np.allclose(program(ids, mask)[0], program(*padded([row]))[0], atol=1e-3)


@ways
def test_the_real_model_is_the_reference(published: Path, tmp_path: Path, run: Open) -> None:
    models.add(tmp_path, str(published), "minilm")
    model = models.build(tmp_path, "minilm")
    tokens = backends.Tokens(model.folder / "tokenizer.json", 256)
    rows = [tokens.encode(text) for text in models.samples()[::4]]
    wanted = models.vectors(partial(bert.forward, coreml.load(model.folder)), rows)
    found = models.vectors(run(model.folder / "model.mlpackage"), rows)
    assert min(cosines(found, wanted)) >= 0.9999
    assert models.compared(found, wanted).agreement > 0.99
    about = model.manifest
    package = [about.files[name].size for name in about.files if name.startswith("model.mlp")]
    assert 45_000_000 < sum(package) < 46_000_000


@pytest.mark.macos
@pytest.mark.skipif(sys.platform != "darwin", reason="Core ML runs on Apple machines only")
def test_on_a_mac_core_ml_is_what_runs_a_model(tiny: Path, folder: Path) -> None:
    embedder = open_embedder(Settings(embedding_model="tiny"), tiny)
    assert embedder is not None
    assert embedder.profile.startswith("tiny/coreml/")
    texts = [f"{chr(n)} b {chr(n + 1)}" for n in range(ord("a"), ord("y"))]
    assert np.linalg.norm(embedder.embed(texts), axis=1) == pytest.approx(
        [1] * len(texts), abs=1e-5
    )


def test_what_core_ml_is_asked_is_what_the_package_takes(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All but Apple's part, for which the saved program stands in."""
    saved = SavedProgram(folder / "model.mlpackage")
    at_once = threading.Semaphore()

    def predict(_: Any, inputs: dict[str, Any]) -> dict[str, Any]:
        assert at_once.acquire(blocking=False), "a model is for one thread at a time"
        assert {name: (rows.dtype, len(rows)) for name, rows in inputs.items()} == {
            "ids": (np.int32, 1),
            "mask": (np.int32, 1),
        }
        made = saved(inputs["ids"], inputs["mask"])
        at_once.release()
        return {"vectors": made}

    monkeypatch.setattr(coremltools.models.MLModel, "predict", predict)
    monkeypatch.setattr(sys, "platform", "darwin")
    with monkeypatch.context() as there:
        there.setattr(coremltools.models.MLModel, "__init__", lambda *_, **__: None)
        session = CoreMLSession(folder / "model.mlpackage")
    ids, mask = padded(np.random.default_rng(5).integers(0, 128, (6, 12)).tolist())
    found: dict[int, Any] = {}
    threads = [
        threading.Thread(target=lambda n=n: found.update({n: session(ids[n:], mask[n:])}))
        for n in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wanted = bert.forward(coreml.load(folder), ids, mask)
    assert all(min(cosines(found[n], wanted[n:])) >= 0.9999 for n in range(4))


@pytest.mark.skipif(sys.platform == "darwin", reason="a Mac runs it")
def test_elsewhere_a_package_is_not_run(folder: Path) -> None:
    with pytest.raises(ModelError, match=r"Apple machines only\. Set embedding\.backend to auto"):
        backends.load("coreml", folder / "model.mlpackage")


def test_without_coremltools_the_command_to_install_it_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "coremltools", None)
    with pytest.raises(DependencyMissing, match=r"pip install 'mind-lens\[coreml\]'"):
        SavedProgram(folder / "model.mlpackage")


def test_the_units_of_the_settings_are_asked_for(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    monkeypatch.setattr(
        coremltools.models.MLModel, "__init__", lambda *_, **more: asked.append(more)
    )
    monkeypatch.setattr(sys, "platform", "darwin")
    for settings in (Settings(), Settings(embedding_compute_units="all")):
        backends.load("coreml", folder / "model.mlpackage", settings)
    units = coremltools.ComputeUnit
    assert [one["compute_units"] for one in asked] == [units.CPU_ONLY, units.ALL]
    with pytest.raises(ModelError, match="cannot be run: 'GPU'"):
        CoreMLSession(folder / "model.mlpackage", "gpu")


def test_a_package_that_is_too_far_off_is_not_installed(
    tiny: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tiny ONNX file knows only words, so that its vectors are others than the package's."""
    before, saved = contents(folder), SavedProgram(folder / "model.mlpackage")
    monkeypatch.setattr(CoreMLSession, "__init__", lambda *_: None)
    monkeypatch.setattr(CoreMLSession, "__call__", lambda _, ids, mask: saved(ids, mask))
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(ModelError, match=r"coreml has a cosine of only .* is needed"):
        models.build(tiny, "tiny")
    assert contents(folder) == before


def test_the_same_weights_make_the_same_package(tiny: Path, folder: Path) -> None:
    """So that building again keeps the profile, and the vectors in the index."""
    once = contents(folder / "model.mlpackage")
    profile = backends.profile(find(tiny, "tiny").manifest, "coreml")
    models.build(tiny, "tiny")
    assert contents(folder / "model.mlpackage") == once
    assert backends.profile(find(tiny, "tiny").manifest, "coreml") == profile


def test_opening_a_package_leaves_it_as_it_is(folder: Path) -> None:
    """By itself coremltools writes the manifest of a package anew when it opens it."""
    paths = sorted((folder / "model.mlpackage").rglob("*"))
    before = [path.stat().st_mtime_ns for path in paths]
    SavedProgram(folder / "model.mlpackage")
    assert [path.stat().st_mtime_ns for path in paths] == before


def test_building_says_nothing(tmp_path: Path, folder: Path) -> None:
    """The package speaks of other libraries when it is imported, and draws bars when it works."""
    script = (
        "import sys; from pathlib import Path\n"
        "from mind.search.embedding import coreml\n"
        "folder, package = map(Path, sys.argv[1:])\n"
        "coreml.write(coreml.load(folder), package)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, folder, tmp_path / "model.mlpackage"],
        check=True,
        capture_output=True,
        encoding="utf-8",
    )
    assert (done.stdout, done.stderr) == ("", "")


def test_a_package_that_cannot_be_written_is_a_model_error(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    model = coreml.load(folder)
    with pytest.raises(ModelError, match=r"model\.mlpackage cannot be written: "):
        coreml.write(model, tmp_path / "file" / "model.mlpackage")


def damage_specification(package: Path) -> None:
    (package / "Data/com.apple.CoreML/model.mlmodel").write_bytes(b"\xff" * 100)


def empty_specification(package: Path) -> None:
    (package / "Data/com.apple.CoreML/model.mlmodel").write_bytes(b"")


def cut_weights(package: Path) -> None:
    path = package / "Data/com.apple.CoreML/weights/weight.bin"
    path.write_bytes(path.read_bytes()[:-1000])


def scramble_weights(package: Path) -> None:
    path = package / "Data/com.apple.CoreML/weights/weight.bin"
    path.write_bytes(bytes(path.stat().st_size))


def lose_weights(package: Path) -> None:
    (package / "Data/com.apple.CoreML/weights/weight.bin").unlink()


def lose_manifest(package: Path) -> None:
    (package / "Manifest.json").unlink()


def lose_all(package: Path) -> None:
    shutil.rmtree(package)


@pytest.mark.parametrize(
    "damage",
    [
        damage_specification,
        empty_specification,
        cut_weights,
        scramble_weights,
        lose_weights,
        lose_manifest,
        lose_all,
    ],
)
def test_a_damaged_package_is_a_model_error(package: Path, damage: Callable[[Path], None]) -> None:
    damage(package)
    with pytest.raises(ModelError, match=r"model\.mlpackage cannot be run: .*mind models build"):
        SavedProgram(package)


def other_operation(operations: Any) -> None:
    next(one for one in operations if one.type == "gelu").type = "relu"


def other_weights(operations: Any) -> None:
    values = [one.attributes["val"] for one in operations if one.type == "const"]
    long = next(one for one in values if one.WhichOneof("value") == "blobFileValue")
    long.blobFileValue.fileName = "@model_path/weights/other.bin"


def parameter(kind: str, name: str, field: str, value: object) -> Callable[[Any], None]:
    def change(operations: Any) -> None:
        wanted = next(one for one in operations if one.type == kind).inputs[name].arguments[0].name
        (constant,) = (one for one in operations if one.outputs[0].name == wanted)
        values = getattr(constant.attributes["val"].immediateValue.tensor, field)
        values.values[:] = [value]

    return change


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (other_operation, "relu"),
        (other_weights, r"there are weights in @model_path/weights/other\.bin"),
        (parameter("gelu", "mode", "strings", "TANH_APPROXIMATION"), "a gelu of mode TANH"),
        (parameter("cumsum", "reverse", "bools", True), "a sum runs backwards"),
        (parameter("gather", "batch_dims", "ints", 1), "rows are taken by batch"),
    ],
)
def test_what_mind_does_not_write_is_not_evaluated(
    package: Path, change: Callable[[Any], None], said: str
) -> None:
    """Or the check would vouch for a program that it did not run."""
    loaded = specification(package)
    change(block(loaded).operations)
    (package / "Data/com.apple.CoreML/model.mlmodel").write_bytes(loaded.SerializeToString())
    with pytest.raises(ModelError, match=f"cannot be run: .*{said}"):
        SavedProgram(package)(*padded([[1, 2, 3]]))
