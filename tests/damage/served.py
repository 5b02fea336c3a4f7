"""One request to a server, or one call of a tool, over the home in force, answered as by the command line."""

from __future__ import annotations

import asyncio
import json
import sys

from ark_tui import settings
from ark_tui.engine import Engine
from tests.damage import places


def answer(question: str) -> int:
    """Ask, print what came, and return 0, or 1 for an answer that is an error."""
    kind, _, what = question.partition(" ")
    with Engine(settings.load()) as engine:
        failed, said = asyncio.run((_got if kind == "GET" else _called)(engine, what))
    (sys.stderr if failed else sys.stdout).write(said + "\n")
    return int(failed)


async def _got(engine: Engine, path: str) -> tuple[bool, str]:
    from ark_tui.interfaces.calls.state import state_for
    from ark_tui.interfaces.http.gate import Rules
    from tests.http.conftest import calling

    served = state_for(engine)
    async with calling(served, Rules()) as client:
        found = await client.get(path)
    served.jobs.close()
    said = json.loads(found.text)  # also where it is an error
    assert found.status_code < 400 or {"error", "hint"} <= said.keys(), found
    return found.status_code >= 400, json.dumps(said)


async def _called(engine: Engine, name: str) -> tuple[bool, str]:
    from ark_tui.interfaces.mcp import server
    from tests.mcp.transport import client as client_of

    async with client_of(server.Server(engine, [*server.FAMILIES])) as client:
        found = await client.call_tool(name, places.TOOLS[name])
    text = "".join(part.text for part in found.content if part.type == "text")
    return bool(found.is_error), f"error: {text}" if found.is_error else text
