"""Requirement I2: where the roots come from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ark_tui.settings import Root, load

Config = Callable[[str], Path]

EVERYTHING = {"ARK_DIRS": "/ark", "RALPH_KNOWLEDGE_DIRS": "/ralph"}


@pytest.fixture
def full(config: Config, here: Path) -> Path:
    """A home whose every source names a root."""
    (here / "thoughts").mkdir()
    return config('roots = ["/config"]')


def test_the_command_line_comes_first(full: Path, here: Path) -> None:
    settings = load(full, {"roots": [Path("cli"), Path("/other")]}, EVERYTHING)
    assert settings.roots == (Root(here / "cli"), Root(Path("/other")))
    assert settings.roots_from == "command line"


def test_ark_dirs_comes_before_its_alias_and_the_config(full: Path) -> None:
    settings = load(full, {"roots": []}, EVERYTHING)
    assert settings.roots == (Root(Path("/ark")),)
    assert settings.roots_from == settings.origin("roots") == "ARK_DIRS"


def test_the_alias_comes_before_the_config(full: Path) -> None:
    settings = load(full, environ={"RALPH_KNOWLEDGE_DIRS": "/ralph"})
    assert settings.roots == (Root(Path("/ralph")),)
    assert settings.roots_from == "RALPH_KNOWLEDGE_DIRS"


def test_the_config_comes_before_the_thoughts_folder(full: Path) -> None:
    settings = load(full, environ={})
    assert settings.roots == (Root(Path("/config")),)
    assert settings.roots_from == "config"


def test_the_thoughts_folder_is_taken_when_nobody_names_a_root(config: Config, here: Path) -> None:
    (here / "thoughts").mkdir()
    settings = load(config(""), environ={})
    assert settings.roots == (Root(here / "thoughts"),)
    assert settings.roots_from == "./thoughts"


def test_without_any_source_there_are_no_roots(config: Config) -> None:
    settings = load(config(""), environ={})
    assert settings.roots == ()
    assert settings.roots_from == ""


def test_ark_dirs_is_separated_by_commas_and_expands_the_tilde(
    home: Path, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/home/ada")
    settings = load(home, environ={"ARK_DIRS": " ~/notes , papers,, ${MORE} ,"})
    assert settings.roots == (Root(Path("/home/ada/notes")), Root(here / "papers"))


@pytest.mark.parametrize("value", ["${NOTES}", " ${NOTES} ", "", "  ", "${A},${B}"])
def test_a_variable_that_is_still_literal_counts_as_unset(full: Path, value: str) -> None:
    settings = load(full, environ={"ARK_DIRS": value, "RALPH_KNOWLEDGE_DIRS": value})
    assert settings.roots_from == "config"


def test_roots_in_the_config_are_texts_or_tables_with_a_name(
    config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/home/ada")
    home = config('roots = ["~/notes", { path = "/papers", name = "library" }, "${MORE}"]')
    settings = load(home, environ={})
    assert settings.roots == (Root(Path("/home/ada/notes")), Root(Path("/papers"), "library"))
    assert settings.warnings == ()


def test_relative_roots_in_the_config_are_relative_to_it(config: Config) -> None:
    home = config('roots = ["notes"]')
    assert load(home, environ={}).roots == (Root(home / "notes"),)


def test_a_root_that_makes_no_sense_is_a_warning_and_the_others_stay(config: Config) -> None:
    settings = load(config('theme = "nord"\nroots = ["/notes", 5]'), environ={})
    assert settings.roots == (Root(Path("/notes")),)
    (warning,) = settings.warnings
    assert "config.toml:2: roots must hold folders only, not 5" in warning


def test_roots_of_the_wrong_type_are_a_warning_and_the_next_source_counts(config: Config, here: Path) -> None:
    (here / "thoughts").mkdir()
    settings = load(config("roots = 5"), environ={})
    assert settings.roots_from == "./thoughts"
    assert "config.toml:1: roots must be a list of folders" in settings.warnings[0]
