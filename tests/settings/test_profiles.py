from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ark_tui.domain.profile import Decay
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


def test_a_users_profile_may_start_from_another_of_theirs_in_any_order(config: Config) -> None:
    settings = load(config("[profiles.b]\nfrom = 'a'\n[profiles.a]\nfrom = 'ark'\nk = 1\n"), environ={})
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
