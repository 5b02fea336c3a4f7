"""Every command and option is documented, and the documentation is what the program says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from ark_tui.interfaces.cli import manual
from ark_tui.interfaces.cli.app import cli
from ark_tui.interfaces.cli.group import MORE
from ark_tui.settings import load

DOCS = Path(__file__).parents[2] / "docs"


def commands(group: click.Group) -> Iterator[click.Command]:
    ctx = click.Context(group)
    for name in group.list_commands(ctx):
        command = group.get_command(ctx, name)
        assert command is not None
        yield command
        if isinstance(command, click.Group):
            yield from commands(command)


ALL = tuple(commands(cli))


def test_the_command_reference_is_what_the_commands_say() -> None:
    assert (DOCS / "commands.md").read_text("utf-8") == manual.commands(), "run `make manual`"


def test_the_settings_reference_is_what_the_settings_say() -> None:
    assert (DOCS / "settings.md").read_text("utf-8") == manual.settings(), "run `make manual`"


def test_the_examples_in_the_settings_reference_can_be_used(home: Path) -> None:
    home.mkdir()
    examples = re.findall(r"```toml\n(.*?)```", manual.settings(), re.DOTALL)
    plain, tables = examples[0] + 'profile = "mine"\n', examples[1].partition("\n\n")[2] + examples[2]
    (home / "config.toml").write_text(plain + tables)
    settings = load(home, environ={})
    assert settings.warnings == ()
    assert settings.profiles["mine"].weights["bm25"] == 0.4


@pytest.mark.parametrize("command", ALL, ids=lambda command: str(command.name))
def test_every_command_has_help_an_example_json_and_a_home(command: click.Command) -> None:
    assert command.help
    assert (command.epilog or "").startswith("Example: ")
    options = {name for param in command.params if isinstance(param, click.Option) for name in param.opts}
    assert {"--json", "--home"} <= options


@pytest.mark.parametrize("command", ALL, ids=lambda command: str(command.name))
def test_every_option_has_help(command: click.Command) -> None:
    assert [o.name for o in command.params if isinstance(o, click.Option) and not o.help] == []


def test_the_help_is_one_screen_that_names_every_command() -> None:
    listed = cli.get_help(click.Context(cli, terminal_width=80))
    assert set(cli.list_commands(click.Context(cli))) <= set(listed.split())
    assert len(listed.splitlines()) <= 50
    assert f"\n{MORE}:" not in listed, "each command of the program's own has its section"
