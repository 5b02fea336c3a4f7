"""Facts, patterns and directives as lines."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from ark_tui.interfaces.cli.layout import flow, short
from ark_tui.interfaces.cli.output import WIDTH, Ink
from ark_tui.interfaces.cli.rendering import Lines, Renderer, View, each

if TYPE_CHECKING:
    from ark_tui.domain.knowledge import Directive, Fact, Pattern

LINES = 6  # of a text in a list
INDENT = "         "

Told: TypeAlias = tuple[str, list[str], str]
"""The text of an item, what matters about it, and what follows from it."""


def _fact(one: Fact) -> Told:
    return one.text, [f"from {one.source}"] if one.source else [], ""


def _pattern(one: Pattern) -> Told:
    tried = f"worked {one.successes} of {one.tried}" if one.tried else "not tried yet"
    return one.problem, [f"confidence {one.confidence:.2f}", tried], one.solution


def _directive(one: Directive) -> Told:
    about = [f"in {one.scope}"] if one.scope else []
    about += [f"priority {one.priority}"] if one.priority else []
    return f"{one.kind} {one.text}", about, ""


def _renderers(name: str, tell: Callable[[Any], Told], empty: str) -> dict[str, Renderer]:
    """The renderers of a kind of item, as `tell` words one; `empty`: what to type where there are none."""

    def lines(_: View, one: Fact | Pattern | Directive) -> Lines:
        text, about, more = tell(one)
        for place, row in enumerate(flow(text, (), WIDTH - len(INDENT), LINES)):
            yield INDENT if place else Ink(f"{one.document.short_id:<{len(INDENT)}}", "strong"), *row
        for place, row in enumerate(flow(more, (), WIDTH - len(INDENT) - 2, LINES)):
            yield INDENT, "  " if place else "→ ", *row
        told = [*(["retired"] if one.retired else []), *about, one.document.tier]
        told += [f"of {name}" for name in (one.owner, one.project) if name]
        told += [f"#{tag}" for tag in one.document.tags]
        yield INDENT, Ink(short(" · ".join(told), WIDTH - len(INDENT)), "faint")

    verbs = {f"{name} {verb}": each(lines) for verb in ("add", "edit", "retire")}
    return {f"{name} list": each(lines, f"There are no {name}: ark-tui {name} add {empty}"), **verbs}


RENDERERS = {
    **_renderers("facts", _fact, "The build takes four minutes"),
    **_renderers("patterns", _pattern, "the problem --solution 'the solution'"),
    **_renderers("directives", _directive, "MUST run the tests"),
}
