"""The BERT encoder in NumPy: the reference that a Core ML program is held to.

The layers are those of Devlin et al. 2018 (arXiv:1810.04805); pooling and normalisation are those
of Reimers and Gurevych 2019 (arXiv:1908.10084): the mean over the tokens, scaled to length one.
"""

import math

import numpy as np
from numpy.typing import NDArray

from mind.search.embedding.coreml import Weights

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

_SMALLEST_NORM = 1e-12
_MASKED = -3e38  # what is left of a float32 after adding it to any score is still finite


def forward(bert: Weights, ids: Ints, mask: Ints) -> Floats:
    """The vectors of texts.

    Args:
        bert: The weights.
        ids: Token numbers, (batch x tokens), padded with anything.
        mask: 1 for a token, 0 for padding, of the same shape; each row has a token.

    Returns:
        (batch x dimension), each row of length one.
    """
    t = bert.tensors
    state = t["embeddings.word_embeddings.weight"][ids]
    state = state + t["embeddings.position_embeddings.weight"][: ids.shape[1]]
    state = state + t["embeddings.token_type_embeddings.weight"][0]
    state = _norm(bert, state, "embeddings.LayerNorm")
    bias = np.where(mask[:, None, None, :] > 0, np.float32(0), np.float32(_MASKED))
    for number in range(bert.layers):
        layer = f"encoder.layer.{number}"
        mixed = _linear(
            bert, _attention(bert, state, bias, layer), f"{layer}.attention.output.dense"
        )
        state = _norm(bert, state + mixed, f"{layer}.attention.output.LayerNorm")
        inner = gelu(_linear(bert, state, f"{layer}.intermediate.dense"))
        mixed = _linear(bert, inner, f"{layer}.output.dense")
        state = _norm(bert, state + mixed, f"{layer}.output.LayerNorm")
    return _pooled(state, mask)


def _linear(bert: Weights, x: Floats, name: str) -> Floats:
    y: Floats = x @ bert.tensors[f"{name}.weight"].T + bert.tensors[f"{name}.bias"]
    return y


def _norm(bert: Weights, x: Floats, name: str) -> Floats:
    x = x - x.mean(axis=-1, keepdims=True)
    spread = np.sqrt((x * x).mean(axis=-1, keepdims=True) + np.float32(bert.epsilon))
    y: Floats = x / spread * bert.tensors[f"{name}.weight"] + bert.tensors[f"{name}.bias"]
    return y


def _attention(bert: Weights, x: Floats, bias: Floats, layer: str) -> Floats:
    batch, length, width = x.shape
    query, key, value = (
        _linear(bert, x, f"{layer}.attention.self.{name}")
        .reshape(batch, length, bert.heads, -1)
        .transpose(0, 2, 1, 3)
        for name in ("query", "key", "value")
    )
    scores = query @ key.transpose(0, 1, 3, 2) / np.float32(math.sqrt(width / bert.heads)) + bias
    scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
    scores /= scores.sum(axis=-1, keepdims=True)
    mixed: Floats = (scores @ value).transpose(0, 2, 1, 3).reshape(batch, length, width)
    return mixed


def gelu(x: Floats) -> Floats:
    """``x Φ(x)``, with erf by Abramowitz and Stegun 1964, formula 7.1.26 (error ≤ 1.5e-7)."""
    z = np.abs(x) * np.float32(math.sqrt(0.5))
    t = 1 / (1 + np.float32(0.3275911) * z)
    series = np.zeros_like(t)
    for factor in (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592):
        series = (series + np.float32(factor)) * t
    erf = np.copysign(1 - series * np.exp(-z * z), x)
    y: Floats = x * np.float32(0.5) * (1 + erf)
    return y


def _pooled(state: Floats, mask: Ints) -> Floats:
    weight = mask[..., None].astype(np.float32)
    mean = (state * weight).sum(axis=1) / np.maximum(weight.sum(axis=1), 1e-9)
    norm = np.linalg.norm(mean, axis=1, keepdims=True)
    vectors: Floats = (mean / np.maximum(norm, _SMALLEST_NORM)).astype(np.float32)
    return vectors
