"""Which model writes; and one that runs elsewhere, which nobody asks unless a person allows it by name."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from ark_tui.domain.hits import SearchResult
from ark_tui.domain.query import Request
from ark_tui.embedding.ollama import Ollama, Prompt
from ark_tui.embedding.retry import NoModel, Wrong
from ark_tui.embedding.writer import BYTES, Writers
from ark_tui.settings import load
from tests.models.conftest import NOTES, Place, lamp
from tests.ollama_server import Model, OllamaServer

HOST = "https://models.example:443"
AWAY = Model("big:120b", embeds=False, size=233, remote_host=HOST)
CLOUD = "gpt-oss:120b-cloud"
SMALL = Model("small:1b", embeds=False, size=800)
LARGE = Model("large:8b", embeds=False, size=5000)


def writers(server: OllamaServer, named: str = "", *, remote: bool = False) -> Writers:
    return Writers(Ollama(server.host, allow_remote=remote), named)


def offering(server: OllamaServer, *models: Model) -> None:
    server.models = {model.name: model for model in models}


def test_the_smallest_here_is_taken_whatever_was_pulled_last(server: OllamaServer) -> None:
    for order in [(AWAY, LARGE, SMALL), (SMALL, AWAY, LARGE)]:
        offering(server, *order)
        chosen = writers(server).chosen()
        assert (chosen.model, chosen.host) == ("small:1b", "")
        assert "small:1b" in chosen.remark


def test_one_that_runs_elsewhere_is_never_taken_by_itself(server: OllamaServer) -> None:
    offering(server, AWAY, Model(CLOUD, embeds=False, size=1))
    with pytest.raises(NoModel, match="no chat model that runs here"):
        writers(server, remote=True).chosen()
    offering(server, replace(AWAY, name=SMALL.name), LARGE)
    assert writers(server).chosen().model == "large:8b"


@pytest.mark.parametrize(("named", "host"), [("big:120b", "models.example"), (CLOUD, "its vendor")])
def test_named_it_needs_to_be_allowed(server: OllamaServer, named: str, host: str) -> None:
    offering(server, AWAY, SMALL)
    with pytest.raises(Wrong, match=f"goes to {host}") as refused:
        writers(server, named).chosen()
    assert "allow_remote = true" in refused.value.hint
    assert writers(server, named, remote=True).chosen().remark == f"{named} goes to {host}"


def test_the_prompt_gets_the_context_that_it_needs_up_to_that_of_the_model(server: OllamaServer) -> None:
    offering(server, replace(SMALL, context=10_000))
    chosen = writers(server, "small:1b").chosen()
    prompts = [
        Prompt([{"role": "user", "content": "x" * BYTES * (size - 8)}], {}, 100)
        for size in (9, 3996, 3997, 9000)
    ]
    assert [chosen.room(one) for one in prompts] == [4096, 4096, 8192, 10_000]


def test_only_config_toml_allows_it(tmp_path: Path) -> None:
    assert not load(tmp_path, environ={"ARK_ALLOW_REMOTE": "1", "ALLOW_REMOTE": "1"}).allow_remote
    (tmp_path / "config.toml").write_text("allow_remote = true\n")
    assert load(tmp_path, environ={}).allow_remote


# -- every use of a model --------------------------------------------------------------------------------


@pytest.fixture
def away() -> Iterator[OllamaServer]:
    """A server whose models all run elsewhere."""
    embedder = Model("nomic-embed-text", size=233, remote_host=HOST)
    with OllamaServer(AWAY, embedder) as server:
        server.answer = json.dumps({"terms": ["lanczos"], "answer": "x", "order": [1], "gaps": []})
        yield server


@pytest.fixture
def elsewhere(tmp_path: Path, away: OllamaServer) -> Iterator[Place]:
    made = Place(tmp_path, away)
    made.write(**{name.removesuffix(".md"): text for name, text in NOTES.items()})
    yield made
    for engine in made.engines:
        engine.close()


def sent(server: OllamaServer) -> list[str]:
    """What was asked of a model."""
    return [one.path for one in server.requests if one.path in {"/api/chat", "/api/embed", "/v1/embeddings"}]


def every_use(place: Place, **settings: object) -> tuple[SearchResult, list[str]]:
    """Each use of a model that writes; what was said of it."""
    with place.engine(embedding="static", **settings) as engine:
        said = []
        result = engine.search(Request("mixing", profile="ark", below=True))
        for asked in (
            Request("spectral", profile="ark", below=True, expand=True),
            Request("gap", profile="default", rerank=True, reranker="llm", expand=False),
        ):
            found = engine.search(asked)
            said += [f"{one.signal} {one.state}: {one.reason}" for one in found.lamps if one.signal in USES]
        thought = engine.memory.think("what bounds the mixing time")
        said.append(f"think: {thought.problem} {thought.goes_to}")
        said.append(f"context: {engine.memory.context('mixing time').notices}")
        return result, said


USES = ("expansion", "rerank")


@pytest.mark.parametrize("named", ["", "big:120b", CLOUD])
def test_nobody_sends_anything_to_a_model_elsewhere_that_was_not_allowed(
    elsewhere: Place, away: OllamaServer, named: str
) -> None:
    elsewhere.index(embedding="static")
    _, said = every_use(elsewhere, chat_model=named)
    assert sent(away) == []
    if named:
        assert sum("goes to" in one for one in said) == 4, said


def test_allowed_it_is_asked_and_each_use_says_where_it_goes(elsewhere: Place, away: OllamaServer) -> None:
    elsewhere.index(embedding="static")
    result, said = every_use(elsewhere, chat_model="big:120b", allow_remote=True)
    assert len(sent(away)) >= 4
    assert lamp(result, "expansion").reason == "big:120b goes to models.example"
    assert sum("models.example" in one for one in said) == 3, said
