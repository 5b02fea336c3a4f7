"""Models of this home that run in process: how one is added, and its vectors as an `Embedder`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ark_tui.domain.errors import Hint, UsageError
from ark_tui.domain.protocols import NEVER, OnProgress, Stop, ignore
from ark_tui.embedding import folders, hub, splitting, transformer
from ark_tui.embedding.retry import TooLong, Wrong
from ark_tui.embedding.served import ServedEmbedder, ServedModel
from ark_tui.embedding.shelf import NAME, Added, Shelf, Use, copied

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Encoding

    from ark_tui.domain.protocols import Matrix
    from ark_tui.embedding.transformer import Transformer

PROVIDER = "local"
AT_ONCE = 32  # texts between two signs of progress
TRIAL = "A model is tried before it is kept."


def add(
    shelf: Shelf,
    name: str,
    source: Path | None = None,
    address: str = "",
    stop: Stop = NEVER,
    progress: OnProgress = ignore,
) -> Added:
    """Add a model from a folder or, by a name that the hub's list has, from the hub.

    Raises `UsageError` for a folder that is no usable model, `NoModel` without onnxruntime, and the failures
    of a server where the hub is asked.
    """
    transformer.installed()
    wanted = (name or (source.resolve().name if source else "")).lower()
    if not NAME.fullmatch(wanted):
        raise UsageError(
            f"{wanted or 'Nothing'} is no name for a model.", "Take small letters, digits, dots and dashes."
        )
    if source is not None:
        return _added(shelf, wanted, source, str(source), stop, progress)
    offer = hub.offer(wanted)
    with shelf.beside() as place:
        origin = hub.fetch(offer, place, address, stop, progress)
        return _added(shelf, wanted, place, origin, stop, progress)


def _added(shelf: Shelf, name: str, source: Path, origin: str, stop: Stop, progress: OnProgress) -> Added:
    wanted = folders.wanted(folders.listed(source), str(source))
    with shelf.beside() as place:
        files = tuple(copied(source, place, one, stop, progress) for one in wanted)
        try:
            use, dims = _tried(place, wanted[0])
        except Wrong as error:
            raise UsageError(f"{source} is no usable model: {error.what}", error.hint) from error
        facts = folders.facts(place, name, pairs=use == "pairs")
        model = Added(
            name, use, wanted[0], dims, facts.pooling, facts.most_tokens, facts.padding,
            facts.document_prefix, facts.query_prefix, origin, files,
        )  # fmt: skip
        return shelf.put(place, model)


def _tried(folder: Path, graph: str) -> tuple[Use, int]:
    """What a graph is for, by what comes out of it, and the dimensions of its vectors. Raises `Wrong`."""
    import numpy as np

    model = transformer.Transformer(folder, graph, 0)
    output = model.run(model.fed(model.tokens([TRIAL])))
    if not np.isfinite(output).all():
        raise Wrong("It makes no numbers.", "Take another export of it.")
    if output.shape == (1, 1):
        return "pairs", 0
    if model.output == "logits" or output.ndim not in (2, 3) or len(output) != 1:
        raise Wrong(
            f"It gives {model.output} of the shape {output.shape}, neither vectors nor one score.",
            "Take a model for embedding or re-ranking.",
        )
    return "vectors", int(output.shape[-1])


def described(shelf: Shelf, name: str, dims: int = 0) -> ServedModel:
    """What identifies the vectors of an added model. Raises `ServerFailure`."""
    transformer.installed()
    model = shelf.get(name)
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
    """A model of this home as an `Embedder`. Making one touches nothing."""

    def __init__(self, served: ServedModel, shelf: Shelf) -> None:
        super().__init__(served)
        self._shelf = shelf
        self.who = f"The local model {served.model}"

    def start(self) -> None:
        self._loaded(self._found())

    def verify(self) -> None:
        """Raises `Wrong` when the files are not those that the corpus was embedded with."""
        self._found()

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """The query's unit vector. Nobody stands in line, and the files are looked at once."""
        return self._in_pieces(text)

    def request(self, texts: Sequence[str]) -> Matrix:
        """Raises `TooLong` for a text that has more tokens than the model takes."""
        added = self._found()
        model = self._loaded(added)
        rows = model.tokens(texts)
        if any(len(row.ids) > added.most_tokens for row in rows):
            raise TooLong(f"A text has more than the {added.most_tokens} tokens of {added.name}.")
        return transformer.embedded(model, rows, self.dims, added.pooling)

    def embedded(self, texts: Sequence[str], stop: Stop = NEVER) -> Iterator[Matrix]:
        """The vectors of all texts, some at a time: in this process nobody stands in line."""
        for start in range(0, len(texts), AT_ONCE):
            yield self.embed_documents(texts[start : start + AT_ONCE], stop)

    def embed_documents(self, texts: Sequence[str], stop: Stop = NEVER) -> Matrix:
        """Unit vectors in the order of the texts; a text of blanks gets zeros.

        Those of like length go through the model together; the pieces of long ones are averaged by length.
        """
        import numpy as np

        added = self._found()
        model = self._loaded(added)
        pieces = [*self._pieces(model, added.most_tokens, texts)]
        total = np.zeros((len(texts), self.dims), np.float32)
        if not pieces:
            return total
        rows = [row for _, _, row in pieces]
        found = self.checked(transformer.embedded(model, rows, self.dims, added.pooling, stop), len(rows))
        owners = [place for place, _, _ in pieces]
        lengths = np.array([length for _, length, _ in pieces], np.float32)
        np.add.at(total, owners, found * lengths[:, None])
        filled = sorted(set(owners))
        total[filled] = self.checked(total[filled], len(filled))
        return total

    def _pieces(
        self, model: Transformer, most: int, texts: Sequence[str]
    ) -> Iterator[tuple[int, int, Encoding]]:
        """What goes through the model: the place of its text, its length in characters, its tokens."""
        prefix = self.served.document_prefix
        places = [place for place, text in enumerate(texts) if text.strip()]
        rows = model.tokens([prefix + texts[place] for place in places])
        for place, row in zip(places, rows, strict=True):
            if len(row.ids) <= most:
                yield place, len(texts[place]), row
                continue
            self.split += 1
            cut = splitting.pieces(
                texts[place], lambda piece: len(model.tokens([prefix + piece])[0].ids) <= most
            )
            for piece, tokens in zip(cut, model.tokens([prefix + one for one in cut]), strict=True):
                yield place, len(piece), tokens

    def _found(self) -> Added:
        added = self._shelf.get(self.served.model)
        self._shelf.verify(added)
        if added.digest != self.served.digest:
            raise Wrong(
                f"The local model {added.name} is another one than the corpus was embedded with.",
                Hint.run("models", use=self.served.name, say="`{}` builds its vectors anew."),
            )
        return added

    def _loaded(self, added: Added) -> Transformer:
        return transformer.loaded(self._shelf.folder / added.name, added)
