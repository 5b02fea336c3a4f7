"""A lamp says what the server did, also where getting ready to ask takes longer than its budget."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ark_tui.domain.query import Request
from ark_tui.embedding.ollama import Ollama
from ark_tui.embedding.retry import Down, NoModel, Wrong
from ark_tui.engine import Engine
from ark_tui.retrieval.expansion import PATIENCE
from tests.models.conftest import NOMIC, NOTES, Place
from tests.ollama_server import Model, OllamaServer

BUDGET = 1.0  # seconds for an answer, also on a machine that has other things to do
TERMS = 0.2  # seconds for terms, PATIENCE times as long where they were asked for
START = 1.2  # seconds that getting ready to ask takes

# What a search says of its lamps where the first import of a client takes long.
CHILD = """
import importlib.abc, json, sys, time
from pathlib import Path

class Slow(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == "httpx":
            time.sleep(float(sys.argv[3]))

sys.meta_path.insert(0, Slow())

from tests.models.test_slow_start import off
from ark_tui.engine import Engine
from ark_tui.settings import load

with Engine(load(Path(sys.argv[1]), json.loads(sys.argv[2]), environ={})) as engine:
    print(json.dumps(off(engine, "imported")))
"""


def off(engine: Engine, asked: str) -> dict[str, str]:
    """The lamps that are off after a search, with their reasons."""
    lamps = engine.search(Request(f"mixing time {asked}", expand=True, profile="ark")).lamps
    return {lamp.signal: lamp.reason for lamp in lamps if lamp.state == "off"}


@pytest.fixture(scope="module")
def server() -> Iterator[OllamaServer]:
    with OllamaServer("nomic-embed-text", Model("qwen3:4b", embeds=False)) as server:
        yield server


@pytest.fixture(scope="module")
def standing(tmp_path_factory: pytest.TempPathFactory, server: OllamaServer) -> Place:
    place = Place(tmp_path_factory.mktemp("standing"), server)
    place.write(**{name.removesuffix(".md"): text for name, text in NOTES.items()})
    place.index(embedding=NOMIC)
    for engine in place.engines:
        engine.close()
    return place


@pytest.fixture
def engine(standing: Place, server: OllamaServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    """An engine that has not asked yet and takes long to get ready."""
    import httpx

    made = httpx.Client.__init__

    def slowly(*given: Any, **named: Any) -> None:
        time.sleep(START)
        made(*given, **named)

    monkeypatch.setattr(httpx.Client, "__init__", slowly)
    with standing.engine(query_budget=BUDGET, expand_budget=TERMS, chat_model="qwen3:4b") as engine:
        yield engine
    server.let_go()


def imported_late(home: Path, **settings: object) -> dict[str, str]:
    """The lamps that are off in a process whose imports of a client take long."""
    given = {"query_budget": BUDGET, "expand_budget": BUDGET, **settings}
    words = [sys.executable, "-c", CHILD, str(home), json.dumps(given), str(START)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    found: dict[str, str] = json.loads(done.stdout)
    return found


def test_a_server_that_does_not_answer_is_said_to_be_slow_and_was_asked(
    engine: Engine, server: OllamaServer
) -> None:
    asked = len(server.asked("/api/embed"))
    server.hang()

    slow = f"Ollama did not answer within {BUDGET:g} s"
    longer = f"Ollama did not answer within {TERMS * PATIENCE:g} s"
    assert off(engine, "hanging") == {"cosine": slow, "expansion": longer}
    assert len(server.asked("/api/embed")) == asked + 1


def test_a_client_that_is_imported_slowly_takes_nothing_from_the_servers_time(
    standing: Place, server: OllamaServer
) -> None:
    said = imported_late(standing.home, ollama_host=server.host, chat_model="mistral")

    assert said == {"expansion": "Ollama has no model mistral"}


@pytest.mark.parametrize(
    ("host", "reason"),
    [
        ("http://no-such-host.invalid:11434", "Ollama is not found: unknown host."),
        ("http://127.0.0.1:9", "Ollama refused the connection."),
    ],
)
def test_a_host_that_is_not_found_is_told_from_one_that_refuses(host: str, reason: str) -> None:
    with pytest.raises(Down) as failure:
        Ollama(host).installed()
    assert failure.value.what == reason


def test_an_address_where_no_such_server_is_is_not_said_to_lack_a_model(server: OllamaServer) -> None:
    with pytest.raises(Wrong, match=r"has not found what it was asked for \(404\)"):
        Ollama(f"{server.host}/elsewhere").installed()
    with pytest.raises(NoModel, match="has no model absent"):
        Ollama(server.host).embed("absent", ["text"])
