"""Requests as large as a server's pace has them: whatever it is, each text once, and never long in line."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ark_tui.domain.errors import Cancelled
from ark_tui.embedding import retry
from ark_tui.embedding.ollama import Ollama, OllamaEmbedder
from ark_tui.embedding.openai import Endpoint, EndpointEmbedder
from ark_tui.embedding.retry import Slow
from ark_tui.embedding.served import ServedEmbedder
from tests.ollama_server import OllamaServer

SOON = 8.0  # seconds, on a machine that has other things to do; of the twelve that a request takes


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[OllamaServer]:
    monkeypatch.setattr(Slow, "pauses", (0.01,))
    with OllamaServer("all-minilm") as server:
        yield server
        server.let_go()


def embedder(server: OllamaServer, timeout: float = 20.0) -> OllamaEmbedder:
    ollama = Ollama(server.host, timeout)
    made = OllamaEmbedder(ollama.describe("all-minilm"), ollama)
    server.embedded.clear()
    server.sizes.clear()
    return made


def endpoint(server: OllamaServer) -> EndpointEmbedder:
    there = Endpoint("endpoint", server.host, lambda: "")
    return EndpointEmbedder(there.describe("all-minilm"), there)


def texts(count: int) -> list[str]:
    return [f"text {i} about chains" for i in range(count)]


def first_times(embedded: list[str]) -> list[str]:
    """Each once: on a machine with much to do an answer can come after its time, and is asked for again."""
    return list(dict.fromkeys(embedded))


# -- the size of requests, as a function of what was measured ---------------------------------------------


@settings(max_examples=4, deadline=None)
@given(st.lists(st.sampled_from((0.0, 0.001, 0.01, 0.03)), min_size=1, max_size=5))
def test_whatever_the_pace_every_text_is_embedded_once_in_bounded_requests(paces: list[float]) -> None:
    with OllamaServer("all-minilm") as server:
        made = embedder(server)
        plain = made.embed_documents(texts(24))
        server.takes = lambda _, text: paces[int(text.split()[1]) % len(paces)]
        server.embedded.clear()
        made.aim, made._size = 0.05, 1
        np.testing.assert_array_equal(made.embed_documents(texts(24)), plain)
    assert server.embedded == texts(24)
    assert all(size * min(paces) <= 0.05 or size == 1 for size in server.sizes[-5:])


def test_the_first_request_holds_one_text(server: OllamaServer) -> None:
    embedder(server).embed_documents(texts(9))
    assert server.sizes[:2] == [1, 2]


def test_a_model_whose_batches_take_longer_than_the_timeout_is_done_and_nothing_twice(
    server: OllamaServer,
) -> None:
    made = embedder(server, timeout=0.9)
    server.models["all-minilm"].pace = 0.1
    made.aim = 0.05
    made.embed_documents(texts(8))
    assert server.embedded == texts(8)
    assert server.gone == []
    assert max(server.sizes) == 1


def test_a_request_that_was_too_slow_is_halved_and_tried(server: OllamaServer) -> None:
    made = embedder(server, timeout=0.75)
    server.models["all-minilm"].pace = 0.14
    made._size = 16
    made.embed_documents(texts(11))
    assert server.embedded == texts(11)
    assert max(server.sizes) <= 4


def test_a_stall_is_got_over(server: OllamaServer) -> None:
    made = embedder(server, timeout=0.8)
    stalls = [1.2]
    server.takes = lambda _, text: stalls.pop() if "text 5 " in text and stalls else 0.001
    made.embed_documents(texts(12))
    assert first_times(server.embedded) == texts(12)


@pytest.mark.parametrize("size", [1, 5])
def test_only_a_single_text_that_takes_too_long_is_a_failure(server: OllamaServer, size: int) -> None:
    made = embedder(server, timeout=0.8)
    made._size = size
    server.takes = lambda _, text: 1.2 if "text 3 " in text else 0.001
    rows = made.embedded(texts(6))
    done = 0
    with pytest.raises(Slow, match=r"did not answer within 0\.8 s"):
        for some in rows:
            done += len(some)
    assert done == 3
    assert first_times(server.embedded) == texts(3)


def test_a_server_that_takes_fewer_texts_gets_fewer(server: OllamaServer) -> None:
    made = endpoint(server)
    server.most = 4
    server.sizes.clear()
    made._size = 16
    assert len(made.embed_documents(texts(30))) == 30
    assert max(server.sizes) == 4
    assert len([one for one in server.asked("/v1/embeddings") if len(one["input"]) > 4]) == 2


@pytest.mark.parametrize("make", [embedder, endpoint])
@pytest.mark.parametrize("hanging", [False, True])
def test_a_stop_ends_the_request_whatever_the_server_does(
    server: OllamaServer, make: type[ServedEmbedder], hanging: bool
) -> None:
    made: ServedEmbedder = make(server)  # type: ignore[arg-type]
    if hanging:
        server.hang()
    else:
        server.models["all-minilm"].pace = 0.2
    made._size = 32
    stop = threading.Event()
    server.before = lambda request: stop.set() if "embed" in request.path else None
    with pytest.raises(Cancelled):
        made.embed_documents(texts(64), stop)
    server.before = None
    server.let_go()
    server.models["all-minilm"].pace = 0.0
    assert len(made.embed_documents(texts(3))) == 3  # over a new connection
    while not (hanging or server.gone):
        time.sleep(0.01)
    assert hanging or server.gone[0] <= 3  # it has noticed
    assert all(thread.daemon for thread in threading.enumerate() if thread.name.startswith("asking"))


def test_a_stop_ends_a_look_at_the_model_too(server: OllamaServer) -> None:
    made = embedder(server)
    server.hang("/api/tags")
    stop = threading.Event()
    server.before = lambda _: stop.set()
    with pytest.raises(Cancelled):
        made.embed_documents(texts(1), stop)


def test_a_query_behind_texts_waits_for_one_request(server: OllamaServer) -> None:
    made, asking = embedder(server), embedder(server)
    server.takes = lambda *_: 0.02
    made.aim = asking.aim = 0.1
    stop, answers = threading.Event(), 0

    def build() -> None:
        with suppress(Cancelled):
            made.embed_documents(texts(400), stop)

    building = threading.Thread(target=build, daemon=True)
    building.start()
    try:
        for number in range(4):
            before = len(server.sizes)
            asking.embed_query(f"query {number}")
            answers += len(server.sizes) - before <= 4  # that under way, perhaps one more, its own
    finally:
        stop.set()
        building.join(SOON)
    assert answers == 4
    assert max(server.sizes) <= 10


@pytest.mark.parametrize("said", ["batch size 64 > maximum allowed batch size 32", "array too long"])
def test_too_many_texts_are_told_from_one_that_is_too_long(said: str) -> None:
    assert isinstance(retry.of_status("x", "m", 422, said), retry.TooMany)
    physical = "input is too large to process. increase the physical batch size"
    assert isinstance(retry.of_status("x", "m", 500, physical), retry.TooLong)
