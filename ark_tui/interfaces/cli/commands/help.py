"""`ark-tui help`: the help of a command, or of all of them."""

from __future__ import annotations

from collections.abc import Iterator

import click

from ark_tui.interfaces.cli.group import Commands
from ark_tui.interfaces.cli.layout import column, short, widest
from ark_tui.interfaces.cli.output import WIDTH, Ink, Output
from ark_tui.interfaces.cli.session import face
from ark_tui.operations.catalog import shipped

ALL = "all"
INDENT = "  "


@click.command("help", epilog="Example: ark-tui help doc tag, or ark-tui help all")
@click.argument("words", nargs=-1, metavar="[COMMAND]...")
@face
@click.pass_context
def command(ctx: click.Context, words: tuple[str, ...], as_json: bool) -> None:
    """Show the help of a command; `ark-tui help all` lists every command and option."""
    root = ctx.find_root().command
    if words == (ALL,):
        listed = {title: dict(rows) for title, rows in listing(Commands())}
        if as_json:
            Output().document({"commands": listed, "aliases": shipped().aliases})
        else:
            _show(listed, root, ctx.find_root())
        return
    found, parent = root, ctx.find_root()
    for word in words:
        below = found.get_command(parent, word) if isinstance(found, click.Group) else None
        if below is None:
            raise click.exceptions.NoSuchCommand(word, ctx=parent)
        found, parent = below, click.Context(below, parent, word, terminal_width=WIDTH)
    text = found.get_help(parent)
    if as_json:
        Output().document({"help": text})
    else:
        Output().block(text)


def listing(commands: Commands) -> Iterator[tuple[str, Iterator[tuple[str, str]]]]:
    """Every command by section, with its sentence."""
    with click.Context(commands) as ctx:
        for title, names, _ in commands.sections():
            yield title, (row for name in names for row in _rows(commands, ctx, name, name))


def _rows(group: click.Group, ctx: click.Context, name: str, words: str) -> Iterator[tuple[str, str]]:
    command = group.get_command(ctx, name)
    assert command is not None
    if not isinstance(command, Commands) or (command.own and "list" not in command.children):
        yield words, command.get_short_help_str(limit=200)
    if isinstance(command, Commands):
        for below in command.list_commands(ctx):
            yield from _rows(command, ctx, below, f"{words} {below}")


def _show(listed: dict[str, dict[str, str]], root: click.Command, ctx: click.Context) -> None:
    out = Output()
    width = widest(words for rows in listed.values() for words in rows)
    for title, rows in listed.items():
        out.line(Ink(title, "strong"))
        for words, about in rows.items():
            out.line(INDENT, column(words, width), Ink(short(about, WIDTH - width - 2), "faint"))
        out.line()
    out.line(Ink("Options before a command", "strong"))
    formatter = ctx.make_formatter()
    formatter.indent()
    formatter.write_dl([record for one in root.get_params(ctx) if (record := one.get_help_record(ctx))])
    out.block(formatter.getvalue())
    out.line()
    out.line(Ink("Other names", "strong"))
    for name, words in shipped().aliases.items():
        out.line(INDENT, column(name, width), Ink(words, "faint"))
