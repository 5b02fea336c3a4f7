"""How close the words of texts come to those of a query, in whole texts and in their passages."""

from __future__ import annotations

import numpy as np

from ark_tui.embedding import static

NEAR = "the spectral gap of a chain"
FAR = f"spectral {'rain on the roof of a barn ' * 20}gap"


def test_a_passage_has_what_stands_together_and_a_text_also_what_stands_apart() -> None:
    query, near, far = static.tokens(["spectral gap", NEAR, FAR])
    whole, passage = static.maxsim(query, [near, far], np.ones(len(static.table()), np.float32), 16)
    assert np.allclose(whole, 1.0, atol=0.01)
    assert passage[0] > 0.98
    assert passage[1] < 0.95
    passages = static.closest_in_passages(query, [far], 16)
    assert passages.min(axis=0).max() < 0.9
    assert np.allclose(passages.max(axis=1), 1.0, atol=0.01)
    assert static.closest_in_passages(query, [near], 16).min() > 0.98


def test_passages_begin_every_half_and_never_reach_into_the_next_text() -> None:
    query, one, other = static.tokens(["gap", "rain on the roof", "gap"])
    together = static.closest_in_passages(query, [one, other], 4)
    assert together[0].max() > 0.98
    alone = static.closest_in_passages(query, [one], 4)
    assert np.allclose(together[:, : alone.shape[1]], alone)
    words = static.tokens(["one two three four five six seven eight"])[0]
    for at in range(len(words) - 1):
        pair = words[at : at + 2]
        assert static.closest_in_passages(pair, [words], 4).min(axis=0).max() > 0.98
