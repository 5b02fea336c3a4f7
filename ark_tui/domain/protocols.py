"""The seams: what the engine asks of a clock, of a caller that may stop it, and of an embedding model."""

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
OnWait: TypeAlias = Callable[[str], None]  # given a sentence: for whom this process waits


class Stop(Protocol):
    """A request to stop, such as a `threading.Event`."""

    def is_set(self) -> bool: ...


class Never:
    """The stop token of a caller that never stops anything."""

    def is_set(self) -> bool:
        return False


NEVER = Never()


def check(stop: Stop) -> None:
    """Raise `Cancelled` when the caller has asked to stop."""
    if stop.is_set():
        raise Cancelled


def given_up(stop: Stop) -> bool:
    """Whether a person has given the work up; else it may go on later by itself."""
    return bool(getattr(stop, "given_up", False))


class Clock(Protocol):
    """Where the present comes from; `ARK_NOW` and the tests hold it still."""

    def now(self) -> datetime:
        """The present, aware, in UTC."""
        ...


class Embedder(Protocol):
    """A model that turns texts into vectors.

    Rows are float32 of unit length. A text without any token has no vector: its row is all zeros.
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
        """Names model, version, dimensions and prefixes; vectors of two fingerprints never meet."""
        ...

    def embed_documents(self, texts: Sequence[str], stop: Stop = NEVER) -> Matrix:
        """`(len(texts), dims)`; raises `ModelUnavailable`."""
        ...

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """`(dims,)`; raises `ModelUnavailable`."""
        ...


def ignore(_: object) -> None:
    """The `OnProgress` or `OnWait` of a caller that does not look."""
