"""Where settings and roots come from, and which source counts (I2)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ark_tui.domain.errors import ConfigError
from ark_tui.settings import Root, load
from ark_tui.settings.config import OPTIONS

Config = Callable[[str], Path]


def test_command_line_then_environment_then_config_then_default(config: Config) -> None:
    home = config("max_tokens = 300")
    environ = {"ARK_MAX_TOKENS": "200"}
    told = load(home, {"max_tokens": 100}, environ)
    assert (told.max_tokens, told.origin("max_tokens")) == (100, "command line")
    told = load(home, {"max_tokens": None}, environ)
    assert (told.max_tokens, told.origin("max_tokens")) == (200, "ARK_MAX_TOKENS")
    told = load(home, environ={})
    assert (told.max_tokens, told.origin("max_tokens")) == (300, "config")
    told = load(config(""), environ={})
    assert (told.max_tokens, told.origin("max_tokens")) == (500, "default")


def test_every_setting_can_be_seen_with_its_origin(config: Config) -> None:
    settings = load(config('theme = "nord"'), environ={"EDITOR": "vi"})
    assert settings.values.keys() == OPTIONS.keys()
    origins = {name: settings.origin(name) for name in settings.values if settings.origin(name) != "default"}
    assert origins == {"theme": "config", "editor": "EDITOR"}


def test_visual_comes_before_editor(home: Path) -> None:
    assert load(home, environ={"VISUAL": "code -w", "EDITOR": "vi"}).editor == "code -w"


def test_a_literal_variable_counts_as_unset_in_the_environment_and_the_config(config: Config) -> None:
    settings = load(config('theme = "${THEME}"'), environ={"ARK_PROFILE": "${PROFILE}"})
    assert (settings.theme, settings.profile, settings.warnings) == ("textual-dark", "default", ())


@pytest.mark.parametrize(
    ("value", "decays"), [("1", False), ("true", False), ("0", True), ("", True), ("no", True)]
)
def test_ark_no_decay_switches_decay_off(home: Path, value: str, decays: bool) -> None:
    assert load(home, environ={"ARK_NO_DECAY": value}).decay is decays


def test_a_bad_value_in_the_environment_is_a_warning_and_the_next_source_counts(config: Config) -> None:
    settings = load(config("max_tokens = 300"), environ={"ARK_MAX_TOKENS": "many", "ARK_NO_DECAY": "maybe"})
    assert settings.max_tokens == 300
    assert any(warning.startswith("ARK_MAX_TOKENS must be a whole number") for warning in settings.warnings)
    assert any(warning.startswith("ARK_NO_DECAY") for warning in settings.warnings)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("127.0.0.1:99999", "127.0.0.1:99999"),
        ("http://ann:secret@box", "(not shown)"),
        ("http://ann:secret@[::1", "(not shown)"),
    ],
)
def test_a_bad_address_of_ollama_is_not_replaced_by_another_server(
    config: Config, given: str, kept: str
) -> None:
    settings = load(config("ollama_host = 'box'"), environ={"OLLAMA_HOST": given})
    assert (settings.ollama_host, settings.origin("ollama_host")) == (kept, "OLLAMA_HOST")
    (warning,) = settings.warnings
    assert warning.startswith("OLLAMA_HOST must be an address")
    assert warning.endswith("Ollama is not asked.")
    assert "secret" not in warning


@pytest.mark.parametrize("overrides", [{"max_tokens": 0}, {"profile": "nope"}, {"strategy": "magic"}])
def test_a_bad_value_on_the_command_line_is_an_error(home: Path, overrides: dict[str, object]) -> None:
    with pytest.raises(ConfigError):
        load(home, overrides, {})


def test_the_clock_stands_still_under_ark_now(home: Path) -> None:
    clock = load(home, environ={"ARK_NOW": "2026-01-01T01:00:00+01:00"}).clock
    assert clock.now() == clock.now() == datetime(2026, 1, 1, tzinfo=UTC)
    assert clock.now().utcoffset() == datetime.now(UTC).utcoffset()


def test_a_time_that_cannot_be_read_is_refused(home: Path) -> None:
    with pytest.raises(ConfigError, match="ARK_NOW must be a time such as 2026-01-01T00:00:00Z"):
        load(home, environ={"ARK_NOW": "yesterday"})


@pytest.mark.parametrize("text", ["/a,/b c", ' ["/a", "/b c"]'])
def test_a_list_is_read_with_commas_or_as_it_is_shown(home: Path, text: str) -> None:
    assert load(home, environ={"ARK_AGENT_FOLDERS": text}).agent_folders == ("/a", "/b c")


EVERYTHING = {"ARK_DIRS": "/ark", "RALPH_KNOWLEDGE_DIRS": "/ralph"}


def test_the_first_source_that_names_roots_counts(config: Config, here: Path) -> None:
    thoughts, home = here / "thoughts", config('roots = ["/config"]')
    thoughts.mkdir()

    def found(given: list[Path], environ: dict[str, str]) -> tuple[str, tuple[Root, ...]]:
        settings = load(home, {"roots": given}, environ)
        return settings.roots_from, settings.roots

    assert found([Path("cli"), Path("/other")], EVERYTHING) == (
        "command line", (Root(here / "cli"), Root(Path("/other"))),
    )  # fmt: skip
    assert found([], EVERYTHING) == ("ARK_DIRS", (Root(Path("/ark")),))
    alias = {"RALPH_KNOWLEDGE_DIRS": "/ralph"}
    assert found([], alias) == ("RALPH_KNOWLEDGE_DIRS", (Root(Path("/ralph")),))
    for literal in ("${NOTES}", " ${NOTES} ", "", "${A},${B}"):
        assert found([], dict.fromkeys(EVERYTHING, literal)) == ("config", (Root(Path("/config")),))
    config("")
    assert found([], {}) == ("./thoughts", (Root(thoughts),))
    thoughts.rmdir()
    assert found([], {}) == ("", ())


def test_ark_dirs_is_separated_by_commas_and_expands_the_tilde(
    home: Path, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/home/ada")
    settings = load(home, environ={"ARK_DIRS": " ~/notes , papers,, ${MORE} ,"})
    assert settings.roots == (Root(Path("/home/ada/notes")), Root(here / "papers"))


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
    assert "config.toml:2: roots must contain only folders, not 5" in warning


def test_roots_of_the_wrong_type_are_a_warning_and_the_next_source_counts(config: Config, here: Path) -> None:
    (here / "thoughts").mkdir()
    settings = load(config("roots = 5"), environ={})
    assert settings.roots_from == "./thoughts"
    assert "config.toml:1: roots must be a list of folders" in settings.warnings[0]
