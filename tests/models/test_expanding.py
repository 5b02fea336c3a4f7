"""Searches with the chat model's terms: asked when wanted, and answered whatever the server does (S10)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from ark_tui.domain.hits import SearchResult
from ark_tui.domain.query import Request
from tests.models.conftest import NOTES, Place, first, lamp
from tests.ollama_server import Fault, Model, OllamaServer

CHAT = "qwen3:4b"


@pytest.fixture(scope="module")
def chatty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """A home indexed by the static model, beside a server with a chat model."""
    with OllamaServer("nomic-embed-text", Model(CHAT, embeds=False)) as server:
        place = Place(tmp_path_factory.mktemp("chatty"), server)
        place.write(**{name.removesuffix(".md"): text for name, text in NOTES.items()})
        place.settings["chat_model"] = CHAT
        place.index(embedding="static")
        place.settings["embedding"] = "static"
        yield place
        server.let_go()
        for engine in place.engines:
            engine.close()


@pytest.fixture(autouse=True)
def _whole(chatty: Place) -> None:
    chatty.server.let_go()
    chatty.server.requests.clear()
    chatty.server.terms = ["flour", "Lanczos restarts", "basis"]


def test_the_default_profile_uses_the_terms_of_the_chat_model_and_no_others(chatty: Place) -> None:
    with chatty.engine() as engine:
        plain = engine.search(Request("Krylov numerics", below=True, expand=False))
        asked = engine.search(Request("Krylov numerics", below=True))
        chatty.server.terms = ["qqxz vrrt"]
        useless = engine.search(Request("numerics Krylov", below=True))
    assert asked.expansion.terms == ("flour", "lanczos restarts", "basis")
    assert expanded(plain) == expanded(useless) == {}
    assert expanded(asked).keys() == {"krylov.md", "bread.md"}


def expanded(result: SearchResult) -> dict[str, float]:
    """What the added terms gave each document."""
    return {
        hit.document.path: part.contribution
        for hit in result.hits
        for part in hit.parts
        if part.name == "expanded" and part.contribution
    }


def vague(query: str, **more: object) -> Request:
    """A request in which terms of the chat model count."""
    return Request(query, profile="default", below=True, adjust=("weights.expanded=0.75",), **more)  # type: ignore[arg-type]


def search(place: Place, query: str, expand: bool | None = None, **settings: object) -> SearchResult:
    with place.engine(**settings) as engine:
        return engine.search(vague(query, expand=expand))


def told(result: SearchResult) -> tuple[str, str]:
    one = lamp(result, "expansion")
    return one.state, one.reason


def test_a_vague_query_gets_the_terms_of_the_chat_model(chatty: Place) -> None:
    result = search(chatty, "eigenvalue numerics")
    assert told(result) == ("on", "")
    assert (result.expansion.source, result.expansion.chat) == ("llm", ("flour", "lanczos restarts", "basis"))
    found = {
        hit.document.path: part.raw for hit in result.hits for part in hit.parts if part.name == "expanded"
    }
    assert found["krylov.md"] > 0
    assert found["bread.md"] > 0
    assert len(chatty.server.asked("/api/chat")) == 1


def test_a_term_of_the_chat_model_can_be_left_out_and_nothing_else_is_added_for_it(chatty: Place) -> None:
    with chatty.engine() as engine:
        asked = vague("eigenvalue numerics", without=("lanczos restart",))
        one = engine.search(asked).expansion
        none = engine.search(replace(asked, without=("flour", "lanczos restarts", "basis"))).expansion
    assert (one.chat, one.without) == (("flour", "basis"), ("lanczos restart",))
    assert (none.chat, none.source, len(none.without)) == ((), "llm", 3)
    assert not {"flour", "basis"} & {*none.terms}


def ranking(result: SearchResult) -> list[tuple[str, float]]:
    return [(hit.document.path, round(hit.score, 9)) for hit in result.hits]


def test_a_model_that_lies_leaves_the_order_as_it_is_without_it(chatty: Place) -> None:
    query = "chain mixing"
    without = search(chatty, query, expand=False)
    assert without.expansion.terms, "by feedback"
    chatty.server.terms = [": [", "]'-bivir", "qqxz vrrt", "the of", "chain"]
    lying = search(chatty, query)
    assert ranking(lying) == ranking(without)
    assert lying.expansion == replace(without.expansion, unknown=("]'-bivir", "qqxz vrrt", "the of"))
    assert told(lying) == ("on", "no text here has ]'-bivir, qqxz vrrt, the of")


def test_good_terms_join_those_of_the_leading_texts(chatty: Place) -> None:
    without = search(chatty, "reversible chain", expand=False).expansion
    chatty.server.terms = ["sourdough", "qqxz"]
    both = search(chatty, "reversible chain")
    assert both.expansion.terms == ("sourdough", *without.terms)
    assert (both.expansion.chat, both.expansion.unknown) == (("sourdough",), ("qqxz",))
    assert "bread.md" in [hit.document.path for hit in both.hits]


def test_a_query_that_says_enough_asks_nothing_unless_told_to(chatty: Place) -> None:
    query = "how does a spectral gap bound the mixing time"
    plain = search(chatty, query)
    assert plain.expansion.source != "llm"
    assert not [one for one in plain.lamps if one.signal == "expansion"]
    assert not chatty.server.asked("/api/chat")
    asked = search(chatty, query, expand=True)
    assert (asked.expansion.source, told(asked)) == ("llm", ("on", ""))


def test_a_query_being_typed_and_one_that_says_no_ask_nothing(chatty: Place) -> None:
    with chatty.engine() as engine:
        engine.search(vague("numeric", typing=True))
        engine.search(vague("numeric", expand=False))
        engine.search(vague("numeric", mode="semantic"))
    assert not chatty.server.asked("/api/chat")


def test_without_a_chat_model_named_only_those_who_ask_for_it_get_terms(chatty: Place) -> None:
    assert search(chatty, "methods", chat_model="").expansion.source == "feedback"
    assert not chatty.server.asked("/api/chat")
    assert search(chatty, "methods", expand=True, chat_model="").expansion.source == "llm"


def test_switched_off_the_search_answers_and_says_so(chatty: Place) -> None:
    with chatty.engine(expand=False) as engine:
        quiet = engine.search(vague("chain numerics"))
        asked = engine.search(vague("chain numerics", expand=True))
    assert quiet.hits
    assert told(quiet)[0] == "idle"
    assert told(asked)[0] == "off"
    assert "ARK_NO_LLM_EXPAND" in told(asked)[1]
    assert not chatty.server.asked("/api/chat")


def test_terms_are_looked_for_without_any_vectors(chatty: Place) -> None:
    with chatty.engine() as engine:
        found = engine.search(vague("numerics words", mode="keyword", expand=True))
    assert first(found) == "krylov.md"
    assert [part.name for part in found.hits[0].parts if part.contribution] == ["expanded"]


def test_whatever_goes_wrong_the_search_answers_with_feedback_and_says_why(chatty: Place) -> None:
    chatty.server.fault = Fault("broken")
    result = search(chatty, "chain broken")
    assert first(result) == "gap.md"
    assert told(result)[0] == "off"
    assert "Ollama failed with 500" in told(result)[1]
    assert result.expansion.source == "feedback"
    assert result.hits[0].summed() == pytest.approx(result.hits[0].score)
