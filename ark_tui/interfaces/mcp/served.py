"""`ark-tui mcp` for a home that another machine serves: messages are passed on as they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import anyio
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from ark_tui.interfaces.mcp.stdio import claimed
from ark_tui.interfaces.reports import faults
from ark_tui.operations import corpus
from ark_tui.operations.call import Call
from ark_tui.operations.encoding import Json

if TYPE_CHECKING:
    from pathlib import Path

    from ark_tui.interfaces.remote.home import Home

PATH = "/mcp"


def serve(home: Home, families: Sequence[str], logs: Path) -> None:
    """Serve on stdin and stdout until stdin ends; `logs`: where faults of this process are kept."""
    faults.keep_in(logs)
    anyio.run(_relayed, home, families)


def checked(home: Home, families: Sequence[str]) -> Json:
    """The names of the tools, and how many documents there are. Raises what the server says instead."""
    documents = home.ask(corpus.status, Call(home.engine)).documents
    return {"tools": anyio.run(_names, home, families), "documents": documents}


async def _names(home: Home, families: Sequence[str]) -> list[str]:
    async with _http(home, families) as http, Client(_streams(home, http)) as client:
        return [tool.name for tool in (await client.list_tools()).tools]


async def _relayed(home: Home, families: Sequence[str]) -> None:
    async with (
        claimed() as (heard, told),
        _http(home, families) as http,
        _streams(home, http) as (answers, asked),
        anyio.create_task_group() as group,
    ):

        async def passed_on(source: Any, target: Any) -> None:
            async for message in source:
                if not isinstance(message, Exception):
                    await target.send(message)
            group.cancel_scope.cancel()

        group.start_soon(passed_on, heard, asked)
        group.start_soon(passed_on, answers, told)


def _http(home: Home, families: Sequence[str]) -> httpx2.AsyncClient:
    headers = {"Authorization": f"Bearer {home.token}", "Ark-Tools": ",".join(families)}
    return httpx2.AsyncClient(headers=headers, verify=home.address.tls or True, timeout=None)


def _streams(home: Home, http: httpx2.AsyncClient) -> Any:
    return streamable_http_client(f"{home.address.url}{PATH}", http_client=http)
