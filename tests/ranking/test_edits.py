"""Scores stay what they are through edits that change no text, and their undo (S1)."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from ark_tui.settings import load
from tests.support import SteadyClock

TEXTS = {
    "gap.md": "# Gaps\n\nThe spectral gap bounds the mixing time.",
    "walk.md": "# Walks\n\nA random walk mixes in some time.",
    "graph.md": "# Graphs\n\nA graph has a gap where two parts hang together loosely.",
}

EDITS = st.lists(st.tuples(st.sampled_from(sorted(TEXTS)), st.sampled_from("ab")), min_size=1, max_size=4)


def scores(engine: Engine) -> dict[str, float]:
    """Of every document, by the BM25 of two queries."""
    return {
        f"{query} {hit.document.path}": next(part.raw for part in hit.parts if part.name == "bm25")
        for query in ("gap", "mixing time")
        for hit in engine.search(Request(query, below=True, unlogged=True)).hits
    }


@settings(max_examples=3, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    edits=st.lists(st.tuples(st.sampled_from(sorted(TEXTS)), st.sampled_from("ab")), min_size=1, max_size=4)
)
def test_no_score_moves_after_tags_and_their_undo(edits: list[tuple[str, str]]) -> None:
    with TemporaryDirectory() as folder:
        notes = Path(folder) / "notes"
        notes.mkdir()
        for name, text in TEXTS.items():
            (notes / name).write_text(text, "utf-8")
        with Engine(load(Path(folder) / "home", environ={}), SteadyClock()) as engine:
            engine.index([notes])
            before = scores(engine)
            assert len(before) >= 4
            for name, tag in edits:
                engine.curation.tag([name], [tag])
                assert scores(engine) == pytest.approx(before, abs=1e-9)
            for _ in edits:
                engine.curation.undo()
                assert scores(engine) == pytest.approx(before, abs=1e-9)
