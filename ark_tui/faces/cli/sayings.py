"""Messages as lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ark_tui.faces.cli.output import WIDTH, Ink, Output
from ark_tui.faces.reports import wire_memory

if TYPE_CHECKING:
    from ark_tui.domain.memory import Messages, Scope

LINES = 6  # of a message that are shown


def show(page: Messages, scope: Scope, *, as_json: bool) -> None:
    """Print a page of messages."""
    out = Output()
    if as_json:
        out.document(wire_memory.messages(page))
        return
    from ark_tui.faces.cli.layout import flow

    for one in page.messages:
        whose = "" if scope.whole else f"{one.scope.name}  "
        about = (
            f"  {one.timestamp:%Y-%m-%d %H:%M}  {whose}{one.conversation_id}/{one.sequence}  #{one.id[:6]}"
        )
        out.line(Ink(one.role, "strong"), Ink(about, "faint"))
        for line in flow(one.content, (), WIDTH - 2, LINES):
            out.line("  ", *line)
