"""Sentences are true: what each names is taken away, over the sample and two public sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.evaluation.conftest import SHARED
from tests.ranking import taking_away
from tests.ranking.taking_away import Tally, Text
from tests.soak import figures

pytestmark = pytest.mark.soak

COUNT = 300  # things taken away, of each corpus
SIZE = 150  # texts of a public set


def counted(home: Path, texts: Mapping[str, Text], queries: Sequence[str]) -> Tally:
    tally = taking_away.tried(taking_away.Slice(home, texts), queries, COUNT, each=12)
    assert len(tally.cases) == COUNT
    assert tally.share >= 0.99, [case for case in tally.cases if not case.lowered]
    return tally


def test_a_part_is_less_without_what_its_sentence_names_over_the_sample(tmp_path: Path) -> None:
    passed = figures.begin("What a sentence names, taken away: the sample")
    tally = counted(tmp_path / "slice", taking_away.sample(tmp_path / "own"), taking_away.sample_queries())
    passed(f"{tally.lowered} of {len(tally.cases)} lower the part that they explain")


@pytest.mark.parametrize("name", ["cranfield", "timeqa-a"])
def test_a_part_is_less_without_what_its_sentence_names_over_a_public_set(tmp_path: Path, name: str) -> None:
    folder = SHARED / name
    if not folder.is_dir():
        pytest.skip(f"the public set {name} is not beside the project")
    passed = figures.begin(f"What a sentence names, taken away: {name}")
    tally = counted(tmp_path, taking_away.public(folder, SIZE), taking_away.public_queries(folder))
    passed(f"{tally.lowered} of {len(tally.cases)} lower the part that they explain")
