"""Embedding models as a person chooses among them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from ark_tui.domain.fields import As

ModelState = Literal["in use", "being built", "kept", "at hand"]


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """One model. `in use`: the corpus is searched with it. `being built`: it will be, once complete.

    `kept`: its vectors are still there, so that going back costs nothing. `at hand`: it was added to this
    home, or its server has it.
    """

    name: str  # as `--use` takes it: `ollama:nomic-embed-text`, `local:minilm`, `static`
    state: ModelState
    dims: int = 0  # 0 where nobody has asked it yet
    fingerprint: str = ""
    waiting: int = 0  # changes that its vectors lack
    bytes: int = 0  # on disk: of its vectors, or of an added model without any
    problem: str = ""  # why it cannot be used now
    purpose: str = ""  # `embedding`, `writing`, or both; empty where nobody says
    size: int = 0  # bytes of the model itself, where its server says it
    context: int = 0  # tokens that it takes, where its server says it
    runs: str = ""  # `GPU`, `processor` or how much of it is where, while it is loaded
    host: str = ""  # where it runs, for one that its server hands on: what it is given goes there
    taken: str = ""  # what ark-tui would take it for, and why
    pace: float = 0.0  # texts a second that its server embedded of late, as measured here


@dataclass(frozen=True, slots=True)
class Server:
    """Where Ollama is expected, and why it does not answer."""

    address: str
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Models:
    """The models of a home: those it has vectors of, those that were added, and all that Ollama has."""

    also: ClassVar[tuple[str, ...]] = ("ollama",)

    models: tuple[ModelInfo, ...]
    server: Annotated[str, As.HIDDEN]  # where Ollama is expected
    server_problem: Annotated[str, As.HIDDEN] = ""  # why it does not answer
    setting: str = "auto"
    better: str = ""  # a model at hand that would be better than the static one
    rerankers: tuple[ModelInfo, ...] = ()  # added models that score pairs of a query and a text
    slow: str = ""  # why `auto` did not begin with that one

    @property
    def ollama(self) -> Server:
        """The server of Ollama."""
        return Server(self.server, self.server_problem)
