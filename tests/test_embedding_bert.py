"""The published weights, read for Core ML, and the reference in NumPy that its tests use."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mind.domain.errors import ModelError
from mind.search.embedding import coreml
from mind.search.embedding.backends import Tokens, padded
from tests import bert, tiny_bert


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tiny_bert.write(tmp_path / "tiny")


def numbers(*rows: list[int]) -> tuple[Any, Any]:
    return padded(rows)


def test_similarities_are_those_that_the_authors_publish(published: Path) -> None:
    """The model card's own example: cosines of a sentence to three others."""
    tokens = Tokens(published / "tokenizer.json", 256)
    rows = [
        tokens.encode(text)
        for text in (
            "That is a happy person",
            "That is a happy dog",
            "That is a very happy person",
            "Today is a sunny day",
        )
    ]
    vectors = bert.forward(coreml.load(published), *padded(rows))
    assert vectors.shape == (4, 384)
    assert vectors.dtype == np.float32
    assert (vectors[0] @ vectors[1:].T).round(3).tolist() == pytest.approx([0.695, 0.943, 0.257])


def test_padding_changes_nothing(folder: Path) -> None:
    model = coreml.load(folder)
    short, long = [2, 9, 30, 3], [2, 5, 6, 7, 8, 40, 41, 3]
    together = bert.forward(model, *numbers(short, long))
    alone = [bert.forward(model, *numbers(row))[0] for row in (short, long)]
    assert np.allclose(together, alone, atol=1e-6)
    ids, mask = numbers(short, long)
    ids[mask == 0] = 77
    assert np.array_equal(bert.forward(model, ids, mask), together)


def test_vectors_have_length_one_and_depend_on_the_order_of_words(folder: Path) -> None:
    vectors = bert.forward(coreml.load(folder), *numbers([2, 9, 30, 3], [2, 30, 9, 3]))
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1])
    assert abs(vectors[0] @ vectors[1]) < 0.9999


def test_the_activation_is_that_of_the_formula() -> None:
    x = np.linspace(-12, 12, 4001, dtype=np.float32)
    exact = [value * 0.5 * (1 + math.erf(value / math.sqrt(2))) for value in x.tolist()]
    assert np.abs(bert.gelu(x) - exact).max() < 2e-6


def test_half_precision_and_prefixed_names_are_read(folder: Path) -> None:
    wanted = bert.forward(coreml.load(folder), *numbers([2, 9, 30, 3]))
    halves = {f"bert.{k}": v.astype(np.float16) for k, v in tiny_bert.weights().items()}
    halves["bert.embeddings.position_ids"] = np.arange(24)
    (folder / "model.safetensors").write_bytes(tiny_bert.safetensors(halves))
    model = coreml.load(folder)
    assert {value.dtype.name for value in model.tensors.values()} == {"float32"}
    assert (bert.forward(model, *numbers([2, 9, 30, 3])) @ wanted.T).item() > 0.9999


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"hidden_size": "32"}, "hidden_size must be positive"),
        ({"num_hidden_layers": 0, "vocab_size": True}, "num_hidden_layers, vocab_size must be"),
        ({"model_type": "roberta"}, "Mind runs only 'bert'"),
        ({"hidden_act": "relu"}, "hidden_act is 'relu'"),
        ({"num_attention_heads": 5}, "does not divide"),
        ({"vocab_size": 999}, "word_embeddings.weight is (128, 32), not (999, 32)"),
        ({"num_hidden_layers": 3}, "encoder.layer.2.attention.self.query.weight is missing"),
    ],
)
def test_a_model_of_another_kind_is_refused(
    tmp_path: Path, change: dict[str, Any], said: str
) -> None:
    folder = tiny_bert.write(tmp_path / "tiny", **change)
    with pytest.raises(ModelError) as caught:
        coreml.load(folder)
    assert said in caught.value.message
    assert caught.value.remedy


@pytest.mark.parametrize("content", ["", "{", "[]", "null"])
def test_a_broken_config_is_refused(folder: Path, content: str) -> None:
    (folder / "config.json").write_text(content, encoding="utf-8")
    with pytest.raises(ModelError, match=r"config\.json"):
        coreml.load(folder)


def test_broken_weights_are_refused(folder: Path) -> None:
    path = folder / "model.safetensors"
    whole = path.read_bytes()
    size = int.from_bytes(whole[:8], "little")
    header = json.loads(whole[8 : 8 + size])
    name = "embeddings.word_embeddings.weight"
    header[name]["data_offsets"] = [0, 10**9]
    lying = json.dumps(header).encode()
    for broken in (
        b"",
        b"\0" * 8,
        b"\xff" * 64,
        whole[: len(whole) // 2],
        whole[: 8 + size],
        whole[:8] + b"x" * size + whole[8 + size :],
        (4).to_bytes(8, "little") + b"[1] " + whole,
        len(lying).to_bytes(8, "little") + lying + whole[8 + size :],
        (14).to_bytes(8, "little") + b'{"a":{"b": 1}}',
    ):
        path.write_bytes(broken)
        with pytest.raises(ModelError, match="safetensors"):
            coreml.load(folder)
    path.unlink()
    with pytest.raises(ModelError, match="safetensors"):
        coreml.load(folder)


def test_the_weights_are_the_published_ones(published: Path) -> None:
    from mind.search.embedding.manifest import sha256

    assert sha256(published / "model.safetensors") == (
        "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
    )
