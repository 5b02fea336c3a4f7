"""Models behind a server or in process: what identifies one, how texts become checked vectors of it."""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from ark_tui.domain.documents import content_hash
from ark_tui.domain.protocols import NEVER, Stop, check
from ark_tui.domain.untrusted import read_json
from ark_tui.embedding import splitting
from ark_tui.embedding.families import prefixes
from ark_tui.embedding.retry import TooLong, Wrong, persistent

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ark_tui.domain.protocols import Matrix

AT_ONCE = 32  # texts in a request: servers embed one after the other, and few keep cancelling quick
UNIT = 1e-3  # how far from 1 a vector's length may be before it is scaled


@dataclass(frozen=True, slots=True)
class ServedModel:
    """Everything that decides which vectors a server gives: two that differ in any of it never mix."""

    provider: str  # "ollama", "openai", "openrouter", "endpoint", or "local" for one in this process
    model: str
    dims: int
    digest: str = ""  # of the weights, where the server tells
    url: str = ""  # of an endpoint; an Ollama may move, its digest goes with it
    document_prefix: str = ""
    query_prefix: str = ""
    asked: int = 0  # dimensions that are asked for, where fewer are wanted than it has
    splitting: int = splitting.VERSION

    @classmethod
    def of(
        cls, provider: str, model: str, dims: int, *, digest: str = "", url: str = "", asked: int = 0
    ) -> ServedModel:
        """A model with the prefixes of its family."""
        wanted = prefixes(model)
        return cls(provider, model, dims, digest, url, wanted.document, wanted.query, asked)

    @property
    def name(self) -> str:
        """As it stands in the settings: `ollama:nomic-embed-text`."""
        return f"{self.url}#{self.model}" if self.provider == "endpoint" else f"{self.provider}:{self.model}"

    @property
    def fingerprint(self) -> str:
        """The name of the folder of its vectors: readable, and different for whatever differs."""
        readable = re.sub(r"[^a-z0-9.]+", "-", f"{self.provider}-{self.model}".lower()).strip("-.")[:60]
        return f"{readable}-{self.dims}-{content_hash(self.dumped().encode())[:12]}"

    def dumped(self) -> str:
        """As JSON, for the store and beside the vectors."""
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def loaded(cls, text: str) -> ServedModel | None:
        """What `dumped` wrote; None for anything else."""
        try:
            return cls(**read_json(text))
        except (ValueError, TypeError):
            return None


class ServedEmbedder(ABC):
    """A served model as an `Embedder`: prefixes, batches, retries, long texts in pieces, checked answers."""

    who: str  # the server as sentences name it

    def __init__(self, served: ServedModel) -> None:
        self.served = served
        self.split = 0  # texts that were embedded in pieces

    @property
    def provider(self) -> str:
        return self.served.provider

    @property
    def model(self) -> str:
        return self.served.model

    @property
    def dims(self) -> int:
        return self.served.dims

    @property
    def fingerprint(self) -> str:
        return self.served.fingerprint

    @abstractmethod
    def start(self) -> None:
        """Get ready to ask the server, without asking it; raises `ServerFailure`."""

    @abstractmethod
    def request(self, texts: Sequence[str]) -> Sequence[Sequence[float]] | Matrix:
        """One request; raises `ServerFailure`."""

    def verify(self) -> None:
        """See to it that the server still has the very model that the vectors came from, if it can tell."""
        return

    def embed_documents(self, texts: Sequence[str], stop: Stop = NEVER) -> Matrix:
        """Unit vectors in the order of the texts; a text of blanks gets zeros."""
        import numpy as np

        persistent(self.verify, stop)
        vectors = np.zeros((len(texts), self.dims), dtype=np.float32)
        wanted = [i for i, text in enumerate(texts) if text.strip()]
        for start in range(0, len(wanted), AT_ONCE):
            check(stop)
            places = wanted[start : start + AT_ONCE]
            vectors[places] = self._batch([texts[i] for i in places], stop)
        return vectors

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """The query's unit vector, tried once: a search has no time to insist."""
        self.verify()
        try:
            return self._query(text)
        except TooLong:
            return splitting.embed(text, self._query)

    def _query(self, text: str) -> NDArray[np.float32]:
        row: NDArray[np.float32] = self._rows([self.served.query_prefix + text])[0]
        return row

    def _batch(self, texts: Sequence[str], stop: Stop) -> Matrix:
        import numpy as np

        prefix = self.served.document_prefix
        try:
            return persistent(lambda: self._rows([prefix + text for text in texts]), stop)
        except TooLong:  # one text fails the whole request without a name, so each goes alone
            return np.stack([self._alone(text, stop) for text in texts])

    def _alone(self, text: str, stop: Stop) -> NDArray[np.float32]:
        import numpy as np

        def one(piece: str) -> NDArray[np.float32]:
            rows = persistent(lambda: self._rows([self.served.document_prefix + piece]), stop)
            return np.asarray(rows[0])

        try:
            return one(text)
        except TooLong:
            self.split += 1
            return splitting.embed(text, one)

    def _rows(self, texts: Sequence[str]) -> Matrix:
        """One request's answer as unit vectors; raises `Wrong` when it cannot be that."""
        return self.checked(self.request(texts), len(texts))

    def checked(self, answer: Sequence[Sequence[float]] | Matrix, count: int) -> Matrix:
        """The vectors of so many texts, of unit length; raises `Wrong` when an answer is not that."""
        import numpy as np

        try:
            rows = np.asarray(answer, dtype=np.float32)
        except (ValueError, TypeError) as error:
            raise Wrong(f"{self.who} gave no usable vectors.", "See the server's own log.") from error
        if rows.ndim != 2 or len(rows) != count:
            raise Wrong(
                f"{self.who} gave {len(rows)} vectors for {count} texts.", "See the server's own log."
            )
        if rows.shape[1] != self.dims:
            raise Wrong(
                f"{self.who} gave vectors of {rows.shape[1]} dimensions; the corpus has {self.dims}.",
                f"`ark-tui models --use {self.served.name}` builds them anew.",
            )
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        if not np.isfinite(norms).all() or not norms.all():
            raise Wrong(f"{self.who} gave vectors that are no numbers.", "See the server's own log.")
        return rows if np.abs(norms - 1).max() < UNIT else (rows / norms).astype(np.float32)
