"""The Model Context Protocol over streamable HTTP, at `/mcp`, served by the official SDK.

A session belongs to the token that began it. The request header `Ark-Tools` selects tool families.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.responses import JSONResponse
from starlette.routing import Route

from ark_tui.interfaces.calls.state import PRINCIPAL
from ark_tui.interfaces.mcp import server as assistants
from ark_tui.interfaces.reports.shape import LARGEST
from ark_tui.operations.call import asking

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.types import Receive, Scope, Send

    from ark_tui.interfaces.calls.state import ServerState
    from ark_tui.interfaces.mcp.server import Context

FAMILIES = "ark-tools"  # names separated by commas, or `all`
CHOICES = 32  # combinations of families whose tools are cached
SESSIONS = 1000  # at once
SEARCHES = ("tools/call", "prompts/get")  # methods that search; their concurrency is limited


@asynccontextmanager
async def serving(app: Starlette) -> AsyncIterator[None]:
    """Run the MCP session manager of the application within this block."""
    state: ServerState = app.state.server
    made = lru_cache(CHOICES)(lambda names: assistants.Server(state.engine, names))

    def server_of(context: Context) -> assistants.Server:
        given = _scope(context)
        families = dict(given["headers"]).get(FAMILIES.encode(), b"").decode("latin-1")
        names = tuple(filter(None, map(str.strip, families.split(","))))
        return made(names or assistants.DEFAULT)

    @contextmanager
    def around(context: Context) -> Iterator[None]:
        with asking(_scope(context).get(PRINCIPAL)):
            if context.method not in SEARCHES:
                yield
                return
            with state.searches.one():
                yield

    calls = assistants.Calls(server_of, around)
    manager = StreamableHTTPSessionManager(calls.sdk(), max_sessions=SESSIONS, max_request_body_size=LARGEST)
    try:
        async with manager.run():
            app.state.assistants = manager
            yield
    finally:
        calls.close()


def _scope(context: Context) -> Any:
    assert context.request is not None
    return context.request.scope


class Endpoint:
    """Passes requests to the sessions. There is no unsolicited stream of server messages (GET)."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] not in ("POST", "DELETE"):
            told = {"error": "MCP is asked by POST.", "hint": "Use a client of streamable HTTP."}
            await JSONResponse(told, 405, {"Allow": "POST, DELETE"})(scope, receive, send)
            return
        manager: StreamableHTTPSessionManager = scope["app"].state.assistants
        await manager.handle_request(_owned(scope), receive, send)


def _owned(scope: Scope) -> Scope:
    """Add the principal in the form by which the SDK identifies the owner of a session."""
    principal = scope.get(PRINCIPAL)
    if principal is None:
        return scope
    return {**scope, "user": AuthenticatedUser(AccessToken(token="", client_id=principal.name, scopes=[]))}


route = Route("/mcp", Endpoint(), methods=None)
