"""Where a memory stands, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ark_tui.domain.memory import LAYERS
from ark_tui.faces.cli.output import Ink, Output
from ark_tui.faces.reports import wire, wire_memory

if TYPE_CHECKING:
    from ark_tui.engine import Engine
    from ark_tui.faces.cli.session import Session


def show(session: Session, engine: Engine, ref: str, *, as_json: bool) -> None:
    """Print a document's tier and layer with the moves that led there."""
    document, moved = engine.document(ref), engine.memory.items.moves(ref)
    out = Output()
    if as_json:
        moves = [wire_memory.move(one) for one in moved]
        out.document({"document": wire.document(document), "layer": document.layer, "moves": moves})
        return
    layer = f"layer {document.layer} {LAYERS[document.layer]}" if document.layer else "no layer"
    out.line(Ink(document.short_id, "strong"), f"  {document.title}")
    out.line(f"        tier {document.tier}, {layer}")
    for one in moved:
        change = f"{one.axis} {one.was or '–'} → {one.became or '–'}"
        out.line(Ink(f"        {one.moment:%Y-%m-%d %H:%M}  {one.agent}  {change}  ", "faint"), one.reason)
    if not moved:
        session.say.notice("It has not been moved.")
