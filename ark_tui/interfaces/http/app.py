"""The application: the routes of every family behind the gate."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from fastapi import Depends, FastAPI
from fastapi.security import HTTPBearer
from starlette.concurrency import run_in_threadpool

from ark_tui.interfaces.calls import lines
from ark_tui.interfaces.calls.state import ServerState
from ark_tui.interfaces.http import assistants, docs, failures, made, routes
from ark_tui.interfaces.http.gate import Gate, Rules
from ark_tui.interfaces.reports import faults
from ark_tui.operations.catalog import shipped
from ark_tui.version import VERSION

if TYPE_CHECKING:
    from fastapi.telemetry import TelemetryConfig
    from starlette.types import ASGIApp

SILENT: TelemetryConfig = {
    "tracing": False,
    "metrics": False,
    "logs": False,
    "operation_spans": False,
    "auto_configure": False,
}
"""Disables all telemetry, whatever FastAPI finds in the environment."""

BEARER = HTTPBearer(auto_error=False, description="The token of the home, where the server asks for it.")
"""States in the OpenAPI document that a token may be required; the gate checks it."""

ABOUT = "A home of ark-tui over HTTP: search with reasons, memory, conversations. Errors are `{error, hint}`."


def make(server: ServerState, rules: Rules) -> ASGIApp:
    """The whole server as an ASGI app."""
    return Gate(bare(server), rules)


def bare(server: ServerState) -> FastAPI:
    """The routes without the gate; its OpenAPI document describes them."""

    def warm() -> None:
        faults.kept(server.engine.warm)
        docs.described(app)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        warming = asyncio.create_task(run_in_threadpool(warm))
        async with assistants.serving(app):
            yield
        await warming

    app = FastAPI(
        title="ark-tui",
        version=VERSION,
        description=ABOUT,
        lifespan=lifespan,
        openapi_url=None,  # `docs` serves these pages
        docs_url=None,
        redoc_url=None,
        telemetry=SILENT,
        dependencies=[Depends(BEARER)],
        responses={"4XX": {"description": "What is wrong, and what to do next.", "model": failures.Failure}},
    )
    app.openapi = partial(_described, app)  # type: ignore[method-assign]
    app.state.server = server
    failures.install(app)
    app.router.routes += [lines.route, assistants.route]
    for router in (made.router(shipped()), routes.knowledge, routes.conversations, docs.router):
        app.include_router(router)
    return app


def _described(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI document with an optional token: only some servers require one."""
    document = FastAPI.openapi(app)
    for methods in document["paths"].values():
        for operation in methods.values():
            operation["security"] = [{BEARER.scheme_name: []}, {}]
    return document
