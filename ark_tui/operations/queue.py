"""The curation queue: problems of documents, and decisions on them."""

from __future__ import annotations

from typing import Annotated

from ark_tui.domain.curation import Done, Item, Queue, QueueKind
from ark_tui.operations.call import Call
from ark_tui.operations.operation import Effect, Param, operation
from ark_tui.operations.params import Limit, Name

Id = Annotated[
    Name, Param("The id of an item of the queue.", example="d3fa9c", metavar="ITEM", argument=True)
]


@operation(
    "queue list", Effect.READS, command="doc queue", example="ark-tui doc queue --kind duplicate",
    route="GET /queue", heavy=True,
)  # fmt: skip
def list_(
    call: Call,
    limit: Limit = 10,
    kinds: Annotated[
        tuple[QueueKind, ...], Param("Only these kinds; unfound takes longer.", option="--kind", wire="kind")
    ] = (),
) -> Queue:
    """List documents that need a decision.

    Duplicates, contradictions, files saved since they were indexed, documents without a tag, and, when asked
    for, those that no search brings back.
    """
    return call.engine.curation.queue(limit, kinds, call.stop)


@operation(
    "queue show", Effect.READS, command="doc queue show", example="ark-tui doc queue show d3fa9c",
    route="GET /queue/{item}", heavy=True,
)  # fmt: skip
def show(call: Call, item: Id) -> Item:
    """Show an item of the queue, with the keys that decide it."""
    return call.engine.curation.item(item, call.stop)


@operation("queue decide", Effect.DESTROYS, command="doc queue decide",
        example="ark-tui doc queue decide d3fa9c 1",
        route="POST /queue/{item}", heavy=True)  # fmt: skip
def decide(
    call: Call,
    item: Id,
    key: Annotated[
        Name,
        Param("One of its keys; l hides it for a day.", example="l", metavar="KEY", argument=True),
    ],
    text: Annotated[
        str,
        Param("What that key asks for: tags, with commas.", example="draft", metavar="TAGS", argument=True),
    ] = "",
) -> Done:  # fmt: skip
    """Decide an item of the queue by one of its keys; `undo` takes it back."""
    curation = call.engine.curation
    return curation.decide(curation.item(item, call.stop), key, text)
