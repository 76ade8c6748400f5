"""The Core ML package says what the reference says, and runs where Core ML is."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mind.config import Settings
from mind.embedding import backends, bert, building, models, open_embedder
from mind.embedding.installed import find
from mind.embedding.tokens import padded
from mind.errors import DependencyMissing, ModelError
from tests import tiny_bert

coremltools = pytest.importorskip(
    "coremltools", reason="coremltools is not installed: it has no wheel for this Python"
)

from mind.embedding.coreml import CoreMLSession  # noqa: E402 - as of here the package is there
from mind.embedding.coreml_check import SavedProgram  # noqa: E402 - the same

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


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A user's folder with the tiny model, its package built."""
    folder = tmp_path_factory.mktemp("coreml")
    models.add(folder / "home", str(tiny_bert.write(folder / "tiny")))
    models.build(folder / "home", "tiny", ["coreml"])
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
    assert about.accuracy["coreml"].cosine >= 0.9999


def test_core_ml_is_told_what_it_needs(package: Path) -> None:
    loaded = coremltools.models.MLModel(str(package), skip_model_load=True).get_spec()
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
    """What Core ML cannot know before it runs ends the process on some machines."""
    loaded = coremltools.models.MLModel(str(package), skip_model_load=True).get_spec()
    main = loaded.mlProgram.functions["main"]
    kinds = {one.type for one in main.block_specializations[main.opset].operations}
    assert not kinds & {"shape", "slice_by_index", "range_1d", "fill", "tile", "non_zero"}


def test_the_saved_program_is_the_reference_at_any_length(folder: Path) -> None:
    random = np.random.default_rng(3)
    model, program = bert.load(folder), SavedProgram(folder / "model.mlpackage")
    for length in LENGTHS:
        ids, mask = padded(random.integers(0, 128, (3, length)).tolist())
        found = program(ids, mask)
        assert found.shape == (3, 32)
        assert found.dtype == np.float32
        assert min(cosines(found, bert.forward(model, ids, mask))) >= 0.9999
        assert np.linalg.norm(found, axis=1) == pytest.approx([1] * 3, abs=1e-5)
    with pytest.raises(ModelError, match="takes at most 24 tokens"):
        program(*padded([[1] * 25]))


def test_the_saved_program_passes_over_padding(folder: Path) -> None:
    program = SavedProgram(folder / "model.mlpackage")
    row = [2, 17, 40, 9, 3]
    ids, mask = padded([row, [*row, *row]])
    assert np.allclose(program(ids, mask)[0], program(*padded([row]))[0], atol=1e-3)


def test_the_real_model_is_the_reference(published: Path, tmp_path: Path) -> None:
    models.add(tmp_path, str(published), "minilm")
    about = models.build(tmp_path, "minilm", ["coreml"]).manifest
    assert about.accuracy["coreml"].cosine >= 0.9999
    assert about.accuracy["coreml"].agreement > 0.99
    package = [about.files[name].size for name in about.files if name.startswith("model.mlp")]
    assert 45_000_000 < sum(package) < 46_000_000


def test_the_same_weights_make_the_same_package(tiny: Path, folder: Path) -> None:
    """So that building again keeps the profile, and the vectors in the index."""
    once = contents(folder / "model.mlpackage")
    profile = backends.profile(find(tiny, "tiny").manifest, "coreml")
    models.build(tiny, "tiny", ["coreml"])
    assert contents(folder / "model.mlpackage") == once
    assert backends.profile(find(tiny, "tiny").manifest, "coreml") == profile


def test_opening_a_package_leaves_it_as_it_is(folder: Path) -> None:
    """coremltools writes the manifest of a package anew when it opens it."""
    paths = sorted((folder / "model.mlpackage").rglob("*"))
    before = [path.stat().st_mtime_ns for path in paths]
    SavedProgram(folder / "model.mlpackage")
    assert [path.stat().st_mtime_ns for path in paths] == before


def test_building_says_nothing(tmp_path: Path, folder: Path) -> None:
    """The package speaks of other libraries when it is imported, and draws bars when it works."""
    script = (
        "from pathlib import Path; from mind.embedding import bert, coreml_program\n"
        f"coreml_program.write(bert.load(Path({str(folder)!r})), Path({str(tmp_path / 'm.mlpackage')!r}))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, encoding="utf-8"
    )
    assert (done.stdout, done.stderr) == ("", "")


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
def test_a_damaged_package_is_a_model_error(
    package: Path, damage: Callable[[Path], None]
) -> None:
    damage(package)
    with pytest.raises(ModelError, match=r"model\.mlpackage cannot be run: .*mind models build"):
        SavedProgram(package)
