"""Tokens of the server: whom they are for, and a new one once."""

from __future__ import annotations

from collections.abc import Sequence

from ark_tui.domain.principal import NewToken, Principal
from ark_tui.interfaces.cli.output import Ink
from ark_tui.interfaces.cli.rendering import Lines, Renderer, View, each


def _made(view: View, made: Sequence[NewToken]) -> None:
    """The token alone, so that a script can keep it."""
    view.out.line(made[0].token)


def _one(_: View, one: Principal) -> Lines:
    whom = ", ".join((*one.agents, *one.projects)) or "everybody"
    yield Ink(one.name, "strong"), f"  {one.grant}  for {whom}  ", Ink(f"{one.created:%Y-%m-%d}", "faint")


RENDERERS = {"token add": Renderer(_made), "token list": each(_one, "There is no token yet.")}
