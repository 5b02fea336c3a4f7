"""`ark-tui` and nothing else: when the workbench opens without a command line being read."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ark_tui.domain.errors import StoreError
from ark_tui.interfaces import cli
from ark_tui.interfaces.cli import alone
from ark_tui.interfaces.cli.app import run


@pytest.fixture
def shown(home: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The homes that a workbench was opened over, on a terminal."""
    homes: list[Path] = []
    monkeypatch.setenv("ARK_HOME", str(home))
    for stream in (sys.stdin, sys.stdout):
        monkeypatch.setattr(stream, "isatty", lambda: True)
    monkeypatch.setattr(alone, "shown", lambda settings, _: homes.append(settings.home.path))
    return homes


def test_on_a_terminal_it_opens(shown: list[Path], home: Path) -> None:
    assert alone.opened({}, run)
    assert shown == [home]


@pytest.mark.parametrize("environ", [{"ARK_CONNECT": "http://ark"}, {"_ARK_TUI_COMPLETE": "bash_source"}])
def test_a_home_elsewhere_and_a_shell_that_completes_are_for_the_command_line(
    shown: list[Path], environ: dict[str, str]
) -> None:
    assert not alone.opened(environ, run)
    assert not shown


@pytest.mark.parametrize("stream", ["stdin", "stdout"])
def test_without_a_terminal_it_is_the_command_line_that_says_what_there_is(
    shown: list[Path], monkeypatch: pytest.MonkeyPatch, stream: str
) -> None:
    monkeypatch.setattr(getattr(sys, stream), "isatty", lambda: False)
    assert not alone.opened({}, run)
    assert not shown


def test_settings_that_cannot_be_used_are_said_by_the_command_line(shown: list[Path], home: Path) -> None:
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text("nonsense = 1\n")
    assert not alone.opened({}, run)
    assert not shown


@pytest.mark.usefixtures("shown")
def test_a_failure_is_a_sentence_and_an_exit_code(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    def fails(*_: object) -> None:
        raise StoreError("The store is broken.", "Mend it.")

    monkeypatch.setattr(alone, "shown", fails)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)  # another, as what is written is looked at
    assert cli._workbench() == 3
    assert capfdbinary.readouterr().err.split(b"\n")[:2] == [
        b"error: The store is broken.",
        b"       Mend it.",
    ]
