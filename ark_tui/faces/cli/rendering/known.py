"""Facts, patterns and directives as lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from ark_tui.faces.cli.layout import flow, short
from ark_tui.faces.cli.output import WIDTH, Ink
from ark_tui.faces.cli.rendering import Renderer, View

if TYPE_CHECKING:
    from ark_tui.domain.knowledge import Directive, Fact, Pattern

    Item: TypeAlias = Fact | Pattern | Directive

LINES = 6  # of a text in a list
INDENT = "         "

Told: TypeAlias = tuple[str, list[str], str]
"""The text of an item, what matters about it, and what follows from it."""


def renderers(name: str, tell: Callable[[Any], Told], empty: str) -> dict[str, Renderer]:
    """The renderers of a kind of item, as `tell` words one; `empty`: what to type where there are none."""

    def shown(view: View, items: Sequence[Item]) -> None:
        for one in items:
            _item(view, one, *tell(one))

    def listed(view: View, pages: Sequence[Any]) -> None:
        if not pages[0].total:
            view.say.notice(f"There are no {name}: ark-tui {name} add {empty}")
        shown(view, pages[0].items)

    verbs = {f"{name} {verb}": Renderer(shown) for verb in ("add", "edit", "retire")}
    return {f"{name} list": Renderer(listed), **verbs}


def _item(view: View, one: Item, text: str, about: list[str], more: str) -> None:
    for place, row in enumerate(flow(text, (), WIDTH - len(INDENT), LINES)):
        lead = INDENT if place else Ink(f"{one.document.short_id:<{len(INDENT)}}", "strong")
        view.out.line(lead, *row)
    for place, row in enumerate(flow(more, (), WIDTH - len(INDENT) - 2, LINES)):
        view.out.line(INDENT, "  " if place else "→ ", *row)
    told = [*(["retired"] if one.retired else []), *about, one.document.tier]
    told += [f"#{tag}" for tag in one.document.tags]
    view.out.line(INDENT, Ink(short(" · ".join(told), WIDTH - len(INDENT)), "faint"))
