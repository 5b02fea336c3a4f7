"""The sample corpus and its sixty judged queries: the shipped ranking must not fall below its floor."""

from __future__ import annotations

import csv
import json
from math import log2
from pathlib import Path

import pytest

from ark_tui.domain.query import Request
from ark_tui.engine import Engine

ASSETS = Path(__file__).parents[2] / "assets"
FLOOR = {"default": 0.78, "ark": 0.64}
"""Mean nDCG@10 over the sixty queries, a point below what was measured when it was last raised."""


def queries() -> list[tuple[str, str, dict[str, int]]]:
    """Id, text and judgements (path → grade) of each query."""
    grades: dict[str, dict[str, int]] = {}
    with (ASSETS / "judged" / "qrels.tsv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            grades.setdefault(row["query-id"], {})[row["corpus-id"]] = int(row["score"])
    lines = (ASSETS / "judged" / "queries.jsonl").read_text("utf-8").splitlines()
    return [(q["_id"], q["text"], grades[q["_id"]]) for q in map(json.loads, lines)]


def ndcg(ranked: list[str], grades: dict[str, int], depth: int = 10) -> float:
    """Normalised discounted cumulated gain, exponential gain (Burges et al. 2005)."""

    def gain(found: list[int]) -> float:
        return float(sum((2**grade - 1) / log2(rank + 2) for rank, grade in enumerate(found[:depth])))

    return gain([grades.get(path, 0) for path in ranked]) / gain(sorted(grades.values(), reverse=True))


@pytest.mark.parametrize("profile", FLOOR)
def test_the_judged_queries_stay_above_their_floor(sample: Engine, profile: str) -> None:
    scores = {}
    for name, text, grades in queries():
        hits = sample.search(Request(text, profile=profile, below=True)).hits
        ranked = list(dict.fromkeys(hit.document.path for hit in hits))
        scores[name] = ndcg(ranked, grades)
    assert len(scores) == 60
    mean = sum(scores.values()) / len(scores)
    assert mean >= FLOOR[profile], sorted(scores.items(), key=lambda item: item[1])[:8]


def test_every_judged_document_is_in_the_corpus(sample: Engine) -> None:
    for _, _, grades in queries():
        for path in grades:
            assert sample.document(f"sample/{path}").path == path if not path.endswith(".jsonl") else True
