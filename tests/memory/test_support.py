"""Whether a claim is held by what was said: names, numbers and negations, in whatever words."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ark_tui.memory.support import problems
from tests.memory.talks import Reader, made


def _claims(name: str) -> list[dict[str, Any]]:
    told: list[dict[str, Any]] = tomllib.loads(Path(__file__).with_name(name).read_text("utf-8"))["claim"]
    return told


def _check(claim: str, said: str, wrong: str) -> None:
    """What is told of a claim has these words in it; where there are none, nothing is told."""
    found = " · ".join(problems(claim, [said]))
    assert (wrong in found) if wrong else not found


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
    _check(claim, said, wrong)


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


@pytest.mark.parametrize(
    ("claim", "said", "wrong"),
    [
        ("The flag is off in production.", "the flag is on in production", "the other way round"),
        ("The flag is disabled in production.", "the flag is off in production", ""),
        ("Autovacuum must not be turned off.", "autovacuum must stay on", ""),
        ("Autovacuum must be turned off.", "autovacuum must stay on", "the other way round"),
        ("Huge pages were enabled.", "we turned off huge pages", "the other way round"),
        ("Reset it after the demo.", "reset it before the demo", "the other way round"),
        ("The pool was lowered to 40.", "I raised the pool to 40", "the other way round"),
        ("No more than four jobs run.", "at most 4 jobs may run", ""),
        ("More than four jobs may run.", "at most 4 jobs may run", "the other way round"),
        ("The port is not reachable.", "the port is closed", ""),
        ("The new balancer lacks sessions.", "the new balancer has no sessions", ""),
        ("The file is separated by commas.", "the file has semicolons, not commas", "the other way round"),
        ("uv must be called with --frozen.", "without --frozen uv rewrites the lock file", ""),
        (
            "uv must be called with --locked.",
            "without --frozen uv rewrites the lock file",
            "not named: --locked",
        ),
        ("Tests use a database rather than mocks.", "don't mock the database in tests", ""),
        ("The key gets 60 calls per hour.", "60 calls a minute for the key", "not said: hour"),
        ("It waits 8 minutes.", "it waits 8 s", "not said: minutes"),
        ("It takes 90 seconds.", "it takes 90 s", ""),
        ("It runs at 06:00 and 18:00.", "it runs at 6 and at 6 pm", ""),
        ("It runs at 07:00.", "it runs at 6", "not said: 7"),
        ("The queue had 12,000 messages.", "the queue had 12k messages", ""),
        ("50 % of the tests are skipped.", "half of the tests are skipped", ""),
        ("A quarter of the tests is skipped.", "a third of the tests is skipped", "not said"),
        ("It is below one millisecond.", "it is less than a millisecond", ""),
        ("The load balancer is new.", "the LB is new", ""),
        ("The API needs a pull request.", "the api needs a PR", ""),
        ("The configuration is in production.", "the config is in prod", ""),
        ("The memory of the machine is full.", "the RAM of the box is full", ""),
        ("The disk of the machine is full.", "the RAM of the box is full", "not named: disk"),
        ("Nach der Abschaltung der Kasse ist Ruhe.", "wir haben die Kasse abgeschaltet, jetzt ist Ruhe", ""),
        ("The frontend is written in react.", "the frontend is written in svelte", "not named: react"),
        ("The frontend uses react.", "the frontend is written in svelte", "not named: react"),
        ("It uses upper(email).", "it uses lower(email)", "not named: upper("),
        ("Tell #sales about it.", "tell #ops about it", "not named: #sales"),
        ("It was shut down in spring.", "it was shut down in autumn", "not named: spring"),
        ("It is due in May.", "it may be due in March", "not named: May"),
    ],
)
def test_opposites_units_and_other_words_for_the_same(claim: str, said: str, wrong: str) -> None:
    _check(claim, said, wrong)


@pytest.mark.parametrize(
    ("name", "truths", "lies"),
    [("claims.toml", 0.04, 0.94), ("claims_tuning.toml", 0.095, 0.855), ("claims_unseen.toml", 0.25, 0.82)],
)
def test_of_what_people_word_freely_most_lies_are_marked_and_few_truths(
    name: str, truths: float, lies: float
) -> None:
    """Freer than any generator is: the goals, 0.05 and 0.95, are missed by a known amount (decision 94).

    Only of the last file say the shares what to expect: the rules were made with the other two.
    """
    claims = _claims(name)
    held = [problems(one["holds"], [one["said"]]) for one in claims]
    lied = [problems(lie, [one["said"]]) for one in claims for lie in one.get("lies", ())]
    assert sum(map(bool, held)) <= truths * len(held)
    assert sum(map(bool, lied)) >= lies * len(lied)
