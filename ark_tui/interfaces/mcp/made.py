"""Tools made from operations: schemas from their signatures, hints from what they do to the home."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from inspect import Parameter as Place
from typing import TYPE_CHECKING, Any

from ark_tui.domain.protocols import OnProgress, Stop
from ark_tui.interfaces.mcp.tool import ADD, DROP, KEY, READ, SAME, Tool, plain
from ark_tui.operations import schema
from ark_tui.operations.call import Call
from ark_tui.operations.encoding import Json
from ark_tui.operations.operation import Effect, Operation, answer

if TYPE_CHECKING:
    from ark_tui.domain.work import Progress
    from ark_tui.engine import Engine

HINTS: dict[Effect, Json] = {
    Effect.READS: READ,
    Effect.ADDS: ADD,
    Effect.SETS: SAME,
    Effect.DESTROYS: DROP,
}

MOST = 40_000
"""Characters of a list in an answer: what is further down is asked for by `offset`."""

LONG = 4_000
"""Characters of a text in a list; an operation of its own reads the whole."""


def tool(operation: Operation) -> Tool:
    """The tool of an operation."""
    parameters = [
        Place(
            parameter.wire.replace("-", "_"), Place.KEYWORD_ONLY, annotation=schema.accepted(parameter),
            default=Place.empty if parameter.required else parameter.default,
        )
        for parameter in operation.parameters
    ]  # fmt: skip
    return Tool(
        operation.tool, operation.about, HINTS[operation.effect],
        [*parameters, *([KEY] if operation.keyed else [])], _asked(operation), plain,
        operation.grant, operation.confinable,
    )  # fmt: skip


def _asked(operation: Operation) -> Callable[..., Json]:
    names = {parameter.wire: parameter.name for parameter in operation.parameters}

    def asked(engine: Engine, **given: Any) -> Json:
        arguments = {names[name]: value for name, value in given.items()}
        found = answer(operation, _result(operation, engine, arguments))
        if operation.brief:
            return {name: found[name] for name in operation.brief}
        return bounded(operation, found)

    return asked


def _result(operation: Operation, engine: Engine, arguments: dict[str, Any]) -> Any:
    """What the operation answers; long work is a job, which others see and steer until it is done."""
    if not operation.long:
        return operation(Call(engine), **arguments)
    if operation.check:
        operation.check(Call(engine), **arguments)
    return _job(operation, engine, arguments)


def _job(operation: Operation, engine: Engine, arguments: dict[str, Any]) -> Any:
    """What comes of a job like any other, which whoever asked for it hears of and may cancel."""
    call = Call(engine)

    def work(stop: Stop, progress: OnProgress) -> Any:
        def told(step: Progress) -> None:
            progress(step)
            call.progress(step)

        return operation(replace(call, stop=stop, progress=told), **arguments)

    return engine.jobs.call(operation.name, work, stop=call.stop)


def bounded(operation: Operation, told: Json) -> Json:
    """A list as far as it suits a context window; `more` is where to go on."""
    items = told.get(operation.listed)
    if not isinstance(items, list) or "more" not in told:
        return told
    items = [_cut(item) for item in items]
    room, kept = MOST, 0
    for item in items:
        room -= len(json.dumps(item, ensure_ascii=False))
        if room < 0 and kept:
            break
        kept += 1
    more = told["more"] if kept == len(items) else told["offset"] + kept
    return told | {operation.listed: items[:kept], "more": more}


def _cut(item: Json) -> Json:
    return {name: value[:LONG] if isinstance(value, str) else value for name, value in item.items()}
