"""Models on a server or in this process: their identity, and validated embedding of texts."""

from __future__ import annotations

import json
import re
import threading
import time
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from ark_tui.domain.documents import content_hash
from ark_tui.domain.errors import Hint
from ark_tui.domain.protocols import NEVER, Stop
from ark_tui.domain.untrusted import read_json
from ark_tui.domain.wording import counted, duration
from ark_tui.embedding.families import prefixes
from ark_tui.embedding.retry import Late, Slow, TooLong, TooMany, Wrong, persistent
from ark_tui.embedding.waiting import Asked, Call, Line, stoppable
from ark_tui.settings.home import read_checked, write_checked

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from ark_tui.domain.protocols import Matrix

T = TypeVar("T")

UNIT = 1e-3  # tolerance for the length of a unit vector before it is normalized
SPLITTING = 1  # version of the splitting of long texts, part of the fingerprint because it affects vectors
SHORTEST = 64  # characters; a refusal of a shorter text has another cause
NEAR = 0.25  # share of a text, on either side of its middle, in which a natural split point is searched
PLACES = ("\n\n", "\n", ". ", " ")
REMEMBERED = 4096  # cached query vectors, about 12 MB
PACE = "pace.json"  # file next to a model's vectors: seconds per text


@dataclass(frozen=True, slots=True)
class ServedModel:
    """Everything that determines a server's vectors: vectors of models that differ in it are never mixed."""

    provider: str  # "ollama", "openai", "openrouter", "endpoint", or "local" for this process
    model: str
    dims: int
    digest: str = ""  # of the weights, if the server provides it
    url: str = ""  # of an endpoint; not for Ollama, where the digest identifies the model
    document_prefix: str = ""
    query_prefix: str = ""
    asked: int = 0  # requested dimensions, if fewer than the model has; else 0
    splitting: int = SPLITTING

    @classmethod
    def of(
        cls, provider: str, model: str, dims: int, *, digest: str = "", url: str = "", asked: int = 0
    ) -> ServedModel:
        """Create a model with the prefixes of its family."""
        wanted = prefixes(model)
        return cls(provider, model, dims, digest, url, wanted.document, wanted.query, asked)

    @property
    def name(self) -> str:
        """The name as in the settings: `ollama:nomic-embed-text`."""
        return f"{self.url}#{self.model}" if self.provider == "endpoint" else f"{self.provider}:{self.model}"

    @property
    def fingerprint(self) -> str:
        """The folder name of its vectors: readable, and unique for all fields."""
        readable = re.sub(r"[^a-z0-9.]+", "-", f"{self.provider}-{self.model}".lower()).strip("-.")[:60]
        return f"{readable}-{self.dims}-{content_hash(self.dumped().encode())[:12]}"

    def dumped(self) -> str:
        """Serialize to JSON, for the store and the vectors' folder."""
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def loaded(cls, text: str) -> ServedModel | None:
        """Parse the output of `dumped`; None if invalid."""
        try:
            return cls(**read_json(text))
        except (ValueError, TypeError):
            return None


class ServedEmbedder(ABC):
    """A served model as an `Embedder`: prefixes, adaptive request size, retries, splitting, validation."""

    who: str  # the server's name in messages
    most = 64  # maximum texts per request
    aim = 0.5  # target seconds per request: a query waits for at most one

    def __init__(self, served: ServedModel) -> None:
        self.served = served
        self.split = 0  # number of texts that were embedded in pieces
        self.each = 0.0  # seconds per text in the last request; 0 before the first
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
        """Prepare for requests without sending one. Raises `ServerFailure`."""

    @abstractmethod
    def request(self, texts: Sequence[str]) -> Sequence[Sequence[float]] | Matrix:
        """Embed texts in one request. Raises `ServerFailure`."""

    def verify(self) -> None:
        """Raise `Wrong` if the server no longer has the model of the stored vectors."""
        return

    def hang_up(self) -> None:
        """Cancel running requests from another thread; later requests are not affected."""
        return

    def embed_documents(self, texts: Sequence[str], stop: Stop = NEVER) -> Matrix:
        """Unit vectors in the order of the texts; zeros for a blank text."""
        import numpy as np

        return np.concatenate([np.empty((0, self.dims), np.float32), *self.embedded(texts, stop)])

    def embedded(self, texts: Sequence[str], stop: Stop = NEVER) -> Iterator[Matrix]:
        """Like `embed_documents`, but yields after each request, sized to take about `aim` seconds.

        `stop` cancels the running request.
        """
        self.start()
        self._insist(self.verify, stop)
        done = 0
        while done < len(texts):
            part = texts[done : done + self._size]
            try:
                rows = self._insist(partial(self._part, part), stop)
            except (Late, TooLong, TooMany) as failure:
                if len(part) == 1:
                    raise
                self._size = len(part) // 2  # the server does not say which text is too long
                if isinstance(failure, TooMany):
                    self.most = self._size
                continue
            yield rows
            done += len(part)

    def measured(self, each: float) -> None:
        """Set the size of the next request from the measured seconds per text."""
        self.each = each
        self._size = max(1, min(int(self.aim / max(each, 1e-6)), 2 * self._size, self.most))

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """The query's unit vector, without retries: a search has no time for them."""
        self.verify()
        return in_pieces(text, lambda piece: self.rows([piece], self.served.query_prefix)[0])

    def _insist(self, call: Callable[[], T], stop: Stop) -> T:
        """Call with retries; `stop` cancels the call."""
        return persistent(lambda: stoppable(self.who, call, stop, self.hang_up), stop)

    def _part(self, texts: Sequence[str]) -> Matrix:
        """Vectors from one request; a single text that is too long is split, with one request per piece."""
        import numpy as np

        vectors = np.zeros((len(texts), self.dims), np.float32)
        wanted = [i for i, text in enumerate(texts) if text.strip()]
        if not wanted:
            return vectors
        prefix, began = self.served.document_prefix, time.monotonic()
        try:
            vectors[wanted] = self.rows([texts[i] for i in wanted], prefix)
        except TooLong:
            if len(texts) > 1:
                raise
            self.split += 1
            vectors[0] = in_pieces(texts[0], lambda piece: self.rows([piece], prefix)[0])
        except Slow as slow:
            raise Late(slow.what, slow.hint) if len(wanted) > 1 else slow from None
        self.measured((time.monotonic() - began) / len(wanted))
        return vectors

    def rows(self, texts: Sequence[str], prefix: str) -> Matrix:
        """Unit vectors from one request. Raises `Wrong` for an invalid response."""
        return self.checked(self.request([prefix + text for text in texts]), len(texts))

    def checked(self, answer: Sequence[Sequence[float]] | Matrix, count: int) -> Matrix:
        """Validate a response for `count` texts and normalize its vectors. Raises `Wrong`."""
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
                Hint.run("models", use=self.served.name, say="`{}` builds them again."),
            )
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        if not np.isfinite(norms).all() or not norms.all():
            raise Wrong(f"{self.who} gave invalid vectors.", "See the server's own log.")
        return rows if np.abs(norms - 1).max() < UNIT else (rows / norms).astype(np.float32)


