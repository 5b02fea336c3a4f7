"""The ranking lab, and weights fitted to one's own judgments.

`fit` is an operation. The rest is what only the lab of the workbench asks, step by step; it is called as
operations are, with a `Call` first.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from ark_tui.domain.errors import Hint, UsageError
from ark_tui.domain.query import Request
from ark_tui.domain.tuning import Compared, Fitted, Slider, Tuned, Tuning
from ark_tui.operations.call import Call
from ark_tui.operations.operation import Effect, Param, operation

FAMILY = "evaluation"


def checked(call: Call, mine: bool = False, profile: str = "", save: str = "") -> None:
    """Raises `UsageError` for what `fit` refuses before any work is done."""
    if not mine:
        raise UsageError("There is nothing to fit to.", Hint.run("fit", mine=True, say="Your judgments: {}"))
    if save and not call.person:
        raise UsageError("Only a person saves a profile.", "Leave `save` out: the weights are answered.")
    call.engine.lab.profile(Tuning(profile or call.engine.profile_in_use()))
    if save:
        call.engine.lab.check_name(save)


@operation("fit", Effect.SETS, heavy=True, long=True, check=checked, example="ark-tui fit --mine --save mine")
def fit(
    call: Call,
    mine: Annotated[bool, Param("To your own judgments, over your own documents.", example=True)] = False,
    profile: Annotated[
        str, Param("The profile to begin with; else the configured one.", example="ark", metavar="NAME")
    ] = "",
    save: Annotated[
        str,
        Param("Keep the weights as a profile of this name, if they are better.", example="mine",
              metavar="NAME", personal=True),
    ] = "",
) -> Fitted:  # fmt: skip
    """Fit the weights of a ranking profile to judged queries.

    Each query is ranked by weights that were fitted without it. Where those cannot be shown to be better
    than the weights before, or are below BM25, they are refused with the figure; the command then exits
    with 1. The fewer judgments there are, the closer the weights stay to those before.
    """
    from ark_tui.engine import fitting

    checked(call, mine, profile, save)
    tuning = Tuning(profile or call.engine.profile_in_use())
    fitted = fitting.fit(call.engine.lab, tuning, call.stop, call.progress)
    if not save or fitted.refused:
        return fitted
    kept = fitting.weights(tuning, list(fitted.weights), fitted.weights.values())
    about = fitting.note(fitted, f"{call.engine.now():%Y-%m-%d}")
    call.engine.lab.save(save, kept, about)
    return replace(fitted, saved=save)


def sliders(call: Call, tuning: Tuning) -> tuple[Slider, ...]:
    """What can be moved in a profile, as it stands by a tuning."""
    return call.engine.lab.sliders(tuning)


def tuned(call: Call, request: Request, by: Tuning, beside: Tuning) -> Tuned:
    """A search ranked by a tuning, with the places of its hits by another."""
    return call.engine.lab.tuned(request, by, beside, call.stop)


def compared(call: Call, by: Tuning, beside: Tuning) -> Compared | None:
    """Two tunings measured on one's own judged queries; None where there are none."""
    return call.engine.lab.compared(by, beside, call.stop, call.progress)


def save(call: Call, name: str, tuning: Tuning) -> str:
    """Keep a tuning as a profile of one's own; what it says of itself, with what it was measured on."""
    from ark_tui.engine import lab

    call.engine.lab.check_name(name)
    measures = call.engine.lab.compared(tuning, Tuning(tuning.profile), call.stop, call.progress)
    about = lab.note(tuning, measures, f"{call.engine.now():%Y-%m-%d}")
    return call.engine.lab.save(name, tuning, about).about


def profiles(call: Call) -> tuple[str, ...]:
    """The names of all profiles."""
    return tuple(sorted(call.engine.settings.profiles))
