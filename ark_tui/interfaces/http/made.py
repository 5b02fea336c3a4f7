"""Routes generated from operations, with typed and described parameters, bodies and responses."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from typing import Annotated, Any

from fastapi import Header, Path, Query, Response
from starlette.responses import JSONResponse

from ark_tui.domain.jobs import Job, JobResult
from ark_tui.domain.memory import Scope
from ark_tui.domain.principal import Principal
from ark_tui.domain.protocols import NEVER, OnProgress, Stop, ignore
from ark_tui.interfaces.calls.state import ServerState
from ark_tui.interfaces.http import streaming
from ark_tui.interfaces.http.failures import worded
from ark_tui.interfaces.http.server_state import (
    ONCE,
    AtPrincipal,
    AtScope,
    AtServer,
    Body,
    Router,
    shown,
)
from ark_tui.interfaces.reports.text import hidden
from ark_tui.operations import schema
from ark_tui.operations.call import Call
from ark_tui.operations.catalog import Catalog
from ark_tui.operations.encoding import Json, encoded
from ark_tui.operations.operation import Operation, answer

BARE = {"GET", "DELETE"}
"""Methods without a body."""

ACCEPTED = 202
ACCEPT = Header(include_in_schema=False)


def router(catalog: Catalog) -> Router:
    """The routes of all operations except personal ones."""
    made = Router()
    for operation in catalog.all():
        if not operation.personal:
            add(made, operation)
    return made


def add(made: Router, operation: Operation) -> None:
    """Add the route of an operation."""
    method, path = operation.route.split()
    places = re.findall(r"{(\w+)}", path)
    inside = tuple(one for one in operation.parameters if one.wire not in places)
    made.add_api_route(
        path,
        _endpoint(operation, method, places),
        methods=[method],
        name=operation.name,
        operation_id=operation.name.replace(" ", "_").replace("-", "_"),
        description=operation.about,
        summary=operation.summary,
        tags=[operation.path[0]],
        status_code=ACCEPTED if operation.long else operation.status,
        response_model=schema.told(Job) if operation.long else schema.result(operation),
        responses={operation.status: streaming.SCHEMA} if operation.streams else None,
        dependencies=ONCE if operation.keyed else None,
        openapi_extra=shown(schema.example(inside)) if inside and method not in BARE else None,
    )


def _endpoint(operation: Operation, method: str, places: list[str]) -> Callable[..., Any]:
    in_path = [parameter for parameter in operation.parameters if parameter.wire in places]
    others = tuple(parameter for parameter in operation.parameters if parameter.wire not in places)
    names = {parameter.wire: parameter.name for parameter in operation.parameters}

    def endpoint(
        server: ServerState,
        principal: Principal | None = None,
        scope: Scope | None = None,
        wanted: Body | None = None,
        accept: str = "",
        **given: Any,
    ) -> Response:
        if wanted is not None:
            given |= {name: getattr(wanted, name) for name in type(wanted).model_fields}
        arguments = {names[name]: value for name, value in given.items()}
        whose = (scope.agent, scope.session) if scope else ("", "")
        calling = partial(Call, server.engine, False, *whose, principal=principal)
        return _carried_out(operation, server, calling, arguments, accept)

    nothing = inspect.Parameter.empty
    parameters = [_parameter("server", AtServer), _parameter("principal", AtPrincipal)]
    parameters += [_parameter("scope", AtScope)] if operation.scoped else []
    parameters += [_parameter("accept", Annotated[str, ACCEPT], "")] if operation.streams else []
    parameters += [_parameter(one.wire, Annotated[schema.accepted(one), Path()]) for one in in_path]
    if method in BARE:
        parameters += [
            _parameter(
                other.wire,
                Annotated[schema.accepted(other), Query()],
                nothing if other.required else other.default,
            )
            for other in others
        ]
    elif others:
        model: Any = schema.body(operation, others, Body)
        needed = any(other.required for other in others)
        parameters.append(
            _parameter("wanted", model if needed else model | None, nothing if needed else None)
        )
    endpoint.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return endpoint


def _carried_out(
    operation: Operation, server: ServerState, calling: Callable[..., Call], arguments: Json, accept: str
) -> Response:
    """Run an operation and return its response: a job for long work, events where they are accepted."""

    def work(stop: Stop, progress: OnProgress) -> Json:
        return told(operation, calling(stop, progress), arguments)

    def streamed(stop: Stop, so_far: Callable[[Any], None]) -> Json:
        return told(operation, calling(stop, so_far=so_far), arguments)

    if operation.long:
        with calling().admitted(operation):
            if operation.check:
                operation.check(calling(), **arguments)

        def long(stop: Stop, progress: OnProgress) -> JobResult:
            found: JobResult = operation(calling(stop, progress), **arguments)
            return found

        return JSONResponse(encoded(server.jobs.start(operation.name, long).job), ACCEPTED)
    with ExitStack() as held:
        if operation.heavy:
            held.enter_context(server.searches.one())
        if operation.streams and streaming.EVENTS in accept.lower():
            return streaming.Events(streamed, held.pop_all())
        return JSONResponse(work(NEVER, ignore), operation.status)


def told(operation: Operation, call: Call, arguments: Json) -> Json:
    """The JSON of a result with its secrets masked."""
    found: Json = hidden(worded(answer(operation, operation(call, **arguments))))
    return found


def _parameter(name: str, kind: Any, default: Any = inspect.Parameter.empty) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
