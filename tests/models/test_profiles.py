"""The profiles `ark` and `model` over a served model, by a server that speaks Ollama's protocol.

It embeds with the static model, turned its own way: what ranks is right, while a transformer's own quality
is measured elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ark_tui.domain.hits import Hit, SearchResult
from ark_tui.domain.query import Request
from tests.models.conftest import NOMIC, NOTES, Place, first, lamp
from tests.ollama_server import Fault, OllamaServer

MORE = {
    "walks": "# Walks\n\nA random walk on a reversible chain mixes when its spectral gap is large. [[gap]]\n",
    "clocks": "# Clocks\n\nPendulum clocks lose time in damp modules.\n",
}
QUESTION = "how does the spectral gap of a reversible chain bound mixing"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    with OllamaServer("nomic-embed-text") as server:
        place = Place(tmp_path_factory.mktemp("served"), server)
        place.write(**{name.removesuffix(".md"): text for name, text in NOTES.items()}, **MORE)
        place.index(embedding=NOMIC)
        yield place
        server.let_go()
        for engine in place.engines:
            engine.close()


@pytest.fixture(autouse=True)
def _whole(served: Place) -> None:
    served.server.let_go()


def search(place: Place, query: str, profile: str, *adjust: str) -> SearchResult:
    with place.engine() as engine:
        return engine.search(Request(query, profile=profile, adjust=adjust))


def parts(hit: Hit) -> dict[str, float]:
    return {part.name: part.contribution for part in hit.parts}


def test_a_corpus_with_a_served_model_is_ranked_by_the_model_profile(served: Place) -> None:
    with served.engine() as engine:
        result = engine.search(Request(QUESTION))
    assert (result.profile, first(result), lamp(result).state) == ("model", "gap.md", "on")
    best = parts(result.hits[0])
    assert best["cosine"] == max(best.values())
    assert best.keys() >= {"bm25", "static", "rocchio", "neighbour", "maxsim"}
    assert result.hits[0].summed() == pytest.approx(result.hits[0].score)


def test_in_ark_the_weight_of_the_cosine_belongs_to_the_served_model(served: Place) -> None:
    result = search(served, QUESTION, "ark")
    assert first(result) == "gap.md"
    states = {one.signal: (one.state, one.reason) for one in result.lamps}
    assert states["cosine"] == states["enriched"] == ("on", "")
    assert states["static"] == ("idle", "cosine is there, for which it would stand in")
    assert "static" not in parts(result.hits[0])


def test_in_ark_the_static_cosine_stands_in_for_a_server_that_does_not_answer(served: Place) -> None:
    served.server.fault = Fault("busy")
    result = search(served, f"{QUESTION} for now", "ark")
    states = {one.signal: one.state for one in result.lamps}
    assert (states["cosine"], states["static"], states["enriched"]) == ("off", "on", "on")
    assert first(result) == "gap.md"
    assert parts(result.hits[0])["static"] + parts(result.hits[0])["enriched"] > 0


def test_the_enriched_text_is_the_query_and_the_words_of_its_first_hits(served: Place) -> None:
    result = search(served, "spectral gap of reversible chains", "ark")
    assert result.expansion.source == "feedback"
    assert 0 < len(result.expansion.terms) <= 12
    asked = f"search_query: spectral gap of reversible chains {' '.join(result.expansion.terms)}"
    assert served.server.embedded[-1] == asked


def test_a_server_that_fails_in_between_costs_the_enriched_cosine_alone(served: Place) -> None:
    seen = 0

    def break_off(request: object) -> None:
        nonlocal seen
        seen += getattr(request, "path", "") == "/api/embed"
        if seen == 2:
            served.server.fault = Fault("broken")

    served.server.before = break_off
    result = search(served, "how fast does the spectral gap let a chain mix", "ark")
    served.server.before = None
    states = {one.signal: (one.state, one.reason) for one in result.lamps}
    assert states["cosine"][0] == "on"
    assert states["enriched"][0] == "off"
    assert "Ollama failed with 500" in states["enriched"][1]
    assert result.hits[0].summed() == pytest.approx(result.hits[0].score)


@pytest.mark.parametrize("profile", ["ark", "model"])
def test_each_text_is_listed_by_the_larger_of_its_cosines(served: Place, profile: str) -> None:
    merged = search(served, QUESTION, profile, "weight.enriched=1")
    for hit in merged.hits:
        raw = {part.name: part.raw for part in hit.parts}
        loser = min(("cosine", "enriched"), key=raw.__getitem__)
        assert parts(hit)[loser] == 0.0
        assert {part.rank for part in hit.parts if part.name in ("cosine", "enriched")} == {hit_rank(hit)}


def hit_rank(hit: Hit) -> int | None:
    return next(part.rank for part in hit.parts if part.name == "cosine")
