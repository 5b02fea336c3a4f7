"""`ark-tui help`: the help of a command, or of all of them."""

from __future__ import annotations

from collections.abc import Iterator

import click

from ark_tui.interfaces.cli.group import SECTIONS, Commands
from ark_tui.interfaces.cli.output import WIDTH, Output
from ark_tui.interfaces.cli.session import face
from ark_tui.operations.catalog import shipped

ALL = ("all",)


@click.command("help", epilog="Example: ark-tui help doc tag, or ark-tui help all")
@click.argument("words", nargs=-1, metavar="[COMMAND]...")
@face
@click.pass_context
def command(ctx: click.Context, words: tuple[str, ...], as_json: bool) -> None:
    """Show the help of a command; `ark-tui help all` lists every command and option."""
    root = ctx.find_root()
    listed = {title: dict(rows) for title, rows in _sections()} if words == ALL else {}
    text = _everything(listed, root) if listed else _help(root, words)
    if as_json:
        Output().document({"commands": listed, "aliases": shipped().aliases} if listed else {"help": text})
    else:
        Output().block(text)


def _help(ctx: click.Context, words: tuple[str, ...]) -> str:
    """The help of one command. Raises `NoSuchCommand`."""
    found = ctx.command
    for word in words:
        below = found.get_command(ctx, word) if isinstance(found, click.Group) else None
        if below is None:
            raise click.exceptions.NoSuchCommand(word, ctx=ctx)
        found, ctx = below, click.Context(below, ctx, word, terminal_width=WIDTH)
    return found.get_help(ctx)


def _sections() -> Iterator[tuple[str, Iterator[tuple[str, str]]]]:
    """The commands of each section with their summaries."""
    commands = Commands()
    with click.Context(commands) as ctx:
        for title, (names, _) in SECTIONS.items():
            yield title, (row for name in names.split() for row in _rows(commands, ctx, name, name))


def _rows(group: click.Group, ctx: click.Context, name: str, words: str) -> Iterator[tuple[str, str]]:
    command = group.get_command(ctx, name)
    assert command is not None
    if not isinstance(command, Commands) or (command.own and command.own.name != "list"):
        yield words, command.get_short_help_str(limit=WIDTH * 2)
    if isinstance(command, Commands):
        for below in command.list_commands(ctx):
            yield from _rows(command, ctx, below, f"{words} {below}")


def _everything(listed: dict[str, dict[str, str]], ctx: click.Context) -> str:
    options = [record for one in ctx.command.get_params(ctx) if (record := one.get_help_record(ctx))]
    rows = {title: [*found.items()] for title, found in listed.items()}
    formatter = ctx.make_formatter()
    for title, records in {
        **rows, "Options before a command": options, "Other names": [*shipped().aliases.items()],
    }.items():  # fmt: skip
        with formatter.section(title):
            formatter.write_dl(records)
    return formatter.getvalue().lstrip("\n")
