"""The embedded model: WordLlama's table of 32,000 token vectors, shipped inside its wheel.

No server, no download, no GPU. A text's vector is the mean of its token vectors. Both files are read
directly, which takes 0.1 s; importing the package takes 6 s.
Provenance: docs/decisions/0003-static-model.md.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from functools import cache, cached_property, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from ark_tui.domain.errors import ModelUnavailable
from ark_tui.domain.protocols import NEVER, Stop, check

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

    from ark_tui.domain.protocols import Matrix

TABLE = "weights/l2_supercat_256.safetensors"
TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
DIMS = 256
BATCH = 256  # texts tokenized at once; small enough to stop between batches
TOGETHER = 128  # units tokenized in one text for counting
REMEMBERED = 300_000  # units with cached token counts
WIDE_FROM = 64  # number of texts above which the float32 table is worth it


def available() -> bool:
    """Whether the model's files are installed."""
    return _file(TABLE) is not None and _file(TOKENIZER) is not None


@cache
def tokenizer() -> Tokenizer:
    """The tokenizer that counts tokens everywhere, whatever the embedding model.

    Raises `ModelUnavailable` when its file is not installed.
    """
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    from tokenizers import Tokenizer

    made = Tokenizer.from_file(str(_require(TOKENIZER)))
    made.no_truncation()
    made.no_padding()
    return made


def load() -> None:
    """Load the tokenizer and the float32 table, for embedding many texts."""
    tokenizer()
    _wide()


@cache
def table() -> NDArray[np.float16]:
    """The token vectors, `(32000, 256)`."""
    return _mapped()


def _mapped() -> NDArray[np.float16]:
    """The token vectors, memory-mapped from the wheel's safetensors file."""
    import mmap

    import numpy as np

    with _require(TABLE).open("rb") as file:
        size = int.from_bytes(file.read(8), "little")
        about = json.loads(file.read(size))
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    (tensor,) = (one for name, one in about.items() if name != "__metadata__")
    start, end = (8 + size + place for place in tensor["data_offsets"])
    found: NDArray[np.float16] = np.frombuffer(mapped, np.float16, (end - start) // 2, start)
    return found.reshape(tensor["shape"])


def counts(units: Sequence[str]) -> list[int]:
    """Token counts of units (words with their leading spaces), cached."""
    known = _counted
    if fresh := sorted(set(units).difference(known)):
        if len(known) > REMEMBERED:
            known.clear()
            fresh = sorted(set(units))
        known.update(_count(fresh))
    return [known[unit] for unit in units]


def _count(units: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Token counts of units, many tokenized at once as lines: line breaks never merge with other tokens."""
    import numpy as np

    yield "\n", 1
    lines = [unit for unit in units if unit != "\n"]
    groups = [lines[start : start + TOGETHER] for start in range(0, len(lines), TOGETHER)]
    (_, line_break), *texts = tokens(["\n", *("\n".join(["", *group, ""]) for group in groups)])
    for group, ids in zip(groups, texts, strict=True):
        yield from zip(group, (np.diff(np.flatnonzero(ids == line_break)) - 1).tolist(), strict=True)


_counted: dict[str, int] = {}


def tokens(texts: Sequence[str], stop: Stop = NEVER) -> list[NDArray[np.uint16]]:
    """The token ids of each text."""
    ids: list[NDArray[np.uint16]] = []
    for start in range(0, len(texts), BATCH):
        check(stop)
        ids += _tokens(texts[start : start + BATCH])
    return ids


@lru_cache(maxsize=16)
def of_query(text: str) -> NDArray[np.uint16]:
    """The token ids of a query, cached for several signals; do not modify."""
    return tokens([text])[0]


def _tokens(texts: Sequence[str]) -> list[NDArray[np.uint16]]:
    import numpy as np

    whole = [text.encode("utf-8", "replace").decode() for text in texts]  # replaces lone surrogates
    encoded = tokenizer().encode_batch_fast(whole, add_special_tokens=False)
    return [np.array(one.ids, np.uint16) for one in encoded]


def pool(ids: Sequence[NDArray[np.uint16]], stop: Stop = NEVER) -> Matrix:
    """Unit vectors `(len(ids), 256)`: the mean of each text's token vectors; zeros without tokens."""
    import numpy as np

    vectors = np.zeros((len(ids), DIMS), np.float32)
    wide = len(ids) > WIDE_FROM
    for i, text in enumerate(ids):
        if i % BATCH == 0:
            check(stop)
        if len(text):
            mine = _wide()[text] if wide else table()[text].astype(np.float32)
            vectors[i] = mine.mean(axis=0)
    return unit(vectors)


def unit(vectors: Matrix) -> Matrix:
    """Normalize rows to length 1 in place; zero rows are unchanged."""
    import numpy as np

    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    norms[norms == 0] = 1
    vectors /= norms
    return vectors


class StaticEmbedder:
    """The embedded model as an `Embedder`, for texts of any length."""

    provider = "static"
    model = "wordllama-l2-supercat-256"
    dims = DIMS
    fingerprint = "static-l2-supercat-256-v1"

    def __init__(self) -> None:
        if not available():
            raise ModelUnavailable(
                "The embedded model is not installed.", "Install it with `pip install wordllama`."
            )

    def embed_documents(self, texts: Sequence[str], stop: Stop = NEVER) -> Matrix:
        return pool(tokens(texts, stop), stop)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        row: NDArray[np.float32] = self.embed_documents([text])[0]
        return row

    @cached_property
    def tokenizer(self) -> Tokenizer:
        return tokenizer()


@cache
def _wide() -> Matrix:
    """The table as float32 (32 MB), which makes pooling many texts ten times faster."""
    import numpy as np

    return _mapped().astype(np.float32)  # from a mapping of its own, which is freed afterwards


@cache
def _file(name: str) -> Path | None:
    spec = find_spec("wordllama")
    if spec is None or spec.origin is None:
        return None
    path = Path(spec.origin).parent / name
    return path if path.is_file() else None


def _require(name: str) -> Path:
    path = _file(name)
    if path is None:
        raise ModelUnavailable(
            "The embedded model is not installed.", "Install it with `pip install wordllama`."
        )
    return path
