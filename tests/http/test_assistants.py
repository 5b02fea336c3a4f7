"""The protocol of assistants over HTTP: the official client, sessions, and what is refused."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from ark_tui.engine import Engine
from ark_tui.interfaces.http.gate import rules
from ark_tui.interfaces.http.server_state import ServerState
from tests.http.conftest import NOTES, calling, served
from tests.mcp.conftest import indexed

HELLO = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"},
    },
}  # fmt: skip


def asked(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 2, "method": method, "params": params}


def test_the_official_client_is_told_the_same_over_both_transports(tmp_path: Path) -> None:
    home = indexed(tmp_path, NOTES)

    async def told(client: Client) -> tuple[list[str], Any]:
        async with client:
            tools = [one.name for one in (await client.list_tools()).tools]
            found = await client.call_tool("knowledge_search", {"query": "spectral gap", "limit": 2})
            return tools, [hit["title"] for hit in found.structured_content["hits"]]

    async def both(url: str) -> None:
        command = StdioServerParameters(
            command=sys.executable, args=["-m", "ark_tui", "mcp", "--home", str(home)]
        )
        assert await told(Client(f"{url}/mcp")) == await told(Client(stdio_client(command)))

    with served(home, "--no-watch") as (url, _):
        anyio.run(both, url)


async def test_a_session_is_begun_used_and_ended(client: httpx.AsyncClient) -> None:
    begun = await client.post("/mcp", json=HELLO)
    head = {"Mcp-Session-Id": begun.headers["mcp-session-id"], "MCP-Protocol-Version": "2025-06-18"}
    assert begun.json()["result"]["protocolVersion"] == "2025-06-18"
    noted = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert (await client.post("/mcp", json=noted, headers=head)).status_code == 202
    listed = await client.post("/mcp", json=asked("tools/list"), headers=head)
    assert "knowledge_search" in [one["name"] for one in listed.json()["result"]["tools"]]
    assert (await client.delete("/mcp", headers=head)).status_code == 204
    assert (await client.post("/mcp", json=asked("tools/list"), headers=head)).status_code == 404


@pytest.mark.parametrize(
    ("head", "status"),
    [
        ({}, 400),
        ({"Mcp-Session-Id": "a guess"}, 404),
        ({"MCP-Protocol-Version": "1999-01-01"}, 400),
        ({"Origin": "https://elsewhere.example"}, 403),
    ],
)
async def test_what_is_not_as_the_protocol_has_it_is_refused(
    client: httpx.AsyncClient, head: dict[str, str], status: int
) -> None:
    assert (await client.post("/mcp", json=asked("tools/list"), headers=head)).status_code == status
    assert (await client.get("/mcp")).status_code == 405


async def test_a_token_counts_there_too(engine: Engine, counter: ServerState) -> None:
    tokens = engine.memory.tokens
    heads = {
        name: {"Authorization": f"Bearer {tokens.add(name, grant, [name], []).token}"}  # type: ignore[arg-type]
        for name, grant in (("ann", "write"), ("ben", "read"))
    }
    async with calling(counter, rules("127.0.0.1", holder=tokens.holder)) as client:

        async def call(name: str, tool: str, **arguments: Any) -> Any:
            begun = await client.post("/mcp", json=HELLO, headers=heads[name])
            head = heads[name] | {"Mcp-Session-Id": begun.headers["mcp-session-id"]}
            other = heads["ben" if name == "ann" else "ann"] | {"Mcp-Session-Id": head["Mcp-Session-Id"]}
            message = asked("tools/call", name=tool, arguments=arguments)
            assert (await client.post("/mcp", json=message, headers=other)).status_code == 404
            return (await client.post("/mcp", json=message, headers=head)).json()["result"]

        kept = await call("ann", "knowledge_remember", text="the otter wears a fez", source="a diary")
        assert not kept["isError"], kept
        query = "otter fez in:memory"
        assert (await call("ann", "knowledge_search", query=query))["structuredContent"]["hits"]
        assert not (await call("ben", "knowledge_search", query=query))["structuredContent"]["hits"]
        assert "wears" not in str(await call("ben", "memory_context", query="otter fez"))
        for tool, arguments in (
            ("knowledge_remember", {"text": "no", "source": "x"}), ("tasks_add", {"text": "no"}),
            ("knowledge_query_outcomes", {}), ("knowledge_memory_stats", {}),
        ):  # fmt: skip
            assert (await call("ben", tool, **arguments))["isError"], tool
    for name in heads:
        tokens.revoke(name)
