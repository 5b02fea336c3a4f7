"""How fast a model is here."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ark_tui.domain.wording import duration

if TYPE_CHECKING:
    from ark_tui.embedding.served import ServedEmbedder

PATIENCE = 5.0  # seconds for one request while a model is measured; what takes longer is slow enough
SPENT = 2.0  # seconds after which no further request is made
SIZES = (1, 2, 4, 8)  # texts of the requests
QUERY = "how long does this model take for a query"


@dataclass(frozen=True, slots=True)
class Measured:
    """Seconds that a model takes here for one text."""

    text: float

    def seconds(self, texts: int) -> float:
        """How long so many texts take."""
        return self.text * texts

    def cost(self, texts: int) -> str:
        """The same in words: `about 5 h here, at 0.6 texts a second`."""
        rate = 1 / max(self.text, 1e-6)
        shown = f"{rate:,.{1 if rate < 10 else 0}f}"
        return f"about {duration(self.seconds(texts))} here, at {shown} texts a second"


def query_time(embedder: ServedEmbedder) -> float:
    """Seconds for a query. A model that runs in this process is loaded by it. Raises `ServerFailure`."""
    embedder.start()
    embedder.verify()
    began = time.monotonic()
    embedder.embed_query(QUERY)
    return time.monotonic() - began
