"""Whatever a model server does, texts are kept, searches answer, and the lamp says what is wrong."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from ark_tui.domain.query import Filters, Request
from ark_tui.domain.work import Check
from ark_tui.embedding import retry
from ark_tui.engine import Engine, indexing
from tests.models.conftest import MINILM, NOMIC, NOTES, Place, first, lamp
from tests.ollama_server import Fault, Kind, OllamaServer

BUDGET = 0.3  # seconds, where a test wants to see it run out


@pytest.fixture(autouse=True)
def _hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pauses between two attempts, shortened."""
    for failure in (retry.Down, retry.Busy, retry.Slow):
        monkeypatch.setattr(failure, "pauses", tuple(0.01 for _ in failure.pauses))


def failed_checks(engine: Engine) -> list[Check]:
    return [check for check in engine.doctor() if check.ok is False]


def test_texts_stored_while_the_server_is_down_are_found_by_words_and_embedded_when_it_is_back(
    place: Place,
) -> None:
    place.index()
    place.server.stop()
    place.write(lanczos="# Lanczos\n\nReorthogonalisation keeps Lanczos vectors apart.\n")
    report = place.index()
    assert (report.added, report.failed) == (1, 0)
    assert [n for n in report.notices if "Ollama refused the connection" in n]
    result = place.search("reorthogonalisation")
    assert first(result) == "lanczos.md"
    assert (lamp(result).state, lamp(result).reason) == ("off", "Ollama refused the connection")
    with place.engine() as engine:
        status = engine.status(rows=True)
        assert status.coverage["waiting"] == 1
        assert [(row.path, row.state) for row in status.rows] == [("lanczos.md", "waiting")]
        assert {f.name: f.behind for f in status.followers} == {
            "words": 0, "vectors": 0, "messages": 0, "ollama nomic-embed-text": 1,
        }  # fmt: skip
        assert "refused the connection" in " ".join(check.detail for check in failed_checks(engine))
    place.server.start()
    waiting = place.search("how are Lanczos vectors kept apart")
    assert (lamp(waiting).state, lamp(waiting).reason) == ("on", "1 chunk without a vector yet")
    with place.engine() as engine:
        engine.sync()
        assert engine.status().coverage["waiting"] == 0
        done = engine.search(Request("how are Lanczos vectors kept apart", profile="meaning"))
    assert (first(done), lamp(done).state, lamp(done).reason) == ("lanczos.md", "on", "")


def test_a_server_that_dies_in_the_middle_leaves_what_was_embedded_and_goes_on_there(place: Place) -> None:
    place.write(**{f"note{i}": f"# Note {i}\n\nThe number {i} of many.\n" for i in range(300)})
    place.server.fault = None
    place.index(embedding="static")
    asked = 0

    def die(request: object) -> None:
        nonlocal asked
        asked += getattr(request, "path", "") == "/api/embed"
        if asked == 5:
            place.server.fault = Fault("dropped")

    place.server.before = die
    with place.engine() as engine, pytest.raises(retry.Down):
        engine.models.use(NOMIC)
    embedded = len(place.server.embedded)
    assert 1 < embedded < 300
    place.server.before = place.server.fault = None
    with place.engine() as engine:
        engine.models.use(NOMIC)
    texts = [text for text in place.server.embedded if text != "dimensions"]
    assert len(texts) == len(set(texts)) == 303
    assert place.states()[NOMIC] == "in use"


def test_the_lamp_tells_of_a_model_that_was_never_reached_and_of_one_being_built(place: Place) -> None:
    place.server.stop()
    report = place.index(embedding=NOMIC)
    assert [n for n in report.notices if "Ollama refused the connection" in n]
    result = place.search("mixing time", embedding=NOMIC)
    assert first(result) == "gap.md"
    assert lamp(result).state == "off"
    assert NOMIC in lamp(result).reason
    with place.engine(embedding=NOMIC) as engine:
        assert engine.status().coverage["waiting"] == 3
    place.server.start()
    place.server.models["nomic-embed-text"].context = 10_000
    place.server.fault = Fault("busy", paths=("/api/embed",), times=1)  # the look at its dimensions gets it
    place.index(embedding=NOMIC)
    place.server.fault = None
    place.index(embedding=NOMIC)
    assert lamp(place.search("mixing time", embedding=NOMIC)).state == "on"


