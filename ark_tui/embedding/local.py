"""Local models, run in this process as ONNX graphs: adding, running, and use as an `Embedder`.

onnxruntime is imported when a model is loaded; without the extra `local`, `NoModel` explains what to install.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ark_tui.domain.errors import Hint, UsageError
from ark_tui.domain.protocols import NEVER, OnProgress, Stop, check, ignore
from ark_tui.domain.work import Progress
from ark_tui.embedding import hub, shelf
from ark_tui.embedding.retry import NoModel, TooLong, Wrong
from ark_tui.embedding.served import ServedEmbedder, ServedModel, pieces
from ark_tui.embedding.shelf import NAME, TOKENIZER, Added, Shelf, Use
from ark_tui.settings.home import PRIVATE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Encoding

    from ark_tui.domain.protocols import Matrix

PROVIDER = "local"
TRIAL = "A model is tried before it is kept."
THREADS = min(2, os.cpu_count() or 1)  # cores for a model; the others stay free for the interface
ROOM = 4096  # tokens per batch, including padding: less than half a second with a small model
TOGETHER = 64  # maximum texts per batch
LOADED = 2  # models kept in memory: one for vectors, one for pairs
KNOWN = {"input_ids", "attention_mask", "token_type_ids"}
EXTRA = "pip install 'ark-tui[local]'"
EXPORT = "Take another export of the model."


class Transformer:
    """A graph with its tokenizer. Thread-safe. Raises `NoModel` without onnxruntime, `Wrong` for a bad file.

    `padding`: id of the padding token. With `pairs`, a pair of more than `most` tokens is truncated, longest
    text first; single texts are not truncated.
    """

    def __init__(self, folder: Path, graph: str, padding: int, most: int = 0, *, pairs: bool = False) -> None:
        self._tokenizer = _tokenizer(folder / TOKENIZER)
        self._session = _session(folder / graph)
        self._padding = padding
        if pairs:
            self._tokenizer.enable_truncation(most, strategy="longest_first")
        self.inputs = {one.name: one.type for one in self._session.get_inputs()}
        if unknown := self.inputs.keys() - KNOWN:
            raise Wrong(f"The graph asks for {', '.join(sorted(unknown))}.", EXPORT)
        names = [one.name for one in self._session.get_outputs()]
        self.output = next((one for one in ("sentence_embedding", "logits") if one in names), names[0])

    def tokens(self, texts: Sequence[str] | Sequence[tuple[str, str]]) -> list[Encoding]:
        """Tokenize texts, or pairs of texts, with special tokens."""
        if len(texts) == 1 and isinstance(texts[0], str):  # a query: no parallelism needed
            return [self._tokenizer.encode(texts[0])]
        rows: list[Encoding] = self._tokenizer.encode_batch(list(texts))
        return rows

    def fed(self, rows: Sequence[Encoding]) -> dict[str, NDArray[np.int64]]:
        """The inputs of the graph for a batch, padded to its longest row."""
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
        """Run the graph on a batch. Output shape: (texts, tokens, dims), (texts, dims) or (texts, 1)."""
        import numpy as np

        try:
            return np.asarray(self._session.run([self.output], fed)[0], np.float32)
        except Exception as error:
            raise Wrong(f"The model cannot be run: {_said(error)}.", EXPORT) from error

    def vectors(self, rows: Sequence[Encoding], dims: int, pooling: str) -> NDArray[np.float32]:
        """One vector per text: the graph's own, that of the first token (`cls`), or the mean of its tokens.

        Not normalized, in the order of the texts. Texts of similar length are batched together.
        """
        import numpy as np

        found = np.empty((len(rows), dims), np.float32)
        for places in batches([len(row.ids) for row in rows]):
            fed = self.fed([rows[place] for place in places])
            output = self.run(fed)
            if output.ndim == 3 and pooling == "cls":
                output = output[:, 0]
            elif output.ndim == 3:
                weights = fed["attention_mask"].astype(np.float32)
                output = np.matmul(weights[:, None, :], output)[:, 0] / weights.sum(1, keepdims=True)
            found[places] = output
        return found


def batches(lengths: Sequence[int], room: int = ROOM) -> Iterator[list[int]]:
    """Batches of text indices by similar length, each within `room` tokens."""
    batch: list[int] = []
    for place in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) == TOGETHER or (len(batch) + 1) * lengths[place] > room):
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


@lru_cache(maxsize=LOADED)
def loaded(folder: Path, model: Added) -> Transformer:
    """A local model, cached in memory; `folder`: its own folder."""
    return Transformer(folder, model.graph, model.padding, model.most_tokens, pairs=model.use == "pairs")


def _tokenizer(path: Path) -> Any:
    from tokenizers import Tokenizer

    try:
        made = Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises plain `Exception`
        raise Wrong(f"{TOKENIZER} cannot be read: {_said(error)}.", EXPORT) from error
    made.no_padding()
    made.no_truncation()
    return made


def _session(path: Path) -> Any:
    runtime = installed()
    options = runtime.SessionOptions()
    options.intra_op_num_threads = THREADS
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # no busy waiting
    options.log_severity_level = 4  # errors are raised anyway
    try:
        return runtime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise Wrong(f"{path.name} is not a usable graph: {_said(error)}.", EXPORT) from error


def there() -> bool:
    """Whether onnxruntime is installed; imports nothing."""
    return find_spec("onnxruntime") is not None


def installed() -> Any:
    """The module onnxruntime. Raises `NoModel` if it is not installed."""
    try:
        import onnxruntime
    except ImportError as error:
        raise NoModel("Local models need onnxruntime, which is not installed.", f"Run {EXTRA}.") from error
    return onnxruntime


def _said(error: Exception) -> str:
    return " ".join(str(error).split())[:200].rstrip(".")


# -- adding ------------------------------------------------------------------------------------------------


def add(
    models: Shelf,
    name: str,
    source: Path | None = None,
    address: str = "",
    stop: Stop = NEVER,
    progress: OnProgress = ignore,
) -> Added:
    """Add a model from a folder or, by a known name, from the hub.

    Raises `UsageError` for an unusable model, `NoModel` without onnxruntime, and `ServerFailure` for errors
    of the hub.
    """
    installed()
    wanted = (name or (source.resolve().name if source else "")).lower()
    if not NAME.fullmatch(wanted):
        raise UsageError(
            f"{wanted or 'Nothing'} is not a valid model name.",
            "Take small letters, digits, dots and dashes.",
        )
    offer = hub.offer(wanted) if source is None else None
    names = shelf.wanted(shelf.listed(source), str(source)) if source else ()
    with models.adding(wanted) as place:
        if offer:
            origin = hub.fetch(offer, place, address, stop, progress)
        else:
            assert source is not None
            origin = str(source)
            _copy(source, place, names, stop, progress)
        graph = shelf.graph(shelf.listed(place), origin)
        try:
            use, dims = _tried(place, graph)
        except Wrong as error:
            raise UsageError(f"{origin} is not a usable model: {error.what}", error.hint) from error
        return models.put(place, Added.of(place, wanted, use, dims, graph, origin))


def _copy(source: Path, place: Path, names: Sequence[str], stop: Stop, progress: OnProgress) -> None:
    """Copy the files of a model, readable only by the owner."""
    for done, name in enumerate(names):
        check(stop)
        progress(Progress("copy", done, len(names), name))
        target = place / name
        target.parent.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
        try:
            shutil.copyfile(source / name, target)
        except PermissionError as error:
            raise UsageError(f"{source / name} cannot be read.", "Check its permissions.") from error
        target.chmod(0o600)


def _tried(folder: Path, graph: str) -> tuple[Use, int]:
    """Test a graph: its use, by the shape of its output, and the dimensions of vectors. Raises `Wrong`."""
    import numpy as np

    model = Transformer(folder, graph, 0)
    output = model.run(model.fed(model.tokens([TRIAL])))
    if not np.isfinite(output).all():
        raise Wrong("It makes no numbers.", EXPORT)
    if output.shape == (1, 1):
        return "pairs", 0
    if model.output == "logits" or output.ndim not in (2, 3) or len(output) != 1:
        raise Wrong(
            f"It gives {model.output} of the shape {output.shape}, neither vectors nor one score.",
            "Take a model for embedding or re-ranking.",
        )
    return "vectors", int(output.shape[-1])


# -- embedding ---------------------------------------------------------------------------------------------


def described(models: Shelf, name: str, dims: int = 0) -> ServedModel:
    """What identifies the vectors of an added model. Raises `ServerFailure`."""
    installed()
    model = models.get(name)
    if model.use != "vectors":
        raise Wrong(
            f"{name} re-ranks; it makes no vectors.", Hint.run("models list", say="`{}` lists those that do.")
        )
    if dims not in {0, model.dims}:
        raise Wrong(f"{name} has {model.dims} dimensions, not {dims}.", "Set `embedding_dims` to 0.")
    return ServedModel(
        PROVIDER, name, model.dims, model.digest,
        document_prefix=model.document_prefix, query_prefix=model.query_prefix,
    )  # fmt: skip


class LocalEmbedder(ServedEmbedder):
    """A local model as an `Embedder`. The constructor reads no file."""

    def __init__(self, served: ServedModel, models: Shelf) -> None:
        super().__init__(served)
        self._shelf = models
        self.who = f"The local model {served.model}"

    def start(self) -> None:
        self._model(self._found())

    def verify(self) -> None:
        """Raise `Wrong` if the files differ from those that the corpus was embedded with."""
        self._found()

    def request(self, texts: Sequence[str]) -> Matrix:
        return self.rows(texts, "")

    def rows(self, texts: Sequence[str], prefix: str) -> Matrix:
        """Unit vectors. Texts that are too long are split; the pieces share batches with the other texts."""
        import numpy as np

        added = self._found()
        model = self._model(added)
        places: list[int] = []
        lengths: list[int] = []
        fed: list[Encoding] = []

        def fitting(piece: str) -> Encoding:
            row = model.tokens([prefix + piece])[0]
            if len(row.ids) > added.most_tokens:
                raise TooLong(f"A text has more than the {added.most_tokens} tokens of {added.name}.")
            return row

        for place, row in enumerate(model.tokens([prefix + text for text in texts])):
            whole = len(row.ids) <= added.most_tokens
            self.split += not whole
            for piece, one in [(texts[place], row)] if whole else pieces(texts[place], fitting):
                places.append(place)
                lengths.append(max(1, len(piece)))
                fed.append(one)
        found = self.checked(model.vectors(fed, self.dims, added.pooling), len(fed))
        total = np.zeros((len(texts), self.dims), np.float32)
        np.add.at(total, places, found * np.array(lengths, np.float32)[:, None])
        return self.checked(total, len(texts))

    def _found(self) -> Added:
        added = self._shelf.get(self.served.model)
        self._shelf.verify(added)
        if added.digest != self.served.digest:
            raise Wrong(
                f"The local model {added.name} is another one than the corpus was embedded with.",
                Hint.run("models", use=self.served.name, say="`{}` builds its vectors again."),
            )
        return added

    def _model(self, added: Added) -> Transformer:
        return loaded(self._shelf.folder / added.name, added)
