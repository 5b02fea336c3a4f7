"""The analysis of the corpus."""

from __future__ import annotations

from typing import Annotated

from ark_tui.domain.analysis import WHATS, Analysis, What
from ark_tui.operations.call import Call
from ark_tui.operations.links import Resolution
from ark_tui.operations.operation import Effect, Param, operation
from ark_tui.operations.params import Limit


@operation(
    "analyze", Effect.READS, route="POST /analyze", long=True,
    example="ark-tui analyze --what novelty,bridges -n 5",
)  # fmt: skip
def analyze(
    call: Call,
    what: Annotated[
        tuple[What, ...],
        Param("Which measures; else all.", example=("novelty", "bridges"), metavar="MEASURE", commas=True),
    ] = (),
    limit: Annotated[Limit, Param("How many documents a list has, 1 to 1,000.")] = 10,
    resolution: Resolution = 1.0,
) -> Analysis:
    """Measure the corpus: what is novel, what connects it, where gaps are.

    It uses the documents' vectors and the links between them. Results are kept until the corpus changes, so a
    second run is fast. After an interruption, finished measures are kept. What each measure means, and when
    not to trust it: docs/workbench.md.
    """
    wanted = [name for name in WHATS if not what or name in what]
    return call.engine.analysis.run(
        wanted, limit=limit, resolution=resolution, stop=call.stop, progress=call.progress
    )
