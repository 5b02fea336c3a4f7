"""The searches that were run."""

from __future__ import annotations

from typing import Annotated

from ark_tui.domain.searches import Retrieval
from ark_tui.operations.call import Call
from ark_tui.operations.operation import Effect, Param, operation
from ark_tui.operations.params import Limit

FAMILY = "find"


@operation(
    "searches", Effect.READS, command="history searches", route="GET /searches", listed="searches",
    example="ark-tui history searches -n 5",
)  # fmt: skip
def searches(call: Call, limit: Annotated[Limit, Param(example=20)] = 20) -> tuple[Retrieval, ...]:
    """List the searches that were run, the newest first.

    A search that was only typed is not among them.
    """
    return call.engine.search_log(limit)
