"""Embedding through Ollama: what is sent, what is made of the answers, and every way it can fail."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import numpy as np
import pytest

from ark_tui.domain.errors import Cancelled
from ark_tui.domain.work import Progress
from ark_tui.embedding import static
from ark_tui.embedding.ollama import Ollama, OllamaEmbedder
from ark_tui.embedding.openai import Endpoint
from ark_tui.embedding.retry import Busy, Down, NoModel, Slow, Wrong
from tests.ollama_server import Fault, Kind, Model, OllamaServer

TEXTS = ["The spectral gap bounds the mixing time.", "Sourdough wants time.", "A chain forgets its start."]


@pytest.fixture
def server() -> Iterator[OllamaServer]:
    with OllamaServer("nomic-embed-text", Model("all-minilm", context=40)) as server:
        yield server


def embedder(server: OllamaServer, model: str = "nomic-embed-text", **more: float) -> OllamaEmbedder:
    ollama = Ollama(server.host, **more)  # type: ignore[arg-type]
    return OllamaEmbedder(ollama.describe(model), ollama)


def test_vectors_are_unit_rows_in_the_order_of_the_texts(server: OllamaServer) -> None:
    made = embedder(server)
    texts = TEXTS * 32  # several requests
    rows = made.embed_documents(texts)
    assert rows.dtype == np.float32
    assert rows.shape == (len(texts), static.DIMS)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(rows[:3], rows[3:6])
    assert made.embed_query("mixing time of a chain") @ rows[0] > made.embed_query("bread flour") @ rows[0]
    sent = server.asked("/api/embed")
    assert max(len(body["input"]) for body in sent) <= 64
    assert all(body["truncate"] is False and body["keep_alive"] == "10m" for body in sent)


def test_documents_and_queries_get_the_prefixes_of_the_model(server: OllamaServer) -> None:
    made = embedder(server)
    made.embed_documents(TEXTS[:1])
    made.embed_query("gap")
    assert server.embedded[1:] == [f"search_document: {TEXTS[0]}", "search_query: gap"]


def test_a_blank_text_has_no_vector_and_is_not_sent(server: OllamaServer) -> None:
    made = embedder(server)
    before = len(server.embedded)
    rows = made.embed_documents(["", TEXTS[0], " \n"])
    assert [bool(row.any()) for row in rows] == [False, True, False]
    assert len(server.embedded) == before + 1


def test_a_text_too_long_is_embedded_in_pieces_and_counted(server: OllamaServer) -> None:
    made = embedder(server, "all-minilm")
    long = " ".join(f"word{i} gap" for i in range(60))
    rows = made.embed_documents([TEXTS[0], long, TEXTS[1]])
    assert made.split == 1
    pieces = [text for text in server.embedded if "word" in text]
    assert len(pieces) > 1
    assert "".join(pieces) == long  # nothing is cut off
    np.testing.assert_allclose(rows[[0, 2]], made.embed_documents([TEXTS[0], TEXTS[1]]), atol=1e-6)
    weighed = sum(len(piece) * made.embed_documents([piece])[0] for piece in pieces)
    np.testing.assert_allclose(rows[1], weighed / np.linalg.norm(weighed), atol=1e-5)
    assert made.embed_query(long).shape == (static.DIMS,)


def test_the_digest_and_all_else_that_shapes_vectors_is_in_the_fingerprint(server: OllamaServer) -> None:
    ollama = Ollama(server.host)
    before = ollama.describe("nomic-embed-text")
    assert ollama.describe("nomic-embed-text:latest") == before
    assert ollama.describe("nomic-embed-text", 64).fingerprint != before.fingerprint
    assert ollama.describe("all-minilm").fingerprint != before.fingerprint
    server.models["nomic-embed-text"].version = "2"
    assert ollama.describe("nomic-embed-text").fingerprint != before.fingerprint


def test_fewer_dimensions_are_asked_for_on_every_call(server: OllamaServer) -> None:
    ollama = Ollama(server.host)
    made = OllamaEmbedder(ollama.describe("nomic-embed-text", 64), ollama)
    assert made.embed_documents(TEXTS).shape == (3, 64)
    assert {body["dimensions"] for body in server.asked("/api/embed")} == {64}


def test_another_version_of_the_model_is_refused(server: OllamaServer) -> None:
    made = embedder(server)
    server.models["nomic-embed-text"].version = "2"
    with pytest.raises(Wrong, match="another version"):
        made.embed_query("gap")
    with pytest.raises(Wrong, match="another version"):
        made.embed_documents(TEXTS)


FAILURES: list[tuple[Kind, type[Exception], str]] = [
    ("busy", Busy, "Ollama is busy: server busy"),
    ("broken", Wrong, "Ollama failed with 500: llama runner"),
    ("dropped", Down, "Ollama broke off the connection"),
    ("garbage", Wrong, "invalid answer"),
    ("odd", Wrong, "invalid answer"),
    ("short", Wrong, "gave 2 vectors for 3 texts"),
    ("narrow", Wrong, "255 dimensions; the corpus has 256"),
    ("hollow", Wrong, "invalid vectors"),
    ("elsewhere", Wrong, "points elsewhere"),
]


@pytest.mark.parametrize(("kind", "failure", "words"), FAILURES, ids=[kind for kind, _, _ in FAILURES])
def test_every_failure_is_a_sentence(
    server: OllamaServer, kind: Kind, failure: type[Exception], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = embedder(server)
    made._size = len(TEXTS)
    server.fault = Fault(kind)
    for passing in (Busy, Down, Slow):
        monkeypatch.setattr(passing, "pauses", (0.01,))
    with pytest.raises(failure, match=words) as caught:
        made.embed_documents(TEXTS)
    assert "\n" not in str(caught.value)


def test_a_server_that_is_down_refuses_and_is_used_again_when_it_is_back(server: OllamaServer) -> None:
    made = embedder(server)
    rows = made.embed_documents(TEXTS)
    server.stop()
    with pytest.raises(Down, match="Ollama refused the connection"):
        made.embed_documents(TEXTS)
    server.start()
    np.testing.assert_allclose(made.embed_documents(TEXTS), rows)


def test_a_busy_server_is_asked_again_after_a_pause(server: OllamaServer) -> None:
    made = embedder(server)
    made._size = len(TEXTS)
    before = len(server.asked("/api/embed"))
    server.fault = Fault("busy", times=1)
    assert made.embed_documents(TEXTS).any()
    assert len(server.asked("/api/embed")) == before + 2


def test_a_model_that_is_not_there_says_how_to_get_it(server: OllamaServer) -> None:
    with pytest.raises(NoModel, match="no model bge-m3") as caught:
        Ollama(server.host).describe("bge-m3")
    assert "models --pull bge-m3" in caught.value.hint


def test_a_model_is_fetched_with_progress(server: OllamaServer) -> None:
    seen: list[Progress] = []
    del server.models["nomic-embed-text"]
    Ollama(server.host).pull("nomic-embed-text", progress=seen.append)
    assert [(at.done, at.total) for at in seen] == [(0, 1000), (500, 1000), (1000, 1000)]
    assert Ollama(server.host).has("nomic-embed-text").size


def test_fetching_says_what_went_wrong(server: OllamaServer) -> None:
    ollama = Ollama(server.host)
    with pytest.raises(NoModel, match="registry has no model nonsense"):
        ollama.pull("nonsense")
    with pytest.raises(Wrong, match="invalid model name"):
        ollama.pull("two words")
    server.fault = Fault("cut off")
    with pytest.raises(Down, match="was broken off"):
        ollama.pull("nomic-embed-text")
    server.fault = Fault("dropped")
    with pytest.raises(Down, match="broke off the connection"):
        ollama.pull("nomic-embed-text")
    server.fault, server.fetching = None, "write: no space left on device"
    with pytest.raises(Wrong, match=r"^Ollama failed: write: no space left on device\."):
        ollama.pull("nomic-embed-text")
    server.stop()
    with pytest.raises(Down, match="refused the connection"):
        ollama.pull("nomic-embed-text")


def test_fetching_can_be_stopped(server: OllamaServer) -> None:
    stop = threading.Event()
    with pytest.raises(Cancelled):
        Ollama(server.host).pull("nomic-embed-text", stop, lambda _: stop.set())


@pytest.mark.parametrize("host", ["127.0.0.1:99999", "ftp://box", "my box", "http://[::1", "box:0", "b:x"])
def test_what_is_no_address_is_said_and_nobody_is_asked(host: str) -> None:
    ollama = Ollama(host)
    assert (ollama.address, ollama.listens()) == (host, False)
    for asked in (ollama.installed, ollama.start):
        with pytest.raises(Wrong, match="OLLAMA_HOST is not a valid address: ") as failure:
            asked()
        assert "127.0.0.1:11434" in failure.value.hint


@pytest.mark.parametrize("proxy", ["socks5://127.0.0.1:9", "nonsense://127.0.0.1:9"])
def test_a_proxy_that_cannot_be_used_is_said_and_keeps_nobody_from_this_machine(
    server: OllamaServer, monkeypatch: pytest.MonkeyPatch, proxy: str
) -> None:
    monkeypatch.setenv("ALL_PROXY", proxy)
    assert Ollama(server.host).installed()
    with pytest.raises(Wrong, match="A proxy that the environment names cannot be used"):
        Ollama("http://box.invalid").installed()
    with pytest.raises(Wrong, match="A proxy that the environment names cannot be used"):
        Endpoint("endpoint", "http://box.invalid", str).models()


def test_a_proxy_that_refuses_is_not_taken_for_the_server(
    server: OllamaServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", server.host)  # it knows no CONNECT
    with pytest.raises(Down, match="A proxy does not let Ollama be reached"):
        Ollama("https://box.invalid").installed()


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("box", "http://box:11434"),
        ("box:8080", "http://box:8080"),
        (":8080", "http://127.0.0.1:8080"),
        ("https://box/ollama/", "https://box:443/ollama"),
        ("http://[::1]:9", "http://[::1]:9"),
    ],
)
def test_an_address_may_be_written_as_ollama_takes_it(host: str, address: str) -> None:
    assert Ollama(host).address == address
