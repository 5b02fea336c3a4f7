"""The scratchpad: values by key for each agent and session, with their versions."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from ark_tui.domain.memory import ScratchPast, ScratchValue
from ark_tui.operations.call import Call
from ark_tui.operations.operation import Effect, Page, Param, operation, page
from ark_tui.operations.params import Name, Number, Offset, Text
from ark_tui.operations.params import Page as Limit

Key = Annotated[Name, Param("A key of the scratchpad.", example="plan", metavar="KEY", argument=True)]


@operation(
    "scratch set", Effect.SETS, example="ark-tui scratch set plan ask Ann first",
    route="PUT /scratch/{key}", scoped=True, keyed=True, begins=True,
)  # fmt: skip
def set_(
    call: Call,
    key: Key,
    value: Annotated[
        Text,
        Param("The value.", example="ask Ann first", metavar="VALUE", argument=True, words=True),
    ],
) -> ScratchValue:
    """Set a key of the scratchpad. The old value is kept as a version."""
    return call.engine.memory.scratch.set(call.scope, key, value)


@operation(
    "scratch get", Effect.READS, example="ark-tui scratch get plan --history",
    route="GET /scratch/{key}", scoped=True,
)  # fmt: skip
def get(
    call: Call,
    key: Key,
    history: Annotated[bool, Param("All its versions, the oldest first.", example=True)] = False,
) -> ScratchValue | ScratchPast:
    """Read a key of the scratchpad."""
    pad = call.engine.memory.scratch
    return ScratchPast(pad.versions(call.scope, key)) if history else pad.get(call.scope, key)


@operation(
    "scratch list", Effect.READS, example="ark-tui scratch list --agent ALL --session ALL",
    route="GET /scratch", listed="entries", scoped=True,
)  # fmt: skip
def list_(call: Call, limit: Limit = 1000, offset: Offset = 0) -> Page[ScratchValue]:
    """List the keys of the scratchpad with their values."""
    return page(call.engine.memory.scratch.list(call.scope), limit, offset)


@operation(
    "scratch delete", Effect.DESTROYS, example="ark-tui scratch delete plan",
    route="DELETE /scratch/{key}", scoped=True,
)  # fmt: skip
def delete(call: Call, key: Key) -> ScratchValue:
    """Delete a key of the scratchpad; `scratch restore` brings it back."""
    return replace(call.engine.memory.scratch.delete(call.scope, key), deleted=True)


@operation(
    "scratch restore", Effect.SETS, example="ark-tui scratch restore plan 3",
    route="POST /scratch/{key}/restore", scoped=True,
)  # fmt: skip
def restore(
    call: Call,
    key: Key,
    version: Annotated[
        Number | None,
        Param(
            "The version, from 1; else the one before the current value.",
            example=3,
            least=1,
            metavar="VERSION",
            argument=True,
        ),
    ] = None,
) -> ScratchValue:
    """Restore an earlier value of a key."""
    return call.engine.memory.scratch.restore(call.scope, key, version)
