"""The commands of `ark-tui`: those of the operations, and a few made by hand, in the sections of the help."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules
from textwrap import fill, indent
from typing import Any

import click

from ark_tui.interfaces.cli import commands, made
from ark_tui.interfaces.cli.lines import LINES
from ark_tui.operations.catalog import Catalog, shipped

SECTIONS = {
    "Index and search": "index search show similar ingest ingest-file ingest-url note searches "
    "saved judge judgments eval explain why-not fields import",
    "Documents": "documents queue tag untag tags tier pin unpin link unlink supersede merge trash untrash "
    "undo redo edits export-curation import-curation",
    "Notes and tasks": "tasks scratch history conversations scopes",
    "Memory": "context recall expert think remember outcome facts patterns directives memories "
    "promote correct retire revive forget memory-stats consolidate review",
    "Analysis": "analyze traverse paths common subgraph communities community central bridges",
    "Maintenance": "status coverage health jobs collections models where doctor backup restore purge "
    "publish serve mcp stop config completion token",
}
"""The commands in the order of the help. What is in none of them comes last, under `MORE`."""

MORE = "More"

BY_HAND = tuple(module.name.replace("_", "-") for module in iter_modules(commands.__path__))
"""Commands that are no operation: they serve, or write a file; each is a module."""

COMMANDS = (*(name.replace(" ", "-") for name in shipped().names), *BY_HAND)
"""Every command by its flat name, which is taken, too: `tasks-add` for `tasks add`."""


class Commands(click.Group):
    """The commands, each imported when it is needed: those of the operations, and a few made by hand."""

    def __init__(self, *, catalog: Catalog | None = None, **about: Any) -> None:
        super().__init__(**about)
        self.catalog = catalog or shipped()

    def sections(self) -> Iterator[tuple[str, list[str]]]:
        """Titles, and the commands below each."""
        waiting = dict.fromkeys([*(name.split()[0] for name in self.catalog.names), *BY_HAND])
        for title, names in SECTIONS.items():
            yield title, [name for name in names.split() if waiting.pop(name, "") is None]
        if waiting:
            yield MORE, [*waiting]

    def list_commands(self, _: click.Context) -> list[str]:
        return [name for _, names in self.sections() for name in names]

    def get_command(self, _: click.Context, cmd_name: str) -> click.Command | None:
        found = cmd_name if cmd_name in self.catalog.names else cmd_name.replace("-", " ", 1)
        if cmd_name in LINES:
            return made.Line(cmd_name, self.catalog, LINES[cmd_name])
        if self.catalog.group(cmd_name):
            return made.Group(cmd_name, self.catalog)
        if found in self.catalog.names:
            return made.command(self.catalog.get(found))
        if cmd_name not in BY_HAND:
            return None
        module = import_module(f"ark_tui.interfaces.cli.commands.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command

    def format_commands(self, _: click.Context, formatter: click.HelpFormatter) -> None:
        """The names, section by section: all of them on one screen."""
        for title, names in self.sections():
            with formatter.section(title):
                told = fill("  ".join(names), formatter.width - 2, break_on_hyphens=False)
                formatter.write(f"{indent(told, '  ')}\n")
