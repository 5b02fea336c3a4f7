"""Messages as lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ark_tui.faces.cli.layout import flow
from ark_tui.faces.cli.output import WIDTH, Ink
from ark_tui.faces.cli.rendering import Renderer, View

if TYPE_CHECKING:
    from ark_tui.domain.memory import Message
    from ark_tui.operations.page import Page

LINES = 6  # of a message that are shown


def added(view: View, messages: Sequence[Message]) -> None:
    """Its id and its place."""
    for one in messages:
        view.out.line(Ink(f"#{one.id[:6]}", "strong"), f"  {one.conversation_id}/{one.sequence}")


def listed(view: View, pages: Sequence[Page[Message]]) -> None:
    """The messages of a page, and how many there are besides."""
    (page,) = pages
    shown(view, page.items)
    if not page.items:
        view.say.notice("Nothing has been said: ark-tui history add user SOMETHING")
    elif page.total > len(page.items):
        view.say.notice(f"{len(page.items)} of {page.total:,} messages.")


def found(view: View, pages: Sequence[Page[Message]]) -> None:
    """The messages that a search has found."""
    shown(view, pages[0].items)
    if not pages[0].items:
        view.say.notice(f"Nothing found in {view.call.scope.name}.")


def shown(view: View, messages: Sequence[Message]) -> None:
    """Who said what, when and where."""
    for one in messages:
        whose = "" if view.call.scope.whole else f"{one.scope.name}  "
        where = f"{whose}{one.conversation_id}/{one.sequence}  #{one.id[:6]}"
        view.out.line(Ink(one.role, "strong"), Ink(f"  {one.timestamp:%Y-%m-%d %H:%M}  {where}", "faint"))
        for line in flow(one.content, (), WIDTH - 2, LINES):
            view.out.line("  ", *line)


RENDERERS = {
    "history add": Renderer(added),
    "history list": Renderer(listed),
    "history search": Renderer(found),
}
