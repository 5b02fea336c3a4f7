"""How results look on a terminal: `generic` prints any; a few operations have more to show.

`RENDERERS` in a module that is named as one of operations has their renderers by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ark_tui.interfaces.cli.layout import column, widest
from ark_tui.interfaces.cli.output import Ink, Output

if TYPE_CHECKING:
    import click

    from ark_tui.interfaces.cli.diagnostics import Diagnostics
    from ark_tui.operations.call import Call


@dataclass(frozen=True)
class View:
    """Where a renderer writes; `options`: what was asked, and how it is to look."""

    say: Diagnostics
    call: Call
    options: Mapping[str, Any]
    as_json: bool = False

    @cached_property
    def out(self) -> Output:
        """Where data goes."""
        return Output(plain=bool(self.options.get("plain")))

    def pairs(self, rows: Mapping[str, str] | Iterable[tuple[str, str]], least: int = 0) -> None:
        """Names and what they are, in two columns, of which the first has `least` cells or more."""
        pairs = [*rows.items()] if isinstance(rows, Mapping) else [*rows]
        width = widest((name for name, _ in pairs), least)
        for name, value in pairs:
            self.out.line(Ink(column(name, width), "faint"), value)


def _none(_: Any) -> tuple[str, ...]:
    return ()


@dataclass(frozen=True)
class Renderer:
    """`show` prints the results of one command line: one, or one for each thing that was named.

    Without `show`, `generic` prints. `options` are about looks alone, and come to `show` in the view.
    `remarks` and `warnings` of a result go to stderr, also with `--json`; so does what comes `after` all is
    printed. `code` is how the command ends. `run` is in place of all that where there is something to show on
    the way: it is given what carries the operation out.
    """

    show: Callable[[View, Sequence[Any]], None] | None = None
    options: tuple[click.Option, ...] = ()
    remarks: Callable[[Any], Iterable[str]] = lambda result: getattr(result, "notices", ())
    after: Callable[[Call], Iterable[str]] = _none
    warnings: Callable[[Any], Iterable[str]] = _none
    code: Callable[[Any], int] = lambda _: 0
    run: Callable[[View, Callable[..., Any]], None] | None = None
