"""Every command and option is documented, and the documentation is what the program says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import click

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


def test_the_examples_in_the_settings_reference_can_be_used(home: Path) -> None:
    home.mkdir()
    examples = re.findall(r"```toml\n(.*?)```", manual.settings(), re.DOTALL)
    plain, tables = examples[0] + 'profile = "mine"\n', examples[1].partition("\n\n")[2] + examples[2]
    (home / "config.toml").write_text(plain + tables)
    settings = load(home, environ={})
    assert settings.warnings == ()
    assert settings.profiles["mine"].weights["bm25"] == 0.4


WRITTEN = re.compile(r"`ark-tui ([^`]+)`|^(?:\S*/)?ark-tui ([^`\n]+)$", re.MULTILINE)
ELSEWHERE = {"--home", "--connect", "--token", "--ca"}  # options that stand before a command, with a value


def misread(line: str) -> str:
    """What of a written command there is not; empty where all is there."""
    words, command = line.partition("#")[0].split(), cast("click.Command", cli)
    while words and words[0] in ELSEWHERE:
        words = words[2:]
    while words and isinstance(command, click.Group) and re.fullmatch("[a-z][a-z-]+", words[0]):
        found = command.get_command(click.Context(command), words[0])
        if found is None:
            return words[0] if command is cli else ""  # a group may take a name
        command, words = found, words[1:]
    known = {*ELSEWHERE, "--help"} | {
        name for one in command.params for name in (*one.opts, *one.secondary_opts)
    }
    asked = [re.split(r"[=.,:]", word)[0] for word in words if re.match(r"--[a-z]", word)]
    return next((name for name in asked if command is not cli and name not in known), "")


def test_commands_that_a_page_names_are_there_with_their_options() -> None:
    found = {
        page.name: [one for pair in WRITTEN.findall(page.read_text("utf-8")) if misread(one := "".join(pair))]
        for page in [DOCS.parent / "README.md", *DOCS.glob("*.md")]
    }
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_a_command_that_is_not_there_is_seen() -> None:
    assert [misread(line) for line in ("embed", "--home x search a --limti 3", "tasks list --json")] == [
        "embed", "--limti", "",
    ]  # fmt: skip


def test_every_command_has_help_an_example_json_and_a_home() -> None:
    for command in ALL:
        assert command.help, command.name
        assert (command.epilog or "").startswith("Example: "), command.name
        options = [param for param in command.params if isinstance(param, click.Option)]
        assert {"--json", "--home"} <= {name for one in options for name in one.opts}, command.name
        assert [one.name for one in options if not one.help] == [], command.name


def test_the_help_is_one_screen_that_names_every_command() -> None:
    listed = cli.get_help(click.Context(cli, terminal_width=80))
    assert set(cli.list_commands(click.Context(cli))) <= set(listed.split())
    assert len(listed.splitlines()) <= 50
    assert f"\n{MORE}:" not in listed, "each command of the program's own has its section"
