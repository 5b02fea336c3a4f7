"""The shape of the corpus: long work, so it answers with a job."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from ark_tui.domain.analysis import WHATS, What
from ark_tui.faces.http.desk import AtDesk, Body, Limit, Router
from ark_tui.faces.reports import wire_analysis
from ark_tui.faces.reports.wire import Json

if TYPE_CHECKING:
    from ark_tui.domain.protocols import OnProgress, Stop

router = Router(tags=["analysis"])


class Wanted(Body):
    """Which measures; all of them when none is named."""

    what: tuple[What, ...] = ()
    limit: Limit = 10
    resolution: Annotated[float, Field(ge=0.1, le=5.0)] = 1.0


@router.post("/analyze", status_code=202)
def analyze(desk: AtDesk, wanted: Wanted) -> Json:
    """Take measures of the corpus; the job's result has one key for each."""
    engine = desk.engine

    def work(stop: Stop, progress: OnProgress) -> Json:
        done = engine.analysis.run(
            wanted.what or WHATS,
            limit=wanted.limit,
            resolution=wanted.resolution,
            stop=stop,
            progress=progress,
        )
        return wire_analysis.analysis(done)

    return desk.jobs.start("analyze", work).as_json()
