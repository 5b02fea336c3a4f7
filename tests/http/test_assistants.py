"""The protocol of assistants over HTTP: the official client, sessions, and what is refused."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx
import httpx2
import pytest
from mcp import Client, MCPError
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import TextContent, TextResourceContents

from ark_tui.domain.principal import Grant
from ark_tui.engine import Engine
from ark_tui.interfaces.calls.state import ServerState
from ark_tui.interfaces.http.app import bare
from ark_tui.interfaces.http.gate import Gate, Rules, rules
from tests.http.conftest import NOTES, served
from tests.mcp.conftest import indexed
from tests.ollama_server import Model, OllamaServer

GRANTS: dict[str, Grant] = {"ann": "write", "ben": "read"}


def text(content: object) -> str:
    """The text of what is one."""
    assert isinstance(content, TextContent | TextResourceContents)
    return content.text


class Both:
    """The official client over stdin and stdout, and over HTTP, with the tools of every family."""

    def __init__(self, home: Path, url: str) -> None:
        self._home, self._url = home, url

    @asynccontextmanager
    async def clients(self) -> AsyncIterator[list[Client]]:
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith(("ARK_", "OLLAMA_"))
        }
        words = ["-m", "ark_tui", "mcp", "--tools", "ark,ralph,kadi", "--home", str(self._home)]
        command = StdioServerParameters(command=sys.executable, args=words, env=environment)
        async with httpx2.AsyncClient(headers={"Ark-Tools": "ark,ralph,kadi"}, timeout=60) as http:
            over_http = streamable_http_client(f"{self._url}/mcp", http_client=http)
            async with Client(over_http) as first, Client(stdio_client(command)) as second:
                yield [first, second]

    def ask(self, about: Callable[[Client], Awaitable[Any]]) -> None:
        """Have both told the same."""

        async def asked() -> None:
            async with self.clients() as clients:
                first, second = [await about(client) for client in clients]
            assert first == second

        anyio.run(asked)


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Both, OllamaServer]]:
    folder = tmp_path_factory.mktemp("both")
    home = indexed(folder, NOTES)
    with OllamaServer(Model("writer", embeds=False)) as model:
        said = f'chat_model = "writer"\nconsolidate = false\nollama_host = "{model.host}"\n'
        (home / "config.toml").write_text(said, "utf-8")
        with pytest.MonkeyPatch.context() as patch:
            patch.delenv("OLLAMA_HOST", raising=False)
            with served(home, direct=False) as (url, _):
                yield Both(home, url), model
            subprocess.run([sys.executable, "-m", "ark_tui", "--home", str(home), "stop"], check=False)


def test_the_official_client_is_told_the_same_over_both_transports(both: tuple[Both, OllamaServer]) -> None:
    async def about(client: Client) -> Any:
        tools = [one.name for one in (await client.list_tools()).tools]
        found = await client.call_tool("knowledge_search", {"query": "spectral gap", "limit": 2})
        return tools, [hit["title"] for hit in found.structured_content["hits"]]

    both[0].ask(about)


def test_documents_are_resources(both: tuple[Both, OllamaServer]) -> None:
    async def about(client: Client) -> Any:
        listed = (await client.list_resources()).resources
        (template,) = (await client.list_resource_templates()).resource_templates
        texts = [text((await client.read_resource(one.uri)).contents[0]) for one in listed]
        by_path = await client.read_resource(template.uri_template.replace("{id}", "gap.md"))
        assert text(by_path.contents[0]) in texts
        assert all(one.uri.startswith("ark://documents/") for one in listed)
        with pytest.raises(MCPError, match="nothing"):
            await client.read_resource("ark://documents/nothing")
        return [one.title for one in listed], texts

    both[0].ask(about)


def test_prompts_recall_before_a_task_and_record_after_it(both: tuple[Both, OllamaServer]) -> None:
    async def about(client: Client) -> Any:
        prompts = {one.name: one for one in (await client.list_prompts()).prompts}
        assert set(prompts) == {"recall", "record"}
        rule = {"kind": "MUST", "text": "warm the pot", "scope": "kitchen"}
        added = await client.call_tool("remember", rule)
        before = await client.get_prompt("recall", {"task": "make tea", "scope": "kitchen"})
        assert "MUST warm the pot" in text(before.messages[0].content), added
        after = await client.get_prompt("record", {"task": "made tea", "retrieval_id": "3fa9c1"})
        assert "3fa9c1" in text(after.messages[0].content)
        with pytest.raises(MCPError, match="task is missing"):
            await client.get_prompt("recall", {})
        return text(after.messages[0].content)

    both[0].ask(about)


def test_how_far_a_call_is_is_told_in_ever_larger_numbers(both: tuple[Both, OllamaServer]) -> None:
    async def about(client: Client) -> Any:
        heard: list[float] = []

        async def told(progress: float, total: float | None, message: str | None) -> None:  # noqa: ARG001
            heard.append(progress)

        texts = [{"source": f"{n}.md", "content": f"Bird {n} sings."} for n in range(50)]
        given = {"collection": "birds", "documents": texts}
        answer = await client.call_tool("search-index", given, progress_callback=told)
        assert not answer.is_error, answer
        assert heard == sorted(set(heard))
        assert heard
        return True

    both[0].ask(about)


def test_a_call_that_is_cancelled_stops_its_work(both: tuple[Both, OllamaServer]) -> None:
    asked, model = both

    async def about(client: Client) -> Any:
        await client.list_tools()  # the session has begun, so that the next message is the call
        before, dropped = len(model.asked("/api/chat")), len(model.hung_up)
        async with anyio.create_task_group() as group:
            group.start_soon(client.call_tool, "knowledge_think", {"query": "How long does rye rest?"})
            await until(lambda: len(model.asked("/api/chat")) > before)
            group.cancel_scope.cancel()
        await until(lambda: len(model.hung_up) > dropped)
        return True

    model.says, model.token = (lambda _: "word " * 5000), 0.05
    asked.ask(about)


async def until(true: Callable[[], bool]) -> None:
    """Wait until something is so."""
    with anyio.fail_after(20):
        while not true():  # noqa: ASYNC110 - it is another process that makes it so
            await anyio.sleep(0.02)


@asynccontextmanager
async def asking(
    counter: ServerState, rules: Rules, head: dict[str, str] | None = None
) -> AsyncIterator[Callable[..., Client]]:
    """Makes official clients of the server within this process, each with a token of its own."""
    app = bare(counter)
    async with app.router.lifespan_context(app):
        transport = httpx2.ASGITransport(app=Gate(app, rules))

        def client(token: str = "") -> Client:
            told = (head or {}) | ({"Authorization": f"Bearer {token}"} if token else {})
            http = httpx2.AsyncClient(transport=transport, headers=told)
            return Client(streamable_http_client("http://127.0.0.1:7070/mcp", http_client=http))

        yield client


async def test_a_header_says_which_families_of_tools_are_offered(counter: ServerState) -> None:
    async with asking(counter, Rules(), {"Ark-Tools": "ark, kadi"}) as made, made() as client:
        names = {one.name for one in (await client.list_tools()).tools}
        assert names >= {"search", "search-query"}
        assert "knowledge_search" not in names
    async with asking(counter, Rules(), {"Ark-Tools": "serch"}) as made, made() as client:
        with pytest.raises(MCPError, match="no family of tools serch"):
            await client.list_tools()


async def test_what_is_not_as_the_protocol_has_it_is_refused(counter: ServerState) -> None:
    app = bare(counter)
    async with app.router.lifespan_context(app):
        transport = httpx.ASGITransport(app=Gate(app, Rules()))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:7070") as client:
            message = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
            accept = {"Accept": "application/json, text/event-stream"}
            for head, status in (
                ({}, 400), ({"Mcp-Session-Id": "a guess"}, 404),
                ({"MCP-Protocol-Version": "1999-01-01"}, 400),
                ({"Origin": "https://elsewhere.example"}, 403),
            ):  # fmt: skip
                found = await client.post("/mcp", json=message, headers=accept | head)
                assert found.status_code == status, head
            assert (await client.get("/mcp")).status_code == 405


async def test_a_token_counts_there_too(engine: Engine, counter: ServerState) -> None:
    tokens = engine.memory.tokens
    made = {name: tokens.add(name, grant, [name], []).token for name, grant in GRANTS.items()}
    families = {"Ark-Tools": "ark,ralph"}
    async with asking(counter, rules("127.0.0.1", holder=tokens.holder), families) as client:

        async def call(name: str, tool: str, **arguments: Any) -> Any:
            async with client(made[name]) as asked:
                return await asked.call_tool(tool, arguments)

        kept = await call("ann", "remember", kind="fact", text="the otter wears a fez")
        assert not kept.is_error, kept
        query = "otter fez in:memory"
        assert (await call("ann", "search", query=query)).structured_content["hits"]
        assert not (await call("ben", "search", query=query)).structured_content["hits"]
        assert "wears" not in str(await call("ben", "context", task="otter fez"))
        for tool, arguments in (
            ("knowledge_remember", {"text": "no", "source": "x"}), ("tasks", {"action": "add", "text": "no"}),
            ("knowledge_query_outcomes", {}), ("knowledge_memory_stats", {}),
        ):  # fmt: skip
            assert (await call("ben", tool, **arguments)).is_error, tool
    for name in made:
        tokens.revoke(name)
