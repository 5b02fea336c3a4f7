"""Models behind a server or in process: what identifies one, how texts become checked vectors of it."""

from __future__ import annotations

import json
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING

from ark_tui.domain.documents import content_hash
from ark_tui.domain.errors import Hint
from ark_tui.domain.protocols import NEVER, Stop, check
from ark_tui.domain.untrusted import read_json
from ark_tui.domain.wording import counted
from ark_tui.embedding import splitting
from ark_tui.embedding.families import prefixes
from ark_tui.embedding.retry import Late, Slow, TooLong, TooMany, Wrong, persistent
from ark_tui.embedding.waiting import Precedence, stoppable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ark_tui.domain.protocols import Matrix

FIRST = Precedence()  # of queries, in this process
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
    """A served model as an `Embedder`: prefixes, paced requests, retries, long texts in pieces, checks."""

    who: str  # the server as sentences name it
    most = 64  # texts in a request
    aim = 0.5  # seconds that a request should take: a query waits for one at most

    def __init__(self, served: ServedModel) -> None:
        self.served = served
        self.split = 0  # texts that were embedded in pieces
        self.each = 0.0  # seconds that a text took in the last request; 0 while nothing was measured
        self._size = 1  # texts in the next request

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

    def hang_up(self) -> None:
        """End what is under way, from another thread; what is asked after that is asked as ever."""
        return

    def embed_documents(self, texts: Sequence[str], stop: Stop = NEVER) -> Matrix:
        """Unit vectors in the order of the texts; a text of blanks gets zeros."""
        import numpy as np

        return np.concatenate([np.empty((0, self.dims), np.float32), *self.embedded(texts, stop)])

    def embedded(self, texts: Sequence[str], stop: Stop = NEVER) -> Iterator[Matrix]:
        """The same request by request, each as large as takes about half a second.

        A query of this process is sent before the next request; a stop ends the one under way.
        """
        self.start()
        persistent(lambda: stoppable(self.who, self._same_model, stop, self.hang_up), stop)
        yield from self._paced(texts, stop)

    def _same_model(self) -> bool:
        self.verify()
        return True

    def _paced(self, texts: Sequence[str], stop: Stop) -> Iterator[Matrix]:
        """By requests that take about `aim` seconds each, by what the one before took."""
        done = 0
        while done < len(texts):
            check(stop)
            FIRST.give_way(self.who, stop)
            part = texts[done : done + self._size]
            try:
                rows = stoppable(self.who, partial(self._part, part, stop), stop, self.hang_up)
            except (Late, TooLong, TooMany) as failure:
                if len(part) == 1:
                    raise
                self._size = len(part) // 2  # of several texts, the one that is too long is not named
                if isinstance(failure, TooMany):
                    self.most = self._size
                continue
            yield rows
            done += len(part)

    def resume(self, each: float) -> None:
        """Begin with requests of the size that an earlier run has come to."""
        self._size = max(1, min(int(self.aim / max(each, 1e-6)), self.most))

    def measured(self, each: float) -> None:
        """Size the next request by the seconds that a text takes."""
        self.each = each
        self._size = max(1, min(int(self.aim / max(each, 1e-6)), 2 * self._size, self.most))

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """The query's unit vector, tried once: a search has no time to insist."""
        with FIRST.query(self.who):
            self.verify()
            return self._in_pieces(text)

    def _in_pieces(self, text: str) -> NDArray[np.float32]:
        """The query's unit vector; piece by piece where it is too long."""
        try:
            return self._query(text)
        except TooLong:
            return splitting.embed(text, self._query)

    def _query(self, text: str) -> NDArray[np.float32]:
        row: NDArray[np.float32] = self._rows([self.served.query_prefix + text])[0]
        return row

    def _part(self, texts: Sequence[str], stop: Stop) -> Matrix:
        """By one request; a single text that is too long by one for each of its pieces."""
        import numpy as np

        vectors = np.zeros((len(texts), self.dims), np.float32)
        wanted = [i for i, text in enumerate(texts) if text.strip()]
        try:
            if wanted:
                vectors[wanted] = self._sent([texts[i] for i in wanted], stop)
        except TooLong:
            if len(texts) > 1:
                raise
            self.split += 1
            vectors[0] = splitting.embed(texts[0], lambda piece: np.asarray(self._sent([piece], stop)[0]))
        return vectors

    def _sent(self, texts: Sequence[str], stop: Stop) -> Matrix:
        """One request, tried again where that is worth it. Raises `ServerFailure`, of several `Late`."""
        wanted = [self.served.document_prefix + text for text in texts]

        def ask() -> Matrix:
            began = time.monotonic()
            try:
                rows = self._rows(wanted)
            except Slow as slow:
                raise Late(slow.what, slow.hint) if len(texts) > 1 else slow from None
            self.measured((time.monotonic() - began) / len(texts))
            return rows

        return persistent(ask, stop)

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
                f"{self.who} gave {counted(len(rows), 'vector')} for {counted(count, 'text')}.",
                "See the server's own log.",
            )
        if rows.shape[1] != self.dims:
            raise Wrong(
                f"{self.who} gave vectors of {rows.shape[1]} dimensions; the corpus has {self.dims}.",
                Hint.run("models", use=self.served.name, say="`{}` builds them anew."),
            )
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        if not np.isfinite(norms).all() or not norms.all():
            raise Wrong(f"{self.who} gave vectors that are no numbers.", "See the server's own log.")
        return rows if np.abs(norms - 1).max() < UNIT else (rows / norms).astype(np.float32)
