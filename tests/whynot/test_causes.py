"""why-not names the cause, and a remedy with a rank leads to that rank (S20)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path

import pytest

from ark_tui.curation import edits
from ark_tui.domain.memory import Scope
from ark_tui.domain.query import Filters, Request
from ark_tui.engine import Engine, whynot
from ark_tui.settings import load
from tests.support import SteadyClock

QUERIES = ("why does a spectral gap bound the mixing time", "rank fusion of lists", "hnsw recall")
EXPECTED = ("hnsw.md", "fiedler-numpy.md", "louvain.md")
OTTERS = "# Otters\n\nOtters sleep in rafts of kelp and hold hands.\n"


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "otters.md").write_text(OTTERS, "utf-8")
    (folder / "bats.md").write_text("# Bats\n\nBats hang upside down in caves.\n", "utf-8")
    return folder


@pytest.fixture
def engine(tmp_path: Path, notes: Path) -> Iterator[Engine]:
    environ = {"ARK_MAX_BYTES": "20000", "ARK_IGNORE": "drafts-*"}
    with Engine(load(tmp_path / "home", environ=environ), SteadyClock()) as engine:
        engine.index([notes])
        yield engine


def cause(engine: Engine, query: str, ref: str) -> tuple[str, str]:
    found = whynot.why_not(engine, Request(query), ref)
    return found.cause, found.sentence


def rank_in(engine: Engine, request: Request, document: str) -> int | None:
    """The rank of a document in a search, low-confidence results included."""
    deep = replace(request, limit=1000, below=True, unlogged=True)
    return next((hit.rank for hit in engine.search(deep).hits if hit.document.id == document), None)


def test_rank_and_listed_are_those_of_the_search_and_tried_remedies_lead_where_they_say(
    sample: Engine,
) -> None:
    @cache
    def rank(query: str, document: str) -> int | None:
        return rank_in(sample, Request(query, expand=False), document)

    causes = set()
    for query, ref, limit in product(QUERIES, EXPECTED, (2, 10)):
        request = Request(query, limit=limit, expand=False)
        found = whynot.why_not(sample, request, ref)
        assert found.document is not None
        causes.add(found.cause)
        assert found.rank == rank(query, found.document.id)
        hits = sample.search(replace(request, unlogged=True)).hits
        assert (found.document.id in [hit.document.id for hit in hits]) == (found.cause == "listed")
        for remedy in found.remedies:
            if remedy.query:
                assert remedy.rank == rank(remedy.query, found.document.id)
    assert {"listed", "ranked lower"} <= causes


def test_its_rank_by_each_signal_and_the_words_it_does_not_have_are_told(sample: Engine) -> None:
    found = whynot.why_not(sample, Request("spectral gap of hnsw", limit=1), "hnsw.md")
    assert set(found.missing) == {"spectral", "gap"}
    assert any(part.rank for part in found.signals)


def test_a_filter_an_exclusion_and_an_option_are_named_and_can_be_left_out(sample: Engine) -> None:
    for query, expected, name in (
        ("hnsw recall tag:never", "filter", "tag:never"),
        ("recall -hnsw", "excluded", "-hnsw"),
    ):
        found = whynot.why_not(sample, Request(query, expand=False), "hnsw.md")
        assert (found.cause, name in found.sentence) == (expected, True), found.sentence
        assert found.remedies[0].rank
    narrow = Request("hnsw recall", filters=Filters(types=("adr",)), expand=False)
    found = whynot.why_not(sample, narrow, "hnsw.md")
    assert (found.cause, found.remedies[0].rank is not None) == ("filter", True)


def test_what_is_not_indexed_says_why(engine: Engine, notes: Path) -> None:
    (notes / "drafts-1.md").write_text(OTTERS, "utf-8")
    (notes / "big.md").write_text("otters " * 9000, "utf-8")
    (notes / "picture.bin").write_bytes(bytes(99))
    engine.index([notes])
    (notes / "new.md").write_text(OTTERS, "utf-8")
    (notes / "bats.md").unlink()
    for ref, why in (
        ("drafts-1.md", "is left out of notes"),
        ("big.md", "too large"),
        ("picture.bin", "binary"),
        ("new.md", "is not indexed yet"),
        ("oters.md", "Similar names: otters.md"),
    ):
        named, sentence = cause(engine, "otters", ref)
        assert (named, why in sentence) == ("not indexed", True), sentence
    engine.index([notes])
    assert cause(engine, "bats", "bats.md")[0] == "not indexed"


def test_what_is_hidden_says_what_hides_it(engine: Engine, notes: Path) -> None:
    (notes / "otters-2.md").write_text(OTTERS, "utf-8")
    (notes / "kelp.md").write_text("# Kelp\n\nKelp and bats.\n", "utf-8")
    (notes / "bats.md").write_text("---\nsuperseded_by: kelp\n---\nBats hang in caves.\n", "utf-8")
    engine.index([notes])
    listed = engine.search(Request("otters kelp rafts")).hits[0]
    (double,) = listed.duplicates
    found = whynot.why_not(engine, Request("otters kelp rafts"), double.id)
    assert found.cause == "hidden"
    assert "near-duplicate" in found.sentence
    assert found.instead is not None
    assert found.instead.id == listed.document.id
    named, sentence = cause(engine, "bats", "bats.md")
    assert (named, "superseded by" in sentence) == ("hidden", True), sentence
    engine.curation.edit(edits.trash, ["otters-2.md"])
    assert cause(engine, "otters", "otters-2.md") == ("hidden", "It is in the trash.")


def test_messages_are_pointed_to_and_what_no_index_has_yet_is_waited_for(engine: Engine) -> None:
    engine.memory.conversations.add(Scope(), "user", "Where do otters sleep?")
    (hit,) = engine.search(Request("otters in:history")).hits
    assert cause(engine, "otters", hit.document.id)[0] == "messages"


def test_a_query_that_nothing_answers_is_low_confidence(sample: Engine) -> None:
    found = whynot.why_not(sample, Request("visa application for Brazil", expand=False), "hnsw.md")
    assert found.cause == "low confidence"
    assert found.missing
