"""Outcome events as lines of text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from ark_tui.faces.cli.output import WIDTH, Ink, Output

if TYPE_CHECKING:
    from ark_tui.domain.outcomes import Aggregate, Event


def show(out: Output, found: Iterable[Event]) -> None:
    """One line each: when, what, how it ended, where."""
    from ark_tui.faces.cli.layout import short

    for one in found:
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


def totals(out: Output, found: Aggregate) -> None:
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
        out.line(Ink(f"{name:<12}", "faint"), value)


def _average(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f} on average"


def _spread(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items()) or "–"
