"""`auto` begins with nothing that would take long here, and says what that would bring and cost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ark_tui.domain.wording import duration
from ark_tui.domain.work import Progress
from ark_tui.embedding.choice import Wanted, ranked
from ark_tui.embedding.served import cost
from ark_tui.engine import auto
from ark_tui.engine.auto import QUERY, Look
from tests import transformers
from tests.models.conftest import MINILM, NOMIC, Place, first, lamp
from tests.ollama_server import Model

LARGE = "ollama:mxbai-embed-large"


@pytest.fixture
def slow(place: Place) -> Place:
    """A place whose server has one good model that takes its time for a text."""
    place.server.models = {"mxbai-embed-large": Model("mxbai-embed-large", pace=0.3)}
    place.settings = {"auto_minutes": 0.6 / 60}
    return place


def looks(place: Place) -> int:
    """How many times it was looked at a model."""
    return sum(QUERY in text for text in place.server.embedded)


def test_what_would_take_long_is_not_begun_and_said_with_its_cost(slow: Place) -> None:
    report = slow.index()
    (said,) = [notice for notice in report.notices if LARGE in notice]
    assert "would find more than the static model" in said
    assert "texts a second" in said
    assert f"`ark-tui models --use {LARGE}`" in said
    assert slow.states() == {"static": "in use", LARGE: "at hand"}
    assert len(slow.server.embedded) <= 5  # its dimensions, a query and a few texts
    assert not [*(slow.home / "vectors").glob("ollama*")]
    assert lamp(slow.search("mixing time of a chain")).state == "idle"
    with slow.engine() as engine:
        assert engine.models.listed().better == LARGE
        assert "texts a second" in engine.models.listed().slow
        (row,) = [one for one in engine.models.listed().models if one.name == LARGE]
        assert row.taken.startswith("auto passes it over: that takes about ")


def test_what_is_quick_enough_is_begun(slow: Place) -> None:
    slow.settings = {"auto_minutes": 1}
    slow.index()
    assert slow.states() == {LARGE: "in use", "static": "kept"}
    texts = [text for text in slow.server.embedded if text != "dimensions"]
    assert len(texts) == len(set(texts)) == 3 + looks(slow)  # each text once


def test_a_model_whose_query_takes_half_of_what_a_search_waits_is_not_begun(slow: Place) -> None:
    slow.settings = {"query_budget": 0.5}
    report = slow.index()
    assert any("a query takes it" in one and "waits 0.5 s for it" in one for one in report.notices)
    assert len(slow.server.embedded) == 2  # its dimensions and a query
    assert slow.states()["static"] == "in use"


def test_the_next_best_is_taken_where_the_best_is_too_slow(slow: Place) -> None:
    slow.server.models["all-minilm"] = Model("all-minilm", dims=128)
    report = slow.index()
    assert slow.states() == {MINILM: "in use", "static": "kept", LARGE: "at hand"}
    assert any(LARGE in notice for notice in report.notices)


def test_a_server_that_embeds_nothing_is_not_waited_for(slow: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auto, "PATIENCE", 0.2)
    slow.server.hang()
    report = slow.index()
    slow.server.let_go()
    assert any("Ollama did not answer within 0.2 s" in notice for notice in report.notices)
    assert slow.states()["static"] == "in use"


def test_models_are_taken_in_the_order_of_how_good_they_are() -> None:
    models = [Wanted("ollama", "all-minilm"), Wanted("local", "bge-small"), Wanted("ollama", "bge-m3")]
    assert [one.model for one in ranked(models)] == ["bge-m3", "bge-small", "all-minilm"]


def test_a_model_that_a_person_has_added_is_taken_whatever_a_server_has(place: Place) -> None:
    with place.engine() as engine:
        engine.models.add("minilm", transformers.vectors(place.folder / "made"))
    place.index()
    assert place.states()["local:minilm"] == "in use"


def test_an_embedder_of_unknown_name_is_taken_where_there_is_no_other(place: Place) -> None:
    place.server.models = {"keepmini": Model("keepmini"), "qwen3:4b": Model("qwen3:4b", embeds=False)}
    place.index()
    assert place.states()["ollama:keepmini"] == "in use"


def test_a_model_that_the_corpus_has_outgrown_is_let_go_of(slow: Place) -> None:
    slow.server.models["mxbai-embed-large"].pace = 0.02
    slow.settings = {"auto_minutes": 1 / 60}
    slow.index()
    assert slow.states()[LARGE] == "in use"
    slow.write(owl="# Owls\n\nOwls fly without a sound.\n")
    slow.index()
    assert slow.states()[LARGE] == "in use"
    slow.write(**{f"note{i}": f"# Note {i}\n\nThe number {i} of many.\n" for i in range(80)})
    report = slow.index()
    assert any("outgrown" in notice and "texts a second" in notice for notice in report.notices)
    assert slow.states() == {"static": "in use", LARGE: "kept"}
    assert first(slow.search("sourdough bread and its flour")) == "bread.md"
    slow.settings = {"auto_minutes": 10}
    slow.write(**{f"more{i}": f"# More {i}\n\nOne more, number {i}.\n" for i in range(90)})
    slow.index()
    assert slow.states()[LARGE] == "in use"


def test_what_a_person_has_chosen_is_not_looked_at_again(slow: Place) -> None:
    slow.index()
    told: list[str] = []
    with slow.engine() as engine:
        engine.models.use(LARGE, say=told.append)
    assert len(told) == 1
    before = looks(slow)
    slow.write(**{f"note{i}": f"# Note {i}\n\nThe number {i} of many.\n" for i in range(2)})
    slow.index()
    assert slow.states()[LARGE] == "in use"
    assert looks(slow) == before


def test_the_time_is_said_once_the_first_texts_are_embedded_and_none_twice(slow: Place) -> None:
    slow.index(embedding="static")
    seen: list[Progress] = []
    embedded: list[int] = []

    def say(text: str) -> None:
        assert text.startswith(f"The vectors of {LARGE} take about ")
        embedded.append(len(slow.server.embedded))

    with slow.engine() as engine:
        engine.models.use(LARGE, progress=seen.append, say=say)
    assert 2 <= embedded[0] < 6
    assert (seen[0].done, seen[0].total) == (0, 3)
    texts = [text for text in slow.server.embedded if text != "dimensions"]
    assert len(texts) == len(set(texts)) == 3 + looks(slow)
    assert "texts a second" in seen[0].note


def test_costs_are_said_in_words() -> None:
    assert cost(1 / 0.6, 10_800) == "about 5 h here, at 0.6 texts a second"
    assert cost(0.1, 3000) == "about 5 min here, at 10 texts a second"
    known = {0: "1 s", 99: "99 s", 240: "4 min", 7200: "2 h", 7500: "2 h 05", 400_000: "5 days"}
    assert {seconds: duration(seconds) for seconds in known} == known


@given(st.text())
def test_a_damaged_record_of_a_look_is_none(text: str) -> None:
    look = Look.loaded(text)
    assert look is None or isinstance(look, Look)


def test_no_model_but_the_static_one_is_remembered_where_nobody_answers(place: Place) -> None:
    place.server.stop()
    place.index()
    place.server.start()
    place.write(**{f"note{i}": f"# Note {i}\n\nThe number {i} of many.\n" for i in range(9)})
    place.index()
    assert place.states() == {"static": "in use", NOMIC: "at hand", MINILM: "at hand"}
