"""How fast a model is here: a query and a few texts of its own making, which nobody keeps."""

from __future__ import annotations

import time
from dataclasses import dataclass
from itertools import cycle, islice
from typing import TYPE_CHECKING

from ark_tui.domain.protocols import NEVER, Stop, check
from ark_tui.domain.wording import lasting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ark_tui.embedding.served import ServedEmbedder

PATIENCE = 5.0  # seconds for one request while a model is measured; what takes longer is slow enough
SPENT = 2.0  # seconds after which no further request is made
SIZES = (1, 2, 4, 8)  # texts of the requests
QUERY = "how long does this model take for a query"
WORDS = "the notes of last week say that a plan for the garden was drawn with care from an old gate to a pond"


@dataclass(frozen=True, slots=True)
class Measured:
    """Seconds that a model takes here for one text, and for a query."""

    text: float
    query: float

    def seconds(self, texts: int) -> float:
        """How long so many texts take."""
        return self.text * texts

    def cost(self, texts: int) -> str:
        """The same in words: `about 5 h here, at 0.6 texts a second`."""
        rate = 1 / max(self.text, 1e-6)
        return (
            f"about {lasting(self.seconds(texts))} here, at {rate:,.{1 if rate < 10 else 0}f} texts a second"
        )


def measure(
    embedder: ServedEmbedder, words: int, waiting: int, *, quick: float | None = None, stop: Stop = NEVER
) -> Measured:
    """Ask for texts of so many words, the more at once the less time has passed, and few where few wait.

    With `quick` for a query before that, and for no text where it alone took longer than so many seconds.
    The model has to be loaded: whoever has asked it for its dimensions has seen to that. Raises
    `ServerFailure`, or `Cancelled`.
    """
    embedder.start()
    check(stop)
    began = time.monotonic()
    if quick is not None:
        embedder.embed_query(QUERY)
    query = time.monotonic() - began
    best, left = float("inf"), max(1, waiting // 4)
    texts = _texts(max(1, words))
    for size in SIZES if quick is None or query <= quick else ():
        started = time.monotonic()
        embedder.embed_documents([*islice(texts, min(size, left))], stop)
        best = min(best, (time.monotonic() - started) / min(size, left))
        left -= size
        if left <= 0 or time.monotonic() - began > SPENT:
            break
    return Measured(best, query)


def _texts(words: int) -> Iterator[str]:
    """Ever other texts of so many words."""
    source = cycle(WORDS.split())
    for number in cycle(range(1000)):
        yield f"{number} {' '.join(islice(source, words))}"
