"""`ark-tui recall`: what a role recalls, by the tiers that it trusts."""

from __future__ import annotations

import click

from ark_tui.domain.query import Filters, Request
from ark_tui.faces.cli.output import Output
from ark_tui.faces.cli.session import Session, face, pass_session, scoped
from ark_tui.faces.cli.words import FreeText, joined
from ark_tui.faces.reports import wire_knowledge as wire


@click.command("recall", cls=FreeText, epilog="Example: ark-tui recall flaky tests --role planner -n 5")
@click.argument("query", nargs=-1, callback=joined)
@click.option(
    "--role",
    default="",
    metavar="ROLE",
    help="researcher, planner, implementer, reviewer or triager; needed.",
)
@click.option(
    "-n", "--limit", type=click.IntRange(1, 1000), default=10, show_default=True, help="How many documents."
)
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="Only with this tag.")
@click.option("--type", "types", multiple=True, metavar="TYPE", help="Only of this type.")
@click.option("--superseded", is_flag=True, help="List what was superseded, too, with its successor.")
@click.option("--explain", is_flag=True, help="Show every part of every score.")
@click.option("--plain", is_flag=True, help="No colour and no bars.")
@scoped
@face
@pass_session
def command(
    session: Session,
    query: str,
    role: str,
    limit: int,
    tags: tuple[str, ...],
    types: tuple[str, ...],
    superseded: bool,
    explain: bool,
    plain: bool,
    as_json: bool,
) -> None:
    """Search the tiers that a role trusts.

    One search per tier, merged; each document once, by its higher score. researcher: raw, reflection, doc.
    planner: reflection, wiki, doc. implementer and reviewer: wiki, doc. triager: doc, wiki. The query is one
    of `ark-tui search`.
    """
    with session.engine() as engine:
        filters = Filters(tags=tags, types=types)
        found = engine.memory.recall(
            Request(query, limit=limit, filters=filters, superseded=superseded), role
        )
        if as_json:
            Output().document(wire.recall(found))
            return
        signals = engine.signals()
    from ark_tui.faces.cli import hits

    for tier in found.tiers:
        if tier.problem:
            session.say.warning(f"{tier.tier} could not be searched: {tier.problem}")
    session.say.notice(", ".join(f"{one.tier} {one.found}" for one in found.tiers if not one.problem))
    hits.narrate(session.say, found.result)
    hits.Listing(Output(plain=plain), signals, explain=explain).show(found.result)
