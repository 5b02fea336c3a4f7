"""Renderers of results: `generic` prints any; some operations have their own.

A module named like one of operations holds their renderers by name in `RENDERERS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ark_tui.interfaces.cli.output import Ink, Output, column, widest

if TYPE_CHECKING:
    import click

    from ark_tui.interfaces.cli.diagnostics import Diagnostics
    from ark_tui.operations.call import Call


@dataclass(frozen=True)
class View:
    """The output of a renderer; `options`: the given arguments and display options."""

    say: Diagnostics
    call: Call
    options: Mapping[str, Any]
    as_json: bool = False

    @cached_property
    def out(self) -> Output:
        """The output for data."""
        return Output(plain=bool(self.options.get("plain")))

    def pairs(self, rows: Mapping[str, str] | Iterable[tuple[str, str]], least: int = 0) -> None:
        """Write names and values in two columns; the first has at least `least` cells."""
        pairs = [*rows.items()] if isinstance(rows, Mapping) else [*rows]
        width = widest((name for name, _ in pairs), least)
        for name, value in pairs:
            self.out.line(Ink(column(name, width), "faint"), value)


def _none(_: Any) -> tuple[str, ...]:
    return ()


@dataclass(frozen=True)
class Renderer:
    """How the results of a command line are printed: one, or one per named item.

    Without `show`, `generic` prints. `options` are display options and come to `show` in the view. `remarks`
    and `warnings` of a result go to stderr, also with `--json`; so does `after`, once everything is printed.
    `code` gives the exit code. `run` replaces all that for results that are shown while they arrive: it gets
    the function that runs the operation.
    """

    show: Callable[[View, Sequence[Any]], None] | None = None
    options: tuple[click.Option, ...] = ()
    remarks: Callable[[Any], Iterable[str]] = lambda result: getattr(result, "notices", ())
    after: Callable[[Call], Iterable[str]] = _none
    warnings: Callable[[Any], Iterable[str]] = _none
    code: Callable[[Any], int] = lambda _: 0
    run: Callable[[View, Callable[..., Any]], None] | None = None
