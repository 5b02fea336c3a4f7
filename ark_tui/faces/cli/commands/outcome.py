"""`ark-tui outcome`: what happened, and whether what was retrieved has helped."""

from __future__ import annotations

from typing import Any

import click

from ark_tui.domain.errors import UsageError
from ark_tui.domain.outcomes import Event, EventFilter
from ark_tui.domain.untrusted import read_json
from ark_tui.faces.cli.output import Ink, Output
from ark_tui.faces.cli.session import Session, face, keyed, pass_session, scoped
from ark_tui.faces.reports import wire_knowledge as wire


@click.group("outcome", no_args_is_help=False, epilog="Example: ark-tui outcome report 3fa9c1d2 success")
@face
def command(as_json: bool) -> None:
    """Record what happened, and report whether it helped."""
    del as_json  # the commands below have their own


@command.command("record", epilog="Example: ark-tui outcome record validation --issue 42 --verdict pass")
@click.argument("event_type", metavar="TYPE")
@click.option("--issue", "issue_number", type=int, metavar="NUMBER", help="The issue that it belongs to.")
@click.option("--duration-ms", type=int, metavar="MS", help="How long it took.")
@click.option("--verdict", default="", metavar="TEXT", help="How it ended, such as pass or fail.")
@click.option("--component-area", default="", metavar="PATH", help="What it was about, such as src/auth.")
@click.option("--estimate", default="", metavar="[XS|S|M|L|XL]", help="How large it was thought to be.")
@click.option("--drift-count", type=int, metavar="N", help="How often the plan had to change.")
@click.option("--model", default="", metavar="NAME", help="The model that did it.")
@click.option("--agent-type", default="", metavar="NAME", help="The kind of agent that did it.")
@click.option("--iteration-count", type=int, metavar="N", help="How many rounds it took.")
@click.option("--payload", default="", metavar="JSON", help="Anything else, as a JSON object.")
@click.option("--query-id", default="", metavar="ID", help="The search, context or expert call before it.")
@keyed
@scoped
@face
@pass_session
def record(session: Session, /, payload: str, as_json: bool, **given: Any) -> None:
    """Keep an event: something that was done, and how it ended."""
    with session.engine() as engine:
        whose = engine.memory.scope()
        event = Event(**given, payload=_payload(payload), session_id=whose.session, agent_id=whose.agent)
        kept = engine.memory.record_outcome(event)
    out = Output()
    if as_json:
        out.document(wire.recorded(kept))
    else:
        out.line(Ink(kept.id, "strong"), f"  {kept.event_type}")


@command.command("query", epilog="Example: ark-tui outcome query --component-area src/ --since 'last month'")
@click.option("--issue", "issue_number", type=int, metavar="NUMBER", help="Only of this issue.")
@click.option("--event-type", default="", metavar="TYPE", help="Only of this type.")
@click.option("--component-area", default="", metavar="PATH", help="Only where the area begins like this.")
@click.option("--estimate", default="", metavar="[XS|S|M|L|XL]", help="Only of this size.")
@click.option("--verdict", default="", metavar="TEXT", help="Only with this verdict.")
@click.option("--session", "session_id", default="", metavar="NAME", help="Only of this session.")
@click.option("--query-id", default="", metavar="ID", help="Only after this search, context or expert call.")
@click.option("--since", default="", metavar="WHEN", help="Only from then on, such as 'last week'.")
@click.option("-n", "--limit", type=click.IntRange(1), default=50, show_default=True, help="How many.")
@click.option("--aggregate", is_flag=True, help="Count all that match instead of listing some.")
@face
@pass_session
def query(session: Session, /, since: str, limit: int, aggregate: bool, as_json: bool, **given: Any) -> None:
    """List events, the latest first; or count all that match."""
    out = Output()
    with session.engine() as engine:
        moment = engine.memory.moment(since) if since else None
        wanted = EventFilter(**given, since=moment)
        from ark_tui.faces.cli import outcomes

        if aggregate:
            totals = engine.memory.outcome_totals(wanted)
            if as_json:
                out.document(wire.aggregate(totals))
            else:
                outcomes.totals(out, totals)
            return
        found = engine.memory.outcomes(wanted, limit)
    if as_json:
        out.document(wire.events(found))
        return
    if not found:
        session.say.notice("No event matches.")
    outcomes.show(out, found)


@command.command("apply", epilog="Example: ark-tui outcome apply 3fa9c1d2 77ab01")
@click.argument("retrieval_id", metavar="RETRIEVAL")
@click.argument("pattern", metavar="PATTERN")
@keyed
@scoped
@face
@pass_session
def apply(session: Session, retrieval_id: str, pattern: str, as_json: bool) -> None:
    """Say that a pattern is being used.

    `report` says later what came of it. RETRIEVAL is the id of the context or search that gave it; its
    start will do.
    """
    with session.engine() as engine:
        kept = engine.memory.apply_pattern(retrieval_id, pattern)
    out = Output()
    if as_json:
        out.document(wire.application(kept))
    else:
        out.line(Ink(kept.id, "strong"), f"  {kept.pattern}")


@command.command("report", epilog="Example: ark-tui outcome report 3fa9c1d2 success")
@click.argument("retrieval_id", metavar="RETRIEVAL")
@click.argument("outcome", metavar="[success|failure]")
@click.option("--pattern", "patterns", multiple=True, metavar="ID", help="Only of this pattern.")
@keyed
@scoped
@face
@pass_session
def report(
    session: Session, retrieval_id: str, outcome: str, patterns: tuple[str, ...], as_json: bool
) -> None:
    """Say whether what a context or search gave has helped.

    Its patterns gain or lose confidence: those that were applied, else all. The first outcome moves it by
    0.1, each further one by less.
    """
    with session.engine() as engine:
        found = engine.memory.report_outcome(retrieval_id, outcome, patterns=patterns)
    out = Output()
    if as_json:
        out.document(wire.reported(found))
        return
    if not found.changes:
        session.say.notice("It is kept; this retrieval gave no pattern, so no confidence has moved.")
    for one in found.changes:
        out.line(Ink(f"#{one.pattern[:6]}", "strong"), f"  {one.before:.3f} → {one.after:.3f}  ", one.title)


def _payload(text: str) -> dict[str, Any] | None:
    if not text:
        return None
    try:
        given = read_json(text)
    except ValueError as error:
        raise UsageError(
            f"The payload is not JSON: {error}.", 'It looks like {"pull_request": 7}.'
        ) from error
    if not isinstance(given, dict):
        raise UsageError("The payload is no JSON object.", 'It looks like {"pull_request": 7}.')
    return given
