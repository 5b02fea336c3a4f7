"""One model in force, another built beside it, and never two compared with each other."""

from __future__ import annotations

import threading

import pytest

from ark_tui.domain.errors import Cancelled, UsageError
from ark_tui.domain.query import Request
from ark_tui.domain.work import Progress
from ark_tui.embedding.retry import Down, NoModel
from ark_tui.index.vectors.table import VectorTable
from tests.models.conftest import MINILM, NOMIC, Place, first, lamp
from tests.ollama_server import Fault


def test_auto_takes_what_ollama_has_for_a_new_corpus(place: Place) -> None:
    report = place.index()
    assert place.states() == {NOMIC: "in use", "static": "kept", MINILM: "at hand"}
    assert any(NOMIC in notice for notice in report.notices)
    result = place.search("mixing time of a chain")
    assert first(result) == "gap.md"
    assert (lamp(result).state, lamp(result).reason) == ("on", "")
    assert "cosine" in {part.name for part in result.hits[0].parts if part.contribution}
    assert result.hits[0].summed() == pytest.approx(result.hits[0].score)


def test_auto_takes_the_static_model_where_nobody_answers(place: Place) -> None:
    place.server.stop()
    report = place.index()
    assert report.notices == ()
    assert place.states() == {"static": "in use"}
    assert lamp(place.search("mixing time")).state == "idle"


def test_a_corpus_keeps_the_model_it_was_built_with_and_says_when_a_better_one_is_at_hand(
    place: Place,
) -> None:
    place.index(embedding="static")
    place.index()
    assert place.states() == {"static": "in use", NOMIC: "at hand", MINILM: "at hand"}
    with place.engine() as engine:
        assert engine.models.listed().better == NOMIC
        engine.models.use(NOMIC)
        assert engine.models.listed().better == ""


def test_switching_builds_beside_with_progress_and_going_back_embeds_nothing(place: Place) -> None:
    place.index()
    seen: list[Progress] = []
    with place.engine() as engine:
        engine.models.use(MINILM, progress=seen.append)
        assert (seen[-1].done, seen[-1].total) == (3, 3)
        assert first(engine.search(Request("mixing time of a chain", profile="meaning"))) == "gap.md"
        embedded = len(place.server.embedded)
        engine.models.use(NOMIC)
        engine.models.use(MINILM)
        # each asks for the number of dimensions, and no text again
        assert place.server.embedded[embedded:] == ["dimensions", "dimensions"]
    place.write(new="# New\n\nA new note.\n")
    place.index()
    with place.engine() as engine:
        embedded = len(place.server.embedded)
        engine.models.use(NOMIC)
        assert len(place.server.embedded[embedded:]) == 2  # the dimensions, and the new note


def test_the_old_model_answers_while_the_new_one_is_built_and_an_interrupted_build_goes_on(
    place: Place,
) -> None:
    place.write(**{f"note{i}": f"# Note {i}\n\nThe number {i} of many.\n" for i in range(100)})
    place.index()
    stop = threading.Event()
    enough = len(place.server.asked("/api/embed")) + 3  # its dimensions, and the first texts
    place.server.before = lambda _: stop.set() if len(place.server.asked("/api/embed")) > enough else None
    with place.engine() as engine, pytest.raises(Cancelled):
        engine.models.use(MINILM, stop)
    place.server.before = None
    assert place.states() == {NOMIC: "in use", MINILM: "being built", "static": "kept"}
    result = place.search("mixing time of a chain")
    assert (first(result), lamp(result).state) == ("gap.md", "on")
    report = place.index()
    assert place.states()[MINILM] == "in use"
    assert f"embedding: searches use {MINILM} from now on" in report.notices
    assert first(place.search("mixing time of a chain")) == "gap.md"
    texts = [text for text in place.server.embedded if text.startswith("Note 7\n")]
    assert len(texts) <= 1  # all-minilm has no prefix: that is its only request for the note


def test_a_model_that_fails_leaves_the_one_in_force(place: Place) -> None:
    place.index()
    with place.engine() as engine:
        with pytest.raises(NoModel):
            engine.models.use("ollama:bge-m3")
        place.server.fault = Fault("dropped", times=50)
        with pytest.raises(Down):
            engine.models.use(MINILM)
        place.server.fault = None
        assert first(engine.search(Request("mixing time of a chain", profile="meaning"))) == "gap.md"
    assert place.states()[NOMIC] == "in use"


