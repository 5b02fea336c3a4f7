"""`ark-tui queue`: what wants attention, and decisions about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ark_tui.domain.curation import KINDS
from ark_tui.faces.cli import curating
from ark_tui.faces.cli.output import WIDTH, Ink, Output
from ark_tui.faces.cli.session import Session, face, pass_session
from ark_tui.faces.reports import wire_curation

if TYPE_CHECKING:
    from ark_tui.domain.curation import Item


@click.command("queue", epilog="Example: ark-tui queue d3fa9c 1")
@click.argument("item", required=False, metavar="ITEM")
@click.argument("key", required=False, metavar="KEY")
@click.argument("text", required=False, default="", metavar="TAGS")
@click.option("-n", "--limit", type=click.IntRange(1), default=10, show_default=True, help="How many.")
@click.option(
    "--kind", "kinds", multiple=True, type=click.Choice(KINDS), help="Only these; unfound takes its time."
)
@face
@pass_session
def command(
    session: Session,
    item: str | None,
    key: str | None,
    text: str,
    limit: int,
    kinds: tuple[str, ...],
    as_json: bool,
) -> None:
    """List what wants attention, or decide one item.

    Duplicates, contradictions, files saved since they were indexed, documents without a tag, and, when asked
    for, those that no search brings back. KEY is one of those that the item offers; l puts it off.
    """
    out = Output()
    with session.engine() as engine:
        if item and key:
            done = engine.curation.decide(engine.curation.item(item), key, text)
            curating.tell(session, done, as_json=as_json)
            return
        if item:
            one = engine.curation.item(item)
            if as_json:
                out.document(wire_curation.item(one))
            else:
                _show(out, one)
            return
        found = engine.curation.queue(limit, kinds)
    if as_json:
        out.document(wire_curation.queue(found))
        return
    for one in found.items:
        _show(out, one)
    counted = ", ".join(f"{count} {kind}" for kind, count in found.counts.items() if count)
    later = f"; {found.later} put off" if found.later else ""
    session.say.notice(f"{counted or 'Nothing wants attention'}{later}.")


def _show(out: Output, item: Item) -> None:
    from ark_tui.faces.cli.layout import short

    out.line(Ink(item.id, "strong"), f"  {item.kind}: {item.reason}")
    for number, one in enumerate(item.documents, 1):
        mark = f"{number} " if len(item.documents) > 1 else ""
        line = f"{one.short_id} {one.title} · {one.collection}/{one.path}"
        out.line(f"         {mark}", short(line, WIDTH - 11))
    keys = "  ".join(f"{choice.key} {choice.label}" for choice in item.choices)
    tags = f"  (perhaps {', '.join(item.suggestions)})" if item.suggestions else ""
    out.line(Ink(f"         {keys}{short(tags, 40)}", "faint"))
