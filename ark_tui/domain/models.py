"""Embedding models to choose from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from ark_tui.domain.fields import As

ModelState = Literal["in use", "being built", "kept", "at hand"]


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """A model. `in use`: searches use it. `being built`: searches will use it once all vectors exist.

    `kept`: its vectors are still stored, so that switching back is immediate. `at hand`: it was added to this
    home, or the server has it.
    """

    name: str  # as accepted by `--use`: `ollama:nomic-embed-text`, `local:minilm`, `static`
    state: ModelState
    dims: int = 0  # 0: unknown, not queried yet
    fingerprint: str = ""
    waiting: int = 0  # changes not embedded yet
    bytes: int = 0  # on disk: of its vectors, or of the added model if it has none
    problem: str = ""  # why it is unavailable
    purpose: str = ""  # `embedding`, `writing`, or both; empty: unknown
    size: int = 0  # bytes of the model itself; 0: unknown
    context: int = 0  # context length in tokens; 0: unknown
    runs: str = ""  # `GPU`, `processor` or the split between them, while loaded
    host: str = ""  # the remote host that the server forwards its input to
    taken: str = ""  # what ark-tui would use it for, and why
    pace: float = 0.0  # recently measured embedding speed, in texts per second


@dataclass(frozen=True, slots=True)
class Server:
    """The Ollama server's address, and why it does not respond."""

    address: str
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Models:
    """The models of a home: those with stored vectors, added models, and all models of Ollama."""

    also: ClassVar[tuple[str, ...]] = ("ollama",)

    models: tuple[ModelInfo, ...]
    server: Annotated[str, As.HIDDEN]  # the address of Ollama
    server_problem: Annotated[str, As.HIDDEN] = ""  # why it does not respond
    setting: str = "auto"
    better: str = ""  # an available model that is better than the static one
    rerankers: tuple[ModelInfo, ...] = ()  # added re-ranking models
    slow: str = ""  # why `auto` did not choose that one

    @property
    def ollama(self) -> Server:
        """The Ollama server."""
        return Server(self.server, self.server_problem)