SEARCH_FAULTS: list[tuple[Kind, str]] = [
    ("busy", "Ollama is busy"),
    ("odd", "Ollama gave an invalid answer"),
    ("narrow", "255 dimensions; the corpus has 256"),
    ("elsewhere", "Ollama points elsewhere"),
]


@pytest.fixture(scope="module")
def standing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """A home that is indexed once; every test asks it something else, for queries are remembered."""
    with OllamaServer("nomic-embed-text") as server:
        place = Place(tmp_path_factory.mktemp("standing"), server)
        place.write(**{name.removesuffix(".md"): text for name, text in NOTES.items()})
        place.index(embedding=NOMIC)
        yield place
        for engine in place.engines:
            engine.close()


@pytest.mark.parametrize(("kind", "reason"), SEARCH_FAULTS, ids=[kind for kind, _ in SEARCH_FAULTS])
def test_a_search_answers_without_the_signal_and_says_why(standing: Place, kind: Kind, reason: str) -> None:
    standing.server.fault = Fault(kind)
    result = standing.search(f"mixing time of a chain {kind}")
    assert first(result) == "gap.md"
    assert lamp(result).state == "off"
    assert reason in lamp(result).reason
    assert "cosine" not in {part.name for part in result.hits[0].parts}
    assert result.hits[0].summed() == pytest.approx(result.hits[0].score)


def test_without_the_server_a_search_ranks_as_it_would_without_the_model(standing: Place) -> None:
    with standing.engine() as engine:
        plain = engine.search(Request("how long until a chain mixes", profile="default"))
        standing.server.fault = Fault("busy")
        away = engine.search(Request("how long until a chain mixes"))
        named = engine.search(Request("how long until a chain mixes", profile="model"))
    assert (away.profile, lamp(away).state) == ("default", "off")
    assert [(hit.document.path, hit.score) for hit in away.hits] == [
        (hit.document.path, hit.score) for hit in plain.hits
    ]
    assert named.profile == "model"  # who asks for a profile by its name gets that one


def test_a_model_that_was_removed_is_named(place: Place) -> None:
    place.index()
    del place.server.models["nomic-embed-text"]
    result = place.search("mixing time of a chain")
    assert (first(result), lamp(result).reason) == ("gap.md", "Ollama has no model nomic-embed-text")


def test_a_slow_server_is_not_waited_for_beyond_the_budget_and_its_late_answer_is_kept(place: Place) -> None:
    place.index()
    with place.engine(query_budget=BUDGET) as engine:
        request = Request("mixing time of a chain", profile="meaning")
        engine.search(Request("warm", mode="keyword"))
        place.server.hang()
        slow = engine.search(request)
        assert (first(slow), lamp(slow).state) == ("gap.md", "off")
        assert lamp(slow).reason == f"Ollama did not answer within {BUDGET:g} s"
        asked = len(place.server.asked("/api/embed"))
        place.server.let_go()
        while lamp(engine.search(request)).state != "on":
            time.sleep(0.01)
        assert len(place.server.asked("/api/embed")) == asked  # the late answer came for the first request


def test_searches_do_not_pile_up_behind_a_server_that_hangs(place: Place) -> None:
    place.index()
    with place.engine(query_budget=0.01) as engine:
        place.server.hang()
        asked = len(place.server.asked("/api/embed"))
        results = [engine.search(Request(f"chain {i}", profile="meaning")) for i in range(6)]
        assert {lamp(result).state for result in results} == {"off"}
        assert all(result.hits for result in results)
        assert "has not answered an earlier request" in lamp(results[-1]).reason
        place.server.let_go()
    assert len(place.server.asked("/api/embed")) - asked <= 2


def test_a_query_that_was_asked_before_needs_no_server(place: Place) -> None:
    place.index()
    asked, other = (Request(text, profile="meaning") for text in ("mixing time of a chain", "another query"))
    with place.engine() as engine:
        before = engine.search(asked)
        place.server.stop()
        again = engine.search(asked)
        assert lamp(again).state == "on"
        assert [hit.score for hit in again.hits] == [hit.score for hit in before.hits]
        assert lamp(engine.search(other)).state == "off"


