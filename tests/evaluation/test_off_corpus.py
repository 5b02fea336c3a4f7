"""Queries that a corpus has nothing about: how they are drawn, and what becomes of them on a public set."""

from __future__ import annotations

from pathlib import Path

import pytest

from ark_tui.evaluation import sets
from benchmarks import abstention
from benchmarks.abstention import Answered, answered, drawn, share_refused
from benchmarks.negation import indexed


def test_the_floor_spares_the_answers_that_it_was_fitted_on() -> None:
    def made(kind: str, cosine: float) -> Answered:
        found = {**dict.fromkeys(abstention.FITTED, 0.5), "passage": cosine}
        shares = (1.0,) if kind == "own" else ()
        return Answered(kind, refused=False, nothing=False, sure=False, found=found, shares=shares)

    own = [made("own", 0.4 + 0.001 * number) for number in range(200)]
    other = [made("other", 0.3 - 0.001 * number) for number in range(200)]
    weights, bias = abstention.fitted({"one": [*own, *other]})
    assert sum(abstention.standing(one, weights, bias) < 0 for one in own) <= abstention.ALLOWED * len(own)
    assert sum(abstention.standing(one, weights, bias) >= 0 for one in other) == 0


@pytest.mark.soak
def test_on_a_public_set_none_of_its_own_queries_is_refused_and_few_others_are_answered(
    public: Path, tmp_path: Path
) -> None:
    med, cosqa = (sets.read(public / name) for name in ("med", "cosqa"))
    with indexed(med, tmp_path) as engine:
        answers = [answered(engine, one) for one in drawn(med, [med, cosqa], short=False)]
    assert share_refused(answers, "own") == 0
    assert share_refused(answers, "other") >= 0.9
    assert share_refused(answers, "letters") >= 0.9
