"""The tools for the graph of links (requirement P1)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ark_tui import settings
from ark_tui.engine import Engine
from ark_tui.interfaces.mcp import server
from tests.mcp.conftest import Assistant, indexed, told

NOTES = {
    "plan.md": "# Plan\n\n- builds_on:: [[idea]]\n- tensions:: [[doubt]]\n",
    "idea.md": "---\ntags: [core]\n---\n# Idea\n\n- builds_on:: [[seed]]\n",
    "seed.md": "---\ntags: [core]\n---\n# Seed\n\nWhere it began.\n",
    "doubt.md": "# Doubt\n\nSee [[seed]].\n",
    "alone.md": "# Alone\n\nLinks to nobody.\n",
}


@pytest.fixture(scope="module")
def linked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return indexed(tmp_path_factory.mktemp("linked"), NOTES)


@pytest.fixture(scope="module")
def linked_assistant(linked: Path) -> Iterator[Assistant]:
    with Engine(settings.load(linked, environ={})) as engine:
        yield Assistant(server.Server(engine, ["ark", "ralph"]))


def paths(nodes: list[dict[str, str]]) -> set[str]:
    return {node["path"] for node in nodes}


async def test_a_walk_follows_typed_links(linked_assistant: Assistant) -> None:
    walk = await linked_assistant.told("knowledge_traverse", **{"from": "plan.md", "type": "builds_on"})
    assert [(node["path"], node["depth"], node["via"]) for node in walk["nodes"]] == [
        ("idea.md", 1, "builds_on"),
        ("seed.md", 2, "builds_on"),
    ]
    back = await linked_assistant.told(
        "knowledge_traverse", **{"from": "seed", "direction": "incoming", "depth": 1}
    )
    assert paths(back["nodes"]) == {"idea.md", "doubt.md"}


async def test_ways_and_shared_neighbours(linked_assistant: Assistant) -> None:
    ways = await linked_assistant.told("knowledge_paths", source="plan", target="seed")
    assert [[node["title"] for node in way] for way in ways["paths"]] == [
        ["Plan", "Doubt", "Seed"],
        ["Plan", "Idea", "Seed"],
    ]
    shared = await linked_assistant.told("knowledge_common", docA="plan", docB="seed")
    assert paths(shared["common"]) == {"idea.md", "doubt.md"}


async def test_surroundings_have_their_links(linked_assistant: Assistant) -> None:
    around = await linked_assistant.told("knowledge_subgraph", root="idea")
    assert paths(around["nodes"]) == {"idea.md", "plan.md", "seed.md"}
    assert {edge["type"] for edge in around["edges"]} == {"builds_on"}


async def test_communities_central_documents_and_bridges(linked_assistant: Assistant) -> None:
    found = await linked_assistant.told("knowledge_communities")
    assert found["unlinked"] == 1
    assert sum(one["size"] for one in found["communities"]) == 4
    first = await linked_assistant.told("knowledge_community", communityId=1)
    assert len(first["documents"]) == first["size"]
    central = await linked_assistant.told("knowledge_central", limit=1)
    assert paths(central["documents"]) == {"seed.md"}
    bridges = await linked_assistant.told("knowledge_bridges")
    assert "alone.md" not in paths(bridges["documents"])
    refused = await linked_assistant.call("knowledge_community", communityId=99)
    assert told(refused)["hint"]


async def test_one_tool_has_the_whole_graph(linked_assistant: Assistant) -> None:
    near = await linked_assistant.told("graph", action="neighbors", id="idea")
    assert paths(near["documents"]) == {"idea.md", "plan.md", "seed.md"}
    assert {one["type"] for one in near["links"]} == {"builds_on"}
    ways = await linked_assistant.told("graph", action="paths", id="plan", other="seed")
    titles = {one["id"]: one["title"] for one in ways["documents"]}
    assert [titles[one] for one in ways["paths"][0]] == ["Plan", "Doubt", "Seed"]
    shared = await linked_assistant.told("graph", action="common", id="plan", other="seed")
    assert paths(shared["documents"]) == {"idea.md", "doubt.md"}
    groups = (await linked_assistant.told("graph", action="communities"))["communities"]
    assert sum(one["size"] for one in groups) == 4
    central = (await linked_assistant.told("graph", action="central"))["documents"]
    assert central[0]["path"] == "seed.md"
    assert "alone.md" not in paths((await linked_assistant.told("graph", action="bridges"))["documents"])
    refused = told(await linked_assistant.call("graph", action="paths", id="plan"))
    assert refused["error"] == "paths takes id and other."
