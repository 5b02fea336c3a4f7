"""Items of the curation queue: what is asked, of which documents, and the keys that answer."""

from __future__ import annotations

from collections.abc import Sequence

from ark_tui.domain.curation import Item, Queue
from ark_tui.faces.cli.layout import short
from ark_tui.faces.cli.output import WIDTH, Ink
from ark_tui.faces.cli.rendering import Renderer, View
from ark_tui.faces.cli.rendering.curation import DONE


def listed(view: View, queues: Sequence[Queue]) -> None:
    """The first items, and how many there are of each kind."""
    (found,) = queues
    shown(view, found.items)
    counts = ", ".join(f"{count} {kind}" for kind, count in found.counts.items() if count)
    later = f"; {found.later} put off" if found.later else ""
    view.say.notice(f"{counts or 'Nothing wants attention'}{later}.")


def shown(view: View, items: Sequence[Item]) -> None:
    """Items, each with its documents and keys."""
    for item in items:
        view.out.line(Ink(item.id, "strong"), f"  {item.kind}: {item.reason}")
        for number, one in enumerate(item.documents, 1):
            mark = f"{number} " if len(item.documents) > 1 else ""
            line = f"{one.short_id} {one.title} · {one.collection}/{one.path}"
            view.out.line(f"         {mark}", short(line, WIDTH - 11))
        keys = "  ".join(f"{choice.key} {choice.label}" for choice in item.choices)
        tags = f"  (perhaps {', '.join(item.suggestions)})" if item.suggestions else ""
        view.out.line(Ink(f"         {keys}{short(tags, 40)}", "faint"))


RENDERERS = {"queue list": Renderer(listed), "queue show": Renderer(shown), "queue decide": DONE}
