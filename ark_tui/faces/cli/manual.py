"""Writes docs/commands.md from the commands' own help: `make manual`; a test compares."""

from __future__ import annotations

from collections.abc import Iterator

import click

from ark_tui.faces.cli.app import PROGRAM, cli
from ark_tui.faces.cli.output import WIDTH, Output

INTRODUCTION = """# Commands

What `--help` says, command by command. `make manual` writes this file.

Data goes to stdout, notices and errors to stderr. Exit codes: 0 done (a search without hits, too), 1 failed,
2 usage or configuration, 3 store locked, missing or broken, 130 interrupted.
"""


def manual() -> str:
    """The help of every command, as Markdown."""
    return INTRODUCTION + "".join(_sections(cli, PROGRAM, None))


def _sections(command: click.Command, path: str, parent: click.Context | None) -> Iterator[str]:
    ctx = click.Context(
        command,
        info_name=path.rpartition(" ")[2],
        parent=parent,
        terminal_width=WIDTH,
        max_content_width=WIDTH,
    )
    yield f"\n## {path}\n\n```\n{command.get_help(ctx)}\n```\n"
    if isinstance(command, click.Group):
        for name in command.list_commands(ctx):
            below = command.get_command(ctx, name)
            assert below is not None
            yield from _sections(below, f"{path} {name}", ctx)


if __name__ == "__main__":
    Output().block(manual())
