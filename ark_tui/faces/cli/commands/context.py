"""`ark-tui context`: what is known about a query, as text for a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ark_tui.faces.cli.output import WIDTH, Ink, Output
from ark_tui.faces.cli.session import Session, face, pass_session, scoped
from ark_tui.faces.cli.words import FreeText, joined
from ark_tui.faces.reports import wire_knowledge as wire

if TYPE_CHECKING:
    from ark_tui.domain.knowledge import Context


@click.command(
    "context", cls=FreeText, epilog="Example: ark-tui context flaky tests on CI --budget 800 --scope src/ci"
)
@click.argument("query", nargs=-1, callback=joined)
@click.option("--budget", type=int, default=2000, show_default=True, help="The most tokens of text.")
@click.option(
    "--scope",
    "scopes",
    multiple=True,
    metavar="NAME",
    help="Whose rules hold too; may be given several times.",
)
@click.option("--passages", type=int, default=3, show_default=True, help="How many passages of documents.")
@click.option("--explain", is_flag=True, help="List every factor of every score after the text.")
@scoped
@face
@pass_session
def command(
    session: Session,
    query: str,
    budget: int,
    scopes: tuple[str, ...],
    passages: int,
    explain: bool,
    as_json: bool,
) -> None:
    """Gather what is known as text for a model.

    Rules that hold, patterns by their problem, facts by meaning, and passages of documents. Score =
    similarity × recency × confidence. With its retrieval id, `ark-tui outcome report` says whether it helped.
    """
    with session.engine() as engine:
        found = engine.memory.context(query, budget=budget, scopes=scopes, passages=passages)
    out = Output()
    if as_json:
        out.document(wire.context(found))
        return
    out.block(found.text)
    if explain:
        _explain(out, found)
    for notice in _notices(found):
        session.say.notice(notice)


def _explain(out: Output, found: Context) -> None:
    from ark_tui.faces.cli.layout import fit, short

    out.line()
    out.line(Ink("          kind       score = similarity × recency × confidence", "faint"))
    for item in found.items:
        out.line(
            Ink(f"{item.label:<8}  ", "strong"), fit(item.kind, 10), f"{item.score:>6.3f}  ",
            f"{item.similarity:>9.3f}   {item.recency:>6.3f}   {item.confidence:>8.3f}  ",
            Ink(short(item.document.title, WIDTH - 60), "faint"),
        )  # fmt: skip


def _notices(found: Context) -> list[str]:
    told = [f"{found.tokens} of {found.budget} tokens · retrieval {found.retrieval_id}"]
    if found.left_out:
        told.append(f"{found.left_out} more did not fit; give a larger --budget.")
    if found.masked:
        told.append(f"{found.masked} secrets are masked.")
    if found.lamp.state == "off":
        told.append(f"{found.lamp.signal} off: {found.lamp.reason}")
    return [*told, *found.notices]
