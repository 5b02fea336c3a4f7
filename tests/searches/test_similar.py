"""What is like a chunk or document that is there, by its stored vector (S12)."""

from __future__ import annotations

from math import isclose
from pathlib import Path

import pytest

from ark_tui.domain.errors import NotFound, NoVector, UsageError
from ark_tui.domain.query import Filters
from ark_tui.engine import Engine
from ark_tui.store import documents
from tests.corpora import arrival


def test_the_nearest_documents_come_first_and_the_document_itself_is_not_among_them(engine: Engine) -> None:
    result = engine.similar("walks.md")
    paths = [hit.document.path for hit in result.hits]
    assert paths[0] == "gap.md"
    assert sorted(paths) == ["fiedler.md", "gap.md", "rice.md"]


def test_the_score_is_the_cosine_and_its_only_part(engine: Engine) -> None:
    for hit in engine.similar("walks.md").hits:
        (part,) = hit.parts
        assert part.raw == part.contribution == hit.score
        assert -1 <= hit.score <= 1


def test_a_chunk_is_named_by_its_documents_id_and_its_place(engine: Engine) -> None:
    gap = engine.document("gap.md").short_id
    whole, chunk = engine.similar("gap.md"), engine.similar(f"{gap}:0")
    assert chunk.query.raw == f"similar to {gap}:0"
    assert {hit.document.path for hit in chunk.hits} == {hit.document.path for hit in whole.hits}


def test_a_document_counts_as_the_mean_of_its_chunks(engine: Engine, root: Path) -> None:
    (root / "one.md").write_text("A random walk on a graph forgets its start.", "utf-8")
    engine.index([root])
    one = engine.document("one.md").short_id
    document, chunk = engine.similar("one.md"), engine.similar(f"{one}:0")
    for a, b in zip(document.hits, chunk.hits, strict=True):
        assert a.document == b.document
        assert isclose(a.score, b.score, rel_tol=1e-5)


def test_filters_and_the_limit_hold(engine: Engine) -> None:
    assert [hit.document.path for hit in engine.similar("walks.md", 1).hits] == ["gap.md"]
    only = engine.similar("walks.md", filters=Filters(paths=("rice.md",)))
    assert [hit.document.path for hit in only.hits] == ["rice.md"]


def test_an_unknown_chunk_and_one_without_a_vector_are_different_errors(engine: Engine) -> None:
    gap = engine.document("gap.md").short_id
    with pytest.raises(NotFound, match="has no chunk 99"):
        engine.similar(f"{gap}:99")
    with pytest.raises(NotFound, match="no document nowhere"):
        engine.similar("nowhere.md")
    with pytest.raises(UsageError, match="names lines"):
        engine.similar("gap.md:1:3")
    engine.similar("gap.md")
    with engine.store.write() as lease:
        documents.put(lease, [arrival("late.md", "A text that no index has seen yet.")])
    with pytest.raises(NoVector, match="has no vector") as caught:
        engine.similar("late.md")
    assert caught.value.hint
