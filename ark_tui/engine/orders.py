"""What can be put into an order: it is carried out by a thread here, or by another process, alike."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ark_tui.domain.errors import ModelUnavailable
from ark_tui.domain.jobs import Embedded, JobResult
from ark_tui.domain.protocols import OnProgress, Stop
from ark_tui.domain.work import Run

if TYPE_CHECKING:
    from typing import TypeAlias

    from ark_tui.engine.engine import Engine

    Order: TypeAlias = Mapping[str, Any]


def carry_out(engine: Engine, order: Order, stop: Stop, progress: OnProgress) -> JobResult | None:
    """Do what an order says: `JobEntry.order`. Raises `ArkError`; None where nothing came of it."""
    match order["do"]:
        case "index" | "look":
            return engine.index(
                [Path(order["folder"])],
                collection=str(order["collection"]),
                tags=tuple(order.get("tags", ())),
                stop=stop,
                progress=progress,
            )
        case "embed":
            return _embed(engine, stop, progress)
        case "model":
            engine.models.use(str(order["model"]), stop, progress)
            return None
        case _:
            with engine.runs.under_way(Run("analyse"), stop, progress) as wanted:
                return engine.analysis.run(stop=wanted, progress=progress)


def _embed(engine: Engine, stop: Stop, progress: OnProgress) -> Embedded | None:
    """Embed what waits; that the server does not answer is for whoever has given the order to try again."""
    run = Run("embed")
    with engine.runs.under_way(run, stop, progress) as wanted:
        try:
            done = engine.embed(wanted, progress)
        except ModelUnavailable:
            engine.runs.drop(run)
            raise
    return Embedded(done) if done else None
