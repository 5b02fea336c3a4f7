"""How fast a model is here."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ark_tui.domain.untrusted import read_json
from ark_tui.domain.wording import duration
from ark_tui.settings.home import checked, read_checked, write_file

if TYPE_CHECKING:
    from pathlib import Path

    from ark_tui.embedding.served import ServedEmbedder

PATIENCE = 5.0  # seconds for one request while a model is measured; what takes longer is slow enough
FILE = "pace.json"  # beside a model's vectors
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


def kept(folder: Path) -> float:
    """Seconds that a text took when vectors of a model were last made; 0 where that is not known."""
    try:
        return max(0.0, float(read_json(read_checked(folder / FILE) or b"0")["each"]))
    except (ValueError, TypeError, KeyError):
        return 0.0


def keep(folder: Path, each: float) -> None:
    """Keep it beside the vectors; where that may not be written, nobody misses it."""
    with suppress(OSError):
        write_file(folder / FILE, checked(json.dumps({"each": round(each, 6)}).encode()))


def query_time(embedder: ServedEmbedder) -> float:
    """Seconds for a query. A model that runs in this process is loaded by it. Raises `ServerFailure`."""
    embedder.start()
    embedder.verify()
    began = time.monotonic()
    embedder.embed_query(QUERY)
    return time.monotonic() - began
