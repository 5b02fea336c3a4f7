"""`ark-tui search`: the hits, and why they stand where they stand."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from ark_tui.domain.errors import UsageError
from ark_tui.domain.query import MODES, SAVED, Mode, Request
from ark_tui.faces.cli.output import Output
from ark_tui.faces.cli.session import Session, face, pass_session
from ark_tui.faces.cli.words import FreeText, joined
from ark_tui.faces.reports import wire

if TYPE_CHECKING:
    from ark_tui.engine import Engine

WIDE = 3  # steps along links that --graph takes
FIELDS = {
    "limit": "limit", "mode": "mode", "profile": "profile", "superseded": "superseded", "expand": "expand",
    "without": "without", "adjust": "adjust", "mmr": "adjust", "graph": "hops", "hops": "hops",
}  # fmt: skip
"""Which part of a request an option sets."""


@click.command(
    "search",
    cls=FreeText,
    epilog='Example: ark-tui search spectral gap tag:theory -draft "mixing time" --explain',
)
@click.argument("query", nargs=-1, callback=joined)
@click.option(
    "-n", "--limit", type=click.IntRange(1, 1000), default=10, show_default=True, help="How many documents."
)
@click.option(
    "--mode", type=click.Choice(MODES), default="hybrid", show_default=True, help="What to rank by."
)
@click.option("--profile", metavar="NAME", help="The ranking profile; see `ark-tui config`.")
@click.option(
    "--set",
    "adjust",
    metavar="KEY=VALUE",
    multiple=True,
    help="Change the profile for this search: weight.bm25=0.3, k=60, sigma=30. May be repeated.",
)
@click.option("--mmr", type=click.FloatRange(0, 1), metavar="L", help="1: rank as ever; less: more variety.")
@click.option("--graph", is_flag=True, help=f"Follow links further: --hops {WIDE}.")
@click.option("--hops", type=click.IntRange(0, 5), metavar="N", help="Follow links so many steps.")
@click.option(
    "--expand/--no-expand", default=None, help="Ask the chat model for further terms; else if vague."
)
@click.option(
    "--without",
    metavar="TERM",
    multiple=True,
    help="Leave out a further term, which --explain names. May be repeated.",
)
@click.option("--superseded", is_flag=True, help="List what was superseded, too, with its successor.")
@click.option(
    "--below", is_flag=True, help="List what lies below the floor, too: nothing is about the query."
)
@click.option("--explain", is_flag=True, help="Show every part of every score.")
@click.option(
    "--plain", is_flag=True, help="No colour and no bars: one line after the other, for reading aloud."
)
@face
@click.pass_context
@pass_session
def command(
    session: Session,
    ctx: click.Context,
    query: str,
    limit: int,
    mode: Mode,
    profile: str | None,
    adjust: tuple[str, ...],
    mmr: float | None,
    graph: bool,
    hops: int | None,
    expand: bool | None,
    without: tuple[str, ...],
    superseded: bool,
    below: bool,
    explain: bool,
    plain: bool,
    as_json: bool,
) -> None:
    """Search, and see why each hit is there.

    All words, dashes too, are the query. Filters stand in it: in:COLLECTION tag:T path:P tier:T type:T
    before:2026-01 after:last-month. A "quoted phrase" must occur as it is, -word keeps away what holds the
    word, OR takes the one or the other, (parentheses) make one of several: walk (tag:a OR "b c") -draft.
    In plain words, "not about X" lowers X, and "in March 2026" or "last week" raises what is from then.
    @NAME runs a saved search, narrowed by the words after it.
    """
    if not query.strip():
        raise UsageError(
            "There is nothing to search for.", "Give some words, as in `ark-tui search spectral gap`."
        )
    with session.engine({"profile": profile}) as engine:
        request = Request(
            query,
            mode=mode,
            limit=limit,
            profile=profile or "",
            superseded=superseded,
            below=below,
            expand=expand,
            without=without,
            hops=WIDE if graph and hops is None else hops,
            adjust=(*adjust, *(() if mmr is None else (f"mmr={mmr:g}",))),
        )
        result = engine.search(_saved(ctx, engine, request) or request)
        if as_json:
            Output().document(wire.search(result))
        else:
            from ark_tui.faces.cli import hits

            hits.narrate(session.say, result)
            hits.Listing(Output(plain=plain), engine.signals(), explain=explain).show(result)
        Output().flush()
        if why := engine.unkept():
            session.say.notice(f"This search is not in the log: {why.what}")


def _saved(ctx: click.Context, engine: Engine, request: Request) -> Request | None:
    """The saved search that the words name, as far as no option says otherwise; None where they name none."""
    if not request.query.startswith(SAVED):  # the room of saved searches need not be opened
        return None
    saved = engine.curation.asked(request.query)
    if saved is None:
        return None
    typed = click.core.ParameterSource.COMMANDLINE
    given = {field for option, field in FIELDS.items() if ctx.get_parameter_source(option) is typed}
    return replace(saved, **{field: getattr(request, field) for field in given})
