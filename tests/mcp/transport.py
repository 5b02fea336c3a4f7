"""The official client, connected with a server within this process."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
from mcp import Client
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from ark_tui.interfaces.mcp.protocol import Connection, Tools


def client(server: Tools) -> Client:
    """A client of that server, over a connection of its own."""
    return Client(_connected(Connection(server)))


@asynccontextmanager
async def _connected(connection: Connection) -> AsyncIterator[Any]:
    to_server, heard = anyio.create_memory_object_stream[SessionMessage](16)
    told, from_server = anyio.create_memory_object_stream[SessionMessage | Exception](16)

    async def tell(message: Any) -> None:
        await told.send(SessionMessage(jsonrpc_message_adapter.validate_python(message)))

    async def answered(make: Callable[..., Any]) -> None:
        await tell(await anyio.to_thread.run_sync(make, lambda message: anyio.from_thread.run(tell, message)))

    async def serve() -> None:
        async for message in heard:
            answer = connection.hear(
                message.message.model_dump(by_alias=True, mode="json", exclude_unset=True)
            )
            if callable(answer):
                group.start_soon(answered, answer)
            elif answer is not None:
                await tell(answer)

    async with to_server, heard, told, from_server, anyio.create_task_group() as group:
        group.start_soon(serve)
        yield from_server, to_server
        group.cancel_scope.cancel()
