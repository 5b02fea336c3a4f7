"""A key that stands in a note reaches no assistant, whichever way it asks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ark_tui import settings
from ark_tui.engine import Engine
from ark_tui.interfaces.mcp import server
from tests.mcp.conftest import indexed
from tests.mcp.transport import client as client_of

SECRET = "0123456789abcdef" * 2
KEY = f"sk-{SECRET}"
NOTES = {
    f"deploy password={KEY}.md": f"# Deploying with {KEY}\n\nTo deploy, export API_KEY='{KEY}' and push.\n"
}


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Iterator[server.Server]:
    folder: Path = tmp_path_factory.mktemp("masking")
    with Engine(settings.load(indexed(folder, NOTES), environ={})) as engine:
        engine.memory.directives.add("MUST", f"deploy with {KEY}", scope="deploy")
        yield server.Server(engine, [*server.FAMILIES])


async def test_a_document_that_is_attached_hides_it_in_text_title_and_path(tools: server.Server) -> None:
    async with client_of(tools) as asking:
        listed = await asking.list_resources()
        read = [await asking.read_resource(one.uri) for one in listed.resources]
    told = f"{listed.model_dump_json()}{[one.model_dump_json() for one in read]}"
    assert "Deploying" in told
    assert SECRET not in told


async def test_a_prompt_hides_it_in_what_is_recalled_and_in_the_task_itself(tools: server.Server) -> None:
    async with client_of(tools) as asking:
        before = await asking.get_prompt("recall", {"task": f"deploy with {KEY}"})
        after = await asking.get_prompt("record", {"task": f"deployed with {KEY}"})
    for told in (before, after):
        assert "deploy" in told.model_dump_json()
        assert SECRET not in told.model_dump_json()