def test_keyword_searches_ask_no_server(place: Place) -> None:
    place.index()
    asked = len(place.server.requests)
    with place.engine() as engine:
        assert engine.search(Request("mixing", mode="keyword", profile="meaning")).hits
    assert len(place.server.requests) == asked


def test_filters_hold_for_texts_that_wait_and_for_tags_that_changed_meanwhile(place: Place) -> None:
    place.write(gap="---\ntags: [old]\n---\n# Spectral gaps\n\nThe gap bounds the mixing time.\n")
    place.index()
    asked = Request("mixing time", profile="meaning", below=True)
    with place.engine() as engine:
        engine.search(asked)  # the query's vector is known from here on
        place.server.stop()
        place.write(gap="---\ntags: [new]\n---\n# Spectral gaps\n\nThe gap bounds the mixing time.\n")
        (place.notes / "bread.md").unlink()
        engine.index([place.notes])
        old = engine.search(replace(asked, filters=Filters(tags=("old",))))
        new = engine.search(replace(asked, filters=Filters(tags=("new",))))
        every = engine.search(asked)
    assert [lamp(one).state for one in (old, new, every)] == ["on", "on", "on"]
    assert [hit.document.path for hit in old.hits] == []
    assert [hit.document.path for hit in new.hits] == ["gap.md"]
    assert "bread.md" not in [hit.document.path for hit in every.hits]
    assert every.dropped == 0


def test_a_single_text_is_embedded_by_the_model_of_its_corpus_from_the_first_on(place: Place) -> None:
    with place.engine() as engine:
        engine.ingest_text("Reversible chains have real spectra.")
        assert indexing.ingest_file(engine, place.notes / "bread.md").added == 1
        found = engine.search(Request("flour and water"))
    assert (found.profile, lamp(found).state, first(found)) == ("model", "on", str(place.notes / "bread.md"))


def test_a_key_file_that_others_may_read_is_a_reason_and_not_the_end(place: Place) -> None:
    address = f"{place.server.host}/v1#nomic-embed-text"
    place.index(embedding=address)
    (place.home / "keys").write_text("EMBEDDING_API_KEY = 'x'")
    (place.home / "keys").chmod(0o644)
    with place.engine(embedding=address) as engine:
        assert engine.ingest_text("Another thought.").path
        result = engine.search(Request("mixing time"))
    assert (first(result), lamp(result).state) == ("gap.md", "off")
    assert "Others may read" in lamp(result).reason


def test_repair_goes_on_where_a_server_was_missing_and_drops_nothing(place: Place) -> None:
    place.index()
    place.server.stop()
    place.write(more="# More\n\nAnother note.\n")
    place.index()
    with place.engine() as engine:
        assert [check.name for check in engine.doctor(repair=True) if check.ok is False] == [
            "index ollama nomic-embed-text",
            "model",
        ]
    place.server.start()
    embedded = len(place.server.embedded)
    with place.engine() as engine:
        assert all(check.ok for check in engine.doctor(repair=True))
    assert len(place.server.embedded) == embedded + 1


def test_a_text_too_long_for_the_model_is_split_and_that_is_said(place: Place) -> None:
    place.server.models["all-minilm"].context = 60
    place.write(long="# Long\n\n" + " ".join(f"word{i}" for i in range(70)) + "\n")
    report = place.index(embedding=MINILM)
    assert "ollama all-minilm: 1 text was too long for it and embedded in pieces" in report.notices
    assert lamp(place.search("word69")).reason == ""


def test_no_key_is_ever_shown_or_kept(
    place: Place, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("EMBEDDING_API_KEY", "sk-very-secret")
    place.server.key = "another"
    caplog.set_level(logging.DEBUG)
    report = place.index(embedding=f"{place.server.host}/v1#nomic-embed-text")
    assert [n for n in report.notices if "refused the key" in n]
    assert "sk-very-secret" not in " ".join(report.notices) + caplog.text
    kept = [path for path in Path(place.home).rglob("*") if path.is_file()]
    assert not [path for path in kept if b"sk-very-secret" in path.read_bytes()]
