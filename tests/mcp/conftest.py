"""A server over a few notes, asked by the official client: within this process, and over stdin and stdout."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import CallToolResult, TextContent, Tool

from ark_tui import settings
from ark_tui.engine import Engine
from ark_tui.interfaces.mcp import server
from tests.http.conftest import NOTES
from tests.mcp.transport import client as client_of


def indexed(folder: Path, notes: Mapping[str, str]) -> Path:
    """A home over a folder of these notes."""
    (folder / "notes").mkdir()
    for name, text in notes.items():
        (folder / "notes" / name).write_text(text, "utf-8")
    with Engine(settings.load(folder / "home")) as engine:
        engine.index([folder / "notes"])
    return folder / "home"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return indexed(tmp_path_factory.mktemp("mcp"), NOTES)


@pytest.fixture(scope="module")
def engine(home: Path) -> Iterator[Engine]:
    with Engine(settings.load(home, environ={})) as engine:
        yield engine


class Assistant:
    """Asks the server within this process, each time over a connection of its own."""

    def __init__(self, asked: server.Server) -> None:
        self._server = asked

    async def tools(self) -> list[Tool]:
        async with client_of(self._server) as client:
            return (await client.list_tools()).tools

    async def call(self, name: str, **arguments: object) -> CallToolResult:
        async with client_of(self._server) as client:
            return await client.call_tool(name, arguments)

    async def told(self, name: str, **arguments: object) -> Any:
        """What a tool answered that did not fail."""
        answer = await self.call(name, **arguments)
        assert not answer.is_error, answer
        return told(answer)


@pytest.fixture(scope="module")
def assistant(engine: Engine) -> Assistant:
    return Assistant(server.Server(engine, [*server.FAMILIES]))


def by_stdio(home: Path, *options: str) -> Client:
    """A client of `ark-tui mcp` in a process of its own."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("ARK_") or name == "ARK_DIRECT"
    }
    command = ["-m", "ark_tui", "mcp", "--home", str(home), *options]
    return Client(stdio_client(StdioServerParameters(command=sys.executable, args=command, env=environment)))


def told(result: CallToolResult) -> Any:
    """What a tool answered; text and structured content say the same."""
    (content,) = result.content
    assert isinstance(content, TextContent)
    found = json.loads(content.text)
    assert found == result.structured_content
    return found
