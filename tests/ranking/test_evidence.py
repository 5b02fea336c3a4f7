"""Scores in 0…1 whose parts add up, a phrase that wins, and the evidence of each part (S1, S24)."""

from __future__ import annotations

from pathlib import Path

import pytest

from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from ark_tui.retrieval import run
from tests.corpora import Bench, filled

NOTES = {
    "gap.md": "The spectral gap bounds the mixing time of a random walk.",
    "walk.md": "A random walk mixes fast. Mixing has a time, and the time has a bound.",
    "host.md": "The printer answers at 192.168.1.1 on the second floor.",
    "other.md": "The scanner answers at 192.168.1.11, and 192.168.1.12 is free. 192.168.1.1.5 is none.",
}


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return filled(tmp_path, NOTES)


@pytest.mark.parametrize("query", ["spectral gap", "what changed in March 2026?", "notes not about tea"])
@pytest.mark.parametrize("profile", ["default", "ark"])
def test_scores_lie_between_0_and_1_and_their_parts_add_up(sample: Engine, query: str, profile: str) -> None:
    hits = sample.search(Request(query, profile=profile, below=True)).hits
    assert hits
    for hit in hits:
        assert 0 <= hit.score <= 1
        assert hit.summed() == pytest.approx(hit.score, abs=1e-9)


def test_a_query_that_stands_word_for_word_in_a_document_has_it_first(bench: Bench) -> None:
    found = run(bench.corpus(), Request("time has a bound", profile="default"))
    assert found.hits[0].document.path == "walk.md"
    assert next(part for part in found.hits[0].parts if part.name == "verbatim").raw == 1.0


def test_an_address_leads_before_longer_ones_that_begin_with_it(bench: Bench) -> None:
    found = run(bench.corpus(), Request("192.168.1.1", profile="default"))
    assert found.hits[0].document.path == "host.md"


def test_each_part_shows_its_evidence_and_a_sentence_sums_it_up(bench: Bench) -> None:
    hit = run(bench.corpus(), Request("spectral gap", profile="default", explain=True)).hits[0]
    parts = {part.name: part for part in hit.parts}
    (first, *_) = parts["bm25"].reasons
    assert first.found.casefold() in {"spectral", "gap"}
    start, end = first.spans[0]
    assert NOTES["gap.md"][start:end].casefold() == first.asked
    assert hit.why is not None
    assert first.asked in hit.why.sentence
    assert hit.why.sentence.endswith(".")


def test_expansion_terms_are_words_that_several_texts_have_and_no_numbers(tmp_path: Path) -> None:
    bench = filled(tmp_path, {
        "a.md": "A deadlock of the mutex, error 00005, seen beside a microphone. The scheduler waits.",
        "b.md": "A deadlock of another mutex 00005. The scheduler waits for ever.",
        "c.md": "Error 00005 of a scheduler.",
    })  # fmt: skip
    terms = run(bench.corpus(), Request("mutex deadlock", profile="ark")).expansion.terms
    assert "scheduler" in terms
    assert not {"00005", "microphone"} & {*terms}
