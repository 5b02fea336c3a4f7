"""Requirement I4: a broken config is a warning that names file, line and key; the rest still applies."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ark_tui.settings import lenient, load

Config = Callable[[str], Path]


def test_a_wrong_type_names_file_line_and_key_and_the_rest_applies(config: Config) -> None:
    home = config('# mine\ntheme = "nord"\nmax_tokens = "many"\nblink = true\n')
    settings = load(home, environ={})
    (warning,) = settings.warnings
    assert warning.startswith(f"{home / 'config.toml'}:3: max_tokens must be a whole number from 16 to 8192")
    assert (settings.theme, settings.max_tokens, settings.blink) == ("nord", 500, True)


def test_a_file_of_nothing_but_faults_is_given_up_after_fifty(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed, tried = lenient._loads, 0

    def counting(text: str) -> lenient.Table:
        nonlocal tried
        tried += 1
        return parsed(text)

    monkeypatch.setattr(lenient, "_loads", counting)
    found = lenient.parse("= 1\n" * 300)
    assert (found.values, len(found.faults)) == ({}, lenient.MOST_FAULTS)
    assert tried <= (lenient.LONGEST + 1) * lenient.MOST_FAULTS + 1


def test_each_line_of_a_broken_file_is_looked_at_once_for_the_start_of_a_statement(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked: list[str] = []
    monkeypatch.setattr(lenient, "_STARTS", SimpleNamespace(match=looked.append))
    assert len(lenient.parse("\n" * 500 + "x").faults) == 1
    assert len(looked) == 501


@pytest.mark.parametrize(
    "line",
    [
        "strategy = 'magic'", "dedup = true", "blink = 1", "ignore = '*.log'", "lease_timeout = nan",
        "keymap = ['q']",
    ],
)  # fmt: skip
def test_every_kind_of_value_is_checked(config: Config, line: str) -> None:
    settings = load(config(f"profile = 'ark'\n{line}"), environ={})
    (warning,) = settings.warnings
    assert f"config.toml:2: {line.partition(' ')[0]} must be " in warning
    assert settings.profile == "ark"


def test_a_bad_entry_of_a_list_leaves_the_others(config: Config) -> None:
    settings = load(config("ignore = ['*.tmp', 5, 'out/']"), environ={})
    (warning,) = settings.warnings
    assert "config.toml:1: ignore must be a list of texts, not 5. It is left out." in warning
    assert settings.ignore == ("*.tmp", "out/")


def test_a_line_that_is_not_toml_is_dropped_and_named(config: Config) -> None:
    settings = load(config('theme = "nord"\nprofile = ark\nblink = true\n'), environ={})
    (warning,) = settings.warnings
    assert "config.toml:2: left out" in warning
    assert (settings.theme, settings.profile, settings.blink) == ("nord", "default", True)


def test_a_list_that_is_never_closed_takes_nothing_else_with_it(config: Config) -> None:
    settings = load(config('ignore = [\n  "*.log",\ntheme = "nord"\n[keymap]\nquit = "f10"\n'), environ={})
    assert (settings.theme, settings.keymap) == ("nord", {"quit": "f10"})
    assert ["config.toml:1:" in settings.warnings[0], "config.toml:2:" in settings.warnings[1]] == [
        True,
        True,
    ]


def test_a_key_that_is_given_twice_is_a_warning_at_its_second_line(config: Config) -> None:
    settings = load(config('theme = "nord"\nblink = true\ntheme = "dracula"\n'), environ={})
    assert "config.toml:3:" in settings.warnings[0]
    assert (settings.theme, settings.blink) == ("nord", True)


def test_an_unknown_key_is_named_with_the_one_that_was_meant(config: Config) -> None:
    settings = load(config('blink = true\nprofle = "ark"\n'), environ={})
    (warning,) = settings.warnings
    assert "config.toml:2: profle is not a setting; did you mean profile?" in warning


def test_an_unknown_key_in_a_table_is_found_at_its_header(config: Config) -> None:
    settings = load(config("blink = true\n\n[them]\nname = 'x'\n"), environ={})
    assert "config.toml:3: them is not a setting; did you mean theme?" in settings.warnings[0]


def test_a_config_that_is_not_text_is_a_warning(home: Path) -> None:
    home.mkdir()
    (home / "config.toml").write_bytes(b"\xff\xfe\x00\nblink = true\n")
    settings = load(home, environ={})
    assert settings.warnings
    assert settings.blink is True


def test_a_config_that_is_a_folder_is_a_warning(home: Path) -> None:
    (home / "config.toml").mkdir(parents=True)
    assert "config.toml:1:" in load(home, environ={}).warnings[0]


def test_an_unknown_profile_in_the_config_is_a_warning(config: Config) -> None:
    settings = load(config("profile = 'arc'"), environ={})
    assert "config.toml:1: profile cannot be arc; did you mean ark?" in settings.warnings[0]
    assert (settings.profile, settings.origin("profile")) == ("default", "default")


GOOD = (
    'theme = "nord"',
    "blink = true",
    'ignore = [\n  "*.log", # noise\n  "a#b",\n]',
    "max_tokens = 100",
    "[keymap]\nx = 'y'",
)
BAD = ("theme =", "= 5", "[keymap", "a b c", 'x = "open', "\\", "x = [1, 2", "{}", "'''")


@given(st.integers(0, len(GOOD)), st.lists(st.sampled_from(BAD), min_size=1, max_size=3, unique=True))
def test_whatever_is_broken_all_sound_statements_survive(place: int, bad: list[str]) -> None:
    text = "\n".join([*GOOD[:place], *bad, *GOOD[place:]])
    read = lenient.parse(text)
    assert read.values == tomllib.loads("\n".join(GOOD))
    lines = text.splitlines()
    assert sorted(lines[fault.line - 1] for fault in read.faults) == sorted(bad)


@given(st.text(alphabet="ab=[]{}\"'#.\n 1,", max_size=80))
def test_no_text_breaks_the_reading(text: str) -> None:
    read = lenient.parse(text)
    try:
        assert read.values == tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        assert read.faults


@pytest.mark.parametrize(
    "line", ["a = " + "[" * 100_000, "a = " + "9" * 5_000, "watch = 0x" + "f" * 5_000, "a." * 5_000 + "b = 1"]
)
def test_a_value_that_no_parser_follows_is_left_out_and_the_rest_applies(home: Path, line: str) -> None:
    home.mkdir()
    (home / "config.toml").write_text(f"{line}\nblink = true\n")
    found = load(home, environ={})
    assert found.blink
    assert any("config.toml:1" in warning and len(warning) < 1_000 for warning in found.warnings)
