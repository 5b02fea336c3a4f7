"""A home beside a model server."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from ark_tui.domain.hits import SearchResult, SignalStatus
from ark_tui.domain.query import Request
from ark_tui.domain.work import IndexReport
from ark_tui.embedding import ollama
from ark_tui.engine import Engine
from ark_tui.settings import load
from tests.ollama_server import Model, OllamaServer
from tests.support import SteadyClock

NOMIC = "ollama:nomic-embed-text"
MINILM = "ollama:all-minilm"
NOTES = {
    "gap.md": "# Spectral gaps\n\nThe spectral gap of a reversible chain bounds its mixing time.\n",
    "krylov.md": "# Krylov subspaces\n\nLanczos restarts keep the basis small.\n",
    "bread.md": "# Bread\n\nSourdough wants time, flour, water and salt.\n",
}
# Ranks by the served model alone, so that a hit shows whose vectors were compared.
CONFIG = "[profiles.meaning]\nfusion = 'convex'\nweights = { bm25 = 0.1, cosine = 1.0, static = 0.05 }\n"


@dataclass
class Place:
    """A folder of notes, its home, and the server that its engine may ask."""

    folder: Path
    server: OllamaServer
    settings: dict[str, object] = field(default_factory=dict)
    engines: list[Engine] = field(default_factory=list)

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def notes(self) -> Path:
        return self.folder / "notes"

    def write(self, **texts: str) -> None:
        self.notes.mkdir(exist_ok=True)
        for name, text in texts.items():
            (self.notes / f"{name}.md").write_text(text)

    def engine(self, **settings: object) -> Engine:
        """A new engine, as a new process would have one."""
        self.home.mkdir(exist_ok=True)
        (self.home / "config.toml").write_text(CONFIG)
        given = {"ollama_host": self.server.host, "query_budget": 10.0} | self.settings | settings
        engine = Engine(load(self.home, given, environ={}), SteadyClock())
        self.engines.append(engine)
        return engine

    def index(self, **settings: object) -> IndexReport:
        with self.engine(**settings) as engine:
            return engine.index([self.notes])

    def search(self, query: str, **settings: object) -> SearchResult:
        with self.engine(**settings) as engine:
            return engine.search(Request(query, profile="meaning"))

    def states(self) -> dict[str, str]:
        with self.engine() as engine:
            return {model.name: model.state for model in engine.models.listed().models}


def lamp(result: SearchResult, signal: str = "cosine") -> SignalStatus:
    return next(lamp for lamp in result.lamps if lamp.signal == signal)


def first(result: SearchResult) -> str:
    return result.hits[0].document.path


@pytest.fixture(autouse=True)
def nothing_is_known_of_models(monkeypatch: pytest.MonkeyPatch) -> None:
    """What servers of other tests have said of a digest is forgotten."""
    monkeypatch.setattr(ollama, "_KINDS", {})


@pytest.fixture
def server() -> Iterator[OllamaServer]:
    with OllamaServer("nomic-embed-text", Model("all-minilm", dims=128, context=200)) as server:
        yield server


@pytest.fixture
def place(empty: Path, tmp_path: Path, server: OllamaServer) -> Iterator[Place]:
    made = Place(tmp_path, server)
    shutil.copytree(empty, made.home)
    made.write(**{name.removesuffix(".md"): text for name, text in NOTES.items()})
    yield made
    server.let_go()
    for engine in made.engines:
        engine.close()
