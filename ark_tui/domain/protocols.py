"""Protocols that the engine depends on: clock, stop token, embedding model, progress callbacks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

from ark_tui.domain.errors import Cancelled

if TYPE_CHECKING:
    from datetime import datetime

    import numpy as np
    from numpy.typing import NDArray

    from ark_tui.domain.work import Progress

    Matrix: TypeAlias = NDArray[np.float32]

OnProgress: TypeAlias = "Callable[[Progress], None]"
OnWait: TypeAlias = Callable[[str], None]  # receives a sentence: which process holds the lock


class Stop(Protocol):
    """A request to stop, such as a `threading.Event`."""

    def is_set(self) -> bool: ...


class Never:
    """A stop token that is never set."""

    def is_set(self) -> bool:
        return False


NEVER = Never()


def check(stop: Stop) -> None:
    """Raise `Cancelled` if the stop token is set."""
    if stop.is_set():
        raise Cancelled


def given_up(stop: Stop) -> bool:
    """Whether the user has cancelled the work; otherwise it may resume by itself."""
    return bool(getattr(stop, "given_up", False))


class Clock(Protocol):
    """The source of the current time; `ARK_NOW` and the tests fix it."""

    def now(self) -> datetime:
        """The current time, timezone-aware, in UTC."""
        ...


class Embedder(Protocol):
    """A model that turns texts into vectors.

    Rows are float32 of unit length. A text without tokens has no vector: its row is all zeros.
    """

    @property
    def provider(self) -> str:
        """`static`, `ollama` or `openai`."""
        ...

    @property
    def model(self) -> str: ...

    @property
    def dims(self) -> int: ...

    @property
    def fingerprint(self) -> str:
        """Identifies model, version, dimensions and prefixes; vectors of two fingerprints are never mixed."""
        ...

    def embed_documents(self, texts: Sequence[str], stop: Stop = NEVER) -> Matrix:
        """Vectors of shape `(len(texts), dims)`. Raises `ModelUnavailable`."""
        ...

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """A vector of shape `(dims,)`. Raises `ModelUnavailable`."""
        ...


def ignore(_: object) -> None:
    """A no-op `OnProgress` or `OnWait`."""
