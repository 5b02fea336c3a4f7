"""The functions of the workbench's ranking lab, called like operations with a `Call` first."""

from __future__ import annotations

from ark_tui.domain.query import Request
from ark_tui.domain.tuning import Compared, Slider, Tuned, Tuning
from ark_tui.operations.call import Call


def sliders(call: Call, tuning: Tuning) -> tuple[Slider, ...]:
    """The weights of the signals in force."""
    return call.engine.lab.sliders(tuning)


def tuned(call: Call, request: Request, by: Tuning, beside: Tuning) -> Tuned:
    """A search ranked by a tuning, with the ranks of its hits by another."""
    return call.engine.lab.tuned(request, by, beside, call.stop)


def compared(call: Call, by: Tuning, beside: Tuning) -> Compared | None:
    """Two tunings evaluated on the user's judged queries; None without judgments."""
    return call.engine.lab.compared(by, beside, call.stop, call.progress)


def save(call: Call, name: str, tuning: Tuning) -> str:
    """Save a tuning as a profile; returns its description with the evaluation."""
    from ark_tui.engine import lab

    call.engine.lab.check_name(name)
    measures = call.engine.lab.compared(tuning, Tuning(tuning.profile), call.stop, call.progress)
    about = lab.note(tuning, measures, f"{call.engine.now():%Y-%m-%d}")
    return call.engine.lab.save(name, tuning, about).about
