"""Facts, patterns and directives as lines of text, and what their commands have in common."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

from ark_tui.domain.documents import TIERS
from ark_tui.domain.memory import EVERY, Scope
from ark_tui.faces.cli.output import WIDTH, Ink, Output
from ark_tui.faces.cli.session import face, keyed, pass_session, scoped

if TYPE_CHECKING:
    from ark_tui.domain.knowledge import Directive, Fact, Pattern

Command = Callable[..., Any]

STDIN = "-"
LINES = 6  # of a text in a list
INDENT = "         "


def adding(command: Command) -> Command:
    """The options of a command that adds an item."""
    command = keyed(scoped(face(pass_session(command))))
    command = click.option(
        "--tier", type=click.Choice(TIERS), default="doc", show_default=True, help="How far it is trusted."
    )(command)
    return click.option(
        "--tag", "tags", multiple=True, metavar="TAG", help="Tag it; may be given several times."
    )(command)


def listing(command: Command) -> Command:
    """The options of a command that lists items."""
    command = face(pass_session(command))
    command = click.option("--retired", is_flag=True, help="List those that were retired, too.")(command)
    return click.option("--agent", default=EVERY, metavar="NAME", help="Only what this agent has added.")(
        command
    )


def retiring(command: Command) -> Command:
    """The argument and the options of a command that retires an item, or brings it back."""
    command = keyed(scoped(face(pass_session(command))))
    command = click.option("--reason", default="", metavar="TEXT", help="Why; it is kept.")(command)
    return click.argument("ref", metavar="ID")(command)


def by(agent: str) -> Scope:
    """Everything that an agent has added, in any session."""
    return Scope(agent, EVERY)


def given(text: str) -> str:
    """The text of a command line; `-` alone reads it from stdin."""
    return sys.stdin.buffer.read().decode("utf-8", "replace") if text == STDIN else text


class Listing:
    """Prints items, each with its short id and what matters about it."""

    def __init__(self, out: Output) -> None:
        self._out = out

    def facts(self, found: Iterable[Fact]) -> None:
        for one in found:
            about = [f"from {one.source}"] if one.source else []
            self._item(one.document.short_id, one.text, self._about(one, about))

    def patterns(self, found: Iterable[Pattern]) -> None:
        for one in found:
            tried = f"worked {one.successes} of {one.tried}" if one.tried else "not tried yet"
            about = self._about(one, [f"confidence {one.confidence:.2f}", tried])
            self._item(one.document.short_id, one.problem, about, one.solution)

    def directives(self, found: Iterable[Directive]) -> None:
        for one in found:
            about = [f"in {one.scope}"] if one.scope else []
            about += [f"priority {one.priority}"] if one.priority else []
            self._item(one.document.short_id, f"{one.kind} {one.text}", self._about(one, about))

    @staticmethod
    def _about(one: Fact | Pattern | Directive, first: Sequence[str]) -> str:
        tags = [f"#{tag}" for tag in one.document.tags]
        retired = ["retired"] if one.retired else []
        return " · ".join((*retired, *first, one.document.tier, *tags))

    def _item(self, short_id: str, text: str, about: str, more: str = "") -> None:
        from ark_tui.faces.cli.layout import flow, short

        rows = flow(text, (), WIDTH - len(INDENT), LINES)
        for place, row in enumerate(rows):
            lead = Ink(f"{short_id:<{len(INDENT)}}", "strong") if not place else INDENT
            self._out.line(lead, *row)
        for place, row in enumerate(flow(more, (), WIDTH - len(INDENT) - 2, LINES)):
            self._out.line(INDENT, "  " if place else "→ ", *row)
        self._out.line(INDENT, Ink(short(about, WIDTH - len(INDENT)), "faint"))
