"""What a sentence names is a reason: without it the part that it explains is less.

The full count, over the sample and two public sets, is in `tests/soak/test_why.py`.
"""

from __future__ import annotations

from pathlib import Path

from tests.ranking import taking_away


def test_a_part_is_less_without_the_word_the_neighbour_or_the_date_that_its_sentence_names(
    tmp_path: Path,
) -> None:
    corpus = taking_away.Slice(tmp_path / "slice", taking_away.sample(tmp_path / "sample"))
    tally = taking_away.tried(corpus, taking_away.sample_queries(), 6)
    assert len(tally.cases) == 6
    assert [case for case in tally.cases if not case.lowered] == []
