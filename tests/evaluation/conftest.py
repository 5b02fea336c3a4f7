"""Judged sets of a few lines, and an engine to measure them with."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from ark_tui.domain.evaluation import Evaluation, Plan
from ark_tui.engine import Engine, evaluating
from ark_tui.settings import load

SHARED = Path(__file__).parents[2].parent / "shared" / "data"
"""The public sets, beside the checkout. They are no part of the project."""

DOCUMENTS: dict[str, Any] = {
    "gap": "The spectral gap of a reversible chain bounds its mixing time.",
    "krylov": "Lanczos restarts keep the Krylov basis small.",
    "bread": "Sourdough wants time, flour, water and salt.",
    "fiedler": "The second eigenvector of the Laplacian cuts a graph in two.",
    "tea": "Green tea is brewed at seventy degrees.",
}
QUERIES = {
    "q1": ("what bounds the mixing time of a chain", "theory", {"gap": 2, "fiedler": 1}),
    "q2": ("how is sourdough bread made", "kitchen", {"bread": 1}),
    "q3": ("cutting a graph with an eigenvector", "theory", {"fiedler": 1}),
    "q4": ("temperature for green tea", "kitchen", {"tea": 1}),
}


def write_lines(path: Path, records: Sequence[Mapping[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return path


def write_qrels(path: Path, rows: Sequence[tuple[str, str, object]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = ["query-id\tcorpus-id\tscore", *("\t".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def write_set(folder: Path) -> Path:
    """A small set in BEIR's layout."""
    write_lines(folder / "corpus.jsonl", [{"_id": i, "title": "", "text": t} for i, t in DOCUMENTS.items()])
    write_lines(
        folder / "queries.jsonl",
        [{"_id": i, "text": text, "metadata": {"category": kind}} for i, (text, kind, _) in QUERIES.items()],
    )
    rows = [(i, d, grade) for i, (_, _, grades) in QUERIES.items() for d, grade in grades.items()]
    write_qrels(folder / "qrels" / "test.tsv", rows)
    return folder


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return write_set(tmp_path / "small")


Evaluate = Callable[..., Evaluation]


@pytest.fixture
def evaluate(tmp_path: Path) -> Iterator[Evaluate]:
    """Measures folders as the engine of a home does that holds nothing."""
    with Engine(load(tmp_path / "own", environ={})) as engine:
        yield lambda *folders, **more: evaluating.evaluate(engine.settings, Plan(folders, **more))
        assert not (tmp_path / "own").exists(), "eval has touched the user's home"


@pytest.fixture(scope="session")
def public() -> Path:
    """The folder of the public sets; tests that need it are skipped where it is not."""
    if not (SHARED / "med" / "corpus.jsonl").is_file():
        pytest.skip("no public sets in ../shared/data, beside the checkout")
    return SHARED
