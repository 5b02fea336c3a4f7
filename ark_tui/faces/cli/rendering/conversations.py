"""Conversations as lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ark_tui.domain.wording import counted
from ark_tui.faces.cli.output import Ink
from ark_tui.faces.cli.rendering import Renderer, View

if TYPE_CHECKING:
    from ark_tui.domain.memory import Conversation, Deleted
    from ark_tui.operations.page import Page


def listed(view: View, pages: Sequence[Page[Conversation]]) -> None:
    """A line for each."""
    scope = view.call.scope
    for one in pages[0].items:
        whose = "" if scope.whole else f"  {one.scope.name}"
        about = f"  {counted(one.messages, 'message')} since {one.created:%Y-%m-%d %H:%M}{whose}"
        view.out.line(Ink(one.id, "strong"), Ink(about, "faint"))
    if not pages[0].total:
        view.say.notice(f"There is no conversation in {scope.name}: ark-tui history add user SOMETHING")


def created(view: View, conversations: Sequence[Conversation]) -> None:
    """Its id alone."""
    for one in conversations:
        view.out.line(one.id)


def deleted(view: View, gone: Sequence[Deleted]) -> None:
    """What went, and where it may still be."""
    for one in gone:
        view.say.notice(f"Deleted {one.conversation_id} with {counted(one.messages, 'message')}.")
        if one.remains:
            view.say.notice(f"Backups may still hold them: {', '.join(one.remains)}")


RENDERERS = {
    "conversations list": Renderer(listed),
    "conversations create": Renderer(created),
    "conversations delete": Renderer(deleted),
}
