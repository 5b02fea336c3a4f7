"""`ark-tui memory-stats`: how much there is, by tier, and what is new."""

from __future__ import annotations

import click

from ark_tui.faces.cli.output import Ink, Output
from ark_tui.faces.cli.session import Session, face, pass_session
from ark_tui.faces.reports import wire_knowledge as wire


@click.command("memory-stats", epilog="Example: ark-tui memory-stats --since 'last week'")
@click.option("--since", default="24 hours", show_default=True, help="From when on something counts as new.")
@face
@pass_session
def command(session: Session, since: str, as_json: bool) -> None:
    """Count documents and memories by tier, and what is new."""
    with session.engine() as engine:
        found = engine.memory.stats(engine.memory.moment(since))
    out = Output()
    if as_json:
        out.document(wire.memory_stats(found))
        return
    last = found.last_reflection_at
    rows = {
        "documents": f"{found.total_documents:,}",
        **{str(tier): f"{count:,}" for tier, count in found.by_tier.items()},
        "new": f"{found.new_since:,} since {found.since:%Y-%m-%d %H:%M}",
        "chunks": f"{found.chunks_per_doc_p50} per document, 90th percentile {found.chunks_per_doc_p90}",
        "last reflection": f"{last:%Y-%m-%d}" if last else "none",
    }
    for name, value in rows.items():
        out.line(Ink(f"{name:<16}", "faint"), value)
