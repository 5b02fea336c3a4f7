"""Models behind a server or in process: what identifies one, how texts become checked vectors of it."""

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
from ark_tui.settings.home import checked, read_checked, write_file

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from ark_tui.domain.protocols import Matrix

T = TypeVar("T")

UNIT = 1e-3  # how far from 1 a vector's length may be before it is scaled
SPLITTING = 1  # part of a fingerprint: another way of cutting long texts gives other vectors
SHORTEST = 64  # characters; a model that refuses so few refuses something else
NEAR = 0.25  # share of a text, on either side of its middle, where a better place to cut is looked for
PLACES = ("\n\n", "\n", ". ", " ")
REMEMBERED = 4096  # vectors of queries, some 12 MB
PACE = "pace.json"  # beside a model's vectors: the seconds that a text took


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
    splitting: int = SPLITTING

    @classmethod
    def of(
        cls, provider: str, model: str, dims: int, *, digest: str = "", url: str = "", asked: int = 0
    ) -> ServedModel:
        """A model with the prefixes of its family."""
        wanted = prefixes(model)
        return cls(provider, model, dims, digest, url, wanted.document, wanted.query, asked)

    @property
    def name(self) -> str:
        """As the settings name it: `ollama:nomic-embed-text`."""
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
    """A served model as an `Embedder`: prefixes, sized requests, retries, long texts in pieces, checks."""

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
        """Raise `Wrong` where the server no longer has the model that the vectors came from."""
        return

    def hang_up(self) -> None:
        """End what is under way, from another thread; later requests are made as before."""
        return

    def embed_documents(self, texts: Sequence[str], stop: Stop = NEVER) -> Matrix:
        """Unit vectors in the order of the texts; a text of blanks gets zeros."""
        import numpy as np

        return np.concatenate([np.empty((0, self.dims), np.float32), *self.embedded(texts, stop)])

    def embedded(self, texts: Sequence[str], stop: Stop = NEVER) -> Iterator[Matrix]:
        """The same request by request: each as large as takes about `aim` seconds by the one before.

        A stop ends the request that is under way.
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
                self._size = len(part) // 2  # of several texts, the one that is too long is not named
                if isinstance(failure, TooMany):
                    self.most = self._size
                continue
            yield rows
            done += len(part)

    def measured(self, each: float) -> None:
        """Size the next request by the seconds that a text takes."""
        self.each = each
        self._size = max(1, min(int(self.aim / max(each, 1e-6)), 2 * self._size, self.most))

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """The query's unit vector, tried once: a search has no time to insist."""
        self.verify()
        return in_pieces(text, lambda piece: self.rows([piece], self.served.query_prefix)[0])

    def _insist(self, call: Callable[[], T], stop: Stop) -> T:
        """Try again where that is worth it; a stop ends the call."""
        return persistent(lambda: stoppable(self.who, call, stop, self.hang_up), stop)

    def _part(self, texts: Sequence[str]) -> Matrix:
        """Vectors by one request; a single text that is too long by one for each of its pieces."""
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
        """One request's answer as unit vectors; raises `Wrong` when it cannot be that."""
        return self.checked(self.request([prefix + text for text in texts]), len(texts))

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


class QueryVectors:
    """A served model's vectors of queries: asked for in the background, each text once. Thread-safe."""

    def __init__(self, embedder: ServedEmbedder) -> None:
        self._embedder = embedder
        self._known: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self._mutex = threading.Lock()
        self._line: Line[NDArray[np.float32]] = Line(embedder.who, embedder.start)

    def ask(self, text: str) -> Asked[NDArray[np.float32]]:
        """The vector of a query: at once where it is known, else as soon as the server has it."""
        name = content_hash(text.encode("utf-8", "replace"))
        with self._mutex:
            known = self._known.get(name)
            if known is not None:
                self._known.move_to_end(name)
                return Asked(self._embedder.who, Call(known))
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
    """The text in two, cut near its middle after a paragraph, a line, a sentence or a word.

    The two together are the text.
    """
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
    """The unit vector of a text; where `embed` refuses it as too long, the mean of its pieces by length.

    Raises `TooLong` when even the shortest pieces are refused.
    """
    ((piece, vector), *rest) = pieces(text, embed)
    if not rest and piece == text:
        return vector
    total = sum((row * float(len(one)) for one, row in rest), vector * float(len(piece)))
    norm = float((total @ total) ** 0.5)
    unit: NDArray[np.float32] = (total / norm if norm else total).astype("float32")
    return unit


def pieces(text: str, take: Callable[[str], T]) -> Iterator[tuple[str, T]]:
    """A text, or its halves, or halves of halves, each with what `take` makes of it unless it is too long.

    Raises `TooLong` when even the shortest pieces are refused.
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
    """What texts cost that take so many seconds each: `about 5 h here, at 0.6 texts a second`."""
    rate = 1 / max(each, 1e-6)
    shown = f"{rate:,.{1 if rate < 10 else 0}f}"
    return f"about {duration(each * texts)} here, at {shown} texts a second"


def pace(folder: Path) -> float:
    """Seconds that a text took when vectors of a model were last made; 0 where that is not known."""
    try:
        return max(0.0, float(read_json(read_checked(folder / PACE) or b"0")["each"]))
    except (ValueError, TypeError, KeyError):
        return 0.0


def keep_pace(folder: Path, each: float) -> None:
    """Keep it beside the vectors, where that may be written."""
    with suppress(OSError):
        write_file(folder / PACE, checked(json.dumps({"each": round(each, 6)}).encode()))
