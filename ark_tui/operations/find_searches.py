"""The searches that were run, and running them again."""

from __future__ import annotations

from typing import Annotated

from ark_tui.domain.searches import Rerun, Retrieval
from ark_tui.operations.call import Call
from ark_tui.operations.operation import Effect, Param, operation
from ark_tui.operations.params import Limit, Name

FAMILY = "find"


@operation(
    "searches", Effect.READS, route="GET /searches", listed="searches", example="ark-tui searches -n 5"
)
def searches(call: Call, limit: Annotated[Limit, Param(example=20)] = 20) -> tuple[Retrieval, ...]:
    """List the searches that were run, the newest first.

    Each has an id, by which `rerun` runs it again. A search that was only typed is not among them.
    """
    return call.engine.search_log(limit)


@operation(
    "rerun", Effect.READS, route="POST /searches/{id}/rerun", heavy=True, example="ark-tui rerun 3fa9c1"
)
def rerun(
    call: Call,
    id: Annotated[
        Name,
        Param(
            "A search that was run: its id, or the start of it.",
            example="3fa9c1",
            metavar="ID",
            argument=True,
        ),
    ],
) -> Rerun:
    """Run a search again, and say what moved, came and went.

    It runs with the same words and filters, by today's corpus, model and profile.
    """
    return call.engine.rerun(id, call.stop)
