"""Searches that are run are kept, and can be run again and compared (S21)."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from ark_tui.domain.errors import NotFound, StoreLocked
from ark_tui.domain.query import Dated, Either, Every, Filters, Has, Holds, Not, Request, as_json, from_json
from ark_tui.engine import Engine, journal, searches
from ark_tui.settings import load
from ark_tui.store import sessions
from tests.support import SteadyClock


def test_a_search_is_kept_with_its_parameters_model_and_results(engine: Engine) -> None:
    result = engine.search(Request("spectral gap", limit=2, mode="keyword"))
    (kept,) = searches.latest(engine)
    assert (kept.id, kept.query, kept.request.mode, kept.request.limit) == (
        result.retrieval_id,
        "spectral gap",
        "keyword",
        2,
    )
    assert kept.profile["weights"] == engine.settings.profiles[result.profile].weights
    assert kept.model == engine.status().embedding.fingerprint
    assert kept.change == engine.store.change()
    assert [(a.rank, a.document, a.chunk, a.score) for a in kept.answers] == [
        (hit.rank, hit.document.id, hit.chunk.id, hit.score) for hit in result.hits
    ]
    assert [a.path for a in kept.answers] == [hit.document.path for hit in result.hits]


def test_the_newest_comes_first_and_only_as_many_as_are_asked_for(engine: Engine) -> None:
    for query in ("gap", "graph", "rice"):
        engine.search(Request(query))
        engine.unkept()
    assert [kept.query for kept in searches.latest(engine, 2)] == ["rice", "graph"]


def test_what_is_typed_or_unlogged_is_not_kept_and_stages_are_kept_once(engine: Engine) -> None:
    engine.search(Request("sp", typing=True))
    engine.search(Request("spectral", unlogged=True))
    list(engine.search_stages(Request("spectr", typing=True)))
    engine.warm()
    assert searches.latest(engine) == ()
    *_, last = engine.search_stages(Request("spectral gap"))
    assert [kept.id for kept in searches.latest(engine)] == [last.retrieval_id]


def test_a_typed_search_is_kept_once_a_hit_of_it_matters(engine: Engine) -> None:
    request = Request("spectral ga", typing=True)
    result = engine.search(request)
    engine.remember(request, result)
    engine.remember(request, result)
    assert [kept.id for kept in searches.latest(engine)] == [result.retrieval_id]


def test_a_log_that_cannot_be_written_is_told_afterwards_and_costs_no_answer(
    tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = load(tmp_path / "home", environ={})
    with Engine(config, SteadyClock()) as engine, Engine(config, SteadyClock()) as other:
        engine.index([root])
        engine.warm()
        monkeypatch.setattr(journal, "LINGER", 60.0)  # it is written when somebody waits for it
        monkeypatch.setattr(sessions, "LONGEST", 0.05)
        result = engine.search(Request("spectral gap"))
        assert result.hits
        with other.store.write():
            why = engine.unkept()
    assert isinstance(why, StoreLocked)


def test_a_search_run_again_over_the_same_corpus_is_the_same(engine: Engine) -> None:
    result = engine.search(Request("spectral gap"))
    again = searches.rerun(engine, result.retrieval_id)
    assert again.same
    assert len(searches.latest(engine)) == 1


def test_what_moved_came_and_went_is_told(engine: Engine, root: Path) -> None:
    result = engine.search(Request("spectral gap", limit=3))
    before = [hit.document.path for hit in result.hits]
    (root / before[0]).unlink()
    (root / "new.md").write_text("Spectral gap, spectral gap: the spectral gap.", "utf-8")
    engine.index([root])
    again = searches.rerun(engine, result.retrieval_id[:6])
    assert not again.same
    kinds = {move.path: move.kind for move in again.moves}
    assert kinds[before[0]] == "went"
    assert kinds["new.md"] == "came"
    for move in again.moves:
        assert move.after == next(
            (hit.rank for hit in again.after.hits if hit.document.id == move.document), None
        )


def test_a_search_that_is_not_in_the_log_is_an_error(engine: Engine) -> None:
    with pytest.raises(NotFound, match="no search nowhere"):
        searches.rerun(engine, "nowhere")


@pytest.mark.parametrize(
    "request_",
    [
        Request("x"),
        Request("x", mode="semantic", limit=3, literal=True, superseded=True, typing=True),
        Request("x", filters=Filters(collections=("a", "b"), tags=("t",), superseded=True)),
        Request(
            "x",
            filters=Filters(
                dated=Dated(date(2026, 1, 1), None),
                where=Every((Has("tag", "t"), Either((Holds("two words"), Not(Has("path", "docs/*")))))),
            ),
        ),
    ],
)
def test_every_request_comes_back_from_the_log_as_it_was(request_: Request) -> None:
    assert from_json(as_json(request_)) == request_


def test_the_log_holds_together(engine: Engine) -> None:
    engine.search(Request("spectral gap"))
    engine.search(Request("rice"))
    engine.unkept()
    assert [check for check in engine.doctor() if check.ok is False] == []
