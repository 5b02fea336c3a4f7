"""The reference, from what the program says of itself: `make manual` writes it, a test compares."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import click

from ark_tui.interfaces.cli.app import PROGRAM, cli
from ark_tui.interfaces.cli.output import WIDTH, Output, dumped
from ark_tui.settings.config import OPTIONS, default

COMMANDS = """# Commands

What `--help` says, command by command.

Data goes to stdout, notices and errors to stderr. Exit codes: 0 done (a search without hits, too), 1
failed, 2 usage or configuration, 3 store locked, missing or broken, 130 interrupted.
"""


SETTINGS = """# Settings

They stand in `config.toml` in the home (`ark-tui where config`). The environment comes before the file,
the command line before both; `ark-tui config` shows every value and where it came from. A value that
cannot be used is a warning with its line, and everything else applies.

| setting | default | environment | what it does |
|---|---|---|---|
"""

MORE_SETTINGS = """
`ARK_NOW` holds the clock still, `ARK_HOME` names the home, `NO_COLOR` switches colour off.

## Folders

The folders that `ark-tui index` takes without being told come from, highest first: the command line,
`ARK_DIRS` (separated by commas; `RALPH_KNOWLEDGE_DIRS` is its alias), `roots`, and `./thoughts` if there
is one.

```toml
roots = ["~/notes", { path = "~/papers", name = "library" }]
ignore = ["*.tmp", "drafts/"]
```

## Ranking profiles

A profile of your own starts from another one and changes what it names. Signals and their weights are
those of `ark-tui search --explain`.

```toml
profile = "mine"

[profiles.mine]
from = "default"
weights.bm25 = 0.4
decay = { floor = 0.5, rate = 0.2 }
```

## Keys

The names of the actions are in the workbench's settings (pane 6, Keys). An action may have several keys, or
none (`""`). Where two actions want a key, yours goes before a shipped one, and the workbench says what has
lost its key; in a text field letters are always text.

```toml
[keymap]
"app.quit" = "ctrl+x"
"hits.copy" = "c, y"
```
"""


def commands() -> str:
    """The help of every command, as Markdown."""
    return COMMANDS + "".join(pages(cli))


def settings() -> str:
    """Every setting with its default, its variables and its sentence, as Markdown."""
    return SETTINGS + "".join(_rows()) + MORE_SETTINGS


def _rows() -> Iterator[str]:
    for name, option in OPTIONS.items():
        variables = ", ".join(f"`{variable}`" for variable in option.variables)
        yield f"| `{name}` | `{dumped(default(name))}` | {variables} | {option.about} |\n"


def pages(program: click.Command) -> Iterator[str]:
    """The help of a program and of each of its commands."""
    yield from _sections(program, PROGRAM, None)


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
    Output().block(settings() if sys.argv[1:] == ["settings"] else commands())
