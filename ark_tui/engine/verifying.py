"""A receipt run again: whether its answer is the same, and why not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ark_tui.domain import requests
from ark_tui.domain.errors import UsageError
from ark_tui.domain.protocols import NEVER, Stop
from ark_tui.domain.receipts import Cause, Receipt, Verification
from ark_tui.engine.causes import Causes
from ark_tui.engine.comparing import compared, differences, distance, moves, profile_of

if TYPE_CHECKING:
    from ark_tui.domain.query import Request
    from ark_tui.engine.receipts import Receipts
    from ark_tui.engine.services import Services

UNKNOWN = "Nothing that the receipt knows of has changed, and yet figures have."


@dataclass(frozen=True, slots=True)
class Verifier:
    """Runs receipts again and compares."""

    parts: Services
    receipts: Receipts

    def verify(self, before: Receipt, stop: Stop = NEVER, *, today: bool = False) -> Verification:
        """Run a receipt's search again, by its own clock unless `today`, and compare.

        Raises `UsageError` for a receipt whose search cannot be run.
        """
        request, clock = _request(before), None if today else before.clock
        lost = "" if before.profile["name"] in self.parts.settings.profiles else str(before.profile["name"])
        kept = profile_of(before) if lost and request.profile else None
        after = self.receipts.run(request, stop, clock=clock, profile=kept)
        state = compared(before, after)
        moved, figures = tuple(moves(before, after)), tuple(differences(before, after))
        causes = tuple(
            Causes(self.parts, self.receipts, before, after, request, stop, kept, today=today).all()
        )
        if kept:
            what = f"There is no profile {lost} any more; the search was run by the receipt's."
            causes, state = (Cause("weights", what, effect="answer"), *causes), "changed"
        if state != "same" and not causes:
            causes = (Cause("unknown", UNKNOWN),)
            state = "close" if state == "close" else "changed"
        largest = max((distance(one) for one in figures), default=0.0)
        return Verification("", state, before.query, moved, causes, figures, largest)


def _request(receipt: Receipt) -> Request:
    request = requests.read(receipt.request)
    if request is None:
        raise UsageError("It names no search that could be run.")
    return request
