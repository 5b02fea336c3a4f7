"""The manual, generated from the program: `make manual` writes it as Markdown and as a man page.

It also writes the table of settings into docs/configuration.md.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from ark_tui.interfaces.cli.app import PROGRAM, cli
from ark_tui.interfaces.cli.output import WIDTH, Output, dumped
from ark_tui.settings.config import OPTIONS, default
from ark_tui.version import VERSION

EXIT_CODES = (
    "0 done (also when a search finds nothing), 1 failed or not found, 2 wrong usage or configuration, 3 the "
    "store is locked, missing or broken, 130 interrupted."
)


def commands(program: click.Command = cli) -> str:
    """The help of every command, as Markdown."""
    head = f"# Commands\n\nData goes to stdout, notices and errors to stderr. Exit codes: {EXIT_CODES}\n"
    return head + "".join(f"\n## {path}\n\n```\n{text}\n```\n" for path, text in pages(program))


def man() -> str:
    """The help of every command, as a man page."""
    page = [
        f'.TH {_roff(PROGRAM.upper())} 1 "" "{PROGRAM} {VERSION}"',
        ".SH NAME", f"{_roff(PROGRAM)} \\- search your notes and see why each result ranks where it does",
    ]  # fmt: skip
    for place, (path, text) in enumerate(pages(cli)):
        page += [
            f".SS {_roff(path)}" if place else ".SH COMMANDS",
            ".nf",
            *map(_roff, text.splitlines()),
            ".fi",
        ]
    return "\n".join([*page, ".SH EXIT STATUS", _roff(EXIT_CODES), ""])


def _roff(line: str) -> str:
    text = line.replace("\\", "\\e").replace("-", "\\-")
    text = "".join(one if one.isascii() else f"\\[u{ord(one):04X}]" for one in text)
    return f"\\&{text}" if text[:1] in (".", "'") else text


def configuration(page: str) -> str:
    """docs/configuration.md with the current table of settings."""
    table = f"<!-- settings -->\n{settings()}<!-- /settings -->"
    return re.sub(r"<!-- settings -->.*<!-- /settings -->", lambda _: table, page, flags=re.DOTALL)


def settings() -> str:
    """The table of all settings: default, variables and description."""
    rows = ["| setting | default | environment | what it does |", "|---|---|---|---|"]
    for name, option in OPTIONS.items():
        variables = ", ".join(f"`{variable}`" for variable in option.variables)
        rows.append(f"| `{name}` | `{dumped(default(name))}` | {variables} | {option.about} |")
    return "\n".join(rows) + "\n"


def pages(program: click.Command) -> Iterator[tuple[str, str]]:
    """All commands with their help, `ark-tui` first."""
    yield from _pages(program, PROGRAM, None)


def _pages(command: click.Command, path: str, parent: click.Context | None) -> Iterator[tuple[str, str]]:
    ctx = click.Context(
        command,
        info_name=path.rpartition(" ")[2],
        parent=parent,
        terminal_width=WIDTH,
        max_content_width=WIDTH,
    )
    yield path, command.get_help(ctx)
    if isinstance(command, click.Group):
        for name in command.list_commands(ctx):
            below = command.get_command(ctx, name)
            assert below is not None
            yield from _pages(below, f"{path} {name}", ctx)


if __name__ == "__main__":
    if sys.argv[1] == "settings":
        file = Path(sys.argv[2])
        file.write_text(configuration(file.read_text("utf-8")), "utf-8")
    else:
        Output().block({"commands": commands, "man": man}[sys.argv[1]]())
