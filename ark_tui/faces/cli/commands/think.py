"""`ark-tui think`: an answer with its sources, or the sources alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ark_tui.faces.cli.output import WIDTH, Ink, Output
from ark_tui.faces.cli.session import Session, face, pass_session, scoped
from ark_tui.faces.cli.words import FreeText, joined
from ark_tui.faces.reports import wire_knowledge as wire

if TYPE_CHECKING:
    from ark_tui.domain.recall import Thought


@click.command(
    "think", cls=FreeText, epilog="Example: ark-tui think why do the tests hang on CI --role planner"
)
@click.argument("query", nargs=-1, callback=joined)
@click.option(
    "--role", default="", metavar="ROLE", help="researcher, planner, implementer, reviewer or triager."
)
@click.option(
    "-n", "--limit", type=click.IntRange(1, 50), default=8, show_default=True, help="How many sources."
)
@scoped
@face
@pass_session
def command(session: Session, query: str, role: str, limit: int, as_json: bool) -> None:
    """Answer a question from what is known, with citations.

    The setting `chat_model` names the model of Ollama that answers. Without one, or when it fails, the
    sources are listed alone.
    """
    with session.engine() as engine:
        found = engine.memory.think(query, role=role, limit=limit)
    out = Output()
    if as_json:
        out.document(wire.thought(found))
        return
    for notice in _notices(found):
        session.say.notice(notice)
    _show(out, found)


def _notices(found: Thought) -> list[str]:
    told = [f"{'Odd' if found.synthesized else 'No answer'}: {found.problem}."] if found.problem else []
    if found.dropped:
        told.append(f"It cited what is no source; taken out: {', '.join(found.dropped)}.")
    return told


def _show(out: Output, found: Thought) -> None:
    from ark_tui.faces.cli.layout import flow, short

    if found.answer:
        out.block(found.answer)
        out.line()
    for gap in found.gaps:
        out.line(Ink("gap  ", "bad"), short(gap, WIDTH - 5))
    for source in found.sources:
        about = f"  {source.score:.3f} · {source.document.tier} · "
        out.line(
            Ink(f"[{source.label}]", "strong"), Ink(about, "faint"),
            short(source.document.title or source.document.path, WIDTH - len(about) - 8),
        )  # fmt: skip
        for row in flow(source.snippet, (), WIDTH - 4, 2):
            out.line("    ", *row)
