"""Searches with the chat model's terms: asked when wanted, and answered whatever the server does (S10)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import pytest

from ark_tui.domain.hits import SearchResult
from ark_tui.domain.query import Request
from tests.models.conftest import NOTES, Place, first, lamp
from tests.ollama_server import Fault, Kind, Model, OllamaServer

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


def search(place: Place, query: str, expand: bool | None = None, **settings: object) -> SearchResult:
    with place.engine(**settings) as engine:
        return engine.search(
            Request(query, profile="default", below=True, adjust=("weights.expanded=0.75",), expand=expand)
        )


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
        asked = Request(
            "eigenvalue numerics",
            profile="default",
            below=True,
            adjust=("weights.expanded=0.75",),
            without=("lanczos restart",),
        )
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
    assert told(lying) == ("on", "no text here holds ]'-bivir, qqxz vrrt, the of")


def test_good_terms_join_those_of_the_leading_texts(chatty: Place) -> None:
    without = search(chatty, "reversible chain", expand=False).expansion
    chatty.server.terms = ["sourdough", "qqxz"]
    both = search(chatty, "reversible chain")
    assert both.expansion.terms == ("sourdough", *without.terms)
    assert (both.expansion.chat, both.expansion.unknown) == (("sourdough",), ("qqxz",))
    assert "bread.md" in [hit.document.path for hit in both.hits]


def test_the_same_query_is_not_asked_twice(chatty: Place) -> None:
    before = search(chatty, "numerics twice")
    assert search(chatty, "numerics twice").expansion == before.expansion
    assert len(chatty.server.asked("/api/chat")) == 1


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
        engine.search(
            Request("numeric", profile="default", below=True, adjust=("weights.expanded=0.75",), typing=True)
        )
        engine.search(
            Request("numeric", profile="default", below=True, adjust=("weights.expanded=0.75",), expand=False)
        )
        engine.search(
            Request(
                "numeric", profile="default", below=True, adjust=("weights.expanded=0.75",), mode="semantic"
            )
        )
    assert not chatty.server.asked("/api/chat")


def test_without_a_chat_model_named_only_those_who_ask_for_it_get_terms(chatty: Place) -> None:
    assert search(chatty, "methods", chat_model="").expansion.source == "feedback"
    assert not chatty.server.asked("/api/chat")
    assert search(chatty, "methods", expand=True, chat_model="").expansion.source == "llm"


def test_switched_off_the_search_answers_and_says_so(chatty: Place) -> None:
    with chatty.engine(expand=False) as engine:
        quiet = engine.search(
            Request("chain numerics", profile="default", below=True, adjust=("weights.expanded=0.75",))
        )
        asked = engine.search(
            Request(
                "chain numerics",
                profile="default",
                below=True,
                adjust=("weights.expanded=0.75",),
                expand=True,
            )
        )
    assert quiet.hits
    assert told(quiet)[0] == "idle"
    assert told(asked)[0] == "off"
    assert "ARK_NO_LLM_EXPAND" in told(asked)[1]
    assert not chatty.server.asked("/api/chat")


FAULTS: list[tuple[Kind, str]] = [
    ("busy", "Ollama is busy"),
    ("broken", "Ollama failed with 500"),
    ("dropped", "Ollama broke off the connection"),
    ("garbage", "invalid answer"),
    ("odd", "invalid answer"),
    ("elsewhere", "points elsewhere"),
]


@pytest.mark.parametrize(("kind", "reason"), FAULTS, ids=[kind for kind, _ in FAULTS])
def test_whatever_goes_wrong_the_search_answers_with_feedback_and_says_why(
    chatty: Place, kind: Kind, reason: str
) -> None:
    chatty.server.fault = Fault(kind)
    result = search(chatty, f"chain {kind}")
    assert first(result) == "gap.md"
    state, why = told(result)
    assert state == "off"
    assert reason in why
    assert result.expansion.source == "feedback"
    assert result.hits[0].summed() == pytest.approx(result.hits[0].score)


def test_a_server_that_is_down_or_has_no_such_model_is_a_reason(chatty: Place) -> None:
    assert told(search(chatty, "chain down", chat_model="llama3")) == ("off", "Ollama has no model llama3")
    chatty.server.stop()
    assert told(search(chatty, "chain down")) == ("off", "Ollama refused the connection")
    chatty.server.start()


def test_a_model_that_talks_instead_is_a_reason(chatty: Place) -> None:
    chatty.server.answer = "Let me think about that."
    assert "did not answer with terms" in told(search(chatty, "chain talk"))[1]
    chatty.server.answer = None


def test_a_slow_model_is_waited_for_within_the_budget_and_its_late_answer_is_used_next_time(
    chatty: Place,
) -> None:
    with chatty.engine(expand_budget=0.2) as engine:
        request = Request("slow chain", profile="default", below=True, adjust=("weights.expanded=0.75",))
        chatty.server.hang("/api/chat")
        slow = engine.search(request)
        assert (first(slow), told(slow)) == ("gap.md", ("off", "Ollama did not answer within 0.2 s"))
        chatty.server.let_go()
        while told(result := engine.search(request))[0] != "on":
            time.sleep(0.01)
    assert result.expansion.source == "llm"


def test_terms_are_looked_for_without_any_vectors(chatty: Place) -> None:
    with chatty.engine() as engine:
        found = engine.search(
            Request(
                "numerics words",
                mode="keyword",
                profile="default",
                below=True,
                adjust=("weights.expanded=0.75",),
                expand=True,
            )
        )
    assert first(found) == "krylov.md"
    assert [part.name for part in found.hits[0].parts if part.contribution] == ["expanded"]
