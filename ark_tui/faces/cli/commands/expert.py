"""`ark-tui expert`: what there is about a domain, and what came of it before."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from ark_tui.faces.cli.output import WIDTH, Ink, Output
from ark_tui.faces.cli.session import Session, face, pass_session, scoped
from ark_tui.faces.reports import wire_knowledge as wire

if TYPE_CHECKING:
    from ark_tui.domain.documents import Document


@click.command("expert", epilog="Example: ark-tui expert retrieval --path-prefix notes/")
@click.argument("domain")
@click.option("--issue", type=int, metavar="NUMBER", help="The issue that it is for.")
@click.option("-n", "--limit", type=int, default=5, show_default=True, help="How many of each.")
@click.option("--days", type=int, default=30, show_default=True, help="How far back reflections count.")
@click.option("--path-prefix", default="", metavar="PATH", help="Only documents under this path.")
@scoped
@face
@pass_session
def command(
    session: Session, domain: str, issue: int | None, limit: int, days: int, path_prefix: str, as_json: bool
) -> None:
    """Show what is known about a domain.

    DOMAIN is a tag: its wiki documents, its latest reflections, its prior outcomes. The call
    is kept as an event, which `ark-tui outcome query` lists.
    """
    with session.engine() as engine:
        found = engine.memory.expert(
            domain, issue_number=issue, limit=limit, recency_window_days=days, path_prefix=path_prefix
        )
    out = Output()
    if as_json:
        out.document(wire.bundle(found))
        return
    from ark_tui.faces.cli.outcomes import show

    if found.warning:
        session.say.warning(found.warning)
    _documents(out, "wiki", found.wiki)
    _documents(out, "reflections", found.reflections)
    if found.prior_outcomes:
        out.line(Ink("prior outcomes", "faint"))
        show(out, found.prior_outcomes)


def _documents(out: Output, heading: str, found: Iterable[Document]) -> None:
    from ark_tui.faces.cli.layout import fit, short_path

    for place, one in enumerate(found):
        if not place:
            out.line(Ink(heading, "faint"))
        day = one.date.isoformat() if one.date else " " * 10
        out.line(
            Ink(f"  {one.short_id}  ", "strong"), f"{day}  ", fit(one.title or one.path, 34), "  ",
            Ink(short_path(one.path, WIDTH - 59), "faint"),
        )  # fmt: skip
