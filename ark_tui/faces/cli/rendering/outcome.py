"""Outcome events as lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ark_tui.domain.outcomes import Aggregate, Application, Event, Reported
from ark_tui.faces.cli.layout import column, short
from ark_tui.faces.cli.output import WIDTH, Ink, Output
from ark_tui.faces.cli.rendering import Renderer, View
from ark_tui.operations.page import Page


def recorded(view: View, events: Sequence[Event]) -> None:
    """Its id and its type."""
    for one in events:
        view.out.line(Ink(one.id, "strong"), f"  {one.event_type}")


def applied(view: View, applications: Sequence[Application]) -> None:
    """Its id and its pattern."""
    for one in applications:
        view.out.line(Ink(one.id, "strong"), f"  {one.pattern}")


def reported(view: View, reports: Sequence[Reported]) -> None:
    """How the confidence of each pattern has moved."""
    for one in (change for report in reports for change in report.changes):
        moved = f"  {one.before:.3f} → {one.after:.3f}  "
        view.out.line(Ink(f"#{one.pattern[:6]}", "strong"), moved, one.title)
    if not any(report.changes for report in reports):
        view.say.notice("It is kept; this retrieval gave no pattern, so no confidence has moved.")


def queried(view: View, found: Sequence[Page[Event] | Aggregate]) -> None:
    """The events, or what all of them come to."""
    (one,) = found
    if isinstance(one, Aggregate):
        _totals(view, one)
    elif one.items:
        listed(view.out, one.items)
    else:
        view.say.notice("No event matches.")


def listed(out: Output, events: Sequence[Event]) -> None:
    """One line each: when, what, how it ended, where."""
    for one in events:
        facts = [
            one.verdict,
            f"issue {one.issue_number}" if one.issue_number is not None else "",
            one.component_area,
            one.estimate,
            one.model,
            f"query {one.query_id}" if one.query_id else "",
        ]
        about = " · ".join(fact for fact in facts if fact)
        when = f"{one.at:%Y-%m-%d %H:%M}" if one.at else ""
        lead = f"{one.id}  {when}  "
        out.line(Ink(lead, "faint"), short(f"{one.event_type}  {about}", WIDTH - len(lead)))


def _totals(view: View, found: Aggregate) -> None:
    """How many, on average, and how they are spread."""
    rows = {
        "events": f"{found.count:,}",
        "drift": _average(found.drift),
        "iterations": _average(found.iterations),
        "verdicts": _spread(found.verdicts),
        "types": _spread(found.types),
        "areas": _spread(dict(found.areas)),
    }
    for name, value in rows.items():
        view.out.line(Ink(column(name, 12), "faint"), value)


def _average(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f} on average"


def _spread(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items()) or "–"


RENDERERS = {
    "outcome record": Renderer(recorded),
    "outcome query": Renderer(queried),
    "outcome apply": Renderer(applied),
    "outcome report": Renderer(reported),
}