def test_vectors_of_another_version_of_the_model_are_not_compared(place: Place) -> None:
    place.index()
    place.server.models["nomic-embed-text"].version = "2"
    result = place.search("sourdough bread and its flour")
    assert (lamp(result).state, first(result)) == ("off", "bread.md")
    assert "another version" in lamp(result).reason
    with place.engine() as engine:
        engine.models.use(NOMIC)
        again = engine.search(Request("sourdough bread and its flour", profile="meaning"))
        assert (lamp(again).state, first(again)) == ("on", "bread.md")
        states = [model.state for model in engine.models.listed().models if model.name == NOMIC]
        assert states == ["in use", "kept"]


def test_each_model_has_a_table_of_its_own_dimensions(place: Place) -> None:
    place.index()
    with place.engine() as engine:
        engine.models.use(MINILM)
    folders = [file.parent for file in (place.home / "vectors").glob("*/model.json")]
    shapes = {VectorTable(folder, 0).lance.schema.field("vector").type.list_size for folder in folders}
    assert len(folders) == 2
    assert shapes <= {128, 256}


def test_switching_to_the_static_model_costs_nothing_and_lasts(place: Place) -> None:
    place.index()
    with place.engine() as engine:
        engine.models.use("static")
    asked = len(place.server.requests)
    place.index()
    assert lamp(place.search("mixing")).state == "idle"
    assert len(place.server.requests) == asked
    assert place.states()["static"] == "in use"


def test_a_setting_that_changes_is_the_later_word(place: Place) -> None:
    place.index(embedding=NOMIC)
    with place.engine(embedding=NOMIC) as engine:
        engine.models.use(MINILM)
    place.index(embedding=NOMIC)
    assert place.states()[MINILM] == "in use"  # the same setting as before is not a new wish
    place.index(embedding="auto")
    assert place.states()[MINILM] == "in use"
    place.index(embedding="ollama:nomic-embed-text:latest")
    assert place.states()[NOMIC] == "in use"


def test_the_static_setting_asks_no_server_for_anything(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.index()
    import socket

    def refuse(*_: object) -> None:
        raise AssertionError("a socket was connected")

    place.settings = {"embedding": "static"}
    with monkeypatch.context() as patch:
        patch.setattr(socket.socket, "connect", refuse)
        patch.setattr(socket.socket, "connect_ex", refuse)
        patch.setattr(socket, "create_connection", refuse)
        place.write(more="# More\n\nAnother note on chains.\n")
        assert place.index().added == 1
        assert place.search("mixing time").hits
        with place.engine() as engine:
            engine.ingest_text("A thought")
            engine.status()
            engine.doctor()
            assert engine.models.listed().setting == "static"
            with pytest.raises(UsageError):
                engine.models.use(NOMIC)
            with pytest.raises(UsageError):
                engine.models.pull("all-minilm")


def test_a_backup_brings_its_model_back(place: Place) -> None:
    place.index()
    with place.engine() as engine:
        backup = engine.backup()
        engine.models.use("static")
        engine.restore(backup)
        embedded = len(place.server.embedded)
        assert first(engine.search(Request("mixing time of a chain", profile="meaning"))) == "gap.md"
    assert place.states()[NOMIC] == "in use"
    assert len(place.server.embedded) == embedded + 1  # the query


def test_a_plain_search_uses_the_model_in_force_and_the_default_profile_without_one(place: Place) -> None:
    place.index()
    with place.engine() as engine:
        plain = engine.search(Request("mixing time of a chain"))
        assert (plain.profile, lamp(plain).state, first(plain)) == ("model", "on", "gap.md")
        assert plain.hits[0].summed() == pytest.approx(plain.hits[0].score)
        place.server.stop()
        down = engine.search(Request("how long does a chain mix"))
        assert (down.profile, lamp(down).state, first(down)) == ("default", "off", "gap.md")
        assert engine.search(Request("mixing", mode="keyword")).profile == "default"
    with place.engine(profile="default") as engine:
        assert engine.search(Request("mixing")).profile == "default"
    with place.engine(embedding="static") as engine:
        assert engine.search(Request("mixing")).profile == "default"
