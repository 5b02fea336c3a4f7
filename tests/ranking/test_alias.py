"""Short forms and what they stand for, as texts here define them (S5)."""

from __future__ import annotations

from pathlib import Path

import pytest

from ark_tui.domain.hits import SearchResult, SignalStatus
from ark_tui.domain.query import Filters, Request
from ark_tui.retrieval import aliases, run
from tests.corpora import Bench, arrival, filled

TEXTS = {
    "intro.md": "Retrieval augmented generation (RAG) hands found passages to a writer.",
    "glossary.md": "**KBO**: knowledge base officer. Who keeps the shelves.\n\n**Gap**: of a spectrum.",
    "long.md": "Our retrieval augmented generation quotes its sources.",
    "short.md": "With RAG in place the desk answers twice as many letters.",
    "officer.md": "Hanne is the knowledge base officer since May.",
    "tea.md": "Tea wants hot water.",
    "bread.md": "Sourdough wants flour.",
}


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return filled(tmp_path_factory.mktemp("home"), TEXTS)


def search(bench: Bench, query: str, *adjust: str, **more: object) -> SearchResult:
    return run(bench.corpus(), Request(query, profile="default", adjust=adjust, below=True, **more))  # type: ignore[arg-type]


def paths(result: SearchResult) -> list[str]:
    return [hit.document.path for hit in result.hits]


def lamp(result: SearchResult) -> SignalStatus | None:
    return next((one for one in result.lamps if one.signal == "alias"), None)


def said(result: SearchResult) -> str:
    found = lamp(result)
    return found.reason if found else ""


def given(result: SearchResult, path: str) -> float:
    hit = next(hit for hit in result.hits if hit.document.path == path)
    return sum(part.contribution for part in hit.parts if part.name == "alias")


@pytest.mark.parametrize(
    ("text", "short", "long"),
    [
        ("We use reciprocal rank fusion (RRF) here.", "RRF", "reciprocal rank fusion"),
        ("lists merged by RRF (reciprocal rank fusion)", "RRF", "reciprocal rank fusion"),
        ("so retrieval augmented\ngeneration (RAG) it is", "RAG", "retrieval augmented generation"),
        ("**ANN**: approximate nearest neighbours. No net.", "ANN", "approximate nearest neighbours"),
        ("- **ANN:** approximate nearest neighbours", "ANN", "approximate nearest neighbours"),
        ("PRF — pseudo-relevance feedback, once", "PRF", "pseudo-relevance feedback"),
        ("nDCG - normalised discounted cumulative gain", "nDCG", "normalised discounted cumulative gain"),
        ("Die Deutsche Bahn (DB) kam.", "DB", "Deutsche Bahn"),
        ("Securities and Exchange Commission (SEC)", "SEC", "Securities and Exchange Commission"),
    ],
)
def test_a_definition_is_read(text: str, short: str, long: str) -> None:
    assert list(aliases.definitions(text, "a.md")) == [(short, long, "a.md")]


@pytest.mark.parametrize(
    "text",
    [
        "Reciprocal rank fusion (draft)",  # no short form
        "reciprocal rank fusion (XYZ)",  # other letters
        "RRF: merges lists",  # says what it does
        "which is fairly complicated as a concept (WACC)",  # a piece of a sentence
        "key.encode(ENC) = n.oid(ON)",  # code
        "A long line of nothing (" + "x" * 5_000,
    ],
)
def test_what_is_no_definition_is_left(text: str) -> None:
    assert list(aliases.definitions(text)) == []


def test_of_several_long_forms_the_commonest_is_meant() -> None:
    found = [
        aliases.Definition("EV", long, path)
        for long, path in (("enterprise value", "a"), ("electric vehicle", "b"), ("Electric Vehicles", "c"))
    ]
    assert aliases.commonest(found) == ("EV", "electric vehicle", "b")
    assert aliases.commonest([]) is None


@pytest.mark.parametrize("query", ["RAG", "what do we do with RAG"])
def test_a_short_form_finds_what_is_spelled_out(bench: Bench, query: str) -> None:
    result = search(bench, query)
    assert lamp(result) == SignalStatus("alias", "on", "RAG = Retrieval augmented generation, in intro.md")
    assert given(result, "long.md") > 0
    assert paths(result).index("long.md") < 3


def test_a_short_form_that_is_no_word_is_looked_up_in_small_letters_too(bench: Bench) -> None:
    result = search(bench, "kbo")
    assert said(result) == "KBO = knowledge base officer, in glossary.md"
    assert given(result, "officer.md") > 0
    assert "officer.md" in paths(result)[:2]


def test_what_is_spelled_out_finds_the_short_form(bench: Bench) -> None:
    result = search(bench, "retrieval augmented generation desk")
    assert said(result) == "RAG = Retrieval augmented generation, in intro.md"
    assert given(result, "short.md") == max(given(result, path) for path in paths(result)) > 0


@pytest.mark.parametrize(
    "query",
    [
        "hot water",
        "augmented tea",
        "RAG, retrieval augmented generation",
        "gap",
        "rag desk",  # everybody knows that word: it is looked up in capitals only
    ],
)
def test_a_query_without_another_form_ranks_as_it_did(bench: Bench, query: str) -> None:
    result, without = search(bench, query), search(bench, query, "weight.alias=0")
    assert lamp(result) is None
    assert [(hit.document.path, hit.score) for hit in result.hits] == [
        (hit.document.path, hit.score) for hit in without.hits
    ]


@pytest.mark.parametrize("name", ["RAG", "Retrieval Augmented Generation"])
def test_a_form_that_is_not_wanted_is_left_out(bench: Bench, name: str) -> None:
    assert lamp(search(bench, "RAG desk", without=(name,))) is None


def test_a_text_that_may_not_answer_defines_nothing(bench: Bench) -> None:
    corpus = bench.corpus()
    request = Request("RAG", profile="default", filters=Filters(paths=("long.md", "short.md")))
    assert lamp(run(corpus, request)) is None


def test_a_definition_that_goes_is_no_longer_known(tmp_path: Path) -> None:
    home = filled(tmp_path, TEXTS)
    assert said(search(home, "KBO"))
    home.put(arrival("glossary.md", "**KBO**: left."))
    home.sync()
    assert lamp(search(home, "KBO")) is None