class QueryVectors:
    """Cache of a served model's query vectors, requested in the background, once per text. Thread-safe."""

    def __init__(self, embedder: ServedEmbedder) -> None:
        self._embedder = embedder
        self._known: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self._mutex = threading.Lock()
        self._line: Line[NDArray[np.float32]] = Line(embedder.who, embedder.start)

    def ask(self, text: str) -> Asked[NDArray[np.float32]]:
        """Request the vector of a query; the result is immediate if cached."""
        name = content_hash(text.encode("utf-8", "replace"))
        with self._mutex:
            known = self._known.get(name)
            if known is not None:
                self._known.move_to_end(name)
                return Asked(self._embedder.who, Call.known(known))
        return self._line.ask(name, lambda: self._embedded(name, text))

    def _embedded(self, name: str, text: str) -> NDArray[np.float32]:
        vector = self._embedder.embed_query(text)
        with self._mutex:
            self._known[name] = vector
            if len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        return vector


# -- long texts ----------------------------------------------------------------------------------------


def halves(text: str) -> tuple[str, str]:
    """Split a text near its middle after a paragraph, a line, a sentence or a word, without loss."""
    middle = len(text) // 2
    low, high = middle - int(len(text) * NEAR), middle + int(len(text) * NEAR)
    for mark in PLACES:
        places = [text.rfind(mark, low, middle), text.find(mark, middle, high)]
        found = [place + len(mark) for place in places if place >= 0]
        if found:
            cut = min(found, key=lambda place: abs(place - middle))
            return text[:cut], text[cut:]
    return text[:middle], text[middle:]


def in_pieces(text: str, embed: Callable[[str], NDArray[np.float32]]) -> NDArray[np.float32]:
    """The unit vector of a text; if `embed` raises `TooLong`, the mean of its pieces, weighted by length.

    Raises `TooLong` if even the shortest pieces are refused.
    """
    ((piece, vector), *rest) = pieces(text, embed)
    if not rest and piece == text:
        return vector
    total = sum((row * float(len(one)) for one, row in rest), vector * float(len(piece)))
    norm = float((total @ total) ** 0.5)
    unit: NDArray[np.float32] = (total / norm if norm else total).astype("float32")
    return unit


def pieces(text: str, take: Callable[[str], T]) -> Iterator[tuple[str, T]]:
    """Split a text recursively until `take` accepts each piece; yield pieces with their results.

    Raises `TooLong` if even the shortest pieces are refused.
    """
    try:
        yield text, take(text)
    except TooLong:
        if len(text) < SHORTEST:
            raise TooLong(
                "The model refuses even the shortest pieces of a text.", "Take another model."
            ) from None
        for piece in halves(text):
            if piece.strip():
                yield from pieces(piece, take)


# -- pace ----------------------------------------------------------------------------------------------


def cost(each: float, texts: int) -> str:
    """The estimated duration for texts, in words: `about 5 h here, at 0.6 texts a second`."""
    rate = 1 / max(each, 1e-6)
    shown = f"{rate:,.{1 if rate < 10 else 0}f}"
    return f"about {duration(each * texts)} here, at {shown} texts a second"


def pace(folder: Path) -> float:
    """Seconds per text when a model was last used; 0 if unknown."""
    try:
        return max(0.0, float(read_checked(folder / PACE)["each"]))
    except (ValueError, TypeError, KeyError):
        return 0.0


def keep_pace(folder: Path, each: float) -> None:
    """Store the seconds per text next to the vectors; write errors are ignored."""
    with suppress(OSError):
        write_checked(folder / PACE, {"each": round(each, 6)})
