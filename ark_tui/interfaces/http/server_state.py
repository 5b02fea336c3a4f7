"""What the routes share: the engine, the search limiter, the jobs."""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Depends, Header, Query, Request, Response
from fastapi.routing import APIRoute
from pydantic import BaseModel, ConfigDict, Field, model_validator

from ark_tui.domain.memory import Scope
from ark_tui.domain.principal import Principal
from ark_tui.interfaces.calls.state import PRINCIPAL, Refused, ServerState
from ark_tui.interfaces.http.failures import worded
from ark_tui.interfaces.reports.text import hidden
from ark_tui.operations.call import Call

if TYPE_CHECKING:
    from fastapi.dependencies.models import Dependant

Line = Annotated[str, Field(min_length=1, max_length=10_000)]
Limit = Annotated[int, Field(ge=1, le=100)]
Name = Annotated[str, Field(min_length=1, max_length=200)]
Number = Annotated[int, Field(ge=0, le=2**31 - 1)]

MOST_FIELDS = 100
MOST_NAMED = 50  # characters of an unknown parameter that an error repeats


class Body(BaseModel):
    """The JSON body of a request. Unknown fields are errors."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=False)

    @model_validator(mode="before")
    @classmethod
    def _few_fields(cls, given: Any) -> Any:
        """Reject a body with too many fields before each is validated."""
        if isinstance(given, dict) and len(given) > MOST_FIELDS:
            raise ValueError(f"it has more than {MOST_FIELDS} fields")
        return given


def shown(example: Any) -> dict[str, Any]:
    """The OpenAPI example of a request body."""
    return {"requestBody": {"content": {"application/json": {"example": example}}}}


class Route(APIRoute):
    """A route that rejects unknown query parameters."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()
        known = [*_asked_for(self.dependant)]

        async def read(request: Request) -> Response:
            if unknown := [name for name in request.query_params if name not in known]:
                hint = f"Parameters: {', '.join(known)}." if known else "It takes none."
                raise Refused(422, f"There is no parameter {unknown[0][:MOST_NAMED]}.", hint)
            return await handle(request)

        return read


def _asked_for(dependant: Dependant) -> Iterator[str]:
    """The names of the query parameters of a route and its dependencies."""
    for query_param in dependant.query_params:
        kind: Any = query_param.field_info.annotation
        model = isinstance(kind, type) and issubclass(kind, BaseModel)
        yield from kind.model_fields if model else [query_param.alias]
    for below in dependant.dependencies:
        yield from _asked_for(below)


class Router(APIRouter):
    """The routes of one family. Secrets in their responses are masked, in the thread of the route."""

    def __init__(self, **about: Any) -> None:
        super().__init__(route_class=Route, **about)

    def add_api_route(self, path: str, endpoint: Callable[..., Any], **about: Any) -> None:
        @functools.wraps(endpoint)
        def hiding(**given: Any) -> Any:
            return hidden(worded(endpoint(**given)))

        super().add_api_route(path, hiding, **about)


def _at(request: Request) -> ServerState:
    found: ServerState = request.scope.get("ark.server") or request.app.state.server
    return found


AtServer = Annotated[ServerState, Depends(_at)]
"""The dependency that gives a route its `ServerState`."""


def _holder(request: Request) -> Principal | None:
    found: Principal | None = request.scope.get(PRINCIPAL)
    return found


AtPrincipal = Annotated[Principal | None, Depends(_holder)]
"""The dependency that gives a route the principal of the request's token."""


def _scope(
    server: AtServer,
    principal: AtPrincipal,
    agent: Annotated[str, Query(max_length=200)] = "",
    session: Annotated[str, Query(max_length=200)] = "",
) -> Scope:
    return Call(server.engine, agent=agent, session=session, principal=principal).scope


async def _asked(
    server: AtServer,
    principal: AtPrincipal,
    idempotency_key: Annotated[str, Header(max_length=200)] = "",
    agent: Annotated[str, Query(max_length=200)] = "",
) -> AsyncIterator[None]:
    """Run on the event loop, so that the route runs in the same context."""
    whose = Call(server.engine, agent=agent, principal=principal).scope.agent if principal else agent
    with server.engine.asked(idempotency_key, whose):
        yield


ONCE = [Depends(_asked)]
"""The dependency of routes that add: repeated with the same `Idempotency-Key`, they add nothing more."""

AtScope = Annotated[Scope, Depends(_scope)]
"""The memory scope: agent and session of the query parameters, else those of the settings."""
