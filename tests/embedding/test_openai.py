"""OpenAI-compatible endpoints, and families of models: addresses, keys, dimensions, what can fail."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ark_tui.domain.errors import ConfigError, UsageError
from ark_tui.embedding import choice, families, static
from ark_tui.embedding.openai import HOSTS, Endpoint, EndpointEmbedder
from ark_tui.embedding.retry import Busy, Down, NoKey, NoModel, ServerFailure, TooLong, Wrong
from ark_tui.embedding.served import halves, in_pieces
from ark_tui.settings import Settings, load, secrets
from tests.ollama_server import Fault, Kind, Model, OllamaServer

TEXTS = ["The spectral gap bounds the mixing time.", "Sourdough wants time."]
KEY = "sk-or-very-secret-1234"


@pytest.fixture
def server() -> Iterator[OllamaServer]:
    with OllamaServer("nomic-embed-text", Model("bge-small", context=40)) as server:
        yield server


def settings(home: Path, **values: object) -> Settings:
    return load(home, values, environ={})


def test_an_address_with_dimensions_is_a_model(server: OllamaServer, home: Path) -> None:
    chosen = settings(home, embedding=f"{server.host}/v1/embeddings", embedding_dims=static.DIMS)
    wanted = choice.wanted(chosen)
    assert wanted is not None
    served = choice.described(wanted, chosen)
    assert (served.provider, served.model, served.dims) == ("endpoint", "nomic-embed-text", 256)
    made = choice.embedder(served, chosen)
    rows = made.embed_documents(TEXTS)
    assert made.embed_query("mixing time") @ rows[0] > made.embed_query("mixing time") @ rows[1]
    assert server.embedded[-1].startswith("search_query: ")
    assert choice.read(served.name) == choice.Wanted("endpoint", "nomic-embed-text", served.url)
    assert "authorization" not in {name.lower() for name in server.requests[-1].headers}


def test_rows_are_put_in_the_order_of_the_texts(server: OllamaServer) -> None:
    endpoint = Endpoint("endpoint", server.host, lambda: "")
    made = EndpointEmbedder(endpoint.describe("nomic-embed-text"), endpoint)
    both = made.embed_documents(TEXTS)
    np.testing.assert_allclose(both, np.stack([made.embed_documents([text])[0] for text in TEXTS]), atol=1e-6)


def test_wrong_dimensions_are_refused_at_the_first_look(server: OllamaServer, home: Path) -> None:
    chosen = settings(home, embedding=f"{server.host}/v1#bge-small", embedding_dims=768)
    wanted = choice.wanted(chosen)
    assert wanted is not None
    with pytest.raises(Wrong, match="256 dimensions, not 768"):
        choice.described(wanted, chosen)


def test_fewer_dimensions_are_asked_for_where_the_provider_can(server: OllamaServer, home: Path) -> None:
    chosen = settings(home, embedding="openai:bge-small", embedding_url=server.host, embedding_dims=64)
    wanted = choice.wanted(chosen)
    assert wanted is not None
    served = choice.described(wanted, chosen)
    assert choice.embedder(served, chosen).embed_documents(TEXTS).shape == (2, 64)
    assert {body["dimensions"] for body in server.asked("/v1/embeddings")} == {64}


def test_openrouter_is_taken_by_its_environment(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    environ = {"OPENROUTER_EMBED_MODEL": "openai/text-embedding-3-small"}
    assert choice.wanted(load(home, environ=environ)) is None  # no key, no OpenRouter
    monkeypatch.setenv("OPENROUTER_API_KEY", KEY)
    wanted = choice.wanted(load(home, environ=environ))
    assert wanted == choice.Wanted("openrouter", "openai/text-embedding-3-small")
    assert choice.endpoint(load(home, environ=environ), "openrouter").base == HOSTS["openrouter"]
    assert choice.wanted(load(home, {"embedding": "static"}, environ=environ)) == choice.Wanted("static")


def test_a_key_is_sent_and_never_repeated(
    server: OllamaServer, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EMBEDDING_API_KEY", KEY)
    server.key = KEY
    chosen = settings(home)
    endpoint = choice.endpoint(chosen, "endpoint", server.host)
    assert endpoint.models() == ["nomic-embed-text", "bge-small"]
    server.key = "another"
    with pytest.raises(NoKey) as caught:
        endpoint.models()
    assert KEY not in f"{caught.value.what} {caught.value.hint} {endpoint!r} {chosen!r}"
    monkeypatch.delenv("EMBEDDING_API_KEY")
    with pytest.raises(NoKey, match="wants a key") as missing:
        endpoint.models()
    assert "EMBEDDING_API_KEY" in missing.value.hint


def test_a_key_may_lie_in_a_file_of_the_home_that_nobody_else_may_read(home: Path) -> None:
    home.mkdir()
    file = home / "keys"
    file.write_text(f'OPENAI_API_KEY = "{KEY}"\n')
    file.chmod(0o600)
    place = settings(home).home
    assert secrets.key("OPENAI_API_KEY", place, {}) == KEY
    assert secrets.key("OPENAI_API_KEY", place, {"OPENAI_API_KEY": "other"}) == "other"
    assert secrets.key("OPENROUTER_API_KEY", place, {"OPENROUTER_API_KEY": "${OPENROUTER_API_KEY}"}) == ""
    file.chmod(0o644)
    with pytest.raises(ConfigError, match="Others may read"):
        secrets.key("OPENAI_API_KEY", place, {})
    file.write_text(f"OPENAI_API_KEY = {KEY}\n")
    file.chmod(0o600)
    with pytest.raises(ConfigError) as caught:
        secrets.key("OPENAI_API_KEY", place, {})
    assert KEY not in f"{caught.value.what} {caught.value.hint}"


FAILURES: list[tuple[Kind, type[ServerFailure], str]] = [
    ("busy", Busy, "is busy"),
    ("odd", Wrong, "makes no sense"),
    ("short", Wrong, "1 vector for 2 texts"),
    ("hollow", Wrong, "no numbers"),
]


@pytest.mark.parametrize(("kind", "failure", "words"), FAILURES, ids=[kind for kind, _, _ in FAILURES])
def test_every_failure_is_a_sentence(
    server: OllamaServer,
    kind: Kind,
    failure: type[ServerFailure],
    words: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    endpoint = Endpoint("endpoint", server.host, lambda: "")
    made = EndpointEmbedder(endpoint.describe("nomic-embed-text"), endpoint)
    made._size = len(TEXTS)
    server.fault = Fault(kind)
    for passing in (Busy, Down):
        monkeypatch.setattr(passing, "pauses", ())
    with pytest.raises(failure, match=words):
        made.embed_documents(TEXTS)


def test_what_is_not_there_is_named(server: OllamaServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Down, "pauses", ())
    endpoint = Endpoint("endpoint", server.host, lambda: "")
    with pytest.raises(NoModel, match="no model missing"):
        endpoint.describe("missing")
    server.stop()
    with pytest.raises(Down, match="refused the connection"):
        endpoint.describe("nomic-embed-text")


@pytest.mark.parametrize(
    ("url", "base"),
    [
        ("http://box:8080", "http://box:8080/v1"),
        ("http://box:8080/", "http://box:8080/v1"),
        ("http://box:8080/v1/", "http://box:8080/v1"),
        ("https://box/v1/embeddings", "https://box/v1"),
        ("https://box/api/v3", "https://box/api/v3"),
    ],
)
def test_the_address_may_be_given_with_its_last_steps_or_without(url: str, base: str) -> None:
    assert Endpoint("endpoint", url, lambda: "").base == base


@pytest.mark.parametrize("name", ["", "ollama:", "-x", "https://user:pass@box/v1", "ftp://box"])
def test_what_names_no_model_is_refused(name: str) -> None:
    with pytest.raises(UsageError):
        choice.read(name)


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("nomic-embed-text", choice.Wanted("ollama", "nomic-embed-text")),
        ("qwen3-embedding:0.6b", choice.Wanted("ollama", "qwen3-embedding:0.6b")),
        ("ollama:user/x:q4", choice.Wanted("ollama", "user/x:q4")),
        ("openai:text-embedding-3-small", choice.Wanted("openai", "text-embedding-3-small")),
        ("http://box/v1#m", choice.Wanted("endpoint", "m", "http://box/v1")),
        ("static", choice.Wanted("static")),
        ("auto", None),
    ],
)
def test_a_model_is_named_by_its_provider(name: str, wanted: choice.Wanted | None) -> None:
    assert choice.read(name) == wanted


INSTRUCTION = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"


@pytest.mark.parametrize(
    ("model", "document", "query"),
    [
        ("nomic-embed-text:latest", "search_document: ", "search_query: "),
        ("nomic-embed-text-v2-moe", "search_document: ", "search_query: "),
        ("mxbai-embed-large", "", "Represent this sentence for searching relevant passages: "),
        ("embeddinggemma:300m", "title: none | text: ", "task: search result | query: "),
        ("qwen3-embedding:0.6b", "", INSTRUCTION),
        ("dengcao/Qwen3-Embedding-8B:Q5_K_M", "", INSTRUCTION),
        ("BAAI/bge-large-en-v1.5", "", "Represent this sentence for searching relevant passages: "),
        ("bge-m3", "", ""),
        ("snowflake-arctic-embed:m", "", "Represent this sentence for searching relevant passages: "),
        ("snowflake-arctic-embed2", "", "query: "),
        ("intfloat/e5-base-v2", "passage: ", "query: "),
        ("multilingual-e5-large", "passage: ", "query: "),
        ("all-minilm", "", ""),
        ("text-embedding-3-small", "", ""),
        ("some-new-model", "", ""),
    ],
)
def test_each_family_has_its_prefixes(model: str, document: str, query: str) -> None:
    assert families.prefixes(model) == families.Prefixes(document, query)


def test_no_family_hides_behind_a_shorter_name() -> None:
    names = [name for name, _ in families.FAMILIES]
    assert [name for i, name in enumerate(names) if name.startswith(tuple(names[:i]))] == []


def test_auto_takes_the_best_that_is_there() -> None:
    at_hand = ["keepmini", "all-minilm:latest", "owner/mxbai-embed-large:latest", "bge-small"]
    assert sorted(at_hand, key=families.rank) == [
        "owner/mxbai-embed-large:latest", "bge-small", "all-minilm:latest", "keepmini",
    ]  # fmt: skip
    assert families.rank("minilm") == families.rank("all-minilm")
    assert [name for name in ("llama3", "mxbai-embed-large", "x/my-embedder") if families.embeds(name)] == [
        "mxbai-embed-large",
        "x/my-embedder",
    ]


@given(st.text(min_size=2))
def test_cutting_loses_nothing_and_comes_to_an_end(text: str) -> None:
    first, second = halves(text)
    assert first + second == text
    assert first
    assert second


def test_a_text_is_cut_between_paragraphs_rather_than_words() -> None:
    assert halves("one two three\n\nfour five six seven")[0] == "one two three\n\n"
    assert halves("one two. three four") == ("one two. ", "three four")


@given(st.text("ab \n", min_size=200, max_size=600))
def test_pieces_cover_the_text_once_and_average_by_length(text: str) -> None:
    seen: list[str] = []

    def one(piece: str) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
        if len(piece) > 150:
            raise TooLong("too long")
        seen.append(piece)
        return np.array([1, 0] if len(seen) % 2 == 0 else [0, 1], dtype=np.float32)

    if not text.strip():
        return
    vector = in_pieces(text, one)
    assert "".join("".join(seen).split()) == "".join(text.split())
    weights = np.zeros(2)
    for i, piece in enumerate(seen, start=1):
        weights[i % 2] += len(piece)
    np.testing.assert_allclose(vector, weights / np.linalg.norm(weights), atol=1e-6)


def test_a_model_that_refuses_everything_is_not_asked_for_ever() -> None:
    def refuse(_: str) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
        raise TooLong("too long")

    with pytest.raises(TooLong, match="shortest"):
        in_pieces("word " * 1000, refuse)
