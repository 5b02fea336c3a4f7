"""`think` at a terminal: the answer as it is written, then what is to be said of it, and its sources."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Ark, running
from tests.ollama_server import Model, OllamaServer

QUESTION = ("think", "what bounds the mixing time of a chain", "-n", "1")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, indexed: Path) -> Iterator[OllamaServer]:
    with OllamaServer(Model("qwen3:4b", embeds=False)) as server:
        given = {"HOME": indexed, "OLLAMA_HOST": server.host, "CHAT_MODEL": "qwen3:4b", "EMBEDDING": "static"}
        for name, value in given.items():
            monkeypatch.setenv(name if name == "OLLAMA_HOST" else f"ARK_{name}", str(value))
        answer = "The spectral gap bounds it [feed01], \x1b[2J as was shown.\nSo it does."
        server.answer = json.dumps({"answer": answer, "gaps": ["How tightly."]})
        yield server
        server.let_go()


@pytest.mark.usefixtures("server")
def test_the_answer_then_what_is_odd_about_it_then_gaps_and_sources(ark: Ark) -> None:
    told = ark(*QUESTION)
    assert told.code == 0
    lines = told.out.splitlines()
    assert lines[:2] == ["The spectral gap bounds it [feed01], ␛[2J as was shown.", "So it does."]
    assert lines[2:4] == ["", "gap  How tightly."]
    assert "Spectral gaps" in lines[4]
    assert "It cites ids that are not among the sources: feed01." in told.err
    assert "Check the answer: the answer cites none of its sources." in told.err
    assert "\x1b" not in told.out
    assert ark(*QUESTION, "--json").json["dropped_citations"] == ["feed01"]


def test_a_model_that_runs_elsewhere_is_not_asked(ark: Ark, server: OllamaServer) -> None:
    server.models["qwen3:4b"].remote_host = "https://models.example:443"
    told = ark(*QUESTION)
    assert "No answer: qwen3:4b runs elsewhere: what it is asked goes to models.example." in told.err
    assert "Spectral gaps" in told.out
    assert server.asked("/api/chat") == []


def test_the_first_words_are_there_while_the_rest_is_written_and_ctrl_c_ends_it(server: OllamaServer) -> None:
    server.stalls = 10
    with running(*QUESTION) as process:
        assert process.stdout is not None
        assert process.stdout.read(16) == b"The spectral gap"
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
        assert time.monotonic() - began < 10
    server.let_go()
    deadline = time.monotonic() + 20
    while not server.hung_up:
        assert time.monotonic() < deadline
        time.sleep(0.01)
