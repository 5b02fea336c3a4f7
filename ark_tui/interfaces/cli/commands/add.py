"""`ark-tui add`: stores a text, a file or a web page, depending on its argument."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from ark_tui.domain.errors import Hint, NotFound, UsageError
from ark_tui.interfaces.cli import made
from ark_tui.interfaces.cli.made import FreeText
from ark_tui.operations.catalog import shipped

KINDS = {
    kind: made.command(shipped().get(name))
    for kind, name in (("URL", "ingest-url"), ("file", "ingest-file"), ("text", "ingest"))
}
"""The command that stores each kind of argument."""

OPTIONS = {
    param.name: param for one in KINDS.values() for param in one.params if isinstance(param, click.Option)
}
PATH = re.compile(r"\S*/\S*|\S+\.[A-Za-z]\w{0,4}")
"""Matches words that look like file names."""


class Add(FreeText):
    """The command `add`, which delegates to the command for its argument."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the argument with its description, then the options."""
        with formatter.section("Arguments"):
            formatter.write_dl([("WHAT", "A text, a file, or a URL. - alone reads a text from stdin.")])
        super().format_options(ctx, formatter)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command for the kind of the argument."""
        words = ctx.params.pop("what")
        kind = kind_of(words)
        chosen = KINDS[kind]
        given = {
            name: value
            for name, value in ctx.params.items()
            if ctx.get_parameter_source(name) is not ParameterSource.DEFAULT
        }
        for name in given.keys() - {param.name for param in chosen.params}:
            flag = OPTIONS[name].opts[-1]
            raise UsageError(f"A {kind} takes no {flag}.", f"Leave {flag} out.")
        argument = next(str(param.name) for param in chosen.params if isinstance(param, click.Argument))
        value: Any = Path(words[0]) if kind == "file" else " ".join(words)
        return ctx.invoke(chosen, **given, **{argument: value})


def kind_of(words: Sequence[str]) -> str:
    """The kind of the argument. Raises `UsageError`, and `NotFound` for a missing file."""
    paths = [Path(word).expanduser() for word in words]
    if len(words) > 1:
        if all(path.is_file() for path in paths):
            raise UsageError("One file can be added at a time.", "Index their folder: ark-tui index FOLDER")
        return "text"
    word = words[0] if words else ""
    if re.match(r"https?://\S+$", word):
        return "URL"
    if word and paths[0].is_dir():
        raise UsageError(f"{word} is a folder.", Hint.run("index", word, say="Index it: {}"))
    if word and paths[0].is_file():
        return "file"
    if PATH.fullmatch(word):
        raise NotFound(f"There is no file {word}.", "To add it as a text: echo TEXT | ark-tui add -")
    return "text"


command = Add(
    "add",
    params=[click.Argument(["what"], nargs=-1, metavar="WHAT"), *reversed(OPTIONS.values())],
    help="Add a text, a file or a web page.\n\nA file is followed from then on, as the files of indexed "
    "folders are. A page is fetched once, and again when it is added again. For folders: `ark-tui index`.",
    epilog="Example: ark-tui add call Ann about the minutes --title Minutes --tag team, or "
    "ark-tui add https://example.org/paper.pdf",
)
