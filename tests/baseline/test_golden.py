"""Searches rank as they did in 0.1.0: the same order and the same parts of scores within a thousandth."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path

from tests.baseline import golden
from tests.baseline.golden import SETS, Hit


def test_the_first_ten_of_every_query_are_the_same_with_every_part(tmp_path: Path) -> None:
    """Of the sample; the public sets are trials of the soak."""
    assert golden.changed(golden.SAMPLE, tmp_path) == {}


def test_five_hundred_queries_are_kept_and_asked_in_every_way() -> None:
    assert sum(SETS.values()) == 500 == sum(len(golden.kept(name)) for name in SETS)
    assert {tuple(one) for one in golden.VARIANTS} == {(), ("profile",), ("mode",)}
    assert sum(1 for hits in golden.kept("sample").values() if hits) > 150


def hit(document: str, score: float) -> Hit:
    return {"document": document, "score": score, "parts": {"bm25": score}, "factors": {}}


KEPT = [hit("a", 0.9), hit("b", 0.5), hit("c", 0.5)]


def test_ties_may_change_places() -> None:
    assert golden.differing(KEPT, [KEPT[0], KEPT[2], KEPT[1]]) == []
    assert golden.differing(KEPT, [KEPT[0], KEPT[1], hit("d", 0.5)]) == []


def test_another_order_score_part_factor_or_number_of_hits_is_seen() -> None:
    for place, key, value in (
        (0, "document", "z"),
        (1, "score", 0.502),
        (2, "parts", {}),
        (2, "factors", {"x": 0.9}),
    ):
        now = deepcopy(KEPT)
        now[place][key] = value
        assert golden.differing(KEPT, now), key
    assert golden.differing(KEPT, KEPT[:2])
    assert golden.differing(KEPT, [KEPT[1], KEPT[0], KEPT[2]])
