"""Tiny transformers as ONNX graphs of a few KB: one gives token vectors, one scores pairs.

Each word has a vector, and words of one group the same, so that what they answer can be reckoned by hand:
the first gives every token its word's vector, the second counts the words that query and text share.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

MINILM = Path(__file__).parents[2] / "shared" / "models" / "minilm"
NO_MINILM = "no transformer in ../shared/models/minilm, beside the checkout"

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
GROUPS = (
    "chain walk markov", "mixing forgetting mixes forgets", "gap spectral eigenvalue",
    "bread sourdough loaf bake", "flour water salt", "time steps long", "krylov lanczos restarts basis",
)  # fmt: skip
"""Words that mean the same."""


def vectors(folder: Path, *, most: int = 64, pooling: str = "", seed: int = 0) -> Path:
    """A model that gives token vectors, one dimension a group and one for all other words."""
    table = _table(len(GROUPS) + 1, seed)
    nodes = [helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])]
    _write(folder, nodes, table, ("input_ids", "attention_mask"), ("last_hidden_state", 3))
    _beside(folder, {"max_position_embeddings": most, "pad_token_id": 0})
    if pooling:
        (folder / "1_Pooling").mkdir()
        (folder / "1_Pooling" / "config.json").write_text(json.dumps({f"pooling_mode_{pooling}": True}))
    return folder


def pairs(folder: Path, *, most: int = 64) -> Path:
    """A model that scores a pair by the words that both have: twice their number, less three."""
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["words"]),
        helper.make_node("Cast", ["token_type_ids"], ["second"], to=TensorProto.FLOAT),
        helper.make_node("Cast", ["attention_mask"], ["there"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["second", "there"], ["in_text"]),
        helper.make_node("Sub", ["there", "in_text"], ["in_query"]),
        helper.make_node("Unsqueeze", ["in_text", "last"], ["of_text"]),
        helper.make_node("Unsqueeze", ["in_query", "last"], ["of_query"]),
        helper.make_node("Mul", ["words", "of_text"], ["text_words"]),
        helper.make_node("Mul", ["words", "of_query"], ["query_words"]),
        helper.make_node("ReduceMax", ["text_words", "middle"], ["text"], keepdims=0),
        helper.make_node("ReduceMax", ["query_words", "middle"], ["query"], keepdims=0),
        helper.make_node("Mul", ["text", "query"], ["shared"]),
        helper.make_node("ReduceSum", ["shared", "middle"], ["count"], keepdims=1),
        helper.make_node("Mul", ["count", "two"], ["twice"]),
        helper.make_node("Sub", ["twice", "three"], ["logits"]),
    ]
    table = _table(len(GROUPS), 0)
    constants: dict[str, NDArray[Any]] = {
        "last": np.array([-1], np.int64), "middle": np.array([1], np.int64),
        "two": np.array(2, np.float32), "three": np.array(3, np.float32),
    }  # fmt: skip
    names = ("input_ids", "attention_mask", "token_type_ids")
    _write(folder, nodes, table, names, ("logits", 2), constants)
    _beside(folder, {"max_position_embeddings": most, "pad_token_id": 0})
    return folder


def headed(folder: Path, body: Path, graph: str) -> Path:
    """A model of pairs: a body with a fixed head. It costs what such a one does; its scores say nothing."""
    folder.mkdir(parents=True)
    model = onnx.load(str(body / graph))
    output = model.graph.output[0].name
    dims = model.graph.output[0].type.tensor_type.shape.dim[2].dim_value
    head = np.linspace(-1, 1, dims, dtype=np.float32)[:, None]
    kept: dict[str, NDArray[Any]] = {"first": np.array(0, np.int64), "head": head}
    model.graph.initializer.extend(numpy_helper.from_array(one, name) for name, one in kept.items())
    model.graph.node.extend(
        [
            helper.make_node("Gather", [output, "first"], ["of_first"], axis=1),
            helper.make_node("MatMul", ["of_first", "head"], ["logits"]),
        ]
    )
    del model.graph.output[:]
    model.graph.output.append(helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["texts", 1]))
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    for name in ("tokenizer.json", "config.json", "tokenizer_config.json"):
        (folder / name).write_bytes((body / name).read_bytes())
    return folder


def words() -> list[str]:
    """Every word that the models know."""
    return [word for group in GROUPS for word in group.split()]


def _table(dims: int, seed: int) -> NDArray[np.float32]:
    """A row for every token: the group's own dimension; special and unknown ones have the last, or none."""
    rows = np.zeros((len(SPECIAL) + len(words()), dims), np.float32)
    if dims > len(GROUPS):
        rows[1, -1] = 1.0
        rows[2, -1] = 0.5 + seed
    at = len(SPECIAL)
    for number, group in enumerate(GROUPS):
        for _ in group.split():
            rows[at, number] = 1.0
            at += 1
    return rows


def _write(
    folder: Path,
    nodes: Sequence[onnx.NodeProto],
    table: NDArray[np.float32],
    inputs: Sequence[str],
    output: tuple[str, int],
    constants: dict[str, NDArray[Any]] | None = None,
) -> None:
    folder.mkdir(parents=True)
    kept = [numpy_helper.from_array(one, name) for name, one in {"table": table, **(constants or {})}.items()]
    shape: list[str | int | None] = ["texts", "tokens", table.shape[1]] if output[1] == 3 else ["texts", 1]
    graph = helper.make_graph(
        list(nodes),
        "tiny",
        [helper.make_tensor_value_info(name, TensorProto.INT64, ["texts", "tokens"]) for name in inputs],
        [helper.make_tensor_value_info(output[0], TensorProto.FLOAT, shape)],
        kept,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    onnx.checker.check_model(model)
    (folder / "model.onnx").write_bytes(model.SerializeToString())


def _beside(folder: Path, config: dict[str, int]) -> None:
    vocabulary = {word: number for number, word in enumerate([*SPECIAL, *words()])}
    made = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    made.normalizer = normalizers.Lowercase()
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    made.enable_padding(length=128)  # as some tokenizers ask for: it must be switched off
    made.save(str(folder / "tokenizer.json"))
    (folder / "config.json").write_text(json.dumps(config))
