"""Taking a JSON config over (requirement I2)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from ark_tui.domain.errors import ConfigError
from ark_tui.settings import Home, Root, load, ralph

Config = Callable[[str], Path]


@pytest.fixture
def source(tmp_path: Path) -> Callable[[object], Path]:
    def write(content: object) -> Path:
        path = tmp_path / "ralph.json"
        path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
        return path

    return write


Source = Callable[[object], Path]


@pytest.mark.parametrize("roots", ["roots", "dirs", "knowledgeDirs"])
@pytest.mark.parametrize("ignore", ["ignore", "ignorePatterns"])
def test_roots_and_ignore_patterns_are_taken_over_under_each_of_their_names(
    source: Source, home: Path, roots: str, ignore: str
) -> None:
    taken = ralph.take_over(source({roots: ["/notes"], ignore: ["*.tmp"]}), Home(home))
    settings = load(home, environ={})
    assert taken.changed
    assert settings.roots == (Root(Path("/notes")),)
    assert settings.ignore == ("*.tmp",)
    assert (settings.warnings, taken.warnings) == ((), ())


def test_roots_may_be_tables_or_one_text_with_commas_or_lie_deeper(
    source: Source, home: Path, tmp_path: Path
) -> None:
    content = {"knowledge": {"roots": [{"path": "docs", "name": "library"}], "dirs": "/a,/b"}}
    ralph.take_over(source(content), Home(home))
    assert load(home, environ={}).roots == (
        Root(tmp_path / "docs", "library"),
        Root(Path("/a")),
        Root(Path("/b")),
    )


def test_what_the_config_says_already_stays_and_nothing_comes_twice(source: Source, config: Config) -> None:
    home = config(
        '# mine\nroots = [\n  "/kept", # here\n  "/notes",\n]\ntheme = "nord"\n\n[keymap]\nquit = "f10"\n'
    )
    file = source({"roots": ["/notes", "/more"], "ignore": ["*.tmp"]})
    assert ralph.take_over(file, Home(home)).changed
    settings = load(home, environ={})
    assert [str(root.path) for root in settings.roots] == ["/kept", "/notes", "/more"]
    assert (settings.theme, settings.keymap, settings.ignore) == ("nord", {"quit": "f10"}, ("*.tmp",))
    assert "# mine" in settings.home.config.read_text()
    assert "# here" in settings.home.config.read_text()
    assert not ralph.take_over(file, Home(home)).changed


def test_names_with_quotes_and_backslashes_survive(source: Source, home: Path) -> None:
    odd = '/no"tes\\x\u00e9\n'
    ralph.take_over(source({"roots": [{"path": "/a", "name": odd}], "ignore": [odd]}), Home(home))
    settings = load(home, environ={})
    assert (settings.roots[0].name, settings.ignore) == (odd.strip(), (odd,))


def test_what_cannot_be_used_is_a_warning_that_names_file_line_and_key(source: Source, home: Path) -> None:
    file = source('{\n "roots": ["/notes", 5],\n "ignorePatterns": ["x", 5],\n "model": 1\n}')
    taken = ralph.take_over(file, Home(home))
    assert load(home, environ={}).roots == (Root(Path("/notes")),)
    assert load(home, environ={}).ignore == ("x",)
    told = "\n".join(taken.warnings)
    for line, key in [(2, "roots"), (3, "ignorePatterns"), (4, "model")]:
        assert f"{file}:{line}: {key} " in told


def test_a_file_that_is_not_json_is_an_error_with_its_line(source: Source, home: Path) -> None:
    with pytest.raises(ConfigError, match=r"ralph\.json:2: this is not JSON"):
        ralph.take_over(source('{"roots":\n oops}'), Home(home))
    assert not home.exists()


def test_a_broken_config_is_not_written_over(source: Source, config: Config) -> None:
    home = config("theme = oops\n")
    with pytest.raises(ConfigError, match=r"config\.toml:1: the config is broken"):
        ralph.take_over(source({"roots": ["/notes"]}), Home(home))
    assert (home / "config.toml").read_text() == "theme = oops\n"
