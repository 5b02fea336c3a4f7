"""The first config.toml, and reading a changed one again."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from ark_tui import settings
from ark_tui.domain.errors import ConfigError, StoreError
from ark_tui.settings import Home, secrets, template
from ark_tui.settings.config import OPTIONS, default


def test_the_first_file_says_nothing_and_without_its_signs_says_the_defaults(
    config: Callable[[str], Path],
) -> None:
    plain = settings.load(config(template.text()), environ={})
    assert not plain.warnings
    assert set(plain.origins.values()) <= {"default"}
    bare = re.sub(r"^# (\w+ = |\[|\"hits|from|weights)", r"\1", template.text(), flags=re.MULTILINE)
    said = settings.load(config(bare), environ={})
    assert not said.warnings
    for name in OPTIONS:
        if name != "keymap":
            assert said.values[name] == default(name)
            assert said.origin(name) == ("default" if default(name) == "" else "config")
    assert said.keymap == {"hits.copy": "c"}
    assert said.profiles["mine"].weights["bm25"] == 0.4


def test_it_is_written_once_and_for_its_owner_alone(home: Path) -> None:
    assert template.ensure(Home(home))
    assert (home / "config.toml").stat().st_mode & 0o777 == 0o600
    (home / "config.toml").write_text("blink = true\n")
    assert not template.ensure(Home(home))
    assert (home / "config.toml").read_text() == "blink = true\n"


def test_a_home_that_cannot_be_written_is_said_in_words(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(StoreError, match="cannot be written: Permission denied"):
        template.ensure(Home(home))


def test_a_setting_is_found_where_it_stands_or_behind_its_sign(config: Callable[[str], Path]) -> None:
    home = Home(config(template.text()))
    lines = template.text().splitlines()
    assert lines[template.line(home, ("theme",)) - 1].startswith("# theme = ")
    assert lines[template.line(home, ("keymap", "hits.copy")) - 1] == "# [keymap]"
    home = Home(config('blink = true\n\n[keymap]\n"hits.copy" = "c"\n'))
    assert template.line(home, ("blink",)) == 1
    assert template.line(home, ("keymap", "hits.copy")) == 4
    assert template.line(home, ("theme",)) == 1


def test_settings_are_read_again_from_all_their_sources(config: Callable[[str], Path]) -> None:
    home = config('theme = "nord"\n')
    before = settings.load(home, {"agent_id": "ann"}, environ={"ARK_BLINK": "1"})
    config('profile = "ark"\ntheme = "gruvbox"\nblink = false\nagent_id = "bob"\n')
    assert before.reload is not None
    after = before.reload()
    assert (after.theme, after.blink, after.agent_id, after.profile) == ("gruvbox", True, "ann", "ark")
    assert after.lines["theme"] == 2


def test_where_a_key_comes_from_is_known_without_showing_it(home: Path) -> None:
    home.mkdir()
    at = Home(home)
    assert secrets.origin("OPENAI_API_KEY", at, {}) == ""
    assert secrets.origin("OPENAI_API_KEY", at, {"OPENAI_API_KEY": "sk-1"}) == "environment"
    (home / "keys").write_text('OPENAI_API_KEY = "sk-2"\n')
    (home / "keys").chmod(0o600)
    assert secrets.origin("OPENAI_API_KEY", at, {}) == "keys"
    (home / "keys").chmod(0o644)
    with pytest.raises(ConfigError, match="Others may read"):
        secrets.origin("OPENAI_API_KEY", at, {})
