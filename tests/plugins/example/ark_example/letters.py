"""An embedding provider: how often each letter occurs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ark_tui.embedding.served import ServedEmbedder, ServedModel

if TYPE_CHECKING:
    from ark_tui.settings import Settings

DIMS = 26


class Letters:
    """The provider, made of the settings."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def describe(self, model: str, dims: int) -> ServedModel:
        """The model; it has no server that could fail."""
        return ServedModel.of("letters", model, dims or DIMS)

    def embedder(self, served: ServedModel) -> ServedEmbedder:
        """Its embedder."""
        return LetterEmbedder(served)


class LetterEmbedder(ServedEmbedder):
    """Counts letters."""

    who = "The alphabet"

    def start(self) -> None:
        """There is nothing to get ready."""

    def request(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """A row for each text."""
        rows = np.array([[text.lower().count(chr(97 + at)) for at in range(DIMS)] for text in texts], float)
        rows[:, 0] += 1e-6
        found: Sequence[Sequence[float]] = rows.tolist()
        return found
