"""An ONNX transformer in this process: texts become tokens, tokens go through the graph in batches by length.

onnxruntime is imported when a model is loaded; without the extra `local` that is a sentence.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ark_tui.domain.protocols import NEVER, Stop, check
from ark_tui.embedding.folders import TOKENIZER
from ark_tui.embedding.retry import NoModel, Wrong

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Encoding

    from ark_tui.embedding.shelf import Added

THREADS = min(2, os.cpu_count() or 1)  # cores that a model works on; more are for whoever types
ROOM = 4096  # tokens of a batch, padding among them: less than half a second of a small model
TOGETHER = 64  # texts of a batch at most
LOADED = 2  # models that stay in memory: one for vectors, one for pairs
KNOWN = {"input_ids", "attention_mask", "token_type_ids"}
EXTRA = "pip install 'ark-tui[local]'"


class Transformer:
    """A graph with its tokenizer. Thread-safe. Raises `NoModel` without onnxruntime, `Wrong` for a bad file.

    `padding`: the id of the token that fills up. With `pairs`, of two texts that have more than `most` tokens
    together the longer one is cut; single texts are not cut.
    """

    def __init__(self, folder: Path, graph: str, padding: int, most: int = 0, *, pairs: bool = False) -> None:
        self._tokenizer = _tokenizer(folder / TOKENIZER)
        self._session = _session(folder / graph)
        self._padding = padding
        if pairs:
            self._tokenizer.enable_truncation(most, strategy="longest_first")
        self.inputs = {one.name: one.type for one in self._session.get_inputs()}
        if unknown := self.inputs.keys() - KNOWN:
            raise Wrong(
                f"The graph asks for {', '.join(sorted(unknown))}.", "Take another export of the model."
            )
        names = [one.name for one in self._session.get_outputs()]
        self.output = next((one for one in ("sentence_embedding", "logits") if one in names), names[0])

    def tokens(self, texts: Sequence[str] | Sequence[tuple[str, str]]) -> list[Encoding]:
        """The tokens of texts, or of pairs of texts, with the special ones."""
        if len(texts) == 1 and isinstance(texts[0], str):  # a query: nothing to share among threads
            return [self._tokenizer.encode(texts[0])]
        rows: list[Encoding] = self._tokenizer.encode_batch(list(texts))
        return rows

    def fed(self, rows: Sequence[Encoding]) -> dict[str, NDArray[np.int64]]:
        """A batch as the graph takes it, filled up to its longest row."""
        import numpy as np

        shape = len(rows), max(len(row.ids) for row in rows)
        ids = np.full(shape, self._padding, np.int64)
        mask, types = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        for place, row in enumerate(rows):
            ids[place, : len(row.ids)] = row.ids
            mask[place, : len(row.ids)] = 1
            types[place, : len(row.ids)] = row.type_ids
        fed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}
        return {
            name: fed[name] if kind == "tensor(int64)" else fed[name].astype(np.int32)
            for name, kind in self.inputs.items()
        }

    def run(self, fed: dict[str, NDArray[np.int64]]) -> NDArray[np.float32]:
        """What the graph makes of a batch: (texts, tokens, dims), (texts, dims) or (texts, 1)."""
        import numpy as np

        try:
            return np.asarray(self._session.run([self.output], fed)[0], np.float32)
        except Exception as error:
            raise Wrong(f"The model cannot be run: {_said(error)}.", "Take another export of it.") from error


def batches(lengths: Sequence[int], room: int = ROOM) -> Iterator[list[int]]:
    """Places of texts, those of like length together, so many as fit into a batch."""
    batch: list[int] = []
    for place in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) == TOGETHER or (len(batch) + 1) * lengths[place] > room):
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


def embedded(
    model: Transformer, rows: Sequence[Encoding], dims: int, pooling: str, stop: Stop = NEVER
) -> NDArray[np.float32]:
    """The vectors of tokenised texts, not yet of unit length, in their order."""
    import numpy as np

    found = np.empty((len(rows), dims), np.float32)
    for places in batches([len(row.ids) for row in rows]):
        check(stop)
        fed = model.fed([rows[place] for place in places])
        found[places] = pooled(model.run(fed), fed["attention_mask"], pooling)
    return found


def pooled(output: NDArray[np.float32], mask: NDArray[np.int64], pooling: str) -> NDArray[np.float32]:
    """One vector a text: the graph's own, that of the first token, or the mean over the tokens."""
    import numpy as np

    if output.ndim == 2:
        return output
    if pooling == "cls":
        return output[:, 0]
    weights = mask.astype(np.float32)
    total: NDArray[np.float32] = np.matmul(weights[:, None, :], output)[:, 0] / weights.sum(1, keepdims=True)
    return total


@lru_cache(maxsize=LOADED)
def loaded(folder: Path, model: Added) -> Transformer:
    """A model of a home, kept in memory; `folder` is its own."""
    return Transformer(folder, model.graph, model.padding, model.most_tokens, pairs=model.use == "pairs")


def _tokenizer(path: Path) -> Any:
    from tokenizers import Tokenizer

    try:
        made = Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises the plain class
        raise Wrong(f"{TOKENIZER} cannot be read: {_said(error)}.", "Take another export of it.") from error
    made.no_padding()
    made.no_truncation()
    return made


def _session(path: Path) -> Any:
    runtime = installed()
    options = runtime.SessionOptions()
    options.intra_op_num_threads = THREADS
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # who waits leaves the core
    options.log_severity_level = 4  # what goes wrong is raised, too
    try:
        return runtime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise Wrong(
            f"{path.name} is no usable graph: {_said(error)}.", "Take another export of it."
        ) from error


def there() -> bool:
    """Whether onnxruntime is installed; imports nothing."""
    return find_spec("onnxruntime") is not None


def installed() -> Any:
    """The module onnxruntime. Raises `NoModel` where it is not installed."""
    try:
        import onnxruntime
    except ImportError as error:
        raise NoModel("Local models need onnxruntime, which is not installed.", f"Run {EXTRA}.") from error
    return onnxruntime


def _said(error: Exception) -> str:
    return " ".join(str(error).split())[:200].rstrip(".")
