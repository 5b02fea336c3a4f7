"""Whether the quotes of a claim hold its numbers, names and negations (M17)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ark_tui.memory.support import alike, problems


@pytest.mark.parametrize(
    ("claim", "said", "wrong"),
    [
        ("CI takes nine minutes.", "The CI needs 9 minutes now", ""),
        ("CI takes ten minutes.", "The CI needs 9 minutes now", "not said: 10"),
        ("There were 1,200 rows.", "1200 rows came", ""),
        ("It costs 1.50 a day.", "it costs 1.5 a day", ""),
        ("It runs at 04:00.", "it runs at 4am", ""),
        ("The queue had 12,000 messages.", "the queue had 12k messages", ""),
        ("Since v2.1 it breaks.", "it breaks since v2.2", "not said: 2.1"),
        ("Ben deploys on Fridays.", "Ann deploys on Fridays", "not named: Ben"),
        ("Restarting helps.", "after a restart it helps", ""),
        ("Call load_index first.", "you have to call load_graph first", "not named: load_index"),
        ("Ann is on-call.", "Ann is on call", ""),
        ("The build does not need a GPU.", "The build needs a GPU", "the other way round"),
        ("Die Tests brauchen kein Netz.", "Die Tests brauchen Netz.", "the other way round"),
        ("never push to main", "Please don't push to main.", ""),
        ("Anything at all.", "", "has no source in the messages"),
    ],
)
def test_numbers_names_and_negations_must_be_in_the_quotes(claim: str, said: str, wrong: str) -> None:
    found = " · ".join(problems(claim, [said] if said else []))
    assert (wrong in found) if wrong else not found


@given(
    *[st.text(st.sampled_from("aB1-–`'’.,:;! \n\u200e漢ß_/") | st.characters(codec="utf-8"), max_size=60)] * 2
)
@settings(max_examples=100, deadline=None)
def test_any_claim_is_read_and_one_that_repeats_its_quote_is_held(claim: str, said: str) -> None:
    problems(claim, [said])
    if said.strip():
        assert problems(said, [said]) == ()


def test_claims_are_alike_in_other_words_and_not_with_other_numbers() -> None:
    assert alike("Ann feeds the otters at 15:15.", "ann feeds otters at 15:15") >= 0.8
    assert alike("Ann feeds the otters at 15:15.", "Ann feeds the otters at 15:45.") == 0
    assert alike("Ann feeds the otters.", "Ann does not feed the otters.") == 0
