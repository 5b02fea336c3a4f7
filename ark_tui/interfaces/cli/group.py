"""The command tree of `ark-tui`: those of the operations, and a few written by hand."""

from __future__ import annotations

from functools import cached_property
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import click

from ark_tui.interfaces.cli import commands, made
from ark_tui.interfaces.cli.session import face
from ark_tui.operations.catalog import shipped

SECTIONS = {
    "Index and search": (
        "index search show add saved explain", "ark-tui search spectral gap tag:theory -draft --explain",
    ),
    "Documents": ("doc undo redo", "ark-tui doc tag theory @1   (@1: the first result of the last search)"),
    "Notes and tasks": ("tasks scratch history", "ark-tui tasks add call Ann --due friday"),
    "Memory": ("context memory review outcome", "ark-tui context the tests hang on CI"),
    "Analysis": ("graph analyze", "ark-tui analyze --what novelty,bridges"),
    "Maintenance": ("status doctor config serve mcp stop", "ark-tui doctor --repair"),
    "More": ("backup restore models token jobs eval export completion", ""),
}  # fmt: skip
"""The commands in the order of the help, with an example. All others are aliases that are not listed."""

BY_HAND = tuple(module.name.replace("_", "-") for module in iter_modules(commands.__path__))
"""Commands that are not operations; each is a module."""

COMMANDS = (*(name.replace(" ", "-") for name in shipped().names), *BY_HAND)
"""The names of all commands with dashes for spaces, which can be typed too: `tasks-add` for `tasks add`."""


class Commands(click.Group):
    """The commands that begin with some words; without words, all commands.

    The words alone are a command too, if one has that name or `list` under it exists.
    """

    def __init__(self, words: str = "", **about: Any) -> None:
        self.words = words
        self.catalog = shipped()
        self.own = self._single(words) or self._single(f"{words} list") if words else None
        super().__init__(**(about | self._about()))
        if words and self.own is None:
            face(self)

    def _about(self) -> dict[str, Any]:
        if self.own:
            shown = {"help": self.own.help, "epilog": self.own.epilog, "params": self.own.params}
            return {"name": self.own.name, "invoke_without_command": True, **shown}
        if not self.words:
            return {}
        names = ", ".join(self.children)
        example = self.catalog.get(self.catalog.typed(f"{self.words} {self.children[0]}")).example
        return {"help": f"Commands: {names}.", "epilog": f"Example: {example}", "no_args_is_help": False}

    @cached_property
    def children(self) -> tuple[str, ...]:
        """The possible next words."""
        if not self.words:
            return tuple(name for names, _ in SECTIONS.values() for name in names.split())
        known = (self.catalog.commands, self.catalog.names)
        return next((found for names in known if (found := below(self.words, names))), ())

    def list_commands(self, _: click.Context) -> list[str]:
        return [*self.children]

    def get_command(self, _: click.Context, cmd_name: str) -> click.Command | None:
        words = f"{self.words} {cmd_name}".strip()
        return self._at(words) or self._single(words.replace("-", " ", 1))

    def _at(self, words: str) -> click.Command | None:
        if below(words, self.catalog.commands) or below(words, self.catalog.names):
            return Commands(words)
        return self._single(words)

    def _single(self, words: str) -> click.Command | None:
        """The command with exactly these words; None if there is none."""
        if words in BY_HAND:
            module = import_module(f"ark_tui.interfaces.cli.commands.{words.replace('-', '_')}")
            command: click.Command = module.command
            return command
        name = self.catalog.typed(words)
        return made.command(self.catalog.get(name)) if name else None

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the next word as a subcommand if it is one, else parse arguments of the own command."""
        if self.own is None:
            return super().parse_args(ctx, args)
        arguments = any(isinstance(param, click.Argument) for param in self.own.params)
        if args and (args[0] in self.children or not (arguments or args[0].startswith("-"))):
            ctx._protected_args, ctx.args = args[:1], args[1:]  # noqa: SLF001 - as click's own does
            return ctx.args
        ctx.allow_interspersed_args, ctx.allow_extra_args = True, False  # a group's defaults are the reverse
        return self.own.parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the named subcommand, else the own command."""
        if ctx._protected_args or self.own is None:  # noqa: SLF001 - as click's own `invoke` asks
            return super().invoke(ctx)
        return self.own.invoke(ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each subcommand with its summary; for the root, the command names by section."""
        if self.words:
            super().format_commands(ctx, formatter)
            return
        for title, (names, example) in SECTIONS.items():
            formatter.write(f"{title}:  {names}\n")
            if example:
                formatter.write(f"    {example}\n")


def below(words: str, paths: Any) -> tuple[str, ...]:
    """The words that follow `words` in some paths."""
    start = f"{words} "
    return tuple(dict.fromkeys(path[len(start) :].split()[0] for path in paths if path.startswith(start)))
