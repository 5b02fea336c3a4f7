"""What a model is made for is what its server says, whatever its name; the list of models is quick."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ark_tui.domain.errors import NotFound, UsageError
from ark_tui.domain.models import ModelInfo
from ark_tui.domain.query import Request
from ark_tui.embedding.ollama import Installed, Kind, Ollama, OllamaEmbedder
from ark_tui.embedding.retry import TooLong, Wrong
from tests.models.conftest import MINILM, NOMIC, Place, first, lamp
from tests.ollama_server import Fault, Model, OllamaServer

KEEPMINI = Model("keepmini", dims=128, context=300, size=45_000_000)
WRITER = Model("qwen3:4b", embeds=True, capabilities=("completion", "tools"), context=4096)
REMOTE = Model("gpt-oss:120b-cloud", embeds=False, size=233, remote_host="https://elsewhere.example")


@pytest.fixture
def mixed(place: Place) -> Place:
    """A place whose server has models whose names say little."""
    place.server.models |= {one.name: one for one in (KEEPMINI, WRITER, REMOTE)}
    return place


def listed(place: Place) -> dict[str, ModelInfo]:
    with place.engine() as engine:
        return {one.name: one for one in engine.models.listed().models}


def test_what_a_model_is_for_is_asked_and_not_guessed(server: OllamaServer) -> None:
    server.models |= {one.name: one for one in (KEEPMINI, WRITER, REMOTE)}
    found = {one.name: one for one in Ollama(server.host).installed()}
    assert (found["keepmini:latest"].kind.embeds, found["keepmini:latest"].kind.completes) == (True, False)
    assert (found["keepmini:latest"].kind.context, found["keepmini:latest"].kind.dims) == (300, 128)
    assert (found["qwen3:4b"].kind.embeds, found["qwen3:4b"].kind.completes) == (False, True)
    assert (found["qwen3:4b"].kind.context, found["qwen3:4b"].kind.dims) == (4096, 0)
    assert found["gpt-oss:120b-cloud"].remote
    assert not found["keepmini:latest"].remote
    asked = {body["model"] for body in server.asked("/api/show")}
    assert REMOTE.name not in asked  # a question of it might be handed on
    assert {"keepmini", "qwen3:4b"} <= {name.removesuffix(":latest") for name in asked}


def test_a_name_that_ends_in_cloud_runs_elsewhere() -> None:
    ends = ("x:cloud", "x:120b-cloud", "x-cloud:latest", "cloudy", "x:cloud-1")
    assert [Installed(name).remote for name in ends] == [True, True, True, False, False]


def test_each_digest_is_asked_for_once(server: OllamaServer) -> None:
    Ollama(server.host).installed()
    assert len(server.asked("/api/show")) == 2
    known = Ollama(server.host)
    assert [one.kind.dims for one in known.installed()] == [256, 128]
    server.models["all-minilm"].version = "2"
    known.installed()
    assert len(server.asked("/api/show")) == 3


@pytest.mark.parametrize(
    ("info", "capabilities", "kind"),
    [
        ({"bert.pooling_type": 1, "bert.embedding_length": 384}, None, Kind(True, False, 0, 384)),
        ({"llama.context_length": 8192}, None, Kind(False, True, 8192)),
        ({"llama.context_length": "x"}, ["completion", "vision"], Kind(False, True)),
        ({"q.embedding_length": 9}, ["embedding", "completion"], Kind(True, True, 0, 9)),
        ({}, None, None),
    ],
)
def test_servers_of_all_ages_are_understood(
    info: dict[str, object], capabilities: list[str] | None, kind: Kind | None
) -> None:
    assert Kind.of_show({"model_info": info, "capabilities": capabilities}) == kind


def test_a_server_that_does_not_tell_leaves_the_name(server: OllamaServer) -> None:
    server.models["qwen3:4b"] = WRITER
    server.fault = Fault("broken", paths=("/api/show",))
    assert [one.kind.embeds for one in Ollama(server.host).installed()] == [True, True, False]


def test_a_model_that_is_not_made_for_embedding_is_refused_and_taken_anyway(mixed: Place) -> None:
    mixed.index(embedding="static")
    with mixed.engine() as engine:
        with pytest.raises(Wrong, match="qwen3:4b is not made for embedding") as refused:
            engine.models.use("qwen3:4b")
        assert "`ark-tui models --use ollama:qwen3:4b --anyway`" in refused.value.hint
        engine.models.use("qwen3:4b", anyway=True)
    assert listed(mixed)["ollama:qwen3:4b"].state == "in use"


def test_a_setting_that_names_a_chat_model_says_so_and_the_static_model_answers(mixed: Place) -> None:
    report = mixed.index(embedding="ollama:qwen3:4b")
    assert any("is not made for embedding" in notice for notice in report.notices)
    assert mixed.search("sourdough bread", embedding="ollama:qwen3:4b").hits


def test_a_model_that_runs_elsewhere_gets_no_text_of_the_corpus(mixed: Place) -> None:
    mixed.server.models = {REMOTE.name: Model(REMOTE.name, remote_host=REMOTE.remote_host)}
    mixed.index()
    with mixed.engine() as engine, pytest.raises(Wrong, match=r"would go to elsewhere\.example"):
        engine.models.use(REMOTE.name)
    mixed.index(embedding=f"ollama:{REMOTE.name}")
    assert not mixed.server.asked("/api/embed")
    assert not mixed.server.asked("/api/show")


def test_a_text_of_more_words_than_the_context_is_split_before_it_is_sent(server: OllamaServer) -> None:
    server.models["keepmini"] = KEEPMINI
    ollama = Ollama(server.host)
    made = OllamaEmbedder(ollama.describe("keepmini"), ollama)
    assert made.embed_documents(["word " * 1000]).any()
    assert made.split == 1
    sent = [text for body in server.asked("/api/embed") for text in body["input"]]
    assert max(len(text.split()) for text in sent) <= 300
    with pytest.raises(TooLong, match="300 tokens of keepmini"):
        made.request(["word " * 301])


def test_the_list_has_everything_and_says_what_it_is_for(mixed: Place) -> None:
    mixed.server.models["all-minilm"].on_gpu = 0.0
    mixed.server.models["qwen3:4b"] = Model(
        WRITER.name, capabilities=WRITER.capabilities, context=4096, on_gpu=0.6
    )
    mixed.index(embedding="static")
    mixed.settings = {"chat_model": "qwen3:4b"}
    rows = listed(mixed)
    assert rows["ollama:qwen3:4b"].taken == "for writing: `chat_model` names it"
    assert rows.keys() == {
        NOMIC, MINILM, "static", "ollama:keepmini", "ollama:qwen3:4b", f"ollama:{REMOTE.name}",
    }  # fmt: skip
    known = rows["ollama:keepmini"]
    assert (known.purpose, known.context, known.dims, known.size) == ("embedding", 300, 128, 45_000_000)
    assert (rows["ollama:qwen3:4b"].purpose, rows["ollama:qwen3:4b"].runs) == ("writing", "60 % on the GPU")
    assert (rows[MINILM].runs, rows[NOMIC].runs) == ("processor", "")
    assert rows[f"ollama:{REMOTE.name}"].host == "elsewhere.example"
    assert rows[NOMIC].taken == "for vectors: the best one available"
    assert not rows["ollama:keepmini"].taken


def test_another_version_and_a_model_that_has_gone_are_marked_in_the_list_and_by_doctor(place: Place) -> None:
    place.index()
    place.server.models["nomic-embed-text"].version = "2"
    assert listed(place)[NOMIC].problem == "Ollama has another version of it"
    with place.engine() as engine:
        assert "another version" in next(one for one in engine.doctor() if one.name == "model").detail
    del place.server.models["nomic-embed-text"]
    assert listed(place)[NOMIC].problem == "Ollama no longer has it"
    with place.engine() as engine:
        assert "no model nomic" in next(one for one in engine.doctor() if one.name == "model").detail


def test_the_same_weights_under_another_name_go_on_without_embedding_anew(place: Place) -> None:
    place.index()
    copy = Model("nomic-embed-text:v1.5", weights="nomic-embed-text")
    place.server.models = {copy.name: copy}
    result = place.search("sourdough bread and its flour")
    assert (first(result), lamp(result).state) == ("bread.md", "on")
    assert listed(place)[NOMIC].problem == ""
    with place.engine() as engine:
        embedded = len(place.server.embedded)
        engine.models.use("static")
        engine.models.use(copy.name)
        assert place.server.embedded[embedded:] == ["dimensions"]
    assert listed(place)[NOMIC].state == "in use"


@pytest.fixture
def frozen(place: Place) -> Iterator[Place]:
    place.index()
    place.server.hang("/api/tags", "/api/show", "/api/ps", "/api/version")
    yield place
    place.server.let_go()


def test_a_list_and_doctor_wait_two_seconds_for_a_frozen_server(frozen: Place) -> None:
    with frozen.engine() as engine:
        engine.status()
        found = engine.models.listed()
        assert found.server_problem == "Ollama did not answer within 2 s"
        assert next(one for one in found.models if one.name == NOMIC).state == "in use"
        assert engine.models.ask().startswith("Ollama did not answer within 2 s.")


def test_vectors_that_are_no_longer_wanted_are_dropped_after_a_word_of_their_size(place: Place) -> None:
    place.index()
    with place.engine() as engine:
        engine.models.use(MINILM)
        with pytest.raises(UsageError, match=r"nomic-embed-text has vectors of 0\.\d MB") as asked:
            engine.models.drop("nomic-embed-text")
        assert "yes" in asked.value.hint
        for name in (MINILM, "static"):
            with pytest.raises(UsageError, match="is in use"):
                engine.models.drop(name, yes=True)
        folder = place.home / "vectors" / f"{listed(place)[NOMIC].fingerprint}.lance"
        assert folder.is_dir()
        assert engine.models.drop("nomic-embed-text", yes=True) > 0
        assert not folder.exists()
        with pytest.raises(NotFound, match="There are no vectors"):
            engine.models.drop(NOMIC, yes=True)
        assert engine.search(Request("mixing time", profile="meaning")).hits
    assert listed(place)[NOMIC].state == "at hand"


def test_of_two_rows_of_one_name_the_older_vectors_are_dropped(place: Place) -> None:
    place.index()
    place.server.models["nomic-embed-text"].version = "2"
    with place.engine() as engine:
        engine.models.use(NOMIC)
        rows = [one for one in engine.models.listed().models if one.name == NOMIC]
        assert [(one.state, one.problem) for one in rows] == [
            ("in use", ""), ("kept", "Ollama has another version of it"),
        ]  # fmt: skip
        assert engine.models.drop(NOMIC, yes=True) > 0
        assert [one.state for one in engine.models.listed().models if one.name == NOMIC] == ["in use"]
