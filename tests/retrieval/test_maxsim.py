"""How close the words of texts come to those of a query, in whole texts and in their passages."""

from __future__ import annotations

import numpy as np

from ark_tui.embedding import static
from ark_tui.retrieval.signals.maxsim import closest, measured

NEAR = "the spectral gap of a chain"
FAR = f"spectral {'rain on the roof of a barn ' * 20}gap"


def test_words_that_stand_together_count_more_than_the_same_words_apart() -> None:
    query, near, far = static.tokens(["spectral gap", NEAR, FAR])
    close, starts = closest(query.astype(np.int64), [near, far])
    assert close[:, : starts[1]].min() > 0.98  # one passage has both
    assert close[:, starts[1] :].min(axis=0).max() < 0.9  # none has
    assert np.allclose(close[:, starts[1] :].max(axis=1), 1.0, atol=0.01)
    together, apart = measured(np.full(len(query), 1 / len(query)), close, starts)
    assert together > apart


def test_no_passage_reaches_into_the_next_text() -> None:
    query, one, other = static.tokens(["gap", "rain on the roof", "gap"])
    together, starts = closest(query.astype(np.int64), [one, other])
    alone, _ = closest(query.astype(np.int64), [one])
    assert np.allclose(together[:, : starts[1]], alone)
    assert together[0].max() > 0.98


def test_two_tokens_beside_each_other_are_in_one_passage_wherever_they_stand() -> None:
    words = static.tokens([" ".join(f"one two three four five six seven {number}" for number in range(12))])[
        0
    ]
    for at in range(len(words) - 1):
        close, _ = closest(words[at : at + 2].astype(np.int64), [words])
        assert close.min(axis=0).max() > 0.98
