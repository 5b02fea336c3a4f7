"""The application: the routes of every family behind the gate."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from fastapi import Depends, FastAPI
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request  # noqa: TC002 - FastAPI reads it from the signature

from ark_tui import __version__
from ark_tui.faces.http import failures, shape
from ark_tui.faces.http.desk import Desk
from ark_tui.faces.http.gate import Gate, Rules
from ark_tui.faces.http.routes import analysis, conversations, jobs, knowledge, memory

if TYPE_CHECKING:
    from starlette.types import ASGIApp

FAMILIES = (knowledge, conversations, memory, analysis, jobs)
"""The modules whose routers make up the server."""

ABOUT = "A home of ark-tui over HTTP: search with reasons, memory, conversations. Errors are `{error, hint}`."


def make(desk: Desk, rules: Rules) -> ASGIApp:
    """The whole server as an ASGI app."""
    return Gate(bare(desk), rules)


def bare(desk: Desk) -> FastAPI:
    """The routes without the gate; its OpenAPI document describes them."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        warming = asyncio.create_task(run_in_threadpool(desk.engine.warm_for_others))
        yield
        await warming
        await run_in_threadpool(desk.jobs.close)

    app = FastAPI(
        title="ark-tui",
        version=__version__,
        description=ABOUT,
        lifespan=lifespan,
        dependencies=[Depends(_shape)],
        responses={
            "4XX": {"description": "What is wrong, and what to do next.", "model": failures.Failure},
        },
    )
    app.state.desk = desk
    failures.install(app)
    for family in FAMILIES:
        app.include_router(family.router)
    return app


async def _shape(request: Request) -> None:
    """Refuse JSON that is deeper or longer than any request needs to be."""
    shape.check(await request.body())
