"""Whether a claim is held by what was said: names, numbers and negations, in whatever words."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ark_tui.memory.support import problems
from tests.memory.talks import Reader, made

CLAIMS = tomllib.loads(Path(__file__).with_name("claims.toml").read_text("utf-8"))["claim"]


@pytest.mark.parametrize(
    ("claim", "said", "wrong"),
    [
        ("Install it with pip.", "Just install it with pip, then it works.", ""),
        ("Install it with npm.", "Just install it with pip, then it works.", "not named: npm"),
        ("Dashboards are in kibana.", "our dashboards live in grafana", "not named: kibana"),
        ("The auth-gateway answers 502.", "The api-gateway answers 502", "not named: auth-gateway"),
        ("Ann is on-call.", "Ann is on call", ""),
        ("`cargo test` needs a GPU.", "cargo build needs a GPU", "not named: test"),
        ("Restart the router after an update.", "you have to reboot the router after the update", ""),
        ("Hilde ran the tests.", "Ann ran the tests", "not named: Hilde"),
        ("Peter wrote it.", "Ann wrote it", "not named: Peter"),
        ("Ensure tmux runs.", "make sure that tmux runs", ""),
        ("Converting it to webp helped.", "I converted it to webp and that helped", ""),
        ("Jenkins wird genutzt.", "Wir nutzen Jenkins nicht mehr.", "the other way round"),
        ("Jenkins wird nicht mehr genutzt.", "Wir nutzen Jenkins nicht mehr.", ""),
        ("Es läuft mit Redis.", "Es läuft ohne Redis.", "the other way round"),
        ("Es braucht Netz und Strom.", "Es braucht weder Netz noch Strom.", "the other way round"),
        ("Es kommt ohne Netz und ohne Strom aus.", "Es braucht weder Netz noch Strom.", ""),
        ("Es braucht keinen Strom und kein Netz.", "Es braucht Netz und Strom.", "the other way round"),
        ("The worker needs a restart.", "neither the api nor the worker needs a restart", "the other way"),
        ("It fails when there is no disk.", "it fails unless there is a disk", ""),
        ("never force pushes", "Please avoid force pushes.", ""),
        ("never force-push", "Force pushes are forbidden here.", ""),
        ("run the tests", "don't forget to run the tests", ""),
        ("never run the tests", "don't forget to run the tests", "the other way round"),
        ("use mocks", "please avoid mocks", "the other way round"),
        ("never globale Variablen", "Vermeide globale Variablen.", ""),
        ("sudo is not needed because Ann is in the group wheel.", "no need for sudo, Ann is in wheel", ""),
    ],
)
def test_names_in_lower_case_and_denials_are_held_by_what_was_said(claim: str, said: str, wrong: str) -> None:
    found = " · ".join(problems(claim, [said]))
    assert (wrong in found) if wrong else not found


@given(
    *[st.text(st.sampled_from("aB1-–`'’.,:;! \n\u200e漢ß_/") | st.characters(codec="utf-8"), max_size=60)] * 2
)
@settings(max_examples=200, deadline=None)
def test_whatever_was_said_and_claimed_is_read_and_what_repeats_it_is_held(claim: str, said: str) -> None:
    problems(claim, [said])
    if said.strip():
        assert problems(said, [said]) == ()


def test_of_what_a_generator_says_lies_are_marked_and_truths_are_not() -> None:
    truth = made(seed=47)
    told = {**truth.facts, **{text: f"{kind} {rule}" for text, (kind, rule) in truth.rules.items()}}
    true, lying = Reader(truth), Reader(truth, lies=True)
    assert len(told) > 200
    assert sum(bool(problems(true.worded(claim), [text])) for text, claim in told.items()) <= 0.05 * len(told)
    assert sum(bool(problems(lying.worded(claim), [text])) for text, claim in told.items()) >= 0.95 * len(
        told
    )


def test_of_what_people_word_freely_most_lies_are_marked_and_few_truths() -> None:
    """Freer than any generator is: both goals are missed here by a known amount, which does not grow."""
    truths = [problems(one["holds"], [one["said"]]) for one in CLAIMS]
    lies = [problems(lie, [one["said"]]) for one in CLAIMS for lie in one.get("lies", ())]
    assert sum(map(bool, truths)) <= 0.1 * len(truths)
    assert sum(map(bool, lies)) >= 0.9 * len(lies)
