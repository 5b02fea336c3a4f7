"""Profiles of the ranking: shipped, derived, changed for one search, written and read again."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ark_tui.domain.errors import UsageError
from ark_tui.domain.profile import Access, Decay, Feedback, Graph, Profile
from ark_tui.retrieval.signals import SIGNALS
from ark_tui.settings import load, ranking

Config = Callable[[str], Path]


def test_the_shipped_profiles_are_sound_and_default_comes_first() -> None:
    profiles = ranking.shipped()
    assert next(iter(profiles)) == "default"
    assert all(profile.about and profile.weights for profile in profiles.values())


def test_the_ark_profile_holds_the_numbers_of_the_described_system() -> None:
    ark = ranking.shipped()["ark"]
    assert (ark.fusion, ark.k, ark.weights["bm25"], ark.decay) == ("rrf", 15.0, 1.5, Decay(0.3, 0.5))


def test_a_users_profile_starts_from_another_and_changes_what_it_names(config: Config) -> None:
    settings = load(
        config(
            "[profiles.mine]\nfrom = 'ark'\nk = 60\ndecay.rate = 0.1\n[profiles.mine.weights]\nbm25 = 3\n"
        ),
        environ={},
    )
    ark, mine = settings.profiles["ark"], settings.profiles["mine"]
    assert settings.warnings == ()
    assert (mine.name, mine.fusion, mine.k) == ("mine", "rrf", 60.0)
    assert mine.weights == {**ark.weights, "bm25": 3.0}
    assert mine.decay == Decay(0.3, 0.1)


def test_a_users_profile_may_start_from_an_earlier_one_of_theirs(config: Config) -> None:
    settings = load(config("[profiles.a]\nfrom = 'ark'\nk = 1\n[profiles.b]\nfrom = 'a'\n"), environ={})
    assert settings.profiles["b"].k == settings.profiles["a"].k == 1.0


def test_profiles_that_start_from_each_other_are_a_warning(config: Config) -> None:
    settings = load(config("[profiles.a]\nfrom = 'b'\n[profiles.b]\nfrom = 'a'\nk = 1\n"), environ={})
    assert {"default", "ark", "model", "a", "b"} == settings.profiles.keys()
    assert settings.warnings


def test_a_users_profile_of_a_shipped_name_changes_the_shipped_one(config: Config) -> None:
    settings = load(config("[profiles.ark]\nk = 60\ndecay = false\n"), environ={})
    assert settings.profiles["ark"].k == 60.0
    assert settings.profiles["ark"].decay is None
    assert settings.profiles["ark"].fusion == "rrf"


def test_what_cannot_be_used_in_a_profile_is_named_and_the_rest_applies(config: Config) -> None:
    plain = "[profiles.mine]\nk = 'x'\ndepth = 50\ncolour = 1\nfusion = 'magic'\n"
    weights = "[profiles.mine.weights]\nbm25 = 'heavy'\nmaxsim = 1\n"
    settings = load(config(plain + weights), environ={})
    mine, base = settings.profiles["mine"], settings.profiles["default"]
    assert (mine.k, mine.depth, mine.fusion) == (base.k, 50, base.fusion)
    assert mine.weights == {**base.weights, "maxsim": 1.0}
    told = "\n".join(settings.warnings)
    for line, key in [(2, "k"), (4, "colour"), (5, "fusion"), (7, "weights.bm25")]:
        assert f"config.toml:{line}: profiles.mine.{key} " in told


def test_a_profile_that_starts_from_nothing_known_is_named_and_starts_from_default(config: Config) -> None:
    settings = load(config("[profiles.mine]\nfrom = 'nix'\nk = 1\n"), environ={})
    assert "config.toml:2: profiles.mine.from must be one of ark, default" in settings.warnings[0]
    assert settings.profiles["mine"].k == 1.0


def test_profiles_of_the_wrong_shape_are_warnings(config: Config) -> None:
    assert "must be a table" in load(config("[profiles]\nmine = 5"), environ={}).warnings[0]
    assert "must be tables" in load(config("profiles = 5"), environ={}).warnings[0]


DEFAULT = ranking.shipped()["default"]
ARK = ranking.shipped()["ark"]

number = st.floats(0, 100, allow_nan=False)
share = st.floats(0, 1, allow_nan=False)
profiles = st.builds(
    Profile,
    name=st.text(min_size=1, max_size=20).filter(lambda text: text.isprintable()),
    about=st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=40),
    fusion=st.sampled_from(["convex", "rrf"]),
    k=number,
    depth=st.integers(1, 1000),
    sigma=number,
    mmr=share,
    stand_in=st.booleans(),
    weights=st.dictionaries(st.sampled_from(ranking.SIGNALS), number),
    boosts=st.dictionaries(st.sampled_from(ranking.FIELDS), number),
    feedback=st.builds(
        Feedback,
        st.sampled_from(["fused", "cosine"]),
        st.integers(0, 9),
        st.floats(-1, 1),
        st.integers(0, 50),
    ),
    graph=st.builds(Graph, st.integers(0, 5), st.integers(0, 9), st.floats(-1, 1)),
    decay=st.none() | st.builds(Decay, share, share),
    access=st.none() | st.builds(Access, share, st.floats(1, 10)),
    stop_words=st.booleans(),
)


@given(profile=profiles)
def test_a_profile_written_as_toml_and_read_again_is_the_same(profile: Profile) -> None:
    base = Profile("base")
    table = tomllib.loads(ranking.difference(profile, base))["profiles"][profile.name]
    faults: list[str] = []
    assert table.pop("from") == "base"
    again = ranking.derived(base, profile.name, table, lambda path, why: faults.append(f"{path} {why}"))
    assert (again, faults) == (profile, [])


def test_every_signal_can_have_a_weight_and_nothing_else_can() -> None:
    names = tuple(signal.info.name for signal in SIGNALS)
    assert names == ranking.SIGNALS, "python -m ark_tui.retrieval.signals"
    assert len({signal.info.letter for signal in SIGNALS}) == len(SIGNALS)
    assert all(signal.info.about.endswith(".") for signal in SIGNALS)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("weight.bm25=0.3", replace(DEFAULT, weights={**DEFAULT.weights, "bm25": 0.3})),
        ("weights.graph=1", replace(DEFAULT, weights={**DEFAULT.weights, "graph": 1.0})),
        ("boost.title=0", replace(DEFAULT, boosts={**DEFAULT.boosts, "title": 0.0})),
        ("k=60", replace(DEFAULT, k=60.0)),
        ("depth = 20", replace(DEFAULT, depth=20)),
        ("sigma=30", replace(DEFAULT, sigma=30.0)),
        ("lambda=0.5", replace(DEFAULT, mmr=0.5)),
        ("fusion=rrf", replace(DEFAULT, fusion="rrf")),
        ("stand_in=yes", replace(DEFAULT, stand_in=True)),
        ("feedback.source=cosine", replace(DEFAULT, feedback=replace(DEFAULT.feedback, source="cosine"))),
        ("graph.hops=1", replace(DEFAULT, graph=replace(DEFAULT.graph, hops=1))),
        ("decay.rate=0.1", replace(DEFAULT, decay=Decay(rate=0.1))),
    ],
)
def test_one_parameter_is_changed_and_the_rest_stays(change: str, expected: Profile) -> None:
    assert ranking.changed(DEFAULT, [change]) == expected


def test_changes_follow_each_other_and_a_part_can_be_switched_off() -> None:
    changed = ranking.changed(ARK, ["k=1", "decay=off", "access=false", "k=2"])
    assert (changed.k, changed.decay, changed.access) == (2.0, None, None)


@pytest.mark.parametrize(
    ("change", "what", "hint"),
    [
        ("k", "k is not a change", "weight.bm25=0.3"),
        ("kk=1", "A profile has no kk", "k, depth, sigma, mmr"),
        ("about=x", "A profile has no about", "weight.SIGNAL"),
        ("weight.bm24=1", "There is no weight.bm24", "Did you mean bm25?"),
        ("weight=1", "weight needs a name", "bm25, verbatim, static"),
        ("graph.width=1", "There is no graph.width", "graph.hops"),
        ("decay=fast", "decay is a table", "decay.floor"),
        ("k=fast", "k must be a number from 0 to 10000, not 'fast'", "ark-tui config"),
        ("depth=0", "depth must be a whole number", ""),
        ("mmr=2", "mmr must be a number from 0 to 1", ""),
        ("mmr=nan", "mmr must be a number from 0 to 1", ""),
        ("weight.bm25=", "weight.bm25 must be a number", ""),
    ],
)
def test_what_cannot_be_changed_names_what_can(change: str, what: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        ranking.changed(DEFAULT, [change])
    assert what in caught.value.what
    assert hint in caught.value.hint
