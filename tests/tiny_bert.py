"""A BERT of a few thousand random weights, for tests that need a model but no meaning."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from mind.search.embedding import coreml

CONFIG = {
    "model_type": "bert",
    "hidden_act": "gelu",
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "max_position_embeddings": 24,
    "vocab_size": 128,
    "type_vocab_size": 2,
    "layer_norm_eps": 1e-12,
    "architectures": ["BertModel"],
}


def weights(config: dict[str, Any] = CONFIG, spread: float = 0.3) -> dict[str, Any]:
    """Random float32 arrays of the shapes that the encoder needs."""
    random = np.random.default_rng(7)
    made = {}
    for name, shape in coreml.shapes(config).items():
        values = random.normal(0, spread, shape).astype(np.float32)
        made[name] = values * np.float32(0.1) + 1 if name.endswith("Norm.weight") else values
    return made


def safetensors(tensors: dict[str, Any]) -> bytes:
    """The file format: 8 bytes length, a JSON header, the numbers."""
    header: dict[str, Any] = {"__metadata__": {"format": "np"}}
    blob = b""
    for name, value in tensors.items():
        kind = {"float32": "F32", "float16": "F16", "int64": "I64"}[value.dtype.name]
        data = value.tobytes()
        ends = [len(blob), len(blob) + len(data)]
        header[name] = {"dtype": kind, "shape": list(value.shape), "data_offsets": ends}
        blob += data
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + blob


def onnx_file(table: Any) -> bytes:
    """The ordinary layout, with a vector a word that its neighbours do not change."""
    from onnx import TensorProto, helper, numpy_helper

    shape = ["batch", "tokens"]
    names = ("input_ids", "attention_mask", "token_type_ids")
    graph = helper.make_graph(
        [helper.make_node("Gather", ["words", names[0]], ["last_hidden_state"])],
        "tiny",
        [helper.make_tensor_value_info(name, TensorProto.INT64, shape) for name in names],
        [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, [*shape, 32])],
        [numpy_helper.from_array(table, "words")],
    )
    opset = [helper.make_opsetid("", 17)]
    made: bytes = helper.make_model(graph, opset_imports=opset, ir_version=8).SerializeToString()
    return made


def write(folder: Path, *, limit: int | None = None, **changed: Any) -> Path:
    """Published files in ``folder``; ``changed`` goes into ``config.json``."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    folder.mkdir(parents=True, exist_ok=True)
    config = {**CONFIG, **changed}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    made = weights()
    (folder / "model.safetensors").write_bytes(safetensors(made))
    words = made["embeddings.word_embeddings.weight"]
    (folder / "model.onnx").write_bytes(onnx_file(words))
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    letters = [chr(n) for n in range(ord("a"), ord("z") + 1)]
    words = [*special, *letters, *(f"##{letter}" for letter in letters)]
    vocabulary = {word: number for number, word in enumerate(words)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token=special[1]))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer.save(str(folder / "tokenizer.json"))
    if limit is not None:
        lengths = {"max_seq_length": limit}
        (folder / "sentence_bert_config.json").write_text(json.dumps(lengths), encoding="utf-8")
    return folder
