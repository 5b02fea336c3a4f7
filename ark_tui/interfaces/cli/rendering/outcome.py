"""Outcome events as lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ark_tui.domain.outcomes import Aggregate, Application, Calibration, Event, Reported
from ark_tui.domain.wording import counted
from ark_tui.interfaces.cli.layout import short
from ark_tui.interfaces.cli.output import WIDTH, Ink
from ark_tui.interfaces.cli.rendering import Lines, Renderer, View, each
from ark_tui.operations.page import Page

BAR = 20  # cells of a success rate of 1


def _recorded(_: View, one: Event) -> Lines:
    yield Ink(one.id, "strong"), f"  {one.event_type}"


def _applied(_: View, one: Application) -> Lines:
    yield Ink(one.id, "strong"), f"  {one.pattern}"


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
    else:
        listed.show(view, found)


def _event(_: View, one: Event) -> Lines:
    """When, what, how it ended, where."""
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
    yield Ink(lead, "faint"), short(f"{one.event_type}  {about}", WIDTH - len(lead))


listed = each(_event, "No event matches.")


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
    view.pairs(rows, 12)


def _average(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f} on average"


def _spread(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items()) or "–"


def calibrated(view: View, found: Sequence[Calibration]) -> None:
    """A row for each tenth of confidence, and how far it is off."""
    (one,) = found
    if one.brier is None or one.error is None:
        view.say.notice("No outcome of a pattern was reported yet.")
        return
    view.out.line(Ink("confidence  outcomes  worked", "faint"))
    for row in one.bins:
        bar = "█" * round(row.success_rate * BAR)
        view.out.line(
            Ink(f"{row.least:.1f}–{row.most:.1f}", "strong"),
            f"     {row.outcomes:>8,}    {row.success_rate:>4.0%}  ",
            bar,
        )
    about = f"{counted(one.outcomes, 'outcome')} · Brier score {one.brier:.3f} · off by {one.error:.3f}"
    view.out.line(Ink(about, "faint"))
    if one.silent:
        view.say.notice(f"{counted(one.silent, 'pattern')} without any confidence left: in no context.")


RENDERERS = {
    "outcome calibration": Renderer(calibrated),
    "outcome record": each(_recorded),
    "outcome query": Renderer(queried),
    "outcome apply": each(_applied),
    "outcome report": Renderer(reported),
}
