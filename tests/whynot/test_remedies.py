"""What why-not says of ranks, and of what would bring a document up, is what a search then does (S20)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from ark_tui.domain.hits import SearchResult
from ark_tui.domain.query import Request
from ark_tui.domain.whynot import Remedy, WhyNot
from ark_tui.engine import Engine
from ark_tui.settings import load
from tests.support import SteadyClock

SAMPLE = Path(__file__).parents[2] / "assets" / "sample"
QUERIES = ("why does a spectral gap bound the mixing time", "rank fusion of lists", "hnsw recall")
EXPECTED = ("hnsw.md", "fiedler-numpy.md", "louvain.md")


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with Engine(load(tmp_path_factory.mktemp("home"), environ={}), SteadyClock()) as engine:
        engine.index([SAMPLE])
        yield engine


@pytest.fixture(scope="module")
def answers(sample: Engine) -> list[tuple[Request, WhyNot]]:
    """Questions after documents that are ranked somewhere."""
    requests = [Request(query, limit=limit, expand=False) for query, limit in product(QUERIES, (2, 10))]
    return [(request, sample.why_not(request, ref)) for request, ref in product(requests, EXPECTED)]


def rank_in(engine: Engine, request: Request, document: str) -> int | None:
    """Where a search has a document, looking below the floor and down to the last."""
    deep = replace(request, limit=1000, below=True, unlogged=True)
    return next((hit.rank for hit in engine.search(deep).hits if hit.document.id == document), None)


def listed(result: SearchResult, document: str) -> bool:
    return any(hit.document.id == document for hit in result.hits)


def test_the_rank_and_whether_it_is_listed_are_those_of_the_search(
    sample: Engine, answers: list[tuple[Request, WhyNot]]
) -> None:
    for request, found in answers:
        assert found.document is not None
        assert found.rank == rank_in(sample, request, found.document.id)
        hits = sample.search(replace(request, unlogged=True))
        assert listed(hits, found.document.id) == (found.stage == "listed"), found.sentence


def test_the_rank_without_a_signal_is_that_of_a_search_in_which_it_weighs_nothing(
    sample: Engine, answers: list[tuple[Request, WhyNot]]
) -> None:
    tried = 0
    for request, found in answers[::5]:
        assert found.document is not None
        for one in found.without:
            if one.what.startswith("the signal "):
                off = replace(request, adjust=(f"weight.{one.what.removeprefix('the signal ')}=0",))
                assert one.rank == rank_in(sample, off, found.document.id)
                tried += 1
    assert tried > 20


def carried_out(request: Request, remedy: Remedy) -> Request:
    """The search as a remedy would have it."""
    changed = replace(request, adjust=(remedy.change,)) if remedy.change else request
    return replace(changed, query=remedy.query or request.query, unlogged=True)


def test_a_word_or_a_weight_that_is_proposed_lists_the_document_at_the_rank_that_is_told(
    sample: Engine, answers: list[tuple[Request, WhyNot]]
) -> None:
    kinds = []
    for request, found in answers:
        for remedy in found.remedies:
            if remedy.kind in {"word", "weight"}:
                assert found.document is not None
                result = sample.search(carried_out(request, remedy))
                ranks = [hit.rank for hit in result.hits if hit.document.id == found.document.id]
                assert ranks == [remedy.rank], remedy
                kinds.append(remedy.kind)
    assert {*kinds} == {"word", "weight"}


def test_no_weight_nearer_to_its_own_would_do(sample: Engine) -> None:
    for query, ref in product(QUERIES, EXPECTED):
        request = Request(query, limit=5, expand=False)
        found = sample.why_not(request, ref)
        for remedy in (one for one in found.remedies if one.kind == "weight"):
            name, _, wanted = remedy.change.partition("=")
            own = sample.settings.profiles["default"].weights[name.removeprefix("weight.")]
            for share in (0.0, 0.5, 0.9, 0.97):
                nearer = own + share * (float(wanted) - own)
                result = sample.search(replace(request, adjust=(f"{name}={nearer}",), unlogged=True))
                assert found.document is not None
                assert not listed(result, found.document.id), (remedy, nearer)


def test_a_query_without_the_filter_brings_the_document_to_the_rank_that_is_told(sample: Engine) -> None:
    for query in ('spectral gap tag:never "no such"', "recall -hnsw type:note", "hnsw type:adr type:journal"):
        request = Request(query, expand=False)
        found = sample.why_not(request, "hnsw.md")
        assert found.stage in {"filter", "exclusion"}, found.sentence
        assert found.document is not None
        for remedy in (one for one in found.remedies if one.kind == "query"):
            assert remedy.rank == rank_in(sample, replace(request, query=remedy.query), found.document.id)
        assert any(one.rank for one in found.without), found


def test_a_file_that_was_saved_since_is_said_to_be(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    note = tmp_path / "notes" / "otters.md"
    note.write_text("# Otters\n\nOtters sleep in rafts.\n", "utf-8")
    with Engine(load(tmp_path / "home", environ={}), SteadyClock()) as engine:
        engine.index([tmp_path / "notes"])
        assert engine.why_not(Request("otters"), "otters.md").remedies == ()
        note.write_text("# Otters\n\nOtters sleep in rafts of kelp, holding hands.\n", "utf-8")
        found = engine.why_not(Request("kelp"), str(note))
    assert found.sentence.endswith("Its file has been saved since it was read.")
    assert str(found.remedies[0].what) == f"Read it as it is now: ark-tui index {tmp_path / 'notes'}."


def test_words_that_the_document_has_not_are_named_the_rarest_first(sample: Engine) -> None:
    found = sample.why_not(Request("spectral gap of hnsw"), "hnsw.md")
    assert {one.word for one in found.missing} == {"spectral", "gap"}
    assert [one.rarity for one in found.missing] == sorted(
        (one.rarity for one in found.missing), reverse=True
    )
    with sample._parts.store.read() as lease:
        texts = lease.count("SELECT count(*) FROM ark.chunks")
    assert all(0 < one.texts < texts for one in found.missing)
